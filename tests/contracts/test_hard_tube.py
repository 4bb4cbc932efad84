"""The tube that every row must be in, ``C = inf``: the limit of soft ones, or the proof that there is none."""

from __future__ import annotations

import pickle
import re

import numpy as np
import piqp
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from maxmargin import SVR, solve
from maxmargin.errors import ConvergenceWarning, InfeasibleError
from maxmargin.kernels import RBF, Intersection, Linear, Polynomial, Precomputed, UserFunction
from maxmargin.problems import EpsilonRegression, NoTube
from maxmargin.solution import Solution, Status

from ._registry import Array
from .test_hard_margin import KERNELS

WAVE = np.linspace(-3.0, 3.0, 25)[:, np.newaxis], np.sin(2.0 * np.linspace(-3.0, 3.0, 25))
"""No line is near to all of it."""


def _narrowest(phi: Array, y: Array, offset: bool) -> tuple[float, float]:
    """Half the width of the narrowest tube that holds all rows, by a linear program in (w, b, ε), and ``|w|``."""
    rows = np.column_stack([phi, np.ones(len(y))]) if offset else phi
    ones = np.ones((len(y), 1))
    found = linprog(
        np.append(np.zeros(rows.shape[1]), 1.0),
        A_ub=np.block([[rows, -ones], [-rows, -ones]]),
        b_ub=np.concatenate([y, -y]),
        bounds=(None, None),
    )
    assert found.status == 0, found.message
    return float(found.fun), float(np.linalg.norm(found.x[: phi.shape[1]]))


def _by_piqp(phi: Array, y: Array, epsilon: float, offset: bool) -> float | None:
    """The least ``½|w|²`` in the tube by a general QP solver, in the unit of y; None where it finds nothing in it."""
    unit = float(np.abs(y).max())
    y, epsilon = y / unit, epsilon / unit
    rows = np.column_stack([phi, np.ones(len(y))]) if offset else phi
    Q = np.eye(rows.shape[1])
    if offset:
        Q[-1, -1] = 0.0
    solver = piqp.DenseSolver()
    solver.settings.max_iter = 500
    solver.setup(Q, np.zeros(len(Q)), G=np.asfortranarray(rows), h_l=y - epsilon, h_u=y + epsilon)
    status = solver.solve()
    if status in (piqp.PIQP_PRIMAL_INFEASIBLE, piqp.PIQP_MAX_ITER_REACHED):  # it does not always see why it gets nowhere
        return None
    assert status == piqp.PIQP_SOLVED
    return unit**2 * float(solver.result.info.primal_obj)


def _check(proof: object, K: Array, y: Array, epsilon: float, offset: bool) -> None:
    """Two means that are the same and have targets too far apart, from the kernel matrix and the targets alone."""
    assert isinstance(proof, NoTube)
    assert min(proof.above.min(), proof.below.min()) >= 0.0
    if offset:
        assert proof.above.sum() == pytest.approx(1.0, abs=1e-12)
        assert proof.below.sum() == pytest.approx(1.0, abs=1e-12)
    else:
        assert proof.above.sum() + proof.below.sum() == pytest.approx(1.0, abs=1e-12)
    pull = proof.above - proof.below
    hulls = 2.0 if offset else 1.0
    apart = pull @ y
    assert apart > hulls * epsilon
    assert proof.apart == pytest.approx(apart, abs=1e-12 * np.abs(y).max())
    assert proof.epsilon == pytest.approx(apart / hulls)
    distance = np.sqrt(max(0.0, pull @ K @ pull))
    size = np.sqrt(np.diagonal(K).max())
    assert distance <= 1e-6 * max(size, 1e-300)
    assert proof.distance == pytest.approx(distance, abs=1e-7 * size)
    # Any function in the tube would have |w| ≥ (apart − 2ε)/distance.
    assert (apart - hulls * epsilon) * size >= 0.99e5 * distance * (np.ptp(y) / 2 if offset else np.abs(y).max())


@st.composite
def sets(draw: st.DrawFn) -> tuple[Array, Array]:
    n, d = draw(st.integers(2, 25), label="rows"), draw(st.integers(1, 3), label="features")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    lattice = draw(st.booleans(), label="on a lattice")
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if lattice else rng.normal(size=(n, d))
    y = X @ rng.normal(size=d) + draw(st.sampled_from([0.05, 1.0]), label="noise") * rng.normal(size=n)
    return X, y * draw(st.sampled_from([1e-3, 1.0, 1e4]), label="unit") + draw(st.sampled_from([0.0, 10.0]), label="shift")


