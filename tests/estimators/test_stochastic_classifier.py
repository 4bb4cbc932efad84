"""StochasticClassifier: the steps of the text, batches, going on after a break, honest certificates, refusals."""

from __future__ import annotations

import lzma
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_svmlight_file, load_wine, make_classification
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearClassifier, StochasticClassifier
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.estimators._linear import _stochastic
from maxmargin.kernels import as_features
from maxmargin.losses import EpsilonInsensitive
from maxmargin.problems import PrimalProblem
from maxmargin.scales import C_from_lam_half
from maxmargin.solution import Status
from maxmargin.solvers import RowOrder, StochasticSubgradient
from tests._data import data_folder


def _data(n: int = 400) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = make_classification(n, 5, flip_y=0.1, random_state=0)
    return X, y


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_a_weight_is_a_copy_beside_a_large_constant_column(as_rows: Any) -> None:
    X, y = _data(60)
    X, twice = np.c_[X, np.full(60, 1e12)], np.r_[np.arange(60), np.arange(30)]
    weight = np.r_[np.full(30, 2.0), np.ones(30)]
    orders = [
        RowOrder.of(rows, as_features(rows), labels, each)
        for rows, labels, each in ((as_rows(X), y, weight), (as_rows(X[twice]), y[twice], np.ones(90)))
    ]
    one, other = (order.epoch(np.random.default_rng(0)) for order in orders)
    assert orders[0].steps == orders[1].steps == 60
    assert np.array_equal(one, twice[other])


def test_a_batch_that_is_interrupted_leaves_the_walk_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.arange(60) % 3
    model, other = (StochasticClassifier(lam_half=0.1).partial_fit(X, y, classes=[0, 1, 2]) for _ in range(2))
    told = iter([_stochastic.solution_of])

    def interrupted(*args: Any) -> Any:
        for solution_of in told:
            return solution_of(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_stochastic, "solution_of", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X, y)
    assert model.t_ == other.t_
    assert np.array_equal(model.partial_fit(X, y).coef_, other.partial_fit(X, y).coef_)


def test_the_steps_of_the_text() -> None:
    """θ = 0; w = θ/(λt); draw i; θ ← θ + y_i x_i if y_i <w, x_i> < 1; the mean of all w."""
    X, y = _data()
    lam, signs, n = 0.05, np.where(y == 1, 1.0, -1.0), len(y)
    drawn = np.random.default_rng(7).integers(n, size=n)
    theta, total = np.zeros(5), np.zeros(5)
    for t, i in enumerate(drawn, start=1):
        w = theta / (lam * t)
        total += w
        if signs[i] * (w @ X[i]) < 1.0:
            theta = theta + signs[i] * X[i]
    model = StochasticClassifier(lam_half=lam, fit_intercept=False, random_state=7).partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(model.coef_[0], total / n, rtol=1e-9)
    assert model.t_ == n
    assert model.intercept_[0] == 0.0


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_near_the_optimum_and_honest(loss: str) -> None:
    X, y = _data()
    lam = 0.1
    model = StochasticClassifier(loss=loss, lam_half=lam, random_state=1, tol=0.01).fit(X, y)
    exact = LinearClassifier(loss=loss, C=C_from_lam_half(lam, len(y)), penalise_intercept=True, tol=1e-8).fit(X, y)
    assert model.status_ is Status.CONVERGED
    certificate = model.certificate_
    assert certificate.relative_gap <= 0.011
    assert certificate.dual_objective <= exact.certificate_.primal_objective <= certificate.primal_objective
    assert certificate.primal_objective <= 1.011 * exact.certificate_.primal_objective


def test_a_spent_budget_is_said() -> None:
    X, y = _data()
    with pytest.warns(ConvergenceWarning, match=r"ITERATION_LIMIT.*relative gap"):
        short = StochasticClassifier(max_iter=50).fit(X, y)
    assert short.status_ is Status.ITERATION_LIMIT
    assert (short.t_, short.fit_status_) == (50, 1)
    with pytest.warns(ConvergenceWarning, match="DIVERGED"):
        runs_off = StochasticClassifier(loss="squared", lam_half=1e-6).fit(X, y)
    assert np.isfinite(runs_off.coef_).all()
    assert StochasticClassifier(loss="squared", lam_half=0.1, delay=1000).fit(X, y).status_ is Status.CONVERGED


def test_batches_are_the_walk_of_fit() -> None:
    X, y = _data()
    batches = StochasticClassifier(lam_half=0.01, random_state=3)
    for _ in range(4):
        batches.partial_fit(X, y, classes=[0, 1])
    with pytest.warns(ConvergenceWarning):
        whole = StochasticClassifier(lam_half=0.01, random_state=3, max_iter=1600, tol=1e-12).fit(X, y)
    np.testing.assert_array_equal(batches.coef_, whole.coef_)
    np.testing.assert_array_equal(batches.intercept_, whole.intercept_)
    assert batches.t_ == whole.t_ == 1600


