"""Text-to-tag ratio (Weninger and Hsu, DEXA TIR 2008): characters of text by number of tags.

Scripts and remarks are removed; each line's ratio is its number of characters of text divided by
its number of tags, or the number of characters if it has no tag; the ratios are smoothed over
neighboring lines, and clustered into content and non-content.

Departures from the paper:

- Lines are defined by the tree, not by the line breaks of the source, as a minified page is one
  line.  A line begins before the start tag of a block and ends after the end tag of a block and
  after ``br``; a line with neither tag nor text is omitted.  So a paragraph with its inline tags is
  one line, and so is each tag of nested blocks, as in neatly indented source.
- Tags are those of the repaired tree: omitted end tags are counted, void elements count once.
  Elements whose text is never seen (head, svg, select ...) are removed with the scripts.
- Characters of every script are counted, white space folded, not only ASCII ones.
- Of the paper's clusterings, this is the threshold of one standard deviation;
  ``benchmarks/clusterings.py`` measures the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...html.index import BLOCK_TAGS, Bools, Floats, Ints, PageIndex
from ...html.page import Page

_BLOCK = 1
_BREAK = 2
_VOID = 4
_VOID_TAGS = frozenset({
    "area", "basefont", "br", "col", "frame", "hr", "img", "input", "param", "source", "track",
    "wbr",
})  # fmt: skip
_TAG_KINDS = {
    tag: _BLOCK * (tag in BLOCK_TAGS or tag == "hr")
    + _BREAK * (tag == "br")
    + _VOID * (tag in _VOID_TAGS)
    for tag in BLOCK_TAGS | _VOID_TAGS
}


#: The lines on each side over which ratios are smoothed.
RADIUS = 2


def score(page: Page) -> tuple[float, ...]:
    """Return how far each segment's line is above the threshold, in characters per tag."""
    values, line = ratios(page.index)
    return tuple(above_threshold(smooth(values))[line].tolist())


def ratios(index: PageIndex) -> tuple[Floats, Ints]:
    """Return the ratio of every line (algorithm 1), and each segment's line."""
    before, after, counted = _tags(index)
    line_after = np.cumsum(before) + np.cumsum(after)
    text_line = line_after[index.segment_firsts]
    count = int(line_after[-1]) + 1
    tags = np.bincount((line_after - after)[counted], minlength=count)
    text = np.bincount(text_line, weights=index.segment_chars, minlength=count)
    filled = (tags > 0) | (text > 0)
    renumbered = np.cumsum(filled) - 1
    return (text / np.maximum(tags, 1))[filled], renumbered[text_line]


def _tags(index: PageIndex) -> tuple[NDArray[np.int8], NDArray[np.int8], Bools]:
    """Return, for every tag, whether a line begins before it, ends after it, and it counts."""
    kinds = np.array([_TAG_KINDS.get(tag, 0) for tag in index.tags], dtype=np.int8)
    # A segment's block breaks lines even if only its style makes it a block.
    kinds[index.segment_blocks] |= _BLOCK
    before, after = np.zeros((2, 2 * len(kinds)), dtype=np.int8)
    counted = np.ones(2 * len(kinds), dtype=bool)
    before[index.opens] = kinds & _BLOCK
    after[index.closes] = (kinds & (_BLOCK | _BREAK)) > 0
    counted[index.closes] = (kinds & _VOID) == 0
    return before, after, counted


def smooth(values: Floats) -> Floats:
    """Return each ratio's mean with ``RADIUS`` lines on each side; beyond the ends they are 0."""
    kernel = np.ones(2 * RADIUS + 1) / (2 * RADIUS + 1)
    return np.convolve(values, kernel, "full")[RADIUS:-RADIUS] if len(values) else values


def above_threshold(values: Floats) -> Floats:
    """Return how far each ratio is above the standard deviation of all."""
    return values - float(values.std()) if len(values) else values
