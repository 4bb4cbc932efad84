"""What verbose prints."""

import sys
import types

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.estimators._reporting import LineReport, LiveReport, SilentReport, report_for

from ._sets import iris

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
