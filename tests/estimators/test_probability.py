"""``probability=True``: values of folds as by hand, calibrated; what must not matter; and every kind of rows and kernel."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_blobs, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import PredefinedSplit, cross_val_predict, train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, NuSVC, get_threads, set_threads
from maxmargin.calibrators import Folds, Pairs, Platt, Temperature
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.estimators._kernel._fold_starts import _with_sum
from maxmargin.estimators._kernel._out_of_fold import held_out_values
from maxmargin.problems import balanced
from maxmargin.solution import SolutionBatch
from maxmargin.solvers import DualQP


def _two(n: int = 200, seed: int = 0) -> tuple[Any, Any]:
    X, y = make_classification(n, 5, flip_y=0.1, weights=[0.6], random_state=seed)
    return X, np.array(["no", "yes"])[y]


def _three(n: int = 180) -> tuple[Any, Any]:
    return make_classification(n, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)


def _held_out(model: Any, X: Any, y: Any, weight: Any = None) -> tuple[Any, Any]:
    """What the calibrator of a fit is fitted to, and the folds."""
    plan = model._plan(X, y, weight)
    folds = Folds.of_classes(plan.rows.data.X, plan.rows.data.codes, 5, weight)
    found = plan.solve()
    model._adopt(plan.rows, found)
    return held_out_values(model, plan, found, folds), folds


MODELS = [
    SVC(gamma=0.2),
    SVC(gamma=0.2, C=50.0, class_weight="balanced"),
    SVC(kernel="linear", class_weight={"no": 2.0, "yes": 1.0}),
    NuSVC(gamma=0.2, nu=0.3),
    SVC(gamma=1.0, C=np.inf),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_values_of_folds_are_those_of_fits_by_hand(model: Any, weighted: bool) -> None:
    X, y = _two()
    weight = np.random.default_rng(1).random(len(y)) + 0.5 if weighted else None
    model = clone(model).set_params(tol=1e-6)
    values, folds = _held_out(model, X, y, weight)
    for held in folds:
        other = clone(model).fit(X[~held], y[~held], None if weight is None else weight[~held])
        assert np.allclose(values[held, 0], other.decision_function(X[held]), atol=2e-5)


@pytest.mark.parametrize("shape", ["ovo", "ovr", "joint"])
@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_the_same_of_three_classes_by_scikit_learns_cross_val_predict(shape: str, balanced: Any) -> None:
    X, y = _three()
    model = SVC(gamma=0.2, tol=1e-6, multi_class=shape, class_weight=balanced)  # type: ignore[arg-type]
    values, folds = _held_out(model, X, y)
    model.set_params(decision_function_shape="ovo" if shape == "ovo" else "ovr")
    by_hand = cross_val_predict(model, X, y, cv=PredefinedSplit(folds.number), method="decision_function")
    assert np.allclose(values, by_hand, atol=1e-2 if shape == "joint" else 2e-5)


def test_rows_of_the_same_class_stay_apart_where_folds_are_unequal() -> None:
    X, y = _three()
    values, folds = _held_out(NuSVC(gamma=0.2, nu=0.2, tol=1e-7), X, y)
    by_hand = cross_val_predict(
        NuSVC(gamma=0.2, nu=0.2, tol=1e-7, decision_function_shape="ovo"),
        X,
        y,
        cv=PredefinedSplit(folds.number),
        method="decision_function",
    )
    assert np.allclose(values, by_hand, atol=1e-4)


def test_coefficients_that_lost_some_are_balanced_by_free_ones() -> None:
    cost = np.ones(6)
    beta = balanced(np.array([1.0, 0.5, 0.2, -1.0, -0.4, 0.0]), cost)
    assert beta.sum() == pytest.approx(0.0, abs=1e-15)
    assert beta[[0, 3, 5]].tolist() == [1.0, -1.0, 0.0]
    assert 0.0 < beta[1] < 0.5
    assert -1.0 < beta[4] < -0.4
    none_free = balanced(np.array([1.0, 1.0, -1.0, 0.0, 0.0, 0.0]), cost)
    assert none_free.tolist() == [0.5, 0.5, -1.0, 0.0, 0.0, 0.0]


def test_sizes_get_their_sum_from_free_ones_and_from_all_where_these_are_too_few() -> None:
    bound = np.array([1.0, 1.0, 1.0, 0.0])
    assert _with_sum(np.array([1.0, 0.5, 0.0, 0.0]), bound, 1.75).tolist() == [1.0, 0.75, 0.0, 0.0]
    assert _with_sum(np.array([1.0, 0.5, 0.0, 0.0]), bound, 1.25).tolist() == [1.0, 0.25, 0.0, 0.0]
    assert _with_sum(np.array([1.0, 0.5, 0.0, 0.0]), bound, 2.25).tolist() == [1.0, 0.75, 0.5, 0.0]
    assert _with_sum(np.array([1.0, 1.0, 0.0, 0.0]), bound, 1.0).tolist() == [0.5, 0.5, 0.0, 0.0]
    assert _with_sum(np.array([1.0, 0.5, 0.0, 0.0]), bound, 1.5).tolist() == [1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_the_interface(kind: Any) -> None:
    X, y = _two()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = kind(probability=True).fit(X, y)
    P = model.predict_proba(X)
    assert P.shape == (len(y), 2)
    assert np.allclose(P.sum(axis=1), 1.0)
    assert np.allclose(np.log(P), model.predict_log_proba(X))
    f = model.decision_function(X)
    assert np.allclose(P[:, 1], 1.0 / (1.0 + np.exp(model.probA_ * f - model.probB_)))
    assert (np.diff(P[np.argsort(f), 1]) >= -1e-12).all()
    plain = kind().fit(X, y)
    assert np.array_equal(plain.decision_function(X), f)
    assert np.array_equal(plain.predict(X), model.predict(X))


def test_without_it_there_are_no_such_attributes() -> None:
    X, y = _two()
    model = SVC().fit(X, y)
    for name in ("predict_proba", "predict_log_proba", "probA_", "probB_"):
        assert not hasattr(model, name)
    with pytest.raises(AttributeError, match="predict_proba") as caught:
        model.predict_proba(X)
    assert "probability=False" in str(caught.value.__cause__ or caught.value)
    assert hasattr(SVC(probability=True), "predict_proba")
    model.set_params(probability=True)
    with pytest.raises(NotFittedError, match=r"fitted with probability=False. Fit this SVC again"):
        model.predict_proba(X)
    with pytest.raises(InvalidInput, match="'probability' parameter of SVC"):
        SVC(probability="yes").fit(X, y)  # type: ignore[arg-type]
    assert not hasattr(SVC(probability=True).fit(*_three()), "probA_")
    assert not hasattr(SVC(probability=True).fit(X, y).set_params(probability=False).fit(X, y), "probA_")


def test_probA_and_probB_have_scikit_learns_signs() -> None:
    X, y = _two(600)
    ours = SVC(probability=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = sklearn.svm.SVC(probability=True, random_state=0).fit(X, y)
    assert ours.probA_ == pytest.approx(theirs.probA_, rel=0.3)
    assert ours.probB_ == pytest.approx(theirs.probB_, abs=0.3)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).max() < 0.1


@pytest.mark.parametrize("rows", [_two, _three])
def test_what_does_not_matter(rows: Any) -> None:
    X, y = rows()
    model = SVC(probability=True, tol=1e-8).fit(X, y)
    P = model.predict_proba(X)
    assert np.array_equal(P, clone(model).fit(X, y).predict_proba(X))
    assert np.array_equal(P, pickle.loads(pickle.dumps(model)).predict_proba(X))
    order = np.random.default_rng(0).permutation(len(y))
    assert np.allclose(clone(model).fit(X[order], y[order]).predict_proba(X), P, atol=1e-5)
    assert np.allclose(clone(model).fit(sparse.csr_matrix(X), y).predict_proba(sparse.csr_matrix(X)), P, atol=1e-5)
    names = np.array(["b", "a", "c"])[np.unique(y, return_inverse=True)[1]]
    renamed = clone(model).fit(X, names)
    columns = [int(np.unique(y).tolist().index(y[names == name][0])) for name in renamed.classes_]
    apart = np.abs(renamed.predict_proba(X) - P[:, columns])
    assert apart.max() < (1e-5 if len(columns) == 2 else 0.02)  # folds are dealt class by class, in the order of the labels


@pytest.mark.parametrize("rows", [_two, _three])
@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_a_weight_is_a_number_of_copies(rows: Any, balanced: Any) -> None:
    X, y = rows()
    copies = np.random.default_rng(3).integers(0, 4, len(y))
    model = SVC(probability=True, tol=1e-8, class_weight=balanced)
    by_weight = clone(model).fit(X, y, copies).predict_proba(X)
    by_copies = clone(model).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)).predict_proba(X)
    assert np.allclose(by_weight, by_copies, atol=1e-5)


def test_a_seed_gives_other_folds() -> None:
    X, y = _two()
    default, first, again = (SVC(probability=True, random_state=seed).fit(X, y).probA_ for seed in (None, 1, 1))
    assert first == again != default
    state = np.random.RandomState(0)
    assert SVC(probability=True, random_state=state).fit(X, y).probA_ != default


def test_threads_do_not_matter() -> None:
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    found, before = [], get_threads()
    try:
        for threads in (1, 2):
            set_threads(threads)
            found.append(SVC(probability=True).fit(X, y).predict_proba(X))
    finally:
        set_threads(before)
    assert np.array_equal(*found)


def test_calibrators_by_scheme() -> None:
    X, y = _three()
    kinds = {shape: type(SVC(probability=True, multi_class=shape).fit(X, y)._calibrator) for shape in ("ovo", "ovr", "joint")}  # type: ignore[arg-type]
    assert kinds == {"ovo": Pairs, "ovr": Temperature, "joint": Temperature}
    for shape in kinds:
        two = SVC(probability=True, multi_class=shape).fit(*_two())  # type: ignore[arg-type]
        assert isinstance(two._calibrator, Platt)


@pytest.mark.parametrize("kernel", ["precomputed", "function", "objects", "poly", "sigmoid"])
def test_kernels(kernel: str) -> None:
    X, y = _two()
    K = np.exp(-0.2 * ((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    known = SVC(gamma=0.2, probability=True).fit(X, y).predict_proba(X)
    if kernel == "precomputed":
        P = SVC(kernel="precomputed", probability=True).fit(K, y).predict_proba(K)
    elif kernel == "function":
        P = (
            SVC(kernel=lambda A, B: np.exp(-0.2 * ((A[:, np.newaxis] - B) ** 2).sum(axis=2)), probability=True)
            .fit(X, y)
            .predict_proba(X)
        )
    elif kernel == "objects":
        rows = [str(k) for k in range(len(y))]
        model = SVC(kernel=lambda A, B: K[np.ix_([int(a) for a in A], [int(b) for b in B])], probability=True)
        P = model.fit(rows, y).predict_proba(rows)
    else:
        P = SVC(kernel=kernel, gamma=0.05, probability=True).fit(X, y).predict_proba(X)
        known = P if log_loss(y, P) < 0.6 else known
    assert np.abs(P - known).max() < 0.1


def test_precomputed_kernels_of_three_classes() -> None:
    X, y = _three()
    K = np.exp(-0.2 * ((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    for shape in ("ovo", "ovr", "joint"):
        P = SVC(kernel="precomputed", probability=True, multi_class=shape).fit(K, y).predict_proba(K)  # type: ignore[arg-type]
        assert np.abs(P - SVC(gamma=0.2, probability=True, multi_class=shape).fit(X, y).predict_proba(X)).mean() < 0.03  # type: ignore[arg-type]


def test_rows_that_tell_nothing_give_shares() -> None:
    y = np.repeat([0, 1], [60, 20])
    P = SVC(probability=True).fit(np.ones((80, 2)), y).predict_proba(np.ones((1, 2)))
    assert P[0, 1] == pytest.approx(0.25, abs=0.03)


def test_few_rows() -> None:
    with pytest.raises(InvalidInput, match=r"class 0 has 1 row, like all others. Give at least 2 rows of each class"):
        SVC(probability=True).fit([[0.0], [1.0]], [0, 1])
    with pytest.warns(UserWarning, match="2 folds instead of 5"):
        model = SVC(probability=True).fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1])
    assert 0.0 < model.predict_proba([[0.0]])[0, 1] < 1.0


def test_a_class_of_one_row_is_not_calibrated() -> None:
    X, y = _three()
    X, y = np.append(X, [[9.0] * 6, [-9.0] * 6], axis=0), np.append(y, [3, 4])
    with pytest.warns(UserWarning, match="Class 3 has one row, or copies of one"):
        model = SVC(probability=True).fit(X, y)
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_nu_that_a_fold_does_not_allow() -> None:
    X, y = _two(203)
    share = 2.0 * min(np.mean(y == "no"), np.mean(y == "yes"))
    with pytest.warns(UserWarning, match=r"infeasible for the training rows of some fold. Those folds take the largest"):
        model = NuSVC(nu=share, probability=True).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_predict_follows_the_decision_function_also_with_probabilities() -> None:
    """Three overlapping classes: as in scikit-learn, votes decide, and the largest share is another's in near ties only."""
    X, y = make_blobs(300, centers=3, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = NuSVC(nu=0.2, probability=True).fit(X, y)
    shares, predicted = model.predict_proba(X), model.predict(X)
    np.testing.assert_array_equal(predicted, NuSVC(nu=0.2).fit(X, y).predict(X))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    lost = shares.max(axis=1) - shares[np.arange(len(y)), np.searchsorted(model.classes_, predicted)]
    assert (lost > 0).mean() <= 0.02
    assert lost.max() <= 0.1


def test_one_time_limit_for_all() -> None:
    X, y = make_classification(3000, 20, flip_y=0.2, random_state=0)
    for model in (SVC(C=1e4), SVC(C=1e4, loss="squared_hinge"), NuSVC(nu=0.3)):
        model.set_params(probability=True, max_time=1e-6)
        with pytest.warns(ConvergenceWarning) as said:
            model.fit(X, y)
        assert [str(each.message).split(":")[0] for each in said] == ["TIME_LIMIT"]
        assert said[0].filename == __file__
        assert np.isfinite(model.predict_proba(X[:9])).all()


@pytest.mark.parametrize("model", [SVC(), SVC(multi_class="ovr"), NuSVC(nu=0.3)], ids=str)
def test_a_limit_of_steps_is_told_once(model: Any) -> None:
    X, y = _three()
    steps = int(np.max(model.fit(X, y).n_iter_))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.set_params(probability=True, max_iter=max(steps // 3, 1)).fit(X, y)
    assert len(said) == 1
    assert "ITERATION_LIMIT" in str(said[0].message)


def test_folds_report_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    SVC(probability=True, verbose=2).fit(*_three())
    assert "fold 5, 1 against 2" in capsys.readouterr().out


def test_warm_start_and_other_solvers() -> None:
    X, y = _two()
    model = SVC(probability=True, warm_start=True, tol=1e-6).fit(X, y).set_params(C=3.0).fit(X, y)
    cold = SVC(probability=True, C=3.0, tol=1e-6).fit(X, y)
    assert np.allclose(model.predict_proba(X), cold.predict_proba(X), atol=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = SVC(probability=True, C=3.0, tol=1e-6, solver=DualQP()).fit(X, y)
    assert np.allclose(other.predict_proba(X), cold.predict_proba(X), atol=1e-4)


def test_folds_share_the_kernel_values_of_one_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folds are one batch, with the Gram of the fit."""
    X, y = _two()
    seen = []
    of_margins = SolutionBatch.of_margins.__func__  # type: ignore[attr-defined]

    def spy(cls: Any, problems: Any, *rest: Any, **more: Any) -> Any:
        seen.append((len(problems), {id(gram) for gram in problems.batch.grams}))
        return of_margins(cls, problems, *rest, **more)

    monkeypatch.setattr(SolutionBatch, "of_margins", classmethod(spy))
    SVC(probability=True).fit(X, y)
    assert [count for count, _ in seen] == [1, 5]
    assert len(seen[1][1]) == 1


@pytest.mark.parametrize(
    ("load", "bar"), [(load_iris, 0.15), (load_breast_cancer, 0.12), (load_digits, 0.1)], ids=["iris", "cancer", "digits"]
)
def test_probabilities_are_better_than_scikit_learns(load: Any, bar: float) -> None:
    X, y = load(return_X_y=True)
    X, Z, y, known = train_test_split(X, y, test_size=0.25, random_state=0, stratify=y)
    scaler = StandardScaler().fit(X)
    X, Z = scaler.transform(X), scaler.transform(Z)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = sklearn.svm.SVC(probability=True, random_state=0).fit(X, y)
    ours = SVC(probability=True).fit(X, y)
    found = log_loss(known, ours.predict_proba(Z))
    assert found < min(bar, 1.02 * log_loss(known, theirs.predict_proba(Z)))
    differ = ours.classes_[ours.predict_proba(Z).argmax(axis=1)] != ours.predict(Z)
    assert differ.mean() < 0.04


def test_a_kernel_that_tells_nothing_gives_shares() -> None:
    X, y = _two()
    P = SVC(probability=True, gamma=0.0).fit(X, y).predict_proba(X)
    assert np.ptp(P[:, 1]) < 1e-9
    assert P[0, 1] == pytest.approx(np.mean(y == "yes"), abs=0.03)


def test_class_weights_by_label_where_folds_are_fits_of_their_own() -> None:
    X, y = _two()
    weights = {"no": 5.0, "yes": 1.0}
    model = SVC(loss="squared_hinge", gamma=0.2, tol=1e-6, class_weight=weights)
    values, folds = _held_out(model, X, y)
    for held in folds:
        assert np.allclose(values[held, 0], clone(model).fit(X[~held], y[~held]).decision_function(X[held]), atol=1e-4)


@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.3)], ids=str)
def test_messages_say_what_is_missing(model: Any) -> None:
    X, y = _two()
    model = clone(model).set_params(probability=True)
    with pytest.raises(InvalidInput, match=r"number of classes has to be greater than one; got 1 class"):
        model.fit(X, np.zeros(len(y)))
    with pytest.raises(InvalidInput, match=r"all samples with positive weights belong to the same class"):
        model.fit(X, y, (y == "yes").astype(float))
