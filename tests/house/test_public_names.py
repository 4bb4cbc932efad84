"""The public names are pinned, documented, and their examples run."""

from __future__ import annotations

import doctest
import importlib
import importlib.metadata
import inspect
import pkgutil
import warnings
from enum import Enum
from typing import Any

import pytest

import maxmargin

from ..endings._isolated import run

PUBLIC: dict[str, str] = {
    "maxmargin": "ApproximateOneClass ApproximateSVC ApproximateSVR KernelLogisticRegression KernelPCA LinearClassifier "
    "LinearOneClassSVM LinearSVC LinearSVCCV LinearSVR LinearSVRCV LogisticRegression LogisticRegressionCV NuSVC NuSVCCV NuSVR "
    "OneClassSVM Perceptron RowBlocks StochasticClassifier SVC SVCCV SVDD SVR SVRCV bounds calibration calibrators callbacks "
    "errors feature_maps from_sklearn get_threads inspection io kernels losses problems scales set_threads solution "
    "solve solvers tune tuning",
    "maxmargin.blocks": "RowBlocks TreeSum",
    "maxmargin.bounds": "EnclosingBall LeaveOneOut VCDimension enclosing_ball feature_dimension leave_one_out_bound "
    "leave_one_out_error vc_dimension",
    "maxmargin.callbacks": "GapMonitor GapRecord StopAtGap",
    "maxmargin.calibration": "CalibratedClassifierCV",
    "maxmargin.calibrators": "Calibrator Folds Isotonic Pairs Platt Sigmoids Temperature",
    "maxmargin.distributed": "DaskApproximateSVC DaskLinearSVC DaskLinearSVR DaskLogisticRegression",
    "maxmargin.errors": "ConvergenceWarning DistributedError FeatureScaleWarning FitInterrupted IgnoredParameterWarning "
    "InconsistentVersionWarning "
    "IndefiniteKernelWarning InfeasibleError InvalidInput KernelError MaxmarginError MissingExtra "
    "NoMarginWarning WarmStartWarning",
    "maxmargin.estimators": "ApproximateOneClass ApproximateSVC ApproximateSVR Estimate ExactBound KernelLogisticRegression "
    "KernelPCA LinearClassifier LinearOneClassSVM LinearSVC LinearSVR LogisticRegression NuSVC NuSVR OneClassSVM Perceptron "
    "StochasticClassifier Summary SVC SVDD SVR",
    "maxmargin.feature_maps": "Affine ApproximationError FeatureMap GaussianSeries Monomials Multinomial Nystroem Powers "
    "QuadraticForm RandomFourier SecondOrder Squares WeightedSecondOrder",
    "maxmargin.inspection": "Explanation Reduced decision_gradient explain reduce_support relevance verify",
    "maxmargin.io": "Fasta Rows TRUSTED_TYPES load read_csv read_fasta read_libsvm read_svmlight save to_c write_libsvm "
    "write_svmlight",
    "maxmargin.kernels": "BoundKernel ChiSquared Cosine GappedKmer GappySubsequence GlobalAlignment Gram Intersection Kernel "
    "Laplacian Linear Matern Mercer MinMax Mismatch Normalised OnColumns Polynomial Power Precomputed Product Quadratic RBF "
    "RationalQuadratic RelationalKernel Scaled SetKernel ShortestPath Sigmoid Spectrum Sum Tanimoto UserFunction "
    "WeightedDegree WeisfeilerLehman as_kernel mercer repair",
    "maxmargin.losses": "ConvexLoss EpsilonInsensitive Exponential Hinge Logistic Loss MarginLoss Perceptron Squared "
    "SquaredEpsilonInsensitive SquaredHinge ZeroOne as_loss cross_entropy logit odds sigmoid",
    "maxmargin.model_selection": "Certified CPath GridSearchCV Guarantee LinearSVCCV LinearSVRCV LogisticRegressionCV NuSVCCV "
    "RandomizedSearchCV SVCCV SVRCV c_path certified_cost cross_val_predict cross_val_score",
    "maxmargin.onnx": "register",
    "maxmargin.plots": "alphas canvas convergence decision_boundary embedding kernel_matrix margin_distribution margin_losses "
    "ordinary_region path relevance reliability search_surface style tube",
    "maxmargin.problems": "Ball ClassLoss CrammerSinger DataDescription DualProblem EpsilonRegression HardMargin Inseparable "
    "InseparableClasses KernelLogistic KKTData Level Margin Model MulticlassLinear NoTube NuClassification NuRegression "
    "Offset OneClass Penalty PrimalProblem Problem Slack SlackRule SoftMargin Tube",
    "maxmargin.scales": "C_from_alpha_sum C_from_lam C_from_lam_half alpha_sum_from_C lam_from_C lam_half_from_C",
    "maxmargin.solution": "Certificate certify certify_all certify_crammer_singer certify_kernel_logistic certify_linear "
    "certify_multiclass CrammerSingerEvaluation CrammerSingerIterate CrammerSingerSolution DualIterate Evaluation Geometry "
    "KernelLogisticEvaluation KernelLogisticIterate KernelLogisticSolution Kind KKT linear_kkt LinearEvaluation "
    "LinearSolution margin_of MulticlassSolution PrimalIterate Progress Solution Status Stop Trace",
    "maxmargin.solvers": "SMO BallSearch Choice Chunking CoordinateDescent cpu_level CrammerSingerDescent Decomposition "
    "DualQP DualSolver get_threads GradientDescent KernelNewton KernelSubgradient Limits LinearNewton LinearProgram "
    "MulticlassDescent MulticlassNewton MulticlassProximalNewton MulticlassSolver Origin PrimalQP PrimalSolver "
    "ProjectedGradient ProximalNewton qp Quadratic select set_threads Solver Start StochasticSubgradient SubgradientWalk",
    "maxmargin.tuning": "Stage TunedPipeline tune",
}
"""Adding a name is a decision, removing one breaks somebody's code: both go into the changelog."""


