"""What is wrong with a line in the text format of SVMlight and LIBSVM."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core

__all__ = ["svmlight_fault"]

_FAULTS: Final = {
    "no_label": ("has no label: it begins with {word!r}", "Begin each line with a label: 1 3:0.5."),
    "several_labels": ("has several labels: {word!r}", "Files of several labels a row are not read: train one model for each."),
    "bad_label": ("begins with {word!r}, which is no number", "Labels are numbers: write 1 and -1 for two classes."),
    "bad_index": ("has {word!r} where index:value is expected", "Indices are whole numbers from 0 to 2147483646."),
    "no_colon": ("has {word!r}, an index without a value", "Write index:value, without blanks around the colon."),
    "bad_value": (
        "has the value {word!r}, which is no number",
        "Values are numbers such as 0.5 or -1e-3; leave out what is missing.",
    ),
    "too_large": ("has {word!r}, which is too large for a number", "Scale the features."),
    "repeated_index": ("has the index of {word!r} twice", "Give each index once."),
    "descending_index": ("has {word!r} after a larger index", "Sort the indices of each line in ascending order."),
    "bad_query": ("has {word!r} where qid: and a whole number is expected", "Give every line a qid, or none."),
}
_SHOWN: Final = 40


def svmlight_fault(found: _core.SvmlightRows, text: NDArray[np.uint8], name: str, above: int) -> str:
    """The message for the first fault; ``above`` is the number of lines before the text.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import _core
    >>> from maxmargin.blocks._svmlight_faults import svmlight_fault
    >>> text = np.frombuffer(b"1 1:0.5\\n-1 2\\n", np.uint8)
    >>> print(svmlight_fault(_core.read_svmlight(text), text, "a file", 10))
    Line 12 of a file has '2', an index without a value. Write index:value, without blanks around the colon.
    """
    word = text[found.at : found.at + _SHOWN].tobytes().split(b"\n")[0].split()
    shown = word[0].decode("utf-8", "backslashreplace") if word else "the end of the line"
    what, advice = _FAULTS[found.fault]
    return f"Line {found.line + above} of {name} {what.format(word=shown)}. {advice}"
