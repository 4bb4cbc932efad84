"""Every message about a scalar parameter."""

import re

import numpy as np
import pytest

from maxmargin.errors import InvalidInput
from maxmargin.validation import (
    check_boolean,
    check_fraction,
    check_integer,
    check_non_negative,
    check_option,
    check_positive,
    check_real,
)


def message(expected, got):
    return "^" + re.escape(f"The 'p' parameter of Owner must be {expected}. Got {got!r} instead.") + "$"


@pytest.mark.parametrize("value", [1, 0.5, np.float32(2.0), np.int64(3)])
def test_positive_numbers_become_floats(value):
    got = check_positive("p", value, "Owner")
    assert type(got) is float
    assert got == value


@pytest.mark.parametrize("value", [0, -1, -1.0, np.inf, np.nan, "1", None, 1j, np.ones(1)])
def test_what_is_not_positive(value):
    with pytest.raises(InvalidInput, match=message("a float in the range (0.0, inf)", value)):
        check_positive("p", value, "Owner")


def test_infinity_can_be_allowed():
    assert check_positive("p", np.inf, "Owner", infinite=True) == np.inf
    with pytest.raises(InvalidInput, match=message("a float in the range (0.0, inf]", -1)):
        check_positive("p", -1, "Owner", infinite=True)


def test_non_negative():
    assert check_non_negative("p", 0, "Owner") == 0.0
    for value in (-1e-9, np.inf, np.nan, "scale"):
        with pytest.raises(InvalidInput, match=message("a float in the range [0.0, inf)", value)):
            check_non_negative("p", value, "Owner")


def test_fraction():
    assert check_fraction("p", 1, "Owner") == 1.0
    assert type(check_fraction("p", np.float32(0.5), "Owner")) is float
    for value in (0, -0.1, 1.0000001, np.nan, np.inf, "0.5", None):
        with pytest.raises(InvalidInput, match=message("a float in the range (0.0, 1.0]", value)):
            check_fraction("p", value, "Owner")


def test_real():
    assert check_real("p", -3, "Owner") == -3.0
    for value in (np.inf, -np.inf, np.nan, "0"):
        with pytest.raises(InvalidInput, match=message("a float in the range (-inf, inf)", value)):
            check_real("p", value, "Owner")


def test_integer():
    assert check_integer("p", np.int32(-1), "Owner", -1) == -1
    for value in (-2, 1.0, "1"):
        with pytest.raises(InvalidInput, match=message("an int in the range [-1, inf)", value)):
            check_integer("p", value, "Owner", -1)


def test_option():
    assert check_option("p", "ovo", "Owner", ("ovr", "ovo")) == "ovo"
    for value in ("OVO", 1, None):
        with pytest.raises(InvalidInput, match=message("a str among {'ovo', 'ovr'}", value)):
            check_option("p", value, "Owner", ("ovr", "ovo"))


def test_boolean():
    assert check_boolean("p", np.True_, "Owner") is True
    expected = "an instance of 'bool' or an instance of 'numpy.bool'"
    for value in (1, "True", None):
        with pytest.raises(InvalidInput, match=message(expected, value)):
            check_boolean("p", value, "Owner")


def test_a_maximum_can_be_set():
    assert check_integer("p", 5, "Owner", 0, 5) == 5
    with pytest.raises(InvalidInput, match=message("an int in the range [0, 5]", 6)):
        check_integer("p", 6, "Owner", 0, 5)


@pytest.mark.parametrize("check", [check_positive, check_non_negative, check_fraction, check_real])
def test_an_integer_beyond_all_floats_is_no_float(check):
    with pytest.raises(InvalidInput, match=r"The 'p' parameter of Owner must be .* Got an int of about 401 digits"):
        check("p", 10**400, "Owner")
