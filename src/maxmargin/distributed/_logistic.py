"""Logistic regression on Dask."""

from __future__ import annotations

from typing import Any, final

from sklearn.utils.validation import check_is_fitted

from maxmargin.distributed._estimator import DaskClassifier
from maxmargin.distributed._lazy import values_dtype
from maxmargin.distributed._twins import like_twin
from maxmargin.estimators import LogisticRegression

__all__ = ["DaskLogisticRegression"]


@final
@like_twin(LogisticRegression)
class DaskLogisticRegression(DaskClassifier):
    """`LogisticRegression` for rows on a cluster: the same optimum, with the same certificate.

    It solves

        minimise ½ ‖w‖² + Σ C_i log(1 + e^(−y_i f(x_i))),   f(x) = ⟨w, x⟩ + b

    for rows in the blocks of a dask array or frame; for three classes or more the multinomial problem of
    `LogisticRegression`, or, with ``multi_class="ovr"``, this for each class against the rest. How it goes over the blocks is
    told in `DaskLinearSVC`.

    Parameters
    ----------
    penalty : {"auto", "l1", "l2", "deprecated"}, default="auto"
        The penalty on large weights: ``½ ‖w‖²``, or ``|w|₁`` for ``"l1"``.
    l1_ratio : float or None, default=0.0
        Accepted for compatibility with `LogisticRegression`: only 0, or None.
    multi_class : {"auto", "multinomial", "ovr"}, default="auto"
        "multinomial" fits all classes at once; "ovr" fits each class against the rest, and scales the probabilities to sum to
        1. "auto" is the second for two classes, else the first.
    solver : {"auto", "newton"}, default="auto"
        Which solver to use; names of scikit-learn's solvers with the same optimum are accepted.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from maxmargin.distributed import DaskLogisticRegression
    >>> client = Client(n_workers=1, processes=False, dashboard_address=":0")
    >>> X = da.random.default_rng(0).normal(size=(1000, 3), chunks=(250, 3)).persist()
    >>> model = DaskLogisticRegression().fit(X, X[:, 0] > 0.0)
    >>> model.predict_proba(X).shape
    (1000, 2)
    >>> type(model.to_local()).__name__
    'LogisticRegression'
    >>> client.close()
    """

    def _values_dtype(self, X: Any) -> Any:
        return values_dtype(X, self.coef_)

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class; nothing is computed before somebody asks for it.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.

        Returns
        -------
        dask array of shape (m, n_classes)
        """
        check_is_fitted(self)
        return self._lazily("predict_proba", X, self._values_dtype(X), len(self.classes_))

    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of the probability of each class; nothing is computed before somebody asks for it.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.

        Returns
        -------
        dask array of shape (m, n_classes)
        """
        check_is_fitted(self)
        return self._lazily("predict_log_proba", X, self._values_dtype(X), len(self.classes_))
