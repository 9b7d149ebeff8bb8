"""Select the blocks that the classifier left out of the text they stand in.

The classifier knows running text best.  What it leaves out among the paragraphs of an article, or
after the last of them, is often a table, a listing, a list of short items or a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise, takewhile

from ..html.index import ElementFlag, PageIndex, Segment
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..text import DATELINE, SCENE_BREAK, continues_drop_cap

_SUBHEADING_TAGS = HEADING_TAGS - {"h1"}
_OUTSIDE_TEXT = int(
    ElementFlag.NAV | ElementFlag.FOOTER | ElementFlag.FORM | ElementFlag.HIDDEN
    | ElementFlag.BUTTON | ElementFlag.LABEL | ElementFlag.CAPTION
)  # fmt: skip
#: The largest share of links in added text.
_MAX_LINKED = 0.3
_MAX_HEADING_CHARS = 100
#: The lowest score of a paragraph or heading among selected ones, and of a block in the element
#: around nearly all of the text.
_MIN_SCORE = 0.35
#: The lowest score of a block or heading beside selected paragraphs.
_MIN_BLOCK_SCORE = 0.2
#: The lowest score of any line between selected ones.
_MIN_LINE_SCORE = 0.6


def add_missing_blocks(
    page: Page, keep: Sequence[bool], scores: Sequence[float]
) -> tuple[bool, ...]:
    """Return the selection with the blocks of the text that the classifier left out."""
    index = page.index
    selected = list(keep)
    containers = _text_containers(index, keep)
    min_scores = dict.fromkeys(containers, _MIN_BLOCK_SCORE)
    min_scores.setdefault(_common_container(index, keep), _MIN_SCORE)
    ranges: list[tuple[int, int]] = []
    for container, min_score in min_scores.items():
        missing = _missing_ranges(index, container, keep, scores)
        ranges += [
            (begin, end)
            for begin, end in missing
            # Teasers of other stories are not definition lists.
            if index.tags[index.segment_blocks[begin]] in ("dt", "dd")
            or _mean_score(scores, begin, end) >= min_score
        ]
    for begin, end in ranges:
        for i in range(begin, end):
            selected[i] |= not index.flags[index.segment_blocks[i]] & ElementFlag.BUTTON
    return tuple(selected)


#: The fewest paragraphs of a long stretch of text, selected or missing.
_MIN_STRETCH_PARAGRAPHS = 10
#: The lowest mean length of missing paragraphs, relative to that of selected ones.
_MIN_STRETCH_LENGTH = 0.6
#: The lowest mean score of a long stretch.
_MIN_STRETCH_SCORE = 0.1
#: The fewest likely paragraphs of a short stretch.
_MIN_LIKELY_PARAGRAPHS = 3


def add_long_stretches(
    page: Page, keep: Sequence[bool], scores: Sequence[float]
) -> tuple[bool, ...]:
    """Return the selection with stretches of paragraphs that look like the selected ones.

    The texts that the classifier learned from are cut off on some very long pages, so its scores
    fall towards the end of such pages.  A short stretch must be likely.
    """
    index = page.index
    paragraphs = [i for i, block in enumerate(index.segment_blocks) if index.tags[block] == "p"]
    selected_count = sum(keep[i] for i in paragraphs)
    missing_count = len(paragraphs) - selected_count
    if selected_count < _MIN_STRETCH_PARAGRAPHS or missing_count < _MIN_LIKELY_PARAGRAPHS:
        return tuple(keep)
    shapes = {i: _outer_shape(index, index.segment_blocks[i]) for i in paragraphs}
    counts = Counter(shapes[i] for i in paragraphs if keep[i])
    similar = [i for i in paragraphs if counts[shapes[i]] >= _MIN_STRETCH_PARAGRAPHS]
    sizes = [len(index.segments[i].text) for i in similar if keep[i]]
    min_mean_chars = _MIN_STRETCH_LENGTH * sum(sizes) / max(1, len(sizes))

    def is_long(stretch: Sequence[int]) -> bool:
        return sum(len(index.segments[i].text) for i in stretch) >= min_mean_chars * len(stretch)

    selected = list(keep)
    for stretch in _missing_stretches(index, keep, similar):
        likely = list(takewhile(lambda i: scores[i] >= _MIN_LINE_SCORE, stretch))
        if len(likely) >= _MIN_LIKELY_PARAGRAPHS and is_long(likely):
            for i in likely:
                selected[i] = True
        if len(stretch) < _MIN_STRETCH_PARAGRAPHS:
            continue
        begin, end = stretch[0], stretch[-1] + 1
        if is_long(stretch) and _mean_score(scores, begin, end) >= _MIN_STRETCH_SCORE:
            begin -= begin > 0 and index.tags[index.segment_blocks[begin - 1]] in _SUBHEADING_TAGS
            selected[begin:end] = [True] * (end - begin)
    return tuple(selected)


def _missing_stretches(
    index: PageIndex, keep: Sequence[bool], paragraphs: Sequence[int]
) -> list[list[int]]:
    """Return the missing paragraphs, divided where text is selected or mostly links.

    Repeated paragraphs are left out.
    """
    texts = Counter(index.segments[i].text for i in paragraphs)
    stretches: list[list[int]] = [[]]
    for previous, i in zip([0, *paragraphs], paragraphs, strict=False):
        segments = index.segments[previous : i + 1]
        if keep[i] or any(keep[previous:i]) or not _has_few_links(segments, _MAX_LINKED):
            stretches.append([])
        if not keep[i] and texts[index.segments[i].text] == 1:
            stretches[-1].append(i)
    return stretches


_MIN_TEXT_SEGMENTS = 5
#: The last selected segments, with which the missing end is compared.
_LAST_SEGMENTS = 12
#: The lowest score relative to theirs.
_MIN_END_SCORE = 0.6
_MAX_UNLIKELY_LINES = 2
_MAX_END_SEGMENTS = 60
#: The shortest paragraph with which the text may end.
_MIN_END_CHARS = 60


def add_missing_end(page: Page, keep: Sequence[bool], scores: Sequence[float]) -> tuple[bool, ...]:
    """Return the selection extended by text that continues it in the same elements.

    Scores fall along a long text, so the end is compared with what is shortly before it.
    """
    index = page.index
    selected_positions = [i for i, flag in enumerate(keep) if flag]
    if len(selected_positions) < _MIN_TEXT_SEGMENTS:
        return tuple(keep)
    last_positions = selected_positions[-_LAST_SEGMENTS:]
    min_score = max(
        _MIN_SCORE, _MIN_END_SCORE * sum(scores[i] for i in last_positions) / len(last_positions)
    )
    shapes = {
        _outer_shape(index, block)
        for block in {index.segment_blocks[i] for i in selected_positions}
    }
    selected = list(keep)
    pending: list[int] = []
    gap = 0
    for i in range(
        last_positions[-1] + 1, min(len(keep), last_positions[-1] + 1 + _MAX_END_SEGMENTS)
    ):
        segment = index.segments[i]
        if scores[i] < min_score or segment.link_chars > _MAX_LINKED * len(segment.text):
            gap += 1
            if gap > _MAX_UNLIKELY_LINES:
                break
            continue
        pending.append(i)
        is_text = len(segment.text) >= _MIN_END_CHARS
        if is_text and _outer_shape(index, index.segment_blocks[i]) in shapes:
            for j in pending:
                selected[j] = True
            pending = []
    return tuple(selected)


_MIN_PARAGRAPH_CHARS = 40
_DIGITS = re.compile(r"\d+")


_MIN_SELECTED_LABELS = 2
_MIN_SELECTED_LABELS_SHARE = 0.3


def add_item_labels(
    page: Page, keep: Sequence[bool], scores: Sequence[float], kind: str = "article"
) -> tuple[bool, ...]:
    """Return the selection with the labels above paragraphs, if some of the same list are selected.

    A list of products or projects may have a link above each description, and a section of a
    manual only a list below its heading.  In documentation, only headings are labels.
    """
    index = page.index
    lists: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for i, segment in enumerate(index.segments[:-1]):
        block = index.segment_blocks[i]
        is_heading = index.tags[block] in _SUBHEADING_TAGS
        is_label = is_heading if kind == "documentation" else index.tags[block] not in {"p", "td"}
        if is_label and len(segment.text) <= _MAX_HEADING_CHARS:
            # A credit may stand between a heading and its text.
            below = slice(i + 1, i + (3 if is_heading else 2))
            is_text = any(
                flag
                and len(text.text) >= _MIN_PARAGRAPH_CHARS
                and _has_few_links([text], _MAX_LINKED)
                for text, flag in zip(index.segments[below], keep[below], strict=True)
            )
            is_list = is_heading and index.tags[index.segment_blocks[i + 1]] == "li"
            if (is_text or (is_list and keep[i + 1])) and not index.flags[block] & _OUTSIDE_TEXT:
                lists.setdefault(_outer_shape(index, block), []).append(i)
    selected = list(keep)
    for labels in lists.values():
        selected_count = sum(keep[i] for i in labels)
        distinct_labels = {_DIGITS.sub("", index.segments[i].text) for i in labels}
        is_counter = len(distinct_labels) == 1 < len(labels)  # 'Picture 1 of 10', or a button
        if not is_counter and selected_count >= max(
            _MIN_SELECTED_LABELS, _MIN_SELECTED_LABELS_SHARE * len(labels)
        ):
            is_heading = index.tags[index.segment_blocks[labels[0]]] in _SUBHEADING_TAGS
            most = is_heading and 2 * selected_count >= len(labels)
            for i in labels:
                selected[i] |= scores[i] >= (_MIN_BLOCK_SCORE if most else _MIN_SCORE)
    return tuple(selected)


_MAX_SHAPE_LEVELS = 4


def _outer_shape(index: PageIndex, i: int) -> tuple[tuple[str, str], ...]:
    """Return the tags and classes, without numbers, of an element and of those around it."""
    shape: list[tuple[str, str]] = []
    for _ in range(_MAX_SHAPE_LEVELS):
        shape.append((index.tags[i], _DIGITS.sub("", index.classes[i] or "")))
        i = index.parents[i]
        if i < 0:
            break
    return tuple(shape)


def _mean_score(scores: Sequence[float], begin: int, end: int) -> float:
    return sum(scores[begin:end]) / (end - begin)


#: The share of the selected text that is nearly all.
_MIN_COMMON_SHARE = 0.9


def _common_container(index: PageIndex, keep: Sequence[bool]) -> int:
    """Return the innermost element around nearly all of the text."""
    sizes = [flag * len(segment.text) for flag, segment in zip(keep, index.segments, strict=True)]
    totals = list(accumulate(sizes, initial=0))
    min_chars = _MIN_COMMON_SHARE * totals[-1]
    containers = [
        i
        for i, (begin, end) in enumerate(zip(index.segment_begins, index.segment_ends, strict=True))
        if totals[end] - totals[begin] >= min_chars
    ]
    return containers[-1]


#: The fewest paragraphs directly inside an element that holds the text, and their smallest share
#: of the selected text.
_MIN_CONTAINER_PARAGRAPHS = 2
_MIN_CONTAINER_SHARE = 0.25


def _text_containers(index: PageIndex, keep: Sequence[bool]) -> list[int]:
    """Return the elements directly around the paragraphs of the text."""
    sizes: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    total = 0
    for segment, block, flag in zip(index.segments, index.segment_blocks, keep, strict=True):
        size = len(segment.text)
        total += size * flag
        if flag and size >= _MIN_PARAGRAPH_CHARS and index.tags[block] == "p":
            counts[index.parents[block]] += 1
            sizes[index.parents[block]] += size
    return [
        element
        for element, count in counts.items()
        if count >= _MIN_CONTAINER_PARAGRAPHS and sizes[element] >= _MIN_CONTAINER_SHARE * total
    ]


def _missing_ranges(
    index: PageIndex, container: int, keep: Sequence[bool], scores: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """Yield the ranges of segments of the missing blocks among an element's children."""
    indexes = [
        index.indexes[child] for child in index.elements[container] if child in index.indexes
    ]
    ranges = [(i, index.segment_begins[i], index.segment_ends[i]) for i in indexes]
    ranges = [(i, start, end) for i, start, end in ranges if start < end]
    flags = [any(keep[start:end]) for _, start, end in ranges]
    if not any(flags):
        return
    first, last = flags.index(True), len(flags) - 1 - flags[::-1].index(True)
    for n in range(first + 1, len(ranges)):
        i, start, end = ranges[n]
        is_before_last = n < last
        if _is_block(index, i):
            yield start, end
        elif flags[n + 1 : n + 2] == [True] and _is_paragraph_or_heading(index, i):
            if not flags[n] and min(scores[start:end]) >= _MIN_SCORE:
                yield start, end
        elif not (flags[n] or is_before_last):
            return


