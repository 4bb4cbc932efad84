"""Hard and soft margin: the widest street, the proof that there is none, and slack at three costs.

Above left two classes that a line separates: the street is as wide as it can be, three rows hold it. In the middle one row
more, and no line separates them. The proof is drawn: weights on some rows of each class whose weighted means are the same
point (the star). A line with one class on its left and the other on its right would have that point on both sides. Below,
slack is allowed, and two more rows are on the wrong side. The larger C, the narrower the street; marks tell the four kinds.

    python examples/hard_margin.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import solve
from maxmargin.errors import InfeasibleError
from maxmargin.kernels import Linear
from maxmargin.plots import decision_boundary
from maxmargin.problems import HardMargin, SoftMargin

BLUE, RED = "#0072B2", "#D55E00"


def draw_proof(ax, X, y, proof):
    """Rows that carry weight, joined to the point that both their means are."""
    for label, colour in ((0, BLUE), (1, RED)):
        ax.scatter(*X[y == label].T, s=22, color=colour, alpha=0.45)
        carry = (proof.weights > 0) & (y == label)
        point = proof.weights[carry] @ X[carry]
        for row, weight in zip(X[carry], proof.weights[carry], strict=True):
            ax.plot(*np.transpose([row, point]), color=colour, linewidth=1 + 4 * weight, alpha=0.7)
        ax.scatter(*X[carry].T, s=150, color=colour, edgecolors="black", zorder=3)
    ax.scatter(*point, s=80, marker="*", color="gold", edgecolors="black", zorder=4)
    ax.set_xlabel("feature 0")
    ax.set_ylabel("feature 1")


def main(folder):
    """Draw six panels."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 30)
    apart = rng.normal(size=(60, 2)) * 0.8 + np.where(y[:, None] == 1, [3.2, 1.6], [0.0, 0.0])
    mixed, kinds = np.vstack([apart, [[2.9, 1.3], [0.6, 0.8], [1.4, 1.9]]]), np.append(y, [0, 1, 0])

    figure = Figure(figsize=(13, 8), layout="constrained")
    axes = figure.subplots(2, 3).ravel()
    hard = solve(HardMargin(apart, y, kernel=Linear()), tol=1e-8)
    decision_boundary(hard, apart, y, ax=axes[0], legend=None)
    axes[0].set_title(f"hard margin: street {hard.geometry.width:.2f} wide, {len(hard.support)} support vectors")
    try:
        solve(HardMargin(mixed[:-2], kinds[:-2], kernel=Linear()))
    except InfeasibleError as error:
        draw_proof(axes[1], mixed[:-2], kinds[:-2], error.solution.proof)
        axes[1].set_title("inseparable: the star is a mean of both classes")
    axes[2].axis("off")
    for ax, C in zip(axes[3:], (0.02, 0.3, 100.0), strict=True):
        soft = solve(SoftMargin(mixed, kinds, C=C, kernel=Linear()), tol=1e-6)
        decision_boundary(soft, mixed, kinds, ax=ax, legend="inside")
        handles = ax.get_legend().legend_handles
        ax.get_legend().remove()
        ax.set_title(f"C = {C:g}: street {soft.geometry.width:.2f} wide, slack {soft.slack.sum():.1f}")
    names = [handle.get_label().partition(" (")[0] for handle in handles]
    axes[2].legend(handles=handles, labels=["class 0", "class 1", *names[2:]], loc="center left", frameon=False)
    figure.savefig(Path(folder) / "hard_margin.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
