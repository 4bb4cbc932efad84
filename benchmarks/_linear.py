"""Linear models: time to a relative suboptimality of 1e-3, ours and the peers', at the loosest tolerance that reaches it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from benchmarks import _linear_peers as peers
from benchmarks._hardware import memory, passes
from benchmarks._linear_server import Server, chosen

SUITES = {"linear": ("squared_hinge", "hinge"), "logistic": ("logistic",)}
PRICES = (1.0, 100.0)
CLOSE = 1e-3
EXACT = 1e-5  # a hundredth of what is asked for
OUR_CAP = 120.0
MOST_CAP = 120.0
ROUNDS, SHORT = 5, 1.0  # short fits are made so often, in turn


class Patience(NamedTuple):
    """How long a peer may take: more would only raise a bound that says enough."""

    times: float  # as long as ours
    least: float  # seconds
    again: float  # at a larger C it is asked again if its bound is below so many times ours

    def cap(self, ours: float) -> float:
        """Seconds after which a fit is stopped."""
        return float(np.clip(self.times * ours, self.least, MOST_CAP))


YARDSTICK = Patience(25.0, 6.0, 20.0)  # scikit-learn, whose means count
OTHERS = Patience(10.0, 3.0, 5.0)


def _least(server: Server, asked: peers.Asked, best: float) -> dict[str, Any]:
    """The first of the tries that comes within 1e-3 of the best, without those that cannot be it.

    Where a fit is stopped at the cap, or all tries end and none is close, or they have taken the cap together, what the longest
    of them took is what it would have taken at least: a bound, and said to be one.
    """
    runs: list[dict[str, Any]] = []
    few_ran_out = False
    for tol, most in peers.tries(asked.who):
        if most == peers.FEW and few_ran_out:
            continue  # the same fit again
        if most == peers.MANY and not few_ran_out:
            continue  # it ended before
        found = server.fit(asked._replace(tol=tol, max_iter=most))
        if found is None:
            return {"seconds": asked.cap, "termination": "capped", "runs": runs}  # and so would all that follow
        run = {"tol": tol, "max_iter": most, "seconds": found.seconds, "wrong": found.wrong}
        runs.append(run | {"above": (found.objective - best) / best})
        few_ran_out = found.ran_out if most == peers.FEW else few_ran_out
        if found.objective <= best * (1 + CLOSE):
            return {"seconds": found.seconds, "termination": "close", "runs": runs, "asked": (tol, most)}
        if found.wrong:
            return {"seconds": math.nan, "termination": "failed", "runs": runs}
        if sum(run["seconds"] for run in runs) >= asked.cap:
            break
    return {"seconds": max(run["seconds"] for run in runs), "termination": "never close", "runs": runs}


def _in_turn(server: Server, C: float, loss: str, found: dict[str, dict[str, Any]]) -> dict[str, list[float]]:
    """Seconds of several rounds: of short fits that came close in turn, of others the one figure there is."""
    short = {one: held["asked"] for one, held in found.items() if held["termination"] == "close" and held["seconds"] <= SHORT}
    rounds: dict[str, list[float]] = {one: [] for one in found}
    for _ in range(ROUNDS):
        for one, held in found.items():
            fitted = server.fit(peers.Asked(one, C, loss, *short[one], OUR_CAP)) if one in short else None
            rounds[one].append(held["seconds"] if fitted is None else fitted.seconds)
    return rounds


def _best(server: Server, C: float, loss: str) -> tuple[float, float]:
    """Our objective at a tolerance of 1e-5, and how long that took: the best there is, or what the cap lets it come to."""
    found = server.fit(peers.Asked(peers.OURS, C, loss, EXACT, peers.FEW, OUR_CAP))
    if found is None or found.wrong or not found.relative_gap <= 0.1 * CLOSE:
        raise SystemExit(f"Nothing to measure by: with the {loss} and C = {C:g} ours gave {found}.")
    return found.objective, found.seconds


def _best_of_scikit_learn(found: dict[str, dict[str, Any]], ratios: dict[str, float]) -> float:
    """The least ratio of its solvers that came close; where none did the least bound."""
    own = {one: ratio for one, ratio in ratios.items() if one.startswith(peers.SKLEARN) and math.isfinite(ratio)}
    close = [ratio for one, ratio in own.items() if found[one]["termination"] == "close"]
    return min(close or own.values(), default=math.nan)


def timed(folder: Path, names: list[str], losses: list[str], costs: list[float]) -> Iterator[dict[str, Any]]:
    """For every set, loss and C: the least time of each that comes within 1e-3 of our objective at a tolerance of 1e-5.

    Medians of several fits in turn where these are short; a ratio is the median of the ratios.
    Who was stopped is not asked again at a larger C, where hardly anybody is faster, if that time is far from ours there too.
    """
    for name in names:
        server = Server(name, folder)
        for loss in losses:
            stopped: dict[str, float] = {}
            for C in sorted(costs):
                best, exact_seconds = _best(server, C, loss)
                found = {peers.OURS: _least(server, peers.Asked(peers.OURS, C, loss, 0.0, 0, OUR_CAP), best)}
                ours = found[peers.OURS]["seconds"]
                for one in peers.rivals(loss, server.width):
                    patience = YARDSTICK if one.startswith(peers.SKLEARN) else OTHERS
                    cap = patience.cap(ours)
                    if stopped.get(one, 0.0) >= patience.again * ours:
                        found[one] = {"seconds": stopped[one], "termination": "capped at a smaller C", "runs": []}
                        continue
                    found[one] = _least(server, peers.Asked(one, C, loss, 0.0, 0, cap), best)
                    if found[one]["termination"] == "capped":
                        stopped[one] = cap
                rounds = _in_turn(server, C, loss, found)
                own = np.array(rounds[peers.OURS])
                ratios = {one: float(np.median(times / own)) for one, times in rounds.items() if one != peers.OURS}
                yield {
                    "set": name,
                    "loss": loss,
                    "C": C,
                    "best": best,
                    "exact_seconds": exact_seconds,
                    "seconds": {one: float(np.median(times)) for one, times in rounds.items()},
                    "termination": {one: held["termination"] for one, held in found.items()},
                    "ratio": ratios,
                    "best_of_scikit_learn": _best_of_scikit_learn(found, ratios),
                    "runs": {one: held["runs"] for one, held in found.items()},
                }
        server.stop()


def _print(found: dict[str, Any]) -> None:
    ours = found["termination"][peers.OURS]
    what = f"{found['set']}, {found['loss']}, C = {found['C']:g}"
    line = [f"{what:<46} ours {found['seconds'][peers.OURS]:.3g} s" + f" ({ours})" * (ours != "close")]
    for one, ratio in found["ratio"].items():
        termination = found["termination"][one]
        line.append(f"{one} {'≥ ' * (termination != 'close')}{ratio:.2f}x" + f" ({termination})" * (termination != "close"))
    line.append(f"scikit-learn's fastest {found['best_of_scikit_learn']:.2f}x")
    print(", ".join(line), flush=True)


def _mean(ratios: list[float]) -> float:
    return math.exp(np.mean(np.log(ratios))) if ratios else math.nan


def _means(results: list[dict[str, Any]]) -> dict[str, float]:
    """Geometric means for each C and peer: of each loss, and over all losses."""
    means = {}
    for C in dict.fromkeys(found["C"] for found in results):
        losses = list(dict.fromkeys(found["loss"] for found in results if found["C"] == C))
        groups = {loss: [loss] for loss in losses} | ({"all losses": losses} if len(losses) > 1 else {})
        for group, members in groups.items():
            held = [found for found in results if found["C"] == C and found["loss"] in members]
            ratios = [found["ratio"] | {"scikit-learn's fastest": found["best_of_scikit_learn"]} for found in held]
            for one in dict.fromkeys(name for row in ratios for name in row):
                known = [row[one] for row in ratios if math.isfinite(row.get(one, math.nan))]
                means[f"{group}, C = {C:g}, {one} ({len(known)} fits)"] = _mean(known)
    return means


def _draw(results: list[dict[str, Any]], file: Path) -> None:
    groups = list(dict.fromkeys((found["loss"], found["C"]) for found in results))
    rows = max(sum((found["loss"], found["C"]) == group for found in results) for group in groups)
    size = (2.0 + 3.3 * len(groups), 0.5 * rows + 1.8)
    shared = {"sharex": True, "sharey": True}  # every group has the same sets
    figure, axes = plt.subplots(1, len(groups), figsize=size, squeeze=False, layout="constrained", **shared)
    marks = dict(zip(dict.fromkeys(one for found in results for one in found["ratio"]), "os^Dv*", strict=False))
    for ax, (loss, C) in zip(axes[0], groups, strict=True):
        held = [found for found in results if (found["loss"], found["C"]) == (loss, C)]
        for one, mark in marks.items():
            places = [k for k, found in enumerate(held) if one in found["ratio"]]
            values = [held[k]["ratio"][one] for k in places]
            bounds = [held[k]["termination"][one] != "close" for k in places]
            colour = ax.plot(values, places, mark, label=one, markersize=5, alpha=0.8)[0].get_color()
            for value, place, bound in zip(values, places, bounds, strict=True):
                if bound:  # at least so many
                    ax.annotate("", (3 * value, place), (value, place), arrowprops={"arrowstyle": "->", "color": colour})
        ax.axvline(1, color="black", linewidth=0.8)
        ax.set(xscale="log", title=f"{loss.replace('_', ' ')}, C = {C:g}", xlabel="times faster", ylim=(len(held) - 0.5, -0.5))
        ax.set_yticks(range(len(held)), [found["set"] for found in held])
        ax.grid(axis="y", linewidth=0.3)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=len(marks), frameon=False)
    figure.savefig(file, dpi=120)


def run(suite: str, output: Path, folder: Path | None, only: str | None) -> None:
    """Print a line each, and keep all of it."""
    if folder is None:
        raise SystemExit(f"The {suite} suite needs the folder that has the data: make bench SUITE={suite} DATA=folder")
    results = []
    names, losses, costs = chosen(only, SUITES[suite], PRICES)
    for found in timed(folder, names, losses, costs):
        results.append(found)
        _print(found)
    means = _means(results)
    for what, mean in means.items():
        print(f"geometric mean, {what}: {mean:.2f}x")
    held: dict[str, Any] = {"results": results, "geometric_means": means}
    if only is None and suite == "linear":
        held |= {"gigabytes_a_second": passes(), "rise_of_memory": memory(folder)}
        print("GB/s: " + ", ".join(f"{what} {value:.1f}" for what, value in held["gigabytes_a_second"].items()))
        print("rise of memory, inputs: " + ", ".join(f"{what} {v:.2f}" for what, v in held["rise_of_memory"].items()))
    output.mkdir(parents=True, exist_ok=True)
    (output / f"{suite}.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    _draw(results, output / f"{suite}.png")
    print(f"written: {output / suite}.json, .png")
