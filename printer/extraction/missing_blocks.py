"""Select the blocks that the classifier left out of the text they stand in.

The classifier knows running text best.  What it leaves out among the paragraphs of an article, or
after the last of them, is often a table, a listing, a list of short items or a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise

from lxml.html import HtmlElement

from ..html.index import ElementFlag, PageIndex, Segment
from ..html.page import Page
from ..text import count_words

#: The fewest paragraphs directly inside an element that holds the text, and their smallest share of
#: the selected text.
_MIN_PARAGRAPHS, _MIN_SHARE = 2, 0.25
_PARAGRAPH_CHARS = 40
#: The share of the selected text that is nearly all.
_MOST = 0.9
#: The tags of titles of stories, and the fewest selected ones.
_TITLES, _MIN_TITLES = frozenset({"h1", "h2", "h3", "h4"}), 3
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_BLOCKS = frozenset({"pre", "table", "dl", "blockquote", "details", "ul", "ol"})
#: Names of boxes with a part of the text, and of boxes without.
_PART = re.compile(
    r"(?:^|[\s_-])(?:admonition|callout|caution|code|equation|hint|highlight|listing|math|note"
    r"|poem|sidenote|sourceCode|stanza|tip|verse|warning)(?=$|[\s_-])"
)
_NOT_PART = re.compile(
    r"(?:^|[\s_-])(?:ad|ads|author|byline|breadcrumbs?|categor(?:y|ies)|comments?|cta|date"
    r"|last-?changed|links?|menu|meta|metadata|nav|newsletter|promo|rating|related|reply|share|sharing|social|subscribe|tags?"
    r"|time|timestamp|toc|updated|widget)(?=$|[\s_-])",
    re.IGNORECASE,
)
_OUTSIDE = int(
    ElementFlag.NAV | ElementFlag.FOOTER | ElementFlag.FORM | ElementFlag.HIDDEN
    | ElementFlag.BUTTON | ElementFlag.LABEL | ElementFlag.CAPTION
)  # fmt: skip
#: The largest share of links in such a block, and in a list.
_MAX_LINKED, _MAX_LINKED_IN_LIST = 0.3, 0.1
#: The longest heading, and the lowest score of a paragraph or heading among selected ones, and of a
#: block in the element around nearly all of the text; of a block beside paragraphs.
_HEADING_CHARS, _MIN_SCORE, _MIN_BLOCK_SCORE = 100, 0.35, 0.2
#: The lowest score of any line between selected ones, and the longest one that may be repeated.
_MIN_LINE_SCORE, _REPEATED_CHARS = 0.6, 25
#: The fewest questions of a list of them, the longest one, the longest first answer in segments,
#: and the lowest mean score of the list.
_MIN_QUESTIONS, _QUESTION_CHARS, _ANSWER_SEGMENTS, _MIN_LIST_SCORE = 3, 160, 8, 0.45
#: The fewest paragraphs of a long stretch of text, selected and missing; how many elements are
#: compared, from the paragraph outward; the lowest mean length of missing ones, relative to that of
#: selected ones; their lowest mean score.
_MIN_STRETCH, _STRETCH_LEVELS, _STRETCH_LENGTH, _STRETCH_SCORE = 10, 4, 0.6, 0.1


def add_missing_blocks(
    page: Page, keep: Sequence[bool], scores: Sequence[float]
) -> tuple[bool, ...]:
    """Return the selection with the blocks of the text that the classifier left out.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    index = page.index
    selected = list(keep)
    containers = _containers(index, keep)
    least = dict.fromkeys(containers, _MIN_BLOCK_SCORE)
    least.setdefault(_common_container(index, keep), _MIN_SCORE)
    ranges = _likely_gaps(index, keep, scores) + _question_lists(index, keep, scores)
    ranges += _story_titles(page, keep)
    for container, score in least.items():
        found = _missing(index, container, keep, scores)
        ranges += [
            (begin, end)
            for begin, end in found
            # Teasers of other stories are no definition lists.
            if index.tags[index.segment_blocks[begin]] in ("dt", "dd")
            or _mean(scores, begin, end) >= score
        ]
    for begin, end in ranges:
        for at in range(begin, end):
            selected[at] |= not index.flags[index.segment_blocks[at]] & ElementFlag.BUTTON
    return tuple(selected)


