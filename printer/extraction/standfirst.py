"""The standfirst: the lines between title and text that sum the article up or lead into it.

The classifier often leaves them out, as they resemble the teasers of other articles.  A standfirst
is recognized by the summary in the page's metadata, by the names of its elements, or as the only
sentence between title and text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice

from lxml.html import HtmlElement

from ..html.index import ElementFlag
from ..html.metadata.bylines import is_byline
from ..html.metadata.dates import MONTHS, is_date_line
from ..html.visibility import HEADING_TAGS, SUBHEADING_TAGS
from ..text import (
    CAMEL_CASE,
    COLONS,
    LONGEST_FOLDED,
    QUESTION_MARKS,
    SENTENCE_ENDS,
    WORD,
    YEAR,
    class_pattern,
    comparison_key,
    count_words,
)
from .selected_text import OUTSIDE_TEXT, SelectedText

#: Sub-headings are questions more often than standfirsts are.
_TITLE_ENDS = dict.fromkeys(("h2", "h3"), frozenset(QUESTION_MARKS))
_HEADINGS = frozenset({"h1", *_TITLE_ENDS})
_MAX_SEGMENTS = 3
#: The fewest and most letters by which the beginning of a text is recognized.
_MIN_KEY_CHARS = 30
_MAX_KEY_CHARS = 60


def find_standfirst(selected: SelectedText) -> frozenset[int]:
    """Return the segments of the standfirst, whether selected or not; none if there is none."""
    lines = _Lines(selected)
    found = _by_summary(lines) or _by_name(lines) or _by_position(lines)
    return frozenset([*found, *_line_above(lines, found)])


_MIN_TAGLINE_SCORE = 0.35


def find_tagline(selected: SelectedText) -> frozenset[int]:
    """Return the missing sentence right below the main heading of an offer, in its element."""
    lines = _Lines(selected)
    i = lines.title + 1
    if not 0 < i < len(lines.keep) or lines.keep[i] or lines.scores[i] < _MIN_TAGLINE_SCORE:
        return frozenset()
    title, line = (segment.block for segment in lines.segments[i - 1 : i + 1])
    is_below = title.tag == "h1" and line.getparent() is title.getparent()
    return frozenset([i] if is_below and _is_sentence(lines, i) else [])


_MIN_SCORE_ABOVE = 0.5


def _line_above(lines: _Lines, found: Sequence[int]) -> Sequence[int]:
    """Return the likely line above a standfirst in the same element, 'In conversation with ...'."""
    above = min(found, default=0) - 1
    is_likely = above > lines.title and lines.scores[above] >= _MIN_SCORE_ABOVE
    if not is_likely or not _is_plausible(lines, above):
        return []
    parents = {lines.segments[i].block.getparent() for i in (above, above + 1)}
    return [above] if len(parents) == 1 else []


def drop_repeated_standfirst(selected: SelectedText) -> None:
    """Drop a first paragraph that the next ones repeat.

    They begin with it word for word, or have it after a place.
    """
    lines = _Lines(selected)
    for first in lines.text[:1]:
        is_repeated = not _is_text(lines, first) and _begins_text_below(lines, first)
        selected.keep[first] = not (is_repeated or _is_repeated_below(lines, first))


#: A title farther above the text is a copy.
_MAX_LINES_BELOW_TITLE = 10
_MIN_PARAGRAPH_WORDS = 15


class _Lines:
    """A page's lines, its title, and the first paragraphs of its selected text."""

    def __init__(self, selected: SelectedText) -> None:
        self.page, self.index, self.segments = selected.page, selected.index, selected.segments
        self.keep, self.scores = selected.keep, selected.scores
        self.title_key = comparison_key(self.page.metadata.title[:400])
        self._keys: dict[int, str] = {}
        paragraphs = (i for i, flag in enumerate(self.keep) if flag and self.is_long(i))
        self.text = list(islice((i for i in paragraphs if not self.is_title(i)), 3))

    @cached_property
    def title(self) -> int:
        """The title's last segment above the text, -1 for none."""
        first = self.text[0] if self.text else 0
        # Pages may repeat the title between the standfirst and the text.
        nearby = range(max(0, first - _MAX_LINES_BELOW_TITLE), first)
        titles = chain(filter(self.is_title, nearby), filter(self.is_title, reversed(range(first))))
        title = next(titles, -1)
        while -1 < title < first - 1 and self.ends_with_title(title + 1):
            title += 1  # below its copy in a breadcrumb
        return title

    def count_words(self, i: int) -> int:
        return count_words(self.segments[i].text[:1500])

    def is_long(self, i: int) -> bool:
        return self.count_words(i) >= _MIN_PARAGRAPH_WORDS

    def comparison_key(self, i: int) -> str:
        if i not in self._keys:
            self._keys[i] = comparison_key(self.segments[i].text[:400])
        return self._keys[i]

    def is_title(self, i: int) -> bool:
        """Return whether a segment is the title (even repeated), or a heading that may be it."""
        tag = self.segments[i].block.tag
        if self._repeats_title(i):
            return True
        is_end = tag in _HEADINGS and not self._has_title_heading and self.ends_with_title(i)
        return tag == "h1" or is_end

    @cached_property
    def _has_title_heading(self) -> bool:
        headings = (i for i, s in enumerate(self.segments) if s.block.tag in _HEADINGS)
        return any(map(self._repeats_title, headings))

    def _repeats_title(self, i: int) -> bool:
        ends = self.ends_with_title(i)
        return ends and not self.comparison_key(i).replace(self.title_key, "")

    def ends_with_title(self, i: int) -> bool:
        is_long_enough = 0 < len(self.title_key) <= LONGEST_FOLDED * len(self.segments[i].text)
        return is_long_enough and self.comparison_key(i).endswith(self.title_key)


