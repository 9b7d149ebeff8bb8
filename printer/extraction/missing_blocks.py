"""Select the blocks that the classifier missed in the text around them.

The classifier knows running text best.  It often misses a table, list or note among or below it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import accumulate, compress, islice, takewhile
from operator import mul

from lxml.html import HtmlElement

from ..html.index import ElementFlag, Leaf, PageIndex, Segment, enclosing_link, tag_and_class
from ..html.structure import is_social_post
from ..html.visibility import HEADING_TAGS, SUBHEADING_TAGS
from ..i18n import fold_words, page_labels
from ..text import QUESTION_MARKS, class_pattern, comparison_key, split_label
from .selected_text import OUTSIDE_TEXT, SelectedText, is_drawn_as_button, mean, tags_and_classes

#: The largest share of links in added text.
_MAX_LINKED = 0.3
_MAX_HEADING_CHARS = 100
#: The lowest score of a paragraph or heading among selected ones, and of a block in the element
#: around nearly all of the text.
_MIN_SCORE = 0.35
#: The lowest score of a block or heading next to selected paragraphs.
_MIN_BLOCK_SCORE = 0.2
#: The lowest score of any line between selected ones.
_MIN_LINE_SCORE = 0.6


def add_missing_blocks(selected: SelectedText) -> None:
    """Select the blocks of the text that the classifier missed."""
    index, scores = selected.index, selected.scores
    containers = _text_containers(selected)
    min_scores = dict.fromkeys(containers, _MIN_BLOCK_SCORE)
    min_scores.setdefault(_common_container(selected), _MIN_SCORE)
    ranges = _opening_note(selected) + _headed_boxes(selected) + _social_posts(selected)
    for container, min_score in min_scores.items():
        ranges += [
            (begin, end)
            for begin, end in _missing_ranges(selected, container)
            # Teasers of other stories are not definition lists.
            if index.tags[index.segment_blocks[begin]] in ("dt", "dd")
            or mean(scores[begin:end]) >= min_score
        ]
    selected.add(
        i
        for begin, end in ranges
        for i in range(begin, end)
        if not index.flags[index.segment_blocks[i]] & ElementFlag.BUTTON
    )


def _opening_note(selected: SelectedText) -> list[tuple[int, int]]:
    """Return the likely line with which the element of the first selected ones begins."""
    index, keep, first = selected.index, selected.keep, selected.first()
    is_text = first > 0 and all(keep[first : first + 3])
    box = index.parents[index.segment_blocks[first]] if is_text else -1
    if box < 0 or not (index.segment_begins[box] == first - 1 <= index.segment_ends[box] - 4):
        return []
    line, note = index.segments[first - 1], index.segment_blocks[first - 1]
    is_part = len(line.text) >= _MIN_END_CHARS and not index.flags[note] & OUTSIDE_TEXT
    while note > box and is_part:
        is_part = _NOT_PART_CLASS.search(_class_and_id(index, note)) is None
        note = index.parents[note]
    is_likely = is_part and _is_likely(line, selected.scores[first - 1], selected.texts())
    return [(first - 1, first)] if is_likely else []


#: The largest share of links in a post with words of its own.
_MAX_LINKED_IN_POST = 0.5


def _social_posts(selected: SelectedText) -> list[tuple[int, int]]:
    """Return the embedded posts between selected paragraphs that have words of their own."""
    index, keep = selected.index, selected.keep
    spans = zip(index.tags, index.elements, index.segment_begins, index.segment_ends, strict=True)
    return [
        (begin, end)
        for tag, element, begin, end in spans
        if tag == "blockquote"
        and 0 < begin < end
        and keep[begin - 1]
        and any(keep[end : end + 2])
        and is_social_post(element)
        and _has_few_links(index.segments[begin:end], _MAX_LINKED_IN_POST)
    ]


#: Longer lines are not repeated.
_MAX_REPEATED_CHARS = 25


def _is_likely(segment: Segment, score: float, known_texts: Set[str]) -> bool:
    """Return whether a line is likely, without many links, and no copy of a selected one."""
    is_copy = len(segment.text) > _MAX_REPEATED_CHARS and segment.text in known_texts
    return score >= _MIN_LINE_SCORE and _has_few_links([segment], _MAX_LINKED) and not is_copy


_QUESTION_TAGS = SUBHEADING_TAGS | {"summary"}
_MIN_QUESTIONS = 3
#: The lowest mean score of such a list.
_MIN_QUESTIONS_SCORE = 0.3


def add_question_lists(selected: SelectedText) -> None:
    """Select the likely lists of questions and answers, which open on a click on many pages.

    The questions are added, each with the lines below it that look alike, and a heading right above
    the list.
    """
    segments, keep, scores = selected.segments, selected.keep, selected.scores
    known_texts = selected.texts()
    lines: list[int] = []
    start = 0
    while start < len(segments):
        is_text = keep[start] and segments[start].block.tag not in _QUESTION_TAGS
        if is_text or not _is_question(segments[start]):
            start += 1
            continue
        end, questions = _read_questions(segments, start)
        is_list = questions >= _MIN_QUESTIONS and end - start >= 2 * questions
        copies = (s for s in segments[start:end] if s.text in known_texts and not keep[s.index])
        is_list = is_list and 2 * sum(1 for _ in copies) < end - start
        if is_list and mean(scores[start:end]) >= _MIN_QUESTIONS_SCORE:
            start -= start > 0 and segments[start - 1].block.tag in SUBHEADING_TAGS
            answer: tuple[str, ...] | None = None
            for i in range(start, end):
                block = segments[i].block
                answer = None if _is_question(segments[i]) else answer or tags_and_classes(block)
                is_alike = answer is None or _is_answer(block, {answer})
                lines += [i] if is_alike and not (answer and segments[i].is_link) else []
        start = max(end, start + 1) if questions > 1 else start + 1
    selected.add(lines)


_MAX_ANSWER_SEGMENTS = 8


def _read_questions(segments: Sequence[Segment], start: int) -> tuple[int, int]:
    """Return the end of a list of similar questions with similar answers, and their number."""
    question = tags_and_classes(segments[start].block)
    answers: set[tuple[str, ...]] = set()
    questions = 0
    for i in range(start, len(segments)):
        look = tags_and_classes(segments[i].block)
        if look == question:
            is_part = _is_question(segments[i])
            questions += is_part
        elif questions == 1:
            is_part = i - start <= _MAX_ANSWER_SEGMENTS
            answers.add(look)
        else:
            is_part = _is_answer(segments[i].block, answers)
        if not is_part:
            return i, questions
    return len(segments), questions


_LIST_TAGS = ("ul", "ol")
#: The most levels from an item up to the outermost list around it.
_MAX_LIST_LEVELS = 6


def _is_answer(block: HtmlElement, answers: Set[tuple[str, ...]]) -> bool:
    """Return whether a line looks like one of an answer, or is in a list in a box of its class."""
    around = islice(block.iterancestors(), _MAX_LIST_LEVELS)
    lists = [element for element in around if element.tag in _LIST_TAGS]
    box = tag_and_class(lists[-1].getparent()) if lists else ("", "")
    is_named = bool(box[1]) and any(box == answer[2:] for answer in answers)
    return is_named or tags_and_classes(block) in answers


_MAX_LINES_ABOVE_HEADING = 4
_MAX_BOX_LEVELS = 8
_MIN_BOX_LINES = 6
_MIN_LIKELY_LINES = 4
#: The largest share of the selected text in such a box.
_MAX_BOX_SHARE = 0.5


def _headed_boxes(selected: SelectedText) -> list[tuple[int, int]]:
    """Return the likely lines of the innermost boxes whose headings are selected."""
    index, keep = selected.index, selected.keep
    sums, known_texts = _running_sums(selected), selected.texts()
    added: set[int] = set()
    for heading, segment in enumerate(index.segments):
        if not keep[heading] or segment.block.tag not in HEADING_TAGS:
            continue
        box = index.segment_blocks[heading]
        for _ in range(_MAX_BOX_LEVELS):
            box = index.parents[box]
            if box < 0:
                break
            start, end = index.segment_begins[box], index.segment_ends[box]
            is_large = sums[end] - sums[start] > _MAX_BOX_SHARE * sums[-1]
            if is_large or heading - start > _MAX_LINES_ABOVE_HEADING:
                break
            if end - start < _MIN_BOX_LINES:
                continue
            likely = [
                i
                for i in range(start, end)
                if not keep[i] and _is_likely(index.segments[i], selected.scores[i], known_texts)
            ]
            added.update(likely if len(likely) >= _MIN_LIKELY_LINES else ())
            break
    return [(i, i + 1) for i in sorted(added)]


#: The most lines of a section of short lines, or between the title and the text.
_MAX_SHORT_LINES = 12
#: The lowest score of such a line, and their lowest mean score.
_MIN_SHORT_SCORE = 0.2
_MIN_SHORT_MEAN = 0.34
#: Lines that recur this often are labels.
_MIN_SHORT_COPIES = 4


def add_short_sections(selected: SelectedText) -> None:
    """Select likely lines between headings, or from the title to the text.

    Examples are the addresses in a legal notice.  A single line is likely to be a credit.
    """
    index, segments, scores = selected.index, selected.segments, selected.scores
    keep, counts, first = tuple(selected.keep), selected.counts, selected.first()
    title = comparison_key(selected.page.metadata.title)
    container = _common_container(selected)
    text_begin = index.segment_begins[container]
    for i in range(max(0, first - 1 - _MAX_SHORT_LINES), index.segment_ends[container] - 1):
        is_heading = segments[i].block.tag in HEADING_TAGS and not keep[i + 1]
        is_title = is_heading and i < first and comparison_key(segments[i].text) == title
        if not (is_title or (is_heading and keep[i])):
            continue
        stop = min(i + 2 + _MAX_SHORT_LINES, len(keep))
        end = next((j for j in range(i + 1, stop) if keep[j]), stop)
        mean_score = mean(scores[i + 1 : end])
        are_short = end > i + 2 and i + 1 >= text_begin
        is_likely = mean_score >= (_MIN_SHORT_MEAN if are_short else _MIN_LINE_SCORE)
        is_likely &= max(counts[s.text] for s in segments[i + 1 : end]) < _MIN_SHORT_COPIES
        is_likely = is_likely and min(scores[i + 1 : end]) >= _MIN_SHORT_SCORE and end < stop
        is_likely = is_likely and (is_title or segments[end].block.tag in HEADING_TAGS)
        if is_likely and _has_few_links(segments[i + 1 : end], _MAX_LINKED):
            selected.add(range(i + 1, end))


#: The fewest paragraphs of a long stretch of text, selected or missing.
_MIN_STRETCH_PARAGRAPHS = 10
#: The lowest mean length of missing paragraphs, relative to that of selected ones.
_MIN_STRETCH_LENGTH = 0.6
#: The lowest mean score of a long stretch.
_MIN_STRETCH_SCORE = 0.1
#: The most lines of other elements between two paragraphs of a stretch.
_MAX_LINES_BETWEEN = 50
#: The smallest share of the selected text in the box whose own paragraphs are compared as well.
_MIN_SHARE_OF_STRETCHED = 0.75
#: The fewest likely paragraphs of a short stretch.
_MIN_LIKELY_PARAGRAPHS = 3


def add_long_stretches(selected: SelectedText) -> None:
    """Select stretches of paragraphs that look like the selected ones.

    The classifier's training texts were cut off on some very long pages, so scores fall towards the
    end of such pages.  A short stretch must be likely.
    """
    index, keep, scores = selected.index, selected.keep, selected.scores
    paragraphs = [i for i, block in enumerate(index.segment_blocks) if index.tags[block] == "p"]
    selected_count = sum(keep[i] for i in paragraphs)
    missing_count = len(paragraphs) - selected_count
    if selected_count < _MIN_STRETCH_PARAGRAPHS or missing_count < _MIN_LIKELY_PARAGRAPHS:
        return
    looks = {i: _outer_look(index, index.segment_blocks[i]) for i in paragraphs}
    counts = Counter(looks[i] for i in paragraphs if keep[i])
    container = _common_container(selected, _MIN_SHARE_OF_STRETCHED)
    similar = [
        i
        for i in paragraphs
        if counts[looks[i]] >= _MIN_STRETCH_PARAGRAPHS
        or index.parents[index.segment_blocks[i]] == container
    ]
    chars = selected.size(paragraphs)
    min_mean_chars = _MIN_STRETCH_LENGTH * chars / selected_count

    def is_long(stretch: Sequence[int]) -> bool:
        return sum(selected.sizes[i] for i in stretch) >= min_mean_chars * len(stretch)

    for stretch in _missing_stretches(selected, similar):
        likely = list(takewhile(lambda i: scores[i] >= _MIN_LINE_SCORE, stretch))
        if len(likely) >= _MIN_LIKELY_PARAGRAPHS and is_long(likely):
            selected.add(likely)
        if len(stretch) < _MIN_STRETCH_PARAGRAPHS:
            continue
        begin, end = stretch[0], stretch[-1] + 1
        if is_long(stretch) and mean(scores[begin:end]) >= _MIN_STRETCH_SCORE:
            begin -= begin > 0 and index.tags[index.segment_blocks[begin - 1]] in SUBHEADING_TAGS
            for i in range(begin, end):
                is_short = selected.sizes[i] < _MIN_PARAGRAPH_CHARS
                is_label = is_short and index.tags[index.segment_blocks[i]] == "div"
                keep[i] |= not is_label or scores[i] >= _MIN_SCORE


def _missing_stretches(selected: SelectedText, paragraphs: Sequence[int]) -> list[list[int]]:
    """Return distinct missing paragraphs, divided at selected text, links and large tables."""
    keep = selected.keep
    texts = Counter(selected.segments[i].text for i in paragraphs)
    stretches: list[list[int]] = [[]]
    for previous, i in zip([0, *paragraphs], paragraphs, strict=False):
        segments = selected.segments[previous : i + 1]
        is_near = len(segments) <= _MAX_LINES_BETWEEN
        if any(keep[previous : i + 1]) or not (is_near and _has_few_links(segments, _MAX_LINKED)):
            stretches.append([])
        if not keep[i] and texts[selected.segments[i].text] == 1:
            stretches[-1].append(i)
    return stretches


#: The names of boxes of background to a story.
_FACT_BOX = re.compile(r"fact-?box|fakta-?(?:boks|box|ruta)|fakten-?box", re.IGNORECASE)
#: A box that is longer, by the size of the text, is a document of its own.
_MAX_FACTS_SHARE = 0.5


def add_fact_boxes(selected: SelectedText) -> None:
    """Select boxes of facts, and asides like selected ones, between or right below paragraphs.

    Their short lines are unlike the text, but readers need them to understand it.
    """
    index, keep, sizes = selected.index, selected.keep, selected.sizes
    text_size = sum(compress(sizes, keep))
    for container in {*_text_containers(selected), _common_container(selected)}:
        children = (index.indexes.get(child) for child in index.elements[container])
        boxes = [(i, index.segment_range(i)) for i in children if i is not None]
        asides = {
            index.classes[i]
            for i, lines in boxes
            if index.tags[i] == "aside" and index.classes[i] and any(keep[n] for n in lines)
        }
        chosen = [n for n in index.segment_range(container) if keep[n]]
        for i, lines in boxes:
            is_similar = index.tags[i] == "aside" and index.classes[i] in asides
            names = f"{index.tags[i]} {_class_and_id(index, i)}"
            is_part = (is_similar or _FACT_BOX.search(names)) and not _is_outside_text(index, i)
            is_beside_text = bool(lines and chosen) and chosen[0] < lines.start <= chosen[-1] + 1
            is_small = sum(sizes[n] for n in lines) <= _MAX_FACTS_SHARE * text_size
            if is_part and is_small and is_beside_text and _is_unlinked(index, i, _MAX_LINKED):
                selected.add(lines)


_MIN_TEXT_SEGMENTS = 5
#: The last selected segments, with which the missing end is compared.
_LAST_SEGMENTS = 12
#: The lowest score relative to theirs.
_MIN_END_SCORE = 0.6
_MAX_UNLIKELY_LINES = 2
_MAX_END_SEGMENTS = 60
#: The shortest paragraph with which the text may end.
_MIN_END_CHARS = 60


def add_missing_end(selected: SelectedText) -> None:
    """Select the text that continues the selected text in the same elements.

    Scores fall along a long text, so its end is compared with the text shortly before.
    """
    index, scores = selected.index, selected.scores
    selected_positions = selected.positions()
    if len(selected_positions) < _MIN_TEXT_SEGMENTS:
        return
    last_positions = selected_positions[-_LAST_SEGMENTS:]
    min_score = max(_MIN_SCORE, _MIN_END_SCORE * mean([scores[i] for i in last_positions]))
    blocks = {index.segment_blocks[i] for i in selected_positions}
    looks = {_outer_look(index, block) for block in blocks}
    pending: list[int] = []
    gap = 0
    last = last_positions[-1]
    # A box in the middle of the text does not end the element around the paragraphs.
    text_end = index.segment_ends[index.parents[index.segment_blocks[last]]]
    for i in range(last + 1, min(len(scores), last + 1 + _MAX_END_SEGMENTS)):
        segment = index.segments[i]
        if scores[i] < min_score or segment.link_chars > _MAX_LINKED * len(segment.text):
            gap += 1
            if gap > _MAX_UNLIKELY_LINES and i >= text_end:
                break
            continue
        if gap > _MAX_UNLIKELY_LINES and scores[i] < _MIN_LINE_SCORE:
            continue
        pending.append(i)
        is_text = len(segment.text) >= _MIN_END_CHARS
        if is_text and _outer_look(index, index.segment_blocks[i]) in looks:
            selected.add(pending)
            pending = []
    selected.add([*_last_paragraphs(selected), *_last_section(selected)])


#: The fewest other sections like the last one, and that of one with a likely, long paragraph.
_MIN_SIMILAR_SECTIONS = 3
_MIN_SIMILAR_IF_LIKELY = 1


def _last_section(selected: SelectedText) -> Iterator[int]:
    """Yield the heading and the paragraphs of a last section that is like others before it."""
    index, keep, scores = selected.index, selected.keep, selected.scores
    last, blocks = selected.last(), index.segment_blocks
    is_selected = index.tags[blocks[last]] in SUBHEADING_TAGS
    start = last if is_selected else last + 1
    start += any(map(is_drawn_as_button, index.segments[start : start + 1]))
    if start == len(blocks) or index.tags[blocks[start]] not in SUBHEADING_TAGS:
        return
    heading = _outer_look(index, blocks[start])
    similar = [i for i in range(start) if keep[i] and _outer_look(index, blocks[i]) == heading]
    bodies = Counter(_outer_look(index, blocks[i + 1]) for i in similar)
    for i in range(start + 1, len(blocks)):
        segment = index.segments[i]
        is_long = len(segment.text) >= _MIN_END_CHARS and not segment.link_chars
        is_likely = is_long and scores[i] >= _MIN_SCORE
        min_similar = _MIN_SIMILAR_IF_LIKELY if is_likely else _MIN_SIMILAR_SECTIONS
        is_alike = index.tags[blocks[i]] == "p" and (
            bodies[_outer_look(index, blocks[i])] >= min_similar
        )
        is_likely |= is_selected or min(scores[start], scores[i]) >= _MIN_SERIES_SCORE
        if not is_alike or not is_likely:
            return
        yield from (start, i)


_MAX_LAST_PARAGRAPHS = 3
#: The lowest score of what is not below the text.
_MIN_FOOTER_SCORE = 0.07
_MIN_LAST_SCORE = 0.3
#: The lowest score of a last paragraph that is mostly links.
_MIN_LINKED_LAST_SCORE = 0.55


def _last_paragraphs(selected: SelectedText) -> Iterator[int]:
    """Yield the likely paragraphs below the last selected one with which its element ends."""
    index, scores, last = selected.index, selected.scores, selected.last()
    is_item = index.tags[index.segment_blocks[last]] == "li"
    parent = index.parents[index.segment_blocks[last]]
    while index.tags[parent] in ("li", "ul", "ol"):
        parent = index.parents[parent]
    below = range(last + 1, index.segment_ends[parent])
    paragraphs = [i for i in below if scores[i] >= _MIN_FOOTER_SCORE]
    looks = {
        (index.tags[block], index.classes[block], index.parents[block], index.flags[block])
        for block in (index.segment_blocks[i] for i in [last, *paragraphs][is_item:])
    }
    is_end = len(looks) == 1 and min(looks)[0] == "p"
    is_end = is_end and not _NOT_PART_CLASS.search(_class_and_id(index, parent))
    is_text = sum(selected.sizes[i] for i in paragraphs) >= _MIN_END_CHARS * len(paragraphs)
    if is_end and (is_text or len(paragraphs) <= _MAX_LAST_PARAGRAPHS):
        for i in paragraphs:
            segment = index.segments[i]
            has_few_links = _has_few_links([segment], _MAX_LINKED)
            min_score = _MIN_LAST_SCORE if has_few_links else _MIN_LINKED_LAST_SCORE
            is_likely = scores[i] >= min_score and any(map(str.isalpha, segment.text))
            if is_likely and (has_few_links or not (segment.is_link or _is_promotion(segment))):
                yield i


def _is_promotion(segment: Segment) -> bool:
    """Return whether a linked line is a call to action ('Join us!') or a reference ('Next: x')."""
    links = {enclosing_link(leaf.element) for leaf in segment.leaves} - {None}
    is_reference = len(links) == 1 and split_label(segment.text)[1] != ""
    return is_reference or segment.text.endswith(("!", "！"))


#: The lowest score of a heading right above selected text.
_MIN_HEADING_SCORE = 0.3
_MAX_SECTION_SEGMENTS = 30


def add_subheadings(selected: SelectedText) -> None:
    """Select headings right above selected text, and right below headings.

    Names of products are below headings; in an article, a link above text is another story.  The
    heading with which a box of text begins need not be as likely as others.
    """
    index, segments, scores = selected.index, selected.segments, selected.scores
    keep = tuple(selected.keep)
    tags = [index.tags[block] for block in index.segment_blocks]
    paragraphs = (j for j in range(len(keep)) if keep[j] and tags[j] in ("p", "li"))
    first = next(paragraphs, len(keep))
    for i in range(max(0, first - 1), len(keep)):
        is_short = selected.sizes[i] <= _MAX_HEADING_CHARS
        if keep[i] or not is_short or tags[i] not in SUBHEADING_TAGS:
            label = fold_words(segments[i].text) if is_short and tags[i] != "li" else ""
            is_above = label in page_labels("question_labels") and any(keep[i + 1 : i + 2])
            selected.keep[i] |= is_above and _is_question(segments[i + 1])
            continue
        if fold_words(segments[i].text) in page_labels("story_labels"):
            continue
        box = index.box_around(i)
        begins_box = index.segment_begins[box] == i and index.tags[box] != "body"
        is_above = scores[i] >= (_MIN_BLOCK_SCORE if begins_box else _MIN_HEADING_SCORE)
        is_above &= any(keep[i + 1 : i + 2]) and (i > first or tags[first] == "li")
        if selected.kind == "documentation":
            selected.keep[i] = is_above
            continue
        is_label = _has_few_links([segments[i]], _MAX_LINKED)
        selected.keep[i] = is_above and (is_label or _links_to_itself(segments[i]))
        is_below = (
            i > first and keep[i - 1] and tags[i - 1] in HEADING_TAGS and tags[i - 1] < tags[i]
        )
        if is_below and scores[i] >= _MIN_BLOCK_SCORE:
            after = range(i + 1, min(i + 1 + _MAX_SECTION_SEGMENTS, len(keep)))
            end = next((j for j in after if "h1" <= tags[j] <= tags[i]), after.stop)
            selected.keep[i] |= any(keep[i + 1 : end])


def _links_to_itself(segment: Segment) -> bool:
    """Return whether a heading is a permalink to itself."""
    link = enclosing_link(segment.leaves[0].parent)
    name = segment.block.get("id") or ("" if link is None else link.get("id"))
    return link is not None and bool(name) and link.get("href") == f"#{name}"


#: The fewest headings of a series, their lowest score and the least text below each.
_MIN_HEADINGS_IN_SERIES = 3
_MIN_SERIES_SCORE = 0.25
_MIN_SERIES_CHARS = 100


def add_section_headings(selected: SelectedText) -> None:
    """Select the headings in the same boxes as a selected one, as of products.

    There is selected text below each of them, or below half if none is selected; prices and ratings
    may be between.
    """
    index, keep = selected.index, selected.keep
    sums = _running_sums(selected)
    series: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for i, size in enumerate(selected.sizes):
        tag = index.tags[index.segment_blocks[i]]
        if tag in SUBHEADING_TAGS and size <= _MAX_HEADING_CHARS:
            series.setdefault(_outer_look(index, index.segment_blocks[i]), []).append(i)
    for headings in series.values():
        ends = [*headings[1:], min(headings[-1] + _MAX_SECTION_SEGMENTS, len(keep))]
        bounds = zip(headings, ends, strict=True)
        above_text = [i for i, end in bounds if sums[end] - sums[i + 1] >= _MIN_SERIES_CHARS]
        least = len(headings) if any(keep[i] for i in headings) else len(headings) / 2
        if len(above_text) >= max(_MIN_HEADINGS_IN_SERIES, least):
            selected.add(i for i in above_text if selected.scores[i] >= _MIN_SERIES_SCORE)


_MIN_PARAGRAPH_CHARS = 40
_MIN_SELECTED_LABELS = 2
_MIN_SELECTED_LABELS_SHARE = 0.3
_DIGITS = re.compile(r"\d+")


def add_item_labels(selected: SelectedText) -> None:
    """Select the labels above paragraphs if similar ones are selected.

    Examples are links above descriptions of products.  In documentation, only headings count.
    """
    index, keep, kind = selected.index, selected.keep, selected.kind
    lists: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for i, segment in enumerate(index.segments[:-1]):
        if not any(keep[i + 1 : i + 3]):
            continue
        block = index.segment_blocks[i]
        is_heading = index.tags[block] in SUBHEADING_TAGS
        is_label = is_heading if kind == "documentation" else index.tags[block] not in {"p", "td"}
        if is_label and len(segment.text) <= _MAX_HEADING_CHARS:
            # A credit may be between a heading and its text.
            below = slice(i + 1, i + (3 if is_heading else 2))
            is_text = any(
                flag
                and len(text.text) >= _MIN_PARAGRAPH_CHARS
                and _has_few_links([text], _MAX_LINKED)
                for text, flag in zip(index.segments[below], keep[below], strict=True)
            )
            is_list = is_heading and index.tags[index.segment_blocks[i + 1]] == "li"
            if (is_text or is_list) and not index.flags[block] & OUTSIDE_TEXT:
                lists.setdefault(_outer_look(index, block), []).append(i)
    for labels in lists.values():
        selected_count = sum(keep[i] for i in labels)
        distinct_labels = {_DIGITS.sub("", index.segments[i].text) for i in labels}
        is_counter = len(distinct_labels) == 1 < len(labels)  # 'Picture 1 of 10', or a button
        if not is_counter and selected_count >= max(
            _MIN_SELECTED_LABELS, _MIN_SELECTED_LABELS_SHARE * len(labels)
        ):
            is_heading = index.tags[index.segment_blocks[labels[0]]] in SUBHEADING_TAGS
            most = is_heading and 2 * selected_count >= len(labels)
            min_score = _MIN_BLOCK_SCORE if most else _MIN_SCORE
            selected.add(i for i in labels if selected.scores[i] >= min_score)


_MAX_LOOK_LEVELS = 4


@lru_cache(4096)
def _lasting_names(names: str) -> str:
    """Return classes without those with numbers, which may be unique to an element."""
    return " ".join(name for name in names.split() if not _DIGITS.search(name))


def _outer_look(index: PageIndex, i: int) -> tuple[tuple[str, str], ...]:
    """Return the tags of an element and of those around it, and their classes without numbers."""
    look: list[tuple[str, str]] = []
    for _ in range(_MAX_LOOK_LEVELS):
        look.append((index.tags[i], _lasting_names(index.classes[i] or "")))
        i = index.parents[i]
        if i < 0:
            break
    return tuple(look)


_MAX_QUESTION_CHARS = 160
#: Class names of a paragraph that is a question, which unfolds its answer on many pages.
_QUESTION_CLASS = class_pattern("accordions?|faqs?|questions?|toggles?", re.IGNORECASE)


def _is_question(segment: Segment) -> bool:
    return (
        segment.text.endswith(QUESTION_MARKS)
        and len(segment.text) <= _MAX_QUESTION_CHARS
        and (segment.block.tag != "p" or _is_named_question(segment.block))
        and (segment.link_chars <= _MAX_LINKED * len(segment.text) or _is_opener(segment))
    )


def _is_named_question(paragraph: HtmlElement) -> bool:
    """Return whether the class of a paragraph or of the element around it is a question's."""
    names = filter(None, tags_and_classes(paragraph)[1::2])
    return any(_QUESTION_CLASS.search(name[:300]) for name in names)


