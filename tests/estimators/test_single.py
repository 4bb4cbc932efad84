"""What all estimators beside SVC share: input, weights, pickles, endings, reports."""

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import SVDD, SVR, NuSVC, NuSVR, OneClassSVM
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.solution import Solution, Status
from maxmargin.solvers import SMO

from ._sets import diabetes, sines

EXACT = {"tol": 1e-8}
MODELS = {
    "SVR": SVR,
    "NuSVR": lambda **params: NuSVR(nu=0.3, **params),
    "NuSVC": lambda **params: NuSVC(nu=0.3, **params),
    "OneClassSVM": lambda **params: OneClassSVM(nu=0.2, **params),
    "SVDD": lambda **params: SVDD(nu=0.2, **params),
}
OURS = {"max_time", "solver", "cache_size", "warm_start", "interval"}
"""Parameters that scikit-learn's estimators do not have, or have others in."""

every = pytest.mark.parametrize("name", MODELS)


def targets(name, y):
    return y > 0.1 if name == "NuSVC" else y


def values(model, X):
    return model.predict(X) if isinstance(model, SVR | NuSVR) else model.decision_function(X)


def same(one, other, tolerance=1e-9):
    assert_allclose(one, other, rtol=0, atol=tolerance * max(1.0, float(np.abs(other).max())))


@every
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array, sparse.csc_array])
def test_sparse_is_dense(name, kernel, container):
    X, y = sines()
    X = np.where(np.abs(X) > 1.0, X, 0.0)
    dense = MODELS[name](kernel=kernel, degree=2, **EXACT).fit(X, targets(name, y))
    thin = MODELS[name](kernel=kernel, degree=2, **EXACT).fit(container(X), targets(name, y))
    assert sparse.issparse(thin.dual_coef_)
    assert sparse.issparse(thin.support_vectors_)
    assert_array_equal(thin.support_, dense.support_)
    same(thin.dual_coef_.toarray(), dense.dual_coef_, 1e-6)
    same(values(thin, container(X)), values(dense, X), 1e-6)
    same(values(thin, X), values(dense, X), 1e-6)
    with pytest.raises(InvalidInput, match=rf"cannot use sparse input in '{name}' trained on dense data. Pass X.toarray\(\)"):
        dense.predict(container(X))
    if kernel == "linear":
        assert sparse.issparse(thin.coef_)
        same(thin.coef_.toarray(), dense.coef_, 1e-6)


@pytest.mark.parametrize("name", ["SVR", "NuSVR", "NuSVC", "OneClassSVM"])
def test_precomputed_and_functions_are_the_kernel(name):
    X, y = diabetes()
    K = rbf_kernel(X, gamma=0.1)
    named = MODELS[name](gamma=0.1, **EXACT).fit(X, targets(name, y))
    given = MODELS[name](kernel="precomputed", **EXACT).fit(K, targets(name, y))
    asked = MODELS[name](kernel=lambda A, B: rbf_kernel(A, B, gamma=0.1), **EXACT).fit(X, targets(name, y))
    an_object = MODELS[name](kernel=RBF(gamma=0.1), **EXACT).fit(X, targets(name, y))
    same(values(given, K), values(named, X), 1e-6)
    same(values(asked, X), values(named, X), 1e-6)
    assert_array_equal(values(an_object, X), values(named, X))
    assert given.support_vectors_.shape == (0, 0)
    assert_array_equal(given.support_, named.support_)
    with pytest.raises(ValueError, match=f"X has 441 features, but {name} is expecting 442 features"):
        given.predict(K[:, :-1])


def test_a_ball_of_a_function():
    X, _ = diabetes()
    asked = SVDD(nu=0.2, kernel=lambda A, B: rbf_kernel(A, B, gamma=0.1), **EXACT).fit(X)
    named = SVDD(nu=0.2, gamma=0.1, **EXACT).fit(X)
    same(asked.decision_function(X), named.decision_function(X), 1e-6)


def letters(A, B):
    return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])


@every
def test_rows_of_any_objects(name):
    words = ["tree", "reed", "deer", "sky", "spry", "dry", "try", "see"]
    model = MODELS[name](kernel=letters).fit(words, targets(name, np.array([1.0, 1, 1, 0, 0, 0, 0, 1])))
    assert values(model, ["reeds", "cry"]).shape == (2,)
    assert isinstance(model.support_vectors_, list)


@every
def test_float32_is_kept(name):
    X, y = sines()
    single = X.astype(np.float32)
    model = MODELS[name](**EXACT).fit(single, targets(name, y))
    double = MODELS[name](**EXACT).fit(single.astype(np.float64), targets(name, y))
    assert model.support_vectors_.dtype == np.float32
    same(values(model, single), values(double, single), 1e-4)


@every
def test_weights_are_copies(name):
    X, y = diabetes()
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    counts[:20] = 1
    weighted = MODELS[name](**EXACT).fit(X, targets(name, y), sample_weight=counts)
    copies = MODELS[name](**EXACT).fit(np.repeat(X, counts, axis=0), np.repeat(targets(name, y), counts))
    same(values(weighted, X), values(copies, X), 1e-6)
    assert set(weighted.support_) <= set(np.flatnonzero(counts))
    for weight, message in (
        (np.ones(3), "sample_weight and X have incompatible shapes"),
        (np.zeros(len(y)), "all samples have zero or negative weights"),
        (np.full(len(y), np.nan), "sample_weight contains NaN"),
    ):
        with pytest.raises(InvalidInput, match=message):
            MODELS[name]().fit(X, targets(name, y), sample_weight=weight)


