"""Pictures of fitted models. The only package that imports matplotlib, and only when something is drawn.

Every picture returns its axes and takes ``ax``, ``legend`` and ``title``. Its colours can be told apart by colour-blind
readers, and follow the background: light, or dark in ``with style("dark")``.
"""

from maxmargin.plots._alphas import alphas
from maxmargin.plots._canvas import canvas
from maxmargin.plots._convergence import convergence
from maxmargin.plots._decision_boundary import decision_boundary
from maxmargin.plots._embedding import embedding
from maxmargin.plots._kernel_matrix import kernel_matrix
from maxmargin.plots._losses import margin_losses
from maxmargin.plots._margins import margin_distribution
from maxmargin.plots._ordinary import ordinary_region
from maxmargin.plots._path import path
from maxmargin.plots._relevance import relevance
from maxmargin.plots._reliability import reliability
from maxmargin.plots._search import search_surface
from maxmargin.plots._style import style
from maxmargin.plots._tube import tube

__all__ = [
    "alphas",
    "canvas",
    "convergence",
    "decision_boundary",
    "embedding",
    "kernel_matrix",
    "margin_distribution",
    "margin_losses",
    "ordinary_region",
    "path",
    "relevance",
    "reliability",
    "search_surface",
    "style",
    "tube",
]
