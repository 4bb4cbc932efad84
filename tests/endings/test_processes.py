"""Memory, threads, forks and workers: a fit leaves no trace in its process, and none of another in itself."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

import maxmargin
from maxmargin import SVC

from ._isolated import run

pytestmark = pytest.mark.alone

GROWTH_MB = 3.0
"""1 000 fits may not grow the process by more: allocators keep some pages, but a leak of one
small array a fit would show."""

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

SMALL_FITS = """
from maxmargin import SVC
from sklearn.datasets import make_classification
from scipy.sparse import csr_array
import gc, os
X, y = make_classification(60, 5, random_state=0)
K = X @ X.T
def wrong(A, B):
    return np.full((len(A), len(B)), np.nan)
def once(i):
    kind = i % 5
    if kind == 0: SVC(C=1.0 + i % 7).fit(X, y).predict(X)
    if kind == 1: SVC(kernel="linear").fit(csr_array(X), y).predict(csr_array(X))
    if kind == 2: SVC(kernel="precomputed").fit(K, y).decision_function(K)
    if kind == 3: SVC(kernel=lambda A, B: A @ B.T).fit(X, y).solutions_
    if kind == 4:
        try:
            SVC(kernel=wrong).fit(X, y)
        except ValueError:
            pass
        else:
            raise SystemExit("a kernel of nan must raise")
def megabytes():
    gc.collect()
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
"""


@on_linux
def test_a_thousand_small_fits_do_not_grow_the_process() -> None:
    result = run(
        SMALL_FITS
        + """
