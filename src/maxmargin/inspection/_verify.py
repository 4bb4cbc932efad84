"""The certificate of a model, from its coefficients and its training rows alone."""

from __future__ import annotations

from typing import Any

from maxmargin.estimators import certificate_on
from maxmargin.inspection._model import apart
from maxmargin.solution import Certificate

__all__ = ["verify"]


def verify(model: Any, X: Any, y: Any = None, *, sample_weight: Any = None) -> Certificate:
    """Compute the certificate of a fitted model anew, from what predicts and from the training rows.

    Nothing else that the fit left is believed: not its objectives, its status or its records. A kernel model is a point of the
    dual problem, and both objectives follow from it. A linear model is a point of the primal problem: the rows are fitted again
    to find multipliers, which bound the optimum from below whatever they are.

    Parameters
    ----------
    model : estimator, Pipeline or search
        A fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD, KernelLogisticRegression, LinearSVC, LinearSVR, LinearOneClassSVM,
        LogisticRegression or LinearClassifier, or a pipeline or search that ends in one; also one that was read from LIBSVM's
        text, or made from scikit-learn's.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
        The rows it was trained on.
    y : array-like of shape (n_samples,), default=None
        Their labels or targets.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights it was trained with.

    Returns
    -------
    Certificate
        Objectives, gap and status.

    Raises
    ------
    InvalidInput
        These are not its training rows; the message says what differs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import verify
    >>> X, y = load_iris(return_X_y=True)
    >>> verify(SVC().fit(X, y), X, y).status
    <Status.CONVERGED: the solution is optimal within the tolerance>
    """
    inner, before = apart(model)
    return certificate_on(inner, before(X), y, sample_weight)
