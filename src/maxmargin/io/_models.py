"""Saving and loading models."""

from __future__ import annotations

from contextlib import nullcontext
from os import PathLike, fspath
from typing import Any, BinaryIO, Final

from maxmargin._version import installed_version
from maxmargin.errors import InvalidInput
from maxmargin.io._archive import read_archive, write_archive
from maxmargin.io._decoding import Decoder
from maxmargin.io._encoding import Encoder
from maxmargin.io._types import name_of

__all__ = ["FORMAT", "load", "save"]

FORMAT: Final = 1
"""The version of the format. Files of every version stay readable."""
_OWNER: Final = "maxmargin model"

Place = str | PathLike[str] | BinaryIO


def save(model: Any, path: Place) -> None:
    """Write a model to a file that any later version reads, and that cannot execute code.

    The file is a zip archive without compression: ``manifest.json`` and arrays in numpy's format, so that other programs can
    read it too. The same model makes the same bytes. `load` gives a model with the same predictions, certificate and solutions,
    to the last bit; what only the next fit of the same object could use, as starts of ``warm_start``, is left out.

    Parameters
    ----------
    model : estimator or kernel
        An estimator of maxmargin, fitted or not, or a kernel. Kernels that are Python functions are refused: files hold no
        code.
    path : str, path or binary file
        Where to write. The customary suffix is ".mm".

    Raises
    ------
    InvalidInput
        Part of the model has no place in a file; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from maxmargin import SVC, io
    >>> model = SVC().fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     io.save(model, Path(folder) / "model.mm")
    ...     again = io.load(Path(folder) / "model.mm")
    >>> again.predict([[0.2]])
    array(['a'], dtype='<U1')
    """
    if name_of(type(model)) is None and not hasattr(model, "best_estimator_"):
        raise InvalidInput(
            f"save writes estimators and kernels of maxmargin. Got a {type(model).__name__}. A pipeline can be written by"
            " skops: its types are maxmargin.io.TRUSTED_TYPES and scikit-learn's own."
        )
    encoder = Encoder()
    content = encoder.of(model, type(model).__name__)
    manifest = {"format": _OWNER, "version": FORMAT, "maxmargin": installed_version(), "model": content}
    with _opened(path, "wb") as file:
        write_archive(file, manifest, encoder.arrays)


def load(path: Place) -> Any:
    """Read a model that `save` wrote, with this or an earlier version.

    Only types of a closed list are made, and nothing is allocated that is larger than the file: files of unknown origin are
    safe to load. Where a file is cut off or was changed the error says where.

    Parameters
    ----------
    path : str, path or binary file
        The file.

    Returns
    -------
    estimator or kernel
        The model.

    Raises
    ------
    InvalidInput
        The file is no model, is damaged, or is of a version that this one does not know.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin import LinearSVC, io
    >>> file = BytesIO()
    >>> io.save(LinearSVC(C=3.0), file)
    >>> io.load(file)
    LinearSVC(C=3.0)
    """
    source = _name(path)
    with _opened(path, "rb") as file:
        manifest, arrays = read_archive(file, source)
    if not isinstance(manifest, dict) or manifest.get("format") != _OWNER or "model" not in manifest:
        raise InvalidInput(f"{source} is no model of maxmargin: its manifest says something else.")
    version = manifest.get("version")
    if type(version) is not int or not 1 <= version <= FORMAT:
        raise InvalidInput(
            f"{source} is of format version {str(version)[:20]}, written by maxmargin {str(manifest.get('maxmargin'))[:20]}."
            f" This is maxmargin {installed_version()}, which reads versions up to {FORMAT}: update it."
        )
    node = manifest["model"]
    kind = node.get("$") if isinstance(node, dict) else None
    try:
        return Decoder(arrays, source).of(node, str(kind).rpartition(".")[2][:60])
    except RecursionError:
        raise InvalidInput(f"{source} is damaged: its manifest is nested too deep. Save the model again.") from None


def _name(path: Place) -> str:
    if isinstance(path, str | PathLike):
        return str(fspath(path))
    return str(getattr(path, "name", "the file"))


def _opened(path: Place, mode: str) -> Any:
    if isinstance(path, str | PathLike):
        return open(path, mode)
    if not hasattr(path, "write" if mode == "wb" else "read") or not hasattr(path, "seek"):
        raise InvalidInput(f"The path of a model must be a str, a path or a binary file that can seek. Got {path!r}.")
    return nullcontext(path)
