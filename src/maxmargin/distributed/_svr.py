"""Linear support vector regression on Dask."""

from __future__ import annotations

import math
from typing import Any, final

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.distributed._estimator import DaskEstimator
from maxmargin.distributed._lazy import values_dtype
from maxmargin.distributed._twins import like_twin
from maxmargin.estimators import LinearSVR

__all__ = ["DaskLinearSVR"]


@final
@like_twin(LinearSVR, without=("interval",))
class DaskLinearSVR(RegressorMixin, DaskEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """`LinearSVR` for rows on a cluster: the same optimum, with the same certificate.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i − f(x_i)),   f(x) = ⟨w, x⟩ + b

    with ``ℓ(r) = max(0, |r| − ε)`` or its square, for rows in the blocks of a dask array or frame. How it goes over the blocks
    is told in `DaskLinearSVC`.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss outside the tube. The first takes several times as many passes.
    max_iter : int, default=1000
        Largest number of Newton rounds.
    solver : {"auto", "newton"}, default="auto"
        Which solver to use.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from maxmargin.distributed import DaskLinearSVR
    >>> client = Client(n_workers=1, processes=False, dashboard_address=":0")
    >>> X = da.random.default_rng(0).normal(size=(1000, 3), chunks=(250, 3)).persist()
    >>> model = DaskLinearSVR(epsilon=0.1).fit(X, X[:, 0] + 2.0)
    >>> model.status_.name, model.score(X, X[:, 0] + 2.0) > 0.99
    ('CONVERGED', True)
    >>> client.close()
    """

    def predict(self, X: Any) -> Any:
        """Predict the targets of rows; nothing is computed before somebody asks for it.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.

        Returns
        -------
        dask array of shape (m,)
        """
        check_is_fitted(self)
        return self._lazily("predict", X, values_dtype(X, self.coef_), None)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination on rows with targets; computed at once.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.
        y : dask array or series, or array-like, of shape (m,)
            Their targets.
        sample_weight : the same, optional
            Weight of each row.

        Returns
        -------
        float
            ``1 − Σ (y − f)² / Σ (y − mean)²``; where all targets are equal 1 if they are predicted, else 0.
        """
        found = self._score(X, y, sample_weight)
        if not found.weight > 0.0:
            return math.nan
        return 1.0 - found.missed / found.square if found.square > 0.0 else float(found.missed == 0.0)
