"""The feature maps that files may hold."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.feature_maps",
    {
        "_fourier": "RandomFourier",
        "_gaussian": "GaussianSeries",
        "_landmark_map": "LandmarkMap",
        "_nystroem": "Nystroem",
        "_polynomial": "Multinomial QuadraticForm SecondOrder WeightedSecondOrder",
        "_unweighted": "Affine Monomials Powers Squares",
    },
)
