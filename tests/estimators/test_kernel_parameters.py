"""Every kernel name with every parameter of an estimator: it changes the model, is refused, or is said to be ignored."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from maxmargin import SVC, SVDD, SVR, KernelPCA, NuSVC, NuSVR, OneClassSVM, Perceptron
from maxmargin.errors import IgnoredParameterWarning, InvalidInput
from maxmargin.kernels import RBF, Linear, Matern, Sum, as_kernel

X, Y = load_iris(return_X_y=True)
X, Y = X[40:70], Y[40:70]
NAMES = [
    "chi2",
    "cosine",
    "intersection",
    "laplacian",
    "linear",
    "matern",
    "min_max",
    "poly",
    "precomputed",
    "quadratic",
    "rational_quadratic",
    "rbf",
    "sigmoid",
    "tanimoto",
]
HAS = {
    "gamma": {"chi2", "laplacian", "poly", "rbf", "sigmoid"},
    "coef0": {"poly", "sigmoid"},
    "degree": {"poly"},
}
OTHER: dict[str, Any] = {"gamma": 0.003, "coef0": 0.5, "degree": 2}
SCIKIT_LEARN = {"linear", "precomputed", "rbf", "sigmoid", "poly"}


def _fit(model: Any) -> Any:
    rows = X @ X.T if model.kernel == "precomputed" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", IgnoredParameterWarning)
        return model.fit(rows, Y)


def test_all_names_are_here() -> None:
    with pytest.raises(InvalidInput) as refusal:
        as_kernel("none of them")
    assert f"must be a str among {NAMES}," in str(refusal.value)


@pytest.mark.parametrize("parameter", OTHER)
@pytest.mark.parametrize("name", NAMES)
def test_no_parameter_is_silently_ignored(name: str, parameter: str) -> None:
    """What a kernel has changes its values; what it has not is an error, or a warning where scikit-learn ignores it."""
    model = SVC(kernel=name, **{parameter: OTHER[parameter]})
    if name in HAS[parameter]:
        with warnings.catch_warnings():
            warnings.simplefilter("error", IgnoredParameterWarning)
            one = as_kernel(name)(X)
            other = as_kernel(name, **{parameter: OTHER[parameter]})(X)
        assert np.abs(other - one).max() > 1e-3
    elif name in SCIKIT_LEARN:
        message = f"SVC ignores {parameter}={OTHER[parameter]!r}: kernel='{name}' has no parameter '{parameter}'. Leave it at"
        with pytest.warns(IgnoredParameterWarning, match=message) as caught:
            _fit(model)
        assert [each.filename for each in caught] == [__file__]
    else:
        with pytest.raises(InvalidInput) as refusal:
            _fit(model)
        assert f"The '{parameter}' parameter of SVC must be left at" in str(refusal.value)
        assert f"when kernel='{name}', which has none. Got {parameter}={OTHER[parameter]!r}." in str(refusal.value)
        advice = f"Set the parameters of an object instead: kernel={as_kernel(name)!r}."
        assert (advice in str(refusal.value)) == bool(as_kernel(name).get_params())  # no advice to set what is not there


@pytest.mark.parametrize("estimator", [SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD, Perceptron, KernelPCA])
def test_every_estimator_says_it(estimator: Any) -> None:
    settings = {"nu": 0.2} if estimator is NuSVC else {}
    owner = estimator.__name__
    with pytest.warns(IgnoredParameterWarning, match=f"{owner} ignores gamma=0.25: kernel='linear'") as caught:
        estimator(kernel="linear", gamma=0.25, **settings).fit(X, Y)
    assert [each.filename for each in caught if each.category is IgnoredParameterWarning] == [__file__]
    with pytest.warns(IgnoredParameterWarning, match=f"{owner} ignores degree=2: a kernel that is a function"):
        estimator(kernel=lambda a, b: a @ b.T, degree=2, **settings).fit(X, Y)
    with pytest.raises(InvalidInput, match=f"The 'gamma' parameter of {owner} must be left at .* when kernel='matern'"):
        estimator(kernel="matern", gamma=0.25, **settings).fit(X, Y)
    with pytest.raises(InvalidInput, match=f"The 'coef0' parameter of {owner} must be left at .* when 'kernel' is an object"):
        estimator(kernel=Matern(), coef0=0.25, **settings).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", IgnoredParameterWarning)
        for kernel in ("linear", "matern", "cosine", Matern(), RBF()):
            estimator(kernel=kernel, **settings).fit(X, Y)


@pytest.mark.filterwarnings("ignore::maxmargin.errors.IgnoredParameterWarning")
def test_a_grid_of_kernels_and_parameters_runs() -> None:
    """The usual grid of scikit-learn's users, in which the linear kernel ignores gamma."""
    grid = {"kernel": ["linear", "rbf"], "gamma": [0.1, 1.0]}
    assert GridSearchCV(SVC(), grid, cv=2, error_score="raise").fit(X, Y).best_score_ > 0.9


def test_probabilities_say_it_once() -> None:
    with pytest.warns(IgnoredParameterWarning) as caught:
        SVC(kernel="linear", gamma=0.1, probability=True).fit(X, Y)
    assert len([each for each in caught if each.category is IgnoredParameterWarning]) == 1


def test_the_builtin_sum_of_kernels() -> None:
    kernels = [RBF(gamma=0.1), Linear(), Matern()]
    assert sum(kernels) == Sum(Sum(kernels[0], kernels[1]), kernels[2])
    assert sum(kernels, start=Linear()) == Sum(Sum(Sum(Linear(), kernels[0]), kernels[1]), kernels[2])
    for wrong in (1, 0.5, True, "0", None):
        with pytest.raises(TypeError):
            wrong + RBF()  # type: ignore[operator]
    assert SVC(kernel=sum(kernels[:2])).fit(X, Y).score(X, Y) > 0.9  # type: ignore[arg-type]
