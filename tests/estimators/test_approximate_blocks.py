"""Models on landmarks from rows that come in blocks."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

from maxmargin import SVC, ApproximateSVC, KernelLogisticRegression, LinearOneClassSVM, RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.solution import Status

X, Y = make_moons(4000, noise=0.2, random_state=0)
X = X.astype(np.float32)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_the_optimum_is_that_of_rows_in_memory(loss: str) -> None:
    """Up to 20 000 rows the landmarks are chosen among all of them: both solve the same problem."""
    how: dict[str, Any] = {"n_components": 60, "gamma": 2.0, "random_state": 0, "loss": loss}
    blocks = RowBlocks.from_arrays(X, Y, batch_size=900)
    model, whole = ApproximateSVC(**how).fit(blocks), ApproximateSVC(**how).fit(X, Y)
    assert model.status_ is Status.CONVERGED
    a, b = model.certificate_, whole.certificate_
    assert a.dual_objective <= b.primal_objective * (1.0 + 1e-6)  # features of float32
    assert b.dual_objective <= a.primal_objective * (1.0 + 1e-6)
    assert model.n_features_in_ == 2
    np.testing.assert_array_equal(model.predict(blocks), model.predict(X))
    assert model.score(blocks) == model.score(X, Y) > 0.95
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_several_classes() -> None:
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.2)
    model = ApproximateSVC(40, gamma=2.0, random_state=0).fit(RowBlocks.from_arrays(X, y, batch_size=900))
    assert model.score(X, y) > 0.95
    assert model.decision_function(X).shape == (4000, 3)


def test_what_is_refused() -> None:
    blocks = RowBlocks.from_arrays(X, Y, batch_size=900)
    with pytest.raises(InvalidInput, match="Give a number for RowBlocks"):
        ApproximateSVC("auto").fit(blocks)
    with pytest.raises(InvalidInput, match="without standardised"):
        ApproximateSVC(10).fit(blocks.standardised())
    model = ApproximateSVC(10, random_state=0).fit(blocks)
    with pytest.raises(InvalidInput, match="exact_bound needs the multipliers of all rows"):
        model.exact_bound(X, Y)


@pytest.mark.parametrize("model", [SVC(), LinearOneClassSVM(), KernelLogisticRegression()])
def test_other_models_say_who_takes_blocks(model: Any) -> None:
    with pytest.raises(InvalidInput, match=r"RowBlocks are taken in place of X by LinearSVC.*blocks\[:\] reads all"):
        model.fit(RowBlocks.from_arrays(X), Y)
