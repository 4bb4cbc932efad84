"""Every estimator and every formulation × every number that is out of range: one message, with the range that is feasible."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.errors import InvalidInput
from maxmargin.problems import (
    CrammerSinger,
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    NuRegression,
    OneClass,
    SoftMargin,
)

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0], [4.0, 0.5], [5.0, 2.0]])
TARGETS = np.array([0.5, 1.0, -1.0, 2.0, 0.0, 3.0])
LABELS = np.array([0, 1, 0, 1, 0, 1])
THREE = np.array([0, 1, 2, 0, 1, 2])

Y: dict[str, Any] = {
    **dict.fromkeys(("SVR", "NuSVR", "EpsilonRegression", "NuRegression"), TARGETS),
    **dict.fromkeys(("SVC", "NuSVC", "SoftMargin", "HardMargin", "NuClassification"), LABELS),
    "CrammerSinger": THREE,
}
ESTIMATORS = {kind.__name__: kind for kind in (SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD)}
PROBLEMS = {
    kind.__name__: kind
    for kind in (
        SoftMargin,
        HardMargin,
        NuClassification,
        EpsilonRegression,
        NuRegression,
        OneClass,
        DataDescription,
        CrammerSinger,
    )
}
EVERY = [*ESTIMATORS, *PROBLEMS]
CLASSES = [name for name in EVERY if name in Y and Y[name] is not TARGETS]


def _posed(name: str, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
    """The estimator fitted, or the problem made."""
    labels = Y.get(name) if y is None else y
    data = (X,) if labels is None else (X, labels)
    if name in ESTIMATORS:
        return ESTIMATORS[name](**params).fit(*data, sample_weight=sample_weight)
    return PROBLEMS[name](*data, sample_weight=sample_weight, **params)


OPEN, CLOSED, SHARE, WIDTH = (
    "a float in the range (0.0, inf)",
    "a float in the range (0.0, inf]",
    "a float in the range (0.0, 1.0]",
    "a float in the range [0.0, inf)",
)
RANGES: dict[tuple[str, str], str] = {
    **{(name, "C"): CLOSED for name in ("SVC", "SVR", "EpsilonRegression", "CrammerSinger")},
    **{(name, "C"): OPEN for name in ("SoftMargin", "NuSVR", "NuRegression")},
    **{
        (name, "nu"): SHARE
        for name in ("NuSVC", "NuSVR", "OneClassSVM", "SVDD", "NuClassification", "NuRegression", "OneClass", "DataDescription")
    },
    **{(name, "epsilon"): WIDTH for name in ("SVR", "EpsilonRegression")},
}
"""Which owner has which number, and where that must be."""
NEVER = (-1.0, -1e-300, -np.inf, np.nan, "1", None, [1.0], 1j)
"""In none of the ranges."""
OUTSIDE: dict[str, tuple[Any, ...]] = {
    OPEN: (*NEVER, 0.0, np.inf),
    CLOSED: (*NEVER, 0.0, -0.0),
    SHARE: (*NEVER, 0, 1.0000001, 2, np.inf),
    WIDTH: (*NEVER, np.inf),
}
INSIDE = {OPEN: (1e-300, 1), CLOSED: (1e-300, 1), SHARE: (1e-3, 0.5), WIDTH: (0, 0.0, 1e300)}


def test_the_product_is_complete() -> None:
    """Every number of every owner that a formulation is made of is in the table."""
    for name in EVERY:
        kind: Any = {**ESTIMATORS, **PROBLEMS}[name]
        code = kind.__init__.__code__
        own = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) & {"C", "nu", "epsilon"}
        assert own == {parameter for owner, parameter in RANGES if owner == name}


@pytest.mark.parametrize(("name", "parameter"), RANGES, ids="-".join)
def test_out_of_range(name: str, parameter: str) -> None:
    expected = RANGES[name, parameter]
    for value in OUTSIDE[expected]:
        message = f"The {parameter!r} parameter of {name} must be {expected}"
        hint = ": without slack it is HardMargin" if name == "SoftMargin" and value == np.inf else ""
        with pytest.raises(InvalidInput, match="^" + re.escape(f"{message}{hint}. Got {value!r} instead.") + "$"):
            _posed(name, **{parameter: value})


@pytest.mark.parametrize(("name", "parameter"), RANGES, ids="-".join)
@pytest.mark.filterwarnings("ignore")
def test_in_range(name: str, parameter: str) -> None:
    for value in INSIDE[RANGES[name, parameter]]:
        assert _posed(name, **{parameter: value}) is not None


WEIGHTS: dict[str, tuple[Any, str]] = {
    "none positive": (np.zeros(6), r"all samples have zero or negative weights\. Give rows a positive sample_weight\.$"),
    "all negative": (-np.ones(6), r"all samples have zero or negative weights\. Give rows a positive sample_weight\.$"),
    "nan": ([np.nan, 1, 1, 1, 1, 1], r"Input sample_weight contains NaN"),
    "infinite": ([np.inf, 1, 1, 1, 1, 1], r"Input sample_weight contains infinity"),
    "too few": ([1, 2], r"incompatible shapes: \(2,\) vs \(6, 2\)\. Pass one weight for each row: shape \(6,\)\.$"),
    "words": ("light", r"sample_weight must hold one number for each row\. Got a str"),
}


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_weights(name: str, weight: str) -> None:
    value, message = WEIGHTS[weight]
    with pytest.raises(InvalidInput, match=message):
        _posed(name, sample_weight=value)


BINARY = ("SoftMargin", "HardMargin", "NuClassification")
LABELLED = [pytest.param(name, LABELS, id=f"{name}-two") for name in CLASSES]
LABELLED += [pytest.param(name, THREE, id=f"{name}-three") for name in CLASSES if name not in BINARY]


@pytest.mark.parametrize(("name", "labels"), LABELLED)
@pytest.mark.parametrize("nothing", [0.0, -1.0])
def test_weights_that_leave_one_class(name: str, labels: Any, nothing: float) -> None:
    message = (
        r"all samples with positive weights belong to the same class\. Give rows of another class a positive sample_weight"
    )
    for alone in set(labels):
        with pytest.raises(InvalidInput, match=message):
            _posed(name, labels, np.where(labels == alone, 1.0, nothing))


@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
@pytest.mark.parametrize("weight", [0, -1, np.nan, np.inf, "heavy"])
def test_a_class_without_weight(name: str, weight: Any) -> None:
    message = rf"'class_weight' parameter of {name} must be a dict of positive, finite numbers \(to leave a class out"
    with pytest.raises(InvalidInput, match=message):
        _posed(name, class_weight={0: weight, 1: 1.0})


INFEASIBLE: dict[str, tuple[Callable[[float], Any], float]] = {
    "labels": (lambda nu: NuSVC(nu=nu).fit(X, [0, 0, 0, 0, 0, 1]), 1 / 3),
    "labels of a problem": (lambda nu: NuClassification(X, [0, 0, 0, 0, 0, 1], nu=nu), 1 / 3),
    "weights": (lambda nu: NuSVC(nu=nu).fit(X, LABELS, sample_weight=[3, 1, 3, 1, 3, 1]), 0.5),
    "weights of a problem": (lambda nu: NuClassification(X, LABELS, nu=nu, sample_weight=[3, 1, 3, 1, 3, 1]), 0.5),
    "class weights": (lambda nu: NuSVC(nu=nu, class_weight={0: 9.0}).fit(X, LABELS), 0.2),
    "a row left out": (lambda nu: NuSVC(nu=nu).fit(X, LABELS, sample_weight=[1, 1, 1, 1, 1, 0]), 0.8),
    "three classes": (lambda nu: NuSVC(nu=nu).fit(X, [0, 0, 0, 1, 1, 2]), 0.5),
    "three weighted classes": (lambda nu: NuSVC(nu=nu, class_weight={2: 0.5}).fit(X, THREE), 2 / 3),
}


@pytest.mark.parametrize("case", INFEASIBLE)
@pytest.mark.filterwarnings("ignore")
def test_an_infeasible_nu_tells_the_whole_range(case: str) -> None:
    """What it tells is feasible for every pair of classes, and nothing above it is."""
    pose, largest = INFEASIBLE[case]
    told = f"{largest:.6g}"
    message = (
        rf"^specified nu is infeasible: nu = {{}} is more than {told}, twice the share of .* Choose nu in \(0, {told}\]\.$"
    )
    with pytest.raises(InvalidInput, match=message.format("0.95")):
        pose(0.95)
    with pytest.raises(InvalidInput, match="infeasible"):
        pose(largest * 1.001)
    assert pose(largest) is not None


def test_of_three_classes_the_pair_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"twice the share of c beside a\. Choose nu in \(0, 0\.5\]"):
        NuSVC(nu=0.9).fit(X, ["a", "a", "a", "b", "b", "c"])
