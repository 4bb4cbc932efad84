"""Training of linear models of all classes at once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin._answers import answer_classes
from maxmargin._solve import complaint
from maxmargin.estimators._reporting import report_for
from maxmargin.estimators._training import Deadline
from maxmargin.estimators._warm import hold, starts_anew
from maxmargin.problems import LinearClasses
from maxmargin.solution import ClassesSolution
from maxmargin.solvers import select_classes
from maxmargin.validation import TrainingSet

__all__ = ["keep_classes", "train_classes"]


def train_classes(
    model: Any, problem: LinearClasses, solver: Any, deadline: Deadline, start: ClassesSolution | None = None
) -> ClassesSolution:
    """Solve the problem of an estimator, report, and warn of an ending that is not the optimum."""
    if start is not None and not select_classes(solver, problem).takes_start:
        starts_anew(model, "its solver cannot begin at a given point")
        start = None
    with report_for(model.verbose, 1) as report:
        follow = report.start("all classes")
        solution = answer_classes(problem, solver, model.tol, model.max_iter, deadline.left(), callback=follow, start=start)
        report.done(solution)
    if (said := complaint(solution)) is not None:
        warnings.warn(said[0], said[1], stacklevel=3)
    return solution


def keep_classes(model: Any, data: TrainingSet, factors: NDArray[np.float64], solution: ClassesSolution) -> None:
    """Give an estimator its fitted attributes; of two classes one score is kept, that of the second minus that of the first."""
    two = len(data.classes) == 2
    model.classes_ = data.classes
    model.class_weight_ = factors
    model.coef_ = np.diff(solution.weights, axis=0) if two else solution.weights
    model.intercept_ = np.diff(solution.bias) if two else solution.bias
    model.n_iter_ = max(1, solution.steps)
    model.certificate_ = solution.certificate
    model.status_ = solution.status
    model.fit_status_ = int(not solution.status.is_optimal)
    hold(model, solution)
