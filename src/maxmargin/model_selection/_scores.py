"""The scores of one cell: of a model that is there as its answers only, or of one that is fitted by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.metrics._scorer import _PassthroughScorer, _Scorer
from sklearn.model_selection._validation import _score
from sklearn.pipeline import Pipeline

__all__ = ["known_scores", "plain_scores"]


def known_scores(model: Any, X: Any, y: Any, scorer: Any, params: dict[str, Any]) -> Any:
    """What the scorer says of a model that knows its answers for X alone; None if it asks for more, or fails.

    Accuracy, which most searches ask for, is computed without scikit-learn's checks: they take longer than a small fit.
    """
    if not params and y is not None and _is_accuracy(model, scorer):
        truth = np.asarray(y)
        said = model.predict(X)
        if truth.shape == said.shape and truth.dtype.kind == said.dtype.kind:
            return float(np.mean(said == truth))
    try:
        scores = scorer(model, X, **params) if y is None else scorer(model, X, y, **params)
    except Exception:  # a scorer may do anything; the model that is fitted by itself gets the word
        return None
    if isinstance(scores, dict) and any(isinstance(score, str) for score in scores.values()):
        return None
    return _as_numbers(scores)


def plain_scores(model: Any, X: Any, y: Any, scorer: Any, params: dict[str, Any], error_score: Any) -> Any:
    """The same of a fitted model, with scikit-learn's rules for a scorer that fails."""
    return _score(model, X, y, scorer, params, error_score)


def _is_accuracy(model: Any, scorer: Any) -> bool:
    last = model.steps[-1][1] if isinstance(model, Pipeline) else model
    if type(scorer) is _PassthroughScorer:
        return isinstance(last, ClassifierMixin) and type(last).score is ClassifierMixin.score
    return type(scorer) is _Scorer and scorer._score_func is accuracy_score and not scorer._kwargs and scorer._sign == 1


def _as_numbers(scores: Any) -> Any:
    """Scores as scikit-learn keeps them; None for what is no number, of which it says so."""
    if isinstance(scores, dict):
        found = {name: _as_number(score) for name, score in scores.items()}
        return None if any(score is None for score in found.values()) else found
    return _as_number(scores)


def _as_number(score: Any) -> Any:
    if isinstance(score, np.generic | np.ndarray) and score.size == 1:
        score = score.item()
    return score if isinstance(score, int | float) else None
