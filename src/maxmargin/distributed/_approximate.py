"""Support vector classification on landmarks, on Dask."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from maxmargin.distributed._estimator import DaskClassifier
from maxmargin.distributed._passes import DaskPasses
from maxmargin.distributed._twins import like_twin
from maxmargin.estimators import ApproximateSVC, fit_approximate_elsewhere

__all__ = ["DaskApproximateSVC"]


@final
@like_twin(ApproximateSVC, without=("auto_scores_", "warm_start"))
class DaskApproximateSVC(DaskClassifier):
    """`ApproximateSVC` for rows on a cluster: a kernel's model on landmarks, with the same certificate.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b

    for rows in the blocks of a dask array or frame, where φ are Nyström's features: ``⟨φ(x), φ(z)⟩ ≈ k(x, z)``. Landmarks are
    chosen here among some 20 000 rows, evenly spaced, which are gathered for it. The features of a block are made anew in each
    pass, by the task that needs them, and are never stored or sent. How it goes over the blocks is told in `DaskLinearSVC`.

    Parameters
    ----------
    n_components : int, default=300
        How many landmarks, at most as many as there are rows to choose among.
    kernel : str, kernel object or callable, default="rbf"
        As of `ApproximateSVC`, but for "precomputed" and kernels of objects that are no vectors. A callable must be one that
        can be pickled.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from maxmargin.distributed import DaskApproximateSVC
    >>> client = Client(n_workers=1, processes=False, dashboard_address=":0")
    >>> X = da.random.default_rng(0).normal(size=(2000, 2), chunks=(500, 2)).persist()
    >>> y = (X**2).sum(axis=1) > 1.5
    >>> model = DaskApproximateSVC(n_components=50, random_state=0).fit(X, y)
    >>> model.status_.name, model.score(X, y) > 0.97
    ('CONVERGED', True)
    >>> client.close()
    """

    def _fit_local(self, local: Any, passes: DaskPasses) -> None:
        fit_approximate_elsewhere(local, passes, stacklevel=4)

    def _values_dtype(self, X: Any) -> Any:
        return np.dtype(np.float64)
