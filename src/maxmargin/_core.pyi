from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from maxmargin._core_kernels import matrix_products as matrix_products
from maxmargin._core_kernels import write_harmonics as write_harmonics
from maxmargin._core_linear import BlockCurvature as BlockCurvature
from maxmargin._core_linear import ClassBlockTerms as ClassBlockTerms
from maxmargin._core_linear import ClassCurvature as ClassCurvature
from maxmargin._core_linear import ClassLoss as ClassLoss
from maxmargin._core_linear import CrammerSingerResult as CrammerSingerResult
from maxmargin._core_linear import CrammerSingerSpec as CrammerSingerSpec
from maxmargin._core_linear import L1Spec as L1Spec
from maxmargin._core_linear import LinearMethod as LinearMethod
from maxmargin._core_linear import LinearOffset as LinearOffset
from maxmargin._core_linear import LinearResult as LinearResult
from maxmargin._core_linear import LinearSpec as LinearSpec
from maxmargin._core_linear import LinearStart as LinearStart
from maxmargin._core_linear import MarginLoss as MarginLoss
from maxmargin._core_linear import MulticlassMethod as MulticlassMethod
from maxmargin._core_linear import MulticlassResult as MulticlassResult
from maxmargin._core_linear import MulticlassSpec as MulticlassSpec
from maxmargin._core_linear import MulticlassStart as MulticlassStart
from maxmargin._core_linear import RowSums as RowSums
from maxmargin._core_linear import SmoothLoss as SmoothLoss
from maxmargin._core_linear import WalkGround as WalkGround
from maxmargin._core_linear import WalkPoint as WalkPoint
from maxmargin._core_linear import WalkRule as WalkRule
from maxmargin._core_linear import block_along as block_along
from maxmargin._core_linear import block_multipliers as block_multipliers
from maxmargin._core_linear import block_product as block_product
from maxmargin._core_linear import block_terms as block_terms
from maxmargin._core_linear import class_block_along as class_block_along
from maxmargin._core_linear import class_block_product as class_block_product
from maxmargin._core_linear import class_block_terms as class_block_terms
from maxmargin._core_linear import evaluate_rows as evaluate_rows
from maxmargin._core_linear import minimise_l1 as minimise_l1
from maxmargin._core_linear import minimise_linear as minimise_linear
from maxmargin._core_linear import minimise_linear_paths as minimise_linear_paths
from maxmargin._core_linear import minimise_multiclass as minimise_multiclass
from maxmargin._core_linear import search_crammer_singer as search_crammer_singer
from maxmargin._core_linear import walk_on_features as walk_on_features
from maxmargin._core_linear import walk_on_kernel as walk_on_kernel
from maxmargin._core_text import SvmlightRows as SvmlightRows
from maxmargin._core_text import read_svmlight as read_svmlight

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Ints = NDArray[np.int64]
Starts = Sequence[LinearStart | None]

KernelKind = Enum(
    "KernelKind",
    "linear polynomial rbf sigmoid quadratic cosine tanimoto laplacian chi_squared intersection min_max matern "
    "rational_quadratic",
)
Operator = Enum("Operator", "add multiply scale power normalise")

class KernelFunction:
    # One of the first four kinds alone; the others are operations of a combined kernel.
    def __init__(self, kind: KernelKind, gamma: float, coef0: float, degree: int) -> None: ...
    # No operation yet. Those that are pushed say whether there was room for them.
    @staticmethod
    def empty() -> KernelFunction: ...
    def push_formula(self, kind: KernelKind, gamma: float, coef0: float, degree: int, begin: int, end: int) -> bool: ...
    def push_operator(self, op: Operator, factor: float = 1.0, exponent: int = 1) -> bool: ...

class Features: ...

