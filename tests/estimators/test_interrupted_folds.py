"""Ctrl-C, as a signal of the system, while the folds of a fit are solved."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC, SVR, LinearSVR, NuSVC
from maxmargin.errors import FitInterrupted
from maxmargin.estimators._shared._fold_stage import FoldStage
from maxmargin.solution import Status

WAIT = 0.05  # seconds in the folds before the signal


def rows(n: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8))
    target = X[:, 0] * X[:, 1] + rng.normal(size=n)
    return X, (target > 0).astype(int), target


@pytest.mark.alone
@pytest.mark.parametrize(
    ("model", "n", "purpose"),
    [
        (SVC(C=300.0, probability=True), 4000, "probabilities"),
        (NuSVC(nu=0.4, probability=True, gamma=1.0), 4000, "probabilities"),
        (SVR(C=300.0, interval=True), 4000, "intervals"),
        (LinearSVR(C=1e3, interval=True), 200_000, "intervals"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else str(value),
)
def test_ctrl_c_in_the_folds_gives_the_fit(model: Any, n: int, purpose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, target = rows(n)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(WAIT, press)
    enter = FoldStage.__enter__

    def begin(stage: FoldStage) -> None:
        enter(stage)
        timer.start()

    monkeypatch.setattr(FoldStage, "__enter__", begin)
    small = slice(None, 60)
    answers = y if purpose == "probabilities" else target
    settings = dict(model.get_params())
    before_state = type(model)(**{**settings, "probability" if purpose == "probabilities" else "interval": False})
    before_state = before_state.fit(X[small], answers[small]).set_params(**settings)
    kept = before_state.predict(X[small]).copy()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        with pytest.raises(FitInterrupted, match=f"Interrupted in the folds for {purpose}, after the fit") as caught:
            before_state.fit(X, answers)
        ended = time.perf_counter()
        timer.join()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert pressed
    assert ended - pressed[0] < 0.5
    assert caught.value.solution.status is Status.CONVERGED
    assert np.array_equal(before_state.predict(X[small]), kept)  # the estimator is as it was before
