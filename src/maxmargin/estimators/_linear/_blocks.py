"""Fits of linear models to rows that come in blocks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import BlockPasses, Execute, solve_blocks, worst_warning
from maxmargin.blocks import FirstLook, RowBlocks, Standard, TreeSum
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._block_problems import binary_problems, check_newton, check_together
from maxmargin.estimators._linear._totals import ClassTotals, weight_sums
from maxmargin.estimators._shared._reporting import report_for
from maxmargin.estimators._shared._watching import both, watch_of
from maxmargin.kernels import warn_of_scales
from maxmargin.losses import Loss
from maxmargin.problems import BlockClasses, BlockProblem, ClassLoss, Offset, Penalty
from maxmargin.solution import BlockSolution, Status
from maxmargin.validation import class_weights, encode, label_column, positive_weights

__all__ = [
    "BlockLabels",
    "BlockPlan",
    "BlockRowsOf",
    "block_labels",
    "block_plan",
    "by_blocks",
    "check_newton",
    "folded_back",
    "learn",
    "one_of",
    "plan_of_classes",
    "starts_of",
    "tree_of",
    "weights_of",
]

Vector = NDArray[np.float64]
Term = TypeVar("Term")


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
class BlockRowsOf:
    """What `_adopt` reads of the rows of a plan."""

    data: BlockLabels | ClassTotals
    factors: Vector


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class BlockPlan:
    """The subproblems of a fit to blocks; see `Plan`."""

    model: Any
    problems: Sequence[BlockProblem | BlockClasses]
    names: Callable[[], list[str]]
    deadline: Deadline
    standard: Standard | None
    passes: Execute
    rows: Any
    starts: Sequence[tuple[Vector, Any]] | None
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
    return label_column(one_of(y, blocks.y, "y"), blocks), weights_of(blocks, sample_weight)


def weights_of(blocks: RowBlocks, sample_weight: Any) -> Vector | None:
    weight = one_of(sample_weight, blocks.sample_weight, "sample_weight")
    if weight is None:
        return None
    positive_weights(weight, len(blocks), blocks.shape)  # raises where they are none
    numbers = np.asarray(weight, dtype=np.float64)
    return np.full(len(blocks), float(numbers)) if numbers.ndim == 0 else numbers


def one_of(given: Any, inside: Any, what: str) -> Any:
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
    class_loss: Callable[[int], ClassLoss | None] = lambda n_classes: None,
) -> BlockPlan:
    """The problems of a classifier, one for each class or one for two, and the passes that they share.

    Or one problem for all of them, where ``class_loss`` gives a loss of so many.
    """
    look = blocks.look()
    check_newton(model, terms[0], terms[1], look.columns)
    learn(model, look)
    labels = coded(*block_labels(blocks, y, sample_weight))
    codes, weights = labels.codes, labels.weight
    totals = ClassTotals(
        labels.classes,
        tree_of(
            look.rows_of,
            lambda rows: weight_sums(codes[rows], None if weights is None else weights[rows], len(labels.classes)),
        ),
        look.n if weights is None else int(np.count_nonzero(weights > 0.0)),
    )

    def passes(by_class: Vector) -> BlockPasses:
        def costs(rows: slice) -> Vector:
            own = by_class[codes[rows]]
            return np.asarray(own if weights is None else own * np.maximum(weights[rows], 0.0))

        return BlockPasses(blocks, codes, costs)

    together = class_loss(len(labels.classes))
    return plan_of_classes(model, look, totals, passes, terms, offset, bound, l1, deadline, blocks.standard, together)


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
    class_loss: ClassLoss | None = None,
) -> BlockPlan:
    """The same from what all rows are together, wherever they are; ``passes`` is told the costs of a row of each class."""
    (_loss, penalty, C), classes = terms, totals.classes
    factors = class_weights(model.class_weight, classes, np.arange(len(classes)), totals.weight, type(model).__name__)
    by_class = C * factors
    two, problems = len(classes) == 2, list[BlockProblem | BlockClasses]()
    if class_loss is not None:
        check_together(model, class_loss, terms[1], len(classes), look.columns)
        kind, scale = offset
        mean = BlockProblem.mean_of(look, kind)
        sums = by_class * totals.weight
        problems = [BlockClasses(penalty, kind, scale, l1, totals.n, look.columns, sums, mean)]
    else:
        problems = binary_problems(look, totals.weight, totals.n, terms, by_class, offset, bound, l1)

    def names() -> list[str]:
        if class_loss is not None:
            return ["all classes"]
        return [f"{classes[0]} / {classes[1]}"] if two else [f"{label} / rest" for label in classes]

    return BlockPlan(
        model=model,
        problems=problems,
        names=names,
        deadline=deadline,
        standard=standard,
        passes=passes(by_class),
        rows=BlockRowsOf(totals, factors),
        starts=starts_of(model, standard, problems, classes),
        classes=[classes if two or class_loss is not None else None for _ in problems],
    )


def learn(model: Any, look: FirstLook) -> None:
    """Take the number of features, and warn of their scales."""
    for stale in {"n_features_in_", "feature_names_in_"} & vars(model).keys():
        delattr(model, stale)
    model.n_features_in_ = look.columns
    warn_of_scales(look.moments, "blocks.standardised()", stacklevel=5)


def tree_of(rows_of: tuple[int, ...], one: Callable[[slice], Term]) -> Term:
    """What a function gives for the rows of each block, added up along the tree over blocks."""
    tree: TreeSum[Term] = TreeSum()
    begin = 0
    for rows in rows_of:
        tree.add(one(slice(begin, begin + rows)))
        begin += rows
    return tree.total()


def starts_of(
    model: Any,
    standard: Standard | None,
    problems: Sequence[BlockProblem | BlockClasses],
    classes: NDArray[Any] | None,
) -> list[tuple[Vector, Any]] | None:
    """The weights of the last fit, if there are as many."""
    coef = vars(model).get("coef_")
    if not model.warm_start or coef is None or standard is not None:
        return None
    first, columns = problems[0], problems[0].d
    binary_of_two = isinstance(first, BlockClasses) and first.classes == 2
    count = first.classes if isinstance(first, BlockClasses) and not binary_of_two else len(problems)
    if np.size(coef) != count * columns or (classes is not None and not np.array_equal(model.classes_, classes)):
        return None
    wide = np.ascontiguousarray(coef, dtype=np.float64).reshape(count, columns)
    offsets = np.asarray(model.intercept_, dtype=np.float64)
    if binary_of_two:  # the weights are those of the difference of two scores
        return [(np.vstack([-0.5 * wide, 0.5 * wide]), np.array([-0.5, 0.5]) * float(offsets[0]))]
    if isinstance(first, BlockClasses):
        return [(wide, offsets)]
    return [(w, float(b)) for w, b in zip(wide, offsets, strict=True)]


def by_blocks(X: RowBlocks, one: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """What a function gives for the rows of each block, as they are, one after the other."""
    return np.concatenate([one(block.X) for block in X.plain.blocks()])
