"""Linear support vector classification on Dask."""

from __future__ import annotations

from typing import Any, Literal, final

from maxmargin.distributed._classifier import DaskClassifier
from maxmargin.estimators import LinearSVC

__all__ = ["DaskLinearSVC"]


@final
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
    penalty : {"l1", "l2"}, default="l2"
        The penalty on large weights, ``|w|₁`` or ``½ ‖w‖²``; the hinge has the second only.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        The loss of a row. The hinge takes several times as many passes.
    dual : "auto" or bool, default="auto"
        Accepted for compatibility with scikit-learn, and does not change the answer.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    C : float, default=1.0
        Factor of the loss, positive.
    multi_class : {"ovr"}, default="ovr"
        A binary classifier for each class against the rest.
    fit_intercept : bool, default=True
        Whether f has an offset.
    intercept_scaling : float, default=1.0
        The value of the constant feature whose weight a penalised offset is.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    verbose : bool or int, default=0
        Show progress.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the result does not depend on chance.
    max_iter : int, default=1000
        Largest number of Newton rounds for each binary classifier.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    penalise_intercept : bool or None, default=None
        Penalise the offset like a weight, as LIBLINEAR does.
    solver : {"auto", "newton"}, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same.
    client : distributed.Client or None, default=None
        Who runs the tasks; None takes the last client that was made.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of each binary classifier.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    n_iter_ : int
        Largest number of rounds of any binary classifier.
    n_passes_ : int
        How often all blocks were gone over.
    certificate_ : Certificate
        Objectives summed over the binary classifiers, with the worst relative gap.
    status_ : Status
        The worst status among the binary classifiers.
    fit_status_ : int
        0 if all binary classifiers converged, else 1.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of a frame, if they were all strings.
    client_ : distributed.Client
        The client that a fit would use now.

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

    _twin = LinearSVC

    def __init__(
        self,
        *,
        penalty: Literal["l1", "l2"] = "l2",
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        dual: bool | Literal["auto"] = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: Literal["ovr"] = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        penalise_intercept: bool | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
        client: Any = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.penalise_intercept = penalise_intercept
        self.solver = solver
        self.warm_start = warm_start
        self.client = client
