"""Lectures and gallery: scripts that run while the site is built, with the pictures that they draw."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from .docstrings import plain

_HEADER = """Gallery
=======

Each script is in ``examples/`` of the project and draws one picture: ``python examples/tube.py`` writes ``tube.png``.
"""
SECTIONS = {
    "data": (
        "Real use",
        "newsgroups digits splice_sites molecules series bags records one_class tube intervals tuning certified "
        "kernel_logistic sparse_weights landmarks large_data",
    ),
    "claims": (
        "Claims of the lectures",
        "hard_margin second_and_third_order polynomial_kernels gaussian_width ellipse lifted_circle sigmoid squared_error",
    ),
    "methods": ("Losses, kernels, solvers", "losses mercer map_or_kernel descent solvers"),
}
"""Parts of the gallery: folder, heading and scripts. A script that is in none fails the build."""
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
        "subsection_order": [f"_examples/{folder}" for folder in SECTIONS],
        "nested_sections": False,
    }


def copy_examples(examples: Path, folder: Path) -> list[str]:
    """Copy the examples with a title each; returns the names of those left out, whose data are not here."""
    places = {name: section for section, (_, names) in SECTIONS.items() for name in names.split()}
    found = {path.stem for path in examples.glob("*.py")}
    if found != set(places):
        raise ValueError(f"docs/_site/gallery.py must list each example in one section: {sorted(found ^ set(places))}.")
    folder.mkdir(exist_ok=True)
    _put(folder / "GALLERY_HEADER.rst", _HEADER)
    for section, (title, _) in SECTIONS.items():
        (folder / section).mkdir(exist_ok=True)
        _put(folder / section / "GALLERY_HEADER.rst", f"{title}\n{'-' * len(title)}\n")
    kept, left_out = set(), []
    for script in sorted(examples.glob("*.py")):
        text = script.read_text(encoding="utf-8")
        if "MAXMARGIN_DATA" in text and "MAXMARGIN_DATA" not in os.environ:
            left_out.append(script.stem)
            continue
        _, docstring, code = text.split('"""', 2)
        kept.add(folder / places[script.stem] / script.name)
        _put(folder / places[script.stem] / script.name, f'r"""\n{_titled(docstring)}"""{code}')
    for stale in set(folder.rglob("*.py")) - kept:
        stale.unlink()
    return left_out


def _put(path: Path, text: str) -> None:
    """Write, unless the file says so already: what is new runs again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _titled(docstring: str) -> str:
    """The docstring with what stands before its first colon as the title."""
    first, _, rest = docstring.partition("\n")
    found = _SHORT.match(first)
    title, tail = (found["title"], found["rest"]) if found else (first, "")
    if " " not in title:  # one word says too little
        title = f"{title}: {tail.strip().partition(',')[0].rstrip('.')}"
    tail = f"\n{plain(tail[0].upper() + tail[1:])}\n" if tail else ""
    body = "\n".join(plain(line) for line in rest.split("\n"))
    return f"{title}\n{'=' * len(title)}\n{tail}{body.replace(chr(10) + '    python', '::' + chr(10) * 2 + '    python')}"


def pictures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Take the PNG files that a script has written: the examples save their pictures, as they do by hand."""
    from sphinx_gallery.scrapers import figure_rst  # noqa: PLC0415  # only the build of the site has it

    script = Path(block_vars["src_file"])
    taken = []
    for picture in sorted(script.parent.glob("*.png")):
        target = Path(next(block_vars["image_path_iterator"]))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(picture, target)
        taken.append(str(target))
    return str(figure_rst(taken, gallery_conf["src_dir"]))
