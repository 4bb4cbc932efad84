"""What was mended after looking at pictures of real sets, at 600 and 1400 pixels."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.preprocessing import scale

from maxmargin import SVC, SVDD, SVR, KernelLogisticRegression, LinearSVC, OneClassSVM, solve
from maxmargin.kernels import RBF
from maxmargin.model_selection import GridSearchCV
from maxmargin.plots import (
    alphas,
    convergence,
    decision_boundary,
    embedding,
    kernel_matrix,
    margin_distribution,
    ordinary_region,
    path,
    relevance,
    search_surface,
)
from maxmargin.problems import SoftMargin


def _axes(width: float = 6.0, height: float = 4.0) -> Any:
    return Figure(figsize=(width, height), layout="constrained").subplots()


def _words(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_multipliers_of_a_regression_are_on_the_edge_below_C_and_outside_at_C() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = SVR(C=100.0, epsilon=20.0).fit(X, y)
    alpha = np.abs(model.dual_coef_[0])
    full = int((alpha == 100.0).sum())
    edge = len(alpha) - full
    assert _words(alphas(model, ax=_axes())) == [
        f"on the edge ({edge})",
        f"outside ({full})",
        f"α = 0, not drawn ({442 - len(alpha)})",
    ]


@pytest.mark.parametrize("model", [OneClassSVM(nu=0.2), SVDD(nu=0.2)], ids=["OneClassSVM", "SVDD"])
def test_multipliers_of_one_class_are_of_rows_on_the_edge_and_outside(model: Any) -> None:
    X = scale(load_iris().data)
    solution = model.fit(X).solutions_[0]
    outside = int((solution.slack > 1e-6).sum())
    assert outside > 10
    words = _words(alphas(model, ax=_axes()))
    assert words[:2] == [f"on the edge ({len(solution.support) - outside})", f"outside ({outside})"]


def test_candidates_that_are_no_grid_are_dots_with_the_best_on_top() -> None:
    X, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    grid = [{"C": [float(C)], "gamma": [float(g)]} for C, g in np.exp(rng.uniform(-4.0, 4.0, (12, 2)))]
    search = GridSearchCV(SVC(), grid, cv=2).fit(X, y)
    ax = search_surface(search, ax=_axes())
    (dots,) = ax.collections
    assert len(dots.get_offsets()) == 12
    shown = np.asarray(dots.get_array())
    assert (np.diff(shown) >= 0.0).all()
    (ring,) = ax.lines
    assert [ring.get_xdata()[0], ring.get_ydata()[0]] == [search.best_params_["C"], search.best_params_["gamma"]]


def test_the_ring_in_the_legend_of_a_search_is_seen_on_white_paper() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, cv=2).fit(X, y)
    ax = search_surface(search, ax=_axes(), legend=True)
    (handle,) = ax.get_legend().legend_handles
    assert handle.get_path_effects()  # a dark line around the white one


def test_names_of_many_features_do_not_overlap() -> None:
    data = load_breast_cancer()
    X = scale(data.data)
    ax = relevance(LinearSVC().fit(X, data.target), X, feature_names=data.feature_names, most=30, ax=_axes(6.0, 2.5))
    FigureCanvasAgg(ax.figure).draw()
    boxes = sorted((label.get_window_extent() for label in ax.get_yticklabels()), key=lambda box: float(box.y0))
    assert all(below.y1 <= above.y0 + 1.0 for below, above in itertools.pairwise(boxes))


def test_features_that_are_not_drawn_are_named_with_their_share() -> None:
    data = load_breast_cancer()
    X = scale(data.data)
    ax = relevance(LinearSVC().fit(X, data.target), X, most=29, ax=_axes())
    assert len(ax.patches) == 29
    (note,) = [ax.get_title(loc="left")]
    assert note.startswith("1 other feature has ")
    many = relevance(LinearSVC().fit(X, data.target), X, most=5, ax=_axes()).get_title(loc="left")
    assert many.startswith("25 other features have ")
    assert many.endswith("% together")


def test_numbers_that_are_whole_are_classes_of_a_kernel_matrix_and_targets_are_not() -> None:
    X, y = load_iris(return_X_y=True)
    ax = kernel_matrix(RBF(0.5), X, y.astype(float), ax=_axes())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1", "2"]
    assert kernel_matrix(RBF(0.5), X, X[:, 0], ax=_axes()).get_xlabel() == "rows, by label"
    assert kernel_matrix(RBF(0.5), X, np.arange(150), ax=_axes()).get_xlabel() == "rows, by label"


def test_numbers_of_rows_are_whole() -> None:
    X, y = load_iris(return_X_y=True)
    model = SVC().fit(X, y)
    for ax in (margin_distribution(model, X, y, ax=_axes()), alphas(model, ax=_axes())):
        FigureCanvasAgg(ax.figure).draw()
        assert all(float(tick).is_integer() for tick in ax.get_yticks())


def test_an_axis_of_time_has_two_numbers_that_do_not_overlap() -> None:
    X, y = load_iris(return_X_y=True)
    solution = solve(SoftMargin(X[50:], y[50:]))
    ax = convergence(solution, ax=_axes())
    low, high = ax.get_xlim()
    assert np.log10([low, high]) == pytest.approx(np.round(np.log10([low, high])))
    FigureCanvasAgg(ax.figure).draw()
    shown = [label for label in ax.get_xticklabels() if label.get_text()]
    assert len(shown) >= 2


def test_four_axes_of_a_narrow_picture_keep_its_width_and_whole_words() -> None:
    X, y = load_iris(return_X_y=True)
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    problem = SoftMargin(X[50:], y[50:])
    panels = convergence([solve(problem), solve(problem, solver="dual_qp")], axes=figure.subplots(2, 2))
    FigureCanvasAgg(figure).draw()
    assert panels[0, 1].get_window_extent().x1 > 0.97 * figure.bbox.width
    for row in panels:
        box = row[0].yaxis.label.get_window_extent()
        assert box.y1 <= figure.bbox.height
    assert not panels[0, 0].yaxis.label.get_window_extent().overlaps(panels[1, 0].yaxis.label.get_window_extent())


def test_a_note_is_seen_below_a_title_of_ones_own() -> None:
    data = load_breast_cancer()
    X = scale(data.data)
    ax = relevance(LinearSVC().fit(X, data.target), X, most=5, title="what counts", ax=_axes())
    (note,) = [text for text in ax.texts if text.get_gid() == "note"]
    assert note.get_text().startswith("25 other features have ")
    FigureCanvasAgg(ax.figure).draw()
    title, words = ax.title.get_window_extent(), note.get_window_extent()
    assert ax.bbox.y1 <= words.y0 < words.y1 <= title.y0 + 1.0
    assert title.y1 <= ax.figure.bbox.height
    sliced = decision_boundary(SVC().fit(X, data.target), X, data.target, features=(0, 1), title="t", ax=_axes())
    assert "Slice: 28 other features held at their median" in [text.get_text() for text in sliced.texts]


def test_a_path_tells_its_band_and_its_other_lines_can_be_seen() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}, cv=3).fit(X, y)
    assert _words(path(search, ax=_axes(), legend="below"))[-1] == "± standard deviation of the folds"
    data = load_breast_cancer()
    models = [LinearSVC(C=C).fit(scale(data.data), data.target) for C in (0.01, 0.1)]
    ax = path(models, ax=_axes(), legend="below")
    assert _words(ax)[-1] == "22 others"
    thin = ax.lines[0]
    ink = np.array(to_rgb(thin.get_color())) * thin.get_alpha() + 1.0 - thin.get_alpha()
    assert ink.max() < 0.8  # on white paper, where a grid is 0.87


def test_lines_beside_a_boundary_are_named() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    ax = embedding(SVC().fit(X, y), X, y, along="decision", ax=_axes(), legend="below")
    assert _words(ax)[-1] == "margin  f = ±1"
    ax = decision_boundary(KernelLogisticRegression().fit(X[:, :2], y), X[:, :2], y, ax=_axes(), legend="below")
    assert _words(ax)[-1] == "probability 10 %, 90 %"


def test_marks_of_a_legend_do_not_lie_on_each_other() -> None:
    X = scale(load_iris().data[:, :2])
    ax = ordinary_region(OneClassSVM(nu=0.2).fit(X), X, ax=_axes(14.0, 9.0), legend="outside")
    FigureCanvasAgg(ax.figure).draw()
    boxes = [handle.get_window_extent() for handle in ax.get_legend().legend_handles]
    assert all(below.y1 <= above.y0 + 1.0 for above, below in itertools.pairwise(boxes))
