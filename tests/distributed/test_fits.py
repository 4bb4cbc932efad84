"""Fits on a cluster: the bits of blocks in memory, on any number of workers, and honest refusals."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from maxmargin import ApproximateSVC, LinearSVC, LogisticRegression, RowBlocks
from maxmargin.distributed import DaskApproximateSVC, DaskLinearSVC, DaskLogisticRegression
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.solution import Status

from ._rows import generated, tasks_left, weights_of

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.alone

SIZE = 1100  # six blocks, the last of them shorter
TWINS: dict[str, Any] = {
    "squared hinge": (DaskLinearSVC, LinearSVC, {}),
    "hinge": (DaskLinearSVC, LinearSVC, {"loss": "hinge", "class_weight": "balanced"}),
    "logistic": (DaskLogisticRegression, LogisticRegression, {"multi_class": "ovr"}),
    "landmarks": (DaskApproximateSVC, ApproximateSVC, {"n_components": 40, "random_state": 3, "gamma": 0.1}),
}


def same_bits(one: Any, other: Any) -> None:
    assert weights_of(one).dtype == weights_of(other).dtype
    assert weights_of(one).tobytes() == weights_of(other).tobytes()
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    assert one.certificate_ == other.certificate_
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.class_weight_, other.class_weight_)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", TWINS)
def test_the_bits_of_blocks_in_memory(name: str, classes: int, client: Any) -> None:
    ours, theirs, how = TWINS[name]
    X, y = generated(classes=classes)
    weight = np.random.default_rng(3).random(len(X)) * (np.arange(len(X)) % 5 > 0)
    weight[SIZE : 2 * SIZE] = 0.0  # a block without rows that count
    local = theirs(**how).fit(RowBlocks.from_arrays(X, y, weight, batch_size=SIZE))
    rows = da.from_array(X, chunks=(SIZE, 2))
    model = ours(**how, client=client).fit(rows, da.from_array(y, chunks=700), weight)
    assert model.status_ is Status.CONVERGED
    same_bits(model, local)
    assert model.n_passes_ > model.n_iter_
    same_bits(model.to_local(), local)
    np.testing.assert_array_equal(model.predict(rows).compute(), local.predict(X))
    np.testing.assert_array_equal(model.decision_function(rows).compute(), local.decision_function(X))
    assert model.score(rows, y) == pytest.approx(local.score(X, y), abs=1e-12)
    assert model.score(rows, y, weight) == pytest.approx(local.score(X, y, weight), rel=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_blocks_of_several_parts(loss: str, client: Any) -> None:
    """Dense blocks of many values are gone through in parts; centres of the hinge are made anew here, and kept there."""
    X, y = generated(80_000, 28)
    local = LinearSVC(loss=loss, tol=1e-2).fit(RowBlocks.from_arrays(X, y, batch_size=40_000))
    model = DaskLinearSVC(loss=loss, tol=1e-2).fit(da.from_array(X, chunks=(40_000, -1)), y)
    same_bits(model, local)
    whole = LinearSVC(loss=loss, tol=1e-2).fit(X, y)
    assert model.certificate_.dual_objective <= whole.certificate_.primal_objective
    assert whole.certificate_.dual_objective <= model.certificate_.primal_objective


def test_the_same_bits_on_any_number_of_workers() -> None:
    X, y = generated()
    found = []
    for workers in (1, 2, 4):
        with (
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            found.append(DaskLinearSVC(loss="hinge", client=client).fit(da.from_array(X, chunks=(500, -1)), y))
    for other in found[1:]:
        same_bits(found[0], other)


def test_other_blocks_have_the_same_optimum(client: Any) -> None:
    X, y = generated()
    few, many = (DaskLinearSVC(tol=1e-8).fit(da.from_array(X, chunks=(size, -1)), y) for size in (3000, 400))
    np.testing.assert_allclose(few.coef_, many.coef_, rtol=1e-3)
    assert few.certificate_.dual_objective <= many.certificate_.primal_objective * (1.0 + 1e-12)
    assert many.certificate_.dual_objective <= few.certificate_.primal_objective * (1.0 + 1e-12)


def test_sparse_blocks(client: Any) -> None:
    X, y = generated()
    X[np.abs(X) < 1.0] = 0.0
    rows = da.from_array(X, chunks=(SIZE, -1)).map_blocks(sparse.csr_matrix, dtype=X.dtype, meta=sparse.csr_matrix((0, 0)))
    model = DaskLinearSVC().fit(rows, y)
    same_bits(model, LinearSVC().fit(RowBlocks.from_arrays(sparse.csr_matrix(X), y, batch_size=SIZE)))
    np.testing.assert_array_equal(model.predict(rows).compute(), model.to_local().predict(X))


def test_frames(client: Any) -> None:
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    X, y = generated(2000)
    table = pandas.DataFrame(X, columns=list("abcdef")).assign(y=np.where(y > 0, "yes", "no"))
    table = frames.from_pandas(table, npartitions=4, sort=False)
    table = table[table.a > -3.0]  # now Dask does not know how many rows there are
    rows, labels = table[list("abcdef")], table.y
    model = DaskLogisticRegression().fit(rows, labels)
    assert list(model.feature_names_in_) == list("abcdef")
    assert list(model.classes_) == ["no", "yes"]
    kept = X[:, 0] > -3.0
    whole = LogisticRegression().fit(X[kept], np.where(y > 0, "yes", "no")[kept])
    assert model.certificate_.primal_objective == pytest.approx(whole.certificate_.primal_objective, rel=2e-4)
    assert model.predict_proba(rows).compute().shape == (kept.sum(), 2)
    assert model.score(rows, labels) == pytest.approx(whole.score(X[kept], np.where(y > 0, "yes", "no")[kept]), abs=2e-3)


def test_a_column_of_words_is_named(client: Any) -> None:
    frames = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"a": [1.0, 2.0, 3.0, 4.0], "city": ["Oslo", "Rome"] * 2, "n": pandas.array([1, 2, 3, 4], "Int64")}
    )
    rows = frames.from_pandas(table, npartitions=2, sort=False)
    with pytest.raises(InvalidInput, match=r"Column 'city' of the dask frame X of DaskLinearSVC must hold numbers\. Got "):
        DaskLinearSVC().fit(rows, np.array([0, 1, 0, 1]))
    assert DaskLinearSVC().fit(rows[["a", "n"]], rows["city"]).status_.is_optimal


def test_predictions_are_lazy(client: Any) -> None:
    X, y = generated(2000)

    def never(block: Any) -> Any:
        raise AssertionError("a row was computed")

    model = DaskLogisticRegression().fit(da.from_array(X, chunks=(500, -1)), y)
    rows = da.from_array(X, chunks=(500, -1)).map_blocks(never, dtype=X.dtype, meta=X[:0])
    classes, scores, chances = model.predict(rows), model.decision_function(rows), model.predict_proba(rows)
    assert (classes.dtype, classes.shape, classes.chunks) == (y.dtype, (2000,), ((500,) * 4,))
    assert (scores.dtype, scores.shape) == (model.to_local().decision_function(X).dtype, (2000,))
    assert (chances.shape, chances.dtype) == ((2000, 2), scores.dtype)
    held = [key for key in classes.__dask_graph__() if "maxmargin-model" in str(key)]
    assert len(held) == 1  # the model is there once, not in each task
    logs = model.predict_log_proba(da.from_array(X, chunks=(500, -1))).compute()
    np.testing.assert_array_equal(logs, model.to_local().predict_log_proba(X))


def test_the_fitted_model_travels_without_its_client(client: Any) -> None:
    X, y = generated(2000)
    rows = da.from_array(X, chunks=(500, -1))
    model = DaskLinearSVC(C=0.5, client=client).fit(rows, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    np.testing.assert_array_equal(again.predict(rows).compute(), model.predict(rows).compute())
    assert model.client_ is client
    new = clone(model)
    assert new.client is client
    assert new.C == 0.5
    assert not hasattr(new, "coef_")
    local = pickle.loads(pickle.dumps(model.to_local()))
    assert isinstance(local, LinearSVC)
    assert local.C == 0.5
    np.testing.assert_array_equal(local.predict(X), model.predict(rows).compute())


def test_warm_start_and_limits(client: Any) -> None:
    X, y = generated()
    rows = da.from_array(X, chunks=(SIZE, -1))
    model = DaskLinearSVC(warm_start=True, tol=1e-6).fit(rows, y)
    before = model.n_passes_
    assert model.fit(rows, y).n_passes_ < before
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        short = DaskLinearSVC(max_iter=1, tol=1e-12).fit(rows, y)
    assert short.status_ is Status.ITERATION_LIMIT
    assert short.certificate_.relative_gap > 1e-12


def test_what_is_persisted_stays_until_its_predictions_are_gone(client: Any) -> None:
    X, y = generated(2000)
    rows = da.from_array(X, chunks=(500, -1)).persist()
    model = DaskLinearSVC().fit(rows, y)
    found = model.predict(rows + 0.0), model.predict(rows)
    del rows
    gc.collect()
    for each in found:
        np.testing.assert_array_equal(each.compute(), model.to_local().predict(X))
    del found, each
    assert tasks_left(client) == 0


def test_data_that_come_with_the_graph_are_sent_once(client: Any) -> None:
    X, y = generated(60_000)
    rows = da.from_array(X, chunks=(10_000, -1))
    model = DaskLinearSVC().fit(rows, y)
    same_bits(model, LinearSVC().fit(RowBlocks.from_arrays(X, y, batch_size=10_000)))
    assert tasks_left(client) == 0


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"penalty": "l1", "loss": "hinge"}, "only with the penalty 'l2'"),
        ({"solver": "coordinate_descent"}, "'solver' parameter of LinearSVC"),
        ({"C": -1.0}, "'C' parameter of LinearSVC"),
        ({"multi_class": "joint"}, "Choose multi_class='ovr'"),
    ],
)
def test_parameters_that_blocks_do_not_have(how: dict[str, Any], said: str, client: Any) -> None:
    X, y = generated(600)
    with pytest.raises(InvalidInput, match=said):
        DaskLinearSVC(**how).fit(da.from_array(X, chunks=(300, -1)), y)


@pytest.mark.parametrize(("there", "here"), [(DaskLinearSVC, LinearSVC), (DaskLogisticRegression, LogisticRegression)])
def test_sparse_weights_have_the_bits_of_blocks(there: Any, here: Any, client: Any) -> None:
    X, y = generated(600)
    model = there(penalty="l1").fit(da.from_array(X, chunks=(300, -1)), y)
    same_bits(model, here(penalty="l1").fit(RowBlocks.from_arrays(X, y, batch_size=300)))
    assert model.status_ is Status.CONVERGED


@pytest.mark.parametrize("how", [{}, {"penalty": "l1"}])
def test_all_classes_at_once_have_the_bits_of_blocks(how: dict[str, Any], client: Any) -> None:
    X, y = generated(900, classes=3)
    rows = da.from_array(X, chunks=(300, -1))
    model = DaskLogisticRegression(**how).fit(rows, y)
    same_bits(model, LogisticRegression(**how).fit(RowBlocks.from_arrays(X, y, batch_size=300)))
    assert model.status_ is Status.CONVERGED
    assert model.coef_.shape == (3, X.shape[1])
    with pytest.raises(InvalidInput, match="chooses between two classes"):
        DaskLogisticRegression(threshold=0.3).fit(rows, y)


def test_rows_and_labels_that_do_not_fit(client: Any) -> None:
    X, y = generated(600)
    rows = da.from_array(X, chunks=(200, -1))
    with pytest.raises(InvalidInput, match=r"takes dask arrays and frames\. Got ndarray"):
        DaskLinearSVC().fit(X, y)
    with pytest.raises(InvalidInput, match="inconsistent numbers of samples: 600 and shape"):
        DaskLinearSVC().fit(rows, y[:-1])
    with pytest.raises(InvalidInput, match="needs y"):
        DaskLinearSVC().fit(rows, None)
    with pytest.raises(InvalidInput, match="got 1 class in all blocks"):
        DaskLinearSVC().fit(rows, np.ones(600))
    with pytest.raises(InvalidInput, match="must be a matrix"):
        DaskLinearSVC().fit(rows[:, 0], y)
    with pytest.raises(InvalidInput, match="all samples have zero or negative weights"):
        DaskLinearSVC().fit(rows, y, np.zeros(600))
    unknown = rows[rows[:, 0] > 0.0]
    with pytest.raises(InvalidInput, match="must be a collection of Dask"):
        DaskLinearSVC().fit(unknown, y)
    with pytest.raises(InvalidInput, match="has 3 blocks, and y has 2"):
        DaskLinearSVC().fit(unknown, da.from_array(y, chunks=300))
    with pytest.raises(InvalidInput, match=r"Block [012] of the dask array: Found input variables"):
        DaskLinearSVC().fit(unknown, da.from_array(y, chunks=200))
