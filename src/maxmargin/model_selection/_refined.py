"""A search that looks at a grid here and there first, and then where the scores are best."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV as _GridSearchCV
from sklearn.model_selection import ParameterGrid

from maxmargin.model_selection._search import SharedFits

__all__ = ["RefinedSearch", "Rounds"]

Rounds = Generator[list[dict[str, Any]], NDArray[np.float64], None]

_APART: Final = 3  # steps of the grid between the lines that are looked at first,
_ALONG: Final = 4  # and between the cells of a line
_FALLS: Final = 1e-12  # scores that differ by less are the same


@final
class RefinedSearch(SharedFits, _GridSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """A grid of which only some cells are evaluated; ``cv_results_`` has these.

    Every third line along C first, and of it the cell in the middle and one before it. Then the best of these lines and those
    next to it: every fourth cell with a larger C, as long as scores do not fall or are the best of all, and of the best line
    also those with a smaller C. Then the neighbours of the best cell, until it has none that was not looked at.

    Parameters
    ----------
    estimator : estimator
        What to fit.
    param_grid : list of dict
        The grid, as in `GridSearchCV`.
    along : str
        The parameter of the paths.
    scoring, cv, verbose, refit, client
        As in `GridSearchCV`.

    Attributes
    ----------
    places_ : list of int
        Which cells of the grid, in the order of ``ParameterGrid``, were evaluated, in the order of ``cv_results_``.
    """

    keep_best = False

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        along: str = "C",
        *,
        scoring: Any = None,
        cv: Any = None,
        verbose: int = 0,
        refit: Any = True,
        client: Any = None,
    ) -> None:
        super().__init__(estimator, param_grid, scoring=scoring, cv=cv, verbose=verbose, refit=refit)
        self.along = along
        self.client = client

    def _rounds(self) -> Rounds:
        every = list(ParameterGrid(self.param_grid))
        lattice = _Lattice(every, self.along)
        self.places_: list[int] = []
        scores = np.full(len(every), np.nan)
        for wanted in lattice.rounds(scores):
            self.places_ += wanted
            scores[wanted] = yield [every[place] for place in wanted]


@final
class _Lattice:
    """The cells of a grid by their coordinates: the ranks of their numbers; what is no number is an axis without neighbours."""

    def __init__(self, every: Sequence[Mapping[str, Any]], along: str) -> None:
        names = sorted({name for each in every for name in each})
        names = [along, *(name for name in names if name != along)]
        columns, self._sizes, self._is_ordered = [], [], []
        for name in names:
            values = [each.get(name) for each in every]
            ordered = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
            distinct: list[Any] = sorted(set(values)) if ordered else _distinct(values)
            columns.append([distinct.index(value) for value in values])
            self._sizes.append(len(distinct))
            self._is_ordered.append(ordered)
        self._cells = np.array(columns, dtype=np.intp).T
        self._places = {tuple(cell): place for place, cell in enumerate(self._cells.tolist())}

    def rounds(self, scores: NDArray[np.float64]) -> Generator[list[int], None, None]:
        """Which cells to evaluate next, in the light of the scores so far."""
        apart = [_ALONG, *[_APART] * (len(self._sizes) - 1)]
        axes = zip(self._sizes, apart, self._is_ordered, strict=True)
        along, *across = [_spread(size, steps) if ordered else list(range(size)) for size, steps, ordered in axes]
        lines = list(product(*across))
        middle = len(along) // 2
        if wanted := self._known(product(along[max(middle - 1, 0) : middle + 1], *across), scores):
            yield wanted
        best = self._best_line(lines, scores)
        near = [line for line in lines if self._is_near(line, best, across)]
        for place in range(middle + 1, max(len(along), middle + 2)):
            higher = [(c, *line) for c in along[place : place + 1] for line in near if self._is_promising(line, scores)]
            if wanted := self._known([*higher, *((c, *best) for c in along[:middle])], scores):
                yield wanted
        while wanted := self._around_best(scores):
            yield wanted

    def _best_line(self, lines: Sequence[tuple[int, ...]], scores: NDArray[np.float64]) -> tuple[int, ...]:
        """The line with the best score so far."""
        reached = np.where(np.isnan(scores), -np.inf, scores)
        best = [max((reached[place] for place in self._on_line(line)), default=-np.inf) for line in lines]
        return lines[int(np.argmax(best))]

    def _is_near(self, line: Sequence[int], best: Sequence[int], across: Sequence[list[int]]) -> bool:
        """Whether a line is the best, or next to it among the first lines: of what is no number, any value is next."""
        steps = zip(across, line, best, self._is_ordered[1:], strict=True)
        return all(not ordered or abs(axis.index(own) - axis.index(other)) <= 1 for axis, own, other, ordered in steps)

    def _on_line(self, line: Sequence[int]) -> list[int]:
        """Places of the cells of a line."""
        return np.flatnonzero((self._cells[:, 1:] == np.array(line, dtype=np.intp)).all(axis=1)).tolist()

    def _known(self, cells: Iterable[tuple[int, ...]], scores: NDArray[np.float64]) -> list[int]:
        """Places of cells that there are and that have no score yet."""
        places = [self._places[cell] for cell in cells if cell in self._places]
        return sorted(place for place in set(places) if np.isnan(scores[place]))

    def _is_promising(self, line: Sequence[int], scores: NDArray[np.float64]) -> bool:
        """Whether the scores of a line do not fall, or have the best of all."""
        own = np.array(self._on_line(line), dtype=np.intp)
        own = own[np.argsort(self._cells[own, 0])]
        seen = scores[own][~np.isnan(scores[own])]
        if len(seen) < 2:
            return True
        return bool(seen[-1] >= seen[-2] - _FALLS or seen.max() >= np.nanmax(scores) - _FALLS)

    def _around_best(self, scores: NDArray[np.float64]) -> list[int]:
        """Neighbours of the best cell that were not evaluated: of cells that are equal, of the one in their middle."""
        if np.isnan(scores).all():
            return []
        best = np.flatnonzero(scores >= np.nanmax(scores) - _FALLS)
        cells = self._cells[best]
        centre = cells[np.argmin(np.abs(cells - np.median(cells, axis=0)).sum(axis=1))]
        steps = [(-1, 0, 1) if ordered else (0,) for ordered in self._is_ordered]
        return self._known([tuple((centre + np.array(step)).tolist()) for step in product(*steps)], scores)


def _spread(size: int, apart: int) -> list[int]:
    """About every value so many steps apart; the first and the last are not among them where there are more than three."""
    count = -(-size // apart)
    return sorted({round(float(at)) for at in np.linspace(min(1, size - 1), max(size - 2, 0), count)})


def _distinct(values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(value is each or value == each for each in found):
            found.append(value)
    return found
