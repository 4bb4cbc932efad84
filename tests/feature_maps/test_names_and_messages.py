"""Names of features, and what the maps refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearSVC
from maxmargin.errors import IndefiniteKernelWarning, InvalidInput
from maxmargin.feature_maps import (
    Affine,
    GaussianSeries,
    Monomials,
    Multinomial,
    Nystroem,
    Powers,
    QuadraticForm,
    SecondOrder,
    Squares,
    WeightedSecondOrder,
)

X = np.array([[2.0, 3.0], [1.0, -1.0]])


@pytest.mark.parametrize(
    ("map", "names"),
    [
        (Affine(), "1|x0|x1"),
        (Powers(degree=2), "1|x0|x1|x0^2|x1^2"),
        (Squares(), "x0^2|x1^2"),
        (Monomials(degree=3), "1|x0|x1|x0^2|x0 x1|x1^2|x0^3|x0^2 x1|x0 x1^2|x1^3"),
        (QuadraticForm(constant=True), "1|x0^2|x0 x1|x1^2"),
        (SecondOrder(), "1|x0|x1|x0^2|x0 x1|x1 x0|x1^2"),
        (WeightedSecondOrder(), "1|x0|x1|x0^2|x0 x1|x1 x0|x1^2"),
        (Multinomial(degree=2, coef0=0.0), "x0^2|x0 x1|x1^2"),
        (GaussianSeries(terms=2), "1|x0|x1"),
    ],
    ids=str,
)
def test_names(map: Any, names: str) -> None:
    assert map.fit(X).get_feature_names_out().tolist() == names.split("|")
    frame = pd.DataFrame(X, columns=["a", "b"])
    shown = map.set_output(transform="pandas").fit_transform(frame)
    assert list(shown.columns) == names.replace("x0", "a").replace("x1", "b").split("|")
    map.set_output(transform="default")


def test_values_by_hand() -> None:
    root = np.sqrt(2.0)
    assert_allclose(QuadraticForm().fit_transform(X)[0], [4.0, root * 6.0, 9.0])
    assert_allclose(SecondOrder().fit_transform(X)[0], [1.0, 2.0, 3.0, 4.0, 6.0, 6.0, 9.0])
    g, z = 0.5, 2.0
    weighted = [z, np.sqrt(2 * g * z) * 2.0, np.sqrt(2 * g * z) * 3.0, g * 4.0, g * 6.0, g * 6.0, g * 9.0]
    assert_allclose(WeightedSecondOrder(gamma=g, coef0=z).fit_transform(X)[0], weighted)
    assert_allclose(Multinomial(degree=2).fit_transform(X)[0], [1.0, root * 2.0, root * 3.0, 4.0, root * 6.0, 9.0])


def test_a_circle_is_a_line_in_squares() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2))
    inside = np.square(rows).sum(axis=1) < 1.0
    model = make_pipeline(Squares(), StandardScaler(), LinearSVC(C=1e4)).fit(rows, inside)
    assert model.score(rows, inside) > 0.99


@pytest.mark.parametrize(
    ("map", "words"),
    [
        (Powers(degree=0), r"The 'degree' parameter of Powers must be an int in the range \[1, inf\). Got 0 instead"),
        (Monomials(degree=1.5), "The 'degree' parameter of Monomials"),
        (Multinomial(degree=0), "The 'degree' parameter of Multinomial"),
        (Multinomial(gamma=0.0), r"The 'gamma' parameter of Multinomial must be a float in the range \(0.0, inf\)"),
        (Multinomial(coef0=-1.0), "The 'coef0' parameter of Multinomial"),
        (WeightedSecondOrder(gamma=-1.0), "The 'gamma' parameter of WeightedSecondOrder"),
        (WeightedSecondOrder(coef0=0.0), "The 'coef0' parameter of WeightedSecondOrder"),
        (QuadraticForm(constant=2), "The 'constant' parameter of QuadraticForm must be an instance of 'bool'"),
        (GaussianSeries(gamma=0.0), "The 'gamma' parameter of GaussianSeries"),
        (GaussianSeries(terms=0), r"The 'terms' parameter of GaussianSeries must be an int in the range \[1, 170\]"),
    ],
    ids=str,
)
def test_parameters_out_of_range(map: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        map.fit(X)


def test_messages() -> None:
    with pytest.raises(InvalidInput, match=r"Monomials would make .*e\+.* features of 2000. Use its kernel instead"):
        Monomials(degree=5).fit(np.zeros((1, 2000)))
    with pytest.raises(InvalidInput, match=r"overflow in Monomials: the largest entry of X is 1e\+200. Scale the features"):
        Monomials(degree=2).fit_transform([[1e200]])
    with pytest.raises(NotFittedError):
        Affine().transform(X)
    with pytest.raises(InvalidInput, match="X has 1 features, but Affine is expecting 2"):
        Affine().fit(X).transform([[1.0]])
    with pytest.raises(InvalidInput, match="input_features should have length equal to number of features"):
        Affine().fit(X).get_feature_names_out(["a"])
    with pytest.raises(InvalidInput, match="input_features is not equal to feature_names_in_"):
        Affine().fit(pd.DataFrame(X, columns=["a", "b"])).get_feature_names_out(["b", "a"])


def test_what_rounding_leaves_of_negative_values_is_no_feature() -> None:
    with pytest.warns(IndefiniteKernelWarning), pytest.raises(InvalidInput, match="are 0, or negative"):
        Nystroem(n_components=14, kernel="precomputed").fit(-np.full((25, 25), 0.76))
