"""A pytest plugin: scikit-learn's ``test_svm.py`` with our SVC in place of ``sklearn.svm.SVC``.

Loaded by ``pytest -p`` in a process of its own, before anything is collected. It keeps the tests of SVC:
those with SVC among their parameters, or, without estimators among the parameters, those whose source names
``svm.SVC``. Other estimators met on the way stay scikit-learn's own.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
import sklearn.svm
from sklearn.base import BaseEstimator

from maxmargin import SVC

sklearn.svm.SVC = SVC  # type: ignore[misc]

_NAMES_SVC = re.compile(r"\bsvm\.SVC\b")


def _estimators(item: pytest.Item) -> list[type]:
    """The classes of estimators among the parameters of a test."""
    callspec: Any = getattr(item, "callspec", None)
    values = callspec.params.values() if callspec is not None else ()
    classes = [value if inspect.isclass(value) else type(value) for value in values]
    return [kind for kind in classes if issubclass(kind, BaseEstimator)]


def touches_svc(item: pytest.Item) -> bool:
    """Whether a test exercises SVC, judged by its parameters first and its source second."""
    estimators = _estimators(item)
    if estimators:
        return SVC in estimators
    return bool(_NAMES_SVC.search(inspect.getsource(item.function)))  # type: ignore[attr-defined]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept = [item for item in items if touches_svc(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
