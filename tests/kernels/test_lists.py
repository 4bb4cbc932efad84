"""Every kernel and loss is in each list that it must be in: a name that is forgotten in one of them fails here."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from typing import Any

import pytest

from maxmargin import kernels, losses
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Kernel, Precomputed, UserFunction, as_kernel

from ..contracts._registry import COMBINATIONS, KERNELS, OBJECTS
from .test_algebra import NAMES

OF_SCIKIT_LEARN = {"linear", "poly", "rbf", "sigmoid", "precomputed"}


def _public(room: Any, base: type) -> set[type]:
    classes = [each for name in room.__all__ if inspect.isclass(each := getattr(room, name))]
    return {each for each in classes if issubclass(each, base) and not inspect.isabstract(each)}


def _parts(kernel: Kernel) -> set[type]:
    """The class of a kernel, and those of its parts."""
    inside = [getattr(kernel, field.name) for field in fields(kernel)]  # type: ignore[arg-type]
    return {type(kernel)}.union(*(_parts(each) for each in inside if isinstance(each, Kernel)))


def _names() -> set[str]:
    """What ``kernel=`` takes, as its message lists them."""
    with pytest.raises(InvalidInput) as error:
        as_kernel("no such kernel")
    listed = re.search(r"among \[(.*?)\]", str(error.value))
    assert listed is not None
    return set(re.findall(r"'(\w+)'", listed[1]))


def test_the_laws_run_over_every_kernel() -> None:
    cases: list[Any] = [*KERNELS, *COMBINATIONS, *OBJECTS]
    tested = set().union(*(_parts(case.kernel) for case in cases))
    assert _public(kernels, Kernel) - tested == {Precomputed, UserFunction}  # a matrix and a function have tests of their own


def test_files_hold_every_kernel_but_functions_and_every_loss() -> None:
    assert _public(kernels, Kernel) - set(kernels.STORED.values()) == {UserFunction}
    assert _public(losses, losses.Loss) == set(losses.STORED.values())


def test_every_name_is_documented_and_tested() -> None:
    names = _names()
    assert names == set(NAMES) | OF_SCIKIT_LEARN
    assert {name for name in names if f'"{name}"' not in str(as_kernel.__doc__)} == set()
