"""Every message of the room says what was wrong, what was got, and what to do."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.multioutput import MultiOutputClassifier
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.errors import InvalidInput, MissingExtra
from maxmargin.plots import canvas, decision_boundary


def complaint(model: Any, X: Any, y: Any, **options: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        decision_boundary(model, X, y, **options)
    return str(caught.value)


@pytest.fixture
def wide() -> tuple[Any, Any, SVC]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    y = (X[:, 0] > 0).astype(int)
    return X, y, SVC().fit(X, y)


def test_more_than_two_features(wide: Any) -> None:
    X, y, model = wide
    words = complaint(model, X, y)
    assert "draws two features. Got X with 4." in words
    assert "features=(0, 1)" in words
    assert "median" in words


def test_one_feature(two: Any) -> None:
    X, y, _ = two
    words = complaint(SVC().fit(X[:, :1], y), X[:, :1], y)
    assert "at least two features. Got X with 1." in words
    assert "decision_function(X)" in words


@pytest.mark.parametrize(
    ("features", "words"),
    [
        ((0, 1, 2), "features must be two columns of X, by number or by name. Got (0, 1, 2)."),
        ("ab", "features must be two columns of X, by number or by name. Got 'ab'."),
        ((0, 0.5), "features must be two columns of X, by number or by name. Got 0.5."),
        ((1, 1), "features must be two different columns of X. Got (1, 1)."),
        ((0, 4), "features must be column numbers from 0 to 3. Got 4."),
        ((0, -1), "features must be column numbers from 0 to 3. Got -1."),
        (("a", 1), "The feature 'a' was asked for by name, but X has no column names."),
    ],
)
def test_wrong_features(wide: Any, features: Any, words: str) -> None:
    X, y, model = wide
    assert words in complaint(model, X, y, features=features)


def test_unknown_name(wide: Any) -> None:
    X, y, model = wide
    words = complaint(model, X, y, features=("a", "z"), feature_names=list("abcd"))
    assert words == "There is no feature named 'z'. The features are: a, b, c, d."


def test_number_of_feature_names(wide: Any) -> None:
    X, y, model = wide
    words = complaint(model, X, y, feature_names=["a", "b"])
    assert words == "feature_names must have one name for each of the 4 features of X. Got 2."


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ("mode", "fixed must be 'median', 'mean' or one value for each feature. Got 'mode'."),
        ([1.0, 2.0], "fixed must have one value for each of the 4 features. Got shape (2,)."),
    ],
)
def test_wrong_fixed(wide: Any, fixed: Any, words: str) -> None:
    X, y, model = wide
    assert complaint(model, X, y, features=(0, 1), fixed=fixed) == words


@pytest.mark.parametrize("resolution", [1, 2.5, True, "200"])
def test_wrong_resolution(two: Any, resolution: Any) -> None:
    X, y, model = two
    words = complaint(model, X, y, resolution=resolution)
    assert words == (
        f"The 'resolution' parameter of decision_boundary must be an int in the range [2, inf). Got {resolution!r} instead."
    )


def test_wrong_legend(two: Any) -> None:
    X, y, model = two
    words = complaint(model, X, y, legend="left")
    assert "must be True, False, 'auto', 'inside', 'outside', 'below' or None. Got 'left' instead." in words


def test_labels(two: Any) -> None:
    X, y, model = two
    words = complaint(model, X, y[:5])
    assert words == "y must have one label for each of the 80 rows of X. Got shape (5,)."
    words = complaint(model, X, y + 1)
    assert words == "y has labels the model was not trained on: [2]. Its classes are [0, 1]."


def test_rows_that_are_not_numbers(two: Any) -> None:
    X, y, model = two
    frame = pd.DataFrame({"a": X[:, 0], "b": ["red"] * len(y)})
    assert "needs X as a table of numbers. Got DataFrame that is not one" in complaint(model, frame, y)
    assert "needs X with rows and columns. Got an array of shape (80,)." in complaint(model, X[:, 0], y)
    assert "Got an array of shape (0, 2)." in complaint(model, X[:0], y[:0])
    assert "Got X with 0 rows." in complaint(model, sparse.csr_matrix((0, 2)), y[:0])


def test_wrong_number_of_features_for_the_model(wide: Any) -> None:
    X, y, model = wide
    with pytest.raises(ValueError, match="4 features"):
        decision_boundary(model, X[:, :2], y)


def test_wrong_models(two: Any) -> None:
    X, y, _ = two
    words = complaint(Ridge().fit(X, y), X, y)
    assert "a fitted classifier, a Pipeline that ends in one, a search, or the solution of one." in words
    assert "Got Ridge. Use plots.tube for it." in words
    words = complaint(MultiOutputClassifier(SVC()).fit(X, np.column_stack([y, y])), X, y)
    assert "Got MultiOutputClassifier: it has several outputs; pass the model of one of them" in words
    words = complaint(StandardScaler().fit(X), X, y)
    assert words.endswith("Got StandardScaler.")
    words = complaint(SVC().fit(X, y), X, None)
    assert words == "decision_boundary needs y, the labels of the rows."
    with pytest.raises(NotFittedError, match="not fitted yet"):
        decision_boundary(SVC(), X, y)
    words = complaint(SVC(kernel="precomputed").fit(X @ X.T, y), X, y)
    assert "Got SVC: it knows rows by kernel values only" in words
    assert "Use plots.margin_distribution for it." in words


def test_missing_matplotlib(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, model = two
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # as if it were not installed
    for draw in (canvas, lambda: decision_boundary(model, X, y)):
        with pytest.raises(MissingExtra, match=r'pip install "maxmargin\[plots\]"') as caught:
            draw()
        assert isinstance(caught.value, ImportError)
