"""What a Solution says of the training rows, recomputed in plain numpy from alpha, kernel and offset."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest

from maxmargin import solve
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import SoftMargin
from maxmargin.solution import Kind, Solution, Status

from ._registry import BOXES, DATA, KERNELS, Array, KernelCase

TOL = 1e-8
BOUNDARY = 1e-5
"""Within this of y f = 1 a row may be boundary or its neighbour: beyond it the kind is certain at TOL."""

CONVEX = [case for case in KERNELS if case.name != "sigmoid"]


def _solved(data: str, kernel: KernelCase, box: str) -> tuple[Solution, Array, Array, Array]:
    """The solution, and independently of it: labels, upper bounds, and y f on the training rows."""
    X, y = DATA[data]()
    X = kernel.rows(X)
    upper = BOXES[box](len(y))
    solution = solve(SoftMargin(X, y, C=1.0, kernel=kernel.kernel, sample_weight=upper), tol=TOL)
    f = kernel.reference(X, X) @ (y * solution.alpha) + solution.bias
    return solution, y, upper, y * f


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("kernel", CONVEX, ids=str)
@pytest.mark.parametrize("data", DATA)
def test_kinds_slack_and_scores(data: str, kernel: KernelCase, box: str) -> None:
    solution, y, upper, margin = _solved(data, kernel, box)
    X = kernel.rows(DATA[data]()[0])
    scale = max(1.0, float(np.abs(margin).max()))
    np.testing.assert_allclose(y * solution.decision_function(X), margin, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, 1.0 - margin), rtol=0, atol=2e-8 * scale)

    near = np.abs(margin - 1) <= BOUNDARY * scale
    expected = np.where(margin > 1, Kind.NON_INFORMATIVE, np.where(margin > 0, Kind.INSIDE_RIGHT, Kind.WRONG))
    clear = ~near & (np.abs(margin) > BOUNDARY * scale)
    np.testing.assert_array_equal(np.asarray(solution.taxonomy)[clear], expected[clear])
    assert set(np.unique(solution.taxonomy)) <= set(Kind)

    # The implications of the optimum (the converses are false): y f > 1 => alpha 0, y f < 1 => alpha C.
    alpha = solution.alpha
    assert np.all(alpha[~near & (margin > 1)] == 0)
    np.testing.assert_array_equal(alpha[~near & (margin < 1)], upper[~near & (margin < 1)])
    free = (alpha > 0) & (alpha < upper)
    assert np.all(near[free])


@pytest.mark.parametrize("kernel", CONVEX, ids=str)
@pytest.mark.parametrize("data", DATA)
def test_support_and_margin(data: str, kernel: KernelCase) -> None:
    solution, y, _, _ = _solved(data, kernel, "C=10")
    X = kernel.rows(DATA[data]()[0])
    np.testing.assert_array_equal(solution.support, np.flatnonzero(solution.alpha > 0))
    np.testing.assert_array_equal(solution.beta, (y * solution.alpha)[solution.support])
    K = kernel.reference(X, X)
    beta = y * solution.alpha
    square, size = beta @ K @ beta, np.abs(beta) @ np.abs(K) @ np.abs(beta)
    if square <= 1e-12 * size:  # w = 0 but for rounding: nothing bounds the margin
        assert solution.margin >= 2 / np.sqrt(1e-12 * size)
    else:
        assert solution.margin == pytest.approx(2 / np.sqrt(square), rel=1e-7)
    assert solution.n == len(y)


@pytest.mark.parametrize("data", DATA)
def test_weights_of_a_linear_kernel(data: str) -> None:
    X, y = DATA[data]()
    solution = solve(SoftMargin(X, y, kernel=Linear()), tol=TOL)
    np.testing.assert_allclose(solution.weights, X.T @ (y * solution.alpha), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(solution.decision_function(X), X @ solution.weights + solution.bias, atol=1e-9)


def test_weights_of_another_kernel_are_refused_in_words() -> None:
    X, y = DATA["moons"]()
    with pytest.raises(Exception, match=r"(?i)linear"):
        _ = solve(SoftMargin(X, y, kernel=RBF(gamma=1.0))).weights


def test_solution_is_frozen_and_survives_a_pickle() -> None:
    X, y = DATA["moons"]()
    solution = solve(SoftMargin(X, y, kernel=RBF(gamma=1.0)))
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        solution.bias = 1.0
    with pytest.raises(ValueError, match="read-only"):
        solution.beta[0] = 1.0
    copy = pickle.loads(pickle.dumps(solution))
    np.testing.assert_array_equal(copy.alpha, solution.alpha)
    np.testing.assert_array_equal(copy.decision_function(X), solution.decision_function(X))
    assert copy.certificate == solution.certificate
    assert copy.status is Status.CONVERGED


@pytest.mark.parametrize("status", Status)
def test_every_status_speaks(status: Status) -> None:
    assert status.message.strip()
    assert status.is_optimal or status.advice.strip()


def test_certificate_prints_a_table_everywhere() -> None:
    X, y = DATA["moons"]()
    certificate = solve(SoftMargin(X, y)).certificate
    for text in (str(certificate), certificate._repr_html_()):
        for word in ("primal", "dual", "gap", "violation"):
            assert word in text.lower()
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        certificate.gap = 0.0


def test_a_solution_introduces_itself_in_a_line() -> None:
    X, y = next(iter(DATA.values()))()
    solution = solve(SoftMargin(X, y, kernel=Linear()))
    count = f"{len(solution.support)} support vectors of {len(y)} rows"
    assert repr(solution) == f"<Solution: CONVERGED, relative gap {solution.certificate.relative_gap:.2g}; {count}>"