def _is_opener(segment: Segment) -> bool:
    """Return whether a line begins with a toggle (a link without a target)."""
    link = enclosing_link(segment.leaves[0].parent)
    return link is not None and (link.get("href") or "#").lower().startswith(_NO_TARGETS)


_NO_TARGETS = ("#", "javascript:")


def _running_sums(selected: SelectedText) -> list[int]:
    """Return the running sums of the selected characters, so that a range's is a difference."""
    return list(accumulate(map(mul, selected.keep, selected.sizes), initial=0))


#: The share of the selected text that is nearly all.
_MIN_COMMON_SHARE = 0.9


def _common_container(selected: SelectedText, min_share: float = _MIN_COMMON_SHARE) -> int:
    """Return the innermost element around at least a share of the text."""
    sums = _running_sums(selected)
    min_chars = min_share * sums[-1]
    bounds = zip(selected.index.segment_begins, selected.index.segment_ends, strict=True)
    return max(i for i, (begin, end) in enumerate(bounds) if sums[end] - sums[begin] >= min_chars)


#: The fewest paragraphs directly inside an element that holds the text, and their smallest share
#: of the selected text.
_MIN_CONTAINER_PARAGRAPHS = 2
_MIN_CONTAINER_SHARE = 0.25


def _text_containers(selected: SelectedText) -> list[int]:
    """Return the elements directly around the paragraphs of the text."""
    index, total = selected.index, selected.total()
    sizes: Counter[int] = Counter()
    counts: Counter[int] = Counter()
    for i in selected.positions():
        block, size = index.segment_blocks[i], selected.sizes[i]
        if size >= _MIN_PARAGRAPH_CHARS and index.tags[block] == "p":
            counts[index.parents[block]] += 1
            sizes[index.parents[block]] += size
    return [
        element
        for element, count in counts.items()
        if count >= _MIN_CONTAINER_PARAGRAPHS and sizes[element] >= _MIN_CONTAINER_SHARE * total
    ]


