"""NuSVC has the attributes, shapes, orders and signs of scikit-learn's, and is SVC at C = 1/ρ."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, NuSVC, solve
from maxmargin.errors import InvalidInput, NoMarginWarning
from maxmargin.problems import NuClassification
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
    assert set(mine) - set(other) == {"max_time", "probability", "solver", "warm_start"}
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


class TestNoMargin:
    """Where the reduced hulls of the classes overlap, w = 0 is optimal."""

    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    y = np.array([0, 0, 1, 1])

    def test_it_is_said_with_what_to_do(self):
        message = (
            r"^The margin is 0: at nu = 0\.5 the reduced convex hulls of the two classes overlap, w = 0 is optimal, and the"
            r" scores tell nothing\. Raise nu, which shrinks them, up to 1, or choose a kernel that tells the classes apart\.$"
        )
        with pytest.warns(NoMarginWarning, match=message) as caught:
            model = NuSVC(nu=0.5, kernel="linear").fit(self.X, self.y)
        assert len(caught) == 1
        assert model.status_ is Status.ZERO_OPTIMUM
        assert model.fit_status_ == 0
        assert_allclose(model.coef_, 0.0, atol=1e-12)
        assert_allclose(np.abs(model.dual_coef_).sum(), 0.5 * 4)  # ρ = 0 scales nothing
        assert_allclose(model.decision_function(self.X), 0.0, atol=1e-12)

    def test_at_the_largest_nu_it_does_not_say_raise(self):
        with pytest.warns(NoMarginWarning, match=r"tell nothing\. Choose a kernel that tells the classes apart\.$"):
            NuSVC(nu=1.0, kernel="linear").fit(self.X, self.y)

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_raising_nu_is_the_right_advice(self, kernel, seed):
        """Crisp and Burges: there is a smallest ν with a margin; below it w = 0, above it not."""
        rng = np.random.default_rng(seed)
        y = np.arange(60) % 2
        X = rng.normal(size=(60, 2)) + 0.7 * y[:, np.newaxis]
        said = []
        for nu in np.linspace(0.05, 1.0, 20):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                solution = solve(NuClassification(X, y, nu=nu, kernel=kernel), tol=1e-6)
            assert solution.status.is_optimal
            said.append(any(each.category is NoMarginWarning for each in caught))
            assert said[-1] == (solution.status is Status.ZERO_OPTIMUM)
            assert said[-1] == bool(solution.note)
            by_hand = solution.beta @ (solution.support_scores - solution.bias)  # |w|², scaled by 1/ρ unless ρ = 0
            assert (by_hand < 1e-6) == said[-1]
        assert said == sorted(said, reverse=True)
        assert not said[-1]

    def test_equal_classes_have_none_under_any_kernel(self):
        X = np.random.default_rng(0).normal(size=(30, 2))
        for kernel in ("linear", "rbf", "poly"):
            with pytest.warns(NoMarginWarning):
                model = NuSVC(kernel=kernel).fit(np.vstack([X, X]), np.repeat([0, 1], 30))
            assert np.isfinite(model.dual_coef_).all()

    def test_of_three_classes_the_pair_is_named(self):
        X = np.vstack([self.X, self.X[:2] + 9.0])
        with pytest.warns(
            NoMarginWarning, match=r"^1 of 3 binary classifiers separate nothing; one is a against b\. The margin is 0"
        ):
            NuSVC(nu=0.5, kernel="linear").fit(X, ["a", "a", "b", "b", "c", "c"])

    def test_a_small_margin_is_one(self):
        """1e-6 of the diameter: certified, and scaled to 1."""
        X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1e-6], [1.0, 1e-6]])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            solution = solve(NuClassification(X, [0, 0, 1, 1], nu=0.9, kernel="linear"), tol=1e-9)
        assert solution.margin == pytest.approx(1e-6)

    @pytest.mark.parametrize("scale", [1e-30, 1e-8, 1e-3, 1e3, 1e30])
    def test_it_does_not_depend_on_the_unit_of_the_features(self, scale):
        X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
        with warnings.catch_warnings():
            warnings.simplefilter("error", NoMarginWarning)
            solution = solve(NuClassification(scale * X, y, nu=0.4, kernel="linear"), tol=1e-6 * min(1.0, scale * scale))
        assert solution.margin == pytest.approx(2.0 * scale, rel=1e-3)
        with pytest.warns(NoMarginWarning):
            solve(NuClassification(scale * self.X, self.y, nu=0.5, kernel="linear"), tol=1e-6 * min(1.0, scale * scale))
