"""The line above a quotation that says whose words follow, as discussions have it."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from lxml.html import HtmlElement

from ..article import Spans, plain
from ..dom.lines import text_line
from .breaks import lines_of, put_together

#: Such a line is not longer than this.
_SHORT = 120
_COLONS = (":", "：")
_EMPHASIS = frozenset({"cite", "strong", "em"})
_BOXES = frozenset({"div", "header"})


def is_introduction(element: HtmlElement) -> bool:
    """Tell whether a box that a quotation begins with is a line above it that ends in a colon."""
    above = element.getparent()
    if element.tag not in _BOXES or above is None or above.tag != "blockquote":
        return False
    text = text_line(element, limit=_SHORT + 2)
    return text.endswith(_COLONS) and len(text) <= _SHORT and element.getnext() is not None


def introduction(spans: Spans, *, alone: bool) -> tuple[Spans, Spans]:
    """Part the line that says whose words follow from the paragraph that it begins.

    It is a ``cite`` with a line of its own, or with nothing between it and the words, or with a
    colon; or a line that ends in a colon and begins with emphasis or a link.  ``alone`` tells that
    no words come after the paragraph.
    """
    first, *rest = lines_of(spans)
    text = plain(first)
    followed = not all(map(is_cited, rest)) if rest else not alone
    if text and followed and len(text) <= _SHORT:
        said = [span for span in first if span.text.strip()]
        whole = all(not _EMPHASIS.isdisjoint(span.marks) for span in said)
        begun = bool(said[0].href) or not _EMPHASIS.isdisjoint(said[0].marks)
        announced = text.endswith(_COLONS) and (whole or (begun and rest))
        if announced or is_cited(first):
            return first, put_together(rest, "\n") if rest else ()
    named = _named(first)
    return (named, _after(spans, len(named))) if named else ((), spans)


def is_cited(spans: Spans) -> bool:
    """Tell whether all of a text is a ``cite``."""
    return all("cite" in span.marks for span in spans if span.text.strip())


def _named(spans: Spans) -> Spans:
    """Return the ``cite`` that a line begins with, if it is no part of a sentence."""
    cited = tuple(takewhile(lambda span: "cite" in span.marks, spans))
    text = "".join(span.text for span in cited)
    after = "".join(span.text for span in spans[len(cited) : len(cited) + 2])
    if not text.strip() or not after.strip() or len(text) > _SHORT:
        return ()
    glued = not text[-1].isspace() and after[0].isalnum()
    return cited if glued or plain(cited).endswith(_COLONS) else ()


def _after(spans: Spans, count: int) -> Spans:
    first, *rest = spans[count:]
    return (replace(first, text=first.text.lstrip()), *rest)
