"""Dask, where it is installed: clients, tasks, and how to wait for them."""

from __future__ import annotations

from maxmargin._cluster._dask import client_of, dask_module, refs, task
from maxmargin._cluster._waiting import released, scheduler_lost, task_lost, wait_for

__all__ = ["client_of", "dask_module", "refs", "released", "scheduler_lost", "task", "task_lost", "wait_for"]
