"""Regression with intervals: how far off a prediction may be, with a guarantee, and whether it holds on new rows.

On the left a noisy curve, its prediction, and the interval in which a new target lies in nine of ten cases. On the right
progress of diabetes, from ten features: for each coverage that one may ask for, the share of 221 patients who were not
trained on whose progress is inside its interval, over 20 splits. A promise that holds is on the diagonal or a little above.

    python examples/intervals.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin import SVR

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"
COVERAGES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def inside(model, X, target):
    """The share of targets inside their intervals, for each coverage."""
    found = []
    for coverage in COVERAGES:
        low, high = model.predict_interval(X, coverage=coverage).T
        found.append(np.mean((low <= target) & (target <= high)))
    return found


def main(folder):
    """Draw a curve with its interval, and kept promises."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 150))[:, None]
    target = np.sin(x[:, 0]) + 0.2 * rng.normal(size=150)
    model = SVR(C=10.0, gamma=0.5, epsilon=0.05, interval=True).fit(x, target)
    grid = np.linspace(0, 6, 300)[:, None]
    low, high = model.predict_interval(grid, coverage=0.9).T

    figure = Figure(figsize=(12, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.fill_between(grid[:, 0], low, high, color=BLUE, alpha=0.2, label="interval of coverage 0.9")
    left.plot(grid, model.predict(grid), color=BLUE, label="prediction")
    left.plot(x, target, ".", color=INK, ms=4)
    left.set(title="nine of ten new rows are in the band", xlabel="x")
    left.legend(frameon=False)

    X, progress = load_diabetes(return_X_y=True)
    shares = []
    for seed in range(20):
        rows, new, known, later = train_test_split(X, progress, test_size=0.5, random_state=seed)
        scaler = StandardScaler().fit(rows)
        fitted = SVR(C=50.0, epsilon=10.0, interval=True).fit(scaler.transform(rows), known)
        shares.append(inside(fitted, scaler.transform(new), later))
    mean, spread = np.mean(shares, axis=0), np.std(shares, axis=0)
    right.plot([0.45, 1], [0.45, 1], color=INK, lw=0.8)
    right.errorbar(COVERAGES, mean, spread, fmt="o-", color=RED, capsize=3)
    right.set(title="diabetes: promised and kept", xlabel="coverage asked for", ylabel="share of new patients inside")
    print("asked for", COVERAGES, "kept", mean.round(3))
    figure.savefig(Path(folder) / "intervals.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
