"""Every kernel estimator on lists of objects: folds, searches, pipelines, pickles, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import maxmargin
from maxmargin import SVC, SVCCV, SVDD, SVR, KernelPCA, NuSVC, NuSVR, OneClassSVM, Perceptron
from maxmargin.errors import InvalidInput
from maxmargin.kernels import (
    RBF,
    GappedKmer,
    GappySubsequence,
    GlobalAlignment,
    Linear,
    Mismatch,
    Precomputed,
    RelationalKernel,
    SetKernel,
    ShortestPath,
    Spectrum,
    UserFunction,
    WeightedDegree,
    WeisfeilerLehman,
    mercer,
)
from maxmargin.problems import CrammerSinger, SoftMargin

RNG = np.random.default_rng(0)
LABELS = np.repeat([0, 1, 2], 20)
STRINGS = ["".join(RNG.choice(list("ACGT"), 30, p=p)) for p in np.eye(4)[LABELS] * 0.3 + 0.175]
TWO = LABELS < 2
KERNEL = Spectrum(k=2)


def _other(n: int = 15) -> list[str]:
    return ["".join(np.random.default_rng(1 + k).choice(list("ACGT"), 25)) for k in range(n)]


@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        SVC(multi_class="ovr"),
        SVC(multi_class="joint"),
        NuSVC(nu=0.3),
        SVR(),
        NuSVR(),
        OneClassSVM(),
    ],
    ids=str,
)
def test_estimators_agree_with_the_matrix(model: Any) -> None:
    """The same model as from the Gram matrix of the strings, which scikit-learn's users would compute."""
    by_objects = clone(model).set_params(kernel=KERNEL).fit(STRINGS, LABELS)
    K, new = KERNEL(STRINGS), KERNEL.bind(STRINGS).cross(_other(), STRINGS)
    by_matrix = clone(model).set_params(kernel="precomputed").fit(K, LABELS)
    assert by_objects.certificate_.relative_gap < 1e-3
    assert len(by_objects.support_vectors_) == len(by_objects.support_)
    assert all(STRINGS[row] == vector for row, vector in zip(by_objects.support_, by_objects.support_vectors_, strict=True))
    f, g = (
        (m.predict if isinstance(m, SVR | NuSVR) else m.decision_function)(X)
        for m, X in ((by_objects, _other()), (by_matrix, new))
    )
    np.testing.assert_allclose(f, g, atol=2e-2)


def test_components_and_balls_of_objects() -> None:
    K, new = KERNEL(STRINGS), KERNEL.bind(STRINGS).cross(_other(), STRINGS)
    a = KernelPCA(2, kernel=KERNEL).fit(STRINGS).transform(_other())
    b = KernelPCA(2, kernel="precomputed").fit(K).transform(new)
    np.testing.assert_allclose(np.abs(a), np.abs(b), atol=1e-8)
    ball = SVDD(kernel=KERNEL, nu=0.2).fit(STRINGS)  # a matrix has no k(x, x) of new rows; here all are 1
    np.testing.assert_allclose(
        ball.decision_function(STRINGS),
        SVDD(kernel=UserFunction(KERNEL), nu=0.2).fit(STRINGS).decision_function(STRINGS),
        atol=1e-3,
    )


def test_perceptron_and_problems_take_objects() -> None:
    X, y = [s for s, two in zip(STRINGS, TWO, strict=True) if two], LABELS[TWO]
    assert Perceptron(kernel=KERNEL).fit(X, y).score(X, y) > 0.8
    solution = maxmargin.solve(SoftMargin(X, y, kernel=KERNEL))
    np.testing.assert_allclose(
        solution.decision_function(_other()), SVC(kernel=KERNEL, tol=1e-6).fit(X, y).decision_function(_other()), atol=1e-2
    )
    assert maxmargin.solve(CrammerSinger(STRINGS, LABELS, kernel=KERNEL)).decision_function(_other()).shape == (15, 3)
    assert not mercer(KERNEL, STRINGS).violated


