"""What a fitted model is, on one page."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, cast, final

import numpy as np
from sklearn.utils.validation import check_is_fitted

from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin.errors import InvalidInput
from maxmargin.estimators._shared._exchange import Exchanged
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.problems import Margin
from maxmargin.solution import Kind, Solution, Status

__all__ = ["Summarised", "Summary"]

_WIDTH = 80
_NAMES = 20
_KINDS = {
    Kind.NON_INFORMATIVE: "outside the margin",
    Kind.BOUNDARY: "on the boundary",
    Kind.INSIDE_RIGHT: "inside, right",
    Kind.WRONG: "wrong",
}


@final
@dataclass(frozen=True, repr=False)
class Summary:
    """What a fitted model is: formulation, kernel, certificate, kinds of rows, margin, bounds, time by stage.

    Attributes
    ----------
    title : str
        The estimator.
    sections : tuple
        Name of each section and its lines, each a name and a value.

    Examples
    --------
    >>> from maxmargin import LinearSVC
    >>> summary = LinearSVC().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).summary()
    >>> [name for name, lines in summary.sections]
    ['model', 'certificate', 'rows', 'seconds']
    >>> print(summary)
    LinearSVC
    model
      formulation       linear classifier, loss SquaredHinge, penalty l2
    ...
    """

    title: str
    sections: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]

    def __str__(self) -> str:
        lines = [self.title]
        for section, rows in self.sections:
            lines.append(section)
            for name, value in rows:
                begin = f"  {name}".ljust(_NAMES)
                lines.append(textwrap.fill(value, _WIDTH, initial_indent=begin, subsequent_indent=" " * _NAMES))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        left, lines = "style='text-align:left'", []
        for section, rows in self.sections:
            lines.append(f"<tr><th colspan='2' {left}>{escape(section)}</th></tr>")
            lines += [f"<tr><td {left}>{escape(name)}</td><td {left}>{escape(value)}</td></tr>" for name, value in rows]
        return f"<table><caption {left}>{escape(self.title)}</caption>{''.join(lines)}</table>"


class Summarised(Exchanged, Documented, Versioned, ABC):
    """``summary()`` of a fitted estimator; each says what it minimises."""

    _enums = {"status_": Status, "_rows": RowKind}  # noqa: RUF012  # nobody changes it

    @abstractmethod
    def _formula(self) -> Formula:
        """What it minimises: lines of a name and a text."""

    def summary(self) -> Summary:
        """What the fitted model is: formulation, kernel, certificate, kinds of rows, margin, bounds, time by stage.

        The time is that of the last `fit` of this object; a pickle does not keep it.

        Returns
        -------
        Summary
            Prints as text of 80 columns; a notebook shows a table.
        """
        check_is_fitted(self)
        seconds = vars(self).get("_seconds")
        time = [(name, f"{spent:.3g}") for name, spent in seconds.items()] if seconds else [("time", "not recorded")]
        sections = {
            "model": [*self._formula(), *self._kernel_lines()],
            "certificate": self._proof_lines(),
            "rows": self._row_lines(),
            "seconds": time,
        }
        return Summary(type(self).__name__, tuple((name, tuple(lines)) for name, lines in sections.items() if lines))

    def _kernel_lines(self) -> list[tuple[str, str]]:
        """The kernel with its numbers, of models that have one."""
        kernel = vars(self).get("_kernel")
        if kernel is None:
            return []
        given = cast(Any, self).kernel
        named = given if isinstance(given, str) else repr(given)
        gamma = getattr(kernel, "gamma", None)
        number = "" if gamma is None or kernel.is_linear else f", gamma = {gamma:.6g}"
        return [("kernel", f"{named}{number}")]

    def _proof_lines(self) -> list[tuple[str, str]]:
        """Objectives, gap and status; the status alone where there is no certificate."""
        certificate = getattr(self, "certificate_", None)
        if certificate is not None:
            return cast("list[tuple[str, str]]", certificate.rows())
        status: Status | None = getattr(self, "status_", None)
        return [] if status is None else [("status", f"{status.name}: {status.message}")]

    def _row_lines(self) -> list[tuple[str, str]]:
        """Support vectors, kinds of rows, margin and bounds, where they are known."""
        solutions = getattr(self, "solutions_", [])
        lines = []
        if hasattr(self, "support_"):
            lines.append(("support vectors", f"{len(self.support_)} of {cast(Any, self).shape_fit_[0]} rows"))
        counts = _kinds_of(solutions) if solutions else None
        if counts is not None:
            several = " (over all binary classifiers)" if len(solutions) > 1 else ""
            listed = ", ".join(f"{count} {_KINDS[Kind(kind)]}" for kind, count in enumerate(counts))
            lines.append(("kinds of rows", listed + several))
        if (margin := _narrowest(solutions)) is not None:
            lines.append(("margin", margin))
        if hasattr(self, "C") and (bound := _left_out(solutions)) is not None:
            lines.append(("leave-one-out", f"error at most {bound:.4g}: the fraction of support vectors"))
        return [*lines, *self._own_lines()]

    def _own_lines(self) -> list[tuple[str, str]]:
        """What only this estimator has."""
        return []

    def __getstate__(self) -> dict[str, Any]:
        """Without the seconds: the same fit has the same pickle."""
        state = super().__getstate__()
        state.pop("_seconds", None)
        return state


def _kinds_of(solutions: Sequence[Any]) -> tuple[int, ...] | None:
    """How many rows are of each `Kind`, in all subproblems; None where rows have no kinds."""
    counts = np.zeros(len(Kind), dtype=np.int64)
    for solution in solutions:
        try:
            counts += np.bincount(solution.taxonomy, minlength=len(Kind))
        except InvalidInput:
            return None
        if isinstance(solution, Solution) and solution.n_trained is not None:  # rows of other classes count as non-informative
            counts[Kind.NON_INFORMATIVE] -= solution.n - solution.n_trained
    return tuple(counts.tolist())


def _narrowest(solutions: Sequence[Any]) -> str | None:
    try:
        margins = [solution.margin for solution in solutions]
    except InvalidInput:
        return None
    if not margins:
        return None
    return f"{margins[0]:.6g}" if len(margins) == 1 else f"{min(margins):.6g} (the narrowest of {len(margins)})"


def _left_out(solutions: Sequence[Any]) -> float | None:
    """The fraction of support vectors of two classes, which bounds the leave-one-out error; None where it does not."""
    if len(solutions) != 1 or not isinstance(found := solutions[0], Solution) or not isinstance(found.slack_rule, Margin):
        return None
    by_nu = found.kkt_data is not None and found.kkt_data.by_side
    trained = found.n if found.n_trained is None else found.n_trained
    return None if by_nu or not found.status.is_optimal else len(found.support) / trained
