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


def test_an_infeasible_problem_carries_its_proof_through_a_pickle():
    error = errors.InfeasibleError("the reason", {"bias": 1.0})
    assert str(error) == "the reason"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.solution) == ("the reason", {"bias": 1.0})


def test_an_interrupt_makes_its_solution_when_asked():
    asked = []
    error = errors.FitInterrupted("stopped", lambda: asked.append(1) or "solution")
    assert str(error) == "stopped"
    assert asked == []
    assert error.solution == "solution"
    assert errors.FitInterrupted().solution is None


def test_an_interrupt_crosses_processes_without_its_solution():
    again = pickle.loads(pickle.dumps(errors.FitInterrupted("stopped", lambda: "solution")))
    assert (str(again), again.solution) == ("stopped", None)
