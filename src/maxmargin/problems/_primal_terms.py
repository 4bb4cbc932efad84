"""What a linear model is told by names: its penalty, what that needs, and its offset."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

from maxmargin.errors import InvalidInput
from maxmargin.problems._soft_margin import Offset
from maxmargin.validation import check_positive, check_share, reject

__all__ = ["Penalty", "as_bound", "as_offset", "as_penalty", "as_share"]


class Penalty(Enum):
    """The penalty on large weights."""

    L2 = "l2"
    """``½|w|²``"""
    L1 = "l1"
    """``|w|₁ = Σ|w_k|``: weights that do not earn their cost are exactly 0."""
    ELASTIC = "elasticnet"
    """``ρ|w|₁ + (1 − ρ)/2 |w|²`` with ``ρ = l1_ratio``: also 0, and features that are alike share their weight."""
    BALL = "ball"
    """No penalty, but the constraint ``|w|² ≤ B``: the constrained form."""
    NONE = "none"
    """No penalty: the loss alone, which need not have a minimum."""


def as_penalty(penalty: Any, owner: str) -> Penalty:
    """A penalty from its name, None, or itself.

    Examples
    --------
    >>> from maxmargin.problems._primal_terms import as_penalty
    >>> as_penalty("l2", owner="PrimalProblem"), as_penalty(None, owner="PrimalProblem")
    (<Penalty.L2: 'l2'>, <Penalty.NONE: 'none'>)
    """
    if isinstance(penalty, Penalty):
        return penalty
    if penalty is None:
        return Penalty.NONE
    names = [member.value for member in Penalty if member is not Penalty.NONE]
    if isinstance(penalty, str) and penalty in names:
        return Penalty(penalty)
    raise reject("penalty", penalty, owner, f"a str among {{{', '.join(map(repr, names))}}} or None")


def as_bound(B: Any, penalty: Penalty, owner: str) -> float:
    """B of a ball, infinite without one; raises where one is missing, or not for this penalty.

    Examples
    --------
    >>> from maxmargin.problems import Penalty
    >>> from maxmargin.problems._primal_terms import as_bound
    >>> as_bound(4.0, Penalty.BALL, owner="PrimalProblem"), as_bound(None, Penalty.L2, owner="PrimalProblem")
    (4.0, inf)
    """
    if penalty is Penalty.BALL:
        return check_positive("B", B, owner)
    if B is not None:
        raise reject("B", B, owner, "None where the penalty is not 'ball'")
    return math.inf


def as_share(l1_ratio: Any, penalty: Penalty, owner: str) -> float:
    """ρ of an elastic net, 1 without one; raises where one is missing, or not for this penalty.

    Examples
    --------
    >>> from maxmargin.problems import Penalty
    >>> from maxmargin.problems._primal_terms import as_share
    >>> as_share(0.5, Penalty.ELASTIC, owner="PrimalProblem"), as_share(None, Penalty.L2, owner="PrimalProblem")
    (0.5, 1.0)
    """
    if penalty is not Penalty.ELASTIC:
        if l1_ratio is not None:
            raise reject("l1_ratio", l1_ratio, owner, "None where the penalty is not 'elasticnet'")
        return 1.0
    wanted = "a float in the range (0.0, 1.0): at its ends the penalty is 'l2' or 'l1'"
    try:
        share = check_share("l1_ratio", l1_ratio, owner)
    except InvalidInput:
        raise reject("l1_ratio", l1_ratio, owner, wanted) from None
    if share in (0.0, 1.0):
        raise reject("l1_ratio", l1_ratio, owner, wanted)
    return share


def as_offset(offset: Any, owner: str) -> Offset:
    if isinstance(offset, Offset):
        return offset
    if offset is None:
        return Offset.NONE
    if isinstance(offset, str) and offset in (Offset.FREE.value, Offset.PENALISED.value):
        return Offset(offset)
    raise reject("offset", offset, owner, "a str among {'free', 'penalised'} or None")
