"""A fitted kernel model as what it is: sums of kernel values against its support vectors, or against landmarks."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from maxmargin.estimators._kernel._held_vectors import HeldVectors
from maxmargin.estimators._kernel._logistic import KernelLogisticRegression
from maxmargin.estimators._kernel._model import KernelModel
from maxmargin.estimators._kernel._outputs import KernelOutputs
from maxmargin.estimators._kernel._packing import explicit_csr
from maxmargin.estimators._kernel._perceptron import Perceptron
from maxmargin.estimators._shared._fitted import RowKind, fitted
from maxmargin.estimators._shared._input import new_rows
from maxmargin.estimators._shared._schemes import scheme_of
from maxmargin.validation import take_rows

__all__ = ["Expansion", "expansion_of", "with_fewer_vectors"]

Floats = NDArray[np.float64]
_OF_AN_OPTIMUM = ("certificate_", "status_", "fit_status_")


@final
@dataclass(frozen=True, eq=False)
class Expansion:
    """``f_t(x) = Σ_i B_ti k(x_i, x) + b_t``, less ``k(x, x) / 2`` if `half_diagonal`.

    Attributes
    ----------
    model : estimator
        Whose it is.
    kernel : BoundKernel
        The kernel with its numbers.
    vectors : rows
        The support vectors; for a precomputed kernel their numbers.
    rows : ndarray of shape (n_SV,)
        Their numbers in the X given to fit; of landmarks, which need not be rows, their own.
    coefficients : ndarray of shape (n_subproblems, n_SV)
        B.
    offsets : ndarray of shape (n_subproblems,)
        b.
    sides : list of (int, int or None)
        Classes that each binary classifier separates, None for all others; empty if there are no classes.
    half_diagonal : bool
        Whether values are less by half of ``k(x, x)``.
    of_landmarks : bool
        Whether the vectors are landmarks.
    """

    model: Any
    kernel: Any
    vectors: Any
    rows: NDArray[np.int32]
    coefficients: Floats
    offsets: Floats
    sides: list[tuple[int, int | None]]
    half_diagonal: bool = False
    of_landmarks: bool = False

    def new_rows(self, X: Any) -> Any:
        """Rows as the kernel reads them, if they are of the kind of the training rows."""
        return self.model.new_rows(X) if self.of_landmarks else new_rows(self.model, X)

    def values(self, rows: Any) -> Floats:
        """``f_t`` at rows that are checked, shape (m, n_subproblems)."""
        sums = self.kernel.weighted_sums(rows, self.vectors, np.ascontiguousarray(self.coefficients), [0, len(self.rows)])[0]
        own = 0.5 * self.kernel.diagonal(rows)[:, np.newaxis] if self.half_diagonal else 0.0
        return np.asarray(sums.T + self.offsets - own)


def expansion_of(model: Any) -> Expansion | None:
    """What a fitted estimator sums; None if it keeps no support vectors."""
    if isinstance(model, Perceptron):
        check_is_fitted(model)
        if "dual_coef_" not in vars(model):
            return None
        vectors = model.support_ if model._rows is RowKind.PAIRWISE else model.support_vectors_
        return Expansion(
            model, model._kernel, vectors, model.support_, model.dual_coef_, model.intercept_, sides_of(len(model.classes_))
        )
    if isinstance(model, KernelLogisticRegression):
        check_is_fitted(model)
        vectors = model.support_ if model._rows is RowKind.PAIRWISE else model.support_vectors_
        return Expansion(
            model, model._kernel, vectors, model.support_, model.dual_coef_, model.intercept_, sides_of(len(model.classes_))
        )
    if hasattr(model, "landmark_coef_"):
        return model.expansion()  # type: ignore[no-any-return]  # models on landmarks are loaded when they are asked for
    if not isinstance(model, KernelModel):
        return None
    check_is_fitted(model)
    state = fitted(model)
    classes = not isinstance(model, KernelOutputs)
    return Expansion(
        model,
        state.kernel,
        state.vectors,
        model.support_,
        state.scheme.spread(state.dual, state.bounds) if classes else state.dual,
        state.intercept,
        [state.scheme.sides(t) for t in range(state.scheme.n_subproblems)] if classes else [],
        not classes and model._slack_rules[0].half_diagonal,
    )


def sides_of(classes: int) -> list[tuple[int, int | None]]:
    """Classes that each value is about, where it is one for each class; two classes have one value."""
    scheme = scheme_of(classes, one_vs_rest=True)
    return [scheme.sides(t) for t in range(scheme.n_subproblems)]


def with_fewer_vectors(expansion: Expansion, kept: NDArray[np.intp], coefficients: Floats) -> Any:
    """A copy of the model that has only the support vectors ``kept``, ascending, with other coefficients.

    It has no certificate and no solutions: it is no optimum.
    """
    model = copy.copy(expansion.model)
    model.support_ = expansion.rows[kept]
    if isinstance(model, KernelModel):
        state = fitted(expansion.model)
        dual = np.zeros((state.dual.shape[0], len(kept)))
        bounds = np.searchsorted(kept, state.bounds)
        if expansion.sides:
            for t in range(state.scheme.n_subproblems):
                for row, of_class in state.scheme.blocks(t):
                    block = slice(bounds[of_class], bounds[of_class + 1])
                    dual[row, block] = coefficients[t, block]
            model._n_support = np.diff(bounds).astype(np.int32)
        else:
            dual = coefficients
            model._n_support = np.full(2, len(kept), dtype=np.int32)
        coefficients = explicit_csr(dual, type(state.vectors)) if model._rows is RowKind.SPARSE else dual
    model.dual_coef_ = coefficients
    if model._rows is not RowKind.PAIRWISE:
        model.support_vectors_ = take_rows(expansion.vectors, kept)
    for name in ("_records", "_kept_values", "_targets", "_held", *_OF_AN_OPTIMUM):
        vars(model).pop(name, None)
    if "_held_vectors" in vars(model):
        model._held_vectors = HeldVectors(model.support_vectors_)
    return model
