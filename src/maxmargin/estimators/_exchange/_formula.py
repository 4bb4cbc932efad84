"""What a fitted model computes, as numbers that other languages can be written from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._approximate._model import ApproximateModel
from maxmargin.estimators._kernel._logistic import KernelLogisticRegression
from maxmargin.estimators._kernel._one_class import ROUNDING
from maxmargin.estimators._linear._classifier import LinearScores
from maxmargin.estimators._linear._one_class import LinearOneClassSVM
from maxmargin.estimators._linear._svr import LinearSVR
from maxmargin.estimators._shared._expansion import expansion_of
from maxmargin.kernels import KernelFormula, formula_of

__all__ = ["ModelFormula", "model_formula"]

Floats = NDArray[np.float64]
_ORDINARY: Final = np.array([-1, 1])


@final
@dataclass(frozen=True, eq=False)
class ModelFormula:
    """``f_t(x) = Σ_i B_ti k(v_i, x) + b_t``, or ``<w_t, x> + b_t``, and how values become a prediction.

    Attributes
    ----------
    kernel : KernelFormula or None
        k; None for weights.
    vectors : ndarray of shape (n, d) or None
        v; None for weights.
    weights : ndarray of shape (T, n) or (T, d)
        B, or w.
    offsets : ndarray of shape (T,)
        b.
    n_features : int
        d.
    half_diagonal : bool
        Whether values are less by half of ``k(x, x)``.
    vote : str
        "value": the values are the prediction. "sign": the second label where f ≥ `level`. "largest": the label of the largest
        value. "pairs": each value is a vote for the first of its pair if above 0, else for the second.
    classes : ndarray or None
        The labels.
    pairs : list of (int, int)
        The two classes of each value, for "pairs".
    by_class : bool
        Whether the scores of "pairs" are votes of classes, with ties broken by their sums.
    break_ties : bool
        Whether "pairs" predicts the largest of these scores.
    level : float
        Where "sign" changes.
    one_class : bool
        Whether it tells ordinary rows, 1, from others, −1.
    """

    kernel: KernelFormula | None
    vectors: Floats | None
    weights: Floats
    offsets: Floats
    n_features: int
    half_diagonal: bool = False
    vote: str = "value"
    classes: NDArray[Any] | None = None
    pairs: tuple[tuple[int, int], ...] = ()
    by_class: bool = True
    break_ties: bool = False
    level: float = 0.0
    one_class: bool = False


def model_formula(model: Any) -> ModelFormula:
    """The numbers of a fitted estimator whose rows are vectors.

    Raises
    ------
    InvalidInput
        It is no function of vectors that these numbers could tell; the message says why.
    """
    check_is_fitted(model)
    if isinstance(model, LinearScores | LinearSVR | LinearOneClassSVM) or "coef_" in vars(model):
        weights = model._dense_weights() if hasattr(model, "_dense_weights") else model.coef_
        return _voted(model, None, None, np.atleast_2d(np.asarray(weights, dtype=np.float64)), model.intercept_)
    if isinstance(model, KernelLogisticRegression):
        return _voted(model, model._kernel, model.support_vectors_, model.dual_coef_, model.intercept_)
    if isinstance(model, ApproximateModel):
        return _voted(model, model._kernel, model.landmarks_, np.atleast_2d(model.landmark_coef_), model.intercept_)
    found = expansion_of(model)
    if found is None and hasattr(model, "steps"):
        raise InvalidInput(
            "A Pipeline is no function of vectors and coefficients. Write its last step, model[-1], and do what its other steps"
            " do where the rows come from: StandardScaler is (x − mean_) / scale_."
        )
    if found is None:
        raise InvalidInput(
            f"A {type(model).__name__} is no function of vectors and coefficients. Estimators that predict are: kernel models,"
            " linear models, models on landmarks."
        )
    formula = _voted(model, found.kernel, found.vectors, found.coefficients, found.offsets, half=found.half_diagonal)
    pairs = tuple((first, second) for first, second in found.sides if second is not None)
    if len(found.sides) < 2 or len(pairs) != len(found.sides):
        return formula
    return _as_pairs(model, formula, pairs)


def _as_pairs(model: Any, formula: ModelFormula, pairs: tuple[tuple[int, int], ...]) -> ModelFormula:
    by_class = getattr(model, "decision_function_shape", "ovr") == "ovr"
    return ModelFormula(
        formula.kernel,
        formula.vectors,
        formula.weights,
        formula.offsets,
        formula.n_features,
        vote="pairs",
        classes=formula.classes,
        pairs=pairs,
        by_class=by_class,
        break_ties=bool(getattr(model, "break_ties", False)),
    )


def _voted(model: Any, kernel: Any, vectors: Any, weights: Any, offsets: Any, *, half: bool = False) -> ModelFormula:
    bare = np.asarray(weights.toarray() if sparse.issparse(weights) else weights, dtype=np.float64)
    tree: KernelFormula | None = None
    held: Any = None
    if kernel is not None:
        tree = formula_of(kernel)
        held = np.asarray(vectors.toarray() if sparse.issparse(vectors) else vectors, dtype=np.float64)
        if tree.name == "linear" and not half:
            tree, held, bare = None, None, np.asarray(bare @ held)
    offset = np.asarray(offsets, dtype=np.float64).ravel()
    vote, classes, level, one_class = "value", None, 0.0, False
    if hasattr(model, "classes_"):
        classes = np.asarray(model.classes_)
        vote = "sign" if len(classes) == 2 else "largest"
        threshold = getattr(model, "threshold", 0.5)
        level = math.log(threshold / (1.0 - threshold)) if 0.0 < threshold < 1.0 else math.copysign(math.inf, threshold - 0.5)
    elif hasattr(model, "offset_"):
        vote, classes, level, one_class = "sign", _ORDINARY, -ROUNDING * abs(float(offset[0])), True
    shape = int(model.n_features_in_)
    return ModelFormula(tree, held, bare, offset, shape, half, vote, classes, level=level, one_class=one_class)
