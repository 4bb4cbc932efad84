"""From what scikit-learn's interface accepts as ``kernel`` to a kernel object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import Kernel
from maxmargin.kernels._chi_squared import ChiSquared
from maxmargin.kernels._cosine import Cosine
from maxmargin.kernels._intersection import Intersection
from maxmargin.kernels._laplacian import Laplacian
from maxmargin.kernels._linear import Linear
from maxmargin.kernels._matern import Matern
from maxmargin.kernels._min_max import MinMax
from maxmargin.kernels._polynomial import Polynomial
from maxmargin.kernels._precomputed import Precomputed
from maxmargin.kernels._quadratic import Quadratic
from maxmargin.kernels._rational_quadratic import RationalQuadratic
from maxmargin.kernels._rbf import RBF
from maxmargin.kernels._sigmoid import Sigmoid
from maxmargin.kernels._tanimoto import Tanimoto
from maxmargin.kernels._user_function import UserFunction

__all__ = ["as_kernel", "takes_matrix"]

_BY_NAME: dict[str, Callable[[Any, Any, Any], Kernel]] = {
    "chi2": lambda gamma, coef0, degree: ChiSquared(gamma=gamma),
    "cosine": lambda gamma, coef0, degree: Cosine(),
    "intersection": lambda gamma, coef0, degree: Intersection(),
    "laplacian": lambda gamma, coef0, degree: Laplacian(gamma=gamma),
    "linear": lambda gamma, coef0, degree: Linear(),
    "matern": lambda gamma, coef0, degree: Matern(),
    "min_max": lambda gamma, coef0, degree: MinMax(),
    "poly": lambda gamma, coef0, degree: Polynomial(degree=degree, gamma=gamma, coef0=coef0),
    "quadratic": lambda gamma, coef0, degree: Quadratic(),
    "rational_quadratic": lambda gamma, coef0, degree: RationalQuadratic(),
    "rbf": lambda gamma, coef0, degree: RBF(gamma=gamma),
    "sigmoid": lambda gamma, coef0, degree: Sigmoid(gamma=gamma, coef0=coef0),
    "tanimoto": lambda gamma, coef0, degree: Tanimoto(),
    "precomputed": lambda gamma, coef0, degree: Precomputed(),
}


def as_kernel(kernel: Any, *, gamma: Any = "scale", coef0: Any = 0.0, degree: Any = 3, owner: str = "SVC") -> Kernel:
    """A kernel object from a name, a kernel object or a function.

    Parameters
    ----------
    kernel : str, Kernel or callable
        One of "linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "matern", "cosine", "quadratic", "intersection",
        "min_max", "rational_quadratic", "tanimoto", "precomputed"; an object of `maxmargin.kernels`; or a function of
        two blocks of rows.
    gamma, coef0, degree : number or str
        Parameters that a name takes, if its kernel has them; with a kernel object they must be left at their defaults.
    owner : str
        Whose parameter it is, for messages.

    Examples
    --------
    >>> from maxmargin.kernels import as_kernel
    >>> as_kernel("poly", degree=2)
    Polynomial(degree=2, gamma='scale', coef0=0.0)
    """
    if isinstance(kernel, Kernel):
        given = {"gamma": (gamma, "scale"), "coef0": (coef0, 0.0), "degree": (degree, 3)}
        for name, (value, default) in given.items():
            if value != default:
                raise InvalidInput(
                    f"The '{name}' parameter of {owner} must be left at {default!r} when 'kernel' is an object. "
                    f"Got {name}={value!r} and kernel={kernel!r}. Set it on the kernel."
                )
        return kernel
    if isinstance(kernel, str) and kernel in _BY_NAME:
        return _BY_NAME[kernel](gamma, coef0, degree)
    if callable(kernel) and not isinstance(kernel, type):
        return UserFunction(kernel)
    raise InvalidInput(
        f"The 'kernel' parameter of {owner} must be a str among {sorted(_BY_NAME)}, a kernel object of maxmargin.kernels or a "
        f"callable. Got {kernel!r} instead."
    )


def takes_matrix(kernel: Any) -> bool:
    """Whether a ``kernel`` parameter, checked or not, says that X is a Gram matrix."""
    return (
        kernel.input_kind == "precomputed"
        if isinstance(kernel, Kernel)
        else isinstance(kernel, str) and kernel == "precomputed"
    )
