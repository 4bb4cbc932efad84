"""Fitted state, checked before it is used.

A pickle can be edited, an attribute overwritten. What reaches the engine is therefore checked every time: types, shapes, and
that every index points somewhere (the lesson of CVE-2020-28975).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.estimators._shared._schemes import Scheme, SharedVectors, scheme_of
from maxmargin.kernels import BoundKernel
from maxmargin.validation import LABEL_KINDS

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._model import KernelModel

__all__ = ["Fitted", "RowKind", "boundary_rows", "class_layout", "fitted", "fitted_sums", "single_layout"]


class RowKind(Enum):
    """What the rows of X were at fit."""

    DENSE = "dense"
    SPARSE = "sparse"
    PAIRWISE = "pairwise"
    OBJECTS = "objects"

    @property
    def has_no_features(self) -> bool:
        """Whether X is a kernel matrix, or opaque objects."""
        return self in (RowKind.PAIRWISE, RowKind.OBJECTS)


@final
@dataclass(frozen=True, eq=False)
class Fitted:
    """What a prediction needs, known to be consistent.

    Attributes
    ----------
    scheme : Scheme
        The subproblems and their vote.
    kernel : BoundKernel
        The kernel with its numbers.
    vectors : ndarray, CSR matrix or sequence
        Support vectors; for a precomputed kernel their column numbers.
    dual : ndarray of shape (n_coefficients, n_SV)
        Signed dual coefficients, dense.
    intercept : ndarray of shape (n_subproblems,)
        Offsets.
    bounds : list of int, length K + 1
        Support vectors of class k stand from ``bounds[k]`` to ``bounds[k + 1]``.
    held : HeldVectors or None
        The support vectors as the core reads them.
    """

    scheme: Scheme
    kernel: Any
    vectors: Any
    dual: NDArray[np.float64]
    intercept: NDArray[np.float64]
    bounds: list[int]
    held: Any = None


def fitted(model: KernelModel) -> Fitted:
    """Check the attributes of a fitted model and put them together.

    Raises
    ------
    InvalidInput
        The attributes do not belong together.
    """
    try:
        return _inspected(model)
    except _Altered as fault:
        raise InvalidInput(
            f"The internal representation of {type(model).__name__} was altered: {fault}. Fit it again."
        ) from None


def fitted_sums(
    model: Any, name: str, vectors: Any, *, classes: bool = True
) -> tuple[BoundKernel, NDArray[np.float64], NDArray[np.float64]]:
    """Kernel, coefficients and offsets of a model that is one sum of kernel values for each of its outputs.

    Parameters
    ----------
    model : estimator
        Fitted, with ``_kernel`` and ``intercept_``.
    name : str
        Attribute that has the coefficients, shape (n_outputs, n_vectors).
    vectors : rows, objects or numbers
        What the coefficients belong to.
    classes : bool
        Whether there is one output for two classes and one for each of more, or one output.

    Raises
    ------
    InvalidInput
        The attributes do not belong together.
    """
    try:
        outputs = 1
        if classes:
            found = len(_array("classes_", model.classes_, ndim=1, kinds=LABEL_KINDS))
            if found < 2:
                raise _Altered("classes_ has less than two classes")
            outputs = 1 if found == 2 else found
        if not isinstance(model._kernel, BoundKernel):
            raise _Altered(f"_kernel is a {type(model._kernel).__name__}, not a bound kernel")
        count = vectors.shape[0] if getattr(vectors, "shape", ()) else len(vectors) if isinstance(vectors, Sequence) else -1
        weights = _array(name, getattr(model, name), ndim=2, kinds="f")
        if weights.shape != (outputs, count):
            raise _Altered(f"{name} has shape {weights.shape}, not {(outputs, count)}")
        offsets = _array("intercept_", model.intercept_, ndim=1, kinds="f")
        if len(offsets) != outputs:
            raise _Altered(f"intercept_ has {len(offsets)} values for {outputs} outputs")
    except _Altered as fault:
        raise InvalidInput(
            f"The internal representation of {type(model).__name__} was altered: {fault}. Fit it again."
        ) from None
    return model._kernel, np.ascontiguousarray(weights, dtype=np.float64), offsets


def class_layout(classes: Any, n_support: Any, intercept: Any, one_vs_rest: bool) -> tuple[Scheme, list[int]]:
    """Scheme and bounds of a classifier."""
    n_classes = len(_array("classes_", classes, ndim=1, kinds=LABEL_KINDS))
    if n_classes < 2:
        raise _Altered("classes_ has less than two classes")
    bounds = _class_bounds(n_support, n_classes)
    if not one_vs_rest:  # a scheme lists its pairs: not of as many classes as somebody wrote there
        found, pairs = len(_array("intercept_", intercept, ndim=1, kinds="f")), n_classes * (n_classes - 1) // 2
        if found != pairs:
            raise _Altered(f"intercept_ has {found} values for {pairs} subproblems")
    return scheme_of(n_classes, one_vs_rest=one_vs_rest), bounds


def single_layout(n_support: Any, n_outputs: int) -> tuple[Scheme, list[int]]:
    """Scheme and bounds of subproblems that share all their support vectors."""
    first, second = np.diff(_class_bounds(n_support, 2)).tolist()
    if first != second:
        raise _Altered(f"_n_support has {first} and {second}, which must be the same")
    return SharedVectors(n_outputs), [0, first]


def _inspected(model: KernelModel) -> Fitted:
    scheme, bounds = model._layout()
    count = bounds[-1]
    _check_support(model.support_, count, model.shape_fit_)
    dual = _coefficients(model.dual_coef_, scheme.n_coefficients, count)
    intercept = _array("intercept_", model.intercept_, ndim=1, kinds="f")
    if len(intercept) != scheme.n_subproblems:
        raise _Altered(f"intercept_ has {len(intercept)} values for {scheme.n_subproblems} subproblems")
    if not isinstance(model._kernel, BoundKernel):
        raise _Altered(f"_kernel is a {type(model._kernel).__name__}, not a bound kernel")
    held = vars(model).get("_held_vectors")
    return Fitted(scheme, model._kernel, _vectors(model, count), dual, intercept, bounds, held)


@final
class _Altered(Exception):
    """Something does not belong together; says what."""


def _array(name: str, value: Any, *, ndim: int, kinds: str) -> NDArray[Any]:
    if not isinstance(value, np.ndarray):
        raise _Altered(f"{name} is a {type(value).__name__}, not an array")
    if value.ndim != ndim:
        raise _Altered(f"{name} has {value.ndim} axes, not {ndim}")
    if value.dtype.kind not in kinds:
        raise _Altered(f"{name} has dtype {value.dtype}")
    return value


def _class_bounds(n_support: Any, n_classes: int) -> list[int]:
    counts = _array("_n_support", n_support, ndim=1, kinds="iu").tolist()
    if len(counts) != n_classes:
        raise _Altered(f"_n_support has {len(counts)} values for {n_classes} classes")
    if min(counts) < 0:
        raise _Altered("_n_support has a negative count")
    return list(accumulate(counts, initial=0))


def _check_support(support: Any, count: int, shape_fit: Any) -> None:
    rows = _array("support_", support, ndim=1, kinds="i")
    if len(rows) != count:
        raise _Altered(f"support_ has {len(rows)} rows, _n_support counts {count}")
    if not (isinstance(shape_fit, tuple) and shape_fit and isinstance(shape_fit[0], int)):
        raise _Altered(f"shape_fit_ is {shape_fit!r}, not a shape")
    if count and (rows.min() < 0 or rows.max() >= shape_fit[0]):
        raise _Altered(f"support_ has a row outside 0 … {shape_fit[0] - 1}")


def _coefficients(dual: Any, height: int, count: int) -> NDArray[np.float64]:
    if sparse.issparse(dual):
        _check_csr("dual_coef_", dual)
        dual = dual.toarray()
    dual = _array("dual_coef_", dual, ndim=2, kinds="f")
    if dual.shape != (height, count):
        raise _Altered(f"dual_coef_ has shape {dual.shape}, not {(height, count)}")
    return np.asarray(dual, dtype=np.float64)


def _vectors(model: KernelModel, count: int) -> Any:
    if model._rows is RowKind.PAIRWISE:
        return model.support_
    width = model.n_features_in_ if model._rows is not RowKind.OBJECTS else 0
    return _checked_rows("support_vectors_", model.support_vectors_, model._rows, (count, width))


def boundary_rows(rows: Any, kind: RowKind, count: int, vectors: Any) -> Any:
    """Rows that a subproblem otherwise knows only by number, checked like the support vectors beside them."""
    try:
        return _checked_rows("the boundary", rows, kind, (count, 0 if kind is RowKind.OBJECTS else vectors.shape[1]))
    except _Altered as fault:
        raise InvalidInput(f"The records of the fit were altered: {fault}. Fit it again.") from None


def _checked_rows(name: str, rows: Any, kind: RowKind, wanted: tuple[int, int]) -> Any:
    if kind is RowKind.OBJECTS:
        if not isinstance(rows, Sequence | np.ndarray) or len(rows) != wanted[0]:
            raise _Altered(f"{name} does not hold {wanted[0]} rows")
        return rows
    if kind is RowKind.SPARSE:
        if not sparse.issparse(rows):
            raise _Altered(f"{name} is a {type(rows).__name__}, not sparse")
        _check_csr(name, rows)
    else:
        rows = np.ascontiguousarray(_array(name, rows, ndim=2, kinds="f"))
    if rows.shape != wanted:
        raise _Altered(f"{name} has shape {rows.shape}, not {wanted}")
    if rows.dtype.itemsize not in (4, 8):
        raise _Altered(f"{name} has dtype {rows.dtype}")
    return rows


def _check_csr(name: str, matrix: Any) -> None:
    """Require CSR with sorted columns inside its shape."""
    if matrix.format != "csr":
        raise _Altered(f"{name} is in {matrix.format} format, not csr")
    data = _array(f"{name}.data", matrix.data, ndim=1, kinds="f")
    columns = _array(f"{name}.indices", matrix.indices, ndim=1, kinds="i")
    starts = _array(f"{name}.indptr", matrix.indptr, ndim=1, kinds="i")
    height, width = matrix.shape
    whole = len(starts) == height + 1 and starts[0] == 0 and starts[-1] == len(columns) == len(data)
    if not whole or columns.dtype != starts.dtype or (np.diff(starts) < 0).any():
        raise _Altered(f"the rows of {name} do not fit its entries")
    if len(columns) and (columns.min() < 0 or columns.max() >= width):
        raise _Altered(f"{name} has a column outside 0 … {width - 1}")
    falls = np.flatnonzero(np.diff(columns) <= 0) + 1  # only a new row may go back to a smaller column
    if not np.isin(falls, starts).all():
        raise _Altered(f"the columns of {name} are not sorted")
