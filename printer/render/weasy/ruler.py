"""Measurement of text as WeasyPrint sets it."""

from __future__ import annotations

from typing import Any


def set_on_line(text: str, style: Any, context: Any) -> tuple[Any, float]:
    """Return the layout of a text on one line, and its width in pixels."""
    from weasyprint.text.line_break import create_layout, line_size

    layout = create_layout(text, style, context, None, 0)
    width, _ = line_size(layout.get_first_line()[0], style)
    return layout, float(width)
