"""The kernels: objects with parameters that grid search can set, and the sources of their Gram matrices."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._chi_squared import ChiSquared
from maxmargin.kernels._choice import as_kernel
from maxmargin.kernels._choice import check_unused as check_unused
from maxmargin.kernels._choice import ignored_parameters as ignored_parameters
from maxmargin.kernels._choice import takes_matrix as takes_matrix
from maxmargin.kernels._choice import used_parameters as used_parameters
from maxmargin.kernels._cosine import Cosine
from maxmargin.kernels._eigen import BlockProduct as BlockProduct
from maxmargin.kernels._eigen import Eigenpairs as Eigenpairs
from maxmargin.kernels._eigen import fits_krylov as fits_krylov
from maxmargin.kernels._eigen import outer_eigenpairs as outer_eigenpairs
from maxmargin.kernels._feature_kernel import FeatureKernel as FeatureKernel
from maxmargin.kernels._formula import KernelFormula as KernelFormula
from maxmargin.kernels._formula import formula_of as formula_of
from maxmargin.kernels._gram import Gram
from maxmargin.kernels._harmonics import write_harmonics as write_harmonics
from maxmargin.kernels._intersection import Intersection
from maxmargin.kernels._laplacian import Laplacian
from maxmargin.kernels._linear import Linear
from maxmargin.kernels._linear_rows import about_the_first as about_the_first
from maxmargin.kernels._linear_rows import are_balanced as are_balanced
from maxmargin.kernels._linear_rows import as_features as as_features
from maxmargin.kernels._linear_rows import median_square as median_square
from maxmargin.kernels._linear_rows import sparse_weights as sparse_weights
from maxmargin.kernels._linear_rows import weight_sizes as weight_sizes
from maxmargin.kernels._linear_rows import weights_of as weights_of
from maxmargin.kernels._matern import Matern
from maxmargin.kernels._mercer import Mercer, mercer, repair
from maxmargin.kernels._mercer import gram_product as gram_product
from maxmargin.kernels._mercer import matrix_product as matrix_product
from maxmargin.kernels._min_max import MinMax
from maxmargin.kernels._normalised import Normalised
from maxmargin.kernels._on_columns import OnColumns
from maxmargin.kernels._polynomial import Polynomial
from maxmargin.kernels._polynomial import check_degree as check_degree
from maxmargin.kernels._power import Power
from maxmargin.kernels._precomputed import Precomputed
from maxmargin.kernels._product import Product
from maxmargin.kernels._quadratic import Quadratic
from maxmargin.kernels._rational_quadratic import RationalQuadratic
from maxmargin.kernels._rbf import RBF
from maxmargin.kernels._scale import Moments as Moments
from maxmargin.kernels._scale import feature_scale_warning as feature_scale_warning
from maxmargin.kernels._scale import moments_of as moments_of
from maxmargin.kernels._scale import warn_of_scales as warn_of_scales
from maxmargin.kernels._scaled import Scaled
from maxmargin.kernels._sigmoid import Sigmoid
from maxmargin.kernels._stored import STORED as STORED
from maxmargin.kernels._sum import Sum
from maxmargin.kernels._tanimoto import Tanimoto
from maxmargin.kernels._user_function import UserFunction

if _TYPE_CHECKING:
    from maxmargin.kernels._objects._bags import RelationalKernel, SetKernel
    from maxmargin.kernels._objects._graphs import ShortestPath, WeisfeilerLehman
    from maxmargin.kernels._objects._positions import WeightedDegree
    from maxmargin.kernels._objects._series import GlobalAlignment
    from maxmargin.kernels._objects._spectrum import GappedKmer, Mismatch, Spectrum
    from maxmargin.kernels._objects._subsequence import GappySubsequence

_OF_OBJECTS = {
    "RelationalKernel": "_bags",
    "SetKernel": "_bags",
    "ShortestPath": "_graphs",
    "WeisfeilerLehman": "_graphs",
    "WeightedDegree": "_positions",
    "GlobalAlignment": "_series",
    "GappedKmer": "_spectrum",
    "Mismatch": "_spectrum",
    "Spectrum": "_spectrum",
    "GappySubsequence": "_subsequence",
}
"""Kernels of strings, graphs, series and records, with their files: loaded when they are asked for."""


def __getattr__(name: str) -> _Any:
    if name in _OF_OBJECTS:
        return getattr(_import_module(f"{__name__}._objects.{_OF_OBJECTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_OBJECTS})


__all__ = [
    "RBF",
    "BoundKernel",
    "ChiSquared",
    "Cosine",
    "GappedKmer",
    "GappySubsequence",
    "GlobalAlignment",
    "Gram",
    "Intersection",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Mercer",
    "MinMax",
    "Mismatch",
    "Normalised",
    "OnColumns",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Quadratic",
    "RationalQuadratic",
    "RelationalKernel",
    "Scaled",
    "SetKernel",
    "ShortestPath",
    "Sigmoid",
    "Spectrum",
    "Sum",
    "Tanimoto",
    "UserFunction",
    "WeightedDegree",
    "WeisfeilerLehman",
    "as_kernel",
    "mercer",
    "repair",
]
