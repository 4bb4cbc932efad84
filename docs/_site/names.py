"""Names of the library in running text become links to their pages: ``HardMargin``, ``plots.tube``, ``qp(Q, p, A, c)``."""

from __future__ import annotations

import importlib
import re
from typing import Any

_CALL = re.compile(r"^(?:maxmargin\.)?(?P<name>(?:[a-z_]+\.)?[A-Za-z_]\w*)(?P<call>\(.*)?$", re.DOTALL)


def pages(rooms: list[str]) -> dict[str, str]:
    """The page of each public name, alone and behind its room: ``RBF``, ``kernels.RBF``.

    What the front door offers is meant by its name alone; what two other rooms offer is not.
    """
    found: dict[str, str] = {}
    owners: dict[str, list[str]] = {}
    for room in rooms:
        for name in importlib.import_module(room).__all__:
            found[f"{room.rpartition('.')[2]}.{name}"] = f"reference/generated/{room}.{name}"
            owners.setdefault(name, []).append(room)
    for name, offering in owners.items():
        if "maxmargin" in offering or len(offering) == 1:
            room = "maxmargin" if "maxmargin" in offering else offering[0]
            found[name] = f"reference/generated/{room}.{name}"
    return found


def is_of_another(sentence: str, name: str) -> bool:
    """Whether a name is said to be another library's: "scikit-learn's ``SVC``" is not ours."""
    return re.search(rf"(?:scikit-learn|LIBSVM|LIBLINEAR)['’]s\s+{re.escape(name)}", sentence) is not None


class Linker:
    """Connected to ``doctree-resolved``."""

    def __init__(self, rooms: list[str]) -> None:
        self._pages = pages(rooms)

    def __call__(self, app: Any, doctree: Any, docname: str) -> None:
        """Link literals that name something public, outside of headings, links and the reference itself."""
        from docutils import nodes  # noqa: PLC0415  # only the build of the site has it

        if docname.startswith("reference/generated"):
            return
        for literal in list(doctree.findall(nodes.literal)):
            target = self._target(literal.astext())
            above = literal.parent
            if target is None or target not in app.env.found_docs or isinstance(above, nodes.reference | nodes.title):
                continue
            if is_of_another(above.astext(), literal.astext()):
                continue
            address = app.builder.get_relative_uri(docname, target)
            link = nodes.reference("", "", internal=True, refuri=address)
            above.replace(literal, link)
            link += literal

    def _target(self, text: str) -> str | None:
        found = _CALL.match(text)
        if found is None:
            return None
        name = found["name"]
        # A plain word in small letters may be a parameter or anything else; with its room, or called, it is not.
        plain = name.islower() and "." not in name and found["call"] is None
        return None if plain else self._pages.get(name)
