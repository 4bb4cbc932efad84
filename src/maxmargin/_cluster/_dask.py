"""Dask, where it is installed, and a client of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from importlib import import_module
from typing import Any

from maxmargin.errors import InvalidInput, MissingExtra

__all__ = ["client_of", "dask_module", "refs", "task"]


def dask_module(name: str) -> Any:
    """A module of dask or distributed.

    Raises
    ------
    MissingExtra
        It is not installed; the message has the line that installs it.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"Rows and searches on a cluster need dask and distributed ({error}). Install them with:"
            ' pip install "maxmargin[dask]"'
        ) from None


def client_of(client: Any, owner: str) -> Any:
    """The client that was given, or else the last one that was made.

    Raises
    ------
    InvalidInput
        There is none, or it is none that a program can wait for.
    """
    distributed = dask_module("distributed")
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise InvalidInput(
                f"{owner} found no Dask client. Make one first, with client = distributed.Client(address of the scheduler), or"
                " pass it as the parameter 'client'."
            ) from None
    if not isinstance(client, distributed.Client):
        raise InvalidInput(
            f"The 'client' parameter of {owner} must be a distributed.Client or None. Got {type(client).__name__}."
        )
    if client.asynchronous:
        raise InvalidInput(
            f"The 'client' parameter of {owner} must be a client that waits. Got an asynchronous one. Make it with"
            " distributed.Client(..., asynchronous=False)."
        )
    return client


def task(key: Hashable, function: Callable[..., Any], *values: Any) -> Any:
    """A task for a graph of Dask. In a plain tuple the key of a block that is persisted would be read as a value."""
    return dask_module("dask._task_spec").Task(key, function, *values)


def refs(*keys: Hashable | None) -> list[Any]:
    """What stands for the values of other tasks; None stays None."""
    spec = dask_module("dask._task_spec")
    return [None if key is None else spec.TaskRef(key) for key in keys]
