"""Nyström's features: kernel values against landmarks."""

from __future__ import annotations

from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.errors import InvalidInput
from maxmargin.feature_maps._errors import ApproximationError, measured, sample_of
from maxmargin.feature_maps._landmark_map import LandmarkMap, landmark_map
from maxmargin.feature_maps._landmarks import LANDMARKS
from maxmargin.kernels import as_kernel, takes_matrix
from maxmargin.validation import (
    FLOATS,
    as_invalid_input,
    canonical,
    check_integer,
    check_option,
    check_random_seed,
    check_share,
    converted,
    length,
    object_rows,
    refuse_sparse_kernel,
    require_square,
    take_rows,
    takes_objects,
)

__all__ = ["Nystroem"]


@final
class Nystroem(Documented, Versioned, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Features whose inner products are nearly the values of any kernel, from its values against landmarks.

        φ(x) = Λ^(−½) Uᵀ (k(z_1, x), …, k(z_m, x)),   K_ZZ = U Λ Uᵀ

    φ(x) are coordinates of the projection of x, in the space of the kernel, on what the landmarks z span. So
    ``K − ΦΦᵀ`` is positive semidefinite, values between landmarks are exact, and no norm of the error is larger than its trace,
    ``Σ (k(x, x) − |φ(x)|²)``, which `error_bound` computes. Eigenvalues up to ``rank_tol`` of the largest are left out: there
    are as many features as ``K_ZZ`` has others.

    Parameters
    ----------
    n_components : int, default=100
        How many landmarks, at most as many as there are rows.
    kernel : str, kernel object or callable, default="rbf"
        A name, an object of `maxmargin.kernels`, those of strings, graphs and other objects too, or a function of two blocks of
        rows. "precomputed": X is the square kernel matrix for `fit`, and values against its rows for `transform`.
    gamma : "scale", "auto" or float, default="scale"
        As in `SVC`; for a kernel named by a string.
    coef0 : float, default=0.0
        The same.
    degree : int, default=3
        The same.
    landmarks : {"uniform", "kmeans", "leverage"}, default="uniform"
        Rows drawn with the same chance; means of rows that are near each other, for feature vectors (Zhang, Tsang and Kwok
        2008); or rows drawn by approximate ridge leverage scores (Musco and Musco 2017), which finds small groups of rows
        that are unlike all others.
    rank_tol : float, default=1e-10
        Eigenvalues of ``K_ZZ`` up to this part of the largest are taken for 0.
    random_state : int, RandomState instance or None, default=None
        Draws the landmarks.

    Attributes
    ----------
    landmarks_ : ndarray, sparse matrix or list
        The landmarks; for a precomputed kernel the numbers of their rows.
    component_indices_ : ndarray of shape (n_landmarks,) or None
        Which rows they are, ascending; None for means.
    projection_ : ndarray of shape (rank, n_landmarks)
        ``Λ^(−½) Uᵀ``, from the largest eigenvalue on.
    eigenvalues_ : ndarray of shape (n_landmarks,)
        All eigenvalues of ``K_ZZ``, from the largest on.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Williams and Seeger, Using the Nyström method to speed up kernel machines, NeurIPS 2000.

    Zhang, Tsang and Kwok, Improved Nyström low-rank approximation and error analysis, ICML 2008.

    Musco and Musco, Recursive sampling for the Nyström method, NeurIPS 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.feature_maps import Nystroem
    >>> from maxmargin.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> map = Nystroem(n_components=60, gamma=0.5, random_state=0).fit(X)
    >>> Z = map.transform(X)
    >>> bool(np.abs(Z @ Z.T - RBF(gamma=0.5)(X)).mean() < 0.002)
    True

    Strings, by their common pieces:

    >>> from maxmargin.kernels import Spectrum
    >>> words = ["banana", "bandana", "cabana", "ananas"]
    >>> Nystroem(n_components=2, kernel=Spectrum(2), random_state=0).fit_transform(words).shape
    (4, 2)
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        coef0: float = 0.0,
        degree: int = 3,
        landmarks: Literal["uniform", "kmeans", "leverage"] = "uniform",
        rank_tol: float = 1e-10,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.landmarks = landmarks
        self.rank_tol = rank_tol
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose landmarks.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Rows.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        Nystroem
            The map itself.
        """
        with WholeOrNothing(self):
            count = check_integer("n_components", self.n_components, "Nystroem", 1)
            check_option("landmarks", self.landmarks, "Nystroem", LANDMARKS)
            tolerance = check_share("rank_tol", self.rank_tol, "Nystroem")
            check_random_seed(self.random_state, "Nystroem")
            kernel = as_kernel(
                self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree, owner="Nystroem", stacklevel=3
            )
            self._objects = takes_objects(kernel.input_kind, X)
            rows = self._rows(X, kernel.input_kind == "precomputed", reset=True)
            random = check_random_state(self.random_state)
            bound = kernel.bind(rows)
            self._map = landmark_map(bound, rows, count, self.landmarks, random, rank_tol=tolerance, stacklevel=3)
            self._n_features_out = self._map.rank
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """``φ(x)`` of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows.

        Returns
        -------
        ndarray of shape (m, number of features of the map)
            float32 for rows of float32, else float64; computed in float64 and rounded once.
        """
        check_is_fitted(self)
        rows = self._rows(X, self._map.kernel.is_precomputed, reset=False)
        return self._map.features(rows, getattr(rows, "dtype", np.dtype(np.float64)) if not self._objects else np.float64)

    def error_bound(self, X: Any) -> float:
        """``Σ (k(x, x) − |φ(x)|²)`` over all rows of X: no norm of ``K − ΦΦᵀ`` is larger, as it is positive semidefinite.

        It takes as long as `transform`; the exact error takes the square of the number of rows.

        Parameters
        ----------
        X : rows
            As in `transform`; for a precomputed kernel the matrix of `fit`.

        Returns
        -------
        float
        """
        check_is_fitted(self)
        rows = self._rows(X, self._map.kernel.is_precomputed, reset=False)
        return float(self._map.missing(rows, self._diagonal(rows)).sum())

    def approximation_error(self, X: Any, rows: int | None = 1000, random_state: Any = 0) -> ApproximationError:
        """``K − ΦΦᵀ`` on some rows of X, in the Frobenius and the spectral norm, beside its bound on these rows.

        Parameters
        ----------
        X : rows
            As in `error_bound`.
        rows : int or None, default=1000
            How many rows are drawn; None for all. Memory and time grow with the square of it, and time with its cube.
        random_state : int, RandomState instance or None, default=0
            Draws the rows.

        Returns
        -------
        ApproximationError
        """
        check_is_fitted(self)
        check_random_seed(random_state, "approximation_error")
        map, given = self._map, self._rows(X, self._map.kernel.is_precomputed, reset=False)
        some = sample_of(length(given), rows, check_random_state(random_state), "approximation_error")
        part = take_rows(given, some)
        own = self._diagonal(given)[some]
        K = part[:, some].astype(np.float64) if map.kernel.is_precomputed else map.kernel.cross(part, part)
        bound = float(map.missing(part, own).sum())
        return measured(K, map.features(part), (bound, bound))

    @property
    def landmarks_(self) -> Any:
        """The landmarks."""
        return self._fitted("landmarks_").landmarks

    @property
    def component_indices_(self) -> NDArray[np.intp] | None:
        """Which rows they are."""
        return self._fitted("component_indices_").rows

    @property
    def projection_(self) -> NDArray[np.float64]:
        """``Λ^(−½) Uᵀ``."""
        return self._fitted("projection_").projection

    @property
    def eigenvalues_(self) -> NDArray[np.float64]:
        """All eigenvalues of ``K_ZZ``."""
        return self._fitted("eigenvalues_").eigenvalues

    def _fitted(self, name: str) -> LandmarkMap:
        found: LandmarkMap | None = vars(self).get("_map")
        if found is None:
            raise AttributeError(f"Nystroem has no {name} before fit.")
        return found

    def _diagonal(self, rows: Any) -> NDArray[np.float64]:
        if not self._map.kernel.is_precomputed:
            return self._map.kernel.diagonal(rows)
        if rows.shape[0] != rows.shape[1]:
            raise InvalidInput(
                f"The error of a precomputed kernel needs its square matrix. Got shape {rows.shape}. Pass the X of fit."
            )
        return np.diagonal(rows).astype(np.float64)

    def _rows(self, X: Any, pairwise: bool, *, reset: bool) -> Any:
        if self._objects:
            if reset:
                for stale in {"n_features_in_", "feature_names_in_"} & vars(self).keys():
                    delattr(self, stale)
            return object_rows(X)
        if pairwise:
            refuse_sparse_kernel(X)
        with as_invalid_input():
            rows = validate_data(self, converted(X), accept_sparse="csr", dtype=FLOATS, order="C", reset=reset)
        if pairwise and reset:
            require_square(rows)
        return canonical(rows)

    def __sklearn_is_fitted__(self) -> bool:
        return "_map" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not takes_matrix(self.kernel)
        tags.input_tags.pairwise = takes_matrix(self.kernel)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
