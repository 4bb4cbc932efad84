"""Whether an answer of the playground is Python's."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from ._python import kernel_of, solutions_of


def check_same(asked: dict[str, Any], answer: dict[str, Any]) -> None:
    """Status, objectives, gap, offset and, where they are unique, coefficients and support vectors of every subproblem."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that nothing is separated, which the status says too
        expected = solutions_of(asked)
    for k, (rows, solution) in enumerate(expected):
        ours, theirs = answer["parts"][k]["certificate"], solution.certificate
        assert ours["status"] == theirs.status.name
        if ours["status"] == "INFEASIBLE":
            _check_proof(answer["parts"][k]["columns"], asked)
            continue
        size = max(1.0, abs(theirs.primal_objective))
        assert ours["primal"] == pytest.approx(theirs.primal_objective, abs=1e-6 * size)
        assert ours["dual"] == pytest.approx(theirs.dual_objective, abs=1e-6 * size)
        assert ours["gap"] == pytest.approx(theirs.gap, abs=1e-6 * size)
        if np.ndim(solution.bias):
            _check_joint(answer, solution, asked)
        elif ours["status"] == "CONVERGED":
            _check_coefficients(asked, answer["parts"][k], len(rows), solution)


def _check_coefficients(asked: dict[str, Any], part: dict[str, Any], n: int, solution: Any) -> None:
    bias = part["certificate"]["bias"]
    low, high = solution.bias_interval
    assert low - 1e-6 <= bias <= high + 1e-6
    assert bias == pytest.approx(solution.bias, abs=1e-6 * max(1.0, abs(solution.bias)))
    if not _is_unique(asked):
        return
    alpha, found = np.zeros(n), np.array(part["columns"]["alpha"])
    alpha[solution.support] = np.abs(solution.beta)
    largest = max(1.0, float(alpha.max()))
    np.testing.assert_allclose(found, alpha, rtol=0.0, atol=1e-6 * largest)
    small = 1e-9 * largest
    assert np.flatnonzero(found > small).tolist() == np.flatnonzero(alpha > small).tolist()


def _is_unique(asked: dict[str, Any]) -> bool:
    """Whether the kernel matrix of distinct rows is positive definite, or the ridge makes it so."""
    return asked["squared"] or asked["kernel"]["kind"] in ("rbf", "sum")


def _check_joint(answer: dict[str, Any], solution: Any, asked: dict[str, Any]) -> None:
    biases = [part["certificate"]["bias"] for part in answer["parts"]]
    np.testing.assert_allclose(biases, solution.bias, rtol=0.0, atol=2e-6)
    if not _is_unique(asked):
        return
    for k, part in enumerate(answer["parts"]):
        beta, found = np.zeros(solution.n), np.array(part["columns"]["alpha"])
        beta[solution.support] = 2.0 * np.abs(solution.coefficients[:, k])
        np.testing.assert_allclose(found, beta, rtol=0.0, atol=1e-6)
        assert np.flatnonzero(found > 1e-7).tolist() == np.flatnonzero(beta > 1e-7).tolist()


def _check_proof(columns: dict[str, Any], asked: dict[str, Any]) -> None:
    """Two means of rows are the same point, by the kernel matrix."""
    X = np.array(asked["x"]).reshape(-1, asked["columns"])
    weight, y = np.array(columns["weight"]), np.array(columns["y"])
    assert (weight >= 0.0).all()
    if asked["offset"]:
        assert weight[y > 0].sum() == pytest.approx(1.0)
        assert weight[y < 0].sum() == pytest.approx(1.0)
    else:
        assert weight.sum() == pytest.approx(1.0)
    every = np.arange(len(X), dtype=np.int32)
    K = kernel_of(asked["kernel"]).bind(X).gram(X).block(every, every)
    assert math.sqrt(max(0.0, float(y * weight @ K @ (y * weight)))) < 1e-6 * math.sqrt(float(np.abs(K).max()))
