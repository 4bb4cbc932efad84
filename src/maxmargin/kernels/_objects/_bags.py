"""Sets and bags, and records with related rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._combined import require_kernel
from maxmargin.kernels._normalised import short_rows
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel, listed, normalised_objects
from maxmargin.kernels._rbf import RBF
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_non_negative, feature_matrix, rows_are_objects

__all__ = ["RelationalKernel", "SetKernel"]

_ADVICE = "Scale the features or the kernel."


@final
@dataclass(frozen=True)
class BoundSet(BoundObjectKernel):
    base: BoundKernel
    width: int
    normalise: bool

    @property
    def mercer(self) -> bool:
        return self.base.mercer

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        members, starts = _members(objects, self.base.of_objects, self.width, "SetKernel")
        self.base.check(members)
        encoded = _core.bags(self.base.gram(members).core, starts)
        if not self.normalise:
            return encoded
        _require_sizes(self.base, members, starts, "SetKernel")
        return normalised_objects(encoded, "SetKernel", _ADVICE)


@final
@dataclass
class SetKernel(ObjectKernel):
    """Bags of members: ``k(A, B) = Σ_{a in A} Σ_{b in B} k₀(a, b)``, the inner product of sums of ``φ₀``.

    Normalised, the size of a bag does not matter: it is the cosine of the angle between the mean embeddings of A and B. A row
    of X is a bag of vectors, an array of shape (members, features) or a list of vectors; with a base kernel of strings or
    graphs it is a list of these.

    Parameters
    ----------
    base : Kernel
        k₀. ``gamma="scale"`` is that of all members of all training bags.
    normalise : bool
        Whether ``k(A, A) = 1``. Bags with ``k(A, A) = 0``, such as empty ones, have 1 with each other, and 0 with
        the rest; with `Linear`, these are all bags whose sum is 0.

    References
    ----------
    Gärtner, Flach, Kowalczyk and Smola, Multi-instance kernels, ICML 2002.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, SetKernel
    >>> SetKernel(base=Linear(), normalise=False)([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0]]])
    array([[2., 2.],
           [2., 4.]])
    """

    base: Kernel = field(default_factory=RBF)
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the numbers of the base kernel on all members, each with the weight of its bag."""
        return _bound_set(_base(self.base, "base", "SetKernel"), listed(X), sample_weight, self._normalises())


@final
@dataclass(frozen=True)
class BoundRelational(BoundObjectKernel):
    own: BoundKernel | None
    width: int
    related: tuple[BoundSet, ...]
    constant: float
    normalise: bool

    @property
    def mercer(self) -> bool:
        return all(part.mercer for part in self.related) and (self.own is None or self.own.mercer)

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        own, related = _columns(objects, self.own is not None, len(self.related))
        parts = [
            bags.encode(rows, first_column).scaled(1.0, self.constant) for bags, rows in zip(self.related, related, strict=True)
        ]
        if self.own is not None:
            parts.append(_own_part(self.own, own, self.width, first_column, self.normalise))
        encoded = parts[0]
        for part in parts[1:]:
            encoded = encoded.times(part)
        return normalised_objects(encoded, "RelationalKernel", _ADVICE) if self.normalise else encoded


