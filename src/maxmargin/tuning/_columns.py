"""What comes before the kernel: numbers scaled, categories as indicators, gaps filled."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from maxmargin.errors import InvalidInput

__all__ = ["prepared_by"]

_DENSE: Final = 20_000_000  # values that a sparse table may have as a dense one
_FULL: Final = 0.1  # share of its values that are not 0, from which on it is better off dense


def prepared_by(X: Any) -> tuple[list[tuple[str, Any]], str]:
    """Steps that make rows ready for a kernel, and what they do in words.

    Parameters
    ----------
    X : array-like, sparse matrix or frame
        The training rows.
    """
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return _of_frame(X)
    if sparse.issparse(X):
        rows, columns = X.shape
        if rows * columns <= _DENSE and X.nnz >= _FULL * rows * columns:
            dense = FunctionTransformer(_as_dense, accept_sparse=True)
            return [("dense", dense), ("scale", StandardScaler())], f"{columns} numbers, each to mean 0 and deviation 1"
        return [("scale", MaxAbsScaler())], f"{columns} sparse numbers, each divided by its largest size"
    table = np.asarray(X)
    if table.dtype.kind in "OSU":
        return [("scale", _of_kinds([], list(range(table.shape[1]))))], f"{table.shape[1]} categories as indicators"
    gaps = bool(np.isnan(table).any()) if table.dtype.kind == "f" else False
    words = f"{table.shape[1]} numbers, each to mean 0 and deviation 1" + (", gaps filled with the median" if gaps else "")
    fill = [("fill", SimpleImputer(strategy="median"))] if gaps else []
    return [*fill, ("scale", StandardScaler())], words


def _as_dense(X: Any) -> Any:
    return X.toarray() if sparse.issparse(X) else X


def _of_frame(frame: Any) -> tuple[list[tuple[str, Any]], str]:
    """Columns of a frame by their kinds: numbers are scaled, all others are categories."""
    kinds = [str(kind) for kind in frame.dtypes]
    is_number = [kind.lower().startswith(("int", "uint", "float")) for kind in kinds]
    names = list(frame.columns)
    dates = [name for name, kind in zip(names, kinds, strict=True) if kind.lower().startswith(("date", "time", "duration"))]
    if dates:
        raise InvalidInput(
            f"tune codes numbers and categories. Got dates or times in column {dates[0]!r}. Make numbers of them first, such as"
            " days since the first one or the day of the week, or drop the column."
        )
    numbers = [name for name, yes in zip(names, is_number, strict=True) if yes]
    others = [name for name, yes in zip(names, is_number, strict=True) if not yes]
    parts = [f"{len(numbers)} numbers, each to mean 0 and deviation 1"] * bool(numbers)
    parts += [f"{len(others)} column{'s' * (len(others) > 1)} of categories as indicators"] * bool(others)
    return [("columns", _of_kinds(numbers, others))], ", ".join(parts)


def _of_kinds(numbers: list[Any], categories: list[Any]) -> Pipeline | ColumnTransformer:
    scaled = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    coded = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False))
    kinds = [("numbers", scaled, numbers)] * bool(numbers) + [("categories", coded, categories)] * bool(categories)
    return ColumnTransformer(kinds)
