"""Regression in a tube: the wider the tube, the fewer rows hold the function.

Each picture fits the same noisy sine. Inside the tube |f - y| <= epsilon a row costs nothing and could be left out; support
vectors (ringed) are on its edge or outside. A tube as wide as the noise needs few of them; one as wide as the curve needs
hardly any, and misses it. The last picture gives no epsilon: nu = 0.2 asks for a tube with at most a fifth of the rows
outside, and epsilon is found.

    python examples/tube.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from maxmargin import SVR, NuSVR
from maxmargin.plots import tube


def main(folder):
    """Draw four tubes."""
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(0, 2 * np.pi, 80))[:, None]
    y = np.sin(X[:, 0]) + 0.15 * rng.normal(size=80)

    figure = Figure(figsize=(11, 8), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for ax, epsilon in zip(axes, (0.05, 0.25, 0.8), strict=False):
        tube(SVR(C=10.0, gamma=0.5, epsilon=epsilon).fit(X, y), X, y, ax=ax)
        ax.set_title(f"ε = {epsilon}")
    model = NuSVR(C=10.0, gamma=0.5, nu=0.2).fit(X, y)
    tube(model, X, y, ax=axes[3])
    axes[3].set_title(f"ν = 0.2 finds ε = {model.epsilon_[0]:.3f}")
    for ax in axes:
        ax.label_outer()
        ax.set_xlabel("x" if ax in axes[2:] else "")
        ax.set_ylabel("y" if ax in axes[::2] else "")
    figure.savefig(Path(folder) / "tube.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
