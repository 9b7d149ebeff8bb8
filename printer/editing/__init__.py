"""Editing a print: an article's blocks that can be switched on and off, and its stored snapshot."""

from __future__ import annotations

from .blocks import EditableBlock, editable_blocks, select_omitted

__all__ = ["EditableBlock", "editable_blocks", "select_omitted"]
