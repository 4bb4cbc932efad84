"""A classifier fitted to all rows, and its values at rows that were held out: what a calibrator needs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from maxmargin.calibrators import Folds
from maxmargin.errors import WarmStartWarning
from maxmargin.estimators._kernel._classifier import KernelClassifier
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._out_of_fold import fold_names, held_out_values
from maxmargin.estimators._linear._classifier import LinearModel
from maxmargin.estimators._shared._fitted import fitted
from maxmargin.estimators._shared._input import new_rows
from maxmargin.estimators._shared._schemes import OneVsOne, Scheme
from maxmargin.kernels import as_kernel, used_parameters
from maxmargin.solution import SolutionBatch
from maxmargin.validation import take_rows

__all__ = ["OutOfFold", "fit_out_of_fold", "last_step", "pairs_of", "raw_values"]

Values = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class OutOfFold:
    """A fitted model, and values at rows by models that were not fitted to them.

    Attributes
    ----------
    model : estimator
        Fitted to all rows.
    rows : ndarray of intp
        Rows that were held out of some fold, and have a weight.
    values : ndarray of shape (n_held_out,) or (n_held_out, n_subproblems)
        There the `raw_values` of the models of their folds.
    """

    model: Any
    rows: NDArray[np.intp]
    values: Values


def _is_pipeline(model: Any) -> bool:
    return hasattr(model, "steps") and hasattr(model, "named_steps")  # scikit-learn's module takes long to import


def last_step(model: Any) -> Any:
    """The estimator at the end of a pipeline, or the estimator itself."""
    return model.steps[-1][1] if _is_pipeline(model) else model


def fit_out_of_fold(model: Any, X: Any, y: NDArray[Any], weight: Values | None, folds: Folds) -> OutOfFold:
    """Fit a model, also at the end of a pipeline, to all rows and to all but those of each fold.

    The model of a fold is what a fit to its training rows gives: so are its kernel, its balanced weights and the steps of the
    pipeline before it. Where all folds have the kernel of the fit, they share its kernel values and start from its
    solution; else the folds of a kernel model of two classes run side by side. Folds of a linear model start from its weights.

    Parameters
    ----------
    model : estimator
        Not fitted, and left as it is.
    X, y, weight
        Rows, labels, and weights or None.
    folds : Folds
        Which rows are held out together.
    """
    whole, last = clone(model), last_step(model)
    rows = folds.rows if weight is None else np.flatnonzero((folds.number >= 0) & (weight > 0.0))
    if isinstance(last, KernelClassifier):
        last_step(whole).set_params(probability=False)
        if whole is last_step(whole) and (shared := _shared(whole, X, y, weight, folds)) is not None:
            return OutOfFold(whole, rows, shared)
        parts = [_transformed(whole, X, y, weight, held) for held in folds]
        _fit(whole, X, y, weight)
        values = _side_by_side(last_step(whole), parts, folds)
    else:
        if isinstance(last, LinearModel):
            last_step(whole).set_params(warm_start=True)
        _fit(whole, X, y, weight)
        values = [_refitted(whole, X, y, weight, held) for held in folds]
        if isinstance(last, LinearModel):
            last_step(whole).set_params(warm_start=last.warm_start)
            if not last.warm_start:
                last_step(whole).__dict__.pop("_held", None)
    every = np.zeros((len(folds.number), *values[0].shape[1:]))
    for held, found in zip(folds, values, strict=True):
        every[held] = found
    return OutOfFold(whole, rows, every[rows])


def raw_values(model: Any, X: Any) -> Values:
    """The values of all binary classifiers of a fitted model at rows; of other models their ``decision_function``."""
    last = last_step(model)
    if not isinstance(last, KernelClassifier):
        return np.asarray(model.decision_function(X), dtype=np.float64)
    values = decision_values(fitted(last), new_rows(last, _before_last(model, X)))
    return values[:, 0] if values.shape[1] == 1 else values


def pairs_of(model: Any) -> OneVsOne | None:
    """The scheme of a fitted model whose values are those of pairs of classes; None for others."""
    last = last_step(model)
    scheme: Scheme | None = fitted(last).scheme if isinstance(last, KernelClassifier) else None
    return scheme if isinstance(scheme, OneVsOne) else None


def _before_last(model: Any, X: Any) -> Any:
    return model[:-1].transform(X) if _is_pipeline(model) and len(model.steps) > 1 else X


def _fit(model: Any, X: Any, y: NDArray[Any], weight: Values | None) -> None:
    if weight is None:
        model.fit(X, y)
    elif _is_pipeline(model):
        model.fit(X, y, **{f"{model.steps[-1][0]}__sample_weight": weight})
    else:
        model.fit(X, y, sample_weight=weight)


def _shared(model: KernelClassifier, X: Any, y: NDArray[Any], weight: Values | None, folds: Folds) -> Values | None:
    """Values from folds that share the kernel values of the fit; None, and no fit, if a fold has another kernel."""
    plan = model._plan(X, y, weight)
    data = plan.rows.data
    number = data.of_kept(folds.number)
    own = Folds(number, folds.count)
    kernel = as_kernel(model.kernel, **used_parameters(model.kernel, vars(model)), owner=type(model).__name__)
    if not plan.rows.kind.has_no_features:
        for held in own:
            trained = np.flatnonzero(~held)
            if kernel.bind(take_rows(data.X, trained), data.weight[trained] if data.weighted else None) != model._kernel:
                return None
    found = plan.solve(stacklevel=6)
    model._adopt(plan.rows, found)
    values = held_out_values(model, plan, found, own)
    return values[:, 0] if values.shape[1] == 1 else values


def _is_pairwise(model: Any) -> bool:
    return bool(model.__sklearn_tags__().input_tags.pairwise)


def _taken(model: Any, X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Any:
    """Rows, and of a kernel matrix the columns of the training rows."""
    found = _safe_indexing(X, rows)
    return np.asarray(found)[:, columns] if _is_pairwise(model) else found


def _transformed(model: Any, X: Any, y: NDArray[Any], weight: Values | None, held: NDArray[np.bool_]) -> tuple[Any, ...]:
    """The last step of a fold, not fitted; its training rows, labels and weights; and the rows that are held out."""
    other, trained, unseen = clone(model), np.flatnonzero(~held), np.flatnonzero(held)
    seen, later = _taken(model, X, trained, trained), _taken(model, X, unseen, trained)
    if _is_pipeline(other) and len(other.steps) > 1:
        before = other[:-1]
        seen = before.fit_transform(seen, y[trained])
        later = before.transform(later)
    return last_step(other), seen, y[trained], None if weight is None else weight[trained], later


def _side_by_side(model: KernelClassifier, parts: list[tuple[Any, ...]], folds: Folds) -> list[Values]:
    """Values of kernel models; those of two classes are solved as one batch."""
    if len(model.classes_) > 2:
        return [raw_values(other.fit(X, y, weight), later) for other, X, y, weight, later in parts]
    plans = [other._plan(X, y, weight) for other, X, y, weight, _ in parts]
    together = replace(
        plans[0], problems=[problem for plan in plans for problem in plan.problems], names=fold_names(folds, plans[0].names)
    )
    found = together.solve(stacklevel=6)
    for k, ((other, *_), plan) in enumerate(zip(parts, plans, strict=True)):
        other._adopt(plan.rows, SolutionBatch.of([found[k]]))
    return [raw_values(other, later) for other, *_, later in parts]


def _refitted(whole: Any, X: Any, y: NDArray[Any], weight: Values | None, held: NDArray[np.bool_]) -> Values:
    """Values of any other model; a linear one starts from the fit to all rows."""
    other, trained, unseen = clone(whole), np.flatnonzero(~held), np.flatnonzero(held)
    last, own = last_step(whole), last_step(other)
    if isinstance(last, LinearModel) and "_held" in vars(last):
        own._held, own.classes_ = last._held, last.classes_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WarmStartWarning)
        _fit(other, _taken(whole, X, trained, trained), y[trained], None if weight is None else weight[trained])
    return np.asarray(other.decision_function(_taken(whole, X, unseen, trained)), dtype=np.float64)
