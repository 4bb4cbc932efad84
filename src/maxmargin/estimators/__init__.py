"""The living room: scikit-learn's interface to everything behind it."""

from __future__ import annotations

from maxmargin.estimators._nu_svc import NuSVC
from maxmargin.estimators._one_class import SVDD, OneClassSVM
from maxmargin.estimators._svc import SVC
from maxmargin.estimators._svr import SVR, NuSVR

__all__ = ["SVC", "SVDD", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
