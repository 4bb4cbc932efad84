"""Weights as a sparse matrix: for models most of whose weights are 0."""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput

__all__ = ["SparseWeights"]


class SparseWeights(ABC):
    """`sparsify` and `densify`, as scikit-learn's linear models have them."""

    coef_: Any
    intercept_: Any
    n_features_in_: int
    _coef_axes: ClassVar[int] = 2

    def sparsify(self) -> Self:
        """Convert ``coef_`` to a CSR matrix, which takes less memory where most weights are 0; predictions keep their bits.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before sparsifying.")
        self.coef_ = sparse.csr_matrix(np.atleast_2d(self._dense_weights()))
        return self

    def densify(self) -> Self:
        """Convert ``coef_`` back to an array; it does nothing where it is one.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        check_is_fitted(self, msg="Estimator, %(name)s, must be fitted before densifying.")
        self.coef_ = self._dense_weights()
        return self

    def _dense_weights(self) -> NDArray[Any]:
        """``coef_`` as an array, whichever form it has."""
        coef = self.coef_
        if sparse.issparse(coef):
            if hasattr(coef, "check_format"):  # scipy reads broken ones beyond their end
                try:
                    coef.check_format(full_check=True)
                except (ValueError, TypeError) as fault:
                    raise self._altered(f"coef_ is no sound sparse matrix: {fault}") from None
            dense = np.ascontiguousarray(coef.toarray())
            return dense.ravel() if self._coef_axes == 1 else dense
        if not isinstance(coef, np.ndarray) or coef.ndim != self._coef_axes or coef.dtype.kind != "f":
            kind = f"{coef.ndim} axes and dtype {coef.dtype}" if isinstance(coef, np.ndarray) else f"type {type(coef).__name__}"
            raise InvalidInput(
                f"coef_ of {type(self).__name__} must be an array of floats with {self._coef_axes} axes, or a sparse matrix."
                f" Got {kind}. Fit it again."
            )
        return coef

    def _linear_state(self, n_scores: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """``coef_`` as an array, and ``intercept_``: they may have been edited, but have to belong together."""
        weights, offsets = self._dense_weights(), self.intercept_
        wanted = (n_scores, self.n_features_in_)
        if weights.shape != wanted[-self._coef_axes :]:
            raise self._altered(f"coef_ has shape {weights.shape}, not {wanted[-self._coef_axes :]}")
        if not isinstance(offsets, np.ndarray) or offsets.dtype.kind not in "fiu":
            kind = offsets.dtype if isinstance(offsets, np.ndarray) else type(offsets).__name__
            raise self._altered(f"intercept_ is no array of numbers, but {kind}")
        if offsets.shape != (n_scores,):
            raise self._altered(f"intercept_ has shape {offsets.shape}, not {(n_scores,)}")
        return weights, offsets

    def _altered(self, fault: str) -> InvalidInput:
        return InvalidInput(f"The internal representation of {type(self).__name__} was altered: {fault}. Fit it again.")
