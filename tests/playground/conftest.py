"""The page in Debian's chromium, served as a user serves it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from ._core import require_core

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where ``maxmargin play --no-browser`` serves the page."""
    require_core()
    command = [sys.executable, "-m", "maxmargin", "play", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as served:
        assert served.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", served.stdout.readline())
        assert found is not None
        try:
            yield found.group()
        finally:  # a shell's background jobs ignore SIGINT; that Ctrl-C ends it is tested in tests/cli
            served.terminate()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser, and is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium (apt-get install chromium)")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield opened
        opened.close()


@dataclass
class Seen:
    """A page, with what went wrong in it and where it asked for files."""

    page: Any
    address: str
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, expression: str, seconds: float = 20.0) -> Any:
        """The value of an expression once it is true. (The page forbids what playwright itself waits with.)"""
        for _ in range(int(20 * seconds)):
            value = self.page.evaluate(expression)
            if value:
                return value
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not within {seconds} s: {expression}; the page says {self.message()!r}")

    def message(self) -> str:
        return str(self.page.evaluate("document.getElementById('message').textContent"))

    def go(self, fragment: str = "") -> None:
        """Load the page anew with a state in its address."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}{fragment}")
        self.until("window.playground !== undefined")
        self.until("playground.answer !== null || document.getElementById('message').textContent !== ''")

    def settled(self) -> dict[str, Any]:
        """What is shown once the search has ended, as plain data."""
        self.until("playground.answer && playground.answer.certificate.status !== 'TIME_LIMIT'")
        return self.page.evaluate(
            """() => JSON.parse(JSON.stringify(playground.shown, (_, value) =>
              value instanceof Float64Array ? Array.from(value) : value === Infinity ? "inf" : value))"""
        )


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Callable[..., Seen]]:
    """Opens the page; at the end nothing may have gone wrong in any, and no request left the machine."""
    opened: list[tuple[Any, Seen]] = []

    def make(fragment: str = "", **context: Any) -> Seen:
        inside = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **context})
        seen = Seen(inside.new_page(), address)
        seen.page.on("console", lambda told: seen.errors.append(told.text) if told.type in ("error", "warning") else None)
        seen.page.on("pageerror", lambda error: seen.errors.append(str(error)))
        seen.page.on("request", lambda asked: seen.requests.append(asked.url))
        opened.append((inside, seen))
        seen.go(fragment)
        return seen

    yield make
    for inside, seen in opened:
        assert seen.errors == []
        outside = [url for url in seen.requests if not url.startswith((address, "about:", "blob:", "data:"))]
        assert outside == []
        inside.close()
