"""Kernels that divide by lengths, of rows whose squared lengths are near the ends of what floating point holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, kernels
from maxmargin.errors import InvalidInput


@pytest.mark.parametrize("size", [1e-140, 1e-100, 1e100, 1e150])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "kernel", [kernels.Cosine(), kernels.Linear().normalised(), kernels.Tanimoto(), kernels.Cosine() + kernels.RBF(gamma=0.0)]
)
def test_kernels_of_directions_at_any_length(kernel: Any, container: Any, size: float) -> None:
    """Squared lengths are numbers, their products are not."""
    rows = np.random.default_rng(0).integers(-4, 5, size=(7, 3)).astype(float) + 0.5
    np.testing.assert_allclose(kernel(container(size * rows)), kernel(rows), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("name", ["Cosine", "Tanimoto", "Normalised"])
def test_lengths_that_cannot_be_squared_are_refused(name: str, container: Any) -> None:
    kernel = kernels.Linear().normalised() if name == "Normalised" else getattr(kernels, name)()
    rows = container(np.array([[1.0, 2.0], [0.0, 0.0], [1e-310, 0.0]]))
    with pytest.raises(InvalidInput, match=rf"{name} divides by .* row 2"):
        SVC(kernel=kernel).fit(rows, [0, 1, 1])
    model = SVC(kernel=kernel).fit(rows[:2], [0, 1])
    with pytest.raises(InvalidInput, match=rf"{name} divides by .* row 0"):
        model.predict(rows[2:])
