"""One class, two ways: a half-space away from the origin (OneClassSVM), and the smallest ball (SVDD).

On the left an RBF kernel: every row is on a sphere, where a cap cut off by a plane and one cut out by a ball are the same. Both
regions coincide. In the middle a linear kernel: a half-plane that leaves the origin out, and a disc. On the right a polynomial
kernel of degree 2: regions bounded by conics, and again not the same ones. At most a tenth of the rows are outliers everywhere
(nu = 0.1), and ringed rows, which hold the region, are at least a tenth.

    python examples/one_class.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVDD, OneClassSVM
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.plots import ordinary_region


def main(folder):
    """Draw two models of three kernels."""
    rng = np.random.default_rng(2)
    turn = rng.uniform(0.0, np.pi, 150)
    X = np.column_stack([2.5 * np.cos(turn), 2.5 * np.sin(turn)]) + 0.35 * rng.normal(size=(150, 2)) + [1.0, 1.0]

    kernels = {"RBF": RBF(gamma=0.5), "linear": Linear(), "polynomial, degree 2": Polynomial(degree=2, gamma=0.2, coef0=1.0)}
    figure = Figure(figsize=(14, 5.9), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for column, (name, kernel) in enumerate(kernels.items()):
        for row, Model in enumerate((OneClassSVM, SVDD)):
            ax = axes[row, column]
            ordinary_region(Model(kernel=kernel, nu=0.1).fit(X), X, ax=ax)
            ax.set_title(f"{Model.__name__}, {name}")
            ax.set_aspect("equal")
            ax.label_outer()
    figure.savefig(Path(folder) / "one_class.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
