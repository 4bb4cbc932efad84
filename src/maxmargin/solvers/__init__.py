"""The algorithms: one file each, all with one contract, `Solver`."""

from maxmargin.solvers._blocks._class_search import ClassBlockSearch as ClassBlockSearch
from maxmargin.solvers._blocks._requests import BLOCK_LOSSES as BLOCK_LOSSES
from maxmargin.solvers._blocks._requests import Along as Along
from maxmargin.solvers._blocks._requests import Centre as Centre
from maxmargin.solvers._blocks._requests import Certify as Certify
from maxmargin.solvers._blocks._requests import Point as Point
from maxmargin.solvers._blocks._requests import Product as Product
from maxmargin.solvers._blocks._requests import Question as Question
from maxmargin.solvers._blocks._requests import Sums as Sums
from maxmargin.solvers._blocks._requests import Terms as Terms
from maxmargin.solvers._blocks._search import BlockSearch as BlockSearch
from maxmargin.solvers._blocks._walks import BlockSurvey as BlockSurvey
from maxmargin.solvers._blocks._walks import BlockWalk as BlockWalk
from maxmargin.solvers._blocks._walks import Survey as Survey
from maxmargin.solvers._blocks._walks import evened as evened
from maxmargin.solvers._blocks._walks import order_of as order_of
from maxmargin.solvers._dual._chunking import Chunking
from maxmargin.solvers._dual._decomposition import Decomposition
from maxmargin.solvers._dual._dual_qp import DualQP
from maxmargin.solvers._dual._paths import Around as Around
from maxmargin.solvers._dual._paths import PathPoints as PathPoints
from maxmargin.solvers._dual._paths import path_fits as path_fits
from maxmargin.solvers._dual._paths import search_paths as search_paths
from maxmargin.solvers._dual._primal_qp import PrimalQP
from maxmargin.solvers._dual._projected_gradient import ProjectedGradient
from maxmargin.solvers._dual._smo import SMO
from maxmargin.solvers._multiclass._crammer_singer import CrammerSingerDescent
from maxmargin.solvers._multiclass._descent import MulticlassDescent
from maxmargin.solvers._multiclass._kernel_logistic import KernelNewton
from maxmargin.solvers._multiclass._newton import MulticlassNewton, MulticlassSolver
from maxmargin.solvers._multiclass._proximal_newton import MulticlassProximalNewton
from maxmargin.solvers._primal._ball import BallSearch
from maxmargin.solvers._primal._base import PrimalSolver
from maxmargin.solvers._primal._gradient_descent import GradientDescent
from maxmargin.solvers._primal._linear_program import LinearProgram
from maxmargin.solvers._primal._newton import CoordinateDescent, LinearNewton
from maxmargin.solvers._primal._perceptron import KernelSide as KernelSide
from maxmargin.solvers._primal._perceptron import LinearSide as LinearSide
from maxmargin.solvers._primal._perceptron import PerceptronRun as PerceptronRun
from maxmargin.solvers._primal._perceptron import train_perceptron as train_perceptron
from maxmargin.solvers._primal._proximal_newton import ProximalNewton
from maxmargin.solvers._primal._row_order import RowOrder as RowOrder
from maxmargin.solvers._primal._subgradient import KernelSubgradient, StochasticSubgradient
from maxmargin.solvers._primal._subgradient import WalkOn as WalkOn
from maxmargin.solvers._primal._subgradient_walk import SubgradientWalk
from maxmargin.solvers._programs._quadratic import Quadratic, qp
from maxmargin.solvers._runtime._base import Callback as Callback
from maxmargin.solvers._runtime._base import DualSolver, Limits, Origin, Solver, Start
from maxmargin.solvers._runtime._base import numbered as numbered
from maxmargin.solvers._runtime._base import resumed as resumed
from maxmargin.solvers._runtime._threads import cpu_level, get_threads, set_threads
from maxmargin.solvers._select import DUAL_SOLVERS as DUAL_SOLVERS
from maxmargin.solvers._select import Choice, select
from maxmargin.solvers._select import as_solver as as_solver
from maxmargin.solvers._starts import Coefficients as Coefficients
from maxmargin.solvers._starts import beginning as beginning
from maxmargin.solvers._starts import starting_point as starting_point
from maxmargin.solvers._stored import STORED as STORED
from maxmargin.validation import cache_bytes as cache_bytes

__all__ = [
    "SMO",
    "BallSearch",
    "Choice",
    "Chunking",
    "CoordinateDescent",
    "CrammerSingerDescent",
    "Decomposition",
    "DualQP",
    "DualSolver",
    "GradientDescent",
    "KernelNewton",
    "KernelSubgradient",
    "Limits",
    "LinearNewton",
    "LinearProgram",
    "MulticlassDescent",
    "MulticlassNewton",
    "MulticlassProximalNewton",
    "MulticlassSolver",
    "Origin",
    "PrimalQP",
    "PrimalSolver",
    "ProjectedGradient",
    "ProximalNewton",
    "Quadratic",
    "Solver",
    "Start",
    "StochasticSubgradient",
    "SubgradientWalk",
    "cpu_level",
    "get_threads",
    "qp",
    "select",
    "set_threads",
]
