"""Correct the selection by the appearance of lines: by the page's layout, and by similar lines.

The classifier was trained on pages without a layout.  If a page has one, the selection is corrected
by rules that hold for any page laid out for reading (Luo et al., section 4.2, use only the last):

- Text that is not visible, or is in a layer over the page, does not belong to the article.
- The article is in a column: text next to the column, or within it in a narrow box that lines up
  with neither edge or in a box in smaller print, does not belong to it, however likely its words.
- Text in the column and in the article's font, between selected segments, belongs to the article
  unless its words are most unlikely.

A correction that contradicts most of the selection is not made, since the layout is then misleading
(some pages display their text only in response to a reader).

The classifier decides segment by segment.  A reader notices at once if one section of five has no
heading, or one entry of a list no name; so headings and lines that look like selected ones are
selected, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from ..capture import Font, Rect, Visibility
from ..html.index import Bools, ElementFlag, Ints, Segment, tag_and_class
from ..html.metadata.dates import is_date_line
from ..html.visibility import HEADING_TAGS
from ..i18n import is_invitation, load_table
from ..text import COLONS, WORD, YEAR, comparison_key
from .papers.max_subsequence import find_columns
from .selected_text import SelectedText, tags_and_classes
from .visual import SegmentLayout, read_segment_layout

#: Elements of running text that are often indented and in smaller print.
_INSET_ELEMENTS = int(
    ElementFlag.QUOTE | ElementFlag.LIST | ElementFlag.TABLE | ElementFlag.CODE
    | ElementFlag.DEFINITION | ElementFlag.HEADING
)  # fmt: skip
#: Boxes with a smaller share of the column's width are narrow.
_NARROW_WIDTH = 0.6
_MIN_ADDED_SCORE = 0.05
#: The difference in font size of smaller print.
_MIN_SIZE_DIFFERENCE_PX = 0.5


def filter_by_layout(selected: SelectedText) -> None:
    """Correct the selection by the page's layout, if it has one."""
    index, layout = selected.index, read_segment_layout(selected.page)
    if layout is None or not any(selected.keep):
        return
    lengths = index.segment_chars
    keep = np.array(selected.keep, dtype=bool)
    readable = layout.visible & ~_in_layers(layout, lengths)
    keep = _accept_if_enough_remains(keep, keep & readable, lengths)
    selected.keep = keep.tolist()
    columns = _columns(layout, keep, lengths)
    if not columns or selected.kind != "article":
        return
    fonts, body = _fonts(layout, keep)
    aside = np.zeros(len(lengths), dtype=bool)
    in_column = np.zeros(len(lengths), dtype=bool)
    for i, (rect, area, font) in enumerate(
        zip(layout.block_rects, layout.text_rects, fonts, strict=True)
    ):
        if rect is None or area is None or font is None:
            continue
        column = max(columns, key=partial(_overlap, rect))
        inset = index.flags[index.segment_blocks[i]] & _INSET_ELEMENTS
        smaller = font.size < body.size - _MIN_SIZE_DIFFERENCE_PX and not inset
        aligned = _aligned_edges(rect, column)
        narrow = rect.width < _NARROW_WIDTH * column.width
        beside = area.width > 0 and _overlap(area, column) < _MIN_SHARE_IN_COLUMN * area.width
        aside[i] = beside or ((narrow or aligned < 2) if smaller else (narrow and aligned == 0))
        in_column[i] = font == body and aligned == 2
    keep = _accept_if_enough_remains(keep, keep & ~aside, lengths)
    likely = np.asarray(selected.scores) > _MIN_ADDED_SCORE
    linked = index.segment_link_chars >= lengths / 2
    # Between the first and the last selected segment.
    within = np.logical_or.accumulate(keep) & np.logical_or.accumulate(keep[::-1])[::-1]
    selected.keep = (keep | (within & readable & in_column & likely & ~linked)).tolist()


#: The share of the selected text that a correction by the layout must leave to be made.
_MIN_REMAINING_SHARE = 0.6


def _accept_if_enough_remains(original: Bools, corrected: Bools, lengths: Ints) -> Bools:
    """Return the corrected selection, or the previous one if too little of that remains."""
    remaining = _MIN_REMAINING_SHARE * lengths[original].sum()
    return corrected if lengths[corrected].sum() >= remaining else original


def _in_layers(layout: SegmentLayout, lengths: Ints) -> Bools:
    """Return the segments in layers over the page; none if most of its text is in layers."""
    flags = [bool(visibility & Visibility.LAYER) for visibility in layout.visibilities]
    layered = np.array(flags, dtype=bool)
    if lengths[layered & layout.visible].sum() > lengths[layout.visible].sum() / 2:
        return np.zeros_like(layered)
    return layered


