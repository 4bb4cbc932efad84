"""How a fit ended."""

from __future__ import annotations

from enum import Enum

__all__ = ["Status"]


class Status(Enum):
    """How a fit ended; each member carries the user's message and advice, mildest first."""

    CONVERGED = ("the solution is optimal within the tolerance", "")
    ZERO_OPTIMUM = (
        "the optimum cannot be told from 0: it lies between the two objectives, and their gap is at most 1e-9 of their scale",
        "",
    )
    INDEFINITE = (
        "the kernel matrix is not positive semidefinite: the solution is stationary, but nothing bounds its distance "
        "from the optimum",
        "Use a Mercer kernel (linear, polynomial with coef0 >= 0, RBF), or keep the model if it predicts well.",
    )
    STALLED = (
        "rounding errors stopped the progress before the tolerance was reached",
        "Scale the features (StandardScaler), or ask for fewer digits (tol).",
    )
    ITERATION_LIMIT = ("the limit of steps was reached", "Raise max_iter, or scale the features.")
    TIME_LIMIT = ("the time limit was reached", "Raise max_time, or train on fewer rows.")
    INTERRUPTED = ("the fit was interrupted", "Fit again and let it finish, or set max_time.")
    INFEASIBLE = ("no point satisfies the constraints", "Allow slack: choose a finite C.")
    INSEPARABLE = (
        "no hyperplane separates the classes: some rows stay wrong whatever the weights",
        "Allow slack (SVC, LinearSVC), or take another kernel; the weights with the fewest wrong rows are kept.",
    )
    SEPARABLE = (
        "a hyperplane separates the classes: without a penalty the loss falls for ever as |w| grows, and has no minimum",
        "Set a penalty: penalty='l2'.",
    )
    DIVERGED = (
        "the steps were too long: the objective rose instead of falling",
        "Take the automatic step or a shorter one (for stochastic steps a longer delay), and scale the features.",
    )
    UNBOUNDED = ("the objective falls without end", "Add constraints, or make Q positive definite.")

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
        """Rank among the members, 0 for converged: the worst of several fits stands for all."""
        return _SEVERITY[self]


_SEVERITY = {status: rank for rank, status in enumerate(Status)}