def _by_summary(lines: _Lines) -> list[int]:
    """Return the segment above the text that is the page's summary."""
    summary = comparison_key(lines.page.metadata.lead[:400])
    if not lines.text or len(summary) < _MIN_KEY_CHARS / 2:
        return []
    # The title may be above the standfirst and again below it.
    title = next(filter(lines.is_title, range(lines.title)), lines.title)
    for i in reversed(range(title + 1, lines.text[0] + 1)):
        if _repeats(lines, i, summary) and _is_plausible(lines, i) and not _recurs(lines, i):
            tags = {j: lines.segments[j].block.tag for j in _by_name(lines)}
            decks = {j for j, tag in tags.items() if j < i or tag in _TITLE_ENDS}
            decks -= {j for j in decks if YEAR.search(lines.segments[j].text)}
            is_text = _is_text(lines, i) or _is_below_heading(lines, i)
            is_text = is_text or _is_below_quotation(lines, i)
            return [] if is_text else sorted({i, *_lines_of_same_name(lines, i), *decks})
    return []


def _is_below_heading(lines: _Lines, i: int) -> bool:
    """Return whether a line begins a section: its selected heading, no subtitle, is above."""
    if i == 0:
        return False
    above, line = (lines.segments[j].block for j in (i - 1, i))
    is_subtitle = lines.count_words(i - 1) >= _MIN_WORDS and above.getparent() is line.getparent()
    is_heading = above.tag in HEADING_TAGS and lines.keep[i - 1] and not lines.is_title(i - 1)
    return is_heading and not is_subtitle


def _is_below_quotation(lines: _Lines, i: int) -> bool:
    """Return whether the text begins with a selected quotation right above a line."""
    if i == 0 or not lines.keep[i - 1]:
        return False
    above, line = (
        [e for e in (block, *block.iterancestors()) if e.tag == "blockquote"]
        for block in (lines.segments[i - 1].block, lines.segments[i].block)
    )
    return bool(above) and not line


def _lines_of_same_name(lines: _Lines, i: int) -> list[int]:
    """Return the lines right below a standfirst whose elements have the same name."""
    names = _element_names(lines.segments[i].block)
    following: list[int] = []
    for j in range(i + 1, min(i + _MAX_SEGMENTS, lines.text[0] + 1)):
        is_alike = _element_names(lines.segments[j].block) == names and _is_named(lines, j)
        if not (is_alike and _is_plausible(lines, j)):
            break
        following.append(j)
    return following


def _repeats(lines: _Lines, i: int, summary: str) -> bool:
    key = lines.comparison_key(i)
    if lines.keep[i] and not lines.is_long(i):
        return key == summary
    long_enough = min(len(key), len(summary)) >= _MIN_KEY_CHARS
    return long_enough and (key[:_MAX_KEY_CHARS] in summary or summary[:_MAX_KEY_CHARS] in key)


_MAX_DATE_WORDS = 8


def _may_be_date(lines: _Lines, i: int) -> bool:
    return lines.count_words(i) <= _MAX_DATE_WORDS and bool(YEAR.search(lines.segments[i].text))


