"""Four polynomial kernels on the same rows: they span the same curves or more, and choose different ones.

(1 + 0.001<u, v>)², 1 + <u, v> + <u, v>² and (1 + 1000<u, v>)² have the same features, 1, x_i and x_i x_j, with other weights:
all three boundaries are conics. What is cheap differs. With γ = 0.001 squares need so large weights that the boundary stays
straight, even at C = 1000 (below); at C = 1 (above) all rows are called blue. With γ = 1000 weights cost next to nothing, and
both values of C find the conic that the rows ask for. With degree 10 there are 66 features: at C = 1000 no row is wrong, and
the boundary winds around single ones.

    python examples/polynomial_kernels.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import solve
from maxmargin.feature_maps import SecondOrder
from maxmargin.kernels import Polynomial
from maxmargin.plots import decision_boundary
from maxmargin.problems import SoftMargin

KERNELS = {
    "(1 + 0.001 <u, v>)²": Polynomial(degree=2, gamma=0.001, coef0=1.0),
    "1 + <u, v> + <u, v>²": SecondOrder().kernel,
    "(1 + 1000 <u, v>)²": Polynomial(degree=2, gamma=1000.0, coef0=1.0),
    "(1 + <u, v>)¹⁰": Polynomial(degree=10, gamma=1.0, coef0=1.0),
}


def main(folder):
    """Draw each kernel at two costs."""
    rng = np.random.default_rng(8)
    X = rng.uniform(-1.5, 1.5, size=(90, 2))
    y = (X[:, 1] > X[:, 0] ** 2 - 0.7 + 0.15 * rng.normal(size=90)).astype(int)
    figure = Figure(figsize=(17, 8.6), layout="constrained")
    axes = figure.subplots(2, 4)
    for row, C in enumerate((1.0, 1000.0)):
        for ax, (name, kernel) in zip(axes[row], KERNELS.items(), strict=True):
            solution = solve(SoftMargin(X, y, C=C, kernel=kernel), tol=1e-4)
            decision_boundary(solution, X, y, ax=ax, legend=None)
            wrong = np.mean(solution.predict(X) != y)
            ax.set_title(f"{name},  C = {C:g}\n{len(solution.support)} support vectors, {wrong:.0%} wrong")
    figure.savefig(Path(folder) / "polynomial_kernels.png", dpi=95)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
