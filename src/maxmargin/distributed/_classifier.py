"""What all distributed classifiers share: they are fitted to blocks on a cluster, and are the local model otherwise."""

from __future__ import annotations

from abc import ABC
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin.blocks import FirstLook
from maxmargin.distributed._dask import client_of
from maxmargin.distributed._lazy import predicted, values_dtype
from maxmargin.distributed._parts import rows_of
from maxmargin.distributed._passes import DaskPasses
from maxmargin.errors import InvalidInput
from maxmargin.estimators import ClassTotals, fit_elsewhere

__all__ = ["DaskClassifier"]


class DaskClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A linear classifier whose rows are blocks of a dask array or frame."""

    _twin: ClassVar[type[Any]]
    """The estimator for one machine."""

    client: Any
    classes_: Any
    coef_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to the blocks of a collection, by tasks of Dask: a pass over all blocks for each round.

        Parameters
        ----------
        X : dask array or frame of shape (n_samples, n_features)
            Training rows; blocks are arrays, CSR matrices or frames. float32 is kept. What is persisted is not computed
            anew in each pass.
        y : dask array or series, or array-like, of shape (n_samples,)
            Labels.
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
            raise InvalidInput(f"{owner}.fit needs y. Pass one label for each row of X.")
        rows = rows_of(owner, X, y, sample_weight, client)
        passes = DaskPasses(client, rows)

        def look(deadline: Deadline) -> tuple[FirstLook, ClassTotals]:
            seen = passes.look(deadline)
            assert seen.spread is not None
            assert seen.dtype is not None
            first = FirstLook(
                rows_of=tuple(count for _, count, _ in seen.rows),
                columns=seen.columns,
                dtype=seen.dtype,
                sparse=seen.sparse,
                moments=seen.spread.moments,
                filled=seen.spread.filled,
                stored=seen.spread.stored,
                y=None,
                weight=None,
            )
            return first, ClassTotals(seen.classes, seen.weight, sum(kept for _, _, kept in seen.rows))

        local = self._unfitted()
        if getattr(self, "warm_start", False) and "coef_" in vars(self):
            local = self.to_local()
        with passes:
            fit_elsewhere(
                local,
                look,
                lambda classes, by_class: partial(passes.answer, classes, by_class),
                rows.names,
                "X / X.std(axis=0)",
            )
        self._take(local, passes.passes)
        return self

    def _unfitted(self) -> Any:
        own = {name: value for name, value in self.get_params(deep=False).items() if name != "client"}
        return self._twin(**own)

    def _take(self, local: Any, passes: int) -> None:
        """Make the state of a local model the fitted one."""
        own = self.get_params(deep=False)
        for stale in [name for name in vars(self) if name not in own]:
            delattr(self, stale)
        state = {name: value for name, value in vars(local).items() if name not in own}
        self.__dict__.update(state)
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
        return self._lazily("decision_function", X, values_dtype(X, self.coef_), width)

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
        check_is_fitted(self)
        owner = type(self).__name__
        client = client_of(self.client, owner)
        with DaskPasses(client, rows_of(owner, X, y, sample_weight, client)) as passes:
            right, total = passes.score(self.to_local(), Deadline(None))
        return float(right / total)

    def _lazily(self, method: str, X: Any, dtype: Any, width: int | None) -> Any:
        return predicted(type(self).__name__, self.to_local(), method, X, np.dtype(dtype), width)

    def __sklearn_clone__(self) -> Self:
        """Clone without a copy of the client, which is a connection."""
        return type(self)(**{**self._unfitted().get_params(deep=False), "client": self.client})

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the client, which is a connection."""
        return {**super().__getstate__(), "client": None}
