"""Training of all classes at once, in the layout of one-vs-rest."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin._answers import answer_joint
from maxmargin._solve import complaint
from maxmargin.errors import InvalidInput
from maxmargin.estimators._assembly import Assembly
from maxmargin.estimators._fitted import Fitted, RowKind
from maxmargin.estimators._records import Records, certificates
from maxmargin.estimators._reporting import report_for
from maxmargin.estimators._training import Budget
from maxmargin.kernels import Gram
from maxmargin.problems import JointMulticlass
from maxmargin.solution import JointSolution, Trace
from maxmargin.solution._trace import thinned
from maxmargin.solvers import JointRows
from maxmargin.validation import TrainingSet, take_rows

if TYPE_CHECKING:
    from maxmargin.estimators._classifier import KernelClassifier

__all__ = ["joint_solution", "train_joint"]


def train_joint(
    model: KernelClassifier,
    gram: Gram,
    data: TrainingSet,
    upper: NDArray[np.float64],
    budget: Budget,
    start: JointSolution | None = None,
) -> tuple[Assembly, Records, NDArray[np.int32]]:
    """Coefficients in the layout of one-vs-rest, what is kept of the answer, and its steps."""
    problem = JointMulticlass.on(gram, data.codes, data.classes, upper)
    with report_for(model.verbose, 1) as report:
        follow = report.start("all classes")
        solution = answer_joint(
            problem,
            _solver(model),
            budget.tol,
            budget.max_iter,
            budget.deadline.left(),
            callback=follow,
            start=start,
            with_rows=False,
        )
        report.done(solution)
    if (said := complaint(solution)) is not None:
        warnings.warn(said[0], said[1], stacklevel=3)
    codes = data.codes[solution.support]
    by_class = np.argsort(codes, kind="stable")
    parts = Assembly(
        rows=solution.support[by_class].astype(np.intp),
        n_support=np.bincount(codes, minlength=len(data.classes)).astype(np.int32),
        dual=np.ascontiguousarray(solution.coefficients[by_class].T),
        intercept=solution.bias,
    )
    certificate = solution.certificate
    objectives = certificate.primal_objective, certificate.dual_objective
    violation = math.copysign(certificate.kkt_violation, -1.0 if math.isnan(certificate.gap) else 1.0)  # as `_records` has it
    checkpoints = thinned(solution.trace.checkpoints, np.array([len(solution.trace)]), len(solution.support))[0]
    records = Records(
        statuses=(solution.status.name,),
        numbers=np.array([[*objectives, violation, 0.0, 0.0, certificate.scale]], dtype=np.float64),
        scores=np.empty(0),
        boundary=np.empty(0, dtype=np.int32),
        boundary_excess=np.empty(0),
        prices=np.empty(0),
        checkpoints=checkpoints,
        counts=np.array([[0, len(checkpoints), solution.n]], dtype=np.int32),
        sums=np.zeros((1, 2)),
        sides=np.empty(0, dtype=np.int8),
        rows=None,
    )
    return parts, records, np.array([max(1, solution.steps)], dtype=np.int32)


def _solver(model: KernelClassifier) -> Any:
    if isinstance(model.solver, str):
        if model.solver != "auto":
            raise InvalidInput(
                f"multi_class='joint' has a solver of its own. Got solver={model.solver!r}. Set solver='auto',"
                " or give a maxmargin.solvers.JointRows."
            )
        return JointRows(cache_size=model.cache_size)
    return model.solver


def joint_solution(
    records: Records, fitted: Fitted, *, classes: NDArray[Any], kind: RowKind, support: NDArray[np.int32], n: int, steps: int
) -> JointSolution:
    """Put the answer of all classes together again."""
    order = np.argsort(support, kind="stable")
    (certificate,) = certificates(records)
    return JointSolution(
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
