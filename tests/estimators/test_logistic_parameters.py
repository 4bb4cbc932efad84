"""LogisticRegression's parameters as scikit-learn has them: what changes the answer is honoured, the rest is accepted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression as Theirs

from maxmargin import LinearClassifier, LinearSVC, LinearSVR, LogisticRegression
from maxmargin.errors import InvalidInput
from maxmargin.solvers import LinearNewton

X, Y = make_classification(120, 6, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0)
TIGHT: dict[str, Any] = {"tol": 1e-12, "max_iter": 100_000}


def _quiet(model: Any, *data: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*data)


def _same(ours: dict[str, Any], theirs: dict[str, Any], atol: float = 1e-5) -> None:
    mine = LogisticRegression(**ours, tol=1e-12).fit(X, Y)
    other = _quiet(Theirs(**{**theirs, **TIGHT}), X, Y)
    assert mine.fit_status_ == 0
    np.testing.assert_allclose(mine.coef_, other.coef_, atol=atol)
    np.testing.assert_allclose(mine.intercept_, np.ravel(other.intercept_), atol=atol)


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"])
def test_names_that_only_say_how(solver: str) -> None:
    auto = LogisticRegression(C=0.5).fit(X, Y)
    named = LogisticRegression(C=0.5, solver=solver, n_jobs=2, random_state=3, dual=False).fit(X, Y)
    np.testing.assert_array_equal(named.coef_, auto.coef_)
    _same({"C": 0.5, "solver": solver}, {"C": 0.5, "solver": "lbfgs"})


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("scaling", [1.0, 0.3, 10.0])
def test_liblinear_penalises_the_offset(scaling: float, l1_ratio: float) -> None:
    settings: dict[str, Any] = {"C": 0.3, "solver": "liblinear", "intercept_scaling": scaling, "l1_ratio": l1_ratio}
    _same(settings, settings, atol=1e-4)
    free = LogisticRegression(C=0.3, l1_ratio=l1_ratio, tol=1e-12).fit(X, Y)
    held = LogisticRegression(**settings, tol=1e-12).fit(X, Y)
    assert not np.allclose(free.intercept_, held.intercept_, atol=1e-6)


def test_dual_does_not_change_the_answer() -> None:
    one, other = (LogisticRegression(solver="liblinear", dual=dual).fit(X, Y) for dual in (True, False))
    np.testing.assert_array_equal(one.coef_, other.coef_)


@pytest.mark.parametrize("l1_ratio", [0.25, 0.7])
def test_elastic_net_is_sagas(l1_ratio: float) -> None:
    _same({"C": 0.2, "l1_ratio": l1_ratio}, {"C": 0.2, "l1_ratio": l1_ratio, "solver": "saga"}, atol=1e-6)
    _same(
        {"C": 0.2, "l1_ratio": l1_ratio, "penalty": "elasticnet", "solver": "saga"},
        {"C": 0.2, "l1_ratio": l1_ratio, "solver": "saga"},
        atol=1e-6,
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"penalty": "l2"}, {}),
        ({"penalty": "l1"}, {"l1_ratio": 1.0}),
        ({"penalty": None}, {"C": np.inf}),
        ({"penalty": "elasticnet", "l1_ratio": 0.5}, {"l1_ratio": 0.5}),
        ({"penalty": "elasticnet", "l1_ratio": 0}, {"l1_ratio": None}),
        ({"penalty": "elasticnet", "l1_ratio": 1}, {"l1_ratio": 1}),
        ({"penalty": "deprecated", "l1_ratio": 0.5}, {"penalty": "auto", "l1_ratio": 0.5}),
    ],
)
def test_penalty_of_old_and_l1_ratio_of_new_versions(old: dict[str, Any], new: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = LogisticRegression(**old).fit(X, Y), LogisticRegression(**new).fit(X, Y)
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.intercept_, second.intercept_)


def test_parameters_of_scikit_learns_model_are_ours() -> None:
    settings = Theirs(C=0.5).get_params()
    np.testing.assert_allclose(
        LogisticRegression(**settings).fit(X, Y).coef_, LogisticRegression(C=0.5).fit(X, Y).coef_, atol=1e-12
    )
    assert LogisticRegression("l1").fit(X, Y).penalty == "l1"


def test_without_a_penalty_it_is_theirs() -> None:
    _same({"C": np.inf}, {"C": np.inf}, atol=1e-4)


def test_three_classes() -> None:
    rows, labels = load_iris(return_X_y=True)
    mine = LogisticRegression(tol=1e-10, solver="lbfgs").fit(rows, labels)
    other = _quiet(Theirs(**TIGHT), rows, labels)
    np.testing.assert_allclose(mine.coef_, other.coef_, atol=1e-4)
    apart = LogisticRegression(solver="liblinear", multi_class="ovr", tol=1e-10).fit(rows, labels)
    for k in range(3):
        alone = _quiet(Theirs(solver="liblinear", **TIGHT), rows, labels == k)
        np.testing.assert_allclose(apart.coef_[k], alone.coef_[0], atol=1e-4)


def test_warm_start_begins_where_it_was() -> None:
    model = LogisticRegression(C=0.1, l1_ratio=0.5, warm_start=True, tol=1e-8).fit(X, Y)
    cold = int(model.n_iter_[0])
    assert model.n_iter_.shape == (1,)
    assert int(model.fit(X, Y).n_iter_[0]) <= 1 <= cold


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "lbfgs", "penalty": "l1"}, "Solver lbfgs supports only 'l2' or None penalties, got l1 penalty"),
        ({"solver": "newton-cg", "l1_ratio": 0.5}, "Solver newton-cg supports only 'l2' or None penalties, got elasticnet"),
        ({"solver": "liblinear", "l1_ratio": 0.5}, "Only 'saga' solver supports elasticnet penalty"),
        ({"solver": "liblinear", "C": np.inf}, "C=np.inf as well as penalty=None is not supported for the liblinear solver"),
        ({"solver": "liblinear", "multi_class": "multinomial"}, "solver='liblinear' has no multi_class='multinomial'"),
        ({"dual": True}, "dual=True goes with solver='liblinear' and the penalty 'l2', got solver='auto'"),
        ({"dual": True, "solver": "liblinear", "penalty": "l1"}, "dual=True goes with solver='liblinear' and the penalty 'l2'"),
        ({"penalty": "elasticnet", "l1_ratio": None}, "l1_ratio must be specified when penalty is elasticnet"),
        ({"l1_ratio": 1.5}, "The 'l1_ratio' parameter of LogisticRegression must be a float in the range [0.0, 1.0]"),
        ({"penalty": "l3"}, "The 'penalty' parameter of LogisticRegression must be a str among"),
        ({"n_jobs": 1.5}, "The 'n_jobs' parameter of LogisticRegression must be an int in the range"),
        ({"dual": "yes"}, "The 'dual' parameter of LogisticRegression"),
        ({"intercept_scaling": 0.0}, "The 'intercept_scaling' parameter of LogisticRegression"),
        ({"solver": "quick"}, "The 'solver' parameter must be one of 'auto', 'newton'"),
    ],
)
def test_combinations_that_have_no_meaning(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        LogisticRegression(**settings).fit(X, Y)
    assert message in str(error.value)


def test_liblinear_has_two_classes() -> None:
    rows, labels = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match="The 'liblinear' solver does not support multiclass classification"):
        LogisticRegression(solver="liblinear").fit(rows, labels)


@pytest.mark.parametrize("settings", [{"penalty": "l2", "l1_ratio": 0.5}, {"penalty": None, "l1_ratio": 1.0}])
def test_a_penalty_that_is_given_decides(settings: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="decides, and l1_ratio="):
        model = LogisticRegression(**settings).fit(X, Y)
    same = LogisticRegression(penalty=settings["penalty"]).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, same.coef_)


@pytest.mark.parametrize("solver", ["newton", LinearNewton(), "gradient_descent"])
def test_solvers_as_in_solve(solver: Any) -> None:
    same = LogisticRegression(tol=1e-8, max_iter=100_000, solver=solver).fit(X, Y)
    np.testing.assert_allclose(same.coef_, LogisticRegression(tol=1e-8).fit(X, Y).coef_, atol=1e-3)


@pytest.mark.parametrize("model", [LinearSVC, LinearSVR, LinearClassifier])
def test_intercept_scaling_penalises_the_offset(model: Any) -> None:
    """A scale that is set is honoured, as in scikit-learn, where the offset is always penalised."""
    scaled = model(intercept_scaling=3.0, tol=1e-8, max_iter=1000).fit(X, Y)
    said = model(intercept_scaling=3.0, penalise_intercept=True, tol=1e-8, max_iter=1000).fit(X, Y)
    np.testing.assert_array_equal(scaled.coef_, said.coef_)
    np.testing.assert_array_equal(scaled.intercept_, said.intercept_)
    free = model(tol=1e-8, max_iter=1000).fit(X, Y)
    assert free.certificate_.primal_objective < scaled.certificate_.primal_objective


def test_elastic_net_of_another_loss() -> None:
    model = LinearClassifier(loss="logistic", penalty="elasticnet", l1_ratio=0.5, C=0.2, tol=1e-10).fit(X, Y)
    same = LogisticRegression(l1_ratio=0.5, C=0.2, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(model.coef_, same.coef_, atol=1e-9)
    with pytest.raises(InvalidInput, match="The 'l1_ratio' parameter of LinearClassifier"):
        LinearClassifier(penalty="elasticnet").fit(X, Y)
