"""What the contract tests run over: problems of all families, solvers of all families, and the table of what supports what.

To add a kernel, a problem or a solver: one line in its list, and its column or its rows in the table. Every entry brings what
an independent check needs: a kernel its float64 reference from scikit-learn, a problem its optimum in plain numpy, a solver the
tolerance it is asked for and how near the optimum it then is.
"""

from ._data import BOXES, DATA
from ._formulations import FORMULATIONS, SOFT_MARGINS, Answer, Formulation
from ._kernels import COMBINATIONS, KERNELS, KernelCase
from ._minima import least_joint, least_of_all_classes_dual, multinomial
from ._objects import OBJECTS, ObjectCase
from ._problems import LOSSES, NO_MARGIN, OFFSETS, PENALTIES, PROBLEMS, Family, ProblemCase, Rows
from ._programs import ORACLES, QP, Array, solve_by_piqp
from ._solvers import ENGINES, SOLVERS, SolverCase
from ._table import PAIRS, REASONS, SUPPORTED, TABLE

__all__ = [
    "BOXES",
    "COMBINATIONS",
    "DATA",
    "ENGINES",
    "FORMULATIONS",
    "KERNELS",
    "LOSSES",
    "NO_MARGIN",
    "OBJECTS",
    "OFFSETS",
    "ORACLES",
    "PAIRS",
    "PENALTIES",
    "PROBLEMS",
    "QP",
    "REASONS",
    "SOFT_MARGINS",
    "SOLVERS",
    "SUPPORTED",
    "TABLE",
    "Answer",
    "Array",
    "Family",
    "Formulation",
    "KernelCase",
    "ObjectCase",
    "ProblemCase",
    "Rows",
    "SolverCase",
    "least_joint",
    "least_of_all_classes_dual",
    "multinomial",
    "solve_by_piqp",
]
