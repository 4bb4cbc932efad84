"""A circle, lifted by each map: no line separates inside from outside, but a plane does after two features are squared.

Above left the rows: blue inside a circle, red outside; beside them their squares, in whose plane the circle is a line. Every
other panel has the histogram of the score f = <w, φ(x)> + b of a linear classifier after a map. With (1, x), which adds
nothing, it can only call all rows red. With the squares, the quadratic form, powers, all products of two features, and the
Gaussian's series the classes lie on two sides of a hyperplane: the histogram parts at 0.

    python examples/lifted_circle.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC
from maxmargin.feature_maps import (
    Affine,
    GaussianSeries,
    Monomials,
    Multinomial,
    Powers,
    QuadraticForm,
    SecondOrder,
    Squares,
    WeightedSecondOrder,
)

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"
MAPS = {
    "(1, x)": Affine(),
    "(x1², x2²)": Squares(),
    "(x1², √2 x1x2, x2²)": QuadraticForm(),
    "powers up to 3, no products": Powers(degree=3),
    "plain Φ2": Monomials(degree=2),
    "plain Φ3": Monomials(degree=3),
    "1 + d + d²": SecondOrder(),
    "the same with weights, γ = 0.1": WeightedSecondOrder(gamma=0.1),
    "multinomial weights, degree 3": Multinomial(degree=3),
    "Gaussian series, 8 terms": GaussianSeries(gamma=0.5, terms=8),
}


def main(folder):
    """Draw the rows, their squares, and the score of a linear classifier after each map."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, size=(400, 2))
    radius = np.linalg.norm(X, axis=1)
    X, radius = X[np.abs(radius - 1.3) > 0.12], radius[np.abs(radius - 1.3) > 0.12]
    y = (radius > 1.3).astype(int)
    figure = Figure(figsize=(15, 10.5), layout="constrained")
    axes = figure.subplots(3, 4).ravel()
    for ax, Z, title, names in (
        (axes[0], X, "the rows", ("x1", "x2")),
        (axes[1], np.square(X), "their squares: x1² + x2² = r² is a line", ("x1²", "x2²")),
    ):
        for label, colour in ((0, BLUE), (1, RED)):
            ax.scatter(*Z[y == label].T, s=12, color=colour, alpha=0.6, edgecolors="none")
        ax.set(title=title, xlabel=names[0], ylabel=names[1])
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    axes[0].plot(1.3 * np.cos(turn), 1.3 * np.sin(turn), color=INK, lw=1.5)
    axes[0].set_aspect("equal")
    axes[1].plot([0.0, 1.69], [1.69, 0.0], color=INK, lw=1.5)
    for ax, (name, lift) in zip(axes[2:], MAPS.items(), strict=True):
        Z = lift.fit_transform(X)
        model = SVC(kernel="linear", C=100.0).fit(Z, y)
        f = model.decision_function(Z)
        for label, colour in ((0, BLUE), (1, RED)):
            ax.hist(f[y == label], bins=np.linspace(-6, 12, 73), color=colour, alpha=0.65)
        ax.axvline(0.0, color=INK, lw=1.2)
        ax.set(title=f"{name}\n{Z.shape[1]} features, {np.mean(model.predict(Z) != y):.0%} wrong", xlabel="score f")
    figure.savefig(Path(folder) / "lifted_circle.png", dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
