"""Φ2 against Φ3: more features, a wider choice of curves, a bound that says so, and rows that were not seen.

The hard margin after the plain maps Φ2 (5 features beside the 1) and Φ3 (9) on rows that a conic separates. Both separate; the
cubic's street is wider, since it may bend more, but its space has more dimensions. On the right 200 samples of 30 rows each
from the same two classes: how often each is wrong about rows it has not seen. What the rows need is of second order: the third
buys a wider street and pays for it with new rows.

    python examples/second_and_third_order.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC, solve
from maxmargin.feature_maps import Monomials
from maxmargin.kernels import Linear
from maxmargin.problems import HardMargin

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"


def sample(rng, n):
    """Rows on both sides of a parabola, none near it."""
    X = rng.uniform(-1.5, 1.5, size=(4 * n, 2))
    level = X[:, 1] - X[:, 0] ** 2 + 0.6
    keep = np.flatnonzero(np.abs(level) > 0.12)[:n]
    return X[keep], (level[keep] > 0).astype(int)


def main(folder):
    """Draw both hard margins, and errors on new rows."""
    rng = np.random.default_rng(3)
    X, y = sample(rng, 40)
    grid = np.stack(np.meshgrid(np.linspace(-1.6, 1.6, 200), np.linspace(-1.6, 1.6, 200)), axis=-1)
    figure = Figure(figsize=(15, 5.2), layout="constrained")
    axes = figure.subplots(1, 3)
    for ax, degree in zip(axes, (2, 3), strict=False):
        lift = Monomials(degree=degree).fit(X)
        solution = solve(HardMargin(lift.transform(X), y, kernel=Linear()), tol=1e-8)
        f = solution.decision_function(lift.transform(grid.reshape(-1, 2))).reshape(grid.shape[:2])
        for label, colour in ((0, BLUE), (1, RED)):
            ax.scatter(*X[y == label].T, s=20, color=colour, alpha=0.7, edgecolors="none")
        ax.scatter(*X[solution.support].T, s=90, facecolors="none", edgecolors=INK)
        ax.contour(*np.moveaxis(grid, -1, 0), f, levels=[-1, 0, 1], colors=INK, linestyles=["--", "-", "--"], linewidths=1.3)
        street = f"street {solution.margin:.2f} wide, {len(solution.support)} support vectors"
        ax.set(title=f"Φ{degree}: {len(lift.get_feature_names_out()) - 1} features, {street}", xlabel="x1", ylabel="x2")
    new, labels = sample(rng, 2000)
    errors = {2: [], 3: []}
    for _ in range(200):
        rows, classes = sample(rng, 30)
        for degree, found in errors.items():
            lift = Monomials(degree=degree).fit(rows)
            model = SVC(kernel="linear", C=1e6).fit(lift.transform(rows), classes)
            found.append(100.0 * np.mean(model.predict(lift.transform(new)) != labels))
    for (degree, found), colour in zip(errors.items(), (BLUE, RED), strict=True):
        axes[2].hist(
            found, bins=np.linspace(0, 20, 41), color=colour, alpha=0.6, label=f"Φ{degree}: {np.mean(found):.1f} % on average"
        )
    axes[2].set(title="wrong about new rows, 200 samples of 30 rows", xlabel="percent wrong", ylabel="samples")
    axes[2].legend(frameon=False)
    figure.savefig(Path(folder) / "second_and_third_order.png", dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
