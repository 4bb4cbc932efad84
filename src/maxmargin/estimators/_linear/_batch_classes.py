"""The classes of rows that arrive in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.errors import InvalidInput

__all__ = ["known_classes"]


def known_classes(classes: ArrayLike | None, before: NDArray[Any] | None) -> NDArray[Any]:
    """The classes given, which must be those of the batches before, if there were any."""
    if classes is None and before is None:
        raise InvalidInput("classes must be passed on the first call to partial_fit: later batches may have others than this.")
    if classes is None:
        return np.asarray(before)
    known = np.unique(np.asarray(classes))
    if len(known) < 2:
        raise InvalidInput(f"The number of classes has to be greater than one; got {known.tolist()}.")
    if before is not None and not np.array_equal(known, before):
        raise InvalidInput(
            f"`classes={known.tolist()}` is not the same as on last call to partial_fit, was: {before.tolist()}."
            " Call fit, or take a new model."
        )
    return known
