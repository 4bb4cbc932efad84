"""The version of what is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

__all__ = ["installed_version"]


def installed_version() -> str:
    """Version of the installed package; "0+unknown" in a source tree that is not installed."""
    try:
        return version("maxmargin")
    except PackageNotFoundError:
        return "0+unknown"