#: The word before a year.
_BEFORE_YEAR = re.compile(r"([^\W\d_]{3,14})\.?,?\s(?:de\s)?[12]\d{3}(?!\d)")


def _is_dated(text: str) -> bool:
    """Return whether a sentence has a year after a month or a copyright sign, as notices have."""
    words = (match[1].lower() for match in _BEFORE_YEAR.finditer(text))
    return any(word in MONTHS for word in words) or ("©" in text and bool(YEAR.search(text)))


def _by_name(lines: _Lines) -> list[int]:
    """Return the segments between title and text whose elements are called a standfirst."""
    if lines.title < 0:
        return []
    below = range(lines.title + 1, lines.text[0] + 1)
    segments = [
        i
        for i in below
        if _is_plausible(lines, i)
        and _is_named(lines, i)
        and not _is_text(lines, i)
        and (lines.segments[i].block.tag in _HEADINGS or not _is_contained_below(lines, i))
        and not _may_be_date(lines, i)
    ]
    blocks = {lines.segments[i].block for i in segments}
    if len(blocks) > _MAX_SEGMENTS:
        return []
    # The short lines between line breaks, too.
    return [i for i in below if lines.segments[i].block in blocks]


_MIN_SCORE = 0.15
_MAX_BYLINE_CHARS = 160


def _by_position(lines: _Lines) -> list[int]:
    """Return the only sentence, or else line, from the title or the byline to the text."""
    if lines.title < 0:
        return []
    between = range(lines.title + 1, lines.text[0])
    if _is_subtitle_beside(lines, lines.title + 1):
        return [lines.title + 1]
    sentences = [i for i in between if _is_sentence(lines, i)]
    likely = [i for i in between[:1] if lines.scores[i] >= _MIN_SCORE_ABOVE]
    may_be_subtitles = (i for i in between if i in likely or _is_subheading(lines, i))
    for candidates in (sentences, [i for i in may_be_subtitles if _is_subtitle(lines, i)]):
        for candidate in candidates if len(candidates) == 1 else ():
            is_likely = not lines.keep[candidate] and lines.scores[candidate] >= _MIN_SCORE
            if is_likely and (candidate == between.start or _is_above_byline(lines, candidate)):
                return candidates
    return []


def _is_above_byline(lines: _Lines, i: int) -> bool:
    """Return whether the author is named below a line, or the date is in the next two lines."""
    texts = [segment.text for segment in lines.segments[i + 1 : i + 3]]
    if any(is_date_line(text) for text in texts if len(text) <= _MAX_BYLINE_CHARS):
        return True
    text_below = texts[0].lower()
    names = filter(None, lines.page.metadata.byline.lower().split(", "))
    named = any(name in text_below for name in names)
    return len(text_below) <= _MAX_BYLINE_CHARS and named


def _is_subheading(lines: _Lines, i: int) -> bool:
    is_heading = lines.segments[i].block.tag in HEADING_TAGS and not lines.is_title(i)
    tags = [segment.block.tag for segment in lines.segments[i - 1 : i + 1]]
    return is_heading and len(set(tags)) > 1


#: The fewest words of a heading beside the title that sums the article up.
_MIN_SUBTITLE_WORDS = 3


def _is_subtitle_beside(lines: _Lines, i: int) -> bool:
    """Return whether a line is a lower heading in an element with the title and nothing else."""
    title, block = (segment.block for segment in lines.segments[i - 1 : i + 1])
    parent = block.getparent()
    are_alone = len(parent) == 2 and block.getprevious() is title
    is_lower = block.tag in SUBHEADING_TAGS
    keys = map(comparison_key, (lines.segments[i - 1].text, lines.page.metadata.title))
    if not (are_alone and is_lower and len(set(keys)) == 1):
        return False  # perhaps the site's name and motto
    return _is_plausible(lines, i, _MIN_SUBTITLE_WORDS) and not YEAR.search(lines.segments[i].text)


def _is_subtitle(lines: _Lines, i: int) -> bool:
    """Return whether a line of several words, unlike the title, is above the byline."""
    words, title_words = (
        set(WORD.findall(text[:400].casefold()))
        for text in (lines.segments[i].text, lines.page.metadata.title)
    )
    is_title = 2 * len(words & title_words) > len(words)
    is_long = 2 * lines.count_words(i) >= _MIN_PARAGRAPH_WORDS
    is_line = is_long and not is_title and _is_plausible(lines, i) and not _recurs(lines, i)
    return is_line and _is_above_byline(lines, i)