CONTAINERS = {"list": list, "objects": lambda X: np.array(X, dtype=object), "array of str": np.array}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_folds_and_searches(container: Any) -> None:
    X = container(STRINGS)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = make_pipeline(FunctionTransformer(), SVC(kernel=KERNEL, C=10))
    assert cross_val_score(model, X, LABELS, cv=folds).mean() > 0.6
    grid = {"kernel__k": [1, 2, 3], "C": [1.0, 10.0]}
    theirs = GridSearchCV(SVC(kernel=Spectrum()), grid, cv=folds).fit(X, LABELS)
    ours = maxmargin.model_selection.GridSearchCV(SVC(kernel=Spectrum()), grid, cv=folds).fit(X, LABELS)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.035)
    assert set(ours.best_params_) == {"kernel__k", "C"}


def test_nested_parameters_and_searched_estimator() -> None:
    kernel = WeightedDegree(degree=2) ** 2 + SetKernel(base=RBF(gamma=0.5))
    assert {"left__kernel__degree", "right__base__gamma"} <= set(kernel.get_params())
    assert SVCCV(kernel=KERNEL, cv=3).fit(STRINGS, LABELS).score(STRINGS, LABELS) > 0.8


def test_prediction_needs_the_support_vectors_only() -> None:
    model = SVC(kernel=GappedKmer(l=4, k=3), C=1.0).fit(STRINGS, LABELS)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(_other()), model.decision_function(_other()))
    held = pickle.dumps(again)
    absent = set(STRINGS) - set(model.support_vectors_)
    assert all(string.encode() not in held for string in absent)
    again.support_vectors_ = again.support_vectors_[:-1]
    with pytest.raises(InvalidInput, match="was altered"):
        again.predict(_other())


def test_weights_and_probabilities() -> None:
    weight = np.where(np.arange(60) % 3 == 0, 2.0, 0.0)
    doubled = [s for s, w in zip(STRINGS, weight, strict=True) if w for _ in range(2)]
    a = SVC(kernel=KERNEL, tol=1e-8).fit(STRINGS, LABELS, sample_weight=weight)
    b = SVC(kernel=KERNEL, tol=1e-8).fit(doubled, np.repeat(LABELS[weight > 0], 2))
    np.testing.assert_allclose(a.decision_function(_other()), b.decision_function(_other()), atol=1e-5)
    assert SVC(kernel=KERNEL, probability=True).fit(STRINGS, LABELS).predict_proba(_other()).shape == (15, 3)


def test_rows_that_look_like_vectors_are_objects() -> None:
    X = np.random.default_rng(0).integers(0, 4, (40, 12))
    y = X[:, 0] > 1
    a, b = (SVC(kernel=WeightedDegree(degree=1)).fit(rows, y).decision_function(rows) for rows in (X, X.tolist()))
    np.testing.assert_array_equal(a, b)
    longer = [*X.tolist()[:3], [1, 2, 3]]
    assert SVC(kernel=WeightedDegree(degree=1)).fit(X, y).predict(longer).shape == (4,)
    series = np.random.default_rng(1).normal(size=(30, 8)).cumsum(axis=1)
    assert SVC(kernel=GlobalAlignment()).fit(series, series[:, -1] > 0).predict([series[0][:5], series[1]]).shape == (2,)


def test_networkx_graphs() -> None:
    networkx = pytest.importorskip("networkx")
    G = networkx.path_graph(3)
    networkx.set_node_attributes(G, {0: "C", 1: "O", 2: "C"}, "label")
    plain = [(0, 1), (1, 2)], ["C", "O", "C"]
    assert WeisfeilerLehman(h=2)([G, plain])[0, 1] == 1.0
    assert ShortestPath()([G, plain])[0, 1] == 1.0
    with pytest.raises(InvalidInput, match="graph 1 of X is unlabelled: node 0 has no attribute 'label'"):
        WeisfeilerLehman()([G, networkx.path_graph(2)])


class _Networkx:
    """What the kernels ask a networkx graph for."""

    def __init__(self, edges: list[Any], labels: dict[Any, Any], directed: bool = False) -> None:
        self._edges, self._labels, self._directed = edges, labels, directed

    def is_directed(self) -> bool:
        return self._directed

    def nodes(self, data: str) -> list[Any]:
        assert data == "label"
        return list(self._labels.items())

    def edges(self, data: str) -> list[Any]:
        assert data == "label"
        return self._edges


