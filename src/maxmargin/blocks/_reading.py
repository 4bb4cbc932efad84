"""Reading ahead: the next block is read while the last one is computed with."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final, Self, final

__all__ = ["ReadingAhead"]

_END: Final = object()
_WAIT: Final = 0.05  # seconds; a wait that is longer cannot be told that the reader has been asked to stop
_JOIN: Final = 0.2


@final
class ReadingAhead:
    """An iterator that a thread of its own goes through, one item ahead; what it raises is raised here.

    Leaving it ends the thread: at once, or where a source that is being read gives its next block.

    Examples
    --------
    >>> from maxmargin.blocks._reading import ReadingAhead
    >>> with ReadingAhead(iter("abc")) as letters:
    ...     list(letters)
    ['a', 'b', 'c']
    """

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items
        self._queue: queue.Queue[Any] = queue.Queue(maxsize=1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name="maxmargin-reader", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join(_JOIN)

    def __iter__(self) -> Iterator[Any]:
        while True:
            item, error = self._queue.get()
            if error is not None:
                raise error
            if item is _END:
                return
            yield item
            del item  # or the block would stay while the next one is waited for

    def _read(self) -> None:
        try:
            for item in self._items:
                if not self._hand((item, None)):
                    return
                del item
            self._hand((_END, None))
        except BaseException as error:  # whatever it is, it belongs to the thread that asked
            self._hand((None, error))
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()

    def _hand(self, item: tuple[Any, BaseException | None]) -> bool:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=_WAIT)
            except queue.Full:
                continue
            return True
        return False
