"""Can probabilities be trusted? Kernel logistic regression beside an SVC whose scores are calibrated.

Breast cancer (two classes), each half of the rows in turn for training. On the right the log-loss on rows not trained on, over
C. A small C holds the scores of logistic regression near 0, and so its probabilities near 1/2; it needs a larger C than the
SVC, whose calibration scales the scores again, and is then nearly as good without it. On the left reliability at each
model's best C: of the rows with a probability near p, a share of p should be of the class. Few rows are in the middle.

    python examples/kernel_logistic.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, KernelLogisticRegression
from maxmargin.calibration import CalibratedClassifierCV

MODELS = {
    "KernelLogisticRegression": (lambda C: KernelLogisticRegression(C=C, gamma=0.02), "#0072B2"),
    "SVC, calibrated": (lambda C: CalibratedClassifierCV(SVC(C=C, gamma=0.02)), "#D55E00"),
}
COSTS = (0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
BINS = 5


def held_out(make, C, X, y, rounds):
    """Probabilities of class 1 of all rows, each given by a model that has not seen it, and their classes."""
    splits = RepeatedStratifiedKFold(n_splits=2, n_repeats=rounds, random_state=0).split(X, y)
    found = [
        (make_pipeline(StandardScaler(), make(C)).fit(X[train], y[train]).predict_proba(X[test])[:, 1], y[test])
        for train, test in splits
    ]
    return np.concatenate([p for p, _ in found]), np.concatenate([classes for _, classes in found])


def reliability(p, y):
    """Mean probability and share of class 1 in bins of equal width."""
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    kept = [k for k in range(BINS) if (bins == k).any()]
    return [p[bins == k].mean() for k in kept], [y[bins == k].mean() for k in kept]


def main(folder):
    """Draw the curves and the losses."""
    X, y = load_breast_cancer(return_X_y=True)
    figure = Figure(figsize=(12, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color="grey", linestyle="--", linewidth=1, label="as many as promised")
    for name, (make, colour) in MODELS.items():
        losses = [log_loss(classes, p) for p, classes in (held_out(make, C, X, y, 2) for C in COSTS)]
        best = COSTS[np.argmin(losses)]
        curve = reliability(*held_out(make, best, X, y, 4))
        left.plot(*curve, marker="o", color=colour, label=f"{name}, C = {best:g}")
        right.plot(COSTS, losses, marker="o", color=colour, label=name)
    left.set(xlabel="probability of class 1", ylabel="share of class 1", title="reliability")
    right.set(xscale="log", xlabel="C", ylabel="log-loss on other rows", title="log-loss")
    for ax in (left, right):
        ax.legend(frameon=False)
    figure.savefig(folder / "kernel_logistic.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
