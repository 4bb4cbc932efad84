"""Linear models whose rows are on a cluster: plain tasks of Dask, and the same certificate."""

from __future__ import annotations

from maxmargin.distributed._logistic import DaskLogisticRegression
from maxmargin.distributed._svc import DaskLinearSVC

__all__ = ["DaskLinearSVC", "DaskLogisticRegression"]
