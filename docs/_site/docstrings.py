"""What the docstrings need on their way into the pages: they are written to be read in a terminal, formulas as plain text."""

from __future__ import annotations

import inspect
import re
from typing import Any

_UNDERLINE = re.compile(r"^-{3,}$")
_LITERAL = re.compile(r"(``.+?``|`[^`]+`_?)")
_FITTED = re.compile(r"(?<=\w)_(?![\w`])")
"""The underscore at the end of a fitted attribute, which would make it a link."""


def adapt(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Formulas become literal blocks; bars and underscores outside of literals are text."""
    changed = _formulas(lines)
    lines[:] = [plain(line) for line in changed]


def skip(app: Any, what: str, name: str, thing: Any, skipped: bool, options: Any) -> bool | None:
    """Members that come from scikit-learn are described there."""
    module = getattr(getattr(thing, "fget", thing), "__module__", None)
    if inspect.isbuiltin(thing) or inspect.ismethoddescriptor(thing):
        return True
    return True if isinstance(module, str) and not module.startswith("maxmargin") else None


def _formulas(lines: list[str]) -> list[str]:
    """Put ``::`` before an indented block that follows a paragraph, up to the first section."""
    end = next((i - 1 for i, line in enumerate(lines) if _UNDERLINE.match(line)), len(lines))
    made: list[str] = []
    for i, line in enumerate(lines):
        begins = 0 < i < end and line.startswith("    ") and not lines[i - 1].strip()
        before = next((old for old in reversed(made) if old.strip()), "")
        if begins and before and not before.startswith(" ") and not before.endswith("::"):
            made += ["::", ""]
        made.append(line)
    return made


def plain(line: str) -> str:
    """The line with bars and underscores outside of literals as they are; the name that begins a field is not touched."""
    if line.startswith(("     ", ">>>", "...")):
        return line
    name, colon, rest = line.partition(" : ") if not line.startswith(" ") else ("", "", line)
    parts = _LITERAL.split(rest if colon or line.startswith(" ") else line)
    text = "".join(part if i % 2 else _FITTED.sub(r"\_", part.replace("|", r"\|")) for i, part in enumerate(parts))
    return name + colon + text if colon else text