@settings(max_examples=150)
@given(
    data=sets(),
    kernel=st.sampled_from(list(KERNELS)),
    offset=st.booleans(),
    share=st.sampled_from([0.1, 0.5, 0.95, 1.05, 1.5]),
)
def test_an_answer_or_a_proof(data: tuple[Array, Array], kernel: str, offset: bool, share: float) -> None:
    """A tube that is wider than the narrowest has an answer, that of PIQP; a narrower one the proof that it has none."""
    X, y = data
    chosen, features = KERNELS[kernel]
    phi = features(X)
    narrowest, steep = _narrowest(phi, y, offset)
    size = float(np.ptp(y) / 2 if offset else np.abs(y).max())
    assume(narrowest > 1e-2 * size)  # kernel values have 16 digits, distances between means of rows half of them
    epsilon = share * narrowest
    tol = 1e-3 * narrowest
    solution = solve(EpsilonRegression(X, y, C=np.inf, epsilon=epsilon, kernel=chosen, offset=offset), tol=tol, throw=False)
    best = _by_piqp(phi, y, epsilon, offset)
    if share < 1.0:
        assert solution.status is Status.INFEASIBLE
        assert best is None
        assert solution.certificate.primal_objective == np.inf
        _check(solution.proof, phi @ phi.T, y, epsilon, offset)
        most = narrowest * (1.0 + 1e-6) + steep * solution.proof.distance
        assert solution.proof.epsilon <= most, "a function that is there was excluded"
    else:
        assert solution.status is Status.CONVERGED
        assert solution.proof is None
        assert np.abs(solution.decision_function(X) - y).max() <= epsilon + 2.0 * tol
        assert best is not None
        assert solution.certificate.primal_objective == pytest.approx(best, rel=1e-3, abs=1e-6 * np.abs(y).max() ** 2)


def test_equal_rows_with_other_targets_have_no_tube_under_any_kernel() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), np.zeros((2, 2))])
    y = np.concatenate([rng.normal(size=30), [0.0, 1.0]])

    def gaussian(A: Array, B: Array) -> Array:
        return np.asarray(np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(axis=2)))

    K = gaussian(X, X)
    for offset in (True, False):
        for problem in (
            EpsilonRegression(X, y, C=np.inf, kernel=RBF(gamma=0.5), offset=offset),
            EpsilonRegression(K, y, C=np.inf, kernel=Precomputed(), offset=offset),
            EpsilonRegression(X, y, C=np.inf, kernel=UserFunction(gaussian), offset=offset),
        ):
            solution = solve(problem, throw=False)
            assert solution.status is Status.INFEASIBLE
            _check(solution.proof, K, y, 0.1, offset)
            assert solution.steps < 100_000
        assert solve(EpsilonRegression(X, y, C=np.inf, epsilon=0.51, kernel=RBF(gamma=0.5))).status is Status.CONVERGED


def test_by_hand() -> None:
    """Two equal rows, targets 0 and 1: every function misses one of them by ½."""
    X, y = [[2.0], [2.0]], [0.0, 1.0]
    solution = solve(EpsilonRegression(X, y, C=np.inf, epsilon=0.1, kernel=Linear()), throw=False)
    proof = solution.proof
    assert (proof.above.tolist(), proof.below.tolist(), proof.distance, proof.apart) == ([0.0, 1.0], [1.0, 0.0], 0.0, 1.0)
    assert solve(EpsilonRegression(X, y, C=np.inf, epsilon=0.5, kernel=Linear())).bias == pytest.approx(0.5)
    # Without offset a row of zeros has f = 0, and misses a target of 1 by all of it.
    alone = solve(EpsilonRegression([[0.0], [1.0]], [1.0, 1.0], C=np.inf, kernel=Linear(), offset=False), throw=False).proof
    assert (alone.above[0], alone.distance, alone.epsilon) == pytest.approx((1.0, 0.0, 1.0), abs=1e-6)


def test_the_weights_of_rows_do_not_matter() -> None:
    X, y = WAVE
    for weight in (None, np.linspace(1e-3, 1e3, len(y))):
        solution = solve(EpsilonRegression(X, y, C=np.inf, kernel=Linear(), sample_weight=weight), throw=False)
        _check(solution.proof, X @ X.T, y, 0.1, True)


@pytest.mark.parametrize("solver", ["smo", "dual_qp", "primal_qp", "chunking", "decomposition"])
@pytest.mark.parametrize("offset", [True, False])
def test_every_solver_proves_it(solver: str, offset: bool) -> None:
    X, y = WAVE
    solution = solve(EpsilonRegression(X, y, C=np.inf, kernel=Linear(), offset=offset), solver=solver, throw=False)
    assert solution.status is Status.INFEASIBLE
    _check(solution.proof, X @ X.T, y, 0.1, offset)
    wide = EpsilonRegression(X, y, C=np.inf, epsilon=1.1, kernel=Linear(), offset=offset)
    assert solve(wide, solver=solver).status is Status.CONVERGED


