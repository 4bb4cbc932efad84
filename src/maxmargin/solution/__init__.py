"""The answer: status, certificate, trace, kinds of training objects, and the solution that holds them."""

from maxmargin.solution._batch import SolutionBatch as SolutionBatch
from maxmargin.solution._block_certificate import CertificateSums as CertificateSums
from maxmargin.solution._block_certificate import certify_blocks as certify_blocks
from maxmargin.solution._block_class_certificate import ClassCertificateSums as ClassCertificateSums
from maxmargin.solution._block_class_certificate import allowed_part as allowed_part
from maxmargin.solution._block_class_certificate import certify_block_classes as certify_block_classes
from maxmargin.solution._block_solution import BlockSolution as BlockSolution
from maxmargin.solution._certificate import CERTIFICATE as CERTIFICATE
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._certificate import certificates_of as certificates_of
from maxmargin.solution._certify import Evaluation, certify, certify_all
from maxmargin.solution._certify import Evaluations as Evaluations
from maxmargin.solution._certify import allowances as allowances
from maxmargin.solution._certify import allowed_gap as allowed_gap
from maxmargin.solution._certify import evaluate_all as evaluate_all
from maxmargin.solution._certify import evaluated as evaluated
from maxmargin.solution._certify import evaluation_seconds as evaluation_seconds
from maxmargin.solution._class_data import leads as leads
from maxmargin.solution._class_data import multinomial_gains as multinomial_gains
from maxmargin.solution._class_rows import ClassRows as ClassRows
from maxmargin.solution._class_rows import counting_rows as counting_rows
from maxmargin.solution._class_sums import paid_by_classes as paid_by_classes
from maxmargin.solution._columns import columns_of as columns_of
from maxmargin.solution._columns import table_of as table_of
from maxmargin.solution._crammer_singer import CrammerSingerSolution
from maxmargin.solution._crammer_singer_evaluation import CrammerSingerEvaluation, certify_crammer_singer
from maxmargin.solution._crammer_singer_rounding import offset_shifts as offset_shifts
from maxmargin.solution._dual_solution import dual_solution as dual_solution
from maxmargin.solution._dual_solution import is_indefinite as is_indefinite
from maxmargin.solution._dual_solution import verdict as verdict
from maxmargin.solution._geometry import Geometry, margin_of
from maxmargin.solution._iterate import CrammerSingerIterate, DualIterate, PrimalIterate, Progress, Stop
from maxmargin.solution._iterate import DualIterates as DualIterates
from maxmargin.solution._iterate import Iterate as Iterate
from maxmargin.solution._iterate import progress_at as progress_at
from maxmargin.solution._kernel_logistic import (
    KernelLogisticEvaluation,
    KernelLogisticIterate,
    KernelLogisticSolution,
    certify_kernel_logistic,
)
from maxmargin.solution._kernel_logistic import evaluation_of as evaluation_of
from maxmargin.solution._kernel_logistic import probabilities_of as probabilities_of
from maxmargin.solution._kkt import KKT
from maxmargin.solution._linear import LinearSolution
from maxmargin.solution._linear import linear_scores as linear_scores
from maxmargin.solution._linear_evaluation import ROW_LOSSES as ROW_LOSSES
from maxmargin.solution._linear_evaluation import ZERO_PART as ZERO_PART
from maxmargin.solution._linear_evaluation import LinearEvaluation, certify_linear
from maxmargin.solution._linear_kkt import linear_kkt
from maxmargin.solution._multiclass import MulticlassSolution, certify_multiclass
from maxmargin.solution._multiclass import class_scores as class_scores
from maxmargin.solution._other_solutions import certificate_seconds as certificate_seconds
from maxmargin.solution._other_solutions import in_float32 as in_float32
from maxmargin.solution._other_solutions import solution_of as solution_of
from maxmargin.solution._rounding import levelled as levelled
from maxmargin.solution._rounding import with_negative_part as with_negative_part
from maxmargin.solution._rounding import with_rounding as with_rounding
from maxmargin.solution._solution import Solution
from maxmargin.solution._status import Status
from maxmargin.solution._stored import STORED as STORED
from maxmargin.solution._taxonomy import Kind
from maxmargin.solution._trace import KEPT as KEPT
from maxmargin.solution._trace import Checkpoint as Checkpoint
from maxmargin.solution._trace import Trace
from maxmargin.solution._trace import thinned as thinned

__all__ = [
    "KKT",
    "Certificate",
    "CrammerSingerEvaluation",
    "CrammerSingerIterate",
    "CrammerSingerSolution",
    "DualIterate",
    "Evaluation",
    "Geometry",
    "KernelLogisticEvaluation",
    "KernelLogisticIterate",
    "KernelLogisticSolution",
    "Kind",
    "LinearEvaluation",
    "LinearSolution",
    "MulticlassSolution",
    "PrimalIterate",
    "Progress",
    "Solution",
    "Status",
    "Stop",
    "Trace",
    "certify",
    "certify_all",
    "certify_crammer_singer",
    "certify_kernel_logistic",
    "certify_linear",
    "certify_multiclass",
    "linear_kkt",
    "margin_of",
]
