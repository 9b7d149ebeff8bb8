"""Select the notes that the text refers to, and its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ..html.index import ElementFlag, PageIndex, Segment
from ..html.metadata.bylines import is_credit
from ..html.visibility import HEADING_TAGS
from ..i18n import fold_words, is_source_line, page_labels
from ..text import COLONS, comparison_key, split_label
from ..urls import host_of
from .selected_text import OUTSIDE_TEXT, SelectedText

# Notes that the text refers to


#: A reference to a note: a number, a letter or a symbol, bare or in brackets.
_NOTE_MARK = re.compile(r"\s*[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})\s*[\])]?\s*")
#: Each bracket of a reference may be an element.
_MAX_MARK_PARTS = 8
_MAX_NOTE_SEGMENTS = 6
_MAX_NOTE_CHARS = 1200
#: The largest share of the selected text that notes may be.
_MAX_NOTES_SHARE = 0.3
#: A paper's bibliography may be as long as its text.
_MAX_NOTES_SHARE_IN_ARTICLES = 1.0


def add_linked_notes(selected: SelectedText) -> None:
    """Select the notes that the selected text links to, if they are few."""
    index, sizes, kind = selected.index, selected.sizes, selected.kind
    references: dict[str, int] = {}
    for i, tag in enumerate(index.tags):
        segment = index.segment_begins[i]
        if tag != "a" or segment == index.segment_ends[i] or not selected.keep[segment]:
            continue
        element = index.elements[i]
        if (href := element.get("href")) and href[:1] == "#" != href:
            label = islice(element.itertext(), _MAX_MARK_PARTS)
            if _NOTE_MARK.fullmatch("".join(label)[:20]):
                references.setdefault(href[1:], segment)
    notes = set(_cited_notes(selected))
    if kind != "product":  # the terms of a payment by instalments
        notes.update(_starred_notes(selected))
    for i, element in enumerate(index.elements if references else ()):
        reference = references.pop(index.ids[i] or element.get("name") or "", -1)
        begin, end = index.segment_begins[i], index.segment_ends[i]
        is_line = end - begin == 1 and end < len(sizes)
        if is_line and _NOTE_MARK.fullmatch(selected.segments[begin].text):
            end += 1  # a note below its number
        # Notes come after their references.
        is_short = end - begin <= _MAX_NOTE_SEGMENTS and sum(sizes[begin:end]) <= _MAX_NOTE_CHARS
        is_figure = index.tags[i] in {"figure", "table"}
        if -1 < reference < begin and is_short and not is_figure:
            notes.update(range(begin, end))
    share = _MAX_NOTES_SHARE_IN_ARTICLES if kind == "article" else _MAX_NOTES_SHARE
    if sum(sizes[i] for i in notes) <= share * selected.total():
        selected.add(notes)


#: A symbol behind a word, and at the beginning of the note that it refers to.
_STAR = re.compile(r"\w[.,”\"’']?([*†‡]{1,3})(?=[\s.,;:)]|\Z)")
_STARRED_NOTE = re.compile(r"([*†‡]{1,3})\s?[^\W\d_]")
#: The most lines between the text and such a note, and its least length.
_MAX_LINES_ABOVE_STAR = 6
_MIN_STARRED_CHARS = 40


def _starred_notes(selected: SelectedText) -> Iterator[int]:
    """Yield the lines directly below the text that begin with a note symbol in the text ('*').

    In a form, the symbol marks required fields.
    """
    index, last = selected.index, selected.last()
    lines = selected.segments[last + 1 : last + 1 + _MAX_LINES_ABOVE_STAR]
    notes = [
        (note[1], line.index)
        for line in lines
        if (note := _STARRED_NOTE.match(line.text))
        and len(line.text) >= _MIN_STARRED_CHARS
        and not index.flags[index.segment_blocks[line.index]] & ElementFlag.FORM
    ]
    if notes:
        stars = {star for text in selected.texts() for star in _STAR.findall(text)}
        yield from (i for star, i in notes if star in stars)


#: References to notes in brackets, and those that are superscript numbers: '[1-3, 5]', '1,2'.
_CITATION = re.compile(r"\[(\d{1,3}(?:[-–, ]{1,2}\d{1,3}){0,9})\]")
_NUMBERS = re.compile(r"\d{1,3}(?:[-–, ]{1,2}\d{1,3}){0,9}")
_NOTE_NUMBER = re.compile(r"\[?(\d{1,3})(?:[\].):]|\s)")
#: The most lines between the text and its notes: their heading, a line about rights.
_MAX_LINES_ABOVE_NOTES = 6
_NOTES_HEADING_TAGS = HEADING_TAGS | {"summary"}
#: The share of the notes that must be cited.
_MIN_CITED_NOTES = 0.8


def _cited_notes(selected: SelectedText) -> Sequence[int]:
    """Return the numbered lines below the text that it cites, and their heading."""
    segments, last, cited = selected.segments, selected.last(), _cited_numbers(selected)
    if not cited:
        return range(0)
    for start in range(last + 1, min(last + 2 + _MAX_LINES_ABOVE_NOTES, len(segments))):
        count = _count_notes(segments[start:])
        if count and len(cited.intersection(range(1, count + 1))) >= _MIN_CITED_NOTES * count:
            above = segments[start - 1]
            has_heading = start - 1 > last and above.block.tag in _NOTES_HEADING_TAGS
            return range(start - has_heading, start + count)
    return range(0)


def _cited_numbers(selected: SelectedText) -> set[int]:
    """Return the numbers in brackets and the superscript numbers of the selected text."""
    cited: set[int] = set()
    for segment in selected.lines():
        raised = (leaf.text.strip() for leaf in segment.leaves if leaf.parent.tag == "sup")
        groups = [text for text in raised if _NUMBERS.fullmatch(text)]
        for group in (*groups, *_CITATION.findall(segment.text)):
            numbers = [int(number) for number in re.findall(r"\d+", group)]
            is_range = len(numbers) == 2 and group[len(str(numbers[0]))] in "-–"
            cited.update(range(numbers[0], numbers[1] + 1) if is_range else numbers)
    return cited


def _count_notes(segments: Sequence[Segment]) -> int:
    """Return how many lines begin with the numbers from 1 on, or are items of one ordered list."""
    items = segments[0].block.getparent() if segments[0].block.tag == "li" else None
    for count, segment in enumerate(segments):
        number = _NOTE_NUMBER.match(segment.text)
        in_list = items is not None and items.tag == "ol" and segment.block.getparent() is items
        if not in_list and (number is None or int(number[1]) != count + 1):
            return count
    return len(segments)


# The sources of the text


#: The most lines below the text in which its sources are looked for.
_MAX_LINES_BELOW = 30
#: The lowest score of a source between selected lines, of an address, and of a role with names.
_MIN_SCORE = 0.35
_ADDRESS = re.compile(r"(?:https?://|www\.)\w")
#: The most lines between the text and its source, and between a heading and its list of sources.
_MAX_LINES_ABOVE_SOURCE = 3
_MAX_LINES_ABOVE_SOURCES = 1
_MAX_ITEM_LEVELS = 4
_MAX_SOURCE_CHARS = 400
#: What holds no sources; the footer of the text may, and a part that readers unfold.
_NOT_SOURCES = OUTSIDE_TEXT & ~int(ElementFlag.FOOTER | ElementFlag.HIDDEN)


def add_sources(selected: SelectedText) -> None:
    """Select the sources and addresses that lines name, and lists of sources.

    A line that names only the page's own site is not added.
    """
    page = selected.page
    names = {page.metadata.site, host_of(page.base).removeprefix("www.")}
    site_keys = {*map(comparison_key, names)}
    for i in list(_sources(selected)) if any(selected.keep) else ():
        source = split_label(page.segments[i].text)[2]
        selected.keep[i] |= not source or comparison_key(source) not in site_keys


def _sources(selected: SelectedText) -> Iterator[int]:
    index, keep, scores, last = selected.index, selected.keep, selected.scores, selected.last()
    labels = page_labels("sources")
    is_near = True
    for i, segment in enumerate(index.segments[: last + 1 + _MAX_LINES_BELOW]):
        block = index.segment_blocks[i]
        is_near &= i - last <= _MAX_LINES_ABOVE_SOURCE
        is_amid = i < last and i > 0 and keep[i - 1] and keep[i + 1] and scores[i] >= _MIN_SCORE
        is_label = i >= last and index.tags[block] != "li" and fold_words(segment.text) in labels
        if is_label and not index.flags[block] & _NOT_SOURCES:
            yield from _list_below(index, i)  # The label itself may be selected.
        if keep[i] or index.flags[block] & _NOT_SOURCES or not (is_amid or i > last):
            continue
        may_be_credit = selected.kind == "article" and scores[i] >= _MIN_SCORE
        is_source = is_source_line(segment.text) or (may_be_credit and is_credit(segment.text))
        if len(segment.text) <= _MAX_SOURCE_CHARS and is_source:
            yield from (i,) if is_near else ()
        elif is_near and scores[i] >= _MIN_SCORE and _ADDRESS.search(segment.text):
            yield from range(i - index.segments[i - 1].text.endswith(COLONS), i + 1)
        is_near &= i < last or index.tags[block] not in HEADING_TAGS


def _list_below(index: PageIndex, label: int) -> Sequence[int]:
    """Return a label and the items of the list below it, or nothing without a list."""
    for first in range(label + 1, min(label + 2 + _MAX_LINES_ABOVE_SOURCES, len(index.segments))):
        items = index.segment_blocks[first]
        for _ in range(_MAX_ITEM_LEVELS):
            if index.tags[items] in ("ol", "ul"):
                return (label, *index.segment_range(items))
            items = max(0, index.parents[items])
    return ()
