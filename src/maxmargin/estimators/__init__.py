"""The living room: scikit-learn's interface to everything behind it."""

from __future__ import annotations

from maxmargin.estimators._svc import SVC

__all__ = ["SVC"]
