"""Leaving one out: the scores of n binary classifiers, trained one by one, are found with far fewer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from maxmargin import SVC, solve
from maxmargin.bounds import leave_one_out_bound, leave_one_out_error
from maxmargin.errors import ConvergenceWarning, InfeasibleError, InvalidInput
from maxmargin.kernels import RBF, Linear, Precomputed
from maxmargin.problems import EpsilonRegression, HardMargin, NuClassification, OneClass, SoftMargin

from ..contracts._registry import DATA


def _brute(build: Any, X: Any, y: Any, weight: Any) -> Any:
    """A binary classifier for each row, which has weight 0 in it: built and solved as a user would."""
    scores = np.empty(len(y))
    for row in range(len(y)):
        without = weight.copy()
        without[row] = 0.0
        scores[row] = solve(build(X, y, without), tol=1e-8).decision_function(X[[row]])[0]
    return scores


BUILDS: dict[str, Any] = {
    "soft": lambda X, y, w: SoftMargin(X, y, C=1.0, kernel=RBF(gamma=0.5), sample_weight=w),
    "soft, large C": lambda X, y, w: SoftMargin(X, y, C=100.0, kernel=RBF(gamma=0.5), sample_weight=w),
    "soft, linear": lambda X, y, w: SoftMargin(X, y, C=0.5, kernel=Linear(), sample_weight=w),
    "no offset": lambda X, y, w: SoftMargin(X, y, C=1.0, kernel=RBF(gamma=0.5), offset=False, sample_weight=w),
    "penalised offset": lambda X, y, w: SoftMargin(X, y, C=1.0, kernel=RBF(gamma=0.5), offset="penalised", sample_weight=w),
    "squared": lambda X, y, w: SoftMargin(X, y, C=1.0, kernel=RBF(gamma=0.5), slack="squared", sample_weight=w),
    "hard": lambda X, y, w: HardMargin(X, y, kernel=RBF(gamma=20.0), sample_weight=w),
    "hard, no offset": lambda X, y, w: HardMargin(X, y, kernel=RBF(gamma=20.0), offset=False, sample_weight=w),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("data", ["moons", "skewed"])
def test_against_a_machine_for_each_row(data: str, build: str, weighted: bool) -> None:
    X, y = DATA[data]()
    weight = np.random.default_rng(1).lognormal(0, 1, len(y)) if weighted else np.ones(len(y))
    problem = BUILDS[build](X, y, weight)
    found = leave_one_out_error(problem, tol=1e-8)
    np.testing.assert_allclose(found.scores, _brute(BUILDS[build], X, y, weight), atol=1e-5)
    assert found.error == np.mean(np.sign(found.scores) != y)
    solution = solve(problem, tol=1e-8)
    assert found.error <= leave_one_out_bound(solution) <= 1.0
    assert found.fits <= len(solution.support) + 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("data", ["moons", "skewed"])
def test_estimates_from_one_solution(data: str, build: str, weighted: bool) -> None:
    """ξα bounds the error; it and the one by spans look at support vectors only."""
    X, y = DATA[data]()
    weight = np.random.default_rng(1).lognormal(0, 1, len(y)) if weighted else np.ones(len(y))
    found = leave_one_out_error(BUILDS[build](X, y, weight), tol=1e-8)
    assert found.error <= found.xi_alpha
    assert found.span <= found.bound


@pytest.mark.parametrize("offset", [True, False, "penalised"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_spans_predict_scores(offset: Any, slack: str) -> None:
    """``y f(x) − α S²`` is the score without the row, for rows whose absence moves no other one to another kind."""
    X, y = DATA["moons"]()
    problem = SoftMargin(X, y, C=1.0, kernel=RBF(gamma=0.5), offset=offset, slack=slack)
    whole = solve(problem, tol=1e-10)
    found = leave_one_out_error(problem, tol=1e-10)
    spans, checked = _spans_by_least_squares(problem, whole), 0
    for k, row in enumerate(whole.support):
        others = np.delete(np.arange(len(y)), row)
        own = SoftMargin(X[others], y[others], C=1.0, kernel=RBF(gamma=0.5), offset=offset, slack=slack)
        without = solve(own, tol=1e-10)
        if _kinds(whole, problem, others) == _kinds(without, own, np.arange(len(others))):
            checked += 1
            told = whole.support_scores[k] * y[row] - whole.alpha[row] * spans[k]
            np.testing.assert_allclose(found.scores[row] * y[row], told, atol=1e-6)
    assert checked >= 1
    counted = y * whole.decision_function(X) < 0.0
    counted[whole.support] = whole.alpha[whole.support] * np.array(spans) >= whole.support_scores * y[whole.support]
    assert found.span == pytest.approx(np.mean(counted))


def _kinds(solution: Any, problem: Any, rows: Any) -> Any:
    alpha = solution.alpha[rows]
    at_bound = alpha >= problem.upper[rows] * (1 - 1e-6) if problem.slack.value == "linear" else np.zeros(len(rows), bool)
    return np.where(alpha <= 1e-9, 0, np.where(at_bound, 2, 1)).tolist()


def _spans_by_least_squares(problem: Any, whole: Any) -> Any:
    """Each squared distance by its definition, in coordinates of a factor of the kernel matrix."""
    K = RBF(gamma=0.5)(problem.gram.rows(np.arange(problem.gram.n)))
    K = K + (problem.offset.value == "penalised")
    if problem.slack.value == "squared":
        K = K + 0.5 * np.eye(len(K))
    values, vectors = np.linalg.eigh(K)
    points = vectors * np.sqrt(np.maximum(values, 0.0))
    free = whole.support
    if problem.slack.value == "linear":
        free = np.array([row for row in whole.support if whole.alpha[row] < problem.upper[row] * (1 - 1e-9)])
    spans = []
    for row in whole.support:
        others = points[free[free != row]]
        if problem.offset.value == "free":  # combinations with sum 1
            target, basis = points[row] - others[0], (others[1:] - others[0]).T
        else:
            target, basis = points[row], others.T
        rest = target - basis @ np.linalg.lstsq(basis, target, rcond=None)[0]
        own = rest @ rest
        if problem.slack.value == "squared":
            own -= 0.5  # the row's own slack is no part of its score
        spans.append(own)
    return spans


def test_a_score_near_zero_is_computed_to_the_last_digits() -> None:
    """A loose tolerance does not decide a sign: those in doubt are solved again."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.sign(X[:, 0] + 0.5 * rng.normal(size=60))
    problem = SoftMargin(X, y, C=10.0, kernel=RBF(gamma=0.3))
    loose, tight = leave_one_out_error(problem, tol=0.05), leave_one_out_error(problem, tol=1e-10)
    near = np.abs(loose.scores) <= 0.5
    np.testing.assert_allclose(loose.scores[near], tight.scores[near], atol=1e-6)
    assert loose.error == tight.error