def _likely_gaps(
    index: PageIndex, keep: Sequence[bool], scores: Sequence[float]
) -> list[tuple[int, int]]:
    """Return the gaps between selected segments in which every line is likely and without links."""
    places = [at for at, flag in enumerate(keep) if flag]
    texts = {index.segments[at].text for at in places}

    def is_likely(at: int) -> bool:
        segment = index.segments[at]
        return (
            scores[at] >= _MIN_LINE_SCORE
            and segment.link_chars <= _MAX_LINKED * len(segment.text)
            and (len(segment.text) <= _REPEATED_CHARS or segment.text not in texts)
        )

    gaps = ((before + 1, after) for before, after in pairwise(places))
    return [gap for gap in gaps if gap[0] < gap[1] and all(map(is_likely, range(*gap)))]


def _question_lists(
    index: PageIndex, keep: Sequence[bool], scores: Sequence[float]
) -> list[tuple[int, int]]:
    """Return the likely lists of questions and answers, which open on a click on many pages."""
    segments = index.segments
    ranges: list[tuple[int, int]] = []
    begin = 0
    while begin < len(segments):
        if keep[begin] or not _is_question(segments[begin]):
            begin += 1
            continue
        end, questions = begin, 0
        shape = _shape(segments[begin].block)
        answers: set[tuple[str, ...]] = set()
        for end in range(begin, len(segments)):
            this = _shape(segments[end].block)
            if this == shape:
                if not _is_question(segments[end]):
                    break
                questions += 1
            elif questions == 1:
                if end - begin > _ANSWER_SEGMENTS:
                    break
                answers.add(this)
            elif this not in answers:
                break
        else:
            end += 1
        is_list = questions >= _MIN_QUESTIONS and end - begin >= 2 * questions
        is_list = is_list and _is_free(segments[begin:end], _MAX_LINKED)
        if is_list and _mean(scores, begin, end) >= _MIN_LIST_SCORE:
            ranges.append((begin, end))
        begin = max(end, begin + 1) if questions > 1 else begin + 1
    return ranges


def _story_titles(page: Page, keep: Sequence[bool]) -> list[tuple[int, int]]:
    """Return the missing titles of stories with selected text, if other stories have theirs."""
    index = page.index
    selected = 0
    missing: list[int] = []
    for at, tag in enumerate(index.tags):
        if tag != "article" or "article" in index.tags[at + 1 : index.subtree_ends[at]]:
            continue
        inside = range(index.segment_begins[at], index.segment_ends[at])
        title = next((i for i in inside if index.segments[i].block.tag in _TITLES), None)
        if title is None or not any(keep[title + 1 : inside.stop]):
            continue
        if keep[title]:
            selected += 1
        elif index.segments[title].text != page.metadata.title:
            missing.append(title)
    if not missing or selected < max(_MIN_TITLES, len(missing)):
        return []
    texts = {segment.text for segment, flag in zip(index.segments, keep, strict=True) if flag}
    return [(at, at + 1) for at in missing if index.segments[at].text not in texts]


