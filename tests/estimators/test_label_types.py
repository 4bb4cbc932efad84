"""Labels of unusual types, all the way: fitted, kept as classes, predicted, scored and pickled."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import maxmargin

X = np.array([[0.0, 0], [1, 0], [0, 1], [9, 0], [8, 0], [9, 1], [0, 9], [1, 9], [0, 8]])
CODES = np.repeat([0, 1, 2], 3)
DAYS = np.array(["2020-01-01", "2021-05-05", "2030-12-31"], dtype="M8[D]")

CLASSES: dict[str, Any] = {
    "days": DAYS,
    "nanoseconds": DAYS.astype("M8[ns]"),
    "durations": DAYS - DAYS[0],
    "bytes": np.array([b"a", b"b", b"c"]),
    "strings of any length": np.array(["a", "b", "c"], dtype=np.dtypes.StringDType()),
    "nullable integers": pd.array([3, 5, 2**40], dtype="Int64"),
}

MODELS = {
    "SVC": maxmargin.SVC(kernel="linear", C=100.0),
    "ovr": maxmargin.SVC(multi_class="ovr"),
    "joint": maxmargin.SVC(multi_class="joint"),
    "NuSVC": maxmargin.NuSVC(nu=0.2),
    "LinearSVC": maxmargin.LinearSVC(C=100.0),
    "LogisticRegression": maxmargin.LogisticRegression(C=100.0),
    "Perceptron": maxmargin.Perceptron(),
}


@pytest.mark.parametrize("labels", CLASSES)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_answers_in_the_labels_it_was_given(name: str, labels: str) -> None:
    classes = CLASSES[labels]
    y = classes[CODES]
    plain = clone(MODELS[name]).fit(X, CODES).predict(X)
    model = clone(MODELS[name]).fit(X, y)
    predicted = pickle.loads(pickle.dumps(model)).predict(X)
    assert len(model.classes_) == 3
    assert predicted.dtype == model.classes_.dtype
    assert (predicted == np.asarray(classes, dtype=model.classes_.dtype)[plain]).all()
    if labels == "nullable integers":
        assert model.classes_.dtype == np.int64


@pytest.mark.parametrize("labels", ["days", "nanoseconds", "durations"])
def test_class_weights_of_dates(labels: str) -> None:
    classes = CLASSES[labels]
    y = classes[CODES]
    weights = dict(zip(classes, (1.0, 2.0, 3.0), strict=True))
    model = maxmargin.SVC(class_weight=weights).fit(X, y)
    assert model.class_weight_.tolist() == [1.0, 2.0, 3.0]
