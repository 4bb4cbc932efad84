"""Lectures and gallery: scripts that run while the site is built, with the pictures that they draw."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

from .docstrings import plain

_HEADER = """Gallery
=======

Each script is in ``examples/`` of the project and draws one picture: ``python examples/tube.py`` writes ``tube.png``.
"""
_SHORT = re.compile(r"^(?P<title>.+?)(?:: |(?<=\?) |\.$)(?P<rest>.*)$")


def settings(docs: Path) -> dict[str, Any]:
    """What Sphinx-Gallery is told."""
    return {
        "examples_dirs": [str(docs / "lectures"), str(docs / "_examples")],
        "gallery_dirs": ["lectures_built", "gallery"],
        "filename_pattern": r"\.py$",
        "ignore_pattern": r"__init__\.py",
        "image_scrapers": ("matplotlib", "_site.gallery.pictures"),
        "remove_config_comments": True,
        "download_all_examples": False,
        "show_memory": False,
        "show_signature": False,
        "min_reported_time": 1000,
        "abort_on_example_error": True,
        "within_subsection_order": "FileNameSortKey",
    }


def copy_examples(examples: Path, folder: Path) -> list[str]:
    """Copy the examples with a title each; returns the names of those left out, whose data are not here."""
    folder.mkdir(exist_ok=True)
    (folder / "GALLERY_HEADER.rst").write_text(_HEADER, encoding="utf-8")
    left_out = []
    for script in sorted(examples.glob("*.py")):
        text = script.read_text(encoding="utf-8")
        if "MAXMARGIN_DATA" in text and "MAXMARGIN_DATA" not in os.environ:
            left_out.append(script.stem)
        else:
            _, docstring, code = text.split('"""', 2)
            target, new = folder / script.name, f'r"""\n{_titled(docstring)}"""{code}'
            if not target.exists() or target.read_text(encoding="utf-8") != new:
                target.write_text(new, encoding="utf-8")
    for stale in {path.name for path in folder.glob("*.py")} - {path.name for path in examples.glob("*.py")}:
        (folder / stale).unlink()
    return left_out


def _titled(docstring: str) -> str:
    """The docstring with what stands before its first colon as the title."""
    first, _, rest = docstring.partition("\n")
    found = _SHORT.match(first)
    title, tail = (found["title"], found["rest"]) if found else (first, "")
    tail = f"\n{plain(tail[0].upper() + tail[1:])}\n" if tail else ""
    body = "\n".join(plain(line) for line in rest.split("\n"))
    return f"{title}\n{'=' * len(title)}\n{tail}{body.replace(chr(10) + '    python', '::' + chr(10) * 2 + '    python')}"


def pictures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Take the PNG files that a script has written: the examples save their pictures, as they do by hand."""
    script = Path(block_vars["src_file"])
    taken = []
    for picture in sorted(script.parent.glob("*.png")):
        target = Path(next(block_vars["image_path_iterator"]))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(picture, target)
        taken.append(str(target))
    return str(figure_rst(taken, gallery_conf["src_dir"]))
