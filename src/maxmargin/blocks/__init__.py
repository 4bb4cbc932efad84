"""Rows that come in blocks: data that need not fit into memory, read again in each pass of a fit."""

from __future__ import annotations

from maxmargin.blocks._look import FirstLook as FirstLook
from maxmargin.blocks._look import Spread as Spread
from maxmargin.blocks._row_blocks import RowBlocks
from maxmargin.blocks._standard import Mapped as Mapped
from maxmargin.blocks._standard import Standard as Standard
from maxmargin.blocks._svmlight_faults import svmlight_fault as svmlight_fault
from maxmargin.blocks._tree import TreeSum

__all__ = ["RowBlocks", "TreeSum"]
