"""What every solution has, of whatever family: conditions, kinds, slack, margin, labels. Families are each other's oracles."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification, make_regression

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM, solve
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from maxmargin.problems import (
    CrammerSinger,
    EpsilonRegression,
    HardMargin,
    MulticlassLinear,
    NuClassification,
    OneClass,
    PrimalProblem,
    SoftMargin,
)
from maxmargin.solution import Kind, certify_crammer_singer

X, codes = make_classification(150, 5, n_informative=3, n_redundant=0, flip_y=0.2, random_state=7)
NAMES = np.array(["no", "yes"])[codes]
WEIGHT = np.random.default_rng(3).uniform(0.5, 2.0, 150)
IRIS, species = load_iris(return_X_y=True)
SPECIES = np.array(["setosa", "versicolor", "virginica"])[species]
FEATURES, TARGET = make_regression(60, 4, noise=10.0, random_state=0)
TARGET = TARGET / 50.0


@pytest.mark.parametrize("offset", [True, False, "penalised"])
@pytest.mark.parametrize(("slack", "loss"), [("linear", "hinge"), ("squared", "squared_hinge")])
def test_a_linear_solution_is_the_dual_one(slack: str, loss: str, offset: Any) -> None:
    """The same kinds, slacks, margin and conditions as the same problem by its dual."""
    dual = solve(SoftMargin(X, NAMES, kernel=Linear(), slack=slack, offset=offset, sample_weight=WEIGHT), tol=1e-9)
    kind = {True: "free", False: None}.get(offset, offset)
    linear = solve(PrimalProblem(X, NAMES, loss=loss, offset=kind, sample_weight=WEIGHT), tol=1e-11)
    np.testing.assert_array_equal(linear.taxonomy, dual.taxonomy)
    assert len(np.unique(linear.taxonomy)) >= 3
    np.testing.assert_allclose(linear.slack, dual.slack, atol=1e-6)
    assert linear.margin == pytest.approx(dual.margin, rel=1e-6)
    np.testing.assert_array_equal(linear.predict(X), dual.predict(X))
    assert linear.kkt.largest < 1e-5
    theirs = dual.kkt
    assert (linear.kkt.w_unique, linear.kkt.b_unique, linear.kkt.active) == (theirs.w_unique, theirs.b_unique, theirs.active)


@pytest.mark.parametrize(("squared", "loss"), [(False, EpsilonInsensitive(0.3)), (True, SquaredEpsilonInsensitive(0.3))])
def test_a_tube(squared: bool, loss: Any) -> None:
    linear = solve(PrimalProblem(FEATURES, TARGET, loss=loss, C=0.1), tol=1e-11)
    np.testing.assert_allclose(linear.slack, np.maximum(0.0, np.abs(TARGET - linear.predict(FEATURES)) - 0.3), atol=1e-12)
    assert (linear.slack > 0.0).any()
    assert linear.kkt.largest < 1e-5
    assert linear.kkt.slack_complementarity is not None
    if not squared:
        dual = solve(EpsilonRegression(FEATURES, TARGET, C=0.1, epsilon=0.3, kernel=Linear()), tol=1e-9)
        np.testing.assert_allclose(linear.slack, dual.slack, atol=1e-6)
        np.testing.assert_allclose(linear.predict(FEATURES), dual.predict(FEATURES), atol=1e-6)
        assert linear.kkt.b_unique is dual.kkt.b_unique


def test_offsets_that_are_not_unique() -> None:
    """Rows in a wide band: as many on either side, all with all of their multipliers (Burges and Crisp 1999)."""
    rows, labels = [[-1.0], [1.0]], [-1, 1]
    assert solve(PrimalProblem(rows, labels, C=0.1), tol=1e-12).kkt.b_unique is False
    assert solve(PrimalProblem(rows, labels, C=10.0), tol=1e-12).kkt.b_unique is True


@pytest.mark.parametrize("C", [0.05, 1.0, 100.0])
def test_classes_of_both_families(C: float) -> None:
    """``Σ|w_k|² + C Σξ`` is twice ``½Σ|w_k|² + C/2 Σξ``."""
    joint = solve(CrammerSinger(IRIS, SPECIES, C=C, kernel=Linear()), tol=1e-9)
    linear = solve(MulticlassLinear(IRIS, SPECIES, C=C / 2.0, loss="joint"), tol=1e-9)
    np.testing.assert_array_equal(joint.taxonomy, linear.taxonomy)
    assert set(joint.taxonomy.tolist()) >= {Kind.NON_INFORMATIVE, Kind.BOUNDARY, Kind.INSIDE_RIGHT}
    np.testing.assert_allclose(joint.slack, linear.slack, atol=1e-5)
    assert joint.margin == pytest.approx(linear.margin, rel=1e-5)
    np.testing.assert_array_equal(joint.predict(IRIS), linear.predict(IRIS))
    assert joint.kkt.largest < 1e-6 * max(1.0, C)
    assert linear.kkt.largest < 1e-5 * max(1.0, C)


def test_kinds_and_slack_of_all_classes_by_their_definition() -> None:
    joint = solve(CrammerSinger(IRIS[:, :2], SPECIES, C=5.0, kernel=RBF(gamma=0.5)), tol=1e-9)
    f = joint.decision_function(IRIS[:, :2])
    lead = np.array([row[k] - np.delete(row, k).max() for row, k in zip(f, species, strict=True)])
    np.testing.assert_allclose(joint.slack, np.maximum(0.0, 1.0 - lead), atol=1e-9)
    kinds = joint.taxonomy
    np.testing.assert_array_equal(kinds == Kind.WRONG, joint.predict(IRIS[:, :2]) != SPECIES)
    np.testing.assert_array_equal(kinds == Kind.NON_INFORMATIVE, lead > 1.0 + 1e-6)
    np.testing.assert_array_equal(kinds == Kind.BOUNDARY, np.abs(lead - 1.0) <= 1e-6)
    assert (kinds == Kind.WRONG).any()
    assert (kinds == Kind.BOUNDARY).any()


def test_two_classes_at_once_are_a_soft_margin() -> None:
    joint = solve(CrammerSinger(X, NAMES, kernel=Linear()), tol=1e-9)
    dual = solve(SoftMargin(X, NAMES, kernel=Linear()), tol=1e-9)
    assert joint.margin == pytest.approx(dual.margin, rel=1e-6)
    np.testing.assert_allclose(joint.slack, dual.slack, atol=1e-6)
    np.testing.assert_array_equal(joint.taxonomy, dual.taxonomy)
    np.testing.assert_array_equal(joint.predict(X), dual.predict(X))


def test_all_classes_without_slack() -> None:
    hard = solve(CrammerSinger(IRIS, SPECIES, C=np.inf, kernel=RBF(gamma=5.0)), tol=1e-6)
    assert hard.kkt.largest < 1e-6
    assert hard.kkt.slater is True
    assert set(hard.taxonomy.tolist()) == {Kind.NON_INFORMATIVE, Kind.BOUNDARY}
    off = hard.coefficients.copy()
    off[0, 0] *= 2.0  # what a row pulls its own class by is what it pushes others away with
    kkt_data = certify_crammer_singer(
        CrammerSinger(IRIS, SPECIES, C=np.inf, kernel=RBF(gamma=5.0)), _spread(hard, off), hard.bias
    ).kkt_data
    assert kkt_data is not None
    assert kkt_data.stationarity == pytest.approx(abs(off[0, 0]), rel=1e-6)


def _spread(solution: Any, coefficients: Any) -> Any:
    beta = np.zeros((solution.n, len(solution.classes)))
    beta[solution.support] = 2.0 * coefficients
    return beta


def test_no_street_is_narrower_than_the_margin() -> None:
    linear = solve(MulticlassLinear(IRIS, SPECIES, loss="joint"), tol=1e-8)
    w = linear.weights
    streets = [2.0 / np.linalg.norm(w[k] - w[j]) for k in range(3) for j in range(k)]
    assert linear.margin == pytest.approx(math.sqrt(2.0 / (w * w).sum()))
    assert min(streets) >= linear.margin


FAMILIES: dict[str, Any] = {
    "hinge": (PrimalProblem(X, NAMES), "auto", 1),
    "squared hinge": (PrimalProblem(X, NAMES, loss="squared_hinge"), "auto", 1),
    "logistic": (PrimalProblem(X, NAMES, loss="logistic"), "auto", 1),
    "least squares": (PrimalProblem(X, NAMES, loss="squared", C=0.1), "gradient_descent", 2),
    "joint": (CrammerSinger(IRIS, SPECIES, kernel=Linear()), "auto", 10),
    "classes": (MulticlassLinear(IRIS, SPECIES, loss="joint"), "auto", 1),
    "multinomial": (MulticlassLinear(IRIS, SPECIES), "auto", 1),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_conditions_hold_at_the_optimum_only(name: str) -> None:
    problem, solver, steps = FAMILIES[name]
    best = solve(problem, tol=1e-9)
    assert best.status.is_optimal
    assert best.kkt.largest < 1e-4
    with pytest.warns(ConvergenceWarning):
        early = solve(problem, solver=solver, max_iter=steps)
    assert early.kkt.largest > 1e-2
    assert early.kkt.largest > 100.0 * best.kkt.largest


@pytest.mark.parametrize("name", ["hinge", "logistic", "classes", "multinomial", "joint"])
def test_multipliers_that_are_not_the_right_ones(name: str) -> None:
    problem, _, _ = FAMILIES[name]
    best = solve(problem, tol=1e-9)
    if name == "joint":
        shifted = replace(best, coefficients=0.5 * best.coefficients)
        assert shifted.kkt.slack_complementarity > 0.01  # rows with slack, and half of their multipliers
    else:
        shifted = replace(best, alpha=best.alpha * 0.5)
        part = (
            shifted.kkt.complementary_slackness if best.kkt.slack_complementarity is None else shifted.kkt.slack_complementarity
        )
        assert part > 0.01
    negative = replace(best, coefficients=-best.coefficients) if name == "joint" else replace(best, alpha=-best.alpha)
    assert negative.kkt.dual_feasibility > 0.01


def test_labels_are_those_of_the_estimators() -> None:
    svc = SVC(kernel="linear").fit(X, NAMES)
    np.testing.assert_array_equal(solve(SoftMargin(X, NAMES, kernel=Linear())).predict(X), svc.predict(X))
    np.testing.assert_array_equal(svc.solutions_[0].predict(X), svc.predict(X))
    linear = LinearSVC(loss="hinge", tol=1e-8).fit(X, NAMES)
    there = solve(PrimalProblem(X, NAMES), tol=1e-8)
    np.testing.assert_array_equal(there.predict(X), linear.predict(X))
    joint = SVC(kernel="linear", multi_class="joint").fit(IRIS, SPECIES)
    np.testing.assert_array_equal(joint.solutions_[0].predict(IRIS), joint.predict(IRIS))
    at_once = LinearSVC(multi_class="crammer_singer", tol=1e-8).fit(IRIS, SPECIES)
    problem = MulticlassLinear(IRIS, SPECIES, loss="joint")
    np.testing.assert_array_equal(solve(problem, tol=1e-8).predict(IRIS), at_once.predict(IRIS))


def test_values_are_those_of_the_estimators() -> None:
    svr = SVR(kernel="linear").fit(FEATURES, TARGET)
    np.testing.assert_allclose(svr.solutions_[0].predict(FEATURES), svr.predict(FEATURES))
    linear = LinearSVR(epsilon=0.1, tol=1e-9).fit(FEATURES, TARGET)
    there = solve(PrimalProblem(FEATURES, TARGET, loss=EpsilonInsensitive(0.1)), tol=1e-9)
    np.testing.assert_allclose(there.predict(FEATURES), linear.predict(FEATURES), atol=1e-4)
    one = OneClassSVM(nu=0.3, gamma=0.1).fit(X)
    off = np.abs(one.decision_function(X)) > 1e-3  # support vectors have scores of 0, but for the tolerance
    there = solve(OneClass(X, nu=0.3, kernel=RBF(gamma=0.1)))
    np.testing.assert_array_equal(there.predict(X)[off], one.predict(X)[off])
    assert set(one.predict(X)[off]) == {-1, 1}


def test_labels_of_pairs() -> None:
    """A machine of a pair says one of its two classes; one against all others has no label for them."""
    pairs = SVC(kernel="linear").fit(IRIS, SPECIES).solutions_
    for (i, j), pair in zip([(0, 1), (0, 2), (1, 2)], pairs, strict=True):
        own = (species == i) | (species == j)
        assert (pair.predict(IRIS[own]) == SPECIES[own]).mean() > 0.9
    rest = SVC(kernel="linear", multi_class="ovr").fit(IRIS, SPECIES).solutions_
    assert set(rest[0].predict(IRIS)) == {-1, 1}


@pytest.mark.parametrize("problem", [HardMargin(IRIS[:100], SPECIES[:100]), NuClassification(X, NAMES, nu=0.4)])
def test_labels_of_other_problems(problem: Any) -> None:
    solution, rows = solve(problem), problem.gram.rows(np.arange(problem.gram.n, dtype=np.int32))
    labels = solution.predict(rows)
    assert labels.dtype == problem.classes.dtype
    assert (labels == problem.classes[(problem.y > 0).astype(int)]).mean() > 0.7


def test_what_a_loss_does_not_have() -> None:
    logistic, tube = (
        solve(PrimalProblem(X, NAMES, loss="logistic")),
        solve(PrimalProblem(FEATURES, TARGET, loss=EpsilonInsensitive(0.1))),
    )
    with pytest.raises(
        InvalidInput, match=r"Only the hinge and the squared hinge have kinds of rows\. This solution is of Logistic"
    ):
        _ = logistic.taxonomy
    with pytest.raises(InvalidInput, match=r"Only the hinge and the squared hinge have a street\. This solution is of Epsilon"):
        _ = tube.margin
    with pytest.raises(
        InvalidInput, match=r"Only the hinge, the tube and their squares have slack\. This solution is of Logistic"
    ):
        _ = logistic.slack
    multinomial = solve(MulticlassLinear(IRIS, SPECIES))
    for what, words in (("taxonomy", "kinds of rows"), ("margin", "a margin"), ("slack", "slack")):
        with pytest.raises(InvalidInput, match=rf"Only the joint loss has {words}\. This solution is of 'multinomial'\."):
            getattr(multinomial, what)


def test_solutions_that_do_not_know_their_rows() -> None:
    bare = replace(solve(PrimalProblem(X, NAMES)), kkt_data=None)
    for what in ("kkt", "taxonomy", "margin", "slack"):
        with pytest.raises(InvalidInput, match=r"this LinearSolution was made without\. Get one from maxmargin\.solve\."):
            getattr(bare, what)
    joint = replace(SVC(multi_class="joint").fit(IRIS, SPECIES).solutions_[0], rows=None)
    with pytest.raises(InvalidInput, match=r"To tell slack, the scores .* this CrammerSingerSolution was made without"):
        _ = joint.slack
    classes = replace(solve(MulticlassLinear(IRIS, SPECIES, loss="joint")), kkt_data=None)
    with pytest.raises(InvalidInput, match="this MulticlassSolution was made without"):
        _ = classes.kkt


def test_kinds_of_an_answer_with_few_digits() -> None:
    """At the default tolerance nearly all are as at the optimum."""
    hard = make_classification(2000, 20, n_informative=8, flip_y=0.1, class_sep=0.5, random_state=0)
    for solver in ("auto", "coordinate_descent"):
        problem = PrimalProblem(*hard, offset="penalised")
        rough, fine = solve(problem, solver=solver), solve(problem, tol=1e-9)
        assert (rough.taxonomy == fine.taxonomy).mean() > 0.96


def test_pickles_and_starts() -> None:
    """A solution with what it knows of its rows; a model that is kept for another fit does not carry it."""
    solution = solve(PrimalProblem(X, NAMES))
    again = pickle.loads(pickle.dumps(solution))
    np.testing.assert_array_equal(again.taxonomy, solution.taxonomy)
    model = LinearSVC(warm_start=True).fit(X, NAMES)
    assert all(each.kkt_data is None for each in model._held)
