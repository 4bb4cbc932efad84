"""Parameter searches at the cost of a few fits: scikit-learn's interface, with work shared between the fits."""

from __future__ import annotations

from maxmargin.model_selection._c_path import CPath, c_path
from maxmargin.model_selection._certified import Certified, Guarantee, certified_cost
from maxmargin.model_selection._notes import OutOfTime as OutOfTime
from maxmargin.model_selection._ranges import Given as Given
from maxmargin.model_selection._ranges import cost_range as cost_range
from maxmargin.model_selection._ranges import gamma_range as gamma_range
from maxmargin.model_selection._refined import RefinedSearch as RefinedSearch
from maxmargin.model_selection._search import GridSearchCV, RandomizedSearchCV
from maxmargin.model_selection._searched_kernel import SVCCV, SVRCV, NuSVCCV
from maxmargin.model_selection._searched_linear import LinearSVCCV, LinearSVRCV, LogisticRegressionCV
from maxmargin.model_selection._stored import STORED as STORED
from maxmargin.model_selection._validation import cross_val_predict, cross_val_score

__all__ = [
    "SVCCV",
    "SVRCV",
    "CPath",
    "Certified",
    "GridSearchCV",
    "Guarantee",
    "LinearSVCCV",
    "LinearSVRCV",
    "LogisticRegressionCV",
    "NuSVCCV",
    "RandomizedSearchCV",
    "c_path",
    "certified_cost",
    "cross_val_predict",
    "cross_val_score",
]