def test_batches_of_one_class_and_rows_of_any_kind() -> None:
    X, y = _data()
    labels = np.array(["no", "yes"])[y]
    model = StochasticClassifier(lam_half=0.1, random_state=0)
    no, yes = (np.array_split(np.flatnonzero(y == k), 40) for k in (0, 1))
    for _ in range(4):
        for part in (part for pair in zip(no, yes, strict=True) for part in pair):
            model.partial_fit(X[part], labels[part], classes=["no", "yes"])
    assert model.score(X, labels) > 0.8
    dense, thin = StochasticClassifier(random_state=0), StochasticClassifier(random_state=0)
    for part in np.array_split(np.arange(400), 8):
        dense.partial_fit(X[part], y[part], classes=[0, 1])
        thin.partial_fit(sparse.csr_array(X[part]), y[part], classes=[0, 1])
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-9)


def test_going_on_after_a_break() -> None:
    X, y = _data()
    one = StochasticClassifier(random_state=5).partial_fit(X[:200], y[:200], classes=[0, 1])
    stored = pickle.dumps(one)
    assert len(stored) < 6000  # no rows
    other = pickle.loads(stored)
    np.testing.assert_array_equal(one.partial_fit(X[200:], y[200:]).coef_, other.partial_fit(X[200:], y[200:]).coef_)
    before = one.t_
    one.fit(X, y)
    after_fit = one.t_
    assert one.partial_fit(X, y).t_ == after_fit + 400
    assert before == 400


def test_three_classes_and_seeds() -> None:
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    with pytest.warns(ConvergenceWarning, match="binary classifiers did not converge"):
        model = StochasticClassifier(max_iter=2000, tol=1e-6).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.score(X, y) > 0.75
    with pytest.warns(ConvergenceWarning):
        again = StochasticClassifier(max_iter=2000, tol=1e-6, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, again.coef_)  # None is 0
    with pytest.warns(ConvergenceWarning):
        other = StochasticClassifier(max_iter=2000, tol=1e-6, random_state=np.random.RandomState(1)).fit(X, y)
    assert not np.array_equal(model.coef_, other.coef_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (StochasticClassifier(lam_half=0.0), "The 'lam_half' parameter of StochasticClassifier"),
        (StochasticClassifier(delay=-1), "The 'delay' parameter of StochasticClassifier"),
        (StochasticClassifier(loss="hinged"), "The 'loss' parameter of StochasticClassifier must be one of"),
        (StochasticClassifier(loss=EpsilonInsensitive()), "must be a loss of the margin. Got EpsilonInsensitive"),
        (StochasticClassifier(loss="zero_one"), "it needs a loss with slopes to follow"),
        (StochasticClassifier(tol=0.0), "The 'tol' parameter of StochasticClassifier"),
        (StochasticClassifier(random_state="x"), "The 'random_state' parameter of StochasticClassifier"),
        (StochasticClassifier(penalise_intercept=False, intercept_scaling=2.0), "Set penalise_intercept=True"),
    ],
    ids=repr,
)
def test_refusals(model: Any, message: str) -> None:
    X, y = _data(40)
    for call in (lambda: model.fit(X, y), lambda: model.partial_fit(X, y, classes=[0, 1])):
        with pytest.raises(InvalidInput) as error:
            call()
        assert message in str(error.value)


def test_classes_and_parameters_stay() -> None:
    X, y = _data(40)
    with pytest.raises(InvalidInput, match="classes must be passed on the first call to partial_fit"):
        StochasticClassifier().partial_fit(X, y)
    with pytest.raises(InvalidInput, match="The number of classes has to be greater than one"):
        StochasticClassifier().partial_fit(X, y, classes=[1])
    model = StochasticClassifier(lam_half=0.01).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidInput, match=r"`classes=\[0, 1, 2\]` is not the same as on last call to partial_fit"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(InvalidInput, match=r"y has the label 5, which is not among classes=\[0, 1\]"):
        model.partial_fit(X, np.full(40, 5))
    with pytest.raises(InvalidInput, match="X has 4 features"):
        model.partial_fit(X[:, :4], y)
    with pytest.raises(InvalidInput, match=r"The walk has λ = 0\.01"):
        model.set_params(lam_half=0.5).partial_fit(X, y)


