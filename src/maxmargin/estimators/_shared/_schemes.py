"""How binary classifiers are combined into a classifier of K classes.

A scheme says which binary classifiers there are, where their coefficients stand in ``dual_coef_``, and how their values
become a class. The layout is LIBSVM's: support vectors grouped by class, pairs in the order (0,1), (0,2), …,
(1,2), …

Chang and Lin, LIBSVM: a library for support vector machines, 2011, section 7.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._lazy import lazy
from maxmargin.problems import LabelledParts, class_pairs

__all__ = [
    "OneVsOne",
    "OneVsRest",
    "Scheme",
    "SharedVectors",
    "TwoClasses",
    "scheme_of",
    "subproblem_names",
]

Floats = NDArray[np.float64]


class Scheme(ABC):
    """Binary classifiers, the layout of their coefficients, and the vote.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    """

    rows_by_class = False
    """Whether the rows of a binary classifier are ordered by class, as in ``support_``; else they are ascending."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    @property
    @abstractmethod
    def n_subproblems(self) -> int:
        """Number of binary classifiers."""

    @property
    @abstractmethod
    def n_coefficients(self) -> int:
        """Rows of ``dual_coef_``: coefficients that each support vector has."""

    @abstractmethod
    def sides(self, subproblem: int) -> tuple[int, int | None]:
        """Class on the positive and class on the negative side; None stands for all the others."""

    @abstractmethod
    def subproblems(self, codes: NDArray[np.intp]) -> LabelledParts:
        """Rows and labels of the binary subproblems, for rows of the classes ``codes``."""

    @abstractmethod
    def blocks(self, subproblem: int) -> list[tuple[int, int]]:
        """Where a classifier's coefficients stand: pairs (row of ``dual_coef_``, class of the support vectors)."""

    @lazy
    def coefficient_rows(self) -> NDArray[np.intp]:
        """Row of ``dual_coef_`` with the coefficients of each binary classifier for each class, shape (n_subproblems, K)."""
        coefficient_rows = np.zeros((self.n_subproblems, self.n_classes), dtype=np.intp)
        for subproblem in range(self.n_subproblems):
            for height, of_class in self.blocks(subproblem):
                coefficient_rows[subproblem, of_class] = height
        return coefficient_rows

    @abstractmethod
    def collect(self, sums: Floats) -> Floats:
        """Values of every binary classifier from sums over the support vectors of each class.

        Parameters
        ----------
        sums : ndarray of shape (K, n_coefficients, m)
            For each class and each row of ``dual_coef_``, the sum over the support vectors of that class.

        Returns
        -------
        ndarray of shape (m, n_subproblems)
        """

    def combine(self, left: Any, dual: Floats, bounds: Sequence[int]) -> Floats:
        """Sum columns of ``left`` with the coefficients of every binary classifier.

        Parameters
        ----------
        left : ndarray of shape (m, n_SV)
            One column for each support vector.
        dual : ndarray of shape (n_coefficients, n_SV)
            Signed dual coefficients.
        bounds : sequence of int, length K + 1
            Support vectors of class k are the columns from ``bounds[k]`` to ``bounds[k + 1]``.

        Returns
        -------
        ndarray of shape (m, n_subproblems)
        """
        return self.collect(np.stack([dual[:, low:high] @ left[:, low:high].T for low, high in pairwise(bounds)]))

    @abstractmethod
    def scores(self, values: Floats, *, by_class: bool) -> Floats:
        """What ``decision_function`` returns for the values of all binary classifiers, shape (m, n_subproblems)."""

    @abstractmethod
    def winners(self, values: Floats, *, break_ties: bool) -> NDArray[np.intp]:
        """Class index predicted from the values of all binary classifiers."""

    def spread(self, dual: Floats, bounds: Sequence[int]) -> Floats:
        """Coefficients of every binary classifier on every support vector, shape (n_subproblems, n_SV)."""
        full = np.zeros((self.n_subproblems, dual.shape[1]))
        for subproblem in range(self.n_subproblems):
            for row, of_class in self.blocks(subproblem):
                block = slice(bounds[of_class], bounds[of_class + 1])
                full[subproblem, block] = dual[row, block]
        return full


@final
class TwoClasses(Scheme):
    """One binary classifier; the class that sorts last is its positive side, as in scikit-learn."""

    n_subproblems = 1
    n_coefficients = 1

    def sides(self, subproblem: int) -> tuple[int, int | None]:
        return 1, 0

    def subproblems(self, codes: NDArray[np.intp]) -> LabelledParts:
        return LabelledParts(None, np.where(codes == 1, 1.0, -1.0), [len(codes)])

    def blocks(self, subproblem: int) -> list[tuple[int, int]]:
        return [(0, 0), (0, 1)]

    def collect(self, sums: Floats) -> Floats:
        return np.asarray(sums.sum(axis=0).T)

    def scores(self, values: Floats, *, by_class: bool) -> Floats:
        return values[:, 0]

    def winners(self, values: Floats, *, break_ties: bool) -> NDArray[np.intp]:
        return (values[:, 0] >= 0.0).astype(np.intp)


