"""What a fitted model rests on: its features, its training rows, and how few of them would do."""

from maxmargin.inspection._explain import Explanation, explain
from maxmargin.inspection._gradient import decision_gradient
from maxmargin.inspection._reduce import Reduced, reduce_support
from maxmargin.inspection._relevance import relevance
from maxmargin.inspection._verify import verify

__all__ = ["Explanation", "Reduced", "decision_gradient", "explain", "reduce_support", "relevance", "verify"]