@pytest.mark.parametrize("settings", [{"loss": "squared_hinge", "lam_half": 0.01}, {"loss": "squared", "lam_half": 0.01}])
def test_a_walk_that_runs_off_says_so(settings: dict[str, Any]) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.warns(ConvergenceWarning, match="DIVERGED"):
            model = StochasticClassifier(**settings).fit(StandardScaler().fit_transform(X), y)
    assert model.status_ is Status.DIVERGED


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_the_default_does_not_depend_on_the_unit_of_the_rows(scale: float) -> None:
    """λ is a part of the median square of rows: rows in another unit have the same scores."""
    X, y = _data()
    one = StochasticClassifier(fit_intercept=False, random_state=0).partial_fit(X, y, classes=[0, 1])
    other = StochasticClassifier(fit_intercept=False, random_state=0).partial_fit(scale * X, y, classes=[0, 1])
    np.testing.assert_allclose(scale * other.coef_, one.coef_, rtol=1e-9)
    assert one.lam_half_ == pytest.approx(1e-5 * np.median((X * X).sum(axis=1)))
    assert one.delay_ == 100_000
    assert StochasticClassifier(delay=7).partial_fit(X, y, classes=[0, 1]).delay_ == 7


def test_the_default_learns_from_tables() -> None:
    for X, y in (load_breast_cancer(return_X_y=True), load_wine(return_X_y=True)):
        rows = StandardScaler().fit_transform(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = StochasticClassifier().fit(rows, y)
        assert model.score(rows, y) > 0.93


def test_weights_are_how_often_rows_are_there() -> None:
    """The problem is that of copies; which rows are drawn differs, so that the optima are compared."""
    X, y = _data(60)
    weight = np.arange(60) % 3
    model = StochasticClassifier(loss="logistic", lam_half=0.5, tol=1e-3, max_iter=-1).fit(X, y, sample_weight=weight)
    copies = StochasticClassifier(loss="logistic", lam_half=0.5, tol=1e-3, max_iter=-1)
    copies.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(model.coef_, copies.coef_, atol=0.02)
    assert model.certificate_.primal_objective == pytest.approx(copies.certificate_.primal_objective, rel=3e-3)
    by_class = StochasticClassifier(loss="logistic", lam_half=0.5, class_weight={0: 2.0, 1: 5.0}).fit(X, y)
    by_row = StochasticClassifier(loss="logistic", lam_half=0.5).fit(X, y, sample_weight=np.where(y, 5.0, 2.0))
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)
    np.testing.assert_array_equal(by_class.class_weight_, [2.0, 5.0])


def test_weights_in_batches() -> None:
    X, y = _data(60)
    kept = np.arange(60) % 3 > 0
    some = StochasticClassifier(random_state=1).partial_fit(X, y, [0, 1], sample_weight=kept.astype(float))
    without = StochasticClassifier(random_state=1).partial_fit(X[kept], y[kept], [0, 1])
    np.testing.assert_array_equal(some.coef_, without.coef_)
    assert some.t_ == kept.sum()
    by_class = StochasticClassifier(class_weight={0: 1.0, 1: 4.0}).partial_fit(X, y, [0, 1])
    by_row = StochasticClassifier().partial_fit(X, y, [0, 1], sample_weight=np.where(y, 4.0, 1.0))
    np.testing.assert_array_equal(by_class.coef_, by_row.coef_)
    with pytest.raises(InvalidInput, match="class_weight='balanced' needs all rows, and partial_fit sees one batch"):
        StochasticClassifier(class_weight="balanced").partial_fit(X, y, [0, 1])


