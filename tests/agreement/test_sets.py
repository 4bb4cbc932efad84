"""Agreement with scikit-learn on public sets over the whole range of C, at tol 1e-6, and honest certificates.

Both libraries are fitted once a cell; an independent judge (``_evaluator``) recomputes everything in float64.
``MAXMARGIN_FULL=1`` runs every decade of C and lets scikit-learn take its time.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.solution import Status

from .._data import FULL, DataSet, load
from ._cases import SPARSE, STEP_CAP, STEP_CAP_FULL, TOL, Case, cases, gamma_parameter, verdicts
from ._evaluator import Verdict, total

GAP_OF_CONVERGED = 1e-3
"""The settled meaning of converged: violation <= tol, and gap <= max(tol, 1e-3) |primal|."""

DUAL_RTOL = 1e-7
"""Our dual objective may be below scikit-learn's by this share, no more."""

CERTIFICATE_RTOL = 1e-9
"""A certificate's objectives against the evaluation's: the same float64 sum in another order."""

CLEAR = 1e-2
"""Predictions must be the same where every pair's |f| is above this ..."""

C_OF_PREDICTIONS = 1e2
"""... up to this C; above it scikit-learn's own answer is too far from the optimum."""


@dataclass(frozen=True)
class Fit:
    """One cell of the grid, solved by both."""

    case: Case
    data: DataSet
    ours: SVC
    theirs: sklearn.svm.SVC
    verdicts: list[Verdict]
    verdicts_theirs: list[Verdict]


@pytest.fixture(scope="module", params=cases(), ids=str)
def fit(request: pytest.FixtureRequest) -> Fit:
    case: Case = request.param
    data = load(case.name)
    settings = {"C": case.C, "gamma": gamma_parameter(data), "tol": TOL, "decision_function_shape": "ovo"}
    ours = SVC(**settings).fit(data.as_csr() if case.name in SPARSE else data.X, data.y)
    # Where its predictions are compared scikit-learn must have converged by its own measure: no cap there.
    cap = -1 if case.C <= C_OF_PREDICTIONS else STEP_CAP_FULL if FULL else STEP_CAP
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = sklearn.svm.SVC(**settings, cache_size=500, max_iter=cap).fit(data.X, data.y)
    return Fit(case, data, ours, theirs, verdicts(ours, data, case.C), verdicts(theirs, data, case.C))


def test_converged_means_converged(fit: Fit) -> None:
    assert fit.ours.status_ is Status.CONVERGED
    assert fit.ours.fit_status_ == 0
    for verdict in fit.verdicts:
        assert verdict.feasible
        assert verdict.violation <= TOL + verdict.rounding
        assert verdict.gap <= GAP_OF_CONVERGED * abs(verdict.primal)


def test_certificate_is_what_the_judge_computes(fit: Fit) -> None:
    certificate = fit.ours.certificate_
    primal, dual = total(fit.verdicts)
    noise = sum(v.rounding * v.scale for v in fit.verdicts)
    atol = CERTIFICATE_RTOL * abs(primal) + noise
    np.testing.assert_allclose(certificate.primal_objective, primal, rtol=0, atol=atol)
    np.testing.assert_allclose(certificate.dual_objective, dual, rtol=0, atol=atol)
    np.testing.assert_allclose(certificate.gap, primal - dual, rtol=0, atol=2 * atol)
    worst = max(v.violation for v in fit.verdicts)
    np.testing.assert_allclose(certificate.kkt_violation, worst, rtol=0, atol=2 * max(v.rounding for v in fit.verdicts))
    gap_noise = max((CERTIFICATE_RTOL * v.primal + 2 * v.rounding * v.scale) / v.primal for v in fit.verdicts)
    np.testing.assert_allclose(certificate.relative_gap, max(v.relative_gap for v in fit.verdicts), rtol=0, atol=gap_noise)


def test_each_solution_carries_its_own_certificate(fit: Fit) -> None:
    assert len(fit.ours.solutions_) == len(fit.verdicts)
    for solution, verdict in zip(fit.ours.solutions_, fit.verdicts, strict=True):
        atol = CERTIFICATE_RTOL * abs(verdict.primal) + verdict.rounding * verdict.scale
        np.testing.assert_allclose(solution.certificate.dual_objective, verdict.dual, rtol=0, atol=atol)
        np.testing.assert_allclose(solution.certificate.primal_objective, verdict.primal, rtol=0, atol=atol)
        assert solution.status is Status.CONVERGED


def test_dual_objective_is_not_below_scikit_learn(fit: Fit) -> None:
    for ours, theirs in zip(fit.verdicts, fit.verdicts_theirs, strict=True):
        assert ours.dual_bound >= theirs.dual_bound - DUAL_RTOL * abs(theirs.dual)


def test_weak_duality_holds_between_the_two(fit: Fit) -> None:
    for ours, theirs in zip(fit.verdicts, fit.verdicts_theirs, strict=True):
        noise = ours.rounding * ours.scale + theirs.rounding * theirs.scale + CERTIFICATE_RTOL * ours.primal
        assert ours.dual_bound <= theirs.primal + noise
        assert theirs.dual_bound <= ours.primal + noise


def test_same_predictions_where_the_score_is_clear(fit: Fit) -> None:
    if fit.case.C > C_OF_PREDICTIONS:
        pytest.skip("predictions are compared up to C = 1e2")
    rows = np.vstack([fit.data.X, fit.data.X_unseen])
    ours = fit.ours.predict(sparse.csr_array(rows) if fit.case.name in SPARSE else rows)
    scores = fit.theirs.decision_function(rows).reshape(len(rows), -1)
    clear = np.all(np.abs(scores) > CLEAR, axis=1)
    assert clear.any()
    np.testing.assert_array_equal(ours[clear], fit.theirs.predict(rows)[clear])
