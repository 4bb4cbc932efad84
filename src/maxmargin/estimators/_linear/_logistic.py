"""Logistic regression with scikit-learn's interface."""

from __future__ import annotations

import math
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, logsumexp

from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._blocks import BlockRowsOf
from maxmargin.estimators._linear._classifier import LinearModel, Solutions
from maxmargin.estimators._linear._logistic_checks import THEIR_SOLVERS, check_logistic, penalty_of
from maxmargin.estimators._shared._plan import LinearRows, Plan
from maxmargin.losses import Logistic, Loss
from maxmargin.problems import ClassLoss, Offset, Penalty
from maxmargin.solution import in_float32

__all__ = ["LogisticRegression"]


@final
class LogisticRegression(LinearModel):
    """Logistic regression: for two classes ``P(y = 1 | x) = 1 / (1 + e^−f(x))`` with ``f(x) = ⟨w, x⟩ + b``.

    f is the logarithm of the odds. The fit solves

        minimise ½ ‖w‖² + Σ C_i log(1 + e^(−y_i f(x_i)))

    and for three classes or more, with a score ``f_k(x) = ⟨w_k, x⟩ + b_k`` each and ``P(y = k | x) = e^f_k(x) / Σ_l e^f_l(x)``,

        minimise ½ Σ_k ‖w_k‖² + Σ C_i (log Σ_k e^f_k(x_i) − f_{y_i}(x_i))

    to a proven relative gap of ``tol``, with ``C_i = C · class weight · sample weight``. In place of ``½ ‖w‖²`` it may have
    ``ρ |w|₁ + (1 − ρ)/2 ‖w‖²`` with ``ρ = l1_ratio``, summed over the classes: then many
    weights are exactly 0. Without a penalty this is maximum likelihood, or minimum cross-entropy, and need not have a
    minimum: where a hyperplane separates the classes, w grows without limit. This is detected; ``status_`` and a warning
    report it.

    Parameters
    ----------
    penalty : {"auto", "l2", "l1", "elasticnet"} or None, default="auto"
        The penalty on large weights, as scikit-learn has it up to 1.9. "auto" leaves it to ``l1_ratio`` and C, as scikit-learn
        has it from 1.10 on; "deprecated", the default of 1.8 and 1.9, is the same. None is no penalty. A penalty that is given
        decides, and a warning says so if ``l1_ratio`` says otherwise.
    C : float, default=1.0
        Factor of the loss, positive; ``inf`` is no penalty. Without a penalty it does not change the minimiser.
    l1_ratio : float or None, default=0.0
        ρ above, from 0, which is ``½ ‖w‖²``, to 1, which is ``|w|₁``. None is the same as 0.
    dual : bool, default=False
        Accepted for compatibility with scikit-learn, where it chooses which of two problems liblinear solves, and does not
        change the answer: here both objectives are computed, and their gap is the proof. True is allowed only with
        ``solver="liblinear"`` and ``½ ‖w‖²``.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    fit_intercept : bool, default=True
        Whether f has an offset; only ``solver="liblinear"`` penalises it.
    intercept_scaling : float, default=1.0
        Only with ``solver="liblinear"``: the value of the constant feature whose weight is penalised; the offset costs
        ``½(b/intercept_scaling)²``, or ``|b|/intercept_scaling`` with ``l1_ratio=1``.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total weight.
    multi_class : {"auto", "multinomial", "ovr"}, default="auto"
        "multinomial" solves the second problem; "ovr" solves the first for each class against the rest, and scales the
        probabilities to sum to 1. "auto" takes the first for two classes, else the second. For two classes the second problem
        with ``½ ‖w‖²`` is the first at ``2C``, and with ``|w|₁`` the first.
    threshold : float, default=0.5
        For two classes, ``classes_[1]`` is predicted where its probability is at least this value, between 0 and 1.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the result does not depend on chance.
    solver : str or solver object, default="auto"
        "liblinear" changes the answer: it penalises the offset, has two classes (or ``multi_class="ovr"``) and a penalty that
        is ``½ ‖w‖²`` or ``|w|₁``. "lbfgs", "newton-cg", "newton-cholesky", "sag" and "saga" only say how scikit-learn searches:
        they are accepted, with the penalties that they have there ("saga" all, the others ``½ ‖w‖²`` or none), and the same
        optimum is found by our engine. "auto", "newton", "proximal_newton", "gradient_descent" and objects of
        :mod:`maxmargin.solvers` are as in :func:`maxmargin.solve`.
    n_jobs : int or None, default=None
        Accepted and not used, as in scikit-learn since 1.8: :func:`maxmargin.set_threads` limits threads.
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
        Weights: float32 if X is float32, as in scikit-learn (and float64 by ``solver="liblinear"``). The certificate is that
        of the rounded weights, with which the model predicts. Where rounding would cost the model its status they stay
        float64.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets, of the same type.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    n_iter_ : ndarray of shape (1,)
        Newton rounds, the most of any binary classifier.
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
        penalty: Literal["auto", "l2", "l1", "elasticnet", "deprecated"] | None = "auto",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        multi_class: Literal["auto", "multinomial", "ovr"] = "auto",
        threshold: float = 0.5,
        verbose: bool | int = 0,
        random_state: Any = None,
        solver: Any = "auto",
        n_jobs: int | None = None,
        max_iter: int = 100,
        max_time: float | None = None,
        warm_start: bool = False,
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

    _is_ovr = False
    """Whether each class has a binary classifier of its own."""

    def _check_own(self) -> None:
        check_logistic(self)

    def _check_classes(self, classes: NDArray[Any]) -> None:
        if len(classes) > 2 and self.threshold != 0.5:
            raise InvalidInput(
                f"threshold={self.threshold!r} chooses between two classes. Got {len(classes)} classes. Leave threshold at"
                " 0.5: then the most probable class is predicted."
            )
        if len(classes) > 2 and self._is_liblinear() and self.multi_class != "ovr":
            raise InvalidInput(
                "The 'liblinear' solver does not support multiclass classification (n_classes >= 3)."
                f" Got {len(classes)} classes. Use another solver, or multi_class='ovr', one for each class."
            )

    def _is_liblinear(self) -> bool:
        return isinstance(self.solver, str) and self.solver == "liblinear"

    def _class_loss(self, n_classes: int) -> ClassLoss | None:
        together = self.multi_class == "multinomial" or (self.multi_class == "auto" and n_classes > 2)
        return ClassLoss.MULTINOMIAL if together else None

    def _terms(self) -> tuple[Loss, Penalty, float]:
        return Logistic(), penalty_of(self)[0], 1.0 if math.inf == self.C else float(self.C)

    def _l1(self) -> float:
        return penalty_of(self)[1]

    def _offset(self) -> tuple[Offset, float]:
        if self._is_liblinear() and self.fit_intercept:
            return Offset.PENALISED, float(self.intercept_scaling)
        return super()._offset()

    def _solver(self) -> Any:
        return "auto" if isinstance(self.solver, str) and self.solver in THEIR_SOLVERS else self.solver

    def _as_stored(self, plan: Plan[LinearRows], solutions: list[Any]) -> list[Any]:
        if plan.rows.data.X.dtype != np.float32 or self._is_liblinear():
            return solutions
        rounded = [
            in_float32(problem, solution, float(self.tol)) for problem, solution in zip(plan.problems, solutions, strict=True)
        ]
        return solutions if None in rounded else rounded

    def _adopt(self, rows: LinearRows | BlockRowsOf, solutions: Solutions) -> None:
        super()._adopt(rows, solutions)
        self.__dict__.pop("_is_ovr", None)
        if len(solutions) > 1:  # what is not said takes no room in a pickle
            self._is_ovr = True
        self.n_iter_ = np.array([self.n_iter_], dtype=np.int32)
        if all(solution.is_float32 for solution in solutions):
            self.coef_, self.intercept_ = self.coef_.astype(np.float32), self.intercept_.astype(np.float32)

    def predict_proba(self, X: Any) -> NDArray[Any]:
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
        logs, kind = self._log_proba(X)
        return np.exp(logs).astype(kind, copy=False)

    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Logarithm of the probability of each class, accurate where it is small.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        logs, kind = self._log_proba(X)
        return logs.astype(kind, copy=False)

    def _log_proba(self, X: Any) -> tuple[NDArray[np.float64], np.dtype[Any]]:
        scores, kind = self._scores(X)
        if scores.ndim > 1:
            logs = log_expit(scores) if self._is_ovr else scores
            return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True)), kind
        return -np.stack([np.logaddexp(0.0, scores), np.logaddexp(0.0, -scores)], axis=1), kind

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
