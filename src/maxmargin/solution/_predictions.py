"""From scores to labels: one rule for every family of solutions."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["SIGNS", "label_of_best", "label_of_side"]

SIGNS: Final[NDArray[Any]] = np.array([-1, 1])
"""The labels of two sides that have no others."""
SIGNS.flags.writeable = False


def label_of_side(scores: NDArray[np.float64], classes: NDArray[Any] | None) -> NDArray[Any]:
    """The label of each score's side: the last for ``f ≥ 0``, as scikit-learn has it, and the first else.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solution._predictions import label_of_side
    >>> label_of_side(np.array([-0.5, 0.0]), np.array(["no", "yes"])), label_of_side(np.array([2.0]), None)
    (array(['no', 'yes'], dtype='<U3'), array([1]))
    """
    return np.asarray((SIGNS if classes is None else classes)[(scores >= 0.0).astype(np.intp)])


def label_of_best(scores: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    """The label of the highest score in each row; the first of a tie.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solution._predictions import label_of_best
    >>> label_of_best(np.array([[0.0, 2.0, 1.0], [1.0, 1.0, 0.0]]), np.array(["a", "b", "c"]))
    array(['b', 'a'], dtype='<U1')
    """
    return np.asarray(classes[scores.argmax(axis=1)])
