"""What is kept of each subproblem's solution beyond its coefficients, as a few flat arrays.

The coefficients, offsets and support vectors stand in the estimator already; a `Solution` is put together from both on request.
Row numbers are those of the X given to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.estimators._shared._fitted import Fitted, RowKind, boundary_rows
from maxmargin.estimators._shared._schemes import Scheme
from maxmargin.kernels import Gram
from maxmargin.problems import KKTData, Margin, SlackRule
from maxmargin.solution import (
    CERTIFICATE,
    KEPT,
    Certificate,
    Solution,
    SolutionBatch,
    Status,
    Trace,
    certificates_of,
    columns_of,
    table_of,
)
from maxmargin.solvers import Coefficients
from maxmargin.validation import TrainingSet, WeightedRows, take_rows

__all__ = ["Records", "certificates", "coefficients", "record", "solutions"]


_USUAL = "SMO"


@final
@dataclass(frozen=True, eq=False)
class Records:
    """Certificates, offsets, scores and traces of all subproblems.

    Attributes
    ----------
    statuses : tuple of str
        Name of each subproblem's status.
    certificates : structured ndarray of shape (n_subproblems,)
        Numbers of the certificates and intervals of optimal offsets: see `maxmargin.solution._certificate.CERTIFICATE`.
    scores : ndarray
        Scores at the support vectors of each subproblem, one subproblem after the other, in the order of its rows.
    boundary : ndarray of int32
        Rows with coefficient 0 that are on the margin or beyond it, one subproblem after the other, in the order of its rows.
    boundary_deficit : ndarray
        By how much they are beyond it.
    costs : ndarray
        Largest coefficient of each support vector, one subproblem after the other, and then of each row in boundary.
    checkpoints : structured ndarray
        Thinned traces, one subproblem after the other.
    n_boundary, n_checkpoints, n_trained : ndarray of int32, shape (n_subproblems,)
        How many rows in boundary and how many checkpoints each subproblem has, and how many rows it was trained on.
    total : ndarray of shape (n_subproblems,)
        What the coefficients must sum to.
    by_side : ndarray of bool, shape (n_subproblems,)
        Whether ν keeps the sum of their sizes.
    sides : ndarray of int8
        The sign that the coefficient of each row in boundary could have; 0 if both.
    rows : rows or None
        The rows in boundary themselves, each once, ascending, without those that are support vectors of another subproblem;
        None if boundary has none, or too many, or a subproblem has not converged.
    solver : str
        Which solver found the answers.
    """

    statuses: tuple[str, ...]
    certificates: NDArray[Any]
    scores: NDArray[np.float64]
    boundary: NDArray[np.int32]
    boundary_deficit: NDArray[np.float64]
    costs: NDArray[np.float64]
    checkpoints: NDArray[Any]
    n_boundary: NDArray[np.int32]
    n_checkpoints: NDArray[np.int32]
    n_trained: NDArray[np.int32]
    total: NDArray[np.float64]
    by_side: NDArray[np.bool_]
    sides: NDArray[np.int8]
    rows: Any
    solver: str = _USUAL

    def __reduce__(self) -> tuple[Callable[..., Records], tuple[Any, ...]]:
        """Pickle the arrays as bytes, without what is the same everywhere: a model of ten support vectors should not be mostly
        headers."""
        numbers, counts = self.certificates, np.stack([self.n_boundary, self.n_checkpoints, self.n_trained])
        return _restored, (
            self.statuses,
            np.stack([numbers[name] for name in _ALWAYS]).astype("<f8").tobytes(),
            self.scores.astype("<f8").tobytes(),
            self.boundary.astype("<i4").tobytes(),
            self.boundary_deficit.astype("<f8").tobytes(),
            (self.costs[:1] if _all_equal(self.costs) else self.costs).astype("<f8").tobytes(),
            self.sides.tobytes(),
            (self.rows.dtype.str, self.rows.shape[1], self.rows.tobytes()) if _is_table(self.rows) else self.rows,
            self.checkpoints.astype(KEPT).tobytes(),
            counts.astype(_counting(int(counts.max()))).tobytes(),
            self._seldom() or None,
        )

    def __getstate__(self) -> dict[str, Any]:
        """The fields, with columns instead of tables: for formats that know plain arrays only. Pickle has its own."""
        tables = {name: columns_of(getattr(self, name)) for name in _TABLES}
        return {**vars(self), **tables}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields."""
        tables = {name: table_of(state.get(name, {}), kind, "Records") for name, kind in _TABLES.items()}
        vars(self).update({**state, **tables})

    def _seldom(self) -> dict[str, bytes]:
        """Fields that few models need: an optimum of 0, an indefinite kernel, sums that are not 0 or that ν keeps."""
        numbers, found = self.certificates, {}
        if not np.isnan(numbers["scale"]).all():
            found["scale"] = numbers["scale"].astype("<f8").tobytes()
        if numbers["indefinite"].any():
            found["indefinite"] = numbers["indefinite"].tobytes()
        if self.total.any():
            found["total"] = self.total.astype("<f8").tobytes()
        if self.by_side.any():
            found["by_side"] = self.by_side.tobytes()
        if self.solver != _USUAL:
            found["solver"] = self.solver.encode()
        return found


