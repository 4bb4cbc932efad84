"""Support vectors of all binary classifiers become one set: beside the same in plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import _core
from maxmargin.estimators._shared._schemes import scheme_of


@given(n_classes=st.integers(2, 6), one_vs_rest=st.booleans(), seed=st.integers(0, 199))
def test_every_coefficient_stands_where_the_scheme_says(n_classes: int, one_vs_rest: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, size=30)
    scheme = scheme_of(n_classes, one_vs_rest=one_vs_rest)
    support, beta = [], []
    for subproblem in range(scheme.n_subproblems):
        positive, negative = scheme.sides(subproblem)
        taken = np.flatnonzero((codes == positive) | (codes == negative) | (negative is None))
        support.append(taken[rng.random(len(taken)) < 0.4])
        beta.append(rng.normal(size=len(support[-1])))
    counts = np.array([len(each) for each in support])
    found = _core.assemble(
        codes=codes,
        classes=n_classes,
        support=np.concatenate(support),
        counts=counts,
        beta=np.concatenate(beta),
        coefficient_rows=scheme.coefficient_rows,
        coefficients=scheme.n_coefficients,
    )
    rows, n_support, dual = found.rows, found.n_support, found.dual

    every = np.unique(np.concatenate(support))
    assert rows.tolist() == sorted(every.tolist(), key=lambda row: (codes[row], row))
    assert n_support.tolist() == np.bincount(codes[every], minlength=n_classes).tolist()
    expected = np.zeros((scheme.n_coefficients, len(rows)))
    for subproblem, (taken, values) in enumerate(zip(support, beta, strict=True)):
        for height, of_class in scheme.blocks(subproblem):
            for row, value in zip(taken, values, strict=True):
                if codes[row] == of_class:
                    expected[height, rows.tolist().index(row)] = value
    assert np.array_equal(dual, expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": np.array([0, 2])}, "outside its range"),
        ({"support": np.array([0, 2])}, "outside its range"),
        ({"coefficient_rows": np.array([[0, 1]])}, "outside its range"),
        ({"counts": np.array([1])}, "same binary classifiers"),
        ({"beta": np.ones(3)}, "same binary classifiers"),
        ({"coefficient_rows": np.array([[0]])}, "same binary classifiers"),
    ],
)
def test_the_core_refuses_what_it_could_not_read(change: dict[str, np.ndarray], message: str) -> None:
    parts = {
        "codes": np.array([0, 1]),
        "support": np.array([0, 1]),
        "counts": np.array([2]),
        "beta": np.ones(2),
        "coefficient_rows": np.array([[0, 0]]),
    }
    with pytest.raises(ValueError, match=message):
        _core.assemble(classes=2, coefficients=1, **(parts | change))
