"""What all kernel estimators share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin.estimators._kernel._decision_values import weight_vectors
from maxmargin.estimators._kernel._held_vectors import HeldVectors
from maxmargin.estimators._kernel._kept_values import kept_values
from maxmargin.estimators._kernel._packing import explicit_csr, pack, unpack
from maxmargin.estimators._kernel._records import certificates, coefficients
from maxmargin.estimators._shared._bounds import require_finite
from maxmargin.estimators._shared._estimate import Estimating
from maxmargin.estimators._shared._fitted import RowKind, fitted
from maxmargin.estimators._shared._input import training_rows
from maxmargin.estimators._shared._parameters import check_search
from maxmargin.estimators._shared._schemes import Scheme
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.kernels import Gram, Kernel, as_kernel, feature_scale_warning, takes_matrix
from maxmargin.solution import Certificate, Status
from maxmargin.solvers import Coefficients
from maxmargin.validation import take_rows

__all__ = ["KernelModel"]


class KernelModel(CallbackSupport, Estimating, Summarised, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Kernel, rows and coefficients of a fitted model, and the proof that comes with them."""

    def _begin(self, X: Any) -> tuple[Kernel, Any, RowKind, Deadline]:
        """Check the parameters and the rows of a fit."""
        self._check_own()
        check_search(self)
        deadline = Deadline(self.max_time)
        owner = type(self).__name__
        kernel = as_kernel(self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree, owner=owner, stacklevel=5)
        X, kind = training_rows(self, kernel, X)
        return kernel, X, kind, deadline

    def _gram(self, kernel: Kernel, data: Any, kind: RowKind, deadline: Deadline, *, again: bool) -> Gram:
        """Kernel values of rows whose features are checked for it if there is time; keeps the bound kernel.

        Where one subproblem over all rows continues from its last solution, ``again``, the values are kept for the next fit.
        """
        of_features = kind in (RowKind.DENSE, RowKind.SPARSE) and kernel.input_kind == "vectors"
        looks = of_features and not deadline.is_over()
        moments = feature_scale_warning(data.X, type(self).__name__, stacklevel=4) if looks else None
        before = vars(self).get("_kernel")
        self._kernel = kernel.bind(data.X, data.sample_weight, moments=moments)
        gram = self._kernel.gram(data.X)
        if moments is not None:
            require_finite(gram, moments)
        held = self.__dict__.pop("_kept_values", None)
        if not again or moments is None or gram.kernel != before:
            return gram
        kept = kept_values(self, gram, data.X, held)
        if kept is None:
            return gram
        self._kept_values = kept
        return kept.gram

    def _keep(self, X: Any, data: Any, kind: RowKind, rows: NDArray[np.intp], dual: NDArray[np.float64]) -> None:
        """Keep the support vectors and their coefficients in scikit-learn's forms."""
        self._rows = kind
        self.support_ = np.asarray(data.of_kept_rows(rows), dtype=np.int32)
        self.support_vectors_ = np.empty((0, 0)) if kind is RowKind.PAIRWISE else take_rows(data.X, rows)
        self.dual_coef_ = explicit_csr(dual, type(X)) if kind is RowKind.SPARSE else dual
        self._held_vectors = HeldVectors(self.support_vectors_)

    def _coefficients(self) -> list[Coefficients]:
        """The coefficients of the last fit, one set for each subproblem, with row numbers of its X."""
        return coefficients(self._proofs, fitted(self), self.support_)

    @abstractmethod
    def _check_own(self) -> None:
        """Raise for a parameter of this estimator's own that is not acceptable."""

    @abstractmethod
    def _layout(self) -> tuple[Scheme, list[int]]:
        """The subproblems, and where the support vectors of each class stand."""

    @property
    def coef_(self) -> Any:
        """Weight vectors of a linear kernel, read only."""
        check_is_fitted(self)
        if not self._kernel.is_linear:
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = weight_vectors(fitted(self))
        storage = weights.data if self._sparse else weights
        storage.flags.writeable = False
        return weights

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class, or of the one subproblem."""
        check_is_fitted(self)
        return np.asarray(self._n_support[: len(self._n_support) if hasattr(self, "classes_") else 1])

    @property
    def certificate_(self) -> Certificate:
        """How close to optimal: objectives summed over the subproblems, worst relative gap and violation."""
        check_is_fitted(self)
        return Certificate.combined(certificates(self._proofs))

    @property
    def _proofs(self) -> Any:
        """The records of the fit."""
        if "_records" not in vars(self):
            raise AttributeError(
                f"This {type(self).__name__} has no certificate, status or solutions: its support vectors were reduced, and it"
                " is no optimum. The model that reduce_support was given has them."
            )
        return self._records

    @property
    def status_(self) -> Status:
        """The worst status among the subproblems."""
        return self.certificate_.status

    @property
    def _sparse(self) -> bool:
        return self._rows is RowKind.SPARSE

    @property
    def _gamma(self) -> float:
        """Factor of the kernel as a number; other packages read it."""
        return float(self._kernel.gamma or 0.0)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in ("_kept_values", "_held_vectors"):
            state.pop(name, None)
        if "dual_coef_" in state:
            state["dual_coef_"] = pack(state["dual_coef_"])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "dual_coef_" in state:
            state = {**state, "dual_coef_": unpack(state["dual_coef_"])}
        super().__setstate__(state)
        if "support_vectors_" in state:
            self._held_vectors = HeldVectors(self.support_vectors_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = takes_matrix(self.kernel)
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise
        return tags
