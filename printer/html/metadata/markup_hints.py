"""Read headings, authors and dates marked in a page's body by microdata, RDFa, rel or class."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, islice, takewhile

from lxml.html import HtmlElement

from ...i18n import fold_words, page_labels
from ...text import LONGEST_FOLDED, YEAR, class_pattern, clean_line, is_blank
from ..index import BLOCK_TAGS, INVISIBLE_TAGS, ElementsByTag, class_and_id
from ..parse import element_line
from ..visibility import SUBHEADING_TAGS, has_unseen_class
from .bylines import (
    BYLINE,
    find_byline,
    find_dated_names,
    find_late_byline,
    find_signature,
    is_byline,
    is_described,
    is_full_name,
    is_label_alone,
    join_names,
    labeled_lines,
)
from .dates import LONG_WORD, find_date, find_labeled_date, is_date_line, is_day, parse_date
from .titles import (
    MAX_CHARS_BESIDE_TITLE,
    MAX_LINES_TO_TEXT,
    TitleHeading,
    is_above_text,
    is_paragraph,
    is_same_subject,
    title_key,
    title_parts,
)

_MAX_HEADINGS = 20
_MAX_ANCESTORS = 40
_MAX_LINE_CHARS = 160
_IS_AUTHOR = 1
_IS_DATE = 2
_PUNCTUATION = " :|/·–—-"
_UPDATE_WORD = re.compile(
    r"updat|modif|chang|revis|edited|güncel|ενημέρ|aktualiz"
    r"|aktualisiert|geändert|mis à jour|actualiz|aggiorna|atualiz|"
    r"bijgewerkt|uppdater|opdater|oppdater|обновлен|更新",
    re.IGNORECASE,
)
#: The beginning of a line with the date of an update after a label.
UPDATED = re.compile(rf"[^:]{{0,12}}(?:{_UPDATE_WORD.pattern})[^:]{{0,12}}:", re.IGNORECASE)


@dataclass(slots=True)
class MarkupHints:
    """The marked authors and dates of the page's own story.

    ``date_below_title`` is the date in a mark just below the title, '' for none.
    """

    authors: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    date_below_title: str = ""


def main_headings(
    page: ElementsByTag, document_title: str, stated_titles: Iterable[str]
) -> list[TitleHeading]:
    """Return the page's main headings, in document order.

    If none outside menus and logos is on the subject of a stated title, return the lower headings
    that repeat one, else those in an article's header, else all.
    """
    titles = {title_key(text): text for text in stated_titles}
    page_titles = (*titles, document_title)
    titles |= {title_key(first): first for first in title_parts(document_title)[:1]}
    elements = [h1 for h1 in page.find("h1")[:_MAX_HEADINGS] if not _is_in(_LOGO, h1)]
    headings = _with_text(_read_heading(h1, above=titles) for h1 in elements if not _in_menu(h1))
    lower_elements = [e for e in page.find("h2", "h3")[:_MAX_HEADINGS] if not _in_menu(e)]
    in_headers = _with_text(_read_heading(e) for e in lower_elements if _heads_article(e))
    if (
        len(in_headers) == 1
        and not any(_is_in_article(h1) for h1 in elements)
        and any(is_same_subject(in_headers[0].text, text) for text in page_titles)
    ):
        headings = in_headers
    if any(is_same_subject(heading.text, text) for heading in headings for text in page_titles):
        return headings
    lower_headings = [_read_heading(e, titles) for e in lower_elements]
    keys = (title_key(heading.text) for heading in lower_headings)
    headings += [TitleHeading(titles[key]) for key in keys if key in titles]
    return (
        _with_text(headings)
        or in_headers[:1]
        or _with_text(map(_read_heading, elements))
        or _with_text(replace(heading, is_main=False) for heading in lower_headings)
    )


def _with_text(headings: Iterable[TitleHeading]) -> list[TitleHeading]:
    return list(dict.fromkeys(heading for heading in headings if heading.text))


_LOGO = class_pattern("logo", re.IGNORECASE)
_ARTICLE = class_pattern("article", re.IGNORECASE)
_BREADCRUMB = re.compile(r"bread-?crumb", re.IGNORECASE)
#: The most elements from a heading to the one that is called a logo or the like.
_MAX_NAMED_LEVELS = 3


def _is_in(name: re.Pattern[str], element: HtmlElement) -> bool:
    """Return whether the class or id of an element, one just around it or its link has a name."""
    around = islice(element.iterancestors(), _MAX_NAMED_LEVELS)
    elements = (element, *around, *islice(element.iterdescendants("a"), 1))
    return any(name.search(class_and_id(outer)) for outer in elements if outer.tag != "body")


def _in_menu(element: HtmlElement) -> bool:
    ancestors = islice(element.iterancestors(), _MAX_ANCESTORS)
    return any(outer.tag == "nav" for outer in ancestors) or _is_in(_BREADCRUMB, element)


def _heads_article(element: HtmlElement) -> bool:
    headers = islice(element.iterancestors("header", "hgroup"), 1)
    return any(map(_is_in_article, headers))


def _is_in_article(element: HtmlElement) -> bool:
    is_article = next(element.iterancestors("article"), None) is not None
    return is_article or _is_in(_ARTICLE, element)


def _read_heading(
    element: HtmlElement, titles: Collection[str] = (), above: Collection[str] = ()
) -> TitleHeading:
    """Read a heading; its end may be one of ``titles``, its part above a block one of ``above``."""
    text = element_line(element)
    last = element_line(element[-1]) if len(element) and element[-1].tag in BLOCK_TAGS else ""
    first = text.removesuffix(last).rstrip()
    if first != text and title_key(first) in above:
        return TitleHeading(first)
    kicker, is_certain = _find_first_part(element)
    title = text.removeprefix(kicker).lstrip(_PUNCTUATION)
    if kicker and title and (is_certain or title_key(title) in titles):
        has_no_separator = not text[: -len(title)].removeprefix(kicker.rstrip(_PUNCTUATION)).strip()
        return TitleHeading(title, f"{kicker}: {title}" if has_no_separator else text)
    inner = islice(element.iter(), _MAX_LEAVES)
    return TitleHeading(
        text or next((clean_line(e.get("alt")) for e in inner if e.tag == "img"), "")
    )


#: Classes of the kicker within a heading.
_KICKER_CLASS = class_pattern(
    "kicker|over-?(?:line|title)|top-?(?:line|title)|roof-?line|dachzeile|eyebrow"
    "|(?:pre|super|supra|sup)-?title|surtitre|ante-?titulo|cintillo|volanta|occhiello|spitzmarke"
    "|(?:topic-)?label",
    re.IGNORECASE,
)


def _find_first_part(heading: HtmlElement) -> tuple[str, bool]:
    """Return the first part of a heading, and whether class or separator make it a kicker."""
    children = _visible_children(heading)
    for _ in range(_MAX_ANCESTORS):
        if len(children) != 1 or not is_blank(heading.text) or not is_blank(children[0].tail):
            break
        heading = children[0]
        children = _visible_children(heading)
    if not children or not is_blank(heading.text):
        return "", False
    first = children[0]
    text = element_line(first)
    is_separable = len(children) > 1 and is_blank(first.tail)
    separator = element_line(children[1])[:2] if is_separable else ""
    names = (value for name, value in first.items() if name == "class" or name[:5] == "data-")
    is_named = _KICKER_CLASS.search(" ".join(names)[:300])
    is_separated = text.endswith((":", "|")) or (separator and not separator.strip(_PUNCTUATION))
    return text, bool(is_named or is_separated)


def _visible_children(element: HtmlElement) -> list[HtmlElement]:
    return [child for child in element.iterchildren("*") if child.tag not in INVISIBLE_TAGS]


_MAX_KICKER_CHARS = 60


def find_kicker(tree: HtmlElement, title: str) -> str:
    """Return the kicker in the heading with the title, or right above it; '' for none."""
    key = title_key(title)
    heading = _title_heading(tree, key)
    if heading is None:
        return ""
    text, is_certain = _find_first_part(heading)
    title_part = element_line(heading).removeprefix(text)
    kicker = (
        text
        if text and title_part and (is_certain or title_key(title_part) == key)
        else _kicker_above(heading)
    )
    parts = (part for part in kicker.split(" · ") if not is_date_line(part) and not is_day(part))
    kicker = " · ".join(parts).strip(_PUNCTUATION)
    is_status = " " not in kicker and _UPDATE_WORD.match(kicker)  # of the page
    hidden = (e for e in heading.iter("span") if has_unseen_class(e.get("class")))
    is_hidden = bool(text) and text in map(element_line, islice(hidden, _MAX_LEAVES))
    is_kicker = len(kicker) <= _MAX_KICKER_CHARS and any(map(str.isalpha, kicker))
    is_back = fold_words(kicker).startswith(tuple(page_labels("ways_back")))
    return kicker if is_kicker and not (is_status or is_hidden or is_back) else ""


#: Further classes of a label above the heading that is not a kicker.
_NOT_KICKER_CLASS = re.compile(r"label|\bad(?:s|v|vert\w*)?\b|breadcrumb", re.IGNORECASE)
_MAX_ELEMENTS_TO_HEADING = 12
#: A visible separator, which no text contains, between parts of a kicker without a space.
_SEPARATOR = "␟"
_SEPARATOR_IN_WORD = re.compile(rf"(?<=\w){_SEPARATOR}(?=\w)")


def _kicker_above(heading: HtmlElement) -> str:
    """Return the last named kicker before a heading, or a few words right above it."""
    above = list(islice(_elements_before(heading), _MAX_ELEMENTS_TO_HEADING))
    for element in (*above, *_elements_below(heading)):
        classes = (element.get("class") or "")[:300]
        is_named = _KICKER_CLASS.search(classes) and not _NOT_KICKER_CLASS.search(classes)
        if is_named or (element in above[:1] and _is_short_label(element, heading)):
            parts = element_line(element, _SEPARATOR, 2 * _MAX_KICKER_CHARS)
            return _SEPARATOR_IN_WORD.sub(" · ", parts).replace(_SEPARATOR, "")
    return ""


def _elements_below(heading: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the element below a heading or its box, and its first child, which CSS may move up."""
    parent = heading.getparent()
    outer = parent if len(parent) == 1 else heading
    for below in islice(outer.itersiblings("*"), 1):
        yield from islice(below.iter("*"), 2)


