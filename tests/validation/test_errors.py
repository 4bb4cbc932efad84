"""The tree of exceptions."""

import pickle

import pytest

from maxmargin import errors


@pytest.mark.parametrize(
    ("child", "parents"),
    [
        (errors.InvalidInput, (errors.MaxmarginError, ValueError)),
        (errors.KernelError, (errors.InvalidInput, ValueError)),
        (errors.InfeasibleError, (errors.MaxmarginError,)),
        (errors.MissingExtra, (errors.MaxmarginError, ImportError)),
        (errors.FitInterrupted, (KeyboardInterrupt,)),
        (errors.FeatureScaleWarning, (UserWarning,)),
        (errors.IndefiniteKernelWarning, (UserWarning,)),
    ],
)
def test_parents(child, parents):
    assert issubclass(child, parents)
    assert all(issubclass(child, parent) for parent in parents)


def test_an_interrupt_is_not_swallowed_by_except_exception():
    assert not issubclass(errors.FitInterrupted, Exception)


def test_every_exception_stands_in_the_drawing():
    for name in errors.__all__:
        assert name in errors.__doc__


@pytest.mark.parametrize("kind", [errors.InfeasibleError, errors.FitInterrupted])
def test_the_solution_is_carried_and_survives_a_pickle(kind):
    error = kind("the reason", {"bias": 1.0})
    assert str(error) == "the reason"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.solution) == ("the reason", {"bias": 1.0})
