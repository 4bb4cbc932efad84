"""What stands around the fit of an estimator: its seconds are kept, and what fails leaves no trace."""

from __future__ import annotations

from types import SimpleNamespace, TracebackType
from typing import Any

import pytest

from maxmargin.estimators._shared import _fitting
from maxmargin.estimators._shared._fitting import Fitting


class _Watching:
    """Stands for callbacks that fail when the fit begins, or when it has ended."""

    def __init__(self, model: Any, when: str) -> None:
        self.model, self.when = model, when

    def __enter__(self) -> None:
        self.model.seen_ = True
        if self.when == "begin":
            raise ValueError("at the beginning")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.when == "end":
            raise ValueError("at the end")


def test_seconds_of_stages_are_kept() -> None:
    model = SimpleNamespace(coef_=1.0)
    with Fitting(model, None, None) as stages:
        stages.end("validation")
        model.coef_ = 2.0
        stages.end("solve", certificate=1e-9)
    assert model.coef_ == 2.0
    assert list(model._seconds) == ["validation", "solve", "certificate"]


def test_a_fit_that_fails_leaves_no_trace() -> None:
    model = SimpleNamespace(coef_=1.0)

    def fit() -> None:
        with Fitting(model, None, None) as stages:
            stages.end("validation")
            model.coef_ = 2.0
            raise KeyError

    with pytest.raises(KeyError):
        fit()
    assert vars(model) == {"coef_": 1.0}


@pytest.mark.parametrize("when", ["begin", "end"])
def test_nor_does_one_whose_callbacks_fail(monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    model = SimpleNamespace(coef_=1.0)
    monkeypatch.setattr(_fitting, "watching", lambda model, *_, **__: _Watching(model, when))
    with pytest.raises(ValueError, match=when), Fitting(model, None, None):
        model.coef_ = 2.0
    assert vars(model) == {"coef_": 1.0}
