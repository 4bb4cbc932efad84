"""The maps φ behind kernels, written out as features: ``<φ(u), φ(v)> = k(u, v)``.

Each is a scikit-learn transformer whose ``kernel`` is the object of `maxmargin.kernels` with the same inner products. A map
needs as many numbers for a row as it has features, d² and more; its kernel needs d multiplications for a value.
`Nystroem` and `RandomFourier` make as many features as one wants, whose inner products are nearly those of a kernel.
"""

from maxmargin.feature_maps._base import FeatureMap
from maxmargin.feature_maps._errors import ApproximationError
from maxmargin.feature_maps._fourier import RandomFourier
from maxmargin.feature_maps._gaussian import GaussianSeries
from maxmargin.feature_maps._landmark_map import LandmarkMap as LandmarkMap
from maxmargin.feature_maps._landmark_map import landmark_map as landmark_map
from maxmargin.feature_maps._landmarks import LANDMARKS as LANDMARKS
from maxmargin.feature_maps._nystroem import Nystroem
from maxmargin.feature_maps._polynomial import Multinomial, QuadraticForm, SecondOrder, WeightedSecondOrder
from maxmargin.feature_maps._stored import STORED as STORED
from maxmargin.feature_maps._unweighted import Affine, Monomials, Powers, Squares

__all__ = [
    "Affine",
    "ApproximationError",
    "FeatureMap",
    "GaussianSeries",
    "Monomials",
    "Multinomial",
    "Nystroem",
    "Powers",
    "QuadraticForm",
    "RandomFourier",
    "SecondOrder",
    "Squares",
    "WeightedSecondOrder",
]
