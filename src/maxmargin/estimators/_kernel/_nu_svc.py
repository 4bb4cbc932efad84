"""ν-classification with scikit-learn's interface."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._classifier import KernelClassifier
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.kernels import Gram
from maxmargin.problems import LabelledParts, NuClassification, Problem
from maxmargin.validation import TrainingSet, check_fraction

__all__ = ["NuSVC"]


@final
class NuSVC(KernelClassifier):
    """ν-support vector classifier that proves its answer: ν takes the place of C.

    For two classes it minimises, over w, b and the margin ρ,

        ½ ‖w‖² − ν W ρ + Σ w_i max(0, ρ − y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b,   ⟨φ(x), φ(z)⟩ = k(x, z)

    with ``w_i = class weight · sample weight`` and their sum W; w and b are then divided by ρ. At most a fraction ν of the rows
    are inside the margin, and at least that fraction are support vectors. More classes are separated in pairs. It is a drop-in
    replacement for scikit-learn's ``NuSVC``.

    Parameters
    ----------
    nu : float, default=0.5
        ν, in (0, 1]; for every pair of classes at most twice the fraction of its rows that are in the smaller class.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`, whose parameters a grid search can set
        (``kernel__gamma``); or a function of two blocks of rows that returns their kernel values. With a function the rows
        may be any objects: strings, graphs.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels: "scale" is 1 / (n_features · variance of X), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    shrinking : bool, default=True
        Leave rows that have settled at a bound out of the search for a while.
    probability : bool, default=False
        Whether to fit ``predict_proba`` as well, which takes the time of about 5, and 7 for many classes, plain fits in all.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which to stop.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values, in MB; "auto" is a quarter of all. Kernels of objects and functions keep up to 537 MB besides.
    class_weight : dict, "balanced" or None, default=None
        Factor of the weights of each class; "balanced" gives every class the same total weight.
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
    solver : {"auto", "smo"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the solution of the last fit. ν, kernel parameters and weights may change, and rows may be added at the end,
        as long as the support vectors keep their row numbers. Otherwise the fit warns and starts from scratch.

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
        ``y_i α_i`` in LIBSVM's order; of shape (1, n_SV) for two classes.
    coef_ : {ndarray, sparse matrix} of shape (n_subproblems, n_features)
        Weight vectors; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (n_subproblems,)
        Offsets; ``n_subproblems`` is 1 for two classes, else K (K − 1) / 2.
    probA_, probB_ : ndarray of shape (1,)
        For two classes and ``probability=True``, LIBSVM's parameters of Platt's sigmoid:
        ``P(classes_[1]) = 1 / (1 + exp(probA_ f − probB_))`` with the decision value f.
    class_weight_ : ndarray of shape (n_classes,)
        Weight of each class.
    certificate_ : Certificate
        Objectives summed over the binary classifiers, with the worst relative gap and violation.
    solutions_ : list of Solution
        Solution of each binary classifier, in the order of ``intercept_``. Row numbers refer to the X given to fit.
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
    **Probabilities** are those of `SVC`. ``class_weight="balanced"`` counts the training rows of each fold. Where ν is
    infeasible for these, the fold takes the largest that is feasible, and a warning says so. ``predict`` stays that of the
    decision function, and differs from the class of the largest probability now and then: for 0 to 4 of 300
    rows of three overlapping classes with ν from 0.2 to 0.8, and for 13 with ν = 0.1. Calibrated probabilities are equal where
    the classes are equally likely, which need not be where the decision function is 0.

    References
    ----------
    Schölkopf, Smola, Williamson and Bartlett, New support vector algorithms, Neural Computation 12, 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.1).fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
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
        solver: Any = "auto",
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
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
        self.solver = solver
        self.warm_start = warm_start

    _one_class_message = "specified nu is infeasible: "

    def _formula(self) -> Formula:
        return [
            ("formulation", f"nu-classification, nu = {self.nu:g}"),
            ("formula", "minimise ½ |w|² − ν W ρ + Σ w_i max(0, ρ − y_i f(x_i)), f(x) = ⟨w, φ(x)⟩ + b"),
        ]

    def _check_own(self) -> None:
        check_fraction("nu", self.nu, "NuSVC")

    def _check_balance(self, data: TrainingSet, weight: NDArray[np.float64]) -> None:
        """All pairs must be feasible: that of the smallest with the largest class decides."""
        classes, weights = data.classes, np.bincount(data.codes, weight)
        small, large = int(weights.argmin()), int(weights.argmax())
        largest = 2.0 * float(weights[small] / (weights[small] + weights[large]))
        if len(classes) > 2 and self.nu > largest * (1.0 + 1e-12):
            raise InvalidInput(
                f"specified nu is infeasible: nu = {float(self.nu):g} is more than {largest:.6g}, twice the share of"
                f" {classes[small]} beside {classes[large]}. Choose nu in (0, {largest:.6g}]."
            )

    def _problems(self, gram: Gram, parts: LabelledParts, cost: NDArray[np.float64]) -> Sequence[Problem]:
        nu = float(self.nu)
        return [
            NuClassification.on(*((gram, y, cost) if rows is None else (gram.take(rows), y, cost[rows])), nu)
            for rows, y in parts.each()
        ]

    def _fold_problems(self, gram: Gram, parts: LabelledParts, costs: NDArray[np.float64]) -> Sequence[Problem]:
        """Where ν is more than the training rows of a fold allow, the largest that they do."""
        problems, begin, least = [], 0, float(self.nu)
        for rows, y in parts.each():
            weight = costs[begin : begin + len(y)]
            sides = float(weight[y > 0].sum()), float(weight[y < 0].sum())
            nu = min(float(self.nu), 2.0 * min(sides) / sum(sides))
            problems.append(NuClassification.on(gram if rows is None else gram.take(rows), y, weight, nu))
            begin, least = begin + len(y), min(least, nu)
        if least < self.nu * (1.0 - 1e-12):
            warnings.warn(
                f"nu = {float(self.nu):g} is infeasible for the training rows of some fold. Those folds take the largest that"
                f" is feasible, at least {least:.6g}; the fit itself is not affected. Choose nu <= {least:.6g} to avoid it.",
                UserWarning,
                stacklevel=6,
            )
        return problems
