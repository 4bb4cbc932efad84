"""Losses by name."""

from __future__ import annotations

from typing import Any, Final

from maxmargin.errors import InvalidInput
from maxmargin.losses._base import Loss
from maxmargin.losses._margin import Exponential, Hinge, Logistic, Perceptron, Squared, SquaredHinge, ZeroOne
from maxmargin.losses._residual import EpsilonInsensitive, SquaredEpsilonInsensitive

__all__ = ["as_loss"]

_BY_NAME: Final[dict[str, type[Loss]]] = {
    "zero_one": ZeroOne,
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "logistic": Logistic,
    "exponential": Exponential,
    "squared": Squared,
    "perceptron": Perceptron,
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
}


def as_loss(loss: Any, owner: str) -> Loss:
    """A loss from a name ("hinge", "squared_hinge", "logistic", …) or an object.

    Examples
    --------
    >>> from maxmargin.losses import as_loss
    >>> as_loss("squared_hinge", owner="PrimalProblem")
    SquaredHinge()
    """
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, str) and loss in _BY_NAME:
        return _BY_NAME[loss]()
    names = ", ".join(map(repr, _BY_NAME))
    raise InvalidInput(
        f"The 'loss' parameter of {owner} must be one of {names}, or a loss of maxmargin.losses. Got {loss!r} instead."
    )
