"""A fitted estimator of scikit-learn as one of ours, without a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._exchange._made import KernelNumbers, fitted_kernel_model
from maxmargin.estimators._exchange._scikit_learn import KERNEL_MODELS, LINEAR_MODELS, SGD_LOSSES, shared_parameters
from maxmargin.estimators._linear._one_class import LinearOneClassSVM
from maxmargin.estimators._linear._regularised import LinearClassifier
from maxmargin.estimators._linear._stochastic import StochasticClassifier

__all__ = ["from_sklearn"]


def from_sklearn(model: Any) -> Any:
    """The same model as one of maxmargin's estimators: equal decision values, without a fit.

    It predicts, and can be saved, verified, explained, reduced or written as ONNX, LIBSVM's text or C. It has no certificate of
    its own: `maxmargin.inspection.verify` computes one from the training rows. Probabilities of kernel classifiers are not
    taken over.

    Parameters
    ----------
    model : estimator
        A fitted SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR, LogisticRegression, SGDOneClassSVM or
        SGDClassifier of scikit-learn, whose kernel is no function.

    Returns
    -------
    estimator
        SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR, LogisticRegression, LinearOneClassSVM or LinearClassifier.

    Examples
    --------
    >>> import sklearn.svm
    >>> from sklearn.datasets import load_iris
    >>> import maxmargin
    >>> X, y = load_iris(return_X_y=True)
    >>> theirs = sklearn.svm.SVC().fit(X, y)
    >>> ours = maxmargin.from_sklearn(theirs)
    >>> bool(abs(ours.decision_function(X) - theirs.decision_function(X)).max() < 1e-12)
    True
    """
    for ours, theirs in KERNEL_MODELS.items():
        if type(model) is theirs:
            check_is_fitted(model)
            return _kernel_model(model, ours)
    for ours, theirs in LINEAR_MODELS.items():
        if type(model) is theirs and ours is not StochasticClassifier:
            check_is_fitted(model)
            return _linear_model(model, ours)
    names = ", ".join(theirs.__name__ for theirs in dict.fromkeys([*KERNEL_MODELS.values(), *LINEAR_MODELS.values()]))
    raise InvalidInput(f"from_sklearn knows scikit-learn's {names}. Got a {type(model).__module__}.{type(model).__name__}.")


def _kernel_model(model: Any, ours: Any) -> Any:
    if not isinstance(model.kernel, str):
        raise InvalidInput(f"The kernel of this {type(model).__name__} is a function, whose values are not kept. Fit ours.")
    made = ours(**shared_parameters(model, ours), kernel=model.kernel)
    numbers_of = {"poly": ("gamma", "coef0", "degree"), "rbf": ("gamma",), "sigmoid": ("gamma", "coef0")}
    given = {"gamma": float(model._gamma), "coef0": float(model.coef0), "degree": int(model.degree)}
    made.set_params(**{name: given[name] for name in numbers_of.get(model.kernel, ())})
    if "probability" in made.get_params():
        made.probability = False
    is_pairwise = model.kernel == "precomputed"
    vectors = None if is_pairwise else model.support_vectors_
    dual = model.dual_coef_
    classes = getattr(model, "classes_", None)
    numbers = KernelNumbers(
        vectors=sparse.csr_matrix(vectors) if sparse.issparse(vectors) else vectors,
        support=np.asarray(model.support_, dtype=np.int32),
        n_support=np.full(2, len(model.support_), np.int32) if classes is None else np.asarray(model._n_support, np.int32),
        dual=np.asarray(dual.toarray() if sparse.issparse(dual) else dual, dtype=np.float64),
        intercept=np.array(model.intercept_, dtype=np.float64),
        n_rows=int(model.shape_fit_[0]),
        n_features=int(model.n_features_in_),
        classes=classes,
    )
    return _named(fitted_kernel_model(made, numbers), model)


def _linear_model(model: Any, ours: Any) -> Any:
    made = ours(**shared_parameters(model, ours))
    if ours is LinearClassifier:
        known = {theirs: name for name, theirs in SGD_LOSSES.items()}
        if model.loss not in known:
            raise InvalidInput(f"LinearClassifier has no counterpart of loss={model.loss!r}. It takes {', '.join(known)}.")
        made.loss = known[model.loss]
    elif "loss" in made.get_params():
        made.loss = model.loss
    coef = np.asarray(model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_)
    made.coef_ = np.array(coef, dtype=np.float64 if coef.dtype != np.float32 else np.float32)
    made.intercept_ = np.zeros(len(np.atleast_2d(coef))) + np.asarray(getattr(model, "intercept_", 0.0))
    if ours is LinearOneClassSVM:
        made.coef_, made.intercept_ = np.atleast_2d(made.coef_), -np.asarray(model.offset_, dtype=np.float64)
    made.n_features_in_, made.n_iter_ = int(model.n_features_in_), 0
    if hasattr(model, "classes_"):
        made.classes_, made.class_weight_, made._n_active = model.classes_, np.ones(len(model.classes_)), 0
    if getattr(model, "solver", None) == "liblinear" and len(model.classes_) > 2:
        made.multi_class, made._is_ovr = "ovr", True
    return _named(made, model)


def _named(made: Any, model: Any) -> Any:
    if hasattr(model, "feature_names_in_"):
        made.feature_names_in_ = model.feature_names_in_
    return made
