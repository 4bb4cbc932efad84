"""Strings and sequences of tokens as runs of symbol numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._objects._base import listed

__all__ = ["Symbols", "require_length", "require_symbols", "sequences", "symbols_of"]

_COMPLEMENT = str.maketrans(
    "ACGTURYKMBVDHacgturykmbvdh", "TGCAAYRMKVBHDtgcaayrmkvbhd"
)  # N, S and W are their own; whatever else is left as it is


@final
class Symbols(NamedTuple):
    """All sequences one after the other, symbols by numbers."""

    numbers: NDArray[np.int32]
    starts: NDArray[np.int64]
    alphabet: int

    def runs(self, per_object: int = 1) -> _core.SymbolRuns:
        """As the core takes them; so many runs make an object."""
        count = len(self.starts) - 1
        owners = np.arange(count, dtype=np.int32) // per_object
        return _core.symbol_runs(self.numbers, self.starts, owners, self.alphabet, count // per_object)


def sequences(objects: Sequence[Any], owner: str) -> list[Any]:
    """Strings, or lists of tokens; raises for what is neither."""
    found: list[Any] = []
    for row, each in enumerate(objects):
        if isinstance(each, str):
            found.append(str(each))
        elif isinstance(each, bytes | bytearray):
            found.append(bytes(each).decode("latin-1"))
        elif isinstance(each, list | tuple) or (isinstance(each, np.ndarray) and each.ndim == 1):
            found.append(_tokens(each, row, owner))
        else:
            raise _no_sequence(each, row, owner)
    return found


def _tokens(tokens: Any, row: int, owner: str) -> list[Any]:
    if isinstance(tokens, np.ndarray):
        tokens = tokens.tolist()
    for token in tokens:
        if isinstance(token, Real) and not isinstance(token, int | np.integer):
            raise InvalidInput(
                f"{owner} compares symbols of strings. Got the number {token!r} in row {row} of X: measurements are hardly ever"
                " equal. For vectors of numbers use RBF, for series GlobalAlignment; or round them to labels, such as 'low'."
            )
        try:
            hash(token)
        except TypeError:
            raise InvalidInput(
                f"{owner} needs tokens that can be hashed. Got a {type(token).__name__} in row {row} of X. Use strings,"
                " integers or tuples as tokens."
            ) from None
    return list(tokens)


def _no_sequence(each: Any, row: int, owner: str) -> InvalidInput:
    what = f"the number {each!r}" if isinstance(each, Real) else f"a {type(each).__name__}"
    advice = " For vectors of numbers use RBF or Linear." if isinstance(each, Real) else ""
    if each is None or (isinstance(each, float) and math.isnan(each)):
        advice = " Leave missing rows out, or use an empty string for them."
    return InvalidInput(
        f"{owner} needs rows that are strings or sequences of tokens. Got {what} in row {row} of X. Pass a list of str, or a"
        f" list of lists of words.{advice}"
    )


def symbols_of(rows: Sequence[Any], owner: str, *, reverse_complement: bool = False) -> Symbols:
    """Rows as symbol numbers: those of code points where all are strings, else by a table of tokens."""
    found = sequences(rows, owner)
    all_text = all(isinstance(each, str) for each in found)
    if reverse_complement:
        if not all_text:
            raise InvalidInput(
                f"reverse_complement of {owner} needs DNA or RNA as str or bytes. Got rows that are lists of tokens."
            )
        found = [strand for each in found for strand in (each, each.translate(_COMPLEMENT)[::-1])]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in found], dtype=np.int64)])
    if all_text:
        points = np.frombuffer("".join(found).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        seen = np.zeros(int(points.max()) + 1 if len(points) else 1, dtype=np.int32)
        seen[points] = 1
        alphabet = int(seen.sum())
        return Symbols((np.cumsum(seen, dtype=np.int32) - 1)[points].astype(np.int32), starts, alphabet)
    table: dict[Any, int] = {}
    numbers = [table.setdefault(token, len(table)) for each in found for token in each]
    return Symbols(np.array(numbers, dtype=np.int32), starts, len(table))


def require_length(X: Any, least: int, name: str, owner: str) -> list[Any]:
    """The rows, if one at least is long enough to have a feature."""
    found = sequences(listed(X), owner)
    longest = max((len(each) for each in found), default=0)
    if longest < least:
        raise InvalidInput(
            f"{name}={least} of {owner} is longer than all rows of X: the longest has {longest} symbols, so that no row would"
            f" have a feature. Choose a smaller {name}."
        )
    return found


def require_symbols(X: Any, owner: str) -> None:
    """Raise unless a row at least has a symbol."""
    if not any(len(each) for each in sequences(listed(X), owner)):
        raise InvalidInput(f"{owner} needs a row with a symbol at least. Got rows that are all empty. Pass strings.")
