"""The command itself: version, help, exit codes, endings."""

from __future__ import annotations

import argparse
import subprocess
import sys
from importlib.metadata import entry_points
from typing import Any

import pytest

import maxmargin
from maxmargin.cli import _demo, main
from maxmargin.errors import MissingExtra


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"maxmargin {maxmargin.__version__}\n"


def test_entry_point() -> None:
    entries = list(entry_points(group="console_scripts", name="maxmargin"))
    if not entries:
        pytest.skip("the source tree is not installed")
    assert entries[0].load() is main


def test_the_package_runs_as_a_module() -> None:
    asked = [sys.executable, "-m", "maxmargin", "--version"]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    assert said == f"maxmargin {maxmargin.__version__}\n"


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out = capsys.readouterr().out
    assert "usage: maxmargin" in out
    assert "demo" in out


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["dance"])
    assert ended.value.code == 2
    assert "'dance'" in capsys.readouterr().err


def _raises(error: BaseException) -> Any:
    def run(arguments: argparse.Namespace) -> int:
        raise error

    return run


def test_our_errors_are_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_demo, "run", _raises(MissingExtra('Install it with: pip install "maxmargin[plots]"')))
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == 'maxmargin: Install it with: pip install "maxmargin[plots]"\n'


def test_interrupt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_demo, "run", _raises(KeyboardInterrupt()))
    assert main(["demo"]) == 130
    assert capsys.readouterr().err == "maxmargin: interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of this kind")
def test_a_closed_pipe_leaves_no_traceback(tmp_path: Any) -> None:
    code = f"import sys; from maxmargin.cli import main; sys.exit(main(['demo', '--output', {str(tmp_path)!r}]))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read().decode()
        assert process.wait(timeout=120) == 1
    assert errors == ""