_LABEL_TAGS = SUBHEADING_TAGS | {"a", "div", "p", "small", "span"}
_NOT_LABEL_CLASS = re.compile(
    r"ad-|advert|author|badge|back|breadcrumb|button|by-?line|date|hidden|logo|share|social|tool|user"
    r"|(?:^|[\s_-])(?:btn|sr|sr-only|time)",
    re.IGNORECASE,
)
_MAX_LABEL_WORDS = 4
#: The same of a heading above the title.
_MAX_HEADING_WORDS = 9


def _is_short_label(element: HtmlElement, heading: HtmlElement) -> bool:
    """Return whether an element next to a heading contains only a few words."""
    parent = heading.getparent()
    outer = parent.getparent() if element.tag == "p" else None
    if element.tag not in _LABEL_TAGS or element.getparent() not in (parent, outer):
        return False
    text = element_line(element, _SEPARATOR, 2 * _MAX_KICKER_CHARS).strip(f" |/{_SEPARATOR}")
    max_words = _MAX_HEADING_WORDS if element.tag in SUBHEADING_TAGS else _MAX_LABEL_WORDS
    return (
        len(text.split()) <= max_words
        and _SEPARATOR not in text
        and not any(char.isdigit() or char in ":.!?»>|" for char in text)
        and not _NOT_LABEL_CLASS.search(class_and_id(element))
    )


