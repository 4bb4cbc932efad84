"""scikit-learn's words in our exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from maxmargin.errors import InvalidInput

__all__ = ["as_invalid_input"]


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
