"""Editing before printing: the pieces of an article, what is kept of a print, and its revisions."""

from __future__ import annotations

from .blocks import EditableBlock, editable_blocks, select_omitted

__all__ = ["EditableBlock", "editable_blocks", "select_omitted"]
