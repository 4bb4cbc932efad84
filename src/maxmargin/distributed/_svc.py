"""Linear support vector classification on Dask."""

from __future__ import annotations

from typing import Any, final

from maxmargin.distributed._estimator import DaskClassifier
from maxmargin.distributed._lazy import values_dtype
from maxmargin.distributed._twins import like_twin
from maxmargin.estimators import LinearSVC

__all__ = ["DaskLinearSVC"]


@final
@like_twin(LinearSVC)
class DaskLinearSVC(DaskClassifier):
    """`LinearSVC` for rows on a cluster: the same optimum, with the same certificate.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i f(x_i)),   f(x) = ⟨w, x⟩ + b

    for rows in the blocks of a dask array or frame, with one binary classifier for each class where there are more than two.
    Each round is a pass over all blocks by plain tasks of Dask: what a task computes depends on its block and on the rounds
    before, and sums are made along a fixed binary tree over block numbers. So a worker may be lost at any time, and the same
    blocks give the same bits on any number of workers, which are those of ``LinearSVC`` with `RowBlocks`.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        The penalty on large weights, ``½ ‖w‖²`` or ``|w|₁``; the hinge has the first only.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss of a row. The hinge takes several times as many passes.
    multi_class : {"ovr"}, default="ovr"
        A binary classifier for each class against the rest.
    solver : {"auto", "newton"}, default="auto"
        Which solver to use.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from maxmargin.distributed import DaskLinearSVC
    >>> client = Client(n_workers=1, processes=False, dashboard_address=":0")
    >>> X = da.random.default_rng(0).normal(size=(1000, 3), chunks=(250, 3)).persist()
    >>> model = DaskLinearSVC().fit(X, X[:, 0] > 0.0)
    >>> model.status_.name, model.score(X, X[:, 0] > 0.0) > 0.95
    ('CONVERGED', True)
    >>> model.predict(X)
    dask.array<maxmargin-predict, shape=(1000,), dtype=bool, chunksize=(250,), chunktype=numpy.ndarray>
    >>> client.close()
    """

    def _values_dtype(self, X: Any) -> Any:
        return values_dtype(X, self.coef_)
