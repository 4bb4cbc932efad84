"""Probabilities for classifiers that have none, or bad ones."""

from __future__ import annotations

from maxmargin.calibration._calibrated import CalibratedClassifierCV
from maxmargin.calibration._stored import STORED as STORED

__all__ = ["CalibratedClassifierCV"]