def _modules() -> list[str]:
    found = pkgutil.walk_packages(maxmargin.__path__, "maxmargin.")
    return [
        "maxmargin",
        *sorted(info.name for info in found if not info.name.endswith(("_core", "__main__"))),
    ]


def _documented() -> dict[str, Any]:
    """Public callables that one calls: not exceptions, enums, abstract classes, or rooms."""
    found = {}
    for module_name, names in PUBLIC.items():
        module = importlib.import_module(module_name)
        for name in names.split():
            thing = getattr(module, name, None)
            silent = inspect.isclass(thing) and issubclass(thing, BaseException | Enum)
            if callable(thing) and not silent and not inspect.isabstract(thing):
                found[f"{module_name}.{name}"] = thing
    return found


@pytest.mark.parametrize("module_name", PUBLIC)
def test_public_names_are_pinned(module_name: str) -> None:
    module = importlib.import_module(module_name)
    assert sorted(module.__all__) == sorted(PUBLIC[module_name].split())
    assert all(hasattr(module, name) for name in module.__all__)


def test_front_door_shows_public_names_only() -> None:
    shown = {name for name in vars(maxmargin) if not name.startswith("_")}
    rooms = {name.rpartition(".")[2] for name in PUBLIC} | {"validation", "cli", "playground"}
    assert shown - set(PUBLIC["maxmargin"].split()) - rooms - {"annotations"} == set()


def test_every_public_room_is_listed() -> None:
    rooms = {name for name in _modules() if name.count(".") == 1 and not name.rpartition(".")[2].startswith("_")}
    assert rooms - set(PUBLIC) == {"maxmargin.validation", "maxmargin.cli", "maxmargin.playground"}, (
        "rooms without names for users"
    )


@pytest.mark.parametrize("name", _documented())
def test_public_callable_shows_an_example(name: str) -> None:
    text = inspect.getdoc(_documented()[name]) or ""
    assert "Examples\n--------\n" in text
    assert ">>> " in text


@pytest.mark.parametrize("name", _modules())
def test_examples_run(name: str) -> None:
    if name.startswith("maxmargin.distributed"):
        pytest.importorskip("distributed", reason='dask is not installed: pip install "maxmargin[dask]"')
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.failed == 0


def test_importing_is_light() -> None:
    """What only one room or extra needs is not loaded (pandas is, by scikit-learn itself)."""
    loaded = run(
        """
import sklearn.svm
before = set(sys.modules)
from maxmargin import SVC
new = set(sys.modules) - before
report(rooms=sorted({".".join(name.split(".")[:2]) for name in new if name.startswith("maxmargin.")}),
    objects=sorted(name for name in new if name.startswith("maxmargin.kernels._objects.")),
    others=sorted({name.partition(".")[0] for name in new} - sys.stdlib_module_names - {"maxmargin"}),
    heavy=sorted({"matplotlib", "polars", "rich", "email.parser", "importlib.metadata", "asyncio"} & new))
"""
    )
    assert loaded["heavy"] == []
    assert loaded["others"] == []
    assert loaded["objects"] == ["maxmargin.kernels._objects._base"]
    assert set(loaded["rooms"]).isdisjoint(f"maxmargin.{name}" for name in maxmargin._ROOMS)


def test_what_is_loaded_late_is_there() -> None:
    assert maxmargin.__version__ == importlib.metadata.version("maxmargin")
    assert set(dir(maxmargin)) >= {"__version__", *maxmargin.__all__}
    assert set(dir(maxmargin.kernels)) >= set(maxmargin.kernels.__all__)
    with pytest.raises(AttributeError, match=r"module 'maxmargin\.kernels' has no attribute 'Spectre'"):
        _ = maxmargin.kernels.Spectre
