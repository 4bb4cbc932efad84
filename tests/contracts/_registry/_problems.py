"""Problems of all five families: how maxmargin states each, and what its optimum is by somebody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_classification

from maxmargin.problems import CrammerSinger, KernelLogistic, MulticlassLinear, PrimalProblem

from ._data import DATA
from ._formulations import FORMULATIONS, Formulation
from ._kernels import KERNELS, KernelCase
from ._minima import RESIDUALS, SMOOTH, least_joint, least_linear, least_multinomial, least_of_all_classes_dual
from ._programs import Array, solve_by_piqp

C = 0.5
"""Moderate, so that methods of first order end in time."""

BALL = 0.3
"""The largest |w|²; at C above it is smaller than that of the L2 penalty."""


SHARE = 0.4
"""Of the absolute values in an elastic net."""


class Family(Enum):
    """Which contract a problem has: a kernel and a dual, the same for all classes, weights, weights of all classes, a kernel
    and the logistic loss."""

    DUAL = "dual"
    JOINT = "joint"
    LINEAR = "linear"
    CLASSES = "classes"
    LOGISTIC = "logistic"


@dataclass(frozen=True)
class Rows:
    """What a problem is posed on: rows, labels or targets, and the C of each row."""

    X: Array
    t: Array
    u: Array


@dataclass(frozen=True, eq=False)
class ProblemCase:
    """A problem, on any rows.

    ``optimum`` is independent of maxmargin; it is None where no point is proven to be the best (an indefinite kernel), and
    where no solver takes the problem. ``mirror`` changes labels or targets so that the optimum stays what it is.
    """

    name: str
    family: Family
    pose: Callable[[Rows], Any]
    optimum: Callable[[Rows], float] | None
    sets: tuple[str, ...]
    targets: Callable[[Array, Array], Array]
    mirror: Callable[[Array], Array] = np.negative

    @property
    def example(self) -> Any:
        """It on the first set of its family, to ask whether a solver supports it."""
        return self.pose(self.on(next(iter(SETS[self.family]))))

    def on(self, name: str) -> Rows:
        X, y = _rows(self.family, name)
        weight = np.random.default_rng(4).lognormal(0.0, 1.0, len(y)) if name in WEIGHTED else np.ones(len(y))
        return Rows(X, self.targets(X, y), C * weight)

    def __str__(self) -> str:
        return self.name


@lru_cache
def _rows(family: Family, name: str) -> tuple[Array, Array]:
    """At most 40 standardised rows: gradient steps do not like scales, and general solvers do not like many rows."""
    X, y = SETS[family][name]()
    if family is Family.DUAL:
        step = max(1, len(y) // 30)
        kept = np.union1d(np.arange(0, len(y), step), [np.flatnonzero(y > 0)[0], np.flatnonzero(y < 0)[0]])
        X, y = X[kept], y[kept]
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12), y


def _overlap() -> tuple[Array, Array]:
    X, y = make_classification(40, 3, n_informative=3, n_redundant=0, flip_y=0.3, random_state=0)
    return X, 2.0 * y - 1.0


def _wide() -> tuple[Array, Array]:
    """More features than rows, and the first of them twice."""
    X, y = make_classification(10, 12, n_informative=5, random_state=2)
    return np.column_stack([X, X[:, 0]]), 2.0 * y - 1.0


def _blobs() -> tuple[Array, Array]:
    return make_blobs(36, 2, centers=3, cluster_std=4.0, random_state=0)


def _uneven() -> tuple[Array, Array]:
    return np.random.default_rng(0).normal(size=(30, 3)), np.repeat([0, 1, 2, 3], [20, 6, 2, 2])


WEIGHTED = ("lattice", "wide", "uneven")
"""Sets whose rows have a C each."""

DUAL_SETS = ("moons", "lattice", "iris", "two rows")

SETS: dict[Family, dict[str, Callable[[], tuple[Array, Array]]]] = {
    Family.DUAL: {name: DATA[name] for name in DUAL_SETS},
    Family.LINEAR: {"overlap": lru_cache(_overlap), "wide": lru_cache(_wide)},
    Family.JOINT: {"blobs": lru_cache(_blobs), "uneven": lru_cache(_uneven)},
    Family.CLASSES: {"blobs": lru_cache(_blobs), "uneven": lru_cache(_uneven)},
    Family.LOGISTIC: {"blobs": lru_cache(_blobs), "uneven": lru_cache(_uneven)},
}

NO_MARGIN = {
    ("hard margin, linear", "moons"),
    ("hard margin, linear", "lattice"),
    ("hard margin, rbf", "lattice"),
    ("hard margin, no offset, linear", "moons"),
    ("hard margin, no offset, linear", "lattice"),
    ("hard margin, no offset, linear", "iris"),
    ("hard margin, no offset, rbf", "lattice"),
}
"""Where no hard margin exists: a test asks a linear program."""


def _dual(formulation: Formulation, kernel: KernelCase) -> ProblemCase:
    def optimum(rows: Rows) -> float:
        qp = formulation.qp(kernel.reference(rows.X, rows.X), rows.t, rows.u)
        return -qp.value(solve_by_piqp(qp))

    name = f"{formulation.name}, {kernel.name}"
    sets = tuple(rows for rows in DUAL_SETS if (name, rows) not in NO_MARGIN)
    return ProblemCase(
        name,
        Family.DUAL,
        lambda rows: formulation.build(rows.X, rows.t, rows.u, kernel.kernel),
        optimum if kernel.mercer else None,
        sets if kernel.mercer else () if "squared" in formulation.name else ("moons",),  # its dual may rise without end
        formulation.targets,
    )


def _crammer_singer(kernel: KernelCase, offset: bool) -> ProblemCase:
    return ProblemCase(
        f"all classes at once, {kernel.name}" + ("" if offset else ", no offset"),
        Family.JOINT,
        lambda rows: CrammerSinger(rows.X, rows.t, C=1.0, kernel=kernel.kernel, offset=offset, sample_weight=rows.u),
        lambda rows: least_of_all_classes_dual(kernel.reference(rows.X, rows.X), rows.t, rows.u, offset=offset),
        tuple(SETS[Family.JOINT]),
        _as_they_are,
        _turned,
    )


def _as_they_are(X: Array, y: Array) -> Array:
    return y


def _numbers(X: Array, y: Array) -> Array:
    return np.asarray(X[:, 0] * y + 0.3 * X[:, -1])


def _turned(y: Array) -> Array:
    return np.asarray(y.max() - y)


LOSSES = (
    "hinge",
    "squared_hinge",
    "logistic",
    "exponential",
    "squared",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
    "perceptron",
    "zero_one",
)
PENALTIES = ("l2", "l1", "elasticnet", "ball", None)
OFFSETS = ("free", "penalised", None)


def linear_name(loss: str, penalty: str | None, offset: str | None) -> str:
    return f"{loss}, {penalty or 'no penalty'}, {'no' if offset is None else offset} offset"


def _linear(loss: str, penalty: str | None, offset: str | None) -> ProblemCase:
    own: dict[str, Any] = {"ball": {"B": BALL}, "elasticnet": {"l1_ratio": SHARE}}.get(penalty or "", {})
    return ProblemCase(
        linear_name(loss, penalty, offset),
        Family.LINEAR,
        lambda rows: PrimalProblem(
            rows.X, rows.t, loss=loss, penalty=penalty, C=1.0, offset=offset, sample_weight=rows.u, **own
        ),
        partial(_least_linear, loss, penalty, offset)
        if loss in SMOOTH or (penalty != "elasticnet" and loss != "zero_one")
        else None,
        ("overlap",) if penalty is None else tuple(SETS[Family.LINEAR]),  # wide rows are separable
        _numbers if loss in RESIDUALS else _as_they_are,
    )


def _least_linear(loss: str, penalty: str | None, offset: str | None, rows: Rows) -> float:
    return least_linear(rows.X, rows.t, rows.u, loss, penalty, offset, BALL, SHARE)


def _classes(loss: str, penalty: str | None, offset: str | None) -> ProblemCase:
    own = {"l1_ratio": SHARE} if penalty == "elasticnet" else {}

    def optimum(rows: Rows) -> float:
        if loss == "joint":
            return least_joint(rows.X, rows.t, rows.u, offset)
        return least_multinomial(rows.X, rows.t, rows.u, penalty, offset, SHARE)

    return ProblemCase(
        linear_name(loss, penalty, offset),
        Family.CLASSES,
        lambda rows: MulticlassLinear(
            rows.X, rows.t, loss=loss, penalty=penalty, C=1.0, offset=offset, sample_weight=rows.u, **own
        ),
        optimum,
        ("blobs",) if penalty is None else tuple(SETS[Family.CLASSES]),  # few rows of a class are separable
        _as_they_are,
        _turned,
    )


def _kernel_logistic(kernel: KernelCase, offset: bool) -> ProblemCase:
    def optimum(rows: Rows) -> float:
        """As a linear model over features whose inner products are the kernel's."""
        values, vectors = np.linalg.eigh(kernel.reference(rows.X, rows.X))
        features = vectors * np.sqrt(np.maximum(values, 0.0))
        return least_multinomial(features[:, values > 1e-12 * values[-1]], rows.t, rows.u, "l2", "free" if offset else None)

    return ProblemCase(
        f"kernel logistic, {kernel.name}" + ("" if offset else ", no offset"),
        Family.LOGISTIC,
        lambda rows: KernelLogistic(rows.X, rows.t, C=1.0, kernel=kernel.kernel, offset=offset, sample_weight=rows.u),
        optimum,
        tuple(SETS[Family.LOGISTIC]),
        _as_they_are,
        _turned,
    )


_LINEAR, _RBF, _SIGMOID = (next(case for case in KERNELS if case.name == name) for name in ("linear", "rbf", "sigmoid"))

_EVERY = [
    *(_dual(formulation, kernel) for formulation in FORMULATIONS for kernel in (_LINEAR, _RBF, _SIGMOID)),
    *(_crammer_singer(kernel, offset) for kernel in (_LINEAR, _RBF) for offset in (True, False)),
    *(_kernel_logistic(kernel, offset) for kernel in (_LINEAR, _RBF) for offset in (True, False)),
    *(_linear(loss, penalty, offset) for loss in LOSSES for penalty in PENALTIES for offset in OFFSETS),
    *(_classes(loss, "l2", offset) for loss in ("multinomial", "joint") for offset in OFFSETS),
    *(_classes("multinomial", penalty, offset) for penalty in ("l1", "elasticnet") for offset in OFFSETS),
    *(_classes("multinomial", None, offset) for offset in ("free", None)),
]

PROBLEMS: dict[str, ProblemCase] = {case.name: case for case in _EVERY}
"""Every problem of the house by name."""
