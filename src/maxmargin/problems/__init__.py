"""Which question? The canonical dual problem, and one file a formulation that fills it in."""

from maxmargin.problems._base import Problem
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._soft_margin import SoftMargin

__all__ = ["DualProblem", "Problem", "SoftMargin"]