#: The characters with which a sentence ends, perhaps one in quotation marks.
_STANDFIRST_ENDS = frozenset((*SENTENCE_ENDS, "»", "”", '"'))


def _is_sentence(lines: _Lines, i: int) -> bool:
    """Return whether an unlinked line may be a standfirst and ends as sentences do."""
    segment = lines.segments[i]
    ends = segment.text[-1] in _STANDFIRST_ENDS - _TITLE_ENDS.get(segment.block.tag, frozenset())
    is_free = not (segment.link_chars or _may_be_date(lines, i) or _is_dated(segment.text))
    may_be = ends and is_free and not lines.is_title(i) and _is_plausible(lines, i)
    return may_be and not _recurs(lines, i)


_OUTSIDE = OUTSIDE_TEXT | int(ElementFlag.ASIDE | ElementFlag.FIGURE)
_MIN_WORDS = 4
_MAX_WORDS = 120
#: A longer paragraph that is selected anyway is the first of the text.
_MAX_SELECTED_WORDS = 70
#: The largest share of links in a standfirst.
_MAX_LINKED = 0.3


def _is_plausible(lines: _Lines, i: int, min_words: int = _MIN_WORDS) -> bool:
    segment, blocks = lines.segments[i], lines.index.segment_blocks
    # All of a page may be in a form, or hidden until a script has run.
    text_flags = lines.index.flags[blocks[lines.text[0]]] if lines.text else 0
    max_words = _MAX_SELECTED_WORDS if lines.keep[i] else _MAX_WORDS
    return (
        not lines.index.flags[blocks[i]] & _OUTSIDE & ~text_flags
        and min_words <= lines.count_words(i) <= max_words
        and segment.link_chars <= _MAX_LINKED * len(segment.text)
        and not _announces(lines, i)
        and not _is_about_author(lines, i)
        and not is_byline(segment.text[:_MAX_BYLINE_CHARS], lines.page.metadata.language)
    )


def _announces(lines: _Lines, i: int) -> bool:
    """Return whether a line ends with a colon before a list, or before text that is dropped."""
    is_above_list = any(s.block.tag == "li" for s in lines.segments[i + 1 : i + 2])
    return lines.segments[i].text[-1] in COLONS and (is_above_list or not lines.keep[i])


def _is_about_author(lines: _Lines, i: int) -> bool:
    """Return whether a line begins with a word of an author's name that is always capitalized."""
    word = lines.segments[i].text.split()[0]
    is_name = word in lines.page.metadata.byline.split()
    texts = (lines.segments[j].text for j in (i, *lines.text))
    return is_name and all(word.lower() not in WORD.findall(text) for text in texts)


#: A paragraph that may begin with a place and repeat the standfirst.
_MAX_DATELINED_CHARS = 800


def _recurs(lines: _Lines, i: int) -> bool:
    """Return whether a paragraph right below has this line, or begins like it after a dateline."""
    key = lines.comparison_key(i)
    part = key[:_MAX_KEY_CHARS]
    texts = list(map(comparison_key, _text_below(lines, i)))
    if len(key) < _MIN_KEY_CHARS:
        return any(text.startswith(key) for text in texts)
    return any(key in text or 0 <= text.find(part) <= _MAX_PLACE_CHARS for text in texts)


def _text_below(lines: _Lines, i: int) -> Iterator[str]:
    for j in filter(lines.keep.__getitem__, range(i + 1, lines.text[-1] + 1)):
        yield lines.segments[j].text[:_MAX_DATELINED_CHARS]


def _is_contained_below(lines: _Lines, i: int) -> bool:
    """Return whether the first paragraphs have nearly all of this line."""
    key = lines.comparison_key(i)
    texts = map(comparison_key, _text_below(lines, i))
    return any(key in text for text in texts) or _is_repeated_below(lines, i)


def _begins_text_below(lines: _Lines, i: int) -> bool:
    key = comparison_key(lines.segments[i].text[: 2 * _MAX_DATELINED_CHARS])
    text_below = "".join(map(comparison_key, _text_below(lines, i)))
    return len(key) >= _MIN_KEY_CHARS and text_below.startswith(key)


#: The smallest share of a standfirst's words in the paragraph that repeats it.
_MIN_REPEATED_WORDS = 0.8
#: The letters of a place and an agency before a text: 'KESTER, 3 May (Agency)'.
_MAX_PLACE_CHARS = 40


