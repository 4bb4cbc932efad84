"""Structured arrays as columns: for states whose readers know plain arrays only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput

__all__ = ["columns_of", "table_of"]


def columns_of(table: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Each field of a structured array as an array of its own."""
    return {name: np.ascontiguousarray(table[name]) for name in table.dtype.names or ()}


def table_of(columns: Mapping[str, Any], dtype: np.dtype[Any], owner: str) -> NDArray[Any]:
    """The structured array of some columns.

    Raises
    ------
    InvalidInput
        They are not those of the dtype, or not equally long.
    """
    names = dtype.names or ()
    if not isinstance(columns, Mapping) or set(columns) != set(names):
        raise InvalidInput(f"The stored columns of {owner} were altered: they are not {', '.join(names)}. Fit it again.")
    if any(not isinstance(each, np.ndarray) or each.ndim != 1 or each.dtype.kind not in "bif" for each in columns.values()):
        raise InvalidInput(f"The stored columns of {owner} were altered: one is no column of numbers. Fit it again.")
    lengths = {len(each) for each in columns.values()}
    if len(lengths) != 1:
        raise InvalidInput(f"The stored columns of {owner} were altered: their lengths are {sorted(lengths)}. Fit it again.")
    table = np.zeros(lengths.pop(), dtype)
    for name in names:
        table[name] = columns[name]
    return table
