"""Learning theory of a classifier: smallest enclosing ball, VC dimension of fat hyperplanes, leave-one-out error."""

from maxmargin.bounds._ball import EnclosingBall, enclosing_ball
from maxmargin.bounds._leave_one_out import LeaveOneOut, leave_one_out_bound, leave_one_out_error
from maxmargin.bounds._vc import VCDimension, feature_dimension, vc_dimension

__all__ = [
    "EnclosingBall",
    "LeaveOneOut",
    "VCDimension",
    "enclosing_ball",
    "feature_dimension",
    "leave_one_out_bound",
    "leave_one_out_error",
    "vc_dimension",
]
