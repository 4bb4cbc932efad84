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

ATOMS = dict(enumerate("C N O F I Cl Br".split()))
SHADES = {"C": "#444444", "N": "#0072B2", "O": "#D55E00"}


def table(name):
    """The numbers of a file, row by row."""
    path = Path(os.environ["MAXMARGIN_DATA"]) / "structured" / f"MUTAG_{name}.txt.xz"
    return np.loadtxt(lzma.open(path, "rt"), delimiter=",", dtype=int)


def molecules():
    """Graphs as (edges, node labels), and whether they are mutagenic."""
    owner, atoms, edges = table("graph_indicator"), table("node_labels"), table("A") - 1
    first = np.searchsorted(owner, np.arange(1, owner.max() + 2))
    of_edge = owner[edges[:, 0]]
    parts = [((edges[of_edge == g] - first[g - 1]).tolist(), atoms[owner == g].tolist()) for g in range(1, owner.max() + 1)]
    return [(pairs, [ATOMS[a] for a in labels]) for pairs, labels in parts], table("graph_labels")


def draw(ax, graph, title):
    """A graph in the plane of two eigenvectors of its Laplacian, pulled straight by springs."""
    edges, labels = graph
    A = np.zeros((len(labels), len(labels)))
    A[tuple(np.array(edges).T)] = 1.0
    hops = np.where(A > 0, 1.0, np.where(np.eye(len(A)) > 0, 0.0, np.inf))
    for k in range(len(A)):
        hops = np.minimum(hops, hops[:, [k]] + hops[[k]])
    Z = np.linalg.eigh(np.diag(A.sum(axis=0)) - A)[1][:, 1:3] * len(A)
    for _ in range(600):  # distances in the plane as near as can be to those in the graph
        apart = Z[:, None] - Z
        far = np.sqrt(np.square(apart).sum(axis=2)) + np.eye(len(A))
        Z = Z - 0.1 * (((far - hops) / np.maximum(hops, 1.0) ** 2)[:, :, None] * apart / far[:, :, None]).sum(axis=1)
    for u, v in edges:
        ax.plot(*Z[[u, v]].T, color="#bbbbbb", lw=2, zorder=1)
    for z, label in zip(Z, labels, strict=True):
        ax.text(*z, label, ha="center", va="center", color="white", fontsize=8, zorder=3)
        ax.scatter(*z, s=190, color=SHADES.get(label, "#009E73"), zorder=2)
    ax.set(title=title, aspect="equal", xticks=[], yticks=[])


def main(folder):
    """Draw molecules, components and accuracies."""
    X, y = molecules()
    figure = Figure(figsize=(14, 5), layout="constrained")
    axes = figure.subplots(1, 3)
    f = SVC(kernel=WeisfeilerLehman(h=3), C=10).fit(X, y).decision_function(X)
    draw(axes[0], X[int(f.argmax())], f"mutagenic, f = {f.max():.2f}")
    draw(axes[1], X[int(f.argmin())], f"not mutagenic, f = {f.min():.2f}")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    rounds = range(6)
    scores = [100 * cross_val_score(SVC(kernel=WeisfeilerLehman(h=h), C=10), X, y, cv=folds).mean() for h in rounds]
    axes[2].plot(rounds, scores, "o-", color="#009E73")
    axes[2].set(title="right on held-out folds, C = 10", xlabel="rounds h", ylabel="per cent", ylim=(75, 95))
    axes[2].grid(True, color="#dddddd", lw=0.6)
    print("h, per cent right:", ", ".join(f"{h}: {score:.1f}" for h, score in zip(rounds, scores, strict=True)))
    figure.savefig(Path(folder) / "molecules.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
