"""Records with related rows: who leaves, told from a customer's orders, which stand in a table of their own.

There is no such set that may be shipped: customers and orders are generated. A customer has a region; an order an amount and
a season. Those who leave order unusually, much more or much less, in one season, and which one depends on the region. So
neither the region nor the mean order tells who leaves; the pair of region and single orders does, and `RelationalKernel`
compares these.
On the left the orders; on the right the share of held-out customers that are classed right, by how many orders they have.

    python examples/records.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.kernels import RBF, RelationalKernel

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
COLOURS = {0: "#0072B2", 1: "#D55E00"}
WORDS = {0: "stays", 1: "leaves"}


def customers(n, rng):
    """Records (own features, orders), and who leaves."""
    y = np.arange(n) % 2
    rows = []
    for leaves in y:
        region, size = int(rng.integers(0, 2)), int(rng.integers(1, 16))
        season = rng.integers(0, 2, size)
        unusual = season == (region if leaves else 1 - region)
        amount = 2.0 * unusual * rng.choice([-1.0, 1.0], size) + 0.6 * rng.normal(size=size)
        rows.append((np.array([float(region)]), np.column_stack([amount, season])))
    return rows, y


def main(folder):
    """Draw orders and accuracies."""
    rng = np.random.default_rng(0)
    X, y = customers(600, rng)
    figure = Figure(figsize=(13, 5), layout="constrained")
    left, middle, right = figure.subplots(1, 3, width_ratios=(1, 1, 1.3))
    for region, ax in enumerate((left, middle)):
        for label in (0, 1):
            orders = np.vstack([rows for (own, rows), leaves in zip(X, y, strict=True) if own[0] == region and leaves == label])
            places = orders[:, 1] + 0.2 * (label - 0.5) * 2 + 0.15 * rng.uniform(-1, 1, len(orders))
            ax.scatter(places, orders[:, 0], s=5, color=COLOURS[label], alpha=0.5, edgecolors="none", label=WORDS[label])
        ax.set(title=f"orders in region {region}", ylabel="amount, from the usual one", xlim=(-0.5, 1.5))
        ax.set_xticks([0, 1], ["summer", "winter"])
    left.legend(frameon=False, markerscale=3)
    means = np.array([np.r_[own, rows.mean(axis=0)] for own, rows in X])
    sizes = np.array([len(rows) for _, rows in X])
    models = {
        "RelationalKernel": (SVC(kernel=RelationalKernel(own=RBF(), related=RBF()), C=10), X, "#009E73"),
        "own features and the mean order": (make_pipeline(StandardScaler(), SVC(C=10)), means, "#999999"),
    }
    parts = [(1, 3), (4, 6), (7, 9), (10, 12), (13, 15)]
    for name, (model, rows, colour) in models.items():
        good = cross_val_predict(model, rows, y, cv=FOLDS) == y
        shares = [100 * good[(sizes >= low) & (sizes <= high)].mean() for low, high in parts]
        right.plot(shares, "o-", color=colour, label=f"{name}, {100 * good.mean():.1f} % in all")
        print(f"{name:<34}{100 * good.mean():6.1f} %")
    right.set(title=f"right on held-out folds, {len(X)} customers, C = 10", xlabel="orders of a customer", ylabel="per cent")
    right.set_xticks(range(len(parts)), [f"{low} to {high}" for low, high in parts])
    right.set_ylim(40, 103)
    right.legend(frameon=False, loc="center right")
    figure.savefig(Path(folder) / "records.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
