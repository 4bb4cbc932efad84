"""Which kernel values a certified search can use, and how far they may be off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram
from maxmargin.problems import SoftMargin
from maxmargin.solution import certify

__all__ = ["check_folds", "value_error"]

Vector = NDArray[np.float64]

_OF_VALUES: Final = 2.0**-46  # of the largest number that a kernel value is computed from: how far it may be off
_LARGEST: Final = 4_000  # rows whose kernel values are held as a whole


def check_folds(gram: Gram, y: Vector, splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]) -> None:
    """Raise for kernel values and folds of which nothing can be proven."""
    if gram.n > _LARGEST:
        raise InvalidInput(
            f"A certified search holds all kernel values: at most {_LARGEST} rows. Got {gram.n}. Take some of the rows, or"
            " search='auto'."
        )
    if gram.core.is_of_float32():
        raise InvalidInput(
            "A certified search needs kernel values in float64. Got float32 values: their rounding is too coarse."
        )
    if gram.is_indefinite() or (not gram.kernel.mercer and gram.n > gram.kernel.largest_checked):
        raise InvalidInput(
            "A certified search needs a kernel that is known to be positive semidefinite, or so few rows that its matrix can be"
            " examined: the solutions lie in balls of its space."
        )
    for number, (train, test) in enumerate(splits):
        if len(test) == 0 or len(np.unique(y[train])) < 2:
            raise InvalidInput(
                "Every fold of a certified search needs held-out rows, and both classes to train on."
                f" Fold {number} has {len(test)} held-out rows and trains on {len(np.unique(y[train]))} classes."
            )


def value_error(gram: Gram, y: Vector) -> float:
    """κ: what kernel values may be off by, more for rows of many columns, whose products are long sums.

    A matrix that is not of a Mercer kernel may have eigenvalues a little below 0, down to −τ: ``K + τ`` is positive
    semidefinite, and its values differ by τ.
    """
    scale = certify(SoftMargin.on(gram, y, np.ones(len(y))), np.zeros(len(y))).score_scale
    largest = float(np.abs(gram.diagonal()).max())
    negative = 0.0 if gram.kernel.mercer else gram.negative_part(closely=True)
    return negative + (
        _OF_VALUES * max(scale, largest) * max(1.0, getattr(gram.rows(np.zeros(1, dtype=np.int32)), "shape", (1, 1))[-1] / 64.0)
    )
