"""From the solutions of all subproblems to one set of support vectors with coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators._shared._schemes import Scheme
from maxmargin.solution import SolutionBatch

__all__ = ["Assembly", "assemble"]


@final
@dataclass(frozen=True, eq=False)
class Assembly:
    """Support vectors grouped by class, with their coefficients.

    Attributes
    ----------
    rows : ndarray of intp, shape (n_SV,)
        Training rows that support some subproblem: by class, ascending in each.
    n_support : ndarray of int32, shape (K,)
        How many of each class.
    dual : ndarray of float64, shape (n_coefficients, n_SV)
        Signed dual coefficients ``y_i alpha_i``.
    intercept : ndarray of float64, shape (n_subproblems,)
        Offsets.
    """

    rows: NDArray[np.intp]
    n_support: NDArray[np.int32]
    dual: NDArray[np.float64]
    intercept: NDArray[np.float64]


def assemble(scheme: Scheme, codes: NDArray[np.intp], found: SolutionBatch, support: NDArray[np.intp]) -> Assembly:
    """Merge the subproblems.

    Parameters
    ----------
    scheme : Scheme
        Which subproblems there are.
    codes : ndarray of intp
        Class of each training row.
    found : SolutionBatch
        Their answers.
    support : ndarray of intp
        Training row of each of their support vectors.

    Raises
    ------
    InvalidInput
        A coefficient or an offset is not finite.
    """
    assembled = found.by_class(codes, support, scheme.coefficient_rows, scheme.n_coefficients)
    if not (assembled.finite and np.isfinite(found.bias).all()):
        raise InvalidInput(
            "The dual coefficients or intercepts are not finite. The input data may contain large values and"
            " need to be preprocessed, for example by StandardScaler."
        )
    return Assembly(assembled.rows, assembled.n_support, assembled.dual, found.bias)
