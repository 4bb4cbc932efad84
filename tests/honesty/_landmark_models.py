"""Models on landmarks: their features as they are stored, beside what Nyström's formula gives.

The problem that such a model solves is a linear one on its features, as they are stored: `stored_features` has them, from the
transformer of the same landmarks. Whether they are features of the kernel is another question, and `of_landmarks` answers it in
80-bit floats, from the definition ``φ(x) = P k_Z(x)`` with ``P K_ZZ Pᵀ = 1``.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from maxmargin.feature_maps import Nystroem
from maxmargin.kernels import Kernel

from ._comparison import Finding
from ._generator import Case
from ._numbers import LONG, Digits
from ._rows import TrainingRows, gamma_of

__all__ = ["of_landmarks", "stored_features", "weights_on"]

_SINGLE = 1e-6
"""Of the size of the terms: what float32 loses."""
_DOUBLE = 1e-12
_LEAST = 1e-40
"""Numbers below may be 0 in float32, and lose digits in float64."""
_RANK = 1e-10
"""Of the largest eigenvalue: those that are left out by default."""
_CHECKED = 1e-4
"""Of the largest eigenvalue: features whose length can be checked, as the kernel values have digits enough."""


class Stored(NamedTuple):
    """Numbers of the rows with weight, their features, the projection P, and what the landmarks are."""

    kept: np.ndarray
    Z: np.ndarray
    projection: np.ndarray
    landmarks: Any


def stored_features(case: Case, model: Any) -> Stored:
    """The features on which the linear model of a case was fitted."""
    kept = np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight > 0.0)
    rows = case.given.iloc[kept] if case.container == "pandas" else case.given[kept]
    kernel, numbers = case.params["kernel"], {name: case.params[name] for name in ("coef0", "degree") if name in case.params}
    if isinstance(kernel, str) and kernel == "precomputed":
        rows = np.ascontiguousarray(rows[:, kept])
    gamma = getattr(model._kernel, "gamma", None)  # compared with its definition in `of_landmarks`; depends on all weights
    if isinstance(kernel, Kernel) and isinstance(kernel.get_params(deep=False).get("gamma"), str):
        kernel = clone(kernel).set_params(gamma=float(gamma))
    elif isinstance(kernel, str) and gamma is not None:
        numbers["gamma"] = float(gamma)
    chosen = {name: case.params[name] for name in ("n_components", "landmarks", "random_state")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        map = Nystroem(kernel=kernel, **chosen, **numbers).fit(rows)
        Z = map.transform(rows)
    return Stored(kept, Z, map.projection_, map.landmarks_)


def weights_on(held: Stored, model: Any, digits: Digits) -> np.ndarray:
    """w with ``a = Pᵀ w``, of each machine: the rows of P are orthogonal but for rounding."""
    P, a = digits.of(held.projection), digits.of(np.asarray(model.landmark_coef_, dtype=np.float64))
    squares = (P * P).sum(axis=1)
    w = a * 0 @ P.T
    for _ in range(4):
        w = w + ((a - w @ P) @ P.T) / squares
    return np.asarray(w)


def of_landmarks(case: Case, model: Any) -> list[Finding]:
    """What is false of the landmarks, the features and the scores of a model on landmarks."""
    held = stored_features(case, model)
    defined, gamma = gamma_of(case), getattr(model._kernel, "gamma", None)
    if gamma is not None and defined is not None and defined < 1e300 and abs(gamma - defined) > 1e-6 * defined:
        return [Finding("another gamma", f"{gamma:.9g}, by definition {float(defined):.9g}")]
    with np.errstate(all="ignore"):
        return _of_features(case, model, held, gamma)


def _of_features(case: Case, model: Any, held: Stored, gamma: Any) -> list[Finding]:
    n, count = len(held.kept), held.projection.shape[1]
    if model.n_components_ != count or count != min(case.params["n_components"], n):
        return [Finding("other landmarks", f"{model.n_components_}, the transformer has {count}")]
    if case.params["kernel"] == "precomputed":
        if not np.array_equal(model.landmarks_, held.kept[held.landmarks]):
            return [Finding("other landmarks", f"{model.landmarks_}, the transformer has {held.kept[held.landmarks]}")]
        K = LONG.of(case.X[np.ix_(held.kept, held.kept)])
        cross, inner = K[:, held.landmarks], K[np.ix_(held.landmarks, held.landmarks)]
    else:
        ours, theirs = (_dense(each) for each in (model.landmarks_, held.landmarks))
        if not np.array_equal(ours, theirs):
            return [Finding("other landmarks", "than those of the transformer")]
        rows = np.vstack([case.X[held.kept], ours.astype(np.float64)])
        data = TrainingRows(replace(case, X=rows, weight=None), LONG, None if gamma is None else float(gamma))
        cross = data.between(np.arange(n), np.arange(n, n + count))
        inner = data.between(np.arange(n, n + count), np.arange(n, n + count))
    P, Z = LONG.of(held.projection), LONG.of(held.Z)
    lost = (_SINGLE if held.Z.dtype == np.float32 or case.container == "float32" else _DOUBLE) * count
    if case.params["kernel"] == "rbf":  # a squared distance is a difference of squares, and is off by a part of these
        lost += 2.0**-50 * float(gamma) * float(np.square(case.X[held.kept]).sum(axis=1).max())
    found = []
    terms = np.abs(cross) @ np.abs(P.T)
    if not (np.abs(Z - cross @ P.T) <= lost * terms + _LEAST).all():
        found.append(Finding("other features", f"off by {float(np.abs(Z - cross @ P.T).max()):.3g}"))
    lengths = 1 / (P * P).sum(axis=1)  # the eigenvalues that are kept
    clear = np.flatnonzero(lengths > _CHECKED * lengths.max())
    apart = P[clear] @ ((inner + inner.T) / 2) @ P[clear].T
    apart[np.arange(len(clear)), np.arange(len(clear))] -= 1
    if not (np.abs(apart) <= lost / _CHECKED * 10).all():
        found.append(Finding("other features", f"of length 1 and orthogonal but for {float(np.abs(apart).max()):.3g}"))
    left = float(inner.diagonal().sum() - lengths.sum())
    if TrainingRows(case, LONG).is_semidefinite() and left > count * (_RANK + lost) * float(lengths.max()) * 10:
        found.append(Finding("other features", f"they leave {left:.3g} of the landmarks' {float(inner.diagonal().sum()):.3g}"))
    return found + _of_scores(case, model, held, cross, lost)


def _of_scores(case: Case, model: Any, held: Stored, cross: np.ndarray, lost: float) -> list[Finding]:
    """Predictions are ``Σ a_j k(z_j, x) + b``."""
    a, b = LONG.of(np.asarray(model.landmark_coef_, dtype=np.float64)), LONG.of(np.asarray(model.intercept_))
    score = model.predict if case.estimator == "ApproximateSVR" else model.decision_function
    given = np.asarray(score(case.given), dtype=np.float64)[held.kept].reshape(len(held.kept), -1)
    exact, terms = cross @ a.T + b, np.abs(cross) @ np.abs(a.T) + np.abs(b)
    rough = 2e-9 if case.estimator == "ApproximateOneClass" else max(lost, _DOUBLE * 10)
    if (np.abs(given - exact) <= rough * terms + _LEAST).all():
        return []
    return [Finding("other scores", f"off by {float((np.abs(given - exact) / terms).max()):.3g} of the terms")]


def _dense(rows: Any) -> np.ndarray:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows)
