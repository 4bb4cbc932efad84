"""X as scikit-learn's users pass it, to fit and to predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from maxmargin.errors import InvalidInput
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.kernels import Kernel
from maxmargin.validation import (
    FLOATS,
    canonical,
    converted,
    is_ready,
    object_rows,
    refuse_sparse_kernel,
    require_square,
    rows_as_invalid_input,
    takes_objects,
)

__all__ = ["checked_rows", "known_codes", "new_rows", "training_rows"]


def training_rows(model: Any, kernel: Kernel, X: Any) -> tuple[Any, RowKind]:
    """Validate the rows of a fit; sets ``n_features_in_`` and ``feature_names_in_`` if rows have features."""
    if takes_objects(kernel.input_kind, X):
        _forget_features(model)
        return object_rows(X), RowKind.OBJECTS
    pairwise = kernel.input_kind == "precomputed"
    if pairwise:
        refuse_sparse_kernel(X)
    X = checked_rows(model, X, reset=True)
    if pairwise:
        require_square(X)
        return X, RowKind.PAIRWISE
    return canonical(X), RowKind.SPARSE if sparse.issparse(X) else RowKind.DENSE


def new_rows(model: Any, X: Any) -> Any:
    """Validate rows to predict: of the kind, and with the features, of the rows of the fit."""
    kind = model._rows
    if kind is RowKind.OBJECTS:
        return object_rows(X)
    X = checked_rows(model, X, reset=False)
    if kind is RowKind.SPARSE:
        return canonical(X if sparse.issparse(X) else type(model.support_vectors_)(X))
    if sparse.issparse(X):
        raise InvalidInput(f"cannot use sparse input in {type(model).__name__!r} trained on dense data. Pass X.toarray().")
    return np.asarray(X)


def checked_rows(model: Any, X: Any, *, reset: bool) -> Any:
    """Rows as they are given, dense or CSR, float32 or float64; their width is learnt, or checked.

    Rows that need neither conversion nor names skip scikit-learn's checks, which take longer than a small fit.
    """
    X = converted(X)
    if is_ready(X):
        if reset:
            _forget_features(model)
            model.n_features_in_ = X.shape[1]
            return X
        if X.shape[1] == vars(model).get("n_features_in_") and "feature_names_in_" not in vars(model):
            return X
    with rows_as_invalid_input(X):
        return validate_data(model, X, accept_sparse="csr", dtype=FLOATS, order="C", reset=reset)


def _forget_features(model: Any) -> None:
    for stale in {"n_features_in_", "feature_names_in_"} & vars(model).keys():
        delattr(model, stale)


def known_codes(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Which of the classes each label is."""
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    strange = y[classes[places] != y]
    if len(strange):
        raise InvalidInput(f"y has the label {strange[:1].tolist()[0]!r}, which is not among classes={classes.tolist()}.")
    return np.asarray(places, dtype=np.intp)
