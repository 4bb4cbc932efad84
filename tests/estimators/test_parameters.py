"""Every message about a parameter of SVC, at fit and not before."""

import re

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.errors import InvalidInput
from maxmargin.solvers import SMO

from ._sets import iris

SEED = "an int in the range [0, 4294967295], an instance of 'numpy.random.mtrand.RandomState' or None"
BAD = [
    ("C", -1, "a float in the range (0.0, inf]"),
    ("C", 0.0, "a float in the range (0.0, inf]"),
    ("C", np.nan, "a float in the range (0.0, inf]"),
    ("C", "1", "a float in the range (0.0, inf]"),
    ("degree", -1, "an int in the range [0, inf)"),
    ("degree", 2.5, "an int in the range [0, inf)"),
    ("gamma", -0.1, "a str among {'auto', 'scale'} or a float in the range [0.0, inf)"),
    ("gamma", "wide", "a str among {'auto', 'scale'} or a float in the range [0.0, inf)"),
    ("coef0", np.inf, "a float in the range (-inf, inf)"),
    ("shrinking", "yes", "an instance of 'bool' or an instance of 'numpy.bool'"),
    ("tol", 0, "a float in the range (0.0, inf)"),
    ("cache_size", -5, "a str among {'auto'} or a float in the range (0.0, inf), in MB"),
    ("cache_size", "much", "a str among {'auto'} or a float in the range (0.0, inf), in MB"),
    ("class_weight", "even", "a str among {'balanced'}, an instance of 'dict' or None"),
    ("class_weight", [1, 2], "a str among {'balanced'}, an instance of 'dict' or None"),
    ("verbose", -1, "an int in the range [0, inf), an instance of 'bool'"),
    ("max_iter", -2, "an int in the range [-1, inf)"),
    ("max_iter", 1.5, "an int in the range [-1, inf)"),
    ("max_time", 0, "a float in the range (0.0, inf], in seconds, or None"),
    ("max_time", "1s", "a float in the range (0.0, inf], in seconds, or None"),
    ("decision_function_shape", "all", "a str among {'ovo', 'ovr'}"),
    ("break_ties", 1, "an instance of 'bool' or an instance of 'numpy.bool'"),
    (
        "random_state",
        -1,
        "an int in the range [0, 4294967295], an instance of 'numpy.random.mtrand.RandomState' or None",
    ),
    (
        "random_state",
        "x",
        "an int in the range [0, 4294967295], an instance of 'numpy.random.mtrand.RandomState' or None",
    ),
    ("multi_class", "crammer_singer", "a str among {'ovo', 'ovr'}"),
    ("solver", "newton", "a str among {'auto', 'smo'}"),
]


@pytest.mark.parametrize(("name", "value", "expected"), BAD, ids=lambda value: str(value)[:20])
def test_bad_parameters(name, value, expected):
    message = f"The {name!r} parameter of SVC must be {expected}. Got {value!r} instead."
    with pytest.raises(InvalidInput, match="^" + re.escape(message) + "$"):
        SVC(**{name: value}).fit(*iris())


@pytest.mark.parametrize(
    "params",
    [
        {"C": np.float32(2.0)},
        {"gamma": 0},
        {"max_iter": np.int64(500)},
        {"verbose": np.False_},
        {"shrinking": np.False_},
        {"cache_size": 1},
        {"random_state": 7},
        {"max_time": np.inf},
        {"solver": "smo"},
        {"solver": SMO()},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_good_parameters(params):
    SVC(**params).fit(*iris())


def test_a_solver_object_has_its_own_settings():
    for params in ({"cache_size": 100}, {"shrinking": False}):
        with pytest.raises(InvalidInput, match=r"A solver object has its own cache_size and shrinking\. Got"):
            SVC(solver=SMO(), **params).fit(*iris())
