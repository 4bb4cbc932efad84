"""Certificates and solutions of a fitted model."""

import itertools
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from maxmargin import SVC, solve
from maxmargin.bounds import leave_one_out_bound
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Linear
from maxmargin.problems import SoftMargin
from maxmargin.solution import Solution, Status

from ._sets import breast_cancer, digits, iris

MODELS = {
    "two": (breast_cancer, {}),
    "pairs": (iris, {}),
    "ten": (digits, {"C": 5.0}),
    "rest": (iris, {"multi_class": "ovr"}),
    "linear": (iris, {"kernel": "linear"}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_solutions_are_the_machines(name, container):
    maker, params = MODELS[name]
    X, y = maker()
    shape = {} if params.get("multi_class") == "ovr" else {"decision_function_shape": "ovo"}
    model = SVC(**params, **shape).fit(container(X), y)
    values = model.decision_function(container(X)).reshape(len(X), -1)
    assert len(model.solutions_) == values.shape[1] == len(model.intercept_)
    for subproblem, solution in enumerate(model.solutions_):
        assert isinstance(solution, Solution)
        assert solution.n == len(X)
        assert solution.bias == model.intercept_[subproblem]
        assert solution.steps == model.n_iter_[subproblem]
        assert solution.bias_interval[0] <= solution.bias <= solution.bias_interval[1]
        assert (np.diff(solution.support) > 0).all()
        assert set(solution.support) <= set(model.support_)
        assert_allclose(solution.beta.sum(), 0.0, atol=1e-8)
        assert_allclose(solution.decision_function(container(X)), values[:, subproblem], rtol=1e-7, atol=1e-7)
        assert_allclose(solution.support_scores, values[solution.support, subproblem], rtol=1e-5, atol=1e-5)


def test_pairs_come_in_libsvms_order():
    X, y = iris()
    model = SVC().fit(X, y)
    for solution, (i, j) in zip(model.solutions_, itertools.combinations(range(3), 2), strict=True):
        assert set(y[solution.support]) == {i, j}
        assert_array_equal(solution.support_y, np.where(y[solution.support] == i, 1.0, -1.0))


def test_a_machine_tells_how_many_rows_it_was_trained_on():
    """A pair of classes has no other rows; their kinds, slack and shares are those of the same binary classifier alone."""
    X, y = iris()
    weight = np.ones(len(y))
    weight[::10] = 0.0
    counts = np.bincount(y[weight > 0])
    pairs = [counts[i] + counts[j] for i, j in itertools.combinations(range(3), 2)]
    for params, expected in (({}, pairs), ({"multi_class": "ovr"}, [135] * 3)):
        model = SVC(kernel="linear", **params).fit(X, y, weight)
        for found in (model.solutions_, pickle.loads(pickle.dumps(model)).solutions_):
            assert [solution.n_trained for solution in found] == expected
            for solution, rows in zip(found, expected, strict=True):
                assert solution.n == 150
                assert leave_one_out_bound(solution) == len(solution.support) / rows
    model = SVC(kernel="linear").fit(X, y)
    for solution, (i, j) in zip(model.solutions_, itertools.combinations(range(3), 2), strict=True):
        members = (y == i) | (y == j)
        alone = solve(SoftMargin(X[members], y[members] == i, kernel=Linear()))
        assert alone.n == solution.n_trained == 100
        assert alone.n_trained is None
        assert leave_one_out_bound(solution) == leave_one_out_bound(alone)
        assert_array_equal(solution.taxonomy[members], alone.taxonomy)
        assert_allclose(solution.slack[members], alone.slack, atol=1e-9)


def test_rows_are_counted_as_given_to_fit():
    X, y = breast_cancer()
    w = np.random.default_rng(0).integers(0, 3, len(y))
    model = SVC().fit(X, y, w)
    (solution,) = model.solutions_
    assert solution.n == len(X)
    assert (solution.alpha[w == 0] == 0).all()
    assert (solution.alpha <= w + 1e-12).all()
    K = X @ X.T
    precomputed = SVC(kernel="precomputed").fit(K, y, w)
    assert_allclose(precomputed.solutions_[0].decision_function(K), precomputed.decision_function(K), rtol=1e-9, atol=1e-9)


def test_the_certificate_sums_the_machines():
    X, y = digits()
    model = SVC(tol=1e-6).fit(X, y)
    certificates = [solution.certificate for solution in model.solutions_]
    total = model.certificate_
    assert total.primal_objective == pytest.approx(sum(c.primal_objective for c in certificates))
    assert total.dual_objective == pytest.approx(sum(c.dual_objective for c in certificates))
    assert total.relative_gap == max(c.relative_gap for c in certificates)
    assert total.kkt_violation == max(c.kkt_violation for c in certificates) <= 1e-6
    assert total.status is model.status_ is Status.CONVERGED


def test_the_certificate_is_that_of_the_attributes():
    X, y = breast_cancer()
    model = SVC(kernel="linear", C=0.3).fit(X, y)
    w = model.coef_[0]
    slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * model.decision_function(X))
    primal = 0.5 * w @ w + 0.3 * slack.sum()
    assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-9)
    assert model.certificate_.dual_objective == pytest.approx(np.abs(model.dual_coef_).sum() - 0.5 * w @ w, rel=1e-9)
    assert_allclose(model.solutions_[0].slack, slack, atol=1e-6)


