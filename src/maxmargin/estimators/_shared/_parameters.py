"""Checks of parameters, at fit, in scikit-learn's words."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.errors import InvalidInput
from maxmargin.kernels import check_degree
from maxmargin.problems import Offset
from maxmargin.solvers import DUAL_SOLVERS, SMO
from maxmargin.validation import (
    check_boolean,
    check_integer,
    check_non_negative,
    check_option,
    check_positive,
    check_real,
    reject,
)
from maxmargin.validation import check_random_seed as check_random_state

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._classifier import KernelClassifier
    from maxmargin.estimators._kernel._model import KernelModel

__all__ = [
    "check_budget",
    "check_class_weight",
    "check_dual",
    "check_intercept",
    "check_kernel_numbers",
    "check_max_time",
    "check_random_state",
    "check_search",
    "check_shape_of_scores",
    "check_votes",
    "chosen_solver",
    "offset_of",
]


def check_search(model: KernelModel) -> None:
    """Raise `InvalidInput` for the first parameter of kernel or search that is not acceptable; kernels check themselves."""
    owner = type(model).__name__
    check_kernel_numbers(model)
    check_boolean("shrinking", model.shrinking, owner)
    check_boolean("warm_start", model.warm_start, owner)
    _check_cache_size(model.cache_size, owner)
    check_budget(model, fewest=-1)


def check_kernel_numbers(model: Any) -> None:
    """The same for the numbers of a kernel that is named by a string."""
    owner = type(model).__name__
    check_degree(model.degree, owner)
    _check_gamma(model.gamma, owner)
    check_real("coef0", model.coef0, owner)


def check_budget(model: Any, *, fewest: int) -> None:
    """The same for when to stop and what to report; ``max_iter`` is at least ``fewest``."""
    owner = type(model).__name__
    check_positive("tol", model.tol, owner)
    _check_verbose(model.verbose, owner)
    check_integer("max_iter", model.max_iter, owner, fewest)
    check_max_time(model.max_time, owner)


def check_votes(model: KernelClassifier) -> None:
    """The same for parameters of classes and their scores."""
    owner = type(model).__name__
    check_class_weight(model.class_weight, owner)
    check_option("decision_function_shape", model.decision_function_shape, owner, ("ovo", "ovr"))
    check_boolean("break_ties", model.break_ties, owner)
    check_boolean("probability", model.probability, owner)
    check_random_state(model.random_state, owner)


def check_shape_of_scores(decision_function_shape: str, *, one_vs_rest: bool) -> None:
    """Raise if scores of pairs are asked for where the binary classifiers are not for pairs."""
    if one_vs_rest and decision_function_shape == "ovo":
        raise InvalidInput(
            "decision_function_shape='ovo' needs a binary classifier for each pair of classes, and multi_class='ovr'"
            " trains one for each class. Set decision_function_shape='ovr', or multi_class='ovo'."
        )


def chosen_solver(model: KernelModel) -> Any:
    """The solver object that the parameters ``solver``, ``cache_size`` and ``shrinking`` describe."""
    if isinstance(model.solver, str):
        check_option("solver", model.solver, type(model).__name__, ("auto", *DUAL_SOLVERS))
        if model.solver in ("auto", "smo"):
            return SMO(cache_size=model.cache_size, shrinking=bool(model.shrinking))
    if model.cache_size != "auto" or not model.shrinking:
        raise InvalidInput(
            "A solver other than 'smo' has its own cache_size and shrinking."
            f" Got cache_size={model.cache_size!r} and shrinking={model.shrinking!r} beside {model.solver!r}."
            " Set them on the solver and leave the estimator's at their defaults."
        )
    return model.solver


def check_dual(value: Any, owner: str) -> None:
    """Raise for what is neither a bool nor "auto"."""
    if not isinstance(value, bool | np.bool_) and not (isinstance(value, str) and value == "auto"):
        raise reject("dual", value, owner, "an instance of 'bool' or the str 'auto'")


def check_intercept(model: Any, *, automatic_scale: bool = False) -> None:
    """The same for ``penalise_intercept`` and ``intercept_scaling`` of a linear model, which may be "auto" for some."""
    owner = type(model).__name__
    check_boolean("fit_intercept", model.fit_intercept, owner)
    if model.penalise_intercept is not None:
        check_boolean("penalise_intercept", model.penalise_intercept, owner)
    automatic = automatic_scale and isinstance(model.intercept_scaling, str) and model.intercept_scaling == "auto"
    scale = 1.0 if automatic else check_positive("intercept_scaling", model.intercept_scaling, owner)
    if scale != 1.0 and model.penalise_intercept is not None and not model.penalise_intercept:
        raise InvalidInput(
            f"intercept_scaling={model.intercept_scaling!r} means something only where the intercept is penalised."
            " Set penalise_intercept=True, or leave intercept_scaling at 1."
        )


def offset_of(model: Any) -> tuple[Offset, float]:
    """What kind of offset these describe, and its scale."""
    scale = float(model.intercept_scaling)
    penalised = scale != 1.0 if model.penalise_intercept is None else model.penalise_intercept
    if model.fit_intercept and penalised:
        return Offset.PENALISED, scale
    return (Offset.FREE if model.fit_intercept else Offset.NONE), 1.0


def _check_gamma(value: Any, owner: str) -> None:
    if isinstance(value, str) and value in ("auto", "scale"):
        return
    try:
        check_non_negative("gamma", value, owner)
    except InvalidInput:
        raise reject("gamma", value, owner, "a str among {'auto', 'scale'} or a float in the range [0.0, inf)") from None


def _check_cache_size(value: Any, owner: str) -> None:
    if isinstance(value, str) and value == "auto":
        return
    try:
        check_positive("cache_size", value, owner)
    except InvalidInput:
        raise reject("cache_size", value, owner, "a str among {'auto'} or a float in the range (0.0, inf), in MB") from None


def check_class_weight(value: Any, owner: str) -> None:
    """Raise for what is neither a mapping, "balanced" nor None."""
    if value is None or isinstance(value, Mapping) or (isinstance(value, str) and value == "balanced"):
        return
    raise reject("class_weight", value, owner, "a str among {'balanced'}, an instance of 'dict' or None")


def _check_verbose(value: Any, owner: str) -> None:
    if isinstance(value, bool | np.bool_) or (isinstance(value, Integral) and int(value) >= 0):
        return
    raise reject("verbose", value, owner, "an int in the range [0, inf), an instance of 'bool'")


def check_max_time(value: Any, owner: str) -> None:
    """Raise for what is neither a limit in seconds nor None."""
    try:
        if value is not None:
            check_positive("max_time", value, owner, infinite=True)
    except InvalidInput:
        raise reject("max_time", value, owner, "a float in the range (0.0, inf], in seconds, or None") from None
