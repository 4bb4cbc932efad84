"""How much memory computed kernel rows may take."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from maxmargin.errors import InvalidInput
from maxmargin.validation._parameters import check_positive, reject

__all__ = ["cache_bytes"]

_MEGABYTE = 1 << 20


def _memory_of_container() -> int:
    """Bytes this process may use: the machine's, or less if a control group says so."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit():
            found.append(int(text))
    return min(found)


# Fixed at import: a decision that depended on free memory would make results depend on it too.
_AUTOMATIC = max(200 * _MEGABYTE, _memory_of_container() // 4)


def cache_bytes(cache_size: Any, owner: str) -> int:
    """Bytes from ``"auto"`` (a quarter of the memory) or a number of megabytes."""
    if isinstance(cache_size, str) and cache_size == "auto":
        return _AUTOMATIC
    try:
        megabytes = check_positive("cache_size", cache_size, owner)
    except InvalidInput:
        raise reject("cache_size", cache_size, owner, "'auto' or a float in the range (0.0, inf), in megabytes") from None
    return int(min(megabytes * _MEGABYTE, 2.0**60))  # more than any machine has
