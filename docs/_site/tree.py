"""The tree of "Choose a model", drawn: questions on the left, from top to bottom; who says yes goes right."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch


class Step(NamedTuple):
    """A question, what a yes leads to, and a remark."""

    question: str
    model: str
    remark: str = ""


BRANCHES = {
    "You have labels of classes": (
        Step("Text, one-hot,\nmore columns than rows?", "LinearSVC", "LogisticRegression: probabilities"),
        Step("Up to some 100 000 rows?", "SVC", "probability=True, SVCCV"),
        Step("Curves are needed?", "ApproximateSVC", "landmarks: millions of rows"),
        Step("All rows fit into memory?", "LinearSVC", ""),
        Step("Rows come in blocks", "StochasticClassifier", "partial_fit"),
    ),
    "You have numbers to predict": (
        Step("Sparse, or a straight line\nwill do?", "LinearSVR", ""),
        Step("Up to some 100 000 rows?", "SVR", "interval=True: intervals"),
        Step("More rows", "ApproximateSVR", ""),
    ),
    "You have no labels": (
        Step("Which rows are unusual?", "OneClassSVM", "or SVDD, LinearOneClassSVM"),
        Step("Which directions vary most?", "KernelPCA", ""),
    ),
}
"""What is asked, by what there is to learn from."""

_INK, _BLUE, _LIGHT = "#222222", "#0072B2", "#dbeaf4"
_STEP = 1.0


def models() -> set[str]:
    """Estimators that the tree leads to."""
    return {step.model for steps in BRANCHES.values() for step in steps}


def draw(file: Path) -> None:
    """Draw all branches below each other: a page that is read on a telephone is narrow."""
    height = sum(_STEP * (len(steps) + 0.75) for steps in BRANCHES.values())
    figure = Figure(figsize=(6.4, 0.78 * height))
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, 10), ylim=(-height, 0.1))
    ax.axis("off")
    top = -0.25
    for title, steps in BRANCHES.items():
        ax.text(0.2, top, title, fontsize=13, weight="bold", color=_INK, va="center")
        for k, step in enumerate(steps):
            middle = top - _STEP * (k + 0.8)
            last = k == len(steps) - 1
            _box(ax, 0.2, middle, 4.3, step.question, "#ffffff", _INK)
            _box(ax, 5.6, middle, 4.2, step.model, _LIGHT, _BLUE, step.remark)
            arrow = {"arrowstyle": "-|>", "color": _INK, "lw": 1.2}
            ax.annotate("", (5.55, middle), (4.55, middle), arrowprops=arrow)
            ax.text(5.0, middle + 0.1, "yes" if "?" in step.question else "", fontsize=9, ha="center", va="bottom", color=_INK)
            if not last:
                ax.annotate("", (2.35, middle - 0.64), (2.35, middle - 0.36), arrowprops=arrow)
                also = "also" if title == "You have no labels" else "no"
                ax.text(2.5, middle - 0.5, also, fontsize=9, va="center", color=_INK)
        top -= _STEP * (len(steps) + 0.75)
    figure.savefig(file)


def _box(ax, x, middle, width, text, face, edge, remark=""):  # type: ignore[no-untyped-def]  # matplotlib's axes
    style = "round,pad=0,rounding_size=0.12"
    ax.add_patch(FancyBboxPatch((x, middle - 0.36), width, 0.72, boxstyle=style, facecolor=face, edgecolor=edge, lw=1.2))
    up = 0.12 * (1 + remark.count("\n")) if remark else 0.0
    weight = "bold" if edge == _BLUE else "normal"
    ax.text(x + width / 2, middle + up, text, ha="center", va="center", fontsize=11, weight=weight, color=_INK)
    if remark:
        ax.text(x + width / 2, middle - 0.18, remark, ha="center", va="center", fontsize=8.5, color=_INK)
