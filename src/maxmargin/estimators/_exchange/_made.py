"""Fitted kernel models from the numbers of another program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._held_vectors import HeldVectors
from maxmargin.estimators._kernel._one_class import OneClassSVM
from maxmargin.estimators._kernel._packing import explicit_csr
from maxmargin.estimators._kernel._probabilities import platt_of
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.kernels import as_kernel
from maxmargin.problems import Level, Tube
from maxmargin.validation import canonical

__all__ = ["KernelNumbers", "fitted_kernel_model"]


@final
@dataclass(frozen=True, eq=False)
class KernelNumbers:
    """A fitted model of LIBSVM's kind, in scikit-learn's order.

    Attributes
    ----------
    vectors : ndarray, sparse matrix or None
        Support vectors, those of each class together; None for a precomputed kernel.
    support : ndarray of int32
        Their row numbers.
    n_support : ndarray of int32
        How many each class has; for other models the same number twice.
    dual : ndarray of shape (n_coefficients, n_SV)
        Coefficients; for two classes positive ones speak for ``classes[1]``.
    intercept : ndarray of shape (n_subproblems,)
        Offsets.
    n_rows, n_features : int
        Shape of the training rows.
    classes : ndarray or None
        Labels of a classifier.
    platt : tuple of float or None
        Slope and offset of the sigmoid of two classes.
    """

    vectors: Any
    support: NDArray[np.int32]
    n_support: NDArray[np.int32]
    dual: NDArray[np.float64]
    intercept: NDArray[np.float64]
    n_rows: int
    n_features: int
    classes: NDArray[Any] | None = None
    platt: tuple[float, float] | None = None


def fitted_kernel_model(model: Any, numbers: KernelNumbers) -> Any:
    """Give an estimator the fitted state of these numbers; it predicts, and has no certificate until it is verified.

    Parameters
    ----------
    model : estimator
        With all its parameters; the kernel's numbers must not depend on training rows.
    numbers : KernelNumbers
        What it shall predict by.
    """
    kernel = as_kernel(model.kernel, gamma=model.gamma, coef0=model.coef0, degree=model.degree, owner=type(model).__name__)
    one_row = np.zeros((1, max(1, numbers.n_features)))
    if numbers.vectors is None:
        kind, vectors = RowKind.PAIRWISE, np.empty((0, 0))
    else:
        kind = RowKind.SPARSE if sparse.issparse(numbers.vectors) else RowKind.DENSE
        vectors = canonical(numbers.vectors)
    if len(numbers.support) != numbers.dual.shape[1] or not np.isfinite(numbers.dual).all():
        raise InvalidInput("The coefficients of the model do not fit its support vectors, or are not finite.")
    model._kernel, model._rows = kernel.bind(one_row), kind
    model.support_, model._n_support = numbers.support, numbers.n_support
    model.support_vectors_ = vectors
    dual = np.ascontiguousarray(numbers.dual)
    model.dual_coef_ = explicit_csr(dual, type(vectors)) if kind is RowKind.SPARSE else dual
    model._held_vectors = HeldVectors(vectors)
    model.intercept_ = numbers.intercept
    model.shape_fit_ = (numbers.n_rows, numbers.n_features)
    model.n_features_in_ = numbers.n_features
    model.fit_status_ = 0
    if numbers.classes is None:
        model.n_iter_, model._steps = 0, np.zeros(1, dtype=np.int64)
        model._slack_rules = (Level() if isinstance(model, OneClassSVM) else Tube(float(getattr(model, "epsilon", 0.0))),)
        return model
    model.classes_ = numbers.classes
    model.class_weight_ = np.ones(len(numbers.classes))
    model.n_iter_ = np.zeros(len(numbers.intercept), dtype=np.int32)
    if numbers.platt is not None:
        model._calibrator = platt_of(*numbers.platt)
    return model
