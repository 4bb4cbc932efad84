"""Checks of scalar parameters, in scikit-learn's one message form.

``The 'C' parameter of SVC must be a float in the range (0.0, inf). Got -1 instead.``
"""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np

from maxmargin.errors import InvalidInput

__all__ = [
    "check_boolean",
    "check_fraction",
    "check_integer",
    "check_non_negative",
    "check_option",
    "check_positive",
    "check_random_seed",
    "check_real",
    "check_share",
    "reject",
]

_BEYOND_FLOATS = 1 << 1024
_LARGEST_SEED = 2**32 - 1
# Builtins first: to ask an abstract class takes ten times as long, and a fit checks two dozen parameters.
_INTEGERS = (int, Integral, np.bool_)
_REALS = (float, int, Real, np.bool_)
_BOOLEANS = (bool, np.bool_)


def reject(name: str, value: object, owner: str, expected: str) -> InvalidInput:
    """Build the error for a parameter that is not what it must be.

    Parameters
    ----------
    name : str
        Name of the parameter.
    value : object
        What was got.
    owner : str
        Name of the class the parameter belongs to.
    expected : str
        What it must be, as a noun phrase: "a float in the range (0.0, inf)".
    """
    return InvalidInput(f"The {name!r} parameter of {owner} must be {expected}. Got {_shown(value)} instead.")


def check_positive(name: str, value: Any, owner: str, *, infinite: bool = False) -> float:
    """Return a positive number as a float; infinity passes only if ``infinite``."""
    number = _number(value)
    if 0.0 < number < math.inf or (infinite and number == math.inf):
        return number
    raise reject(name, value, owner, f"a float in the range (0.0, inf{']' if infinite else ')'}")


def check_non_negative(name: str, value: Any, owner: str) -> float:
    """Return a finite number that is at least zero, as a float."""
    number = _number(value)
    if 0.0 <= number < math.inf:
        return number
    raise reject(name, value, owner, "a float in the range [0.0, inf)")


def check_fraction(name: str, value: Any, owner: str) -> float:
    """Return a number above 0 and at most 1, as a float."""
    number = _number(value)
    if 0.0 < number <= 1.0:
        return number
    raise reject(name, value, owner, "a float in the range (0.0, 1.0]")


def check_real(name: str, value: Any, owner: str) -> float:
    """Return a finite number as a float."""
    number = _number(value)
    if math.isfinite(number):
        return number
    raise reject(name, value, owner, "a float in the range (-inf, inf)")


def check_share(name: str, value: Any, owner: str) -> float:
    """Return a number from 0 to 1, as a float."""
    number = _number(value)
    if 0.0 <= number <= 1.0:
        return number
    raise reject(name, value, owner, "a float in the range [0.0, 1.0]")


def check_integer(name: str, value: Any, owner: str, minimum: int, maximum: int | None = None) -> int:
    """Return an integer from ``minimum`` to ``maximum``, both included; None is no maximum."""
    if isinstance(value, _INTEGERS) and int(value) >= minimum and (maximum is None or int(value) <= maximum):
        return int(value)
    raise reject(name, value, owner, f"an int in the range [{minimum}, {'inf)' if maximum is None else f'{maximum}]'}")


def check_option(name: str, value: Any, owner: str, options: Collection[str]) -> str:
    """Return a string that is one of ``options``."""
    if isinstance(value, str) and value in options:
        return value
    raise reject(name, value, owner, f"a str among {{{', '.join(map(repr, sorted(options)))}}}")


def check_boolean(name: str, value: Any, owner: str) -> bool:
    """Return a bool or a numpy bool as a bool."""
    if isinstance(value, _BOOLEANS):
        return bool(value)
    raise reject(name, value, owner, "an instance of 'bool' or an instance of 'numpy.bool'")


def check_random_seed(value: Any, owner: str) -> None:
    """Raise for what is not a source of randomness."""
    if value is None or isinstance(value, np.random.RandomState):
        return
    if isinstance(value, Integral) and 0 <= int(value) <= _LARGEST_SEED:
        return
    raise reject(
        "random_state",
        value,
        owner,
        f"an int in the range [0, {_LARGEST_SEED}], an instance of 'numpy.random.mtrand.RandomState' or None",
    )


def _number(value: Any) -> float:
    """A real number as a float; everything else, and what is too large for one, as NaN, which is in no range."""
    try:
        return float(value) if isinstance(value, _REALS) else math.nan
    except OverflowError:
        return math.nan


def _shown(value: object) -> str:
    """What was got, for a message; an integer beyond all floats is not spelled out: it may have millions of digits."""
    if isinstance(value, int) and abs(value) >= _BEYOND_FLOATS:
        return f"an int of about {int(value.bit_length() * math.log10(2.0)) + 1} digits, larger than any float,"
    return repr(value)
