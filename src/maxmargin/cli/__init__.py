"""The ``maxmargin`` command."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Sequence

from maxmargin.cli import _demo
from maxmargin.cli._version import installed_version
from maxmargin.errors import MaxmarginError

__all__ = ["main"]

_COMMANDS = (_demo,)  # a command is a module with add(subparsers) and run(arguments) -> exit code


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        0 on success, 1 when the work failed, 2 for wrong arguments, 130 after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows "?" rather than a traceback
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.run is None:
        parser.print_help()
        return 2
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except MaxmarginError as error:
        print(f"maxmargin: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of a pipe has gone, as in "maxmargin demo | head -3"
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("maxmargin: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="maxmargin", description="Support vector machines that prove their answer.")
    parser.add_argument("--version", action="version", version=f"maxmargin {installed_version()}")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in _COMMANDS:
        command.add(subparsers)
    return parser
