"""The Gaussian's boundary over γ: from nearly a line to an island around every row.

k(u, v) = exp(−γ|u − v|²) is near 1 for all pairs when γ is small: the classifier sees little but the linear part. When γ is
large, every row is similar to itself only: all rows become support vectors, no training row is wrong, and between the rows the
classifier knows nothing. The best γ for new rows is between: the error of ten held-out folds stands in the titles, and in the
last panel over γ, beside the part of rows that are support vectors.

    python examples/gaussian_width.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import cross_val_score

from maxmargin import SVC
from maxmargin.plots import decision_boundary

BLUE, RED = "#0072B2", "#D55E00"


def main(folder):
    """Draw five boundaries, and errors over γ."""
    rng = np.random.default_rng(5)
    turn = rng.uniform(0, np.pi, 160)
    y = np.repeat([0, 1], 80)
    X = np.column_stack([np.cos(turn), np.sin(turn)]) * np.where(y, -1, 1)[:, None]
    X += np.where(y[:, None] == 1, [1.0, 0.35], [0.0, 0.0]) + 0.22 * rng.normal(size=(160, 2))
    order = rng.permutation(160)
    X, y = X[order], y[order]
    figure = Figure(figsize=(14.5, 8.6), layout="constrained")
    axes = figure.subplots(2, 3).ravel()
    for ax, gamma in zip(axes, (0.01, 0.3, 3.0, 30.0, 1000.0), strict=False):
        model = SVC(gamma=gamma, C=10.0).fit(X, y)
        decision_boundary(model, X, y, ax=ax, legend=None)
        new = 1.0 - cross_val_score(model, X, y, cv=10).mean()
        wrong = np.mean(model.predict(X) != y)
        ax.set_title(f"γ = {gamma:g}: {len(model.support_)} support vectors\n{wrong:.0%} wrong, {new:.0%} of new rows")
    gammas = np.geomspace(0.01, 1000.0, 16)
    models = [SVC(gamma=gamma, C=10.0).fit(X, y) for gamma in gammas]
    axes[5].semilogx(gammas, [np.mean(m.predict(X) != y) for m in models], "o-", color=BLUE, label="training rows wrong")
    held_out = [1.0 - cross_val_score(m, X, y, cv=10).mean() for m in models]
    axes[5].semilogx(gammas, held_out, "o-", color=RED, label="new rows wrong")
    axes[5].semilogx(gammas, [len(m.support_) / 160 for m in models], "--", color="#888888", label="support vectors")
    axes[5].set(title="parts of all rows, over γ", xlabel="γ", ylim=(-0.03, 1.03))
    axes[5].legend(frameon=False, loc="upper left")
    figure.savefig(Path(folder) / "gaussian_width.png", dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
