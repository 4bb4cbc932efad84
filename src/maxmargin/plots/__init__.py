"""Pictures of fitted models. The only room that imports matplotlib, and only when something is drawn."""

from maxmargin.plots._canvas import canvas
from maxmargin.plots._convergence import convergence
from maxmargin.plots._decision_boundary import decision_boundary

__all__ = ["canvas", "convergence", "decision_boundary"]
