"""Entry points of packages that take an estimator: polars, imbalanced-learn, mlxtend, SHAP."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearSVC

CANCER = load_breast_cancer(as_frame=True)
X, Y = StandardScaler().set_output(transform="pandas").fit_transform(CANCER.data.iloc[:200, :8]), CANCER.target[:200]
IRIS_X, IRIS_Y = load_iris(return_X_y=True)


def test_polars_frame() -> None:
    polars = pytest.importorskip("polars")
    assert LinearSVC().fit(polars.from_pandas(X), Y).score(polars.from_pandas(X), Y) > 0.9


@pytest.mark.filterwarnings("ignore")
def test_oversampling() -> None:
    smote = pytest.importorskip("imblearn.over_sampling", reason="imbalanced-learn is not installed")
    rare = np.where(Y.to_numpy() & (np.arange(len(Y)) % 3 == 0), 1, 0)
    smote.SVMSMOTE(svm_estimator=SVC(), random_state=0).fit_resample(X, rare)


@pytest.mark.filterwarnings("ignore")
def test_mlxtend_regions() -> None:
    plotting = pytest.importorskip("mlxtend.plotting", reason="mlxtend is not installed")
    plotting.plot_decision_regions(IRIS_X[:, :2], IRIS_Y, clf=SVC().fit(IRIS_X[:, :2], IRIS_Y))


@pytest.mark.filterwarnings("ignore")
def test_shap_kernel_explainer() -> None:
    shap = pytest.importorskip("shap", reason="shap is not installed")
    shap.KernelExplainer(SVC().fit(X, Y).decision_function, X.iloc[:5]).shap_values(X.iloc[:2], nsamples=20)
