"""How many landmarks does a kernel need, and which? Test accuracy, seconds and error of the kernel matrix.

15 000 rows of 100 clusters in 8 dimensions, whose classes are drawn by lot. On the left the test accuracy of `ApproximateSVC`
over the number of landmarks: means of rows (k-means) soon do what the exact `SVC` does, which the dashed line shows; rows
drawn at random need many more. In the middle the seconds of a fit. On the right another set, with ten small groups of rows far
from all others: the spectral error of the kernel matrix, and its bound (thin). Uniform landmarks hardly ever meet the small
groups; leverage scores find them.

    python examples/landmarks.py [folder]
"""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC, ApproximateSVC
from maxmargin.feature_maps import Nystroem

COLOURS = {"uniform": "#0072B2", "kmeans": "#D55E00", "leverage": "#009E73"}
NUMBERS = (25, 50, 100, 200, 400)


def clusters(rows):
    """Rows about 100 centres, and the classes of these."""
    rng = np.random.default_rng(0)
    centres, classes = 1.5 * rng.normal(size=(100, 8)), rng.random(100) < 0.5
    cluster = rng.integers(0, 100, rows)
    return centres[cluster] + rng.normal(size=(rows, 8)), classes[cluster]


def timed(model, X, y):
    """Seconds of a fit, and its accuracy on other rows."""
    begun = time.perf_counter()
    model.fit(X[:10_000], y[:10_000])
    return time.perf_counter() - begun, model.score(X[10_000:], y[10_000:])


def main(folder):
    """Draw accuracies, seconds and errors."""
    X, y = clusters(15_000)
    figure = Figure(figsize=(15, 5.2), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    exact = timed(SVC(gamma=0.15, C=1.0, loss="squared_hinge"), X, y)
    rng = np.random.default_rng(1)
    far = [8.0 * rng.normal(size=4) + 0.3 * rng.normal(size=(10, 4)) for _ in range(10)]
    skewed = np.concatenate([0.3 * rng.normal(size=(3000, 4)), *far])
    for how, colour in COLOURS.items():
        line = {"color": colour, "marker": "o", "label": how}
        found = np.array([timed(ApproximateSVC(m, gamma=0.15, landmarks=how, random_state=0), X, y) for m in NUMBERS])
        left.plot(NUMBERS, found[:, 1], **line)
        middle.plot(NUMBERS, found[:, 0], **line)
        maps = [Nystroem(m, gamma=0.3, landmarks=how, random_state=0).fit(skewed) for m in NUMBERS]
        errors = [each.approximation_error(skewed[2600:], rows=None) for each in maps]
        right.plot(NUMBERS, [each.spectral for each in errors], **line)
        right.plot(NUMBERS, [each.spectral_bound for each in errors], color=colour, linewidth=0.8)
    for ax, value, name in ((left, exact[1], "accuracy on 5 000 other rows"), (middle, exact[0], "seconds of a fit")):
        ax.axhline(value, color="black", linestyle="--", label="exact SVC")
        ax.set(ylabel=name)
    right.set(ylabel="spectral error of the kernel matrix, and bound", title="ten small groups among 3 000 rows")
    left.set(title="accuracy")
    middle.set(title="time", yscale="log")
    right.set(yscale="log")
    for ax in (left, middle, right):
        ax.set(xscale="log", xlabel="landmarks")
        ax.set_xticks(NUMBERS, NUMBERS)
        ax.minorticks_off()
    left.legend(frameon=False)
    figure.savefig(folder / "landmarks.png", dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
