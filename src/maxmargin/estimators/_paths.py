"""Which estimators have fits that go together along a path, and how to make one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from maxmargin._deadline import Deadline
from maxmargin.estimators._kernel._joined_folds import FoldRows, join_folds
from maxmargin.estimators._kernel._paths import KERNEL_PATHS, KernelPath, kernel_path_refusal, solve_kernel_paths
from maxmargin.estimators._linear._paths import LINEAR_PATHS, LinearPath, linear_path_refusal, solve_linear_paths_of
from maxmargin.estimators._shared._paths import FitPath

__all__ = ["PATHS", "FoldRows", "join_paths", "path_of", "path_refusal", "solve_paths"]

PATHS: Final[dict[Any, str]] = {**KERNEL_PATHS, **LINEAR_PATHS}
"""The parameter that grows along the path of each estimator."""


def path_refusal(model: Any) -> str | None:
    """Why fits of this estimator do not go together; None if they do."""
    if type(model) in KERNEL_PATHS:
        return kernel_path_refusal(model)
    if type(model) in LINEAR_PATHS:
        return linear_path_refusal(model)
    return f"{type(model).__name__} is not one of {', '.join(sorted(kind.__name__ for kind in PATHS))}"


def path_of(models: Sequence[Any], X: Any, y: Any, sample_weight: Any) -> FitPath:
    """The path of models that are alike but for the parameter of `PATHS`, on these rows; raises as their fits would."""
    path = KernelPath if type(models[0]) in KERNEL_PATHS else LinearPath
    return path(models, X, y, sample_weight)


def join_paths(
    paths: Sequence[FitPath], folds: Sequence[FoldRows], X: Any, y: Any, sample_weight: Any, fewest: int = 2
) -> bool:
    """Let the paths of the same models on folds of the same rows share what they can, if they are so many; whether they do."""
    kernel_paths = [path for path in paths if isinstance(path, KernelPath)]
    return len(kernel_paths) == len(paths) and join_folds(kernel_paths, folds, X, y, sample_weight, fewest)


def solve_paths(paths: Sequence[FitPath], deadline: Deadline | None = None) -> bool:
    """Search all paths that are not solved yet, in parallel; True if Ctrl-C ended that.

    What was found until then, or until the deadline, is there.
    """
    deadline = deadline or Deadline()
    if solve_linear_paths_of([path for path in paths if isinstance(path, LinearPath)], deadline):
        return True
    return solve_kernel_paths([path for path in paths if isinstance(path, KernelPath)], deadline)
