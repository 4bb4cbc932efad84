"""Laws of the losses: Fenchel and Young, convexity, slopes, curvature, and values worked out by hand."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.errors import InvalidInput
from maxmargin.losses import (
    ConvexLoss,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Logistic,
    Loss,
    MarginLoss,
    Perceptron,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
    ZeroOne,
    as_loss,
)

CONVEX: list[ConvexLoss] = [
    Hinge(),
    SquaredHinge(),
    Logistic(),
    Exponential(),
    Squared(),
    Perceptron(),
    EpsilonInsensitive(0.0),
    EpsilonInsensitive(0.5),
    SquaredEpsilonInsensitive(0.0),
    SquaredEpsilonInsensitive(0.5),
]
SMOOTH = [loss for loss in CONVEX if math.isfinite(loss.curvature)]
NUMBERS = st.floats(-30.0, 30.0)


def _near(value: float) -> float:
    return 1e-9 * max(1.0, abs(value))


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
@given(z=NUMBERS, u=NUMBERS)
def test_fenchel_and_young(loss: ConvexLoss, z: float, u: float) -> None:
    value, conjugate = float(loss.value(z)), float(loss.conjugate(u))
    assert value + conjugate >= u * z - _near(u * z) - _near(value)
    slope = float(loss.derivative(z))
    assert value + float(loss.conjugate(slope)) == pytest.approx(slope * z, rel=1e-9, abs=_near(value))


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
@given(a=NUMBERS, b=NUMBERS)
def test_the_derivative_is_a_subgradient(loss: ConvexLoss, a: float, b: float) -> None:
    at_a, at_b = float(loss.value(a)), float(loss.value(b))
    assert at_b >= at_a + float(loss.derivative(a)) * (b - a) - _near(at_a) - _near(at_a * (b - a)) - _near(at_b)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@given(a=NUMBERS, b=NUMBERS)
def test_the_slope_changes_no_faster_than_the_curvature(loss: ConvexLoss, a: float, b: float) -> None:
    change = abs(float(loss.derivative(b)) - float(loss.derivative(a)))
    assert change <= loss.curvature * abs(b - a) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_the_curvature_is_reached(loss: ConvexLoss) -> None:
    z = np.linspace(-3.0, 3.0, 601)
    assert float(np.max(np.abs(np.diff(loss.derivative(z)) / np.diff(z)))) == pytest.approx(loss.curvature, rel=1e-3)


@pytest.mark.parametrize("loss", [Exponential(), *SMOOTH], ids=repr)
@given(z=st.floats(-5.0, 5.0))
def test_the_derivative_is_the_slope_of_the_value(loss: Loss, z: float) -> None:
    step = 1e-5
    slope = (float(loss.value(z + step)) - float(loss.value(z - step))) / (2 * step)
    assert float(loss.derivative(z)) == pytest.approx(slope, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    ("loss", "values", "slopes"),
    [
        (ZeroOne(), [1, 1, 0, 0], [0, 0, 0, 0]),
        (Hinge(), [3, 1, 0, 0], [-1, -1, 0, 0]),
        (SquaredHinge(), [9, 1, 0, 0], [-6, -2, 0, 0]),
        (Logistic(), [math.log(1 + math.e**2), math.log(2), math.log(1 + 1 / math.e), math.log(1 + math.e**-3)], None),
        (Exponential(), [math.e**2, 1, 1 / math.e, math.e**-3], [-(math.e**2), -1, -1 / math.e, -(math.e**-3)]),
        (Squared(), [9, 1, 0, 4], [-6, -2, 0, 4]),
        (Perceptron(), [2, 0, 0, 0], [-1, -1, 0, 0]),
        (EpsilonInsensitive(1.5), [0.5, 0, 0, 1.5], [-1, 0, 0, 1]),
        (SquaredEpsilonInsensitive(1.5), [0.25, 0, 0, 2.25], [-1, 0, 0, 3]),
    ],
    ids=repr,
)
def test_values(loss: Loss, values: list[float], slopes: list[float] | None) -> None:
    z = [-2.0, 0.0, 1.0, 3.0]
    np.testing.assert_allclose(loss.value(z), values, rtol=1e-14)
    if slopes is not None:
        np.testing.assert_allclose(loss.derivative(z), slopes, rtol=1e-14)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Exponential(), Squared()], ids=repr)
@given(z=NUMBERS)
def test_they_bound_the_errors(loss: Loss, z: float) -> None:
    assert float(loss.value(z)) >= float(ZeroOne().value(z))


@pytest.mark.parametrize("loss", CONVEX, ids=repr)
def test_conjugates_are_infinite_outside(loss: ConvexLoss) -> None:
    bounded = not isinstance(loss, Squared | SquaredEpsilonInsensitive)
    assert math.isinf(float(loss.conjugate(2.0))) is bounded


def test_logistic_does_not_overflow() -> None:
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_array_equal(Logistic().value([-1e4, 1e4]), [1e4, 0.0])
        np.testing.assert_array_equal(Logistic().derivative([-1e4, 1e4]), [-1.0, 0.0])
    assert float(Exponential().value(-1e4)) == math.inf


def test_arguments() -> None:
    y, scores = np.array([-1.0, 1.0]), np.array([2.0, 3.0])
    np.testing.assert_array_equal(Hinge().argument(y, scores), [-2.0, 3.0])
    np.testing.assert_array_equal(Hinge().slope(y), y)
    np.testing.assert_array_equal(EpsilonInsensitive().argument(y, scores), [-3.0, -2.0])
    np.testing.assert_array_equal(EpsilonInsensitive().slope(y), [-1.0, -1.0])


def test_by_name_and_frozen() -> None:
    assert as_loss("logistic", "f") == Logistic()
    assert as_loss(Hinge(), "f") == Hinge()
    assert isinstance(as_loss("perceptron", "f"), MarginLoss)
    assert repr(EpsilonInsensitive(0.2)) == "EpsilonInsensitive(epsilon=0.2)"
    loss: Any = EpsilonInsensitive(0.2)
    with pytest.raises(FrozenInstanceError):
        loss.epsilon = 1.0


@pytest.mark.parametrize("name", ["hinge2", None, 3])
def test_an_unknown_loss(name: Any) -> None:
    with pytest.raises(InvalidInput, match=r"The 'loss' parameter of Owner must be one of 'zero_one', 'hinge'.*Got .* instead"):
        as_loss(name, "Owner")


@pytest.mark.parametrize("kind", [EpsilonInsensitive, SquaredEpsilonInsensitive])
def test_a_negative_tube(kind: Any) -> None:
    with pytest.raises(InvalidInput, match=rf"The 'epsilon' parameter of {kind.__name__} must be a float in the range \[0"):
        kind(-0.1)
