"""Attributions of quotations: who says it, in a line in or right after the quotation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from lxml.html import HtmlElement

from ..article import COLONS, Block, Heading, Paragraph, Span, Spans, plain_text
from ..html.parse import element_line
from .inline import joined, strip_end

MAX_ATTRIBUTION_CHARS = 120
#: Removed, as the template prints a dash.
_ATTRIBUTION_START = " \n—–―-"
#: Removed, as a colon ends an introduction above the quotation.
_ATTRIBUTION_END = " \n" + "".join(COLONS)


def attribution(spans: Spans) -> Spans:
    """Return the text of an attribution without the signs around it."""
    while spans and not spans[0].math:
        if text := spans[0].text.lstrip(_ATTRIBUTION_START):
            spans = (replace(spans[0], text=text), *spans[1:])
            break
        spans = spans[1:]
    return strip_end(spans, _ATTRIBUTION_END)


_SOURCE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:[Ss]ource|[Aa]uthor|[Ss]peaker|[Ww]ho|[Cc]ite|[Cc]itation|[Aa]ttribution)(?![a-z])"
)


def names_source(element: HtmlElement) -> bool:
    """Return whether an element in or right after a quotation says whose it is."""
    is_named = element.tag in ("footer", "figcaption") or (
        element.tag in ("p", "div") and _SOURCE_CLASS.search((element.get("class") or "")[:300])
    )
    return bool(is_named) and 0 < len(element_line(element)) <= MAX_ATTRIBUTION_CHARS


def take_source(blocks: Iterable[Block]) -> tuple[Spans, list[Block]]:
    """Return the lines of an attribution, parted by commas, and the other blocks."""
    lines: list[Spans] = []
    rest: list[Block] = []
    for block in blocks:
        if not isinstance(block, Paragraph | Heading):
            rest.append(block)
            continue
        if lines and plain_text(lines[-1])[-1:].isalnum():
            lines[-1] = (*lines[-1], Span(","))
        lines.append(block.spans)
    return attribution(joined(lines)), rest
