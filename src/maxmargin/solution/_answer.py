"""What is known of a problem once it is solved and judged; a `Solution` is made of it where somebody asks for one."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.problems import Inseparable, Model, NoTube, Problem
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._certify import Judgement, allowed_gap
from maxmargin.solution._iterate import Iterate
from maxmargin.solution._solution import Solution
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Checkpoint, Trace

__all__ = ["Answer", "is_indefinite", "verdict", "worth_keeping"]

_FEW = 1000


@final
class Answer(NamedTuple):
    """A problem, the point that a solver found, and what the judge says of it.

    Of many machines that are all well not even this is made: an estimator keeps `Columns`.

    Attributes
    ----------
    problem : Problem
        The question.
    iterate : Iterate
        The solver's last point.
    judgement : Judgement
        The judge's numbers of it.
    model : Model
        The same in the formulation's own terms.
    certificate : Certificate
        How near the optimum.
    proof : Inseparable, NoTube or None
        Why there is no answer.
    seconds : float
        How long it took.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> from maxmargin.solution._answer import Answer
    >>> from maxmargin.solvers import SMO, Limits, Start
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear())
    >>> limits = Limits(tol=1e-3, max_steps=100, max_seconds=0.0)
    >>> (iterate,) = SMO().run([problem], [Start.zero(problem.dual)], limits, None)
    >>> Answer.of(problem, iterate, certify(problem, iterate.beta), tol=1e-3, seconds=0.1).solution().weights
    array([1.])
    """

    problem: Problem
    iterate: Iterate
    judgement: Judgement
    model: Model
    certificate: Certificate
    proof: Inseparable | NoTube | None
    seconds: float

    @classmethod
    def of(cls, problem: Problem, iterate: Iterate, judgement: Judgement, tol: float, seconds: float) -> Answer:
        """Set the status that the certificate supports."""
        model, unit = problem.model(iterate.beta, judgement), problem.unit(judgement)
        if math.isnan(model.primal) or math.isnan(model.dual):
            raise InvalidInput(
                "The objective is not finite: kernel values, targets or C are too large. Scale the features and y."
            )
        proof = problem.proof(iterate.beta, judgement)
        indefinite = is_indefinite(problem, iterate, judgement)
        status = Status.INFEASIBLE if proof is not None else _status(problem, iterate, judgement, tol, indefinite)
        # Of a point that is no optimum the objective of its own model, not the smaller one of bounds that none meets.
        own = model.primal if status.is_optimal else model.primal + problem.beyond(judgement)
        primal = own if proof is None else math.inf
        violation = unit * judgement.kkt_violation
        certificate = Certificate.of(primal, model.dual, violation, status, indefinite=indefinite, scale=judgement.scale)
        return cls(problem, iterate, judgement, model, certificate, proof, seconds)

    @property
    def status(self) -> Status:
        """How the fit ended."""
        return self.certificate.status

    @property
    def steps(self) -> int:
        """Pair steps."""
        return self.iterate.steps

    @property
    def support(self) -> NDArray[np.int32]:
        """Rows with a coefficient that is not 0."""
        return self.judgement.support

    def at_support(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of one value for each row those of the support vectors."""
        return values.take(self.judgement.support.astype(np.intp))  # numpy takes other integers slowly

    def at_boundary(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of one value for each row those of the rows on the boundary."""
        return values.take(self.judgement.boundary.astype(np.intp))

    @property
    def boundary_excess(self) -> NDArray[np.float64]:
        """By how much the rows on the boundary are beyond it."""
        return self.model.reading.excess(self.at_boundary(self.problem.y), self.at_boundary(self.model.scores))

    @property
    def boundary_side(self) -> NDArray[np.float64]:
        """The sign that their coefficients could have."""
        y, scores = self.at_boundary(self.problem.y), self.at_boundary(self.model.scores)
        return self.model.reading.side(y, scores, np.zeros(len(y)))

    @property
    def keeps_boundary(self) -> bool:
        """Whether the rows on the boundary are kept themselves."""
        judgement, excess = self.judgement, self.boundary_excess
        return self.status.is_optimal and worth_keeping(excess, len(judgement.support), self.certificate.kkt_violation)

    @property
    def remark(self) -> str:
        """What must be said of an optimum that tells nothing, or of what could not be decided; empty for all others."""
        if self.status is Status.STALLED:
            return self.problem.undecided(self.judgement)
        return self.problem.remark(self.judgement) if self.status.is_optimal else ""

    def solution(self, *, with_rows: bool = True) -> Solution:
        """All of it as a solution; without the support vectors themselves where they are not needed."""
        support = self.judgement.support
        return Solution(
            n=len(self.judgement.scores),
            support=support,
            beta=self.at_support(self.model.beta),
            support_scores=self.at_support(self.model.scores),
            support_y=self.at_support(self.problem.y),
            boundary=self.judgement.boundary,
            boundary_excess=self.boundary_excess,
            bias=self.model.bias,
            bias_interval=self.model.bias_interval,
            status=self.status,
            certificate=self.certificate,
            trace=self._closed_trace(),
            steps=self.iterate.steps,
            kernel=self.problem.gram.kernel,
            support_vectors=self.problem.gram.rows(support) if with_rows else None,
            reading=self.model.reading,
            proof=self.proof,
            terms=self.problem.terms(self.judgement).at(np.concatenate([support, self.judgement.boundary])),
            remark=self.remark,
            boundary_side=self.boundary_side,
            boundary_rows=self.problem.gram.rows(self.judgement.boundary) if with_rows and self.keeps_boundary else None,
            products=self._products() if with_rows and self.problem.gram.kernel.is_precomputed else None,
        )

    def _products(self) -> NDArray[np.float64] | None:
        """Kernel values among the rows that count, if these are few."""
        rows = np.concatenate([self.judgement.support, self.judgement.boundary])
        return self.problem.gram.block(rows, rows) if self.status.is_optimal and len(rows) <= _FEW else None

    def _closed_trace(self) -> Trace:
        """The trace with the point that was judged at its end: the engine's own last checkpoint is before its finish."""
        j = self.judgement
        last = Checkpoint(self.seconds, self.iterate.steps, j.dual, j.kkt_violation, len(j.support), j.gap)
        return self.iterate.trace.closed_by(last)


def worth_keeping(excess: NDArray[np.float64], n_support: int, violation: float) -> bool:
    """Whether rows near the boundary are on it, and not too many: without a margin they could be all."""
    return len(excess) <= max(n_support, _FEW) and float(excess.max(initial=0.0)) <= 10.0 * violation + 1e-3


def is_indefinite(problem: Problem, iterate: Iterate, judgement: Judgement) -> bool:
    """Whether the kernel has negative curvature. What is known to be a Mercer kernel shows only rounding.

    Other kernels are looked at as a whole where they are small: at a stationary point the gap is 0 for any matrix.
    """
    if problem.gram.kernel.mercer:
        return False
    if iterate.indefinite or judgement.square_norm < -1e-9 * max(abs(judgement.primal), abs(judgement.dual)):
        return True
    return problem.gram.is_indefinite()


def verdict(problem: Problem, judgement: Judgement, tol: float) -> Status | None:
    """CONVERGED or ZERO_OPTIMUM if the judgement proves it, else None.

    Converged is a point that is stationary within ``tol``, with a gap of at most ``max(tol, 1e-3)`` of its primal objective.
    """
    if not judgement.is_stationary(tol / problem.unit(judgement)):
        return None
    primal, dual = problem.objectives(judgement)
    if math.isfinite(primal) and primal - dual <= allowed_gap(tol) * abs(primal):
        return Status.CONVERGED
    return Status.ZERO_OPTIMUM if problem.can_be_zero and judgement.is_zero else None


def _status(problem: Problem, iterate: Iterate, judgement: Judgement, tol: float, indefinite: bool) -> Status:
    """The status that the certificate supports."""
    if indefinite and judgement.kkt_violation <= tol / problem.unit(judgement):
        return Status.INDEFINITE
    proven = None if indefinite else verdict(problem, judgement, tol)
    if proven is not None:
        return proven
    return Status.STALLED if iterate.status is Status.CONVERGED else iterate.status
