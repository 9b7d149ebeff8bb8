"""Notes that the chosen text refers to are the article's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml.html import HtmlElement

from ..html.page import Page

#: What refers to a note: a number, a letter or a sign, bare or in brackets.
_SIGN = re.compile(r"\s*[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})\s*[\])]?\s*")
#: A note is no longer than this, in segments and characters.
_SEGMENTS, _CHARS = 6, 1200
#: Notes together are no more than this share of the text that refers to them.
_SHARE = 0.3


def add_linked_notes(page: Page, keep: Sequence[bool]) -> tuple[bool, ...]:
    """Return the choice with the notes that the chosen text refers to, where they are few."""
    outline = page.index
    sizes = [len(segment.text) for segment in page.segments]
    wanted: dict[str, int] = {}
    for index, tag in enumerate(outline.tags):
        if tag != "a":
            continue
        element = outline.elements[index]
        if (href := element.get("href")) and href[:1] == "#" != href:
            at = outline.segment_begins[index]
            if at < outline.segment_ends[index] and keep[at] and _SIGN.fullmatch(_label(element)):
                wanted.setdefault(href[1:], at)
    if not wanted:
        return tuple(keep)
    notes: set[int] = set()
    for index, element in enumerate(outline.elements):
        if not outline.has_attributes[index]:
            continue
        at = wanted.pop(element.get("id") or element.get("name") or "", -1)
        begin, end = outline.segment_begins[index], outline.segment_ends[index]
        # Notes come after what refers to them.
        after = -1 < at < begin
        if after and end - begin <= _SEGMENTS and sum(sizes[begin:end]) <= _CHARS:
            notes.update(range(begin, end))
    text = sum(size for at, size in enumerate(sizes) if keep[at] and at not in notes)
    if sum(sizes[at] for at in notes) > _SHARE * text:
        return tuple(keep)
    return tuple(kept or at in notes for at, kept in enumerate(keep))


def _label(link: HtmlElement) -> str:
    """Return the text of a link that has no more than one element in it."""
    inner = link[0] if len(link) == 1 else None
    return f"{link.text or ''}{'' if inner is None else inner.text or ''}"[:20]
