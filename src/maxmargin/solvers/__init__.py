"""Which algorithm? One file each, all with one contract: `Solver`."""

from maxmargin.solvers._ball import BallSearch
from maxmargin.solvers._base import Callback as Callback
from maxmargin.solvers._base import DualSolver, Limits, Origin, Solver, Start
from maxmargin.solvers._chunking import Chunking
from maxmargin.solvers._classes import ClassesNewton, ClassesSolver
from maxmargin.solvers._classes_descent import ClassesDescent
from maxmargin.solvers._decomposition import Decomposition
from maxmargin.solvers._dual_qp import DualQP
from maxmargin.solvers._gradient_descent import GradientDescent
from maxmargin.solvers._joint import JointRows
from maxmargin.solvers._linear import CoordinateDescent, LinearNewton
from maxmargin.solvers._linear_program import LinearProgram
from maxmargin.solvers._primal_base import PrimalSolver
from maxmargin.solvers._primal_qp import PrimalQP
from maxmargin.solvers._projected_gradient import ProjectedGradient
from maxmargin.solvers._proximal_newton import ProximalNewton
from maxmargin.solvers._qp import Quadratic, qp
from maxmargin.solvers._select import Choice, select
from maxmargin.solvers._smo import SMO
from maxmargin.solvers._stochastic import KernelSubgradient, StochasticSubgradient
from maxmargin.solvers._threads import cpu_level, get_threads, set_threads
from maxmargin.solvers._walk import SubgradientWalk

__all__ = [
    "SMO",
    "BallSearch",
    "Choice",
    "Chunking",
    "ClassesDescent",
    "ClassesNewton",
    "ClassesSolver",
    "CoordinateDescent",
    "Decomposition",
    "DualQP",
    "DualSolver",
    "GradientDescent",
    "JointRows",
    "KernelSubgradient",
    "Limits",
    "LinearNewton",
    "LinearProgram",
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
