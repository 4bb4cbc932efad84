"""All classes at once, in the layout of one-vs-rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._assembly import Assembly
from maxmargin.estimators._kernel._records import Records, certificates
from maxmargin.estimators._shared._fitted import Fitted, RowKind
from maxmargin.solution import CERTIFICATE, CrammerSingerSolution, Trace, thinned
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
    records = Records(
        statuses=(solution.status.name,),
        certificates=np.array([(*solution.certificate.numbers, 0.0, 0.0)], dtype=CERTIFICATE),
        scores=np.empty(0),
        boundary=np.empty(0, dtype=np.int32),
        boundary_deficit=np.empty(0),
        costs=np.empty(0),
        checkpoints=checkpoints,
        n_boundary=none,
        n_checkpoints=none + len(checkpoints),
        n_trained=none + solution.n,
        total=np.zeros(1),
        by_side=np.zeros(1, dtype=np.bool_),
        sides=np.empty(0, dtype=np.int8),
        rows=None,
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
    )