@final
class OneVsOne(Scheme):
    """A binary classifier for each pair i < j of classes, positive for class i; the class with most votes wins.

    A support vector of class c has a coefficient in each of the K − 1 pairs with another class o: row o if
    o < c, row o − 1 if o > c.
    """

    rows_by_class = True

    def __init__(self, n_classes: int) -> None:
        super().__init__(n_classes)
        self.pairs = list(combinations(range(n_classes), 2))

    @property
    def n_subproblems(self) -> int:
        return len(self.pairs)

    @property
    def n_coefficients(self) -> int:
        return self.n_classes - 1

    def sides(self, subproblem: int) -> tuple[int, int | None]:
        return self.pairs[subproblem]

    def subproblems(self, codes: NDArray[np.intp]) -> LabelledParts:
        return class_pairs(codes, self.n_classes)

    def blocks(self, subproblem: int) -> list[tuple[int, int]]:
        i, j = self.pairs[subproblem]
        return [(j - 1, i), (i, j)]

    @lazy
    def coefficient_rows(self) -> NDArray[np.intp]:
        coefficient_rows = np.zeros((self.n_subproblems, self.n_classes), dtype=np.intp)
        every, (i, j) = np.arange(self.n_subproblems), np.array(self.pairs).T
        coefficient_rows[every, i], coefficient_rows[every, j] = j - 1, i
        return coefficient_rows

    def collect(self, sums: Floats) -> Floats:
        values = np.zeros((self.n_subproblems, sums.shape[2]))
        for of_class, subproblems in enumerate(self._subproblems_of_class()):
            values[subproblems] += sums[of_class]
        return values.T

    def scores(self, values: Floats, *, by_class: bool) -> Floats:
        """Values of the pairs, or a score for each class.

        The score of a class is its votes, plus its summed values squeezed into (−1/3, 1/3) to break ties. The
        squeeze x / (3 (|x| + 1)) is scikit-learn's.
        """
        if not by_class:
            return values
        signs = self._signs()
        votes = np.where(values < 0.0, -0.5, 0.5) @ signs + 0.5 * (self.n_classes - 1)
        confidence = values @ signs
        return np.asarray(votes + confidence / (3.0 * (np.abs(confidence) + 1.0)))

    def winners(self, values: Floats, *, break_ties: bool) -> NDArray[np.intp]:
        if break_ties:
            return _largest(self.scores(values, by_class=True))
        # a value of exactly 0 is a vote for class j, as in LIBSVM's svm_predict
        return _largest(np.where(values > 0.0, 0.5, -0.5) @ self._signs())

    def _signs(self) -> Floats:
        """+1 where a class is the positive side of a pair, −1 where it is the negative; shape (pairs, K)."""
        signs = np.zeros((self.n_subproblems, self.n_classes))
        for subproblem, (i, j) in enumerate(self.pairs):
            signs[subproblem, i], signs[subproblem, j] = 1.0, -1.0
        return signs

    def _subproblems_of_class(self) -> list[list[int]]:
        """For each class the binary classifiers that its rows of coefficients belong to, in order."""
        subproblems: list[list[int]] = [[] for _ in range(self.n_classes)]
        for subproblem, (i, j) in enumerate(self.pairs):
            subproblems[i].append(subproblem)
            subproblems[j].append(subproblem)
        return subproblems


@final
class OneVsRest(Scheme):
    """A binary classifier for each class against all others; the largest value wins."""

    @property
    def n_subproblems(self) -> int:
        return self.n_classes

    @property
    def n_coefficients(self) -> int:
        return self.n_classes

    def sides(self, subproblem: int) -> tuple[int, int | None]:
        return subproblem, None

    def subproblems(self, codes: NDArray[np.intp]) -> LabelledParts:
        own = codes == np.arange(self.n_classes)[:, np.newaxis]
        return LabelledParts(None, np.where(own, 1.0, -1.0).ravel(), [len(codes)] * self.n_classes)

    def blocks(self, subproblem: int) -> list[tuple[int, int]]:
        return [(subproblem, of_class) for of_class in range(self.n_classes)]

    def collect(self, sums: Floats) -> Floats:
        return np.asarray(sums.sum(axis=0).T)

    def scores(self, values: Floats, *, by_class: bool) -> Floats:
        return values

    def winners(self, values: Floats, *, break_ties: bool) -> NDArray[np.intp]:
        return _largest(values)


@final
class SharedVectors(Scheme):
    """Subproblems without classes that share their support vectors: one, or one for each output of a regression.

    Parameters
    ----------
    n_subproblems : int
        Number of subproblems.
    """

    n_subproblems = 1

    def __init__(self, n_subproblems: int) -> None:
        super().__init__(1)
        self.n_subproblems = n_subproblems

    @property
    def n_coefficients(self) -> int:
        return self.n_subproblems

    def sides(self, subproblem: int) -> tuple[int, int | None]:
        return 0, None

    def subproblems(self, codes: NDArray[np.intp]) -> LabelledParts:
        return LabelledParts(None, np.ones(self.n_subproblems * len(codes)), [len(codes)] * self.n_subproblems)

    def blocks(self, subproblem: int) -> list[tuple[int, int]]:
        return [(subproblem, 0)]

    def collect(self, sums: Floats) -> Floats:
        return np.asarray(sums[0].T)

    def scores(self, values: Floats, *, by_class: bool) -> Floats:
        return values

    def winners(self, values: Floats, *, break_ties: bool) -> NDArray[np.intp]:
        return np.zeros(len(values), dtype=np.intp)


def _largest(values: Floats) -> NDArray[np.intp]:
    """Column of the largest value in each row; the first of a tie."""
    return np.asarray(np.argmax(values, axis=1))


@cache
def scheme_of(n_classes: int, one_vs_rest: bool) -> Scheme:
    """The scheme for K classes; two classes need one binary classifier in any scheme."""
    if n_classes == 2:
        return TwoClasses(n_classes)
    return OneVsRest(n_classes) if one_vs_rest else OneVsOne(n_classes)


def subproblem_names(scheme: Scheme, classes: NDArray[Any]) -> list[str]:
    """Names of the binary classifiers by the classes they separate, positive side first."""
    names = []
    for subproblem in range(scheme.n_subproblems):
        positive, negative = scheme.sides(subproblem)
        names.append(f"{classes[positive]} against {'the rest' if negative is None else classes[negative]}")
    return names
