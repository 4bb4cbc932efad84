"""From a problem to its certified solution: choose a solver, run it, certify the answer, warn or raise."""

from maxmargin._solve._batch import solve_batch
from maxmargin._solve._blocks import BlockPasses, Execute, TimeOver, solve_blocks
from maxmargin._solve._linear_paths import solve_linear_path, solve_linear_paths, together
from maxmargin._solve._solve import solve
from maxmargin._solve._warnings import interrupted, warning_of, worst_warning

__all__ = [
    "BlockPasses",
    "Execute",
    "TimeOver",
    "interrupted",
    "solve",
    "solve_batch",
    "solve_blocks",
    "solve_linear_path",
    "solve_linear_paths",
    "together",
    "warning_of",
    "worst_warning",
]
