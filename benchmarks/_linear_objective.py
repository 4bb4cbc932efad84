"""Linear models: our objective beside LIBLINEAR's at equal settings, each evaluated in float64, and what our certificate says.

A gap of 1e-7 proves that nobody's objective is lower by more than that, so a fit that converged needs no rival. LIBLINEAR is
run all the same, as it comes (tolerance 1e-4, 1000 iterations) and for longer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import _linear_peers as peers
from benchmarks._linear_server import LOSSES, Found, Server, chosen

PRICES = (1e-2, 1.0, 1e2, 1e4)
ALLOWED = 1e-6
TOLERANCE = 1e-7
CAP = 60.0  # of one of our fits
DEFAULT = (1e-4, 1_000)
LONGER = 1e-8
RIVAL_CAP = 10.0
RIVAL_SECONDS = 4.0  # of the longer run, by what an iteration took before


def _rivals(server: Server, C: float, loss: str) -> Iterator[Found]:
    """LIBLINEAR as it comes, or its first iterations where that takes too long; then for longer."""
    who = f"{peers.SKLEARN} liblinear" if loss == "logistic" else peers.SKLEARN
    tol, most = DEFAULT
    found = server.fit(peers.Asked(who, C, loss, tol, most, RIVAL_CAP))
    if found is None:
        found = server.fit(peers.Asked(who, C, loss, tol, most // 20, RIVAL_CAP))
        if found is not None:
            yield found
        return
    yield found
    affordable = int(RIVAL_SECONDS * max(1, found.iterations) / max(found.seconds, 1e-3))
    longer = server.fit(peers.Asked(who, C, loss, LONGER, min(max(most, affordable), 1_000_000), RIVAL_CAP))
    if longer is not None:
        yield longer


def compared(folder: Path, names: list[str], losses: list[str], costs: list[float]) -> Iterator[dict[str, Any]]:
    """For every set, loss and C: by how much our objective is above the lowest of LIBLINEAR's, relative to it."""
    for name in names:
        server = Server(name, folder)
        for loss in losses:
            for C in costs:
                ours = server.fit(peers.Asked(peers.OURS, C, loss, TOLERANCE, peers.FEW, CAP))
                rivals = [found for found in _rivals(server, C, loss) if not found.wrong]
                lowest = min((found.objective for found in rivals), default=math.nan)
                yield {
                    "set": name,
                    "loss": loss,
                    "C": C,
                    "deficit": (ours.objective - lowest) / lowest if ours else math.inf,
                    "ours": ours._asdict() if ours else None,
                    "rivals": [found._asdict() for found in rivals],
                }
        server.stop()


def _proven(found: dict[str, Any]) -> bool:
    return bool(found["ours"]) and found["ours"]["relative_gap"] <= TOLERANCE


def _print(found: dict[str, Any]) -> None:
    ours = found["ours"]
    how = f"{ours['status']}, gap {ours['relative_gap']:.0e}, {ours['seconds']:.2g} s" if ours else f"stopped at {CAP:g} s"
    line = [f"{found['set'] + ', ' + found['loss']:<42} C = {found['C']:<6g}", how]
    for rival in found["rivals"]:
        above = (rival["objective"] - ours["objective"]) / ours["objective"] if ours else math.nan
        line.append(f"LIBLINEAR {above:+.0e} after {rival['iterations']} iterations, {rival['seconds']:.2g} s")
    if not found["rivals"]:
        line.append(f"LIBLINEAR not in {RIVAL_CAP:g} s")
    print("; ".join(line) + "  <- ABOVE" * (found["deficit"] > ALLOWED), flush=True)


def _summary(results: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The largest excess of each set and loss; where LIBLINEAR has none to show, the certificate's word alone."""
    worst: dict[str, dict[str, float]] = {}
    for found in results:
        row = worst.setdefault(found["set"], {})
        if not math.isnan(found["deficit"]):
            row[found["loss"]] = max(row.get(found["loss"], -math.inf), found["deficit"])
    return worst


def run(output: Path, folder: Path | None, only: str | None) -> None:
    """Print a line each and the largest excesses, and keep all of it."""
    if folder is None:
        raise SystemExit("This suite needs the folder that has the data: make bench SUITE=linear_objective DATA=folder")
    results = []
    for found in compared(folder, *chosen(only, LOSSES, PRICES)):
        results.append(found)
        _print(found)
    worst = _summary(results)
    print("Largest excess over LIBLINEAR's objective, relative to it:")
    for name, row in worst.items():
        print(f"{name:<26}" + "".join(f"  {loss} {row[loss]:+.1e}" for loss in LOSSES if loss in row))
    above = [found for found in results if found["deficit"] > ALLOWED]
    unproven = [found for found in results if not _proven(found)]
    print(f"{len(results)} cases: {len(above)} above by more than {ALLOWED:g}, {len(unproven)} without a gap of {TOLERANCE:g}")
    output.mkdir(parents=True, exist_ok=True)
    held = {"allowed": ALLOWED, "tolerance": TOLERANCE, "results": results, "worst": worst}
    (output / "linear_objective.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
