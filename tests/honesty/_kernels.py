"""Kernels at random: names with their parameters, a function of the user's, and objects that are combined."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import sparse

from maxmargin import kernels

from ._sets import Drawn

__all__ = ["draw_kernel", "laplacian", "needs_non_negative"]

Rng = np.random.Generator

_DEEPEST: Final = 2
"""How often kernels are combined, one inside the other."""


def laplacian(A: Any, B: Any) -> np.ndarray:
    """``exp(−mean |a − b|)``, a kernel function of the user's: positive definite, and the same bits for any block of rows."""
    A, B = (block.toarray() if sparse.issparse(block) else np.asarray(block, dtype=np.float64) for block in (A, B))
    return np.asarray(np.exp(-np.abs(A[:, np.newaxis, :] - B[np.newaxis, :, :]).mean(axis=2)))


def needs_non_negative(kernel: Any) -> bool:
    """Whether the kernel, or a part of it, is of features that are at least 0."""
    if isinstance(kernel, (kernels.ChiSquared, kernels.Intersection, kernels.MinMax)):
        return True
    parts = (getattr(kernel, name, None) for name in ("kernel", "left", "right"))
    return any(needs_non_negative(part) for part in parts if isinstance(part, kernels.Kernel))


def draw_kernel(rng: Rng, drawn: Drawn) -> dict[str, Any]:
    """A kernel with its parameters; gammas are wide, and in the unit of the data more often than not."""
    names = ["linear", "rbf", "poly", "sigmoid", "precomputed", "function", "object", "combined"]
    name = rng.choice(names, p=[0.2, 0.22, 0.11, 0.05, 0.09, 0.03, 0.17, 0.13])
    if name == "function":
        return {"kernel": laplacian}
    if name == "object":
        return {"kernel": _object(rng, drawn)}
    if name == "combined":
        return {"kernel": _combined(rng, drawn, _DEEPEST)}
    if name in ("linear", "precomputed"):
        return {"kernel": str(name)}
    chosen: dict[str, Any] = {"kernel": str(name)}
    share = rng.random()
    if share < 0.15:
        chosen["gamma"] = "auto"
    elif share < 0.65:
        power = rng.uniform(-4, 3) if name == "rbf" else rng.uniform(-1, 1)
        chosen["gamma"] = float(min(_unit(drawn) * 10.0**power, 1e300))
    if name == "poly":
        chosen["degree"] = int(rng.choice([1, 2, 3, 4]))
    if name != "rbf":
        chosen["coef0"] = float(rng.choice([0.0, 1.0, 0.5, 10.0] if name == "poly" else [0.0, -1.0, 1.0]))
    return chosen


def _unit(drawn: Drawn) -> float:
    """``1/(d · variance)``, or 1."""
    variance = float(drawn.X.var())
    return 1.0 / (drawn.X.shape[1] * variance) if variance > 0.0 and np.isfinite(variance) else 1.0


def _gamma(rng: Rng, drawn: Drawn) -> float:
    return float(np.clip(_unit(drawn) * 10.0 ** rng.uniform(-3, 2), 1e-300, 1e300))


def _length(rng: Rng, drawn: Drawn) -> float:
    return float(np.clip(_unit(drawn) ** -0.5 * 10.0 ** rng.uniform(-1.5, 1.5), 1e-140, 1e140))


def _object(rng: Rng, drawn: Drawn) -> kernels.Kernel:
    """One that is not a combination."""
    wide = ["laplacian", "matern", "rational", "chi2"]
    name = str(rng.choice([*wide, "cosine", "tanimoto", "quadratic", "intersection", "min_max"]))
    if name in ("laplacian", "chi2"):
        kind = kernels.Laplacian if name == "laplacian" else kernels.ChiSquared
        rate = _gamma(rng, drawn) ** (0.5 if rng.random() < 0.7 else 1.0)  # of distances, which are no squares
        return kind(gamma=str(rng.choice(["scale", "auto"])) if rng.random() < 0.3 else float(rate))
    if name == "matern":
        return kernels.Matern(length_scale=_length(rng, drawn), nu=float(rng.choice([0.5, 1.5, 2.5])))
    if name == "rational":
        return kernels.RationalQuadratic(length_scale=_length(rng, drawn), alpha=float(10.0 ** rng.uniform(-1.5, 2)))
    others = {
        "cosine": kernels.Cosine,
        "tanimoto": kernels.Tanimoto,
        "quadratic": kernels.Quadratic,
        "intersection": kernels.Intersection,
        "min_max": kernels.MinMax,
    }
    return others[name]()


def _part(rng: Rng, drawn: Drawn, depth: int) -> kernels.Kernel:
    share = rng.random()
    if depth > 0 and share < 0.25:
        return _combined(rng, drawn, depth - 1)
    if share < 0.55:
        found = _object(rng, drawn)
        return found if getattr(found, "gamma", 1.0) not in ("scale", "auto") else kernels.Laplacian(gamma=_gamma(rng, drawn))
    if share < 0.75:
        return kernels.RBF(gamma=_gamma(rng, drawn))
    if share < 0.9:
        return kernels.Linear()
    degree, coef0 = int(rng.choice([1, 2, 3])), float(rng.choice([0.0, 1.0]))
    return kernels.Polynomial(degree=degree, gamma=_gamma(rng, drawn), coef0=coef0)


def _combined(rng: Rng, drawn: Drawn, depth: int) -> kernels.Kernel:
    """A sum, a product, a multiple, a power, a normalised kernel, or one of some columns."""
    form = rng.choice(["sum", "product", "scaled", "power", "normalised", "columns"], p=[0.3, 0.2, 0.15, 0.1, 0.1, 0.15])
    first = _part(rng, drawn, depth)
    if form in ("sum", "product"):
        second = _part(rng, drawn, depth)
        return first + second if form == "sum" else first * second
    if form == "scaled":
        return float(10.0 ** rng.uniform(-6, 6)) * first
    if form == "power":
        return first ** int(rng.choice([1, 2, 3]))
    if form == "normalised":
        return first.normalised()
    width = drawn.X.shape[1]
    if depth < _DEEPEST or width == 1:  # numbers of columns are those of X only outside
        return 0.5 * first
    return first.on(sorted(rng.permutation(width)[: int(rng.integers(1, width))].tolist()))
