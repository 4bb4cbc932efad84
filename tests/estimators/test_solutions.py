"""The solutions of every kernel estimator: each tells all that a solution can tell, and which solver made it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from maxmargin import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, solve
from maxmargin.kernels import RBF, Precomputed
from maxmargin.problems import CrammerSinger, Margin
from maxmargin.solution import CrammerSingerSolution
from maxmargin.solvers import ProjectedGradient

X, y = load_iris(return_X_y=True)
GRAM = X @ X.T

ESTIMATORS: dict[str, tuple[Any, Any, Any, str]] = {
    "SVC": (SVC(), X, y, "SMO"),
    "SVC of two classes": (SVC(), X[:100], y[:100], "SMO"),
    "SVC, one against the rest": (SVC(multi_class="ovr"), X, y, "SMO"),
    "SVC, another solver": (SVC(solver=ProjectedGradient()), X, y, "ProjectedGradient"),
    "SVC, joint": (SVC(multi_class="joint"), X, y, "CrammerSingerDescent"),
    "SVC, joint, linear": (SVC(multi_class="joint", kernel="linear"), X, y, "CrammerSingerDescent"),
    "SVC, joint, precomputed": (SVC(multi_class="joint", kernel="precomputed"), GRAM, y, "CrammerSingerDescent"),
    "NuSVC": (NuSVC(nu=0.3), X, y, "SMO"),
    "SVR": (SVR(), X, X[:, 0] + y, "SMO"),
    "NuSVR": (NuSVR(), X, X[:, 0] + y, "SMO"),
    "OneClassSVM": (OneClassSVM(nu=0.2), X, None, "SMO"),
    "SVDD": (SVDD(nu=0.2), X, None, "SMO"),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_solution_tells_all(name: str) -> None:
    model, rows, target, solver = ESTIMATORS[name]
    model = pickle.loads(pickle.dumps(model.fit(rows, target)))
    for solution in model.solutions_:
        assert solution.solver == solver
        assert solution.kkt.largest <= 0.1
        assert solution.slack.shape == (len(rows),)
        assert solution.alpha.shape[0] == len(rows)
        assert (solution.slack >= 0.0).all()
        if isinstance(solution, CrammerSingerSolution) or isinstance(solution.slack_rule, Margin):
            assert solution.margin > 0.0
            assert solution.taxonomy.shape == (len(rows),)
        if model.kernel != "precomputed":
            assert len(solution.predict(rows)) == len(solution.decision_function(rows)) == len(rows)


@pytest.mark.parametrize("weight", [None, "some"])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_a_joint_estimator_tells_what_its_problem_tells(kernel: str, weight: str | None) -> None:
    """Of the rows that it did not keep too: they have neither slack nor multipliers."""
    rows = X if kernel == "rbf" else RBF(gamma=0.5).bind(X).gram(X).block(*[np.arange(len(X), dtype=np.int32)] * 2)
    weights = None if weight is None else np.where(np.arange(len(X)) % 7 == 0, 0.5, 1.0)
    model = SVC(multi_class="joint", C=3.0, kernel=kernel, gamma=0.5, tol=1e-6).fit(rows, y, sample_weight=weights)
    (kept,) = model.solutions_
    own = RBF(gamma=0.5) if kernel == "rbf" else Precomputed()
    whole = solve(CrammerSinger(rows, y, C=3.0, kernel=own, sample_weight=weights), tol=1e-6)
    np.testing.assert_allclose(kept.slack, whole.slack, atol=1e-6)
    np.testing.assert_allclose(kept.alpha, whole.alpha, atol=1e-6)
    np.testing.assert_array_equal(kept.taxonomy, whole.taxonomy)
    assert kept.margin == pytest.approx(whole.margin, rel=1e-6)
    assert kept.kkt.largest <= max(1.01 * whole.kkt.largest, 1e-6)
