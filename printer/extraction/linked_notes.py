"""Select the notes to which the selected text refers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, takewhile

from ..html.page import Page

#: A reference to a note: a number, a letter or a symbol, bare or in brackets.
_NOTE_MARK = re.compile(r"\s*[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})\s*[\])]?\s*")
#: Each bracket of a reference may be an element.
_MAX_MARK_ELEMENTS = 3
_MAX_NOTE_SEGMENTS = 6
_MAX_NOTE_CHARS = 1200
#: The largest share of the selected text that notes may be.
_MAX_NOTES_SHARE = 0.3
#: A paper's bibliography may be as long as its text.
_MAX_NOTES_SHARE_IN_ARTICLES = 1.0


def add_linked_notes(page: Page, keep: Sequence[bool], kind: str) -> tuple[bool, ...]:
    """Return the selection with the notes that the selected text links to, if they are few."""
    index = page.index
    sizes = [len(segment.text) for segment in page.segments]
    references: dict[str, int] = {}
    for i, tag in enumerate(index.tags):
        if tag != "a":
            continue
        element = index.elements[i]
        if (href := element.get("href")) and href[:1] == "#" != href:
            segment = index.segment_begins[i]
            has_text = segment < index.segment_ends[i]
            label = (
                "".join(islice(element.itertext(), 8)) if len(element) <= _MAX_MARK_ELEMENTS else ""
            )
            if has_text and keep[segment] and _NOTE_MARK.fullmatch(label[:20]):
                references.setdefault(href[1:], segment)
    notes = set(_cited_notes(page, keep))
    if not (references or notes):
        return tuple(keep)
    for i, element in enumerate(index.elements):
        if not index.has_attributes[i]:
            continue
        reference = references.pop(index.ids[i] or element.get("name") or "", -1)
        begin, end = index.segment_begins[i], index.segment_ends[i]
        if (
            end - begin == 1
            and end < len(sizes)
            and _NOTE_MARK.fullmatch(page.segments[begin].text)
        ):
            end += 1  # a note below its number
        # Notes come after their references.
        is_short = end - begin <= _MAX_NOTE_SEGMENTS and sum(sizes[begin:end]) <= _MAX_NOTE_CHARS
        is_figure = index.tags[i] in {"figure", "table"}
        if -1 < reference < begin and is_short and not is_figure:
            notes.update(range(begin, end))
    selected_chars = sum(size for i, size in enumerate(sizes) if keep[i] and i not in notes)
    share = _MAX_NOTES_SHARE_IN_ARTICLES if kind == "article" else _MAX_NOTES_SHARE
    if sum(sizes[i] for i in notes) > share * selected_chars:
        return tuple(keep)
    return tuple(flag or i in notes for i, flag in enumerate(keep))


_CITATION = re.compile(r"\[(\d{1,3})\]")


def _cited_notes(page: Page, keep: Sequence[bool]) -> range:
    """Return the lines '[1] ...' below the text that counts up to their number, with a heading."""
    last = max((i for i, flag in enumerate(keep) if flag), default=len(keep))
    below = page.segments[last + 1 :]
    start = next((n for n, line in enumerate(below[:3]) if line.text.startswith("[1]")), 0)
    notes = takewhile(
        lambda pair: pair[1].text.startswith(f"[{pair[0]}]"), enumerate(below[start:], 1)
    )
    count = len(list(notes))
    texts = (segment.text for segment, flag in zip(page.segments, keep, strict=True) if flag)
    cited = {int(number) for text in texts for number in _CITATION.findall(text)}
    is_complete = count > 0 and cited.issuperset(range(1, count + 1))
    return range(last + 1, last + 1 + start + count) if is_complete else range(0)
