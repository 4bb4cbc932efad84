"""What is drawn: levels, regions, rows by kind, rings, legend, labels."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, solve
from maxmargin.kernels import RBF
from maxmargin.plots import canvas, decision_boundary
from maxmargin.problems import SoftMargin
from maxmargin.solution import Kind

WORDS = {
    Kind.NON_INFORMATIVE: "non-informative",
    Kind.BOUNDARY: "on the margin",
    Kind.INSIDE_RIGHT: "inside the band, right",
    Kind.WRONG: "misclassified",
}


def legend_counts(ax: Any) -> dict[str, int]:
    """Numbers in brackets behind the words of the legend."""
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    found = [re.fullmatch(r"(.*) \((\d+)\)", text) for text in texts]
    return {match[1]: int(match[2]) for match in found if match}


def drawn_counts(ax: Any) -> dict[Kind, int]:
    """Rows drawn with the mark of each kind, over all classes."""
    counts = dict.fromkeys(Kind, 0)
    for collection in ax.collections:
        name = (collection.get_gid() or "").partition(":")[0]
        if name in Kind.__members__:
            counts[Kind[name]] += len(collection.get_offsets())
    return counts


def artists(ax: Any, gid: str) -> list[Any]:
    return [artist for artist in ax.collections if artist.get_gid() == gid]


def is_beside(ax: Any) -> bool:
    """Whether the legend is beside the axes, not over the data."""
    return bool(ax.get_legend().get_bbox_to_anchor().x0 > ax.bbox.x1)


def texts_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_two_classes_show_boundary_and_margin(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    assert decision_boundary(model, X, y, ax=ax) is ax
    (lines,) = artists(ax, "boundary")
    assert lines.levels.tolist() == [-1.0, 0.0, 1.0]
    for level, paths in zip(lines.levels, lines.get_paths(), strict=True):
        f = model.decision_function(paths.vertices)
        assert np.abs(f - level).max() < 0.01
    assert {"boundary  f = 0", "margin  f = ±1", "0", "1"} <= set(texts_of(ax))


def test_kinds_are_those_of_the_solution(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    taxonomy = np.asarray(model.solutions_[0].taxonomy)
    expected = {kind: int(np.sum(taxonomy == kind)) for kind in Kind}
    assert min(expected.values()) > 0  # the data has all four
    assert drawn_counts(ax) == expected
    counts = legend_counts(ax)
    assert {kind: counts[words] for kind, words in WORDS.items()} == expected
    assert expected[Kind.WRONG] == int(np.sum(model.predict(X) != y))


def test_each_row_is_drawn_once_in_the_colour_of_its_class(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    colours = {}
    for k in (0, 1):
        of_class = [a for a in ax.collections if (a.get_gid() or "").endswith(f":{k}")]
        points = np.concatenate([np.asarray(a.get_offsets()) for a in of_class])
        assert sorted(map(tuple, points)) == sorted(map(tuple, X[y == k]))
        seen = {tuple(a.get_facecolor()[0][:3]) for a in of_class}
        assert len(seen) == 1
        colours[k] = seen.pop()
    assert colours[0] != colours[1]


def test_support_vectors_are_ringed(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    (rings,) = artists(ax, "support")
    assert np.array_equal(rings.get_offsets(), X[model.support_])
    assert legend_counts(ax)["support vector"] == len(model.support_)


def test_other_rows_than_those_trained_on_have_kinds_but_no_rings(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    decision_boundary(model, X[::2] + 0.1, y[::2], ax=ax)
    yf = np.where(y[::2] == 1, 1, -1) * model.decision_function(X[::2] + 0.1)
    assert not artists(ax, "support")
    assert "support vector" not in legend_counts(ax)
    assert drawn_counts(ax)[Kind.WRONG] == int(np.sum(yf <= 0))
    assert sum(drawn_counts(ax).values()) == len(yf)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "joint"])
def test_several_classes(three: Any, multi_class: str) -> None:
    X, y, _ = three
    model = SVC(multi_class=multi_class).fit(X, y)
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    assert texts_of(ax)[:3] == ["ant", "bee", "cat"]
    assert drawn_counts(ax)[Kind.WRONG] == int(np.sum(model.predict(X) != y))
    assert sum(drawn_counts(ax).values()) == len(y)
    outside = np.setdiff1d(np.arange(len(y)), model.support_)
    assert drawn_counts(ax)[Kind.NON_INFORMATIVE] <= len(outside)
    lines = artists(ax, "boundary")
    assert len(lines) == 3
    for contour in lines:  # on either side of a boundary the prediction differs
        vertices = contour.get_paths()[0].vertices
        steps = np.concatenate([vertices + shift for shift in ([0.05, 0], [-0.05, 0], [0, 0.05], [0, -0.05])])
        predicted = model.predict(steps).reshape(4, -1)
        assert np.mean([len(set(column)) > 1 for column in predicted.T]) > 0.95


def test_regions_are_the_predictions(three: Any) -> None:
    X, y, model = three
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax, resolution=31)
    (mesh,) = [a for a in ax.collections if type(a).__name__ == "QuadMesh"]
    across = np.linspace(*ax.get_xlim(), 31)
    up = np.linspace(*ax.get_ylim(), 31)
    points = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    assert np.array_equal(model.classes_[np.asarray(mesh.get_array()).ravel()], model.predict(points))


@pytest.mark.parametrize("count", [10, 12])
def test_many_classes_have_different_colours(count: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 2))
    y = np.floor(count / 2 * (np.arctan2(X[:, 1], X[:, 0]) / np.pi + 1)).astype(int)
    model = SVC(C=10).fit(X, y)
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax, resolution=40)
    handles = ax.get_legend().legend_handles[: len(model.classes_)]
    assert len({handle.get_facecolor() for handle in handles}) == len(model.classes_) == count


def test_a_solution_can_be_drawn(two: Any) -> None:
    X, y, _ = two
    solution = solve(SoftMargin(X, y, C=2.0, kernel=RBF(0.5)))
    _, ax = canvas()
    decision_boundary(solution, X, y, ax=ax)
    taxonomy = np.asarray(solution.taxonomy)
    assert drawn_counts(ax) == {kind: int(np.sum(taxonomy == kind)) for kind in Kind}
    (rings,) = artists(ax, "support")
    assert np.array_equal(rings.get_offsets(), X[solution.support])
    (lines,) = artists(ax, "boundary")
    f = solution.decision_function(lines.get_paths()[1].vertices)
    assert np.abs(f).max() < 0.01


def test_a_pipeline_is_drawn_in_the_units_it_takes(two: Any) -> None:
    X, y, _ = two
    X = X * [1.0, 50.0] + [0.0, 1000.0]
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    (lines,) = artists(ax, "boundary")
    assert np.abs(model.decision_function(lines.get_paths()[1].vertices)).max() < 0.01
    (rings,) = artists(ax, "support")
    assert len(rings.get_offsets()) == len(model[-1].support_)


def test_weights_that_drop_rows(two: Any) -> None:
    X, y, _ = two
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    model = SVC(C=2.0).fit(X, y, sample_weight=weight)
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    assert drawn_counts(ax)[Kind.WRONG] == int(np.sum(model.predict(X) != y))
    (rings,) = artists(ax, "support")
    assert np.array_equal(rings.get_offsets(), X[model.support_])


def test_a_slice_of_more_features(two: Any) -> None:
    X2, y, _ = two
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.standard_normal(len(y)), X2[:, 0], rng.exponential(size=len(y)), X2[:, 1]])
    model = SVC().fit(X, y)
    given = [1.0, 2.0, 3.0, 4.0]
    for fixed, base in [("median", np.median(X, axis=0)), ("mean", X.mean(axis=0)), (given, given)]:
        _, ax = canvas()
        decision_boundary(model, X, y, ax=ax, features=(3, 1), fixed=fixed)
        (lines,) = artists(ax, "boundary")
        vertices = lines.get_paths()[1].vertices
        points = np.repeat(np.asarray(base, dtype=float)[None, :], len(vertices), axis=0)
        points[:, 3], points[:, 1] = vertices[:, 0], vertices[:, 1]
        assert np.abs(model.decision_function(points)).max() < 0.01
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature 3", "feature 1")
        assert ax.get_title("left").startswith("Slice: 2 other features held at")
        taxonomy = np.asarray(model.solutions_[0].taxonomy)  # from all features, not from the slice
        assert drawn_counts(ax) == {kind: int(np.sum(taxonomy == kind)) for kind in Kind}


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_data_frames_name_the_axes(two: Any, library: Any) -> None:
    X, y, _ = two
    frame = library.DataFrame({"width": X[:, 0], "height": X[:, 1], "depth": X[:, 0] ** 2})
    model = SVC().fit(frame, y)
    _, ax = canvas()
    decision_boundary(model, frame, y, ax=ax, features=("height", "width"))  # a warning here is an error
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "width")
    assert ax.get_title("left") == "Slice: 1 other feature held at its median"
    assert len(artists(ax, "support")) == 1


def test_feature_names_for_arrays(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax, feature_names=["u", "v"], features=["v", "u"])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("v", "u")


@pytest.mark.parametrize("fixed", ["median", "mean"])
def test_sparse_rows(two: Any, fixed: str) -> None:
    X2, y, _ = two
    dense = np.column_stack([X2, np.where(np.arange(len(y)) % 3 == 0, X2[:, 0], 0.0)])
    X = sparse.csr_matrix(dense)
    _, one = canvas()
    decision_boundary(SVC().fit(X, y), X, y, ax=one, features=(0, 1), fixed=fixed)
    _, other = canvas()
    decision_boundary(SVC().fit(dense, y), dense, y, ax=other, features=(0, 1), fixed=fixed)
    assert legend_counts(one) == legend_counts(other)
    (a,), (b,) = artists(one, "boundary"), artists(other, "boundary")
    assert np.allclose(a.get_paths()[1].vertices, b.get_paths()[1].vertices, atol=1e-4)


def test_lists_and_string_labels(two: Any) -> None:
    X, y, _ = two
    names = ["yes" if label else "no" for label in y]
    model = SVC().fit(X.tolist(), names)
    _, ax = canvas()
    decision_boundary(model, X.tolist(), names, ax=ax)
    assert texts_of(ax)[:2] == ["no", "yes"]
    assert len(artists(ax, "support")) == 1


def test_band_wider_than_the_picture(two: Any) -> None:
    X, y, _ = two
    model = SVC(C=1e-4).fit(X, y)
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax)
    assert sum(drawn_counts(ax).values()) == len(y)


def test_a_constant_feature(two: Any) -> None:
    X, y, _ = two
    X = np.column_stack([X[:, 0], np.full(len(y), 3.0)])
    _, ax = canvas()
    decision_boundary(SVC().fit(X, y), X, y, ax=ax)
    low, high = ax.get_ylim()
    assert low < 3.0 < high


def test_default_axes_are_a_new_pyplot_figure(two: Any) -> None:
    X, y, model = two
    before = set(pyplot.get_fignums())
    ax = decision_boundary(model, X, y, resolution=20)
    assert set(pyplot.get_fignums()) - before == {ax.figure.number}
    assert is_beside(ax)


def test_legend_is_beside_the_axes_where_the_layout_makes_room(two: Any) -> None:
    X, y, model = two
    for layout, place, beside in [
        ("constrained", "auto", True),
        (None, "auto", False),
        ("constrained", "inside", False),
        (None, "outside", True),
    ]:
        figure, ax = pyplot.subplots(layout=layout)
        decision_boundary(model, X, y, ax=ax, resolution=20, legend=place)
        figure.canvas.draw()
        assert is_beside(ax) is beside


def test_legend_can_be_left_out(two: Any) -> None:
    X, y, model = two
    _, ax = canvas()
    assert decision_boundary(model, X, y, ax=ax, resolution=20, legend=None).get_legend() is None


def test_the_model_is_not_changed(three: Any) -> None:
    X, y, model = three
    before = model.get_params()
    _, ax = canvas()
    decision_boundary(model, X, y, ax=ax, resolution=20)
    assert model.get_params() == before
    assert model.decision_function_shape == "ovr"
