"""Public sets in blocks: the optimum of rows in memory, within the certificates."""

from __future__ import annotations

import lzma
import warnings
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from maxmargin import LinearClassifier, LinearSVC, LogisticRegression, RowBlocks, StochasticClassifier
from maxmargin.errors import FeatureScaleWarning

from .._data import data_folder
from .test_block_fits import same_optimum

TOL = 1e-3


@lru_cache(maxsize=1)
def rows_of(name: str) -> tuple[Any, Any]:
    """Rows as they come; of mnist 20 000, of covtype so many are in the file."""
    folder = data_folder()
    file = folder / ("mnist.npz" if name == "mnist" else f"{name}.xz")
    if not file.exists():
        pytest.skip(f"{file.name} is not in {folder}: set MAXMARGIN_DATA to the folder of the public sets")
    if name == "mnist":
        with np.load(file) as held:
            return (held["X"][:20_000] / 255.0).astype(np.float32), held["y"][:20_000]
    with lzma.open(file) as text:
        X, y = load_svmlight_file(text, dtype=np.float32)
    X.sort_indices()
    return (X if name in ("a9a", "w7a", "news20") else X.toarray()), y


def compared(name: str, model: Any, whole: Any, *, halves: bool = False) -> None:
    X, y = rows_of(name)
    y = y > np.median(y) if halves else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FeatureScaleWarning)
        model.fit(RowBlocks.from_arrays(X, y, batch_size=X.shape[0] // 6))
        whole.fit(X, y)
    same_optimum(model, whole, TOL)


BINARY = ("a9a", "w7a", "covtype.20k")
PENALTIES: list[dict[str, Any]] = [{"penalty": "l1"}, {"penalty": "elasticnet", "l1_ratio": 0.5}, {"penalty": "ball", "B": 4.0}]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "squared"])
@pytest.mark.parametrize("name", BINARY)
def test_losses(name: str, loss: str) -> None:
    compared(name, *(LinearClassifier(loss=loss, tol=TOL) for _ in range(2)))


@pytest.mark.parametrize(("loss", "penalty"), list(product(["squared_hinge", "logistic"], PENALTIES)))
@pytest.mark.parametrize("name", BINARY)
def test_penalties(name: str, loss: str, penalty: dict[str, Any]) -> None:
    compared(name, *(LinearClassifier(loss=loss, tol=TOL, **penalty) for _ in range(2)))


@pytest.mark.parametrize(("name", "C"), [("mnist", 1.0), ("news20", 1e-3)])  # counts of words at C=1: thousands of passes
def test_all_classes_at_once(name: str, C: float) -> None:
    """10 classes of 784 features, 20 classes of 62 061."""
    compared(name, LogisticRegression(C=C, tol=TOL), LogisticRegression(C=C, tol=TOL))


@pytest.mark.parametrize("how", [{}, {"loss": "hinge"}])
@pytest.mark.parametrize("name", ["mnist", "news20"])
def test_two_halves_of_the_classes(name: str, how: dict[str, Any]) -> None:
    compared(name, LinearSVC(C=0.1, tol=TOL, **how), LinearSVC(C=0.1, tol=TOL, **how), halves=True)


def test_sparse_weights_of_mnist() -> None:
    model = LogisticRegression(C=0.01, l1_ratio=1.0, tol=TOL)
    compared("mnist", model, LogisticRegression(C=0.01, l1_ratio=1.0, tol=TOL), halves=True)
    assert 0 < np.count_nonzero(model.coef_) < model.coef_.size


@pytest.mark.parametrize("name", [*BINARY, "mnist"])
def test_stochastic_steps(name: str) -> None:
    X, y = rows_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FeatureScaleWarning)
        model = StochasticClassifier(tol=0.3).fit(RowBlocks.from_arrays(X, y, batch_size=X.shape[0]))
        whole = StochasticClassifier(tol=0.3).fit(X, y)
    np.testing.assert_array_equal(model.coef_, whole.coef_)
    assert model.status_ is whole.status_
