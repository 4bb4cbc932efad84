"""The picture of the losses shows their values."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot

from maxmargin.losses import as_loss
from maxmargin.plots import canvas, margin_losses


def test_lines_are_the_losses() -> None:
    _, ax = canvas()
    assert margin_losses(ax) is ax
    for line in ax.lines:
        loss = as_loss(str(line.get_gid()).replace(" ", "_").replace("-", "_"), "test")
        np.testing.assert_allclose(line.get_ydata(), loss.value(np.asarray(line.get_xdata(), dtype=np.float64)))
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["zero-one", "hinge", "squared hinge", "logistic", "exponential", "squared", "perceptron"]


def test_its_own_figure() -> None:
    ax = margin_losses()
    assert ax.figure.number in pyplot.get_fignums()
