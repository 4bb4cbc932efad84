"""Memory follows what a fit needs: the stored values of sparse rows, and the cache it was given."""

from __future__ import annotations

import pytest

from ._isolated import run

pytestmark = pytest.mark.alone

PEAK = """
import resource
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""


def test_wide_sparse_rows_are_not_made_dense() -> None:
    source = """
import numpy as np
from scipy import sparse
from maxmargin import SVC
rng = np.random.default_rng(0)
columns = rng.integers(0, 2_000_000, size=(200, 30))
X = sparse.csr_array((np.ones(6000), np.sort(columns).ravel(), np.arange(0, 6001, 30)), shape=(200, 2_000_000))
y = np.arange(200) % 2
SVC().fit(np.eye(4), [0, 1, 0, 1])
before = peak()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    SVC(gamma=0.1).fit(X, y)
report(rise=peak() - before)
"""
    assert run(PEAK + source)["rise"] < 400  # dense, the rows would take 3 200 MB


def test_the_cache_bounds_the_rise() -> None:
    source = """
import numpy as np
from maxmargin import SVC
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 10))
y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=len(X)) > 0
SVC().fit(X[:500], y[:500])
before = peak()
model = SVC(cache_size=100).fit(X, y)
report(rise=peak() - before, status=model.status_.name)
"""
    result = run(PEAK + source, timeout=120)
    assert result["status"] == "CONVERGED"
    assert result["rise"] < 150  # all rows would take 1 600 MB


@pytest.mark.parametrize(
    "model",
    [
        "LinearSVC()",
        "LinearSVC(loss='hinge')",
        "LogisticRegression()",
        "LogisticRegression(penalty='l1')",
        "LinearSVR()",
        "LinearSVC(multi_class='joint')",
    ],
)
def test_dense_single_precision_stays_single(model: str) -> None:
    """In float64 the rows would take twice as much again; the first rounds have a copy of a quarter of them, as they are."""
    source = f"""
import numpy as np
from maxmargin import LinearSVC, LinearSVR, LogisticRegression
rng = np.random.default_rng(0)
X = rng.standard_normal(size=(100_000, 200), dtype=np.float32)
level = X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.standard_normal(len(X), dtype=np.float32)
three_classes = np.digitize(level, [-0.5, 0.5])
y = level if "SVR" in {model!r} else three_classes if "joint" in {model!r} else level > 0
{model}.fit(X[:500], y[:500])
before = peak()
model = {model}.set_params(C=1e-3, tol=1e-2).fit(X, y)
report(rise=(peak() - before) / (X.nbytes / 2**20), status=model.status_.name)
"""
    result = run(PEAK + source, timeout=240)
    assert result["status"] == "CONVERGED"
    assert result["rise"] < 0.8
