"""A pytest plugin: scikit-learn's tests of ``sklearn.svm`` with our estimators in place of its own.

Loaded by ``pytest -p`` in a process of its own, before anything is collected.
"""

from __future__ import annotations

import sklearn.svm

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

OURS = (SVC, NuSVC, SVR, NuSVR, OneClassSVM, LinearSVC, LinearSVR)
for _estimator in OURS:
    setattr(sklearn.svm, _estimator.__name__, _estimator)
