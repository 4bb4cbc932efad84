"""Print the licences of all packages that a user installs with maxmargin: ``python packaging/licences.py``.

Follows the requirements of the installed package, without extras. Fails where one has no permissive licence.
"""

from __future__ import annotations

import re
import sys
from importlib import metadata

PERMISSIVE = re.compile(r"\b(BSD|MIT|Apache|PSF|Python Software Foundation|ISC|Zlib)\b", re.IGNORECASE)
COPYLEFT = re.compile(r"(?<!L)(?<!Lesser )\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


def needed(name: str) -> set[str]:
    """The package and, step by step, what it requires here."""
    found, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one in found:
            continue
        found.add(one)
        for line in metadata.requires(one) or []:
            requirement, _, condition = line.partition(";")
            if "extra" in condition:
                continue
            match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
            assert match is not None
            try:
                metadata.distribution(match.group())
            except metadata.PackageNotFoundError:
                continue  # for another system or another Python
            waiting.append(match.group().lower().replace("_", "-"))
    return found


def licence(name: str) -> str:
    """What a package says of itself, in one line."""
    about = metadata.metadata(name)
    told = about.get("License-Expression")
    if told is None:
        told = "; ".join(line.rsplit(" :: ", 1)[1] for line in about.get_all("Classifier", []) if line.startswith("License ::"))
    if not told:
        told = (about.get("License") or "").strip().split("\n")[0]
    return told


def main() -> int:
    """One line for each package; 1 where one cannot be taken."""
    refused = 0
    for name in sorted(needed("maxmargin")):
        told = licence(name)
        taken = bool(PERMISSIVE.search(told)) and not COPYLEFT.search(told)
        refused += not taken
        print(f"{name:20} {metadata.version(name):12} {told or 'says nothing'}{'' if taken else '   <- not permissive'}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
