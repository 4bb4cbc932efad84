"""The same boundary by map and by kernel, and what each costs: Θ(d²) against Θ(d).

On the left the boundary of a linear classifier after the map (1, x_i, x_i x_j), drawn wide and light, and that of the kernel
1 + <u, v> + <u, v>² on the rows themselves, drawn thin and dark on top of it: they are the same curve. In the middle the time
for all inner products of 200 rows of d features. The map makes 1 + d + d² numbers of each row and multiplies these; the kernel
multiplies d numbers and adds two more terms. On logarithmic axes these are lines of slope 2 and, once the products take longer
than all the rest, 1. On the right the memory that the features need beside that of the rows.

    python examples/map_or_kernel.py [folder]
"""

import sys
from pathlib import Path
from timeit import repeat

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC
from maxmargin.feature_maps import SecondOrder

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"


def seconds(work):
    """The shortest of five runs."""
    return min(repeat(work, number=1, repeat=5))


def products_by_map(rows):
    """All inner products, with the features written out."""
    Z = SecondOrder().fit_transform(rows)
    return Z @ Z.T


def main(folder):
    """Draw the boundary, the times and the memory."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] * X[:, 1] + 0.4 * X[:, 0] + 0.35 * rng.normal(size=150) > 0).astype(int)
    lift = SecondOrder().fit(X)
    by_map = SVC(kernel="linear", C=1.0, tol=1e-6).fit(lift.transform(X), y)
    by_kernel = SVC(kernel=lift.kernel, C=1.0, tol=1e-6).fit(X, y)
    grid = np.stack(np.meshgrid(np.linspace(-3, 3, 150), np.linspace(-3, 3, 150)), axis=-1)
    flat = grid.reshape(-1, 2)
    scores = by_map.decision_function(lift.transform(flat)), by_kernel.decision_function(flat)
    apart = np.abs(scores[0] - scores[1]).max() / np.abs(scores[1]).max()

    figure = Figure(figsize=(15, 5.2), layout="constrained")
    axes = figure.subplots(1, 3)
    for label, colour in ((0, BLUE), (1, RED)):
        axes[0].scatter(*X[y == label].T, s=18, color=colour, alpha=0.6, edgecolors="none")
    for f, colour, width in zip(scores, ("#F0C808", INK), (7.0, 1.3), strict=True):
        axes[0].contour(*np.moveaxis(grid, -1, 0), f.reshape(grid.shape[:2]), levels=[0.0], colors=colour, linewidths=width)
    axes[0].set(title=f"by map (yellow) and by kernel (black): {apart:.0e} apart", xlabel="x1", ylabel="x2")

    narrow, wide = 2 ** np.arange(2, 8), 2 ** np.arange(2, 15)
    lines = {
        "map: 1 + d + d² numbers a row": (narrow, products_by_map, RED),
        "kernel: d numbers a row": (wide, lift.kernel, BLUE),
    }
    for name, (widths, work, colour) in lines.items():
        samples = [rng.normal(size=(200, d)) for d in widths]
        times = [seconds(lambda rows=rows, work=work: work(rows)) for rows in samples]
        slope = np.log2(times[-1] / times[-3]) / 2.0
        axes[1].loglog(
            widths, 1e3 * np.array(times), "o-", color=colour, label=f"{name.partition(':')[0]}: slope {slope:.1f} at the end"
        )
        numbers = 1 + widths + widths**2 if work is products_by_map else widths
        axes[2].loglog(widths, 8e-3 * 200 * numbers, "o-", color=colour, label=name)
    axes[1].set(title="time for all inner products of 200 rows", xlabel="features d", ylabel="ms")
    axes[2].set(title="memory for 200 rows", xlabel="features d", ylabel="kB")
    for ax in axes[1:]:
        ax.legend(frameon=False)
    figure.savefig(Path(folder) / "map_or_kernel.png", dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
