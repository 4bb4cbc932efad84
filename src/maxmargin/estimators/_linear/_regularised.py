"""The regularised linear classifier: any loss of the margin, any penalty."""

from __future__ import annotations

import warnings
from typing import Any, final

from maxmargin.errors import InvalidInput, NoMarginWarning
from maxmargin.estimators._linear._blocks import BlockRowsOf
from maxmargin.estimators._linear._classifier import LinearModel, Solutions
from maxmargin.estimators._shared._parameters import check_intercept, offset_of
from maxmargin.estimators._shared._plan import LinearRows
from maxmargin.losses import Loss, MarginLoss, as_loss
from maxmargin.problems import Offset, Penalty, as_bound, as_penalty, as_share
from maxmargin.validation import check_positive

__all__ = ["LinearClassifier"]


@final
class LinearClassifier(LinearModel):
    """Linear classifier that proves its answer, with a loss and a penalty of your choice.

    It solves

        minimise R(w) + Σ C_i ℓ(y_i f(x_i)),   f(x) = ⟨w, x⟩ + b

    with ``C_i = C · class weight · sample weight``, to a proven relative gap of ``tol``. The form ``λ R(w) + (1/n) Σ ℓ``
    has the same minimum at ``C = 1/(λ n)``; for ``R = |w|²`` without the half at ``C = 1/(2 λ n)`` (see
    :mod:`maxmargin.scales`). ``LinearSVC`` and ``LogisticRegression`` are special cases:

    =========================  =======================  ==========================================
    loss                       ``ℓ(z)``                 known as
    =========================  =======================  ==========================================
    ``"hinge"``                ``max(0, 1 − z)``        support vector machine
    ``"squared_hinge"``        ``max(0, 1 − z)²``       support vector machine, squared slack
    ``"logistic"``             ``log(1 + e^−z)``        logistic regression
    ``"exponential"``          ``e^−z``                 what boosting minimises
    ``"squared"``              ``(1 − z)²``             least squares on labels −1 and +1
    ``"perceptron"``           ``max(0, −z)``           perceptron; ``w = 0`` is an optimum
    =========================  =======================  ==========================================

    Parameters
    ----------
    loss : str or MarginLoss, default="hinge"
        The loss of a row: a name from the table, an object of :mod:`maxmargin.losses`, or an object of your own class, which
        inherits ``MarginLoss`` and ``ConvexLoss`` and has ``value``, ``derivative``, ``curvature`` and ``conjugate``.
    penalty : "l2", "l1", "elasticnet", "ball" or None, default="l2"
        The penalty on large weights. "l2" is ``½|w|²``. "l1" is ``|w|₁``, which makes some weights exactly 0; it supports the
        hinge, its square, the logistic and the squared loss. "elasticnet" is ``ρ|w|₁ + (1 − ρ)/2 |w|²`` with ``ρ = l1_ratio``;
        it supports the same losses but the hinge. "ball" replaces the penalty by the constraint ``|w|² ≤ B``. None is no
        penalty; it supports differentiable losses.
    C : float, default=1.0
        Factor of the loss, positive; with ``penalty="ball"`` or None it only scales the objective.
    B : float or None, default=None
        Only with ``penalty="ball"``: the largest ``|w|²``. The smaller B, the fewer functions there are to choose from.
    l1_ratio : float or None, default=None
        Only with ``penalty="elasticnet"``: ρ, between 0 and 1.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    fit_intercept : bool, default=True
        Whether f has an offset.
    penalise_intercept : bool or None, default=None
        Penalise the offset like a weight, as LIBLINEAR does. None does so if ``intercept_scaling`` is set to another value
        than 1. This changes the optimum.
    intercept_scaling : float, default=1.0
        The value of the constant feature whose weight a penalised offset is: the offset costs what a weight of
        ``b/intercept_scaling`` does.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total weight.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: a solver that draws at random has a seed of its own.
    max_iter : int, default=-1
        Largest number of rounds, sweeps or steps for each binary classifier; −1 for the solver's own finite budget.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    solver : str or solver object, default="auto"
        Which solver to use: "newton", "coordinate_descent", "proximal_newton" and "linear_program" (L1), "ball",
        "gradient_descent", "stochastic_subgradient" or an object of :mod:`maxmargin.solvers`. "auto" takes the first that
        supports the problem.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same; otherwise the fit warns and starts from scratch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of each binary classifier; for three classes or more there is one for each class against the rest.
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

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from maxmargin import LinearClassifier
    >>> X, y = make_classification(200, 4, flip_y=0.2, random_state=0)
    >>> for loss in ("hinge", "logistic", "exponential", "squared"):
    ...     model = LinearClassifier(loss=loss, C=0.1).fit(X, y)
    ...     print(loss, model.status_.name, model.score(X, y))
    hinge CONVERGED 0.845
    logistic CONVERGED 0.85
    exponential CONVERGED 0.85
    squared CONVERGED 0.85

    The constrained form, whose bound ``|w|² ≤ B`` is active:

    >>> constrained = LinearClassifier(loss="logistic", penalty="ball", B=0.5, tol=1e-8).fit(X, y)
    >>> float((constrained.coef_**2).sum().round(6))
    0.5
    """

    _fewest_iterations = -1

    def __init__(
        self,
        *,
        loss: str | MarginLoss = "hinge",
        penalty: str | Penalty | None = "l2",
        C: float = 1.0,
        B: float | None = None,
        l1_ratio: float | None = None,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        penalise_intercept: bool | None = None,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = -1,
        max_time: float | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.B = B
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.solver = solver
        self.warm_start = warm_start

    def _loss(self) -> Loss:
        loss = as_loss(self.loss, "LinearClassifier")
        if not isinstance(loss, MarginLoss):
            raise InvalidInput(
                f"The 'loss' parameter of LinearClassifier must be a loss of the margin. Got {self.loss!r}, which is of a"
                " residual: that is regression (LinearSVR)."
            )
        return loss

    def _check_own(self) -> None:
        owner = "LinearClassifier"
        self._loss()
        penalty = as_penalty(self.penalty, owner)
        as_bound(self.B, penalty, owner)
        as_share(self.l1_ratio, penalty, owner)
        check_positive("C", self.C, owner)
        check_intercept(self)

    def _terms(self) -> tuple[Loss, Penalty, float]:
        return self._loss(), as_penalty(self.penalty, "LinearClassifier"), float(self.C)

    def _bound(self) -> float:
        return as_bound(self.B, as_penalty(self.penalty, "LinearClassifier"), "LinearClassifier")

    def _l1(self) -> float:
        return as_share(self.l1_ratio, as_penalty(self.penalty, "LinearClassifier"), "LinearClassifier")

    def _offset(self) -> tuple[Offset, float]:
        return offset_of(self)

    def _solver(self) -> Any:
        return self.solver

    def _adopt(self, rows: LinearRows | BlockRowsOf, solutions: Solutions) -> None:
        super()._adopt(rows, solutions)
        if not self.coef_.any() and float(self._loss().value(0.0)) == 0.0:
            warnings.warn(
                f"The loss {self._loss()!r} costs nothing where all scores are 0: w = 0 is optimal, and separates nothing."
                " Take a loss that asks for a margin ('hinge'); Perceptron takes the steps of this one.",
                NoMarginWarning,
                stacklevel=3,
            )
