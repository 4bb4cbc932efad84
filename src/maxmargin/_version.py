"""The version of what is installed."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

__all__ = ["installed_version"]


@lru_cache(maxsize=1)
def installed_version() -> str:
    """Version of the installed package; "0+unknown" in a source tree that is not installed."""
    metadata = import_module("importlib.metadata")  # with Python's parser of mail: only when somebody asks
    try:
        return str(metadata.version("maxmargin"))
    except metadata.PackageNotFoundError:
        return "0+unknown"
