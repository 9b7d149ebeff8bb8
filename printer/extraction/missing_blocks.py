"""Select the blocks that the classifier left out of the text they stand in.

The classifier knows running text best.  What it leaves out among the paragraphs of an article, or
after the last of them, is often a table, a listing, a list of short items or a note.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice, pairwise, takewhile

from lxml.html import HtmlElement

from ..html.index import ElementFlag, PageIndex, Segment
from ..html.page import Page
from ..text import DATELINE, SCENE_BREAK, continues_drop_cap, count_words
from ..urls import host_of, resolve

#: The fewest paragraphs directly inside an element that holds the text, and their smallest share of
#: the selected text.
_MIN_PARAGRAPHS, _MIN_SHARE = 2, 0.25
_PARAGRAPH_CHARS = 40
#: The share of the selected text that is nearly all.
_MOST = 0.9
#: The tags of titles of stories, and the fewest selected ones.
_TITLES, _MIN_TITLES = frozenset({"h1", "h2", "h3", "h4"}), 3
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_ALL_HEADINGS = _TITLES | _HEADINGS
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
#: The fewest likely paragraphs of a short stretch.
_SHORT_STRETCH = 3
#: The fewest selected segments of a text with a missing end, the last ones that it is compared
#: with, the lowest score relative to theirs, the most unlikely lines in between, and the most lines
#: to examine; the shortest paragraph, in characters.
_MIN_TEXT, _LAST_SEGMENTS, _END_SCORE, _END_GAP, _END_SEGMENTS, _END_CHARS = 5, 12, 0.6, 2, 60, 60
#: The fewest selected labels of a list, and their smallest share.
_MIN_LABELS, _LABELS_SHARE = 2, 0.3
_DIGITS = re.compile(r"\d+")
#: The most segments of a section to examine.
_SECTION_SEGMENTS = 30
#: The most lines above the heading of a box (a recipe, an offer), the elements around it to
#: examine, the fewest lines of the box, and likely ones to add; their lowest score; the largest
#: share of the selected text in the box.
_ABOVE_HEADING, _BOX_LEVELS, _MIN_BOX, _MIN_LIKELY, _BOX_SCORE, _BOX_SHARE = 4, 8, 6, 4, 0.6, 0.5


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
    ranges += _story_titles(page, keep) + _headed_boxes(index, keep, scores)
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


def _headed_boxes(
    index: PageIndex, keep: Sequence[bool], scores: Sequence[float]
) -> list[tuple[int, int]]:
    """Return the likely lines of the innermost boxes whose headings are selected."""
    sizes = [flag * len(segment.text) for flag, segment in zip(keep, index.segments, strict=True)]
    sums = list(accumulate(sizes, initial=0))
    texts = {segment.text for segment, flag in zip(index.segments, keep, strict=True) if flag}
    found: set[int] = set()
    for heading, segment in enumerate(index.segments):
        if not keep[heading] or segment.block.tag not in _ALL_HEADINGS:
            continue
        box = index.segment_blocks[heading]
        for _ in range(_BOX_LEVELS):
            box = index.parents[box]
            begin, end = index.segment_begins[box], index.segment_ends[box]
            is_large = sums[end] - sums[begin] > _BOX_SHARE * sums[-1]
            if box < 0 or is_large or heading - begin > _ABOVE_HEADING:
                break
            if end - begin < _MIN_BOX:
                continue
            likely = [
                at
                for at in range(begin, end)
                if not keep[at]
                and scores[at] >= _BOX_SCORE
                and _is_free([index.segments[at]], _MAX_LINKED)
                and (
                    len(index.segments[at].text) <= _REPEATED_CHARS
                    or index.segments[at].text not in texts
                )
            ]
            found.update(likely if len(likely) >= _MIN_LIKELY else ())
            break
    return [(at, at + 1) for at in sorted(found)]


def add_long_stretches(
    page: Page, keep: Sequence[bool], scores: Sequence[float]
) -> tuple[bool, ...]:
    """Return the selection with stretches of paragraphs that look like the selected ones.

    The texts that the classifier learned from are cut off on some very long pages, so its scores
    fall towards the end of such pages.  A short stretch must be likely.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    index = page.index
    paragraphs = [at for at, block in enumerate(index.segment_blocks) if index.tags[block] == "p"]
    selected_count = sum(keep[at] for at in paragraphs)
    missing_count = len(paragraphs) - selected_count
    if selected_count < _MIN_STRETCH or missing_count < _SHORT_STRETCH:
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
    least = _STRETCH_LENGTH * sum(sizes) / max(1, len(sizes))

    def is_long(stretch: Sequence[int]) -> bool:
        return sum(len(index.segments[at].text) for at in stretch) >= least * len(stretch)

    for stretch in stretches:
        likely = list(takewhile(lambda at: scores[at] >= _MIN_LINE_SCORE, stretch))
        if len(likely) >= _SHORT_STRETCH and is_long(likely):
            for at in likely:
                selected[at] = True
        if len(stretch) < _MIN_STRETCH:
            continue
        begin, end = stretch[0], stretch[-1] + 1
        if is_long(stretch) and _mean(scores, begin, end) >= _STRETCH_SCORE:
            begin -= begin > 0 and index.tags[index.segment_blocks[begin - 1]] in _HEADINGS
            selected[begin:end] = [True] * (end - begin)
    return tuple(selected)


