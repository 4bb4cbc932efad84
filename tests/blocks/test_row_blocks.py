"""RowBlocks as a sequence of rows: what goes in comes out, in every pass, and what is wrong is told with its block."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import ApproximateSVC, LinearSVC, LinearSVR, RowBlocks
from maxmargin.blocks._reading import ReadingAhead
from maxmargin.errors import InvalidInput
from maxmargin.model_selection import GridSearchCV

RNG = np.random.default_rng(3)
X = RNG.normal(size=(1000, 4)).astype(np.float32)
Y = X[:, 0] + 0.3 * RNG.normal(size=1000) > 0.0


def readers() -> int:
    return sum(thread.name == "maxmargin-reader" for thread in threading.enumerate())


def parts(size: int, *columns: Any) -> Iterator[Any]:
    for begin in range(0, len(columns[0]), size):
        yield tuple(each[begin : begin + size] for each in columns)


@pytest.fixture
def npy(tmp_path: Path) -> Path:
    np.save(tmp_path / "rows.npy", X)
    return tmp_path / "rows.npy"


def saved(path: Path, rows: Any) -> Path:
    np.save(path, rows)
    return path


MADE: dict[str, Callable[[Path], RowBlocks]] = {
    "arrays": lambda _: RowBlocks.from_arrays(X, Y, batch_size=128),
    "mapped": lambda path: RowBlocks.from_arrays(np.load(saved(path, X), mmap_mode="r"), Y, batch_size=128),
    "npy": lambda path: RowBlocks.from_npy(saved(path, X), Y, batch_size=128),
    "columns": lambda path: RowBlocks.from_npy(saved(path, np.asfortranarray(X)), Y, batch_size=128),
    "big-endian": lambda path: RowBlocks.from_npy(saved(path, X.astype(">f4")), Y, batch_size=128),
    "kept": lambda _: RowBlocks.from_callable(lambda: parts(128, X, Y), cache_size=1000),
    "callable": lambda _: RowBlocks.from_callable(lambda: parts(128, X, Y), cache_size=0.005),
}


def made(how: str, tmp_path: Path) -> RowBlocks:
    return MADE[how](tmp_path / "rows.npy")


@pytest.mark.parametrize("how", MADE)
def test_rows_come_as_they_are_in_every_pass(how: str, tmp_path: Path) -> None:
    blocks = made(how, tmp_path)
    for _ in range(3):
        seen = list(blocks.blocks())
        assert [block.begin for block in seen] == list(range(0, 1000, 128))
        np.testing.assert_array_equal(np.concatenate([block.X for block in seen]), X)
    assert blocks.shape == (1000, 4)
    assert len(blocks) == 1000
    assert blocks.n_blocks == 8
    assert blocks.batch_size == 128
    np.testing.assert_array_equal(blocks.y, Y)
    assert blocks.sample_weight is None
    assert readers() == 0


@pytest.mark.parametrize("rows", [slice(0, 5), slice(120, 300), slice(3, 990, 7), slice(-5, None), slice(5, 5)])
@pytest.mark.parametrize("how", ["npy", "callable"])
def test_slices(rows: slice, how: str, tmp_path: Path) -> None:
    np.testing.assert_array_equal(made(how, tmp_path)[rows], X[rows])
    assert readers() == 0


def test_slices_of_sparse_rows() -> None:
    rows = sparse.random(50, 6, density=0.4, format="csr", random_state=0)
    found = RowBlocks.from_arrays(rows, batch_size=7)[3:31:2]
    np.testing.assert_array_equal(found.toarray(), rows[3:31:2].toarray())


@pytest.mark.parametrize("how", MADE)
def test_the_model_does_not_depend_on_where_blocks_come_from(how: str, tmp_path: Path) -> None:
    fitted = LinearSVC().fit(made(how, tmp_path))
    expected = LinearSVC().fit(made("arrays", tmp_path))
    np.testing.assert_array_equal(fitted.coef_, expected.coef_)
    assert fitted.intercept_ == expected.intercept_
    assert fitted.certificate_ == expected.certificate_


def test_moments_are_those_of_all_rows() -> None:
    far = X.astype(np.float64) * [1.0, 10.0, 0.1, 0.0] + [0.0, 1e6, -5.0, 7.5]
    mean, variance = RowBlocks.from_arrays(far, batch_size=37).look().moments
    np.testing.assert_allclose(mean, far.mean(axis=0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(variance, far.var(axis=0), rtol=1e-9)
    assert variance[3] == 0.0


def test_kept_blocks_are_not_asked_for_again() -> None:
    asked = []

    def blocks() -> Iterator[Any]:
        for k in range(4):
            asked.append(k)
            yield X[k::4], Y[k::4]

    rows = RowBlocks.from_callable(blocks, cache_size=3 * X[::4].nbytes / 2**20 + 1e-6)
    LinearSVC().fit(rows)
    assert len(rows._passes._kept) == 3
    assert rows.n_passes > 3
    np.testing.assert_array_equal(rows[:], np.concatenate([X[k::4] for k in range(4)]))


def test_standardised_rows() -> None:
    far = X * np.array([1.0, 100.0, 1.0, 1.0], np.float32) + np.array([0.0, 5.0, 0.0, 0.0], np.float32)
    blocks = RowBlocks.from_arrays(far, Y, batch_size=100).standardised()
    rows = np.concatenate([block.X for block in blocks.blocks()])
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(rows.std(axis=0), 1.0, rtol=1e-5)
    model, by_hand = LinearSVC(tol=1e-8).fit(blocks), LinearSVC(tol=1e-8).fit(rows, Y)
    np.testing.assert_allclose(model.decision_function(far), by_hand.decision_function(rows), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(model.predict(blocks), model.predict(far))
    assert model.certificate_.primal_objective == pytest.approx(by_hand.certificate_.primal_objective, rel=1e-7)


def test_standardised_sparse_rows_stay_sparse() -> None:
    rows = sparse.random(300, 6, density=0.4, format="csr", random_state=0) * 5.0
    blocks = RowBlocks.from_arrays(rows, batch_size=70).standardised()
    first = next(iter(blocks.blocks()))
    assert sparse.issparse(first.X)
    np.testing.assert_allclose(first.X.toarray(), rows[:70].toarray() / rows.toarray().std(axis=0))


# What is wrong.


def refused(blocks: RowBlocks, match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        LinearSVC().fit(blocks)
    assert readers() == 0


def with_block_17(change: Any) -> RowBlocks:
    def blocks() -> Iterator[Any]:
        for k, (rows, labels) in enumerate(parts(25, X, Y)):
            yield change(rows.copy(), labels) if k == 17 else (rows, labels)

    return RowBlocks.from_callable(blocks, cache_size=1e-9)


def not_a_number(rows: Any, labels: Any) -> Any:
    rows[3, 2] = np.nan
    return rows, labels


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (not_a_number, "Block 17 .*NaN"),
        (lambda rows, labels: (rows[:, :3], labels), "Block 17 .* has 3 features, and those before it have 4"),
        (lambda rows, labels: (rows[:0], labels[:0]), "Block 17 .* is empty"),
        (lambda rows, labels: (rows, labels[:5]), r"Block 17 .* has 25 rows, and y of shape \(5,\)"),
        (lambda rows, labels: rows, "Block 17 .*some blocks have y, and others do not"),
        (lambda rows, labels: (rows, labels, None, None), "Block 17 .* must be X, .* Got a tuple of 4"),
        (lambda rows, labels: [[1.0, 2.0, 3.0, 4.0]], "Block 17 .* must be an array"),
        (lambda rows, labels: (sparse.csr_matrix(rows), labels), "Block 17 .* is sparse, and those before it are not"),
        (lambda rows, labels: 1 / 0, "Block 17 .*could not be read: ZeroDivisionError"),
    ],
)
def test_the_message_names_the_block(change: Any, match: str) -> None:
    refused(with_block_17(change), match)


def test_nan_in_a_later_pass() -> None:
    calls = []

    def blocks() -> Iterator[Any]:
        calls.append(None)
        for k, (rows, labels) in enumerate(parts(25, X, Y)):
            yield not_a_number(rows.copy(), labels) if k == 17 and len(calls) == 3 else (rows, labels)

    refused(RowBlocks.from_callable(blocks, cache_size=1e-9), "Block 17 .*NaN")


def test_one_class_only() -> None:
    refused(RowBlocks.from_arrays(X, np.ones(1000), batch_size=100), "got 1 class in all blocks")


def test_a_generator_that_does_not_begin_again() -> None:
    once = parts(100, X, Y)
    refused(RowBlocks.from_callable(lambda: once, cache_size=1e-9), "block 0 of 10 is missing in pass 2.*do not begin again")
    with pytest.raises(InvalidInput, match="A generator gives its blocks once"):
        RowBlocks.from_callable(parts(100, X, Y))  # type: ignore[arg-type]


def test_blocks_of_other_sizes_in_a_later_pass() -> None:
    sizes = iter([100, 90, 90])
    refused(
        RowBlocks.from_callable(lambda: parts(next(sizes), X, Y), cache_size=1e-9), "Block 0 .*is not what it was.*100 rows.*90"
    )


def test_fewer_blocks_in_a_later_pass() -> None:
    lengths = iter([1000, 900, 900])

    def blocks() -> Iterator[Any]:
        n = next(lengths)
        return parts(100, X[:n], Y[:n])

    refused(RowBlocks.from_callable(blocks, cache_size=1e-9), "Block 9 .*is not what it was.*it is missing")


def test_no_block_at_all() -> None:
    refused(RowBlocks.from_callable(lambda: iter(())), "there is no block at all")


def test_labels_twice() -> None:
    with pytest.raises(InvalidInput, match="The blocks have y, and fit was passed y too"):
        LinearSVC().fit(RowBlocks.from_arrays(X, Y), Y)
    with pytest.raises(InvalidInput, match="requires y to be passed"):
        LinearSVC().fit(RowBlocks.from_arrays(X))
    with pytest.raises(InvalidInput, match="'y' parameter of RowBlocks must have one value for each of 1000 rows"):
        RowBlocks.from_arrays(X, Y[:5])


def test_a_truncated_file(npy: Path) -> None:
    whole = npy.stat().st_size
    os.truncate(npy, whole - 16 * 300)
    with pytest.raises(InvalidInput, match=r"is truncated: .* 1000 rows, .* end in row 700, of block 7"):
        RowBlocks.from_npy(npy, Y, batch_size=100)


def test_a_file_that_changes_between_passes(npy: Path) -> None:
    blocks = RowBlocks.from_npy(npy, Y, batch_size=100)
    blocks.look()
    os.truncate(npy, npy.stat().st_size - 16 * 300)
    refused(blocks, "has changed since RowBlocks first looked at it .it had")
    np.save(npy, X)
    refused(blocks, "has changed since RowBlocks first looked at it")


def test_a_file_that_is_truncated_in_the_midst_of_a_pass(npy: Path) -> None:
    blocks = RowBlocks.from_npy(npy, Y, batch_size=100)
    passing = blocks.blocks()
    assert next(passing).number == 0
    os.truncate(npy, npy.stat().st_size - 16 * 900)
    with pytest.raises(InvalidInput, match=r"Block [1-3]"):
        list(passing)
    assert readers() == 0


@pytest.mark.parametrize(
    ("array", "match"),
    [
        (np.zeros(5), "must hold a matrix"),
        (np.zeros((5, 2), dtype=complex), "must hold numbers"),
    ],
)
def test_other_files(array: Any, match: str, tmp_path: Path) -> None:
    np.save(tmp_path / "other.npy", array)
    with pytest.raises(InvalidInput, match=match):
        RowBlocks.from_npy(tmp_path / "other.npy")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nothing.npy cannot be read: No such file"):
        RowBlocks.from_npy(tmp_path / "nothing.npy")
    (tmp_path / "text.npy").write_text("1,2,3\n")
    with pytest.raises(InvalidInput, match=r"is no file that numpy.save wrote"):
        RowBlocks.from_npy(tmp_path / "text.npy")


def test_a_reader_that_is_left_early_ends() -> None:
    closed = []

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    with ReadingAhead(endless()) as items:
        assert next(iter(items)) == 1
    assert closed == [True]
    assert readers() == 0


def test_blocks_cannot_be_cut_into_folds() -> None:
    with pytest.raises(InvalidInput, match=r"cannot be cut into folds.* pass rows in memory: blocks\[:\] reads all of them"):
        GridSearchCV(LinearSVC(), {"C": [0.1, 1.0]}).fit(RowBlocks.from_arrays(X, batch_size=200), Y)
    with pytest.raises(InvalidInput, match=r"has slices of rows\. Got 5\. Take"):
        RowBlocks.from_arrays(X)[5]  # type: ignore[index]


@pytest.mark.parametrize("model", [LinearSVC(), LinearSVR(), ApproximateSVC(20, random_state=0)])
def test_a_score_needs_labels(model: Any) -> None:
    model.fit(RowBlocks.from_arrays(X, Y.astype(float), batch_size=200))
    with pytest.raises(InvalidInput, match=r"The blocks have no (labels|targets) to compare with\. Pass y to score"):
        model.score(RowBlocks.from_arrays(X))
    assert model.score(RowBlocks.from_arrays(X), Y.astype(float)) == model.score(X, Y.astype(float))
