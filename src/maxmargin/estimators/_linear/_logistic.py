"""Logistic regression with scikit-learn's interface."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, logsumexp

from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._classifier import LinearModel
from maxmargin.losses import Logistic, Loss
from maxmargin.problems import ClassLoss, Penalty
from maxmargin.validation import TrainingSet, check_option, check_positive, check_share, reject

__all__ = ["LogisticRegression"]


@final
class LogisticRegression(LinearModel):
    """Logistic regression: for two classes ``P(y = 1 | x) = 1 / (1 + e^−f(x))`` with ``f(x) = ⟨w, x⟩ + b``.

    f is the logarithm of the odds. The fit solves

        minimise ½ ‖w‖² + Σ C_i log(1 + e^(−y_i f(x_i)))

    and for three classes or more, with a score ``f_k(x) = ⟨w_k, x⟩ + b_k`` each and ``P(y = k | x) = e^f_k(x) / Σ_l e^f_l(x)``,

        minimise ½ Σ_k ‖w_k‖² + Σ C_i (log Σ_k e^f_k(x_i) − f_{y_i}(x_i))

    to a proven relative gap of ``tol``, with ``C_i = C · class weight · sample weight``. With ``penalty="l1"`` it has
    ``|w|₁ = Σ|w_k|`` in place of ``½ ‖w‖²``, and many weights are exactly 0. Without a penalty this is maximum likelihood, or
    minimum cross-entropy, and need not have a minimum: where a hyperplane separates the classes, w grows without limit. This is
    detected; ``status_`` and a warning report it.

    Parameters
    ----------
    penalty : "l2", "l1" or None, default="l2"
        The penalty on large weights.
    C : float, default=1.0
        Factor of the loss, positive; without a penalty it does not change the minimiser.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    fit_intercept : bool, default=True
        Whether f has an offset, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total weight.
    multi_class : {"auto", "multinomial", "ovr"}, default="auto"
        "multinomial" solves the second problem; "ovr" solves the first for each class against the rest, and scales the
        probabilities to sum to 1. "auto" takes the first for two classes and with ``penalty="l1"``, else the second. For two
        classes the second problem is the first at ``2C``.
    threshold : float, default=0.5
        For two classes, ``classes_[1]`` is predicted where its probability is at least this value, between 0 and 1.
    verbose : bool or int, default=0
        Report progress through Python's stdout.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the result does not depend on chance.
    max_iter : int, default=100
        Largest number of Newton rounds.
    max_time : float or None, default=None
        Time limit of the fit, in seconds; None for no limit.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same; otherwise the fit warns and starts from scratch.

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
    n_iter_ : int
        Newton rounds.
    certificate_ : Certificate
        Objectives and gap.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if it converged, else 1.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import LogisticRegression
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    >>> model.predict_proba(X[:1]).round(3), model.predict(X[:1])
    (array([[1., 0.]]), array([0]))
    """

    def __init__(
        self,
        *,
        penalty: Literal["l2", "l1"] | None = "l2",
        C: float = 1.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multi_class: Literal["auto", "multinomial", "ovr"] = "auto",
        threshold: float = 0.5,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 100,
        max_time: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.threshold = threshold
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start

    def _check_own(self) -> None:
        owner = "LogisticRegression"
        if self.penalty is not None and not (isinstance(self.penalty, str) and self.penalty in ("l1", "l2")):
            raise reject("penalty", self.penalty, owner, "a str among {'l1', 'l2'} or None")
        if isinstance(self.C, Real) and math.inf == self.C:
            raise reject("C", self.C, owner, "a float in the range (0.0, inf): without a penalty it is penalty=None")
        check_positive("C", self.C, owner)
        check_option("multi_class", self.multi_class, owner, ("auto", "multinomial", "ovr"))
        if self.penalty == "l1" and self.multi_class == "multinomial":
            raise InvalidInput(
                'multi_class="multinomial" has no L1 penalty. Choose penalty="l2", or multi_class="ovr", one for each class.'
            )
        check_share("threshold", self.threshold, owner)

    def _check_classes(self, data: TrainingSet) -> None:
        if len(data.classes) > 2 and self.threshold != 0.5:
            raise InvalidInput(
                f"threshold={self.threshold!r} chooses between two classes. Got {len(data.classes)} classes. Leave threshold at"
                " 0.5: then the most probable class is predicted."
            )

    def _class_loss(self, n_classes: int) -> ClassLoss | None:
        together = self.multi_class == "multinomial" or (self.multi_class == "auto" and n_classes > 2 and self.penalty != "l1")
        return ClassLoss.MULTINOMIAL if together else None

    def _terms(self) -> tuple[Loss, Penalty, float]:
        return Logistic(), Penalty.NONE if self.penalty is None else Penalty(self.penalty), float(self.C)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            For two classes ``1 / (1 + e^f)`` and ``1 / (1 + e^−f)``, for more ``e^f_k / Σ_l e^f_l``; with ``multi_class="ovr"``
            the values ``1 / (1 + e^−f_k)`` of the binary classifiers, divided by their sum.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithm of the probability of each class, accurate where it is small.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim > 1:
            apart = self._class_loss(scores.shape[1]) is None  # a subproblem for each class
            logs = log_expit(scores) if apart else scores
            return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))
        return -np.stack([np.logaddexp(0.0, scores), np.logaddexp(0.0, -scores)], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,)
            The most probable class; for two classes ``classes_[1]`` where its probability is at least ``threshold``.
        """
        if self.threshold == 0.5:
            return super().predict(X)
        above = self.predict_proba(X)[:, 1] >= self.threshold
        return np.asarray(self.classes_[above.astype(np.intp)])
