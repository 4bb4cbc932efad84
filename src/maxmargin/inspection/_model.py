"""The estimator behind what a user has: a search, a pipeline, or the estimator itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators import Expansion, expansion_of

__all__ = ["affine_map", "apart", "require_expansion"]

Floats = NDArray[np.float64]
_AFFINE = 1e-6  # of the largest value: steps that differ from an affine map by less are one


def apart(model: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The fitted estimator at the end, and what brings rows before it."""
    model = getattr(model, "best_estimator_", model)
    if isinstance(model, Pipeline):
        inner, before = apart(model.steps[-1][1])
        head = model[:-1] if len(model.steps) > 1 else None
        return inner, lambda X: before(X if head is None else head.transform(X))
    check_is_fitted(model)
    return model, lambda X: X


def affine_map(transform: Callable[[Any], Any], X: Any, moved: Any, owner: str) -> Floats | None:
    """The matrix A of ``transform(x) = A x + c``, checked on all rows of X; None where nothing was transformed.

    Raises
    ------
    InvalidInput
        The steps are not affine on these rows.
    """
    if moved is X:
        return None
    rows = _dense(X)
    d = rows.shape[1]
    wrap = _wrapper(X)
    at = rows.mean(axis=0)
    spread = np.where(rows.std(axis=0) > 0.0, rows.std(axis=0), 1.0)
    grid = _dense(transform(wrap(np.vstack([at, at + np.diag(spread)]))))
    A = np.asarray((grid[1:] - grid[0]) / spread[:, np.newaxis]).T
    there = _dense(moved)
    gap = np.abs((rows - at) @ A.T + grid[0] - there)
    if gap.size and gap.max() > _AFFINE * max(1e-300, float(np.abs(there).max())):
        raise InvalidInput(
            f"{owner} follows pipelines through steps that are affine, such as StandardScaler or PCA. The steps before"
            f" the model are not, on these {len(rows)} rows of {d} features. Pass the last step, and the rows that reach it:"
            f" {owner}(pipeline[-1], pipeline[:-1].transform(X))."
        )
    return A


def require_expansion(model: Any, owner: str, instead: str) -> Expansion:
    """The kernel expansion of a fitted estimator, or a message that says what to use instead."""
    found = expansion_of(model)
    if found is None:
        raise InvalidInput(
            f"{owner} needs a fitted kernel model of maxmargin, which keeps its support vectors, a Pipeline that ends in one,"
            f" or a search. Got {type(model).__name__}. {instead}"
        )
    if found.of_landmarks:
        raise InvalidInput(
            f"{owner} needs a model that keeps its support vectors. Got {type(model).__name__}, which keeps landmarks: they are"
            " as few as n_components, and none of them is a training row that a prediction rests on. Use SVC, SVR or"
            " OneClassSVM, or decision_gradient, which takes this one."
        )
    return found


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


def _wrapper(X: Any) -> Callable[[Floats], Any]:
    if sparse.issparse(X):
        return cast("Callable[[Floats], Any]", sparse.csr_matrix)
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        frame, names = cast("Any", type(X)), list(X.columns)
        return lambda points: frame(points, columns=names)
    return np.asarray
