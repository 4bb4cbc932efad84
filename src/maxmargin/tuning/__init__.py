"""One call from raw rows to a fitted pipeline: scaling, kernel family and parameters chosen by cross-validation."""

from maxmargin.tuning._tune import tune
from maxmargin.tuning._tuned import Stage, TunedPipeline

__all__ = ["Stage", "TunedPipeline", "tune"]
