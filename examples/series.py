"""Time series: transients of four kinds, told by global alignment, which lets a series run faster or slower.

On the left a few series of each kind. In the middle their kernel matrix, sorted by kind: bright is alike. On the right the
share of series that are classed right over three folds of the training part (line), and of the test part (star: with the width
that the folds chose), beside the RBF kernel. The data are the set Trace, which tslearn brings along; without it generated
series stand in, and the title says so.

    python examples/series.py [folder]
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

from maxmargin import SVC
from maxmargin.kernels import GlobalAlignment
from maxmargin.model_selection import GridSearchCV

MULTIPLES = [0.1, 0.2, 0.5, 1.0]
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


def generated(n, rng):
    """A step at any time, in half of the kinds with a dip before it, in half with an oscillation after it."""
    kinds, t = np.arange(n) % 4, np.linspace(0.0, 1.0, 100)
    rows = []
    for kind in kinds:
        at = rng.uniform(0.35, 0.65)
        wave = 0.6 * np.sin(60.0 * (t - at)) * np.exp(-6.0 * np.abs(t - at)) * (t > at) * (kind % 2)
        dip = 1.2 * np.exp(-(((t - at + 0.15) / 0.04) ** 2)) * (kind // 2)
        x = (t > at) + wave - dip + 0.05 * rng.normal(size=len(t))
        rows.append((x - x.mean()) / x.std())
    return np.array(rows)[:, :, np.newaxis], kinds


def load():
    """Training and test part, and what they are."""
    try:
        from tslearn.datasets import CachedDatasets  # noqa: PLC0415  # not a dependency
    except ImportError:
        rng = np.random.default_rng(0)
        return *generated(80, rng), *generated(80, rng), "generated series"
    X, y, new, labels = CachedDatasets().load_dataset("Trace")
    return X[:, ::3], y, new[:, ::3], labels, "Trace, every third moment"


def main(folder):
    """Draw series, their matrix, and accuracies."""
    X, y, new, labels, what = load()
    axes = (figure := Figure(figsize=(14, 4.8), layout="constrained")).subplots(1, 3)
    order = np.argsort(y, kind="stable")
    for k, kind in enumerate(np.unique(y)):
        for x in X[y == kind][:4]:
            axes[0].plot(x[:, 0] - 5 * k, color=COLOURS[k], lw=1, alpha=0.7)
    axes[0].set(title=what, xlabel="moment", yticks=[])
    axes[1].imshow(GlobalAlignment(sigma="median")(X[order]), vmin=0, vmax=1)
    axes[1].set(title='GlobalAlignment(sigma="median"), sorted by kind', xticks=[], yticks=[])
    search = GridSearchCV(SVC(kernel=GlobalAlignment()), {"kernel__sigma": [f"{m}*median" for m in MULTIPLES]}, cv=FOLDS)
    test = 100 * search.fit(X, y).score(new, labels)
    axes[2].plot(
        MULTIPLES, 100 * search.cv_results_["mean_test_score"], "o-", color="#0072B2", label="folds of the training part"
    )
    chosen = float(search.best_params_["kernel__sigma"].split("*")[0])
    axes[2].plot(chosen, test, "*", ms=14, color="#D55E00", label=f"test part, {test:.0f} %")
    plain = 100 * SVC().fit(X[:, :, 0], y).score(new[:, :, 0], labels)
    axes[2].axhline(plain, color="#999999", ls="--", label=f"RBF of the numbers, test part, {plain:.0f} %")
    axes[2].set(title="right, C = 1", xlabel="σ, in medians", ylabel="per cent", xscale="log", ylim=(40, 103))
    axes[2].set_xticks(MULTIPLES, [str(m) for m in MULTIPLES], minor=False)
    axes[2].legend(frameon=False, loc="lower left")
    print(f"{what}: {chosen} medians chosen, {test:.1f} % of the test part right; RBF {plain:.1f} %")
    figure.savefig(Path(folder) / "series.png", dpi=110)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
