"""Fits of one kernel estimator on the same rows with one cost after the other: they share kernel values and starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin.errors import MaxmarginError
from maxmargin.estimators._kernel._classifier import KernelClassifier
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._held_out import HeldOut
from maxmargin.estimators._kernel._nu_svc import NuSVC
from maxmargin.estimators._kernel._outputs import KernelOutputs
from maxmargin.estimators._kernel._svc import SVC
from maxmargin.estimators._kernel._svr import SVR, NuSVR
from maxmargin.estimators._shared._fitted import Fitted, RowKind
from maxmargin.estimators._shared._input import checked_rows
from maxmargin.estimators._shared._parameters import chosen_solver
from maxmargin.estimators._shared._paths import Answers, FitPath, NotThere
from maxmargin.estimators._shared._schemes import OneVsOne, Scheme, SharedVectors
from maxmargin.kernels import FeatureKernel, Gram, Sigmoid
from maxmargin.problems import DualBatch, Problem, SoftMargins, dual_batch, stacked
from maxmargin.solution import certify, verdict
from maxmargin.solvers import SMO, Around, PathPoints, cache_bytes, path_fits, search_paths
from maxmargin.validation import canonical, length, object_rows, take_rows, target_columns

__all__ = ["KERNEL_PATHS", "KernelPath", "kernel_path_refusal", "matrix_bytes", "shareable", "solve_kernel_paths"]

Vector = NDArray[np.float64]

KERNEL_PATHS: Final[dict[Any, str]] = {SVC: "C", SVR: "C", NuSVR: "C", NuSVC: "nu"}
"""The parameter that grows along a path."""

_LARGEST_EXAMINED: Final = 4000  # rows up to which a matrix is factored to learn whether it is positive semidefinite


def kernel_path_refusal(model: Any) -> str | None:
    """Why fits of this estimator do not go together; None if they do."""
    if not isinstance(model.solver, str | SMO):
        return f"the solver is {model.solver!r}"
    if model.max_iter != -1 or model.max_time is not None:
        return "max_iter or max_time limits each fit"
    if model.verbose:
        return "verbose reports on each fit"
    if getattr(model, "multi_class", "ovo") not in ("ovo", "ovr"):
        return f"multi_class={model.multi_class!r} is one problem of all classes"
    if isinstance(model.kernel, Sigmoid) or (isinstance(model.kernel, str) and model.kernel == "sigmoid"):
        return "the sigmoid kernel is not positive semidefinite, so that a fit depends on where it starts"
    return None


@final
class KernelPath(FitPath):
    """Fits that differ in C, or in ν for `NuSVC`.

    Parameters
    ----------
    models : sequence of estimators
        Unfitted; alike but for the one parameter.
    X, y, sample_weight
        What each would be fitted to.
    """

    def __init__(self, models: Sequence[Any], X: Any, y: Any, sample_weight: Any) -> None:
        super().__init__(models)
        self._first = models[0]
        plan = self._plan(X, y, sample_weight)
        rows = plan.rows
        self.kind, self._data, self.kernel = rows.kind, rows.data, rows.gram.kernel
        self.solver = chosen_solver(self._first)
        self.has_room = path_fits(rows.data.n, self.solver.cache_size)
        self.gram, self._is_ready = rows.gram, False
        self.cache_bytes = cache_bytes(self.solver.cache_size, "SMO")
        self.python_bytes = matrix_bytes(rows.data.n) if _from_python(self.kernel, rows.data.X) else 0
        self.around: Around | None = None
        self._held: HeldOut | None = None
        self._stages: list[int] = []
        self._problems: list[Sequence[Problem]] = []
        self.batches: list[DualBatch] = []
        self.starts: list[Vector | None] = []

    @property
    def rows(self) -> Any:
        """The rows, validated."""
        return self._data.X

    @property
    def n(self) -> int:
        """Rows; 0 if some have no weight, so that they are not all."""
        return int(self._data.n) if self._data.kept is None else 0

    @property
    def n_problems(self) -> int:
        """Subproblems, or outputs."""
        return int(self.scheme.n_subproblems)

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels of a classifier."""
        return self._data.classes if isinstance(self._first, KernelClassifier) else None

    def join(self, gram: Gram, around: Around, held: HeldOut | None, python_bytes: int) -> None:
        """Take kernel values from a matrix of more rows, which other paths have too; one of them counts its bytes."""
        self.python_bytes = python_bytes
        self.gram, self.around, self._held, self._is_ready = gram, around, held, True

    def prepare(self) -> None:
        """Make the problems of all stages; raises `NotThere` if nothing can be shared."""
        if not self._is_ready:
            self.gram = shareable(self.gram, self._data.X, has_room=self.has_room)
        name = KERNEL_PATHS[type(self._first)]
        for k in sorted(range(len(self.models)), key=lambda k: float(getattr(self.models[k], name))):
            try:
                self._add(k)
            except MaxmarginError:  # the fit by itself says what is wrong
                continue
        self._solved = np.zeros(len(self._stages), dtype=np.bool_)

    def _plan(self, X: Any, y: Any, sample_weight: Any) -> Any:
        first = self._first
        if isinstance(first, KernelOutputs):
            plan = first._plan(X, y, sample_weight, target_columns)
            self.scheme: Scheme = SharedVectors(len(plan.problems))
            self.codes = np.zeros(plan.rows.data.n, dtype=np.intp)
            self._columns = [problem.y for problem in plan.problems]
            return plan
        plan = first._plan(X, y, sample_weight)
        assert plan.rows.scheme is not None
        self.scheme, self.parts, self.codes = plan.rows.scheme, plan.rows.parts, plan.rows.data.codes
        data = plan.rows.data
        self._weight = data.weight if first.class_weight is None else plan.rows.factors[data.codes] * data.weight
        return plan

    def _add(self, k: int) -> None:
        """The problems of a model, as the next stage."""
        model = self.models[k]
        model._check_own()
        problems: Sequence[Problem]
        if isinstance(model, KernelClassifier):
            model._check_balance(self._data, self._weight)
            if math.isinf(getattr(model, "C", 1.0)):
                return
            cost = model._costs(self._weight)
            known = self._problems[0] if self._problems else None
            problems = known.at(cost) if isinstance(known, SoftMargins) else model._problems(self.gram, self.parts, cost)
        else:
            if math.isinf(model.C):
                return
            problems = [model._problem(self.gram, column, self._data.weight) for column in self._columns]
        if isinstance(problems, SoftMargins):
            batch, start = problems.batch, None
        else:
            batch = dual_batch([problem.dual for problem in problems])
            start = None
            if batch.abs_sum is not None:
                own = [(problem.start(), problem.dual.n) for problem in problems]
                start = stacked([np.zeros(n) if point is None else point for point, n in own])
        self._stages.append(k)
        self._problems.append(problems)
        self.batches.append(batch)
        self.starts.append(start)

    def take(self, points: PathPoints) -> None:
        """Take over what the search has found."""
        self._solved = np.array([each.all() for each in points.optimal], dtype=np.bool_)
        self._held_values = points.held_out
        self._gaps = points.gap
        if self.batches[0].abs_sum is None:
            self._beta, self._bias = points.beta, points.bias
            return
        self._beta, self._bias = points.beta.copy(), points.bias.copy()
        ends = np.cumsum(self.batches[0].sizes)
        for stage, problems in enumerate(self._problems):
            self._solved[stage] = points.converged[stage].all()
            for t, problem in enumerate(problems):
                own = slice(int(ends[t]) - problem.dual.n, int(ends[t]))
                evaluation = certify(problem, points.beta[stage, own])
                model = problem.model(points.beta[stage, own], evaluation)
                self._beta[stage, own], self._bias[stage, t] = model.beta, model.bias
                self._held = None  # its values are of coefficients as they were searched for
                if verdict(problem, evaluation, self._first.tol) is None or problem.note(evaluation):
                    self._solved[stage] = False

    def gaps(self) -> list[float]:
        """The relative duality gap of each model; NaN where it must be fitted by itself."""
        found = [math.nan] * len(self.models)
        for stage in range(len(self._stages)):
            if self._solved[stage]:
                found[self._stages[stage]] = float(self._gaps[stage])
        return found

    def answers(self, X: Any) -> list[Answers | None]:
        """What each model says of rows; None where it must be fitted by itself."""
        found: list[Answers | None] = [None] * len(self.models)
        stages = [s for s in range(len(self._stages)) if self._solved[s]]
        if not stages:
            return found
        if self._held is not None and X is self._held.rows:
            values = self._held.of(self._held_values[stages])
        else:
            values = self._values(self._new_rows(X), stages)
        if not isinstance(self._first, KernelClassifier):
            for s, own in zip(stages, values, strict=True):
                found[self._stages[s]] = Answers(own[:, 0] if own.shape[1] == 1 else own)
            return found
        classes, scheme, shape = self._data.classes, self.scheme, self._first.decision_function_shape
        labels: Any = [None] * len(stages)
        if not self._first.break_ties or shape == "ovr":  # else a fitted model refuses to predict
            flat = values.reshape(-1, values.shape[2])
            labels = classes[scheme.winners(flat, break_ties=bool(self._first.break_ties))].reshape(values.shape[:2])
        for s, own, said in zip(stages, values, labels, strict=True):
            found[self._stages[s]] = Answers(said, partial(scheme.scores, own, by_class=shape == "ovr"), classes)
        return found

    def _new_rows(self, X: Any) -> Any:
        if self.kind is RowKind.OBJECTS:
            return object_rows(X)
        rows = checked_rows(self._first, X, reset=False)
        return canonical(rows) if self.kind is RowKind.SPARSE else np.asarray(rows)

    def _values(self, X: Any, stages: list[int]) -> Vector:
        """``f`` at each stage, shape (stages, rows, subproblems); every kernel value is computed once for all of them."""
        dual, bias = self._coefficients(stages), self._bias[stages]
        used = np.flatnonzero(dual.any(axis=(0, 1)))
        used = used[np.argsort(self.codes[used], kind="stable")]
        counts = np.bincount(self.codes[used], minlength=self.scheme.n_classes)
        bounds = [0, *np.cumsum(counts).tolist()]
        vectors = self._data.of_kept_rows(used) if self.kind is RowKind.PAIRWISE else take_rows(self._data.X, used)
        dual = np.ascontiguousarray(dual[:, :, used])
        if self.kernel.is_linear:
            blocks = (np.ascontiguousarray(dual[:, place]) for place in range(len(stages)))
            state = (Fitted(self.scheme, self.kernel, vectors, *each, bounds) for each in zip(blocks, bias, strict=True))
            return np.stack([decision_values(each, X) for each in state])
        sums = self.kernel.weighted_sums(X, vectors, dual.reshape(-1, len(used)), bounds)
        collected = self.scheme.collect(sums.reshape(len(bounds) - 1, len(dual), -1))
        return np.asarray(collected.reshape(len(stages), length(X), -1) + bias[:, np.newaxis])

    def _coefficients(self, stages: list[int]) -> Vector:
        """Coefficients of the training rows, shape (coefficients of a row, stages, rows)."""
        beta, n = self._beta[stages], self._data.n
        if not isinstance(self.scheme, OneVsOne):
            return beta.reshape(len(stages), -1, n).transpose(1, 0, 2)
        rows, sizes = self.parts.rows, self.parts.sizes
        owner = np.repeat(np.arange(len(sizes)), sizes)
        dual = np.zeros((len(stages), self.scheme.n_coefficients, n))
        dual[:, self.scheme.coefficient_rows[owner, self.codes[rows]], rows] = beta
        return dual.transpose(1, 0, 2)


