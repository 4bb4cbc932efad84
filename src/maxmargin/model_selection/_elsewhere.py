"""Searches on a cluster: each path on each fold is a task of Dask."""

from __future__ import annotations

import warnings
from abc import ABC
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, cast, final

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import _clone_parametrized

from maxmargin._cluster import client_of, released, scheduler_lost, task_lost, wait_for
from maxmargin._deadline import Deadline
from maxmargin.errors import DistributedError, InvalidInput
from maxmargin.model_selection._notes import Notes, Settings

__all__ = ["OnCluster", "Part", "SearchCluster", "Whole", "cluster_of", "recorded"]


@final
@dataclass(frozen=True, eq=False)
class Whole:
    """What all tasks of a search need: sent to the workers once.

    Attributes
    ----------
    estimator : estimator
        Cloned for each candidate.
    X, y
        All rows.
    splits : sequence of (train, test)
        The folds.
    settings : Settings
        How to score.
    """

    estimator: Any
    X: Any
    y: Any
    splits: Sequence[tuple[Any, Any]]
    settings: Settings


@final
@dataclass(frozen=True, eq=False)
class Part:
    """What a task found.

    Attributes
    ----------
    out : list of dict
        As scikit-learn has it, for each candidate.
    gaps : ndarray
        Of each.
    notes : Notes
        What was shared.
    said : list of (category, message)
        Warnings.
    """

    out: list[dict[str, Any]]
    gaps: NDArray[np.float64]
    notes: Notes
    said: list[tuple[type[Warning], str]]

    def say(self) -> None:
        """Warn here, as the task did there."""
        for category, message in self.said:
            warnings.warn(message, category, stacklevel=6)


@final
class SearchCluster:
    """Who evaluates the cells of a search.

    Parameters
    ----------
    client : Client
        Of Dask.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    @contextmanager
    def running(
        self, whole: Whole, part_of: Callable[..., Part], tasks: Sequence[tuple[Any, int]]
    ) -> Iterator[Iterator[tuple[int, Part]]]:
        """Around the tasks: gives the number of each with what it found, in their order, and leaves none behind.

        The data are on every worker, so that others go on where one is lost.
        """
        futures: list[Any] = []
        try:
            try:
                shared = self._client.scatter(whole, broadcast=True, hash=False)
                futures.append(shared)
                for settings, split in tasks:
                    futures.append(self._client.submit(part_of, shared, settings, split, pure=False))
            except TimeoutError as error:
                raise DistributedError(
                    f"No worker took the rows of the search ({error}). Start workers, and fit again;"
                    " client.wait_for_workers(n) waits for them."
                ) from error
            except OSError as error:
                raise scheduler_lost(error) from error
            yield self._found(futures[1:])
        finally:
            released(self._client, futures)

    def _found(self, futures: Sequence[Any]) -> Generator[tuple[int, Part], None, None]:
        told = 0
        try:
            for future in futures:
                wait_for(self._client, [future], Deadline(None), worked=True)
                part = _result(future)
                told += 1
                yield told - 1, part
        except KeyboardInterrupt:
            for place in range(told, len(futures)):
                if futures[place].status == "finished":
                    yield place, _result(futures[place])
            raise


def _result(future: Any) -> Part:
    try:
        found: Part = future.result()
    except Exception as error:
        raise (task_lost(error) or error) from None
    return found


class OnCluster(ABC):  # it is only mixed in
    """An estimator whose ``client`` is a connection: it is neither copied by ``clone`` nor pickled."""

    client: Any

    def __sklearn_clone__(self) -> Self:
        """Clone with the same client."""
        if self.client is None:
            return cast("Self", _clone_parametrized(self))
        client, self.client = self.client, None
        try:
            made = cast("Self", _clone_parametrized(self))
        finally:
            self.client = client
        made.client = client
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the client."""
        return {**super().__getstate__(), "client": None}  # type: ignore[dict-item]  # of an estimator


def cluster_of(owner: str, client: Any) -> SearchCluster | None:
    """What the ``client`` of a search stands for; None for this process."""
    if client is None:
        return None
    found = SearchCluster(client_of(client, owner))
    if get_config().get("enable_metadata_routing"):
        raise InvalidInput(f"{owner} has no client= while scikit-learn's metadata routing is enabled. Disable one of them.")
    return found


@contextmanager
def recorded() -> Iterator[list[tuple[type[Warning], str]]]:
    """The warnings that are given meanwhile, each text once."""
    said: list[tuple[type[Warning], str]] = []
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield said
    said += dict.fromkeys((each.category, str(each.message)) for each in heard)
