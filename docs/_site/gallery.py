"""Lectures and gallery: scripts that run while the site is built, with the pictures that they draw."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst


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


def settings(docs: Path) -> dict[str, Any]:
    """What Sphinx-Gallery is told."""
    return {
        "examples_dirs": [str(docs / "lectures"), str(docs.parent / "examples")],
        "gallery_dirs": ["lectures_built", "gallery"],
        "filename_pattern": r"\.py$",
        "ignore_pattern": r"__init__\.py|_\w+\.py",
        "image_scrapers": ("matplotlib", "_site.gallery.pictures"),
        "remove_config_comments": True,
        "download_all_examples": False,
        "show_memory": False,
        "show_signature": False,
        "min_reported_time": 1000,
        "abort_on_example_error": True,
        "plot_gallery": True,
        "within_subsection_order": "FileNameSortKey",
    }
