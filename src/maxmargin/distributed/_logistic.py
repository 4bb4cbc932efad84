"""Logistic regression on Dask."""

from __future__ import annotations

from typing import Any, Literal, final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from maxmargin.distributed._classifier import DaskClassifier
from maxmargin.distributed._lazy import values_dtype
from maxmargin.estimators import LogisticRegression

__all__ = ["DaskLogisticRegression"]


@final
class DaskLogisticRegression(DaskClassifier):
    """`LogisticRegression` for rows on a cluster: the same optimum, with the same certificate.

    It solves

        minimise ½ ‖w‖² + Σ C_i log(1 + e^(−y_i f(x_i))),   f(x) = ⟨w, x⟩ + b

    for rows in the blocks of a dask array or frame; for three classes or more, with ``multi_class="ovr"``, for each class
    against the rest. How it goes over the blocks is told in `DaskLinearSVC`.

    Parameters
    ----------
    penalty : {"auto", "l1", "l2", "deprecated"}, default="auto"
        The penalty on large weights: ``½ ‖w‖²``, or ``|w|₁`` for ``"l1"``.
    C : float, default=1.0
        Factor of the loss, positive and finite.
    l1_ratio : float or None, default=0.0
        Accepted for compatibility with `LogisticRegression`: only 0, or None.
    dual : bool, default=False
        Accepted for compatibility with scikit-learn, and does not change the answer.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    fit_intercept : bool, default=True
        Whether f has an offset.
    intercept_scaling : float, default=1.0
        As of `LogisticRegression`.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    multi_class : {"auto", "ovr"}, default="auto"
        "ovr" fits each class against the rest, and scales the probabilities to sum to 1. For two classes "auto" is the same;
        three or more need "ovr".
    threshold : float, default=0.5
        For two classes, ``classes_[1]`` is predicted where its probability is at least this value.
    verbose : bool or int, default=0
        Show progress.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the result does not depend on chance.
    solver : {"auto", "newton"}, default="auto"
        Which solver to use; names of scikit-learn's solvers with the same optimum are accepted.
    n_jobs : int or None, default=None
        Accepted and not used.
    max_iter : int, default=100
        Largest number of Newton rounds.
    max_time : float or None, default=None
        Time limit of the fit, in seconds; None for no limit.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same.
    client : distributed.Client or None, default=None
        Who runs the tasks; None takes the last client that was made.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    n_iter_ : ndarray of shape (1,)
        Newton rounds, the most of any binary classifier.
    n_passes_ : int
        How often all blocks were gone over.
    certificate_ : Certificate
        Objectives and gap.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if it converged, else 1.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of a frame, if they were all strings.
    client_ : distributed.Client
        The client that a fit would use now.

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

    _twin = LogisticRegression

    def __init__(
        self,
        penalty: Literal["auto", "l1", "l2", "deprecated"] = "auto",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        multi_class: Literal["auto", "ovr"] = "auto",
        threshold: float = 0.5,
        verbose: bool | int = 0,
        random_state: Any = None,
        solver: Any = "auto",
        n_jobs: int | None = None,
        max_iter: int = 100,
        max_time: float | None = None,
        warm_start: bool = False,
        client: Any = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.threshold = threshold
        self.verbose = verbose
        self.random_state = random_state
        self.solver = solver
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.client = client

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
        return self._lazily("predict_proba", X, np.dtype(values_dtype(X, self.coef_)), len(self.classes_))

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
        return self._lazily("predict_log_proba", X, np.dtype(values_dtype(X, self.coef_)), len(self.classes_))