def test_gradient_steps_do_not_run_away_for_ever() -> None:
    X, y = WAVE
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        solution = solve(EpsilonRegression(X, y, C=np.inf, kernel=Linear()), solver="projected_gradient", max_iter=500)
    assert solution.proof is None


def test_many_rows() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1500, 8))
    y = X @ rng.normal(size=8) + 0.3 * rng.normal(size=1500)
    solution = solve(EpsilonRegression(X, y, C=np.inf, kernel=Linear()), throw=False)
    assert solution.status is Status.INFEASIBLE
    _check(solution.proof, X @ X.T, y, 0.1, True)


def test_a_steep_answer_is_an_answer() -> None:
    """Targets that a kernel can follow only by a large w: the certificate, not the size of β, says that it is there."""
    X = np.linspace(0.0, 1.0, 8)[:, np.newaxis]
    y = np.array([0.0, 1.0] * 4)
    solution = solve(EpsilonRegression(X, y, C=np.inf, epsilon=0.01, kernel=RBF(gamma=2.0)), tol=1e-6)
    assert solution.status is Status.CONVERGED
    assert solution.alpha.max() > 1e5
    assert np.abs(solution.decision_function(X) - y).max() <= 0.01 + 1e-5


def test_it_raises_with_the_proof_and_the_width_that_is_needed() -> None:
    X, y = WAVE
    narrowest, _ = _narrowest(X, y, True)
    with pytest.raises(InfeasibleError) as caught:
        solve(EpsilonRegression(X, y, C=np.inf, kernel=Linear()))
    words = str(caught.value)
    assert re.search(
        r"INFEASIBLE: no point satisfies the constraints: weighted means of rows that coincide have targets [\d.]+ apart, so"
        r" that no function of this kernel is within epsilon of all targets for any epsilon below [\d.]+\. `solution.proof` of"
        r" this exception has the weights\. Allow slack: choose a finite C\.$",
        words,
    )
    solution: Solution = caught.value.solution
    assert f"{solution.proof.epsilon:.4g}" in words
    assert 0.1 < solution.proof.epsilon <= narrowest + 1e-6
    again = pickle.loads(pickle.dumps(caught.value))
    np.testing.assert_array_equal(again.solution.proof.above, solution.proof.above)


class TestSVR:
    """``SVR(C=inf)`` is the hard tube."""

    def test_no_tube_raises(self) -> None:
        with pytest.raises(InfeasibleError, match=r"no function of this kernel is within epsilon.*choose a finite C") as caught:
            SVR(C=np.inf, kernel="linear").fit(*WAVE)
        _check(caught.value.solution.proof, WAVE[0] @ WAVE[0].T, WAVE[1], 0.1, True)

    def test_the_second_output_has_none(self) -> None:
        X, y = WAVE
        with pytest.raises(InfeasibleError):
            SVR(C=np.inf, kernel="linear").fit(X, np.column_stack([X[:, 0], y]))

    def test_a_tube_is_that_of_a_large_C(self) -> None:
        X, y = WAVE
        for kernel in (RBF(gamma=2.0), Polynomial(degree=9, gamma=0.3, coef0=1.0)):
            hard = SVR(C=np.inf, epsilon=0.2, kernel=kernel, tol=1e-8).fit(X, y)
            soft = SVR(C=2.0 * np.abs(hard.dual_coef_).max(), epsilon=0.2, kernel=kernel, tol=1e-8).fit(X, y)
            np.testing.assert_allclose(hard.predict(X), soft.predict(X), atol=1e-6)
            assert hard.certificate_.primal_objective == pytest.approx(soft.certificate_.primal_objective, rel=1e-7)


@pytest.mark.filterwarnings("ignore::maxmargin.errors.ConvergenceWarning")
@pytest.mark.parametrize(("kernel", "size"), [(Intersection(), 1e-310), (Intersection(), 3e-323), (Linear(), 1e-159)], ids=repr)
def test_rows_that_ask_for_coefficients_beyond_the_range_of_doubles_end_stalled(kernel, size):
    rng = np.random.default_rng(0)
    X, y = np.abs(rng.normal(size=(60, 3))) * size, rng.normal(size=60)
    model = SVR(C=np.inf, epsilon=0.5, tol=1e-8, kernel=kernel, max_time=10.0).fit(X, y)
    assert model.status_ is Status.STALLED
    assert np.isfinite(model.dual_coef_).all()
