"""Support vectors as the core reads them, from prediction to prediction."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from maxmargin.kernels import FeatureKernel, as_features

__all__ = ["HeldVectors", "readable"]


@final
class HeldVectors:
    """How the core reads dense support vectors, found at the first prediction: that takes longer than to predict a row.

    Parameters
    ----------
    vectors : ndarray
        The support vectors of a fitted model. Where the model has been given others, nothing is held.
    """

    def __init__(self, vectors: Any) -> None:
        self._vectors = vectors
        self._features: Any = None

    def of(self, vectors: Any) -> Any:
        """These vectors for the core."""
        if vectors is not self._vectors:
            return vectors
        if self._features is None:
            self._features = as_features(vectors)
        return self._features


def readable(held: HeldVectors | None, kernel: Any, vectors: Any) -> Any:
    """Support vectors for ``kernel.weighted_sums``: what is held of them where the kernel reads dense features."""
    suits = held is not None and isinstance(kernel, FeatureKernel) and isinstance(vectors, np.ndarray) and vectors.ndim == 2
    return held.of(vectors) if suits and held is not None else vectors