def test_directions_and_double_edges() -> None:
    one_way, back = (_Networkx([(u, v, None)], {0: "a", 1: "b"}, True) for u, v in ((0, 1), (1, 0)))
    both = _Networkx([(0, 1, None), (1, 0, None)], {0: "a", 1: "b"})
    K = WeisfeilerLehman(h=1, normalise=False)([one_way, back, both, ([(0, 1)], ["a", "b"])])
    np.testing.assert_array_equal(K, [[4, 2, 3, 3], [2, 4, 3, 3], [3, 3, 4, 4], [3, 3, 4, 4]])
    labelled = [(([(0, 1)], ["a", "a"], names)) for names in (["single"], {(1, 0): "single"}, ["double"])]
    np.testing.assert_array_equal(WeisfeilerLehman(h=1, normalise=False)(labelled), [[8, 8, 4], [8, 8, 4], [4, 4, 8]])


GRAPH = [(0, 1)], ["a", "b"]
REFUSED: list[tuple[Any, Any, str]] = [
    (Spectrum(k=2), [[0.5, 1.5], [1.0, 2.0]], "compares symbols of strings. Got the number 0.5 in row 0 .* use RBF"),
    (Spectrum(k=2), np.eye(3), "Got the number 1.0 in row 0"),
    (Spectrum(k=2), ["ab", 3, "ba"], "Got the number 3 in row 1 of X. Pass a list of str"),
    (Spectrum(k=2), ["ab", None, "ba"], "Got a NoneType in row 1 .* Leave missing rows out"),
    (Spectrum(k=2), ["ab", {"a"}], "Got a set in row 1"),
    (Spectrum(k=2), [[["a"], ["b"]], ["ab"]], "tokens that can be hashed. Got a list in row 0"),
    (Spectrum(k=5), ["abc", "abcd"], "k=5 of Spectrum is longer than all rows of X: the longest has 4 .* smaller k"),
    (Mismatch(k=5), ["abc", "abcd"], "k=5 of Mismatch is longer than all"),
    (GappedKmer(l=5, k=2), ["abc", "abcd"], "l=5 of GappedKmer is longer than all"),
    (GappySubsequence(k=5), ["abc", "abcd"], "k=5 of GappySubsequence is longer than all"),
    (WeightedDegree(degree=5), ["", ""], "WeightedDegree needs a row with a symbol at least"),
    (Spectrum(k=0), ["abc", "abcd"], "'k' parameter of Spectrum must be an int in the range"),
    (Mismatch(k=3, m=3), ["abc", "abcd"], "'m' parameter of Mismatch must be an int"),
    (Mismatch(k=3, m=1, alphabet="ab"), ["abc", "abcd"], "has 2 symbols, but the rows of X have 4"),
    (Mismatch(k=30, m=14, alphabet=200), ["a" * 40, "b" * 40], "do not fit into 64 bits"),
    (GappedKmer(l=4, k=5), ["abc", "abcd"], "'k' parameter of GappedKmer"),
    (GappedKmer(l=40, k=20), ["a" * 50, "abcd"], "more than 20000 would not end"),
    (GappedKmer(l=3, k=2, reverse_complement=True), [["a", "b", "c"], ["a"] * 4], "needs DNA or RNA as str or bytes"),
    (GappySubsequence(decay=1.5), ["abc", "abcd"], "'decay' parameter"),
    (Spectrum(k=2, normalise="yes"), ["abc", "abcd"], "'normalise' parameter of Spectrum"),
    (WeisfeilerLehman(), [GRAPH, ([(0, 1)], None)], "graph 1 of X is unlabelled: it has node_labels=None. Label the nodes"),
    (
        WeisfeilerLehman(),
        [GRAPH, [(0, 1), (1, 2), (2, 0), (0, 3)]],
        "Got a list of 4 items as row 1 of X. Pass .edges, node_labels.",
    ),
    (WeisfeilerLehman(), [GRAPH, ([(0, 7)], ["a", "b"])], "An edge of graph 1 of X ends at node 7"),
    (WeisfeilerLehman(), [GRAPH, ([0, 1], ["a", "b"])], "edges of graph 1 of X must be pairs"),
    (WeisfeilerLehman(), [GRAPH, ([(0, 1)], 5)], "node_labels of graph 1 of X must be a dict or a sequence"),
    (WeisfeilerLehman(), [GRAPH, ([(0, 1)], ["a", "b"], [1, 2])], "edge_labels that do not fit"),
    (WeisfeilerLehman(), [GRAPH, ([(0, 1)], [["a"], "b"])], "graph 1 of X has a label or a node that cannot be hashed"),
    (WeisfeilerLehman(), [GRAPH, ([([0], [1])], ["a", "b"])], "graph 1 of X has a label or a node that cannot be hashed"),
    (WeisfeilerLehman(), [GRAPH, ([(0, 1)], ["a", "b"], [[1]])], "graph 1 of X has a label or a node that cannot be hashed"),
    (WeisfeilerLehman(), [GRAPH, ([([0], 1)], ["a", "b"], {(0, 1): 1})], "graph 1 of X has a label or a node that cannot be"),
    (WeisfeilerLehman(), ["abc", "de"], "needs rows that are graphs. Got a str as row 0"),
    (WeisfeilerLehman(h=-1), [GRAPH, GRAPH], "'h' parameter"),
    (ShortestPath(), [GRAPH, 3.0], "Got a float as row 1"),
    (GlobalAlignment(), [[0.0, np.nan], [1.0]], "Series 0 of X has the value nan at moment 1. .* interpolate"),
    (GlobalAlignment(), ["abc", "d"], "needs series of numbers. Got the str 'abc' as row 0 .* use Spectrum"),
    (GlobalAlignment(), [np.ones((2, 2)), np.ones((2, 3))], "Series 1 of X has 3 dimensions, where 2"),
    (GlobalAlignment(), [np.ones((2, 2, 2)), np.ones(3)], "of shape .moments,. or"),
    (
        GlobalAlignment(sigma="mean"),
        [[1.0], [2.0]],
        "must be a float in .*, 'median', or a multiple of it such as .* Got 'mean'",
    ),
    (GlobalAlignment(sigma="two*median"), [[1.0], [2.0]], "such as '0.2.median'. Got 'two.median'"),
    (GlobalAlignment(sigma="-1*median"), [[1.0], [2.0]], "Got '-1.median'"),
    (GlobalAlignment(sigma=0.0), [[1.0], [2.0]], "'sigma' parameter"),
    (GlobalAlignment(sigma=1e-200), [[1.0], [2.0]], "has no square"),
    (GlobalAlignment(normalise=False), [np.ones(400), np.ones(3)], "overflows"),
    (SetKernel(), [np.ones((2, 2)), "abc"], "needs rows that are bags.* Got a str as row 1"),
    (SetKernel(), [np.ones((2, 2)), np.ones((2, 3))], "bag in row 1 of X must hold vectors of 2 features"),
    (SetKernel(), [np.ones((0, 2)), []], "bags that are all empty"),
    (SetKernel(base=Precomputed()), [np.ones((2, 2))] * 2, "'base' parameter of SetKernel must be a kernel of members"),
    (SetKernel(base="rbf"), [np.ones((2, 2))] * 2, "'base' parameter of SetKernel must be a kernel object"),
    (RelationalKernel(), [([1.0], [[1.0]]), ([1.0],)], "records of the form .x, rows.. Got 1 items as row 1"),
    (RelationalKernel(), [("ann", [[1.0]]), ("bob", [[1.0]])], "own features that are vectors of numbers"),
    (RelationalKernel(own=None, related=()), [(), ()], "needs a kernel of own features or of a table"),
    (RelationalKernel(), [([1.0], []), ([2.0], [])], "table 0 of RelationalKernel has no row in any record. Leave"),
    (RelationalKernel(constant=-1.0), [([1.0], [[1.0]])] * 2, "'constant' parameter"),
    (GappySubsequence(k=250, decay=1.0), ["a" * 600, "b" * 600], "k.x, x. of row 0 is too large for .* Choose a smaller k"),
    (GappySubsequence(k=3, decay=1e-55), ["abc", "xyz"], "row 0 is not 0, but too small for .* another decay"),
    (GappySubsequence(k=3, decay=1e-52), ["ab", "xyz"], "row 1 is not 0, but too small for"),
    ((GappySubsequence(k=3, decay=1e-20, normalise=False) ** 3).normalised(), ["ab", "xyz"], "Normalised divides .* row 1"),
    (
        SetKernel(base=Linear()),
        [[[0.0]], [[1e-200]], [[-1e-200]]],
        "SetKernel divides .* row 1 is not 0, but too .* Scale",
    ),
    (SetKernel(base=Linear()), [[[1.0]], [[1e-155], [1e-155]]], "row 1 is not 0, but too small"),
    (SetKernel(base=Linear()), [[[1.0]], [[1e200], [-1e200]]], "row 1 is too large for"),
    (RelationalKernel(own=Linear()), [([1.0], [[1.0]]), ([1e-200], [[1.0]])], "RelationalKernel divides .* row 1 is not 0"),
    (RelationalKernel(own=Linear()), [([1.0], [[1.0]]), ([1e200], [[1.0]])], "RelationalKernel divides .* row 1 is too large"),
    (Spectrum(k=1).on([0]), ["ab", "ba"], "OnColumns needs rows with columns"),
    (Spectrum(k=1) + Linear(), ["ab", "ba"], "one takes vectors, the other objects"),
]


