"""What logistic regression with a kernel says of a model whose scores are differences of very large numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from maxmargin.kernels import Linear
from maxmargin.problems import KernelLogistic
from maxmargin.solution import certify_kernel_logistic
from maxmargin.solution._kernel_logistic import lost_digits


def exact_scores(X: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """``K β`` in fractions."""
    w = [[sum(Fraction(b) * Fraction(x) for b, x in zip(k, column, strict=True)) for column in X.T] for k in beta.T]
    return np.array([[float(sum(Fraction(x) * c for x, c in zip(row, k, strict=True))) for k in w] for row in X])


@pytest.mark.parametrize("size", [1.0, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_losses_at_the_worse_end_of_an_error(seed: int, classes: int, size: float) -> None:
    """Sums of products of 1e12 are off by more than the width of a bend: slopes of rows that seem to be right say nothing."""
    rng = np.random.default_rng(seed)
    n, codes = 24, np.arange(24) % classes
    own = np.eye(classes)[codes]
    X = np.c_[np.full(n, 1e6), own]
    noise = size * rng.normal(size=(n, classes))
    for k in range(classes):  # what cancels in every class, but for rounding
        noise[codes == k] -= noise[codes == k].mean(axis=0)
    beta = noise + 60.0 * (own - 1.0 / classes) * classes / n  # a row's own score is 60 more than the others
    beta = np.ascontiguousarray(beta[:, 1:] - beta[:, :1]) if classes == 2 else beta
    problem = KernelLogistic(X, codes, C=1e6, kernel=Linear())
    bias = -problem.product(beta).mean(axis=0)
    found = certify_kernel_logistic(problem, beta, bias)
    exact = exact_scores(X, beta) + bias
    both = np.concatenate([np.zeros_like(exact), exact], axis=1) if classes == 2 else exact
    lost = 1e6 * (special.logsumexp(both, axis=1) - both[np.arange(n), codes]).sum()
    here = found.primal - 0.5 * float((beta * problem.product(beta)).sum())
    assert lost <= (here + lost_digits(problem, beta, bias)) * (1.0 + 1e-9) + 1e-9 * abs(found.primal)
