"""``maxmargin play``: the playground, served to this machine alone."""

from __future__ import annotations

import argparse
import contextlib
import http.server
import sys
import webbrowser
from functools import partial
from pathlib import Path
from typing import Any, final
from urllib.parse import urlsplit

from maxmargin.errors import MaxmarginError
from maxmargin.playground import folder

__all__ = ["add", "run"]


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "play",
        help="drag points in the browser and see the exact answer with its certificate",
        description="Serve the playground on this machine (127.0.0.1 only) and open it in the browser. Ctrl-C ends it.",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, but open no browser")
    parser.add_argument("--port", type=_port, default=0, help="port to listen on; any free one by default")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    if not (folder() / "core.wasm").is_file():
        raise MaxmarginError(
            "This installation is without the playground's core, which is compiled to WebAssembly. Install a wheel that has"
            " it, or in a source tree run: make wasm"
        )
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), partial(_Files, directory=str(folder())))
    except OSError as error:
        raise MaxmarginError(f"Port {arguments.port} cannot be used: {error.strerror}. Choose another with --port.") from None
    with server, contextlib.suppress(KeyboardInterrupt):
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print(f"The playground is at {address}  (Ctrl-C ends it)", flush=True)
        if not arguments.no_browser and not webbrowser.open(address):
            print("No browser could be opened: open this address yourself.", file=sys.stderr)
        server.serve_forever(poll_interval=0.2)
    return 0


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a number from 0 to 65535. Got {text!r}.")
    return int(text)


@final
class _Files(http.server.SimpleHTTPRequestHandler):
    """The files of the page and no others, with the types that browsers insist on."""

    extensions_map = {  # noqa: RUF012  # as the class above has it
        ".html": "text/html; charset=utf-8",
        ".css": "text/css",
        ".js": "text/javascript",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
        "": "application/octet-stream",  # asked for by the class above; nothing of the kind is served
    }

    def send_head(self) -> Any:
        name = urlsplit(self.path).path
        if name != "/" and Path(name).suffix not in set(self.extensions_map) - {""}:
            self.send_error(404)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # of the version that is installed
        super().end_headers()

    def list_directory(self, path: Any) -> None:
        self.send_error(404)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing: a line for each file helps nobody."""
