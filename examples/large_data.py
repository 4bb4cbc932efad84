"""Large data: exact, by landmarks, linear, or one row after the other: seconds and accuracy while the rows grow to 100 000.

The classes are two spirals with noise in the plane and eight more columns that say nothing. An exact kernel model's time
grows with the square of the rows, that of landmarks and of linear models with their number; a line knows nothing of
spirals. The stochastic model reads its rows in blocks (partial_fit) and would do so with more than fit into memory; on
random Fourier features it bends too.

    python examples/large_data.py [folder]
"""

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC, ApproximateSVC, LinearSVC, StochasticClassifier
from maxmargin.feature_maps import RandomFourier

SIZES = (2_000, 10_000, 40_000, 100_000)
MOST_EXACT = 40_000
COLOURS = {"SVC": "#0072B2", "ApproximateSVC": "#D55E00", "LinearSVC": "#009E73", "Fourier, in blocks": "#CC79A7"}


def spirals(n, seed):
    """Rows and labels."""
    rng = np.random.default_rng(seed)
    turn, label = rng.uniform(0.5, 2.5, n), rng.integers(0, 2, n)
    angle = 2 * np.pi * turn + np.pi * label
    plane = turn[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.12 * rng.normal(size=(n, 2))
    return np.column_stack([plane, 0.05 * rng.normal(size=(n, 8))]), label


def in_blocks(X, y):
    """A stochastic model on random features, one block after the other."""
    features = RandomFourier(n_components=300, gamma=4.0, random_state=0).fit(X[:100])
    model = StochasticClassifier(lam_half=1e-5, random_state=0)
    for block in np.array_split(np.arange(len(X)), max(1, len(X) // 5_000)):
        model.partial_fit(features.transform(X[block]), y[block], classes=[0, 1])
    return lambda rows: model.predict(features.transform(rows))


def main(folder):
    """Draw seconds and accuracies over the number of rows."""
    makers = {
        "SVC": lambda X, y: SVC(gamma=4.0).fit(X, y).predict,
        "ApproximateSVC": lambda X, y: ApproximateSVC(n_components=300, gamma=4.0, random_state=0).fit(X, y).predict,
        "LinearSVC": lambda X, y: LinearSVC().fit(X, y).predict,
        "Fourier, in blocks": in_blocks,
    }
    new, told = spirals(5_000, seed=1)
    figure = Figure(figsize=(12, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, make in makers.items():
        sizes = [n for n in SIZES if name != "SVC" or n <= MOST_EXACT]
        seconds, scores = [], []
        for n in sizes:
            X, y = spirals(n, seed=0)
            begin = time.perf_counter()
            predict = make(X, y)
            seconds.append(time.perf_counter() - begin)
            scores.append(100 * np.mean(predict(new) == told))
        print(f"{name:<20}" + "  ".join(f"{n}: {t:.2f} s, {s:.1f} %" for n, t, s in zip(sizes, seconds, scores, strict=True)))
        left.loglog(sizes, seconds, "o-", color=COLOURS[name], label=name)
        right.semilogx(sizes, scores, "o-", color=COLOURS[name])
    left.set(xlabel="rows", ylabel="seconds of a fit", title="seconds")
    right.set(xlabel="rows", ylabel="% of new rows right", title="accuracy")
    left.legend(frameon=False)
    figure.savefig(Path(folder) / "large_data.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
