"""The kernels that files may hold: all but functions."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.kernels",
    {
        "_chi_squared": "ChiSquared",
        "_cosine": "Cosine",
        "_feature_kernel": "FeatureKernel",
        "_intersection": "Intersection",
        "_laplacian": "Laplacian",
        "_linear": "Linear",
        "_matern": "Matern",
        "_min_max": "MinMax",
        "_normalised": "BoundNormalised Normalised",
        "_on_columns": "BoundOnColumns OnColumns",
        "_polynomial": "Polynomial",
        "_power": "BoundPower Power",
        "_precomputed": "Precomputed PrecomputedKernel",
        "_product": "BoundProduct Product",
        "_quadratic": "Quadratic",
        "_rational_quadratic": "RationalQuadratic",
        "_rbf": "RBF",
        "_scaled": "BoundScaled Scaled",
        "_sigmoid": "Sigmoid",
        "_sum": "BoundSum Sum",
        "_tanimoto": "Tanimoto",
        "_objects._bags": "BoundRelational BoundSet RelationalKernel SetKernel",
        "_objects._graphs": "BoundLabels BoundPaths ShortestPath WeisfeilerLehman",
        "_objects._positions": "BoundWeightedDegree WeightedDegree",
        "_objects._series": "BoundAlignment GlobalAlignment",
        "_objects._spectrum": "BoundKmers GappedKmer Mismatch Spectrum",
        "_objects._subsequence": "BoundSubsequence GappySubsequence",
    },
)