def test_text_is_learnt_by_default() -> None:
    """Two halves of the topics, three epochs of batches. scikit-learn's SGDClassifier has 0.94 of the rows kept apart."""
    place = data_folder() / "news20.xz"
    if not place.exists():
        pytest.skip("news20.xz is not in the folder of the public sets: set MAXMARGIN_DATA")
    with lzma.open(place) as file:
        X, topic = load_svmlight_file(file)
    y = (topic <= 10).astype(int)
    model = StochasticClassifier(random_state=0)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[: len(y) // 2], order[len(y) // 2 :]
    for _ in range(3):
        for part in np.array_split(train, 4):
            model.partial_fit(X[part], y[part], classes=[0, 1])
    assert model.score(X[test], y[test]) > 0.94


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_only_the_weighted_rows_matter(container: Any, loss: str) -> None:
    """Rows in another order, a row that is there three times instead of a weight of 3: the same steps, and the same model."""
    X, y = _data(60)
    weight = np.arange(60) % 4
    order = np.random.default_rng(1).permutation(60)
    model = StochasticClassifier(loss=loss).fit(container(X), y, sample_weight=weight)
    other = StochasticClassifier(loss=loss).fit(container(X[order]), y[order], sample_weight=weight[order])
    copies = StochasticClassifier(loss=loss).fit(container(np.repeat(X, weight, axis=0)), np.repeat(y, weight))
    for same in (other, copies):
        np.testing.assert_allclose(same.coef_, model.coef_, rtol=1e-9)
        np.testing.assert_allclose(same.intercept_, model.intercept_, rtol=1e-9)
        assert (same.t_, same.lam_half_, same.delay_) == (model.t_, model.lam_half_, model.delay_)


def test_the_shuffled_steps() -> None:
    """A pass takes every row once; w of step t has weight t in the mean."""
    X, y = _data(50)
    signs, lam, delay = np.where(y == 1, 1.0, -1.0), 0.02, 30
    model = StochasticClassifier(lam_half=lam, delay=delay, draws="shuffled", fit_intercept=False, random_state=4)
    problem = PrimalProblem(X, signs, C=1.0 / (lam * 50), offset=None)
    walk = StochasticSubgradient(seed=4, delay=delay, shuffled=True).walk(problem)
    drawn = np.concatenate([walk._draw(50), walk._draw(50)])
    for k in (0, 50):
        np.testing.assert_array_equal(np.sort(drawn[k : k + 50]), np.arange(50))
    theta, total = np.zeros(5), np.zeros(5)
    for t, i in enumerate(drawn, start=1):
        w = theta / (lam * (delay + t))
        total += t * w
        if signs[i] * (w @ X[i]) < 1.0:
            theta = theta + signs[i] * X[i]
    for _ in range(2):  # in batches each call has its own passes
        model.partial_fit(X, y, classes=[0, 1])
    np.testing.assert_allclose(model.coef_[0], total / (100 * 101 / 2), rtol=1e-9)


def test_rows_that_differ_in_their_last_digits_are_not_copies() -> None:
    """Their keys are equal but for rounding: they are compared themselves."""
    X = np.column_stack([np.full(40, 1e9), np.arange(40) * 1e-5])
    y = np.arange(40) % 2
    order = RowOrder.of(X, as_features(X), y, np.ones(40))
    assert (order.steps, len(np.unique(order.epoch(np.random.default_rng(0))))) == (40, 40)
    twice = np.concatenate([X, X])
    order = RowOrder.of(twice, as_features(twice), np.concatenate([y, y]), np.ones(80))
    assert order.copy_of is None or order.steps >= 40
    thin = sparse.csr_array(np.kron([[1.0], [1.0], [2.0]], np.eye(3)))
    order = RowOrder.of(thin, as_features(thin), np.array([0, 0, 0, 1, 0, 0, 0, 0, 0]), np.ones(9))
    assert order.steps == 7  # the first row is there with both labels, two are there twice
    assert order.copy_of is not None
    np.testing.assert_array_equal(order.copy_of, [0, 1, 2, 3, 1, 2, 6, 7, 8])


def test_the_constant_feature_is_as_large_as_a_row() -> None:
    """Rows far from scaled: the default offset reaches what a class of nearly all the weight asks for."""
    rng = np.random.default_rng(0)
    X, y = 50.0 * rng.normal(size=(200, 3)), np.arange(200) % 2
    model = StochasticClassifier(class_weight={0: 1000.0, 1: 1e-4}).fit(X, y)
    assert model.intercept_scaling_ == pytest.approx(np.sqrt(np.median((X[y == 0] ** 2).sum(axis=1))), rel=0.05)
    assert (model.predict(X) == 0).mean() > 0.95
    assert StochasticClassifier(lam_half=0.1).fit(X / 50.0, y).intercept_scaling_ == 1.0


@pytest.mark.parametrize("given", [{"draws": "uniform"}, {"intercept_scaling": "scale"}, {"intercept_scaling": 0.0}])
def test_refusals_of_the_new_settings(given: dict[str, Any]) -> None:
    X, y = _data(40)
    with pytest.raises(InvalidInput, match=f"The '{next(iter(given))}' parameter of StochasticClassifier must be"):
        StochasticClassifier(**given).fit(X, y)


def test_a_walk_stays_shuffled() -> None:
    X, y = _data(40)
    model = StochasticClassifier(lam_half=0.1).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidInput, match="The walk is not shuffled, and must stay so"):
        model.set_params(draws="shuffled").partial_fit(X, y)
    model = StochasticClassifier().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(InvalidInput, match="The walk is shuffled, and must stay so"):
        model.set_params(draws="independent").partial_fit(X, y)


def test_the_default_ends_by_its_gap() -> None:
    """Digits, ten classes: converged, in some dozen passes, with the certificate of each."""
    X, y = load_digits(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = StochasticClassifier().fit(X[::2], y[::2])
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.relative_gap <= 0.2
    assert model.t_ <= 60 * 900
    assert model.score(X[1::2], y[1::2]) > 0.93
