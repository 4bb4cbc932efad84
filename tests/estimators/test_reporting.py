"""What verbose prints."""

import sys
import types

import numpy as np
import pytest
from sklearn.base import clone

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, LogisticRegression, NuSVC, StochasticClassifier, solve
from maxmargin.estimators._shared._reporting import LineReport, LiveReport, SilentReport, report_for
from maxmargin.problems import SoftMargin
from maxmargin.solution import Certificate, Status

from ._sets import iris

CERTIFICATE = Certificate.of(2.0, 1.9999, 1e-4, Status.CONVERGED)
PROGRESS = types.SimpleNamespace(seconds=1.25, steps=7, objective=-3.0, violation=0.01, n_support=4)


def test_silence_is_the_default(capsys):
    SVC().fit(*iris())
    assert capsys.readouterr() == ("", "")
    assert isinstance(report_for(False, 3), SilentReport)
    assert report_for(0, 3).start("a") is None


@pytest.mark.parametrize("verbose", [True, 1, 2, np.True_])
def test_a_line_for_each_machine(verbose, capsys):
    X, y = iris()
    SVC(verbose=verbose).fit(X, np.array(["a", "b", "c"])[y])
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err == ""
    assert len(lines) == 3
    assert lines[0].startswith("[maxmargin] 1/3 a against b: converged, ")
    assert "support vectors" in lines[1]
    assert "relative gap" in lines[2]


def test_a_long_machine_tells_how_far_it_is(capsys):
    report = LineReport(2, every=0.0)
    checkpoint = report.start("a against b")
    assert checkpoint(PROGRESS) is False
    line = capsys.readouterr().out
    assert line == ("[maxmargin] 1/2 a against b: 7 steps, 1.2 s, objective -3, violation 1.0e-02, 4 support vectors\n")
    report.every = 1e9
    checkpoint(PROGRESS)
    assert capsys.readouterr().out == ""


def test_without_rich_there_are_plain_lines(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(report_for(True, 3), LineReport)


def test_a_terminal_has_a_live_line(monkeypatch, capsys):
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    report = report_for(True, 3)
    assert isinstance(report, LiveReport)
    with report:
        assert report.start("a against b")(PROGRESS) is False
    SVC(verbose=True).fit(*iris())
    assert "1 against 2: converged" in capsys.readouterr().out


def test_machines_that_run_together_tell_which_one_it_is(capsys):
    report = LineReport(3, every=0.0)
    report.together(["a against b", "a against c", "b against c"])(types.SimpleNamespace(**vars(PROGRESS), subproblem=1))
    assert capsys.readouterr().out.startswith("[maxmargin] 2/3 a against c: 7 steps, ")
    report.start("a against b")
    report.done(types.SimpleNamespace(status=Status.CONVERGED, steps=7, support=[], certificate=CERTIFICATE))
    assert capsys.readouterr().out.startswith("[maxmargin] 1/3 a against b: converged, 7 steps, ")


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
