"""The losses: of a margin ``z = y f(x)`` and of a residual ``r = y − f(x)``; scores as probabilities."""

from maxmargin.losses._base import ConvexLoss, Loss, MarginLoss
from maxmargin.losses._margin import Exponential, Hinge, Logistic, Perceptron, Squared, SquaredHinge, ZeroOne
from maxmargin.losses._named import as_loss
from maxmargin.losses._probability import cross_entropy, logit, odds, sigmoid
from maxmargin.losses._residual import EpsilonInsensitive, SquaredEpsilonInsensitive
from maxmargin.losses._stored import STORED as STORED

__all__ = [
    "ConvexLoss",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "Logistic",
    "Loss",
    "MarginLoss",
    "Perceptron",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "ZeroOne",
    "as_loss",
    "cross_entropy",
    "logit",
    "odds",
    "sigmoid",
]
