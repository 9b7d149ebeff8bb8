"""Editing before printing: the pieces of an article, what is kept of a print, and its revisions."""

from __future__ import annotations

from .blocks import Piece, around, part

__all__ = ["Piece", "around", "part"]
