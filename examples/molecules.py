"""Graphs: which molecules cause mutations, from their atoms and bonds.

MUTAG has 188 aromatic compounds as graphs, atoms as labels of nodes. The compounds that the model is surest of on either side,
drawn with their bonds; and the share of held-out molecules that are classed right, by the rounds h of refinement: h = 0 counts
atoms, and each round looks one bond further.

The data are ``structured/MUTAG_*.txt.xz`` in the folder named by MAXMARGIN_DATA.

    python examples/molecules.py [folder]
"""

import lzma
import os
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold, cross_val_score

from maxmargin import SVC
from maxmargin.kernels import WeisfeilerLehman

ATOMS = dict(enumerate(["C", "N", "O", "F", "I", "Cl", "Br"]))
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
SHADES = {"C": "#444444", "N": "#0072B2", "O": "#D55E00"}


def table(name):
    """The numbers of a file, row by row."""
    with lzma.open(Path(os.environ["MAXMARGIN_DATA"]) / "structured" / f"MUTAG_{name}.txt.xz", "rt") as file:
        return np.loadtxt(file, delimiter=",", dtype=int)


def molecules():
    """Graphs as (edges, node labels), and whether they are mutagenic."""
    owner, atoms, edges = table("graph_indicator"), table("node_labels"), table("A") - 1
    first = np.searchsorted(owner, np.arange(1, owner.max() + 2))
    of_edge = owner[edges[:, 0]]
    parts = [((edges[of_edge == g] - first[g - 1]).tolist(), atoms[owner == g].tolist()) for g in range(1, owner.max() + 1)]
    return [(pairs, [ATOMS[a] for a in labels]) for pairs, labels in parts], table("graph_labels")


def draw(ax, graph, title):
    """A graph in the plane, with distances as near as can be to the number of bonds between."""
    edges, labels = graph
    n = len(labels)
    hops = np.where(np.eye(n) > 0, 0.0, np.inf)
    hops[tuple(np.array(edges).T)] = 1.0
    for k in range(n):
        hops = np.minimum(hops, hops[:, [k]] + hops[[k]])
    Z = np.random.default_rng(1).normal(size=(n, 2)) * n
    for _ in range(900):
        apart = Z[:, None] - Z
        far = np.sqrt(np.square(apart).sum(axis=2)) + np.eye(n)
        Z = Z - 0.1 * (((far - hops) / np.maximum(hops, 1.0) ** 2)[:, :, None] * apart / far[:, :, None]).sum(axis=1)
    ax.plot(*Z[np.array(edges).T].transpose(2, 0, 1), color="#bbbbbb", lw=2, zorder=1)
    for z, label in zip(Z, labels, strict=True):
        ax.text(*z, label, ha="center", va="center", color="white", fontsize=8, zorder=3)
        ax.scatter(*z, s=190, color=SHADES.get(label, "#009E73"), zorder=2)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])


def main(folder):
    """Draw molecules, components and accuracies."""
    X, y = molecules()
    axes = (figure := Figure(figsize=(14, 5), layout="constrained")).subplots(1, 3)
    f = SVC(kernel=WeisfeilerLehman(h=3), C=10).fit(X, y).decision_function(X)
    draw(axes[0], X[int(f.argmax())], f"mutagenic, f = {f.max():.2f}")
    draw(axes[1], X[int(f.argmin())], f"not mutagenic, f = {f.min():.2f}")
    scores = [100 * cross_val_score(SVC(kernel=WeisfeilerLehman(h=h), C=10), X, y, cv=FOLDS).mean() for h in range(6)]
    axes[2].plot(scores, "o-", color="#009E73")
    axes[2].set(title="right on held-out folds, C = 10", xlabel="rounds h", ylabel="per cent", ylim=(70, 95))
    print("h, per cent right:", ", ".join(f"{h}: {score:.1f}" for h, score in enumerate(scores)))
    figure.savefig(Path(folder) / "molecules.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