#: Names of boxes without a part of the text.
_NOT_PART_CLASS = re.compile(
    r"(?:^|[\s_-])(?:ad|ads|author|byline|breadcrumbs?|categor(?:y|ies)|comments?|cta|date"
    r"|last-?changed|links?|menu|meta|metadata|nav|newsletter|promo|rating|related|reply|share|sharing|social|subscribe|tags?"
    r"|time|timestamp|toc|updated|widget)(?=$|[\s_-])",
    re.IGNORECASE,
)


def _is_paragraph_or_heading(index: PageIndex, i: int) -> bool:
    """Return whether an element is a paragraph or a short heading without many links."""
    if _is_outside_text(index, i) or _NOT_PART_CLASS.search(_class_and_id(index, i)):
        return False
    if not _is_unlinked(index, i, _MAX_LINKED):
        return False
    segment = index.segments[index.segment_begins[i]]
    if not any(map(str.isalnum, segment.text)):
        return False
    return index.tags[i] == "p" or (
        index.tags[i] in _SUBHEADING_TAGS and len(segment.text) <= _MAX_HEADING_CHARS
    )


#: Names of boxes with a part of the text.
_PART_CLASS = re.compile(
    r"(?:^|[\s_-])(?:admonition|callout|caution|code|equation|hint|highlight|listing|math|note"
    r"|poem|sidenote|sourceCode|stanza|tip|verse|warning)(?=$|[\s_-])"
)
_MAX_LINKED_IN_LIST = 0.1


