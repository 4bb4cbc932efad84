"""What each fit of a search would say is said once, and what a search is given is checked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import RandomizedSearchCV as Reference
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.errors import IgnoredParameterWarning, InvalidInput
from maxmargin.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict, cross_val_score

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "up", "down")


def ignored(call: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [each for each in caught if each.category is IgnoredParameterWarning]


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("piped", [True, False])
def test_one_warning_for_a_search(piped: bool, shared: bool) -> None:
    """Also where every fit is one by itself, because of max_time."""
    model = SVC(max_time=None if shared else 60.0)
    grid = {"kernel": ["linear", "rbf"], "gamma": [0.1, 1.0, "scale"], "C": [1.0, 2.0]}
    if piped:
        model, grid = make_pipeline(StandardScaler(), model), {f"svc__{name}": values for name, values in grid.items()}
    (told,) = ignored(lambda: GridSearchCV(model, grid, cv=3).fit(X, Y))
    assert str(told.message) == (
        "In 4 of 12 candidates of GridSearchCV. The first: SVC ignores gamma=0.1: kernel='linear' has no parameter 'gamma'. "
        "Leave it at 'scale'."
    )
    assert told.filename == __file__


def test_no_warning_without_a_cause() -> None:
    assert ignored(lambda: GridSearchCV(SVC(), {"kernel": ["linear", "rbf"], "C": [1.0, 2.0]}).fit(X, Y)) == []


@pytest.mark.parametrize("call", [cross_val_score, cross_val_predict])
def test_one_warning_for_a_cross_validation(call: Any) -> None:
    (told,) = ignored(lambda: call(SVC(kernel="linear", degree=2), X, Y))
    assert str(told.message).startswith("SVC ignores degree=2: kernel='linear' has no parameter 'degree'.")
    assert told.filename == __file__


def test_warnings_that_are_errors_end_the_search() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", IgnoredParameterWarning)
        with pytest.raises(IgnoredParameterWarning, match=r"SVC ignores gamma=0\.1"):
            GridSearchCV(SVC(kernel="linear"), {"gamma": [0.1]}).fit(X, Y)


def test_candidates_that_are_drawn_are_those_of_scikit_learn() -> None:
    """A generator of random numbers is asked once, whatever is looked at before the fits."""
    drawn = {"C": np.logspace(-2, 2, 50), "gamma": np.logspace(-2, 2, 50)}
    ours = RandomizedSearchCV(SVC(), drawn, n_iter=6, random_state=np.random.RandomState(4)).fit(X, Y)
    theirs = Reference(SVC(), drawn, n_iter=6, random_state=np.random.RandomState(4)).fit(X, Y)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]


@pytest.mark.parametrize("given", [3, "yes", None])
def test_keep_best_is_yes_or_no(given: Any) -> None:
    with pytest.raises(InvalidInput, match=r"The 'keep_best' parameter of GridSearchCV must be an instance of 'bool'.*Got"):
        GridSearchCV(SVC(), {"C": [1.0]}, keep_best=given).fit(X, Y)
    with pytest.raises(InvalidInput, match="The 'keep_best' parameter of RandomizedSearchCV must be"):
        RandomizedSearchCV(SVC(), {"C": [1.0]}, n_iter=1, keep_best=given).fit(X, Y)
