"""Content of the article's own container that was not selected."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from lxml.html import HtmlElement

from ..html.index import Segment
from ..html.page import Page
from ..selection import Verdict
from ..text import WORD
from .tables import is_data

#: Kinds of pages that are one text.
_KINDS = frozenset({"article", "documentation"})
#: The fewest selected paragraphs of an article's container.
_MIN_PARAGRAPHS = 3
#: The fewest words of a paragraph that must not be missing, and the largest share of links in it.
_MIN_WORDS, _MAX_LINKS = 12, 0.3
#: The parts that belong to the article, and those that do at any depth.
_PARTS = frozenset({"pre", "table", "ul", "ol", "dl", "blockquote"})
_DATA = frozenset({"pre", "table"})
#: The most elements between a segment and the container.
_DEPTH = 30


def find_omissions(page: Page, verdict: Verdict) -> list[Segment]:
    """Return the segments of the article's container that should have been selected.

    The container holds most of the selected paragraphs.  Its code, its tables of data, its lists
    and its paragraphs that are marked like the selected ones belong to the article, unless they
    are links.
    """
    flags = list(zip(page.segments, verdict.keep, strict=True))
    paragraphs = [segment.block for segment, keep in flags if keep and segment.block.tag == "p"]
    parents = Counter(block.getparent() for block in paragraphs)
    container, count = next(iter(parents.most_common(1)), (None, 0))
    if container is None or count < _MIN_PARAGRAPHS or verdict.kind not in _KINDS:
        return []
    classes = {block.get("class") for block in paragraphs if block.getparent() is container}
    parts: dict[HtmlElement, list[Segment]] = {}
    for segment, keep in flags:
        if keep:
            continue
        part = _part_of(segment, container)
        if part is not None and (part.tag != "p" or part.get("class") in classes):
            parts.setdefault(part, []).append(segment)
    return [segment for part, inside in parts.items() if _is_content(part, inside)
            for segment in inside]  # fmt: skip


def _part_of(segment: Segment, container: HtmlElement) -> HtmlElement | None:
    """Return the paragraph, code, table or list of the container that a segment is in."""
    block = segment.block
    if block.tag == "p" and block.getparent() is container:
        return block
    part = None
    for element in (block, *islice(block.iterancestors(), _DEPTH)):
        if element is container:
            return part
        if element.tag in _PARTS and (element.tag in _DATA or element.getparent() is container):
            part = element
    return None


def _is_content(part: HtmlElement, segments: list[Segment]) -> bool:
    text = " ".join(segment.text for segment in segments)
    links = sum(segment.link_chars for segment in segments)
    enough = part.tag == "pre" or len(WORD.findall(text)) >= _MIN_WORDS
    plain = links < _MAX_LINKS * len(text) and "://" not in text[:10]
    return enough and plain and (part.tag != "table" or is_data(part))
