"""Layouts and votes."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.utils.multiclass import _ovr_decision_function

from maxmargin.estimators._shared._schemes import OneVsOne, OneVsRest, TwoClasses, scheme_of, subproblem_names

RNG = np.random.default_rng(0)
SCHEMES = [TwoClasses(2), OneVsOne(3), OneVsOne(7), OneVsRest(3), OneVsRest(5)]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: f"{type(s).__name__} {s.n_classes}")
def test_combine_is_the_product_with_the_spread_coefficients(scheme):
    counts = RNG.integers(0, 6, scheme.n_classes)
    counts[0] = 3
    bounds = [0, *np.cumsum(counts).tolist()]
    dual = RNG.normal(size=(scheme.n_coefficients, bounds[-1]))
    left = RNG.normal(size=(11, bounds[-1]))
    spread = scheme.spread(dual, bounds)
    assert spread.shape == (scheme.n_subproblems, bounds[-1])
    assert_allclose(scheme.combine(left, dual, bounds), left @ spread.T, atol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: f"{type(s).__name__} {s.n_classes}")
def test_machines_separate_their_sides(scheme):
    codes = RNG.permutation(np.repeat(np.arange(scheme.n_classes), 4))
    subproblems = list(scheme.subproblems(codes).each())
    assert len(subproblems) == scheme.n_subproblems
    for index, (rows, y) in enumerate(subproblems):
        positive, negative = scheme.sides(index)
        members = codes if rows is None else codes[rows]
        assert_array_equal(members[y > 0], positive)
        assert positive not in members[y < 0]
        if negative is not None:
            assert_array_equal(members[y < 0], negative)
        if rows is not None:
            assert scheme.rows_by_class
            assert_array_equal(rows, np.concatenate([np.flatnonzero(codes == side) for side in (positive, negative)]))
        blocks = scheme.blocks(index)
        assert {of_class for _, of_class in blocks} == set(members)
        assert all(0 <= row < scheme.n_coefficients for row, _ in blocks)


def test_no_coefficient_has_two_machines():
    for scheme in SCHEMES:
        blocks = list(itertools.chain.from_iterable(scheme.blocks(m) for m in range(scheme.n_subproblems)))
        assert len(blocks) == len(set(blocks)) == scheme.n_coefficients * scheme.n_classes


def test_scores_by_class_are_scikit_learns():
    scheme = OneVsOne(6)
    values = RNG.normal(size=(200, 15))
    values[0] = 0.0
    assert_allclose(scheme.scores(values, by_class=True), _ovr_decision_function(values < 0, -values, 6))
    assert scheme.scores(values, by_class=False) is values


def test_the_most_votes_win_and_the_first_of_a_tie():
    scheme = OneVsOne(3)
    values = np.array([[1.0, 1.0, 5.0], [-1.0, 1.0, 1.0], [1.0, -2.0, 1.0], [0.0, 0.0, 0.0]])
    assert scheme.winners(values, break_ties=False).tolist() == [0, 1, 0, 2]
    by_score = np.argmax(scheme.scores(values, by_class=True), axis=1)
    assert_array_equal(scheme.winners(values, break_ties=True), by_score)
    assert by_score[2] == 2


def test_two_classes_need_one_machine():
    for one_vs_rest in (True, False):
        assert isinstance(scheme_of(2, one_vs_rest=one_vs_rest), TwoClasses)
    assert isinstance(scheme_of(3, one_vs_rest=True), OneVsRest)
    assert isinstance(scheme_of(3, one_vs_rest=False), OneVsOne)


def test_names():
    classes = np.array(["a", "b", "c"])
    assert subproblem_names(TwoClasses(2), classes[:2]) == ["b against a"]
    assert subproblem_names(OneVsOne(3), classes) == ["a against b", "a against c", "b against c"]
    assert subproblem_names(OneVsRest(3), classes)[2] == "c against the rest"
