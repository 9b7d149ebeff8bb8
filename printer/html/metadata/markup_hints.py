"""Read headings, authors and dates marked in a page's body by microdata, RDFa, rel or class."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import dropwhile, islice

from lxml.html import HtmlElement

from ...text import clean_line
from ..parse import element_line
from .bylines import find_byline
from .dates import find_date, parse_date

#: Limits of the headings to examine, and of the text leaves of one element.
_MAX_HEADINGS, _MAX_LEAVES = 20, 200
#: The most elements between two marks that are side by side.
_BESIDE = 2
#: The largest distance of a mark below the main heading, above it, and from the page's top if it
#: has no heading; in elements.
_BELOW, _ABOVE, _ALONE = 80, 30, 250
#: The most elements to search for the heading.
_MAX_ELEMENTS = 20_000
#: The most ancestors of a mark to examine.
_DEPTH = 40
_MAX_CHARS = 160

_IS_AUTHOR, _IS_DATE = 1, 2
#: Every class that marks an author or a date contains one of these.
_HINTS = ("aut", "byline", "by-line", "writ", "date", "publi", "posted")
_ITEMS = frozenset({
    "author", "creator", "schema:author", "dc:creator", "datePublished", "schema:datePublished",
})  # fmt: skip
_AUTHOR = re.compile(
    r"(?:^|[\s_-])(?:byline|by-line|authors?|autor(?:en|in)?|auteurs?|autore|writer|writtenby)"
    r"(?:[-_]{1,2}(?:names?|links?|list))*(?:$|\s)|authorname|byline__author"
)
_DATE = re.compile(
    r"(?:^|[\s_-])(?:published|pubdate|pub-date|dt-published|publish-?(?:ed-?)?(?:date|time)"
    r"|date-?published|entry-date|post-date|posted-on|article-date)(?:$|\s)",
)
#: Containers of the marks of other stories and of comments.
_UNRELATED = re.compile(
    r"(?<!has)(?<!with)(?<!no)(?:^|[\s_-])(?:comments?|comment-\w+|related|recommend\w*|sidebar"
    r"|teasers?|repl(?:y|ies)|reviews|newsletter|carousel|popular|trending|read-?(?:next|more)"
    r"|most-read|testimonials?|cards?|latest|disqus|bio)(?:$|[\s_-])",
    re.IGNORECASE,
)
_UNRELATED_TAGS = frozenset({"aside", "blockquote", "figure", "footer", "form", "nav", "tr"})
_UPDATED = re.compile(
    r"updat|modif|revis|edited|aktualisiert|geändert|mis à jour|actualiz|aggiorna|atualiz|"
    r"bijgewerkt|uppdater|opdater|oppdater|обновлен|更新",
    re.IGNORECASE,
)
#: The beginning of a byline, in languages where it begins nothing else.
_BYLINE = re.compile(
    r"\s{0,40}(?:(?:[Ww]ritten |[Pp]osted |[Pp]ublished )?[Bb]y\s|BY\s|Von\s|VON\s|Por\s|Par\s"
    r"|Door\s|Автор:|Текст:|Tekst:|Autore?:|Autorka?:|Auteur\s?:|Yazan:|Tác giả:|लेखक:|लेखिका:|โดย\s"
    r"|Συντάκτ\w{1,4}:|بقلم|מאת|文[／/・:：]|記者[:：\s]|作者[:：])"
)


@dataclass(slots=True)
class MarkupHints:
    """The marked authors and dates of the page's own story."""

    authors: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)


def main_headings(tree: HtmlElement) -> list[str]:
    """Return the text of the page's main headings, in document order."""
    headings = (
        element_line(element) or _picture_text(element)
        for element in islice(tree.iter("h1"), _MAX_HEADINGS)
    )
    return list(dict.fromkeys(filter(None, headings)))


def _picture_text(element: HtmlElement) -> str:
    inner = islice(element.iter(), _MAX_LEAVES)
    return next((clean_line(e.get("alt")) for e in inner if e.tag == "img"), "")


def read_markup_hints(tree: HtmlElement) -> MarkupHints:
    """Read the marked author and date of publication.

    Only marks near the main heading are examined; those of other stories are farther away.
    """
    h1s = islice(tree.iter("h1"), _MAX_HEADINGS)
    heading = next((h1 for h1 in h1s if element_line(h1)), None)
    hints = MarkupHints()
    kinds: dict[str, int] = {}
    for window in _near(tree, heading):
        authors: list[HtmlElement] = []
        lines: list[HtmlElement] = []
        dates: list[HtmlElement] = []
        for element in window:
            kind = _kind(element, kinds)
            if kind == _IS_AUTHOR:
                authors.append(element)
            elif kind == _IS_DATE:
                dates.append(element)
            elif element.text and _BYLINE.match(element.text):
                lines.append(element)
        hints.authors = hints.authors or _first(authors, _author) or _first(lines, _byline)
        hints.dates = hints.dates or _first(dates, _date) or _first(lines, _date_beside)
    return hints


