"""Select headings and lines that look like selected ones, so that no entry lacks its own.

The classifier decides segment by segment.  A reader notices at once if one section of five has no
heading, or one entry of a list no name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from lxml.html import HtmlElement

from ..html.index import Segment
from ..html.metadata.dates import is_date_line
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..text import WORD, comparison_key, count_words

#: The longest heading, and the largest share of links in it; the lowest score of what looks like
#: selected lines, and of anything else.
_HEADING_CHARS, _MAX_LINKED, _MIN_SCORE, _LIKELY = 120, 0.3, 0.2, 0.3
#: The most lines between the main heading and the text; the fewest words of it, and the share of
#: the title's words from which it is the title.
_ABOVE_TEXT, _MAIN_WORDS, _SAME_TITLE = 3, 3, 0.7
#: The fewest lines of a kind, the smallest share of selected ones, how near to selected text the
#: others must be, and how often a button is repeated.
_MIN_ALIKE, _ALIKE_SHARE, _NEAR, _REPEATED = 4, 0.8, 2, 3
#: The longest label, in characters, its lowest score, and elements that are no such labels.
_LABEL_CHARS, _LABEL_SCORE, _TERM_TAGS = 40, 0.4, frozenset({"td", "th", "dt", "li"})
#: The fewest words and the ends of a sentence, and the largest share of links in it.
_SENTENCE_WORDS, _SENTENCE_ENDS, _MOSTLY_LINKED = 6, tuple(".!?。…！？"), 0.7


def add_alike(
    page: Page, keep: Sequence[bool], scores: Sequence[float], kind: str
) -> tuple[bool, ...]:
    """Return the selection with the headings and lines that look like selected ones.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
        kind: The kind of the page.
    """
    selected = list(keep)
    texts = {segment.text for segment, flag in zip(page.segments, keep, strict=True) if flag}
    texts.add(page.metadata.title)
    candidates = [(segment, _MIN_SCORE) for segment in _alike_headings(page, keep)]
    candidates += ((segment, _LIKELY) for segment in _main_heading(page, keep))
    candidates += ((segment, _LABEL_SCORE) for segment in _labels(page, keep))
    if kind == "article":
        candidates += ((segment, _LIKELY) for segment in _linked_sentences(page, keep))
    else:
        candidates += ((segment, _MIN_SCORE) for segment in _alike_lines(page, keep))
    for segment, least in candidates:
        i = segment.index
        selected[i] |= scores[i] >= least and segment.text not in texts
    return tuple(selected)


def _alike_headings(page: Page, keep: Sequence[bool]) -> Iterator[Segment]:
    """Yield the headings right above selected text that look like most selected headings."""
    shapes: dict[tuple[str, str], list[Segment]] = {}
    for segment in page.segments:
        if _is_heading(segment):
            shapes.setdefault(_shape(segment.block), []).append(segment)
    for alike in shapes.values():
        count = sum(keep[segment.index] for segment in alike)
        above = (s for s in alike if not keep[s.index] and any(keep[s.index + 1 : s.index + 2]))
        if 0 < len(alike) <= 2 * count:
            yield from above


def _main_heading(page: Page, keep: Sequence[bool]) -> Iterator[Segment]:
    """Yield the only main heading if it stands above the text and the title has other words."""
    first = keep.index(True) if any(keep) else 0
    main = [segment for segment in page.segments if segment.block.tag == "h1"]
    if len(main) != 1 or not first - _ABOVE_TEXT <= main[0].index < first:
        return
    heading, title = main[0], page.metadata.title
    words, known = (set(WORD.findall(text.casefold())) for text in (heading.text, title))
    is_title = len(words & known) >= _SAME_TITLE * min(len(words), len(known))
    is_title |= comparison_key(heading.text) in comparison_key(title)
    is_name = len(words) < _MAIN_WORDS or is_date_line(heading.text, page.metadata.language)
    if _is_heading(heading) and not (is_title or is_name):
        yield heading


def _alike_lines(page: Page, keep: Sequence[bool]) -> Iterator[Segment]:
    """Yield the lines near selected ones of which nearly all that look alike are selected.

    What several entries repeat is a label or a button.
    """
    counts = Counter(segment.text for segment in page.segments)
    kinds: dict[tuple[str, ...], list[Segment]] = {}
    for segment in page.segments:
        parent = segment.block.getparent()
        around = _shape(parent) if parent is not None else ("", "")
        shape = (*_shape(segment.block), *around)
        if shape[1] or shape[3]:
            kinds.setdefault(shape, []).append(segment)
    for alike in kinds.values():
        count = sum(keep[segment.index] for segment in alike)
        if len(alike) < _MIN_ALIKE or count < _ALIKE_SHARE * len(alike):
            continue
        for segment in alike:
            i = segment.index
            is_near = not keep[i] and any(keep[max(0, i - _NEAR) : i + _NEAR + 1])
            if is_near and counts[segment.text] < _REPEATED:
                yield segment


def _labels(page: Page, keep: Sequence[bool]) -> Iterator[Segment]:
    """Yield the short lines with a colon right above selected text in the same element."""
    for segment, below in pairwise(page.segments):
        text, parent = segment.text, segment.block.getparent()
        is_label = (
            text.endswith((":", "：")) and len(text) <= _LABEL_CHARS and not keep[segment.index]
        )
        if is_label and keep[below.index] and not segment.link_chars:
            is_inside = parent is not None and parent is below.block.getparent()
            if is_inside and segment.block.tag not in _TERM_TAGS:
                yield segment


def _linked_sentences(page: Page, keep: Sequence[bool]) -> Iterator[Segment]:
    """Yield the sentences with a long link right below selected paragraphs of the same element."""
    for above, segment in pairwise(page.segments):
        text = segment.text
        is_sentence = count_words(text) >= _SENTENCE_WORDS and text[-1] in _SENTENCE_ENDS
        if keep[above.index] and not keep[segment.index] and is_sentence:
            blocks = above.block, segment.block
            is_same = _shape(blocks[0]) == _shape(blocks[1]) and blocks[1].tag == "p"
            is_same = is_same and blocks[0].getparent() is blocks[1].getparent()
            if is_same and _MAX_LINKED < segment.link_chars / len(text) <= _MOSTLY_LINKED:
                yield segment


def _is_heading(segment: Segment) -> bool:
    text = segment.text
    return (
        segment.block.tag in HEADING_TAGS
        and len(text) <= _HEADING_CHARS
        and segment.link_chars <= _MAX_LINKED * len(text)
    )


def _shape(element: HtmlElement) -> tuple[str, str]:
    return str(element.tag), element.get("class") or ""
