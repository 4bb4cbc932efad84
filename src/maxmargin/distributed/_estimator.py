"""What all distributed estimators share: they are fitted to blocks on a cluster, and are the local model otherwise."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from maxmargin._cluster import client_of
from maxmargin._deadline import Deadline
from maxmargin.distributed._lazy import predicted
from maxmargin.distributed._orders import Score
from maxmargin.distributed._parts import rows_of
from maxmargin.distributed._passes import DaskPasses
from maxmargin.errors import InvalidInput
from maxmargin.estimators import fit_elsewhere

__all__ = ["DaskClassifier", "DaskEstimator"]


class DaskEstimator(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator whose rows are blocks of a dask array or frame."""

    _twin: ClassVar[type[Any]]
    """The estimator for one machine; see `like_twin`."""

    client: Any
    coef_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to the blocks of a collection, by tasks of Dask: a pass over all blocks for each round.

        Parameters
        ----------
        X : dask array or frame of shape (n_samples, n_features)
            Training rows; blocks are arrays, CSR matrices or frames. float32 is kept. What is persisted is not computed
            anew in each pass.
        y : dask array or series, or array-like, of shape (n_samples,)
            Labels or targets.
        sample_weight : the same, optional
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        owner = type(self).__name__
        client = client_of(self.client, owner)
        if y is None:
            raise InvalidInput(f"{owner}.fit needs y. Pass one label or target for each row of X.")
        local = self._unfitted()
        if getattr(self, "warm_start", False) and "intercept_" in vars(self):
            local = self.to_local()
        with DaskPasses(client, rows_of(owner, X, y, sample_weight, client)) as passes:
            self._fit_local(local, passes)
        self._take(local, passes.passes)
        return self

    def _fit_local(self, local: Any, passes: DaskPasses) -> None:
        """Fit the model for one machine to rows elsewhere."""
        fit_elsewhere(local, passes, stacklevel=4)

    def _unfitted(self) -> Any:
        own = {name: value for name, value in self.get_params(deep=False).items() if name != "client"}
        return self._twin(**own)

    def _take(self, local: Any, passes: int) -> None:
        """Make the state of a local model the fitted one."""
        own = self.get_params(deep=False)
        for stale in [name for name in vars(self) if name not in own]:
            delattr(self, stale)
        params = local.get_params(deep=False)
        self.__dict__.update({name: value for name, value in vars(local).items() if name not in params})
        self.n_passes_ = passes

    def to_local(self) -> Any:
        """The fitted model as its local twin, which predicts rows in memory and needs no Dask.

        Returns
        -------
        estimator
            With the same parameters, but ``client``, and the same fitted state.
        """
        check_is_fitted(self)
        local, own = self._unfitted(), self.get_params(deep=False)
        vars(local).update({name: value for name, value in vars(self).items() if name not in own and name != "n_passes_"})
        return local

    @property
    def client_(self) -> Any:
        """The client that a fit would use now: ``client``, or the last one that was made."""
        return client_of(self.client, type(self).__name__)

    @abstractmethod
    def predict(self, X: Any) -> Any:
        """Predict rows; nothing is computed before somebody asks for it."""

    def _score(self, X: Any, y: Any, sample_weight: Any) -> Score:
        check_is_fitted(self)
        owner = type(self).__name__
        client = client_of(self.client, owner)
        with DaskPasses(client, rows_of(owner, X, y, sample_weight, client)) as passes:
            return passes.score(self.to_local(), Deadline(None))

    def _lazily(self, method: str, X: Any, dtype: Any, width: int | None) -> Any:
        return predicted(type(self).__name__, self.to_local(), method, X, np.dtype(dtype), width)

    def __sklearn_clone__(self) -> Self:
        """Clone without a copy of the client, which is a connection."""
        own = {name: value for name, value in self.get_params(deep=False).items() if name != "client"}
        return type(self)(**{name: clone(value, safe=False) for name, value in own.items()}, client=self.client)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the client, which is a connection."""
        return {**super().__getstate__(), "client": None}


class DaskClassifier(ClassifierMixin, DaskEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of such rows."""

    classes_: Any

    def predict(self, X: Any) -> Any:
        """Predict the class of rows; nothing is computed before somebody asks for it.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.

        Returns
        -------
        dask array of shape (m,)
        """
        check_is_fitted(self)
        return self._lazily("predict", X, self.classes_.dtype, None)

    def decision_function(self, X: Any) -> Any:
        """Evaluate the binary classifiers at rows; nothing is computed before somebody asks for it.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.

        Returns
        -------
        dask array of shape (m,) or (m, n_classes)
        """
        check_is_fitted(self)
        width = None if len(self.classes_) == 2 else len(self.classes_)
        return self._lazily("decision_function", X, self._values_dtype(X), width)

    @abstractmethod
    def _values_dtype(self, X: Any) -> Any:
        """What scores of rows are."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on rows with labels; computed at once.

        Parameters
        ----------
        X : dask array or frame of shape (m, n_features)
            Rows.
        y : dask array or series, or array-like, of shape (m,)
            Their labels.
        sample_weight : the same, optional
            Weight of each row.

        Returns
        -------
        float
            The part of all weight whose labels are predicted.
        """
        found = self._score(X, y, sample_weight)
        return 1.0 - found.missed / found.weight if found.weight > 0.0 else math.nan
