"""Closed lists of the types that files may hold: nothing else is made from a file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import final

__all__ = ["StoredTypes"]


@final
class StoredTypes(Mapping[str, type]):
    """The types of one room by their names, imported when they are asked for.

    Parameters
    ----------
    room : str
        The package, such as "maxmargin.kernels".
    files : mapping of str to str
        The names of the types in each of its modules, separated by blanks.

    Examples
    --------
    >>> from maxmargin._stored_types import StoredTypes
    >>> types = StoredTypes("maxmargin.kernels", {"_rbf": "RBF"})
    >>> types["RBF"].__name__, "Nothing" in types
    ('RBF', False)
    """

    def __init__(self, room: str, files: Mapping[str, str]) -> None:
        self._room = room
        self._files = {name: file for file, names in files.items() for name in names.split()}

    def __getitem__(self, name: str) -> type:
        found: type = getattr(import_module(f"{self._room}.{self._files[name]}"), name)
        return found

    def __iter__(self):  # type: ignore[no-untyped-def]  # of names
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)
