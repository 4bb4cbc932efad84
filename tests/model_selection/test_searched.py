"""Estimators that choose their own parameters."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV as Reference
from sklearn.model_selection import cross_val_score
from sklearn.utils import get_tags

from maxmargin import SVC, SVCCV, SVRCV, LinearSVCCV, LinearSVRCV, LogisticRegressionCV, NuSVCCV
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Polynomial, as_kernel


def blobs(count: int = 150, classes: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    y = np.arange(count) % classes
    return rng.normal(size=(count, 4)) + 1.5 * np.eye(4)[y], y


def shared_letters(A: Any, B: Any) -> Any:
    return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])


EVERY = [
    SVCCV(gammas=3),
    NuSVCCV(gammas=[0.05, 0.1, 0.3]),
    SVRCV(gammas=3),
    LinearSVCCV(),
    LinearSVRCV(),
    LogisticRegressionCV(),
]


@pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_scores_and_the_best(model: Any, kind: Any) -> None:
    X, y = blobs()
    values = "nus" if isinstance(model, NuSVCCV) else "Cs"
    found = clone(model).set_params(**{values: 4}).fit(kind(X), y)
    shape = (5, 3, 4) if hasattr(model, "gammas") else (5, 4)
    assert found.scores_.shape == shape
    means = found.scores_.mean(axis=0)
    assert found.best_score_ == pytest.approx(means.max())
    chosen = found.nu_ if values == "nus" else found.C_
    assert isinstance(chosen, float)
    tried = getattr(found, f"{values}_")
    assert means[..., list(tried).index(chosen)].max() == pytest.approx(means.max())
    assert found.predict(kind(X)).shape == y.shape
    assert "by themselves" not in found.shared_
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.predict(kind(X)), found.predict(kind(X)))


def test_values_that_are_given() -> None:
    X, y = blobs()
    found = SVCCV(Cs=[10.0, 0.1, 1.0], gammas=0.3, tol=1e-4).fit(X, y)
    assert found.scores_.shape == (5, 1, 3)
    assert found.Cs_.tolist() == [0.1, 1.0, 10.0]
    assert found.gamma_ == 0.3
    wanted = Reference(SVC(gamma=0.3, tol=1e-4), {"C": [0.1, 1.0, 10.0]}).fit(X, y)
    scores = np.array([wanted.cv_results_[f"split{k}_test_score"] for k in range(5)])
    assert np.abs(found.scores_[:, 0] - scores).max() <= 1 / 30 + 1e-12


def test_ranges_follow_the_scale_of_the_data() -> None:
    X, y = blobs()
    for model in (SVCCV(Cs=3, gammas=3), LinearSVCCV(Cs=3)):
        one, ten = clone(model).fit(X, y), clone(model).fit(10.0 * X, y)
        assert np.allclose(one.scores_, ten.scores_, atol=1 / 30 + 1e-12)
        name = "gammas_" if isinstance(model, SVCCV) else "Cs_"
        assert np.allclose(getattr(one, name), 100.0 * getattr(ten, name))


def test_a_kernel_object_with_a_grid() -> None:
    X, y = blobs(90)
    found = SVCCV(Cs=[1.0, 10.0], gammas=[0.1], kernel=Polynomial(coef0=1.0), kernel_grid={"degree": [1, 2, 3]}).fit(X, y)
    assert found.scores_.shape == (5, 3, 2)
    assert [each["kernel__degree"] for each in found.kernel_settings_] == [1, 2, 3]
    assert found.gamma_ == 0.1
    linear = SVCCV(Cs=3, kernel="linear").fit(X, y)
    assert linear.scores_.shape == (5, 1, 3)
    assert linear.gamma_ is None


def test_the_simplest_within_one_standard_error() -> None:
    X, y = blobs()
    best, simple = (SVCCV(Cs=6, gammas=4, one_standard_error=each).fit(X, y) for each in (False, True))
    means = simple.cv_results_["mean_test_score"]
    error = simple.cv_results_["std_test_score"][best.best_index_] / np.sqrt(5)
    good = means >= means[best.best_index_] - error
    costs = np.array([each["C"] for each in simple.cv_results_["params"]])
    assert simple.C_ == costs[good].min() <= best.C_
    assert simple.best_score_ == means[simple.best_index_]


def test_fewer_folds_for_small_classes() -> None:
    X, y = blobs(60)
    y[:3], y[3:] = 2, np.arange(57) % 2
    with pytest.warns(UserWarning, match="takes 3 folds instead of 5: the smallest class has 3 members"):
        found = SVCCV(Cs=2, gammas=2).fit(X, y)
    assert found.scores_.shape == (3, 2, 2)


@pytest.mark.parametrize("given", [0, [], [[1.0, 2.0]], -3])
def test_values_that_are_none(given: Any) -> None:
    X, y = blobs(30)
    with pytest.raises(InvalidInput, match="The 'Cs' parameter of SVCCV must be a positive int or a list of numbers"):
        SVCCV(Cs=given).fit(X, y)


@pytest.mark.parametrize("given", ["scale", ["scale", 0.1], None, [[1.0], [1.0, 2.0]]])
def test_gammas_that_are_none(given: Any) -> None:
    X, y = blobs(30)
    with pytest.raises(InvalidInput, match="The 'gammas' parameter of SVCCV must be a positive int or a list of numbers"):
        SVCCV(gammas=given).fit(X, y)


def test_what_no_fit_can_take_is_said_once() -> None:
    X, y = blobs(60)
    holed = X.copy()
    holed[3, 3] = np.nan
    for model in EVERY:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(InvalidInput, match="contains NaN"):
                clone(model).fit(holed, y)
            with pytest.raises(InvalidInput, match="all samples have zero or negative weights"):
                clone(model).fit(X, y, sample_weight=0.0 * y)
            if hasattr(model, "decision_function"):
                with pytest.raises(InvalidInput, match="The number of classes has to be greater than one"):
                    clone(model).fit(X, 0 * y)


@pytest.mark.parametrize("kernel", ["cosine", "tanimoto", "quadratic", "intersection", "min_max", "linear"])
def test_costs_are_those_of_centred_kernel_values(kernel: str) -> None:
    X, y = blobs(60)
    X = np.abs(X) + 3.0
    found = SVCCV(kernel=kernel, Cs=2).fit(X, y)
    K = as_kernel(kernel)(X)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, np.newaxis] + K.mean()
    assert np.allclose(found.Cs_ * np.diagonal(centred).mean(), [10.0 / 60.0, 1000.0])
    assert np.allclose(SVCCV(kernel=kernel, Cs=2).fit(X.tolist(), y).Cs_, found.Cs_)
    assert np.allclose(SVCCV(kernel="precomputed", Cs=2).fit(K, y).Cs_, found.Cs_)


def test_costs_of_constant_data() -> None:
    X, y = np.ones((40, 2)), np.arange(40.0)
    assert LinearSVRCV(Cs=2).fit(X, y).Cs_[1] == pytest.approx(1000.0 * y.std())
    assert SVRCV(Cs=2, gammas=[1.0]).fit(X, np.ones(40)).Cs_[1] == 1000.0
    assert np.isfinite(SVRCV(Cs=2, kernel="cosine").fit(X, y).Cs_).all()


def test_rows_that_are_objects() -> None:
    words, y = ["abc", "bcd", "xyz", "xxy"] * 5, np.array([0, 0, 1, 1] * 5)
    found = SVCCV(kernel=shared_letters, Cs=2).fit(words, y)
    assert found.predict(words).tolist() == y.tolist()
    assert found.Cs_[1] == pytest.approx(1000.0 / 2.75)


def test_a_matrix_is_cut_both_ways() -> None:
    X, y = blobs(60)
    assert np.isfinite(cross_val_score(SVCCV(kernel="precomputed", Cs=2), X @ X.T, y, error_score="raise")).all()
    assert not get_tags(SVCCV(kernel="precomputed")).input_tags.sparse
    assert get_tags(SVCCV()).input_tags.sparse


def test_one_class_only() -> None:
    with pytest.raises(InvalidInput, match="The number of classes has to be greater than one"):
        NuSVCCV().fit(np.eye(5), np.ones(5))


def test_weights() -> None:
    X, y = blobs(90)
    counts = np.arange(90) // 3 % 2  # rows of weight 0 do not count, in no fold
    found = LinearSVCCV(Cs=2).fit(X, y, sample_weight=counts.astype(float))
    kept = counts == 1
    assert np.allclose(found.coef_, clone(found.best_estimator_).fit(X[kept], y[kept]).coef_, atol=1e-3)


KERNELS = [SVCCV(Cs=3, gammas=2), SVRCV(Cs=3, gammas=2), NuSVCCV(nus=2, gammas=2), SVCCV(kernel="laplacian", Cs=2, gammas=2)]


@pytest.mark.parametrize("model", [*KERNELS, LinearSVCCV(Cs=4), LinearSVRCV(Cs=4), LogisticRegressionCV(Cs=4)], ids=str)
def test_a_weight_of_two_is_a_copy_in_ranges_and_scores(model: Any) -> None:
    """With the folds given, so that copies stay together."""
    X, y = blobs()
    weight = np.arange(150) // 3 % 3  # no row, one, two
    copies, fold = np.repeat(np.arange(150), weight), np.random.default_rng(0).integers(0, 3, 150)

    def splits(of: Any) -> Any:
        return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]

    weighted = clone(model).set_params(cv=splits(fold)).fit(X, y, sample_weight=weight)
    repeated = clone(model).set_params(cv=splits(fold[copies])).fit(X[copies], y[copies])
    for name in ("Cs_", "nus_", "gammas_"):
        if hasattr(weighted, name):
            assert np.allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-12)
    assert np.allclose(weighted.scores_, repeated.scores_, rtol=1e-3, atol=1e-3)
    assert weighted.best_params_ == pytest.approx(repeated.best_params_)


def test_a_score_that_knows_no_weights_is_taken_without_them() -> None:
    X, y = blobs()
    weight = 1.0 + np.arange(150) % 2
    found = LinearSVRCV(Cs=3, scoring="neg_max_error").fit(X, y, sample_weight=weight)
    assert np.isfinite(found.scores_).all()
    own = LinearSVRCV(Cs=3, scoring=lambda model, rows, targets: float(len(rows))).fit(X, y, sample_weight=weight)
    assert (own.scores_ == 30.0).all()
    for name in ("accuracy", None):
        scored = LinearSVCCV(Cs=3, scoring=name).fit(X, y, sample_weight=weight)
        plain = LinearSVCCV(Cs=3, scoring=lambda model, rows, labels: model.score(rows, labels)).fit(X, y, sample_weight=weight)
        assert not np.array_equal(scored.scores_, plain.scores_)


@pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
def test_the_certificate_of_the_best_model(model: Any) -> None:
    X, y = blobs(60, 2)
    found = clone(model)
    assert not hasattr(found, "status_")
    found.fit(X, y + 0.1 * X[:, 0] if isinstance(model, SVRCV | LinearSVRCV) else y)
    assert found.status_ is found.best_estimator_.status_
    assert found.status_.is_optimal
    assert found.certificate_ == found.best_estimator_.certificate_


@pytest.mark.parametrize("search", ["grid", "auto"])
@pytest.mark.parametrize(
    "model", [SVCCV(gammas=3), LinearSVCCV(), LogisticRegressionCV()], ids=lambda model: type(model).__name__
)
def test_a_class_with_one_row_is_refused_before_the_search(model: Any, search: str) -> None:
    X, y = blobs(40, 2)
    y = np.where(np.arange(40) == 7, "rare", "often")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidInput, match="Class rare has one row, and cross-validation needs two: give more of it"):
            clone(model).set_params(search=search).fit(X, y)


@pytest.mark.filterwarnings("ignore")
def test_no_setting_without_a_score_is_chosen() -> None:
    X, y = blobs(40, 2)
    by_class = [(np.arange(30), np.arange(30, 40)), (np.flatnonzero(y == 0), np.flatnonzero(y == 1))]
    with pytest.raises(InvalidInput, match=r"No setting of SVCCV has a score.*Choose folds that have rows of each class"):
        SVCCV(gammas=2, cv=by_class).fit(X, y)


@pytest.mark.parametrize("search", ["grid", "auto"])
def test_parameters_of_the_search_are_named_as_those_of_the_model(search: str) -> None:
    X, y = blobs(40, 2)
    with pytest.raises(InvalidInput, match=r"The 'cv' parameter of SVCCV must be .* Got 1 instead"):
        SVCCV(cv=1, search=search).fit(X, y)
    with pytest.raises(InvalidInput, match=r"The 'scoring' parameter of SVCCV .* Got 'rocauc'. Did you mean 'roc_auc'"):
        SVCCV(scoring="rocauc", search=search).fit(X, y)


def test_numbers_that_are_objects_are_labels() -> None:
    X, y = blobs(60, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, wanted = SVCCV(gammas=3).fit(X, y.astype(object)), SVCCV(gammas=3).fit(X, y)
    assert np.isfinite(found.scores_).all()
    assert found.best_params_ == wanted.best_params_
    assert found.best_score_ == wanted.best_score_