def _near(tree: HtmlElement, heading: HtmlElement | None) -> list[list[HtmlElement]]:
    """Return the elements after and before the main heading, or else the page's first ones."""
    if heading is not None:
        above: deque[HtmlElement] = deque(maxlen=_ABOVE)
        elements = islice(tree.iter("*"), _MAX_ELEMENTS)
        for element in elements:
            if element is heading:
                return [list(islice(elements, _BELOW - 1)), list(above)]
            above.append(element)
    body = tree.find("body")
    first = dropwhile(lambda element: element is not body, islice(tree.iter("*"), _MAX_ELEMENTS))
    return [list(islice(first, _ALONE)) or list(islice(tree.iter("*"), _ALONE))]


def _kind(element: HtmlElement, kinds: dict[str, int]) -> int:
    """Return what an element is marked as: author, date, or 0 for neither."""
    if element.tag == "meta":
        return 0  # read with the head
    if element.tag == "time":
        return 0 if _is_modified(element) else _IS_DATE
    attributes = dict(element.items())
    if not attributes:
        return 0
    item = attributes.get("itemprop") or attributes.get("property")
    if item:
        if not _ITEMS.isdisjoint(item[:100].split()):
            return _IS_DATE if "datePublished" in item else _IS_AUTHOR
        if "dateModified" in item:
            return 0
    if "author" in attributes.get("rel", "").split():
        return _IS_AUTHOR
    named = attributes.get("class")
    if not named:
        return 0
    kind = kinds.get(named)
    if kind is None:
        short = named[:400].lower()
        kind = 0
        if any(word in short for word in _HINTS):
            kind = _IS_AUTHOR if _AUTHOR.search(short) else _IS_DATE if _DATE.search(short) else 0
        kinds[named] = kind
    return kind


def _is_modified(element: HtmlElement) -> bool:
    parent = element.getparent()
    around = " ".join(filter(None, (element.get("class"), element.get("itemprop"))))
    before = "" if parent is None else (parent.text or "")[:60] + (parent.get("class") or "")[:60]
    return bool(_UPDATED.search(around + " " + before))


def _first(marks: list[HtmlElement], read: Callable[[HtmlElement], str]) -> list[str]:
    """Read the first mark that is not empty, and those beside it."""
    last: HtmlElement | None = None
    texts: list[str] = []
    for mark in marks:
        text = read(mark)
        if not text or _is_unrelated(mark):
            continue
        if last is None or last in islice(mark.itersiblings(preceding=True), _BESIDE):
            texts.append(text)
            last = mark
    return texts


def _is_unrelated(mark: HtmlElement) -> bool:
    """Return whether a mark is outside the page's own story."""
    for element in (mark, *islice(mark.iterancestors(), _DEPTH - 1)):
        if element.tag in {"body", "html", "main"}:
            return False
        if element.tag in _UNRELATED_TAGS:
            return True
        named = element.get("class")
        if named and _UNRELATED.search(named[:300]):
            return True
    return False


def _author(mark: HtmlElement) -> str:
    """Return the name in a mark: the part marked as name, else its whole text if short."""
    if mark.get("content"):
        return mark.get("content") or ""
    for element in islice(mark.iterdescendants(), 60):
        if element.get("itemprop") == "name" or "author" in (element.get("rel") or "").split():
            text = element_line(element) or clean_line(element.get("content"))
            if text:
                return text
    text = element_line(mark, " ")
    return text if len(text) <= _MAX_CHARS else ""


def _byline(mark: HtmlElement) -> str:
    text = element_line(mark, " ")
    return find_byline(text) if len(text) <= _MAX_CHARS else ""


def _date_beside(mark: HtmlElement) -> str:
    """Return the date on the line of a byline."""
    parent = mark.getparent()
    around = mark if parent is None or parent.tag == "body" else parent
    text = element_line(around, " ", 2 * _MAX_CHARS)
    short = len(text) <= _MAX_CHARS and not _UPDATED.search(text)
    return find_date(text) if short and find_byline(element_line(mark, " ")) else ""


def _date(mark: HtmlElement) -> str:
    """Return the date in a mark, preferably from its machine-readable value."""
    for value in (mark.get("datetime"), mark.get("content"), mark.get("title")):
        if value and (date := parse_date(value)):
            return date
    time = None if mark.tag == "time" else mark.find(".//time")
    if time is not None:
        return _date(time)
    text = element_line(mark)
    return find_date(text) if len(text) <= _MAX_CHARS else ""
