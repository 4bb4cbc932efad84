"""Fits of linear models to rows that come in blocks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import BlockPasses, Execute, solve_blocks, worst_warning
from maxmargin.blocks import FirstLook, RowBlocks, Standard, TreeSum
from maxmargin.errors import InvalidInput
from maxmargin.estimators._shared._reporting import report_for
from maxmargin.estimators._shared._watching import both, watch_of
from maxmargin.kernels import warn_of_scales
from maxmargin.losses import Hinge, Loss, MarginLoss
from maxmargin.problems import BlockProblem, Offset, Penalty, level_of, require_range
from maxmargin.solution import BlockSolution, Status
from maxmargin.solvers import BLOCK_LOSSES
from maxmargin.validation import class_weights, encode, label_column, positive_weights, target_column

__all__ = [
    "BlockLabels",
    "BlockPlan",
    "BlockRowsOf",
    "ClassTotals",
    "block_labels",
    "block_plan",
    "by_blocks",
    "folded_back",
    "plan_of_classes",
    "regression_plan",
    "weight_sums",
]

Vector = NDArray[np.float64]
_NEWTON: Final = ("auto", "newton")
_NAMES: Final = ("exponential", "hinge", "logistic", "squared", "squared_hinge")
_WIDEST: Final = 2048  # features, for penalties whose steps need the whole Hessian


@final
@dataclass(frozen=True, eq=False)
class BlockLabels:
    """Labels and weights of all rows of some blocks; the rows are elsewhere.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    codes : ndarray of unsigned integers
        Class index of each row.
    weight : ndarray or None
        Sample weights; 0 or less leaves a row out. None where all are 1.
    """

    classes: NDArray[Any]
    codes: NDArray[Any]
    weight: Vector | None


@final
@dataclass(frozen=True, eq=False)
class ClassTotals:
    """What all rows of some blocks are together, class by class.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    weight : ndarray
        Sum of the sample weights of each; made by `weight_sums` of each block, along the tree over block numbers.
    n : int
        Rows with a positive weight.
    """

    classes: NDArray[Any]
    weight: Vector
    n: int


@final
@dataclass(frozen=True, eq=False)
class BlockRowsOf:
    """What `_adopt` reads of the rows of a plan."""

    data: BlockLabels | ClassTotals
    factors: Vector


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class BlockPlan:
    """The subproblems of a fit to blocks; see `Plan`."""

    model: Any
    problems: Sequence[BlockProblem]
    names: Callable[[], list[str]]
    deadline: Deadline
    standard: Standard | None
    passes: Execute
    rows: Any
    starts: Sequence[tuple[Vector, float]] | None
    classes: Sequence[NDArray[Any] | None]

    def solve(self, *, stacklevel: int = 3) -> list[BlockSolution]:
        """Solve all subproblems in passes that they share, report, and warn once for all of them."""
        model, watch = self.model, watch_of(self.model)
        with report_for(model.verbose, type(model).__name__, len(self.problems), model.tol) as report:
            follow = both(None if report.silent else report.start(self.names()), watch, len(self.problems), model.tol)
            steps = int(model.max_iter)
            found = solve_blocks(
                self.problems,
                self.passes,
                float(model.tol),
                2000 if steps < 0 else steps,
                self.deadline,
                callback=follow,
                starts=self.starts,
                classes=self.classes,
            )
            found = [folded_back(self.standard, each) for each in found]
            if not report.silent:
                report.done(found)
        silent = False
        if watch is not None and watch.stopped:  # as was asked for
            silent = all(each.status.is_optimal or each.status is Status.INTERRUPTED for each in found)
        if not silent and (said := worst_warning(found, self.names)) is not None:
            warnings.warn(said[0], said[1], stacklevel=stacklevel)
        return found


def folded_back(standard: Standard | None, solution: BlockSolution) -> BlockSolution:
    """The solution for rows as they are, from that for standardised ones."""
    if standard is None:
        return solution
    weights, bias = standard.folded(solution.weights, solution.bias)
    return solution.moved(weights, bias)


def block_labels(blocks: RowBlocks, y: Any, sample_weight: Any) -> tuple[NDArray[Any], Vector | None]:
    """Labels and weights of all rows, from the arguments of a fit or from the blocks."""
    return label_column(_one_of(y, blocks.y, "y"), blocks), _weights(blocks, sample_weight)


def _weights(blocks: RowBlocks, sample_weight: Any) -> Vector | None:
    weight = _one_of(sample_weight, blocks.sample_weight, "sample_weight")
    if weight is None:
        return None
    positive_weights(weight, len(blocks), blocks.shape)  # raises where they are none
    numbers = np.asarray(weight, dtype=np.float64)
    return np.full(len(blocks), float(numbers)) if numbers.ndim == 0 else numbers


def _one_of(given: Any, inside: Any, what: str) -> Any:
    if given is not None and inside is not None:
        raise InvalidInput(f"The blocks have {what}, and fit was passed {what} too. Leave one of them out.")
    return inside if given is None else given


def coded(column: NDArray[Any], weight: Vector | None) -> BlockLabels:
    """Classes of rows with a positive weight, in as few bytes as they need."""
    if weight is None:
        classes, codes = encode(column)
    else:
        kept = weight > 0.0
        classes, own = encode(column[kept])
        codes = np.zeros(len(column), dtype=np.intp)
        codes[kept] = own
    if len(classes) < 2:
        raise InvalidInput(
            "The number of classes has to be greater than one; got 1 class in all blocks. Add blocks with rows of"
            " another class."
        )
    return BlockLabels(classes, codes.astype(np.min_scalar_type(len(classes) - 1)), weight)


def block_plan(
    model: Any,
    blocks: RowBlocks,
    y: Any,
    sample_weight: Any,
    terms: tuple[Loss, Penalty, float],
    offset: tuple[Offset, float],
    bound: float,
    l1: float,
    deadline: Deadline,
) -> BlockPlan:
    """The problems of a classifier, one for each class or one for two, and the passes that they share."""
    look = blocks.look()
    check_newton(model, terms[0], terms[1], look.columns)
    _learn(model, look)
    labels = coded(*block_labels(blocks, y, sample_weight))
    codes, weights = labels.codes, labels.weight
    totals = ClassTotals(
        labels.classes,
        _sums_of(codes, weights, len(labels.classes), look.rows_of),
        look.n if weights is None else int(np.count_nonzero(weights > 0.0)),
    )

    def passes(by_class: Vector) -> BlockPasses:
        def costs(rows: slice) -> Vector:
            own = by_class[codes[rows]]
            return np.asarray(own if weights is None else own * np.maximum(weights[rows], 0.0))

        return BlockPasses(blocks, codes, costs)

    return plan_of_classes(model, look, totals, passes, terms, offset, bound, l1, deadline, blocks.standard)


def plan_of_classes(
    model: Any,
    look: FirstLook,
    totals: ClassTotals,
    passes: Callable[[Vector], Execute],
    terms: tuple[Loss, Penalty, float],
    offset: tuple[Offset, float],
    bound: float,
    l1: float,
    deadline: Deadline,
    standard: Standard | None = None,
) -> BlockPlan:
    """The same from what all rows are together, wherever they are; ``passes`` is told the costs of a row of each class."""
    (loss, penalty, C), classes = terms, totals.classes
    factors = class_weights(model.class_weight, classes, np.arange(len(classes)), totals.weight, type(model).__name__)
    by_class = C * factors
    total = float((by_class * totals.weight).sum())
    kind, scale = offset
    positives = [1] if len(classes) == 2 else list(range(len(classes)))
    assert isinstance(loss, MarginLoss)
    problems = [
        BlockProblem(
            loss=loss,
            penalty=penalty,
            offset=kind,
            offset_scale=scale,
            B=bound,
            l1=l1,
            n=totals.n,
            d=look.columns,
            total=total,
            at_zero=total * float(loss.value(0.0)),
            positive=k,
            mean=BlockProblem.mean_of(look, kind),
        )
        for k in positives
    ]
    two = len(classes) == 2
    return BlockPlan(
        model=model,
        problems=problems,
        names=lambda: [f"{classes[0]} / {classes[1]}"] if two else [f"{label} / rest" for label in classes],
        deadline=deadline,
        standard=standard,
        passes=passes(by_class),
        rows=BlockRowsOf(totals, factors),
        starts=_starts(model, standard, len(problems), look.columns, classes),
        classes=[classes if two else None for _ in problems],
    )


def _learn(model: Any, look: FirstLook) -> None:
    """Take the number of features, and warn of their scales."""
    for stale in {"n_features_in_", "feature_names_in_"} & vars(model).keys():
        delattr(model, stale)
    model.n_features_in_ = look.columns
    warn_of_scales(look.moments, "blocks.standardised()", stacklevel=5)


def regression_plan(
    model: Any, blocks: RowBlocks, y: Any, sample_weight: Any, loss: Loss, offset: tuple[Offset, float], deadline: Deadline
) -> BlockPlan:
    """The problem of a regression, and its passes."""
    look, n = blocks.look(), len(blocks)
    check_newton(model, loss, Penalty.L2, look.columns)
    _learn(model, look)
    target = target_column(_one_of(y, blocks.y, "y"), blocks)
    weight = _weights(blocks, sample_weight)
    kept = target if weight is None else target[weight > 0.0]
    C = float(model.C)
    least = C if weight is None else C * float(weight[weight > 0.0].min())
    most = C if weight is None else C * float(weight.max())
    require_range(np.array([least, most]), "C", kept)
    total = C * (n if weight is None else float(np.maximum(weight, 0.0).sum()))

    def costs(rows: slice) -> Vector:
        if weight is None:
            return np.full(len(range(*rows.indices(n))), C)
        return np.asarray(C * np.maximum(weight[rows], 0.0))

    kind, scale = offset
    level = level_of(kept) if kind is Offset.FREE else 0.0
    median = float(np.median(kept)) - level if kind is not Offset.NONE else 0.0
    spread = float(np.abs(kept - (median + level)).mean())
    zero = 0.0
    for begin in range(0, n, 1 << 20):
        part = slice(begin, begin + (1 << 20))
        zero += float((costs(part) * loss.value(target[part])).sum())
    problem = BlockProblem(
        loss=loss,
        penalty=Penalty.L2,
        offset=kind,
        offset_scale=scale,
        B=math.inf,
        l1=1.0,
        n=len(kept),
        d=look.columns,
        total=total,
        at_zero=zero,
        mean=BlockProblem.mean_of(look, kind),
        level=level,
        start=median,
        spread=spread if spread > 0.0 else 1.0,
    )
    return BlockPlan(
        model=model,
        problems=[problem],
        names=lambda: ["regression"],
        deadline=deadline,
        standard=blocks.standard,
        passes=BlockPasses(blocks, target, costs),
        rows=None,
        starts=_starts(model, blocks.standard, 1, look.columns, None),
        classes=[None],
    )


def weight_sums(codes: NDArray[Any], weights: Vector | None, n_classes: int) -> Vector:
    """The weights of some rows, summed by class."""
    own = None if weights is None else np.maximum(weights, 0.0)
    return np.bincount(codes, weights=own, minlength=n_classes).astype(np.float64)


def _sums_of(codes: NDArray[Any], weights: Vector | None, n_classes: int, rows_of: tuple[int, ...]) -> Vector:
    """Those of all rows, as the tree over blocks has them: no other vector of all rows is made."""
    tree: TreeSum[Vector] = TreeSum()
    begin = 0
    for rows in rows_of:
        part = slice(begin, begin + rows)
        tree.add(weight_sums(codes[part], None if weights is None else weights[part], n_classes))
        begin += rows
    return tree.total()


def _starts(
    model: Any, standard: Standard | None, count: int, columns: int, classes: NDArray[Any] | None
) -> list[tuple[Vector, float]] | None:
    """The weights of the last fit, if there are as many."""
    coef = vars(model).get("coef_")
    if not model.warm_start or coef is None or standard is not None:
        return None
    if np.size(coef) != count * columns or (classes is not None and not np.array_equal(model.classes_, classes)):
        return None
    wide = np.ascontiguousarray(coef, dtype=np.float64).reshape(count, columns)
    return [(w, float(b)) for w, b in zip(wide, np.asarray(model.intercept_, dtype=np.float64), strict=True)]


def check_newton(model: Any, loss: Loss, penalty: Penalty, columns: int = 0) -> None:
    """Raise for what blocks do not support."""
    owner, solver = type(model).__name__, getattr(model, "solver", "auto")
    if isinstance(solver, str) and solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"):
        solver = "auto"
    if solver not in _NEWTON:
        raise InvalidInput(
            f"The 'solver' parameter of {owner} must be one of {_NEWTON} for RowBlocks. Got {solver!r} instead. Other"
            " solvers take"
            " rows one by one."
        )
    if type(loss) not in BLOCK_LOSSES:
        raise InvalidInput(f"RowBlocks have no {loss!r}. Choose one of the losses {_NAMES}.")
    if penalty is Penalty.NONE:
        raise InvalidInput(
            f"{owner} needs a penalty for RowBlocks: without one only a look at all rows at once proves an optimum. Take"
            " penalty='l2' with a large C."
        )
    if penalty is not Penalty.L2 and isinstance(loss, Hinge):
        raise InvalidInput(
            f"{owner} has the hinge only with the penalty 'l2' for RowBlocks. Got {penalty.value!r}. Choose"
            " loss='squared_hinge', or pass the rows as one matrix."
        )
    if penalty is not Penalty.L2 and columns >= _WIDEST:
        raise InvalidInput(
            f"{owner} has the penalty {penalty.value!r} for RowBlocks of at most {_WIDEST - 1} features. Got {columns}. Choose"
            " penalty='l2', or pass the rows as one matrix."
        )


def by_blocks(X: RowBlocks, one: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """What a function gives for the rows of each block, as they are, one after the other."""
    return np.concatenate([one(block.X) for block in X.plain.blocks()])
