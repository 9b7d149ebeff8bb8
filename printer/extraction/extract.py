"""Score text segments by each algorithm, select those of the article, and correct the selection.

The classifier was trained on pages without a layout.  If a page has one, the selection is corrected
by rules that hold for any page laid out for reading (Luo et al., section 4.2, use only the last):

- Text that is not visible, or is in a layer over the page, does not belong to the article.
- The article is in a column: text beside the column, or within it in a narrow box that lines up
  with neither edge or in a box in smaller print, does not belong to it, however likely its words.
- Text in the column and in the article's font, between selected segments, belongs to the article
  unless its words are most unlikely.

A correction that contradicts most of the selection is not made, since the layout is then misleading
(some pages display their text only in response to a reader).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ..capture import Font, Rect, Visibility
from ..errors import UsageError
from ..html.index import ElementFlag
from ..html.page import Page
from ..options import EXTRACTORS, ExtractOptions
from ..selection import Verdict
from ..text import did_you_mean
from .alike import add_alike
from .arrays import Bools, Ints
from .classifier.model import classify, load_default_model
from .missing_blocks import (
    add_announced_lists,
    add_item_labels,
    add_linked_notes,
    add_long_stretches,
    add_missing_blocks,
    add_missing_end,
    add_subheadings,
)
from .papers import article_subtree, max_subsequence, summary_node, text_to_tag, useful_text
from .papers.max_subsequence import find_columns
from .postprocess import complete_elements
from .remains import replace_previews
from .standfirst import drop_repeated_standfirst, find_standfirst
from .visual import SegmentLayout, read_segment_layout

Scores: TypeAlias = tuple[float, ...]


#: The papers' methods: each returns a number per segment, above 0 for those that it selects.
PAPER_METHODS: Mapping[str, Callable[[Page], Scores]] = MappingProxyType({
    "article-subtree": article_subtree.score,
    "summary-node": summary_node.score,
    "text-to-tag": text_to_tag.score,
    "max-subsequence": max_subsequence.score,
    "useful-text": useful_text.score,
})  # fmt: skip

#: The confidence of the papers' methods, which do not compute one.
_UNKNOWN_CONFIDENCE = 0.5


def score_segments(page: Page, names: Iterable[str] = PAPER_METHODS) -> dict[str, Scores]:
    """Score a page's segments by some of the papers' methods."""
    return {name: PAPER_METHODS[name](page) for name in names}


def postprocess(page: Page, verdict: Verdict) -> Verdict:
    """Return the verdict with partial elements completed, leftovers and hidden text dropped."""
    keep = add_missing_blocks(page, verdict.keep, verdict.scores["default"])
    if verdict.kind in ("article", "documentation"):
        keep = add_long_stretches(page, keep, verdict.scores["default"])
        keep = add_missing_end(page, keep, verdict.scores["default"])
        keep = add_announced_lists(page, keep)
        keep = add_item_labels(page, keep, verdict.scores["default"], verdict.kind)
    if verdict.kind == "article":
        keep = add_subheadings(page, keep, verdict.scores["default"])
    keep = add_alike(page, keep, verdict.scores["default"], verdict.kind)
    keep = add_linked_notes(page, complete_elements(page, keep, verdict.kind))
    keep = filter_by_layout(page, keep, verdict.scores["default"], verdict.kind)
    keep = replace_previews(page, keep)
    standfirst = frozenset[int]()
    if verdict.kind == "article":
        keep = drop_repeated_standfirst(page, keep)
        standfirst = find_standfirst(page, keep, verdict.scores["default"])
    keep = tuple(flag or i in standfirst for i, flag in enumerate(keep))
    return replace(verdict, keep=keep, standfirst=standfirst)


def check_extractor(name: str) -> None:
    """Raise :class:`UsageError` if no extractor has this name."""
    if name not in EXTRACTORS:
        hint = f"{did_you_mean(name, EXTRACTORS)} There are {', '.join(EXTRACTORS)}"
        raise UsageError(f"there is no extractor {name!r}", hint=hint.lstrip())


def select_segments(page: Page, options: ExtractOptions) -> Verdict:
    """Select the text segments of a page's article.

    Args:
        page: The parsed page.
        options: ``extractor`` names the algorithm, one of :data:`~printer.options.EXTRACTORS`.

    Returns:
        A flag per segment, and the scores of each algorithm that ran.

    Raises:
        UsageError: No extractor has that name.
    """
    name = options.extractor
    check_extractor(name)
    if name == "default":
        verdict = classify(page, score_segments(page), load_default_model())
        return postprocess(page, verdict) if verdict.keep else verdict
    scores = score_segments(page, (name,))
    keep = tuple(score > 0 for score in scores[name])
    return Verdict(keep, scores, confidence=_UNKNOWN_CONFIDENCE if any(keep) else 0.0)


#: Elements of running text that are often indented and in smaller print.
_INSET = int(
    ElementFlag.QUOTE
    | ElementFlag.LIST
    | ElementFlag.TABLE
    | ElementFlag.CODE
    | ElementFlag.DEFINITION
    | ElementFlag.HEADING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutFilterOptions:
    """The thresholds of the rules.

    Attributes:
        min_remaining: The share of the selected text that a rule must leave to be applied.
        min_inside: The share of a segment's width in the column below which it is beside it.
        narrow: The share of the column's width below which a box in smaller print is dropped.
        min_score: The score below which no segment is added.
        min_size_difference: The difference in font size of smaller print, in CSS pixels.
        tolerance: The largest distance of edges that line up, in CSS pixels.
    """

    min_remaining: float = 0.6
    min_inside: float = 0.3
    narrow: float = 0.6
    min_score: float = 0.05
    min_size_difference: float = 0.5
    tolerance: float = 4.0


def filter_by_layout(
    page: Page,
    keep: Sequence[bool],
    scores: Sequence[float],
    kind: str = "article",
    options: LayoutFilterOptions = LayoutFilterOptions(),
) -> tuple[bool, ...]:
    """Return the selection corrected by the layout; unchanged for a page without one."""
    layout = read_segment_layout(page)
    if layout is None or not any(keep):
        return tuple(keep)
    lengths = page.index.segment_chars
    selected = np.array(keep, dtype=bool)
    readable = layout.visible & ~_in_layers(layout, lengths)
    selected = _if_trusted(selected, selected & readable, lengths, options)
    columns = _columns(layout, selected, lengths)
    if not columns or kind != "article":
        return tuple(selected.tolist())
    fonts, body = _fonts(layout, selected)
    aside = np.zeros(len(lengths), dtype=bool)
    in_column = np.zeros(len(lengths), dtype=bool)
    for i, (rect, area, font) in enumerate(
        zip(layout.block_rects, layout.text_rects, fonts, strict=True)
    ):
        if rect is None or area is None or font is None:
            continue
        column = _nearest(rect, columns)
        inset = page.index.flags[page.index.segment_blocks[i]] & _INSET
        smaller = font.size < body.size - options.min_size_difference and not inset
        aligned = _aligned_edges(rect, column, options)
        narrow = rect.width < options.narrow * column.width
        aside[i] = _is_beside(area, column, options) or (
            (narrow or aligned < 2) if smaller else (narrow and aligned == 0)
        )
        in_column[i] = font == body and aligned == 2
    selected = _if_trusted(selected, selected & ~aside, lengths, options)
    likely = np.asarray(scores) > options.min_score
    linked = page.index.segment_link_chars >= lengths / 2
    added = _between(selected) & readable & in_column & likely & ~linked
    return tuple((selected | added).tolist())


def _if_trusted(
    original: Bools, corrected: Bools, lengths: Ints, options: LayoutFilterOptions
) -> Bools:
    """Return the corrected selection, or the previous one if too little of that remains."""
    remaining = options.min_remaining * lengths[original].sum()
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
    rects = [
        rect if flag else None for rect, flag in zip(layout.block_rects, selected, strict=True)
    ]
    columns = find_columns(rects, lengths.tolist())
    return [Rect(left, 0, right, 0) for left, right in columns]


def _nearest(rect: Rect, columns: Sequence[Rect]) -> Rect:
    """Return the column that a box overlaps most."""
    return max(
        columns, key=lambda column: min(rect.right, column.right) - max(rect.left, column.left)
    )


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


def _is_beside(area: Rect, column: Rect, options: LayoutFilterOptions) -> bool:
    """Return whether text is to the left or right of the column."""
    overlap = min(area.right, column.right) - max(area.left, column.left)
    return area.width > 0 and overlap < options.min_inside * area.width


def _aligned_edges(rect: Rect, column: Rect, options: LayoutFilterOptions) -> int:
    """Return the number of the column's edges with which a box lines up."""
    edges = abs(rect.left - column.left), abs(rect.right - column.right)
    return sum(edge <= options.tolerance for edge in edges)


def _between(selected: Bools) -> Bools:
    """Return the segments between the first and the last selected one."""
    flags = np.zeros_like(selected)
    positions = np.flatnonzero(selected)
    if len(positions):
        flags[positions[0] : positions[-1]] = True
    return flags
