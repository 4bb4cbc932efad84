"""Which question? The canonical dual problem, and one file a formulation that fills it in."""

from maxmargin.problems._base import Model, Problem
from maxmargin.problems._classes import ClassLoss, LinearClasses
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._hard_margin import HardMargin
from maxmargin.problems._joint import JointMulticlass
from maxmargin.problems._nu_classification import NuClassification
from maxmargin.problems._one_class import DataDescription, OneClass
from maxmargin.problems._primal import Penalty, PrimalProblem
from maxmargin.problems._proofs import Inseparable, InseparableClasses, NoTube
from maxmargin.problems._reading import Ball, Level, Margin, Reading, Tube
from maxmargin.problems._regression import EpsilonRegression, NuRegression
from maxmargin.problems._soft_margin import Offset, Slack, SoftMargin
from maxmargin.problems._terms import Terms

__all__ = [
    "Ball",
    "ClassLoss",
    "DataDescription",
    "DualProblem",
    "EpsilonRegression",
    "HardMargin",
    "Inseparable",
    "InseparableClasses",
    "JointMulticlass",
    "Level",
    "LinearClasses",
    "Margin",
    "Model",
    "NoTube",
    "NuClassification",
    "NuRegression",
    "Offset",
    "OneClass",
    "Penalty",
    "PrimalProblem",
    "Problem",
    "Reading",
    "Slack",
    "SoftMargin",
    "Terms",
    "Tube",
]
