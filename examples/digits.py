"""Digits: the pictures that hold the boundaries, and those that are still taken for others.

A kernel model keeps the rows that its boundaries rest on. In the first row are digits with the largest multipliers, which are
untidy: the model remembers exceptions. In the second are digits that no boundary needs, and they are neat. Below on the
left the test digits that are misread, with what they are taken for; on the right how many support vectors each pair of
digits needs: 0 is far from all others, 1 and 8, or 3 and 9, are not.

    python examples/digits.py [folder]
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from maxmargin import SVC

SHOWN = 10


def show(axes, pictures, titles):
    """A row of digits."""
    for ax, picture, title in zip(axes, pictures, titles, strict=False):
        ax.imshow(picture.reshape(8, 8), cmap="gray_r")
        ax.set_title(title, fontsize=9)
    for ax in axes:
        ax.axis("off")


def main(folder):
    """Draw digits that count, digits that do not, and errors."""
    X, y = load_digits(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    model = SVC(C=10.0, gamma=1e-3).fit(X, y)
    predicted = model.predict(X_new)
    wrong = np.flatnonzero(predicted != y_new)
    print(f"{100 * np.mean(predicted == y_new):.1f} % right, {len(model.support_)} of {len(X)} digits are support vectors")

    pulls = np.abs(model.dual_coef_).max(axis=0)
    heavy = model.support_[np.argsort(-pulls)][:SHOWN]
    idle = np.setdiff1d(np.arange(len(X)), model.support_)[:SHOWN]
    figure = Figure(figsize=(11, 8.2), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=(1, 1.6))
    rows = above.subplots(2, SHOWN)
    show(rows[0], X[heavy], [f"{y[k]}: α {pulls.max() if k == heavy[0] else pulls[model.support_ == k][0]:.1f}" for k in heavy])
    show(rows[1], X[idle], [f"{y[k]}: α 0" for k in idle])
    above.suptitle("digits that pull hardest, and digits that no boundary needs")

    left, right = below.subfigures(1, 2)
    grid = left.subplots(4, 5).ravel()
    show(grid, X_new[wrong], [f"{y_new[k]} read as {predicted[k]}" for k in wrong])
    left.suptitle(f"misread: {len(wrong)} of {len(X_new)}")
    ax, counts = right.subplots(), np.full((10, 10), np.nan)
    for (a, b), solution in zip(combinations(range(10), 2), model.solutions_, strict=True):
        counts[a, b] = counts[b, a] = len(solution.support)
    figure.colorbar(ax.imshow(counts, cmap="Blues"), ax=ax)
    ax.set(title="support vectors of each pair", xticks=range(10), yticks=range(10))
    figure.savefig(Path(folder) / "digits.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
