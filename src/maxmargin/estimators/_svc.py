"""Support vector classification with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._assembly import assemble
from maxmargin.estimators._fitted import RowKind, fitted
from maxmargin.estimators._input import new_rows, rows_and_labels
from maxmargin.estimators._packing import explicit_csr, pack, unpack
from maxmargin.estimators._parameters import check_parameters, check_shape_of_scores, chosen_solver
from maxmargin.estimators._records import certificates, record, solutions
from maxmargin.estimators._reporting import report_for
from maxmargin.estimators._schemes import OneVsRest, machine_names, scheme_of
from maxmargin.estimators._training import Budget, Deadline, require_finite, train, upper_bounds, warn_of_the_worst
from maxmargin.estimators._values import machine_values, machine_weights
from maxmargin.kernels import Precomputed, UserFunction, as_kernel
from maxmargin.solution import Certificate, Solution, Status
from maxmargin.validation import class_weights, feature_scale_warning, labelled_set, shape, take_rows

__all__ = ["SVC"]


@final
class SVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Support vector classifier that proves its answer.

    For two classes it solves the soft margin problem

        minimise ½ ‖w‖² + Σ C_i max(0, 1 − y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b,   ⟨φ(x), φ(z)⟩ = k(x, z)

    through its dual, with ``C_i = C · class weight · sample weight``, and reports how far from the optimum it
    stopped (``certificate_``). More classes are separated in pairs, or each from the rest. A drop-in
    replacement of scikit-learn's ``SVC``: same names, shapes, orders and signs.

    Parameters
    ----------
    C : float, default=1.0
        Cost of slack, positive. ``inf`` stands for a very large cost.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed"; an object of :mod:`maxmargin.kernels`, whose
        parameters a grid search can set (``kernel__gamma``); or a function of two blocks of rows that returns
        their kernel values. With a function the rows may be any objects: strings, graphs.
    degree : int, default=3
        Degree of the polynomial kernel. As gamma and coef0, only for a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels: "scale" is 1 / (n_features · variance of X), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    shrinking : bool, default=True
        Leave rows that have settled at a bound out of the search for a while.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which to stop.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values, in MB; "auto" is a share of what the machine has.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total.
    verbose : bool or int, default=False
        Report progress through Python's stdout.
    max_iter : int, default=-1
        Most pair steps of a machine; −1 for an automatic, finite budget.
    max_time : float or None, default=None
        Most seconds of the whole fit; None for no limit.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        Whether ``decision_function`` has a column for each pair of classes or for each class.
    break_ties : bool, default=False
        Predict by the largest score instead of by votes, for three classes or more and shape "ovr".
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the solver is deterministic.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Train a machine for each pair of classes, or for each class against the rest.
    solver : {"auto", "smo"} or solver object, default="auto"
        What solves the problems.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    support_ : ndarray of shape (n_SV,)
        Rows that are support vectors: by class, ascending in each.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : {ndarray, sparse matrix} of shape (n_classes - 1, n_SV)
        ``y_i α_i`` in LIBSVM's order; of shape (1, n_SV) for two classes, (n_classes, n_SV) for
        ``multi_class="ovr"``.
    coef_ : {ndarray, sparse matrix} of shape (n_machines, n_features)
        Weight vectors; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (n_machines,)
        Offsets; ``n_machines`` is 1 for two classes, else K (K − 1) / 2, or K for ``multi_class="ovr"``.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    certificate_ : Certificate
        Objectives summed over the machines, with the worst relative gap and violation.
    solutions_ : list of Solution
        Answer of each machine, in the order of ``intercept_``. Rows are counted as in the X given to fit.
    status_ : Status
        The worst ending among the machines.
    fit_status_ : int
        0 if all machines converged, else 1.
    n_iter_ : ndarray of shape (n_machines,)
        Pair steps of each machine.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    Notes
    -----
    A weight of 2 is the same as the row twice, a weight of 0 or less the same as the row left out; that holds
    for ``gamma="scale"`` and ``class_weight="balanced"`` too.

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
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = "auto",
        class_weight: Any = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        max_time: float | None = None,
        decision_function_shape: Literal["ovo", "ovr"] = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: Literal["ovo", "ovr"] = "ovo",
        solver: Any = "auto",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machines to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel. float32 is
            kept.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factor of C for each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : SVC
            The fitted model.
        """
        check_parameters(self)
        deadline = Deadline(self.max_time)
        kernel = as_kernel(self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree)
        X, y, kind = rows_and_labels(self, kernel, X, y)
        data = labelled_set(X, y, sample_weight, pairwise=kind is RowKind.PAIRWISE)
        of_features = kind in (RowKind.DENSE, RowKind.SPARSE) and not isinstance(kernel, UserFunction)
        if of_features:
            feature_scale_warning(data.X)
        factors = class_weights(self.class_weight, data.classes, data.codes, data.weight, type(self).__name__)

        scheme = scheme_of(len(data.classes), one_vs_rest=self.multi_class == "ovr")
        bound = kernel.bind(data.X, data.sample_weight)
        gram = bound.gram(data.X)
        if of_features:
            require_finite(gram)
        names = machine_names(scheme, data.classes)
        with report_for(self.verbose, scheme.n_machines) as report:
            trained = train(
                scheme,
                gram,
                codes=data.codes,
                upper=upper_bounds(self.C, factors[data.codes] * data.weight, gram),
                solver=chosen_solver(self),
                budget=Budget(self.tol, self.max_iter, deadline),
                report=report,
                names=names,
            )
        warn_of_the_worst(trained, names)
        parts = assemble(scheme, data.codes, trained)

        self._kernel = bound
        self._rows = kind
        self._ovr = self.multi_class == "ovr"
        self._records = record(trained, data.kept)
        self._n_support = parts.n_support
        self.classes_ = data.classes
        self.class_weight_ = factors
        self.shape_fit_ = shape(X)
        self.support_ = (parts.rows if data.kept is None else data.kept[parts.rows]).astype(np.int32)
        if kind is RowKind.PAIRWISE:
            self.support_vectors_ = np.empty((0, 0))
        else:
            self.support_vectors_ = take_rows(data.X, parts.rows)
        self.dual_coef_ = explicit_csr(parts.dual, type(X)) if kind is RowKind.SPARSE else parts.dual
        self.intercept_ = parts.intercept
        self.n_iter_ = np.array([max(1, machine.solution.steps) for machine in trained], dtype=np.int32)
        self.fit_status_ = int(any(machine.solution.status is not Status.CONVERGED for machine in trained))
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Evaluate the machines at rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,), (m, n_classes) or (m, n_machines)
            For two classes ``f(x)``, positive for ``classes_[1]``. Else a column for each class
            (``decision_function_shape="ovr"``: votes and confidence, or the values of one-vs-rest machines),
            or for each pair ("ovo").
        """
        check_is_fitted(self)
        state = fitted(self)
        check_shape_of_scores(self.decision_function_shape, one_vs_rest=isinstance(state.scheme, OneVsRest))
        values = machine_values(state, new_rows(self, X))
        return state.scheme.scores(values, by_class=self.decision_function_shape == "ovr")

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
            Labels.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InvalidInput("break_ties must be False when decision_function_shape is 'ovo'")
        state = fitted(self)
        values = machine_values(state, new_rows(self, X))
        winners = state.scheme.winners(values, break_ties=bool(self.break_ties))
        return np.asarray(self.classes_[winners])

    @property
    def coef_(self) -> Any:
        """Weight vectors of a linear kernel, read only."""
        check_is_fitted(self)
        if not self._kernel.is_linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = machine_weights(fitted(self))
        storage = weights.data if self._sparse else weights
        storage.flags.writeable = False
        return weights

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        check_is_fitted(self)
        return self._n_support

    @property
    def certificate_(self) -> Certificate:
        """How close to optimal: objectives summed over the machines, worst relative gap and violation."""
        check_is_fitted(self)
        return Certificate.combined(certificates(self._records))

    @property
    def status_(self) -> Status:
        """The worst ending among the machines."""
        return self.certificate_.status

    @property
    def solutions_(self) -> list[Solution]:
        """Answer of each machine, in the order of ``intercept_``; traces are thinned to 10 checkpoints."""
        check_is_fitted(self)
        return solutions(
            self._records,
            fitted(self),
            kind=self._rows,
            support=self.support_,
            n=self.shape_fit_[0],
            steps=self.n_iter_,
        )

    @property
    def _sparse(self) -> bool:
        return self._rows is RowKind.SPARSE

    @property
    def _gamma(self) -> float:
        """Factor of the kernel as a number; other packages read it."""
        return float(self._kernel.gamma or 0.0)

    @property
    def _dual_coef_(self) -> Any:
        """Coefficients with LIBSVM's signs: for two classes it counts the first as positive."""
        return -self.dual_coef_ if len(self.classes_) == 2 else self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, value: Any) -> None:
        self.dual_coef_ = -value if len(self.classes_) == 2 else value

    @property
    def _intercept_(self) -> NDArray[np.float64]:
        """Offsets with LIBSVM's signs."""
        return -self.intercept_ if len(self.classes_) == 2 else self.intercept_

    @_intercept_.setter
    def _intercept_(self, value: NDArray[np.float64]) -> None:
        self.intercept_ = -value if len(self.classes_) == 2 else value

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "dual_coef_" in state:
            state["dual_coef_"] = pack(state["dual_coef_"])
            state["_rows"] = self._rows.value
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "dual_coef_" in state:
            state = {**state, "dual_coef_": unpack(state["dual_coef_"]), "_rows": RowKind(state["_rows"])}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise
        return tags
