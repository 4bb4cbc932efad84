"""The answer: status, certificate, trace, kinds of training objects, and the solution that holds them."""

from maxmargin.solution._batch import SolutionBatch as SolutionBatch
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._certify import Judgement, certify, certify_all
from maxmargin.solution._classes import ClassesSolution, certify_classes
from maxmargin.solution._geometry import Geometry, margin_of
from maxmargin.solution._iterate import DualIterate, JointIterate, PrimalIterate, Progress
from maxmargin.solution._iterate import Iterate as Iterate
from maxmargin.solution._joint import JointSolution
from maxmargin.solution._joint_judge import JointJudgement, certify_joint
from maxmargin.solution._kkt import KKT
from maxmargin.solution._linear import LinearSolution
from maxmargin.solution._linear_judge import LinearJudgement, certify_linear
from maxmargin.solution._linear_kkt import linear_kkt
from maxmargin.solution._solution import Solution
from maxmargin.solution._status import Status
from maxmargin.solution._taxonomy import Kind
from maxmargin.solution._trace import Trace

__all__ = [
    "KKT",
    "Certificate",
    "ClassesSolution",
    "DualIterate",
    "Geometry",
    "JointIterate",
    "JointJudgement",
    "JointSolution",
    "Judgement",
    "Kind",
    "LinearJudgement",
    "LinearSolution",
    "PrimalIterate",
    "Progress",
    "Solution",
    "Status",
    "Trace",
    "certify",
    "certify_all",
    "certify_classes",
    "certify_joint",
    "certify_linear",
    "linear_kkt",
    "margin_of",
]
