"""The certificate of a model from its coefficients and its training rows alone: nothing that the fit left is believed."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._classifier import KernelClassifier
from maxmargin.estimators._kernel._logistic import KernelLogisticRegression
from maxmargin.estimators._kernel._outputs import KernelOutputs
from maxmargin.estimators._linear._classifier import LinearModel
from maxmargin.estimators._linear._one_class import LinearOneClassSVM
from maxmargin.estimators._linear._svr import LinearSVR
from maxmargin.estimators._shared._expansion import expansion_of
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.kernels import formula_of
from maxmargin.problems import CrammerSinger, KernelLogistic, MulticlassLinear, Problem
from maxmargin.solution import (
    Certificate,
    CrammerSingerIterate,
    DualIterate,
    KernelLogisticIterate,
    PrimalIterate,
    Status,
    Trace,
    certify,
    dual_solution,
    solution_of,
)
from maxmargin.validation import length, take_rows, target_columns

__all__ = ["certificate_on"]

Floats = NDArray[np.float64]
_ROUNDING: Final = 1e-12
_NEAR: Final = 1e-10
_ANOTHER: Final = "Give the rows it was trained on, in their order, with their labels."


def certificate_on(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
    """The certificate of a fitted model on its training rows, computed anew.

    Raises
    ------
    InvalidInput
        The rows are not those it was trained on, or a model of its kind has no certificate.
    """
    check_is_fitted(model)
    if isinstance(model, KernelClassifier | KernelOutputs | KernelLogisticRegression):
        return _of_kernel_model(model, X, y, sample_weight)
    if isinstance(model, LinearModel | LinearSVR | LinearOneClassSVM):
        return _of_linear_model(model, X, y, sample_weight)
    raise InvalidInput(
        f"A {type(model).__name__} has no certificate that could be computed from its coefficients. Kernel models of one convex"
        " problem have one (SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD, KernelLogisticRegression), and linear ones."
    )


def _plan_of(model: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    """The problems that a fit of a model like this one would solve."""
    copy = clone(model)
    for name in ("warm_start", "probability", "interval", "verbose"):
        if name in copy.get_params():
            copy.set_params(**{name: False})
    if isinstance(model, LinearOneClassSVM):
        return copy._plan(X, sample_weight)
    if isinstance(model, KernelOutputs):
        one_class = not hasattr(model, "C") or hasattr(model, "offset_")
        targets: Callable[[Any, Any], Floats] = (lambda _, rows: np.ones(length(rows))) if one_class else target_columns
        return copy._plan(X, y, sample_weight, targets)
    plan = copy._plan(X, y, sample_weight)
    if not hasattr(model, "classes_"):
        return plan
    found = plan.rows.data.classes
    if not np.array_equal(found, np.sort(model.classes_)):
        raise InvalidInput(f"The labels are {found[:8]}, those of the model are {model.classes_[:8]}. {_ANOTHER}")
    return plan


def _of_kernel_model(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    plan = _plan_of(model, X, y, sample_weight)
    data, bound = plan.rows.data, plan.rows.gram.kernel
    vectors, coefficients, offsets = _terms(model)
    rows = _places(model, vectors, data)
    if bound != model._kernel and not _is_near(bound, model._kernel):
        raise InvalidInput(f"The kernel of the model is {model._kernel!r}, that of its parameters on these rows {bound!r}.")
    full = np.zeros((len(coefficients), data.n))
    full[:, rows] = coefficients
    first = plan.problems[0]
    if isinstance(first, CrammerSinger):
        joint = CrammerSingerIterate.at(np.ascontiguousarray(2.0 * full.T), offsets)  # scores count every class twice
        certificate: Certificate = solution_of(first, joint, model.tol).certificate
        return certificate
    if isinstance(first, KernelLogistic):
        point = KernelLogisticIterate.at(np.ascontiguousarray(full.T), offsets)
        certificate = solution_of(first, point, model.tol).certificate
        return certificate
    full = _in_order(model, full)
    parts = getattr(plan.rows, "parts", None)
    own = [None] * len(full) if parts is None else [each for each, _ in parts.each()]
    points = (beta if some is None else beta[some] for beta, some in zip(full, own, strict=True))
    return Certificate.combined(_at(*each, model.tol) for each in zip(plan.problems, points, strict=True))


def _is_near(one: Any, other: Any) -> bool:
    """Whether kernels of vectors differ in the last digits only, as "scale" does where rows stand in another order."""
    if not (one.of_features and other.of_features):
        return False
    stack = [(formula_of(one), formula_of(other))]
    while stack:
        a, b = stack.pop()
        same = (a.name, a.degree, a.columns, len(a.parts)) == (b.name, b.degree, b.columns, len(b.parts))
        if not same or not math.isclose(a.gamma, b.gamma, rel_tol=_NEAR) or not math.isclose(a.coef0, b.coef0, rel_tol=_NEAR):
            return False
        stack += zip(a.parts, b.parts, strict=True)
    return True


def _in_order(model: Any, full: Floats) -> Floats:
    """The coefficients of all pairs in the order of sorted labels: LIBSVM's models have them as its rows came."""
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) == 2 or bool((classes[:-1] < classes[1:]).all()):
        return full
    ranks, pairs = (
        np.argsort(classes).tolist(),
        {pair: number for number, pair in enumerate(combinations(range(len(classes)), 2))},
    )
    rows = []
    for a, b in pairs:
        i, j = ranks[a], ranks[b]
        rows.append(full[pairs[i, j]] if i < j else -full[pairs[j, i]])
    return np.stack(rows)


