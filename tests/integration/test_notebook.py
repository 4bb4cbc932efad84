"""The usual notebook, step by step: what scikit-learn runs with its own estimators runs with ours."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn import ensemble, feature_selection, metrics, model_selection, multiclass, multioutput, semi_supervised, set_config
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.inspection import DecisionBoundaryDisplay, partial_dependence, permutation_importance
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, label_binarize

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, LogisticRegression, NuSVC, NuSVR, OneClassSVM, StochasticClassifier

HAS_PROBABILITY = "probability" in signature(SVC).parameters
CANCER = load_breast_cancer(as_frame=True)
X, Y = StandardScaler().set_output(transform="pandas").fit_transform(CANCER.data.iloc[:200, :8]), CANCER.target[:200]
IRIS_X, IRIS_Y = load_iris(return_X_y=True)
T_X, T_Y = (each[:150] for each in load_diabetes(return_X_y=True))
WORDS = ["a cat sat", "the dog ran", "cats and dogs", "stocks fell", "bonds rose", "stocks and bonds"] * 5
TOPICS = [0, 0, 0, 1, 1, 1] * 5

STEPS: dict[str, Callable[..., Any]] = {}
WITH_PROBABILITY: dict[str, Callable[..., Any]] = {}


def step(run: Callable[..., Any]) -> Callable[..., Any]:
    STEPS[run.__name__] = run
    return run


def with_probability(run: Callable[..., Any]) -> Callable[..., Any]:
    WITH_PROBABILITY[run.__name__] = run
    return run


def _table() -> pd.DataFrame:
    frame = X.iloc[:, :3].copy()
    frame["kind"] = np.where(np.arange(len(frame)) % 2, "a", "b")
    frame.iloc[0, 0] = np.nan
    return frame


def _columns() -> ColumnTransformer:
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    return ColumnTransformer([("numbers", numbers, list(X.columns[:3])), ("kind", OneHotEncoder(), ["kind"])])


@step
def fit_and_score() -> Any:
    assert SVC().fit(X, Y).score(X, Y) > 0.9


@step
def pandas_names() -> Any:
    assert list(SVC().fit(X, Y).feature_names_in_) == list(X.columns)


@step
def column_transformer() -> Any:
    assert make_pipeline(_columns(), SVC()).fit(_table(), Y).score(_table(), Y) > 0.8


@step
def grid_search() -> Any:
    search = model_selection.GridSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": ["scale", 0.1]}, cv=3).fit(X, Y)
    assert search.best_score_ > 0.9


@step
def grid_search_on_two_threads() -> Any:
    with joblib.parallel_config("threading"):
        assert model_selection.GridSearchCV(LinearSVC(), {"C": [0.1, 1.0]}, cv=2, n_jobs=2).fit(X, Y).best_score_ > 0.9


@step
def grid_search_of_solvers() -> Any:
    grid = [{"solver": ["lbfgs"], "C": [1.0]}, {"solver": ["liblinear", "saga"], "l1_ratio": [0, 1]}]
    assert model_selection.GridSearchCV(LogisticRegression(), grid, cv=2, error_score="raise").fit(X, Y).best_score_ > 0.9


@step
def grid_search_in_a_pipeline() -> Any:
    pipe = Pipeline([("scale", StandardScaler()), ("pca", PCA()), ("svc", SVC())])
    model_selection.GridSearchCV(pipe, {"pca__n_components": [2, 4], "svc__C": [1, 10]}, cv=2).fit(X, Y)


@step
def randomised_search() -> Any:
    model_selection.RandomizedSearchCV(SVR(), {"C": [1.0, 10.0, 100.0]}, n_iter=2, cv=2, random_state=0).fit(T_X, T_Y)


@step
def halving_search() -> Any:
    model_selection.HalvingGridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=2, random_state=0).fit(X, Y)


@step
def nested_cross_validation() -> Any:
    model_selection.cross_val_score(model_selection.GridSearchCV(LinearSVC(), {"C": [0.1, 1]}, cv=2), X, Y, cv=2)


@step
def cross_validate_several_scores() -> Any:
    model_selection.cross_validate(LogisticRegression(), X, Y, scoring=["roc_auc", "neg_log_loss", "f1"], cv=2)


@step
def cross_val_predict_scores() -> Any:
    scores = model_selection.cross_val_predict(SVC(), X, Y, method="decision_function", cv=2)
    assert metrics.roc_auc_score(Y, scores) > 0.9


@step
def cross_val_predict_probabilities() -> Any:
    found = model_selection.cross_val_predict(LogisticRegression(solver="lbfgs"), X, Y, method="predict_proba", cv=2)
    assert found.shape == (len(Y), 2)


@step
def roc_curve_display() -> Any:
    metrics.RocCurveDisplay.from_estimator(SVC().fit(X, Y), X, Y)


@step
def precision_recall_display() -> Any:
    metrics.PrecisionRecallDisplay.from_estimator(LogisticRegression().fit(X, Y), X, Y)


@step
def confusion_matrix_display() -> Any:
    metrics.ConfusionMatrixDisplay.from_estimator(SVC().fit(IRIS_X, IRIS_Y), IRIS_X, IRIS_Y)


@step
def decision_boundary_display() -> Any:
    two = IRIS_X[:, :2]
    DecisionBoundaryDisplay.from_estimator(SVC().fit(two, IRIS_Y), two, response_method="predict", grid_resolution=20)


@step
def classification_report() -> Any:
    assert "precision" in metrics.classification_report(IRIS_Y, SVC().fit(IRIS_X, IRIS_Y).predict(IRIS_X))


@step
def permutation() -> Any:
    assert permutation_importance(SVC().fit(X, Y), X, Y, n_repeats=2).importances_mean.shape == (8,)


@step
def partial_dependence_of_scores() -> Any:
    partial_dependence(LogisticRegression().fit(X, Y), X, [0], grid_resolution=5)


@step
def joblib_dump(folder: Path) -> Any:
    joblib.dump(SVC().fit(X, Y), folder / "model.joblib")
    assert joblib.load(folder / "model.joblib").score(X, Y) > 0.9


@step
def pickled_pipeline() -> Any:
    pickle.loads(pickle.dumps(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y))).predict(X)


@step
def cached_pipeline(folder: Path) -> Any:
    pipe = Pipeline([("scale", StandardScaler()), ("svc", SVC())], memory=str(folder))
    model_selection.GridSearchCV(pipe, {"svc__C": [1, 10]}, cv=2).fit(X, Y)


@step
def tuned_threshold() -> Any:
    model_selection.TunedThresholdClassifierCV(SVC(), cv=2).fit(X, Y).predict(X)


@step
def fixed_threshold() -> Any:
    model_selection.FixedThresholdClassifier(LogisticRegression(), threshold=0.3).fit(X, Y).predict(X)


@step
def calibrated() -> Any:
    assert CalibratedClassifierCV(LinearSVC(), cv=2).fit(X, Y).predict_proba(X).shape == (len(Y), 2)


@step
def stacking() -> Any:
    parts = [("svc", SVC()), ("linear", LinearSVC())]
    ensemble.StackingClassifier(parts, final_estimator=LogisticRegression(solver="lbfgs"), cv=2).fit(X, Y).predict(X)


@step
def stacking_regressor() -> Any:
    ensemble.StackingRegressor([("svr", SVR()), ("linear", LinearSVR())], final_estimator=LinearSVR(), cv=2).fit(T_X, T_Y)


@step
def hard_voting() -> Any:
    ensemble.VotingClassifier([("svc", SVC()), ("logistic", LogisticRegression())]).fit(X, Y).predict(X)


@step
def one_vs_rest() -> Any:
    assert multiclass.OneVsRestClassifier(SVC()).fit(IRIS_X, IRIS_Y).score(IRIS_X, IRIS_Y) > 0.9


@step
def one_vs_rest_of_liblinear() -> Any:
    multiclass.OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(IRIS_X, IRIS_Y).predict_proba(IRIS_X)


@step
def one_vs_one() -> Any:
    assert multiclass.OneVsOneClassifier(LinearSVC()).fit(IRIS_X, IRIS_Y).score(IRIS_X, IRIS_Y) > 0.9


@step
def output_codes() -> Any:
    multiclass.OutputCodeClassifier(SVC(), random_state=0).fit(IRIS_X, IRIS_Y).predict(IRIS_X)


@step
def several_labels() -> Any:
    multiclass.OneVsRestClassifier(LinearSVC()).fit(IRIS_X, label_binarize(IRIS_Y, classes=[0, 1, 2])).predict(IRIS_X)


@step
def multi_output_classifier() -> Any:
    multioutput.MultiOutputClassifier(SVC()).fit(IRIS_X, np.column_stack([IRIS_Y, IRIS_Y > 0])).predict(IRIS_X)


@step
def multi_output_regressor() -> Any:
    multioutput.MultiOutputRegressor(SVR()).fit(T_X, np.column_stack([T_Y, -T_Y])).predict(T_X)


@step
def classifier_chain() -> Any:
    multioutput.ClassifierChain(LogisticRegression()).fit(IRIS_X, label_binarize(IRIS_Y, classes=[0, 1, 2])).predict(IRIS_X)


@step
def recursive_elimination() -> Any:
    assert feature_selection.RFE(SVC(kernel="linear"), n_features_to_select=3).fit(X, Y).support_.sum() == 3


@step
def recursive_elimination_by_folds() -> Any:
    feature_selection.RFECV(LinearSVC(), step=3, cv=2).fit(X, Y)


@step
def select_from_model() -> Any:
    chosen = feature_selection.SelectFromModel(LogisticRegression(penalty="l1", solver="liblinear", C=0.1)).fit(X, Y)
    assert 0 < chosen.get_support().sum() < 8


@step
def select_from_sparse_weights() -> Any:
    model = LinearSVC(penalty="l1", dual=False, C=0.05).fit(X, Y).sparsify()
    assert sparse.issparse(model.coef_)
    assert model.predict(X).shape == (len(Y),)


@step
def sequential_selection() -> Any:
    feature_selection.SequentialFeatureSelector(LinearSVC(), n_features_to_select=2, cv=2).fit(X.iloc[:, :4], Y)


@step
def learning_curve() -> Any:
    model_selection.learning_curve(SVC(), X, Y, train_sizes=[0.5, 1.0], cv=2)


@step
def validation_curve() -> Any:
    model_selection.validation_curve(SVC(), X, Y, param_name="C", param_range=[0.1, 1.0], cv=2)


@step
def output_as_pandas() -> Any:
    pipe = make_pipeline(StandardScaler(), PCA(2), SVC()).set_output(transform="pandas")
    pipe.fit(X, Y).predict(X)


@step
def metadata_routing() -> Any:
    with sklearn.config_context(enable_metadata_routing=True):
        model = SVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        model_selection.cross_validate(model, X, Y, params={"sample_weight": np.ones(len(Y))}, cv=2)
        make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model).fit(X, Y, sample_weight=np.ones(len(Y)))


@step
def weights_in_a_pipeline() -> Any:
    make_pipeline(StandardScaler(), SVC()).fit(X, Y, svc__sample_weight=np.ones(len(Y)))


@step
def ada_boost() -> Any:
    ensemble.AdaBoostClassifier(SVC(kernel="linear"), n_estimators=3, random_state=0).fit(X, Y).predict(X)


@step
def bagging() -> Any:
    ensemble.BaggingClassifier(SVC(), n_estimators=3, random_state=0).fit(X, Y).predict(X)


@step
def text_pipeline() -> Any:
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(solver="saga", penalty="elasticnet", l1_ratio=0.1, C=10.0))
    assert model.fit(WORDS, TOPICS).score(WORDS, TOPICS) > 0.9


@step
def batches_of_text() -> Any:
    rows = TfidfVectorizer().fit_transform(WORDS)
    assert StochasticClassifier().partial_fit(rows, TOPICS, classes=[0, 1]).score(rows, TOPICS) > 0.9


@step
def outliers() -> Any:
    model = OneClassSVM(nu=0.1).fit(X)
    assert model.offset_.shape == (1,)
    assert set(model.predict(X)) == {-1, 1}


@step
def transformed_target() -> Any:
    TransformedTargetRegressor(NuSVR(), transformer=StandardScaler()).fit(T_X, T_Y).predict(T_X)


@step
def repr_html_and_clone() -> Any:
    set_config(display="diagram")
    assert "SVC" in make_pipeline(StandardScaler(), SVC())._repr_html_()
    assert clone(NuSVC(nu=0.2)).nu == 0.2


@with_probability
def probabilities() -> Any:
    model: Any = SVC(**{"probability": True})
    assert np.allclose(model.fit(X, Y).predict_proba(X).sum(axis=1), 1.0)


@with_probability
def soft_voting() -> Any:
    parts: list[Any] = [("svc", SVC(**{"probability": True})), ("logistic", LogisticRegression())]  # type: ignore[arg-type]
    ensemble.VotingClassifier(parts, voting="soft").fit(X, Y).predict_proba(X)


@with_probability
def self_training() -> Any:
    model: Any = SVC(**{"probability": True})
    semi_supervised.SelfTrainingClassifier(model).fit(X, np.where(np.arange(len(Y)) % 3, Y, -1)).predict(X)


@step
def self_training_of_logistic_regression() -> Any:
    semi_supervised.SelfTrainingClassifier(LogisticRegression()).fit(X, np.where(np.arange(len(Y)) % 3, Y, -1)).predict(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*STEPS, *(WITH_PROBABILITY if HAS_PROBABILITY else ())])
def test_step(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    run = {**STEPS, **WITH_PROBABILITY}[name]
    run(tmp_path) if "folder" in signature(run).parameters else run()


def test_there_are_as_many_steps_as_in_a_usual_notebook() -> None:
    assert len(STEPS) + len(WITH_PROBABILITY) + 4 >= 57  # four are in test_other_packages.py
