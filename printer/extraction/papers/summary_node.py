"""Summary node (Khade, Rao and Potey, section III C, after ECON): where punctuation stops growing.

Joint-para joins adjacent big-nodes of one level into text-node-sets; the text of a set is a
text-para, the number of its full stops and commas its punc-num.  A text-para without any is noise
and its nodes are pruned.  Extract-news starts from a node of the set with the longest text-para and
climbs; the first child whose parent contains no more punctuation is the summary-node, and what is
left of it is the article.

Departures from the paper:

- A big-node is the line-break node nearest to the text, disregarding inline elements: the paper
  takes the text's father, but paragraphs now often wrap their text in ``span``, and the other tags
  it lists (``b``, ``i``, ``tt`` ...; some names are lost in print) are inline.
- Of a father of text that also contains blocks of text, only its own runs are taken, each like a
  child; taken literally, one stray word in ``body`` would make the page a single text-para.
- Nodes are adjacent if no text is between them: slots for scripts, pictures and advertisements
  would separate the paragraphs of today's pages.
- Full stops and commas of every script are counted, not only the ASCII ones.
- The node taken 'randomly' from the set is the first; of text-paras of equal length, the first.
- If the distance never becomes 0, the root is the summary-node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...html.index import Ints, PageIndex, prefix_sums
from ...html.page import Page

#: Full stops and commas: Latin, Arabic, Urdu, Devanagari, CJK (wide, half and small forms),
#: Armenian, Ethiopic, Tibetan, Khmer, Burmese, Mongolian, N'Ko, Vai, Bamum, Lisu.
PERIODS = ".\u06d4\u0964\u0965\u3002\uff0e\uff61\ufe52\u0589\u1362\u0f0d\u17d4\u104b\u1803\ua60e"
COMMAS = ",\u060c\u3001\uff0c\uff64\ufe50\ufe51\u055d\u1363\u104a\u1802\u07f8\ua60d\ua6f5\ua4fe"


class TextParas(NamedTuple):
    """The text-node-sets in document order, as arrays.

    A set's segments are those from ``low`` up to, not including, ``high``; ``first`` is the index
    of its first big-node, ``length`` the length of its text-para, ``marks`` its punc-num.
    """

    low: Ints
    high: Ints
    first: Ints
    length: Ints
    marks: Ints


def score(page: Page) -> tuple[float, ...]:
    """Return 1 inside the summary-node, 0 for pruned segments, less with distance outside.

    Outside, the value is minus the number of steps from the summary-node up to a common ancestor.
    """
    index = page.index
    marks = count_marks([segment.text for segment in page.segments], PERIODS + COMMAS)
    paras = joint_para(index, marks)
    chain = extract_news(index, marks, paras)
    steps = steps_to_summary_node(index, chain)
    scores = np.where(steps, -steps, 1).astype(np.float64)
    pruned = np.repeat(paras.marks == 0, paras.high - paras.low)
    scores[pruned] = np.minimum(scores[pruned], 0.0)
    return tuple(scores.tolist())


def count_marks(texts: list[str], marks: str) -> Ints:
    points = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), dtype=np.uint32)
    is_mark = np.zeros(max(map(ord, marks), default=0) + 2, dtype=np.bool_)
    is_mark[[ord(mark) for mark in marks]] = True
    ends = prefix_sums(np.array([len(text) for text in texts], dtype=np.int64))
    positions = np.flatnonzero(is_mark[np.minimum(points, len(is_mark) - 1)])
    return np.diff(np.searchsorted(positions, ends))


def joint_para(index: PageIndex, marks: Ints) -> TextParas:
    """Join adjacent big-nodes of one level (algorithm Joint-para)."""
    block = np.array(index.segment_blocks, dtype=np.int64)
    firsts, ends = index.segment_ranges(block)
    runs = np.bincount(block, minlength=1)[block]
    # A big-node's level is its parent; for a run of text next to blocks, the block itself.
    parents = np.array(index.parents, dtype=np.int64)
    level = np.where(runs == ends - firsts, parents[block], block)
    low = np.flatnonzero(np.diff(level, prepend=-2))
    high = np.append(low[1:], len(level))[: len(low)]
    chars, count = prefix_sums(index.segment_chars), prefix_sums(marks)
    return TextParas(low, high, block[low], chars[high] - chars[low], count[high] - count[low])


def extract_news(index: PageIndex, marks: Ints, paras: TextParas) -> list[int]:
    """Return the summary-node and its ancestors up to the root (algorithm Extract-news)."""
    if not paras.marks.any():
        return []
    longest = int(np.where(paras.marks > 0, paras.length, 0).argmax())
    chain = [int(paras.first[longest])]
    while (parent := index.parents[chain[-1]]) >= 0:
        chain.append(parent)
    total = prefix_sums(marks)
    firsts, ends = index.segment_ranges(chain)
    distances = np.diff(total[ends] - total[firsts])
    zeros = np.flatnonzero(distances == 0)
    return chain[int(zeros[0]) if zeros.size else len(chain) - 1 :]


def steps_to_summary_node(index: PageIndex, chain: list[int]) -> Ints:
    """Return the number of steps up the chain to the first node that contains each segment."""
    count = len(index.segments)
    if not chain:
        return np.ones(count, dtype=np.int64)
    firsts, ends = index.segment_ranges(chain)
    segments = np.arange(count)
    before = len(chain) - np.searchsorted(firsts[::-1], segments, side="right")
    after = np.searchsorted(ends, segments, side="right")
    return np.maximum(before, after)
