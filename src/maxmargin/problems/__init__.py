"""The problems: the canonical dual, and one file for each formulation that fills it in."""

from maxmargin.problems._base import Evaluated as Evaluated
from maxmargin.problems._base import Model, Problem
from maxmargin.problems._base import require_range as require_range
from maxmargin.problems._block_classes import BlockClasses as BlockClasses
from maxmargin.problems._block_linear import BlockProblem as BlockProblem
from maxmargin.problems._block_linear import BlockRows as BlockRows
from maxmargin.problems._centring import Centring as Centring
from maxmargin.problems._centring import level_from as level_from
from maxmargin.problems._class_objective import ClassObjective as ClassObjective
from maxmargin.problems._crammer_singer import CrammerSinger
from maxmargin.problems._dual import DualBatch as DualBatch
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._dual import dual_batch as dual_batch
from maxmargin.problems._dual import stacked as stacked
from maxmargin.problems._dual import with_finite_bounds as with_finite_bounds
from maxmargin.problems._exact import _primitive as _primitive
from maxmargin.problems._exact import _whole as _whole
from maxmargin.problems._feasible_start import balanced as balanced
from maxmargin.problems._hard_margin import HardMargin
from maxmargin.problems._kernel_logistic import KernelLogistic
from maxmargin.problems._kernel_logistic import Losses as Losses
from maxmargin.problems._kkt_data import KKTData
from maxmargin.problems._linear_objective import LinearObjective as LinearObjective
from maxmargin.problems._linear_objective import inner as inner
from maxmargin.problems._multiclass_linear import ClassLoss, MulticlassLinear
from maxmargin.problems._multiclass_linear import log_of_sum as log_of_sum
from maxmargin.problems._nu_classification import NuClassification
from maxmargin.problems._one_class import DataDescription, OneClass
from maxmargin.problems._pairs import LabelledParts as LabelledParts
from maxmargin.problems._pairs import class_pairs as class_pairs
from maxmargin.problems._primal import PrimalProblem
from maxmargin.problems._primal_terms import Penalty
from maxmargin.problems._primal_terms import as_bound as as_bound
from maxmargin.problems._primal_terms import as_penalty as as_penalty
from maxmargin.problems._primal_terms import as_share as as_share
from maxmargin.problems._proofs import Inseparable, InseparableClasses, NoTube
from maxmargin.problems._regression import EpsilonRegression, NuRegression
from maxmargin.problems._slack_rule import Ball, Level, Margin, SlackRule, Tube
from maxmargin.problems._soft_margin import Offset, Slack, SoftMargin
from maxmargin.problems._soft_margin import SoftMargins as SoftMargins
from maxmargin.problems._stored import STORED as STORED

__all__ = [
    "Ball",
    "ClassLoss",
    "CrammerSinger",
    "DataDescription",
    "DualProblem",
    "EpsilonRegression",
    "HardMargin",
    "Inseparable",
    "InseparableClasses",
    "KKTData",
    "KernelLogistic",
    "Level",
    "Margin",
    "Model",
    "MulticlassLinear",
    "NoTube",
    "NuClassification",
    "NuRegression",
    "Offset",
    "OneClass",
    "Penalty",
    "PrimalProblem",
    "Problem",
    "Slack",
    "SlackRule",
    "SoftMargin",
    "Tube",
]
