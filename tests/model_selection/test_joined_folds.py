"""Folds share one matrix of kernel values where they can, and their scores do not depend on that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV as Reference
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit

from maxmargin import SVC, SVCCV, SVR, NuSVC, get_threads, set_threads
from maxmargin.kernels import RBF, Linear, UserFunction
from maxmargin.model_selection import GridSearchCV, cross_val_predict

COSTS = [1e-2, 1.0, 1e2]
SHARED = "share one matrix of kernel values"


def blobs(classes: int = 2, count: int = 240) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = np.arange(count) % classes
    return rng.normal(size=(count, 4)) + 1.2 * np.eye(4)[y % 4], y


def product(A: Any, B: Any) -> Any:
    return np.exp(-0.2 * ((A[:, np.newaxis] - B[np.newaxis]) ** 2).sum(axis=2))


def scores(search: Any) -> Any:
    return np.array([search.cv_results_[f"split{k}_test_score"] for k in range(search.n_splits_)])


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "model",
    [
        SVC(gamma=0.2, tol=1e-4),
        SVC(kernel="linear", tol=1e-4),
        SVC(kernel=RBF(gamma=0.1) + Linear(), tol=1e-4),
        SVC(kernel=UserFunction(product), tol=1e-4),
        SVC(gamma=0.2, tol=1e-4, multi_class="ovr"),
    ],
    ids=["rbf", "linear", "sum", "function", "one against the rest"],
)
def test_scores_are_those_of_separate_fits(model: Any, classes: int) -> None:
    X, y = blobs(classes)
    found = GridSearchCV(model, {"C": COSTS}, scoring="accuracy").fit(X + 3.0, y)
    wanted = Reference(model, {"C": COSTS}, scoring="accuracy").fit(X + 3.0, y)
    assert SHARED in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1 / 48 + 1e-12  # a row of a fold
    assert (found.gaps_ <= 1e-3).all()
    assert found.gaps_.shape == (3, 5)


def test_a_given_matrix() -> None:
    X, y = blobs(3)
    K = rbf_kernel(X, gamma=0.2)
    found = GridSearchCV(SVC(kernel="precomputed", tol=1e-4), {"C": COSTS}).fit(K, y)
    assert SHARED in found.shared_
    wanted = GridSearchCV(SVC(gamma=0.2, tol=1e-4), {"C": COSTS}).fit(X, y)
    assert np.abs(scores(found) - scores(wanted)).max() <= 1 / 48 + 1e-12


def test_regression() -> None:
    X, _ = blobs()
    y = X[:, 0] * X[:, 1]
    found = GridSearchCV(SVR(gamma=0.2, tol=1e-5), {"C": COSTS}).fit(X, y)
    wanted = Reference(SVR(gamma=0.2, tol=1e-5), {"C": COSTS}).fit(X, y)
    assert SHARED in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1e-3


def test_nu() -> None:
    X, y = blobs()
    found = GridSearchCV(NuSVC(gamma=0.2), {"nu": [0.3, 0.5]}).fit(X, y)
    wanted = Reference(NuSVC(gamma=0.2), {"nu": [0.3, 0.5]}).fit(X, y)
    assert SHARED in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1 / 48 + 1e-12


@pytest.mark.parametrize(
    "cv", [ShuffleSplit(3, test_size=0.3, random_state=0), RepeatedStratifiedKFold(n_splits=3, n_repeats=2)]
)
def test_folds_that_overlap(cv: Any) -> None:
    X, y = blobs()
    splits = [(np.sort(train), test) for train, test in cv.split(X, y)]
    found = GridSearchCV(SVC(gamma=0.2, tol=1e-4), {"C": COSTS}, cv=splits).fit(X, y)
    wanted = Reference(SVC(gamma=0.2, tol=1e-4), {"C": COSTS}, cv=splits).fit(X, y)
    assert SHARED in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1 / 72 + 1e-12


@pytest.mark.parametrize(
    ("model", "fit"),
    [(SVC(gamma="scale"), {}), (SVC(gamma=0.2), {"sample_weight": np.arange(240) % 7})],
    ids=["a kernel of the fold", "rows without weight"],
)
def test_what_cannot_be_joined_goes_its_own_way(model: Any, fit: dict[str, Any]) -> None:
    X, y = blobs()
    found = GridSearchCV(model, {"C": COSTS}).fit(X, y, **fit)
    wanted = Reference(model, {"C": COSTS}).fit(X, y, **fit)
    assert SHARED not in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1 / 48 + 1e-12


def test_bits_do_not_depend_on_threads() -> None:
    X, y = blobs(3, 600)
    before = get_threads()
    found = []
    try:
        for threads in (1, 2, 4):
            set_threads(threads)
            values = cross_val_predict(SVC(gamma=0.2, C=1e4), X, y, method="decision_function")
            found.append((values.tobytes(), GridSearchCV(SVC(gamma=0.2), {"C": COSTS}).fit(X, y).gaps_.tobytes()))
    finally:
        set_threads(before)
    assert found[0] == found[1] == found[2]


def test_searched_estimators_have_gaps() -> None:
    X, y = blobs()
    model = SVCCV(Cs=COSTS, gammas=[0.1, 0.2]).fit(X, y)
    assert model.gaps_.shape == model.scores_.shape == (5, 2, 3)
    assert (model.gaps_ <= 1e-3).all()
