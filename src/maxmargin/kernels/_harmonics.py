"""Cosines and sines of frequencies: the features of kernels of a difference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core

__all__ = ["write_harmonics"]


def write_harmonics(angles: NDArray[np.float64], scale: float, out: NDArray[Any]) -> bool:
    """Write ``scale cos a_j`` and, beside them, ``scale sin a_j`` of each row of angles, as many as ``out`` has columns for.

    Computed in float64 on all threads, and rounded once to the dtype of ``out``.

    Parameters
    ----------
    angles : ndarray of shape (m, p)
        a, float64 and C-contiguous.
    scale : float
        What all are multiplied by.
    out : ndarray of shape (m, q)
        Where they are written, C-contiguous; q from p to 2p.

    Returns
    -------
    bool
        Whether all angles were finite: the others have no cosine.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import write_harmonics
    >>> out = np.empty((1, 4))
    >>> write_harmonics(np.array([[0.0, np.pi / 2]]), 2.0, out)
    True
    >>> out.round(3) + 0.0
    array([[2., 0., 0., 2.]])
    """
    return _core.write_harmonics(angles, scale, out)
