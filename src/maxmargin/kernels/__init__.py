"""Which likeness? Kernel objects with parameters that grid search can set, and the sources of their Gram matrices."""

from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._choice import as_kernel
from maxmargin.kernels._gram import Gram
from maxmargin.kernels._linear import Linear
from maxmargin.kernels._polynomial import Polynomial
from maxmargin.kernels._precomputed import Precomputed
from maxmargin.kernels._rbf import RBF
from maxmargin.kernels._sigmoid import Sigmoid
from maxmargin.kernels._user_function import UserFunction

__all__ = [
    "RBF",
    "BoundKernel",
    "Gram",
    "Kernel",
    "Linear",
    "Polynomial",
    "Precomputed",
    "Sigmoid",
    "UserFunction",
    "as_kernel",
]
