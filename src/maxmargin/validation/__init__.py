"""The porch: arrays, labels, weights and parameters come in here and leave as one frozen `TrainingSet`.

Everything behind this room may rely on what it hands over: contiguous float rows without NaN, canonical CSR,
labels that are numbers, weights that are positive.
"""

from __future__ import annotations

from maxmargin.validation._arrays import (
    FLOATS,
    ObjectRows,
    Rows,
    canonical,
    converted,
    feature_matrix,
    is_ready,
    length,
    object_rows,
    refuse_sparse_kernel,
    require_square,
    rows_are_objects,
    same_rows,
    shape,
    take_rows,
    takes_objects,
)
from maxmargin.validation._labels import LABEL_KINDS, encode, label_column, target_column, target_columns
from maxmargin.validation._memory import cache_bytes
from maxmargin.validation._parameters import (
    check_boolean,
    check_fraction,
    check_integer,
    check_non_negative,
    check_option,
    check_positive,
    check_random_seed,
    check_real,
    check_share,
    reject,
)
from maxmargin.validation._training_set import TrainingSet, WeightedRows, labelled_set, training_set, weighted_rows
from maxmargin.validation._weights import balanced_weights, class_weights, positive_weights
from maxmargin.validation._wording import as_invalid_input, rows_as_invalid_input

__all__ = [
    "FLOATS",
    "LABEL_KINDS",
    "ObjectRows",
    "Rows",
    "TrainingSet",
    "WeightedRows",
    "as_invalid_input",
    "balanced_weights",
    "cache_bytes",
    "canonical",
    "check_boolean",
    "check_fraction",
    "check_integer",
    "check_non_negative",
    "check_option",
    "check_positive",
    "check_random_seed",
    "check_real",
    "check_share",
    "class_weights",
    "converted",
    "encode",
    "feature_matrix",
    "is_ready",
    "label_column",
    "labelled_set",
    "length",
    "object_rows",
    "positive_weights",
    "refuse_sparse_kernel",
    "reject",
    "require_square",
    "rows_are_objects",
    "rows_as_invalid_input",
    "same_rows",
    "shape",
    "take_rows",
    "takes_objects",
    "target_column",
    "target_columns",
    "training_set",
    "weighted_rows",
]
