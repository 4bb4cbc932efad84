"""Callbacks: scikit-learn's through every estimator and search, and ours; none of them changes a bit by watching."""

import io
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV as SklearnGridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import (
    SVC,
    SVCCV,
    SVDD,
    SVR,
    KernelPCA,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)
from maxmargin.callbacks import GapMonitor, StopAtGap
from maxmargin.errors import InvalidInput
from maxmargin.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from maxmargin.solution import Progress, Stop

HAS_CALLBACKS = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)
needs_callbacks = pytest.mark.skipif(not HAS_CALLBACKS, reason="callbacks came with scikit-learn 1.9")

ESTIMATORS = [
    SVC(C=10.0),
    SVC(C=10.0, multi_class="ovr"),
    SVC(multi_class="joint"),
    SVC(probability=True, random_state=0),
    NuSVC(nu=0.3),
    SVR(C=10.0),
    SVR(interval=True),
    NuSVR(),
    OneClassSVM(),
    SVDD(),
    LinearSVC(),
    LinearSVC(loss="hinge", C=10.0),
    LinearSVR(interval=True),
    LogisticRegression(),
    LogisticRegression(penalty="l1", C=0.1, multi_class="ovr"),
    LinearClassifier(),
    StochasticClassifier(random_state=0),
    Perceptron(kernel="rbf", max_iter=20),
    KernelPCA(n_components=3, kernel="rbf"),
]


def _rows(n, classes=3):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 40))
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n), np.linspace(-0.7, 0.7, classes - 1))


class Recorder:
    """Keeps what it is told, and stops a fit after so many tasks."""

    max_propagation_depth = None

    def __init__(self, stop_after=None):
        self.told = []
        self.ended = []
        self.reports = []
        self._stop_after = stop_after

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(("begin", context.estimator_name, context.task_name))

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.told.append(("end", context.estimator_name, context.task_name))
        self.ended.append(context.task_name)
        self.fitted = fitted_estimator
        return self._stop_after is not None and len(self.ended) >= self._stop_after

    def on_progress(self, estimator, context, progress):
        self.reports.append(progress)


def _state(model):
    names = ("dual_coef_", "coef_", "intercept_", "n_iter_", "support_", "eigenvectors_")
    return {name: _bytes(vars(model)[name]) for name in names if name in vars(model)}


def _bytes(value):
    return np.asarray(value.toarray() if hasattr(value, "toarray") else value).tobytes()


@needs_callbacks
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_every_estimator_tells_its_callbacks_and_keeps_its_bits(model):
    X, y = _rows(400)
    seen = Recorder()
    plain, watched = clone(model).fit(X, y), clone(model).set_callbacks(seen, GapMonitor()).fit(X, y)
    assert _state(plain)
    assert _state(plain) == _state(watched)
    name = type(model).__name__
    assert seen.told[:2] == ["setup", ("begin", name, "fit")]
    assert seen.told[-2:] == [("end", name, "fit"), "teardown"]
    assert set(seen.ended[:-1]) <= {"hundredth"}
    assert len(seen.ended) <= 101
    assert sorted(vars(watched).keys() - vars(plain).keys()) == ["_skl_callbacks"]
    assert _state(seen.fitted) == _state(plain)
    assert not hasattr(watched.set_callbacks(), "_skl_callbacks")


@needs_callbacks
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [each for each in ESTIMATORS if not isinstance(each, KernelPCA)], ids=repr)
def test_a_failing_fit_tears_its_callbacks_down(model):
    X, y = _rows(40)
    X[0, 0] = np.nan
    seen = Recorder()
    model = clone(model).set_callbacks(seen)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, y)
    assert seen.told in ([], ["setup", ("begin", type(model).__name__, "fit"), "teardown"])
    assert not {"_watch", "_callback_fit_ctx"} & vars(model).keys()


@needs_callbacks
@pytest.mark.parametrize("model", [SVC(C=10.0), LinearSVC(), SVC(C=10.0, multi_class="ovr")], ids=repr)
def test_each_subproblem_reports_its_end(model):
    seen = Recorder()
    clone(model).set_callbacks(seen).fit(*_rows(900))
    assert {each.subproblem for each in seen.reports if each.done} == {0, 1, 2}  # one that goes on ends twice
    assert seen.ended.count("hundredth") == 100


