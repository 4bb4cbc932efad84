"""The judge can be wrong, too: it knows optima that were found by hand, and complains of models that were spoilt."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as gaussian_process
from sklearn.metrics import pairwise

import maxmargin
from maxmargin import kernels
from maxmargin.solution import Certificate, Status

from ._comparison import Truth, compared
from ._evaluator import judge, of_machine
from ._floors import floor_at
from ._formulas import own, values
from ._generator import Case, make
from ._kernel_models import kernel_machines
from ._linear_models import linear_problems
from ._newton import better_points
from ._numbers import DEEP, LONG, Digits, precise
from ._proofs import balanced, features, in_tube, refuted_joint_margin, refuted_margin, refuted_tube, separated
from ._rows import gamma_of
from ._runner import Pool


def case_of(estimator: str, X: Any, y: Any, **params: Any) -> Case:
    rows = np.asarray(X, dtype=np.float64)
    return Case(-1, estimator, params, "by hand", True, rows, rows, None if y is None else np.asarray(y), None)


LINE = [[0.0], [1.0], [3.0], [4.0]]
KERNEL = {"kernel": "linear", "tol": 1e-8}

BY_HAND = [
    # the widest street between 1 and 3 has w = 1
    (case_of("SVC", LINE, [0, 0, 1, 1], C=10.0, multi_class="ovo", **KERNEL), 0.5),
    (case_of("SVC", LINE, [0, 0, 1, 1], C=np.inf, multi_class="ovo", **KERNEL), 0.5),
    # without an offset the street is about 0; ½w² + 2 (1 − w)² is least at w = 0.8
    (case_of("SVC", [[-1.0], [1.0]], [0, 1], C=10.0, multi_class="ovo", fit_intercept=False, **KERNEL), 0.5),
    (case_of("SVC", [[-1.0], [1.0]], [0, 1], C=np.inf, multi_class="ovo", fit_intercept=False, **KERNEL), 0.5),
    (case_of("SVC", [[-1.0], [1.0]], [0, 1], C=1.0, multi_class="ovo", loss="squared_hinge", **KERNEL), 0.4),
    # half of the mass ν W = 1.6 on each side, at 1 and 3 no more than 1: w = 0.8·2
    (case_of("NuSVC", LINE, [0, 0, 1, 1], nu=0.4, **KERNEL), -1.28),
    # flattest line within ½ of (0, 0) and (2, 2) has the slope ½
    (case_of("SVR", [[0.0], [2.0]], [0.0, 2.0], C=10.0, epsilon=0.5, **KERNEL), 0.125),
    (case_of("SVR", [[0.0], [2.0]], [0.0, 2.0], C=np.inf, epsilon=0.5, **KERNEL), 0.125),
    # mass 0.16, half at either end: w = 0.08·3, and the targets give 0.08·3
    (case_of("NuSVR", [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0], C=0.1, nu=0.4, **KERNEL), 0.24 - 0.0288 - 0.0),
    # mass 0.8 at 1: w = 0.8
    (case_of("OneClassSVM", [[1.0], [2.0], [3.0], [4.0]], None, nu=0.2, **KERNEL), -0.32),
    # the ball around 0 … 4 has the radius 2, and the objective is half of its square
    (case_of("SVDD", [[0.0], [1.0], [4.0]], None, nu=0.1, **KERNEL), 2.0),
]


HAND_NAMES = ["-".join([case.estimator, *map(str, case.params.values())]) for case, _ in BY_HAND]


def objectives(case: Case, model: Any, digits: Digits) -> tuple[float, float]:
    (machine,) = kernel_machines(case, model, digits)
    return float(machine.primal), float(machine.dual)


@pytest.mark.parametrize("digits", [LONG, DEEP], ids=["long", "deep"])
@pytest.mark.parametrize(("case", "optimum"), BY_HAND, ids=HAND_NAMES)
def test_optima_by_hand(case: Case, optimum: float, digits: Digits) -> None:
    with precise():
        assert objectives(case, case.fit(), digits) == pytest.approx((optimum, optimum), rel=1e-6)


def test_the_joint_machine_of_three_points() -> None:
    """0, 2 and 4 on a line at a large C: ``w = (−1, 0, 1)/2·…``; both bounds meet, and the constraints are tight."""
    case = case_of(
        "SVC",
        [[0.0], [2.0], [4.0]],
        [0, 1, 2],
        C=1e3,
        multi_class="joint",
        decision_function_shape="ovr",
        kernel="linear",
        tol=1e-8,
    )
    primal, dual = objectives(case, case.fit(), LONG)
    # neighbours at a distance of 2 need f_k − f_l to change by 2 between them: w_k − w_l = 1 twice, so w = (−1, 0, 1)
    assert (primal, dual) == pytest.approx((2.0, 2.0), rel=1e-6)


@pytest.mark.parametrize(("case", "optimum"), BY_HAND, ids=HAND_NAMES)
def test_a_spoilt_offset_is_noticed(case: Case, optimum: float) -> None:
    model = case.fit()
    assert judge(case, model).findings == []
    model.intercept_ = model.intercept_ + 0.3
    assert {finding.kind for finding in judge(case, model).findings} & {"CONVERGED beyond", "certificate of another model"}


def test_spoilt_multipliers_are_noticed() -> None:
    case, _ = BY_HAND[0]
    model = case.fit()
    model.dual_coef_ = model.dual_coef_ * 1.1
    assert "CONVERGED beyond" in {finding.kind for finding in judge(case, model).findings}


LINEAR = [
    case_of("LinearSVC", LINE, [0, 0, 1, 1], C=10.0, loss="hinge", tol=1e-6),
    case_of("LinearSVC", LINE, [0, 1, 0, 1], C=10.0, loss="squared_hinge", tol=1e-6),
    case_of("LinearSVC", LINE, [0, 1, 0, 1], C=10.0, loss="hinge", penalty="l1", tol=1e-6),
    case_of("LinearSVC", [[0.0], [2.0], [4.0]], [0, 1, 2], C=10.0, multi_class="crammer_singer", tol=1e-6),
    case_of("LinearSVR", LINE, [0.0, 1.0, 2.0, 5.0], C=1.0, epsilon=0.1, loss="epsilon_insensitive", tol=1e-6),
    case_of("LinearClassifier", LINE, [0, 1, 0, 1], C=1.0, loss="logistic", penalty="ball", B=0.01, tol=1e-6),
    case_of("LogisticRegression", [[0.0], [2.0], [4.0]], [0, 1, 2], C=1.0, penalty="l2", tol=1e-6),
    case_of("LogisticRegression", LINE, [0, 1, 0, 1], C=1.0, penalty=None, tol=1e-6),
    case_of("LogisticRegression", LINE, [0, 1, 0, 1], C=1.0, penalty="elasticnet", l1_ratio=0.3, tol=1e-6),
    case_of("LogisticRegression", LINE, [0, 0, 1, 1], C=1.0, penalty="l2", solver="liblinear", multi_class="ovr", tol=1e-6),
    case_of("LinearClassifier", LINE, [0, 1, 0, 1], C=10.0, loss="squared_hinge", penalty="elasticnet", l1_ratio=0.9, tol=1e-6),
    case_of("LinearOneClassSVM", [[1.0], [2.0], [3.0], [4.0]], None, nu=0.2, tol=1e-6),
]
NAMES = ["-".join([case.estimator, *map(str, case.params.values())]) for case in LINEAR]


@pytest.mark.parametrize("case", LINEAR, ids=NAMES)
def test_spoilt_weights_are_noticed(case: Case) -> None:
    model = case.fit()
    assert judge(case, model).findings == []
    model.coef_ = model.coef_ * 0.9
    assert "CONVERGED beyond" in {finding.kind for finding in judge(case, model).findings}


@pytest.mark.parametrize("case", LINEAR, ids=NAMES)
def test_the_rival_is_as_good_as_the_model(case: Case) -> None:
    model = case.fit()
    for problem, w, b, _ in linear_problems(case, model, LONG):
        best = min(problem.objective(*point) for *point, _ in better_points(problem, w * 0, b * 0))
        assert float(best) == pytest.approx(float(problem.objective(w, b)), rel=2e-6)


@pytest.mark.parametrize("case", LINEAR, ids=NAMES)
def test_the_judge_has_a_bound_below(case: Case) -> None:
    model = case.fit()
    for problem, w, b, _ in linear_problems(case, model, LONG):
        floor = max(floor_at(problem, *point) for point in better_points(problem, w * 0, b * 0))
        primal = float(problem.objective(w, b))
        assert -3e-6 * abs(primal) <= float(floor) - primal <= 1e-12 * abs(primal)


def test_the_two_arithmetics_agree() -> None:
    for seed in range(40):
        case = make(seed)
        if case.estimator != "SVC" or np.isinf(case.params["C"]) or not case.ordinary:
            continue
        model = case.fit()
        with precise():
            pairs = zip(kernel_machines(case, model, LONG), kernel_machines(case, model, DEEP), strict=True)
            for long, deep in pairs:
                assert float(long.primal) == pytest.approx(float(deep.primal), rel=1e-12)
                assert float(long.dual) == pytest.approx(float(deep.dual), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("primal", "dual", "status", "kind"),
    [
        (1.0, 0.99, Status.CONVERGED, "CONVERGED beyond its own certificate"),
        (1.0, 1.01, Status.CONVERGED, "CONVERGED with a gap below 0"),
        (1.1, 1.0999, Status.CONVERGED, "certificate of another model"),
        (0.9, 0.8999, Status.STALLED, "certificate of another model (not converged)"),
        (1.0, 1.01, Status.STALLED, "false floor (not converged)"),
        (1e-9, -1e-9, Status.ZERO_OPTIMUM, "ZERO_OPTIMUM without a scale"),
    ],
)
def test_what_a_certificate_may_not_say(primal: float, dual: float, status: Status, kind: str) -> None:
    certificate = Certificate.of(primal, dual, 0.0, status)
    found = compared(status.name, certificate, Truth(1.0, 0.9995, 1.0, 1e-3, 1.0))
    assert kind in {finding.kind for finding in found}


@pytest.mark.parametrize(("certified", "wrong"), [(1.1, False), (1.112, True)])
def test_a_certificate_may_add_rounding_within_its_own_gap(certified: float, wrong: bool) -> None:
    """Its gap is a part of its own objective: at 0.1 it may say 1.11 of what is 1, and no more."""
    certificate = Certificate.of(certified, 0.9999 if wrong else 0.99, 0.0, Status.CONVERGED)
    found = compared("CONVERGED", certificate, Truth(1.0, 0.9999, 1.0, 0.1, 1.0))
    assert bool(found) is wrong


@pytest.mark.parametrize("value", [1.0, 0.1, -1e30])
def test_entries_that_are_all_the_same_have_no_variance(value: float) -> None:
    """However they are weighted: what rounding leaves of their mean is not taken for one."""
    weight = 10.0 ** np.random.default_rng(0).uniform(-12, 12, 90)
    case = replace(case_of("SVC", np.full((90, 1), value), np.arange(90) % 2, kernel="rbf"), weight=weight)
    assert gamma_of(case) == 1
    spread = replace(case, X=case.X * np.linspace(1.0, 2.0, 90)[:, np.newaxis])
    mean = np.average(spread.X.ravel(), weights=weight)
    assert float(gamma_of(spread)) == pytest.approx(1.0 / np.average((spread.X.ravel() - mean) ** 2, weights=weight), rel=1e-9)


@pytest.mark.parametrize(("scale", "wrong"), [(1.0, False), (1e-3, True), (1e9, True)])
def test_a_zero_by_its_scale(scale: float, wrong: bool) -> None:
    certificate = Certificate.of(4e-10, -4e-10, 0.0, Status.ZERO_OPTIMUM, scale=scale)
    assert bool(compared("ZERO_OPTIMUM", certificate, Truth(0.0, 0.0, 0.0, 1e-3, 1.0))) is wrong


def test_hyperplanes_are_found_and_checked_exactly() -> None:
    near = case_of("SVC", [[0.0], [1e-6], [1.0]], [-1, 1, 1], C=np.inf, kernel="linear")
    far = case_of("SVC", np.array([[0, 0], [2, 2], [2, 0], [3, 0]]) + 1e6, [-1, -1, 1, 1], C=np.inf, kernel="linear")
    crossed = case_of("SVC", [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [-1, -1, 1, 1], C=np.inf, kernel="linear")
    for case, there_is in ((near, True), (far, True), (crossed, False)):
        assert refuted_margin(case, np.arange(len(case.X)), np.asarray(case.y, dtype=float)) is there_is
    conic = replace(crossed, params={"kernel": "poly", "degree": 2, "coef0": 1.0})
    assert refuted_margin(conic, np.arange(4), np.asarray(crossed.y, dtype=float))
    table = features(crossed, np.arange(4), shifted=False)
    assert table is not None
    assert not separated(table, np.array([1.0, 1.0, -1.0, -1.0]), offset=False)


def test_tubes_are_found_and_checked_exactly() -> None:
    line = case_of("SVR", [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], C=np.inf, epsilon=0.0, kernel="linear")
    bent = case_of("SVR", [[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0], C=np.inf, epsilon=0.4, kernel="linear")
    table = features(line, np.arange(3))
    assert table is not None
    assert in_tube(table, np.array([0.0, 1.0, 2.0]), 0.0)
    assert not refuted_tube(bent, np.arange(3))
    assert refuted_tube(replace(bent, params=bent.params | {"epsilon": 0.5}), np.arange(3))
    assert refuted_tube(replace(bent, params={"kernel": "rbf", "epsilon": 0.0}), np.arange(3))


def test_all_classes_at_once_are_told_apart_exactly() -> None:
    line = case_of("SVC", [[0.0], [1.0], [2.0]], [0, 1, 2], C=np.inf, kernel="linear")
    assert refuted_joint_margin(line, np.arange(3), np.array([0, 1, 2]))
    crossed = case_of("SVC", [[0.0], [1.0], [2.0], [5.0]], [0, 1, 0, 2], C=np.inf, kernel="linear")
    assert not refuted_joint_margin(crossed, np.arange(4), np.array([0, 1, 0, 2]))


def test_weights_that_balance_rows_prove_a_minimum() -> None:
    rows = np.array([[Fraction(1), Fraction(0)], [Fraction(-1), Fraction(1)], [Fraction(0), Fraction(-1)]], dtype=object)
    assert balanced(rows, np.array([1.0, 1.0 + 1e-12, 1.0]))
    assert not balanced(rows[:2], np.array([1.0, 1.0]))


def test_a_false_claim_of_separability_is_noticed() -> None:
    overlapping = case_of("LogisticRegression", LINE, [0, 1, 0, 1], C=1.0, penalty=None, tol=1e-6)
    model = overlapping.fit()
    model.status_ = Status.SEPARABLE
    assert [finding.kind for finding in judge(overlapping, model).findings] == ["false proof"]
    apart = case_of("LogisticRegression", LINE, [0, 0, 1, 1], C=1.0, penalty=None, tol=1e-6)
    assert judge(apart, apart.fit()).findings == []


def test_a_case_is_determined_by_its_seed() -> None:
    first, second = make(123), make(123)
    np.testing.assert_array_equal(first.X, second.X)
    assert first.describe() == second.describe()
    assert "make(123)" in first.describe()


def test_every_estimator_is_drawn() -> None:
    """Those that choose their parameters end with a fit of one that is drawn."""
    drawn = {make(seed).estimator for seed in range(500)}
    predicts = {name for name in maxmargin.__all__ if hasattr(getattr(maxmargin, name), "predict")}
    assert drawn == {name for name in predicts if not name.endswith("CV")}


def test_a_crash_becomes_a_finding() -> None:
    with Pool(1) as pool:
        (worker,) = pool.workers
        worker.take(0)
        worker.process.kill()
        worker.process.join()
        (found,) = pool.run([])
        assert [finding.kind for finding in found.verdict.findings] == ["crash"]
        assert [found.seed for found in pool.run([1, 2])] == [1, 2]


def test_a_hang_becomes_a_finding() -> None:
    with Pool(1, patience=0.5) as pool:
        (found,) = pool.run([983688])  # a fit of some seconds
        assert [finding.kind for finding in found.verdict.findings] == ["slow"]


X3 = np.random.default_rng(0).uniform(0.1, 2.0, size=(6, 3))
FORMULAS = [
    (kernels.Laplacian(gamma=0.7), lambda: pairwise.laplacian_kernel(X3, gamma=0.7)),
    (kernels.ChiSquared(gamma=0.7), lambda: pairwise.chi2_kernel(X3, gamma=0.7)),
    (kernels.Cosine(), lambda: pairwise.cosine_similarity(X3)),
    (kernels.RBF(gamma=0.7), lambda: pairwise.rbf_kernel(X3, gamma=0.7)),
    (kernels.Polynomial(degree=3, gamma=0.7, coef0=1.0), lambda: pairwise.polynomial_kernel(X3, degree=3, gamma=0.7)),
    (kernels.Quadratic(), lambda: 1.0 + X3 @ X3.T + (X3 @ X3.T) ** 2),
    *[(kernels.Matern(1.5, nu), lambda nu=nu: gaussian_process.Matern(1.5, nu=nu)(X3)) for nu in (0.5, 1.5, 2.5)],
    (kernels.RationalQuadratic(1.5, 0.7), lambda: gaussian_process.RationalQuadratic(1.5, 0.7)(X3)),
    (kernels.MinMax(), lambda: np.array([[np.minimum(a, b).sum() / np.maximum(a, b).sum() for b in X3] for a in X3])),
    (kernels.Intersection(), lambda: np.array([[np.minimum(a, b).sum() for b in X3] for a in X3])),
    (kernels.Tanimoto(), lambda: np.array([[a @ b / (a @ a + b @ b - a @ b) for b in X3] for a in X3])),
    (2.0 * kernels.Linear().on([0, 2]) ** 2 + kernels.Linear(), lambda: 2.0 * (X3[:, ::2] @ X3[:, ::2].T) ** 2 + X3 @ X3.T),
    ((kernels.Linear() * kernels.Linear()).normalised(), lambda: pairwise.cosine_similarity(X3) ** 2),
]


@pytest.mark.parametrize("digits", [LONG, DEEP], ids=["long", "deep"])
@pytest.mark.parametrize(("kernel", "expected"), FORMULAS, ids=[str(kernel) for kernel, _ in FORMULAS])
def test_the_judge_knows_every_kernel(kernel: Any, expected: Any, digits: Digits) -> None:
    with precise():
        found = values(kernel, digits.of(X3), digits.of(X3), digits).astype(np.float64)
        np.testing.assert_allclose(found, expected(), rtol=1e-12)
        np.testing.assert_allclose(own(kernel, digits.of(X3), digits).astype(np.float64), expected().diagonal(), rtol=1e-12)


def test_every_kernel_is_drawn() -> None:
    drawn = {type(make(seed).params.get("kernel")).__name__ for seed in range(3000)}
    assert {type(kernel).__name__ for kernel, _ in FORMULAS} - {"RBF", "Polynomial", "Linear"} <= drawn


def test_a_false_claim_of_indefiniteness_is_noticed() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3))
    case = case_of("SVC", rows @ rows.T, np.arange(20) % 2, C=1.0, multi_class="ovo", kernel="precomputed", tol=1e-3)
    (machine,) = kernel_machines(case, case.fit(), LONG)
    claim = Certificate.of(1.0, 0.9, 0.0, Status.STALLED, indefinite=True)
    claimed = replace(machine, record=SimpleNamespace(certificate=claim, status=Status.STALLED, kernel=machine.record.kernel))
    assert of_machine(case, machine, joint=False) == []
    assert [finding.kind for finding in of_machine(case, claimed, joint=False)] == ["false INDEFINITE"]
    lowered = replace(case, X=case.X - 0.1 * np.eye(20))
    assert of_machine(lowered, claimed, joint=False) == []
