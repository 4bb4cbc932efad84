"""An ellipse becomes a line: squares for one along the axes, the quadratic form for one that is turned.

Above an ellipse along the axes, a x1² + b x2² = 1. In the plane of the squares that is a line, and the hard margin there finds
it: the street in squares is a band between two ellipses in the rows' own plane. Below the ellipse is turned: squares alone do
not suffice (the line there is wrong about some rows), but with the product √2 x1 x2 as a third feature a plane separates them.
On the right that third feature against the part of the score that the squares make; the plane is seen from its edge.

    python examples/ellipse.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC
from maxmargin.feature_maps import QuadraticForm, Squares

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"


def scatter(ax, Z, y, title, names):
    """Rows of two classes."""
    for label, colour in ((0, BLUE), (1, RED)):
        ax.scatter(*Z[y == label].T, s=16, color=colour, alpha=0.65, edgecolors="none")
    ax.set(title=title, xlabel=names[0], ylabel=names[1])


def main(folder):
    """Draw both ellipses before and after."""
    rng = np.random.default_rng(1)
    figure = Figure(figsize=(13.5, 8.6), layout="constrained")
    axes = figure.subplots(2, 3)
    grid = np.stack(np.meshgrid(np.linspace(-2.2, 2.2, 200), np.linspace(-2.2, 2.2, 200)), axis=-1)
    for row, turn in enumerate((0.0, 0.6)):
        R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        X = rng.uniform(-2.1, 2.1, size=(500, 2))
        level = np.square(X @ R / [1.7, 0.8]).sum(axis=1)
        X, level = X[np.abs(level - 1.0) > 0.22], level[np.abs(level - 1.0) > 0.22]
        y = (level > 1.0).astype(int)
        for column, lift in ((1, Squares()), (2, QuadraticForm())):
            Z = lift.fit_transform(X)
            model = SVC(kernel="linear", C=1e4).fit(Z, y)
            w, b = model.coef_[0], model.intercept_[0]
            wrong = int(np.sum(model.predict(Z) != y))
            ax = axes[row, column]
            if column == 1:
                scatter(ax, Z, y, f"squares: {wrong} of {len(y)} rows wrong", ("x1²", "x2²"))
                ends = np.array([0.0, 4.4])
                for f, style in ((0.0, "-"), (-1.0, "--"), (1.0, "--")):
                    ax.plot(ends, (f - b - w[0] * ends) / w[1], style, color=INK, lw=1.3)
                ax.set(xlim=(-0.1, 4.5), ylim=(-0.1, 4.5))
            else:
                part = (Z[:, [0, 2]] @ w[[0, 2]] + b) / np.linalg.norm(w)
                across = np.array([Z[:, 1].min(), Z[:, 1].max()])
                scatter(
                    ax,
                    np.column_stack([Z[:, 1], part]),
                    y,
                    f"quadratic form: {wrong} wrong",
                    ("√2 x1x2", "w1 x1² + w3 x2² + b"),
                )
                ax.plot(across, -w[1] * across / np.linalg.norm(w), color=INK, lw=1.3)
            if (row, column) in ((0, 1), (1, 2)):  # the map that suits it, seen from the plane of the rows
                f = model.decision_function(lift.transform(grid.reshape(-1, 2))).reshape(grid.shape[:2])
                where = "along the axes" if row == 0 else "turned"
                scatter(axes[row, 0], X, y, f"an ellipse, {where}", ("x1", "x2"))
                styles = {"levels": [-1.0, 0.0, 1.0], "colors": INK, "linestyles": ["--", "-", "--"], "linewidths": 1.3}
                axes[row, 0].contour(grid[..., 0], grid[..., 1], f, **styles)
                axes[row, 0].set_aspect("equal")
    figure.savefig(Path(folder) / "ellipse.png", dpi=105)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
