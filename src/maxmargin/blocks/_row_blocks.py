"""Rows that are read a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin.blocks._look import FirstLook
from maxmargin.blocks._npy import NpySource
from maxmargin.blocks._passes import Block, Passes
from maxmargin.blocks._sources import ArraySource, CallableSource, Source
from maxmargin.blocks._standard import Mapped, Standard
from maxmargin.blocks._svmlight import SvmlightSource
from maxmargin.blocks._tables import CsvSource, ParquetSource
from maxmargin.errors import InvalidInput
from maxmargin.validation import cache_bytes, check_integer, feature_matrix

__all__ = ["RowBlocks"]


@final
class RowBlocks:
    """Rows that come in blocks, for data that do not fit into memory.

    ``LinearSVC``, ``LinearSVR``, ``LogisticRegression`` and others take it in place of X. A fit reads all blocks once in each
    of its passes, and holds a few of them at a time: the one that it computes with, and the next one, which is read meanwhile.
    The model depends on the blocks, and not on the number of threads.

    Make one by `from_npy`, `from_arrays`, `from_parquet`, `from_svmlight`, `from_csv` or `from_callable`.

    Attributes
    ----------
    name : str
        What messages call it.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import LinearSVC, RowBlocks
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3)).astype(np.float32)
    >>> y = X[:, 0] > 0
    >>> blocks = RowBlocks.from_arrays(X, y, batch_size=100)
    >>> model = LinearSVC().fit(blocks)
    >>> model.status_.name, model.score(blocks) > 0.95
    ('CONVERGED', True)
    """

    def __init__(
        self, source: Source, y: NDArray[Any] | None = None, weight: NDArray[Any] | None = None, cache_size: Any = "auto"
    ) -> None:
        self._passes = Passes(source, cache_bytes(cache_size, "RowBlocks"))
        self._y, self._weight = y, weight
        self._standard: Standard | Mapped | None = None
        self.name = source.name

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        batch_size: int | None = None,
    ) -> Self:
        """Slices of arrays: of memory, or memory-mapped ones (``np.load(path, mmap_mode="r")``).

        Parameters
        ----------
        X : ndarray or CSR matrix of shape (n_samples, n_features)
            Rows.
        y, sample_weight : array-like of shape (n_samples,), optional
            Labels or targets, and weights.
        batch_size : int, optional
            Rows of a block; by default so many that it has about 8 MB, at least 1 024.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import RowBlocks
        >>> RowBlocks.from_arrays(np.zeros((10, 2)), batch_size=4)
        RowBlocks(the arrays, batch_size=4)
        """
        if sparse.issparse(X):
            X = X.tocsr()
        elif not (isinstance(X, np.ndarray) and X.ndim == 2):
            X = feature_matrix(X)
        y, weight = _column(y, "y", X.shape[0]), _column(sample_weight, "sample_weight", X.shape[0])
        return cls(ArraySource(X, _checked_size(batch_size)), y, weight)

    @classmethod
    def from_npy(
        cls,
        path: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        batch_size: int | None = None,
    ) -> Self:
        """Rows of a matrix that ``numpy.save`` wrote.

        Parameters
        ----------
        path : str or path
            The file.
        y, sample_weight : array-like of shape (n_samples,), optional
            Labels or targets, and weights: in memory, or memory-mapped.
        batch_size : int, optional
            Rows of a block; by default so many that it has about 8 MB, at least 1 024.
        """
        source = NpySource(path, _checked_size(batch_size))
        assert source.rows is not None
        return cls(source, _column(y, "y", source.rows), _column(sample_weight, "sample_weight", source.rows))

    @classmethod
    def from_callable(cls, function: Callable[[], Any], *, cache_size: Any = "auto") -> Self:
        """What a function gives each time it is called: an iterator over blocks, from the first on.

        Parameters
        ----------
        function : callable
            Called without arguments in each pass, and must return a new iterator, as a function with ``yield`` does. A block
            is X, ``(X, y)`` or ``(X, y, sample_weight)``. It runs in a thread of its own, one block ahead.
        cache_size : float or "auto"
            Megabytes of blocks that are kept in memory, from the first on, and not asked for again; "auto" is a quarter of the
            memory. 1e-9 keeps none.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import LogisticRegression, RowBlocks
        >>> def days():
        ...     for day in range(7):
        ...         rng = np.random.default_rng(day)
        ...         X = rng.normal(size=(200, 4))
        ...         yield X, X @ [1.0, -1.0, 0.0, 0.5] + rng.logistic(size=200) > 0.0
        >>> LogisticRegression().fit(RowBlocks.from_callable(days)).status_.name
        'CONVERGED'
        """
        if not callable(function):
            hint = "A generator gives its blocks once" if hasattr(function, "__next__") else "It must be a function"
            raise InvalidInput(
                f"The 'function' parameter of RowBlocks.from_callable must be callable. Got {type(function).__name__}."
                f" {hint}: pass"
                " the function that makes it."
            )
        return cls(CallableSource(function), cache_size=cache_size)

    @classmethod
    def from_parquet(
        cls,
        path: Any,
        *,
        label: str | None = None,
        weight: str | None = None,
        features: Sequence[str] | None = None,
        batch_size: int | None = None,
        cache_size: Any = "auto",
    ) -> Self:
        """Rows of Parquet files, read by pyarrow (extra ``[parquet]``).

        Parameters
        ----------
        path : str, path or list of these
            One file, or several that follow each other.
        label, weight : str, optional
            Names of the columns of labels or targets, and of weights.
        features : list of str, optional
            Names of the columns that are features; all others by default.
        batch_size : int, optional
            Rows of a block; by default so many that it has about 8 MB.
        cache_size : float or "auto"
            Megabytes of blocks that are kept in memory; see `from_callable`.
        """
        several = path if isinstance(path, list | tuple) else [path]
        paths = [Path(each) for each in several]
        return cls(ParquetSource(paths, label, weight, features, _checked_size(batch_size)), cache_size=cache_size)

    @classmethod
    def from_csv(
        cls,
        path: Any,
        *,
        label: str | int | None = None,
        weight: str | int | None = None,
        delimiter: str = ",",
        batch_size: int | None = None,
        cache_size: Any = "auto",
    ) -> Self:
        """Rows of a CSV file, one a line; a first line with text among the features is a header.

        Parameters
        ----------
        path : str or path
            The file, in UTF-8.
        label, weight : str or int, optional
            Name or number of the column of labels or targets, and of weights; −1 is the last. Labels may be text.
        delimiter : str
            What separates fields.
        batch_size : int, optional
            Rows of a block, by default 16 384.
        cache_size : float or "auto"
            Megabytes of blocks that are kept in memory; see `from_callable`.
        """
        return cls(CsvSource(Path(path), label, weight, delimiter, _checked_size(batch_size)), cache_size=cache_size)

    @classmethod
    def from_svmlight(
        cls,
        path: Any,
        *,
        n_features: int | None = None,
        zero_based: bool | Literal["auto"] = "auto",
        batch_size: int | None = None,
        cache: Any = None,
    ) -> Self:
        """Rows with labels in the text format of LIBSVM and SVMlight, plain or compressed.

        The text is parsed once. Its numbers are written to a binary file beside it, which all passes read, those of later fits
        too; where the text has another size or another time of its last change, that file is made anew.

        Parameters
        ----------
        path : str or path
            The file.
        n_features : int, optional
            Number of columns; by default the largest index in the file.
        zero_based : bool or "auto"
            Whether indices begin at 0; "auto" if one of them is 0.
        batch_size : int, optional
            Rows of a block; by default those of about 8 MB of text.
        cache : str or path, optional
            The binary file; by default the name of the text with ``.blocks`` after it.
        """
        if zero_based not in (True, False, "auto"):
            raise InvalidInput(f"The 'zero_based' parameter of RowBlocks must be True, False or 'auto'. Got {zero_based!r}.")
        width = None if n_features is None else check_integer("n_features", n_features, "RowBlocks", 1)
        text = Path(path)
        place = text.with_name(text.name + ".blocks") if cache is None else Path(cache)
        return cls(SvmlightSource(text, width, zero_based, _checked_size(batch_size), place))

    def __repr__(self) -> str:
        size = getattr(self._passes.source, "batch_size", None)
        return f"RowBlocks({self.name}{'' if size is None else f', batch_size={size}'})"

    @property
    def batch_size(self) -> int:
        """Rows of the largest block."""
        return int(getattr(self._passes.source, "batch_size", 0)) or max(self.look().rows_of)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        look = self.look()
        return look.n, look.columns

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.look().rows_of)

    def __len__(self) -> int:
        return self._passes.source.rows if self._passes.source.rows is not None else self.look().n

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """Refuse what would read all rows into memory unasked."""
        raise InvalidInput(
            "RowBlocks are taken in place of X by LinearSVC, LinearSVR, LogisticRegression, LinearClassifier and"
            " ApproximateSVC. For"
            " others, pass rows in memory: blocks[:] reads all of them."
        )

    def __getitem__(self, rows: slice) -> Any:
        """Some rows, as an array or CSR matrix: reads the blocks that have them."""
        if not isinstance(rows, slice | int | np.integer):  # what a splitter asks for
            raise InvalidInput(
                "RowBlocks cannot be cut into folds: they have slices of rows only. For a search or cross-validation pass rows"
                " in memory: blocks[:] reads all of them, blocks[::10] a tenth."
            )
        if not isinstance(rows, slice):
            raise InvalidInput(f"RowBlocks has slices of rows. Got {rows!r}. Take blocks[i:i + 1] for one row.")
        begin, end, step = rows.indices(len(self))
        if step < 1:
            raise InvalidInput(f"Slices of RowBlocks go forwards. Got a step of {step}.")
        parts = []
        for block in self.blocks():
            here = block.rows
            if here.start >= end:
                break
            first = begin + -(-max(here.start - begin, 0) // step) * step
            if first < here.stop:
                parts.append(block.X[first - here.start : min(end, here.stop) - here.start : step])
        if not parts:
            return np.empty((0, self.shape[1]))
        return np.concatenate(parts) if isinstance(parts[0], np.ndarray) else sparse.vstack(parts, format="csr")

    def standardised(self) -> RowBlocks:
        """The same rows with mean 0 and variance 1 in each column; sparse ones with variance 1 only, so that they stay sparse.

        One pass finds means and variances. A linear model that is fitted to it has weights for the rows as they are, without
        standardisation: it predicts from those. Its certificate is that of the problem with the standardised rows.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin import LinearSVC, RowBlocks
        >>> X = np.random.default_rng(0).normal(size=(500, 2)) * [1.0, 1000.0] + [5.0, 0.0]
        >>> blocks = RowBlocks.from_arrays(X, X[:, 0] > 5.0)
        >>> LinearSVC().fit(blocks.standardised()).score(X, X[:, 0] > 5.0) > 0.98
        True
        """
        if self._standard is not None:
            return self
        return self._with(Standard.of(self._passes.look))

    def mapped(self, function: Callable[[Any], Any], columns: int, dtype: np.dtype[Any]) -> RowBlocks:
        """The same blocks with features in place of their rows: what a function gives for each, ``columns`` of them."""
        return self._with(Mapped(function, columns, dtype))

    def _with(self, standard: Standard | Mapped | None) -> RowBlocks:
        made = RowBlocks.__new__(RowBlocks)
        vars(made).update(vars(self))
        made._standard = standard
        return made

    @property
    def y(self) -> NDArray[Any] | None:
        """Labels or targets of all rows; None where there are none."""
        return self._y if self._y is not None else self.look().y

    @property
    def sample_weight(self) -> NDArray[Any] | None:
        """Weights of all rows; None where there are none."""
        return self._weight if self._weight is not None else self.look().weight

    @property
    def standard(self) -> Standard | None:
        """How rows are standardised."""
        return self._standard if isinstance(self._standard, Standard) else None

    @property
    def plain(self) -> RowBlocks:
        """The rows as they are."""
        return self if self._standard is None else self._with(None)

    @property
    def n_passes(self) -> int:
        """How often all blocks were read so far."""
        return self._passes.n_passes

    def look(self) -> FirstLook:
        """Number, width and moments of all rows, and the labels that came with them: one pass, made once."""
        look = self._passes.look
        return look if self._standard is None else self._standard.of_look(look)

    def blocks(self) -> Iterator[Block]:
        """One pass over valid blocks, read ahead by a thread."""
        with self.reading() as blocks:
            yield from blocks

    def reading(self) -> AbstractContextManager[Iterator[Block]]:
        """The same as a context, whose end leaves no thread behind however it is left."""
        return self._passes.reading(self._standard)


def _checked_size(batch_size: Any) -> int | None:
    return None if batch_size is None else check_integer("batch_size", batch_size, "RowBlocks", 1)


def _column(values: Any, what: str, n: int) -> NDArray[Any] | None:
    if values is None:
        return None
    column = np.asarray(values)
    if column.shape != (n,):
        raise InvalidInput(
            f"The '{what}' parameter of RowBlocks must have one value for each of {n} rows. Got shape {column.shape}."
        )
    return column