def add_long_stretches(
    page: Page, keep: Sequence[bool], scores: Sequence[float]
) -> tuple[bool, ...]:
    """Return the selection with long stretches of paragraphs that look like the selected ones.

    The texts that the classifier learned from are cut off on some very long pages, so its scores
    fall towards the end of such pages.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    index = page.index
    paragraphs = [at for at, block in enumerate(index.segment_blocks) if index.tags[block] == "p"]
    selected_count = sum(keep[at] for at in paragraphs)
    if min(selected_count, len(paragraphs) - selected_count) < _MIN_STRETCH:
        return tuple(keep)
    shapes = {at: _outer_shape(index, index.segment_blocks[at]) for at in paragraphs}
    counts = Counter(shapes[at] for at in paragraphs if keep[at])
    alike = [at for at in paragraphs if counts[shapes[at]] >= _MIN_STRETCH]
    texts = Counter(index.segments[at].text for at in alike)
    sizes = [len(index.segments[at].text) for at in alike if keep[at]]
    stretches: list[list[int]] = [[]]
    for before, at in zip([0, *alike], alike, strict=False):
        segments = index.segments[before : at + 1]
        if keep[at] or any(keep[before:at]) or not _is_free(segments, _MAX_LINKED):
            stretches.append([])
        if not keep[at] and texts[index.segments[at].text] == 1:
            stretches[-1].append(at)
    selected = list(keep)
    for stretch in stretches:
        if len(stretch) < _MIN_STRETCH:
            continue
        begin, end = stretch[0], stretch[-1] + 1
        chars = sum(len(index.segments[at].text) for at in stretch) / len(stretch)
        is_long = chars >= _STRETCH_LENGTH * sum(sizes) / len(sizes)
        if is_long and _mean(scores, begin, end) >= _STRETCH_SCORE:
            begin -= begin > 0 and index.tags[index.segment_blocks[begin - 1]] in _HEADINGS
            selected[begin:end] = [True] * (end - begin)
    return tuple(selected)


def _outer_shape(index: PageIndex, at: int) -> tuple[tuple[str, str], ...]:
    """Return the tags and classes of an element and of those around it."""
    shape: list[tuple[str, str]] = []
    for _ in range(_STRETCH_LEVELS):
        shape.append((index.tags[at], index.classes[at] or ""))
        at = index.parents[at]
        if at < 0:
            break
    return tuple(shape)


def _is_question(segment: Segment) -> bool:
    return (
        segment.text[-1] in "?？؟"
        and len(segment.text) <= _QUESTION_CHARS
        and segment.block.tag != "p"
        and segment.link_chars <= _MAX_LINKED * len(segment.text)
    )


def _shape(element: HtmlElement) -> tuple[str, ...]:
    """Return the tags and classes of an element and the one around it."""
    parent = element.getparent()
    around = () if parent is None else (str(parent.tag), parent.get("class") or "")
    return (str(element.tag), element.get("class") or "", *around)


def _mean(scores: Sequence[float], begin: int, end: int) -> float:
    return sum(scores[begin:end]) / (end - begin)


def _common_container(index: PageIndex, keep: Sequence[bool]) -> int:
    """Return the innermost element around nearly all of the text."""
    sizes = [flag * len(segment.text) for flag, segment in zip(keep, index.segments, strict=True)]
    totals = list(accumulate(sizes, initial=0))
    most = _MOST * totals[-1]
    around = [
        at
        for at, (begin, end) in enumerate(
            zip(index.segment_begins, index.segment_ends, strict=True)
        )
        if totals[end] - totals[begin] >= most
    ]
    return around[-1]


def _containers(index: PageIndex, keep: Sequence[bool]) -> list[int]:
    """Return the elements directly around the paragraphs of the text."""
    sizes: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    total = 0
    for segment, block, flag in zip(index.segments, index.segment_blocks, keep, strict=True):
        size = len(segment.text)
        total += size * flag
        if flag and size >= _PARAGRAPH_CHARS and index.tags[block] == "p":
            counts[index.parents[block]] += 1
            sizes[index.parents[block]] += size
    return [
        element
        for element, count in counts.items()
        if count >= _MIN_PARAGRAPHS and sizes[element] >= _MIN_SHARE * total
    ]


def _missing(
    index: PageIndex, container: int, keep: Sequence[bool], scores: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of segments of the missing blocks among an element's children."""
    indexes = [
        index.indexes[child] for child in index.elements[container] if child in index.indexes
    ]
    ranges = [(at, index.segment_begins[at], index.segment_ends[at]) for at in indexes]
    ranges = [(at, begin, end) for at, begin, end in ranges if begin < end]
    flags = [any(keep[begin:end]) for _, begin, end in ranges]
    if not any(flags):
        return
    first, last = flags.index(True), len(flags) - 1 - flags[::-1].index(True)
    heading: tuple[int, int] | None = None
    for number in range(first + 1, len(ranges)):
        at, begin, end = ranges[number]
        among = number < last
        if _is_block(index, at):
            if heading:
                yield heading
            heading = None
            yield begin, end
        elif flags[number]:
            heading = None
        elif flags[number + 1 : number + 2] == [True] and _is_line(index, at):
            if min(scores[begin:end]) >= _MIN_SCORE:
                yield begin, end
        elif index.tags[at] in _HEADINGS and _is_line(index, at) and heading is None:
            heading = begin, end
        elif not among:
            return


def _is_line(index: PageIndex, at: int) -> bool:
    """Return whether an element is a paragraph or a short heading without many links."""
    if index.flags[at] & _OUTSIDE or _NOT_PART.search(_names(index, at)):
        return False
    if not _is_unlinked(index, at, _MAX_LINKED):
        return False
    segment = index.segments[index.segment_begins[at]]
    if not any(map(str.isalnum, segment.text)):
        return False
    return index.tags[at] == "p" or (
        index.tags[at] in _HEADINGS and len(segment.text) <= _HEADING_CHARS
    )