def _elements_before(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements that precede an element, nearest first, without its ancestors."""
    for ancestor in (element, *islice(element.iterancestors(), _MAX_ANCESTORS)):
        for sibling in ancestor.itersiblings("*", preceding=True):
            descendants = [sibling]
            while descendants:
                yield (last := descendants.pop())
                descendants += last.iterchildren("*")


_MAX_LEAVES = 200
#: A mark among so many elements after the title is just below it.
_MAX_JUST_BELOW_TITLE = 20


def read_markup_hints(tree: HtmlElement, title: str, language: str) -> MarkupHints:
    """Read the marked author and date of publication near the title."""
    heading = _title_heading(tree, title_key(title))
    read_date = partial(_read_date, language=language)
    read_beside = partial(_read_date_beside, language=language)
    title_ancestors = _ancestors_of_title(heading, title_key(title))
    hints = MarkupHints()
    stamps: list[tuple[HtmlElement, str]] = []
    for number, window in enumerate(_elements_near_heading(tree, heading)):
        title_ancestors = frozenset() if number else title_ancestors
        authors: list[HtmlElement] = []
        lines: list[HtmlElement] = []
        dates: list[HtmlElement] = []
        for element in window:
            kind = _mark_kind(element)
            if kind == _IS_AUTHOR:
                authors.append(element)
            elif kind == _IS_DATE:
                dates.append(element)
            elif element.text and BYLINE.match(element.text):
                lines.append(element)
            elif stamp := _read_unmarked_date(element, language, title_ancestors):
                stamps.append((element, stamp))
        if number:
            dates.reverse()  # above the heading, other stories are farther away
        read_first = partial(_read_first, title_ancestors=title_ancestors)
        hints.authors = (
            hints.authors or read_first(authors, _read_author) or read_first(lines, _read_byline)
        )
        hints.dates = (
            hints.dates or read_first(dates, read_date) or read_first(authors + lines, read_beside)
        )
        if heading is not None and not number:
            marks = (mark for mark in window[:_MAX_JUST_BELOW_TITLE] if mark in dates)
            just_below = [mark for mark in marks if element_line(mark)]
            hints.date_below_title = next(iter(read_first(just_below, read_date)), "")
    hints.dates = hints.dates or [stamp for _, stamp in _nearest(stamps, heading)]
    hints.authors = hints.authors or _read_footer(heading)
    return hints


#: The most footers of an article in which to look for its author.
_MAX_FOOTERS = 10


def _read_footer(heading: HtmlElement | None) -> list[str]:
    """Return the author marked in the footer of the article around the title."""
    article = None if heading is None else next(heading.iterancestors("article"), None)
    footers = () if article is None else islice(article.iterdescendants("footer"), _MAX_FOOTERS)
    around = {footer: next(footer.iterancestors("article")) for footer in footers}
    named = [
        f for f in around if around[f] is article and not _UNRELATED_CLASS.search(class_and_id(f))
    ]
    elements = chain.from_iterable(islice(footer.iter("*"), _MAX_LEAVES) for footer in named)
    marks = [element for element in elements if _mark_kind(element) == _IS_AUTHOR]
    return _read_first(marks, _read_author, named)


def _nearest(
    stamps: Sequence[tuple[HtmlElement, str]], heading: HtmlElement | None
) -> Sequence[tuple[HtmlElement, str]]:
    """Return the first stamp, best with a time, in the smallest element around the heading."""
    ancestors = () if heading is None else islice(heading.iterancestors(), _MAX_ANCESTORS)
    around = [set(islice(element.iterancestors(), _MAX_ANCESTORS)) for element, _ in stamps]
    for ancestor in ancestors:
        near = [s for s, elements in zip(stamps, around, strict=True) if ancestor in elements]
        if near:
            return sorted(near, key=lambda stamp: "T" not in stamp[1])[:1]
    return stamps[:1]


#: The most paragraphs among which to look for a signature.
_MAX_PARAGRAPHS = 2_000


def read_signatures(tree: HtmlElement) -> list[str]:
    """Return the name that is alone on the right below a paragraph, if there is only one."""
    names: set[str] = set()
    for element in islice(tree.iter("p"), _MAX_PARAGRAPHS):
        style = "".join((element.get("style") or "")[:200].lower().split())
        previous = element.getprevious()
        is_right = "text-align:right" in style or (element.get("align") or "").lower() == "right"
        if is_right and previous is not None and previous.tag == "p":
            name = element_line(element, limit=_MAX_LINE_CHARS)
            if is_full_name(name) and is_paragraph(element_line(previous)):
                names.add(name)
    return list(names) if len(names) == 1 else []


def read_line_hints(lines: Sequence[str], title: str, language: str) -> MarkupHints:
    """Read the author and date from lines near the title, the date of an update if no other."""
    hints = MarkupHints()
    updates: list[str] = []
    nearby_lines: list[str] = []
    has_date: list[bool] = []
    for position in _title_positions(lines, title):
        nearby_lines = list(_lines_beside(lines, position))
        has_date = [is_date_line(line, language) or _is_time(line) for line in nearby_lines]
        if any(has_date):
            break
    for line in nearby_lines:
        byline = line if is_byline(line, language) else find_late_byline(line)
        if byline and not hints.authors:
            hints.authors = [byline]
        if byline or is_date_line(line, language) or _is_time(line):
            dates = updates if _UPDATE_WORD.search(line) else hints.dates
            year = YEAR.search(line)
            rest = line[year.end() :] if year else ""  # the day of an update, perhaps
            dates += filter(None, (find_date(text, language) for text in (line, rest)))
    hints.dates = hints.dates or updates or [find_labeled_date(labeled_lines(lines), language)]
    names = hints.authors or _names_beside(nearby_lines, has_date, lines)
    hints.authors = list(names) or [find_signature(labeled_lines(lines))]
    return hints


#: The most lines from the title to a byline that overrides the stated author.
_MAX_LINES_TO_BYLINE = 5


def read_visible_byline(lines: Sequence[str], title: str, names: str, language: str) -> list[str]:
    """Return the byline just below the title, '' if a line there has a stated name."""
    for position in _title_positions(lines, title):
        lines_below = lines[position + 1 : position + 1 + _MAX_LINES_TO_BYLINE]
        for n, line in enumerate(lines_below):
            if is_byline(line, language):
                named = [t for t in lines_below if any(name in t for name in names.split(", "))]
                # Who published the text is named beside the date, its author right above it.
                is_signed = is_paragraph("".join(lines_below[n + 1 : n + 2])) and all(
                    find_date(text, language) and not is_byline(text, language) for text in named
                )
                return [line] if is_signed or not named else []
    return []


def _names_beside(
    nearby_lines: Sequence[str], has_date: Sequence[bool], lines: Sequence[str]
) -> list[str]:
    """Return the author's name from a line of its own below the title or next to the date."""
    for i, line in enumerate(nearby_lines):
        is_beside_date = any(has_date[max(0, i - 1) : i + 2])
        if is_beside_date and (names := find_dated_names(line, beside_date=not has_date[i])):
            return names
        is_labeled = i > 0 and is_label_alone(nearby_lines[i - 1])
        if is_full_name(line.partition("/")[0] if is_labeled else line) and (
            is_labeled or ((is_beside_date or not i) and is_described(line, lines))
        ):
            return [line]
    return []


#: The longest line that is only a date.
_MAX_DATE_LINE_CHARS = 80
_TIME = re.compile(r"(?<!\d)[0-9]{1,2}:[0-9]{2}(?!\d)")


def _is_time(line: str) -> bool:
    return len(line) <= _MAX_DATE_LINE_CHARS and _TIME.search(line) is not None


_MAX_LINES_ABOVE = 3


def _lines_beside(lines: Sequence[str], position: int) -> Iterator[str]:
    """Yield the short lines below the title, to the second paragraph, and those above it."""
    paragraphs = 0
    for line in lines[position + 1 : position + 1 + MAX_LINES_TO_TEXT]:
        if is_paragraph(line):
            paragraphs += 1
            if paragraphs == 2:
                break
        elif len(line) <= _MAX_LINE_CHARS:
            yield line
    lines_above = reversed(lines[max(0, position - _MAX_LINES_ABOVE) : position])
    yield from (line for line in lines_above if len(line) <= _MAX_LINE_CHARS)


def _title_positions(lines: Sequence[str], title: str) -> list[int]:
    """Return the indexes of the title's lines: the one above the text, then the first."""
    key, max_chars = title_key(title), len(title) + MAX_CHARS_BESIDE_TITLE
    min_chars = len(key) / LONGEST_FOLDED
    positions = [
        i
        for i, line in enumerate(lines)
        if key and min_chars <= len(line) <= max_chars and title_key(line) == key
    ]
    if not positions:
        return []
    first = next((i for i in positions if is_above_text(lines, i)), positions[0])
    return [_last_title_line(positions, first), _last_title_line(positions, positions[0])]


def _last_title_line(positions: Sequence[int], first: int) -> int:
    """Return the last of the title's lines that follow each other closely."""
    for position in positions:
        if first < position <= first + MAX_LINES_TO_TEXT:
            first = position
    return first


_MAX_TITLES = 60


def _title_heading(tree: HtmlElement, title: str) -> HtmlElement | None:
    """Return the heading that is the title, or else the first main heading."""
    main_headings = [
        h1
        for h1 in islice(tree.iter("h1"), _MAX_HEADINGS)
        if element_line(h1) and not _in_menu(h1) and not _is_in(_LOGO, h1)
    ]
    lower_headings = islice(tree.iter("h2", "h3"), _MAX_TITLES)
    for heading in chain(main_headings, lower_headings):
        if title in title_key(element_line(heading)):
            return heading
    return main_headings[0] if main_headings else _find_text_element(tree, title)


#: The most characters that a title has more than its key of letters and digits.
_MAX_CHARS_BESIDE_KEY = 120
_MAX_ELEMENTS = 20_000


def _find_text_element(tree: HtmlElement, title: str) -> HtmlElement | None:
    """Return the first element in the body whose own text is the title."""
    body = tree.find("body")
    for element in islice(() if body is None else body.iter("*"), _MAX_ELEMENTS):
        text = element.text or ""
        if text and len(text) <= len(title) + _MAX_CHARS_BESIDE_KEY and title_key(text) == title:
            return element
    return None


#: The largest distance of a mark below the main heading, in elements.
_MAX_BELOW_HEADING = 80
_MAX_ABOVE_HEADING = 30
#: The largest distance from the page's top if it has no heading.
_MAX_WITHOUT_HEADING = 250


def _elements_near_heading(
    tree: HtmlElement, heading: HtmlElement | None
) -> list[list[HtmlElement]]:
    """Return the elements after and before the main heading, or else the page's first ones."""
    if heading is not None:
        elements_above: deque[HtmlElement] = deque(maxlen=_MAX_ABOVE_HEADING)
        elements = islice(tree.iter("*"), _MAX_ELEMENTS)
        for element in elements:
            if element is heading:
                return [list(islice(elements, _MAX_BELOW_HEADING - 1)), list(elements_above)]
            elements_above.append(element)
    body = tree.find("body")
    return [[] if body is None else list(islice(body.iter("*"), _MAX_WITHOUT_HEADING))]


_PROPERTIES = frozenset({
    "author", "creator", "schema:author", "dc:creator", "datePublished", "schema:datePublished",
})  # fmt: skip
_AUTHOR_PAGE = re.compile(
    r"/(authors?|autor(?:en|es|in)?|auteurs?|autori|autore|authors-profiles?|contributors?|columnists?|journalists?"
    r"|writers?|reporters?|profiles?|staff|people|skribenter?)/[^/?#]{3,80}/?$",
    re.IGNORECASE,
)


def _mark_kind(element: HtmlElement) -> int:
    """Return whether an element is marked as an author or a date; 0 for neither."""
    if element.tag == "meta":
        return 0  # read with the head
    if element.tag == "time":
        return 0 if _is_modified(element) else _IS_DATE
    attributes = dict(element.items())
    if not attributes:
        return 0
    properties = attributes.get("itemprop") or attributes.get("property") or ""
    if not _PROPERTIES.isdisjoint(properties[:100].split()):
        return _IS_DATE if "datePublished" in properties else _IS_AUTHOR
    if "author" in attributes.get("rel", "").split():
        return _IS_AUTHOR
    page = _AUTHOR_PAGE.search(attributes.get("href", "")[:300])
    if page and not (page[1] == "people" and "tag" in attributes.get("rel", "").split()):
        return _IS_AUTHOR
    if element.tag == "dd" and "createdby" in attributes.get("class", "").split():  # Joomla
        return _IS_AUTHOR
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
    return _mark_kind_of_class(names[:400])


#: Every class that marks an author or a date contains one of these.
_CLASS_HINTS = ("aut", "byline", "by-line", "writ", "date", "publi", "posted")
_AUTHOR_CLASS = re.compile(
    r"(?:^|[\s_-])(?:byline|by-line|authors?|autor(?:en|in)?|auteurs?|autore|writer|writtenby)"
    r"(?:[-_]{1,2}(?:names?|links?|list|info|text|box|block|wrapper))*(?:__[a-z0-9]{5,6})?(?:$|\s)|authorname|(?:text|article|story|news|post)author|byline__author"
)
_DATE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:published|pubdate|pub-date|dt-published|publish-?(?:ed-?)?(?:date|time)"
    r"|date-?published|entry-date|post-date|posted-on|article-date)(?:$|\s)"
)


