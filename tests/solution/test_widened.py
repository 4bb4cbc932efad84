"""What a certificate says where there is no time to bound rounding errors row by row, and no time to move at all."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import sparse

from maxmargin import solve
from maxmargin._deadline import Deadline
from maxmargin._solve._budget import Budget
from maxmargin.kernels import RBF, Gram
from maxmargin.problems import CrammerSinger, MulticlassLinear, NuClassification, SoftMargin
from maxmargin.solution import Status, certify, certify_crammer_singer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=120) > 0, 1, -1)
CODES = RNG.integers(0, 6, 120)


def test_the_clock() -> None:
    endless, over, long = Deadline(), Deadline(0.0), Deadline(100.0)
    assert endless.left() == math.inf
    assert endless.before(1e9) == math.inf
    assert not endless.is_set
    assert over.is_over()
    assert over.left() == 0.0
    assert not over.has(1e-9)
    assert 99.0 < long.left() <= 100.0
    assert long.before(10.0) == pytest.approx(90.0, abs=1.0)
    assert long.before(1e9) == pytest.approx(50.0, abs=1.0)  # what is guessed gets no more than half
    assert long.before(1e9, for_sure=20.0) == pytest.approx(40.0, abs=1.0)
    assert long.before(0.0, for_sure=200.0) == 0.0


def test_widened_objectives_hold_the_others_between_them() -> None:
    problem = SoftMargin(X, Y, C=1e6)
    solution = solve(problem, tol=1e-6)
    beta = np.zeros(len(Y))
    beta[solution.support] = solution.beta
    found = certify(problem, beta)
    wide = found.widened()
    assert wide.primal > found.primal
    assert wide.dual < found.dual
    assert wide.noise > 0.0
    assert not wide.needs_bounds(1e-3)


def test_without_time_for_bounds_nothing_is_called_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Budget, "allows_bounds", lambda self, batch: False)
    monkeypatch.setattr("maxmargin.solution._certify.Evaluation.needs_bounds", lambda self, tol: True)
    monkeypatch.setattr("maxmargin.solution._certify.Evaluation.widened", lambda self: self._replace(primal=2.0 * self.primal))
    with pytest.warns(UserWarning, match="TIME_LIMIT"):
        assert solve(NuClassification(X, Y, nu=0.4), max_time=60.0).status is Status.TIME_LIMIT


@pytest.mark.parametrize("problem", [NuClassification(X, Y, nu=0.4), CrammerSinger(X, CODES), MulticlassLinear(X, CODES)])
def test_no_time_at_all(problem: NuClassification | CrammerSinger | MulticlassLinear) -> None:
    """The certificate is that of the start, and the objectives bound the optimum."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        late = solve(problem, max_time=1e-9)
    best = solve(problem)
    assert late.status is Status.TIME_LIMIT
    assert late.steps == 0
    assert late.certificate.dual_objective <= best.certificate.primal_objective
    assert late.certificate.primal_objective >= best.certificate.dual_objective


def test_a_joint_search_that_is_stopped_keeps_its_class_totals() -> None:
    """Found in haste: the certificate needs them to be 0."""
    rows, codes = RNG.normal(size=(3000, 6)), RNG.integers(0, 30, 3000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = solve(CrammerSinger(rows, codes, C=100.0), tol=1e-9, max_time=0.4)
    assert found.status is Status.TIME_LIMIT
    assert found.steps > 0
    beta = np.zeros((3000, 30))
    beta[found.support] = 2.0 * found.coefficients
    assert certify_crammer_singer(CrammerSinger(rows, codes, C=100.0), beta, found.bias).infeasibility <= 1e-9
    assert found.certificate.dual_objective > 0.0


def test_products_of_one_sparse_source_are_the_same_bits_one_by_one() -> None:
    rows = sparse.random_array((300, 5000), density=0.01, rng=np.random.default_rng(1), format="csr")
    gram = RBF(gamma=0.1).bind(rows).gram(rows)
    betas = [np.where(RNG.random(300) < share, RNG.normal(size=300), 0.0) for share in (0.1, 0.5, 0.0)]
    together = Gram.matvecs([gram] * 3, np.concatenate(betas)).reshape(3, -1)
    for beta, product in zip(betas, together, strict=True):
        assert product.tobytes() == gram.matvec(beta).tobytes()
