"""Parameter searches at the cost of a few fits: scikit-learn's interface, with work shared between the fits."""

from __future__ import annotations

from maxmargin.model_selection._search import GridSearchCV, RandomizedSearchCV
from maxmargin.model_selection._searched_kernel import SVCCV, SVRCV, NuSVCCV
from maxmargin.model_selection._searched_linear import LinearSVCCV, LinearSVRCV, LogisticRegressionCV
from maxmargin.model_selection._validation import cross_val_predict, cross_val_score

__all__ = [
    "SVCCV",
    "SVRCV",
    "GridSearchCV",
    "LinearSVCCV",
    "LinearSVRCV",
    "LogisticRegressionCV",
    "NuSVCCV",
    "RandomizedSearchCV",
    "cross_val_predict",
    "cross_val_score",
]
