"""A search that looks at a grid here and there first, and then where the scores are best."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
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
_PARTS: Final = 2  # of the cells of a line: the dear ones, of a large C, only where the others are promising
_FALLS: Final = 1e-12  # scores that differ by less are the same


@final
class RefinedSearch(SharedFits, _GridSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """A grid of which only some cells are evaluated; ``cv_results_`` has these.

    Every third line along C first, and every fourth cell of it. A line that falls from its first cells to the next is given up
    where it is also below the best line. Then the neighbours of the best cell, until it has none that was not looked at.

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
        starts = [_spread(size, steps) if ordered else list(range(size)) for size, steps, ordered in axes]
        lines = [list(rest) for rest in product(*starts[1:])]
        parts = np.array_split(np.array(starts[0]), _PARTS) if len(starts[0]) > _PARTS else [np.array(starts[0])]
        for part in parts:
            if wanted := self._known([(c, *line) for line in lines for c in part.tolist()], scores):
                yield wanted
            lines = [line for line in lines if self._is_promising(line, scores)]
        while wanted := self._around_best(scores):
            yield wanted

    def _known(self, cells: Sequence[tuple[int, ...]], scores: NDArray[np.float64]) -> list[int]:
        """Places of cells that there are and that have no score yet."""
        places = [self._places[cell] for cell in cells if cell in self._places]
        return sorted(place for place in set(places) if np.isnan(scores[place]))

    def _is_promising(self, line: Sequence[int], scores: NDArray[np.float64]) -> bool:
        """Whether the scores of a line do not fall, or have the best of all."""
        own = np.flatnonzero((self._cells[:, 1:] == np.array(line, dtype=np.intp)).all(axis=1))
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
