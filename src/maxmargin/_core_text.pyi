import numpy as np
from numpy.typing import NDArray

# Rows of the text format of SVMlight and LIBSVM, in CSR, with indices as they are written.
class SvmlightRows:
    labels: NDArray[np.float64]
    values: NDArray[np.float64]
    columns: NDArray[np.int32]
    starts: NDArray[np.int64]
    queries: NDArray[np.int64]
    # The first fault, "" if there is none, its line from 1 and its byte from 0.
    fault: str
    line: int
    at: int

def read_svmlight(text: NDArray[np.uint8]) -> SvmlightRows: ...
