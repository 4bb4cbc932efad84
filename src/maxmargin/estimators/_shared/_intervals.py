"""Intervals of predictions from the residuals of rows that were held out: CV+."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.validation import check_real, reject

__all__ = ["FOLDS", "Intervals", "Residuals"]

Values = NDArray[np.float64]

FOLDS: Final = 5
_AT_ONCE: Final = 1 << 22  # numbers


@final
@dataclass(frozen=True, eq=False)
class Residuals:
    """How far the targets of rows are from the predictions of models that were not fitted to them.

    Attributes
    ----------
    sizes : ndarray of shape (n, n_outputs)
        ``|y_i − f_k(i)(x_i)|``, with f_k the model of the fold that row i is held out of.
    number : ndarray of intp, shape (n,)
        The fold of each row.
    weight : ndarray of shape (n,) or None
        Weights of the rows; None if all are 1.
    """

    sizes: Values
    number: NDArray[np.intp]
    weight: Values | None

    def intervals(self, predicted: Values, coverage: float) -> Values:
        """Lower and upper ends, shape (m, n_outputs, 2), from the predictions of all folds, shape (m, folds, n_outputs)."""
        m, _, outputs = predicted.shape
        ends = np.empty((m, outputs, 2))
        step = max(1, _AT_ONCE // max(len(self.number), 1))
        for begin in range(0, m, step):
            own = slice(begin, begin + step)
            for output in range(outputs):
                each = predicted[own, :, output][:, self.number]
                ends[own, output, 0] = -self._upper(self.sizes[:, output] - each, coverage)
                ends[own, output, 1] = self._upper(self.sizes[:, output] + each, coverage)
        return ends

    def _upper(self, values: Values, coverage: float) -> Values:
        """The smallest value that ``coverage · (W + 1)`` of the weights W do not exceed; infinity where there is none."""
        if self.weight is None:
            n = values.shape[1]
            rank = math.ceil(coverage * (n + 1) * (1.0 - 1e-12))
            return np.full(len(values), np.inf) if rank > n else np.partition(values, rank - 1, axis=1)[:, rank - 1]
        order = np.argsort(values, axis=1)
        reached = np.cumsum(self.weight[order], axis=1) >= coverage * (float(self.weight.sum()) + 1.0) * (1.0 - 1e-12)
        first = reached.argmax(axis=1)
        every = np.arange(len(values))
        return np.where(reached[:, -1], values[every, order[every, first]], np.inf)


def _is_asked_for(model: Any) -> bool:
    if model.interval:
        return True
    raise AttributeError("predict_interval is not available when interval=False. Set interval=True, and fit again.")


class Intervals(ABC):
    """``predict_interval``; only there if ``interval=True``."""

    interval: bool

    @abstractmethod
    def _of_folds(self, X: Any) -> Values:
        """The predictions of the models of all folds, shape (m, folds, n_outputs)."""

    @available_if(_is_asked_for)  # type: ignore[untyped-decorator]
    def predict_interval(self, X: Any, coverage: float = 0.9) -> Values:
        """Predict intervals that contain the targets of new rows.

        With the models ``f_k`` of 5 folds, each fitted to the rows of the others, and the residuals
        ``R_i = |y_i − f_k(i)(x_i)|`` of held-out rows, the interval goes from the ``⌊α (n + 1)⌋``-th smallest
        ``f_k(i)(x) − R_i`` to the ``⌈(1 − α) (n + 1)⌉``-th smallest ``f_k(i)(x) + R_i``, where α is 1 − coverage; an end is
        infinite where n is too small. This is CV+ (Barber, Candès, Ramdas and Tibshirani, Predictive inference with the
        jackknife+, Annals of Statistics 49, 2021). Weights count in both: W is the sum of all, and takes the place of n.

        The guarantee: if the training rows and the new row are exchangeable (drawn independently from one
        distribution, say), weights are equal and the 5 folds have equal sizes, then the interval of a new row holds its
        target with a probability of at least ``1 − 2α − min(1.6 / (n/5 + 1), (1 − 5/n) / 6)``, by Theorem 4 there, for
        any distribution and any model. The probability is over training rows and new row together: it is neither that of a
        given x nor that of a given training set. In practice it is near ``1 − α``, seldom below.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.
        coverage : float, default=0.9
            ``1 − α``, between 0 and 1.

        Returns
        -------
        ndarray of shape (m, 2), or (m, n_outputs, 2)
            Lower and upper ends. `predict` need not be in the middle.
        """
        check_is_fitted(self)
        wanted = check_real("coverage", coverage, "predict_interval")
        if not 0.0 < wanted < 1.0:
            raise reject("coverage", coverage, "predict_interval", "a float in the range (0.0, 1.0)")
        found = vars(self).get("_residuals")
        if not isinstance(found, Residuals):
            raise InvalidInput(
                f"This {type(self).__name__} was fitted without intervals: interval was False. Fit it again with interval=True."
            )
        ends = found.intervals(self._of_folds(X), wanted)
        return ends[:, 0] if ends.shape[1] == 1 else ends
