"""Principal components in the space of a kernel, with scikit-learn's interface."""

from __future__ import annotations

from functools import partial
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from maxmargin._blas import one_blas_thread
from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._components import METHODS, Centred, Request, components
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.estimators._shared._input import checked_rows, training_rows
from maxmargin.estimators._shared._parameters import check_random_state
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.kernels import (
    BoundKernel,
    Kernel,
    Linear,
    UserFunction,
    as_kernel,
    check_degree,
    check_unused,
    takes_matrix,
    used_parameters,
)
from maxmargin.validation import (
    canonical,
    check_boolean,
    check_integer,
    check_non_negative,
    check_option,
    check_real,
    feature_matrix,
    length,
    object_rows,
    reject,
)

__all__ = ["KernelPCA"]

_DEFAULTS = {"gamma": None, "degree": 3, "coef0": 1}


@final
class KernelPCA(CallbackSupport, Summarised, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Kernel principal component analysis: the directions in which the rows ``φ(x_i)`` vary the most.

    With the centred Gram matrix ``K̃ = (I − 11ᵀ/n) K (I − 11ᵀ/n)`` and its eigenpairs ``K̃ v_k = λ_k v_k``, row x has the
    coordinates

        z_k(x) = Σ_i v_ik / √λ_k  k̃(x, x_i),   z_k(x_i) = √λ_k v_ik

    It is a drop-in replacement for scikit-learn's ``KernelPCA``, up to the sign of components. With many rows, block Lanczos
    finds the requested components from products with K. K is never centred explicitly, and is not stored if it needs more than
    1 GB. The result has the same bits for any number of threads.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components; None for all with a positive eigenvalue.
    kernel : str, kernel object or callable, default="linear"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`, whose parameters a grid search can set
        (``kernel__gamma``); or a function of two blocks of rows that returns their kernel values, for rows of any kind.
    gamma : float, "scale", "auto" or None, default=None
        Factor of the poly, rbf and sigmoid kernels: "scale" is 1 / (n_features · variance of X); "auto" and None are
        1 / n_features. Like degree and coef0, it applies only to a kernel named by a string.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1
        Constant of the poly and sigmoid kernels.
    kernel_params : dict or None, default=None
        Keyword arguments for a kernel function; only for functions.
    alpha : float, default=1.0
        Ridge of the regression that learns the inverse transform.
    fit_inverse_transform : bool, default=False
        Whether to learn an inverse transform: ridge regression of X on the components, with the same kernel (Bakır, Weston and
        Schölkopf 2004).
    eigen_solver : {"auto", "dense", "lanczos", "arpack", "randomized"}, default="auto"
        "dense" computes all eigenvalues, in O(n³). "lanczos" is block Lanczos with restarts, "arpack" scipy's Lanczos with a
        single vector. "randomized" is subspace iteration, which runs a fixed number of rounds whatever the accuracy. "auto" is
        "lanczos" for more than 300 rows with at least 40 rows per component, else "dense".
    tol : float, default=0
        For "lanczos" and "arpack": largest residual ``|K̃v − λv|``, relative to the largest eigenvalue (to λ itself for ARPACK);
        0 for rounding accuracy.
    max_iter : int or None, default=None
        For "lanczos" and "arpack": largest number of rounds; None for 1 000, or ARPACK's own limit.
    iterated_power : int or "auto", default="auto"
        For "randomized": number of power iterations; "auto" is 7 for few components, else 4.
    remove_zero_eig : bool, default=False
        Whether to remove components whose eigenvalue is 0.
    random_state : int, RandomState or None, default=None
        Seed of the starting vectors; None is 0.
    copy_X : bool, default=True
        Whether to keep a copy of X. If False, X must not change while the model is used.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        λ, the largest first.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        v in columns, of length 1; the largest entry of each is positive.
    gamma_ : float or None
        γ of the kernel; None for a kernel that has none.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the inverse transform; only if ``fit_inverse_transform``.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The components of the training rows; only if ``fit_inverse_transform``.
    X_fit_ : {ndarray, sparse matrix} of shape (n_samples, n_features), or sequence
        The training rows.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Schölkopf, Smola and Müller, Nonlinear component analysis as a kernel eigenvalue problem, Neural Computation 10, 1998.

    Examples
    --------
    Two concentric circles: the first component of a Gaussian kernel separates them.

    >>> import numpy as np
    >>> from maxmargin import KernelPCA
    >>> turn = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
    >>> X = np.vstack([r * np.column_stack([np.cos(turn), np.sin(turn)]) for r in (0.3, 1.0)])
    >>> Z = KernelPCA(n_components=3, kernel="rbf", gamma=4.0).fit_transform(X)
    >>> inner, outer = Z[:40, 0], Z[40:, 0]
    >>> Z.shape, bool(inner.max() < outer.min() or outer.max() < inner.min())
    ((80, 3), True)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components of X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Rows; the Gram matrix for a precomputed kernel.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        KernelPCA
            The fitted model itself.
        """
        with Fitting(self, X, y) as stages:
            _check(self)
            kernel = _kernel_of(self)
            X, kind = training_rows(self, kernel, X)
            if self.fit_inverse_transform and kind is not RowKind.DENSE:
                raise InvalidInput(
                    f"The way back to the features needs dense rows of features. Got {kind.value} rows and"
                    " fit_inverse_transform=True. Pass dense rows, or set fit_inverse_transform=False."
                )
            bound = kernel.bind(X)
            if kind is RowKind.PAIRWISE:
                bound.gram(X)  # refuses a matrix that is not symmetric
            stages.end("validation")
            K = Centred(bound, X)
            count = K.n if self.n_components is None else min(K.n, int(self.n_components))
            values, vectors = components(
                K, Request(count, self.eigen_solver, float(self.tol), self.max_iter, self.iterated_power, self.random_state)
            )
            if self.remove_zero_eig or self.n_components is None:
                values, vectors = values[values > 0.0], np.ascontiguousarray(vectors[:, values > 0.0])
            self._kernel, self._rows, self._means = bound, kind, K.means()
            self.gamma_ = bound.gamma
            self.eigenvalues_, self.eigenvectors_ = values, vectors
            self.X_fit_ = _copied(X) if self.copy_X else X
            for stale in {"dual_coef_", "X_transformed_fit_"} & vars(self).keys():
                delattr(self, stale)
            if self.fit_inverse_transform:
                self.X_transformed_fit_ = vectors * np.sqrt(values)
                self.dual_coef_ = _ridge(bound, self.X_transformed_fit_, X, float(self.alpha))
            stages.end("solve")
        return self

    def _formula(self) -> Formula:
        return [
            ("formulation", "kernel principal component analysis"),
            ("formula", "K̃ v_k = λ_k v_k with the centred Gram matrix K̃"),
            ("components", str(len(self.eigenvalues_))),
        ]

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Find the components of X, and transform X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Rows; the Gram matrix for a precomputed kernel.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        self.fit(X)
        return np.asarray(self.eigenvectors_ * np.sqrt(self.eigenvalues_))

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Coordinates of rows along the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        check_is_fitted(self)
        rows, means, values, vectors = _fitted(self)
        new = object_rows(X) if self._rows is RowKind.OBJECTS else canonical(checked_rows(self, X, reset=False))
        if self._rows is RowKind.DENSE and sparse.issparse(new):
            raise InvalidInput("cannot use sparse input in 'KernelPCA' trained on dense data. Pass X.toarray().")
        if self._rows is RowKind.SPARSE and not sparse.issparse(new):
            new = type(rows)(new)
        with np.errstate(divide="ignore"):
            scaled = np.where(values > 0.0, vectors / np.sqrt(values), 0.0)
        # Centring K from the right is centring the coefficients: then the means of the new rows drop out.
        held = np.ascontiguousarray((scaled - scaled.mean(axis=0)).T)
        if self._rows is RowKind.PAIRWISE:
            found = Linear().bind(new).cross(held, np.ascontiguousarray(new, dtype=np.float64))
        else:
            found = self._kernel.weighted_sums(new, rows, held, (0, length(rows)))[0]
        return np.ascontiguousarray((found - (held * means).sum(axis=1)[:, np.newaxis]).T)

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Map coordinates back to approximate feature rows, by the ridge regression learnt in `fit`.

        Parameters
        ----------
        X : array-like of shape (m, n_components)
            Coordinates along the components.

        Returns
        -------
        ndarray of shape (m, n_features)
        """
        check_is_fitted(self)
        if "dual_coef_" not in vars(self):
            raise NotFittedError(
                "The inverse transform was not learnt. Set fit_inverse_transform=True and fit this KernelPCA again."
            )
        Z = feature_matrix(X)
        known = self.X_transformed_fit_
        if sparse.issparse(Z) or Z.shape[1] != known.shape[1]:
            raise InvalidInput(
                f"inverse_transform takes dense rows of {known.shape[1]} components. Got shape {Z.shape}."
                " Pass what transform gives."
            )
        held = np.ascontiguousarray(self.dual_coef_.T)
        return np.ascontiguousarray(self._kernel.weighted_sums(Z, known, held, (0, len(known)))[0].T)

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = takes_matrix(self.kernel)
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise and not self.fit_inverse_transform
        return tags


def _check(model: KernelPCA) -> None:
    owner = "KernelPCA"
    if model.n_components is not None:
        check_integer("n_components", model.n_components, owner, 1)
    if not (model.gamma is None or isinstance(model.gamma, str)):
        check_non_negative("gamma", model.gamma, owner)
    elif model.gamma not in (None, "auto", "scale"):
        raise reject("gamma", model.gamma, owner, "a str among {'auto', 'scale'}, a float in the range [0.0, inf) or None")
    check_degree(model.degree, owner)
    check_real("coef0", model.coef0, owner)
    check_non_negative("alpha", model.alpha, owner)
    check_boolean("fit_inverse_transform", model.fit_inverse_transform, owner)
    check_option("eigen_solver", model.eigen_solver, owner, METHODS)
    check_non_negative("tol", model.tol, owner)
    if model.max_iter is not None:
        check_integer("max_iter", model.max_iter, owner, 1)
    if not (isinstance(model.iterated_power, str) and model.iterated_power == "auto"):
        check_integer("iterated_power", model.iterated_power, owner, 0)
    check_boolean("remove_zero_eig", model.remove_zero_eig, owner)
    check_random_state(model.random_state, owner)
    check_boolean("copy_X", model.copy_X, owner)
    if model.kernel_params is not None and not isinstance(model.kernel_params, dict):
        raise reject("kernel_params", model.kernel_params, owner, "an instance of 'dict' or None")
    if model.kernel_params and (isinstance(model.kernel, Kernel | str) or not callable(model.kernel)):
        raise InvalidInput(
            f"The 'kernel_params' parameter of KernelPCA is for kernel functions. Got {model.kernel_params!r} beside"
            f" kernel={model.kernel!r}. Set gamma, degree and coef0, or the parameters of the kernel object."
        )


def _kernel_of(model: KernelPCA) -> Kernel:
    """The kernel object that the parameters describe."""
    given = {name: getattr(model, name) for name in _DEFAULTS}
    check_unused(model.kernel, given, _DEFAULTS, "KernelPCA", stacklevel=4)
    if isinstance(model.kernel, Kernel):
        return model.kernel
    if callable(model.kernel) and not isinstance(model.kernel, type):
        return UserFunction(partial(model.kernel, **model.kernel_params) if model.kernel_params else model.kernel)
    given["gamma"] = "auto" if model.gamma is None else model.gamma
    return as_kernel(model.kernel, **used_parameters(model.kernel, given), owner="KernelPCA")


def _copied(X: Any) -> Any:
    return X.copy() if isinstance(X, np.ndarray) or sparse.issparse(X) else list(X)


def _ridge(kernel: BoundKernel, Z: NDArray[np.float64], X: NDArray[Any], alpha: float) -> NDArray[np.float64]:
    """``(K + α I)⁻¹ X`` for the kernel values K of the components Z."""
    K = kernel.cross(Z, Z)
    K[np.diag_indices_from(K)] += alpha
    try:
        with one_blas_thread():
            factor = linalg.cho_factor(K, lower=True, overwrite_a=True)
            return np.ascontiguousarray(linalg.cho_solve(factor, np.asarray(X, dtype=np.float64)))
    except linalg.LinAlgError as fault:
        raise InvalidInput(
            f"The inverse transform cannot be learnt with alpha={alpha:g}: the kernel matrix of the components is not positive"
            " definite. Raise alpha."
        ) from fault


def _fitted(model: KernelPCA) -> tuple[Any, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Rows, means, eigenvalues and eigenvectors, known to belong together: they may have been edited."""
    rows = model.X_fit_ if model._rows is RowKind.OBJECTS else feature_matrix(model.X_fit_)
    n = length(rows)
    means, values, vectors = (
        np.asarray(each, dtype=np.float64) for each in (model._means, model.eigenvalues_, model.eigenvectors_)
    )
    sound = values.ndim == 1 and means.shape == (n,) and vectors.shape == (n, len(values)) and bool((values >= 0.0).all())
    if not sound or not isinstance(model._kernel, BoundKernel):
        raise InvalidInput(
            f"The internal representation of KernelPCA was altered: {n} rows, eigenvalues of shape {values.shape},"
            f" eigenvectors of shape {vectors.shape}. Fit it again."
        )
    return rows, means, values, vectors