@pytest.mark.parametrize("name", ["heart", "sonar", "ionosphere"])
def test_it_is_scikit_learns_leave_one_out(name: str, data_set: Any) -> None:
    data = data_set(name)
    gamma = 1.0 / (data.X.shape[1] * data.X.var())
    found = leave_one_out_error(SoftMargin(data.X, data.y, kernel=RBF(gamma=gamma)))
    predicted = cross_val_predict(SVC(gamma=gamma), data.X, data.y, cv=LeaveOneOut())
    assert found.error == np.mean(predicted != data.y)
    classes = np.unique(data.y)
    np.testing.assert_array_equal(predicted, classes[(found.scores >= 0).astype(int)])


def test_rows_that_end_the_interval_of_offsets_are_left_out_too() -> None:
    """C so small that every α is at its bound: b is the middle of an interval, which rows without α may end."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(-1, 1, (12, 1)), rng.normal(1, 1, (12, 1)), [[-9.0], [9.0]]])
    y = np.repeat([-1.0, 1.0, -1.0, 1.0], [12, 12, 1, 1])

    def build(X: Any, y: Any, w: Any) -> SoftMargin:
        return SoftMargin(X, y, C=0.05, kernel=Linear(), sample_weight=w)

    found = leave_one_out_error(build(X, y, np.ones(26)), tol=1e-8)
    np.testing.assert_allclose(found.scores, _brute(build, X, y, np.ones(26)), atol=1e-5)


def test_by_hand() -> None:
    """Without the row at 1 the street is between 0 and 3: f(1) = −1/3. Without that at 0 it stays."""
    found = leave_one_out_error(HardMargin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], kernel=Linear()), tol=1e-9)
    np.testing.assert_allclose(found.scores, [-2.0, -1 / 3, 1 / 3, 2.0], atol=1e-7)
    assert (found.error, found.fits) == (0.0, 3)


@pytest.mark.parametrize("problem", [SoftMargin, HardMargin])
def test_the_only_row_of_its_class_is_always_wrong(problem: Any) -> None:
    found = leave_one_out_error(problem([[0.0], [1.0], [3.0]], [0, 0, 1], kernel=Linear()))
    assert found.scores[2] == -1.0
    assert found.error >= 1 / 3


def test_a_gram_matrix_and_objects() -> None:
    X, y = DATA["moons"]()
    rows = leave_one_out_error(SoftMargin(X, y, kernel=RBF(gamma=0.5)))
    gram = leave_one_out_error(SoftMargin(RBF(gamma=0.5)(X), y, kernel=Precomputed()))
    np.testing.assert_allclose(gram.scores, rows.scores, atol=1e-4)

    def shared(A: Any, B: Any) -> Any:
        return np.array([[len(set(a) & set(b)) for b in B] for a in A], dtype=float)

    words = leave_one_out_error(SoftMargin(["cat", "act", "tack", "dog", "good", "gold"], [0, 0, 0, 1, 1, 1], kernel=shared))
    assert words.error == 0.0


def test_bound_of_an_estimators_solution() -> None:
    X, y = DATA["moons"]()
    model = SVC(gamma=0.5).fit(X, y)
    assert leave_one_out_bound(model.solutions_[0]) == len(model.support_) / len(y)


def test_it_raises_and_warns_as_solve_does() -> None:
    with pytest.raises(InfeasibleError):
        leave_one_out_error(HardMargin([[0.0], [1.0], [2.0]], [0, 1, 0], kernel=Linear()))
    X, y = DATA["lattice"]()
    with pytest.warns(ConvergenceWarning, match="STALLED"):
        leave_one_out_error(SoftMargin(X, y, kernel=RBF()), tol=1e-300)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (EpsilonRegression([[0.0], [1.0]], [0.0, 1.0]), "Got Tube"),
        (OneClass([[0.0], [1.0]]), "Got Level"),
        (NuClassification([[0.0], [1.0]], [0, 1], nu=0.5), "Got a problem with nu"),
    ],
    ids=["tube", "level", "nu"],
)
def test_other_problems_have_no_such_bound(problem: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=f"of SoftMargin and HardMargin only. {words}"):
        leave_one_out_bound(solve(problem))
    with pytest.raises(
        InvalidInput, match="The 'problem' parameter of leave_one_out_error must be a SoftMargin or a HardMargin"
    ):
        leave_one_out_error(problem)


def test_messages() -> None:
    with pytest.raises(InvalidInput, match="The 'solution' parameter of leave_one_out_bound must be a Solution"):
        leave_one_out_bound(SVC())
    with pytest.raises(InvalidInput, match="The 'tol' parameter of leave_one_out_error"):
        leave_one_out_error(SoftMargin([[0.0], [1.0]], [0, 1]), tol=-1.0)
