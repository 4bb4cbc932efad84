"""A search of some cells of a grid: what it evaluates is as in the grid, and its best is nearly as good."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.preprocessing import scale

from maxmargin import SVCCV, SVRCV, LinearSVCCV, LogisticRegressionCV, NuSVCCV
from maxmargin.errors import InvalidInput
from maxmargin.model_selection._refined import _Lattice
from maxmargin.plots import search_surface


def _set(name: str) -> tuple[Any, Any]:
    X, y = {"cancer": load_breast_cancer, "wine": load_wine, "diabetes": load_diabetes}[name](return_X_y=True)
    return scale(X), y


SEARCHES: dict[str, Any] = {
    "cancer": lambda how: SVCCV(search=how),
    "wine": lambda how: SVCCV(search=how, multi_class="ovr"),
    "polynomials of wine": lambda how: SVCCV(search=how, kernel="poly", Cs=5, gammas=5, kernel_grid={"degree": [2, 3]}),
    "nu of wine": lambda how: NuSVCCV(search=how),
    "diabetes": lambda how: SVRCV(search=how),
    "linear cancer": lambda how: LinearSVCCV(search=how),
    "logistic cancer": lambda how: LogisticRegressionCV(search=how),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_cells_are_those_of_the_grid_and_the_best_is_as_good(name: str) -> None:
    X, y = _set(name.rsplit(maxsplit=1)[-1])
    grid, auto = (SEARCHES[name](how).fit(X, y) for how in ("grid", "auto"))
    assert grid.scores_.shape == auto.scores_.shape
    seen = ~np.isnan(auto.scores_)
    assert (seen == seen[:1]).all(), "a cell is evaluated on all folds, or on none"
    apart = np.abs(auto.scores_[seen] - grid.scores_[seen])  # starts differ, and with them here and there a row
    assert apart.max() <= 0.03
    assert apart.mean() <= 1e-3
    assert seen[0].sum() == len(auto.cv_results_["params"]) < 0.75 * seen[0].size
    deviation = grid.scores_.reshape(len(grid.scores_), -1).std(axis=0)[grid.best_index_]
    assert auto.best_score_ >= grid.best_score_ - max(0.5 * deviation / np.sqrt(len(grid.scores_)), 1e-3)
    assert np.isnan(auto.gaps_.reshape(seen.shape)[~seen]).all()
    best = auto.scores_.mean(axis=0)[seen[0]].max()
    assert auto.best_score_ == pytest.approx(best)


def test_the_neighbours_of_the_best_were_looked_at() -> None:
    X, y = _set("cancer")
    model = SVCCV(search="auto").fit(X, y)
    mean = model.scores_.mean(axis=0)
    rows, columns = np.nonzero(mean >= np.nanmax(mean) - 1e-12)
    looked = [
        not np.isnan(mean[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2]).any() for r, c in zip(rows, columns, strict=True)
    ]
    assert any(looked)
    search_surface(model)


def test_a_line_that_only_gets_worse_is_given_up() -> None:
    """Scores that fall with C: the dear cells of large C are not evaluated but near the best."""
    every = [{"C": float(c), "gamma": float(g)} for g in range(12) for c in range(12)]
    scores = np.full(len(every), np.nan)
    for wanted in _Lattice(every, "C").rounds(scores):
        assert np.isnan(scores[wanted]).all(), "no cell twice"
        for place in wanted:
            scores[place] = -every[place]["C"] - 0.1 * abs(every[place]["gamma"] - 6.0)
    seen = ~np.isnan(scores).reshape(12, 12)
    assert np.nanargmax(scores) == 6 * 12
    assert seen[6].any()
    assert not seen[[r for r in range(12) if r not in (5, 6, 7)], 8:].any()


def test_one_axis_and_grids_of_few_values() -> None:
    X, y = _set("cancer")
    for given in ({"gammas": 0.02}, {"Cs": [1.0]}, {"Cs": [1.0], "gammas": 0.02}, {"Cs": 2, "gammas": 2}, {"kernel": "linear"}):
        model = SVCCV(search="auto", **given).fit(X[:150], y[:150])
        assert model.best_score_ > 0.9


def test_a_search_that_there_is_not() -> None:
    X, y = _set("cancer")
    with pytest.raises(InvalidInput, match="The 'search' parameter of LinearSVCCV must be 'grid' or 'auto'"):
        LinearSVCCV(search="certified").fit(X, y)


@pytest.mark.parametrize("kind", [SVCCV, LogisticRegressionCV])
def test_it_prints_how_far_it_is(kind: Any, capsys: Any) -> None:
    X, y = _set("cancer")
    model = kind(search="auto", verbose=1).fit(X[:150], y[:150])
    said = capsys.readouterr().out
    count = len(model.cv_results_["params"])
    assert f"{count}/{count} candidates" in said