def _columns(layout: SegmentLayout, selected: Bools, lengths: Ints) -> list[Rect]:
    """Return the edges of the article's columns."""
    rects = [r if flag else None for r, flag in zip(layout.block_rects, selected, strict=True)]
    columns = find_columns(rects, lengths.tolist())
    return [Rect(left, 0, right, 0) for left, right in columns]


def _overlap(rect: Rect, column: Rect) -> float:
    return min(rect.right, column.right) - max(rect.left, column.left)


def _fonts(layout: SegmentLayout, selected: Bools) -> tuple[list[Font | None], Font]:
    """Return the main font of each segment (None: not visible), and of the selected text."""
    max_chars = [0] * len(selected)
    fonts: list[Font | None] = [None] * len(selected)
    weights: Counter[int] = Counter()
    runs = layout.font_runs
    for segment, font, chars in zip(
        runs.segment.tolist(), runs.font.tolist(), runs.chars.tolist(), strict=True
    ):
        weights[font] += chars * bool(selected[segment])
        if chars > max_chars[segment]:
            max_chars[segment], fonts[segment] = chars, runs.fonts[font]
    return fonts, runs.fonts[max(weights, key=weights.__getitem__)]


#: Text with less of its width in the column is outside it.
_MIN_SHARE_IN_COLUMN = 0.3
#: The largest distance of edges that line up.
_MAX_EDGE_DISTANCE_PX = 4.0


def _aligned_edges(rect: Rect, column: Rect) -> int:
    """Return the number of the column's edges with which a box lines up."""
    edges = abs(rect.left - column.left), abs(rect.right - column.right)
    return sum(edge <= _MAX_EDGE_DISTANCE_PX for edge in edges)


# Headings and labels


#: The lowest score of a heading that looks like selected ones.
_MIN_SIMILAR_SCORE = 0.2
_MIN_MAIN_HEADING_SCORE = 0.25
_MIN_FIRST_HEADING_SCORE = 0.4
_MIN_LABEL_SCORE = 0.4
#: The lowest score of a figure above text.
_MIN_FIGURE_SCORE = 0.3


def add_similar(selected: SelectedText) -> None:
    """Select the headings and labels that look like selected ones."""
    texts = selected.texts() | {selected.page.metadata.title}
    candidates = [(segment, _MIN_SIMILAR_SCORE) for segment in _similar_headings(selected)]
    candidates += ((segment, _MIN_MAIN_HEADING_SCORE) for segment in _main_heading(selected))
    candidates += ((segment, _MIN_FIRST_HEADING_SCORE) for segment in _first_heading(selected))
    candidates += [*_labels(selected), *_sentence_ends(selected)]
    candidates = [(segment, score) for segment, score in candidates if segment.text not in texts]
    candidates += _repeated_labels(selected)
    candidates += ((segment, _MIN_PAIRED_SCORE) for segment in _halves_of_pairs(selected))
    selected.add(s.index for s, score in candidates if selected.scores[s.index] >= score)


#: The lowest scores of a repeated heading, and of another repeated label.
_MIN_REPEATED_HEADING_SCORE = 0.3
_MIN_REPEATED_LABEL_SCORE = 0.55


def _repeated_labels(selected: SelectedText) -> Iterator[tuple[Segment, float]]:
    """Yield repeated headings and labels, such as 'Pros' above the list of each product.

    The text below each differs; below a copy for narrow screens it is the same.
    """
    keep = selected.keep
    below: dict[str, set[str]] = {}
    pairs = [p for p in pairwise(selected.segments) if len(p[0].text) <= _MAX_HEADING_CHARS]
    for segment, following in pairs:
        if keep[segment.index]:
            below.setdefault(segment.text, set()).add(following.text)
    for segment, following in pairs:
        texts_below = below.get(segment.text)
        if keep[segment.index] or not keep[following.index] or texts_below is None:
            continue
        is_heading = _is_heading(segment)
        is_label = is_heading or (
            segment.block.tag not in _TERM_TAGS
            and len(segment.text) <= _MAX_LABEL_CHARS
            and not segment.link_chars
            and following.block.tag not in HEADING_TAGS
        )
        if is_label and following.text not in texts_below:
            texts_below.add(following.text)
            yield segment, _MIN_REPEATED_HEADING_SCORE if is_heading else _MIN_REPEATED_LABEL_SCORE


