"""The text format of SVMlight and LIBSVM, read by the core."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.blocks import svmlight_fault
from maxmargin.errors import InvalidInput
from maxmargin.io._bytes import Source, name_of_source, read_bytes
from maxmargin.validation import check_integer

__all__ = ["Rows", "read_svmlight", "write_svmlight"]


@final
class Rows(NamedTuple):
    """What a file of rows has.

    Attributes
    ----------
    X : csr_matrix or ndarray of shape (n, n_features)
        The features: sparse from LIBSVM's format, dense from CSV.
    y : ndarray of shape (n,) or None
        Labels or targets; None where the file has none.
    queries : ndarray of int64 of shape (n,) or None
        The ``qid`` of each row, if the file has them.
    names : list of str or None
        Names of the features, if the file has them.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.io import Rows
    >>> X, y, *_ = Rows(np.zeros((2, 3)), np.array([1.0, -1.0]))
    >>> X.shape, y
    ((2, 3), array([ 1., -1.]))
    """

    X: Any
    y: NDArray[Any] | None
    queries: NDArray[np.int64] | None = None
    names: list[str] | None = None


def read_svmlight(
    path: Source,
    *,
    n_features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    max_bytes: int | None = None,
) -> Rows:
    """Read rows in the text format of LIBSVM and SVMlight, ``label index:value index:value … # comment``.

    The core reads the lines on all threads. Files compressed by gzip, bzip2 or xz are known by their first bytes.

    Parameters
    ----------
    path : str, path or binary file
        The file.
    n_features : int, default=None
        Number of columns; None for the largest index in the file. A file of rows to predict may lack the last columns.
    zero_based : bool or "auto", default="auto"
        Whether indices begin at 0; "auto" if one of them is 0. LIBSVM's files begin at 1.
    max_bytes : int, default=None
        Largest number of decompressed bytes; None for 200 times the compressed ones, at least 64 MiB.

    Returns
    -------
    Rows
        The features as a CSR matrix, the labels as float64, and the queries.

    Raises
    ------
    InvalidInput
        A line is not in the format; the message has its number, what it has, and what it should have.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin.io import read_svmlight
    >>> rows = read_svmlight(BytesIO(b"+1 1:0.5 3:2 # first\\n-1 2:1\\n"))
    >>> rows.X.toarray()
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]])
    >>> rows.y
    array([ 1., -1.])
    """
    name = name_of_source(path, "LIBSVM file")
    if zero_based not in (True, False, "auto"):
        raise InvalidInput(f"The 'zero_based' parameter of read_svmlight must be True, False or 'auto'. Got {zero_based!r}.")
    width = None if n_features is None else check_integer("n_features", n_features, "read_svmlight", 1)
    return read_svmlight_text(read_bytes(path, "LIBSVM file", max_bytes), name, width, zero_based=zero_based)


def read_svmlight_text(
    data: bytes, name: str, width: int | None, *, zero_based: bool | Literal["auto"], above: int = 0
) -> Rows:
    """The rows of a text; ``above`` is the number of lines that the file has before it."""
    text = np.frombuffer(data, np.uint8)
    found = _core.read_svmlight(text)
    if found.fault:
        raise InvalidInput(svmlight_fault(found, text, name, above))
    columns = found.columns
    least, most = (int(columns.min()), int(columns.max())) if len(columns) else (1, 0)
    first = 0 if zero_based is True or (zero_based == "auto" and least == 0) else 1
    if least < first:
        raise InvalidInput(f"{name} has the index 0, but zero_based=False. Say zero_based=True.")
    needed = most + 1 - first
    if width is not None and needed > width:
        raise InvalidInput(f"{name} has the index {most}, which is beyond n_features={width}. Raise n_features to {needed}.")
    if first:
        columns -= np.int32(first)
    starts = found.starts if len(columns) > np.iinfo(np.int32).max else found.starts.astype(np.int32)
    if starts.dtype != columns.dtype:
        columns = columns.astype(np.int64)
    X = sparse.csr_matrix((found.values, columns, starts), shape=(len(found.labels), needed if width is None else width))
    X.has_sorted_indices = X.has_canonical_format = True  # the reader has seen that they are
    return Rows(X, found.labels, found.queries if len(found.queries) else None)


def write_svmlight(path: Source, X: Any, y: Any, *, queries: Any = None) -> None:
    """Write rows in the text format of LIBSVM, with indices from 1; zeros are left out, and numbers keep all their digits.

    Parameters
    ----------
    path : str, path or binary file
        The file.
    X : {array-like, sparse matrix} of shape (n, n_features)
        Features.
    y : array-like of shape (n,)
        Labels: numbers.
    queries : array-like of shape (n,), default=None
        The ``qid`` of each row.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin.io import write_svmlight
    >>> file = BytesIO()
    >>> write_svmlight(file, [[0.5, 0.0], [0.0, 0.1]], [1, -1])
    >>> file.getvalue()
    b'1 1:0.5\\n-1 2:0.1\\n'
    """
    rows = sparse.csr_matrix(X)
    rows.sort_indices()
    labels = np.asarray(y)
    if labels.shape != (rows.shape[0],) or labels.dtype.kind not in "biuf":
        raise InvalidInput(
            f"Labels in LIBSVM's format are numbers, one for each of {rows.shape[0]} rows. Got shape {labels.shape} and dtype"
            f" {labels.dtype}. Code classes as numbers: np.unique(y, return_inverse=True)."
        )
    ids = None if queries is None else np.asarray(queries, dtype=np.int64)
    if ids is not None and ids.shape != labels.shape:
        raise InvalidInput(f"There must be one query for each of {rows.shape[0]} rows. Got shape {ids.shape}.")
    lines = []
    for row, label in enumerate(labels.tolist()):
        some = slice(rows.indptr[row], rows.indptr[row + 1])
        entries = zip((rows.indices[some] + 1).tolist(), rows.data[some].tolist(), strict=True)
        query = [] if ids is None else [f"qid:{ids[row]}"]
        lines.append(" ".join([_short(label), *query, *(f"{index}:{_short(value)}" for index, value in entries if value != 0)]))
    text = "".join(line + "\n" for line in lines).encode("ascii")
    if hasattr(path, "write"):
        path.write(text)
        return
    name_of_source(path, "LIBSVM file")
    with open(path, "wb") as file:
        file.write(text)


def _short(value: float) -> str:
    """All digits of a number; whole numbers without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
