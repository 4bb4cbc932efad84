"""Two arithmetics with one face: 80-bit floats for speed, 120 decimal digits to be sure.

Arrays of both are numpy arrays: of ``longdouble``, or of ``decimal.Decimal`` objects. Formulas written with ``+ − * / @``,
whole numbers, ``np.maximum`` and the functions below hold for both. A verdict against the library is given only if the second
says the same as the first.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["DEEP", "LONG", "Digits", "precise"]

_PRECISE = decimal.Context(prec=120, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN, traps=[decimal.InvalidOperation])


class Digits:
    """An arithmetic: how numbers are made, and the functions that numpy does not have for both."""

    name = "long"

    def of(self, values: Any) -> np.ndarray:
        """An array of floats, without rounding."""
        return np.asarray(values, dtype=np.longdouble)

    def exp(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(x)

    def log(self, x: np.ndarray) -> np.ndarray:
        return np.log(x)

    def log1p(self, x: np.ndarray) -> np.ndarray:
        return np.log1p(x)

    def sqrt(self, x: Any) -> Any:
        return np.sqrt(x)

    def tanh(self, x: np.ndarray) -> np.ndarray:
        return np.tanh(x)


class _Deep(Digits):
    """Decimals; whole numbers mix with them, floats do not."""

    name = "deep"

    def of(self, values: Any) -> np.ndarray:
        given = np.asarray(values)
        if given.dtype == object:
            return given
        flat = np.empty(given.size, dtype=object)
        for place, value in enumerate(given.ravel()):
            flat[place] = _decimal(value)
        return flat.reshape(given.shape)

    def exp(self, x: np.ndarray) -> np.ndarray:
        return _each(x, lambda v: v.exp(_PRECISE))

    def log(self, x: np.ndarray) -> np.ndarray:
        return _each(x, lambda v: v.ln(_PRECISE))

    def log1p(self, x: np.ndarray) -> np.ndarray:
        return _each(x, lambda v: (1 + v).ln(_PRECISE))

    def sqrt(self, x: Any) -> Any:
        return _each(x, lambda v: v.sqrt(_PRECISE)) if isinstance(x, np.ndarray) else x.sqrt(_PRECISE)

    def tanh(self, x: np.ndarray) -> np.ndarray:
        return _each(x, lambda v: (1 - (-2 * v).exp()) / (1 + (-2 * v).exp()))


def _decimal(value: Any) -> decimal.Decimal:
    """The exact value of a float or of a longdouble, which is a sum of two floats."""
    if isinstance(value, np.longdouble) and np.isfinite(value):
        high = float(value)
        if np.isfinite(high) and (high != 0.0 or value == 0.0):
            return _PRECISE.add(decimal.Decimal(high), decimal.Decimal(float(value - np.longdouble(high))))
        mantissa, exponent = np.frexp(value)
        return _PRECISE.multiply(_decimal(mantissa), _PRECISE.power(decimal.Decimal(2), int(exponent)))
    return decimal.Decimal(float(value))


def _each(x: Any, function: Callable[[Any], Any]) -> np.ndarray:
    given = np.asarray(x, dtype=object)
    found = np.empty(given.size, dtype=object)
    for place, value in enumerate(given.ravel()):
        found[place] = function(value)
    return found.reshape(given.shape)


LONG = Digits()
DEEP = _Deep()


def precise() -> Any:
    """The context of all deep arithmetic."""
    return decimal.localcontext(_PRECISE)
