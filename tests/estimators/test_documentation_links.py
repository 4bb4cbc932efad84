"""scikit-learn's HTML view of every estimator links to its page of the site, where somebody knows the address."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

import maxmargin
from maxmargin import SVC, _documented

ADDRESS = "https://docs.example/maxmargin"


def _estimators() -> dict[str, type[Any]]:
    """Public estimators by the name under which the site has them: that of the front door first."""
    found: dict[str, type[Any]] = {}
    for room in ("", ".model_selection", ".calibration", ".feature_maps"):
        module = importlib.import_module(f"maxmargin{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            made = inspect.isclass(thing) and issubclass(thing, BaseEstimator) and not inspect.isabstract(thing)
            if made and thing not in found.values():
                found[f"maxmargin{room}.{name}"] = thing
    return found


def _made(kind: type[Any]) -> Any:
    """An instance; most need nothing."""
    return kind(SVC(), {"C": [1.0]}) if "Search" in kind.__name__ else kind()


def test_all_kinds_of_estimators_are_tried() -> None:
    assert {"maxmargin.SVC", "maxmargin.SVCCV", "maxmargin.KernelPCA", "maxmargin.feature_maps.Nystroem"} <= set(_estimators())
    assert {"maxmargin.model_selection.GridSearchCV", "maxmargin.calibration.CalibratedClassifierCV"} <= set(_estimators())


@pytest.mark.parametrize("name", _estimators())
def test_the_view_links_to_the_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXMARGIN_DOCS", ADDRESS)
    model = _made(_estimators()[name])
    assert f'href="{ADDRESS}/reference/generated/{name}.html"' in model._repr_html_()


def test_steps_of_a_pipeline_link_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXMARGIN_DOCS", f"{ADDRESS}/")
    assert f'href="{ADDRESS}/reference/generated/maxmargin.SVC.html"' in make_pipeline(SVC())._repr_html_()


def test_a_clone_links_to_the_site_it_has_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAXMARGIN_DOCS", raising=False)
    monkeypatch.setattr(_documented, "_BUILT", tmp_path)
    assert SVC()._get_doc_link() == ""
    (tmp_path / "index.html").write_text("", encoding="utf-8")
    assert SVC()._get_doc_link() == f"{tmp_path.as_uri()}/reference/generated/maxmargin.SVC.html"


def test_somebody_elses_subclass_has_no_page_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXMARGIN_DOCS", ADDRESS)

    class Mine(maxmargin.SVC):
        pass

    assert Mine()._get_doc_link() == ""