@lru_cache(4096)
def _mark_kind_of_class(classes: str) -> int:
    classes = classes.lower()
    if not any(word in classes for word in _CLASS_HINTS):
        return 0
    if _AUTHOR_CLASS.search(classes):
        return _IS_AUTHOR
    return _IS_DATE if _DATE_CLASS.search(classes) else 0


def _is_modified(element: HtmlElement) -> bool:
    names = " ".join(filter(None, (element.get("class"), element.get("itemprop"))))
    for parent in islice(element.iterancestors(), 1):
        names += f" {(parent.text or '')[:60]}{(parent.get('class') or '')[:60]}"
    return _UPDATE_WORD.search(names) is not None


#: A heading on the same subject shares at least one word in this many with the title.
_WORDS_PER_SHARED_WORD = 3


def _ancestors_of_title(heading: HtmlElement | None, title: str) -> frozenset[HtmlElement]:
    """Return the elements around the title, and the rest of its block, below it."""
    words = set() if heading is None else set(title_key(element_line(heading)).split())
    shared_words = len(words.intersection(title.split()))
    if heading is None or _WORDS_PER_SHARED_WORD * shared_words < max(
        1, min(len(words), len(title.split()))
    ):
        return frozenset()
    ancestors = list(islice(heading.iterancestors(), _MAX_ANCESTORS))
    rows = (element.getnext() for element in ancestors if element.tag == "tr")
    below = heading.getnext()
    if below is not None and _block_names(below).isdisjoint(
        name
        for part in islice(heading.iter("*"), _MAX_MARK_ELEMENTS)
        for name in _block_names(part)
    ):
        below = None
    return frozenset(ancestors).union(e for e in (below, *rows) if e is not None)