@pytest.mark.parametrize(("kernel", "X", "says"), REFUSED, ids=[f"{kernel}"[:40] + says[:20] for kernel, _, says in REFUSED])
def test_messages(kernel: Any, X: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        kernel(X)
    with pytest.raises(InvalidInput, match=says):
        SVC(kernel=kernel).fit(X, np.arange(len(X)) % 2)


def test_objects_without_features_have_one_direction() -> None:
    """k(x, x) = 0 because there is nothing to compare, not because of rounding."""
    zeros = [[[0.0, 0.0]], [[1e-200, 1.0], [0.0, -1.0], [-1e-200, 0.0]], [], [[1.0, 0.0], [1e-200, 0.0]]]
    K = SetKernel(base=Linear())(zeros)
    np.testing.assert_array_equal(K, [[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_array_equal(GappySubsequence(k=3, decay=1e-20)(["ab", "", "abc"]), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize("kernel", [Spectrum(k=1), Spectrum(k=3), WeightedDegree(degree=1), GappySubsequence(k=1)])
def test_tables_of_one_column_are_no_objects(kernel: Any) -> None:
    pandas = pytest.importorskip("pandas")
    frame, y = pandas.DataFrame({"s": STRINGS}), LABELS
    model = SVC(kernel=kernel).fit(frame["s"], y)
    for table in (frame, np.array(STRINGS, dtype=object)[:, np.newaxis], np.array(STRINGS)[:, np.newaxis]):
        for call in (kernel, model.predict, lambda X: SVC(kernel=kernel).fit(X, y)):
            with pytest.raises(InvalidInput, match=r"table of shape \(60, 1\). Pass the column: X\['name'\]"):
                call(table)


def test_messages_of_predictions() -> None:
    model = SVC(kernel=KERNEL).fit(STRINGS, LABELS)
    with pytest.raises(InvalidInput, match=r"Got the number 0.5 in row 0"):
        model.predict([[0.5]])
    with pytest.raises(InvalidInput, match="Got one str"):
        model.predict("ACGT")
    records = [([float(k), 1.0], [[1.0]]) for k in range(4)]
    fitted = SVC(kernel=RelationalKernel()).fit(records, [0, 0, 1, 1])
    with pytest.raises(InvalidInput, match="Record 0 has 1 own features, but those of the fit have 2"):
        fitted.predict([([1.0], [[1.0]])])


def test_beside_a_function_of_the_same_objects() -> None:
    def equal_ends(A: Any, B: Any) -> Any:
        return np.array([[float(a[-1] == b[-1]) for b in B] for a in A])

    kernel = KERNEL + UserFunction(equal_ends)
    np.testing.assert_allclose(kernel(STRINGS[:5]), KERNEL(STRINGS[:5]) + equal_ends(STRINGS[:5], STRINGS[:5]), rtol=1e-15)
    assert SVC(kernel=kernel).fit(STRINGS, LABELS).score(STRINGS, LABELS) > 0.9