class Gram:
    @property
    def size(self) -> int: ...
    def diagonal(self) -> Floats: ...
    def block(self, rows: Indices, columns: Indices) -> Floats: ...
    # Seconds, without what is made for all blocks; infinity if the time is over before that.
    def seconds_of_block(self, rows: Indices, columns: Indices, max_seconds: float) -> float: ...
    # The rows that a search is steered by where float32 suffices.
    def float32_rows(self, rows: Indices) -> NDArray[np.float32]: ...
    def float32_suffices(self) -> bool: ...
    # Whether K + part · max|K_ii| cannot be factored.
    def is_indefinite(self, part: float = 1e-10) -> bool: ...
    # Whether the values were rounded to float32 before.
    def is_of_float32(self) -> bool: ...
    # The largest value that a score sums up, by what rounding does to it.
    def score_scale(self) -> float: ...
    # What is added to an offset beside centred rows to make it that of rows as they are.
    def offset_shift(self, beta: Floats) -> float: ...
    # How far a score may be off for each unit that the sum of beta is off, where rows are centred; else 0.
    def off_sum_scale(self) -> float: ...
    def product(self, beta: Floats) -> Floats: ...
    def start_product(self, beta: Floats) -> Floats: ...

def get_threads() -> int: ...
def set_threads(count: int) -> None: ...
def cpu_level() -> str: ...
def cpu_levels() -> list[str]: ...
def dense_features(x: NDArray[Any]) -> Features: ...
def csr_features(indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], columns: int) -> Features: ...
def feature_gram(features: Features, kernel: KernelFunction, subset: Indices | None, centred: bool) -> Gram: ...
def feature_grams(
    features: Features, kernel: KernelFunction, rows: Indices, cuts: Sequence[int], centred: bool
) -> list[Gram]: ...
def precomputed_gram(matrix: NDArray[Any], subset: Indices | None) -> Gram: ...
def opaque_gram(block: Callable[[Indices, Indices], Floats], diagonal: Callable[[], Floats], size: int) -> Gram: ...
def adjusted_gram(inner: Gram, signs: Floats, constant: float) -> Gram: ...
def kept_gram(inner: Gram, bytes: int) -> Gram: ...

class SymbolRuns: ...  # objects that are no vectors, as flat arrays: see bindings/objects.cpp
class LabelledGraphs: ...

class Objects:
    @property
    def size(self) -> int: ...
    def block(self, rows: Indices, columns: Indices) -> Floats: ...
    def own(self) -> Floats: ...
    def plus(self, other: Objects) -> Objects: ...
    def times(self, other: Objects) -> Objects: ...
    def scaled(self, factor: float, constant: float = 0.0) -> Objects: ...
    def power(self, exponent: int) -> Objects: ...
    def normalised(self) -> Objects: ...
    def kept(self, bytes: int) -> KeptRows: ...

class KeptRows:
    def gram(self, subset: Indices | None) -> Gram: ...

def symbol_runs(symbols: Indices, starts: Ints, owners: Indices, alphabet: int, size: int) -> SymbolRuns: ...
def kmers(runs: SymbolRuns, length: int, kept: Sequence[int], weights: Sequence[int], first_column: int) -> Objects: ...
def position_matches(runs: SymbolRuns, weights: Floats) -> Objects: ...
def subsequences(runs: SymbolRuns, length: int, decay: float) -> Objects: ...
def alignments(moments: Floats, starts: Ints, rate: float, normalised: bool) -> Objects: ...
def labelled_graphs(
    node_starts: Ints, node_labels: Indices, sources: Ints, targets: Ints, edge_labels: Indices
) -> LabelledGraphs: ...
def refined_labels(graphs: LabelledGraphs, rounds: int, first_column: int) -> Objects: ...
def shortest_paths(graphs: LabelledGraphs, first_column: int) -> Objects: ...
def bags(members: Gram, starts: Indices) -> Objects: ...
def cross_kernel(kernel: KernelFunction, left: Features, right: Features) -> Floats: ...
def weighted_sums(
    kernel: KernelFunction, rows: Features, support: Features, coefficients: Floats, bounds: Indices
) -> Floats: ...
def row_products(features: Features, w: Floats) -> Floats: ...

