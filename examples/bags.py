"""Sets: digits as bags of strokes of ink: the kernel of sets knows a picture by its parts.

A picture of scikit-learn's digits becomes the bag of its 3 × 3 patches that have ink, each with its place. Bags have from 24 to
36 members, no order, and no features of their own. On the left two digits and the patches that the kernel sees; on the right
the share of held-out pictures that are classed right, by the mean of the patches (one vector a bag), and by `SetKernel`.

    python examples/bags.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.kernels import RBF, SetKernel

FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
SHOWN = 2


def bag(picture):
    """The patches that have ink, with their places; each row is a member."""
    patches = sliding_window_view(picture / 16.0, (3, 3)).reshape(36, 9)
    places = np.array([(i, j) for i in range(6) for j in range(6)]) / 5.0
    inked = patches.sum(axis=1) > 1.0
    return np.hstack([patches, 2.0 * places])[inked]


def main(folder):
    """Draw bags and accuracies."""
    digits = load_digits()
    some = np.random.default_rng(0).permutation(len(digits.target))[:300]
    X, y = [bag(picture) for picture in digits.images[some]], digits.target[some]
    figure = Figure(figsize=(13, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.3, 1))
    axes = left.subplots(SHOWN, 9)
    shown = [some[y == label][0] for label in (3, 8)]
    for row, number in zip(axes, shown, strict=True):
        row[0].imshow(digits.images[number], cmap="Greys")
        for ax, member in zip(row[1:], bag(digits.images[number])[::3], strict=False):
            ax.imshow(member[:9].reshape(3, 3), cmap="Greys", vmin=0, vmax=1)
            ax.set_title(f"{member[9] / 2:.1f}, {member[10] / 2:.1f}", fontsize=8)
        for ax in row:
            ax.set(xticks=[], yticks=[])
    left.suptitle("a picture, and some members of its bag with their places")
    vectors = make_pipeline(StandardScaler(), SVC(C=10))
    scores = {"mean of the patches": cross_val_score(vectors, [each.mean(axis=0) for each in X], y, cv=FOLDS).mean()}
    for gamma in (0.3, 1.0, 10.0):
        scores[f"SetKernel(RBF({gamma:g}))"] = cross_val_score(
            SVC(kernel=SetKernel(RBF(gamma=gamma)), C=10), X, y, cv=FOLDS
        ).mean()
    ax = right.subplots()
    bars = ax.barh(list(scores), [100 * score for score in scores.values()], color="#56B4E9", height=0.6)
    ax.bar_label(bars, fmt="%.1f %%", padding=4)
    ax.set(title=f"right on held-out folds, {len(X)} digits, C = 10", xlim=(0, 115), xlabel="per cent")
    ax.invert_yaxis()
    for name, score in scores.items():
        print(f"{name:<22}{100 * score:6.1f} %")
    figure.savefig(Path(folder) / "bags.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
