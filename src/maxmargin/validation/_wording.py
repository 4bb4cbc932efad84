"""scikit-learn's words in our exceptions, and where in X it is and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from scipy import sparse

from maxmargin.errors import InvalidInput

__all__ = ["as_invalid_input", "rows_as_invalid_input"]

_AT_ONCE: Final = 4096  # rows
_SHOWN: Final = 40  # letters


@contextmanager
def as_invalid_input() -> Iterator[None]:
    """Turn a plain ValueError of scikit-learn's checks, or an OverflowError, into `InvalidInput` with the same message.

    Subclasses of ValueError that mean something else (`NotFittedError`, our own) pass unchanged.
    """
    try:
        yield
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise InvalidInput(*error.args) from None
    except OverflowError as error:  # an integer of hundreds of digits
        raise InvalidInput(f"A number is too large: {error}. Scale the data.") from None


@contextmanager
def rows_as_invalid_input(X: Any) -> Iterator[None]:
    """The same for rows: the first gap or word in X is named by row and column, with what to do about it."""
    try:
        with as_invalid_input():
            yield
    except InvalidInput as error:
        said = str(error)
        if said.startswith("Input X contains NaN"):
            advice = "Fill gaps by a SimpleImputer in a pipeline, or leave such rows out."
            raise InvalidInput(f"Input X contains NaN{_where(X, _is_gap, ': the first in ')}. {advice}") from None
        if said.startswith("Input X contains infinity"):
            first = _where(X, _is_infinite, ", the first in ")
            raise InvalidInput(f"{said.rstrip('.')}{first}. Clip such values, or leave such rows out.") from None
        if said.startswith("could not convert string to float"):
            raise InvalidInput(_of_words(said, X)) from None
        raise


def _of_words(said: str, X: Any) -> str:
    begin, _, word = said.partition(": ")
    word = word[len("np.str_(") : -1] if word.startswith("np.str_(") else word
    shown = word if len(word) <= _SHOWN + 2 else word[:_SHOWN] + "…" + word[:1]
    if not hasattr(X, "columns") and np.ndim(np.asarray(X, dtype=object)) < 2:
        return (
            f"{begin}: {shown}. X has one text for each row: make numbers of it by TfidfVectorizer in a pipeline, or take a"
            " kernel of strings, such as maxmargin.kernels.Spectrum."
        )
    advice = (
        "Make numbers of words in a pipeline, by OneHotEncoder or TfidfVectorizer; maxmargin.tune codes the columns of a frame."
    )
    return f"{begin}: {shown}{_where(X, _is_word, ', the first in ')}. {advice}"


def _where(X: Any, is_bad: Callable[[Any], bool], begin: str) -> str:
    """The place of the first bad value, in words; nothing where X has no such places."""
    try:
        found = _first(X, is_bad)
    except Exception:  # X is whatever the caller has; the message then does without
        return ""
    if found is None:
        return ""
    row, column = found
    names = list(getattr(X, "columns", ()))
    return f"{begin}row {row}, column {(names[column] if names else column)!r}"


def _first(X: Any, is_bad: Callable[[Any], bool]) -> tuple[int, int] | None:
    if sparse.issparse(X):
        entries = X.tocoo()
        for place in np.lexsort((entries.col, entries.row)).tolist():
            if is_bad(entries.data[place]):
                return int(entries.row[place]), int(entries.col[place])
        return None
    table = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    for begin in range(0, len(table), _AT_ONCE):
        some = table[begin : begin + _AT_ONCE]
        floats = some.dtype.kind == "f"
        candidates = np.argwhere(~np.isfinite(some)).tolist() if floats else list(np.ndindex(some.shape))
        for row, column in candidates:
            if is_bad(some[row, column]):
                return begin + row, column
    return None


def _is_gap(value: Any) -> bool:
    try:
        return value is None or bool(value != value)  # noqa: PLR0124  # NaN
    except TypeError:  # pandas' NA
        return True


def _is_infinite(value: Any) -> bool:
    return not np.isfinite(value)


def _is_word(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return isinstance(value, str | bytes)
    return False
