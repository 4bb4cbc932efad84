"""Linear support vector classification with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Literal, final

from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._classifier import LinearModel
from maxmargin.estimators._shared._parameters import check_dual, check_intercept, offset_of
from maxmargin.losses import Hinge, Loss, SquaredHinge
from maxmargin.problems import ClassLoss, Offset, Penalty
from maxmargin.validation import check_option, check_positive

__all__ = ["LinearSVC"]


@final
class LinearSVC(LinearModel):
    """Linear support vector classifier that proves its answer; suited to many rows and to sparse data.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i f(x_i)),   f(x) = ⟨w, x⟩ + b

    to a proven relative gap of ``tol``, where ℓ is the hinge ``ℓ(z) = max(0, 1 − z)`` or its square, and
    ``C_i = C · class weight · sample weight``. With ``penalty="l1"`` it has ``|w|₁ = Σ|w_k|`` in place of ``½ ‖w‖²``, and many
    weights are exactly 0. With the hinge and ``penalty="l2"`` it has the same optimum as ``SVC(kernel="linear")``.
    scikit-learn's LinearSVC penalises the intercept too; ``penalise_intercept=True`` does the same.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        The penalty on large weights.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss of a row; ignored if all classes are fitted at once, as in scikit-learn. LIBLINEAR does not offer the hinge
        with ``penalty="l1"``; here it is a linear program, which is slow for both many rows and many features: consider
        setting ``max_time``.
    dual : "auto" or bool, default="auto"
        Accepted for compatibility with scikit-learn, where it chooses between the primal and the dual problem. Here both
        objectives are computed, and their gap is the proof.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    C : float, default=1.0
        Factor of the loss, positive.
    multi_class : {"ovr", "crammer_singer", "joint"}, default="ovr"
        For three or more classes, "ovr" fits a binary classifier for each class against the rest. "crammer_singer" and "joint"
        both fit all classes at once: ``½ Σ_k ‖w_k‖² + Σ C_i max_k (f_k(x_i) + [k ≠ y_i] − f_{y_i}(x_i))``. For two classes
        this is the hinge at ``2C``.
    fit_intercept : bool, default=True
        Whether f has an offset.
    intercept_scaling : float, default=1.0
        The value of the constant feature whose weight a penalised offset is: the offset costs ``½(b/intercept_scaling)²``, or
        ``|b|/intercept_scaling`` with ``penalty="l1"``.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total weight.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the result does not depend on chance.
    max_iter : int, default=1000
        Largest number of Newton rounds for each binary classifier (of sweeps with ``solver="coordinate_descent"``, of thousands
        of pivots for a linear program).
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    penalise_intercept : bool or None, default=None
        Penalise the offset like a weight, as LIBLINEAR does. None does so if ``intercept_scaling`` is set to another value
        than 1. This changes the optimum.
    solver : {"auto", "newton", "coordinate_descent", "proximal_newton", "linear_program"} or solver object, default="auto"
        Which solver to use; with ``penalty="l1"`` one of the last two, for all classes at once "auto", "newton",
        "coordinate_descent", a ``MulticlassNewton`` or a ``MulticlassDescent``.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same; otherwise the fit warns and starts from scratch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of each binary classifier.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    n_iter_ : int
        Largest number of rounds of any binary classifier.
    certificate_ : Certificate
        Objectives summed over the binary classifiers, with the worst relative gap.
    status_ : Status
        The worst status among the binary classifiers.
    fit_status_ : int
        0 if all binary classifiers converged, else 1.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Fan, Chang, Hsieh, Wang and Lin, LIBLINEAR: a library for large linear classification, JMLR 9, 2008.

    Crammer and Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC().fit(X, y)
    >>> model.predict(X[:2]), model.coef_.shape
    (array([0, 0]), (3, 4))
    >>> model.certificate_.relative_gap < 1e-4
    True
    """

    def __init__(
        self,
        *,
        penalty: Literal["l2", "l1"] = "l2",
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: Literal["ovr", "crammer_singer", "joint"] = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        penalise_intercept: bool | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.penalise_intercept = penalise_intercept
        self.solver = solver
        self.warm_start = warm_start

    def _check_own(self) -> None:
        owner = "LinearSVC"
        check_option("penalty", self.penalty, owner, ("l1", "l2"))
        check_option("loss", self.loss, owner, ("hinge", "squared_hinge"))
        check_dual(self.dual, owner)
        check_positive("C", self.C, owner)
        check_option("multi_class", self.multi_class, owner, ("ovr", "crammer_singer", "joint"))
        if self.penalty == "l1" and self.multi_class != "ovr":
            raise InvalidInput(
                f'multi_class={self.multi_class!r} has no L1 penalty. Choose penalty="l2", or multi_class="ovr", one for'
                " each class."
            )
        check_intercept(self)

    def _terms(self) -> tuple[Loss, Penalty, float]:
        return (Hinge() if self.loss == "hinge" else SquaredHinge()), Penalty(self.penalty), float(self.C)

    def _class_loss(self, n_classes: int) -> ClassLoss | None:
        return None if self.multi_class == "ovr" else ClassLoss.JOINT

    def _offset(self) -> tuple[Offset, float]:
        return offset_of(self)

    def _solver(self) -> Any:
        return self.solver
