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
    "check_real",
    "check_share",
    "reject",
]


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
    return InvalidInput(f"The {name!r} parameter of {owner} must be {expected}. Got {value!r} instead.")


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


def check_integer(name: str, value: Any, owner: str, minimum: int) -> int:
    """Return an integer that is at least ``minimum``."""
    if isinstance(value, Integral) and int(value) >= minimum:
        return int(value)
    raise reject(name, value, owner, f"an int in the range [{minimum}, inf)")


def check_option(name: str, value: Any, owner: str, options: Collection[str]) -> str:
    """Return a string that is one of ``options``."""
    if isinstance(value, str) and value in options:
        return value
    raise reject(name, value, owner, f"a str among {{{', '.join(map(repr, sorted(options)))}}}")


def check_boolean(name: str, value: Any, owner: str) -> bool:
    """Return a bool or a numpy bool as a bool."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise reject(name, value, owner, "an instance of 'bool' or an instance of 'numpy.bool'")


def _number(value: Any) -> float:
    """A real number as a float; everything else as NaN, which is in no range."""
    return float(value) if isinstance(value, Real) else math.nan
