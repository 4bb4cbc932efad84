"""The candidates of a search, sorted by what their fits have in common."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple, final

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from maxmargin.estimators import PATHS, path_refusal

__all__ = ["Candidate", "Group", "candidates_of", "groups_of", "last_step", "steps_before"]


@final
class Candidate(NamedTuple):
    """An estimator with its parameters set.

    Attributes
    ----------
    place : int
        Its number among all.
    model : estimator
        Unfitted.
    before, together : hashable
        Equal where the steps before the last are the same, and where all is the same but the parameter of a path.
    refusal : str or None
        Why its fits share nothing.
    """

    place: int
    model: Any
    before: Hashable
    together: Hashable
    refusal: str | None


@final
class Group(NamedTuple):
    """Candidates whose fits go together on every fold."""

    before: Hashable
    members: list[Candidate]


def last_step(model: Any) -> Any:
    """The estimator itself, or the last step of a pipeline."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def steps_before(model: Any) -> Any:
    """The steps of a pipeline before the last; None if there are none."""
    return model[:-1] if isinstance(model, Pipeline) and len(model.steps) > 1 else None


def candidates_of(
    estimator: Any, every: Sequence[Mapping[str, Any]], fit_params: Mapping[str, Any], first: int = 0
) -> list[Candidate]:
    """Each setting of parameters as an estimator; their numbers begin at ``first``."""
    return [_candidate(estimator, place, settings, fit_params) for place, settings in enumerate(every, first)]


def groups_of(candidates: Sequence[Candidate]) -> list[Group]:
    """Those that share something, the steps before the last in turn."""
    found: dict[Hashable, Group] = {}
    for each in candidates:
        if each.refusal is None:
            found.setdefault((each.before, each.together), Group(each.before, [])).members.append(each)
    order = {before: place for place, before in enumerate(dict.fromkeys(group.before for group in found.values()))}
    return sorted(found.values(), key=lambda group: order[group.before])


def _candidate(estimator: Any, place: int, settings: Mapping[str, Any], fit_params: Mapping[str, Any]) -> Candidate:
    model = clone(estimator).set_params(**clone(dict(settings), safe=False))
    refusal = _refusal(model, fit_params)
    if refusal is not None:
        return Candidate(place, model, None, None, refusal)
    own = f"{model.steps[-1][0]}__" if isinstance(model, Pipeline) else ""
    varied = own + PATHS[type(last_step(model))]
    before = [item for item in settings.items() if own and not item[0].startswith(own)]
    before.append(("pairwise", bool(get_tags(model).input_tags.pairwise)))  # rows are cut in another way
    rest = [item for item in settings.items() if item[0] != varied]
    return Candidate(place, model, _key(before), _key(rest), None)


def _refusal(model: Any, fit_params: Mapping[str, Any]) -> str | None:
    last, weights = model, "sample_weight"
    if isinstance(model, Pipeline):
        last, weights = model.steps[-1][1], f"{model.steps[-1][0]}__sample_weight"
    if isinstance(last, Pipeline):
        return "there is a pipeline inside a pipeline"
    if set(fit_params) - {weights}:
        return f"fit is given {', '.join(sorted(set(fit_params) - {weights}))}"
    return path_refusal(last)


def _key(items: Sequence[tuple[str, Any]]) -> Hashable:
    """Settings as something to compare: values that cannot be hashed by who they are."""
    return tuple(sorted((name, _hashable(value)) for name, value in items))


def _hashable(value: Any) -> tuple[str, str]:
    if isinstance(value, str | int | float | bool | None.__class__):
        return type(value).__name__, repr(value)
    return type(value).__name__, str(id(value))
