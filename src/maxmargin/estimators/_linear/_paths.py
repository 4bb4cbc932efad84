"""Fits of one linear estimator on the same rows with one C after the other, each from the one before."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, final

from maxmargin._deadline import Deadline
from maxmargin._solve import solve_linear_path, solve_linear_paths, together
from maxmargin.errors import MaxmarginError
from maxmargin.estimators._linear._logistic import LogisticRegression
from maxmargin.estimators._linear._svc import LinearSVC
from maxmargin.estimators._linear._svr import LinearSVR
from maxmargin.estimators._shared._paths import Answers, FitPath, NotThere

__all__ = ["LINEAR_PATHS", "LinearPath", "linear_path_refusal", "solve_linear_paths_of"]

LINEAR_PATHS: Final[dict[Any, str]] = {LinearSVC: "C", LinearSVR: "C", LogisticRegression: "C"}
"""The parameter that grows along a path."""


def linear_path_refusal(model: Any) -> str | None:
    """Why fits of this estimator do not go together; None if they do."""
    if model.max_time is not None:
        return "max_time limits each fit"
    if model.verbose:
        return "verbose reports on each fit"
    solver = getattr(model, "solver", "auto")
    if not isinstance(solver, str) or solver not in ("auto", "newton"):
        return f"the solver is {solver!r}"
    return None


@final
class LinearPath(FitPath):
    """Fits that differ in C.

    Parameters
    ----------
    models : sequence of estimators
        Unfitted; alike but for C.
    X, y, sample_weight
        What each is fitted to.
    """

    def __init__(self, models: Sequence[Any], X: Any, y: Any, sample_weight: Any) -> None:
        super().__init__(models)
        self._fitted: list[Any] = [None] * len(models)
        self._places: list[int] = []
        self.stages: list[list[Any]] = []
        plan: Any = None
        for k in sorted(range(len(models)), key=lambda k: float(models[k].C)):
            own = copy.copy(models[k])
            own.warm_start = False
            try:
                own._check_own()
                if math.isinf(own.C):  # without a penalty: another problem
                    continue
                plan = own._plan(X, y, sample_weight) if plan is None else plan
                problems = own._problems_like(plan)
            except MaxmarginError:  # the fit by itself says what is wrong
                continue
            self._places.append(k)
            self.stages.append(problems)
        if plan is None:
            raise NotThere("no C is finite and positive")
        self.plan = plan

    @property
    def goes_together(self) -> bool:
        """Whether it can be solved at the same time as others."""
        return together(self.stages[0], self.plan.solver)

    def take(self, solutions: Sequence[Sequence[Any]]) -> None:
        """Take over the solutions of all stages; what is not optimal must be fitted by itself."""
        learnt = {name: value for name, value in vars(self.plan.model).items() if name.endswith("_in_")}
        for k, problems, found in zip(self._places, self.stages, solutions, strict=True):
            model = copy.copy(self.models[k])
            model.warm_start = False
            vars(model).update(learnt)
            model._adopt(self.plan.rows, model._as_stored(replace(self.plan, model=model, problems=problems), list(found)))
            if model.fit_status_ == 0:
                self._fitted[k] = model
        self.stages = []

    def gaps(self) -> list[float]:
        """The relative duality gap of each model; NaN where it must be fitted by itself."""
        return [math.nan if model is None else float(model.certificate_.relative_gap) for model in self._fitted]

    def answers(self, X: Any) -> list[Answers | None]:
        """What each model says of rows; None where it must be fitted by itself."""
        return [None if model is None else _answer(model, X) for model in self._fitted]


def _answer(model: Any, X: Any) -> Answers:
    if isinstance(model, LinearSVR):
        return Answers(model.predict(X))
    probabilities = partial(model.predict_proba, X) if isinstance(model, LogisticRegression) else None
    return Answers(model.predict(X), partial(model.decision_function, X), model.classes_, probabilities)


def solve_linear_paths_of(paths: Sequence[LinearPath], deadline: Deadline) -> bool:
    """Search all paths, those that can at the same time; True if Ctrl-C ended that."""
    kinds: dict[tuple[float, int], list[LinearPath]] = {}
    for path in paths:
        first = path.plan.model
        if path.goes_together:
            kinds.setdefault((float(first.tol), int(first.max_iter)), []).append(path)
        else:
            path.take(solve_linear_path(path.stages, path.plan.solver, first.tol, first.max_iter, deadline))
    for (tol, max_iter), some in kinds.items():
        each = [list(of_class) for path in some for of_class in zip(*path.stages, strict=True)]
        found, interrupted = solve_linear_paths(each, tol, max_iter, deadline)
        rest = iter(found)
        for path in some:
            path.take(list(zip(*(next(rest) for _ in path.stages[0]), strict=True)))
        if interrupted:
            return True
    return False
