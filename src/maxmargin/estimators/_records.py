"""What is kept of each machine's solution beyond its coefficients, as a few flat arrays.

The coefficients, offsets and support vectors stand in the estimator already; a `Solution` is put together
from both when somebody asks. Row numbers are those of the X given to fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators._fitted import Fitted, RowKind, boundary_rows
from maxmargin.kernels import Gram
from maxmargin.problems import Margin, Reading, Terms
from maxmargin.solution import Certificate, Solution, Status, Trace
from maxmargin.solution._columns import Columns
from maxmargin.solution._trace import KEPT
from maxmargin.validation import TrainingSet, WeightedRows, take_rows

__all__ = ["Records", "certificates", "certificates_of", "record", "solutions"]


@final
@dataclass(frozen=True, eq=False)
class Records:
    """Certificates, offsets, scores and traces of all machines.

    Attributes
    ----------
    statuses : tuple of str
        Name of each machine's status.
    numbers : ndarray of shape (n_machines, 6)
        Primal and dual objective, KKT violation (with a minus sign if an indefinite kernel leaves no gap); smallest and
        largest optimal offset; scale of the objectives where the optimum is 0, else nan.
    scores : ndarray
        Scores at the support vectors of each machine, one machine after the other, in the order of its rows.
    boundary : ndarray of int32
        Rows with coefficient 0 that are on the margin or beyond it, one machine after the other, in the order of its rows.
    boundary_excess : ndarray
        By how much they are beyond it.
    prices : ndarray
        Largest coefficient of each support vector, one machine after the other, and then of each row in boundary.
    checkpoints : structured ndarray
        Thinned traces, one machine after the other.
    counts : ndarray of int32, shape (n_machines, 3)
        How many rows in boundary and how many checkpoints each machine has, and how many rows it was trained on.
    sums : ndarray of shape (n_machines, 2)
        What the coefficients must sum to, and whether ν keeps the sum of their sizes.
    sides : ndarray of int8
        The sign that the coefficient of each row in boundary could have; 0 if both.
    rows : rows or None
        The rows in boundary themselves; None if there are none, or too many, or a machine has not converged.
    """

    statuses: tuple[str, ...]
    numbers: NDArray[np.float64]
    scores: NDArray[np.float64]
    boundary: NDArray[np.int32]
    boundary_excess: NDArray[np.float64]
    prices: NDArray[np.float64]
    checkpoints: NDArray[Any]
    counts: NDArray[np.int32]
    sums: NDArray[np.float64]
    sides: NDArray[np.int8]
    rows: Any

    def __reduce__(self) -> tuple[Callable[..., Records], tuple[Any, ...]]:
        """Pickle the arrays as bytes: a model of ten support vectors should not be mostly headers."""
        return _restored, (
            self.statuses,
            (self.numbers[:, :5] if np.isnan(self.numbers[:, 5]).all() else self.numbers).astype("<f8").tobytes(),
            self.scores.astype("<f8").tobytes(),
            self.boundary.astype("<i4").tobytes(),
            self.boundary_excess.astype("<f8").tobytes(),
            (self.prices[:1] if _all_equal(self.prices) else self.prices).astype("<f8").tobytes(),
            self.sides.tobytes(),
            (self.rows.dtype.str, self.rows.tobytes()) if _is_table(self.rows) else self.rows,
            self.checkpoints.astype(KEPT).tobytes(),
            self.counts.astype("<i4").tobytes(),
            self.sums.astype("<f8").tobytes() if self.sums.any() else b"",  # all 0, as for every C
        )


_DTYPES: tuple[Any, ...] = ("<f8", "<f8", "<i4", "<f8", "<f8", "<i1", KEPT, "<i4", "<f8")


def _is_table(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind == "f"


def _all_equal(prices: NDArray[np.float64]) -> bool:
    return len(prices) > 0 and bool((prices == prices[0]).all())


def _restored(statuses: tuple[str, ...], *parts: Any) -> Records:
    try:
        *before, rows, checkpoints, counts, sums = parts
        flat = [*before, checkpoints, counts, sums]
        numbers, scores, boundary, excess, prices, sides, checkpoints, counts, sums = (
            np.frombuffer(part, dtype) for part, dtype in zip(flat, _DTYPES, strict=True)
        )
        if isinstance(rows, tuple):
            dtype, values = rows
            rows = np.frombuffer(values, np.dtype(str(dtype))).reshape(len(boundary), -1)
        machines = len(statuses)
        if len(prices) == 1:
            prices = np.repeat(prices, len(scores) + len(boundary))
        return Records(
            tuple(Status[name].name for name in statuses),
            _with_scale(numbers.reshape(machines, -1)),
            scores,
            boundary,
            excess,
            prices,
            checkpoints,
            counts.reshape(machines, 3),
            sums.reshape(machines, 2) if len(sums) else np.zeros((machines, 2)),
            sides,
            rows,
        )
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidInput(f"The pickled records were altered: {error}. Fit it again.") from None


def _with_scale(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The numbers of each machine; where no optimum is 0 there is no scale among them."""
    if numbers.shape[1] not in (5, 6):
        raise ValueError(f"{numbers.shape[1]} numbers for a machine, not 5 or 6")
    return np.column_stack([numbers, np.full(len(numbers), np.nan)]) if numbers.shape[1] == 5 else numbers