def add_missing_end(page: Page, keep: Sequence[bool], scores: Sequence[float]) -> tuple[bool, ...]:
    """Return the selection with what continues its last segments in the same elements.

    Scores fall along a long text, so the end is compared with what is shortly before it.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    index = page.index
    places = [at for at, flag in enumerate(keep) if flag]
    if len(places) < _MIN_TEXT:
        return tuple(keep)
    last = places[-_LAST_SEGMENTS:]
    least = max(_MIN_SCORE, _END_SCORE * sum(scores[at] for at in last) / len(last))
    shapes = {_outer_shape(index, block) for block in {index.segment_blocks[at] for at in places}}
    selected = list(keep)
    pending: list[int] = []
    gap = 0
    for at in range(last[-1] + 1, min(len(keep), last[-1] + 1 + _END_SEGMENTS)):
        segment = index.segments[at]
        if scores[at] < least or segment.link_chars > _MAX_LINKED * len(segment.text):
            gap += 1
            if gap > _END_GAP:
                break
            continue
        pending.append(at)
        is_text = len(segment.text) >= _END_CHARS
        if is_text and _outer_shape(index, index.segment_blocks[at]) in shapes:
            for line in pending:
                selected[line] = True
            pending = []
    return tuple(selected)


def add_subheadings(page: Page, keep: Sequence[bool], scores: Sequence[float]) -> tuple[bool, ...]:
    """Return the selection with headings right below selected ones, as names of products.

    Above the text, such a heading is a credit or a section of the site.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    index = page.index
    selected = list(keep)
    tags = [index.tags[block] for block in index.segment_blocks]
    texts = (i for i in range(len(keep)) if keep[i] and tags[i] == "p")
    for at in range(next(texts, len(keep)) + 1, len(keep)):
        is_below = keep[at - 1] and tags[at - 1] in _ALL_HEADINGS and tags[at - 1] < tags[at]
        is_name = tags[at] in _HEADINGS and len(page.segments[at].text) <= _HEADING_CHARS
        if is_below and is_name and scores[at] >= _MIN_BLOCK_SCORE and not keep[at]:
            after = range(at + 1, min(at + 1 + _SECTION_SEGMENTS, len(keep)))
            end = next((i for i in after if "h1" <= tags[i] <= tags[at]), after.stop)
            selected[at] = any(keep[at + 1 : end])
    return tuple(selected)


def add_item_labels(page: Page, keep: Sequence[bool], scores: Sequence[float]) -> tuple[bool, ...]:
    """Return the selection with the labels above paragraphs, if some of the same list are selected.

    A list of products or projects may have a link above each description.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    index = page.index
    lists: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for at, segment in enumerate(index.segments[:-1]):
        block = index.segment_blocks[at]
        is_label = index.tags[block] not in {"p", "td"}
        below = index.segments[at + 1]
        if is_label and len(segment.text) <= _HEADING_CHARS and keep[at + 1]:
            is_text = len(below.text) >= _PARAGRAPH_CHARS and _is_free([below], _MAX_LINKED)
            if is_text and not index.flags[block] & _OUTSIDE:
                lists.setdefault(_outer_shape(index, block), []).append(at)
    selected = list(keep)
    for labels in lists.values():
        known = sum(keep[at] for at in labels)
        kinds = {_DIGITS.sub("", index.segments[at].text) for at in labels}
        is_counter = len(kinds) == 1 < len(labels)  # 'Picture 1 of 10', or a button
        if not is_counter and known >= max(_MIN_LABELS, _LABELS_SHARE * len(labels)):
            for at in labels:
                selected[at] |= scores[at] >= _MIN_SCORE
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


#: The time above a part of a running report: '12.30pm:'.
_TIME_MARK = re.compile(r"[0-9]{1,2}[.:][0-9]{2}(?:\s?[ap]\.?m\.?:?|:)")
#: The fewest words of a line that announces a list, and the most items of it.
_ANNOUNCING_WORDS, _MAX_ANNOUNCED = 4, 12


def add_announced_lists(page: Page, keep: Sequence[bool]) -> tuple[bool, ...]:
    """Select the items between a line with a colon ('Exported were above all:') and more text.

    A short line is a label, and links to pages of the site are other stories.
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
        if is_list and not any(
            item.link_chars and _has_internal_link(page, item) for item in items
        ):
            flags[at + 1 : after] = [True] * len(items)
    return tuple(flags)


def _has_internal_link(page: Page, item: Segment) -> bool:
    """Return whether an item has a link to a page of the same site."""
    links = (link.get("href") or "" for link in islice(item.block.iter("a"), _MAX_ANNOUNCED))
    return any(host_of(resolve(page.base, href)) in ("", host_of(page.base)) for href in links)


def add_fragments(segments: Sequence[Segment], keep: Sequence[bool]) -> tuple[bool, ...]:
    """Select short lines that belong to others: drop caps, datelines, breaks, times, numbers.

    The numbers of consecutive headings are selected, and no other number above a heading.
    """
    flags = list(keep)
    steps: list[tuple[int, int]] = []
    for at, (segment, after) in enumerate(pairwise(segments)):
        is_place = after.block.tag == "p" and DATELINE.fullmatch(segment.text)
        if flags[at + 1] and (is_place or continues_drop_cap(segment.text, after.text)):
            flags[at] = True
        is_number = len(segment.text) <= 2 and segment.text.isdecimal() and flags[at + 1]
        tags = segment.block.tag, after.block.tag
        if is_number and tags[0] not in _ALL_HEADINGS and tags[1] in _ALL_HEADINGS:
            steps.append((at, int(segment.text)))
        is_inside = at > 0 and flags[at - 1] and flags[at + 1]
        if is_inside and any(mark.fullmatch(segment.text) for mark in (SCENE_BREAK, _TIME_MARK)):
            flags[at] = True
    numbers = [number for _, number in steps]
    are_steps = len(steps) > 1 and numbers == list(range(numbers[0], numbers[0] + len(steps)))
    for at, _ in steps:
        flags[at] = are_steps
    return tuple(flags)
