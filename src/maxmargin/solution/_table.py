"""Small tables of names and values, as text and as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from maxmargin.errors import InvalidInput

__all__ = ["html_table", "kernel_row", "margin_rows", "text_table"]

Rows = Iterable[tuple[str, str]]


def text_table(rows: Rows) -> str:
    """A line for each name and value."""
    return "\n".join(f"{name:<20}{value}" for name, value in rows)


def html_table(rows: Rows, title: str = "") -> str:
    """The same as HTML. It sets no colours: a notebook's own are right, light or dark."""
    head = f"<caption style='text-align:left'>{escape(title)}</caption>" if title else ""
    lines = (
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{head}{''.join(lines)}</table>"


def margin_rows(margin: Callable[[], Any]) -> list[tuple[str, str]]:
    """The line of the margin; none where the answer has no margin."""
    try:
        return [("margin", f"{margin():.6g}")]
    except InvalidInput:
        return []


def kernel_row(kernel: Any) -> tuple[str, str]:
    """The line of the kernel: its name, and γ where it has one."""
    name, gamma = getattr(kernel, "kind", type(kernel).__name__), getattr(kernel, "gamma", None)
    return "kernel", str(name) if gamma is None or kernel.is_linear else f"{name}, gamma = {gamma:.6g}"