def _block_names(element: HtmlElement) -> set[str]:
    """Return the names of the blocks of whose parts a class tells: 'head' of 'head__title'."""
    classes = (element.get("class") or "")[:300].split()
    return {name.partition("__")[0] for name in classes if "__" in name}


_MAX_BETWEEN_MARKS = 2


def _read_first(
    marks: list[HtmlElement],
    read: Callable[[HtmlElement], str],
    title_ancestors: Collection[HtmlElement],
) -> list[str]:
    """Read the first mark that is not empty, and those next to it."""
    previous: HtmlElement | None = None
    texts: list[str] = []
    for mark in marks:
        text = read(mark)
        if not text or _is_unrelated(mark, title_ancestors):
            continue
        if previous is None or previous in islice(
            mark.itersiblings(preceding=True), _MAX_BETWEEN_MARKS
        ):
            texts.append(text)
            previous = mark
    return texts


#: Containers of the marks of other stories and of comments.
_UNRELATED_CLASS = re.compile(
    r"(?<!has)(?<!with)(?<!no)(?:^|[\s_-])(?:comments?|comment-\w+|related|recommend\w*|sidebar"
    r"|teasers?|repl(?:y|ies)|reviews|newsletter|carousel|popular|trending|read-?(?:next|more)"
    r"|most-read|bread-?crumbs?|testimonials?|cards?|latest|disqus|bio)(?:$|[\s_-])"
    r"|(?:^|\s)(?:nav|navigation|menu)(?:$|\s)",
    re.IGNORECASE,
)
_UNRELATED_TAGS = frozenset({"aside", "blockquote", "figure", "footer", "form", "nav", "tr"})
#: The class of an aside with the page's author and date.
_DATA_CLASS = re.compile(r"(?:^|[\s_-])meta(?:$|[\s_-])", re.IGNORECASE)


