"""Every message of a formulation: the parameter, what was got, what to do."""

import re

import numpy as np
import pytest

from maxmargin import solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Linear, Precomputed
from maxmargin.problems import (
    CrammerSinger,
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    NuRegression,
    Offset,
    OneClass,
    Slack,
    SoftMargin,
)

X = np.arange(8.0).reshape(4, 2)
LABELS = [0, 1, 0, 1]
TARGETS = [0.5, 1.0, -1.0, 2.0]

POSITIVE = "a float in the range (0.0, inf)"
PRICE = "a float in the range (0.0, inf]"
SHARE = "a float in the range (0.0, 1.0]"
BOOLEAN = "an instance of 'bool' or an instance of 'numpy.bool'"
OFFSET = "an instance of 'bool' or the str 'penalised'"
BAD = [
    *((SoftMargin, "C", value, POSITIVE) for value in (0, -1.0, np.nan, "1", None)),
    (SoftMargin, "C", np.inf, f"{POSITIVE}: without slack it is HardMargin"),
    *((SoftMargin, "slack", value, "a str among {'linear', 'squared'}") for value in ("hinge", 2, None)),
    *((SoftMargin, "offset", value, OFFSET) for value in ("free", "Penalised", 1, None)),
    *((HardMargin, "offset", value, BOOLEAN) for value in ("penalised", 0)),
    *((NuClassification, "nu", value, SHARE) for value in (0, -0.1, 1.1, np.nan, "0.5")),
    *((EpsilonRegression, "C", value, PRICE) for value in (0, -1, np.nan)),
    *((EpsilonRegression, "epsilon", value, "a float in the range [0.0, inf)") for value in (-0.1, np.inf, np.nan, "0")),
    (EpsilonRegression, "offset", "penalised", BOOLEAN),
    *((NuRegression, "C", value, POSITIVE) for value in (0, np.inf)),
    *((NuRegression, "nu", value, SHARE) for value in (0, 2)),
    *((OneClass, "nu", value, SHARE) for value in (0, 1.5)),
    *((DataDescription, "nu", value, SHARE) for value in (0, -1)),
]


def build(kind, **params):
    if kind in (OneClass, DataDescription):
        return kind(X, **params)
    return kind(X, TARGETS if kind in (EpsilonRegression, NuRegression) else LABELS, **params)


@pytest.mark.parametrize(
    ("kind", "name", "value", "expected"), BAD, ids=lambda value: getattr(value, "__name__", str(value)[:12])
)
def test_bad_parameters(kind, name, value, expected):
    message = f"The {name!r} parameter of {kind.__name__} must be {expected}. Got {value!r} instead."
    with pytest.raises(InvalidInput, match="^" + re.escape(message) + "$"):
        build(kind, **{name: value})


@pytest.mark.parametrize(
    "kind", [SoftMargin, HardMargin, NuClassification, EpsilonRegression, NuRegression, OneClass, DataDescription]
)
def test_a_kernel_that_is_none(kind):
    with pytest.raises(
        InvalidInput, match=f"The 'kernel' parameter of {kind.__name__} must be a str among .* Got 'wave' instead"
    ):
        build(kind, kernel="wave")


@pytest.mark.parametrize(
    ("labels", "weight", "largest"),
    [([0, 0, 0, 1], None, 0.5), ([0, 1, 0, 1], [3, 1, 3, 1], 0.5), ([1, 1, 1, 0], [1, 0, 1, 1], 2 / 3)],
)
def test_nu_that_is_infeasible_tells_the_range(labels, weight, largest):
    """Both classes must carry half of ν W."""
    message = rf"nu is infeasible: nu = 0.8 is more than {largest:.6g}, twice the share .* Choose nu in \(0, {largest:.6g}\]\."
    with pytest.raises(InvalidInput, match=message):
        NuClassification(X, labels, nu=0.8, sample_weight=weight)
    solve(NuClassification(X, labels, nu=largest, sample_weight=weight))
    with pytest.raises(InvalidInput, match="infeasible"):
        NuClassification(X, labels, nu=largest * 1.001, sample_weight=weight)


@pytest.mark.parametrize("kind", [SoftMargin, EpsilonRegression, NuRegression, CrammerSinger])
def test_a_price_whose_square_overflows(kind):
    message = r"C times sample_weight is too large: its sum over the rows is 4e\+150, and above .* Choose a smaller C\."
    with pytest.raises(InvalidInput, match=message):
        build(kind, C=1e150)
    with pytest.raises(InvalidInput, match="C times sample_weight is too large"):
        build(kind, C=1e100, sample_weight=[1, 1e60, 1, 1])
    solve(build(kind, C=1e3))


@pytest.mark.parametrize("kind", [NuClassification, OneClass, DataDescription])
def test_weights_whose_squares_overflow(kind):
    message = r"sample_weight is too large: its sum over the rows is 4e\+200, and .* Choose a smaller sample_weight\."
    with pytest.raises(InvalidInput, match=message):
        build(kind, nu=0.4, sample_weight=np.full(4, 1e200))


@pytest.mark.parametrize(("C", "size"), [(1.0, 1e306), (1e10, 1e300), (np.inf, 1e200)])
def test_targets_whose_objective_overflows(C, size):
    message = f"The targets in y are too large: the largest is {size:.3g}, and with this C .* Scale the targets"
    with pytest.raises(InvalidInput, match=re.escape(message[:40])):
        EpsilonRegression(X, np.array([0.0, 1.0, -1.0, 0.5]) * size, C=C)
    if np.isfinite(C):
        with pytest.raises(InvalidInput, match="The targets in y are too large"):
            NuRegression(X, np.array([0.0, 1.0, -1.0, 0.5]) * size, C=C)


