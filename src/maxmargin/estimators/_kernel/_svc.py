"""Support vector classification with scikit-learn's interface: the soft margin by C."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._classifier import KernelClassifier
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.estimators._shared._parameters import check_shape_of_scores
from maxmargin.kernels import Gram
from maxmargin.problems import HardMargin, LabelledParts, Offset, Problem, Slack, SoftMargin, SoftMargins, require_range
from maxmargin.validation import check_boolean, check_option, check_positive

__all__ = ["SVC"]


@final
class SVC(KernelClassifier):
    """Support vector classifier that proves its answer.

    For two classes it solves the soft margin problem

        minimise ½ ‖w‖² + Σ C_i max(0, 1 − y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b,   ⟨φ(x), φ(z)⟩ = k(x, z)

    or the same with ``max(0, 1 − y_i f(x_i))²`` (``loss="squared_hinge"``) or without b (``fit_intercept=False``),
    through its dual, with ``C_i = C · class weight · sample weight``, and reports how far from the optimum it stopped
    (``certificate_``). More classes are separated in pairs, each from the rest, or all at once (``multi_class``).
    It is a drop-in replacement for scikit-learn's ``SVC``: same names, shapes, orders and signs.

    Parameters
    ----------
    C : float, default=1.0
        Cost of slack, positive. ``inf`` allows no slack (the hard margin); where no hyperplane separates the classes, `fit`
        raises `InfeasibleError` with a proof.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`, whose
        parameters a grid search can set (``kernel__gamma``); or a function of two blocks of rows that returns
        their kernel values. With a function the rows may be any objects: strings, graphs.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf, sigmoid, laplacian and chi2 kernels: "scale" is 1 / (n_features · variance of X), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    shrinking : bool, default=True
        Leave rows that have settled at a bound out of the search for a while.
    probability : bool, default=False
        Whether to calibrate probabilities too; the fit then takes about 3 times as long, with many classes about 8 times.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which to stop; for ``multi_class="joint"`` the largest gap between the
        two objectives, relative to the primal one.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values, in MB; "auto" is a quarter of all. Kernels of objects and functions keep up to 537 MB besides.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total weight.
    verbose : bool or int, default=False
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    max_iter : int, default=-1
        Largest number of SMO iterations for each binary classifier; −1 for an automatic, finite limit.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether ``decision_function`` has a column for each pair of classes or for each class.
    break_ties : bool, default=False
        Whether to predict the class with the largest score instead of the most votes. Only for three or more classes and
        ``decision_function_shape="ovr"``.
    random_state : int, RandomState instance or None, default=None
        Which folds the probabilities come from; with None they are always the same. The solver itself is deterministic.
    multi_class : {"ovo", "ovr", "joint", "crammer_singer"}, default="ovo"
        Whether to train a binary classifier for each pair of classes ("ovo"), one for each class against the rest ("ovr"), or
        the scores of all classes at once ("joint" or "crammer_singer", see `maxmargin.problems.CrammerSinger`).
    solver : {"auto", "smo"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the solution of the last fit. C, kernel parameters and weights may change, and rows may be added at the end,
        as long as the support vectors keep their row numbers. Otherwise the fit warns and starts from scratch.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What slack costs: ``C ξ``, or ``C ξ²``, with which α has no upper bound.
    fit_intercept : bool, default=True
        Whether f has an offset b.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors: grouped by class, ascending within each.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : {ndarray, sparse matrix} of shape (n_classes - 1, n_SV)
        ``y_i α_i`` in LIBSVM's order; of shape (1, n_SV) for two classes, (n_classes, n_SV) for
        ``multi_class="ovr"`` and "joint".
    coef_ : {ndarray, sparse matrix} of shape (n_subproblems, n_features)
        Weight vectors; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (n_subproblems,)
        Offsets; ``n_subproblems`` is 1 for two classes, else K (K − 1) / 2, or K for
        ``multi_class="ovr"`` and "joint".
    probA_, probB_ : ndarray of shape (1,)
        For two classes and ``probability=True``, LIBSVM's parameters of Platt's sigmoid:
        ``P(classes_[1]) = 1 / (1 + exp(probA_ f − probB_))`` with the decision value f.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    certificate_ : Certificate
        Objectives summed over the binary classifiers, with the worst relative gap and violation.
    solutions_ : list of Solution
        Solution of each binary classifier, in the order of ``intercept_``; one `CrammerSingerSolution` for "joint". Row numbers
        refer to the X given to fit.
    status_ : Status
        The worst status among the binary classifiers.
    fit_status_ : int
        0 if all binary classifiers converged, else 1.
    n_iter_ : ndarray of shape (n_subproblems,)
        SMO iterations of each binary classifier.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    Notes
    -----
    Pairs of classes vote. Of classes with equally many votes the first in ``classes_`` is predicted; with ``break_ties=True``
    and ``decision_function_shape="ovr"`` the one whose scores add up to most.

    A weight of 2 counts the row twice, and a weight of 0 or less leaves it out; this holds for ``gamma="scale"`` and
    ``class_weight="balanced"`` too.

    **Probabilities.** With ``probability=True`` the rows are dealt into 5 folds, each fold's decision values come from a model
    that is fitted to the other folds, and a calibrator is fitted to these values: for two classes Platt's sigmoid
    (`maxmargin.calibrators.Platt`), for more the sigmoids of all pairs, coupled and scaled by one temperature
    (`maxmargin.calibrators.Pairs`); with ``multi_class="ovr"`` and "joint" a temperature for the
    scores of all classes. If fewer than 5 folds already hold out 5 000 rows, 300 of each class, only
    these folds are computed. The folds depend on the rows and not on their order; equal rows stay together, and a row of
    weight 2 is the same as the row twice (but for precomputed kernels, rows without features and classes whose rows are all
    equal, which are dealt in a fixed random order). As in scikit-learn, folds have the kernel of the fit: ``gamma="scale"``
    is that of all rows. ``class_weight="balanced"`` counts the training rows of each fold. ``max_time`` is
    for all of it: where it is used up, folds stop where they are, and a warning says so. ``predict`` stays that of the
    decision function, and differs from the class of the largest probability now and then: for 1 to 4 of
    450 digits.

    References
    ----------
    Cortes and Vapnik, Support-vector networks, Machine Learning 20, 1995.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear").fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = "auto",
        class_weight: Any = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        max_time: float | None = None,
        decision_function_shape: Literal["ovo", "ovr"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: Literal["ovo", "ovr", "joint", "crammer_singer"] = "ovo",
        solver: Any = "auto",
        warm_start: bool = False,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        fit_intercept: bool = True,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_time = max_time
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.solver = solver
        self.warm_start = warm_start
        self.loss = loss
        self.fit_intercept = fit_intercept

    def _formula(self) -> Formula:
        f = f"f(x) = ⟨w, φ(x)⟩{' + b' if self.fit_intercept else ''}"
        if self._is_joint:
            goal = "minimise ½ Σ_k |w_k|² + Σ C_i max_k (f_k(x_i) + [k ≠ y_i] − f_y(x_i))"
            return [("formulation", "Crammer and Singer's, all classes at once"), ("formula", goal)]
        if math.isinf(self.C):
            return [("formulation", "hard margin"), ("formula", f"minimise ½ |w|² subject to y_i f(x_i) ≥ 1, {f}")]
        slack = "max(0, 1 − y_i f(x_i))" + ("²" if self.loss == "squared_hinge" else "")
        count = len(self.intercept_)
        several = "" if count == 1 else f", {count} binary classifiers ({self.multi_class})"
        return [
            ("formulation", f"soft margin, {self.loss.replace('_', ' ')}, C = {self.C:g}{several}"),
            ("formula", f"minimise ½ |w|² + Σ C_i {slack}, {f}"),
        ]

    def _check_own(self) -> None:
        check_positive("C", self.C, "SVC", infinite=True)
        check_option("multi_class", self.multi_class, "SVC", ("crammer_singer", "joint", "ovo", "ovr"))
        check_shape_of_scores(self.decision_function_shape, one_vs_rest=self.multi_class != "ovo")
        check_option("loss", self.loss, "SVC", ("hinge", "squared_hinge"))
        check_boolean("fit_intercept", self.fit_intercept, "SVC")
        if self.loss != "hinge" and self._wants_joint:
            raise InvalidInput(
                f"multi_class={self.multi_class!r} has a loss of its own. Got loss={self.loss!r}. Choose loss='hinge', or"
                " multi_class='ovo' or 'ovr'."
            )

    @property
    def _wants_one_vs_rest(self) -> bool:
        return bool(self.multi_class == "ovr")

    @property
    def _wants_joint(self) -> bool:
        return self.multi_class in ("joint", "crammer_singer")

    @property
    def _has_offset(self) -> bool:
        return bool(self.fit_intercept)

    def _costs(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        if math.isinf(self.C):
            return weight * math.inf
        upper = upper_bounds(self.C, weight)
        require_range(upper, "C times sample_weight")  # for all subproblems at once
        return upper

    def _problems(self, gram: Gram, parts: LabelledParts, cost: NDArray[np.float64]) -> Sequence[Problem]:
        if math.isinf(self.C):
            offset = bool(self.fit_intercept)
            return [HardMargin.on(gram if rows is None else gram.take(rows), y, offset) for rows, y in parts.each()]
        if self.fit_intercept and self.loss == "hinge":
            return SoftMargins(gram, parts, cost)
        kind = Offset.FREE if self.fit_intercept else Offset.NONE
        slack = Slack.LINEAR if self.loss == "hinge" else Slack.SQUARED
        return [
            SoftMargin.on(gram, y, cost, kind, slack)
            if rows is None
            else SoftMargin.on(gram.take(rows), y, np.ascontiguousarray(cost[rows]), kind, slack)
            for rows, y in parts.each()
        ]

    def _fold_problems(self, gram: Gram, parts: LabelledParts, costs: NDArray[np.float64]) -> Sequence[Problem]:
        return SoftMargins(gram, parts, costs, own_costs=True)

    def _can_hold_out(self) -> bool:
        return not math.isinf(self.C) and bool(self.fit_intercept) and self.loss == "hinge"
