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
from ..text import LONGEST_FOLDED, WORD, comparison_key, count_words

#: The names of elements with a standfirst, as journalists of many countries call it.
_NAME = re.compile(
    r"(?:^|[\s_-])(?:stand-?first|sub-?titles?|sub-?head(?:line|er|ing)?|dek|deck|strap-?line|tag-?line"
    r"|teaser(?:-?text)?|excerpt|abstract|summary|intro(?:duction)?|lede|leadin|lead(?:-?text)?"
    r"|epigraph|vorspann|chapo|chapeau|sapo|entradilla|bajada|ingress|occhiello|sommario"
    r"|catenaccio|manchet|perex|anons|spot|olho)(?=$|[\s_-])"
)
_NOT_NAME = re.compile(
    r"(?:^|[\s_-])(?:card|cta|feed|promo|related|sr-only|visually-hidden)(?=$|[\s_-])"
)
_SENTENCE_ENDS = frozenset('.!?…»”"。！？؟।')
#: Sub-headings are questions more often than standfirsts are.
_TITLE_ENDS = dict.fromkeys(("h2", "h3"), frozenset("?？؟"))
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OUTSIDE = int(
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
#: The lowest score of a standfirst without a name.
_MIN_SCORE = 0.15
#: The longest line with the author's name below a standfirst, in characters.
_BYLINE_CHARS = 160


def find_standfirst(page: Page, keep: Sequence[bool], scores: Sequence[float]) -> frozenset[int]:
    """Return the segments of the standfirst, whether selected or not; none if there is none.

    Args:
        page: The page.
        keep: The selected segments.
        scores: The classifier's score of each segment.
    """
    finder = _Finder(page, keep)
    return frozenset(finder.by_summary() or finder.by_name() or finder.by_place(scores))


def drop_repeated_standfirst(page: Page, keep: Sequence[bool]) -> tuple[bool, ...]:
    """Return the selection without a first paragraph that the next ones repeat after their place.

    Args:
        page: The page.
        keep: The selected segments.
    """
    finder = _Finder(page, keep)
    first = finder.text[0] if finder.text else -1
    repeated = first >= 0 and finder.is_repeated_below(first)
    return tuple(flag and not (repeated and at == first) for at, flag in enumerate(keep))


class _Finder:
    def __init__(self, page: Page, keep: Sequence[bool]) -> None:
        self.page, self.index, self.segments, self.keep = page, page.index, page.segments, keep
        self.title_key = comparison_key(page.metadata.title[:400])
        selected = (at for at, flag in enumerate(keep) if flag and self._is_long(at))
        self.text = list(islice((at for at in selected if not self._is_title(at)), 3))

    @cached_property
    def title(self) -> int:
        """The title's last segment above the text, -1 for none."""
        first = self.text[0] if self.text else 0
        # Pages may repeat the title between the standfirst and the text.
        near = range(max(0, first - _REPEATED_TITLE), first)
        titles = chain(filter(self._is_title, near), filter(self._is_title, reversed(range(first))))
        return next(titles, -1)

    def _words(self, at: int) -> int:
        return count_words(self.segments[at].text[:1500])

    def _is_long(self, at: int) -> bool:
        return self._words(at) >= _PARAGRAPH_WORDS

    def _key(self, at: int) -> str:
        return comparison_key(self.segments[at].text[:400])

    def _is_title(self, at: int) -> bool:
        segment = self.segments[at]
        may_be = 0 < len(self.title_key) <= LONGEST_FOLDED * len(segment.text)
        return segment.block.tag == "h1" or (may_be and self._key(at) == self.title_key)

    def by_summary(self) -> list[int]:
        """Return the segment above the text that is the page's summary."""
        summary = comparison_key(self.page.metadata.lead[:400])
        if not self.text or len(summary) < _MIN_KEY / 2:
            return []
        # The title may stand above the standfirst and again below it.
        title = next(filter(self._is_title, range(self.title)), self.title)
        for at in reversed(range(title + 1, self.text[0] + 1)):
            if self._repeats(at, summary) and self._may_be(at):
                decks = (i for i in self.by_name() if i > at and self._is_deck(i))
                return [] if self._is_text(at) else sorted({at, *self._more(at), *decks})
        return []

    def _is_deck(self, at: int) -> bool:
        return self.segments[at].block.tag in _TITLE_ENDS

    def _more(self, at: int) -> list[int]:
        """Return the lines right below a standfirst whose elements have the same name."""
        named = _names(self.segments[at].block)
        found: list[int] = []
        for below in range(at + 1, min(at + _MAX_SEGMENTS, self.text[0] + 1)):
            same = named.strip() and _names(self.segments[below].block) == named
            if not (same and self._is_named(below) and self._may_be(below)):
                break
            if self._is_text(below):
                break
            found.append(below)
        return found

    def _repeats(self, at: int, summary: str) -> bool:
        key = self._key(at)
        if self.keep[at] and not self._is_long(at):
            return key == summary
        long_enough = min(len(key), len(summary)) >= _MIN_KEY
        return key == summary or (
            long_enough and (key[:_MAX_KEY] in summary or summary[:_MAX_KEY] in key)
        )

    def by_name(self) -> list[int]:
        """Return the segments between title and text whose elements are called a standfirst."""
        if self.title < 0:
            return []
        found = [
            at
            for at in range(self.title + 1, self.text[0] + 1)
            if self._may_be(at)
            and self._is_named(at)
            and not self._is_text(at)
            and (self._words(at) > _DATE_WORDS or not _YEAR.search(self.segments[at].text))
        ]
        blocks = {self.segments[at].block for at in found}
        return found if len(blocks) <= _MAX_SEGMENTS else []

    def by_place(self, scores: Sequence[float]) -> list[int]:
        """Return the one sentence that stands directly below the title or above the byline."""
        if self.title < 0 or not self.text:
            return []
        between = range(self.title + 1, self.text[0])
        found = [at for at in between if self._is_sentence(at)]
        if len(found) != 1 or self.keep[found[0]] or scores[found[0]] < _MIN_SCORE:
            return []
        at = found[0]
        names = [name for name in self.page.metadata.byline.lower().split(", ") if name]
        below = self.segments[at + 1].text.lower()
        is_above = len(below) <= _BYLINE_CHARS and any(name in below for name in names)
        return found if at == between.start or is_above else []

    def _is_sentence(self, at: int) -> bool:
        """Return whether an unlinked line may be a standfirst and ends as sentences do."""
        segment = self.segments[at]
        ends = segment.text[-1] in _SENTENCE_ENDS - _TITLE_ENDS.get(segment.block.tag, frozenset())
        is_free = not segment.link_chars and not _YEAR.search(segment.text)
        return ends and is_free and not self._is_title(at) and self._may_be(at)

    def _may_be(self, at: int) -> bool:
        segment, blocks = self.segments[at], self.index.segment_blocks
        # All of a page may be in a form, or hidden until a script has run.
        text = self.index.flags[blocks[self.text[0]]] if self.text else 0
        return (
            not self.index.flags[blocks[at]] & _OUTSIDE & ~text
            and _MIN_WORDS <= self._words(at) <= _MAX_WORDS
            and segment.link_chars <= _MAX_LINKED * len(segment.text)
            and not self._recurs(at)
        )

    def _recurs(self, at: int) -> bool:
        """Return whether the first paragraphs begin with this line, or have it after their place.

        A line from farther below is quoted on purpose.
        """
        key = self._key(at)
        for later in range(at + 1, self.text[-1] + 1):
            text = comparison_key(self.segments[later].text[:_DATELINED_CHARS])
            if self.keep[later] and (
                text.startswith(key) or (len(key) >= _MIN_KEY and key[:_MAX_KEY] in text)
            ):
                return True
        return False

    def is_repeated_below(self, at: int) -> bool:
        """Return whether a paragraph below has this one after a place, nearly whole."""
        key = self._key(at)[:_MAX_KEY]
        for later in filter(self.keep.__getitem__, range(at + 1, self.text[-1] + 1)):
            text = self.segments[later].text[: 2 * _DATELINED_CHARS]
            if 0 < comparison_key(text).find(key) <= _PLACE_CHARS:
                words, words_below = (
                    Counter(WORD.findall(line.casefold()))
                    for line in (self.segments[at].text, text)
                )
                if (words & words_below).total() >= _REPEATED_SHARE * words.total():
                    return len(key) >= _MIN_KEY
        return False

    def _is_text(self, at: int) -> bool:
        """Return whether a selected segment is a paragraph like the one after it.

        Classes tell nothing where each paragraph has one of its own.
        """
        if at != self.text[0] or len(self.text) < 2:
            return at in self.text
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

    def _is_named(self, at: int) -> bool:
        """Return whether the block, or a small element around it, is called a standfirst.

        A heading of several lines below the title is one without a name.
        """
        block = self.index.segment_blocks[at]
        lines = self.index.segment_ends[block] - self.index.segment_begins[block]
        if lines > 1 and self.index.tags[block] in _TITLE_ENDS:
            return True
        parent = max(0, self.index.parents[block])
        names = [_names(self.index.elements[block])]
        if self.index.segment_ends[parent] - self.index.segment_begins[parent] <= _MAX_SEGMENTS:
            names.append(_names(self.index.elements[parent]))
        return any(map(_NAME.search, names)) and not any(map(_NOT_NAME.search, names))


def _names(element: HtmlElement) -> str:
    named = f"{element.get('class') or ''} {element.get('id') or ''}"[:300]
    return _CAMEL.sub("-", named).lower()
