"""A guarantee over all C: what a certified search proves of values that it never tried.

On the left the cross-validation error of a Gaussian kernel on breast cancer, at 300 values of C, beside the bound that
was proven from a few solutions: nowhere is the error below it, and nowhere below the best one found less ε. Dots are the
values of C that were solved for. On the right how the ε that is proven falls with the number of solutions.

    python examples/certified.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import scale

from maxmargin.kernels import RBF
from maxmargin.model_selection import Certified, c_path, certified_cost
from maxmargin.problems import SoftMargin

BLUE, RED, GREY = "#0072B2", "#D55E00", "#999999"
ENDS, EPSILON = (0.01, 1000.0), 0.01


def errors_at(X, y, Cs, kernel):
    """The cross-validation error at each C, by fits of their own."""
    found = np.zeros(len(Cs))
    for train, test in StratifiedKFold(5).split(X, y):
        found += c_path(SoftMargin(X[train], y[train], kernel=kernel), Cs).error(X[test], y[test]) / 5
    return found


def main(folder):
    """Prove, try many other values, draw."""
    X, y = load_breast_cancer(return_X_y=True)
    X, kernel = scale(X), RBF(gamma=0.02)
    problem = SoftMargin(X, y, kernel=kernel)
    found = certified_cost(problem, ENDS, settings=Certified(epsilon=EPSILON))
    print(found)
    Cs = np.geomspace(*ENDS, 300)
    errors, bound = errors_at(X, y, Cs, kernel), found.lower_bound(Cs)
    better = found.error - errors.min()
    print(f"{len(Cs)} other values of C: {(errors < bound).sum()} below the bound, the best {better:.4f} better")

    figure = Figure(figsize=(11, 4.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.7, 1))
    left.semilogx(Cs, errors, color=BLUE, lw=1.4, label=f"error at {len(Cs)} values of C")
    left.stairs(found.lower, found.ends, color=RED, lw=1.2, baseline=None, label="proven lower bound")
    left.plot(found.Cs, found.errors.mean(axis=1), ".", color=GREY, ms=5, label=f"{len(found.Cs)} values that were solved for")
    left.axhline(found.error - found.epsilon, color="k", lw=0.8, ls="--", label="best error less ε")
    left.set(xlabel="C", ylabel="cross-validation error", ylim=(0.0, 0.08), title="No C is better by more than ε")
    left.legend(frameon=False, fontsize=9)
    counts = [8, 12, 16, 24, 32, 48]
    proven = [certified_cost(problem, ENDS, settings=Certified(epsilon=1e-9, most=count)).epsilon for count in counts]
    right.plot(counts, proven, "o-", color=RED)
    right.set(xlabel="values of C solved for", ylabel="ε that is proven", ylim=(0.0, None), title="What more solutions prove")
    figure.savefig(Path(folder) / "certified.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
