from typing import Any

import numpy as np
from numpy.typing import NDArray

# K v for each row v.
def matrix_products(matrix: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]: ...

# Cosines of angles and, beside them, as many sines as there is room for; false if an angle is not finite.
def write_harmonics(angles: NDArray[np.float64], scale: float, out: NDArray[Any]) -> bool: ...
