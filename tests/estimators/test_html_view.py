"""scikit-learn's HTML view of our estimators: it reads the descriptions of all parameters from our docstrings.

It shows them where a class has a page to link to (1.9), and so where the address of the site is known.
"""

from __future__ import annotations

import re
from html import unescape

import pytest
import sklearn

from maxmargin import (
    SVC,
    SVCCV,
    SVDD,
    SVR,
    KernelPCA,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)

DESCRIBES = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)
CLASSES = [SVC, NuSVC, SVR, NuSVR, OneClassSVM, SVDD, KernelPCA, Perceptron, SVCCV]
CLASSES += [LinearSVC, LinearSVR, LogisticRegression, LinearClassifier, StochasticClassifier]


@pytest.mark.skipif(not DESCRIBES, reason="scikit-learn describes parameters in its HTML view since 1.9")
@pytest.mark.parametrize("family", CLASSES, ids=lambda each: each.__name__)
def test_every_parameter_is_described(family, monkeypatch):
    monkeypatch.setenv("MAXMARGIN_DOCS", "https://docs.invalid")
    estimator = family()
    view = estimator._repr_html_()
    shown = re.findall(r'<span class="param-doc-description"[^>]*>(.*?)</span>', view, flags=re.DOTALL)
    described = {unescape(each).strip().split(":")[0].split()[0]: each for each in shown}
    assert estimator.get_params(deep=False).keys() <= described.keys()
    assert all(len(text) > 20 for text in described.values())
