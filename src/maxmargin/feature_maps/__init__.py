"""The maps φ behind kernels, written out as features: ``<φ(u), φ(v)> = k(u, v)``.

Each is a scikit-learn transformer whose ``kernel`` is the object of `maxmargin.kernels` with the same inner products. A map
needs as many numbers for a row as it has features, d² and more; its kernel needs d multiplications for a value.
"""

from maxmargin.feature_maps._base import FeatureMap
from maxmargin.feature_maps._gaussian import GaussianSeries
from maxmargin.feature_maps._polynomial import Multinomial, QuadraticForm, SecondOrder, WeightedSecondOrder
from maxmargin.feature_maps._unweighted import Affine, Monomials, Powers, Squares

__all__ = [
    "Affine",
    "FeatureMap",
    "GaussianSeries",
    "Monomials",
    "Multinomial",
    "Powers",
    "QuadraticForm",
    "SecondOrder",
    "Squares",
    "WeightedSecondOrder",
]
