"""Tuning: what C and γ do to a model, and how a search that shares its work finds them.

On the left the accuracy on held-out folds of breast cancer for each C and γ: a plateau runs along a diagonal, since a
smaller γ wants a larger C. In the middle a cut along C at the best γ, on held-out and on training rows: beyond the plateau
the model learns its own rows only. On the right the seconds of the whole search of 7 x 9 cells and five folds, beside
scikit-learn's search of the same model: rows, kernel values and starts are shared, and the scores agree up to `tol`.

    python examples/tuning.py [folder]
"""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.model_selection import GridSearchCV
from maxmargin.plots import search_surface

BLUE, RED = "#0072B2", "#D55E00"
GRID = {"svc__C": np.logspace(-2, 4, 7), "svc__gamma": np.logspace(-5, 0, 9)}


def timed(kind, X, y):
    """A search and its seconds."""
    model = make_pipeline(StandardScaler(), SVC())
    begin = time.perf_counter()
    search = kind(model, GRID, return_train_score=True).fit(X, y)
    return search, time.perf_counter() - begin


def main(folder):
    """Draw the surface, a cut through it, and times."""
    X, y = load_breast_cancer(return_X_y=True)
    ours, seconds = timed(GridSearchCV, X, y)
    theirs, longer = timed(model_selection.GridSearchCV, X, y)
    same = np.abs(ours.cv_results_["mean_test_score"] - theirs.cv_results_["mean_test_score"]).max()
    print(f"best {ours.best_score_:.4f} at {ours.best_params_}; largest difference of the scores {same:.1e}")
    print(f"{seconds:.2f} s, one by one {longer:.2f} s")

    figure = Figure(figsize=(14, 4.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.2, 1, 0.8))
    search_surface(ours, ax=left)
    at_best = np.isclose(ours.cv_results_["param_svc__gamma"].astype(float), ours.best_params_["svc__gamma"])
    for which, colour in (("train", RED), ("test", BLUE)):
        middle.semilogx(GRID["svc__C"], ours.cv_results_[f"mean_{which}_score"][at_best], "o-", color=colour, label=which)
    middle.set(title=f"along C, at γ = {ours.best_params_['svc__gamma']:.2g}", xlabel="C", ylabel="accuracy")
    middle.legend(["rows of the fit", "held-out rows"], frameon=False)
    names = ["maxmargin's\nGridSearchCV", "scikit-learn's\nGridSearchCV"]
    right.bar_label(right.bar(names, [seconds, longer], color=[BLUE, "#999999"], width=0.6), fmt="%.2f s", padding=3)
    right.set(title=f"{len(at_best)} cells, five folds: seconds", ylim=(0, 1.15 * max(seconds, longer)))
    figure.savefig(Path(folder) / "tuning.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
