"""What verbose prints."""

import logging
import sys
import types

import numpy as np
import pytest
from sklearn.base import clone

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, LogisticRegression, NuSVC, StochasticClassifier, solve
from maxmargin.estimators._shared._reporting import LineReport, LiveReport, NotebookReport, SilentReport, report_for
from maxmargin.problems import SoftMargin
from maxmargin.solution import Certificate, Progress, Status

from ._sets import iris

CERTIFICATE = Certificate.of(2.0, 1.9999, 1e-4, Status.CONVERGED)
PROGRESS = Progress(seconds=1.25, steps=7, objective=-3.0, violation=0.01, n_support=4)
CONVERGED = types.SimpleNamespace(status=Status.CONVERGED, steps=7, support=[], certificate=CERTIFICATE)


def test_silence_is_the_default(capsys):
    SVC().fit(*iris())
    assert capsys.readouterr() == ("", "")
    assert isinstance(report_for(False, "SVC", 3, 1e-3), SilentReport)
    assert report_for(0, "SVC", 3, 1e-3).start(["a"]) is None


@pytest.mark.parametrize("verbose", [True, 1, 2, np.True_])
def test_a_line_for_each_machine(verbose, capsys):
    X, y = iris()
    SVC(verbose=verbose).fit(X, np.array(["a", "b", "c"])[y])
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert len(lines) == 3
    assert lines[0].startswith("[maxmargin] 1/3 a against b: converged, ")
    assert " SVs, " in lines[1]
    assert ", gap " in lines[2]
    assert max(map(len, lines)) <= 80


def test_a_long_machine_tells_how_far_it_is(capsys):
    report = LineReport("SVC", 2, 1e-3, every=0.0)
    checkpoint = report.start(["a against b"])
    assert checkpoint(PROGRESS) is False
    line = capsys.readouterr().out
    assert line == "[maxmargin] 1/2 a against b: 1.2 s, 7 steps, objective -3, violation 1.0e-02\n"
    checkpoint(PROGRESS._replace(gap=1.0))
    assert capsys.readouterr().out == "[maxmargin] 1/2 a against b: 1.2 s, 7 steps, objective -3, gap 5.0e-01\n"
    report.every = 1e9
    checkpoint(PROGRESS)
    assert capsys.readouterr().out == ""


