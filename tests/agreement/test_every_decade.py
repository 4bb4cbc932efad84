"""Every set at every decade of C from 1e-3 to 1e6: the certificate itself proves that nobody's dual can be better.

By weak duality no feasible point has a dual objective above our primal objective. So where the relative gap of each binary
classifier
is at most 1e-7, our dual cannot be below scikit-learn's by more, whether or not scikit-learn ends there. ``test_sets``
checks on part of this grid that certificates are true.
"""

from __future__ import annotations

import pytest

from maxmargin import SVC
from maxmargin.solution import Status

from .._data import BUNDLED, PUBLIC, load
from ._cases import C_GRID, TOL, gamma_parameter

DUAL_RTOL = 1e-7
"""Our dual objective may be below the optimum by this share, no more."""


@pytest.mark.parametrize("name", [*BUNDLED, *PUBLIC])
def test_no_dual_objective_can_be_better(name: str) -> None:
    data = load(name)
    for C in C_GRID:
        model = SVC(C=C, gamma=gamma_parameter(data), tol=TOL).fit(data.X, data.y)
        assert model.status_ is Status.CONVERGED, C
        for solution in model.solutions_:
            assert solution.certificate.relative_gap <= DUAL_RTOL, (C, solution.certificate)
            assert solution.certificate.kkt_violation <= TOL, (C, solution.certificate)
