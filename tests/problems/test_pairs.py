"""Problems for pairs of classes, all at once and one at a time."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from maxmargin._solve import solve_batch
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import EpsilonRegression, SoftMargin
from maxmargin.problems._dual import dual_batch
from maxmargin.problems._pairs import LabelledParts, class_pairs
from maxmargin.problems._soft_margin import SoftMargins
from maxmargin.solution import SolutionBatch


@given(st.lists(st.integers(0, 4), max_size=40))
def test_pairs_have_the_rows_of_their_classes(labels):
    codes = np.array(labels, dtype=np.intp)
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for (i, j), (rows, y) in zip(pairs, class_pairs(codes, 5).each(), strict=True):
        np.testing.assert_array_equal(rows, np.concatenate([np.flatnonzero(codes == i), np.flatnonzero(codes == j)]))
        np.testing.assert_array_equal(y, np.where(codes[rows] == i, 1.0, -1.0))


def test_a_label_outside_the_classes_is_refused():
    with pytest.raises(ValueError, match="outside the classes"):
        class_pairs(np.array([0, 3]), 3)


def _digits(parts_of):
    X, codes = load_digits(return_X_y=True)
    X, codes = np.ascontiguousarray(X[:400]), codes[:400].astype(np.intp)
    return SoftMargins(RBF(gamma=1e-3).bind(X).gram(X), parts_of(codes), np.linspace(0.5, 2.0, 400))


def _one_against_the_rest(codes):
    y = np.where(codes == np.arange(10)[:, np.newaxis], 1.0, -1.0)
    return LabelledParts(None, y.ravel(), [len(codes)] * 10)


@pytest.mark.parametrize("parts_of", [lambda codes: class_pairs(codes, 10), _one_against_the_rest], ids=["pairs", "rest"])
def test_the_batch_is_that_of_the_problems(parts_of):
    problems = _digits(parts_of)
    ours, theirs = problems.batch, dual_batch([problem.dual for problem in problems])
    assert [gram.size for gram in ours.grams] == [gram.size for gram in theirs.grams]
    for name in ("q", "lower", "upper", "D", "l1_weight", "offset", "total", "abs_sum", "abs_sum_may_fall", "sizes"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


@pytest.mark.parametrize("max_iter", [-1, 100, 1])
@pytest.mark.parametrize("parts_of", [lambda codes: class_pairs(codes, 10), _one_against_the_rest], ids=["pairs", "rest"])
def test_a_batch_is_that_of_its_solutions(parts_of, max_iter):
    problems = _digits(parts_of)
    ours = solve_batch(problems, max_iter=max_iter, with_rows=False)
    theirs = solve_batch(list(problems), max_iter=max_iter, with_rows=False)
    assert ours.is_plain == theirs.is_plain == (max_iter < 0)
    for field in fields(SolutionBatch):
        if field.name not in ("_make", "slack_rules", "checkpoints", "certificates"):  # checkpoints have times
            np.testing.assert_array_equal(getattr(ours, field.name), getattr(theirs, field.name), err_msg=field.name)
    for name in ("steps", "objective", "violation", "gap", "n_support"):
        np.testing.assert_array_equal(ours.checkpoints[name], theirs.checkpoints[name])
    for name in ours.certificates.dtype.names:
        np.testing.assert_array_equal(ours.certificates[name], theirs.certificates[name], err_msg=name)
    assert ours.slack_rules == theirs.slack_rules


def test_solutions_of_a_batch_have_its_statuses():
    found = solve_batch(_digits(lambda codes: class_pairs(codes, 10)), "auto", 1e-3, 1, None)
    assert not found.is_plain
    assert [solution.status.name for solution in found] == ["ITERATION_LIMIT"] * 45
    assert {status.name for status in found.statuses} == {"ITERATION_LIMIT"}


def test_problems_of_two_kinds_are_not_stacked():
    X, y = [[-1.0], [1.0]], [-1, 1]
    with pytest.raises(InvalidInput, match="of one kind"):
        dual_batch([SoftMargin(X, y, kernel=Linear()).dual, EpsilonRegression(X, [0.0, 1.0], kernel=Linear()).dual])
