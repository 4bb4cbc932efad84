"""Every estimator × every picture: drawn without a warning, or refused with the name of a picture that can be drawn."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import SVR as TheirSVR
from sklearn.svm import LinearSVC as TheirLinearSVC
from sklearn.tree import DecisionTreeRegressor

import maxmargin
from maxmargin import (
    SVC,
    SVCCV,
    SVDD,
    SVR,
    SVRCV,
    ApproximateOneClass,
    ApproximateSVC,
    ApproximateSVR,
    KernelLogisticRegression,
    KernelPCA,
    LinearClassifier,
    LinearOneClassSVM,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    LinearSVRCV,
    LogisticRegression,
    LogisticRegressionCV,
    NuSVC,
    NuSVCCV,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
    plots,
    problems,
    solve,
)
from maxmargin.calibration import CalibratedClassifierCV
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Laplacian, Spectrum
from maxmargin.model_selection import GridSearchCV

matplotlib.use("Agg")

FLOWERS, KINDS = load_iris(return_X_y=True)
FLOWERS = scale(FLOWERS)
NAMES = np.array(["setosa", "versicolor", "virginica"])[KINDS]
SICK, AGE = load_diabetes(return_X_y=True)
SICK, AGE = scale(SICK[:120]), scale(AGE[:120])
TEXTS = ["abab", "baba", "aabb", "cdcd", "dcdc", "ccdd"] * 4

Case = tuple[Any, Any, Any, set[str]]
CLASSIFIER = {"decision_boundary", "margin_distribution"}
KERNEL = {"alphas", "kernel_matrix", "embedding"}
LINEAR = {"kernel_matrix", "embedding", "relevance"}
LINEAR_ONE_CLASS = {"ordinary_region", "decision_boundary"} | LINEAR
EXPANSION = {"kernel_matrix", "embedding", "relevance"}
KERNEL_LOGISTIC = CLASSIFIER | EXPANSION | {"reliability"}


@cache
def cases() -> dict[str, Case]:
    """A fitted model, its rows and labels, and the pictures that can be drawn of it."""
    X, y = FLOWERS, NAMES
    A, b = FLOWERS[50:], NAMES[50:]
    D, t = SICK, AGE
    G = A @ A.T
    smooth = KERNEL | CLASSIFIER | {"relevance"}
    linear = LINEAR | CLASSIFIER
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits
        made: dict[str, Case] = {
            "SVC": (SVC().fit(A, b), A, b, smooth | {"convergence"}),
            "SVC of three classes": (SVC().fit(X, y), X, y, smooth),
            "SVC, one against the rest": (SVC(multi_class="ovr").fit(X, y), X, y, smooth),
            "SVC, joint": (SVC(multi_class="joint").fit(X, y), X, y, smooth - {"alphas"} | {"convergence"}),
            "SVC, linear": (SVC(kernel="linear").fit(A, b), A, b, smooth | {"convergence"}),
            "SVC, Laplacian": (SVC(kernel=Laplacian()).fit(A, b), A, b, smooth - {"relevance"} | {"convergence"}),
            "SVC, probability": (SVC(probability=True).fit(A, b), A, b, smooth | {"convergence", "reliability"}),
            "SVC, precomputed": (
                SVC(kernel="precomputed").fit(G, b),
                G,
                b,
                KERNEL | {"margin_distribution", "convergence"},
            ),
            "SVC of strings": (
                SVC(kernel=Spectrum(2)).fit(TEXTS, ["a", "a", "a", "c", "c", "c"] * 4),
                TEXTS,
                ["a", "a", "a", "c", "c", "c"] * 4,
                KERNEL | {"margin_distribution", "convergence"},
            ),
            "NuSVC": (NuSVC(nu=0.2).fit(A, b), A, b, smooth | {"convergence"}),
            "NuSVC of three classes": (NuSVC(nu=0.2).fit(X, y), X, y, smooth),
            "Perceptron": (Perceptron(max_iter=20).fit(A, b), A, b, linear),
            "Perceptron, kernel": (Perceptron(kernel="rbf", max_iter=20).fit(X, y), X, y, smooth - {"alphas"}),
            "LinearSVC": (LinearSVC().fit(A, b), A, b, linear),
            "LinearSVC of three classes": (LinearSVC().fit(X, y), X, y, linear),
            "LinearSVC, joint": (LinearSVC(multi_class="crammer_singer").fit(X, y), X, y, linear),
            "LogisticRegression": (LogisticRegression().fit(A, b), A, b, linear | {"reliability"}),
            "LogisticRegression of three": (LogisticRegression().fit(X, y), X, y, linear | {"reliability"}),
            "LinearClassifier": (LinearClassifier().fit(A, b), A, b, linear),
            "StochasticClassifier": (StochasticClassifier(random_state=0).fit(X, y), X, y, linear),
            "CalibratedClassifierCV": (CalibratedClassifierCV().fit(A, b), A, b, CLASSIFIER | {"reliability"}),
            "SVR": (SVR().fit(D, t), D, t, KERNEL | {"tube", "relevance", "convergence"}),
            "SVR, precomputed": (SVR(kernel="precomputed").fit(D @ D.T, t), D @ D.T, t, KERNEL | {"convergence"}),
            "NuSVR": (NuSVR().fit(D, t), D, t, KERNEL | {"tube", "relevance", "convergence"}),
            "LinearSVR": (LinearSVR(epsilon=0.5).fit(D, t), D, t, LINEAR | {"tube"}),
            "OneClassSVM": (
                OneClassSVM(nu=0.2).fit(X),
                X,
                y,
                KERNEL | {"ordinary_region", "decision_boundary", "relevance", "convergence"},
            ),
            "SVDD": (SVDD(nu=0.2).fit(X), X, y, KERNEL | {"ordinary_region", "decision_boundary", "relevance", "convergence"}),
            "LinearOneClassSVM": (LinearOneClassSVM(nu=0.2).fit(X), X, y, LINEAR_ONE_CLASS),
            "KernelLogisticRegression": (
                KernelLogisticRegression().fit(A, b),
                A,
                b,
                KERNEL_LOGISTIC,
            ),
            "ApproximateSVC": (ApproximateSVC(20, random_state=0).fit(A, b), A, b, CLASSIFIER | EXPANSION),
            "ApproximateSVR": (ApproximateSVR(20, random_state=0).fit(D, t), D, t, {"tube"} | EXPANSION),
            "ApproximateOneClass": (
                ApproximateOneClass(20, nu=0.2, random_state=0).fit(X),
                X,
                y,
                {"ordinary_region", "decision_boundary"} | EXPANSION,
            ),
            "KernelPCA": (KernelPCA(2, kernel="rbf").fit(X), X, y, {"kernel_matrix", "embedding"}),
            "pipeline": (make_pipeline(StandardScaler(), SVC()).fit(X, y), X, y, smooth),
            "search": (search.fit(A, b), A, b, smooth | {"search_surface", "path", "convergence"}),
            "SVCCV": (SVCCV(Cs=3, gammas=2).fit(A, b), A, b, smooth | {"search_surface", "path", "convergence"}),
            "NuSVCCV": (NuSVCCV(nus=[0.1, 0.2], gammas=2).fit(A, b), A, b, smooth | {"search_surface", "path", "convergence"}),
            "SVRCV": (
                SVRCV(Cs=2, gammas=2).fit(D, t),
                D,
                t,
                KERNEL | {"tube", "relevance", "search_surface", "path", "convergence"},
            ),
            "LinearSVCCV": (LinearSVCCV(Cs=3).fit(A, b), A, b, linear | {"path"}),
            "LinearSVRCV": (LinearSVRCV(Cs=3).fit(D, t), D, t, LINEAR | {"tube", "path"}),
            "LogisticRegressionCV": (LogisticRegressionCV(Cs=3).fit(A, b), A, b, linear | {"reliability", "path"}),
            "their SVC": (TheirSVC().fit(X, y), X, y, CLASSIFIER),
            "their LinearSVC": (TheirLinearSVC().fit(A, b), A, b, linear),
            "their LogisticRegression": (TheirLogistic().fit(X, y), X, y, linear | {"reliability"}),
            "their SGDClassifier": (SGDClassifier(random_state=0).fit(A, b), A, b, linear),
            "their KNeighborsClassifier": (KNeighborsClassifier().fit(X, y), X, y, CLASSIFIER | {"reliability"}),
            "their SVR": (TheirSVR().fit(D, t), D, t, {"tube"}),
            "their tree": (DecisionTreeRegressor(max_depth=3).fit(D, t), D, t, {"tube"}),
            "their LinearRegression": (LinearRegression().fit(D, t), D, t, LINEAR | {"tube"}),
            "their IsolationForest": (
                IsolationForest(n_estimators=20, random_state=0).fit(X),
                X,
                y,
                {"ordinary_region", "decision_boundary"},
            ),
            "a Solution": (
                solve(problems.SoftMargin(A, b)),
                A,
                b,
                {"alphas", "convergence", "kernel_matrix"} | CLASSIFIER,
            ),
            "a LinearSolution": (
                solve(problems.PrimalProblem(A, b)),
                A,
                b,
                {"alphas", "convergence", "kernel_matrix"} | CLASSIFIER,
            ),
            "a MulticlassSolution": (
                solve(problems.MulticlassLinear(X, y)),
                X,
                y,
                {"convergence", "kernel_matrix"} | CLASSIFIER,
            ),
            "a CrammerSingerSolution": (
                solve(problems.CrammerSinger(X, y, kernel=RBF(gamma=0.3))),
                X,
                y,
                {"convergence", "kernel_matrix"} | CLASSIFIER,
            ),
            "the Solution of a regression": (
                solve(problems.EpsilonRegression(D, t, epsilon=0.2)),
                D,
                t,
                {"alphas", "tube", "convergence", "kernel_matrix"},
            ),
        }
    return made


def _chosen(X: Any) -> tuple[int, int] | None:
    return (0, 1) if getattr(X, "ndim", 1) == 2 else None


PICTURES: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "decision_boundary": lambda m, X, y, ax: plots.decision_boundary(
        m, X, y, features=_chosen(X), resolution=15, ax=ax, legend="below", title="t"
    ),
    "ordinary_region": lambda m, X, y, ax: plots.ordinary_region(
        m, X, features=_chosen(X), resolution=15, ax=ax, legend="below", title="t"
    ),
    "tube": lambda m, X, y, ax: plots.tube(m, X, y, feature=0, resolution=15, ax=ax, legend="below", title="t"),
    "margin_distribution": lambda m, X, y, ax: plots.margin_distribution(m, X, y, ax=ax, legend="below", title="t"),
    "alphas": lambda m, X, y, ax: plots.alphas(m, ax=ax, legend="below", title="t"),
    "kernel_matrix": lambda m, X, y, ax: plots.kernel_matrix(m, X, y, ax=ax, legend="below", title="t"),
    "embedding": lambda m, X, y, ax: plots.embedding(m, X, y, ax=ax, legend="below", title="t"),
    "relevance": lambda m, X, y, ax: plots.relevance(m, X, ax=ax, legend="below", title="t"),
    "reliability": lambda m, X, y, ax: plots.reliability(m, X, y, ax=ax, legend="below", title="t"),
    "convergence": lambda m, X, y, ax: plots.convergence(m, ax=ax, legend="below", title="t"),
    "search_surface": lambda m, X, y, ax: plots.search_surface(m, ax=ax, legend="below", title="t"),
    "path": lambda m, X, y, ax: plots.path(m, ax=ax, legend="below", title="t"),
}
KEYS = list(cases())


@pytest.mark.parametrize("name", KEYS)
def test_every_picture_it_supports_is_drawn(name: str) -> None:
    """Half of the cases on dark paper: each picture is drawn on both."""
    model, X, y, supported = cases()[name]
    mode = ("light", "dark")[KEYS.index(name) % 2]
    for picture in sorted(supported):
        with warnings.catch_warnings(), plots.style(mode):
            warnings.simplefilter("error")
            figure = Figure(figsize=(4.0, 3.0), dpi=50)  # without a layout, which takes most of the time
            ax = figure.subplots()
            assert PICTURES[picture](model, X, y, ax) is ax
            assert ax.get_title() == "t"
            assert ax.get_xlabel() or picture == "kernel_matrix"
            figure.draw_without_rendering()


@pytest.mark.parametrize("name", KEYS)
def test_every_other_is_refused_with_one_that_can_be_drawn(name: str) -> None:
    model, X, y, supported = cases()[name]
    for picture in PICTURES.keys() - supported:
        _, ax = plots.canvas(5.0, 3.5)
        with pytest.raises(InvalidInput) as caught:
            PICTURES[picture](model, X, y, ax)
        words = str(caught.value)
        assert picture in words or picture == "reliability", (picture, words)
        named = re.findall(r"plots\.(\w+)", words)
        assert named, (picture, words)
        assert set(named) <= supported, (picture, words)
        assert not ax.has_data(), "nothing is drawn before it is refused"


def test_cases_cover_every_estimator_and_every_picture() -> None:
    """What is added to the package must be added here."""
    known = {type(model).__name__ for model, *_ in cases().values()}
    estimators = {name for name in maxmargin.__all__ if hasattr(getattr(maxmargin, name), "fit")}
    assert estimators <= known
    others = {"canvas", "style", "margin_losses"}  # which are of no model
    assert set(PICTURES) == set(plots.__all__) - others
    drawn = set().union(*(supported for *_, supported in cases().values()))
    assert drawn == set(PICTURES)