def _terms(model: Any) -> tuple[Any, Floats, Floats]:
    """Support vectors, the coefficients of each subproblem, and offsets."""
    if isinstance(model, KernelLogisticRegression):
        vectors = model.support_ if model._rows is RowKind.PAIRWISE else model.support_vectors_
        return vectors, np.asarray(model.dual_coef_), model.intercept_
    found = expansion_of(model)
    assert found is not None  # these models have support vectors
    return found.vectors, found.coefficients, found.offsets


def _at(problem: Problem, beta: Floats, tol: float) -> Certificate:
    """The certificate of a point of the canonical dual."""
    wanted, size = problem.dual.abs_sum, float(np.abs(beta).sum())
    if wanted is not None and size > 0.0 and not problem.dual.abs_sum_may_fall:  # a model is divided by its margin
        beta = _on_bounds(beta * (wanted / size), problem.dual)
    iterate = DualIterate(Status.STALLED, 0, False, Trace.of(), np.ascontiguousarray(beta))
    return dual_solution(problem, iterate, certify(problem, iterate.beta), tol, 0.0, with_rows=False).certificate


def _on_bounds(beta: Floats, dual: Any) -> Floats:
    """The same with what is at a bound but for rounding put on it: what is between bounds says where the offset is."""
    for bound in (dual.lower, dual.upper):
        beta = np.where(np.abs(beta - bound) <= _ROUNDING * np.abs(bound), bound, beta)
    return beta


def _places(model: Any, vectors: Any, data: Any) -> NDArray[np.intp]:
    """Where the support vectors stand among the rows with weight."""
    every = data.of_kept_rows(np.arange(data.n))
    places: NDArray[np.intp] = np.searchsorted(every, model.support_)
    known = len(places) == 0 or (places.max() < data.n and np.array_equal(every[places], model.support_))
    if model._rows is RowKind.PAIRWISE:
        if not known or model.shape_fit_[0] != data.n:
            raise InvalidInput(f"The model was trained on {model.shape_fit_[0]} rows. Got {data.n}. {_ANOTHER}")
        return places
    if model._rows is RowKind.OBJECTS:
        same = known and all(_is_same(data.X[a], b) for a, b in zip(every[places], vectors, strict=True))
    else:
        same = known and _contents(take_rows(data.X, places)) == _contents(vectors)
    return places if same else _found(_contents(data.X), _contents(vectors))


def _is_same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)


def _contents(rows: Any) -> list[Any]:
    """What rows hold, so that equal rows are equal: as float64, without stored zeros."""
    if sparse.issparse(rows):
        wide = sparse.csr_array(rows, dtype=np.float64)
        wide.eliminate_zeros()
        cuts = [slice(a, b) for a, b in zip(wide.indptr[:-1], wide.indptr[1:], strict=True)]
        return [(wide.indices[cut].astype(np.int64).tobytes(), wide.data[cut].tobytes()) for cut in cuts]
    if not isinstance(rows, np.ndarray):
        return [repr(row) for row in rows]
    return _contents(sparse.csr_array(np.asarray(rows, dtype=np.float64)))


def _found(rows: list[Any], vectors: list[Any]) -> NDArray[np.intp]:
    """The rows that support vectors are, each used once: a model of another program does not know their numbers."""
    where: dict[Any, list[int]] = {}
    for number in range(len(rows) - 1, -1, -1):
        where.setdefault(rows[number], []).append(number)
    places = np.empty(len(vectors), dtype=np.intp)
    for k, vector in enumerate(vectors):
        if not where.get(vector):
            raise InvalidInput(f"Support vector {k} of the model is none of the {len(rows)} rows. {_ANOTHER}")
        places[k] = where[vector].pop()
    return places


def _of_linear_model(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """The primal objective of the model's weights, and a lower bound from multipliers that are found anew."""
    plan = _plan_of(model, X, y, sample_weight)
    weights = np.atleast_2d(np.asarray(model._dense_weights() if hasattr(model, "_dense_weights") else model.coef_, np.float64))
    offsets = np.asarray(model.intercept_, dtype=np.float64)
    if weights.shape[1] != plan.problems[0].d:
        raise InvalidInput(f"The model has {weights.shape[1]} features, the rows have {plan.problems[0].d}. {_ANOTHER}")
    fresh = plan.solve(warns=False)
    first = plan.problems[0]
    if isinstance(first, MulticlassLinear):
        if len(weights) == 1:  # of two classes the difference is kept
            weights, offsets = np.outer([-0.5, 0.5], weights[0]), np.array([-0.5, 0.5]) * offsets[0]
        points = [PrimalIterate.at(np.ascontiguousarray(weights), offsets, fresh[0].alpha)]
    else:
        points = [PrimalIterate.at(w, float(b), each.alpha) for w, b, each in zip(weights, offsets, fresh, strict=True)]
    pairs = zip(plan.problems, points, strict=True)
    return Certificate.combined(solution_of(*each, model.tol, with_rows=False).certificate for each in pairs)
