"""Squared error with a sigmoid is not convex; cross-entropy is.

Five rows with one feature x and classes c, and the model h = sigmoid(w x + b). Left, b = 0: the squared error Σ(h − c)² has two
minima in w, and gradient descent (dots) ends in the one on its side of the hill; the cross-entropy of the same rows has one. A
chord of a convex function is nowhere below it: that of the squared error is. In the middle and on the right both in w and b
(dark is low), with descents from the same four starts: on the squared error two find the minimum, and two run off along a
valley that leads to none; on the cross-entropy all end in one.

    python examples/squared_error.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin.losses import Logistic, sigmoid

X, C = np.array([-8.5, -1.3, -0.4, 0.2, 0.5]), np.array([1, 0, 0, 0, 1])
BLUE, RED = "#0072B2", "#D55E00"
STARTS = np.array([[-2.5, 4.0], [6.0, 3.0], [5.5, -5.0], [-2.0, -5.0]])


def scores(w, b):
    """``w x + b`` of all rows, along a last axis."""
    return np.multiply.outer(w, X) + np.asarray(b)[..., np.newaxis]


def squared(w, b=0.0):
    """``Σ (h − c)²``, and its slope in the score of each row."""
    h = sigmoid(scores(w, b))
    return np.sum((h - C) ** 2, axis=-1), 2.0 * (h - C) * h * (1.0 - h)


def entropy(w, b=0.0):
    """``−Σ c log h + (1 − c) log(1 − h)``, and its slope, ``h − c``."""
    f = scores(w, b)
    return Logistic().value((2 * C - 1) * f).sum(axis=-1), sigmoid(f) - C


def descent(error, starts, step, free=(1.0, 1.0), steps=8000):
    """All points (w, b) of some gradient descents, shape (steps + 1, starts, 2)."""
    points = [np.array(starts)]
    for _ in range(steps):
        slopes = error(*points[-1].T)[1]
        gradient = np.stack([slopes @ X, slopes.sum(axis=-1)], axis=-1)
        points.append(points[-1] - step * np.array(free) * gradient)
    return np.array(points)


def main(folder):
    """Draw curves and contours."""
    figure = Figure(figsize=(15, 5.6), layout="constrained")
    axes = figure.subplots(1, 3)
    along, ends = np.linspace(-1.5, 6, 400), np.array([-0.16, 3.05])
    for error, colour, name, scale in ((squared, RED, "squared error", 1.0), (entropy, BLUE, "cross-entropy / 10", 0.1)):
        axes[0].plot(along, scale * error(along)[0], color=colour, lw=2, label=name)
        axes[0].plot(ends, scale * error(ends)[0], "o--", color=colour, mfc="none", lw=1)
    way = descent(squared, [[0.3, 0.0], [0.6, 0.0]], 0.05, free=(1.0, 0.0))[::60, :, 0]
    axes[0].plot(way, squared(way)[0], ".", color="#222222", ms=9, alpha=0.5)
    axes[0].set(title="b = 0", xlabel="w", ylim=(0, 3.5))
    axes[0].legend(frameon=False)
    w, b = np.meshgrid(np.linspace(-3, 13, 160), np.linspace(-6, 6, 160))
    for ax, error, colour, name, step in (
        (axes[1], squared, RED, "squared error", 0.2),
        (axes[2], entropy, BLUE, "cross-entropy", 0.005),
    ):
        height = error(w, b)[0]
        ax.contourf(w, b, height, levels=np.quantile(height, np.linspace(0, 1, 25)), cmap="Greys_r")
        ways = descent(error, STARTS, step)
        ax.plot(ways[..., 0], ways[..., 1], color=colour, lw=1.8)
        ax.plot(*ways[-1].T, "o", color="gold", mec="black", ms=9)
        ax.set(title=name, xlabel="w", ylabel="b", xlim=(-3, 13), ylim=(-6, 6))
    figure.savefig(Path(folder) / "squared_error.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
