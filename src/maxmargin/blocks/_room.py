"""Memory of blocks that is used again once nobody looks at it."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rooms"]


@final
class Rooms:
    """Arrays whose memory comes back when they, and all views of them, are gone.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.blocks._room import Rooms
    >>> rooms = Rooms()
    >>> first = rooms.array((2, 3), np.dtype(np.float32))
    >>> where, view = first.ctypes.data, first[1:]
    >>> del first
    >>> rooms.array((2, 3), np.dtype(np.float32)).ctypes.data == where  # the view still needs it
    False
    >>> del view
    >>> rooms.array((1, 3), np.dtype(np.float32)).ctypes.data == where
    True
    """

    def __init__(self) -> None:
        self._free: list[NDArray[np.uint8]] = []

    def array(self, shape: tuple[int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
        """An array with any values."""
        size = shape[0] * shape[1] * dtype.itemsize
        room = next((k for k in range(len(self._free) - 1, -1, -1) if len(self._free[k]) >= size), None)
        memory = np.empty(size, np.uint8) if room is None else self._free.pop(room)
        return np.asarray(_Lent(memory, size, self._free)).view(dtype).reshape(shape)


@final
class _Lent:
    """Stands behind an array, as its base: gives the memory back when it goes."""

    def __init__(self, memory: NDArray[np.uint8], size: int, free: list[NDArray[np.uint8]]) -> None:
        self._memory, self._free = memory, free
        self.__array_interface__ = {**memory.__array_interface__, "shape": (size,)}

    def __del__(self) -> None:
        self._free.append(self._memory)
