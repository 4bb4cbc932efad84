"""scikit-learn's own tests of SVC, NuSVC, SVR, NuSVR and OneClassSVM, run against ours."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs

from maxmargin import SVC, LinearSVC, OneClassSVM
from maxmargin.errors import NoMarginWarning
from maxmargin.solution import Status

from .._data import PROJECT

SUITES = ("sklearn.svm.tests.test_svm", "sklearn.svm.tests.test_sparse")
VERSION = "1.9."
TESTS = {SUITES[0]: 128, SUITES[1]: 158}
"""Runs of tests that scikit-learn 1.9.1 has there: fewer means that they were not collected."""

PASSED = {SUITES[0]: 113, SUITES[1]: 147}
"""How many of them pass with ours."""

NU_AND_C = ("SVC", "NuSVC")
FUTURE = "asserts scikit-learn's FutureWarnings about `probability`"
PAIRS = "expects an error for a pair of loss and penalty that ours solves"
OFFSET = "LIBLINEAR penalises the intercept, and ours does so only if that is asked for"
NOT_PAIRWISE = "its kernel is not pairwise: its values depend on the whole blocks"
ONE_STEP = "expects that so few steps are not enough: one step of ours is exactly optimal there"
NO_MARGIN = "the optimum is w = 0, and the signs of scores that are rounding alone differ between dense and CSR rows"
DUPLICATE = "two equal rows share a coefficient, in other parts for dense than for CSR rows; all scores agree"
CONTAINERS = ("csr_matrix", "csr_array", "lil_matrix", "lil_array")
EXCEPTIONS: dict[str, str] = {
    "test_libsvm_convergence_warnings[42]": ONE_STEP,
    "test_custom_kernel_not_array_input[SVC]": NOT_PAIRWISE,
    **{f"test_probability_raises_futurewarning[{given}-{name}-{name}]": FUTURE for given in (True, False) for name in NU_AND_C},
    **{f"test_svc_nusvc_probA_probB_deprecated[{name}]": FUTURE for name in NU_AND_C},
    "test_svr_errors": f"{NOT_PAIRWISE}; ours refuses one value for two rows at fit, scikit-learn at predict",
    "test_linearsvc_parameters[42-True-l1-hinge]": PAIRS,
    "test_linearsvc_parameters[42-True-l1-squared_hinge]": PAIRS,
    "test_linearsvc_parameters[42-False-l1-hinge]": PAIRS,
    "test_linearsvc_parameters[42-False-l2-hinge]": PAIRS,
    "test_dense_liblinear_intercept_handling": OFFSET,
    "test_sparse_liblinear_intercept_handling": OFFSET,
    "test_linear_svm_convergence_warnings[42]": "asserts LIBLINEAR's words, for two of its iterations; two of ours are enough",
    **{f"test_timeout[{rows}]": ONE_STEP for rows in CONTAINERS[2:]},
    **{f"test_sparse_oneclasssvm[{rows}-linear-X_train2-None-X_test2]": NO_MARGIN for rows in CONTAINERS},
    **{f"test_sparse_oneclasssvm[{rows}-rbf-X_train3-None-X_test3]": DUPLICATE for rows in CONTAINERS},
}
"""The runs that fail, by name and parameters, each with its reason. Nothing else may, and each of them must."""


@pytest.fixture(scope="module", params=SUITES)
def outcomes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Names of scikit-learn's tests by what became of them: passed, failed, skipped."""
    if not sklearn.__version__.startswith(VERSION):
        pytest.skip(f"the list of exceptions is that of scikit-learn {VERSION}x, here is {sklearn.__version__}")
    if find_spec("sklearn.svm.tests") is None or find_spec(request.param) is None:
        pytest.skip("this scikit-learn is installed without its tests")
    report = tmp_path_factory.mktemp("foreign") / "report.xml"
    here = tmp_path_factory.mktemp("cwd")
    command = [sys.executable, "-m", "pytest", "--pyargs", request.param, "-p", "tests.contracts._foreign_suite"]
    command += [
        "-p",
        "no:cacheprovider",
        "-q",
        "-W",
        "ignore::pytest.PytestConfigWarning",
        f"--junit-xml={report}",
    ]
    path = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        command,
        cwd=here,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert report.exists(), done.stdout + done.stderr
    print(done.stdout)
    return {**_read(report), "suite": {request.param}}


def _read(report: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set()}
    for case in ElementTree.parse(report).iter("testcase"):
        outcome = "failed" if case.find("failure") is not None or case.find("error") is not None else "passed"
        outcome = "skipped" if case.find("skipped") is not None else outcome
        found[outcome].add(case.attrib["name"])
    return found


def test_exactly_the_named_exceptions_fail(outcomes: dict[str, set[str]]) -> None:
    """Both ways: nothing else fails, and no name of the list passes in its suite."""
    ran = outcomes["passed"] | outcomes["failed"]
    assert outcomes["failed"] == {name for name in EXCEPTIONS if name in ran}
    assert outcomes["skipped"] == set()
    (suite,) = outcomes["suite"]
    assert len(ran) == TESTS[suite]
    assert len(outcomes["passed"]) == PASSED[suite]


def test_the_counts_are_those_of_the_list() -> None:
    assert sum(TESTS.values()) - sum(PASSED.values()) == len(EXCEPTIONS)


SIX = np.array([[-2.0, -1.0], [-1.0, -1.0], [-1.0, -2.0], [1.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
SIDES = [1, 1, 1, 2, 2, 2]


def test_one_step_is_optimal_there() -> None:
    """The reason of ONE_STEP: two rows carry the whole solution, and the first step takes just these."""
    model = SVC(C=1, kernel=lambda x, z: x @ z.T, max_iter=1).fit(SIX, SIDES)
    assert model.certificate_.gap == 0.0
    np.testing.assert_array_equal(model.n_iter_, [1])
    np.testing.assert_array_equal(model.dual_coef_, [[-0.25, 0.25]])
    model = LinearSVC(max_iter=2).fit(SIX, SIDES)
    assert model.status_.is_optimal
    assert model.n_iter_ <= 2


def test_two_equal_rows_there() -> None:
    """The reason of DUPLICATE: the coefficients of the two rows add up to the same, and nothing else differs."""
    X = load_iris().data[np.random.RandomState(0).permutation(150)]
    dense, thin = OneClassSVM(gamma=1).fit(X), OneClassSVM(gamma=1).fit(sparse.csr_array(X))
    np.testing.assert_array_equal(thin.support_, dense.support_)
    other = np.flatnonzero(np.abs(thin.dual_coef_.toarray() - dense.dual_coef_)[0] > 1e-9)
    assert len(np.unique(X[dense.support_[other]], axis=0)) <= 1
    np.testing.assert_allclose(thin.decision_function(X), dense.decision_function(X), atol=1e-9)


def test_no_margin_there() -> None:
    """The reason of NO_MARGIN: w = 0 is proven optimal, and said so, for both kinds of rows."""
    X, _ = make_blobs(n_samples=100, centers=10, random_state=0)
    for rows in (X[:80], sparse.csr_array(X[:80])):
        with pytest.warns(NoMarginWarning, match="w = 0 is optimal"):
            model = OneClassSVM(gamma="scale", kernel="linear").fit(rows)
        assert model.status_ is Status.ZERO_OPTIMUM
        assert np.abs(model.decision_function(X)).max() < 1e-10
