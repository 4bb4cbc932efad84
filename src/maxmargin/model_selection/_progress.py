"""How far a search is."""

from __future__ import annotations

import time
from typing import Any, final

import numpy as np

from maxmargin.model_selection._cells import Cells

__all__ = ["Progress"]


@final
class Progress:
    """Prints how far a search is, and its best candidate so far."""

    def __init__(self, search: Any, n_candidates: int, n_splits: int, cells: Cells, metric: Any) -> None:
        self._verbose = search.verbose
        self.n_candidates = n_candidates
        self._n_splits = n_splits
        self._cells = cells
        self._metric = metric if isinstance(metric, str) else None
        self._begun = time.perf_counter()
        if self._verbose > 0:
            fits = n_candidates * n_splits
            print(f"Fitting {n_splits} folds for each of {n_candidates} candidates, totalling {fits} fits", flush=True)

    def __call__(self, finished: int) -> None:
        if self._verbose <= 0:
            return
        seconds = time.perf_counter() - self._begun
        print(f"[maxmargin] {finished}/{self.n_candidates} candidates, {seconds:.1f} s{self._best()}", flush=True)

    @property
    def means(self) -> Any:
        """The mean score of each candidate so far."""
        return np.array([_number(each, self._metric) for each in self._cells.out]).reshape(-1, self._n_splits).mean(axis=1)

    def _best(self) -> str:
        scores = self.means
        if np.isnan(scores).all():
            return ""
        best = int(np.nanargmax(scores))
        return f", best so far {scores[best]:.4f} of candidate {best}"


def _number(out: dict[str, Any] | None, metric: str | None) -> float:
    score = np.nan if out is None else out["test_scores"]
    if isinstance(score, dict):
        score = score[metric] if metric in score else next(iter(score.values()))
    return float(score)
