"""How a fit ended."""

from __future__ import annotations

from enum import Enum

from maxmargin.solution._table import html_table

__all__ = ["Status"]


class Status(Enum):
    """How a fit ended. Each member has a message and advice for the user; they are ordered from mildest to most severe.

    Examples
    --------
    >>> from maxmargin.solution import Status
    >>> Status.TIME_LIMIT
    <Status.TIME_LIMIT: the time limit was reached. Raise max_time, or train on fewer rows.>
    """

    CONVERGED = ("the solution is optimal within the tolerance", "")
    ZERO_OPTIMUM = (
        "the optimum cannot be distinguished from 0, which lies between the two objectives; their gap is at most 1e-9 of their "
        "scale",
        "",
    )
    INDEFINITE = (
        "the kernel matrix is not positive semidefinite: the solution is stationary, but nothing bounds its distance "
        "from the optimum",
        "Use a Mercer kernel (linear, polynomial with coef0 >= 0, RBF), or keep the model if it predicts well.",
    )
    STALLED = (
        "rounding errors stopped progress before the tolerance was reached",
        "Scale the features (StandardScaler), or raise tol.",
    )
    ITERATION_LIMIT = ("the iteration limit was reached", "Raise max_iter, or scale the features.")
    TIME_LIMIT = ("the time limit was reached", "Raise max_time, or train on fewer rows.")
    INTERRUPTED = ("the fit was interrupted", "If nobody asked for it, fit again and let it finish.")
    INFEASIBLE = ("no point satisfies the constraints", "Allow slack: choose a finite C.")
    INSEPARABLE = (
        "no hyperplane separates the classes: some rows are misclassified whatever the weights",
        "Allow slack (SVC, LinearSVC), or use another kernel; the weights with the fewest misclassified rows are kept.",
    )
    SEPARABLE = (
        "a hyperplane separates the classes: without a penalty the loss keeps falling as |w| grows, and has no minimum",
        "Set a penalty: penalty='l2'.",
    )
    DIVERGED = (
        "the steps were too long: the objective rose instead of falling",
        "Take the automatic step or a shorter one (for stochastic steps a longer delay), and scale the features.",
    )
    UNBOUNDED = ("the objective is unbounded below", "Add constraints, or make Q positive definite.")

    def __repr__(self) -> str:
        return f"<Status.{self.name}: {'. '.join(filter(None, self.value))}>"

    @property
    def message(self) -> str:
        """What happened."""
        return self.value[0]

    @property
    def advice(self) -> str:
        """What to do about it."""
        return self.value[1]

    @property
    def is_optimal(self) -> bool:
        """Whether the certificate proves the solution optimal: CONVERGED or ZERO_OPTIMUM."""
        return self in (Status.CONVERGED, Status.ZERO_OPTIMUM)

    @property
    def severity(self) -> int:
        """Rank among the members, 0 for CONVERGED: the status of several fits is the most severe of theirs."""
        return _SEVERITY[self]


_SEVERITY = {status: rank for rank, status in enumerate(Status)}


def _html(status: Status) -> str:
    advice = [("advice", status.advice)] if status.advice else []
    return html_table([("status", status.name), ("what happened", status.message), *advice])


# The body of an Enum may not define this name in Python 3.11.
Status._repr_html_ = _html  # type: ignore[attr-defined]  # an Enum reserves _names_ in its body
