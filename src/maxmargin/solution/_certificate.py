"""The proof that comes with a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.solution._named_status import NamedStatus
from maxmargin.solution._status import Status
from maxmargin.solution._table import html_table, text_table

__all__ = ["CERTIFICATE", "Certificate", "certificates_of"]

CERTIFICATE: Final = np.dtype(
    {
        "names": [field.name for field in _core.CERTIFICATE_FIELDS],
        "formats": [field.type for field in _core.CERTIFICATE_FIELDS],
        "offsets": [field.offset for field in _core.CERTIFICATE_FIELDS],
        "itemsize": _core.CERTIFICATE_SIZE,
    }
)
"""The numbers of a certificate and the interval of optimal offsets, as they are kept for many problems; no scale is nan."""


@final
@dataclass(frozen=True)
class Certificate(NamedStatus):
    """How near an answer is to the optimum, computed in float64 from the data and α alone.

    Weak duality bounds the optimum from both sides: ``dual_objective ≤ optimum ≤ primal_objective``.

    Attributes
    ----------
    primal_objective, dual_objective : float
        Upper and lower bound on the optimum; where ``gap`` is nan they are the objectives at this point, and bound nothing.
    gap : float
        ``primal − dual``; nan where the kernel is indefinite and duality says nothing.
    relative_gap : float
        ``gap / max(|primal|, |dual|)``; inf where no point is feasible.
    kkt_violation : float
        LIBSVM's m − M: by how much the worst pair of variables violates the optimality conditions.
    status : Status
        How the fit ended.
    scale : float or None
        Size of the terms whose sum is the objective; None unless the status is ZERO_OPTIMUM. In that case the gap cannot be
        small relative to the objectives; it is at most 1e-9 of this scale.

    Examples
    --------
    >>> from maxmargin.solution import Certificate, Status
    >>> print(Certificate.of(2.0, 1.9999, 1e-4, Status.CONVERGED))
    primal objective    2
    dual objective      1.9999
    gap                 0.0001
    relative gap        5e-05
    KKT violation       0.0001
    status              CONVERGED: the solution is optimal within the tolerance
    """

    primal_objective: float
    dual_objective: float
    gap: float
    relative_gap: float
    kkt_violation: float
    status: Status
    scale: float | None = None

    @property
    def brief(self) -> str:
        """The status and the gap, as they stand in the ``repr`` of a solution."""
        return f"{self.status.name}, relative gap {self.relative_gap:.2g}"

    @classmethod
    def of(
        cls,
        primal: float,
        dual: float,
        kkt_violation: float,
        status: Status,
        *,
        indefinite: bool = False,
        scale: float | None = None,
    ) -> Certificate:
        """Put a certificate together from the two objectives; with an indefinite kernel there is no gap.

        The scale is kept where the status is ZERO_OPTIMUM: nothing else is measured by it.
        """
        gap = math.nan if indefinite else primal - dual
        relative = gap if math.isinf(gap) else gap / max(abs(primal), abs(dual), 1e-300)
        return cls(primal, dual, gap, relative, kkt_violation, status, scale if status is Status.ZERO_OPTIMUM else None)

    @property
    def numbers(self) -> tuple[float, float, float, float, bool]:
        """The first fields of `CERTIFICATE`."""
        scale = math.nan if self.scale is None else self.scale
        return self.primal_objective, self.dual_objective, self.kkt_violation, scale, math.isnan(self.gap)

    @classmethod
    def combined(cls, certificates: Iterable[Certificate]) -> Certificate:
        """One for several subproblems: summed objectives, the worst relative gap, violation and status."""
        parts = list(certificates)
        if len(parts) == 1:
            return parts[0]
        return cls(
            sum(part.primal_objective for part in parts),
            sum(part.dual_objective for part in parts),
            sum(part.gap for part in parts),
            max((part.relative_gap for part in parts), key=lambda gap: math.inf if math.isnan(gap) else gap),
            max(part.kkt_violation for part in parts),
            status := max((part.status for part in parts), key=lambda status: status.severity),
            sum(part.scale or 0.0 for part in parts) if status is Status.ZERO_OPTIMUM else None,
        )

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the table: name and value."""
        scale = [] if self.scale is None else [("scale of both", f"{self.scale:.3g}")]
        return [
            ("primal objective", f"{self.primal_objective:.10g}"),
            ("dual objective", f"{self.dual_objective:.10g}"),
            ("gap", f"{self.gap:.3g}"),
            ("relative gap", f"{self.relative_gap:.3g}"),
            *scale,
            ("KKT violation", f"{self.kkt_violation:.3g}"),
            ("status", f"{self.status.name}: {self.status.message}"),
        ]

    def __str__(self) -> str:
        return text_table(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())


def certificates_of(numbers: NDArray[Any], statuses: Sequence[Status]) -> list[Certificate]:
    """Certificates from their numbers, an array of `CERTIFICATE`, and the statuses."""
    columns = (numbers[name].tolist() for name in ("primal", "dual", "violation", "scale", "indefinite"))
    return [
        Certificate.of(primal, dual, violation, status, indefinite=indefinite, scale=scale)
        for primal, dual, violation, scale, indefinite, status in zip(*columns, statuses, strict=True)
    ]