def _is_unrelated(mark: HtmlElement, title_ancestors: Collection[HtmlElement] = ()) -> bool:
    """Return whether a mark belongs to another story. Ancestors of the title never do."""
    for element in (mark, *islice(mark.iterancestors(), _MAX_ANCESTORS - 1)):
        if element in title_ancestors or element.tag in {"body", "html", "main"}:
            return False
        is_about_page = element.tag == "aside" and (element is mark or _is_data(element, mark))
        if element.tag in _UNRELATED_TAGS and not is_about_page:
            return True
        if _UNRELATED_CLASS.search(class_and_id(element)):
            return True
    return False


def _is_data(aside: HtmlElement, mark: HtmlElement) -> bool:
    """Return whether an aside is the page's data by name, with no story before or beside a mark."""
    if not _DATA_CLASS.search(class_and_id(aside)):
        return False
    before = takewhile(lambda element: element is not mark, aside.iter("*"))
    beside = mark.getparent().iter("*")
    elements = chain(islice(before, _MAX_MARK_ELEMENTS), islice(beside, _MAX_MARK_ELEMENTS))
    return all(e.tag != "a" or _mark_kind(e) == _IS_AUTHOR for e in elements)


#: Containers of the photographer's name.
_CAPTION_CLASS = re.compile(r"(?:photo|image|media)-?(?:text|caption|credit)", re.IGNORECASE)
#: The most elements from a mark to such a container.
_MAX_CAPTION_LEVELS = 2
_MAX_MARK_ELEMENTS = 60


