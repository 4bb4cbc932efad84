from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class KernelFunction:
    def __init__(self, kind: int, gamma: float, coef0: float, degree: int) -> None: ...

class Features: ...

class Gram:
    @property
    def size(self) -> int: ...
    def diagonal(self) -> NDArray[np.float64]: ...
    def block(self, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> NDArray[np.float64]: ...
    # Seconds, without what is made for all blocks; infinity if the time is over before that.
    def seconds_of_block(self, rows: NDArray[np.int32], columns: NDArray[np.int32], max_seconds: float) -> float: ...
    def is_indefinite(self) -> bool: ...
    # The largest value that a score sums up, by what rounding does to it.
    def score_scale(self) -> float: ...
    # What is added to an offset beside centred rows to make it that of rows as they are.
    def offset_shift(self, beta: NDArray[np.float64]) -> float: ...
    def product(self, beta: NDArray[np.float64]) -> NDArray[np.float64]: ...

def get_threads() -> int: ...
def set_threads(count: int) -> None: ...
def cpu_level() -> str: ...
def cpu_levels() -> list[str]: ...
def dense_features(x: NDArray[Any]) -> Features: ...
def csr_features(indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], columns: int) -> Features: ...
def feature_gram(features: Features, kernel: KernelFunction, subset: NDArray[np.int32] | None, centred: bool) -> Gram: ...
def feature_grams(
    features: Features, kernel: KernelFunction, rows: NDArray[np.int32], cuts: Sequence[int], centred: bool
) -> list[Gram]: ...
def precomputed_gram(matrix: NDArray[Any], subset: NDArray[np.int32] | None) -> Gram: ...
def opaque_gram(
    block: Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float64]],
    diagonal: Callable[[], NDArray[np.float64]],
    size: int,
) -> Gram: ...
def adjusted_gram(inner: Gram, signs: NDArray[np.float64], constant: float) -> Gram: ...
def cross_kernel(kernel: KernelFunction, left: Features, right: Features) -> NDArray[np.float64]: ...
def weighted_sums(
    kernel: KernelFunction,
    rows: Features,
    support: Features,
    coefficients: NDArray[np.float64],
    bounds: NDArray[np.int32],
) -> NDArray[np.float64]: ...
def row_products(features: Features, w: NDArray[np.float64]) -> NDArray[np.float64]: ...

# Mean, of dense rows less the first row, and variance of each column.
def column_moments(features: Features) -> NDArray[np.float64]: ...

# Sums over rows for the judge of a linear model: lost, conjugates, their size, mass, reach, worst, slopes
def judge_rows(
    loss: int,
    epsilon: float,
    scores: NDArray[np.float64],
    y: NDArray[np.float64],
    price: NDArray[np.float64],
    alpha: NDArray[np.float64],
    shrink: float,
    with_slopes: bool,
) -> tuple[float, float, float, float, float, float, NDArray[np.float64] | None]: ...
def column_squares(features: Features, coefficients: NDArray[np.float64]) -> NDArray[np.float64]: ...
def row_sum(features: Features, coefficients: NDArray[np.float64]) -> NDArray[np.float64]: ...
def class_products(features: Features, W: NDArray[np.float64]) -> NDArray[np.float64]: ...
def class_sums(features: Features, U: NDArray[np.float64]) -> NDArray[np.float64]: ...

# None if the time is over before; 0 stands for no limit.
@overload
def products(grams: list[Gram], beta: NDArray[np.float64]) -> NDArray[np.float64]: ...
@overload
def products(grams: list[Gram], beta: NDArray[np.float64], max_seconds: float) -> NDArray[np.float64] | None: ...

# Looks at arrays that somebody gave.
def all_finite(x: NDArray[Any]) -> bool: ...

# 0, or 1 if indptr does not fit, 2 if a column is outside; and whether columns ascend in each row. ``held``: stored values.
def csr_check(indptr: NDArray[Any], indices: NDArray[Any], rows: int, columns: int, held: int) -> tuple[int, bool]: ...

# The largest size of a value, and the largest difference from the transpose; NaN if not all are finite.
def square_check(matrix: NDArray[Any]) -> tuple[float, float]: ...