# Mean, of dense rows less the first row, and variance of each column.
class Moments:
    mean: Floats
    variance: Floats

def column_moments(features: Features) -> Moments: ...

RowLoss = Enum("RowLoss", "hinge squared_hinge logistic exponential tube squared_tube square perceptron")

def column_squares(features: Features, coefficients: Floats) -> Floats: ...
def row_sum(features: Features, coefficients: Floats) -> Floats: ...
def class_products(features: Features, W: Floats) -> Floats: ...
def class_sums(features: Features, U: Floats) -> Floats: ...

# None if the time is over before; 0 stands for no limit.
@overload
def products(grams: list[Gram], beta: Floats) -> Floats: ...
@overload
def products(grams: list[Gram], beta: Floats, max_seconds: float) -> Floats | None: ...

# Looks at arrays that somebody gave.
def all_finite(x: NDArray[Any]) -> bool: ...

CsrFault = Enum("CsrFault", "none starts columns")

class CsrCheck:
    fault: CsrFault
    canonical: bool

# ``held``: stored values. Variances are those of the wanted columns, and 0 of the others.
def csr_check(indptr: NDArray[Any], indices: NDArray[Any], rows: int, columns: int, held: int) -> CsrCheck: ...
def exact_variances(
    indices: NDArray[Any], data: NDArray[Any], rows: int, mean: Floats, wanted: NDArray[np.bool_]
) -> Floats: ...

# The largest size of a value, and the largest difference from the transpose; NaN if not all are finite.
class SquareCheck:
    largest: float
    asymmetry: float

def square_check(matrix: NDArray[Any]) -> SquareCheck: ...

# What every run shares. 0 seconds stand for no limit.
class Limits:
    tol: float
    max_steps: int
    max_seconds: float
    def __init__(self, tol: float, max_steps: int, max_seconds: float) -> None: ...

Termination = Enum("Termination", "converged step_limit time_limit stopped stalled")

class Report:
    problem: int
    seconds: float
    steps: int
    objective: float
    violation: float
    gap: float
    n_support: int
    done: bool

Monitor = Callable[[Report], int]

class Field:
    name: str
    type: str
    offset: int

CHECKPOINT_FIELDS: list[Field]
CHECKPOINT_SIZE: int
CERTIFICATE_FIELDS: list[Field]
CERTIFICATE_SIZE: int

# Classes of labels that are whole numbers, and the code of each label.
class LabelCodes:
    classes: Ints
    codes: Ints

# None where there are fractions, or a range of ``widest`` or more.
def label_codes(labels: NDArray[Any], widest: int) -> LabelCodes | None: ...

# Whether these rows of x are those others; False where one of them is not there.
def same_rows(x: NDArray[Any], rows: Indices, others: NDArray[Any]) -> bool: ...

# Rows, signs and starts of the problems of all pairs of classes, one pair after the other.
class ClassPairs:
    rows: Indices
    signs: Floats
    starts: Ints

class MarginBox:
    q: Floats
    lower: Floats
    upper: Floats

# Rows that support some subproblem, by class; how many of each class; their coefficients.
class Assembled:
    rows: Ints
    n_support: Indices
    dual: Floats
    finite: bool

def class_pairs(codes: Ints, classes: int) -> ClassPairs: ...
def margin_box(signs: Floats, rows: Indices | None, costs: Floats) -> MarginBox: ...
def assemble(
    *, codes: Ints, classes: int, support: Ints, counts: Ints, beta: Floats, coefficient_rows: Ints, coefficients: int
) -> Assembled: ...

