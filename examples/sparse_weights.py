"""Which features does a linear subproblem need? Weights and their number against the cost C of the loss, with both penalties.

Breast cancer, 30 features, standardised. On the left the weights of the squared hinge with an L1 penalty: below a critical C
all are exactly 0, then they come in one after the other, and some leave again. With an L2 penalty, in the middle, they shrink
together and none is ever 0. On the right how many are not 0, and the accuracy in 10-fold cross-validation: ten features do what
all 30 do. The hinge and the logistic loss take fewer still at the same C.

    python examples/sparse_weights.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearSVC, LogisticRegression

PRICES = np.logspace(-4, 1, 26)
COLOURS = {"squared hinge": "#0072B2", "hinge": "#D55E00", "logistic": "#009E73"}


def main(folder):
    """Draw the paths of the weights, and how many there are."""
    X, y = load_breast_cancer(return_X_y=True)
    Z = StandardScaler().fit_transform(X)
    models = {
        "squared hinge": LinearSVC(penalty="l1"),
        "hinge": LinearSVC(penalty="l1", loss="hinge"),
        "logistic": LogisticRegression(penalty="l1"),
    }
    paths = {name: np.array([model.set_params(C=C).fit(Z, y).coef_[0] for C in PRICES]) for name, model in models.items()}
    dense = np.array([LinearSVC(C=C).fit(Z, y).coef_[0] for C in PRICES])
    figure = Figure(figsize=(15, 5.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    for axes, weights, title in ((left, paths["squared hinge"], "L1 penalty"), (middle, dense, "L2 penalty")):
        axes.plot(PRICES, weights, linewidth=1.2)
        axes.set(xscale="log", xlabel="C", ylabel="weight", title=f"squared hinge, {title}")
    for name, weights in paths.items():
        right.plot(PRICES, np.count_nonzero(weights, axis=1), color=COLOURS[name], marker=".", label=f"L1, {name}")
    right.plot(PRICES, np.count_nonzero(dense, axis=1), color="0.5", linestyle="--", label="L2, squared hinge")
    right.set(xscale="log", xlabel="C", ylabel="weights that are not 0", title="number of features")
    accuracy = right.twinx()
    some = PRICES[::3]
    scores = [cross_val_score(make_pipeline(StandardScaler(), LinearSVC(penalty="l1", C=C)), X, y, cv=10).mean() for C in some]
    accuracy.plot(some, scores, color="black", linestyle=":", label="accuracy")
    accuracy.set(ylabel="accuracy of L1, squared hinge (dotted)", ylim=(0.5, 1.0))
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2)
    figure.savefig(folder / "sparse_weights.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
