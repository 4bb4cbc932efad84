"""LogisticRegression in float32: what is promised holds for scores as they are given, rounded to float32."""

import numpy as np
import pytest

from maxmargin import LogisticRegression
from maxmargin.solution import Status


def _objective(model: LogisticRegression, X: np.ndarray, y: np.ndarray) -> np.longdouble:
    """``½|w|² + C Σ log(1 + e^−yf)`` of the scores that the model gives."""
    margin = np.where(y == 1, 1, -1) * model.decision_function(X).astype(np.longdouble)
    weights = model.coef_.astype(np.longdouble)
    return (weights * weights).sum() / 2 + model.C * np.logaddexp(0, -margin).sum()


@pytest.mark.parametrize(("tol", "dtype"), [(1e-3, np.float32), (1e-9, np.float64)])
def test_weights_are_float32_only_where_their_scores_keep_the_gap(tol: float, dtype: type) -> None:
    rng = np.random.default_rng(0)
    X = (rng.standard_t(1.5, size=(60, 4)) * 20.0).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=60) * 40.0 > 0).astype(int)
    model = LogisticRegression(C=50.0, tol=tol).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.coef_.dtype == dtype
    assert model.decision_function(X).dtype == dtype
    floor = np.longdouble(model.certificate_.dual_objective)
    assert _objective(model, X, y) - floor <= tol * _objective(model, X, y)
