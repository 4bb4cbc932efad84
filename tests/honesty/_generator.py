"""Random fits. One integer, the seed, determines all of a case: estimator, parameters, rows, weights, container."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import isfunction
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import sparse

import maxmargin

from ._kernels import draw_kernel, needs_non_negative
from ._sets import KINDS, Drawn, draw

__all__ = ["Case", "make"]

Rng = np.random.Generator


@dataclass(frozen=True)
class Case:
    """A fit.

    Attributes
    ----------
    seed : int
        What determines it.
    estimator : str
        Name in `maxmargin`.
    params : dict
        Its parameters.
    kind : str
        Kind of data.
    ordinary : bool
        Whether neither the data nor the weights are extreme.
    X : ndarray of float64
        The rows as numbers; of a precomputed kernel its matrix.
    given : Any
        What ``fit`` gets: the same in a container.
    y : ndarray or None
        Labels or targets.
    weight : ndarray or None
        Sample weights.
    """

    seed: int
    estimator: str
    params: dict[str, Any]
    kind: str
    ordinary: bool
    X: np.ndarray
    given: Any
    y: np.ndarray | None
    weight: np.ndarray | None
    container: str = field(default="float64")

    def model(self) -> Any:
        return getattr(maxmargin, self.estimator)(**self.params)

    def fit(self) -> Any:
        """The fitted model; warnings are not looked at."""
        arguments = {} if self.weight is None else {"sample_weight": self.weight}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.model().fit(self.given, self.y, **arguments)

    def describe(self) -> str:
        """A line that says what it is, and lines that reproduce it."""
        params = ", ".join(f"{name}={_shown(value)}" for name, value in self.params.items())
        weights = "" if self.weight is None else f", weights {self.weight.min():.2g} … {self.weight.max():.2g}"
        n, d = self.X.shape
        return (
            f"{self.estimator}({params}) on {self.kind} {n}×{d} as {self.container}{weights}\n"
            f"    from tests.honesty._generator import make; case = make({self.seed}); model = case.fit()"
        )


def _shown(value: Any) -> str:
    return getattr(value, "__name__", repr(value))


def make(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng([17, seed])
    name = str(rng.choice(list(_RECIPES), p=_CHANCES))
    recipe, task, weighted = _RECIPES[name]
    classes = int(rng.choice([2, 2, 3, 4])) if task == "classes" else 2
    kind, drawn = draw(rng, classes)
    ordinary = KINDS[kind][1]
    weight, spread = _weights(rng, drawn, task) if weighted else (None, False)
    labels = _labels(rng, drawn.codes) if task == "classes" else drawn.target
    params = recipe(rng, drawn, classes, weight)
    X = np.abs(drawn.X) if needs_non_negative(params.get("kernel")) else drawn.X
    containers = ["float64", "float64", "float64", "float32", "fortran", "csr", "pandas"]
    container = str(rng.choice([*containers, *["float32"] * 2] if "kernel" not in params else containers))
    if container == "float32" and kind in ("huge", "minute", "denormal", "big_offset", "unix_time"):
        container = "float64"
    if container == "float32":
        X = X.astype(np.float32).astype(np.float64)
    if params.get("kernel") == "precomputed":
        X, container = _gram(rng, X), str(rng.choice(["float64", "float64", "float64", "float32"]))
        X = X.astype(np.float32).astype(np.float64) if container == "float32" else X
    estimator = name.split(maxsplit=1)[0]
    y = None if task == "one class" else labels
    return Case(seed, estimator, params, kind, ordinary and not spread, X, _contained(X, container), y, weight, container)


def _contained(X: np.ndarray, container: str) -> Any:
    forms: dict[str, Callable[[np.ndarray], Any]] = {
        "float64": np.copy,
        "float32": lambda rows: rows.astype(np.float32),
        "fortran": np.asfortranarray,
        "csr": sparse.csr_matrix,
        "pandas": pd.DataFrame,
    }
    return forms[container](X)


def _labels(rng: Rng, codes: np.ndarray) -> np.ndarray:
    """Numbers, or words."""
    return np.array(["a", "b", "c", "d"])[codes] if rng.random() < 0.15 else codes - int(rng.integers(0, 2))


def _weights(rng: Rng, drawn: Drawn, task: str) -> tuple[np.ndarray | None, bool]:
    """Sample weights, and whether they are extreme; every class keeps a row of weight."""
    n, share = len(drawn.X), rng.random()
    if share < 0.6:
        return None, False
    if share < 0.75:
        return rng.uniform(0.1, 3.0, n), False
    if share < 0.85:
        return 10.0 ** rng.uniform(-12, 12, n), True
    weight = rng.choice([0.0, 0.0, 1.0, 2.0], n)
    first = np.unique(drawn.codes, return_index=True)[1] if task == "classes" else [0]
    weight[first] = 1.0
    return weight, False


def _gram(rng: Rng, X: np.ndarray) -> np.ndarray:
    """A matrix of kernel values: of products, or of distances."""
    size = np.abs(X).max()
    unit = X / size if size > 0.0 else X
    share = rng.random()
    if share < 0.25:  # by blocks and in whatever order: its negative eigenvalues are rounding
        return np.asarray(unit @ unit.T)
    if share < 0.5:
        return np.asarray(np.sum(unit[:, np.newaxis, :] * unit[np.newaxis, :, :], axis=2))
    return np.asarray(np.exp(-np.square(unit[:, np.newaxis, :] - unit[np.newaxis, :, :]).sum(axis=2)))


def _price(rng: Rng) -> float:
    """C: mostly moderate, down to 1e-6 and up to 1e8."""
    return float(10.0 ** (rng.uniform(-2, 3) if rng.random() < 0.6 else rng.uniform(-6, 8)))


def _tolerance(rng: Rng) -> float:
    return float(10.0 ** -rng.choice(np.arange(1, 9), p=[0.08, 0.1, 0.3, 0.2, 0.1, 0.1, 0.06, 0.06]))


def _svc(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    scheme = str(rng.choice(["ovo", "ovo", "ovr"]))
    shape = "ovo" if scheme == "ovo" else "ovr"
    params = {"C": _price(rng), "tol": _tolerance(rng), "multi_class": scheme, "decision_function_shape": shape}
    if rng.random() < 0.15:
        params["class_weight"] = "balanced"
    if rng.random() < 0.2:
        params["loss"] = "squared_hinge"
    if rng.random() < 0.15:
        params["fit_intercept"] = False
    return params | draw_kernel(rng, drawn)


def _hard(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return _svc(rng, drawn, classes, weight) | {"C": np.inf}


def _joint(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    price = np.inf if rng.random() < 0.1 else _price(rng)
    params = {"C": price, "multi_class": "joint", "decision_function_shape": "ovr", "loss": "hinge"}
    return _svc(rng, drawn, classes, weight) | params


def _nu_svc(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    totals = np.bincount(drawn.codes, np.ones(len(drawn.codes)) if weight is None else weight)
    largest = 2.0 * float(totals.min() / (totals.min() + totals.max()))
    nu = max(largest * float(rng.uniform(0.05, 1.0)), 1e-300)
    return {"nu": nu, "tol": _tolerance(rng), "decision_function_shape": "ovo"} | draw_kernel(rng, drawn)


def _svr(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    epsilon = float(rng.choice([0.0, 0.1, 0.5, 1e-3]) * rng.choice([1.0, max(1e-300, float(drawn.target.std()))]))
    return {"C": _price(rng), "epsilon": epsilon, "tol": _tolerance(rng)} | draw_kernel(rng, drawn)


def _hard_svr(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return _svr(rng, drawn, classes, weight) | {"C": np.inf}


def _nu_svr(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return {"C": _price(rng), "nu": float(rng.uniform(0.02, 1.0)), "tol": _tolerance(rng)} | draw_kernel(rng, drawn)


def _one_class(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return {"nu": float(rng.choice([0.01, 0.1, 0.5, 0.9, 1.0])), "tol": _tolerance(rng)} | draw_kernel(rng, drawn)


def _offset(rng: Rng) -> dict[str, Any]:
    """A free offset more often than one that is penalised, or none."""
    share = rng.random()
    if share < 0.65:
        return {}
    if share < 0.75:
        return {"fit_intercept": False}
    return {"penalise_intercept": True, "intercept_scaling": float(rng.choice([1.0, 10.0]))}


def _linear_svc(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    params: dict[str, Any] = {"C": _price(rng), "tol": _tolerance(rng)} | _offset(rng)
    form = rng.choice(["hinge", "squared_hinge", "l1", "l1 hinge", "crammer_singer"], p=[0.3, 0.25, 0.15, 0.1, 0.2])
    if form == "crammer_singer":
        return params | {"multi_class": "crammer_singer"}
    if str(form).startswith("l1"):
        return params | {"penalty": "l1", "loss": "hinge" if form == "l1 hinge" else "squared_hinge"}
    solver = str(rng.choice(["auto", "auto", "auto", "newton", "coordinate_descent"]))
    if solver == "coordinate_descent" and "fit_intercept" not in params and "penalise_intercept" not in params:
        solver = "auto"  # a free offset ties its coordinates together
    return params | {"loss": str(form), "solver": solver}


def _linear_svr(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    loss = str(rng.choice(["epsilon_insensitive", "squared_epsilon_insensitive"]))
    params = _svr(rng, drawn, classes, weight)
    return {name: params[name] for name in ("C", "epsilon", "tol")} | {"loss": loss} | _offset(rng)


def _linear_classifier(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    params: dict[str, Any] = {"C": _price(rng), "tol": _tolerance(rng)} | _offset(rng)
    penalty = rng.choice(["l2", "l1", "elasticnet", "ball", "none"], p=[0.35, 0.15, 0.2, 0.15, 0.15])
    losses = {
        "l2": ["hinge", "squared_hinge", "logistic", "exponential", "squared", "perceptron"],
        "l1": ["hinge", "squared_hinge", "logistic", "squared"],
        "elasticnet": ["squared_hinge", "logistic", "squared"],
        "ball": ["hinge", "squared_hinge", "logistic", "exponential", "squared"],
        "none": ["logistic", "exponential", "squared", "squared_hinge"],
    }
    params |= {"loss": str(rng.choice(losses[str(penalty)])), "penalty": None if penalty == "none" else str(penalty)}
    if penalty == "elasticnet":
        params["l1_ratio"] = _share(rng)
    if penalty == "ball":
        params["B"] = float(10.0 ** rng.uniform(-4, 4))
    if penalty == "none":  # a penalised offset needs a penalty
        params = {name: value for name, value in params.items() if name not in ("penalise_intercept", "intercept_scaling")}
    return params


def _logistic(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    params: dict[str, Any] = {"C": _price(rng), "tol": _tolerance(rng), "fit_intercept": bool(rng.random() < 0.8)}
    penalty = rng.choice(["l2", "l1", "elasticnet", "none"], p=[0.45, 0.2, 0.2, 0.15])
    params["penalty"] = None if penalty == "none" else str(penalty)
    if penalty == "elasticnet":
        params["l1_ratio"] = _share(rng)
    if penalty in ("l1", "l2") and rng.random() < 0.35:  # which penalises the offset
        return params | {"solver": "liblinear", "multi_class": "ovr", "intercept_scaling": float(rng.choice([1.0, 10.0, 0.1]))}
    if penalty in ("l2", "none"):
        params["multi_class"] = str(rng.choice(["auto", "ovr", "multinomial"]))
    return params


def _share(rng: Rng) -> float:
    """Of absolute values in an elastic net."""
    return float(rng.choice([0.5, 0.1, 0.9, 1e-3, 0.999, rng.uniform(0.01, 0.99)]))


def _perceptron(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return {"fit_intercept": bool(rng.random() < 0.8), "max_iter": int(rng.choice([10, 200, 1000]))} | draw_kernel(rng, drawn)


def _stochastic(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    loss = str(rng.choice(["hinge", "logistic", "squared_hinge"]))
    return {
        "loss": loss,
        "lam_half": float(10.0 ** rng.uniform(-3, 1)),
        "tol": float(rng.choice([0.1, 0.01])),
        "max_iter": 20_000,
    }


def _kernel_logistic(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    params: dict[str, Any] = {"C": _price(rng), "tol": _tolerance(rng), "fit_intercept": bool(rng.random() < 0.85)}
    if rng.random() < 0.15:
        params["class_weight"] = "balanced"
    return params | draw_kernel(rng, drawn)


def _linear_one_class(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return {"nu": float(rng.choice([0.01, 0.1, 0.5, 0.9, 1.0])), "tol": _tolerance(rng)}


def _landmarks(rng: Rng, drawn: Drawn) -> dict[str, Any]:
    """A kernel on few landmarks, which are sometimes all rows."""
    kernel = draw_kernel(rng, drawn)
    means = kernel["kernel"] != "precomputed" and not isfunction(kernel["kernel"])
    how = str(rng.choice(["uniform", "kmeans" if means else "uniform", "leverage"], p=[0.6, 0.2, 0.2]))
    return kernel | {"n_components": int(rng.integers(1, 25)), "landmarks": how, "random_state": int(rng.integers(1000))}


def _approximate_svc(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    params: dict[str, Any] = {"C": _price(rng), "tol": _tolerance(rng), "fit_intercept": bool(rng.random() < 0.85)}
    if rng.random() < 0.15:
        params["class_weight"] = "balanced"
    return params | {"loss": str(rng.choice(["squared_hinge", "hinge"]))} | _landmarks(rng, drawn)


def _approximate_svr(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    loss = str(rng.choice(["squared_epsilon_insensitive", "epsilon_insensitive"]))
    params = _svr(rng, drawn, classes, weight)
    return {name: params[name] for name in ("C", "epsilon", "tol")} | {"loss": loss} | _landmarks(rng, drawn)


def _approximate_one_class(rng: Rng, drawn: Drawn, classes: int, weight: np.ndarray | None) -> dict[str, Any]:
    return _linear_one_class(rng, drawn, classes, weight) | _landmarks(rng, drawn)


Recipe = Callable[[Rng, Drawn, int, "np.ndarray | None"], dict[str, Any]]

_SHARES: Final[dict[str, tuple[float, Recipe, str, bool]]] = {
    "SVC": (0.18, _svc, "classes", True),
    "SVC hard": (0.08, _hard, "classes", True),
    "SVC joint": (0.08, _joint, "classes", True),
    "NuSVC": (0.07, _nu_svc, "classes", True),
    "SVR": (0.09, _svr, "targets", True),
    "SVR hard": (0.03, _hard_svr, "targets", True),
    "NuSVR": (0.05, _nu_svr, "targets", True),
    "OneClassSVM": (0.05, _one_class, "one class", True),
    "SVDD": (0.05, _one_class, "one class", True),
    "LinearSVC": (0.1, _linear_svc, "classes", True),
    "LinearSVR": (0.06, _linear_svr, "targets", True),
    "LinearClassifier": (0.07, _linear_classifier, "classes", True),
    "LogisticRegression": (0.06, _logistic, "classes", True),
    "Perceptron": (0.02, _perceptron, "classes", True),
    "StochasticClassifier": (0.01, _stochastic, "classes", False),
    "KernelLogisticRegression": (0.06, _kernel_logistic, "classes", True),
    "LinearOneClassSVM": (0.03, _linear_one_class, "one class", True),
    "ApproximateSVC": (0.03, _approximate_svc, "classes", True),
    "ApproximateSVR": (0.02, _approximate_svr, "targets", True),
    "ApproximateOneClass": (0.02, _approximate_one_class, "one class", True),
}
_RECIPES: Final = {name: rest for name, (_, *rest) in _SHARES.items()}
_CHANCES: Final = np.array([share for share, *_ in _SHARES.values()]) / sum(share for share, *_ in _SHARES.values())
