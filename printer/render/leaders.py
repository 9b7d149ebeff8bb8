"""The dots that lead to a page's number, drawn as one text and not each by itself.

WeasyPrint makes a box of every dot: in long contents most of what it holds, and of the file, is
dots.  Of its inside this module knows ``handle_leader``, which fills a line that is laid out.
"""

from __future__ import annotations

from typing import Any

from .between import come_between

#: So many pixels a joined text may be wider or narrower than its pieces were.
NEAR = 0.5


def install() -> None:
    """Come between WeasyPrint and its lines, once."""
    from weasyprint.layout import inline
    from weasyprint.layout.leader import leader_index

    def make(original: Any) -> Any:
        def handle(context: Any, line: Any, around: Any) -> None:
            original(context, line, around)
            _, leader = leader_index(line)
            if leader is not None and len(leader.children) > 1:
                leader.children = _joined(leader.children, context)

        return handle

    come_between(inline, "handle_leader", make)


def _joined(pieces: tuple[Any, ...], context: Any) -> tuple[Any, ...]:
    """Return a text that is many times the same as one, where that comes out as wide."""
    from weasyprint.text.line_break import split_first_line

    first = min(pieces, key=lambda piece: piece.position_x)
    text = first.text * len(pieces)
    layout, _, rest, width, _, _ = split_first_line(text, first.style, context, None, 0)
    if rest is not None or abs(width - first.width * len(pieces)) > NEAR:
        return pieces
    whole = first.copy_with_text(text)
    whole.pango_layout, whole.width = layout, width
    return (whole,)
