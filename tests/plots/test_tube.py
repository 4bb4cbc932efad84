"""The tube: what is drawn is what the model says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, NuSVR
from maxmargin.errors import InvalidInput
from maxmargin.plots import canvas, tube

RNG = np.random.default_rng(0)
X = np.sort(RNG.uniform(0, 6, 50))[:, None]
Y = np.sin(X[:, 0]) + 0.2 * RNG.normal(size=50)


def marks(ax: Any, gid: str) -> Any:
    (found,) = [artist for artist in ax.collections if artist.get_gid() == gid]
    return np.asarray(found.get_offsets())


@pytest.mark.parametrize("model", [SVR(C=5.0, epsilon=0.2), NuSVR(C=5.0, nu=0.4)], ids=str)
def test_line_band_and_rows(model: Any) -> None:
    model.fit(X, Y)
    epsilon = model.solutions_[0].slack_rule.epsilon
    _, ax = canvas()
    assert tube(model, X, Y, ax=ax) is ax
    (line,) = ax.lines
    np.testing.assert_allclose(line.get_ydata(), model.predict(np.asarray(line.get_xdata())[:, None]), atol=1e-12)
    band = ax.collections[0].get_paths()[0].vertices
    away = np.abs(band[:, 1] - model.predict(band[:, :1]))
    assert np.all((away < 1e-9) | (np.abs(away - epsilon) < 1e-9))
    outside = np.abs(model.predict(X) - Y) > epsilon * 1.001
    assert len(marks(ax, "outside")) == outside.sum()
    assert len(marks(ax, "inside")) == (~outside).sum()
    np.testing.assert_array_equal(marks(ax, "support"), np.column_stack([X[model.support_, 0], Y[model.support_]]))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"support vector ({len(model.support_)})" in texts


def test_pipelines_frames_solutions_and_other_rows() -> None:
    frame = pd.DataFrame({"hours": X[:, 0]})
    model = make_pipeline(StandardScaler(), SVR(C=5.0)).fit(frame.to_numpy(), Y)
    ax = tube(model, frame, Y, legend=False)
    assert ax.get_xlabel() == "hours"
    assert ax.get_legend() is None
    assert ax.figure in [pyplot.figure(number) for number in pyplot.get_fignums()]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.predict(np.asarray(ax.lines[0].get_xdata())[:, None]), atol=1e-12)
    assert len(marks(ax, "support")) == len(model[-1].support_)
    _, ax = canvas()
    tube(model[-1].solutions_[0], X[::2], Y[::2], ax=ax)
    assert not [artist for artist in ax.collections if artist.get_gid() == "support"]


def test_one_row() -> None:
    _, ax = canvas()
    tube(SVR().fit([[1.0]], [2.0]), [[1.0]], [2.0], ax=ax)
    assert ax.get_xlim() == (0.5, 1.5)


def test_messages() -> None:
    model = SVR().fit(X, Y)
    with pytest.raises(InvalidInput, match=r"tube draws a fitted regressor, .* Got SVC\. Use plots.decision_boundary for it"):
        tube(SVC().fit(X, Y > 0), X, Y)
    with pytest.raises(InvalidInput, match="Got StandardScaler"):
        tube(StandardScaler().fit(X), X, Y)
    with pytest.raises(InvalidInput, match=r"tube draws one output\. Got a model of 2 .*; pass one of its solutions_"):
        tube(SVR().fit(X, np.column_stack([Y, Y])), X, Y)
    with pytest.raises(InvalidInput, match=r"one feature\. Got X of shape \(50, 2\). Choose one, for example feature=0"):
        tube(SVR().fit(np.hstack([X, X]), Y), np.hstack([X, X]), Y)
    with pytest.raises(
        InvalidInput, match=r"tube draws features. Got SVR: it knows rows by kernel values only, .* Use plots.kernel_matrix"
    ):
        tube(SVR(kernel="precomputed").fit(X @ X.T, Y), X, Y)
    with pytest.raises(InvalidInput, match="The 'resolution' parameter of tube must be an int"):
        tube(model, X, Y, resolution=1)
    with pytest.raises(InvalidInput, match="The 'legend' parameter of tube must be"):
        tube(model, X, Y, legend="left")
    with pytest.raises(InvalidInput, match="inconsistent numbers of samples"):
        tube(model, X, Y[:3])
    with pytest.raises(NotFittedError):
        tube(SVR(), X, Y)