def _is_block(index: PageIndex, i: int) -> bool:
    """Return whether an element is a table, a listing, a list or a note without many links."""
    is_outside = _is_outside_text(index, i) or _NOT_PART_CLASS.search(_class_and_id(index, i))
    if is_outside or not _is_part(index, i):
        return False
    tag = index.tags[i]
    return _is_unlinked(index, i, _MAX_LINKED_IN_LIST if tag in {"ul", "ol"} else _MAX_LINKED)


def _is_part(index: PageIndex, i: int) -> bool:
    """Return whether an element may be a part of the text by its tag or its class."""
    return index.tags[i] in {"pre", "table", "dl", "blockquote", "details", "ul", "ol"} or (
        index.tags[i] in {"div", "aside", "figure", "p"}
        and _PART_CLASS.search(_class_and_id(index, i)) is not None
    )


def _is_outside_text(index: PageIndex, i: int) -> bool:
    """Return whether an element is a menu, a form or the like, but not if it is inside one.

    Some servers put the whole page in a form.
    """
    return bool(index.flags[i] & ~index.flags[index.parents[i]] & _OUTSIDE_TEXT)


def _is_unlinked(index: PageIndex, i: int, max_share: float) -> bool:
    return _has_few_links(
        index.segments[index.segment_begins[i] : index.segment_ends[i]], max_share
    )


