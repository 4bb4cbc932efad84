"""Substrings of one length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel, normalised_objects
from maxmargin.kernels._objects._symbols import require_length, symbols_of
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_boolean, check_integer

__all__ = ["GappedKmer", "Mismatch", "Spectrum"]

_MOST_CHOICES = 20_000
_LARGEST = 1 << 62


@final
@dataclass(frozen=True)
class BoundKmers(BoundObjectKernel):
    """``Σ_q weights[q] ·`` pairs of substrings that agree in ``kept[q]`` chosen positions, over all choices."""

    owner: str
    length: int
    kept: tuple[int, ...]
    weights: tuple[int, ...]
    normalise: bool
    reverse_complement: bool = False

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        symbols = symbols_of(objects, self.owner, reverse_complement=self.reverse_complement)
        runs = symbols.runs(2 if self.reverse_complement else 1)
        longest = int(np.diff(symbols.starts).max(initial=0)) * (2 if self.reverse_complement else 1)
        factor = sum(abs(weight) * comb(self.length, kept) for kept, weight in zip(self.kept, self.weights, strict=True))
        if factor * longest**2 >= _LARGEST:
            raise InvalidInput(
                f"Values of {self.owner} on strings of {longest} symbols do not fit into 64 bits. Use a smaller alphabet, fewer"
                " mismatches or shorter strings."
            )
        encoded = _core.kmers(runs, self.length, list(self.kept), list(self.weights), first_column)
        return normalised_objects(encoded, self.owner) if self.normalise else encoded


@final
@dataclass
class Spectrum(ObjectKernel):
    """Substrings of k symbols: ``k(s, t) = Σ_u #_u(s) #_u(t)`` over all u of k symbols, ``#_u`` how often u occurs.

    Normalised, it is divided by ``√(k(s, s) k(t, t))``. A string shorter than k has no substring: it has 1 with others of that
    kind, 0 with the rest; not normalised, 0 with all.

    Parameters
    ----------
    k : int
        Length of the substrings.
    normalise : bool
        Whether ``k(s, s) = 1``.

    References
    ----------
    Leslie, Eskin and Noble, The spectrum kernel, PSB 2002.

    Examples
    --------
    Rows are strings, or sequences of any tokens.

    >>> from maxmargin.kernels import Spectrum
    >>> Spectrum(k=2, normalise=False)(["abab", "bab", "b"])
    array([[5., 3., 0.],
           [3., 2., 0.],
           [0., 0., 0.]])
    >>> Spectrum(k=1)([["the", "cat"], ["the", "dog"]]).round(6)
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    k: int = 3
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check k against the strings."""
        k = check_integer("k", self.k, "Spectrum", 1)
        require_length(X, k, "k", "Spectrum")
        return BoundKmers("Spectrum", k, (k,), (1,), self._normalises())


@final
@dataclass
class GappedKmer(ObjectKernel):
    """Substrings of l symbols of which any k count: ``k(s, t) = Σ_{a, b} C(m(a, b), k)`` over substrings of both.

    a and b are substrings of l symbols, of s and of t, and m(a, b) is the number of positions in which they agree. Features are
    the patterns of k symbols and l − k gaps, and how often each occurs.

    Parameters
    ----------
    l : int
        Length of the substrings, gaps included.
    k : int
        Symbols that count.
    reverse_complement : bool
        Whether patterns are counted on both strands of a double helix: in the string, and in its reverse with A and T, C and G
        exchanged. Rows must be str or bytes then.
    normalise : bool
        Whether ``k(s, s) = 1``.

    References
    ----------
    Ghandi, Lee, Mohammad-Noori and Beer, Enhanced regulatory sequence prediction using gapped k-mer features, PLOS Comp. Biol.
    2014.

    Examples
    --------
    >>> from maxmargin.kernels import GappedKmer
    >>> GappedKmer(l=3, k=2, normalise=False)(["ACG", "ATG", "AAA"])
    array([[3., 1., 0.],
           [1., 3., 0.],
           [0., 0., 3.]])
    """

    l: int = 10  # noqa: E741  # as in the literature
    k: int = 6
    reverse_complement: bool = False
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the lengths against the strings."""
        length = check_integer("l", self.l, "GappedKmer", 1)
        k = check_integer("k", self.k, "GappedKmer", 1, length)
        both = check_boolean("reverse_complement", self.reverse_complement, "GappedKmer")
        if comb(length, k) > _MOST_CHOICES:
            raise InvalidInput(
                f"GappedKmer with l={length} and k={k} has {comb(length, k)} ways to place its gaps; more than {_MOST_CHOICES}"
                " would not end. Choose a smaller l, or k nearer to l."
            )
        require_length(X, length, "l", "GappedKmer")
        return BoundKmers("GappedKmer", length, (k,), (1,), self._normalises(), both)


