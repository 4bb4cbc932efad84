"""The one subproblem behind a model without classes: its solution, and what it says of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.plots._subject import same_rows
from maxmargin.problems import SlackRule
from maxmargin.solution import Solution

__all__ = ["Subproblem", "subproblem_of"]


@final
@dataclass(frozen=True, eq=False)
class Subproblem:
    """A solution, and the steps that rows take before they reach it."""

    solution: Solution
    transform: Callable[[Any], Any]

    def scores(self, rows: Any) -> NDArray[np.float64]:
        """``f`` of rows as the caller has them."""
        return self.solution.decision_function(self.transform(rows))

    def support_among(self, rows: Any) -> NDArray[np.int64] | None:
        """Row numbers of the support vectors, if these are the rows that were trained on."""
        solution = self.solution
        same = rows.shape[0] == solution.n and same_rows(self.transform(rows), solution.support, solution.support_vectors)
        return solution.support.astype(np.int64) if same else None


def subproblem_of(model: Any, slack_rules: tuple[type[SlackRule], ...], owner: str, wanted: str) -> Subproblem:
    """Look into a fitted estimator, a pipeline that ends in one, or a solution.

    Raises
    ------
    InvalidInput
        When its scores do not mean what the picture shows.
    """
    steps: list[Any] = []
    last = model
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps[:-1] if step not in (None, "passthrough")]
        last = model.steps[-1][1]

    def transform(rows: Any) -> Any:
        for step in steps:
            rows = step.transform(rows)
        return rows

    if isinstance(last, Solution):
        found = [last]
    elif hasattr(type(last), "solutions_"):
        check_is_fitted(last)
        found = last.solutions_
    else:
        found = []
    if not found or not isinstance(found[0].slack_rule, slack_rules):
        raise InvalidInput(
            f"{owner} draws {wanted}, a Pipeline that ends in one, or its Solution. Got {type(model).__name__}. "
            "(After a grid search pass search.best_estimator_.)"
        )
    if len(found) > 1:
        raise InvalidInput(f"{owner} draws one output. Got a model of {len(found)}; pass one of its solutions_.")
    if found[0].kernel.is_precomputed:
        raise InvalidInput(f"{owner} needs features to draw. Got a precomputed kernel. Fit with the kernel itself instead.")
    return Subproblem(found[0], transform)
