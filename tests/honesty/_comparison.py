"""What a certificate says, beside what is true."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["HONEST", "ZERO", "Finding", "Truth", "compared"]

SAME: Final = 1e-6
"""A certificate may be off by this part of the objective, beside the promised gap."""
HONEST: Final = 1.0 + 1e-6
ZERO: Final = 1e-9
"""Of its scale: a gap that passes for 0."""
ROUNDING: Final = 1e-30
"""Of the size of ``|w|²``: squares of what coefficients lose by being float64."""


@dataclass(frozen=True)
class Finding:
    """Something that is not as the library says."""

    kind: str
    detail: str


@dataclass(frozen=True)
class Truth:
    """What is true of a model.

    Attributes
    ----------
    primal : number
        Its objective as it predicts.
    dual : number
        A bound below the optimum; the primal objective where none is known.
    lowest : number
        The least objective of any known point.
    promised : float
        The largest gap of CONVERGED, as a part of the primal objective.
    square, rest : float
        Sizes of the terms that the objectives are sums of: of ``|w|²``, and of all others.
    several : bool
        Whether these are sums over several machines, of which only some may have an optimum of 0.
    """

    primal: Any
    dual: Any
    lowest: Any
    promised: float
    square: float
    rest: float = 0.0
    several: bool = False

    @property
    def size(self) -> float:
        """Of all terms."""
        return self.square + self.rest

    @property
    def rounding(self) -> float:
        """What float64 cannot hold."""
        return ROUNDING * self.square


def compared(status: str, certificate: Any, truth: Truth) -> list[Finding]:
    """What is false of a status and of a certificate."""
    primal, dual = float(truth.primal), float(truth.dual)
    said = (
        f"certified {certificate.primal_objective:.9g} … {certificate.dual_objective:.9g},"
        f" true {primal:.9g}{'' if truth.dual is truth.primal else f' … {dual:.9g}'}"
    )
    found = _of_optimum(certificate, truth, said) if status == "CONVERGED" else []
    if status == "ZERO_OPTIMUM" and not truth.several:
        found += _of_zero(certificate, truth, said)
    rest = "" if status in ("CONVERGED", "ZERO_OPTIMUM") else " (not converged)"
    near = 2 * ZERO * truth.size if status == "ZERO_OPTIMUM" else truth.rounding
    if rest:  # what scores lose by being float64, as they are and in squares
        near += 1e-16 * truth.rest + 1e-14 * math.sqrt(abs(primal) * truth.rest)
    # What a certificate adds for rounding is in its own gap, which is promised as a part of its own primal objective: the truth
    # is between its bounds, so no further below. Of a model that is not optimal it may say too little good, never too much.
    certified = certificate.primal_objective
    low, high = ((SAME + truth.promised) * abs(each) + near for each in (primal, certified))
    if math.isfinite(certified) and (primal - certified > low or (not rest and certified - primal > high)):
        found.append(Finding(f"certificate of another model{rest}", said))
    known = float(truth.lowest)
    # a floor that is too high by a hundredth of the promised gap misleads nobody
    slack = max(SAME, truth.promised / 100) * max(abs(known), abs(certificate.dual_objective)) + near
    if math.isfinite(known) and certificate.dual_objective > known + slack:
        found.append(Finding(f"false floor{rest}", f"{said}; a point has {known:.9g}"))
    return found


def _of_optimum(certificate: Any, truth: Truth, said: str) -> list[Finding]:
    found = []
    gap, magnitude = float(truth.primal - truth.dual), abs(float(truth.primal))
    if gap > truth.promised * magnitude * HONEST + truth.rounding:
        ratio = gap / magnitude if magnitude > 0.0 else math.inf
        found.append(Finding("CONVERGED beyond", f"{said}: relative gap {ratio:.3g}, promised {truth.promised:.3g}"))
    if certificate.gap > truth.promised * abs(certificate.primal_objective) * HONEST:
        found.append(Finding("CONVERGED beyond its own certificate", said))
    if certificate.gap < -(SAME * abs(certificate.primal_objective)) - truth.rounding:
        found.append(Finding("CONVERGED with a gap below 0", said))
    return found


def _of_zero(certificate: Any, truth: Truth, said: str) -> list[Finding]:
    scale = math.nan if certificate.scale is None else float(certificate.scale)
    if not (scale > 0.0 and math.isfinite(scale)):
        return [Finding("ZERO_OPTIMUM without a scale", said)]
    if scale > 1e3 * truth.size:
        return [Finding("ZERO_OPTIMUM by an absurd scale", f"{said}: scale {scale:.3g}, terms {truth.size:.3g}")]
    if certificate.gap > ZERO * scale * HONEST or float(truth.primal - truth.dual) > 2 * ZERO * scale:
        return [Finding("ZERO_OPTIMUM beyond", f"{said}: scale {scale:.3g}")]
    if certificate.dual_objective > ZERO * scale or certificate.primal_objective < -ZERO * scale:
        return [Finding("ZERO_OPTIMUM without 0 between", said)]
    return []
