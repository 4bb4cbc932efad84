"""Sigmoid, odds, logit: why logistic regression is a straight line.

On the left rows of two classes along one feature, how often class 1 occurs in each bin, a straight line fitted to the classes,
which leaves the range of probabilities, and the fitted sigmoid, which does not. Then the same probabilities as odds, which have
no upper bound but bend, and as log-odds: these are a straight line, f(x) = w x + b. Thresholds other than ½ cut that line
elsewhere: the dotted lines are h = 0.2 and h = 0.8.

    python examples/sigmoid.py [folder]
"""

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import LogisticRegression
from maxmargin.losses import logit, odds, sigmoid

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"


def main(folder):
    """Draw three panels."""
    rng = np.random.default_rng(1)
    x = rng.uniform(-4, 4, 600)
    c = (rng.random(600) < sigmoid(1.2 * x - 0.6)).astype(int)
    model = LogisticRegression(penalty=None).fit(x[:, None], c)
    w, b = model.coef_[0, 0], model.intercept_[0]
    along = np.linspace(-5, 5, 401)
    h = sigmoid(w * along + b)

    edges = np.linspace(-4, 4, 13)
    middles = 0.5 * (edges[1:] + edges[:-1])
    inside = [c[(x >= low) & (x < high)] for low, high in pairwise(edges)]
    often = np.array([part.mean() for part in inside])

    figure = Figure(figsize=(14, 5.2), layout="constrained")
    axes = figure.subplots(1, 3)
    straight = np.polyfit(x, c, 1)
    for label, colour in ((0, BLUE), (1, RED)):
        axes[0].scatter(x[c == label], np.full((c == label).sum(), label), s=14, color=colour, alpha=0.25)
    axes[0].plot(along, np.polyval(straight, along), "--", color="#888888", label="line fitted to the classes")
    axes[0].plot(along, h, color=INK, lw=2, label=f"sigmoid(f),  f = {w:.2f} x {'+' if b >= 0 else '−'} {abs(b):.2f}")
    axes[0].set(title="probability h", ylim=(-0.6, 1.25))
    axes[1].plot(along, odds(h), color=INK, lw=2)
    axes[1].set(title="odds h / (1 − h)", ylim=(-1, 30))
    axes[2].plot(along, logit(h), color=INK, lw=2)
    axes[2].set(title="log-odds f = log(h / (1 − h))", ylim=(-6, 6))
    seen = (often > 0) & (often < 1)
    for ax, transform in zip(axes, (lambda p: p, odds, logit), strict=True):
        shown = often if ax is axes[0] else often[seen]
        places = middles if ax is axes[0] else middles[seen]
        ax.scatter(
            places, transform(shown), s=60, facecolors="none", edgecolors="#009E73", lw=2, label="part of class 1 in a bin"
        )
        for threshold in (0.2, 0.8):
            ax.axvline((logit(threshold) - b) / w, color="#888888", linestyle=":")
        ax.axvline(-b / w, color="#888888", lw=0.8)
        ax.set_xlabel("x")
    axes[0].legend(loc="lower right", frameon=False)
    figure.savefig(Path(folder) / "sigmoid.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
