"""The standfirst: the lines between title and text that sum the article up or lead into it.

The classifier often leaves them out, as they resemble the teasers of other articles.  A standfirst
is recognized by the summary in the page's metadata, by the names of its elements, or as the only
sentence between title and text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain, islice

from lxml.html import HtmlElement

from ..html.index import ElementFlag
from ..html.page import Page
from ..text import CAMEL_CASE, LONGEST_FOLDED, WORD, YEAR, comparison_key, count_words

#: The names of elements with a standfirst, as journalists of many countries call it.
_STANDFIRST_NAME = re.compile(
    r"(?:^|[\s_-])(?:stand-?first|sub-?titles?|sub-?head(?:line|er|ing)?|dek|deck|strap-?line|tag-?line"
    r"|teaser(?:-?text)?|excerpt|abstract|summary|intro(?:duction)?|lede|leadin|lead(?:-?text)?"
    r"|epigraph|vorspann|chapo|chapeau|sapo|entradilla|bajada|ingress|occhiello|sommario"
    r"|catenaccio|manchet|perex|anons|spot|olho)(?=$|[\s_-])"
)
_OTHER_NAME = re.compile(
    r"(?:^|[\s_-])(?:card|cta|feed|promo|related|sr-only|visually-hidden)(?=$|[\s_-])"
)
_SENTENCE_ENDS = frozenset('.!?…»”"。！？؟।')
#: Sub-headings are questions more often than standfirsts are.
_TITLE_ENDS = dict.fromkeys(("h2", "h3"), frozenset("?？؟"))
_OUTSIDE_TEXT = int(
    ElementFlag.NAV | ElementFlag.ASIDE | ElementFlag.FOOTER | ElementFlag.FORM
    | ElementFlag.FIGURE | ElementFlag.CAPTION | ElementFlag.HIDDEN | ElementFlag.BUTTON
    | ElementFlag.LABEL
)  # fmt: skip
#: The fewest and most words of a standfirst, its most segments, and the largest share of links.
_MIN_WORDS, _MAX_WORDS, _MAX_SEGMENTS, _MAX_LINKED = 4, 120, 3, 0.3
#: The most lines between a title and the text above which it is repeated.
_REPEATED_TITLE = 10
#: The fewest and most letters by which the beginning of a text is recognized.
_MIN_KEY, _MAX_KEY = 30, 60
#: The most characters of a paragraph that may begin with a place and repeat the standfirst.
_DATELINED_CHARS = 800
#: The smallest share of a standfirst's words in the paragraph that repeats it.
_REPEATED_SHARE = 0.8
#: The most letters of a place and an agency before a text: 'KESTER, 3 May (Agency)'.
_PLACE_CHARS = 40
#: The most levels from a paragraph up to the elements that are beside each other.
_MAX_LEVELS = 3
#: The fewest words of the first paragraph below, and the most of a line that is a date.
_PARAGRAPH_WORDS, _DATE_WORDS = 15, 8
_MIN_SCORE = 0.15
#: The longest line with the author's name below a standfirst, in characters.
_BYLINE_CHARS = 160


def find_standfirst(page: Page, keep: Sequence[bool], scores: Sequence[float]) -> frozenset[int]:
    """Return the segments of the standfirst, whether selected or not; none if there is none."""
    finder = _Finder(page, keep)
    return frozenset(finder.by_summary() or finder.by_name() or finder.by_position(scores))


def drop_repeated_standfirst(page: Page, keep: Sequence[bool]) -> tuple[bool, ...]:
    """Return the selection without a first paragraph that the next ones repeat after a place."""
    finder = _Finder(page, keep)
    first = finder.text[0] if finder.text else -1
    repeated = first >= 0 and finder.is_repeated_below(first)
    return tuple(flag and not (repeated and i == first) for i, flag in enumerate(keep))


class _Finder:
    def __init__(self, page: Page, keep: Sequence[bool]) -> None:
        self.page, self.index, self.segments, self.keep = page, page.index, page.segments, keep
        self.title_key = comparison_key(page.metadata.title[:400])
        selected = (i for i, flag in enumerate(keep) if flag and self._is_long(i))
        self.text = list(islice((i for i in selected if not self._is_title(i)), 3))

    @cached_property
    def title(self) -> int:
        """The title's last segment above the text, -1 for none."""
        first = self.text[0] if self.text else 0
        # Pages may repeat the title between the standfirst and the text.
        nearby = range(max(0, first - _REPEATED_TITLE), first)
        titles = chain(
            filter(self._is_title, nearby), filter(self._is_title, reversed(range(first)))
        )
        return next(titles, -1)

    def _count_words(self, i: int) -> int:
        return count_words(self.segments[i].text[:1500])

    def _is_long(self, i: int) -> bool:
        return self._count_words(i) >= _PARAGRAPH_WORDS

    def _comparison_key(self, i: int) -> str:
        return comparison_key(self.segments[i].text[:400])

    def _is_title(self, i: int) -> bool:
        segment = self.segments[i]
        may_be = 0 < len(self.title_key) <= LONGEST_FOLDED * len(segment.text)
        return segment.block.tag == "h1" or (may_be and self._comparison_key(i) == self.title_key)

    def by_summary(self) -> list[int]:
        """Return the segment above the text that is the page's summary."""
        summary = comparison_key(self.page.metadata.lead[:400])
        if not self.text or len(summary) < _MIN_KEY / 2:
            return []
        # The title may stand above the standfirst and again below it.
        title = next(filter(self._is_title, range(self.title)), self.title)
        for i in reversed(range(title + 1, self.text[0] + 1)):
            if self._repeats(i, summary) and self._is_plausible(i):
                named = (j for j in self.by_name() if j > i)
                decks = (j for j in named if self.segments[j].block.tag in _TITLE_ENDS)
                return [] if self._is_text(i) else sorted({i, *self._lines_of_same_name(i), *decks})
        return []

    def _lines_of_same_name(self, i: int) -> list[int]:
        """Return the lines right below a standfirst whose elements have the same name."""
        names = _element_names(self.segments[i].block)
        following: list[int] = []
        for j in range(i + 1, min(i + _MAX_SEGMENTS, self.text[0] + 1)):
            has_same_name = names.strip() and _element_names(self.segments[j].block) == names
            if not (has_same_name and self._is_named(j) and self._is_plausible(j)):
                break
            if self._is_text(j):
                break
            following.append(j)
        return following

    def _repeats(self, i: int, summary: str) -> bool:
        key = self._comparison_key(i)
        if self.keep[i] and not self._is_long(i):
            return key == summary
        long_enough = min(len(key), len(summary)) >= _MIN_KEY
        return key == summary or (
            long_enough and (key[:_MAX_KEY] in summary or summary[:_MAX_KEY] in key)
        )

    def by_name(self) -> list[int]:
        """Return the segments between title and text whose elements are called a standfirst."""
        if self.title < 0:
            return []
        segments = [
            i
            for i in range(self.title + 1, self.text[0] + 1)
            if self._is_plausible(i)
            and self._is_named(i)
            and not self._is_text(i)
            and (self._count_words(i) > _DATE_WORDS or not YEAR.search(self.segments[i].text))
        ]
        blocks = {self.segments[i].block for i in segments}
        return segments if len(blocks) <= _MAX_SEGMENTS else []

    def by_position(self, scores: Sequence[float]) -> list[int]:
        """Return the one sentence that stands directly below the title or above the byline."""
        if self.title < 0 or not self.text:
            return []
        between = range(self.title + 1, self.text[0])
        sentences = [candidate for candidate in between if self._is_sentence(candidate)]
        if len(sentences) != 1 or self.keep[sentences[0]] or scores[sentences[0]] < _MIN_SCORE:
            return []
        candidate = sentences[0]
        names = [name for name in self.page.metadata.byline.lower().split(", ") if name]
        text_below = self.segments[candidate + 1].text.lower()
        is_above = len(text_below) <= _BYLINE_CHARS and any(name in text_below for name in names)
        return sentences if candidate == between.start or is_above else []

    def _is_sentence(self, i: int) -> bool:
        """Return whether an unlinked line may be a standfirst and ends as sentences do."""
        segment = self.segments[i]
        ends = segment.text[-1] in _SENTENCE_ENDS - _TITLE_ENDS.get(segment.block.tag, frozenset())
        is_free = not segment.link_chars and not YEAR.search(segment.text)
        return ends and is_free and not self._is_title(i) and self._is_plausible(i)

    def _is_plausible(self, i: int) -> bool:
        segment, blocks = self.segments[i], self.index.segment_blocks
        # All of a page may be in a form, or hidden until a script has run.
        text_flags = self.index.flags[blocks[self.text[0]]] if self.text else 0
        return (
            not self.index.flags[blocks[i]] & _OUTSIDE_TEXT & ~text_flags
            and _MIN_WORDS <= self._count_words(i) <= _MAX_WORDS
            and segment.link_chars <= _MAX_LINKED * len(segment.text)
            and not self._recurs(i)
        )

    def _recurs(self, i: int) -> bool:
        """Return whether the first paragraphs begin with this line, or have it after their place.

        A line from farther below is quoted on purpose.
        """
        key = self._comparison_key(i)
        for j in filter(self.keep.__getitem__, range(i + 1, self.text[-1] + 1)):
            text = comparison_key(self.segments[j].text[:_DATELINED_CHARS])
            if text.startswith(key) or (len(key) >= _MIN_KEY and key[:_MAX_KEY] in text):
                return True
        return False

    def is_repeated_below(self, i: int) -> bool:
        """Return whether a paragraph below has this one after a place, nearly whole."""
        key = self._comparison_key(i)[:_MAX_KEY]
        for j in filter(self.keep.__getitem__, range(i + 1, self.text[-1] + 1)):
            text = self.segments[j].text[: 2 * _DATELINED_CHARS]
            if 0 < comparison_key(text).find(key) <= _PLACE_CHARS:
                words, words_below = (
                    Counter(WORD.findall(line.casefold())) for line in (self.segments[i].text, text)
                )
                if (words & words_below).total() >= _REPEATED_SHARE * words.total():
                    return len(key) >= _MIN_KEY
        return False

    def _is_text(self, i: int) -> bool:
        """Return whether a selected segment is a paragraph like the one after it.

        Classes tell nothing where each paragraph has one of its own.
        """
        if i != self.text[0] or len(self.text) < 2:
            return i in self.text
        blocks = [self.index.segment_blocks[number] for number in self.text]
        tags, parents = self.index.tags, self.index.parents
        for _ in range(_MAX_LEVELS):
            if tags[blocks[0]] != tags[blocks[1]]:
                return False
            if parents[blocks[0]] == parents[blocks[1]]:
                break
            blocks = [max(0, parents[block]) for block in blocks]
        else:
            return False
        classes = [self.index.elements[block].get("class") for block in blocks]
        return classes[0] == classes[1] or (
            None not in classes and len(set(classes)) == len(classes) == len(self.text) > 2
        )

    def _is_named(self, i: int) -> bool:
        """Return whether the block, or a small element around it, is called a standfirst.

        A heading of several lines below the title is one without a name.
        """
        block = self.index.segment_blocks[i]
        lines = self.index.segment_ends[block] - self.index.segment_begins[block]
        if lines > 1 and self.index.tags[block] in _TITLE_ENDS:
            return True
        parent = max(0, self.index.parents[block])
        names = [_element_names(self.index.elements[block])]
        if self.index.segment_ends[parent] - self.index.segment_begins[parent] <= _MAX_SEGMENTS:
            names.append(_element_names(self.index.elements[parent]))
        return any(map(_STANDFIRST_NAME.search, names)) and not any(map(_OTHER_NAME.search, names))


def _element_names(element: HtmlElement) -> str:
    names = f"{element.get('class') or ''} {element.get('id') or ''}"[:300]
    return CAMEL_CASE.sub("-", names).lower()
