"""The line above a quotation that says whose words follow, as discussions have it.

Structure alone tells it, a box or a ``cite``; in doubt a line stays among the words.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, takewhile

from lxml.html import HtmlElement

from ..article import COLONS, Spans, plain
from ..html.lines import text_line
from ..html.segments import BLOCKS

#: Such a line is not longer than this.
_MAX_INTRODUCTION = 120
_INTRODUCTION_TAGS = frozenset({"div", "header"})
#: So many elements of a box are looked at.
_MAX_DESCENDANTS = 40


def is_introduction(element: HtmlElement) -> bool:
    """Tell whether a box that a quotation begins with is a line that ends in a colon.

    A line among others of its kind is verse, and the words of a source that is named below them
    may begin so.
    """
    above, after = element.getparent(), element.getnext()
    if (
        element.tag not in _INTRODUCTION_TAGS
        or above is None
        or above.tag != "blockquote"
        or after is None
    ):
        return False
    if (after.tag, after.get("class")) == (element.tag, element.get("class")):
        return False
    inside = [
        each.tag
        for each in islice(element.iterdescendants(), _MAX_DESCENDANTS)
        if each.tag in BLOCKS
    ]
    if above[-1].tag == "footer" or inside not in ([], ["p"], ["div"]):
        return False
    text = text_line(element, limit=_MAX_INTRODUCTION + 2)
    return text.endswith(COLONS) and len(text) <= _MAX_INTRODUCTION


def introduction(spans: Spans) -> tuple[Spans, Spans]:
    """Part the ``cite`` that a paragraph begins with from the words that it announces.

    It ends in a colon; or the words touch it, a capital a small letter, as no sentence has it.
    """
    cited = tuple(takewhile(lambda span: "cite" in span.marks, spans))
    after = spans[len(cited) :]
    text = "".join(span.text for span in cited)
    if not text.strip() or len(text) > _MAX_INTRODUCTION:
        return (), spans
    glued = text[-1].islower() and "".join(span.text for span in after[:1])[:1].isupper()
    if not (glued or plain(cited).endswith(COLONS)):
        return (), spans
    return cited, _strip_start(after)


def is_cited(spans: Spans) -> bool:
    """Tell whether all of a text is a ``cite``."""
    return all("cite" in span.marks for span in spans if span.text.strip())


def _strip_start(spans: Spans) -> Spans:
    """Leave out the white space at the beginning."""
    while spans and not spans[0].text.strip():
        spans = spans[1:]
    return (replace(spans[0], text=spans[0].text.lstrip()), *spans[1:]) if spans else ()