def record(found: Columns, boundary: NDArray[np.intp], data: TrainingSet | WeightedRows, gram: Gram) -> Records:
    """Keep what the answers have beyond their coefficients.

    Every estimator has a free offset and linear slack, or none: of its terms prices, total and sides say it all.

    Parameters
    ----------
    found : Columns
        The answers.
    boundary : ndarray of intp
        Which of the rows with weight their boundaries have.
    data : TrainingSet or WeightedRows
        These rows, and which of the caller's they are.
    gram : Gram
        Their kernel values.
    """
    kept = len(boundary) > 0 and found.keeps_boundary and not gram.kernel.is_precomputed
    counts = np.empty((len(found.sizes), 3), dtype=np.int32)
    counts[:, 0], counts[:, 1], counts[:, 2] = found.n_boundary, found.n_checkpoints, found.sizes
    return Records(
        statuses=tuple([status.name for status in found.statuses]),
        numbers=found.numbers,
        scores=found.scores,
        boundary=data.of_kept_rows(boundary).astype(np.int32),
        boundary_excess=found.excess,
        prices=found.prices,
        checkpoints=found.checkpoints,
        counts=counts,
        sums=found.sums,
        sides=found.sides.astype(np.int8),
        rows=take_rows(data.X, boundary) if kept else None,
    )


def certificates(records: Records) -> list[Certificate]:
    """The certificate of each machine."""
    return certificates_of(records.numbers, records.statuses)


def certificates_of(numbers: NDArray[np.float64], statuses: Sequence[str]) -> list[Certificate]:
    """The same from the numbers and the names of the statuses."""
    return [
        Certificate.of(primal, dual, abs(violation), Status[name], indefinite=math.copysign(1.0, violation) < 0, scale=scale)
        for (primal, dual, violation, *_, scale), name in zip(numbers.tolist(), statuses, strict=True)
    ]


def solutions(
    records: Records,
    fitted: Fitted,
    *,
    kind: RowKind,
    support: NDArray[np.int32],
    n: int,
    steps: NDArray[np.integer[Any]],
    readings: Sequence[Reading] | None = None,
    targets: NDArray[np.float64] | None = None,
) -> list[Solution]:
    """Put the solutions of all machines together, in LIBSVM's order of pairs.

    Parameters
    ----------
    records : Records
        What fit kept.
    fitted : Fitted
        Coefficients, offsets and support vectors.
    kind : RowKind
        What the rows are.
    support : ndarray
        Row number of each support vector.
    n : int
        Rows of the X given to fit.
    steps : ndarray
        Pair steps of each machine.
    readings : sequence of Reading or None
        What the scores of each machine mean; None for margins.
    targets : ndarray or None
        Targets at the support vectors of each machine, one machine after the other; None for the signs of the coefficients.
    """
    coefficients = fitted.scheme.spread(fitted.dual, fitted.bounds)
    places = [np.flatnonzero(row) for row in coefficients]
    if not fitted.scheme.rows_by_class:
        places = [place[np.argsort(support[place])] for place in places]
    counts = np.array([len(place) for place in places])
    if counts.sum() != len(records.scores):
        raise InvalidInput(
            f"dual_coef_ was altered: it has {counts.sum()} coefficients for {len(records.scores)} scores. Fit it again."
        )
    if (records.counts < 0).any() or records.counts[:, :2].sum(axis=0).tolist() != [
        len(records.boundary),
        len(records.checkpoints),
    ]:
        raise InvalidInput("The records of the fit were altered: their counts do not add up. Fit it again.")
    if len(records.scores) + len(records.boundary) != len(records.prices):
        raise InvalidInput("The records of the fit were altered: there is not one price for each row. Fit it again.")
    if not len(records.boundary) == len(records.boundary_excess) == len(records.sides):
        raise InvalidInput("The records of the fit were altered: there is not one excess for each row. Fit it again.")
    beyond = None if records.rows is None else boundary_rows(records.rows, kind, len(records.boundary), fitted.vectors)
    pieces = zip(
        certificates(records),
        places,
        _split(records.scores, counts),
        _split(records.boundary, records.counts[:, 0]),
        _split(records.boundary_excess, records.counts[:, 0]),
        _split(records.prices[: len(records.scores)], counts),
        _split(records.prices[len(records.scores) :], records.counts[:, 0]),
        _split(np.arange(len(records.boundary)), records.counts[:, 0]),
        _split(records.checkpoints, records.counts[:, 1]),
        strict=True,
    )
    found = []
    known_y = None if targets is None else _split(targets, counts)
    for index, (certificate, held, scores, boundary, excess, paid, paid_outside, stored, checkpoints) in enumerate(pieces):
        up, up_outside = np.argsort(support[held]), np.argsort(boundary)
        place = held[up]
        beta = coefficients[index, place]
        rows = support[place]
        found.append(
            Solution(
                n=n,
                n_trained=int(records.counts[index, 2]),
                support=rows,
                beta=beta,
                support_scores=scores[up],
                boundary=boundary[up_outside],
                boundary_excess=excess[up_outside],
                support_y=np.sign(beta) if known_y is None else known_y[index][up],
                reading=Margin() if readings is None else readings[index],
                bias=float(fitted.intercept[index]),
                bias_interval=(float(records.numbers[index, 3]), float(records.numbers[index, 4])),
                status=certificate.status,
                certificate=certificate,
                trace=Trace(checkpoints),
                steps=int(steps[index]),
                kernel=fitted.kernel,
                support_vectors=rows if kind is RowKind.PAIRWISE else take_rows(fitted.vectors, place),
                terms=Terms(
                    np.concatenate([paid[up], paid_outside[up_outside]]),
                    float(records.sums[index, 0]),
                    by_side=bool(records.sums[index, 1]),
                ),
                boundary_side=records.sides[stored[up_outside]].astype(np.float64),
                boundary_rows=None if beyond is None else take_rows(beyond, stored[up_outside]),
            )
        )
    return found


def _split(flat: NDArray[Any], counts: NDArray[np.integer[Any]]) -> list[NDArray[Any]]:
    return np.split(flat, np.cumsum(counts)[:-1])
