"""What commands print: JSON for scripts, tables for people."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import numpy as np

__all__ = ["CERTIFIED", "NOT_OPTIMAL", "certificate_json", "print_json", "say", "shows_progress"]

CERTIFIED, NOT_OPTIMAL = 0, 3
"""Exit codes of a model that is proven optimal, and of one that is not."""


def say(text: str) -> None:
    """Print a line for people beside results that may go into a pipe."""
    print(text, file=sys.stderr)


def shows_progress(quiet: bool) -> bool:
    """Whether somebody looks at the terminal where bars are drawn."""
    return not quiet and sys.stdout.isatty()


def print_json(content: dict[str, Any]) -> None:
    """Print one object; numbers that JSON does not have are null."""
    print(json.dumps(_plain(content), ensure_ascii=False, indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def certificate_json(certificate: Any) -> dict[str, Any]:
    """The numbers of a certificate."""
    return {
        "primal_objective": certificate.primal_objective,
        "dual_objective": certificate.dual_objective,
        "gap": certificate.gap,
        "relative_gap": certificate.relative_gap,
        "kkt_violation": certificate.kkt_violation,
        "status": certificate.status.name,
        "message": certificate.status.message,
        "optimal": certificate.status.is_optimal,
    }
