"""From what scikit-learn's interface accepts as ``kernel`` to a kernel object."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

from maxmargin.errors import IgnoredParameterWarning, InvalidInput
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

__all__ = ["as_kernel", "check_unused", "ignored_parameters", "takes_matrix", "used_parameters"]

_BY_NAME: dict[str, tuple[type[Kernel], tuple[str, ...]]] = {
    "chi2": (ChiSquared, ("gamma",)),
    "cosine": (Cosine, ()),
    "intersection": (Intersection, ()),
    "laplacian": (Laplacian, ("gamma",)),
    "linear": (Linear, ()),
    "matern": (Matern, ()),
    "min_max": (MinMax, ()),
    "poly": (Polynomial, ("gamma", "coef0", "degree")),
    "quadratic": (Quadratic, ()),
    "rational_quadratic": (RationalQuadratic, ()),
    "rbf": (RBF, ("gamma",)),
    "sigmoid": (Sigmoid, ("gamma", "coef0")),
    "tanimoto": (Tanimoto, ()),
    "precomputed": (Precomputed, ()),
}
"""The kernel of a name, and which parameters of an estimator it takes."""

_OF_SCIKIT_LEARN: Final = frozenset({"linear", "poly", "rbf", "sigmoid", "precomputed"})
_DEFAULTS: Final[dict[str, Any]] = {"gamma": "scale", "coef0": 0.0, "degree": 3}


def as_kernel(
    kernel: Any, *, gamma: Any = "scale", coef0: Any = 0.0, degree: Any = 3, owner: str = "SVC", stacklevel: int = 2
) -> Kernel:
    """A kernel object from a name, a kernel object or a function.

    Parameters
    ----------
    kernel : str, Kernel or callable
        One of "linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "matern", "cosine", "quadratic", "intersection",
        "min_max", "rational_quadratic", "tanimoto", "precomputed"; an object of `maxmargin.kernels`; or a function of
        two blocks of rows.
    gamma, coef0, degree : number or str
        Parameters that a name takes, if its kernel has them. Others must be left at their defaults: with a kernel object and
        with a name that scikit-learn does not have, anything else is an error. With the names that scikit-learn has, and
        with a function, it is ignored as scikit-learn does, with an `IgnoredParameterWarning`.
    owner : str
        Whose parameter it is, for messages.
    stacklevel : int
        Whose line a warning names; 2 is that of the caller.

    Examples
    --------
    >>> from maxmargin.kernels import as_kernel
    >>> as_kernel("poly", degree=2)
    Polynomial(degree=2, gamma='scale', coef0=0.0)
    """
    given = {"gamma": gamma, "coef0": coef0, "degree": degree}
    check_unused(kernel, given, _DEFAULTS, owner, stacklevel=stacklevel + 1)
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in _BY_NAME:
        return _BY_NAME[kernel][0](**used_parameters(kernel, given))
    if callable(kernel) and not isinstance(kernel, type):
        return UserFunction(kernel)
    raise InvalidInput(
        f"The 'kernel' parameter of {owner} must be a str among {sorted(_BY_NAME)}, a kernel object of maxmargin.kernels or a "
        f"callable. Got {kernel!r} instead."
    )


def used_parameters(kernel: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the given parameters that the kernel of a name takes; none for what is not a name."""
    names = _BY_NAME[kernel][1] if isinstance(kernel, str) and kernel in _BY_NAME else ()
    return {name: given[name] for name in names}


def ignored_parameters(kernel: Any, given: Mapping[str, Any], owner: str) -> list[str]:
    """What `as_kernel` warns of, in words: parameters that are set, and that scikit-learn's kernel does not have."""
    unused = _unused(kernel, given, _DEFAULTS)
    if isinstance(kernel, Kernel) or (isinstance(kernel, str) and kernel not in _OF_SCIKIT_LEARN):
        return []  # an error of the fit
    return [_is_ignored(kernel, name, given[name], _DEFAULTS[name], owner) for name in unused]


def _unused(kernel: Any, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    """Parameters that are set although the kernel has none of that name."""
    taken = used_parameters(kernel, given)
    return [
        name for name, value in given.items() if name not in taken and value is not defaults[name] and value != defaults[name]
    ]


def _is_ignored(kernel: Any, name: str, value: Any, default: Any, owner: str) -> str:
    said = f"kernel={kernel!r}" if isinstance(kernel, str) else "a kernel that is a function"
    return f"{owner} ignores {name}={value!r}: {said} has no parameter {name!r}. Leave it at {default!r}."


def check_unused(kernel: Any, given: Mapping[str, Any], defaults: Mapping[str, Any], owner: str, *, stacklevel: int) -> None:
    """Raise for a parameter that is set although the kernel has none of that name; warn where scikit-learn ignores it."""
    for name in _unused(kernel, given, defaults):
        value, default = given[name], defaults[name]
        if isinstance(kernel, Kernel):
            raise InvalidInput(
                f"The '{name}' parameter of {owner} must be left at {default!r} when 'kernel' is an object. "
                f"Got {name}={value!r} and kernel={kernel!r}. Set it on the kernel."
            )
        if isinstance(kernel, str) and kernel in _BY_NAME and kernel not in _OF_SCIKIT_LEARN:
            chosen = _BY_NAME[kernel][0](**used_parameters(kernel, given))
            advice = f" Set the parameters of an object instead: kernel={chosen!r}." if "=" in repr(chosen) else ""
            raise InvalidInput(
                f"The '{name}' parameter of {owner} must be left at {default!r} when kernel={kernel!r}, which has none. "
                f"Got {name}={value!r}.{advice}"
            )
        warnings.warn(_is_ignored(kernel, name, value, default, owner), IgnoredParameterWarning, stacklevel)


def takes_matrix(kernel: Any) -> bool:
    """Whether a ``kernel`` parameter, checked or not, says that X is a Gram matrix."""
    return (
        kernel.input_kind == "precomputed"
        if isinstance(kernel, Kernel)
        else isinstance(kernel, str) and kernel == "precomputed"
    )
