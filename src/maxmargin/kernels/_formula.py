"""What a bound kernel computes, as a tree that other languages can be written from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from maxmargin.errors import InvalidInput
from maxmargin.kernels._combined import CombinedKernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._normalised import BoundNormalised
from maxmargin.kernels._on_columns import BoundOnColumns
from maxmargin.kernels._power import BoundPower
from maxmargin.kernels._product import BoundProduct
from maxmargin.kernels._scaled import BoundScaled
from maxmargin.kernels._sum import BoundSum

__all__ = ["KernelFormula", "formula_of"]


@final
@dataclass(frozen=True)
class KernelFormula:
    """A formula of two vectors, or an operation on some of them.

    Attributes
    ----------
    name : str
        The core's name of a formula ("linear", "rbf", …), or "add", "multiply", "scale", "power", "normalise", "columns".
    parts : tuple of KernelFormula
        What an operation is applied to.
    gamma, coef0 : float
        Numbers of a formula; of "scale" ``gamma`` is the factor.
    degree : int
        Of a formula, or the exponent of "power".
    columns : tuple of int
        Those that "columns" leaves.
    """

    name: str
    parts: tuple[KernelFormula, ...] = ()
    gamma: float = 1.0
    coef0: float = 0.0
    degree: int = 1
    columns: tuple[int, ...] = ()


def formula_of(kernel: Any) -> KernelFormula:
    """The tree of a kernel of vectors.

    Raises
    ------
    InvalidInput
        It is no formula of vectors: a function, values that were computed beforehand, a kernel of objects.
    """
    if isinstance(kernel, FeatureKernel):
        gamma = 1.0 if kernel.gamma is None else kernel.gamma
        return KernelFormula(kernel.kind, gamma=gamma, coef0=kernel.coef0, degree=kernel.degree)
    if isinstance(kernel, CombinedKernel):
        parts = tuple(formula_of(part) for part in kernel.parts)
        return KernelFormula(_OPERATIONS[type(kernel)], parts, **_numbers(kernel))
    if kernel.is_precomputed:
        raise InvalidInput("The kernel is precomputed: it has no formula of vectors. Choose a kernel of maxmargin.kernels.")
    if kernel.of_objects:
        raise InvalidInput("The kernel is of objects (strings, graphs, series): it is no formula of vectors.")
    raise InvalidInput(
        "The kernel is a Python function: it has no formula that can be written. Choose one of maxmargin.kernels."
    )


_OPERATIONS: dict[type, str] = {
    BoundSum: "add",
    BoundProduct: "multiply",
    BoundScaled: "scale",
    BoundPower: "power",
    BoundNormalised: "normalise",
    BoundOnColumns: "columns",
}


def _numbers(kernel: CombinedKernel) -> dict[str, Any]:
    if isinstance(kernel, BoundScaled):
        return {"gamma": kernel.factor}
    if isinstance(kernel, BoundPower):
        return {"degree": kernel.exponent}
    return {"columns": tuple(kernel.columns)} if isinstance(kernel, BoundOnColumns) else {}