@final
@dataclass
class RelationalKernel(ObjectKernel):
    """Records with related rows: ``k(r, r') = k₀(x, x') · Π_q (c + s_q(A_q, A'_q))``, an R-convolution.

    A record has features x of its own and rows ``A_q`` of other tables that refer to it, such as a customer with orders. Its
    parts are x and, of each table, one related row or none: the sum over all ways to choose the parts of both records, of the
    products of their kernels, is k. ``s_q`` is the normalised `SetKernel`, so that a record with many rows is not larger; c
    weighs x alone against x with a row.

    A row of X is a tuple ``(x, rows)``, with several tables ``(x, rows_1, rows_2, …)``; without own features (``own=None``)
    ``(rows,)``.

    Parameters
    ----------
    own : Kernel or None
        k₀, of x: a vector, or an object that the kernel takes.
    related : Kernel, or tuple of Kernel
        Of two related rows; a tuple has one for each table.
    constant : float
        c ≥ 0.
    normalise : bool
        Whether ``k(r, r) = 1``.

    References
    ----------
    Haussler, Convolution kernels on discrete structures, 1999.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, RelationalKernel
    >>> ann = [1.0, 0.0], [[1.0], [2.0]]
    >>> bob = [1.0, 1.0], []
    >>> RelationalKernel(own=Linear(), related=Linear(), normalise=False)([ann, bob])
    array([[2., 1.],
           [1., 4.]])
    """

    own: Kernel | None = field(default_factory=RBF)
    related: Any = field(default_factory=RBF)
    constant: float = 1.0
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the numbers of all kernels on their parts of the records."""
        given = self.related if isinstance(self.related, tuple | list) else (self.related,)
        kernels = [_base(each, "related", "RelationalKernel") for each in given]
        if self.own is None and not kernels:
            raise InvalidInput(
                "RelationalKernel needs a kernel of own features or of a table. Got own=None and related=(). Give one."
            )
        constant = check_non_negative("constant", self.constant, "RelationalKernel")
        own = None if self.own is None else _base(self.own, "own", "RelationalKernel")
        vectors, related = _columns(listed(X), own is not None, len(kernels))
        for number, table in enumerate(related):
            if all(isinstance(rows, list | tuple | np.ndarray) and not len(rows) for rows in table):
                raise InvalidInput(
                    f"The table {number} of RelationalKernel has no row in any record. Leave it out of the records and of"
                    " 'related'."
                )
        bags = [_bound_set(kernel, table, sample_weight, True) for kernel, table in zip(kernels, related, strict=True)]
        if own is None:
            return BoundRelational(None, 0, tuple(bags), constant, self._normalises())
        structured = own.input_kind == "structured"
        rows: Any = vectors if structured else feature_matrix(_stacked(vectors))
        width = 0 if structured else int(rows.shape[1])
        return BoundRelational(own.bind(rows, sample_weight), width, tuple(bags), constant, self._normalises())


def _bound_set(base: Kernel, bags: list[Any], weight: NDArray[np.float64] | None, normalise: bool) -> BoundSet:
    """The numbers of the base kernel on all members; a bag of weight 2 is two bags, and its members count twice."""
    structured = base.input_kind == "structured"
    members, starts = _members(bags, structured, None, "SetKernel")
    if not len(members):
        raise InvalidInput("SetKernel needs a bag with a member at least. Got bags that are all empty.")
    weights = None if weight is None else np.repeat(weight, np.diff(starts))
    return BoundSet(base.bind(members, weights), 0 if structured else int(members.shape[1]), normalise)


def _base(kernel: Any, name: str, owner: str) -> Kernel:
    found = require_kernel(name, kernel, owner)
    if found.input_kind == "precomputed":
        raise InvalidInput(
            f"The {name!r} parameter of {owner} must be a kernel of members. Got {kernel!r}, whose rows have no members."
            " Compute the sums over members yourself, and use Precomputed for their matrix."
        )
    return found


def _own_part(own: BoundKernel, rows: list[Any], width: int, first_column: int, normalise: bool) -> _core.Objects:
    """The kernel of the own features: vectors are bags of one."""
    if own.of_objects:
        return own.encode(rows, first_column)
    for row, own_features in enumerate(rows):
        if np.size(own_features) != width:
            raise InvalidInput(
                f"Record {row} has {np.size(own_features)} own features, but those of the fit have {width}. Give the same ones."
            )
    vectors = feature_matrix(_stacked(rows))
    own.check(vectors)
    starts = np.arange(len(vectors) + 1, dtype=np.int32)
    if normalise:
        _require_sizes(own, vectors, starts, "RelationalKernel")
    return _core.bags(own.gram(vectors).core, starts)


def _require_sizes(kernel: BoundKernel, members: Any, starts: NDArray[np.int32], owner: str) -> None:
    """Raise for the first bag of vectors that are not 0, but whose squares are too small for floating point."""
    if kernel.of_objects or rows_are_objects(members):
        return
    small, short, _ = short_rows(kernel, members)
    if not short.any():
        return
    bags = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    found = np.bincount(bags, short) * (np.bincount(bags, ~small) == 0)
    if found.any():
        row = int(np.flatnonzero(found)[0])
        raise InvalidInput(
            f"{owner} divides by the root of k(x, x). k(x, x) of row {row} is not 0, but too small for floating point."
            f" {_ADVICE}"
        )


def _stacked(rows: list[Any]) -> NDArray[np.float64]:
    try:
        return np.array([np.asarray(row, dtype=np.float64).ravel() for row in rows])
    except (TypeError, ValueError):
        raise InvalidInput(
            "RelationalKernel needs own features that are vectors of numbers of one length, since own is a kernel of vectors."
            " For strings or graphs use a kernel of these as own; without own features own=None."
        ) from None


def _columns(records: Sequence[Any], with_own: bool, tables: int) -> tuple[list[Any], list[list[Any]]]:
    """The own parts of all records, and of each table the related rows of all records."""
    wanted = tables + with_own
    form = "(x, rows)"
    if wanted != 2 or not with_own:
        form = f"a tuple of {wanted}: {'x and then ' if with_own else ''}the rows of each table"
    for row, record in enumerate(records):
        if isinstance(record, Mapping) or not isinstance(record, list | tuple) or len(record) != wanted:
            what = f"{len(record)} items" if isinstance(record, list | tuple) else f"a {type(record).__name__}"
            raise InvalidInput(f"RelationalKernel needs records of the form {form}. Got {what} as row {row} of X.")
    own = [record[0] for record in records] if with_own else []
    return own, [[record[table + with_own] for record in records] for table in range(tables)]


def _members(bags: Sequence[Any], structured: bool, width: int | None, owner: str) -> tuple[Any, NDArray[np.int32]]:
    """All members, one bag after the other, and where bags begin."""
    for row, bag in enumerate(bags):
        if isinstance(bag, str | bytes) or not isinstance(bag, list | tuple | set | frozenset | np.ndarray):
            raise InvalidInput(
                f"{owner} needs rows that are bags: arrays of shape (members, features), or lists of members. Got a"
                f" {type(bag).__name__} as row {row} of X. For a bag of one member pass [member]."
            )
    starts = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])]).astype(np.int32)
    if structured:
        return [member for bag in bags for member in bag], starts
    blocks: list[NDArray[np.float64]] = []
    for row, bag in enumerate(bags):
        if not len(bag):
            continue
        try:
            block = np.asarray(list(bag) if isinstance(bag, set | frozenset) else bag, dtype=np.float64)
        except (TypeError, ValueError):
            block = np.empty(())
        if block.ndim != 2 or (blocks and block.shape[1] != blocks[0].shape[1]) or (width and block.shape[1] != width):
            need = width or (blocks[0].shape[1] if blocks else "the same number of")
            raise InvalidInput(
                f"The bag in row {row} of X must hold vectors of {need} features. Got an array of shape {block.shape}. Give"
                " each member the same features; for strings or graphs as members use a base kernel of these."
            )
        blocks.append(block)
    if not blocks:
        return np.zeros((1 if width else 0, width or 0)), starts  # a member that is in no bag
    return feature_matrix(np.concatenate(blocks)), starts