@needs_callbacks
@pytest.mark.parametrize("model", [SVC(), SVR(), NuSVC(nu=0.3), OneClassSVM(), LinearSVC(), LogisticRegression()], ids=repr)
def test_the_last_report_tells_where_the_fit_ended(model):
    X, y = _rows(400, 3 if isinstance(model, LogisticRegression) else 2)
    monitor = GapMonitor(every=np.inf)
    model = clone(model).set_callbacks(monitor).fit(X, y)
    end = monitor.records[-1]
    assert end.done
    assert end.steps == np.max(model.n_iter_)
    found = model.certificate_.relative_gap
    # Float32 rows tell no gap below their rounding: a search can solve them to the last bit, and the certificate finds more.
    assert 0.99 * found - 1e-14 <= end.relative_gap <= 1.01 * found + 1e-5
    if not hasattr(model, "coef_"):  # the violation of linear models is their relative gap
        assert model.certificate_.kkt_violation <= 1.01 * end.violation + 1e-14
    assert end.violation <= model.tol


@needs_callbacks
def test_a_callback_stops_a_fit_without_a_warning():
    X, y = _rows(6000, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(C=10.0, tol=1e-7).set_callbacks(Recorder(stop_after=3)).fit(X, y)
    assert model.status_.name == "INTERRUPTED"
    assert model.certificate_.relative_gap > 1e-3


@needs_callbacks
@pytest.mark.parametrize("gap", [0.3, 0.05])
@pytest.mark.parametrize("model", [SVC(C=10.0), SVR(C=10.0), NuSVC(nu=0.3)], ids=repr)
def test_stop_at_a_gap(model, gap):
    X, y = _rows(6000, 2)
    monitor = GapMonitor(every=np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A small tol, so that the fit goes on for some reports after the gap: they come every 50 ms.
        stopped = clone(model).set_params(tol=1e-7).set_callbacks(StopAtGap(gap), monitor).fit(X, y)
    assert stopped.certificate_.relative_gap <= gap
    assert stopped.status_.name == "INTERRUPTED"
    assert min(record.relative_gap for record in monitor.records if record.relative_gap is not None) <= gap
    whole = clone(model).fit(X, y)
    assert stopped.n_iter_[0] < whole.n_iter_[0] if hasattr(model, "nu") or isinstance(model, SVC) else True
    assert whole.certificate_.primal_objective <= stopped.certificate_.primal_objective * (1 + 1e-3)


@needs_callbacks
def test_a_stochastic_fit_that_is_stopped_does_not_warn():
    X, y = _rows(20000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = StochasticClassifier(tol=1e-9).set_callbacks(StopAtGap(0.5)).fit(X, y)
    assert model.status_.name == "INTERRUPTED"


@needs_callbacks
def test_each_subproblem_stops_by_itself():
    model = SVC(C=10.0, tol=1e-7).set_callbacks(StopAtGap(0.2)).fit(*_rows(5000))
    gaps = [each.certificate.relative_gap for each in model.solutions_]
    assert max(gaps) <= 0.2
    assert model.status_.name == "INTERRUPTED"


def test_only_a_known_and_small_gap_stops():
    stop = StopAtGap(0.05)
    at = Progress(seconds=1.0, steps=1, objective=96.0, violation=0.01, n_support=1)
    assert stop.on_progress(None, None, at) is None
    assert stop.on_progress(None, None, at._replace(gap=4.0)) is Stop.SUBPROBLEM
    assert stop.on_progress(None, None, at._replace(gap=4.0, done=True)) is None
    assert stop.on_progress(None, None, at._replace(gap=40.0)) is None


@pytest.mark.parametrize("make", [StopAtGap, GapMonitor])
def test_parameters_of_callbacks(make):
    with pytest.raises(InvalidInput, match=f"of {make.__name__} must be a float in the range"):
        make(-1.0)


def test_the_monitor_tells_the_gap(capsys):
    monitor = GapMonitor(every=1e-9)
    monitor.on_progress(SVC(), None, Progress(seconds=1.0, steps=5, objective=96.0, violation=0.01, n_support=1, gap=4.0))
    assert capsys.readouterr().out == "[maxmargin] SVC, subproblem 1, 1.0 s, 5 steps: gap 4.0e-02\n"


@needs_callbacks
@pytest.mark.parametrize("search", [SklearnGridSearchCV, GridSearchCV])
def test_searches_have_the_tasks_of_scikit_learn(search):
    X, y = _rows(300)
    model, grid = make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1.0], "svc__gamma": [0.01, 0.1]}
    seen = Recorder()
    watched = search(model, grid, cv=3).set_callbacks(seen).fit(X, y)
    plain = search(model, grid, cv=3).fit(X, y)
    assert np.array_equal(watched.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    assert _state(watched.best_estimator_[-1]) == _state(plain.best_estimator_[-1])
    tasks = [each for each in seen.told if each[2:] == ("search",)]
    assert tasks == [("begin", "GridSearchCV", "search"), ("end", "GridSearchCV", "search")]
    assert seen.ended[-1] == "fit"
    assert ("end", "SVC", "fit") in seen.told
    cells = [each for each in seen.told if each[0] == "end" and each[2] in ("candidate-split-evaluation", "fit")]
    if search is GridSearchCV:
        assert seen.ended.count("candidate-split-evaluation") == 12
        assert watched.shared_ == plain.shared_
    assert len(cells) >= 13
    assert not {"_callback_fit_ctx", "_skl_callbacks_to_teardown"} & vars(watched).keys()


@needs_callbacks
@pytest.mark.parametrize("model", [SVC(), make_pipeline(StandardScaler(), SVC())], ids=repr)
def test_callbacks_inside_a_search_are_refused(model):
    model = clone(model)
    (model[-1] if hasattr(model, "steps") else model).set_callbacks(GapMonitor())
    with pytest.raises(TypeError, match="Set them on the search"):
        GridSearchCV(model, {}, cv=2).fit(*_rows(60))


@needs_callbacks
@pytest.mark.parametrize("call", [cross_val_score, cross_val_predict])
@pytest.mark.parametrize("piped", [False, True])
def test_callbacks_of_a_cross_validated_estimator_hear_of_its_folds(piped, call):
    X, y = _rows(200)
    seen, plain = Recorder(), make_pipeline(StandardScaler(), SVC(tol=1e-6)) if piped else SVC(tol=1e-6)
    found = call(clone(plain).set_callbacks(seen), X, y, cv=4)
    assert seen.told.count(("begin", "SVC", "fit")) == seen.told.count(("end", "SVC", "fit")) == 4
    assert np.array_equal(found, call(plain, X, y, cv=4))


@needs_callbacks
def test_estimators_that_search_tell_of_their_search():
    X, y = _rows(200)
    seen = Recorder()
    watched = SVCCV(Cs=[0.1, 1.0], gammas=[0.01]).set_callbacks(seen).fit(X, y)
    plain = SVCCV(Cs=[0.1, 1.0], gammas=[0.01]).fit(X, y)
    assert seen.ended.count("candidate-split-evaluation") == 10
    assert np.array_equal(watched.scores_, plain.scores_)


@needs_callbacks
@pytest.mark.parametrize("kind", ["alone", "pipeline", "search", "ours"])
def test_scikit_learns_progress_bar(kind, monkeypatch):
    pytest.importorskip("rich")
    import rich  # noqa: PLC0415
    from sklearn.callback import ProgressBar  # noqa: PLC0415

    out = io.StringIO()
    monkeypatch.setattr(rich, "_console", rich.console.Console(file=out, force_terminal=True, width=80))
    X, y = _rows(600)
    pipeline = make_pipeline(StandardScaler(), SVC(C=10.0))
    model = {
        "alone": SVC(C=10.0),
        "pipeline": pipeline,
        "search": SklearnGridSearchCV(pipeline, {"svc__C": [1.0, 10.0]}, cv=2),
        "ours": GridSearchCV(pipeline, {"svc__C": [1.0, 10.0]}, cv=2),
    }[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(X, y)
    shown = out.getvalue()
    assert "SVC - fit" in shown
    assert "100%" in shown


@needs_callbacks
def test_a_model_with_callbacks_is_cloned_and_pickled():
    X, y = _rows(100)
    model = SVC().set_callbacks(StopAtGap(0.1), GapMonitor()).fit(X, y)
    assert clone(model)._skl_callbacks == model._skl_callbacks
    loaded = pickle.loads(pickle.dumps(model))
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded._skl_callbacks[0].gap == 0.1


@pytest.mark.skipif(HAS_CALLBACKS, reason="with scikit-learn 1.9 there are callbacks")
def test_before_1_9_there_are_no_callbacks():
    assert not hasattr(SVC(), "set_callbacks")