def shareable(gram: Gram, X: Any, *, has_room: bool) -> Gram:
    """The kernel values for a path.

    Raises
    ------
    NotThere
        They come from Python and do not fit into memory, or the matrix may be indefinite: where a search ends then depends
        on where it starts.
    """
    if _from_python(gram.kernel, X):
        if not has_room:
            raise NotThere("the values of a kernel function do not fit into cache_size")
        gram = gram.as_matrix()
    if gram.kernel.mercer:
        return gram
    if gram.n > _LARGEST_EXAMINED or not has_room:
        raise NotThere("the kernel is not known to be positive semidefinite, and its matrix is too large to examine")
    if gram.core.is_indefinite():
        raise NotThere("the kernel matrix is not positive semidefinite, so that a fit depends on where it starts")
    return gram


def matrix_bytes(n: int) -> int:
    """What the kernel values of so many rows take in float64."""
    return 8 * n * n


def _from_python(kernel: Any, X: Any) -> bool:
    """Whether the core asks Python for kernel values: of a function, or of a combination that it computes by parts."""
    if kernel.is_precomputed or isinstance(kernel, FeatureKernel):
        return False
    return not kernel.of_features or kernel._program(X) is None


def solve_kernel_paths(paths: Sequence[KernelPath], deadline: Deadline) -> bool:
    """Search all paths at once; True if Ctrl-C ended that."""
    searched = [path for path in paths if path.batches]
    kinds: dict[tuple[Any, ...], list[KernelPath]] = {}
    for path in searched:
        first = path.models[0]
        kinds.setdefault((float(first.tol), path.solver.cache_size, path.solver.shrinking), []).append(path)
    interrupted = False
    for (tol, _, _), some in kinds.items():
        if interrupted:
            break
        stages, starts, around = ([getattr(path, name) for path in some] for name in ("batches", "starts", "around"))
        found, interrupted = search_paths(stages, starts, around, tol, some[0].solver, deadline.left())
        for path, points in zip(some, found, strict=True):
            path.take(points)
    return interrupted
