"""Random Fourier features of kernels of a difference."""

from __future__ import annotations

import math
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_random_state, validate_data

from maxmargin._blas import one_blas_thread
from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.errors import InvalidInput
from maxmargin.feature_maps._errors import ApproximationError, measured, sample_of
from maxmargin.kernels import FeatureKernel, Kernel, as_kernel, write_harmonics
from maxmargin.validation import (
    FLOATS,
    as_invalid_input,
    canonical,
    check_boolean,
    check_fraction,
    check_integer,
    check_random_seed,
    converted,
    length,
    take_rows,
)

__all__ = ["RandomFourier"]

_AT_ONCE: Final = 1 << 20  # products
_KINDS: Final = ("laplacian", "matern", "rbf")


@final
class RandomFourier(Documented, Versioned, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Cosines and sines of random frequencies, whose inner products have the kernel as their mean.

        φ(x) = √(1/p) (cos⟨ω_1, x⟩, …, cos⟨ω_p, x⟩, sin⟨ω_1, x⟩, …, sin⟨ω_p, x⟩),   ω ~ the spectrum of k,  2p features

    ``⟨φ(u), φ(v)⟩`` is the mean of ``cos⟨ω_j, u − v⟩``, and 1 for u = v. The spectrum of the Gaussian kernel is normal, that of
    the Laplacian kernel Cauchy's in each feature, that of Matérn's kernel a t distribution of 2ν degrees of freedom.
    ``orthogonal`` makes the frequencies orthogonal within groups of as many as there are features, with the same distribution
    of each: the variance is smaller then.

    Parameters
    ----------
    n_components : int, default=100
        How many features: each frequency has a cosine and a sine. The last of an odd number is a cosine with a random phase.
    kernel : {"rbf", "laplacian", "matern"} or kernel object, default="rbf"
        A kernel object is an `RBF`, `Laplacian` or `Matern` of `maxmargin.kernels`.
    gamma : "scale", "auto" or float, default="scale"
        As in `SVC`; for a kernel named by a string.
    orthogonal : bool, default=False
        Whether frequencies are orthogonal; not for the Laplacian kernel, whose spectrum has corners.
    random_state : int, RandomState instance or None, default=None
        Draws the frequencies.

    Attributes
    ----------
    frequencies_ : ndarray of shape (p, n_features)
        ω, half as many as there are features.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Rahimi and Recht, Random features for large-scale kernel machines, NeurIPS 2007.

    Yu, Suresh, Choromanski, Holtmann-Rice and Kumar, Orthogonal random features, NeurIPS 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.feature_maps import RandomFourier
    >>> from maxmargin.kernels import RBF
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> Z = RandomFourier(n_components=4000, gamma=0.2, random_state=0).fit_transform(X)
    >>> bool(np.abs(Z @ Z.T - RBF(gamma=0.2)(X)).max() < 0.1)
    True
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        orthogonal: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.orthogonal = orthogonal
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw frequencies.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows: how many features they have, and their variance for ``gamma="scale"``.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        RandomFourier
            The map itself.
        """
        with WholeOrNothing(self):
            count = check_integer("n_components", self.n_components, "RandomFourier", 1)
            orthogonal = check_boolean("orthogonal", self.orthogonal, "RandomFourier")
            check_random_seed(self.random_state, "RandomFourier")
            kernel = self._kernel_object()
            rows = self._rows(X, reset=True)
            bound = kernel.bind(rows)
            assert isinstance(bound, FeatureKernel)
            if orthogonal and bound.kind == "laplacian":
                raise InvalidInput(
                    "orthogonal=True needs a spectrum that is the same in all directions, and that of Laplacian is not. Set"
                    " orthogonal=False, or take kernel=Matern(nu=0.5)."
                )
            random = check_random_state(self.random_state)
            self._bound = bound
            p = -(-count // 2)
            self.frequencies_ = _drawn(bound, p, rows.shape[1], orthogonal, random)
            self._phase = float(random.uniform(0.0, 2.0 * math.pi)) if count % 2 else None
            self._n_features_out = count
            group = rows.shape[1] if orthogonal else 1
            self._groups = [min(group, p - begin) for begin in range(0, p, group)]
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """``φ(x)`` of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_components)
            float32 for rows of float32, else float64; computed in float64 and rounded once.
        """
        check_is_fitted(self)
        return self._features(self._rows(X, reset=False))

    def error_bound(self, n: int, delta: float = 0.05, *, kernel_norm: float | None = None) -> tuple[float, float]:
        """Bounds of the Frobenius and of the spectral norm of ``K − ΦΦᵀ`` for any n rows, each with probability ``1 − δ``.

        Frequencies are in groups: single ones, or orthogonal ones. With s the sum of the squared shares of the groups, 1/p for
        single ones, the first is ``√s (√(n(n − 1)) + n √ln(1/δ))``: its mean, and what changing one group can change
        (McDiarmid). The second is Bernstein's inequality for matrices (Tropp 2012) with variance ``s n |K|``, or the first if
        that is smaller.

        Parameters
        ----------
        n : int
            How many rows.
        delta : float, default=0.05
            δ, between 0 and 1.
        kernel_norm : float, optional
            The largest eigenvalue of K, or a bound of it; by default n.

        Returns
        -------
        tuple of two floats
        """
        check_is_fitted(self)
        n = check_integer("n", n, "error_bound", 1)
        delta = check_fraction("delta", delta, "error_bound")
        shares = 2.0 * np.array(self._groups) / self._n_features_out
        s, largest = float(np.square(shares).sum()), float(shares.max()) * n
        entries = n * (n - 1.0) if self._phase is None else float(n) * n  # the others are exact
        frobenius = math.sqrt(s) * (math.sqrt(entries) + n * math.sqrt(math.log(1.0 / delta)))
        norm = float(n) if kernel_norm is None else min(float(n), kernel_norm)
        log = math.log(2.0 * n / delta)
        third = largest * log / 3.0
        spectral = third + math.sqrt(third * third + 2.0 * s * n * norm * log)
        return frobenius, min(frobenius, spectral)

    def approximation_error(
        self, X: Any, rows: int | None = 1000, random_state: Any = 0, delta: float = 0.05
    ) -> ApproximationError:
        """``K − ΦΦᵀ`` on some rows of X, in the Frobenius and the spectral norm, beside the bounds of `error_bound`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        rows : int or None, default=1000
            How many rows are drawn; None for all. Memory and time grow with the square of it, and time with its cube.
        random_state : int, RandomState instance or None, default=0
            Draws the rows.
        delta : float, default=0.05
            Each bound holds with probability ``1 − δ``.

        Returns
        -------
        ApproximationError
        """
        check_is_fitted(self)
        check_random_seed(random_state, "approximation_error")
        given = self._rows(X, reset=False)
        part = take_rows(given, sample_of(length(given), rows, check_random_state(random_state), "approximation_error"))
        K = self._bound.cross(part, part)
        with one_blas_thread():
            norm = float(linalg.eigvalsh(K)[-1])
        return measured(K, self._features(part, np.float64), self.error_bound(len(K), delta, kernel_norm=norm))

    def _features(self, rows: Any, dtype: Any = None) -> NDArray[Any]:
        p, count = len(self.frequencies_), self._n_features_out
        found = np.empty((length(rows), count), dtype=rows.dtype if dtype is None else dtype)
        height, scale = max(1, _AT_ONCE // p), math.sqrt(2.0 / count)
        linear = FeatureKernel("linear")
        for begin in range(0, len(found), height):
            angles = linear.cross(rows[begin : begin + height], self.frequencies_)
            if self._phase is not None:
                angles[:, -1] += self._phase
            if not write_harmonics(angles, scale, found[begin : begin + height]):
                raise InvalidInput(
                    "Products of rows and frequencies overflow. Scale X, for example with StandardScaler, or choose other"
                    " kernel parameters."
                )
        return found

    def _kernel_object(self) -> Kernel:
        kernel = as_kernel(self.kernel, gamma=self.gamma, owner="RandomFourier", stacklevel=4)
        if type(kernel).__name__.lower() not in _KINDS or kernel.input_kind != "vectors":
            raise InvalidInput(
                f"RandomFourier knows the spectra of RBF, Laplacian and Matern. Got kernel={self.kernel!r}. Nystroem takes any"
                " kernel."
            )
        return kernel

    def _rows(self, X: Any, *, reset: bool) -> Any:
        with as_invalid_input():
            return canonical(validate_data(self, converted(X), accept_sparse="csr", dtype=FLOATS, order="C", reset=reset))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _drawn(kernel: FeatureKernel, p: int, d: int, orthogonal: bool, random: np.random.RandomState) -> NDArray[np.float64]:
    """p frequencies of d features."""
    gamma = 1.0 if kernel.gamma is None else kernel.gamma
    if kernel.kind == "laplacian":
        return np.asarray(gamma * random.standard_cauchy((p, d)))
    normal = _orthogonal(p, d, random) if orthogonal else random.standard_normal((p, d))
    if kernel.kind == "rbf":
        return np.asarray(math.sqrt(2.0 * gamma) * normal)
    freedom = 2 * kernel.degree + 1  # 2ν, and gamma is √(2ν)/l
    return np.asarray(gamma * normal / np.sqrt(random.chisquare(freedom, (p, 1))))


def _orthogonal(p: int, d: int, random: np.random.RandomState) -> NDArray[np.float64]:
    """Normal vectors, orthogonal in groups of d: directions of a random rotation with independent lengths."""
    groups = []
    with one_blas_thread():
        for _ in range(-(-p // d)):
            turn, upper = linalg.qr(random.standard_normal((d, d)))
            groups.append((turn * np.where(np.diagonal(upper) < 0.0, -1.0, 1.0)).T)
    lengths = np.sqrt(random.chisquare(d, (p, 1)))
    return np.ascontiguousarray(np.concatenate(groups)[:p] * lengths)
