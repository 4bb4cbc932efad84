"""The same model as an estimator of scikit-learn, without a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._exchange._scikit_learn import KERNEL_MODELS, KERNELS, LINEAR_MODELS, SGD_LOSSES, shared_parameters
from maxmargin.estimators._kernel._outputs import KernelOutputs
from maxmargin.estimators._linear._one_class import LinearOneClassSVM
from maxmargin.estimators._shared._fitted import RowKind, fitted
from maxmargin.kernels import formula_of

__all__ = ["to_sklearn"]


def to_sklearn(model: Any) -> Any:
    """See `maxmargin.SVC.to_sklearn`."""
    check_is_fitted(model)
    kind = type(model)
    if kind in KERNEL_MODELS:
        return _kernel_model(model)
    if kind in LINEAR_MODELS:
        return _linear_model(model)
    raise InvalidInput(
        f"scikit-learn has no {kind.__name__}. to_sklearn knows {_listed()}. Save this model by maxmargin.io.save, or write it"
        " by maxmargin.onnx."
    )


def _listed() -> str:
    return ", ".join(kind.__name__ for kind in (*KERNEL_MODELS, *LINEAR_MODELS))


def _kernel_model(model: Any) -> Any:
    state, target, owner = fitted(model), KERNEL_MODELS[type(model)], type(model).__name__
    if getattr(model, "_ovr", False):
        raise InvalidInput(
            f"scikit-learn's {owner} separates classes in pairs. Got multi_class={model.multi_class!r}. Fit with"
            " multi_class='ovo', or save the model by maxmargin.io.save."
        )
    if isinstance(model, KernelOutputs) and len(model.intercept_) > 1:
        raise InvalidInput(f"scikit-learn's {owner} has one output. Got {len(model.intercept_)}: fit one model for each.")
    made = target(**shared_parameters(model, target), **_kernel_parameters(state.kernel, owner))
    is_sparse = model._rows is RowKind.SPARSE
    kept = ["support_", "n_features_in_", "feature_names_in_", "shape_fit_", "fit_status_", "classes_", "class_weight_"]
    for name in kept:
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))
    vectors = model.support_vectors_
    made.support_vectors_ = sparse.csr_matrix(vectors, dtype=np.float64) if is_sparse else np.asarray(vectors, np.float64)
    for name, value in (("dual_coef_", model.dual_coef_), ("_dual_coef_", model._dual_coef_)):
        setattr(made, name, sparse.csr_matrix(value) if is_sparse else np.asarray(value))
    made.intercept_, made._intercept_ = np.array(model.intercept_), np.array(model._intercept_)
    made._n_support = np.asarray(model._n_support, dtype=np.int32)
    made._sparse, made._gamma = is_sparse, 1.0 if state.kernel.gamma is None else float(state.kernel.gamma)
    made._num_iter = np.atleast_1d(np.asarray(model.n_iter_, dtype=np.int32))
    made.n_iter_ = made._num_iter if hasattr(model, "classes_") else int(made._num_iter[0])
    made._probA = made._probB = np.empty(0)
    made._effective_probability = False  # scikit-learn 1.9 looks there
    if hasattr(model, "offset_"):
        made.offset_ = -made.intercept_
    if getattr(model, "probability", False):
        made.probability = False  # its sigmoids are others
    return made


def _kernel_parameters(kernel: Any, owner: str) -> dict[str, Any]:
    if kernel.is_precomputed:
        return {"kernel": "precomputed"}
    formula = formula_of(kernel)
    if formula.name not in KERNELS:
        raise InvalidInput(
            f"scikit-learn's {owner} has the kernels linear, poly, rbf, sigmoid and precomputed. Got {formula.name!r}. Save the"
            " model by maxmargin.io.save, or write it by maxmargin.onnx."
        )
    numbers = {"gamma": formula.gamma, "coef0": formula.coef0} if formula.name != "linear" else {}
    return {"kernel": KERNELS[formula.name], **numbers, **({"degree": formula.degree} if formula.name == "polynomial" else {})}


def _linear_model(model: Any) -> Any:
    target = LINEAR_MODELS[type(model)]
    if getattr(model, "_is_ovr", False):
        raise InvalidInput(
            "scikit-learn's LogisticRegression fits all classes at once. Got multi_class='ovr', whose probabilities are others."
            " Fit with multi_class='multinomial', or save the model by maxmargin.io.save."
        )
    made = target(**shared_parameters(model, target))
    loss = getattr(model, "loss", None)
    if target.__name__ == "SGDClassifier":
        if loss not in SGD_LOSSES:
            raise InvalidInput(f"scikit-learn's SGDClassifier has the losses {', '.join(SGD_LOSSES)}. Got loss={loss!r}.")
        made.loss, made.penalty = SGD_LOSSES[loss], None
    elif isinstance(loss, str):
        made.loss = loss
    coef = np.array(model._dense_weights() if hasattr(model, "_dense_weights") else model.coef_)
    made.coef_, made.intercept_ = coef, np.array(model.intercept_)
    if isinstance(model, LinearOneClassSVM):
        made.offset_ = -made.intercept_
        made._n_features_out = model.n_features_in_
    for name in ("n_features_in_", "feature_names_in_", "classes_"):
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))
    made.n_iter_ = np.atleast_1d(model.n_iter_) if target.__name__ == "LogisticRegression" else int(np.max(model.n_iter_))
    return made
