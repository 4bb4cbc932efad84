"""Explanations add up to the decision value, and name the rows that matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVDD, SVR, ApproximateSVC, KernelLogisticRegression, LinearSVC, NuSVC, OneClassSVM, Perceptron
from maxmargin.errors import InvalidInput
from maxmargin.inspection import explain, reduce_support
from maxmargin.kernels import RBF

X, Y = load_iris(return_X_y=True)
TWO = Y > 0


@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.2), Perceptron(kernel="rbf", max_iter=20), SVC(kernel="linear")], ids=str)
@pytest.mark.filterwarnings("ignore::maxmargin.errors.ConvergenceWarning")
def test_two_classes(model: Any) -> None:
    model.fit(X[TWO], Y[TWO])
    for row in X[TWO][::9]:
        found = explain(model, row)
        assert abs(found.value) == pytest.approx(abs(model.decision_function([row])[0]), abs=1e-10)
        assert found.contributions.sum() + found.offset == pytest.approx(found.value, abs=1e-9)
        assert found.value >= 0.0
        assert found.meaning.startswith(f"class {model.predict([row])[0]} rather than class ")
        assert (np.diff(np.abs(found.contributions)) <= 0.0).all()


def test_contributions_are_those_of_the_rows() -> None:
    model = SVC(kernel=RBF(gamma=0.5)).fit(X[TWO], Y[TWO])
    found = explain(model, X[60])
    sign = 1.0 if model.predict(X[60:61])[0] == 2 else -1.0
    beta = dict(zip(model.support_.tolist(), model.dual_coef_[0].tolist(), strict=True))
    for row, part in zip(found.rows.tolist(), found.contributions.tolist(), strict=True):
        value = np.exp(-0.5 * np.sum((X[TWO][row] - X[60]) ** 2))
        assert part == pytest.approx(sign * beta[row] * value, rel=1e-10)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "joint"])
def test_several_classes(multi_class: str) -> None:
    model = SVC(multi_class=multi_class, break_ties=False).fit(X, Y)
    for row in X[::11]:
        found = explain(model, row)
        assert found.meaning.startswith(f"class {model.predict([row])[0]} rather than class ")
        assert found.contributions.sum() + found.offset == pytest.approx(found.value, abs=1e-9)
        assert found.value > 0.0
    pairs = SVC(decision_function_shape="ovo").fit(X, Y)
    for t, value in enumerate(pairs.decision_function(X[:1])[0]):
        assert explain(pairs, X[0], subproblem=t).value == pytest.approx(value, abs=1e-10)
    assert explain(pairs, X[0], subproblem=2).meaning == "class 1 rather than class 2"


def test_logistic_regression_rests_on_all_rows() -> None:
    model = KernelLogisticRegression().fit(X, Y)
    found = explain(model, X[120])
    assert sorted(found.rows.tolist()) == list(range(150))
    scores = np.sort(model.decision_function(X[120:121])[0])
    assert found.value == pytest.approx(scores[-1] - scores[-2])
    assert found.contributions.sum() + found.offset == pytest.approx(found.value)


def test_landmarks_are_no_rows_that_a_prediction_rests_on() -> None:
    model = ApproximateSVC(20, random_state=0).fit(X, Y)
    for function in (explain, reduce_support):
        with pytest.raises(InvalidInput, match=r"keeps landmarks.*Use SVC, SVR or OneClassSVM"):
            function(model, X[0]) if function is explain else function(model)


def test_models_without_classes() -> None:
    for model, method in ((OneClassSVM(nu=0.2), "decision_function"), (SVDD(), "decision_function"), (SVR(), "predict")):
        model.fit(X, Y)
        found = explain(model, X[3])
        assert found.value == pytest.approx(getattr(model, method)(X[3:4])[0], abs=1e-10)
        assert found.contributions.sum() + found.offset == pytest.approx(found.value, abs=1e-9)
    several = SVR().fit(X, np.column_stack([Y, -2.0 * Y]))
    assert explain(several, X[3], subproblem=1).value == pytest.approx(several.predict(X[3:4])[0, 1], abs=1e-10)
    with pytest.raises(InvalidInput, match=r"explain needs 'subproblem' for a model of 2 outputs: an int from 0 to 1"):
        explain(several, X[3])


def test_pipeline_frame_and_matrix() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = make_pipeline(StandardScaler(), SVC()).fit(frame, Y)
    assert explain(model, frame.iloc[5]).value == explain(model, frame.iloc[[5]]).value
    gram = X @ X.T
    kernel = SVC(kernel="precomputed").fit(gram[np.ix_(TWO, TWO)], Y[TWO])
    direct = SVC(kernel="linear").fit(X[TWO], Y[TWO])
    assert explain(kernel, gram[TWO][3][TWO]).value == pytest.approx(explain(direct, X[TWO][3]).value, abs=1e-2)


def test_shown_as_a_table() -> None:
    found = explain(SVC().fit(X, Y), X[120])
    lines = str(found).splitlines()
    assert lines[0].startswith("f(x) = ")
    assert "other rows" in lines[-2]
    assert lines[-1].startswith("offset")
    assert max(len(line) for line in lines) <= 80
    html = found._repr_html_()
    assert html.count("<tr>") == 13
    assert "class 2 rather than class 1" in html
    short = explain(SVC(kernel="linear").fit([[0.0], [1.0]], [0, 1]), [0.2])
    assert "other rows" not in str(short) + short._repr_html_()


def test_messages() -> None:
    with pytest.raises(InvalidInput, match=r"Got LinearSVC. A linear model keeps weights .* fit SVC\(kernel='linear'\)"):
        explain(LinearSVC().fit(X, Y), X[0])
    with pytest.raises(InvalidInput, match=r"Got Perceptron"):
        explain(Perceptron().fit(X[Y < 2], Y[Y < 2]), X[0])
    model = SVC().fit(X, Y)
    with pytest.raises(InvalidInput, match=r"explain needs one row. Got 2"):
        explain(model, X[:2])
    with pytest.raises(InvalidInput, match=r"'subproblem' parameter of explain must be an int from 0 to 2. Got 3"):
        explain(model, X[0], subproblem=3)
