"""The summary of every fitted estimator: what it says is true, fits 80 columns, and changes neither bits nor pickles."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from maxmargin import (
    SVC,
    SVCCV,
    SVDD,
    SVR,
    SVRCV,
    KernelPCA,
    LinearClassifier,
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
    bounds,
)
from maxmargin.kernels import RBF
from maxmargin.solution import Kind

ESTIMATORS = [
    SVC(),
    SVC(kernel="linear", loss="squared_hinge", fit_intercept=False),
    SVC(multi_class="joint"),
    SVC(multi_class="ovr", probability=True),
    SVC(C=np.inf, kernel=RBF(gamma=2.0)),
    NuSVC(nu=0.3),
    SVR(),
    SVR(interval=True),
    NuSVR(),
    OneClassSVM(),
    SVDD(),
    LinearSVC(),
    LinearSVC(multi_class="joint"),
    LinearSVC(penalty="l1"),
    LinearSVR(),
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
    LinearClassifier(),
    LinearClassifier(loss="logistic", penalty="ball", B=1.0),
    StochasticClassifier(),
    Perceptron(),
    Perceptron(kernel="rbf"),
    KernelPCA(n_components=2, kernel="rbf"),
]
SEARCHES = [SVCCV(cv=2), NuSVCCV(cv=2), SVRCV(cv=2), LinearSVCCV(cv=2), LinearSVRCV(cv=2), LogisticRegressionCV(cv=2)]

IRIS = load_iris(return_X_y=True)
X, Y = IRIS[0][::2] / IRIS[0].std(axis=0), IRIS[1][::2]
TWO = Y > 0


def _fitted(estimator, rows=X, labels=Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(rows, labels)


def _lines(summary):
    return {name: value for _, lines in summary.sections for name, value in lines}


@pytest.mark.parametrize("estimator", ESTIMATORS + SEARCHES, ids=repr)
def test_every_estimator_has_a_summary_of_80_columns(estimator):
    model = _fitted(estimator)
    summary = model.summary()
    text = str(summary)
    assert text == repr(summary)
    assert text.splitlines()[0] == type(estimator).__name__
    assert max(map(len, text.splitlines())) <= 80
    lines = _lines(summary)
    assert {"formulation", "formula"} <= lines.keys()
    if hasattr(model, "certificate_"):
        assert float(lines["primal objective"]) == pytest.approx(model.certificate_.primal_objective, rel=1e-9)
        assert float(lines["gap"]) == pytest.approx(model.certificate_.gap, rel=0.01, abs=1e-300)
    if not isinstance(estimator, KernelPCA):
        assert "status" in lines
    seconds = dict(dict(summary.sections)["seconds"])
    assert {"validation", "solve"} <= seconds.keys()
    assert all(float(each) >= 0.0 for each in seconds.values())
    html = summary._repr_html_()
    assert html.count("<tr>") == html.count("</tr>") == sum(1 + len(each) for _, each in summary.sections)
    assert "<script" not in html
    assert "color" not in html


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_pickle_has_no_seconds(estimator):
    model = _fitted(estimator)
    assert "_seconds" in vars(model)
    again = pickle.loads(pickle.dumps(model))
    assert "_seconds" not in vars(again)
    assert _lines(again.summary())["time"] == "not recorded"


@pytest.mark.parametrize("estimator", [SVC(), LinearSVC(), Perceptron(), SVCCV()], ids=repr)
def test_what_is_not_fitted_has_no_summary(estimator):
    with pytest.raises(NotFittedError):
        estimator.summary()


def test_kinds_are_those_of_the_margins():
    model = _fitted(SVC(C=2.0), X, TWO)
    z = np.where(TWO, 1.0, -1.0) * model.decision_function(X)
    counts = [int(part.split()[0]) for part in _lines(model.summary())["kinds of rows"].split(", ") if part[0].isdigit()]
    assert sum(counts) == len(X)
    assert counts[Kind.WRONG] == (z < 0.0).sum()
    assert (z > 1.05).sum() <= counts[Kind.NON_INFORMATIVE] <= (z > 0.95).sum()


def test_a_linear_model_counts_the_rows_inside_its_margin():
    model = _fitted(LinearSVC(tol=1e-9), X, TWO)
    z = np.where(TWO, 1.0, -1.0) * model.decision_function(X)
    assert _lines(model.summary())["support vectors"] == f"{(z < 1.0).sum()} rows on or inside the margin"


def test_rows_that_a_pair_is_not_trained_on_do_not_count():
    lines = _lines(_fitted(SVC()).summary())
    counts = [int(part.split()[0]) for part in lines["kinds of rows"].split(", ") if part[0].isdigit()]
    assert sum(counts) == 2 * len(X)  # each row is in two of three pairs


def test_margin_and_bound_of_two_classes():
    model = _fitted(SVC(kernel="linear"), X, TWO)
    lines = _lines(model.summary())
    assert float(lines["margin"]) == pytest.approx(2.0 / np.linalg.norm(model.coef_), rel=1e-3)
    bound = bounds.leave_one_out_bound(model.solutions_[0])
    assert float(lines["leave-one-out"].split()[3].rstrip(":")) == pytest.approx(bound, rel=1e-3)
    assert "leave-one-out" not in _lines(_fitted(NuSVC(nu=0.3), X, TWO).summary())
    linear = _fitted(LinearSVC(), X, TWO)
    assert float(_lines(linear.summary())["margin"]) == pytest.approx(2.0 / np.linalg.norm(linear.coef_), rel=1e-5)


def test_a_partial_fit_forgets_the_seconds_of_a_fit():
    model = _fitted(StochasticClassifier(), X, TWO)
    assert _lines(model.partial_fit(X, TWO).summary())["time"] == "not recorded"


def test_a_search_says_what_it_chose():
    model = _fitted(LinearSVCCV(cv=2))
    sections = dict(model.summary().sections)
    assert float(dict(sections["search"])["C"]) == pytest.approx(model.best_params_["C"], rel=1e-5)
    assert sections["certificate"] == dict(model.best_estimator_.summary().sections)["certificate"]
