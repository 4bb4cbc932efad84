"""Strings: splice junctions of genes, told from windows of 60 letters.

On the left two components of the weighted degree kernel, which compares strings position by position: junctions from exon to
intron (EI), from intron to exon (IE), and neither. On the right the share of held-out strings that five kernels class right,
over five folds. Where a letter stands matters here: substrings counted anywhere (spectrum) know little.

The data are UCI's splice junctions, ``structured/splice_letters.csv.xz`` in the folder named by MAXMARGIN_DATA.

    python examples/splice_sites.py [folder]
"""

import csv
import lzma
import os
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold, cross_val_score

from maxmargin import SVC, KernelPCA
from maxmargin.kernels import GappedKmer, Spectrum, WeightedDegree

COLOURS = {"EI": "#0072B2", "IE": "#D55E00", "N": "#999999"}
KERNELS = {
    "Spectrum(k=3)": Spectrum(k=3),
    "GappedKmer(l=6, k=4)": GappedKmer(l=6, k=4),
    "WeightedDegree(1)": WeightedDegree(degree=1),
    "WeightedDegree(4)": WeightedDegree(degree=4),
    "WeightedDegree(4) ** 2": WeightedDegree(degree=4) ** 2,
}


def main(folder):
    """Draw components and accuracies."""
    path = Path(os.environ["MAXMARGIN_DATA"]) / "structured" / "splice_letters.csv.xz"
    with lzma.open(path, "rt") as file:
        rows = list(csv.reader(file))
    some = np.random.default_rng(0).permutation(len(rows))[:1200]
    X, y = [rows[k][2].strip() for k in some], np.array([rows[k][0].strip() for k in some])
    figure = Figure(figsize=(13, 5.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    Z = KernelPCA(2, kernel=WeightedDegree(degree=4)).fit_transform(X)
    for label, colour in COLOURS.items():
        left.scatter(*Z[y == label].T, s=14, color=colour, alpha=0.7, edgecolors="none", label=label)
    left.set(title="two components of WeightedDegree(degree=4)", xticks=[], yticks=[])
    left.legend(frameon=False)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = [100.0 * cross_val_score(SVC(kernel=kernel, C=10), X, y, cv=folds).mean() for kernel in KERNELS.values()]
    bars = right.barh(list(KERNELS), scores, color="#56B4E9", height=0.6)
    right.bar_label(bars, fmt="%.1f %%", padding=4)
    right.set(title=f"right on held-out folds, {len(X)} strings, C = 10", xlim=(50, 105), xlabel="per cent")
    right.invert_yaxis()
    for name, score in zip(KERNELS, scores, strict=True):
        print(f"{name:<26}{score:6.1f} %")
    figure.savefig(Path(folder) / "splice_sites.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