def test_without_rich_there_are_plain_lines(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(report_for(True, "SVC", 3, 1e-3), LineReport)


def test_a_terminal_has_a_live_line(monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    report = report_for(True, "SVC", 3, 1e-3)
    assert isinstance(report, LiveReport)
    with report:
        assert report.start(["a against b"])(PROGRESS) is False
    SVC(verbose=True).fit(*iris())
    assert "1 against 2: converged" in capsys.readouterr().out


def test_machines_that_run_together_tell_which_one_it_is(capsys):
    report = LineReport("SVC", 3, 1e-3, every=0.0)
    checkpoint = report.start(["a against b", "a against c", "b against c"])
    checkpoint(PROGRESS._replace(subproblem=1))
    assert capsys.readouterr().out.startswith("[maxmargin] 2/3 a against c: 1.2 s, 7 steps, ")
    report.done([CONVERGED] * 3)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("[maxmargin] 1/3 a against b: converged, 7 steps, ")
    assert lines[2].startswith("[maxmargin] 3/3 b against c: converged, ")


def test_machines_one_after_the_other_are_counted(capsys):
    report = LineReport("SVC", 2, 1e-3, every=0.0)
    for name in ("a", "b"):
        report.start([name])(PROGRESS)
        report.done([CONVERGED])
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == [
        f"[maxmargin] {k}/2 {name}" for k, name in ((1, "a"), (1, "a"), (2, "b"), (2, "b"))
    ]
    assert report.course.finished == 2
    assert report.course.fraction == 1.0


def test_a_line_fits_into_80_columns(capsys):
    LineReport("SVC", 4950, 1e-3).line(4949, "a label of many words against another one", ["converged"] * 3, "123456789 steps")
    (line,) = capsys.readouterr().out.splitlines()
    assert len(line) == 80
    assert line.endswith("…: converged, converged, converged")


def test_lines_go_to_the_logger_where_somebody_listens(capsys, caplog):
    with caplog.at_level(logging.INFO, logger="maxmargin"):
        LinearSVC(verbose=1).fit(*iris())
    assert capsys.readouterr().out == ""
    assert len(caplog.messages) == 3
    assert caplog.messages[0].startswith("1/3 0 against the rest: converged, ")
    assert {record.name for record in caplog.records} == {"maxmargin"}


def test_linear_models_count_their_weights(capsys):
    X, y = iris()
    model = LogisticRegression(penalty="l1", C=0.1, multi_class="ovr", verbose=1).fit(X, y)
    said = [line.split(", ")[2] for line in capsys.readouterr().out.splitlines()]
    assert said == [f"{n} weight{'s' if n != 1 else ''}" for n in (model.coef_ != 0).sum(axis=1)]


def test_a_notebook_has_a_bar_of_its_own(monkeypatch, capsys):
    shown = []
    shell = type("ZMQInteractiveShell", (), {})()
    handle = types.SimpleNamespace(update=shown.append)
    display = types.SimpleNamespace(HTML=str, display=lambda html, display_id: shown.append(html) or handle)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    report = report_for(1, "SVC", 3, 1e-3)
    assert isinstance(report, NotebookReport)
    SVC(verbose=1).fit(*iris())
    assert 'value="0.000"' in shown[0]
    assert "SVC" in shown[-1]
    assert 'value="1.000"' in shown[-1]
    assert "3/3" in shown[-1]
    assert len(capsys.readouterr().out.splitlines()) == 3


def _bits(model):
    arrays = [vars(model)[name] for name in ("dual_coef_", "coef_", "intercept_", "n_iter_", "support_") if name in vars(model)]
    return [np.asarray(array.toarray() if hasattr(array, "toarray") else array).tobytes() for array in arrays]


def _noisy(rows, classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 40))
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=rows), np.linspace(-1, 1, classes - 1))


WATCHED = {
    "pairs": (SVC(C=10.0), _noisy(2400, 4)),
    "pairs with little memory": (SVC(C=10.0, cache_size=1), _noisy(2400, 4)),
    "many rows": (SVC(C=1.0), _noisy(5600, 2)),
    "against the rest": (SVC(multi_class="ovr"), _noisy(1500, 3)),
    "joint": (SVC(multi_class="joint"), _noisy(600, 3)),
    "nu": (NuSVC(nu=0.2), _noisy(900, 3)),
    "linear kernel": (SVC(kernel="linear"), _noisy(900, 3)),
    "precomputed": (
        SVC(kernel="precomputed"),
        (np.exp(-0.1 * np.abs(np.subtract.outer(*2 * [np.arange(300.0)]))), _noisy(300, 3)[1]),
    ),
    "outputs": (SVR(), (_noisy(900, 3)[0], _noisy(900, 3)[0][:, :3])),
    "linear": (LinearSVC(), _noisy(900, 3)),
    "linear regression": (LinearSVR(), _noisy(900, 3)),
    "logistic": (LogisticRegression(), _noisy(900, 3)),
    "steps": (StochasticClassifier(random_state=0), _noisy(300, 3)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", WATCHED)
def test_watching_changes_no_bit(kind, capsys):
    model, (X, y) = WATCHED[kind]
    silent, *watched = (_bits(clone(model).set_params(verbose=verbose).fit(X, y)) for verbose in (0, 1, 2))
    assert all(bits == silent for bits in watched)
    assert capsys.readouterr().out


def test_a_callback_changes_no_bit():
    X, y = _noisy(5600, 2)
    seen = []
    plain, watched = (solve(SoftMargin(X, y), callback=callback) for callback in (None, seen.append))
    assert seen
    assert plain.beta.tobytes() == watched.beta.tobytes()
    assert plain.steps == watched.steps