def _similar_headings(selected: SelectedText) -> Iterator[Segment]:
    """Yield the headings right above selected text that look like most selected headings."""
    keep = selected.keep
    by_look: dict[tuple[str, str], list[Segment]] = {}
    for segment in selected.segments:
        if _is_heading(segment):
            by_look.setdefault(tag_and_class(segment.block), []).append(segment)
    for similar in by_look.values():
        count = sum(keep[segment.index] for segment in similar)
        above = (s for s in similar if not keep[s.index] and any(keep[s.index + 1 : s.index + 2]))
        if 0 < len(similar) <= 2 * count:
            yield from above


#: The most lines between the main heading and the text.
_MAX_LINES_TO_TEXT = 3
#: A heading with this share of the title's words is the title.
_MIN_TITLE_WORDS = 0.7


def _main_heading(selected: SelectedText) -> Iterator[Segment]:
    """Yield the only main heading if it is above the text and the title has other words."""
    first = selected.first()
    main = [segment for segment in selected.segments if segment.block.tag == "h1"]
    if len(main) != 1 or not first - _MAX_LINES_TO_TEXT <= main[0].index < first:
        return
    heading, title = main[0], selected.page.metadata.title
    words, known = (set(WORD.findall(text.casefold())) for text in (heading.text, title))
    is_title = len(words & known) >= _MIN_TITLE_WORDS * min(len(words), len(known))
    is_title |= comparison_key(heading.text) in comparison_key(title)
    if _is_heading(heading) and not is_title:
        yield heading


_FIRST_HEADING_TAGS = frozenset({"h2", "h3", "h4"})


def _first_heading(selected: SelectedText) -> Iterator[Segment]:
    """Yield the heading right above all of the text if it is not the title or a caption."""
    segments, metadata, first = selected.segments, selected.page.metadata, selected.first()
    if not first or segments[first].block.tag == "h1":
        return
    heading = segments[first - 1]
    if heading.block.tag not in _FIRST_HEADING_TAGS:
        return
    key, title = (comparison_key(text) for text in (heading.text, metadata.title))
    is_repeated = key in title or title in key
    is_caption = "caption" in (heading.block.getparent().get("class") or "").lower()
    is_other = is_repeated or is_caption or is_date_line(heading.text, metadata.language)
    in_header = next(heading.block.iterancestors("header", "hgroup"), None) is not None
    if not (is_other or in_header):
        yield from filter(_is_heading, (heading,))


_MAX_LABEL_CHARS = 40
#: Figures in large print above the text of a card: '8%', '$50', '300+'.
_FIGURE = re.compile(r"[$€£¥₹]\s?[1-9][\d.,]*\s?[kKMB]?\+?|[1-9][\d.,]*\s?(?:%|\+|[xX×]|[kKMB]\+?)")
#: Elements that never contain such labels.
_TERM_TAGS = frozenset({"td", "th", "dt", "li"})


def _labels(selected: SelectedText) -> Iterator[tuple[Segment, float]]:
    """Yield lines with a colon and figures right above text, each with the score it needs.

    A bold line may be above a list or a table.
    """
    keep = selected.keep
    for segment, below in pairwise(selected.segments):
        if keep[segment.index] or not keep[below.index] or segment.link_chars:
            continue
        text = segment.text
        is_figure = bool(_FIGURE.fullmatch(text))
        is_label = text.endswith(COLONS) and len(text) <= _MAX_LABEL_CHARS
        if _is_above_list(segment):
            yield segment, _MIN_BOLD_SCORE
        if is_label or is_figure:
            is_inside = segment.block.getparent() is below.block.getparent()
            if is_inside and segment.block.tag not in _TERM_TAGS:
                yield segment, _MIN_FIGURE_SCORE if is_figure else _MIN_LABEL_SCORE


#: The longest line of a pair, the fewest pairs in a row, and the lowest score of the other line.
_MAX_PAIRED_CHARS = 60
_MIN_PAIRS = 2
_MIN_PAIRED_SCORE = 0.22


