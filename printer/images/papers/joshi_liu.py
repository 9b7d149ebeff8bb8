"""Whether a picture is about the article, by the names in its caption (Joshi and Liu, 2009).

Pictures of the article subtree that have a caption are candidates; a caption is all text of the
picture's first block ancestor.  The names of people, places and organisations in the caption are
compared with those of the article: a short text has to mention one of the article's representative
names, those it mentions most; of a long one the normalised frequencies of names have to point the
same way, by their cosine.

What differs from the paper, and why:

- It gives no thresholds and no numbers; all of :class:`RelevanceOptions` is ours.
- Its recogniser is GATE's; ours is :mod:`printer.images.papers.ner`, or a spaCy model.
- A cosine needs no frequencies normalised by length: they point the same way.
- The article subtree is the smallest element that holds nearly all text that extraction kept.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...html.page import Page
from ...selection import Verdict
from .ner import Recogniser, find_names, name_words


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceOptions:
    """What is short, what is representative, what is alike.

    A caption of up to ``short`` characters is short; the ``representatives`` commonest names of
    the article (with their ties) stand for it; a long caption is relevant from a cosine of
    ``cosine``; the article subtree holds ``share`` of the kept text.
    """

    short_chars: int = 400
    representatives: int = 12
    min_cosine: float = 0.3
    text_share: float = 0.9


def caption_relevance(
    caption: str,
    article: Counter[str],
    options: RelevanceOptions = RelevanceOptions(),
    recognise: Recogniser = find_names,
) -> float:
    """Return from 0 to 1 how much a caption is about an article, given the article's names.

    For a short caption, the share of its names that are representative of the article, when
    written in full or by a part; for a long one the cosine.
    """
    mentioned = recognise(caption)
    if not mentioned or not article:
        return 0.0
    if len(caption) > options.short_chars:
        return cosine_similarity(mentioned, article)
    common = representative_names(article, options.representatives)
    words = name_words(common)
    known = sum(
        count for name, count in mentioned.items()
        if name in common or any(word in words for word in name_words((name,)))
    )  # fmt: skip
    return known / mentioned.total()


def is_relevant(
    caption: str,
    article: Counter[str],
    options: RelevanceOptions = RelevanceOptions(),
    recognise: Recogniser = find_names,
) -> bool:
    """Tell whether a caption is about an article."""
    found = caption_relevance(caption, article, options, recognise)
    return found >= options.min_cosine if len(caption) > options.short_chars else found > 0


def representative_names(entities: Counter[str], number: int) -> frozenset[str]:
    """Return the names mentioned most, with all that are mentioned as often as the last of them."""
    ranked = entities.most_common()
    if len(ranked) <= number:
        return frozenset(entities)
    least = ranked[number - 1][1]
    return frozenset(name for name, count in ranked if count >= least)


def cosine_similarity(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Return the cosine of two texts' frequencies of names; their lengths do not count."""
    both = sum(count * other[name] for name, count in one.items() if name in other)
    lengths = math.hypot(*one.values()) * math.hypot(*other.values())
    return both / lengths if lengths else 0.0


def article_subtree(page: Page, verdict: Verdict, share: float = 0.9) -> int:
    """Return the index of the smallest element that holds a share of the kept text; -1: none."""
    kept = [0]
    for segment, keep in zip(page.segments, verdict.keep, strict=True):
        kept.append(kept[-1] + (len(segment.text) if keep else 0))
    wanted = share * kept[-1]
    if not wanted:
        return -1
    # What holds so much of the text is one chain from the root down.
    return max(
        index
        for index, (begin, end) in enumerate(
            zip(page.index.segment_begins, page.index.segment_ends, strict=True)
        )
        if kept[end] - kept[begin] >= wanted
    )


def is_inside(page: Page, index: int, top: int) -> bool:
    """Tell whether an element is another or stands inside it, by their indexes."""
    while index > top:
        index = page.index.parents[index]
    return index == top


def article_names(
    page: Page,
    verdict: Verdict,
    indexes: Iterable[int] | None = None,
    recognise: Recogniser = find_names,
) -> Counter[str]:
    """Return the names of the article's text, or of what some segments have of it."""
    chosen = range(len(page.segments)) if indexes is None else indexes
    return recognise("\n".join(page.segments[i].text for i in chosen if verdict.keep[i]))
