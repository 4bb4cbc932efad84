"""The site: pages in Markdown, the reference from docstrings, lectures and gallery from scripts that run when it is built."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from _site import benchmarks, docstrings, gallery, names, reference, tree  # noqa: E402  # the folder of this file has to be on the path first

import maxmargin.playground  # noqa: E402

mpl.use("Agg")

project = "maxmargin"
author = "The maxmargin developers"
copyright = author
release = maxmargin.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # the site shows its formulas without a network
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_examples", "_made", "lectures/*.rst", "**/sg_execution_times.rst", "sg_execution_times.rst"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_title = "maxmargin"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options: dict[str, Any] = {
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
}

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
default_role = "py:obj"
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "inherited-members": True}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = gallery.settings(HERE)
left_out = gallery.copy_examples(HERE.parent / "examples", HERE / "_examples")
if left_out:
    print(f"The gallery is without {', '.join(left_out)}: set MAXMARGIN_DATA to the folder of their data.")


def setup(app: Any) -> None:
    """Write the pages that are made from the package before Sphinx looks for pages."""
    reference.write(HERE / "reference")
    benchmarks.write(HERE / "measured", HERE / "_made")
    tree.draw(HERE / "_made" / "choose.svg")
    app.connect("autodoc-process-docstring", docstrings.adapt, priority=100)  # before numpydoc
    app.connect("autodoc-skip-member", docstrings.skip)
    app.connect("doctree-resolved", names.Linker(reference.rooms()))
    app.connect("build-finished", _copy_playground)


def _copy_playground(app: Any, error: Exception | None) -> None:
    """The page of ``maxmargin play``, in a folder of the site; `make docs` compiles its core first."""
    if error is None and app.builder.format == "html":
        unwanted = shutil.ignore_patterns("*.py", "__pycache__")
        shutil.copytree(maxmargin.playground.folder(), Path(app.outdir) / "playground", ignore=unwanted, dirs_exist_ok=True)
