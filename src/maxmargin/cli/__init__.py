"""The ``maxmargin`` command."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from maxmargin._version import installed_version
from maxmargin.cli import _convert, _demo, _inspect, _play, _predict, _train, _tune, _verify
from maxmargin.cli._estimators import class_weights_apart
from maxmargin.errors import MaxmarginError

__all__ = ["main"]

_TEXT = """\
Support vector machines that prove their answer.

  maxmargin train heart_scale -C 1 --save heart.mm
  maxmargin predict heart.mm heart_scale
  maxmargin verify heart.mm heart_scale
"""
_COMMANDS = (
    _train,
    _predict,
    _tune,
    _inspect,
    _verify,
    _convert,
    _demo,
    _play,
)  # a command is a module with add(subparsers) and run(arguments) -> exit code


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        0 on success, 1 when the work failed, 2 for wrong arguments, 3 for a model that is not proven optimal, 130 after Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows "?" rather than a traceback
    parser = _parser()
    given = sys.argv[1:] if argv is None else list(argv)
    arguments = parser.parse_args(class_weights_apart(given) if given[:1] == ["train"] else given)
    if arguments.run is None:
        parser.print_help()
        return 2
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
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
    except (OSError, MemoryError) as error:
        named = isinstance(error, OSError) and error.filename and error.strerror
        said = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and named else error or "not enough memory"
        print(f"maxmargin: {said}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("maxmargin: interrupted", file=sys.stderr)
        return 130


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """One line, without the place in our source that means nothing to a user of the command."""
    print(f"maxmargin: warning: {message}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="maxmargin", description=_TEXT, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"maxmargin {installed_version()}")
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in _COMMANDS:
        command.add(subparsers)
    return parser
