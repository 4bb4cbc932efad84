"""Numbers of any type as parameters: what Python's are, numpy's are too; what no float holds is refused by name."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import maxmargin
from maxmargin.errors import InvalidInput

X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.1], [1.0, 0.9]])
Y = [0, 1, 0, 1]

ESTIMATORS = [
    maxmargin.SVC,
    maxmargin.NuSVC,
    maxmargin.SVR,
    maxmargin.NuSVR,
    maxmargin.OneClassSVM,
    maxmargin.SVDD,
    maxmargin.LinearClassifier,
    maxmargin.LinearSVC,
    maxmargin.LinearSVR,
    maxmargin.LogisticRegression,
    maxmargin.StochasticClassifier,
    maxmargin.Perceptron,
]

NO_NUMBERS = {"kernel", "solver", "loss"}
ANY_INTEGER = {"max_iter", "verbose", "delay"}
"""They only have to be large enough: more than any machine counts is as good as 2⁶²."""

TWINS = [
    (1, np.int64(1)),
    (2, np.uint8(2)),
    (0.5, np.float64(0.5)),
    (0.5, np.float32(0.5)),
    (0.5, np.float16(0.5)),
    (True, np.True_),
]


def _refusal(kind: type, **params: Any) -> Exception | None:
    """What the fit raised, if it did."""
    if params.keys() & {"gamma", "degree", "coef0"}:
        params["kernel"] = "poly"
    try:
        kind(**params).fit(X, Y)
    except Exception as error:
        return error
    return None


def _cases() -> list[Any]:
    return [
        pytest.param(kind, name, id=f"{kind.__name__}-{name}")
        for kind in ESTIMATORS
        for name in kind().get_params()
        if name not in NO_NUMBERS
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "name"), _cases())
def test_numpy_numbers_are_taken_where_pythons_are(kind: type, name: str) -> None:
    for plain, numpys in TWINS:
        if name == "random_state" and plain is True:
            continue  # a seed is an int, and numpy's own seeds are
        assert (_refusal(kind, **{name: plain}) is None) == (_refusal(kind, **{name: numpys}) is None), numpys


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", [10**400, -(10**400), Fraction(10**400), 10**5000], ids=["+", "-", "fraction", "no text"])
@pytest.mark.parametrize(("kind", "name"), _cases())
def test_what_no_float_holds_is_refused_by_name(kind: type, name: str, value: Any) -> None:
    error = _refusal(kind, **{name: value})
    if error is None:
        assert name in ANY_INTEGER
        assert value > 0
    else:
        assert isinstance(error, InvalidInput)
        assert f"The '{name}' parameter of {kind.__name__} must be" in str(error)
        assert len(str(error)) < 1000


def test_cache_size_may_be_a_numpy_integer() -> None:
    assert maxmargin.SVC(cache_size=np.int64(100)).fit(X, Y).fit_status_ == 0
    problem = maxmargin.problems.SoftMargin(X, Y)
    assert maxmargin.solve(problem, maxmargin.solvers.SMO(cache_size=np.float32(100.0))).status.is_optimal


def test_data_beyond_floats_is_refused() -> None:
    huge = 10**400
    with pytest.raises(InvalidInput, match="too large"):
        maxmargin.SVC().fit([[huge, 1]] * 4, Y)
    with pytest.raises(InvalidInput, match="sample_weight must hold one number for each row"):
        maxmargin.SVC().fit(X, Y, sample_weight=[huge, 1, 1, 1])
    with pytest.raises(InvalidInput, match="class_weight"):
        maxmargin.SVC(class_weight={0: huge, 1: 1}).fit(X, Y)
    with pytest.raises(InvalidInput, match="larger than any float"):
        maxmargin.SVR().fit(X, np.array([huge, 1, 2, 3], dtype=object))
