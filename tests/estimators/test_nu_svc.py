"""NuSVC has the attributes, shapes, orders and signs of scikit-learn's, and is SVC at C = 1/ρ."""

import inspect

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, NuSVC
from maxmargin.errors import InvalidInput
from maxmargin.solution import Status

from ._sets import breast_cancer, digits, iris

EXACT = {"tol": 1e-8}
SETS = {"iris": (iris, 0.3), "breast cancer": (breast_cancer, 0.2), "digits": (digits, 0.1)}


def distinct(X, y):
    """Without rows that are there twice: their coefficients are not unique."""
    _, first = np.unique(X, axis=0, return_index=True)
    first.sort()
    return X[first], y[first]


def test_parameters_are_scikit_learns_and_ours():
    mine = NuSVC().get_params()
    other = {name: value for name, value in sklearn.svm.NuSVC().get_params().items() if name != "probability"}
    assert set(mine) - set(other) == {"max_time", "solver"}
    assert set(other) <= set(mine)
    assert {name for name in other if mine[name] != other[name]} == {"cache_size"}
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in inspect.signature(NuSVC).parameters.values())
    assert is_classifier(NuSVC())


UNIQUE = [(name, kernel) for name in SETS for kernel in ("rbf", "poly") if (name, kernel) != ("iris", "poly")]
"""Pairs of iris have no free support vector for other kernels: then the margin ρ is not unique."""


@pytest.mark.parametrize(("name", "kernel"), UNIQUE)
def test_attributes_are_scikit_learns(name, kernel):
    maker, nu = SETS[name]
    X, y = distinct(*maker())
    params = {"kernel": kernel, "nu": nu, **EXACT}
    ours, theirs = NuSVC(**params).fit(X, y), sklearn.svm.NuSVC(**params).fit(X, y)
    scale = float(np.abs(theirs.dual_coef_).max())
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-5 * scale)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_array_equal(ours.class_weight_, theirs.class_weight_)
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    assert (ours.fit_status_, ours.status_) == (0, Status.CONVERGED)
    for attribute in ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "n_iter_", "class_weight_"):
        mine, other = getattr(ours, attribute), getattr(theirs, attribute)
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape), attribute


@pytest.mark.parametrize("name", ["breast cancer", "digits"])
def test_attributes_of_a_linear_kernel_are_scikit_learns(name):
    maker, nu = SETS[name]
    X, y = maker()
    ours, theirs = (kind(kernel="linear", nu=nu, **EXACT).fit(X, y) for kind in (NuSVC, sklearn.svm.NuSVC))
    scale = float(np.abs(theirs.coef_).max())
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5 * scale)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4 * scale)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("nu", [0.1, 0.3, 0.6])
def test_it_is_svc_at_one_over_rho(kernel, nu):
    X, y = breast_cancer()
    model = NuSVC(nu=nu, kernel=kernel, **EXACT).fit(X, y)
    C = np.abs(model.dual_coef_).sum() / (nu * len(y))
    same = SVC(C=C, kernel=kernel, **EXACT).fit(X, y)
    assert_allclose(model.decision_function(X), same.decision_function(X), atol=1e-6)
    assert_array_equal(model.support_, same.support_)
    assert_allclose(model.dual_coef_, same.dual_coef_, atol=1e-6 * C)


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
def test_a_part_nu_of_the_rows_is_inside_the_margin(nu):
    X, y = breast_cancer()
    model = NuSVC(nu=nu, **EXACT).fit(X, y)
    inside = np.where(y == 1, 1, -1) * model.decision_function(X) < 1 - 1e-6
    assert inside.mean() <= nu <= len(model.support_) / len(y)


def test_nu_that_is_too_large_tells_the_range():
    X, y = breast_cancer()
    largest = 2 * min(np.mean(y == 0), np.mean(y == 1))
    message = rf"specified nu is infeasible: nu = 0.9 is more than {largest:.6g}.*Choose nu in \(0, {largest:.6g}\]"
    with pytest.raises(InvalidInput, match=message):
        NuSVC(nu=0.9).fit(X, y)
    assert NuSVC(nu=largest).fit(X, y).status_ is Status.CONVERGED


def test_weights_change_what_is_feasible():
    X, y = breast_cancer()
    assert NuSVC(nu=1.0, class_weight="balanced").fit(X, y).status_ is Status.CONVERGED
    with pytest.raises(InvalidInput, match="specified nu is infeasible"):
        NuSVC(nu=0.5).fit(X, y, sample_weight=np.where(y == 0, 0.1, 1.0))


def test_class_weights_are_sample_weights():
    X, y = breast_cancer()
    by_class = NuSVC(nu=0.2, class_weight={0: 2.0}, gamma=0.05, **EXACT).fit(X, y)
    by_row = NuSVC(nu=0.2, gamma=0.05, **EXACT).fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))
    assert_array_equal(by_class.decision_function(X), by_row.decision_function(X))
    assert by_class.class_weight_.tolist() == [2.0, 1.0]


@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_scores_of_three_classes(shape):
    X, y = iris()
    ours, theirs = (kind(nu=0.3, decision_function_shape=shape, **EXACT).fit(X, y) for kind in (NuSVC, sklearn.svm.NuSVC))
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)


def test_searches_and_pipelines():
    X, y = breast_cancer()
    pipeline = make_pipeline(StandardScaler(), NuSVC(nu=0.1)).fit(X * 1e3, y)
    assert pipeline.score(X * 1e3, y) > 0.95
    search = GridSearchCV(NuSVC(), {"nu": [0.05, 0.5], "gamma": [1e-2, 10.0]}, cv=3).fit(X, y)
    assert search.best_params_["gamma"] == 1e-2


def test_the_machine_is_named_when_the_report_is_wanted(capsys):
    X, y = iris()
    NuSVC(nu=0.2, verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("[maxmargin] 1/3 0 against 1: converged, ")
