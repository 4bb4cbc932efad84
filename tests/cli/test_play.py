"""``maxmargin play``: the page on this machine alone."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxmargin.cli import _play, main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A playground whose core is there."""
    (tmp_path / "index.html").write_text("<title>playground</title>", encoding="utf-8")
    (tmp_path / "core.wasm").write_bytes(b"\0asm")
    (tmp_path / "inside").mkdir()
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(_play, "folder", lambda: tmp_path)
    return tmp_path


SERVE = """
import signal, sys
from pathlib import Path
from maxmargin.cli import _play, main
signal.signal(signal.SIGINT, signal.default_int_handler)  # which what runs in a shell's background inherits as ignored
_play.folder = lambda: Path(sys.argv[1])
raise SystemExit(main(["play", "--no-browser"]))
"""


@pytest.fixture
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", SERVE, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", said)
        assert found is not None, said
        yield process, found.group()
        process.kill()


def test_files_have_the_types_that_browsers_want(served: tuple[subprocess.Popen[str], str]) -> None:
    _, address = served
    with urllib.request.urlopen(address) as page:
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        assert b"playground" in page.read()
    with urllib.request.urlopen(f"{address}core.wasm") as core:
        assert core.headers["Content-Type"] == "application/wasm"


@pytest.mark.parametrize("path", ["inside/", "inside", "nothing.js", "../pyproject.toml", "__init__.py"])
def test_nothing_else_is_served(served: tuple[subprocess.Popen[str], str], path: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{served[1]}{path}")


def test_ctrl_c_ends_it(served: tuple[subprocess.Popen[str], str]) -> None:
    process, _ = served
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


@pytest.mark.usefixtures("folder")
def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["play", "--no-browser", "--port", str(port)]) == 1
    assert f"Port {port} cannot be used" in capsys.readouterr().err


def test_a_port_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["play", "--port", "99999"])
    assert ended.value.code == 2
    assert "must be a number from 0 to 65535. Got '99999'." in capsys.readouterr().err


def test_without_the_core_it_says_what_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "core.wasm").unlink()
    assert main(["play", "--no-browser"]) == 1
    assert "make wasm" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_browser_is_opened_and_its_absence_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def refuse(address: str) -> bool:
        opened.append(address)
        return False

    def stop(self: object, poll_interval: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_play.webbrowser, "open", refuse)
    monkeypatch.setattr(_play.http.server.ThreadingHTTPServer, "serve_forever", stop)
    assert main(["play"]) == 0
    assert opened[0].startswith("http://127.0.0.1:")
    assert "No browser could be opened" in capsys.readouterr().err