@final
@dataclass
class Mismatch(ObjectKernel):
    """Substrings of k symbols up to m mismatches: ``k(s, t) = Σ_u #ᵐ_u(s) #ᵐ_u(t)`` over all u of k symbols.

    ``#ᵐ_u(s)`` is how many substrings of s differ from u in at most m positions. The sum over u, all of which the alphabet has,
    is a sum over pairs of substrings: a pair that differs in d positions has ``w(d)`` words u near both, and these depend on
    the number of symbols.

    Parameters
    ----------
    k : int
        Length of the substrings.
    m : int
        Mismatches that are allowed, less than k.
    alphabet : int, str or None
        How many symbols there are, or which; None counts those of the training rows.
    normalise : bool
        Whether ``k(s, s) = 1``.

    References
    ----------
    Leslie, Eskin, Cohen, Weston and Noble, Mismatch string kernels for discriminative protein classification, 2004.

    Examples
    --------
    >>> from maxmargin.kernels import Mismatch
    >>> Mismatch(k=2, m=1, alphabet="ab", normalise=False)(["aa", "ab", "bb"])
    array([[3., 2., 2.],
           [2., 3., 2.],
           [2., 2., 3.]])
    """

    k: int = 5
    m: int = 1
    alphabet: int | str | None = None
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the lengths against the strings, and count the symbols."""
        k = check_integer("k", self.k, "Mismatch", 1)
        m = check_integer("m", self.m, "Mismatch", 0, k - 1)
        found = require_length(X, k, "k", "Mismatch")
        there = len({symbol for each in found for symbol in each})
        if isinstance(self.alphabet, str):
            size = len(set(self.alphabet))
        else:
            size = there if self.alphabet is None else check_integer("alphabet", self.alphabet, "Mismatch", 1)
        if size < there:
            raise InvalidInput(
                f"The 'alphabet' parameter of Mismatch has {size} symbols, but the rows of X have {there} different ones. Give"
                " all of them, or None to count them."
            )
        kept, weights = _gap_rules(k, m, size)
        return BoundKmers("Mismatch", k, kept, weights, self._normalises())


def _common_words(k: int, m: int, d: int, size: int) -> int:
    """How many words of k symbols differ in at most m positions from each of two words that differ in d."""
    total = 0
    for as_first in range(d + 1):
        for as_second in range(d - as_first + 1):
            neither = d - as_first - as_second
            ways = comb(d, as_first) * comb(d - as_first, as_second) * max(size - 2, 0) ** neither
            spare = m - (d - min(as_first, as_second))
            total += ways * sum(comb(k - d, r) * (size - 1) ** r for r in range(min(spare, k - d) + 1))
    return total


def _gap_rules(k: int, m: int, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Weights a_q with ``Σ_q a_q C(k − d, q) = w(d)``: pairs at a distance d agree in so many choices of q positions."""
    kept = range(max(0, k - 2 * m), k + 1)
    weights: list[int] = []
    for q in kept:
        rest = sum(weight * comb(q, lower) for lower, weight in zip(kept, weights, strict=False))
        weights.append(_common_words(k, m, k - q, size) - rest)
    return tuple(kept), tuple(weights)