def _missing_ranges(selected: SelectedText, container: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of segments of the missing blocks among an element's children."""
    index = selected.index
    indexes = (index.indexes.get(child) for child in index.elements[container])
    ranges = [(i, index.segment_begins[i], index.segment_ends[i]) for i in indexes if i is not None]
    ranges = [(i, start, end) for i, start, end in ranges if start < end]
    flags = [any(selected.keep[start:end]) for _, start, end in ranges]
    if not any(flags):
        return
    first, last = flags.index(True), len(flags) - 1 - flags[::-1].index(True)
    heading: tuple[int, int] | None = None
    for n in range(first + 1, len(ranges)):
        i, start, end = ranges[n]
        if _is_block(index, i):
            if heading:
                yield heading
            heading = None
            yield start, end
        elif flags[n]:
            heading = None
        elif flags[n + 1 : n + 2] == [True] and _is_paragraph_or_heading(index, i):
            if min(selected.scores[start:end]) >= _MIN_SCORE:
                yield start, end
        elif index.tags[i] in SUBHEADING_TAGS and _is_paragraph_or_heading(index, i):
            heading = heading or (start, end)
        elif n >= last:
            return


#: Class names of boxes that hold no article text.
_NOT_PART_CLASS = class_pattern(
    "ad|ads|author|byline|breadcrumbs?|categor(?:y|ies)|comments?|cta|date|guidelines|last-?changed"
    "|links?|menu|meta|metadata|nav|newsletter|promo|rating|related|reply|share|sharing|social|subscribe"
    "|tags?|time|timestamp|toc|updated|widget",
    re.IGNORECASE,
)
_PARAGRAPH_TAGS = SUBHEADING_TAGS | {"p"}


def _is_paragraph_or_heading(index: PageIndex, i: int) -> bool:
    """Return whether an element is a paragraph or a heading without many links."""
    is_part = index.tags[i] in _PARAGRAPH_TAGS and _is_unlinked(index, i, _MAX_LINKED)
    return is_part and not _NOT_PART_CLASS.search(_class_and_id(index, i))


#: Class names of boxes that hold article text.
_PART_CLASS = class_pattern(
    "admonition|callout|caution|code|equation|hint|highlight|listing|math|note|poem|sidenote"
    "|sourceCode|stanza|tip|verse|warning"
)
_MAX_LINKED_IN_LIST = 0.1


def _is_block(index: PageIndex, i: int) -> bool:
    """Return whether an element is a table, a list or a note, or only wraps a quotation or code."""
    inner = i
    while _is_wrapper(index, inner) and not _is_part(index, inner):
        inner += 1
    i = inner if index.tags[inner] in {"blockquote", "pre"} else i
    is_outside = _is_outside_text(index, i) or _NOT_PART_CLASS.search(_class_and_id(index, i))
    if is_outside or not _is_part(index, i):
        return False
    tag = index.tags[i]
    return _is_unlinked(index, i, _MAX_LINKED_IN_LIST if tag in {"ul", "ol"} else _MAX_LINKED)


def _is_part(index: PageIndex, i: int) -> bool:
    """Return whether an element may be a part of the text by its tag or its class."""
    is_part = index.tags[i] in {"pre", "table", "dl", "blockquote", "details", "ul", "ol"}
    return is_part or _PART_CLASS.search(_class_and_id(index, i)) is not None


def _is_wrapper(index: PageIndex, i: int) -> bool:
    """Return whether an element is a box around a single other one."""
    ends = index.subtree_ends[i : i + 2]
    is_sole = index.tags[i] == "div" and i + 1 < ends[0] and ends[0] == ends[-1]
    has_text = (index.elements[i].text or "").strip()
    return is_sole and not has_text and not _NOT_PART_CLASS.search(_class_and_id(index, i))


def _is_outside_text(index: PageIndex, i: int) -> bool:
    """Return whether an element itself, not only one around it, is a menu or a form."""
    return bool(index.flags[i] & ~index.flags[index.parents[i]] & OUTSIDE_TEXT)


def _is_unlinked(index: PageIndex, i: int, max_share: float) -> bool:
    lines = index.segment_range(i)
    return _has_few_links(index.segments[lines.start : lines.stop], max_share)


def _has_few_links(segments: Sequence[Segment], max_share: float) -> bool:
    """Return whether at most a share of some text is links that lead somewhere."""
    chars = sum(len(segment.text) for segment in segments)
    linked = sum(segment.link_chars for segment in segments)
    if linked > max_share * chars:
        leaves = ((leaf, segment) for segment in segments for leaf in segment.leaves)
        linked -= sum(
            len(leaf.text.strip()) for leaf, line in leaves if _is_link_within_page(leaf, line)
        )
    return linked <= max_share * chars


def _is_link_within_page(leaf: Leaf, line: Segment) -> bool:
    """Return whether a text is a link to a note, or within the page from a part of a line."""
    link = enclosing_link(leaf.parent)
    href = "" if link is None else link.get("href") or ""
    return href.startswith("javascript:") or (href.startswith("#") and not line.is_link)


def _class_and_id(index: PageIndex, i: int) -> str:
    return f"{index.classes[i] or ''} {index.ids[i] or ''}"[:300]