for i in range(300): once(i)
before = megabytes()
for i in range(1000): once(i)
report(growth=megabytes() - before)
""",
        timeout=120,
    )
    assert result["growth"] <= GROWTH_MB


def _bits(model: SVC) -> list[bytes]:
    arrays = (model.dual_coef_, model.intercept_, model.support_, model.support_vectors_)
    return [np.ascontiguousarray(array).tobytes() for array in arrays]


def _fit(seed: int, rows: int) -> list[bytes]:
    X, y = make_classification(rows, 12, n_informative=6, n_classes=3, flip_y=0.2, random_state=seed)
    return _bits(SVC(C=10.0).fit(X, y))


@pytest.mark.parametrize("rows", [60, 1500])
def test_two_threads_fitting_at_once_give_the_same_bits(rows: int) -> None:
    seeds = list(range(8))
    alone = [_fit(seed, rows) for seed in seeds]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda seed: _fit(seed, rows), seeds))
    assert together == alone


@pytest.mark.parametrize("rows", [60, 3000])
def test_same_bits_for_any_number_of_threads(rows: int) -> None:
    before = maxmargin.get_threads()
    try:
        found = []
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            assert maxmargin.get_threads() == threads
            found.append(_fit(3, rows))
    finally:
        maxmargin.set_threads(before)
    assert found[1:] == found[:-1]


FORKED = """
from maxmargin import SVC
from sklearn.datasets import make_classification
import os, hashlib
X, y = make_classification(2500, 20, random_state=0)
def digest():
    model = SVC(C=10.0).fit(X, y)
    return hashlib.sha256(model.dual_coef_.tobytes() + model.intercept_.tobytes()).hexdigest()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_fork_then_fit() -> None:
    """The pool's threads do not live in the child: it must notice, and start its own."""
    result = run(
        FORKED
        + """
before = digest()
read, write = os.pipe()
child = os.fork()
if child == 0:
    os.write(write, digest().encode())
    os._exit(0)
os.close(write)
with os.fdopen(read) as pipe:
    said = pipe.read()
_, status = os.waitpid(child, 0)
report(before=before, child=said, after=digest(), status=status)
""",
        timeout=60,
        MAXMARGIN_NUM_THREADS="2",
    )
    assert result["status"] == 0
    assert result["child"] == result["before"]
    assert result["after"] == result["before"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_pool_of_forked_processes() -> None:
    result = run(
        FORKED
        + """
import multiprocessing
def work(_):
    return digest()
if __name__ == "__main__":
    before = digest()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        report(before=before, children=pool.map(work, range(4)))
""",
        timeout=60,
        MAXMARGIN_NUM_THREADS="2",
    )
    assert set(result["children"]) == {result["before"]}


def _threads_of_a_worker(rows: int) -> dict[str, Any]:
    """Runs inside a worker: what the pool may use, and how many OS threads a fit adds."""
    X, y = make_classification(rows, 20, random_state=0)
    before = len(os.listdir("/proc/self/task"))
    SVC().fit(X, y)
    return {
        "limit": maxmargin.get_threads(),
        "added": len(os.listdir("/proc/self/task")) - before,
        "pid": os.getpid(),
    }


@on_linux
def test_workers_of_joblib_share_the_cores() -> None:
    cores = len(os.sched_getaffinity(0))
    workers = Parallel(n_jobs=2, backend="loky")(delayed(_threads_of_a_worker)(2500) for _ in range(4))
    share = max(1, cores // 2)
    assert all(worker["limit"] <= share for worker in workers)
    assert all(worker["added"] <= share - 1 for worker in workers), "a fit in a worker started too many threads"


@on_linux
def test_threadpoolctl_is_obeyed() -> None:
    result = run(
        """
from threadpoolctl import threadpool_limits
from sklearn.datasets import make_classification
import maxmargin, os
X, y = make_classification(2500, 20, random_state=0)
tasks = lambda: len(os.listdir("/proc/self/task"))
free = maxmargin.get_threads()
with threadpool_limits(limits=1):
    limited, before = maxmargin.get_threads(), tasks()
    maxmargin.SVC().fit(X, y)
    added = tasks() - before
report(free=free, limited=limited, added=added, after=maxmargin.get_threads())
""",
        MAXMARGIN_NUM_THREADS="2",
    )
    assert result == {"free": 2, "limited": 1, "added": 0, "after": 2}


def test_threadpoolctl_in_this_process() -> None:
    before = maxmargin.get_threads()
    with threadpool_limits(limits=1):
        assert maxmargin.get_threads() == 1
    assert maxmargin.get_threads() == before


@pytest.mark.parametrize(
    ("variables", "threads"),
    [
        ({"MAXMARGIN_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "1"}, 1),
        ({"OMP_NUM_THREADS": "1", "MAXMARGIN_NUM_THREADS": "2"}, 2),
    ],
)
def test_environment_sets_the_number_of_threads(variables: dict[str, str], threads: int) -> None:
    assert run("import maxmargin\nreport(threads=maxmargin.get_threads())", **variables)["threads"] == threads


@on_linux
def test_the_default_is_the_cores_of_this_process() -> None:
    result = run("import maxmargin, os\nreport(threads=maxmargin.get_threads(), cores=len(os.sched_getaffinity(0)))")
    assert result["threads"] == result["cores"]
    pinned = run("import maxmargin\nreport(threads=maxmargin.get_threads())", one_core=True, MAXMARGIN_NUM_THREADS="")
    assert pinned["threads"] == 1


@on_linux
def test_importing_starts_no_thread() -> None:
    result = run(
        """
import os
import numpy, scipy.sparse, sklearn.svm, joblib
before = len(os.listdir("/proc/self/task"))
import maxmargin
report(added=len(os.listdir("/proc/self/task")) - before)
"""
    )
    assert result["added"] == 0


LEVEL = """
from maxmargin import SVC
from sklearn.datasets import load_digits
X, y = load_digits(return_X_y=True)
X = X / 16
out = {}
fits = dict(rbf=dict(C=10.0), linear=dict(kernel="linear", C=0.1), poly=dict(kernel="poly", coef0=1.0))
for name, params in fits.items():
    model = SVC(tol=1e-6, **params).fit(X, y)
    out[name] = [model.certificate_.dual_objective, model.certificate_.primal_objective, model.status_.name]
report(**out)
"""


LEVELS = """
from maxmargin import _core
report(levels=_core.cpu_levels())
"""


def test_every_instruction_set_reaches_the_same_optimum() -> None:
    levels = run(LEVELS)["levels"]
    assert levels[0] == "baseline"
    baseline, *others = [run(LEVEL, MAXMARGIN_CPU=level) for level in levels]
    for name, (dual, primal, status) in ((name, found) for other in others or [run(LEVEL)] for name, found in other.items()):
        assert status == "CONVERGED"
        assert baseline[name][2] == "CONVERGED"
        gap = primal - dual
        # Both lie within their gap of the one optimum.
        assert abs(baseline[name][0] - dual) <= gap + (baseline[name][1] - baseline[name][0]) + 1e-12 * abs(dual)


def test_unknown_instruction_set_is_refused_in_words() -> None:
    result = run(
        """
try:
    from maxmargin import SVC
    SVC().fit([[0.0], [1.0]], [0, 1])
    report(error="")
except Exception as error:
    report(error=str(error))
""",
        MAXMARGIN_CPU="no-such-level",
    )
    assert "no-such-level" in result["error"]
    assert "baseline" in result["error"]


def test_the_end_waits_for_a_library_at_work() -> None:
    """LAPACK in a thread that nobody waits for crashes, now and then, when the process ends under it."""
    result = run(
        """
        from maxmargin.solvers._runtime._aside import aside
        def slow():
            time.sleep(0.5)
            report(ended=True)
        assert aside(slow, stop=lambda: True) is None
        report(ended=False)
        """
    )
    assert result["ended"]
