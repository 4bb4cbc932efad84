"""From scores to probabilities: calibrators, and the folds whose held-out rows they are fitted to."""

from __future__ import annotations

from maxmargin.calibrators._base import Calibrator
from maxmargin.calibrators._folds import Folds
from maxmargin.calibrators._pairs import Pairs
from maxmargin.calibrators._per_class import Isotonic, Sigmoids
from maxmargin.calibrators._platt import Platt
from maxmargin.calibrators._stored import STORED as STORED
from maxmargin.calibrators._temperature import Temperature

__all__ = ["Calibrator", "Folds", "Isotonic", "Pairs", "Platt", "Sigmoids", "Temperature"]
