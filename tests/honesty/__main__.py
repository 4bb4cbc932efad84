"""``make fuzz N=20000 SEED=0``: many cases, and a table of what came of them."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict

from ._generator import make
from ._runner import Outcome, run

_SHOWN = 12


def main() -> int:
    """Run the cases; the exit code is 1 if one of them is not as the library says."""
    parser = argparse.ArgumentParser(prog="python -m tests.honesty", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first case")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    begin, found = time.monotonic(), list[Outcome]()
    for outcome in run(range(chosen.seed, chosen.seed + chosen.cases), chosen.workers):
        found.append(outcome)
        for finding in outcome.verdict.findings:
            print(
                f"seed {outcome.seed}: {outcome.estimator}, {outcome.verdict.status}: {finding.kind}: {finding.detail}",
                flush=True,
            )
        if len(found) % 1000 == 0:
            print(f"… {len(found)} cases, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    print(summary(found))
    print(f"{len(found)} cases in {time.monotonic() - begin:.0f} s")
    return int(any(outcome.verdict.findings for outcome in found))


def summary(found: list[Outcome]) -> str:
    """Endings of ordinary and extreme cases, violations by kind with seeds and a reproducer each, and the slowest fits."""
    ordinary, extreme = (Counter(o.verdict.status for o in found if o.ordinary is kind) for kind in (True, False))
    lines = ["", f"{'ending':<18}{'ordinary':>10}{'':>9}{'extreme':>10}{'':>9}"]
    for status in sorted(ordinary | extreme):
        shares = [f"{counts[status]:>10}{counts[status] / max(1, counts.total()):>9.2%}" for counts in (ordinary, extreme)]
        lines.append(f"{status:<18}{''.join(shares)}")
    lines.append(f"{'all':<18}{ordinary.total():>10}{'':>9}{extreme.total():>10}")
    lines.append(f"{'no bound found':<18}{sum(o.verdict.undecided for o in found):>10}")
    by_kind: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for outcome in sorted(found, key=lambda o: o.seed):
        for finding in outcome.verdict.findings:
            by_kind[finding.kind][outcome.estimator].append(outcome.seed)
    lines += ["", f"{sum(bool(o.verdict.findings) for o in found)} cases are not as the library says"]
    for kind, estimators in sorted(by_kind.items()):
        lines.append(f"{kind}: {sum(map(len, estimators.values()))}")
        for name, seeds in sorted(estimators.items(), key=lambda item: -len(item[1])):
            shown = ", ".join(map(str, seeds[:_SHOWN])) + (" …" if len(seeds) > _SHOWN else "")
            lines.append(f"  {name} {len(seeds)}: {shown}")
            lines.append(f"    {make(seeds[0]).describe()}")
    lines += ["", "slowest fits"]
    for outcome in sorted(found, key=lambda o: -o.seconds)[:5]:
        lines.append(f"  {outcome.seconds:7.2f} s  seed {outcome.seed}: {make(outcome.seed).describe().splitlines()[0]}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
