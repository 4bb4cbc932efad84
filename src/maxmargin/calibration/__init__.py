"""Probabilities for classifiers that have none, or bad ones."""

from __future__ import annotations

from maxmargin.calibration._calibrated import CalibratedClassifierCV

__all__ = ["CalibratedClassifierCV"]
