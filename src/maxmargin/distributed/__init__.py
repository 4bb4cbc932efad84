"""Models whose rows are on a cluster: plain tasks of Dask, and the same certificate."""

from __future__ import annotations

from maxmargin.distributed._approximate import DaskApproximateSVC
from maxmargin.distributed._logistic import DaskLogisticRegression
from maxmargin.distributed._svc import DaskLinearSVC
from maxmargin.distributed._svr import DaskLinearSVR

__all__ = ["DaskApproximateSVC", "DaskLinearSVC", "DaskLinearSVR", "DaskLogisticRegression"]
