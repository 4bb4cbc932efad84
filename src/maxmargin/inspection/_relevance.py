"""Which features a model uses, from its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.inspection._gradient import decision_gradient

__all__ = ["relevance"]


def relevance(model: Any, X: Any) -> NDArray[np.float64]:
    """The share of each feature in what moves the decision function.

        r_j ∝ s_j √(mean over rows and binary classifiers of (∂f/∂x_j)²),   Σ r_j = 1

    with the standard deviation ``s_j`` of the feature, so that its unit does not count: to first order, by how much f changes
    when the feature alone does as it usually does. It says what the model uses, not what it could do without. It needs one pass
    over the rows, where permutation importance needs many predictions; it sees slopes only, and of two features that carry the
    same it divides the share among both.

    Parameters
    ----------
    model : fitted estimator
        See `decision_gradient`.
    X : {array-like, sparse matrix} of shape (n, d)
        Rows as they come: the training set, or others.

    Returns
    -------
    ndarray of shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import relevance
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X[:, 1] ** 2 + 0.1 * X[:, 0] > 1
    >>> int(relevance(SVC(C=10.0).fit(X, y), X).argmax())
    1
    """
    gradient = decision_gradient(model, X)
    if len(gradient) < 2:
        raise InvalidInput(f"relevance needs several rows, to see how features vary. Got {len(gradient)}.")
    rows = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    slopes = np.sqrt(np.square(gradient.reshape(len(gradient), -1, gradient.shape[-1])).mean(axis=(0, 1)))
    shares = slopes * rows.std(axis=0)
    total = shares.sum()
    return np.asarray(shares / total if total > 0.0 else shares)
