"""The page that ``maxmargin play`` serves: HTML, CSS, JavaScript, and the core compiled to WebAssembly by ``make wasm``."""

from __future__ import annotations

from pathlib import Path

__all__ = ["folder"]


def folder() -> Path:
    """Where the files of the page are.

    Examples
    --------
    >>> from maxmargin.playground import folder
    >>> (folder() / "index.html").is_file()
    True
    """
    return Path(__file__).parent
