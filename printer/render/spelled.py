"""Text of Indic scripts spelled out beside its drawing, so that it can be read back and searched.

Letters of these scripts join in forms whose place in a line need not be that of the letters.  A PDF
gives each form one reading, which is wrong elsewhere: "वर्णन" would be read as "वर्षन".  So what is
drawn in one go has its text beside it (ActualText, PDF 32000-1, 14.9.4).  Scripts from right to
left are left alone: readers disagree on the order in which to spell them.

Of WeasyPrint's inside this module knows ``draw_first_line``, which draws a piece of a line.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .between import come_between

#: Devanagari to Sinhala, Tibetan, Myanmar, Khmer.
_JOINED = re.compile("[\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff]")

_here = threading.local()


@contextmanager
def spelled_out() -> Iterator[None]:
    """Spell out what this thread draws meanwhile; what others draw is not touched."""
    from weasyprint.draw import text

    come_between(text, "draw_first_line", _spelling)
    _here.on = True
    try:
        yield
    finally:
        _here.on = False


def _spelling(original: Any) -> Any:
    import pydyf

    def draw(stream: Any, box: Any, *rest: Any) -> Any:
        if not getattr(_here, "on", False) or not _JOINED.search(box.text):
            return original(stream, box, *rest)
        spelling = pydyf.Dictionary({"ActualText": pydyf.String(box.text)})
        stream.begin_marked_content("Span", spelling)
        try:
            return original(stream, box, *rest)
        finally:
            stream.end_marked_content()

    return draw