def test_the_worst_ending_counts():
    X, y = digits()
    with pytest.warns(UserWarning, match="max_iter"):
        model = SVC(max_iter=3).fit(X, y)
    assert (model.fit_status_, model.status_) == (1, Status.ITERATION_LIMIT)
    assert Status.ITERATION_LIMIT in [solution.status for solution in model.solutions_]


def test_traces_are_thinned(monkeypatch):
    monkeypatch.setattr("maxmargin.solution._trace._CHECKPOINTS", 2)
    X, y = breast_cancer()
    trace = SVC(C=1e3).fit(X, y).solutions_[0].trace
    assert 1 <= len(trace.steps) <= 2


def test_an_unfitted_model_has_none():
    for name in ("certificate_", "solutions_", "status_", "n_support_", "coef_"):
        with pytest.raises(NotFittedError):
            getattr(SVC(), name)
        assert not hasattr(SVC(), name)


def test_changed_coefficients_have_no_solutions():
    X, y = breast_cancer()
    model = SVC().fit(X, y)
    model.dual_coef_[0, 0] = 0.0
    with pytest.raises(InvalidInput, match="dual_coef_ was altered"):
        _ = model.solutions_


def _products(a, b):
    """A kernel of any objects: here rows that come one by one."""
    return np.array(a, dtype=np.float64) @ np.array(b, dtype=np.float64).T


@pytest.mark.parametrize("container", [np.asarray, np.float32, sparse.csr_array, list])
def test_rows_of_the_boundary_are_kept_once_and_not_beside_the_support_vectors(container):
    """Nine blocks of a grid: whole edges are on the margins of pairs, and few of their rows support one."""
    block = np.stack(np.meshgrid(range(5), range(5)), axis=-1).reshape(-1, 2)
    X = np.concatenate([block + np.array([6.0 * i, 6.0 * j]) for i in range(3) for j in range(3)])
    y = np.repeat(np.arange(9), 25)
    weight = np.ones(len(y))
    weight[12::25] = 0.0  # in the middle of each block: other rows count from here
    model = SVC(kernel=_products if container is list else "linear", C=10.0).fit(container(X), y, weight)
    records = model._records
    beside = np.array(sorted(set(records.boundary.tolist()) - set(model.support_.tolist())))
    assert 0 < len(beside) < len(set(records.boundary.tolist()))
    assert_array_equal(_table(records.rows), X[beside])
    for found in (model.solutions_, pickle.loads(pickle.dumps(model)).solutions_):
        assert sum(len(solution.boundary) for solution in found) == len(records.boundary)
        for solution in found:
            assert_array_equal(_table(solution.boundary_rows).reshape(-1, 2), X[solution.boundary])


def _table(rows):
    return rows.toarray() if sparse.issparse(rows) else np.array(rows)


def test_a_table_of_no_rows_can_be_pickled():
    """So it is kept where each row of the boundary supports another binary classifier."""
    model = SVC().fit(*load_digits(return_X_y=True))
    object.__setattr__(model._records, "rows", model._records.rows[:0])
    assert pickle.loads(pickle.dumps(model._records)).rows.shape == (0, 64)
    with pytest.raises(InvalidInput, match=r"The records of the fit were altered: the boundary has shape \(0, 64\)"):
        _ = model.solutions_
