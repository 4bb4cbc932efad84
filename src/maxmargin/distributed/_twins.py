"""Estimators whose parameters, and what is said of them, are those of an estimator for one machine."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

__all__ = ["like_twin"]

Kind = TypeVar("Kind", bound=type)

_OWN: Final = """
Parameters
----------
client : distributed.Client or None, default=None
    Who runs the tasks; None takes the last client that was made.

Attributes
----------
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the columns of a frame, if they were all strings.
n_passes_ : int
    How often all blocks were gone over.
client_ : distributed.Client
    The client that a fit would use now.
"""


def like_twin(twin: type, *, without: tuple[str, ...] = ()) -> Callable[[Kind], Kind]:
    """Give a class the parameters of another estimator, and ``client``; its documentation needs to tell the differences only.

    The signature is that of the twin, for ``help``, ``get_params`` and whoever else asks for it.

    Parameters
    ----------
    twin : type
        The estimator for one machine.
    without : tuple of str
        Its parameters and attributes that the class does not have.

    Examples
    --------
    >>> import inspect
    >>> from maxmargin.distributed import DaskLinearSVC
    >>> list(inspect.signature(DaskLinearSVC).parameters)[:3]
    ['penalty', 'loss', 'dual']
    >>> DaskLinearSVC(C=2.0).get_params()["C"]
    2.0
    """

    def made(kind: Kind) -> Kind:
        kind.__init__ = _init_like(twin, kind, without)  # type: ignore[misc]  # that is what this is for
        kind.__doc__ = _merged(inspect.getdoc(twin) or "", inspect.getdoc(kind) or "", without)
        kind._twin = twin  # type: ignore[attr-defined]
        return kind

    return made


def _init_like(twin: type, kind: type, without: tuple[str, ...]) -> Callable[..., None]:
    given = inspect.signature(twin.__init__).parameters.values()  # type: ignore[misc]  # of a class, not of an object
    client = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="Any")
    signature = inspect.Signature([*(each for each in given if each.name not in without), client], return_annotation="None")

    def __init__(self: Any, *args: Any, **params: Any) -> None:
        try:
            found = signature.bind(self, *args, **params)
        except TypeError as error:
            raise TypeError(f"{kind.__name__}.__init__() {error}") from None
        found.apply_defaults()
        for name, value in list(found.arguments.items())[1:]:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__, __init__.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    return __init__


def _merged(theirs: str, ours: str, without: tuple[str, ...]) -> str:
    """Our text, with their parameters and attributes where ours does not tell other things of them."""
    parts, before, common = _sections(ours), _sections(theirs), _sections(_OWN)
    text = [parts.pop("").strip()]
    for title in ("Parameters", "Attributes"):
        entries = {name: each for name, each in _entries(before.get(title, "")).items() if name not in without}
        entries.update(_entries(parts.pop(title, "")))
        entries.update(_entries(common[title]))
        text.append(f"{title}\n{'-' * len(title)}\n" + "\n".join(entries.values()))
    text += [f"{title}\n{'-' * len(title)}\n{body.strip()}" for title, body in parts.items()]
    return "\n\n".join(text) + "\n"


def _sections(text: str) -> dict[str, str]:
    """The parts of a docstring by their titles; what comes before the first has none."""
    pieces = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


def _entries(body: str) -> dict[str, str]:
    """The entries of a section by name."""
    pieces = re.split(r"^(?=\S)", body.strip("\n"), flags=re.MULTILINE)
    return {each.split(":")[0].strip(): each.rstrip() for each in pieces if each.strip()}
