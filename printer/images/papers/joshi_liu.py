"""Joshi and Liu, "Web Document Text and Images Extraction using DOM Analysis and NLP" (2009).

Pictures in the article subtree are candidates if they have a caption: all text of the picture's
first block ancestor.  The people, places and organizations named in the caption are compared with
those in the article.  A short caption must contain one of the article's representative names, which
are its most frequent ones; for a long one, the cosine of the name frequencies must be high enough.

Differences from the paper:

- The paper gives no thresholds; all values here are ours.
- The paper recognizes names with GATE; we use :mod:`printer.images.papers.ner`, by rules or a spaCy
  model.
- Frequencies are not normalized by length, which does not change a cosine.
- The article subtree is the smallest element that contains nearly all text kept by extraction.
- Names in the caption itself do not count for the article, unless the article has no others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from operator import mul

from ...article import Span
from ...html.page import Page
from ...selection import Verdict
from ..candidates import Candidate, find_candidates
from ..captions import Caption
from ..selection import PictureSelection, RejectedPicture, SelectedPicture, is_minor_text
from .ner import RULES, NameRecognizer, find_names, load_recognizer, name_words

#: The block elements of section 4.2, and those added to HTML since.
BLOCK_TAGS = frozenset(
    "div p br li ul ol td tr table h1 h2 h3 h4 h5 h6 hr "  # noqa: SIM905
    "body article section main aside header footer nav figure center dl dd blockquote".split()
)
#: The maximum length of a short caption, in characters.
SHORT_CHARS = 400
#: The number of the article's representative names, not counting ties.
REPRESENTATIVES = 12
MIN_COSINE = 0.3
#: The share of the kept text that the article subtree contains.
TEXT_SHARE = 0.9


def select_pictures(page: Page, verdict: Verdict, ner: str = RULES) -> PictureSelection:
    """Select the pictures in the article subtree with a relevant caption.

    If the first block ancestor contains most of the article, its text decides as in the paper, but
    is not printed as a caption.
    """
    tree = page.index
    top = article_subtree(page, verdict)
    subtree = range(top, tree.subtree_ends[top]) if top >= 0 else range(0)
    recognize = load_recognizer(ner, page.metadata.language)
    names = article_names(page, verdict, recognize=recognize)
    captions: dict[range, tuple[str, bool]] = {}
    selected: list[SelectedPicture] = []
    rejected: list[RejectedPicture] = []
    for candidate in find_candidates(page):
        if candidate.index not in subtree:
            rejected.append(RejectedPicture(candidate, "outside the article subtree"))
            continue
        segments = block_segments(page, candidate)
        if segments not in captions:
            text = " ".join(page.segments[i].text for i in segments)
            other_names = names - article_names(page, verdict, segments, recognize) or names
            captions[segments] = text, is_relevant(text, other_names, recognize)
        text, relevant = captions[segments]
        if not text:
            rejected.append(RejectedPicture(candidate, "without a caption"))
        elif not relevant:
            reason = "its caption names nothing that the article does"
            rejected.append(RejectedPicture(candidate, reason))
        else:
            caption = Caption((Span(text),), "", frozenset(segments))
            printed = is_minor_text(page, verdict, segments)
            selected.append(SelectedPicture(candidate, caption if printed else Caption()))
    return PictureSelection(tuple(selected), tuple(rejected))


def caption_relevance(
    caption: str, article: Counter[str], recognize: NameRecognizer = find_names
) -> float:
    """Return the relevance of a caption, from 0 to 1, given the article's names.

    For a short caption, this is the share of its names that represent the article, in full or by
    one of their words; for a long one, the cosine.
    """
    mentioned = recognize(caption)
    if not mentioned or not article:
        return 0.0
    if len(caption) > SHORT_CHARS:
        return cosine_similarity(mentioned, article)
    common = representative_names(article, REPRESENTATIVES)
    words = name_words(common)
    recognized = sum(
        count
        for name, count in mentioned.items()
        if name in common or any(word in words for word in name_words((name,)))
    )
    return recognized / mentioned.total()


def is_relevant(
    caption: str, article: Counter[str], recognize: NameRecognizer = find_names
) -> bool:
    """Return whether a caption is about an article, given the article's names."""
    relevance = caption_relevance(caption, article, recognize)
    return relevance >= MIN_COSINE if len(caption) > SHORT_CHARS else relevance > 0


def representative_names(names: Counter[str], number: int) -> frozenset[str]:
    """Return the ``number`` most frequent names, and any tied with the last of them."""
    ranked = names.most_common()
    if len(ranked) <= number:
        return frozenset(names)
    min_relevance = ranked[number - 1][1]
    return frozenset(name for name, count in ranked if count >= min_relevance)


def cosine_similarity(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine of the name frequencies of two texts."""
    product = sum(count * other[name] for name, count in one.items() if name in other)
    lengths = math.hypot(*one.values()) * math.hypot(*other.values())
    return product / lengths if lengths else 0.0


def article_subtree(page: Page, verdict: Verdict) -> int:
    """Return the index of the smallest element with nearly all of the kept text, -1 for none."""
    sizes = (len(segment.text) for segment in page.segments)
    sums = list(accumulate(map(mul, sizes, verdict.keep), initial=0))
    min_chars = TEXT_SHARE * sums[-1]
    if not min_chars:
        return -1
    ranges = zip(page.index.segment_begins, page.index.segment_ends, strict=True)
    # The elements with this much of the text form one chain from the root down.
    return max(
        index for index, (begin, end) in enumerate(ranges) if sums[end] - sums[begin] >= min_chars
    )


def block_segments(page: Page, candidate: Candidate) -> range:
    """Return the segments of the picture's first block ancestor with text."""
    tree = page.index
    index = candidate.index
    while index > 0 and not (tree.elements[index].tag in BLOCK_TAGS and tree.segment_range(index)):
        index = tree.parents[index]
    return tree.segment_range(index)


def article_names(
    page: Page,
    verdict: Verdict,
    segments: Iterable[int] | None = None,
    recognize: NameRecognizer = find_names,
) -> Counter[str]:
    """Return the names in the article's text, or in its text within some segments."""
    indexes = range(len(page.segments)) if segments is None else segments
    return recognize("\n".join(page.segments[i].text for i in indexes if verdict.keep[i]))
