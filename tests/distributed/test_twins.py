"""Parameters and documentation of the distributed estimators are those of their local twins."""

from __future__ import annotations

import inspect
import pydoc
from typing import Any

import pytest
from sklearn.base import clone

from maxmargin import ApproximateSVC, LinearSVC, LinearSVR, LogisticRegression
from maxmargin.distributed import DaskApproximateSVC, DaskLinearSVC, DaskLinearSVR, DaskLogisticRegression
from maxmargin.kernels import RBF

TWINS: list[tuple[Any, Any, set[str]]] = [
    (DaskLinearSVC, LinearSVC, set()),
    (DaskLinearSVR, LinearSVR, {"interval"}),
    (DaskLogisticRegression, LogisticRegression, set()),
    (DaskApproximateSVC, ApproximateSVC, {"warm_start"}),
]


@pytest.mark.parametrize(("ours", "theirs", "without"), TWINS)
def test_parameters_are_those_of_the_twin(ours: Any, theirs: Any, without: set[str]) -> None:
    params, before = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert list(params) == [*(name for name in before if name not in without), "client"]
    assert all(params[name].default == before[name].default for name in params if name != "client")
    assert ours().get_params() == {**{k: v for k, v in theirs().get_params().items() if k not in without}, "client": None}


@pytest.mark.parametrize(("ours", "theirs", "without"), TWINS)
def test_every_parameter_is_told_once(ours: Any, theirs: Any, without: set[str]) -> None:
    text = inspect.getdoc(ours)
    assert text is not None
    told = text.split("Parameters\n----------\n")[1].split("\n\nAttributes\n")[0]
    names = [line.split(" :")[0] for line in told.splitlines() if not line.startswith(" ")]
    assert names == list(inspect.signature(ours).parameters)
    assert not any(f"\n{name} :" in text for name in without)
    shown = pydoc.plain(pydoc.render_doc(ours))
    assert "client : distributed.Client or None" in shown
    assert "tol: 'float' = 0.0001" in shown


@pytest.mark.parametrize(("ours", "theirs", "without"), TWINS)
def test_clone_repr_and_set_params(ours: Any, theirs: Any, without: set[str]) -> None:
    model = ours(C=3.0, tol=1e-3)
    assert repr(model) == f"{ours.__name__}(C=3.0, tol=0.001)"
    again = clone(model).set_params(C=4.0)
    assert (again.C, again.tol, model.C) == (4.0, 1e-3, 3.0)
    with pytest.raises(TypeError, match=rf"{ours.__name__}.__init__\(\) got an unexpected keyword argument 'nonsense'"):
        ours(nonsense=1)


def test_kernels_are_cloned() -> None:
    model = DaskApproximateSVC(kernel=RBF(gamma=0.5))
    again = clone(model)
    assert again.kernel is not model.kernel
    assert again.set_params(kernel__gamma=2.0).kernel.gamma == 2.0
    assert model.kernel.gamma == 0.5
