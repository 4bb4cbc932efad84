"""Pictures of fitted models. The only package that imports matplotlib, and only when something is drawn."""

from maxmargin.plots._canvas import canvas
from maxmargin.plots._convergence import convergence
from maxmargin.plots._decision_boundary import decision_boundary
from maxmargin.plots._losses import margin_losses
from maxmargin.plots._ordinary import ordinary_region
from maxmargin.plots._reliability import reliability
from maxmargin.plots._search import search_surface
from maxmargin.plots._tube import tube

__all__ = [
    "canvas",
    "convergence",
    "decision_boundary",
    "margin_losses",
    "ordinary_region",
    "reliability",
    "search_surface",
    "tube",
]
