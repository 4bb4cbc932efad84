"""The limit of threads for linear algebra: several Python threads at once, and forks."""

from __future__ import annotations

import os
import threading

import pytest
import threadpoolctl

from maxmargin._blas import one_blas_thread

from ._isolated import run


def _threads() -> set[int]:
    return {each["num_threads"] for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"}


def test_the_first_to_leave_does_not_end_it_for_the_others() -> None:
    """Two threads enter one after the other, and leave in the same order: the second is limited until it leaves itself."""
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        entered, may_leave, seen = threading.Event(), threading.Event(), []

        def first() -> None:
            with one_blas_thread():
                entered.set()
                may_leave.wait()

        other = threading.Thread(target=first)
        other.start()
        entered.wait()
        with one_blas_thread():
            may_leave.set()
            other.join()
            seen.append(_threads())
        assert seen == [{1}]
        assert _threads() == {2}


def test_it_holds_in_any_thread() -> None:
    """threadpoolctl lets one Python thread at a time set the number, and others believe that they did."""
    seen = []

    def limited() -> None:
        with one_blas_thread():
            seen.append(_threads())

    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        for _ in range(2):
            each = threading.Thread(target=limited)
            each.start()
            each.join()
    assert seen == [{1}, {1}]


def test_nested_limits_end_with_the_outermost() -> None:
    with threadpoolctl.threadpool_limits(limits=2, user_api="blas"):
        with one_blas_thread():
            with one_blas_thread():
                assert _threads() == {1}
            assert _threads() == {1}
        assert _threads() == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_is_not_limited_by_a_thread_that_it_lacks() -> None:
    source = """
    import os, threading, threadpoolctl
    from maxmargin._blas import one_blas_thread
    threadpoolctl.threadpool_limits(limits=2, user_api="blas")
    entered = threading.Event()
    def stay():
        with one_blas_thread():
            entered.set()
            time.sleep(60)
    threading.Thread(target=stay, daemon=True).start()
    entered.wait()
    reading, writing = os.pipe()
    if os.fork() == 0:
        with one_blas_thread():
            inside = [each["num_threads"] for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"]
        after = [each["num_threads"] for each in threadpoolctl.threadpool_info() if each["user_api"] == "blas"]
        os.write(writing, json.dumps([inside, after]).encode())
        os._exit(0)
    os.wait()
    inside, after = json.loads(os.read(reading, 4096))
    report(inside=sorted(set(inside)), after=sorted(set(after)))
    """
    assert run(source) == {"inside": [1], "after": [2]}
