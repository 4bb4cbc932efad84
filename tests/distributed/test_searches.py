"""Searches whose paths are tasks on a cluster: the scores of searches here, and what may happen to them."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVCCV, SVR, LinearSVC, LinearSVCCV, LogisticRegression
from maxmargin.errors import DistributedError, InvalidInput, MissingExtra
from maxmargin.kernels import UserFunction
from maxmargin.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_score

from ._rows import generated, tasks_left

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.alone

GRIDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "pairs of classes": (SVC(), {"C": [0.1, 1.0, 10.0], "gamma": [0.05, 0.5]}),
    "a kernel for each fold": (SVC(gamma="scale"), {"C": [0.1, 1.0, 10.0]}),
    "regression": (SVR(), {"C": [0.1, 1.0], "epsilon": [0.05, 0.2]}),
    "linear": (LinearSVC(), {"C": [0.01, 1.0, 100.0], "loss": ["hinge", "squared_hinge"]}),
    "logistic": (LogisticRegression(), {"C": [0.1, 10.0]}),
    "pipeline": (make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1.0], "svc__gamma": [0.1, 0.5]}),
    "of scikit-learn": (Ridge(), {"alpha": [0.1, 1.0]}),
}


@pytest.mark.parametrize("name", GRIDS)
def test_the_same_scores_as_here(name: str, client: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model, grid = GRIDS[name]
    here = GridSearchCV(model, grid, return_train_score=True).fit(X, y)
    there = GridSearchCV(model, grid, return_train_score=True, client=client).fit(X, y)
    for key in (key for key in here.cv_results_ if key.endswith("_score")):
        np.testing.assert_array_equal(there.cv_results_[key], here.cv_results_[key])
    assert there.best_params_ == here.best_params_
    np.testing.assert_array_equal(there.predict(X), here.predict(X))
    assert "tasks ran on a cluster" in there.shared_
    if name != "of scikit-learn":
        np.testing.assert_array_equal(there.gaps_, here.gaps_)
    del there
    assert tasks_left(client) == 0


def test_each_path_on_each_fold_is_a_task(client: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model, grid = GRIDS["pairs of classes"]
    search = GridSearchCV(model, grid, cv=4, client=client).fit(X, y)
    assert search.shared_.startswith("8 tasks ran on a cluster. 24 fits of SVC are 8 paths.")


@pytest.mark.parametrize("model", [SVCCV(Cs=3, gammas=2, cv=3), LinearSVCCV(Cs=4, cv=3), SVCCV(search="auto", cv=3)])
def test_estimators_that_choose_their_own(model: Any, client: Any) -> None:
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    here, there = clone(model).fit(X, y, weight), clone(model).set_params(client=client).fit(X, y, weight)
    np.testing.assert_array_equal(there.scores_, here.scores_)
    np.testing.assert_array_equal(there.decision_function(X), here.decision_function(X))
    assert clone(there).client is client
    assert pickle.loads(pickle.dumps(there)).client is None


def test_draws_groups_and_several_scores(client: Any) -> None:
    X, y = load_iris(return_X_y=True)
    groups = np.arange(len(X)) % 7
    how: dict[str, Any] = {"n_iter": 4, "random_state": 0, "cv": GroupKFold(3), "scoring": ["accuracy", "f1_macro"]}
    here = RandomizedSearchCV(SVC(), {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}, refit="accuracy", **how)
    there = clone(here).set_params(client=client).fit(X, y, groups=groups)
    here.fit(X, y, groups=groups)
    np.testing.assert_array_equal(there.cv_results_["mean_test_f1_macro"], here.cv_results_["mean_test_f1_macro"])
    assert clone(there).client is client
    np.testing.assert_array_equal(cross_val_score(SVC(), X, y, client=client), cross_val_score(SVC(), X, y))


def test_failures_are_those_of_here(client: Any) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.warns(FitFailedWarning, match=r"5 fits failed out of a total of 10(?s:.*)First: Candidate 1, fold 0"):
        search = GridSearchCV(SVC(), {"C": [1.0, -1.0]}, client=client).fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
    with pytest.raises(InvalidInput, match="'C' parameter of SVC"):
        GridSearchCV(SVC(), {"C": [-1.0]}, error_score="raise", client=client).fit(X, y)
    assert tasks_left(client) == 0


class Deadly:
    """A kernel whose process dies, the first few times or always."""

    def __init__(self, folder: str, kills: int) -> None:
        self.folder, self.kills, self.__name__ = folder, kills, "deadly"
        self.here = os.getpid()

    def __call__(self, U: Any, V: Any) -> Any:
        place = Path(self.folder)
        done = len(list(place.glob("kill-*")))
        if os.getpid() != self.here and done < self.kills:
            (place / f"kill-{done}").touch()
            os.kill(os.getpid(), 9)
        return U @ V.T


@pytest.mark.parametrize("n", [1])
def test_a_worker_is_killed_in_the_midst_of_a_search(n: int, client: Any, tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    grid = {"C": [0.01, 0.1]}
    there = GridSearchCV(SVC(kernel=UserFunction(Deadly(str(tmp_path), n))), grid, client=client).fit(X, y)
    assert len(list(tmp_path.glob("kill-*"))) == n
    here = GridSearchCV(SVC(kernel=UserFunction(Deadly(str(tmp_path), 0))), grid).fit(X, y)
    np.testing.assert_array_equal(there.cv_results_["mean_test_score"], here.cv_results_["mean_test_score"])


def test_workers_that_always_die_give_an_error(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        search = GridSearchCV(SVC(kernel=UserFunction(Deadly(str(tmp_path), 99))), {"C": [0.1]}, client=client)
        with pytest.raises(DistributedError, match=r"every worker that ran it died|data that it needs are lost"):
            search.fit(X, y)
        assert not hasattr(search, "cv_results_")


class Slow:
    """A kernel that takes its time."""

    __name__ = "slow"

    def __call__(self, U: Any, V: Any) -> Any:
        time.sleep(0.5)
        return U @ V.T


def test_ctrl_c_leaves_no_task_behind(client: Any) -> None:
    X, y = generated(300)
    search = GridSearchCV(SVC(kernel=UserFunction(Slow())), {"C": np.logspace(-3, 1, 5).tolist()}, cv=20, client=client)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(1.5, press).start()
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert time.monotonic() - pressed[0] < 1.0
    assert tasks_left(client) == 0


def test_refusals(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match=r"'client' parameter of GridSearchCV must be a distributed\.Client"):
        GridSearchCV(SVC(), {"C": [1.0]}, client="there").fit(X, y)
    with pytest.raises(InvalidInput, match="search='certified' goes from C to C in one process"):
        SVCCV(search="certified", gammas=[0.1], client=client).fit(X[:100], y[:100])
    monkeypatch.setitem(sys.modules, "distributed", None)
    for model in (GridSearchCV(SVC(), {"C": [1.0]}, client=client), LinearSVCCV(client=client)):
        with pytest.raises(MissingExtra, match=r'pip install "maxmargin\[dask\]"'):
            model.fit(X, y)
