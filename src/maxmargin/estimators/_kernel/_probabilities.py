"""Probabilities of a kernel classifier, calibrated by rows that were held out."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from maxmargin.calibrators import Calibrator, Folds, Pairs, Platt, Temperature
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._out_of_fold import held_out_values
from maxmargin.estimators._shared._fitted import fitted
from maxmargin.estimators._shared._input import new_rows
from maxmargin.estimators._shared._plan import ClassifierRows, Plan
from maxmargin.estimators._shared._schemes import OneVsOne, TwoClasses

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._classifier import KernelClassifier

__all__ = ["Probabilities", "calibrated", "fold_seed", "folds_of"]

_FOLDS: Final = 5


def _is_asked_for(model: Any) -> bool:
    if model.probability:
        return True
    raise AttributeError("predict_proba is not available when probability=False. Set probability=True, and fit again.")


def fold_seed(random_state: Any) -> int:
    """The number that determines the folds."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return 0 if random_state is None else int(random_state)


class Probabilities(ABC):
    """``predict_proba`` and ``predict_log_proba``; only there if ``probability=True``."""

    probability: bool
    random_state: Any

    @available_if(_is_asked_for)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        For two classes it is Platt's sigmoid of the decision value. For more, the sigmoids of all pairs are coupled and scaled
        by one temperature (`maxmargin.calibrators.Pairs`); with ``multi_class="ovr"`` and "joint" it is the softmax of the
        scores of all classes at one temperature. Their numbers are fitted to the values of 5 folds, each computed by a model
        that was not fitted to its rows; folds are solved to 10 ``tol``, at most 0.01.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Probabilities, columns in the order of ``classes_``.
        """
        return _calibrator(self).probabilities(_scores(self, X))

    @available_if(_is_asked_for)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the logarithm of the probability of each class, which is finite where the probability underflows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Logarithms, columns in the order of ``classes_``.
        """
        return _calibrator(self).log_probabilities(_scores(self, X))

    @property
    def probA_(self) -> NDArray[np.float64]:
        """LIBSVM's A: for two classes ``P(classes_[1]) = 1 / (1 + exp(probA_ f − probB_))`` with f the decision value."""
        return np.array([-_platt(self, "probA_").slope])

    @property
    def probB_(self) -> NDArray[np.float64]:
        """LIBSVM's B; see `probA_`."""
        return np.array([_platt(self, "probB_").offset])


def folds_of(model: KernelClassifier, plan: Plan[ClassifierRows]) -> Folds | None:
    """The folds of a fit that shall give probabilities; what stands in their way is said before the fit."""
    model.__dict__.pop("_calibrator", None)
    if not model.probability:
        return None
    data, seed = plan.rows.data, fold_seed(model.random_state)
    X = None if plan.rows.kind.has_no_features else data.X
    weight = data.weight if data.weighted else None
    folds = Folds.of_classes(X, data.codes, _FOLDS, weight, seed=seed, classes=data.classes, stacklevel=4)
    return folds.enough(data.codes)


def calibrated(model: KernelClassifier, plan: Plan[ClassifierRows], found: Any, folds: Folds) -> Calibrator:
    """The calibrator, fitted to values of rows that were held out."""
    data, scheme = plan.rows.data, plan.rows.scheme
    values = held_out_values(model, plan, found, folds)
    codes, weight = data.codes[folds.rows], data.weight[folds.rows]
    if isinstance(scheme, TwoClasses):
        return Platt.fit(values[:, 0], codes, weight)
    return (Pairs if isinstance(scheme, OneVsOne) else Temperature).fit(values, codes, weight)


def platt_of(slope: float, offset: float) -> Platt:
    """The sigmoid of two classes, ``1 / (1 + exp(−(slope f + offset)))``."""
    return Platt(slope, offset)


def _platt(model: Any, name: str) -> Platt:
    found = vars(model).get("_calibrator")
    if not isinstance(found, Platt):
        raise AttributeError(f"{name} is only there for two classes and a fit with probability=True.")
    return found


def _calibrator(model: Any) -> Calibrator:
    check_is_fitted(model)
    found = vars(model).get("_calibrator")
    if not isinstance(found, Calibrator):
        raise NotFittedError(
            f"predict_proba is not available when fitted with probability=False. Fit this {type(model).__name__} again with"
            " probability=True."
        )
    return found


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    """The values of all subproblems: one column for two classes."""
    values = decision_values(fitted(model), new_rows(model, X))
    return values[:, 0] if isinstance(model._calibrator, Platt) else values
