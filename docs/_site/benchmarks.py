"""Tables and pictures of the benchmarks, from what ``make bench`` has written: nobody copies a figure by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

SUITES = {"kernel": "Classification", "regression": "Regression", "small": "Small sets"}
"""Suites of ``docs/measured``, in the order of the page."""
NARROW = "\u202f"
"""Between thousands, and before a unit: a space at which no line ends."""
PEERS = {"scikit-learn": "#0072B2", "intelex": "#E69F00"}


def measured(folder: Path) -> dict[str, dict[str, Any]]:
    """What is on record of each suite."""
    return {suite: json.loads((folder / f"{suite}.json").read_text(encoding="utf-8")) for suite in SUITES}


def write(folder: Path, made: Path) -> None:
    """A table and a picture of each suite into ``made``."""
    made.mkdir(exist_ok=True)
    for suite, held in measured(folder).items():
        (made / f"benchmarks_{suite}.md").write_text(table(held), encoding="utf-8")
        _draw(held["results"], made / f"benchmarks_{suite}.png", SUITES[suite])
    found = json.loads((folder / "approximate.json").read_text(encoding="utf-8"))["results"]
    (made / "benchmarks_approximate.md").write_text(landmarks_table(found), encoding="utf-8")
    _draw_landmarks(found, made / "benchmarks_approximate.png")


def landmarks_table(results: dict[str, Any]) -> str:
    """Accuracy on other rows and seconds, for each number of landmarks, and of the exact model."""
    numbers = [number for number, *_ in next(iter(results.values()))["approximate"]]
    lines = [f"| set | rows | {' | '.join(str(number) for number in numbers)} | exact |", f"|---|{'--:|' * (len(numbers) + 2)}"]
    for name, result in results.items():
        found = [*((seconds, score) for _, seconds, score in result["approximate"]), result["exact"]]
        cells = " | ".join(f"{score:.1%}, {_seconds(seconds)}" for seconds, score in found)
        lines.append(f"| {name} | {format(result['rows'], ',').replace(',', NARROW)} | {cells} |")
    return "\n".join([*lines, ""])


def _draw_landmarks(results: dict[str, Any], file: Path) -> None:
    figure = Figure(figsize=(4.2 * len(results), 6.2), layout="constrained")
    panels = figure.subplots(2, len(results), squeeze=False)
    for (name, result), (above, below) in zip(results.items(), panels.T, strict=True):
        numbers, seconds, scores = np.array(result["approximate"]).T
        for ax, values, exact, words in (
            (above, scores, result["exact"][1], "accuracy on other rows"),
            (below, seconds, result["exact"][0], "seconds of a fit"),
        ):
            ax.plot(numbers, values, color="#0072B2", marker="o", label="ApproximateSVC")
            ax.axhline(exact, color="#777777", linestyle="--", label="SVC")
            ax.set(xscale="log", xlabel="landmarks", ylabel=words)
            ax.set_xticks(numbers, [f"{number:.0f}" for number in numbers])
            ax.minorticks_off()
        below.set_yscale("log")
        above.set_title(name, loc="left")
        above.legend(frameon=False, loc="lower right")
    figure.savefig(file, dpi=110)


def table(held: dict[str, Any]) -> str:
    """Seconds of ours, ratios to the peers, and how near the optimum each is."""
    lines = [
        "| task | rows | fit, ours | fit: scikit-learn | intelex | predict: scikit-learn | intelex | KKT violation |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for result in held["results"]:
        fit, predict = result["fit_ratio"], result["predict_ratio"]
        lines.append(
            f"| {result['task']} | {format(result['rows'], ',').replace(',', NARROW)} | {_seconds(result['fit']['maxmargin'])} "
            + "".join(f"| {_times(ratios, peer)} " for ratios in (fit, predict) for peer in PEERS)
            + f"| {result['violation']['maxmargin']:.0e} |"
        )
    fit, predict = means(held)
    cells = "".join(f"| **{_times(ratios, peer)}** " for ratios in (fit, predict) for peer in PEERS)
    return "\n".join([*lines, f"| **geometric mean** | | {cells}| |", ""])


def means(held: dict[str, Any]) -> tuple[dict[str, float], dict[str, float]]:
    """Geometric means over all tasks of a suite: of fits, and of predictions."""

    def mean(what: str, peer: str) -> float:
        return float(np.exp(np.mean([np.log(result[what][peer]) for result in held["results"] if peer in result[what]])))

    peers = [peer for peer in PEERS if any(peer in result["fit_ratio"] for result in held["results"])]
    fit, predict = ({peer: mean(what, peer) for peer in peers} for what in ("fit_ratio", "predict_ratio"))
    return fit, predict


def short_table(held: dict[str, dict[str, Any]]) -> str:
    """The geometric means of all suites: what README shows."""
    lines = [
        "| times faster than | fit: scikit-learn | fit: intelex | predict: scikit-learn | predict: intelex |",
        "|---|--:|--:|--:|--:|",
    ]
    for suite, title in SUITES.items():
        fit, predict = means(held[suite])
        cells = " | ".join(_times(ratios, peer) for ratios in (fit, predict) for peer in PEERS)
        lines.append(f"| {title.lower()}, {len(held[suite]['results'])} sets | {cells} |")
    return "\n".join(lines)


def _times(ratios: dict[str, float], peer: str) -> str:
    return f"{ratios[peer]:.1f}" if peer in ratios else "–"


def _seconds(value: float) -> str:
    return f"{value:.2f}{NARROW}s" if value >= 0.1 else f"{1000 * value:.2g}{NARROW}ms"


def _draw(results: list[dict[str, Any]], file: Path, title: str) -> None:
    figure = Figure(figsize=(9, 0.5 * len(results) + 1.5), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(results))
    for ax, what in zip(axes, ("fit_ratio", "predict_ratio"), strict=True):
        for k, (peer, colour) in enumerate(PEERS.items()):
            values = [result[what].get(peer, np.nan) for result in results]
            bars = ax.barh(places + (k - 0.5) * 0.38, values, height=0.36, color=colour, label=peer)
            ax.bar_label(bars, fmt="%.1f", padding=2, fontsize=8)
        ax.axvline(1, color="#222222", linewidth=0.8)
        ax.set(xscale="log", xlabel=f"{what.removesuffix('_ratio')}: times faster than", xlim=(0.8, None))
        ax.margins(x=0.15)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(places, [result["task"] for result in results])
    axes[0].set_ylim(len(results) - 0.5, -0.5)
    axes[0].set_title(title, loc="left")
    axes[1].legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
    figure.savefig(file, dpi=110)