def _is_person(element: HtmlElement) -> bool:
    """Return whether an element in a mark is a name, or a link of text only to an author."""
    is_page = not len(element) and _AUTHOR_PAGE.search(element.get("href", "")) is not None
    is_name = element.get("itemprop") == "name"
    return is_page or is_name or "author" in element.get("rel", "").split()


def _read_author(mark: HtmlElement) -> str:
    """Return the names in a mark: the parts marked as names, else its whole text if short."""
    paragraph = next(mark.iterancestors("p"), None) if mark.tag == "a" else None
    if paragraph is not None and len(element_line(paragraph)) > _MAX_LINE_CHARS:
        return ""  # a person of whom the text tells
    ancestors = islice(mark.iterancestors(), _MAX_CAPTION_LEVELS)
    if any(_CAPTION_CLASS.search((element.get("class") or "")[:300]) for element in ancestors):
        return ""
    people: dict[str, str] = {}
    for element in filter(_is_person, islice(mark.iterdescendants(), _MAX_MARK_ELEMENTS)):
        text = element_line(element) or clean_line(element.get("content"))
        if text and not (people and element.get("itemprop") == "name"):
            # The first link to a page, not 'More by this author'.
            people.setdefault(element.get("href") or text, text)
    if people:
        return ", ".join(dict.fromkeys(people.values()))
    text = element_line(mark, " ")
    is_label = len(text.split()) <= _MAX_LABEL_WORDS and not join_names([text])  # 'Posted on'
    return text if len(text) <= _MAX_LINE_CHARS and not is_label else ""