def test_kernel_values_whose_objective_overflows():
    """Each is finite, and their weighted sum is not."""
    K = 1e200 * np.eye(4)
    with pytest.raises(InvalidInput, match=r"The objective is not finite: kernel values, targets or C are too large\. Scale"):
        solve(NuRegression(K, TARGETS, C=1e149, kernel=Precomputed()))


BAD_TARGETS = [
    (None, "the target y is None. Pass one number for each row of X"),
    ([0, 1, np.nan, 2], "Input y contains NaN"),
    ([0, 1, np.inf, 2], "Input y contains infinity"),
    ([None, 1, 2, 3], "Input y contains NaN"),
    (["a", "b", "c", "d"], "The targets in y must be numbers. Got 'a'. For labels use a classifier, such as SVC"),
    (np.array(["2020-01-01"] * 4, dtype="datetime64[D]"), r"The targets in y must be numbers. Got datetime.date\(2020"),
    ([1, 2, 3], r"inconsistent numbers of samples: \[4, 3\]"),
    (np.ones((4, 2)), r"y should be a 1d array, got an array of shape \(4, 2\).*Solve a problem for each column, or use SVR"),
    ([[1], [2, 3], [4], [5]], "inhomogeneous shape"),
    (3.0, "y should be a 1d array"),
    ([1j, 1, 2, 3], "Complex data not supported"),
]


@pytest.mark.parametrize("kind", [EpsilonRegression, NuRegression])
@pytest.mark.parametrize(("y", "message"), BAD_TARGETS, ids=lambda value: str(value)[:20])
def test_bad_targets(kind, y, message):
    with pytest.raises(InvalidInput, match=message):
        kind(X, y)


@pytest.mark.parametrize("kind", [SoftMargin, HardMargin, NuClassification])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "the target y is None"),
        ([0, 1, 2, 0], r"Expected labels of two classes, got 3: \[0, 1, 2\]"),
        ([1, 1, 1, 1], "number of classes has to be greater than one; got 1 class"),
        ([0, 1, 0], r"inconsistent numbers of samples: \[4, 3\]"),
        ([0.1, 0.2, 0.3, 0.4], "Unknown label type: continuous"),
    ],
    ids=str,
)
def test_bad_labels(kind, y, message):
    with pytest.raises(InvalidInput, match=message):
        kind(X, y)


@pytest.mark.parametrize("kind", [EpsilonRegression, NuRegression, OneClass, DataDescription])
def test_bad_rows_and_weights(kind):
    y = () if kind in (OneClass, DataDescription) else (TARGETS,)
    with pytest.raises(InvalidInput, match="Input X contains NaN"):
        kind(np.full((4, 2), np.nan), *y)
    with pytest.raises(InvalidInput, match="Expected 2D array"):
        kind(np.ones(4), *y)
    with pytest.raises(InvalidInput, match=r"must be a square matrix. Input is a 4x2 matrix"):
        kind(X, *y, kernel=Precomputed())
    with pytest.raises(InvalidInput, match=r"sample_weight and X have incompatible shapes: \(3,\) vs \(4, 2\)"):
        kind(X, *y, sample_weight=[1, 2, 3])
    with pytest.raises(InvalidInput, match="all samples have zero or negative weights"):
        kind(X, *y, sample_weight=np.zeros(4))


def test_parts_must_be_equally_many():
    gram, three, four = Linear().bind(X).gram(X), np.array([1.0, -1.0, 1.0]), np.ones(4)
    for make, counts in (
        (lambda: SoftMargin.on(gram, three, four), "4 rows, 3 labels and 4 bounds"),
        (lambda: HardMargin.on(gram, three), "4 rows and 3 labels"),
        (lambda: NuClassification.on(gram, three, four, 0.1), "4 rows, 3 labels and 4 weights"),
        (lambda: EpsilonRegression.on(gram, three, four, 0.1), "4 rows, 3 targets and 4 bounds"),
        (lambda: NuRegression.on(gram, four, three, 0.1), "4 rows, 4 targets and 3 bounds"),
        (lambda: OneClass.on(gram, three, 0.1), "4 rows and 3 weights"),
        (lambda: DataDescription.on(gram, three, 0.1), "4 rows and 3 weights"),
    ):
        with pytest.raises(InvalidInput, match=f"Got {counts}; they must be equally many"):
            make()


def test_new_rows_of_a_precomputed_ball():
    K = X @ X.T
    solution = solve(DataDescription(K, kernel=Precomputed()))
    with pytest.raises(
        InvalidInput, match=r"needs k\(x, x\), which kernel values against the training rows do not have\. Use a"
    ):
        solution.decision_function(K)


def test_members_of_enums_are_names():
    rows = [[0.0], [1.0], [2.0], [4.0]]
    for offset, same in ((Offset.FREE, True), (Offset.NONE, np.False_), (Offset.PENALISED, "penalised")):
        for slack in Slack:
            one = solve(SoftMargin(rows, LABELS, kernel=Linear(), offset=offset, slack=slack))
            other = solve(SoftMargin(rows, LABELS, kernel=Linear(), offset=same, slack=slack.value))
            assert (one.bias, one.certificate) == (other.bias, other.certificate)
