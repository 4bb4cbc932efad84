"""Linear models, and all classes at once: the part of the core's types that `_core.pyi` offers; for type checkers only."""

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin._core import Features, Floats, Gram, Indices, Ints, Limits, Monitor, RowLoss, Starts, Termination

class CrammerSingerSpec:
    def __init__(self, *, gram: Gram, label: Indices, upper: Floats, offsets: bool) -> None: ...

# What every run hands back.
class _Run:
    trace: NDArray[np.uint8]
    termination: Termination
    interrupted: bool

class CrammerSingerResult(_Run):
    beta: Floats
    bias: Floats
    steps: int
    rows_made: int

def search_crammer_singer(
    spec: CrammerSingerSpec, beta: Floats, bias: Floats, limits: Limits, cache_bytes: int, monitor: Monitor | None
) -> CrammerSingerResult: ...

MarginLoss = Enum("MarginLoss", "hinge squared_hinge logistic exponential tube squared_tube")

SmoothLoss = Enum("SmoothLoss", "squared_hinge logistic squared_tube")

LinearOffset = Enum("LinearOffset", "none free penalised")

LinearMethod = Enum("LinearMethod", "newton coordinates")

class LinearSpec:
    def __init__(
        self,
        *,
        features: Features,
        y: Floats,
        cost: Floats,
        loss: MarginLoss,
        target: Floats | None,
        epsilon: float,
        offset: LinearOffset,
        offset_scale: float,
        penalty: bool,
    ) -> None: ...

BlockCurvature = Enum("BlockCurvature", "none diagonal matrix")

class BlockTerms:
    numbers: Floats
    minus: Floats
    plus: Floats
    curvature: Floats

def block_terms(
    spec: LinearSpec, w: Floats, b: float, centre: Floats | None, penalty_parameter: float, kind: BlockCurvature
) -> BlockTerms: ...
def block_along(
    spec: LinearSpec,
    w: Floats,
    b: float,
    p: Floats,
    p_offset: float,
    lengths: Floats,
    centre: Floats | None,
    penalty_parameter: float,
) -> Floats: ...
def block_multipliers(spec: LinearSpec, w: Floats, b: float, centre: Floats | None, penalty_parameter: float) -> Floats: ...
def block_product(
    spec: LinearSpec, w: Floats, b: float, p: Floats, p_offset: float, centre: Floats | None, penalty_parameter: float
) -> Floats: ...

class L1Spec:
    def __init__(
        self,
        *,
        features: Features,
        y: Floats,
        cost: Floats,
        loss: SmoothLoss,
        epsilon: float,
        offset: LinearOffset,
        offset_scale: float,
        l1: float,
    ) -> None: ...

class LinearStart:
    def __init__(self, w: Floats, b: float, alpha: Floats) -> None: ...

class _Minimised(_Run):
    w: Floats
    alpha: Floats
    separates: bool
    rounds: int

class LinearResult(_Minimised):
    b: float

# Problems of the same rows; a start for each, or none at all.
def minimise_linear(
    specs: list[LinearSpec], starts: Starts, limits: Limits, *, method: LinearMethod, seed: int, monitor: Monitor | None
) -> list[LinearResult]: ...

# Of each path the same problem with other costs, each from the one before.
def minimise_linear_paths(paths: list[list[LinearSpec]], limits: Limits) -> list[list[LinearResult]]: ...
def minimise_l1(spec: L1Spec, start: LinearStart | None, limits: Limits, monitor: Monitor | None) -> LinearResult: ...

class WalkRule:
    def __init__(
        self,
        loss: RowLoss | None,
        epsilon: float,
        derivative: Any,
        lam: float,
        delay: float,
        scale: float,
        free_offset: bool,
        growing: bool,
    ) -> None: ...

class WalkGround:
    def __init__(
        self, slope: Floats, at_zero: Floats, theta: Floats, moment: Floats, drawn: Floats, slopes: Floats
    ) -> None: ...

class WalkPoint:
    steps: int
    weights: float
    rates: float
    b: float
    b_sum: float

# False if a score was not finite; ``row`` gives one row of a matrix that is not kept.
def walk_on_features(rule: WalkRule, ground: WalkGround, features: Features, point: WalkPoint, draws: Ints) -> bool: ...
def walk_on_kernel(rule: WalkRule, ground: WalkGround, K: Any, row: Any, Kc: Floats, point: WalkPoint, draws: Ints) -> bool: ...

ClassLoss = Enum("ClassLoss", "multinomial joint")

class MulticlassSpec:
    def __init__(
        self,
        *,
        features: Features,
        label: Indices,
        cost: Floats,
        classes: int,
        loss: ClassLoss,
        offset: LinearOffset,
        offset_scale: float,
        penalty: bool,
        l1: float,
    ) -> None: ...

class MulticlassResult(_Minimised):
    b: Floats

MulticlassMethod = Enum("MulticlassMethod", "newton rows proximal")

class MulticlassStart:
    def __init__(self, w: Floats, b: Floats, alpha: Floats) -> None: ...

def minimise_multiclass(
    spec: MulticlassSpec, start: MulticlassStart | None, limits: Limits, method: MulticlassMethod, monitor: Monitor | None
) -> MulticlassResult: ...

ClassCurvature = Enum("ClassCurvature", "none diagonal shared matrix")

class ClassBlockTerms:
    numbers: Floats
    slopes: Floats
    curvature: Floats

def class_block_terms(spec: MulticlassSpec, W: Floats, kind: ClassCurvature) -> ClassBlockTerms: ...
def class_block_along(spec: MulticlassSpec, W: Floats, P: Floats, lengths: Floats) -> Floats: ...
def class_block_product(spec: MulticlassSpec, W: Floats, P: Floats) -> Floats: ...

# Sums over rows for the evaluation of a linear model.
class RowSums:
    lost: float
    conjugates: float
    size: float
    abs_sum: float
    reach: float
    worst: float
    slopes: Floats | None

def evaluate_rows(
    *, loss: RowLoss, epsilon: float, scores: Floats, y: Floats, cost: Floats, alpha: Floats, shrink: float, with_slopes: bool
) -> RowSums: ...
