"""Solutions along C are those of single fits, and certified as these are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import scale

from maxmargin import SVC, plots, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Precomputed, Sigmoid
from maxmargin.model_selection import CPath, c_path
from maxmargin.problems import EpsilonRegression, HardMargin, SoftMargin

mpl.use("Agg")


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:200], y[:200]


@pytest.mark.parametrize("offset", [True, False, "penalised"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
@pytest.mark.parametrize("kernel", [RBF(gamma=0.05), Linear()])
def test_each_solution_is_that_of_a_fit(cancer: tuple[Any, Any], offset: Any, slack: str, kernel: Any) -> None:
    X, y = cancer
    weight = np.linspace(0.5, 2.0, len(y))
    given: dict[str, Any] = {"kernel": kernel, "offset": offset, "slack": slack, "sample_weight": weight}
    path = c_path(SoftMargin(X, y, C=7.0, **given), 20, tol=1e-8)
    assert len(path) == 20
    for k in (0, 9, 10, 19):
        alone = solve(SoftMargin(X, y, C=path.Cs[k], **given), tol=1e-8)
        assert path.certificates[k].status is alone.status
        assert path.certificates[k].dual_objective == pytest.approx(alone.certificate.dual_objective, rel=1e-7)
        assert path.certificates[k].gap >= -1e-9 * path.certificates[k].primal_objective
        assert path.margins[k] == pytest.approx(alone.margin, rel=1e-5)
        np.testing.assert_allclose(path.decision_function(X)[k], alone.decision_function(X), atol=1e-5)
        np.testing.assert_allclose(path.scores[k], path.decision_function(X)[k], atol=1e-10)


def test_regression_along_c() -> None:
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:150], y[:150]
    path = c_path(EpsilonRegression(X, y, epsilon=5.0, kernel=RBF(gamma=0.1)), 9, tol=1e-6)
    for k in (0, 8):
        alone = solve(EpsilonRegression(X, y, C=path.Cs[k], epsilon=5.0, kernel=RBF(gamma=0.1)), tol=1e-6)
        assert path.certificates[k].primal_objective == pytest.approx(alone.certificate.primal_objective, rel=1e-6)
    assert (np.diff(path.errors) <= 1e-3).all(), "a larger C fits the rows more closely"
    np.testing.assert_allclose(path.error(X, y), path.errors, rtol=1e-9)


def test_the_weight_falls_and_the_objective_rises_with_c(cancer: tuple[Any, Any]) -> None:
    path = c_path(SoftMargin(*cancer), 40)
    norms = path.square_norms
    assert (np.diff(norms) >= -2e-3 * norms[:-1]).all(), "|w| grows with C"
    primal = np.array([each.primal_objective for each in path.certificates])
    assert (np.diff(primal) > -1e-3 * primal[1:]).all()
    assert (path.alpha <= path.Cs[:, np.newaxis] * (1.0 + 1e-12)).all()


def test_errors_are_those_of_estimators(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    Z, z = load_breast_cancer(return_X_y=True)
    Z, z = scale(Z)[200:], z[200:]
    path = c_path(SoftMargin(X, y, kernel=RBF(gamma=0.05)), [0.1, 10.0], tol=1e-6)
    models = [SVC(C=C, gamma=0.05, tol=1e-6).fit(X, y) for C in path.Cs]
    assert path.errors.tolist() == pytest.approx([1.0 - each.score(X, y) for each in models])
    assert path.error(Z, z).tolist() == pytest.approx([1.0 - each.score(Z, z) for each in models])
    assert path.n_support.tolist() == [len(each.support_) for each in models]
    with pytest.raises(InvalidInput, match="must have the labels"):
        path.error(Z, z + 5)


def test_values_that_are_given_and_kernels_without_proof(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    K = X @ X.T
    path = c_path(SoftMargin(K, y, kernel=Precomputed()), [1.0, 0.01])
    other = c_path(SoftMargin(X, y, kernel=Linear()), [0.01, 1.0])
    assert path.Cs.tolist() == [0.01, 1.0]
    np.testing.assert_allclose(path.decision_function(K[:5]), other.decision_function(X[:5]), atol=1e-2)
    with pytest.warns(UserWarning, match=r"C = 10: "):
        indefinite = c_path(SoftMargin(X, y, kernel=Sigmoid(gamma=1.0, coef0=1.0)), [10.0])
    assert np.isnan(indefinite.certificates[0].gap)


def test_an_item_is_a_whole_solution(cancer: tuple[Any, Any]) -> None:
    path = c_path(SoftMargin(*cancer), 3)
    solutions = list(path)
    assert [len(each.support) for each in solutions] == path.n_support.tolist()
    assert path.solution(1).margin == pytest.approx(path.margins[1], rel=1e-3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Cs": [0.0, 1.0]}, "The 'Cs' parameter of c_path must be positive finite numbers"),
        ({"Cs": 0}, "The 'Cs' parameter of c_path must be a positive int"),
        ({"Cs": [np.inf]}, "positive finite"),
        ({"tol": -1.0}, "The 'tol' parameter of c_path"),
    ],
)
def test_what_cannot_be_asked(cancer: tuple[Any, Any], given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        c_path(SoftMargin(*cancer), **given)


def test_a_problem_without_c_is_refused(cancer: tuple[Any, Any]) -> None:
    with pytest.raises(InvalidInput, match="The 'problem' parameter of c_path must be a SoftMargin or an EpsilonRegression"):
        c_path(HardMargin(*cancer))  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize(
    ("show", "read"),
    [
        ("alpha", lambda path: None),
        ("margin", lambda path: path.margins),
        ("support", lambda path: path.n_support),
        ("error", lambda path: path.errors),
    ],
)
def test_pictures(cancer: tuple[Any, Any], show: Any, read: Callable[[CPath], Any]) -> None:
    path = c_path(SoftMargin(*cancer), 5)
    axes = plots.path(path, show=show)
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "C"
    wanted = read(path)
    if wanted is None:
        drawn = {line.get_gid(): line.get_ydata() for line in axes.get_lines()}
        np.testing.assert_allclose(drawn["row 3"], path.alpha[:, 3] / path.Cs)
    else:
        np.testing.assert_allclose(axes.get_lines()[0].get_ydata(), wanted)
    mpl.pyplot.close(axes.figure)


def test_pictures_that_there_are_not(cancer: tuple[Any, Any]) -> None:
    path = c_path(SoftMargin(*cancer), 2)
    with pytest.raises(InvalidInput, match="'alpha', 'margin', 'support' or 'error' of solutions along C"):
        plots.path(path, show="weights")
    with pytest.raises(InvalidInput, match="of what c_path returns"):
        plots.path([SVC(C=1.0).fit(*cancer), SVC(C=2.0).fit(*cancer)], show="margin")
