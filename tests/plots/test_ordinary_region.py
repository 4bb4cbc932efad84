"""The region of ordinary rows: its edge, its rows, and what cannot be drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVDD, OneClassSVM
from maxmargin.errors import InvalidInput
from maxmargin.plots import canvas, ordinary_region

X = np.random.default_rng(1).normal(size=(80, 2)) + 3.0


def marks(ax: Any, gid: str) -> Any:
    (found,) = [artist for artist in ax.collections if artist.get_gid() == gid]
    return np.asarray(found.get_offsets())


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("Model", [OneClassSVM, SVDD])
def test_edge_and_rows(Model: Any, kernel: str) -> None:
    model = Model(kernel=kernel, nu=0.15, tol=1e-8).fit(X)
    _, ax = canvas()
    assert ordinary_region(model, X, ax=ax) is ax
    (edge,) = [artist for artist in ax.collections if artist.get_gid() == "boundary"]
    f = model.decision_function(edge.get_paths()[0].vertices)
    assert np.abs(f).max() < 0.01 * np.abs(model.decision_function(X)).max()
    assert len(marks(ax, "outlier")) == int(np.sum(model.predict(X) < 0))
    assert len(marks(ax, "ordinary")) == int(np.sum(model.predict(X) > 0))
    np.testing.assert_array_equal(marks(ax, "support"), X[model.support_])


def test_an_rbf_makes_both_models_the_same_region() -> None:
    edges = []
    for Model in (OneClassSVM, SVDD):
        _, ax = canvas()
        ordinary_region(Model(gamma=0.5, nu=0.2, tol=1e-9).fit(X), X, ax=ax)
        edges += [artist.get_paths()[0].vertices for artist in ax.collections if artist.get_gid() == "boundary"]
    np.testing.assert_allclose(edges[0], edges[1], atol=1e-4)


def test_slices_pipelines_frames_and_sparse_rows() -> None:
    wide = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
    model = make_pipeline(StandardScaler(), OneClassSVM(nu=0.2)).fit(wide)
    _, ax = canvas()
    ordinary_region(model, wide, features=("c", "a"), ax=ax, legend=False)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("c", "a")
    assert "1 other feature held at its median" in ax.get_title(loc="left")
    assert ax.get_legend() is None
    rows = sparse.csr_matrix(X)
    _, ax = canvas()
    ordinary_region(SVDD(nu=0.2).fit(rows), rows, ax=ax)
    assert len(marks(ax, "ordinary")) + len(marks(ax, "outlier")) == 80


def test_messages() -> None:
    model = SVDD().fit(X)
    with pytest.raises(
        InvalidInput, match=r"ordinary_region draws a fitted OneClassSVM, SVDD or other .* Got SVC. Use plots.decision_boundary"
    ):
        ordinary_region(SVC().fit(X, X[:, 0] > 3), X)
    with pytest.raises(InvalidInput, match=r"ordinary_region draws a plane and needs at least two features. Got X with 1"):
        ordinary_region(SVDD().fit(X[:, :1]), X[:, :1])
    with pytest.raises(
        InvalidInput, match=r"ordinary_region draws features. Got OneClassSVM: it knows rows .* Use plots.kernel_matrix"
    ):
        ordinary_region(OneClassSVM(kernel="precomputed").fit(X @ X.T), X)
    with pytest.raises(InvalidInput, match="The 'resolution' parameter of ordinary_region must be an int"):
        ordinary_region(model, X, resolution=0)
    with pytest.raises(InvalidInput, match="The 'legend' parameter of ordinary_region must be"):
        ordinary_region(model, X, legend="left")
