"""Calibrators against scikit-learn's, against a general optimiser, and by what must not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from maxmargin.calibrators import Calibrator, Isotonic, Pairs, Platt, Sigmoids, Temperature
from maxmargin.errors import InvalidInput


def _two(n: int = 400, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    scores = 2.0 * rng.normal(size=n)
    return scores, (rng.random(n) < 1.0 / (1.0 + np.exp(0.4 - 1.3 * scores))).astype(np.intp)


def _many(n: int = 300, classes: int = 4, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    return np.eye(classes)[codes] + 0.8 * rng.normal(size=(n, classes)), codes


def _pairs_of(scores: Any) -> Any:
    classes = scores.shape[1]
    return np.stack([scores[:, i] - scores[:, j] for i in range(classes) for j in range(i + 1, classes)], axis=1)


def _entropy(log_probabilities: Any, codes: Any) -> float:
    return float(-log_probabilities[np.arange(len(codes)), codes].mean())


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_platt_is_the_minimum_of_its_cross_entropy(unit: float) -> None:
    """Logistic regression without a penalty, of rows that count for both classes by their targets."""
    scores, codes = _two()
    many, few = np.sum(codes == 1), np.sum(codes == 0)
    target = np.where(codes == 1, (many + 1) / (many + 2), 1 / (few + 2))
    X, y = np.concatenate([scores, scores])[:, np.newaxis], np.repeat([1, 0], len(codes))
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10000).fit(X, y, np.concatenate([target, 1 - target]))
    platt = Platt.fit(unit * scores, codes)
    assert platt.slope * unit == pytest.approx(peer.coef_[0, 0], rel=1e-5)
    assert platt.offset == pytest.approx(peer.intercept_[0], rel=1e-5)


def test_platt_of_separated_scores_is_finite_and_of_equal_scores_the_share() -> None:
    codes = np.repeat([0, 1], [30, 10])
    apart = Platt.fit(np.where(codes == 1, 1.0, -1.0), codes)
    assert apart.probabilities(np.array([1.0]))[0, 1] == pytest.approx(11 / 12, rel=1e-6)
    assert apart.probabilities(np.array([-1.0]))[0, 1] == pytest.approx(1 / 32, rel=1e-6)
    same = Platt.fit(np.zeros(40), codes)
    assert same.probabilities(np.zeros(1))[0, 1] == pytest.approx((10 * 11 / 12 + 30 / 32) / 40, rel=1e-6)


def test_platt_keeps_its_tails() -> None:
    logs = Platt(slope=1.0, offset=0.0).log_probabilities(np.array([-1000.0, 1000.0]))
    assert np.allclose(logs, [[0.0, -1000.0], [-1000.0, 0.0]])


@pytest.mark.parametrize("classes", [3, 6])
def test_temperature_is_the_minimum_of_its_cross_entropy(classes: int) -> None:
    scores, codes = _many(classes=classes)
    apart = np.abs(scores - scores[np.arange(len(codes)), codes][:, np.newaxis]).sum() / len(codes) / (classes - 1)
    row = np.eye(classes)[0] * apart

    def loss(scale: Any) -> float:
        own = -log_softmax(scale[0] * scores, axis=1)[np.arange(len(codes)), codes].sum()
        return float(own - log_softmax(scale[0] * row).mean())

    peer = minimize(loss, [1.0], method="BFGS", options={"gtol": 1e-9})
    assert Temperature.fit(scores, codes).scale == pytest.approx(peer.x[0], rel=1e-5)


def test_temperature_stays_finite_and_is_0_for_scores_that_mislead() -> None:
    codes = np.arange(30) % 3
    sure = Temperature.fit(np.eye(3)[codes], codes)
    assert 0.9 < sure.probabilities(np.eye(3))[0, 0] < 1.0 - 1e-3
    assert Temperature.fit(-np.eye(3)[codes], codes).scale == 0.0
    assert Temperature.fit(np.zeros((30, 3)), codes).scale == 0.0


def test_pairs_that_agree_are_coupled_to_their_probabilities() -> None:
    """With ``l_ij = log p_i − log p_j`` the coupled probabilities are p."""
    p = np.array([0.5, 0.3, 0.15, 0.05])
    scores = _pairs_of(np.log(p)[np.newaxis])
    pairs = Pairs(np.ones(6), np.zeros(6), 1.0)
    assert np.allclose(pairs.probabilities(scores), p, atol=1e-14)


def test_pairs_find_probabilities_that_are_known() -> None:
    rng = np.random.default_rng(1)
    logits = 1.5 * rng.normal(size=(20000, 3))
    truth = np.exp(log_softmax(logits, axis=1))
    codes = (rng.random((20000, 1)) > np.cumsum(truth, axis=1)).sum(axis=1)
    pairs = Pairs.fit(0.1 * _pairs_of(logits), codes)
    assert np.abs(pairs.probabilities(0.1 * _pairs_of(logits)) - truth).mean() < 0.01


def test_pairs_far_out_do_not_overflow() -> None:
    scores, codes = _many()
    pairs = Pairs.fit(_pairs_of(scores), codes)
    far = pairs.log_probabilities(1e6 * _pairs_of(scores))
    assert np.isfinite(far).all()
    assert np.allclose(np.exp(far).sum(axis=1), 1.0)


def test_isotonic_is_scikit_learns() -> None:
    scores, codes = _two()
    weight = np.random.default_rng(2).random(len(codes))
    peer = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(scores, codes, sample_weight=weight)
    new = np.linspace(-9.0, 9.0, 101)
    assert np.allclose(Isotonic.fit(scores, codes, weight).probabilities(new)[:, 1], peer.predict(new))


def test_isotonic_gives_equal_shares_to_rows_that_no_class_wants() -> None:
    codes = np.arange(30) % 3
    isotonic = Isotonic.fit(np.eye(3)[codes], codes)
    assert np.allclose(isotonic.probabilities(np.full((1, 3), -5.0)), 1 / 3)


@pytest.mark.parametrize("kind", [Platt, Temperature, Pairs, Sigmoids, Isotonic])
def test_a_weight_is_a_number_of_copies(kind: type[Calibrator]) -> None:
    scores, codes = _two() if kind is Platt else _many()
    scores = _pairs_of(scores) if kind is Pairs else scores
    copies = np.random.default_rng(3).integers(1, 4, len(codes))
    by_weight = kind.fit(scores, codes, copies.astype(np.float64)).probabilities(scores)
    by_copies = kind.fit(np.repeat(scores, copies, axis=0), np.repeat(codes, copies)).probabilities(scores)
    assert np.allclose(by_weight, by_copies, atol=1e-7)
    assert np.allclose(by_weight.sum(axis=1), 1.0)
    assert not np.allclose(by_weight, kind.fit(scores, codes).probabilities(scores), atol=1e-4)


@pytest.mark.parametrize("kind", [Temperature, Sigmoids, Isotonic])
def test_calibrators_of_many_classes_tell_more_than_shares(kind: type[Calibrator]) -> None:
    scores, codes = _many(n=2000)
    later, known = _many(n=2000, seed=5)
    shares = np.bincount(codes) / len(codes)
    with np.errstate(divide="ignore"):
        found = np.log(np.maximum(kind.fit(scores, codes).probabilities(later), 1e-12))
    assert _entropy(found, known) < 0.8 * float(-np.log(shares[known]).mean())


@pytest.mark.parametrize(
    ("kind", "scores", "codes", "words"),
    [
        (Platt, np.zeros((4, 2)), np.arange(4) % 2, "one score for each row"),
        (Platt, np.zeros(3), np.arange(4) % 2, "Got 3 and 4"),
        (Platt, np.array([0.0, np.nan]), np.arange(2), "finite scores"),
        (Temperature, np.zeros(4), np.arange(4) % 2, "a score for each class"),
        (Pairs, np.zeros((6, 2)), np.arange(6) % 3, "each pair of 3 classes"),
    ],
)
def test_messages(kind: type[Calibrator], scores: Any, codes: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        kind.fit(scores, codes)
