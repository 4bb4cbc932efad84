"""The gradient of a decision function by the features."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.estimators import Expansion, expansion_of
from maxmargin.inspection._model import affine_map, apart
from maxmargin.validation import take_rows

__all__ = ["decision_gradient"]

Floats = NDArray[np.float64]
_VALUES_AT_ONCE: Final = 1 << 20


def decision_gradient(model: Any, X: Any) -> Floats:
    """How the decision function of a model changes with each feature: ``∂f/∂x`` at rows.

    For a kernel model ``∂f/∂x = Σ_i β_i ∂k(x_i, x)/∂x``, by the derivative of each kernel and the chain rule for sums,
    products, powers, scaled and normalised kernels, kernels of some columns, and affine steps of a pipeline before the model.
    For a linear model it is ``w``. Kernels without a derivative everywhere (`Laplacian`, `Intersection`, `MinMax`,
    ``Matern(nu=0.5)``) are refused, and so are those known by their values only. That of `ChiSquared` is one-sided where a
    feature is 0.

    Parameters
    ----------
    model : fitted estimator
        A kernel model of maxmargin, on support vectors or landmarks, any linear model with ``coef_``, a pipeline that ends in
        one, or a search whose best model is one.
    X : {array-like, sparse matrix} of shape (m, d)
        Where.

    Returns
    -------
    ndarray of shape (m, d) or (m, n_subproblems, d)
        For two classes, one output, or one class: the gradient of f. Else that of each binary classifier: of each pair of
        classes (0, 1), (0, 2), … where they are fitted in pairs, else of each class.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import decision_gradient
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]], [0, 0, 1, 1]
    >>> decision_gradient(SVC(kernel="linear").fit(X, y), X[:1]).round(6)
    array([[1., 0.]])
    """
    last, transform = apart(model)
    moved = transform(X)
    expansion = expansion_of(last)
    if expansion is None:
        weights = _weights(last)
        m = moved.shape[0] if hasattr(moved, "shape") else len(moved)
        gradient = np.repeat(weights[np.newaxis], m, axis=0)
    else:
        gradient = _of_kernel(expansion, expansion.new_rows(moved))
    A = affine_map(transform, X, moved, "decision_gradient")
    gradient = gradient if A is None else gradient @ A
    return np.asarray(gradient[:, 0] if gradient.shape[1] == 1 else gradient)


def _weights(model: Any) -> Floats:
    """The weights of a linear model, shape (n_subproblems, d)."""
    coefficients = getattr(model, "coef_", None)
    if coefficients is None:
        raise InvalidInput(
            "decision_gradient needs a kernel model of maxmargin, a linear model with coef_, or a Pipeline that ends in one."
            f" Got {type(model).__name__}. Of other models sklearn.inspection.permutation_importance says which features"
            " matter."
        )
    dense = coefficients.toarray() if sparse.issparse(coefficients) else coefficients
    return np.atleast_2d(np.asarray(dense, dtype=np.float64))


def _of_kernel(expansion: Expansion, rows: Any) -> Floats:
    kernel = expansion.kernel
    if kernel.roughness:
        raise InvalidInput(
            f"decision_gradient needs a kernel with derivatives by the features. Got {type(expansion.model).__name__} with one"
            f" that has none: {kernel.roughness}. Fit with a smooth kernel, such as RBF, Matern(nu=1.5) or Polynomial, or use"
            " sklearn.inspection.permutation_importance."
        )
    m, count = rows.shape[0], len(expansion.rows)
    gradient = np.zeros((m, len(expansion.coefficients), rows.shape[1]))
    height = max(1, _VALUES_AT_ONCE // max(1, count))
    for start in range(0, m, height):
        some = take_rows(rows, np.arange(start, min(start + height, m)))
        own = 0.5 * kernel.own_gradient(some) if expansion.half_diagonal else 0.0
        for t, beta in enumerate(expansion.coefficients):
            used = np.flatnonzero(beta)
            if len(used):
                vectors = take_rows(expansion.vectors, used)
                weights = np.repeat(beta[used][np.newaxis], some.shape[0], axis=0)
                gradient[start : start + height, t] = kernel.gradient_sums(some, vectors, weights)
            gradient[start : start + height, t] -= own
    return gradient
