"""What files may hold of stochastic steps."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.solvers",
    {
        "_primal._row_order": "RowOrder",
        "_primal._subgradient_walk": "SubgradientWalk",
    },
)
