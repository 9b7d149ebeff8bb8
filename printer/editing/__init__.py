"""Editing of prints: blocks that can be removed or restored, and the stored snapshot."""

from __future__ import annotations

from .blocks import EditableBlock, editable_blocks, select_omitted

__all__ = ["EditableBlock", "editable_blocks", "select_omitted"]
