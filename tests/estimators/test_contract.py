"""scikit-learn's contract beyond ``check_estimator``: cloning, searching, routing, pipelines."""

import inspect

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.svm
from numpy.testing import assert_array_equal
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.kernels import RBF, Linear, Polynomial

from ._sets import breast_cancer, iris


def test_parameters_are_scikit_learns_and_ours():
    ours = set(inspect.signature(SVC).parameters)
    theirs = set(inspect.signature(sklearn.svm.SVC).parameters) | {"probability"}  # which is deprecated there
    assert theirs <= ours
    assert ours - theirs == {"fit_intercept", "loss", "max_time", "multi_class", "solver", "warm_start"}
    mine, other = SVC().get_params(), sklearn.svm.SVC().get_params()
    assert {name for name in theirs - {"probability"} if mine[name] != other[name]} == {"cache_size"}
    assert mine["probability"] is False
    assert not hasattr(SVC(), "predict_proba")


def test_a_clone_has_equal_parameters_and_its_own_kernel():
    model = SVC(kernel=Polynomial(degree=2), C=3.0).fit(*iris())
    copy = clone(model)
    assert copy.kernel == model.kernel
    assert copy.kernel is not model.kernel
    assert not hasattr(copy, "classes_")


def test_kernel_parameters_are_reached_through_the_model():
    model = SVC(kernel=RBF(gamma=0.5))
    assert model.get_params()["kernel__gamma"] == 0.5
    model.set_params(kernel__gamma=2.0, C=7.0)
    assert (model.kernel.gamma, model.C) == (2.0, 7.0)


def test_grid_search():
    X, y = iris()
    for grid in (
        {"C": [0.1, 1.0], "gamma": [0.1, 1.0]},
        {"kernel": [RBF(gamma=0.1), Linear(), "poly"]},
    ):
        search = GridSearchCV(SVC(), grid, cv=3).fit(X, y)
        assert search.best_score_ > 0.9
    search = GridSearchCV(SVC(kernel=RBF()), {"kernel__gamma": [1e-4, 0.1, 1e3]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__gamma": 0.1}
    assert search.best_estimator_.kernel.gamma == 0.1


def test_a_kernel_matrix_is_split_both_ways():
    X, y = iris()
    given = cross_val_score(SVC(kernel="precomputed"), X @ X.T, y)
    assert_array_equal(given, cross_val_score(SVC(kernel="linear"), X, y))


def test_pipelines_and_wrappers():
    X, y = breast_cancer()
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X * 1e3, y)
    assert pipeline.score(X * 1e3, y) > 0.95
    assert pipeline[-1].certificate_.relative_gap < 1e-3
    assert OneVsRestClassifier(SVC()).fit(*iris()).score(*iris()) > 0.9
    assert is_classifier(SVC())


def test_feature_names_go_through_a_pipeline():
    X, y = iris()
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), SVC()).set_output(transform="pandas").fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == list("abcd")
    model = pipeline[-1].fit(X, y)
    assert not hasattr(model, "feature_names_in_")


def test_weights_are_routed():
    X, y = iris()
    w = np.random.default_rng(0).integers(0, 3, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=True), model)
        pipeline.fit(X, y, sample_weight=w)
        assert_array_equal(pipeline[-1].dual_coef_, SVC().fit(pipeline[:-1].transform(X), y, sample_weight=w).dual_coef_)
        search = GridSearchCV(model, {"C": [1.0, 2.0]}, cv=3).fit(X, y, sample_weight=w)
        assert search.best_score_ > 0.9


def test_fit_returns_self_and_forgets_the_past():
    X, y = iris()
    model = SVC()
    assert model.fit(X, y) is model
    model.fit(*breast_cancer())
    again = SVC().fit(*breast_cancer())
    assert vars(model).keys() == vars(again).keys()
    assert_array_equal(model.dual_coef_, again.dual_coef_)


@pytest.mark.parametrize("sparse_interface", [True, False])
def test_tags(sparse_interface):
    tags = SVC(kernel="rbf" if sparse_interface else "precomputed").__sklearn_tags__()
    assert tags.input_tags.sparse is sparse_interface
    assert tags.input_tags.pairwise is not sparse_interface
    assert tags.classifier_tags.multi_class
    assert tags.target_tags.required


def test_the_page_in_a_notebook():
    assert "SVC" in SVC(kernel=RBF())._repr_html_()
    assert "RBF" in repr(SVC(kernel=RBF(gamma=0.1)))