@every
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_pickle_is_the_same_model(name, container, tmp_path):
    X, y = sines()
    X = container(X)
    model = MODELS[name]().fit(X, targets(name, y))
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        joblib.load(tmp_path / "model.joblib", mmap_mode="r"),
    ):
        assert_array_equal(values(again, X), values(model, X))
        assert again.certificate_ == model.certificate_
        assert_array_equal(again.solutions_[0].alpha, model.solutions_[0].alpha)
        assert again.solutions_[0].slack_rule == model.solutions_[0].slack_rule
        assert_array_equal(again.solutions_[0].slack, model.solutions_[0].slack)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("name", ["SVR", "NuSVR", "NuSVC", "OneClassSVM"])
def test_a_pickle_is_no_larger_than_scikit_learns_and_a_fifth(name, kernel):
    X, y = sines()
    X = X + 3.0  # around 0 a linear one-class subproblem has many answers, with more support vectors or fewer
    ours = MODELS[name](kernel=kernel).fit(X, targets(name, y))
    params = {key: value for key, value in ours.get_params().items() if key not in OURS}
    theirs = getattr(sklearn.svm, name)(**params).fit(X, targets(name, y))
    assert len(pickle.dumps(ours)) <= 1.2 * len(pickle.dumps(theirs))


@every
def test_a_clone_and_a_second_fit(name):
    X, y = diabetes()
    model = MODELS[name](kernel=Linear()).fit(X, targets(name, y))
    copied = clone(model)
    assert copied.kernel == model.kernel
    assert copied.kernel is not model.kernel
    with pytest.raises(NotFittedError):
        copied.predict(X)
    Z, z = sines()
    again, fresh = model.fit(Z, targets(name, z)), MODELS[name](kernel=Linear()).fit(Z, targets(name, z))
    assert again is model
    assert vars(model).keys() == vars(fresh).keys()
    assert_array_equal(model.dual_coef_, fresh.dual_coef_)


@every
@pytest.mark.parametrize(
    ("params", "status"), [({"max_iter": 2}, Status.ITERATION_LIMIT), ({"max_time": 1e-9}, Status.TIME_LIMIT)], ids=str
)
def test_a_spent_budget_warns_once_and_keeps_the_model(name, params, status):
    X, y = sines()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MODELS[name](**params).fit(X, targets(name, y))
    (spent,) = [each for each in caught if issubclass(each.category, ConvergenceWarning)]
    assert status.name in str(spent.message)
    assert status.advice in str(spent.message)
    assert spent.filename == __file__
    assert (model.status_, model.fit_status_) == (status, 1)
    assert np.isfinite(values(model, X)).all()
    assert model.certificate_.gap > 0


def test_several_outputs_warn_once_and_name_the_worst():
    X, y = sines()
    with pytest.warns(
        ConvergenceWarning, match=r"2 of 2 binary classifiers did not converge; the worst is output [01]\. ITERATION_LIMIT"
    ):
        SVR(max_iter=2).fit(X, np.column_stack([y, -y]))


@pytest.mark.parametrize("name", [name for name in MODELS if name != "NuSVC"])
def test_verbose_has_a_line_for_each_machine(name, capsys):
    X, y = diabetes()
    MODELS[name]().fit(X, y)
    assert capsys.readouterr().out == ""
    MODELS[name](verbose=True).fit(X, y)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("[maxmargin] fit: converged, ")
    assert ", gap " in line
    if "SVR" in name:
        MODELS[name](verbose=1).fit(X, np.column_stack([y, y]))
        first, second = capsys.readouterr().out.splitlines()
        assert first.startswith("[maxmargin] 1/2 output 0: converged, ")
        assert second.startswith("[maxmargin] 2/2 output 1: converged, ")


@every
@pytest.mark.parametrize("params", [{"solver": SMO()}, {"solver": "smo"}, {"shrinking": False}, {"cache_size": 1}], ids=str)
def test_how_it_is_solved_does_not_matter(name, params):
    X, y = sines()
    plain, other = (MODELS[name](**each, **EXACT).fit(X, targets(name, y)) for each in ({}, params))
    same(values(other, X), values(plain, X), 1e-6)


@every
def test_a_certificate_and_solutions_come_with_every_model(name):
    X, y = sines()
    model = MODELS[name](**EXACT).fit(X, targets(name, y))
    assert model.certificate_.relative_gap <= 1e-6
    assert model.certificate_.kkt_violation <= 1e-8
    (solution,) = model.solutions_
    assert isinstance(solution, Solution)
    same(solution.decision_function(X), values(model, X))
    assert_array_equal(solution.support, np.sort(model.support_))
    assert solution.status is model.status_ is Status.CONVERGED


@every
def test_edited_state_raises(name):
    X, y = diabetes()
    model = MODELS[name]().fit(X, targets(name, y))
    for edit in (
        {"support_": model.support_[:-1]},
        {"dual_coef_": model.dual_coef_[:, :-1]},
        {"dual_coef_": None},
        {"intercept_": np.zeros(9)},
        {"support_vectors_": model.support_vectors_[:-1]},
        {"_kernel": None},
    ):
        changed = copy.copy(model)
        vars(changed).update(edit)
        with pytest.raises(InvalidInput, match=f"The internal representation of {name} was altered"):
            changed.predict(X)