def _is_block(index: PageIndex, at: int) -> bool:
    """Return whether an element is a table, a listing, a list or a note without many links."""
    tag, names = index.tags[at], _names(index, at)
    is_part = tag in _BLOCKS or (tag in {"div", "aside", "figure", "p"} and _PART.search(names))
    if not is_part or index.flags[at] & _OUTSIDE or _NOT_PART.search(names):
        return False
    return _is_unlinked(index, at, _MAX_LINKED_IN_LIST if tag in {"ul", "ol"} else _MAX_LINKED)


def _is_unlinked(index: PageIndex, at: int, most: float) -> bool:
    return _is_free(index.segments[index.segment_begins[at] : index.segment_ends[at]], most)


def _is_free(segments: Sequence[Segment], most: float) -> bool:
    """Return whether at most a share of some text is links."""
    chars = sum(len(segment.text) for segment in segments)
    return sum(segment.link_chars for segment in segments) <= most * chars


def _names(index: PageIndex, at: int) -> str:
    return f"{index.classes[at] or ''} {index.ids[at] or ''}"[:300]


# Notes

#: A reference to a note: a number, a letter or a symbol, bare or in brackets.
_NOTE_MARK = re.compile(r"\s*[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})\s*[\])]?\s*")
#: The most elements in a reference: each bracket may be one.
_MARK_PARTS = 3
#: The longest note, in segments and characters; the largest share of the text that notes may be.
_NOTE_SEGMENTS, _NOTE_CHARS, _NOTES_SHARE = 6, 1200, 0.3


def add_linked_notes(page: Page, keep: Sequence[bool]) -> tuple[bool, ...]:
    """Return the selection with the notes that the selected text links to, if they are few."""
    index = page.index
    sizes = [len(segment.text) for segment in page.segments]
    references: dict[str, int] = {}
    for at, tag in enumerate(index.tags):
        if tag != "a":
            continue
        element = index.elements[at]
        if (href := element.get("href")) and href[:1] == "#" != href:
            segment = index.segment_begins[at]
            inside = segment < index.segment_ends[at]
            if inside and keep[segment] and _NOTE_MARK.fullmatch(_link_label(element)):
                references.setdefault(href[1:], segment)
    if not references:
        return tuple(keep)
    notes: set[int] = set()
    for at, element in enumerate(index.elements):
        if not index.has_attributes[at]:
            continue
        reference = references.pop(index.ids[at] or element.get("name") or "", -1)
        begin, end = index.segment_begins[at], index.segment_ends[at]
        if (
            end - begin == 1
            and end < len(sizes)
            and _NOTE_MARK.fullmatch(page.segments[begin].text)
        ):
            end += 1  # a note below its number
        # Notes come after their references.
        is_short = end - begin <= _NOTE_SEGMENTS and sum(sizes[begin:end]) <= _NOTE_CHARS
        if -1 < reference < begin and is_short:
            notes.update(range(begin, end))
    text = sum(size for at, size in enumerate(sizes) if keep[at] and at not in notes)
    if sum(sizes[at] for at in notes) > _NOTES_SHARE * text:
        return tuple(keep)
    return tuple(flag or at in notes for at, flag in enumerate(keep))


def _link_label(link: HtmlElement) -> str:
    """Return the text of a link that contains few elements."""
    return "".join(islice(link.itertext(), 8))[:20] if len(link) <= _MARK_PARTS else ""


#: The fewest words of a line that announces a list, and the most items of it.
_ANNOUNCING_WORDS, _MAX_ANNOUNCED = 4, 12


def add_announced_lists(page: Page, keep: Sequence[bool]) -> tuple[bool, ...]:
    """Select the items between a line with a colon ('Exported were above all:') and more text.

    A short line is a label, and links lead to other pages.
    """
    flags = list(keep)
    for at, segment in enumerate(page.segments):
        is_line = keep[at] and segment.text.endswith((":", "："))
        if not is_line or count_words(segment.text[:500]) < _ANNOUNCING_WORDS:
            continue
        most = min(at + 2 + _MAX_ANNOUNCED, len(flags))
        after = next((below for below in range(at + 1, most) if keep[below]), at + 1)
        items = page.segments[at + 1 : after]
        lists = {item.block.getparent() for item in items}
        is_list = len(items) > 1 and len(lists) == 1 and {i.block.tag for i in items} == {"li"}
        if is_list and not any(item.link_chars for item in items):
            flags[at + 1 : after] = [True] * len(items)
    return tuple(flags)