# Several duals of one kind: their vectors stand one problem after the other.
class DualBatch:
    grams: tuple[Gram, ...]
    q: Floats
    lower: Floats
    upper: Floats
    D: Floats | None
    l1_weight: float
    offset: bool
    total: Floats
    abs_sum: Floats | None
    abs_sum_may_fall: bool
    sizes: list[int]
    bounded: bool
    def __init__(
        self,
        *,
        grams: Sequence[Gram],
        q: Floats,
        lower: Floats,
        upper: Floats,
        D: Floats | None,
        l1_weight: float,
        offset: bool,
        total: Floats,
        abs_sum: Floats | None,
        abs_sum_may_fall: bool,
    ) -> None: ...

# Where a run begins: anywhere, at the optimum of a problem like this one, or at a point that was evaluated.
Origin = Enum("Origin", "cold warm resumed")

# Where the search of one soft margin begins, and its scores.
class Beginning:
    beta: Floats
    scores: Floats

# From coefficients where they are not 0, and the largest that each could have been; None if they must be projected.
def continued(batch: DualBatch, support: Indices, beta: Floats, cost: Floats) -> Beginning | None: ...

# What a search found, problem after problem; the trace as bytes.
class SearchResult:
    beta: Floats
    trace: NDArray[np.uint8]
    interrupted: bool
    converged: bool
    terminations: list[Termination]
    steps: Ints
    rows_made: Ints
    newton_rounds: Ints
    negative_curvature: Ints
    checkpoints: Ints

def search(
    batch: DualBatch,
    beta: Floats,
    gradient: Floats,
    limits: Limits,
    *,
    cache_bytes: int,
    shrinking: bool,
    origin: Origin,
    monitor: Monitor | None,
) -> SearchResult: ...

# What was found on a path: (stages, rows of all problems), (stages, rows held out by the problems) and (stages, problems).
class PathResult:
    beta: Floats
    held_out: Floats
    bias: Floats
    optimal: NDArray[np.uint8]
    converged: NDArray[np.uint8]
    primal: Floats
    dual: Floats
    steps: Ints

class PathsResult:
    paths: list[PathResult]
    interrupted: bool

Stages = Sequence[Sequence[DualBatch]]
StageStarts = Sequence[Sequence[Floats | None]]

def search_paths(
    batches: Stages,
    starts: StageStarts,
    around: Sequence[Sequence[Gram]],
    members: Sequence[NDArray[np.int32] | None],
    limits: Limits,
    *,
    allowed: Allowed,
    cache_bytes: int,
    shrinking: bool,
) -> PathsResult: ...
def evenly_spaced(counts: Ints, most: int) -> Ints: ...

class Evaluation:
    bias: float
    bias_low: float
    bias_high: float
    cost: float
    primal: float
    dual: float
    violation: float
    square_norm: float
    abs_sum: float
    infeasibility: float
    rounding: float
    shift: float
    score_scale: float

# What an estimator keeps of soft margins, one problem after the other: see `solution.SolutionBatch`.
class Margins:
    beta: Floats
    scores: Floats
    deficit: Floats
    sides: NDArray[np.int8]
    costs: Floats
    bias: Floats
    certificates: NDArray[np.uint8]

# What counts as small, as parts of the primal objective but for the violation and the infeasibility.
class Allowed:
    def __init__(self, *, violation: float, gap: float, rounding: float, infeasibility: float) -> None: ...

# Of several points; support and boundary are places among the rows of all problems.
class Evaluations:
    scores: Floats
    support: Ints
    boundary: Ints
    n_support: Ints
    n_boundary: Ints
    def are_optimal(self, allowed: Allowed) -> bool: ...
    def optimal(self, allowed: Allowed) -> NDArray[np.uint8]: ...
    def are_settled(self, allowed: Allowed) -> bool: ...  # each is optimal, or is not, beyond doubt of rounding
    def margins(self, batch: DualBatch, beta: Floats) -> Margins: ...
    def __getitem__(self, k: int) -> Evaluation: ...

def evaluate(batch: DualBatch, beta: Floats, scores: Floats | None) -> Evaluations: ...
