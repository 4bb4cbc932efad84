"""Which types files may hold, by the names they have there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maxmargin import calibration, calibrators, estimators, feature_maps, kernels, losses, model_selection, problems, solution
from maxmargin import solvers as _solvers
from maxmargin.errors import InvalidInput

__all__ = ["TRUSTED_TYPES", "name_of", "type_of"]

_ROOMS: Final[dict[str, Mapping[str, type]]] = {
    "calibration": calibration.STORED,
    "calibrators": calibrators.STORED,
    "estimators": estimators.STORED,
    "feature_maps": feature_maps.STORED,
    "kernels": kernels.STORED,
    "losses": losses.STORED,
    "model_selection": model_selection.STORED,
    "problems": problems.STORED,
    "solution": solution.STORED,
    "solvers": _solvers.STORED,
}


def type_of(name: str, where: str) -> type:
    """The type of a name such as "kernels.RBF"; raises for any other."""
    room, _, own = name.partition(".")
    types = _ROOMS.get(room)
    if types is None or own not in types:
        raise InvalidInput(
            f"{where} is of type {name[:60]!r}, which this version of maxmargin does not know, or which files may not hold."
            " Load the file with the version that wrote it."
        )
    return types[own]


def name_of(kind: type) -> str | None:
    """The name of a type; None for one that files may not hold."""
    parts = kind.__module__.split(".")
    if parts[0] != "maxmargin" or len(parts) < 2:
        return None
    types = _ROOMS.get(parts[1], {})
    return f"{parts[1]}.{kind.__name__}" if kind.__name__ in types and types[kind.__name__] is kind else None


_BESIDES: Final = (
    "builtins.range",
    "maxmargin.estimators._kernel._packing.PackedCoefficients",
    "maxmargin.model_selection._search.GridSearchCV",
    "maxmargin.model_selection._search.RandomizedSearchCV",
    "maxmargin.solution._kernel_logistic.KernelLogisticSolution",
    "maxmargin.solution._linear.LinearSolution",
    "maxmargin.solution._multiclass.MulticlassSolution",
    "scipy.sparse._csr.csr_array",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
)
"""What only skops stores of our models: packed coefficients, starts of the next fit, searches."""

TRUSTED_TYPES: Final = sorted(
    [*_BESIDES, *(f"{kind.__module__}.{kind.__qualname__}" for types in _ROOMS.values() for kind in types.values())]
)
"""The types of maxmargin's estimators: ``skops.io.load(file, trusted=maxmargin.io.TRUSTED_TYPES)``."""
