"""A pytest plugin: scikit-learn's ``test_svm.py`` with our estimators in place of those of ``sklearn.svm``.

Loaded by ``pytest -p`` in a process of its own, before anything is collected. It keeps the tests of ours: those
with one of them among their parameters, or, without estimators among the parameters, those whose source names
one. Other estimators met on the way stay scikit-learn's own.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import sklearn.svm
from sklearn.base import BaseEstimator

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM

OURS = (SVC, NuSVC, SVR, NuSVR, OneClassSVM)
for _estimator in OURS:
    setattr(sklearn.svm, _estimator.__name__, _estimator)

_NAMES_OURS = re.compile(r"\b(svm\.)?(SVC|NuSVC|SVR|NuSVR|OneClassSVM)\b")


def _estimators(item: pytest.Item) -> list[type]:
    """The classes of estimators among the parameters of a test."""
    callspec: Any = getattr(item, "callspec", None)
    values = callspec.params.values() if callspec is not None else ()
    classes = [value if inspect.isclass(value) else type(value) for value in values]
    return [kind for kind in classes if issubclass(kind, BaseEstimator)]


def touches_ours(item: pytest.Item) -> bool:
    """Whether a test exercises an estimator of ours, evaluated by its parameters first and its source second."""
    estimators = _estimators(item)
    if estimators:
        return any(each in OURS for each in estimators)
    return bool(_NAMES_OURS.search(inspect.getsource(item.function)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = [item for item in items if touches_ours(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
