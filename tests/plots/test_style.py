"""One style: colours that colour-blind readers tell apart, light and dark."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from maxmargin import SVC, LinearSVC
from maxmargin.errors import InvalidInput
from maxmargin.plots import canvas, decision_boundary, margin_losses, style
from maxmargin.plots._dress import columns_for
from maxmargin.plots._style import theme_of

VISION = {  # Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB
    "usual": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def _lab(colour: Any, seen: Any) -> Any:
    """CIELAB of a colour as somebody sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(seen @ linear, 0.0, 1.0)
    xyz = (
        np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
        @ linear
    )
    t = xyz / np.array([0.95047, 1.0, 1.08883])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


@pytest.mark.parametrize("seen", VISION)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_of_six_classes_can_be_told_apart(mode: str, seen: str) -> None:
    with style(mode):
        _, ax = canvas(2.0, 2.0)
    theme = theme_of(ax)
    labs = [_lab(colour, VISION[seen]) for colour in theme.palette[:6]]
    nearest = min(float(np.linalg.norm(a - b)) for a, b in combinations(labs, 2))
    assert nearest > 11.0  # some 2.3 are just noticeable side by side
    paper = _lab(theme.paper, VISION[seen])
    assert min(float(np.linalg.norm(lab - paper)) for lab in labs) > 25.0
    assert abs(_lab(theme.ink, VISION[seen])[0] - paper[0]) > 70.0


def test_pictures_follow_the_background() -> None:
    with style("dark"):
        figure, ax = canvas(3.0, 2.0)
    assert to_rgb(figure.get_facecolor()) == to_rgb(ax.get_facecolor())
    margin_losses(ax)  # outside the context: the axes say what they are
    figure.draw_without_rendering()
    ink = to_rgb(theme_of(ax).ink)
    assert sum(ink) > 2.5
    assert all(to_rgb(label.get_color()) == ink for label in [*ax.get_xticklabels(), ax.xaxis.label, ax.yaxis.label])
    assert all(to_rgb(text.get_color()) == ink for text in ax.get_legend().get_texts())
    with pyplot.style.context("dark_background"):
        _, ax = pyplot.subplots()
        assert sum(to_rgb(theme_of(margin_losses(ax)).ink)) > 2.5
    _, ax = canvas(3.0, 2.0)
    assert sum(to_rgb(theme_of(margin_losses(ax)).ink)) < 0.6
    ax.set_facecolor("none")
    ax.figure.set_facecolor("black")
    assert sum(to_rgb(theme_of(ax).ink)) > 2.5, "what is behind transparent axes counts"


def test_settings_are_as_before() -> None:
    before = dict(matplotlib.rcParams)
    with style("dark"):
        assert matplotlib.rcParams["axes.facecolor"] != before["axes.facecolor"]
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(InvalidInput, match=r"must be 'light' or 'dark'. Got 'sepia' instead"):
        style("sepia")


@pytest.mark.parametrize("width", [3.0, 7.5])
def test_a_legend_does_not_cover_a_narrow_picture(width: float, two: tuple[Any, Any, SVC]) -> None:
    X, y, model = two
    figure, ax = canvas(width, 4.0)
    decision_boundary(model, X, y, ax=ax, resolution=20)
    figure.draw_without_rendering()
    legend, axes = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert not legend.overlaps(axes)
    assert figure.bbox.x1 + 1.0 >= legend.x1


def test_marks_grow_with_the_picture_and_shrink_with_their_number(two: tuple[Any, Any, SVC]) -> None:
    X, y, model = two
    sizes = []
    for width in (4.0, 14.0):
        _, ax = canvas(width, 0.66 * width)
        decision_boundary(model, X, y, ax=ax, resolution=20)
        sizes.append(max(float(artist.get_sizes()[0]) for artist in ax.collections if artist.get_gid() == "WRONG:0"))
    assert sizes[0] < sizes[1]


def test_a_legend_below_leaves_the_words_of_the_axis_free_and_ends_inside_the_picture() -> None:
    """Eleven classes and eight marks on 600 pixels: the higher the legend, the lower the axes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(220, 2)), np.repeat(np.arange(11.0), 20)
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    ax = decision_boundary(SVC().fit(X, y), X, y, ax=figure.subplots(), resolution=15)
    FigureCanvasAgg(figure).draw()
    legend = ax.get_legend().get_window_extent()
    assert not legend.overlaps(ax.xaxis.label.get_window_extent())
    assert legend.y0 >= -1.0
    assert [text.get_text() for text in ax.get_legend().get_texts()][:2] == ["0", "1"]  # not 0.0


@pytest.mark.parametrize("count", range(2, 12))
def test_columns_of_a_legend_below_fit_into_the_picture(count: int) -> None:
    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    ax = figure.subplots()
    for k in range(count):
        ax.plot([0, 1], [0, k], label=f"gamma = {10.0**-k:.3g}")
    columns = columns_for([str(line.get_label()) for line in ax.lines], 6.0)
    legend = ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize="small", ncols=columns)
    FigureCanvasAgg(figure).draw()
    assert legend.get_window_extent().width < figure.bbox.width


def test_colours_of_many_classes_are_seen_on_dark_paper() -> None:
    with style("dark"):
        colours = theme_of(Figure().subplots()).colours(26)
    assert min(0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in colours) > 0.44


def test_small_marks_have_no_edge_that_would_hide_them() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 2))
    y = (X[:, 0] > 0).astype(int)
    ax = decision_boundary(LinearSVC().fit(X, y), X, y, ax=Figure((6.0, 4.0)).subplots(), resolution=15)
    assert {float(part.get_linewidths()[0]) for part in ax.collections if ":" in str(part.get_gid())} == {0.0}
