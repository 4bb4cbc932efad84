"""What an estimator minimises, in words and as a formula."""

from __future__ import annotations

from typing import Any, Final

from maxmargin.losses import Loss
from maxmargin.problems import Penalty

__all__ = ["Formula", "linear_formula", "multiclass_formula", "nu_tube_formula", "stochastic_formula", "tube_formula"]

Formula = list[tuple[str, str]]

_LOSSES: Final = {
    "Hinge": "max(0, 1 − z)",
    "SquaredHinge": "max(0, 1 − z)²",
    "Logistic": "log(1 + exp(−z))",
    "Exponential": "exp(−z)",
    "Squared": "(1 − z)²",
    "Perceptron": "max(0, −z)",
}
_PENALTIES: Final = {
    Penalty.L2: "½ |w|² + ",
    Penalty.L1: "|w|₁ + ",
    Penalty.ELASTIC: "ρ |w|₁ + (1 − ρ)/2 |w|² + ",
    Penalty.BALL: "",
    Penalty.NONE: "",
}

_OF_ALL_CLASSES: Final = {
    Penalty.L2: "½ Σ_k |w_k|² + ",
    Penalty.L1: "Σ_k |w_k|₁ + ",
    Penalty.ELASTIC: "Σ_k (ρ |w_k|₁ + (1 − ρ)/2 |w_k|²) + ",
    Penalty.NONE: "",
}


def linear_formula(loss: Loss, penalty: Penalty, *, offset: bool, where: str = "") -> Formula:
    """A linear classifier of two classes."""
    name = type(loss).__name__
    bound = " subject to |w|² ≤ B" if penalty is Penalty.BALL else ""
    f = f"f(x) = ⟨w, x⟩{' + b' if offset else ''}"
    return [
        ("formulation", f"linear classifier, loss {name}, penalty {penalty.value}{where}"),
        ("formula", f"minimise {_PENALTIES[penalty]}Σ C_i ℓ(y_i f(x_i)){bound}, {f}"),
        ("loss", f"ℓ(z) = {_LOSSES[name]}" if name in _LOSSES else repr(loss)),
    ]


def multiclass_formula(loss: Any, penalty: Penalty) -> Formula:
    """A linear classifier of all classes at once."""
    paid = _OF_ALL_CLASSES[penalty]
    multinomial = loss.name == "MULTINOMIAL"
    each = "(log Σ_k exp f_k(x_i) − f_y(x_i))" if multinomial else "max_k (f_k(x_i) + [k ≠ y_i] − f_y(x_i))"
    name = "multinomial loss" if multinomial else "Crammer and Singer's loss"
    return [("formulation", f"linear classifier of all classes at once, {name}"), ("formula", f"minimise {paid}Σ C_i {each}")]


def stochastic_formula(loss: Loss, *, offset: bool, lam_half: float, steps: int) -> Formula:
    """A linear classifier by steps on single rows."""
    found = linear_formula(loss, Penalty.L2, offset=offset, where=", steps on single rows")
    return [*found, ("lambda", f"{lam_half:.6g} = 1 / Σ C_i"), ("steps", str(steps))]


def tube_formula(C: float, epsilon: float) -> Formula:
    """A regression with a tube of given width."""
    goal = "minimise ½ |w|² + Σ C_i max(0, |y_i − f(x_i)| − ε), f(x) = ⟨w, φ(x)⟩ + b"
    return [("formulation", f"epsilon-regression, C = {C:g}, epsilon = {epsilon:g}"), ("formula", goal)]


def nu_tube_formula(C: float, nu: float) -> Formula:
    """A regression that finds the width of its tube."""
    goal = "minimise ½ |w|² + ν ε Σ C_i + Σ C_i max(0, |y_i − f(x_i)| − ε) over w, b and ε, f(x) = ⟨w, φ(x)⟩ + b"
    return [("formulation", f"nu-regression, C = {C:g}, nu = {nu:g}"), ("formula", goal)]
