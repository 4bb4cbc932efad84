"""What the parameters of LogisticRegression mean together, in scikit-learn's words of any version."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Final

from maxmargin.errors import InvalidInput
from maxmargin.problems import Penalty
from maxmargin.validation import check_boolean, check_integer, check_option, check_positive, check_share, reject

if TYPE_CHECKING:
    from maxmargin.estimators._linear._logistic import LogisticRegression

__all__ = ["THEIR_SOLVERS", "check_logistic", "penalty_of"]

_OWNER: Final = "LogisticRegression"
_SMOOTH: Final = ("lbfgs", "newton-cg", "newton-cholesky", "sag")
THEIR_SOLVERS: Final = ("liblinear", "saga", *_SMOOTH)
"""scikit-learn's names: what is asked for is the optimum that they search for."""

_PENALTIES: Final = ("auto", "deprecated", "elasticnet", "l1", "l2")


def penalty_of(model: LogisticRegression) -> tuple[Penalty, float]:
    """The penalty that ``penalty``, ``l1_ratio`` and C describe, and the share of absolute values in an elastic net."""
    share = 0.0 if model.l1_ratio is None else float(model.l1_ratio)
    if model.penalty is None or math.inf == model.C:
        return Penalty.NONE, 1.0
    if model.penalty in ("l1", "l2"):
        return Penalty(model.penalty), 1.0
    if share in (0.0, 1.0):
        return (Penalty.L1 if share else Penalty.L2), 1.0
    return Penalty.ELASTIC, share


def check_logistic(model: LogisticRegression) -> None:
    """Raise `InvalidInput` for a parameter, or a combination of several, that is not acceptable."""
    given, share = model.penalty, model.l1_ratio
    if given is not None and not (isinstance(given, str) and given in _PENALTIES):
        raise reject("penalty", given, _OWNER, "a str among {'auto', 'elasticnet', 'l1', 'l2'} or None")
    check_positive("C", model.C, _OWNER, infinite=True)
    if share is not None:
        check_share("l1_ratio", share, _OWNER)
    if given == "elasticnet" and share is None:
        raise InvalidInput(
            "l1_ratio must be specified when penalty is elasticnet. Got l1_ratio=None. Choose one between 0 and 1."
        )
    check_boolean("dual", model.dual, _OWNER)
    check_positive("intercept_scaling", model.intercept_scaling, _OWNER)
    if model.n_jobs is not None:
        check_integer("n_jobs", model.n_jobs, _OWNER, -(2**31), 2**31 - 1)
    check_option("multi_class", model.multi_class, _OWNER, ("auto", "multinomial", "ovr"))
    check_share("threshold", model.threshold, _OWNER)
    penalty = penalty_of(model)[0]
    if given in ("l1", "l2", None) and share not in (None, 0.0, 1.0 if given == "l1" else 0.0):
        warnings.warn(f"penalty={given!r} decides, and l1_ratio={share!r} is not used. Set one of them.", stacklevel=5)
    _check_solver(model, penalty)


def _check_solver(model: LogisticRegression, penalty: Penalty) -> None:
    """scikit-learn's solvers go with the penalties that they have there."""
    name = model.solver if isinstance(model.solver, str) else ""
    if name in _SMOOTH and penalty not in (Penalty.L2, Penalty.NONE):
        raise InvalidInput(
            f"Solver {name} supports only 'l2' or None penalties, got {penalty.value} penalty. Choose solver='saga', or leave"
            " it at 'auto', which has every penalty."
        )
    if name == "liblinear" and penalty is Penalty.ELASTIC:
        raise InvalidInput("Only 'saga' solver supports elasticnet penalty, got solver=liblinear. Or leave it at 'auto'.")
    if name == "liblinear" and penalty is Penalty.NONE:
        raise InvalidInput(
            "C=np.inf as well as penalty=None is not supported for the liblinear solver: it penalises the offset, and without a"
            " penalty there is none. Leave solver at 'auto'."
        )
    if name == "liblinear" and model.multi_class == "multinomial":
        raise InvalidInput("solver='liblinear' has no multi_class='multinomial'. Choose another solver, or multi_class='ovr'.")
    if model.dual and (name != "liblinear" or penalty is not Penalty.L2):
        raise InvalidInput(
            f"dual=True goes with solver='liblinear' and the penalty 'l2', got solver={model.solver!r} and penalty"
            f" {penalty.value!r}. Leave dual=False: it does not change the answer."
        )
