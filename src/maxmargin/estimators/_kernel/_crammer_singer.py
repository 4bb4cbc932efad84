"""All classes at once, in the layout of one-vs-rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._assembly import Assembly
from maxmargin.estimators._kernel._records import Records, certificates
from maxmargin.estimators._shared._fitted import Fitted, RowKind
from maxmargin.solution import CERTIFICATE, ClassRows, CrammerSingerSolution, Trace, counting_rows, leads, thinned
from maxmargin.solvers import CrammerSingerDescent
from maxmargin.validation import TrainingSet, take_rows

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._classifier import KernelClassifier

__all__ = ["adopt_crammer_singer", "crammer_singer_solution", "crammer_singer_solver"]


def adopt_crammer_singer(data: TrainingSet, solution: CrammerSingerSolution) -> tuple[Assembly, Records, NDArray[np.int32]]:
    """Coefficients in the layout of one-vs-rest, what is kept of the solution, and its steps."""
    codes = data.codes[solution.support]
    by_class = np.argsort(codes, kind="stable")
    parts = Assembly(
        rows=solution.support[by_class].astype(np.intp),
        n_support=np.bincount(codes, minlength=len(data.classes)).astype(np.int32),
        dual=np.ascontiguousarray(solution.coefficients[by_class].T),
        intercept=solution.bias,
    )
    checkpoints = thinned(solution.trace.checkpoints, np.array([len(solution.trace)]), len(solution.support))[0]
    none = np.zeros(1, dtype=np.int32)
    # Scores of support vectors are computed again where their rows are known; rows without slack and multipliers need none.
    known = solution.kkt_data
    assert known is not None  # every solution of a solver has it
    beside = counting_rows(known, solution.support, solution.alpha)
    scores = known.scores[solution.support][by_class] if solution.kernel.is_precomputed else np.empty(0)
    records = Records(
        statuses=(solution.status.name,),
        certificates=np.array([(*solution.certificate.numbers, 0.0, 0.0)], dtype=CERTIFICATE),
        scores=scores.ravel(),
        boundary=data.of_kept_rows(beside.astype(np.intp)).astype(np.int32),
        boundary_deficit=1.0 - leads(known.scores[beside], known.codes[beside]),
        costs=np.concatenate([known.cost[solution.support][by_class], known.cost[beside]]),
        checkpoints=checkpoints,
        n_boundary=none + len(beside),
        n_checkpoints=none + len(checkpoints),
        n_trained=none + solution.n,
        total=np.zeros(1),
        by_side=np.zeros(1, dtype=np.bool_),
        sides=np.zeros(len(beside), dtype=np.int8),
        rows=None,
        solver=solution.solver,
    )
    return parts, records, np.array([max(1, solution.steps)], dtype=np.int32)


def crammer_singer_solver(model: KernelClassifier) -> Any:
    """What the parameters ``solver`` and ``cache_size`` describe for all classes at once."""
    if isinstance(model.solver, str):
        if model.solver != "auto":
            raise InvalidInput(
                f"multi_class='joint' has a solver of its own. Got solver={model.solver!r}. Set solver='auto',"
                " or give a maxmargin.solvers.CrammerSingerDescent."
            )
        return CrammerSingerDescent(cache_size=model.cache_size)
    return model.solver


def crammer_singer_solution(
    records: Records, fitted: Fitted, *, classes: NDArray[Any], kind: RowKind, support: NDArray[np.int32], n: int, steps: int
) -> CrammerSingerSolution:
    """Put the solution for all classes together again."""
    order = np.argsort(support, kind="stable")
    (certificate,) = certificates(records)
    return CrammerSingerSolution(
        n=n,
        classes=classes,
        support=support[order],
        coefficients=np.ascontiguousarray(fitted.dual[:, order].T),
        bias=fitted.intercept,
        status=certificate.status,
        certificate=certificate,
        trace=Trace(records.checkpoints),
        steps=steps,
        kernel=fitted.kernel,
        support_vectors=support[order] if kind is RowKind.PAIRWISE else take_rows(fitted.vectors, order),
        solver=records.solver,
        rows=_counting(records, order, np.repeat(np.arange(len(classes)), np.diff(fitted.bounds)), len(classes)),
    )


def _counting(records: Records, order: NDArray[np.intp], codes: NDArray[np.intp], classes: int) -> ClassRows:
    """The rows that count, of support vectors in another order than their classes'."""
    found, scores, costs = len(order), records.scores, records.costs
    if len(costs) > 0 and (costs == costs[0]).all():  # a pickle has one for all, and does not know for how many
        costs = np.full(found + len(records.boundary), costs[0])
    if not len(codes) == found == len(costs) - len(records.boundary) or len(scores) not in (0, found * classes):
        raise InvalidInput("The records of the fit were altered: they do not fit the support vectors. Fit it again.")
    if len(records.boundary) != len(records.boundary_deficit):
        raise InvalidInput("The records of the fit were altered: there is not one deficit for each row. Fit it again.")
    return ClassRows(
        codes=codes[order],
        boundary=records.boundary,
        deficit=records.boundary_deficit,
        cost=np.concatenate([costs[:found][order], costs[found:]]),
        scores=scores.reshape(found, classes)[order] if len(scores) else None,
    )
