"""The picture of a search."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin import SVC, SVCCV
from maxmargin.errors import InvalidInput
from maxmargin.model_selection import GridSearchCV
from maxmargin.plots import canvas, search_surface


@pytest.fixture(scope="module")
def search() -> Any:
    return SVCCV(Cs=5, gammas=4).fit(*load_iris(return_X_y=True))


def test_the_best_is_marked(search: Any) -> None:
    _, ax = canvas()
    assert search_surface(search, ax=ax) is ax
    (mesh,) = ax.collections
    assert np.allclose(np.asarray(mesh.get_array()), search.scores_.mean(axis=0))
    (ring,) = ax.lines
    assert [ring.get_xdata()[0], ring.get_ydata()[0]] == [search.C_, search.gamma_]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_axes_can_be_chosen(search: Any) -> None:
    _, ax = canvas()
    search_surface(search, x="gamma", ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("gamma", "C")


def test_what_was_chosen_is_crossed() -> None:
    X, y = load_iris(return_X_y=True)
    found = GridSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.001, 0.1]}, refit=lambda results: 0).fit(X, y)
    _, ax = canvas()
    search_surface(found, ax=ax)
    assert len(ax.lines) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"x": "degree"}, "has no parameter 'degree' with several numbers. It has: C, gamma"),
        ({"metric": "f1"}, "has no score 'f1'. Its scores are: score"),
        ({"x": "C", "y": "C"}, "over two parameters"),
    ],
)
def test_what_cannot_be_drawn(search: Any, wrong: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        search_surface(search, **wrong)


def test_what_is_no_search() -> None:
    with pytest.raises(InvalidInput, match="a fitted search, which has cv_results_"):
        search_surface(SVC())
