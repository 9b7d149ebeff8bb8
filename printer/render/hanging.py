"""A space at the end of a line hangs over its edge, also before a link or what is set in italics.

CSS says so (css-text-3, 4.1.2).  Where a piece of text ends in a space that alone does not fit, as
before a link that begins the next line, WeasyPrint takes the whole piece for too long and leaves a
line with its first word.  Of WeasyPrint's inside this module knows ``split_first_line``, which cuts
a line off a text, as ``layout.inline`` calls it.
"""

from __future__ import annotations

from typing import Any

from .between import come_between

#: White space that ends with the line.
_HANGS = frozenset({"normal", "pre-line"})

#: Letters are no narrower than this on an average, by the size of their font.
_NARROWEST = 0.25


def install() -> None:
    """Come between WeasyPrint and its lines, once."""
    from weasyprint.layout import inline

    def make(original: Any) -> Any:
        def split(
            text: str, style: Any, context: Any, width: float | None, *rest: Any, **more: Any
        ) -> Any:
            found = original(text, style, context, width, *rest, **more)
            if found[2] is None or width is None or not text.endswith(" "):
                return found
            size = style["font_size"]
            if style["white_space"] not in _HANGS or len(text) * _NARROWEST * size > width:
                return found
            bare = original(text.rstrip(" "), style, context, width, *rest, **more)
            if bare[2] is not None or bare[3] > width:
                return found
            return original(text, style, context, width + size, *rest, **more)

        return split

    come_between(inline, "split_first_line", make)
