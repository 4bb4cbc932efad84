"""A similarity that is no kernel, the proof of that, and three repairs.

tanh(4<u, v>) looks like a kernel: symmetric, large for similar rows. `kernels.mercer` finds a vector c with cᵀKc < 0, and no
inner product has that. Above left its eigenvalues, some of them negative; in the middle the witness c on the rows; on the right
a fit with the indefinite matrix, which has no proof of optimality, and the library says so. Below the same matrix repaired:
negative eigenvalues set to 0 (clip), turned positive (flip), or all shifted up until none is negative (shift): then every row
is so similar to itself that it becomes a support vector. Rings are support vectors, crosses are wrong.

    python examples/mercer.py [folder]
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVC
from maxmargin.errors import IndefiniteKernelWarning
from maxmargin.kernels import Sigmoid, mercer, repair

BLUE, RED, INK = "#0072B2", "#D55E00", "#222222"


def main(folder):
    """Draw eigenvalues, the witness, and four fits."""
    rng = np.random.default_rng(6)
    y = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 2)) * 0.6 + np.where(y[:, None] == 1, [0.8, 0.8], [-0.5, 0.1])
    kernel = Sigmoid(gamma=4.0, coef0=0.0)
    K = kernel(X)
    found = mercer(kernel, X)
    print(found)
    figure = Figure(figsize=(14.5, 8.6), layout="constrained")
    axes = figure.subplots(2, 3)
    values = np.linalg.eigvalsh(K)[::-1]
    axes[0, 0].bar(np.arange(12), values[:12], color=BLUE)
    axes[0, 0].bar(np.arange(13, 25), values[-12:], color=RED)
    axes[0, 0].axhline(0.0, color=INK, lw=0.8)
    axes[0, 0].set(title="largest and smallest eigenvalues, 12 each", ylabel="eigenvalue", yscale="symlog", xticks=[])
    size = np.abs(found.vector) / np.abs(found.vector).max()
    axes[0, 1].scatter(
        *X.T, s=10 + 240 * size, c=np.where(found.vector > 0, RED, BLUE), alpha=0.6, edgecolors=INK, linewidths=0.4
    )
    axes[0, 1].set(
        title=f"the witness: cᵀKc = {found.smallest_eigenvalue:.2f}, red c > 0, blue c < 0", xlabel="x1", ylabel="x2"
    )
    panels = {"as it is": K, "clip": repair(K, "clip"), "flip": repair(K, "flip"), "shift": repair(K, "shift")}
    for ax, (name, matrix) in zip((axes[0, 2], *axes[1]), panels.items(), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IndefiniteKernelWarning)  # that is the point
            model = SVC(kernel="precomputed", C=10.0).fit(matrix, y)
        wrong = model.predict(matrix) != y
        for label, colour in ((0, BLUE), (1, RED)):
            ax.scatter(*X[y == label].T, s=20, color=colour, alpha=0.6, edgecolors="none")
        ax.scatter(*X[model.support_].T, s=80, facecolors="none", edgecolors=INK, linewidths=0.7)
        ax.scatter(*X[wrong].T, s=70, marker="x", color=INK)
        gap = model.certificate_.gap
        proof = "no proof: perhaps a local optimum" if np.isnan(gap) else f"optimal, gap {gap:.0e}"
        ax.set(title=f"{name}: {len(model.support_)} support vectors, {wrong.sum()} wrong\n{proof}", xlabel="x1", ylabel="x2")
    figure.savefig(Path(folder) / "mercer.png", dpi=100)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