def _has_few_links(segments: Sequence[Segment], max_share: float) -> bool:
    """Return whether at most a share of some text is links."""
    chars = sum(len(segment.text) for segment in segments)
    linked = sum(segment.link_chars for segment in segments)
    return linked <= max_share * chars


def _class_and_id(index: PageIndex, i: int) -> str:
    return f"{index.classes[i] or ''} {index.ids[i] or ''}"[:300]


#: Elements whose number above a heading does not count it.
_UNCOUNTED_TAGS = HEADING_TAGS | {"td", "th"}
#: The time above a part of a running report: '12.30pm:'.
_TIME_MARK = re.compile(r"[0-9]{1,2}[.:][0-9]{2}(?:\s?[ap]\.?m\.?:?|:)")


def add_fragments(segments: Sequence[Segment], keep: Sequence[bool]) -> tuple[bool, ...]:
    """Select short lines that belong to others: drop caps, datelines, breaks, times, numbers.

    The numbers of consecutive headings are selected, and no other number above a heading.
    """
    flags = list(keep)
    numbers_above: list[tuple[int, int]] = []
    for i, (segment, following) in enumerate(pairwise(segments)):
        if flags[i + 1] and (
            (following.block.tag == "p" and DATELINE.fullmatch(segment.text))
            or continues_drop_cap(segment.text, following.text)
        ):
            flags[i] = True
        is_number = len(segment.text) <= 2 and segment.text.isdecimal() and flags[i + 1]
        tags = segment.block.tag, following.block.tag
        if is_number and tags[0] not in _UNCOUNTED_TAGS and tags[1] in HEADING_TAGS:
            numbers_above.append((i, int(segment.text)))
        is_inside = i > 0 and flags[i - 1] and flags[i + 1]
        if is_inside and any(mark.fullmatch(segment.text) for mark in (SCENE_BREAK, _TIME_MARK)):
            flags[i] = True
    numbers = [number for _, number in numbers_above]
    are_steps = len(numbers_above) > 1 and numbers == list(
        range(numbers[0], numbers[0] + len(numbers_above))
    )
    for i, _ in numbers_above:
        flags[i] = are_steps
    return tuple(flags)
