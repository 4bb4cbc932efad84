"""A certified search as the estimators that choose their own parameters make it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from maxmargin.errors import InvalidInput
from maxmargin.estimators import SVC
from maxmargin.kernels import as_kernel, takes_matrix
from maxmargin.model_selection._certified import Certified, Guarantee, search_interval
from maxmargin.problems import Offset
from maxmargin.validation import class_weights, feature_matrix, label_column, labelled_set, object_rows, takes_objects

__all__ = ["CertifiedSearch", "certified_search"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class CertifiedSearch:
    """What a search leaves behind, by the names of `GridSearchCV`."""

    guarantee_: Guarantee
    cv_results_: dict[str, Any]
    n_splits_: int
    best_index_: int
    best_params_: dict[str, Any]
    best_estimator_: Any
    shared_: str
    gaps_: NDArray[np.float64]


def certified_search(
    owner: Any, base: SVC, X: Any, y: Any, values: Vector, others: list[dict[str, Any]], sample_weight: Any, groups: Any
) -> CertifiedSearch:
    """Search between the smallest and the largest C with a proof; fit the best to all rows.

    Parameters
    ----------
    owner : SVCCV
        Whose search it is; its ``Cs_`` become those that were solved for.
    base : SVC
        What is fitted.
    X, y, sample_weight, groups
        What ``fit`` was given.
    values : ndarray
        Values of C, of which the first and the last are the ends of the interval.
    others : list of dict
        The setting of the kernel; one.
    """
    settings = owner.search if isinstance(owner.search, Certified) else Certified()
    _refuse(owner, values, others)
    kernel_settings = others[0]
    base.set_params(**kernel_settings)
    chosen = as_kernel(base.kernel, gamma=base.gamma, coef0=base.coef0, degree=base.degree, owner=type(owner).__name__)
    rows = object_rows(X) if takes_objects(chosen.input_kind, X) else feature_matrix(X, pairwise=takes_matrix(base.kernel))
    data = labelled_set(rows, label_column(y, rows), sample_weight)
    if len(data.classes) != 2:
        raise InvalidInput(f"search='certified' needs two classes. Got {len(data.classes)}: {data.classes.tolist()}.")
    if data.kept is not None:
        raise InvalidInput("search='certified' needs rows that all have weight. Leave out those with sample_weight 0.")
    labels = np.where(data.codes == 1, 1.0, -1.0)
    splits = [
        (np.sort(np.asarray(train, dtype=np.intp)), np.asarray(test, dtype=np.intp))
        for train, test in check_cv(owner._folds(base, y), y, classifier=True).split(rows, data.classes[data.codes], groups)
    ]
    weights = []
    for train, _ in splits:
        factors = class_weights(owner.class_weight, data.classes, data.codes[train], data.weight[train], type(owner).__name__)
        weights.append(factors[data.codes[train]] * data.weight[train])
    offset = Offset.FREE if base.fit_intercept else Offset.NONE
    gram = chosen.bind(data.X).gram(data.X)
    found = search_interval(gram, labels, splits, weights, offset, (float(values[0]), float(values[-1])), settings)
    if owner.verbose > 0:
        print(f"[maxmargin] {found}", flush=True)
    begun = time.perf_counter()
    best = base.set_params(C=found.C).fit(X, y, sample_weight)
    owner.Cs_ = found.Cs
    return CertifiedSearch(
        guarantee_=found,
        cv_results_=_results(found, kernel_settings, time.perf_counter() - begun),
        n_splits_=found.folds,
        best_index_=int(np.flatnonzero(found.Cs == found.C)[0]),
        best_params_={"C": found.C, **kernel_settings},
        best_estimator_=best,
        shared_=f"{found.n_solutions} solutions share one matrix of kernel values, and each begins between its neighbours.",
        gaps_=found.gaps,
    )


def _refuse(owner: Any, values: Vector, others: list[dict[str, Any]]) -> None:
    if len(others) != 1:
        raise InvalidInput(
            f"search='certified' proves something of one kernel and an interval of C. Got {len(others)} settings of the kernel:"
            " give one value, as in gammas=[0.1]."
        )
    if len(values) < 2 or not values[0] > 0.0:
        raise InvalidInput(f"search='certified' needs Cs with the two ends of an interval. Got Cs={owner.Cs!r}.")
    if owner.client is not None:
        raise InvalidInput(
            "search='certified' goes from C to C in one process. Got a client: leave it out, or choose search='grid'."
        )
    if owner.scoring not in (None, "accuracy"):
        raise InvalidInput(f"search='certified' proves something of the accuracy. Got scoring={owner.scoring!r}.")
    if owner.one_standard_error:
        raise InvalidInput("search='certified' takes the best C. Got one_standard_error=True, which takes another one.")


def _results(found: Guarantee, kernel_settings: dict[str, Any], seconds: float) -> dict[str, Any]:
    """As scikit-learn has them, for each C that was solved for."""
    scores = 1.0 - found.errors
    params = [{"C": C, **kernel_settings} for C in found.Cs.tolist()]
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        results[f"param_{name}"] = np.ma.array([each[name] for each in params])
    for fold in range(found.folds):
        results[f"split{fold}_test_score"] = scores[:, fold]
    mean = scores.mean(axis=1)
    results["mean_test_score"], results["std_test_score"] = mean, scores.std(axis=1)
    results["rank_test_score"] = np.array([1 + int((mean > each).sum()) for each in mean], dtype=np.int32)
    return results
