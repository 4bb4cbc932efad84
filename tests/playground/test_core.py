"""The core in WebAssembly gives the answers that Python gives."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ._core import answers, request
from ._same import check_same

RBF = {"kind": "rbf", "gamma": 1.0}
LINEAR = {"kind": "linear"}
CUBIC = {"kind": "poly", "degree": 3, "gamma": 0.5, "coef0": 1.0}
SUM = {"kind": "sum", "parts": [{"kind": "rbf", "gamma": 2.0}, {"kind": "linear"}]}
PRODUCT = {"kind": "product", "parts": [{"kind": "laplacian", "gamma": 0.5}, {**CUBIC, "degree": 2}]}
KERNELS = {"rbf": RBF, "linear": LINEAR, "cubic": CUBIC, "sum": SUM, "product": PRODUCT}

# Name, points, classes, noise, seed.
SETS: dict[str, tuple[str, int, int, float, int]] = {
    "moons": ("moons", 80, 2, 0.2, 1),
    "circles": ("circles", 60, 2, 0.15, 2),
    "xor": ("xor", 60, 2, 0.1, 3),
    "blobs": ("blobs", 50, 2, 0.3, 4),
    "outliers": ("outliers", 80, 2, 0.1, 5),
    "spirals": ("spirals", 90, 2, 0.05, 6),
    "overlap": ("overlap", 70, 2, 0.1, 7),
    "three": ("blobs", 60, 3, 0.4, 8),
    "five": ("blobs", 75, 5, 0.3, 9),
    "sine": ("sine", 60, 2, 0.1, 10),
    "line": ("line", 40, 2, 0.1, 11),
    "cloud": ("cloud", 70, 2, 0.1, 12),
}
TWO = ("moons", "circles", "xor", "blobs", "outliers", "spirals", "overlap")
BINARY: dict[str, dict[str, Any]] = {
    "soft": {},
    "large C": {"C": 100.0},
    "squared": {"squared": True},
    "without offset": {"offset": False},
    "squared, without offset": {"squared": True, "offset": False},
    "hard": {"formulation": "hard"},
    "hard, without offset": {"formulation": "hard", "offset": False},
    "nu": {"formulation": "nu"},
}
ONE = {"one class": {"formulation": "one_class"}, "ball": {"formulation": "ball"}}


def _cases() -> list[tuple[str, str, dict[str, Any], str]]:
    found = [(name, how, settings, kernel) for name in TWO for how, settings in BINARY.items() for kernel in KERNELS]
    found += [
        (name, how, settings, kernel) for name in ("cloud", "moons") for how, settings in ONE.items() for kernel in KERNELS
    ]
    for name in ("three", "five"):
        for scheme in ("pairs", "rest", "joint"):
            found += [(name, scheme, {"scheme": scheme, "offset": offset}, k) for k in KERNELS for offset in (True, False)]
    for name in ("sine", "line"):
        tube = {"formulation": "regression", "columns": 1, "C": 2.0}
        found += [(name, "tube", {**tube, "offset": offset}, kernel) for kernel in KERNELS for offset in (True, False)]
    return found


CASES = _cases()


@pytest.fixture(scope="module")
def requests() -> list[dict[str, Any]]:
    names = list(SETS)
    points = dict(zip(names, answers([{"points": SETS[name]} for name in names]), strict=True))
    made = []
    for name, _, settings, kernel in CASES:
        x, y = points[name]["x"], points[name]["label"]
        if settings.get("formulation") == "regression":
            x, y = x[::2], x[1::2]
        made.append(request(x, y, KERNELS[kernel], **settings))
    return made


@pytest.fixture(scope="module")
def found(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return answers([{"request": each} for each in requests])


@pytest.mark.parametrize("case", range(len(CASES)), ids=["-".join((c[0], c[1], c[3])) + str(k) for k, c in enumerate(CASES)])
def test_same_answer_as_python(case: int, requests: list[dict[str, Any]], found: list[dict[str, Any]]) -> None:
    assert "error" not in found[case]
    check_same(requests[case], found[case])


def test_the_cases_cover_every_ending(found: list[dict[str, Any]]) -> None:
    """Else the comparison of proofs, or of optima of 0, would be one of nothing."""
    endings = [answer["certificate"]["status"] for answer in found]
    for status in ("CONVERGED", "INFEASIBLE", "ZERO_OPTIMUM"):
        assert endings.count(status) >= 3


def test_a_step_moves_one_pair() -> None:
    points = answers([{"points": SETS["moons"]}])[0]
    (walked,) = answers([{"walk": 1000, "request": request(points["x"], points["label"], RBF)}])
    moves, certificates = ([each[key] for each in walked["moves"]] for key in ("move", "certificate"))
    y = np.where(np.array(points["label"]) > 0, 1.0, -1.0)
    assert len(moves) > 20
    duals = [c["dual"] for c in certificates]
    for move in moves:
        assert len(move) == 2
        first, second = move
        assert first["after"] - first["before"] == pytest.approx(second["before"] - second["after"], abs=1e-12)
        assert all(each["after"] * y[each["row"]] >= -1e-15 for each in move)
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(duals))
    assert certificates[-1]["status"] == "CONVERGED"
    assert certificates[-1]["gap"] < 1e-6


def test_single_coefficients_move_without_an_offset() -> None:
    points = answers([{"points": SETS["moons"]}])[0]
    (walked,) = answers([{"walk": 1000, "request": request(points["x"], points["label"], RBF, offset=False)}])
    assert {len(each["move"]) for each in walked["moves"]} == {1}


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "no points": ({"x": [], "y": []}, "There are no points"),
    "one class": ({"y": [0.0, 0.0, 0.0]}, "All points are of one class"),
    "a class without points": ({"y": [0.0, 2.0, 2.0]}, "A class has no points"),
    "nu too large": ({"formulation": "nu", "nu": 0.9, "y": [0.0, 1.0, 1.0]}, "Choose a smaller nu"),
    "not finite": ({"x": [0.0, 1.0, "nan", 0.0, 1.0, 1.0]}, "A coordinate must be a number"),
    "huge": ({"x": [0.0, 1.0, 1e300, 0.0, 1.0, 1.0]}, "A coordinate must be a number"),
    "negative C": ({"C": -1.0}, "C must be a number"),
    "a kernel that is not there": ({"kernel": {"kind": "magic"}}, "There is no kernel magic"),
    "too many kernels": ({"kernel": {"kind": "sum", "parts": [RBF] * 40}}, "Take one away"),
    "too few labels": ({"y": [0.0, 1.0]}, "Each point needs a class"),
    "squared and joint": (
        {"scheme": "joint", "squared": True, "y": [0.0, 1.0, 2.0]},
        "All classes at once have a soft margin with linear slack only",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_wrong_is_said(what: str) -> None:
    changes, message = BAD[what]
    good = request([0.0, 0.0, 1.0, 1.0, 2.0, 0.5], [0.0, 1.0, 1.0], RBF)
    bad, after = answers([{"request": {**good, **changes}}, {"request": good}])
    assert message in bad["error"]
    assert bad["kind"] == "InputError"
    assert after["certificate"]["status"] == "CONVERGED"


def test_equal_points_of_two_classes_are_a_proof() -> None:
    asked = request([0.5, 0.5, 1.0, 1.0, 0.5, 0.5], [0.0, 0.0, 1.0], RBF, formulation="hard")
    (answer,) = answers([{"request": asked}])
    assert answer["certificate"]["status"] == "INFEASIBLE"
    assert answer["points"]["weight"] == [1.0, 0.0, 1.0]


def test_hulls_that_touch_and_hulls_that_nearly_do() -> None:
    """A point on the segment of two others, and one that is above it by the last place of a double."""
    touching = [0.1, 0.1, 0.3, 0.3, 0.2, 0.2]
    apart = [*touching[:5], float(np.nextafter(0.2, 1.0))]
    asked = [request(x, [0.0, 0.0, 1.0], LINEAR, formulation="hard") for x in (touching, apart)]
    first, second = answers([{"request": each} for each in asked])
    assert first["certificate"]["status"] == "INFEASIBLE"
    assert second["certificate"]["status"] != "INFEASIBLE"
