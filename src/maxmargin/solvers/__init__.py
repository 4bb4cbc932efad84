"""Which algorithm? One file each, all with one contract: `Solver`."""

from maxmargin.solvers._base import Limits, Solver, Start
from maxmargin.solvers._joint import JointIterate, JointRows
from maxmargin.solvers._select import Choice, select
from maxmargin.solvers._smo import SMO
from maxmargin.solvers._threads import cpu_level, get_threads, set_threads

__all__ = [
    "SMO",
    "Choice",
    "JointIterate",
    "JointRows",
    "Limits",
    "Solver",
    "Start",
    "cpu_level",
    "get_threads",
    "select",
    "set_threads",
]