_TABLES = {"certificates": CERTIFICATE, "checkpoints": KEPT}
_ALWAYS = ("primal", "dual", "violation", "bias_low", "bias_high")


def _is_table(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.ndim == 2 and rows.dtype.kind == "f"


def _all_equal(costs: NDArray[np.float64]) -> bool:
    return len(costs) > 0 and bool((costs == costs[0]).all())


def _counting(most: int) -> str:
    """Two bytes for each count, or four."""
    return "<u2" if most < 2**16 else "<i4"


def _restored(statuses: tuple[str, ...], *parts: Any) -> Records:
    try:
        numbers, scores, boundary, deficit, costs, sides, rows, checkpoints, counts, seldom = parts
        subproblems, few = len(statuses), {} if seldom is None else dict(seldom)
        at = np.frombuffer(boundary, "<i4")
        scored, paid = np.frombuffer(scores, "<f8"), np.frombuffer(costs, "<f8")
        if isinstance(rows, tuple):
            dtype, width, values = rows
            flat = np.frombuffer(values, np.dtype(str(dtype)))
            rows = flat.reshape(len(flat) // max(1, width), width)
        certificates = np.zeros(subproblems, dtype=CERTIFICATE)
        for name, column in zip(_ALWAYS, np.frombuffer(numbers, "<f8").reshape(len(_ALWAYS), subproblems), strict=True):
            certificates[name] = column
        certificates["scale"] = np.frombuffer(few["scale"], "<f8") if "scale" in few else np.nan
        certificates["indefinite"] = np.frombuffer(few["indefinite"], np.bool_) if "indefinite" in few else False
        counted = np.frombuffer(counts, "<u2" if len(counts) == 6 * subproblems else "<i4").reshape(3, subproblems)
        n_boundary, n_checkpoints, n_trained = counted.astype(np.int32)
        return Records(
            statuses=tuple(Status[name].name for name in statuses),
            certificates=certificates,
            scores=scored,
            boundary=at,
            boundary_deficit=np.frombuffer(deficit, "<f8"),
            costs=np.repeat(paid, max(1, len(scored) + len(at))) if len(paid) == 1 else paid,
            checkpoints=np.frombuffer(checkpoints, KEPT),
            n_boundary=n_boundary,
            n_checkpoints=n_checkpoints,
            n_trained=n_trained,
            total=np.frombuffer(few["total"], "<f8").reshape(subproblems) if "total" in few else np.zeros(subproblems),
            by_side=np.frombuffer(few.get("by_side", bytes(subproblems)), np.bool_).reshape(subproblems),
            sides=np.frombuffer(sides, "<i1"),
            rows=rows,
            solver=bytes(few["solver"]).decode() if "solver" in few else _USUAL,
        )
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidInput(f"The pickled records were altered: {error}. Fit it again.") from None


def record(
    found: SolutionBatch,
    boundary: NDArray[np.intp],
    support: NDArray[np.intp],
    data: TrainingSet | WeightedRows,
    gram: Gram,
) -> Records:
    """Keep what the answers have beyond their coefficients.

    Every estimator has a free offset and linear slack, or none: costs, total and sides are all of its KKT data.

    Parameters
    ----------
    found : SolutionBatch
        The solutions.
    boundary : ndarray of intp
        Which of the rows with weight their boundaries have.
    support : ndarray of intp
        Which of them are support vectors of any subproblem; the estimator has these.
    data : TrainingSet or WeightedRows
        These rows, and which of the caller's they are.
    gram : Gram
        Their kernel values.
    """
    kept = len(boundary) > 0 and found.keeps_boundary and not gram.kernel.is_precomputed
    return Records(
        statuses=_names(found.statuses),
        certificates=found.certificates,
        scores=found.scores,
        boundary=data.of_kept_rows(boundary).astype(np.int32),
        boundary_deficit=found.deficit,
        costs=found.costs,
        checkpoints=found.checkpoints,
        n_boundary=found.n_boundary.astype(np.int32),
        n_checkpoints=found.n_checkpoints.astype(np.int32),
        n_trained=np.array(found.sizes, dtype=np.int32),
        total=found.total,
        by_side=found.by_side,
        sides=found.sides,
        rows=take_rows(data.X, _beyond(boundary, support, data.n)) if kept else None,
        solver=found.solver,
    )


def _beyond(boundary: NDArray[np.intp], support: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Rows of boundary that support nothing, ascending; marks of all n rows take less than two sorts."""
    marked = np.zeros(n, dtype=np.bool_)
    marked[boundary] = True
    marked[support] = False
    return np.flatnonzero(marked)


def _names(statuses: list[Status]) -> tuple[str, ...]:
    first, count = statuses[0], len(statuses)
    return (first.name,) * count if statuses.count(first) == count else tuple([status.name for status in statuses])


def certificates(records: Records) -> list[Certificate]:
    """The certificate of each subproblem."""
    return certificates_of(records.certificates, [Status[name] for name in records.statuses])


def solutions(
    records: Records,
    fitted: Fitted,
    *,
    kind: RowKind,
    support: NDArray[np.int32],
    n: int,
    steps: NDArray[np.integer[Any]],
    slack_rules: Sequence[SlackRule] | None = None,
    targets: NDArray[np.float64] | None = None,
    classes: NDArray[Any] | None = None,
) -> list[Solution]:
    """Put the solutions of all subproblems together, in LIBSVM's order of pairs.

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
        Pair steps of each subproblem.
    slack_rules : sequence of SlackRule or None
        What the scores of each subproblem mean; None for margins.
    targets : ndarray or None
        Targets at the support vectors of each subproblem, one subproblem after the other; None for the signs of the
        coefficients.
    classes : ndarray or None
        The labels of a classifier; None for others.
    """
    coefficients, places, counts = _spread(records, fitted, support)
    counted = (records.n_boundary, len(records.boundary)), (records.n_checkpoints, len(records.checkpoints))
    if any((each < 0).any() or each.sum() != there for each, there in counted):
        raise InvalidInput("The records of the fit were altered: their counts do not add up. Fit it again.")
    if not len(records.boundary) == len(records.boundary_deficit) == len(records.sides):
        raise InvalidInput("The records of the fit were altered: there is not one deficit for each row. Fit it again.")
    beyond = None if records.rows is None else _boundary(records, fitted.vectors, kind, support)
    pieces = zip(
        certificates(records),
        places,
        _split(records.scores, counts),
        _split(records.boundary, records.n_boundary),
        _split(records.boundary_deficit, records.n_boundary),
        _split(records.costs[: len(records.scores)], counts),
        _split(records.costs[len(records.scores) :], records.n_boundary),
        _split(np.arange(len(records.boundary)), records.n_boundary),
        _split(records.checkpoints, records.n_checkpoints),
        strict=True,
    )
    found = []
    lows, highs = records.certificates["bias_low"].tolist(), records.certificates["bias_high"].tolist()
    known_y = None if targets is None else _split(targets, counts)
    for index, (certificate, held, scores, boundary, deficit, paid, paid_outside, stored, checkpoints) in enumerate(pieces):
        up, up_outside = np.argsort(support[held]), np.argsort(boundary)
        place = held[up]
        beta = coefficients[index, place]
        rows = support[place]
        found.append(
            Solution(
                n=n,
                n_trained=int(records.n_trained[index]),
                support=rows,
                beta=beta,
                support_scores=scores[up],
                boundary=boundary[up_outside],
                boundary_deficit=deficit[up_outside],
                support_y=np.sign(beta) if known_y is None else known_y[index][up],
                slack_rule=Margin() if slack_rules is None else slack_rules[index],
                bias=float(fitted.intercept[index]),
                bias_interval=(lows[index], highs[index]),
                status=certificate.status,
                certificate=certificate,
                trace=Trace(checkpoints),
                steps=int(steps[index]),
                kernel=fitted.kernel,
                support_vectors=rows if kind is RowKind.PAIRWISE else take_rows(fitted.vectors, place),
                kkt_data=KKTData(
                    np.concatenate([paid[up], paid_outside[up_outside]]),
                    float(records.total[index]),
                    by_side=bool(records.by_side[index]),
                ),
                boundary_side=records.sides[stored[up_outside]].astype(np.float64),
                boundary_rows=None if beyond is None else take_rows(beyond, stored[up_outside]),
                classes=None if classes is None else _labels(fitted.scheme, index, classes),
                solver=records.solver,
            )
        )
    return found


def coefficients(records: Records, fitted: Fitted, support: NDArray[np.int32]) -> list[Coefficients]:
    """The coefficients of each subproblem, their rows and their bounds: all that the next fit begins with."""
    found, places, counts = _spread(records, fitted, support)
    paid = _split(records.costs[: len(records.scores)], counts)
    return [Coefficients(support[place], row[place], cost) for row, place, cost in zip(found, places, paid, strict=True)]


def _spread(
    records: Records, fitted: Fitted, support: NDArray[np.int32]
) -> tuple[NDArray[np.float64], list[NDArray[np.intp]], NDArray[np.intp]]:
    """Coefficients of each subproblem on all support vectors, which are its own, in the order of its rows, and how many."""
    found = fitted.scheme.spread(fitted.dual, fitted.bounds)
    places = [np.flatnonzero(row) for row in found]
    if not fitted.scheme.rows_by_class:
        places = [place[np.argsort(support[place])] for place in places]
    counts = np.array([len(place) for place in places])
    if counts.sum() != len(records.scores):
        raise InvalidInput(
            f"dual_coef_ was altered: it has {counts.sum()} coefficients for {len(records.scores)} scores. Fit it again."
        )
    if len(records.scores) + len(records.boundary) != len(records.costs):
        raise InvalidInput("The records of the fit were altered: there is not one cost for each row. Fit it again.")
    return found, places, counts


def _boundary(records: Records, vectors: Any, kind: RowKind, support: NDArray[np.int32]) -> Any:
    """The rows in boundary, one subproblem after the other: support vectors of others, and those that were kept."""
    numbers, which = np.unique(records.boundary, return_inverse=True)
    shared, at, _ = np.intersect1d(support, numbers, return_indices=True)
    kept = boundary_rows(records.rows, kind, len(numbers) - len(shared), vectors)
    parts = [take_rows(vectors, at), kept]
    if kind is RowKind.OBJECTS:
        together: Any = [row for part in parts for row in part]
    else:
        together = np.concatenate(parts) if kind is RowKind.DENSE else sparse.vstack(parts, format="csr")
    place = np.argsort(np.concatenate([shared, np.setdiff1d(numbers, shared)]))
    return take_rows(together, place[which])


def _labels(scheme: Scheme, subproblem: int, classes: NDArray[Any]) -> NDArray[Any] | None:
    """Labels of the negative and of the positive side of a subproblem; None where one side is all other classes."""
    positive, negative = scheme.sides(subproblem)
    return None if negative is None else classes[[negative, positive]]


def _split(flat: NDArray[Any], counts: NDArray[np.integer[Any]]) -> list[NDArray[Any]]:
    return [flat] if len(counts) == 1 else np.split(flat, np.cumsum(counts)[:-1])