# grams, q, lower, upper, ridge, kink, offset, totals, masses, mass_may_fall: vectors one problem after the other
Stack = tuple[
    list[Gram],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64] | None,
    float,
    bool,
    NDArray[np.float64],
    NDArray[np.float64] | None,
    bool,
    list[int],
]

# Rows, signs and starts of the problems of all pairs of classes, one pair after the other.
def class_pairs(codes: NDArray[np.int64], classes: int) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]: ...
def margin_box(
    signs: NDArray[np.float64], rows: NDArray[np.int32] | None, prices: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

# Rows that support some machine, by class; how many of each class; their coefficients.
def assemble(
    codes: NDArray[np.int64],
    classes: int,
    support: NDArray[np.int64],
    counts: NDArray[np.int64],
    beta: NDArray[np.float64],
    heights: NDArray[np.int64],
    coefficients: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]: ...

# Points; of each problem ending, steps, rows made, Newton rounds, negative curvature, interrupted, checkpoints; these.
def minimise(
    problems: Stack,
    beta: NDArray[np.float64],
    gradient: NDArray[np.float64],
    tol: float,
    max_steps: int,
    max_seconds: float,
    cache_bytes: int,
    shrinking: bool,
    resumed: bool,
    monitor: Callable[[float, int, float, float, int], bool] | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]: ...

# beta, bias, ending, interrupted, steps, rows made, trace
JointOutcome = tuple[NDArray[np.float64], NDArray[np.float64], int, bool, int, int, NDArray[np.float64]]

def minimise_joint(
    gram: Gram,
    label: NDArray[np.int32],
    upper: NDArray[np.float64],
    beta: NDArray[np.float64],
    bias: NDArray[np.float64],
    offsets: bool,
    tol: float,
    max_steps: int,
    max_seconds: float,
    cache_bytes: int,
    monitor: Callable[[float, int, float, float, int], bool] | None,
) -> JointOutcome: ...

# w, b, alpha, ending, interrupted, rounds, separates, trace
LinearOutcome = tuple[NDArray[np.float64], float, NDArray[np.float64], int, bool, int, bool, NDArray[np.float64]]

def minimise_linear(
    features: Features,
    y: NDArray[np.float64],
    price: NDArray[np.float64],
    loss: int,
    target: NDArray[np.float64] | None,
    epsilon: float,
    offset: int,
    offset_scale: float,
    penalty: bool,
    start: tuple[NDArray[np.float64], float, NDArray[np.float64]] | None,
    by_newton: bool,
    seed: int,
    tol: float,
    max_rounds: int,
    max_seconds: float,
    monitor: Callable[[float, int, float, float, int], bool] | None,
) -> LinearOutcome: ...

# w, b, alpha, ending, interrupted, rounds, separates, trace
ClassesOutcome = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int, bool, int, bool, NDArray[np.float64]]

def minimise_classes(
    features: Features,
    label: NDArray[np.int32],
    price: NDArray[np.float64],
    classes: int,
    loss: int,
    offset: int,
    offset_scale: float,
    penalty: bool,
    by_rows: bool,
    tol: float,
    max_rounds: int,
    max_seconds: float,
    monitor: Callable[[float, int, float, float, int], bool] | None,
) -> ClassesOutcome: ...

# w, b, beta, ending, interrupted, rounds, trace
L1Outcome = tuple[NDArray[np.float64], float, NDArray[np.float64], int, bool, int, NDArray[np.float64]]

def minimise_l1(
    features: Features,
    y: NDArray[np.float64],
    price: NDArray[np.float64],
    loss: int,
    epsilon: float,
    offset: int,
    offset_scale: float,
    tol: float,
    max_rounds: int,
    max_seconds: float,
    monitor: Callable[[float, int, float, float, int], bool] | None,
) -> L1Outcome: ...

# Scores; where support and boundary of all problems stand among the rows of all; how many of each; of each problem bias, the
# ends of its interval, price, primal, dual, violation, square norm, mass, infeasibility, rounding, shift of the offset,
# scale of scores.
Found = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]

def judge(problems: Stack, beta: NDArray[np.float64], scores: NDArray[np.float64] | None) -> Found: ...
