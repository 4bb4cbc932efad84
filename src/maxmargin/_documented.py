"""Where the page of an estimator is: the link that scikit-learn's HTML view of it shows."""

from __future__ import annotations

import os
import sys
from abc import ABC
from pathlib import Path
from typing import Any, ClassVar

__all__ = ["Documented", "page_name", "site"]

_BUILT = Path(__file__).parents[2] / "docs" / "_build" / "html"
"""Where ``make docs`` puts the site in a clone, which an editable install runs from."""


def site() -> str:
    """Address of the site, with a slash at its end: the environment's ``MAXMARGIN_DOCS``, else a clone's own build; else empty.

    Examples
    --------
    >>> import os
    >>> from maxmargin._documented import site
    >>> os.environ["MAXMARGIN_DOCS"] = "https://docs.example/maxmargin"
    >>> site()
    'https://docs.example/maxmargin/'
    >>> del os.environ["MAXMARGIN_DOCS"]
    """
    named = os.environ.get("MAXMARGIN_DOCS", "").strip()
    if named:
        return named.rstrip("/") + "/"
    return f"{_BUILT.as_uri()}/" if (_BUILT / "index.html").is_file() else ""


def page_name(kind: type) -> str:
    """The public name of a class of this package: that of its room, or of the front door if that offers it too.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin._documented import page_name
    >>> from maxmargin.calibration import CalibratedClassifierCV
    >>> page_name(SVC), page_name(CalibratedClassifierCV)
    ('maxmargin.SVC', 'maxmargin.calibration.CalibratedClassifierCV')
    """
    package, room, *_ = kind.__module__.split(".")
    at_front = kind.__name__ in sys.modules[package].__all__
    return f"{package}.{kind.__name__}" if at_front else f"{package}.{room}.{kind.__name__}"


class Documented(ABC):  # noqa: B024  # it is only mixed in
    """Mixed into estimators before scikit-learn's base, whose link to a page it replaces."""

    _doc_link_module: ClassVar[str] = "maxmargin"

    @property
    def _doc_link_template(self) -> str:
        """Empty, and so no link, where nobody knows an address."""
        address = site()
        return f"{address}reference/generated/{{page}}.html" if address else ""

    def _doc_link_url_param_generator(self, *_: Any) -> dict[str, str]:
        return {"page": page_name(type(self))}
