"""All losses of the margin, and the line that each finds in the same rows: without outliers, with some, with worse ones.

Above left the losses. Then three data sets: two clouds; the same with a few blue rows far away on their own side; the same with
two blue rows far on the wrong side. The squared loss pays for rows that are too right, so its line turns already in the second
picture. In the third, two rows of 122 turn the line of the exponential loss by 60 degrees, those of the squared ones by about
30, and that of the logistic loss, which grows linearly, by 20; the hinge's stays. The perceptron takes the best that its rounds
meet.

    python examples/losses.py [folder]
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import Perceptron, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.plots import margin_losses
from maxmargin.problems import PrimalProblem

BLUE, RED = "#0072B2", "#D55E00"
SOLVERS = {
    "hinge": "newton",
    "squared_hinge": "newton",
    "logistic": "newton",
    "exponential": "gradient_descent",
    "squared": "gradient_descent",
}


def line_of(name, X, y):
    """Weights and offset by loss."""
    if name == "perceptron":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # some rows are inseparable: that is the point
            model = Perceptron().fit(X, y)
        return model.coef_[0], model.intercept_[0]
    solution = solve(PrimalProblem(X, y, loss=name, C=1.0), solver=SOLVERS[name], tol=1e-4)
    return solution.weights, solution.bias


def main(folder):
    """Draw the losses and three data sets."""
    rng = np.random.default_rng(3)
    clouds = np.vstack([rng.normal([-1.6, 0.0], 0.7, (60, 2)), rng.normal([1.6, 0.0], 0.7, (60, 2))])
    classes = np.repeat([0, 1], 60)
    far = rng.normal([-9.0, 7.0], 0.4, (6, 2))
    wrong = rng.normal([6.0, 2.0], 0.3, (2, 2))
    figure = Figure(figsize=(13, 10), layout="constrained")
    axes = figure.subplots(2, 2).ravel()
    margin_losses(axes[0])
    looks = {line.get_label().replace(" ", "_"): line for line in axes[0].lines}
    for ax, more, title in zip(
        axes[1:], (far[:0], far, wrong), ("two clouds", "far, but right", "far, and wrong"), strict=True
    ):
        X, y = np.vstack([clouds, more]), np.append(classes, np.zeros(len(more), dtype=int))
        for label, colour in ((0, BLUE), (1, RED)):
            ax.scatter(*X[y == label].T, s=20, color=colour, alpha=0.55, edgecolors="none")
        across = np.array([-12.0, 9.0])
        for name in (*SOLVERS, "perceptron"):
            w, b = line_of(name, X, y)
            ax.plot(
                -(w[1] * across + b) / w[0], across, color=looks[name].get_color(), linestyle=looks[name].get_linestyle(), lw=2
            )
            print(f"{title:<16}{name:<15}turned by {np.degrees(np.arctan2(w[1], w[0])):6.1f} degrees")
        ax.set(title=title, xlim=(-11, 7), ylim=(-4, 9), xlabel="feature 0", ylabel="feature 1")
    figure.savefig(Path(folder) / "losses.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