def _is_repeated_below(lines: _Lines, i: int) -> bool:
    """Return whether a paragraph below repeats this one, with its numbers, after a dateline."""
    key = lines.comparison_key(i)[:_MAX_KEY_CHARS]
    for j in filter(lines.keep.__getitem__, range(i + 1, lines.text[-1] + 1)):
        text = lines.segments[j].text[: 2 * _MAX_DATELINED_CHARS]
        if 0 < comparison_key(text).find(key) <= _MAX_PLACE_CHARS:
            words, words_below = (
                Counter(WORD.findall(line.casefold())) for line in (lines.segments[i].text, text)
            )
            is_most = (words & words_below).total() >= _MIN_REPEATED_WORDS * words.total()
            if is_most and not any(map(str.isdigit, words - words_below)):
                return len(key) >= _MIN_KEY_CHARS
    return False


#: The most levels from paragraphs up to elements that are siblings.
_MAX_SIBLING_LEVELS = 3
#: The place before a text, and the date or agency: 'BERLIN — ', 'KESTER (AP) - '.
_DATELINE = re.compile(r"[^\W\d_]{3,}(?:,? [^\s—–.!?]{1,20}){0,3} [—–-]{1,2} ")


def _is_text(lines: _Lines, i: int) -> bool:
    """Return whether a selected segment is a paragraph like the one after it."""
    if i != lines.text[0] or len(lines.text) < 2:
        return i in lines.text
    text = lines.segments[i].text
    if _DATELINE.match(text) and text.split()[0].isupper():
        return True
    block_names = (_element_names(lines.segments[j].block) for j in lines.text[:2])
    if [bool(_STANDFIRST_NAME.search(name)) for name in block_names] == [True, False]:
        return False
    blocks = [lines.index.segment_blocks[number] for number in lines.text]
    tags, parents = lines.index.tags, lines.index.parents
    if parents[blocks[1]] == blocks[0]:
        return True  # without an element of its own
    for _ in range(_MAX_SIBLING_LEVELS):
        if tags[blocks[0]] != tags[blocks[1]]:
            return False
        if parents[blocks[0]] == parents[blocks[1]]:
            break
        blocks = [max(0, parents[block]) for block in blocks]
    else:
        return False
    classes = [lines.index.elements[block].get("class") for block in blocks]
    return classes[0] == classes[1] or (
        None not in classes and len(set(classes)) == len(classes) == len(lines.text) > 2
    )


#: Class names of standfirsts in several languages.
_STANDFIRST_NAME = class_pattern(
    "stand-?first|(?:sub|mid)-?titles?|sub-?lines?|sub-?head(?:line|er|ing)?|dek|deck|strap-?line|tag-?line"
    "|teaser(?:-?text)?|excerpt|abstract|summary|intro(?:duction)?|lede|leadin|lead(?:-?text)?"
    "|epigraph|vorspann|chapo|chapeau|sapo|entradilla|bajada|ingress|occhiello|sommario|catenaccio"
    "|manchet|perex|anons|spot|olho"
)
_OTHER_NAME = class_pattern("card|cta|feed|promo|related|sr-only|visually-hidden")
#: The attributes, besides those for scripts, whose values name an element.
_NAMES = frozenset({"class", "id"})
_MAX_CLASS_CHARS = 300


def _is_named(lines: _Lines, i: int) -> bool:
    """Return whether an element at or around a block is called a standfirst.

    So are a sentence or main heading below the title, and a heading of several lines.
    """
    index = lines.index
    block = index.segment_blocks[i]
    if index.tags[block] in _HEADINGS:
        is_sentence = lines.is_long(i) and lines.segments[i].text[-1] in _STANDFIRST_ENDS
        if i == lines.title + 1 and (index.tags[block] == "h1" or is_sentence):
            return True
        is_near = i <= lines.title + _MAX_LINES_BELOW_TITLE
        if is_near and len(index.segment_range(block)) > 1:
            return True
    parent = max(0, index.parents[block])
    names = [_element_names(index.elements[block])]
    if len(index.segment_range(parent)) <= _MAX_SEGMENTS:
        names.append(_element_names(index.elements[parent]))
    return any(map(_STANDFIRST_NAME.search, names)) and not any(map(_OTHER_NAME.search, names))


def _element_names(element: HtmlElement) -> str:
    values = (
        value
        for name, value in element.items()
        if name in _NAMES or (name[:5] == "data-" and " " not in value)
    )
    names = " ".join(value for value in values if len(value) <= _MAX_CLASS_CHARS)
    return CAMEL_CASE.sub("-", names).lower()
