"""Feature relevance: on data of known relevance, and against permutation importance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.inspection import permutation_importance

from maxmargin import SVC, SVR, LogisticRegression
from maxmargin.inspection import relevance


def _known(n: int = 500) -> tuple[Any, Any]:
    """Friedman's first function: features 0 to 4 count, 5 to 9 do not."""
    X = np.random.default_rng(0).uniform(size=(n, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y


def test_features_that_count_and_those_that_do_not() -> None:
    X, y = _known(1500)
    model = SVR(C=100.0, epsilon=0.2).fit(X, y)
    shares = relevance(model, X)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[:5].min() > 3.0 * shares[5:].max()
    exact = np.column_stack(  # of the function itself
        [
            10 * np.pi * X[:, 1] * np.cos(np.pi * X[:, 0] * X[:, 1]),
            10 * np.pi * X[:, 0] * np.cos(np.pi * X[:, 0] * X[:, 1]),
            40 * (X[:, 2] - 0.5),
            np.full(len(X), 10.0),
            np.full(len(X), 5.0),
        ]
    )
    known = np.sqrt((exact**2).mean(axis=0)) * X[:, :5].std(axis=0)
    assert np.allclose(shares[:5] / shares[:5].sum(), known / known.sum(), atol=0.02)


def test_agrees_with_permutation_importance() -> None:
    """What a permuted feature adds to the squared error is about twice the variance that it causes in f."""
    X, y = _known(1000)
    model = SVR(C=100.0, epsilon=0.2).fit(X[::2], y[::2])
    permuted = permutation_importance(model, X[1::2], y[1::2], n_repeats=5, random_state=0).importances_mean
    found = relevance(model, X[1::2])
    assert set(np.argsort(-found)[:5]) == set(np.argsort(-permuted)[:5]) == set(range(5))
    assert np.corrcoef(found, np.sqrt(np.maximum(permuted, 0.0)))[0, 1] > 0.9
    labels = y > np.median(y)
    classifier = SVC(C=10.0).fit(X[::2], labels[::2])
    permuted = permutation_importance(classifier, X[1::2], labels[1::2], scoring="roc_auc", random_state=0).importances_mean
    assert set(np.argsort(-relevance(classifier, X))[:5]) == set(np.argsort(-permuted)[:5]) == set(range(5))


def test_units_and_order_of_features_do_not_count() -> None:
    X, y = _known(200)
    unit = np.geomspace(0.5, 2.0, 10)
    model = LogisticRegression(penalty=None).fit(X, y > 14.0)
    moved = LogisticRegression(penalty=None).fit((X * unit)[:, ::-1], y > 14.0)
    assert np.allclose(relevance(moved, (X * unit)[:, ::-1])[::-1], relevance(model, X), rtol=1e-3)


def test_sparse_rows_and_a_constant_model() -> None:
    X, y = _known(80)
    model = SVC(kernel="linear").fit(X, y > 14.0)
    thin = SVC(kernel="linear").fit(sparse.csr_matrix(X), y > 14.0)
    assert np.allclose(relevance(thin, sparse.csr_matrix(X)), relevance(model, X), rtol=1e-4)
    flat = SVR(epsilon=1e6).fit(X, y)
    assert np.array_equal(relevance(flat, X), np.zeros(10))
