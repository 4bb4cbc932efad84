"""scikit-learn's HTML view of our estimators: parameters come with the descriptions of our docstrings."""

from __future__ import annotations

import re
from html import unescape

import pytest
import sklearn

from maxmargin import SVC, SVDD, SVR, LinearClassifier, LinearSVC, LinearSVR, LogisticRegression, NuSVC, OneClassSVM, Perceptron

DESCRIBES = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)


@pytest.mark.skipif(not DESCRIBES, reason="scikit-learn describes parameters in its HTML view since 1.9")
@pytest.mark.parametrize(
    "estimator",
    [SVC(), NuSVC(), SVR(), OneClassSVM(), SVDD(), LinearSVC(), LinearSVR(), LogisticRegression(), LinearClassifier(), Perceptron()],
    ids=lambda each: type(each).__name__,
)
def test_every_parameter_is_described(estimator):
    view = unescape(re.sub(r"<br\s*/?>", "\n", estimator._repr_html_()))
    for name in estimator.get_params():
        assert re.search(rf"\b{name}: ", view), f"{name} has no description"


def test_a_description_is_that_of_the_docstring():
    if not DESCRIBES:
        pytest.skip("scikit-learn describes parameters in its HTML view since 1.9")
    assert "Which solver to use." in unescape(SVC()._repr_html_())


def test_no_link_is_offered_where_there_is_no_page():
    assert SVC()._get_doc_link() == ""
