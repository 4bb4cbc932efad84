"""Scales of features: a warning if they differ much, an error if they overflow."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.errors import FeatureScaleWarning, InvalidInput
from maxmargin.kernels._linear_rows import as_features

__all__ = ["Moments", "feature_scale_warning", "moments_of"]

_LARGEST_RATIO = 1e4
_CANCELLED = 1e-6  # variance, as a part of the squared mean


def feature_scale_warning(X: Any, model: str, *, stacklevel: int = 2, features: _core.Features | None = None) -> Moments:
    """Warn, once a call, when standard deviations of features differ by more than a factor of 10⁴.

    Distances and inner products then belong to the large features alone. Constant features do not count.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Validated rows.
    model : str
        Who is fitted: named in the advice.
    stacklevel : int
        As in :func:`warnings.warn`, counted from the caller.
    features : Features, optional
        The rows as the core takes them, if somebody has them already.

    Returns
    -------
    Moments
        Which `Kernel.bind` needs too.

    Raises
    ------
    InvalidInput
        Features are so large that their squares overflow, and so would the kernel.
    """
    moments = moments_of(X, features)
    advice = f"make_pipeline({'MaxAbsScaler' if sparse.issparse(X) else 'StandardScaler'}(), {model}())"
    warn_of_scales(moments, advice, stacklevel=stacklevel + 1)
    return moments


def warn_of_scales(moments: Moments, advice: str, *, stacklevel: int = 2) -> None:
    """The same for moments that are known; ``advice`` is how to scale the features."""
    # not min and max: they take twice as long on a short array
    least = np.minimum.reduce(moments.variance, initial=math.inf)
    most = np.maximum.reduce(moments.variance, initial=0.0)
    if least == 0.0 < most:
        least = moments.variance[moments.variance != 0.0].min()  # or NaN
    if most == 0.0 or most <= _LARGEST_RATIO**2 * least < math.inf:
        return
    spread = np.sqrt(moments.variance)
    if not np.isfinite(spread).all():
        raise InvalidInput(
            "The dual coefficients or intercepts are not finite: the squares of feature"
            f" {np.flatnonzero(~np.isfinite(spread))[0]} overflow. The input data may contain large values"
            " and need to be preprocessed, for example by StandardScaler."
        )
    varying = np.flatnonzero(spread)
    small = varying[spread[varying].argmin()]
    large = varying[spread[varying].argmax()]
    warnings.warn(
        f"Features differ in scale by a factor of {spread[large] / spread[small]:.1e}: the standard deviation"
        f" of feature {large} is {spread[large]:.3g}, that of feature {small} is {spread[small]:.3g}, and the"
        " small ones hardly count. Scale the features first, for example with"
        f" {advice}.",
        FeatureScaleWarning,
        stacklevel=stacklevel + 1,
    )


@final
class Moments(NamedTuple):
    """Mean and variance of each column, with equal weights.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels._scale import moments_of
    >>> moments_of(np.array([[0.0, 1.0], [2.0, 1.0]])).variance
    array([1., 0.])
    """

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    @property
    def of_all_entries(self) -> float:
        """Variance of all entries."""
        d = len(self.mean)
        off = self.mean - self.mean.sum() / d
        return float(self.variance.sum() + (off * off).sum()) / d


def moments_of(X: Any, features: _core.Features | None = None) -> Moments:
    """Moments of rows in one pass; the variance of a constant column of a dense X is exactly 0."""
    found = _core.column_moments(as_features(X) if features is None else features)
    mean, variance = found.mean, found.variance
    if not sparse.issparse(X):
        return Moments(mean + X[0], variance)
    with np.errstate(over="ignore"):
        cancelled = (variance <= _CANCELLED * np.square(mean)) & (mean != 0.0)
    if cancelled.any():  # the difference of two squares has lost its digits
        held = int(X.indptr[-1])
        exact = _core.exact_variances(X.indices[:held], X.data[:held], X.shape[0], mean, cancelled)
        variance = np.where(cancelled, exact, variance)
    return Moments(mean, variance)