def _read_byline(mark: HtmlElement) -> str:
    text = element_line(mark, " ")
    return find_byline(text) if len(text) <= _MAX_LINE_CHARS else ""


def _read_date_beside(mark: HtmlElement, language: str) -> str:
    """Return the date on the line of a byline."""
    parent = mark.getparent()
    line = mark if parent is None else parent
    text = element_line(line, " ", 2 * _MAX_LINE_CHARS)
    is_short = len(text) <= _MAX_LINE_CHARS and not _UPDATE_WORD.search(text)
    return find_date(text, language) if is_short and find_byline(element_line(mark, " ")) else ""


_MIN_DATE_CHARS = 6
_MAX_DATE_LINE_WORDS = 4
_LABEL = re.compile(r"[^\W\d]{2,20}:")


def _read_unmarked_date(
    element: HtmlElement, language: str, title_ancestors: Collection[HtmlElement]
) -> str:
    """Return the date in a line without a mark that contains little else."""
    line = element.tail if element.tag == "br" else element.text
    text = (line or "")[:_MAX_DATE_LINE_CHARS].strip()
    if len(text) < _MIN_DATE_CHARS or not any(map(str.isdigit, text)) or _UPDATE_WORD.search(text):
        return ""
    date = find_date(text, language)
    has_few_words = len(LONG_WORD.findall(text)) <= _MAX_DATE_LINE_WORDS
    parent = element.getparent()
    is_link = element.tag == "a" or (parent is not None and parent.tag == "li")
    if is_link and parent is not None and parent.tag == "p" and element_line(parent) != text:
        return ""  # in running text
    if parent is not None and "dd" in (element.tag, parent.tag) and _LABEL.match(text):
        return ""  # about the author
    related = frozenset[HtmlElement]() if is_link else title_ancestors
    return date if date and has_few_words and not _is_unrelated(element, related) else ""


def _read_date(mark: HtmlElement, language: str) -> str:
    """Return the date in a mark, preferably from its machine-readable value."""
    for value in (mark.get("datetime"), mark.get("content"), mark.get("title")):
        if value and (date := parse_date(value, language)):
            return date
    time = None if mark.tag == "time" else mark.find(".//time")
    if time is not None:
        return _read_date(time, language)
    return find_date(element_line(mark), language)