def _halves_of_pairs(selected: SelectedText) -> Iterator[Segment]:
    """Yield the figure or label missing from boxes of two lines, of which one is selected.

    Boxes of short lines with the same look hold pairs ('97%', 'Retention'), and so does any box
    that begins with a label ('From:', '$9').
    """
    index, keep, known, counts = selected.index, selected.keep, selected.texts(), selected.counts
    pairs: dict[tuple[tuple[str, str], ...], list[Sequence[Segment]]] = {}
    for i, start in enumerate(index.segment_begins):
        if index.segment_ends[i] - start == 2:
            pair = selected.segments[start : start + 2]
            boxes = (index.elements[i], *(segment.block for segment in pair))
            pairs.setdefault(tuple(map(tag_and_class, boxes)), []).append(pair)
    for similar in pairs.values():
        # The labels of several links name them: 'Best value:', 'Puffin'.
        named = sum(keep[s.index] and s.text.endswith(COLONS) for s, _ in similar)
        if named > max(_MIN_PAIRS, len(similar) / 2):
            yield from (s for pair in similar for s in pair if len(s.text) <= _MAX_PAIRED_CHARS)
        for first, second in similar:
            missing, other = (second, first) if keep[first.index] else (first, second)
            short = [
                len(s.text) <= _MAX_PAIRED_CHARS and not s.link_chars for s in (missing, other)
            ]
            is_button = counts[missing.text] > _MIN_PAIRS and missing.text.isalpha()
            # A few boxes may have the same figure, and many the same value below a label.
            is_figure = any(map(str.isdecimal, missing.text))
            is_value = is_figure and 2 * counts[missing.text] <= len(similar)
            is_copy = missing.text in known and not (is_value or first.text.endswith(COLONS))
            is_unrelated = is_button or is_copy or YEAR.search(missing.text) is not None
            is_row = len(similar) >= _MIN_PAIRS and short[1]
            is_pair = keep[first.index] != keep[second.index] and short[0] and not is_unrelated
            if is_pair and (is_row or first.text.endswith(COLONS)):
                yield missing


#: The most lines from a selected line to the next one like it.
_MAX_LINES_TO_SIMILAR = 12
#: The lowest score of the lines between two selected ones, relative to theirs.
_MIN_SCORE_BETWEEN = 0.7


#: What recurs this often, relative to a line beside it, is a label of many entries.
_MIN_LABEL_RATIO = 4


def add_lines_between(selected: SelectedText) -> None:
    """Select lines between two selected ones that look like them: a link in a list of links."""
    scores, counts = selected.scores, selected.counts
    keep, texts = tuple(selected.keep), [segment.text for segment in selected.segments]
    known, pairs = selected.texts(), Counter(pairwise(texts))
    by_look: dict[tuple[str, ...], list[int]] = {}
    for i, segment in enumerate(selected.segments):
        by_look.setdefault(tags_and_classes(segment.block), []).append(i)
    for lines in by_look.values():
        for n, following in pairwise(n for n, i in enumerate(lines) if keep[i]):
            above, below = lines[n], lines[following]
            min_score = _MIN_SCORE_BETWEEN * min(scores[above], scores[below])
            for i in lines[n + 1 : following] if below - above <= _MAX_LINES_TO_SIMILAR else ():
                # A copy in a section of its own has other neighbors.
                beside = pairwise(texts[i - 1 : i + 2])
                max_count = _MIN_LABEL_RATIO * counts[texts[i]]
                alike = (pair for pair in beside if max(map(counts.__getitem__, pair)) <= max_count)
                is_copy = selected.segments[i].is_link or any(pairs[pair] > 1 for pair in alike)
                is_copy &= texts[i] in known or counts[texts[i]] > _MIN_PAIRS
                selected.keep[i] = scores[i] >= min_score and not is_copy


_MIN_SENTENCE_WORDS = 3
_MIN_SENTENCE_END_SCORE = 0.15


def _sentence_ends(selected: SelectedText) -> Iterator[tuple[Segment, float]]:
    """Yield the links on lines of their own that complete the sentences above them."""
    table = load_table("page_furniture")["unfinished"]
    unfinished = frozenset(table.get(selected.page.metadata.language[:2], ()))
    for segment, below in pairwise(selected.segments):
        if not (selected.keep[segment.index] and below.is_link) or is_invitation(below.text):
            continue
        words = segment.text.rsplit(maxsplit=_MIN_SENTENCE_WORDS)
        if len(words) > _MIN_SENTENCE_WORDS and words[-1] in unfinished:
            yield below, _MIN_SENTENCE_END_SCORE


_MIN_BOLD_SCORE = 0.2
_LISTS = frozenset({"table", "dl", "ul", "ol"})


def _is_above_list(segment: Segment) -> bool:
    """Return whether a line is short, in bold print, and right above a list or a table."""
    following = segment.block.getnext()
    if len(segment.text) > _MAX_LABEL_CHARS or following is None or following.tag not in _LISTS:
        return False
    parents = (leaf.parent for leaf in segment.leaves)
    return all(parent is not None and parent.tag in ("b", "strong") for parent in parents)


_MAX_HEADING_CHARS = 120
#: The largest share of links in a heading.
_MAX_LINKED = 0.3


def _is_heading(segment: Segment) -> bool:
    text = segment.text
    return (
        segment.block.tag in HEADING_TAGS
        and len(text) <= _MAX_HEADING_CHARS
        and segment.link_chars <= _MAX_LINKED * len(text)
    )
