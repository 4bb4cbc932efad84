"""The estimators: scikit-learn's interface to the problems and solvers behind it."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from maxmargin.estimators._kernel._logistic import KernelLogisticRegression
from maxmargin.estimators._kernel._nu_svc import NuSVC
from maxmargin.estimators._kernel._one_class import SVDD, OneClassSVM
from maxmargin.estimators._kernel._packing import unpack as unpack
from maxmargin.estimators._kernel._pca import KernelPCA
from maxmargin.estimators._kernel._perceptron import Perceptron
from maxmargin.estimators._kernel._svc import SVC
from maxmargin.estimators._kernel._svr import SVR, NuSVR
from maxmargin.estimators._linear._elsewhere import RowsElsewhere as RowsElsewhere
from maxmargin.estimators._linear._elsewhere import fit_elsewhere as fit_elsewhere
from maxmargin.estimators._linear._logistic import LogisticRegression
from maxmargin.estimators._linear._one_class import LinearOneClassSVM
from maxmargin.estimators._linear._regularised import LinearClassifier
from maxmargin.estimators._linear._stochastic import StochasticClassifier
from maxmargin.estimators._linear._svc import LinearSVC
from maxmargin.estimators._linear._svr import LinearSVR
from maxmargin.estimators._linear._totals import Coding as Coding
from maxmargin.estimators._linear._totals import TargetCoding as TargetCoding
from maxmargin.estimators._linear._totals import Totals as Totals
from maxmargin.estimators._paths import PATHS as PATHS
from maxmargin.estimators._paths import FoldRows as FoldRows
from maxmargin.estimators._paths import join_paths as join_paths
from maxmargin.estimators._paths import path_of as path_of
from maxmargin.estimators._paths import path_refusal as path_refusal
from maxmargin.estimators._paths import solve_paths as solve_paths
from maxmargin.estimators._shared._estimate import Estimate
from maxmargin.estimators._shared._expansion import Expansion as Expansion
from maxmargin.estimators._shared._expansion import expansion_of as expansion_of
from maxmargin.estimators._shared._expansion import with_fewer_vectors as with_fewer_vectors
from maxmargin.estimators._shared._fold_fits import fit_out_of_fold as fit_out_of_fold
from maxmargin.estimators._shared._fold_fits import last_step as last_step
from maxmargin.estimators._shared._fold_fits import pairs_of as pairs_of
from maxmargin.estimators._shared._fold_fits import raw_values as raw_values
from maxmargin.estimators._shared._paths import Answers as Answers
from maxmargin.estimators._shared._paths import FitPath as FitPath
from maxmargin.estimators._shared._paths import NotThere as NotThere
from maxmargin.estimators._shared._paths import answering as answering
from maxmargin.estimators._shared._reporting import say as say
from maxmargin.estimators._shared._summary import Summary
from maxmargin.estimators._shared._watching import CallbackSupport as CallbackSupport
from maxmargin.estimators._stored import STORED as STORED

if _TYPE_CHECKING:
    from maxmargin.estimators._approximate._blocks import fit_approximate_elsewhere as fit_approximate_elsewhere
    from maxmargin.estimators._approximate._exact import ExactBound
    from maxmargin.estimators._approximate._one_class import ApproximateOneClass
    from maxmargin.estimators._approximate._svc import ApproximateSVC
    from maxmargin.estimators._approximate._svr import ApproximateSVR
    from maxmargin.estimators._exchange._formula import ModelFormula as ModelFormula
    from maxmargin.estimators._exchange._formula import model_formula as model_formula
    from maxmargin.estimators._exchange._from_sklearn import from_sklearn as from_sklearn
    from maxmargin.estimators._exchange._made import KernelNumbers as KernelNumbers
    from maxmargin.estimators._exchange._made import fitted_kernel_model as fitted_kernel_model
    from maxmargin.estimators._exchange._verified import certificate_on as certificate_on

_LATE = {
    "ApproximateOneClass": "_approximate._one_class",
    "ApproximateSVC": "_approximate._svc",
    "ApproximateSVR": "_approximate._svr",
    "ExactBound": "_approximate._exact",
    "KernelNumbers": "_exchange._made",
    "ModelFormula": "_exchange._formula",
    "fit_approximate_elsewhere": "_approximate._blocks",
    "certificate_on": "_exchange._verified",
    "fitted_kernel_model": "_exchange._made",
    "model_formula": "_exchange._formula",
    "from_sklearn": "_exchange._from_sklearn",
}


def __getattr__(name: str) -> _Any:
    """Models on landmarks, which need the feature maps, and ways to other programs are loaded when they are asked for."""
    if name in _LATE:
        return getattr(_import_module(f"{__name__}.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})


__all__ = [
    "SVC",
    "SVDD",
    "SVR",
    "ApproximateOneClass",
    "ApproximateSVC",
    "ApproximateSVR",
    "Estimate",
    "ExactBound",
    "KernelLogisticRegression",
    "KernelPCA",
    "LinearClassifier",
    "LinearOneClassSVM",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Perceptron",
    "StochasticClassifier",
    "Summary",
]
