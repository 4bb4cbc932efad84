"""Objectives of the linear models, written out from the definitions in the docstrings, at any weights and offset.

``R(w) + Σ C_i ℓ(y_i f_i)``, or of the residuals ``y_i − f_i``; and for all classes at once ``½ Σ|w_k|² + Σ C_i ℓ(f_i)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._generator import Case
from ._landmark_models import stored_features, weights_on
from ._numbers import Digits

__all__ = ["NEAR", "ClassesProblem", "LinearProblem", "linear_problems", "one_class", "unrounded"]

NEAR = 10**9
"""Scores of one class below two parts of the offset, divided by this, may be given as 0."""


@dataclass(frozen=True)
class LinearProblem:
    """A penalty and a loss of one score.

    Attributes
    ----------
    X, y, price : ndarray
        Rows of positive weight, labels −1 and +1 or targets, and ``C_i``; in some arithmetic.
    loss : str
        Name of the loss.
    penalty : str
        "l2", "l1", "elasticnet", "ball" or "none".
    offset : str
        "free", "penalised" or "none".
    scale : number
        Of a penalised offset.
    B : number
        Of a ball.
    epsilon : number
        Half the width of a tube.
    share : number
        Of absolute values in an elastic net, ``ρ|w|₁ + (1 − ρ)/2 |w|²``.
    pull : number
        The objective has ``pull · b`` besides: ν W of one class.
    """

    digits: Digits
    X: np.ndarray
    y: np.ndarray
    price: np.ndarray
    loss: str
    penalty: str
    offset: str
    scale: Any
    B: Any
    epsilon: Any
    share: Any = 1
    pull: Any = 0

    def scores(self, w: np.ndarray, b: Any) -> np.ndarray:
        return self.X @ w + b

    def objective(self, w: np.ndarray, b: Any, f: np.ndarray | None = None) -> Any:
        """The objective at w and b; with scores f where these were rounded."""
        f = self.scores(w, b) if f is None else f
        z = self.y - f if "epsilon" in self.loss else self.y * f
        return self.cost(w, b) + self.price @ self.lost(z) + self.pull * b

    @property
    def size(self) -> float:
        """Of the terms of the objective at 0; of one class ``(ν W)² max |x|²``, as its multipliers sum to ν W."""
        zero = self.X[0] * 0
        return float(self.objective(zero, self.price[0] * 0) + self.pull * self.pull * (self.X * self.X).sum(axis=1).max())

    def cost(self, w: np.ndarray, b: Any) -> Any:
        """``½|w|²``, ``|w|₁``, or nothing; a penalised offset counts as a weight of b/scale. Infinite outside of a ball."""
        held = w if self.offset != "penalised" else np.concatenate([w, [b / self.scale]])
        if self.penalty == "l2":
            return held @ held / 2
        if self.penalty == "l1":
            return np.abs(held).sum()
        if self.penalty == "elasticnet":
            return self.share * np.abs(held).sum() + (1 - self.share) * (held @ held) / 2
        if self.penalty == "ball" and float(held @ held / self.B) > 1.0 + 1e-9:
            return self.digits.of(np.inf)[()]
        return held @ held * 0

    def lost(self, z: np.ndarray) -> np.ndarray:
        """``ℓ(z)``."""
        digits = self.digits
        forms: dict[str, Callable[[], np.ndarray]] = {
            "hinge": lambda: np.maximum(1 - z, 0),
            "squared_hinge": lambda: np.maximum(1 - z, 0) ** 2,
            "squared": lambda: (1 - z) ** 2,
            "perceptron": lambda: np.maximum(-z, 0),
            "exponential": lambda: digits.exp(-z),
            "logistic": lambda: np.maximum(-z, 0) + digits.log1p(digits.exp(-np.abs(z))),
            "epsilon_insensitive": lambda: np.maximum(np.abs(z) - self.epsilon, 0),
            "squared_epsilon_insensitive": lambda: np.maximum(np.abs(z) - self.epsilon, 0) ** 2,
        }
        return forms[self.loss]()


@dataclass(frozen=True)
class ClassesProblem:
    """The penalty of all w_k, such as ``½ Σ_k |w_k|²``, ``+ Σ C_i ℓ(f(x_i), y_i)``.

    The log-loss is ``log Σ exp f_k − f_y``, the joint one ``max (f_k + [k ≠ y]) − f_y``.
    """

    digits: Digits
    X: np.ndarray
    codes: np.ndarray
    classes: int
    price: np.ndarray
    loss: str
    penalty: str
    offset: str
    scale: Any
    share: Any = 1

    def scores(self, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        return self.X @ w.T + b

    def objective(self, w: np.ndarray, b: np.ndarray, f: np.ndarray | None = None) -> Any:
        f = self.scores(w, b) if f is None else f
        every = np.arange(len(f))
        held = np.append(w.ravel(), b / self.scale) if self.offset == "penalised" else w.ravel()
        absolute, ridge = {"l2": (0, 1), "l1": (1, 0), "elasticnet": (self.share, 1 - self.share), "none": (0, 0)}[self.penalty]
        cost = absolute * np.abs(held).sum() + ridge * (held @ held) / 2
        apart = f - f[every, self.codes][:, np.newaxis]
        if self.loss == "joint":
            apart = apart + 1
            apart[every, self.codes] = apart[every, self.codes] * 0
            return cost + self.price @ apart.max(axis=1)
        top = apart.max(axis=1)
        e = self.digits.exp(apart - top[:, np.newaxis])
        own = self.digits.exp(-top)
        e[every, self.codes] = 0
        return cost + self.price @ (top + self.digits.log1p(e.sum(axis=1) + (own - 1)))

    @property
    def size(self) -> float:
        """Of the objective at 0."""
        weights = np.repeat(self.X[:1] * 0, self.classes, axis=0)
        return float(self.objective(weights, weights.sum(axis=1)))


def linear_problems(case: Case, model: Any, digits: Digits) -> list[tuple[Any, Any, Any, np.ndarray]]:
    """Every machine of a linear model: problem, weights, offset, and the scores that the model gives for the rows.

    A model on landmarks is one of its features, as they are stored.
    """
    if case.estimator.startswith("Approximate"):
        return _on_landmarks(case, model, digits)
    kept = np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight > 0.0)
    X = digits.of(case.X[kept])
    weight = digits.of(np.ones(len(kept)) if case.weight is None else case.weight[kept])
    coef, intercept = digits.of(np.asarray(model.coef_)), digits.of(np.asarray(model.intercept_))
    if case.estimator == "LinearOneClassSVM":
        f = digits.of(np.asarray(model.decision_function(case.given))[kept])
        return [
            (one_class(case, X, weight, digits), coef[0], intercept[0], unrounded(f, X @ coef[0] + intercept[0], intercept[0]))
        ]
    loss, penalty, price = _terms(case, len(kept))
    offset, scale = _offset(case)
    B = digits.of(float(case.params.get("B", np.inf) or np.inf))[()]
    epsilon = digits.of(float(case.params.get("epsilon", 0.0)))[()]
    share = digits.of(float(case.params.get("l1_ratio") or 1.0))[()]
    prices = digits.of(price)[()] * weight
    assert case.y is not None
    if case.estimator == "LinearSVR":
        f = digits.of(model.predict(case.given)[kept])
        y = digits.of(case.y[kept].astype(np.float64))
        problem = LinearProblem(digits, X, y, prices, loss, penalty, offset, digits.of(scale)[()], B, epsilon, share)
        return [(problem, coef, intercept[0], f)]
    codes, classes = np.searchsorted(model.classes_, case.y[kept]), len(model.classes_)
    f = digits.of(np.asarray(model.decision_function(case.given))[kept])
    if (together := _together(case, classes)) is not None:
        if f.ndim == 1:  # two classes, kept as one score: f_1 − f_0, each of them half of it
            coef, intercept = np.concatenate([-coef, coef]) / 2, np.concatenate([-intercept, intercept]) / 2
            f = np.stack([-f, f], axis=1) / 2
        whole = ClassesProblem(digits, X, codes, classes, prices, together, penalty, offset, digits.of(scale)[()], share)
        return [(whole, coef, intercept, f)]
    found = []
    for k in range(1 if classes == 2 else classes):
        y = digits.of(np.where(codes == (1 if classes == 2 else k), 1.0, -1.0))
        problem = LinearProblem(digits, X, y, prices, loss, penalty, offset, digits.of(scale)[()], B, epsilon, share)
        found.append((problem, coef[k], intercept[k], f if classes == 2 else f[:, k]))
    return found


def one_class(case: Case, X: np.ndarray, weight: np.ndarray, digits: Digits) -> LinearProblem:
    """``½|w|² + ν W b + Σ w_i max(0, −f_i)`` with ``f = <w, x> + b``."""
    pull, ones, endless = digits.of(float(case.params["nu"]))[()] * weight.sum(), weight * 0 + 1, digits.of(np.inf)[()]
    return LinearProblem(digits, X, ones, weight, "perceptron", "l2", "free", ones[0], endless, ones[0] * 0, 1, pull)


def unrounded(f: np.ndarray, exact: np.ndarray, b: Any) -> np.ndarray:
    """Scores of one class; those that are 0 but for rounding are given as 0, on the boundary."""
    return np.where((f == 0) & (np.abs(exact) <= 2 * abs(b) / NEAR), exact, f)


def _on_landmarks(case: Case, model: Any, digits: Digits) -> list[tuple[Any, Any, Any, np.ndarray]]:
    held = stored_features(case, model)
    Z, W, bias = digits.of(held.Z), weights_on(held, model, digits), digits.of(np.asarray(model.intercept_))
    weight = digits.of(np.ones(len(Z)) if case.weight is None else case.weight[held.kept])
    predicted = model.predict if case.estimator == "ApproximateSVR" else model.decision_function
    scores = digits.of(np.asarray(predicted(case.given), dtype=np.float64)[held.kept].reshape(len(Z), -1))
    if case.estimator == "ApproximateOneClass":
        exact = Z @ W[0] + bias[0]
        return [(one_class(case, Z, weight, digits), W[0], bias[0], unrounded(scores[:, 0], exact, bias[0]))]
    assert case.y is not None
    price, one = digits.of(float(case.params["C"]))[()] * weight, weight[0] * 0 + 1
    offset, endless = ("free" if case.params.get("fit_intercept", True) else "none"), digits.of(np.inf)[()]
    epsilon = digits.of(float(case.params.get("epsilon", 0.0)))[()]
    if case.estimator == "ApproximateSVR":
        targets = [digits.of(case.y[held.kept].astype(np.float64))]
    else:
        classes, codes = np.unique(case.y[held.kept], return_inverse=True)
        if "class_weight" in case.params:
            price = price * digits.of(np.asarray(model.class_weight_, dtype=np.float64))[codes]
        chosen = [1] if len(classes) == 2 else range(len(classes))
        targets = [digits.of(np.where(codes == k, 1.0, -1.0)) for k in chosen]
    loss = str(case.params["loss"])
    problems = [LinearProblem(digits, Z, y, price, loss, "l2", offset, one, endless, epsilon) for y in targets]
    return [(problem, W[k], bias[k], scores[:, k]) for k, problem in enumerate(problems)]


def _terms(case: Case, n: int) -> tuple[str, str, float]:
    """Loss, penalty and C."""
    params = case.params
    if case.estimator == "LogisticRegression":
        return "logistic", "none" if params["penalty"] is None else params["penalty"], float(params["C"])
    if case.estimator == "StochasticClassifier":
        return params["loss"], "l2", 1.0 / (float(params["lam_half"]) * n)
    penalty = params.get("penalty", "l2")
    return params.get("loss", "squared_hinge"), "none" if penalty is None else penalty, float(params["C"])


def _offset(case: Case) -> tuple[str, float]:
    params = case.params
    if not params.get("fit_intercept", True):
        return "none", 1.0
    penalised = case.estimator == "StochasticClassifier" or params.get("solver") == "liblinear"
    if params.get("penalise_intercept", penalised):
        return "penalised", float(params.get("intercept_scaling", 1.0))
    return "free", 1.0


def _together(case: Case, classes: int) -> str | None:
    """The loss of all classes at once, or None for one machine for each class."""
    scheme = case.params.get("multi_class", "auto")
    if case.estimator == "LinearSVC":
        return "joint" if scheme == "crammer_singer" else None
    if case.estimator != "LogisticRegression":
        return None
    together = scheme == "multinomial" or (scheme == "auto" and classes > 2)
    return "multinomial" if together else None
