"""Every message about a parameter of an estimator, at fit and not before."""

import re

import numpy as np
import pytest

from maxmargin import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF
from maxmargin.solvers import SMO

from ._sets import iris

SEED = "an int in the range [0, 4294967295], an instance of 'numpy.random.mtrand.RandomState' or None"
SOLVERS = "{'auto', 'chunking', 'decomposition', 'dual_qp', 'kernel_subgradient', 'primal_qp', 'projected_gradient', 'smo'}"
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
    ("multi_class", "pairs", "a str among {'crammer_singer', 'joint', 'ovo', 'ovr'}"),
    ("solver", "newton", f"a str among {SOLVERS}"),
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
        with pytest.raises(InvalidInput, match=r"A solver other than 'smo' has its own cache_size and shrinking\. Got"):
            SVC(solver=SMO(), **params).fit(*iris())


OTHERS = (SVR, NuSVR, NuSVC, OneClassSVM, SVDD)
OWN = [
    *((SVR, "C", value, "a float in the range (0.0, inf]") for value in (0, -1, np.nan, "1")),
    *((SVR, "epsilon", value, "a float in the range [0.0, inf)") for value in (-0.1, np.inf, np.nan, "0")),
    *((NuSVR, "C", value, "a float in the range (0.0, inf)") for value in (0, np.inf)),
    *((kind, "nu", value, "a float in the range (0.0, 1.0]") for kind in OTHERS[1:] for value in (0, -1, 1.01, np.nan, "0.5")),
    *(
        (NuSVC, name, value, expected)
        for name, value, expected in BAD
        if name in ("class_weight", "break_ties", "random_state")
    ),
]


@pytest.mark.parametrize(
    ("kind", "name", "value", "expected"), OWN, ids=lambda value: getattr(value, "__name__", str(value)[:20])
)
def test_bad_parameters_of_other_estimators(kind, name, value, expected):
    message = f"The {name!r} parameter of {kind.__name__} must be {expected}. Got {value!r} instead."
    with pytest.raises(InvalidInput, match="^" + re.escape(message) + "$"):
        kind(**{name: value}).fit(*iris())


SEARCH = ("degree", "gamma", "coef0", "shrinking", "tol", "cache_size", "verbose", "max_iter", "max_time", "solver")


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize(
    ("name", "value", "expected"), [each for each in BAD if each[0] in SEARCH], ids=lambda value: str(value)[:20]
)
def test_messages_of_the_search_name_their_estimator(kind, name, value, expected):
    message = f"The {name!r} parameter of {kind.__name__} must be {expected}. Got {value!r} instead."
    with pytest.raises(InvalidInput, match="^" + re.escape(message) + "$"):
        kind(**{name: value}).fit(*iris())


@pytest.mark.parametrize("kind", OTHERS)
def test_messages_of_the_kernel_name_their_estimator(kind):
    with pytest.raises(
        InvalidInput, match=f"The 'kernel' parameter of {kind.__name__} must be a str among .* Got 'wave' instead"
    ):
        kind(kernel="wave").fit(*iris())
    with pytest.raises(InvalidInput, match=f"The 'gamma' parameter of {kind.__name__} must be left at 'scale'"):
        kind(kernel=RBF(), gamma=0.1).fit(*iris())


@pytest.mark.parametrize("kind", [SVR, NuSVR])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "the target y is None. Pass one number for each row"),
        ([0.0, np.nan, 1.0], "Input y contains NaN"),
        ([[0.0, 1.0], [np.inf, 1.0], [1.0, 1.0]], "Input y contains infinity"),
        (["a", "b", "c"], "The targets in y must be numbers. Got 'a'"),
        ([["a", "b"]] * 3, "The targets in y must be numbers. Got 'a'"),
        ([0.0, 1.0], r"inconsistent numbers of samples: \[3, 2\]"),
        ([[0.0, 1.0]] * 2, r"inconsistent numbers of samples: \[3, 2\]"),
        (np.ones((3, 2, 2)), "Found array with dim 3"),
        (np.ones((3, 0)), r"Found array with 0 feature\(s\)"),
        ([[1.0], [2.0, 3.0], [1.0]], "inhomogeneous shape"),
    ],
    ids=str,
)
def test_bad_targets(kind, y, message):
    with pytest.raises(InvalidInput, match=message):
        kind().fit([[0.0], [1.0], [2.0]], y)


def test_numbers_of_other_types_are_targets():
    X = [[0.0], [1.0], [2.0]]
    expected = SVR().fit(X, [0.0, 1.0, 2.0]).predict(X)
    for y in ([0, 1, 2], np.arange(3, dtype=object), np.arange(3, dtype=np.float32), ["0", "1", "2"]):
        np.testing.assert_array_equal(SVR().fit(X, y).predict(X), expected)
