"""What can be drawn of a model, and what to say where a picture cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators import KernelPCA, expansion_of
from maxmargin.kernels import Kernel, takes_matrix
from maxmargin.problems import Ball, Level, Tube
from maxmargin.solution import CrammerSingerSolution, LinearSolution, MulticlassSolution, Solution

__all__ = ["SOLUTIONS", "best_of", "fitted_model", "has_features", "is_a", "last_of", "refuse", "right_picture"]

SOLUTIONS = (Solution, CrammerSingerSolution, LinearSolution, MulticlassSolution)


def best_of(model: Any) -> Any:
    """The best model of a search, or the model itself."""
    return getattr(model, "best_estimator_", model)


def last_of(model: Any) -> Any:
    """The estimator behind searches and pipelines."""
    model = best_of(model)
    return last_of(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def fitted_model(model: Any) -> Any:
    """The best model of a search, or the model itself; it must be fitted."""
    model = best_of(model)
    last = last_of(model)
    if not isinstance(last, SOLUTIONS) and hasattr(last, "fit"):
        check_is_fitted(last)
    return model


def has_features(model: Any) -> bool:
    """Whether a model reads vectors: not a matrix of kernel values, and not strings or graphs."""
    last = last_of(model)
    if isinstance(last, Solution | CrammerSingerSolution):
        return not last.kernel.is_precomputed and _is_wide(last.support_vectors)
    kernel = getattr(last, "kernel", None)
    if (isinstance(kernel, str | Kernel) or callable(kernel)) and takes_matrix(kernel):
        return False
    expansion = expansion_of(last) if hasattr(last, "support_") else None
    return expansion is None or _is_wide(expansion.vectors)


def _is_wide(rows: Any) -> bool:
    return getattr(rows, "ndim", 1) == 2


def is_a(check: Callable[[Any], bool], thing: Any) -> bool:
    """One of scikit-learn's checks of what an estimator is; what is no estimator is none."""
    return hasattr(thing, "fit") and bool(check(thing))


def right_picture(model: Any) -> str:
    """The picture that shows a model best; empty if none does."""
    last = last_of(model)
    features = has_features(model)
    if isinstance(last, Solution):
        rule = last.slack_rule
        one_class = "ordinary_region" if isinstance(rule, Level | Ball) else "decision_boundary"
        return ("tube" if isinstance(rule, Tube) else one_class) if features else "alphas"
    if isinstance(last, SOLUTIONS):
        return "decision_boundary" if features else "convergence"
    if isinstance(last, KernelPCA):
        return "embedding" if features else "kernel_matrix"
    if isinstance(last, Kernel):
        return "kernel_matrix"
    for is_kind, picture, other in (
        (is_outlier_detector, "ordinary_region", "kernel_matrix"),
        (is_regressor, "tube", "kernel_matrix"),
        (is_classifier, "decision_boundary", "margin_distribution"),
    ):
        if is_a(is_kind, last):
            return picture if features else other
    return ""


def refuse(owner: str, wanted: str, model: Any, why: str = "") -> NoReturn:
    """Say what a picture draws, what was given, and which picture draws that.

    Raises
    ------
    InvalidInput
        Always.
    """
    right = right_picture(model)
    advice = f" Use plots.{right} for it." if right and right != owner else ""
    reason = f": {why}" if why else ""
    raise InvalidInput(f"{owner} draws {wanted}. Got {type(last_of(model)).__name__}{reason}.{advice}")
