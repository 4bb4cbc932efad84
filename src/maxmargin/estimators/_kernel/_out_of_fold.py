"""Values of a fitted kernel estimator's subproblems at rows that were held out, from folds that share its kernel values.

A held-out row keeps its coefficient at 0: then its value comes with the evaluation, and all folds ask for the same kernel
values. Each fold starts from the fit on all rows. Pairs of classes have only their own rows: their folds leave the held-out
ones away, and the values at these are computed once, over the distinct support vectors of a fold.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from maxmargin.calibrators import Folds
from maxmargin.errors import ConvergenceWarning, FeatureScaleWarning, IndefiniteKernelWarning
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._fold_starts import fold_starts
from maxmargin.estimators._shared._fitted import Fitted, RowKind
from maxmargin.estimators._shared._fold_stage import was_plain
from maxmargin.estimators._shared._plan import ClassifierRows, Plan
from maxmargin.estimators._shared._schemes import OneVsOne
from maxmargin.problems import LabelledParts
from maxmargin.solution import SolutionBatch, Status
from maxmargin.solvers import as_solver
from maxmargin.validation import class_weights, take_rows

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._classifier import KernelClassifier

__all__ = ["fold_names", "held_out_values", "refitted_values"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def held_out_values(model: KernelClassifier, plan: Plan[ClassifierRows], found: Any, folds: Folds) -> Matrix:
    """``f_t(x)`` of every subproblem t at every row x that is held out of a fold, by the model of that fold.

    The kernel is that of the fit on all rows; ``class_weight="balanced"`` counts the training rows of each fold.

    Parameters
    ----------
    model : KernelClassifier
        The estimator, fitted.
    plan : Plan
        The plan of its fit.
    found : SolutionBatch or list
        What the plan led to.
    folds : Folds
        Which rows are held out together.

    Returns
    -------
    ndarray of shape (n_held_out, n_subproblems)
        In the order of ``folds.rows``.
    """
    rows = plan.rows
    if rows.scheme is None or rows.parts is None or not model._can_hold_out():
        return refitted_values(model, rows, folds, plan, warns=was_plain(found))
    costs = np.stack([_costs(model, rows, held) for held in folds])
    if isinstance(rows.scheme, OneVsOne):
        return _values_of_pairs(model, plan, found, costs, folds)
    return _values_of_all_rows(model, plan, found, costs, folds)


def fold_names(folds: Folds, names: Callable[[], list[str]]) -> Callable[[], list[str]]:
    """What the subproblems of all folds are called."""

    def every() -> list[str]:
        own = names()
        alone = len(own) == 1
        return [f"fold {k + 1}" if alone else f"fold {k + 1}, {name}" for k in range(len(folds)) for name in own]

    return every


def _costs(model: KernelClassifier, rows: ClassifierRows, held: NDArray[np.bool_]) -> Vector:
    """The cost of each row for the training rows of a fold; 0 for the others."""
    data, factors = rows.data, rows.factors
    if isinstance(model.class_weight, str):
        trained = ~held
        factors = class_weights(
            model.class_weight, data.classes, data.codes[trained], data.weight[trained], type(model).__name__
        )
    cost = model._costs(data.weight if model.class_weight is None else factors[data.codes] * data.weight)
    return np.where(held, 0.0, cost)


def _values_of_all_rows(
    model: KernelClassifier, plan: Plan[ClassifierRows], found: SolutionBatch, costs: Matrix, folds: Folds
) -> Matrix:
    """Subproblems that have all rows: two classes, or each class against the rest."""
    rows = plan.rows
    assert rows.parts is not None
    n, each = rows.data.n, len(rows.parts.sizes)
    parts = LabelledParts(None, np.tile(rows.parts.y, len(folds)), [n] * (each * len(folds)))
    problems, starts = model._fold_problems(rows.gram, parts, np.repeat(costs, each, axis=0).ravel()), None
    if as_solver(plan.solver, plan.problems).takes_start:
        before = _costs(model, rows, np.zeros(n, dtype=np.bool_))
        starts = fold_starts(plan.problems, found, problems, before, costs)
    of_folds: SolutionBatch = replace(
        plan,
        problems=problems,
        names=fold_names(folds, plan.names),
        starts=starts,
        with_values=True,
        folds=True,
    ).solve(stacklevel=5, warns=was_plain(found))
    assert of_folds.values is not None
    values = of_folds.values.reshape(len(folds), each, n)
    return np.ascontiguousarray(values[folds.number[folds.rows], :, folds.rows])


def _values_of_pairs(
    model: KernelClassifier, plan: Plan[ClassifierRows], whole: SolutionBatch, costs: Matrix, folds: Folds
) -> Matrix:
    """Subproblems of pairs of classes, each with the rows of two of them."""
    rows, scheme = plan.rows, plan.rows.scheme
    assert scheme is not None
    data, by_fold = rows.data, np.argsort(folds.number, kind="stable")  # what several folds share stands together
    trained = [by_fold[folds.number[by_fold] != fold] for fold in range(len(folds))]
    of_folds = [scheme.subproblems(data.codes[own]) for own in trained]
    every = [own[part.rows] for own, part in zip(trained, of_folds, strict=True)]
    parts = LabelledParts(
        np.concatenate(every).astype(np.int32),
        np.concatenate([part.y for part in of_folds]),
        [size for part in of_folds for size in part.sizes],
    )
    own_costs = np.concatenate([cost[own] for cost, own in zip(costs, every, strict=True)])
    found: SolutionBatch = replace(
        plan,
        problems=model._fold_problems(rows.gram, parts, own_costs),
        names=fold_names(folds, plan.names),
        starts=None,
        folds=True,
    ).solve(stacklevel=5, warns=was_plain(whole))
    assert parts.rows is not None
    support = parts.rows.take(found.support).astype(np.intp)
    values = np.empty((data.n, scheme.n_subproblems))
    for fold, held in enumerate(folds):
        first = fold * scheme.n_subproblems
        merged = found.by_class(data.codes, support, scheme.coefficient_rows, scheme.n_coefficients, first)
        state = Fitted(
            scheme=scheme,
            kernel=model._kernel,
            vectors=rows.gram.rows(merged.rows.astype(np.int32)),
            dual=merged.dual,
            intercept=found.bias[first : first + scheme.n_subproblems],
            bounds=[0, *np.cumsum(merged.n_support).tolist()],
        )
        values[held] = decision_values(state, take_rows(data.X, np.flatnonzero(held)))
    return values[folds.rows]


def refitted_values(model: Any, rows: Any, folds: Folds, plan: Plan[Any], *, warns: bool) -> Matrix:
    """The same by fits of their own: all classes at once, and without slack."""
    data, values, worst = rows.data, None, None
    for fold, (held, trained) in enumerate(_split(folds)):
        other = clone(model).set_params(probability=False, warm_start=False)
        if plan.deadline.is_set:
            other.max_time = max(plan.deadline.left(), 1e-9)
        if isinstance(other.kernel, str) and isinstance(other.gamma, str) and model._kernel.gamma is not None:
            other.gamma = float(model._kernel.gamma)
        X = take_rows(data.X, trained)
        if rows.kind is RowKind.PAIRWISE:
            X = np.ascontiguousarray(X[:, trained])
        with warnings.catch_warnings():
            for kind in (ConvergenceWarning, FeatureScaleWarning, IndefiniteKernelWarning):  # once for all folds, or known
                warnings.simplefilter("ignore", kind)
            other.fit(X, data.classes[data.codes[trained]], data.weight[trained] if data.weighted else None)
        if worst is None and not other.status_.is_optimal and other.status_ is not Status.INDEFINITE:
            worst = f"{other.status_.name} in fold {fold + 1}: {other.status_.message}. {other.status_.advice}"
        unseen = take_rows(data.X, held)
        found = other.decision_function(np.ascontiguousarray(unseen[:, trained]) if rows.kind is RowKind.PAIRWISE else unseen)
        found = found[:, np.newaxis] if found.ndim == 1 else found
        values = np.empty((data.n, found.shape[1])) if values is None else values
        values[held] = found
    assert values is not None
    if warns and worst is not None:
        warnings.warn(worst, ConvergenceWarning, stacklevel=5)
    return np.ascontiguousarray(values[folds.rows])


def _split(folds: Folds) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    return ((np.flatnonzero(held), np.flatnonzero(~held)) for held in folds)
