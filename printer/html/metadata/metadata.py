"""Read a page's metadata: title, byline, date, site, language, direction, lead."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from ...text import clean_attribute, clean_line, comparison_key, count_words, is_placeholder
from ...urls import host_of, resolve
from ..index import ElementsByTag
from ..parse import element_line
from .bylines import (
    find_dated_signature,
    is_account,
    is_byline_label,
    is_login,
    join_names,
    labeled_lines,
    without_address,
)
from .dates import DAY_CHARS, find_labeled_date, find_path_date, parse_date
from .jsonld import SchemaMetadata, load_names, read_json_ld, read_linked_data, read_schema
from .language import choose_language, text_direction
from .markup_hints import (
    UPDATED,
    find_kicker,
    main_headings,
    read_line_hints,
    read_markup_hints,
    read_signatures,
    read_visible_byline,
)
from .titles import SiteNames, choose_title

_flat = chain.from_iterable
#: The names of ``meta`` elements that state each field, the most reliable first.
_NAMES = {field: names.split() for field, names in load_names("meta").items()}
_MAX_URL_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Head:
    """The statements of a page's ``meta``, ``link`` and ``title`` elements, unprocessed.

    ``metas`` holds the values of each lower-case name in document order.
    """

    title: str = ""
    canonical: str = ""
    metas: dict[str, list[str]] = field(default_factory=dict)

    def values(self, *names: str, limit: int = 500) -> list[str]:
        """Return all values of the first of ``names`` that has any."""
        return next(filter(None, self.value_lists(names, limit)), [])

    def value_lists(self, names: Iterable[str], limit: int = 500) -> Iterator[list[str]]:
        for name in names:
            if name in self.metas:
                yield [text for raw in self.metas[name] if (text := clean_attribute(raw, limit))]

    def first(self, *names: str, limit: int = 500) -> str:
        """Return the first value stated under ``names``, or ''."""
        return next(iter(self.values(*names, limit=limit)), "")


#: The most ``meta`` and ``link`` elements to read.
_MAX_HEAD_ELEMENTS = 2_000
#: The most values of one name.
_MAX_VALUES = 20
_NAME_ATTRIBUTES = frozenset({"property", "name", "itemprop", "http-equiv"})


def read_head(elements: Iterable[HtmlElement]) -> Head:
    """Read a page's elements ``meta``, ``link`` and ``title``, also in the body."""
    metas: dict[str, list[str]] = {}
    canonical = ""
    titles: list[HtmlElement] = []
    for element in islice(elements, _MAX_HEAD_ELEMENTS):
        if element.tag == "title":
            titles.append(element)
            continue
        if element.tag == "link":
            if not canonical and "canonical" in (element.get("rel") or "").lower().split():
                canonical = element.get("href") or ""
            continue
        content = element.get("content") or ""
        if is_placeholder(content) or not any(map(str.isalnum, content)):
            continue
        names = (text[:200].lower() for kind, text in element.items() if kind in _NAME_ATTRIBUTES)
        for name in " ".join(names).split():
            values = metas.setdefault(name, [])
            if len(values) < _MAX_VALUES:
                values.append(content)
    return Head(_document_title(titles), canonical, metas)


def _document_title(titles: Iterable[HtmlElement]) -> str:
    """Return the document's title, ignoring titles of drawings."""
    for element in titles:
        if element.getparent().tag not in {"svg", "symbol", "g", "path", "use"}:
            text = clean_attribute("".join(element.itertext()))
            if text and not is_placeholder(text):
                return text
    return ""


@dataclass(frozen=True, slots=True)
class Metadata:
    """A page's statements about itself; '' for anything unstated.

    ``published`` is an ISO 8601 date or date-time, ``language`` a BCP 47 tag, ``direction`` 'ltr'
    or 'rtl', ``canonical`` and ``image`` are absolute http(s) URLs.
    """

    title: str = ""
    byline: str = ""
    published: str = ""
    site: str = ""
    lead: str = ""
    language: str = ""
    direction: str = ""
    canonical: str = ""
    image: str = ""
    section: str = ""
    is_article: bool = False


#: What software writes for a title or a section that was never set.
_NO_VALUE = {field: frozenset(words.split("|")) for field, words in load_names("no_value").items()}
_NO_SITES = _NO_VALUE["any"] | _NO_VALUE["site"]
#: Separators between a title and the site's name, which some sites state with it.
_AROUND_SITE = " |·•–—-/"
_MAX_SITE_CHARS = 100
_MAX_LEAD_CHARS = 1_000


def read_metadata(
    tree: HtmlElement,
    url: str,
    base: str,
    lines: Sequence[str] = (),
    elements: ElementsByTag | None = None,
) -> Metadata:
    """Return a page's metadata, from JSON-LD, OpenGraph, Dublin Core, meta, microdata, the text."""
    elements = elements or ElementsByTag(tree)
    head = read_head(elements.find("meta", "link", "title"))
    canonical = _canonical(head, url, base)
    schema = read_schema(read_json_ld(read_linked_data(elements.find("script"))), (url, canonical))
    sites = _sites(head, schema)
    # A saved page has the host of its own address only here.
    stated_host = host_of(_absolute(head.first("og:url", limit=_MAX_URL_CHARS), base))
    site_names = SiteNames([*sites, stated_host.removeprefix("www.")], url)
    is_article = schema.article or head.first("og:type").lower() == "article"
    titles = [*map(clean_attribute, schema.titles), *_flat(head.value_lists(_NAMES["title"]))]
    headings = main_headings(elements, head.title, titles)
    title = choose_title(head.title, headings, titles, site_names, article=is_article, lines=lines)
    name = (
        next(iter(sites), "")
        or site_names.find_in_title(head.title, [heading.text for heading in headings])
        or _publisher(head)
    )
    if count_words(title) > _MAX_SITE_WORDS:  # the title may precede the name
        name = name.removeprefix(title).lstrip(_AROUND_SITE) or name
    site = site_names.short_name(name).strip(_AROUND_SITE)
    language = choose_language(_languages(tree, head, schema), lambda size: sample_text(tree, size))
    stated_authors = _stated_authors(head, schema)
    path_date = find_path_date(_path(url))
    published = _published(head, schema, language, path_date)
    is_stated = bool(schema.published or head.first(*_NAMES["date"]))
    byline, published = _byline_and_date(
        tree,
        lines,
        title,
        language,
        stated_authors,
        published,
        (*sites, site, site_names.host),
        is_vague=not is_stated and published[:DAY_CHARS] != path_date,
    )
    lead = next(iter(schema.leads), "")
    return Metadata(
        title=title,
        byline=byline,
        # Last, as the stated address may be that of another copy.
        published=published or find_path_date(_path(canonical)),
        site=site,
        lead=head.first(*_NAMES["lead"], limit=_MAX_LEAD_CHARS)
        or clean_attribute(lead, _MAX_LEAD_CHARS),
        language=language,
        direction=_direction(tree) or text_direction(language),
        canonical=canonical,
        image=_picture(head, schema, base),
        section=find_kicker(tree, title) or _section(head, schema, site, title, elements),
        is_article=is_article,
    )


def _byline_and_date(
    tree: HtmlElement,
    lines: Sequence[str],
    title: str,
    language: str,
    stated_authors: Iterable[Sequence[str]],
    date: str,
    sites: Sequence[str],
    *,
    is_vague: bool,
) -> tuple[str, str]:
    """Return the byline, best from just below the title, and the stated or visible date.

    An earlier one just below the title precedes a stated date that ``is_vague``, which is then that
    of the last change, unless readers see it as well.
    """
    short_lines = [line for line in lines if len(line) <= _MAX_BYLINE_CHARS]
    # Of names of accounts, only those on the page and the site's sign.
    lists = (
        [t for t in texts if not is_account(t) or any(t in line for line in short_lines)]
        for texts in stated_authors
    )
    bylines = [[without_address(text, *sites) for text in texts] for texts in lists]
    not_authors = (*sites, title)
    names = _persons(bylines, language, *not_authors)
    if names:
        displayed = _persons(bylines, language, *not_authors, lines=short_lines)
        visible = read_visible_byline(lines, title, names, language)
        if is_login(names) and not visible:
            visible = read_markup_hints(tree, title, language).authors
        names = join_names(visible, language, *not_authors) or displayed or names
    line_hints = read_line_hints(lines, title, language)
    date_below_title = ""
    if not (names and date) or is_vague or _other_days(date):
        markup_hints = read_markup_hints(tree, title, language)
        date_below_title = markup_hints.date_below_title
        is_list = not date and _are_dates_of_list(line_hints.dates)
        is_confirmed = any(
            day[:DAY_CHARS] == date[:DAY_CHARS] and not day.endswith("+00:00")
            for day in markup_hints.dates
        )
        for hints in () if is_list else (markup_hints, line_hints):
            bylines.append(hints.authors)
            names = names or join_names(hints.authors, language, *not_authors)
            date = date if is_confirmed else _visible_date(date, next(iter(hints.dates), ""))
    displayed_days = {day[:DAY_CHARS] for day in line_hints.dates}
    is_changed = is_vague and date_below_title[:DAY_CHARS] < date[:DAY_CHARS]
    if is_changed and date[:DAY_CHARS] not in displayed_days:
        date = date_below_title or date
    displayed = _displayed_date(date, line_hints.dates)
    if date and displayed != date:
        below = date_below_title or read_markup_hints(tree, title, language).date_below_title
        displayed = date if below[:DAY_CHARS] == date[:DAY_CHARS] else displayed
    date = displayed or find_labeled_date(labeled_lines(lines), language, UPDATED)
    if not names:
        signatures = find_dated_signature(lines, date, language) or read_signatures(tree)
        names = join_names(signatures, language, *not_authors)
    names = names or _persons(bylines, language, title)
    site_keys = {*map(comparison_key, sites)} - {""}
    return names or next((t for t in chain(*bylines) if comparison_key(t) in site_keys), ""), date


_MAX_BYLINE_CHARS = 160


def _canonical(head: Head, url: str, base: str) -> str:
    """Return the page's canonical URL, unless a story claims that of the front page."""
    for stated in (head.canonical, head.first("og:url", limit=_MAX_URL_CHARS)):
        canonical = _absolute(stated, base)
        if canonical and (_path(canonical) or not _path(url)):
            return canonical
    return ""


def _path(url: str) -> str:
    try:
        return urlsplit(url).path.strip("/")
    except ValueError:  # an invalid IPv6 address
        return ""


def _absolute(url: str, base: str) -> str:
    url = clean_line(url[:_MAX_URL_CHARS], _MAX_URL_CHARS)
    return resolve(base, url) if url and " " not in url else ""


#: The most words of a site's name that is also the title of a page.
_MAX_SITE_WORDS = 3


def _sites(head: Head, schema: SchemaMetadata) -> list[str]:
    site_names = head.values("og:site_name", limit=_MAX_SITE_CHARS)
    site_names += [clean_attribute(name, _MAX_SITE_CHARS) for name in schema.sites]
    names = [
        name
        for name in site_names
        if any(map(str.isalnum, name)) and "://" not in name and name.lower() not in _NO_SITES
    ]
    # Some pages state their title instead.
    return [name for name in names if name != head.title or count_words(name) <= _MAX_SITE_WORDS]


def _publisher(head: Head) -> str:
    """Return the stated publisher, without an e-mail address after it."""
    text = head.first(*_NAMES["site"], limit=_MAX_SITE_CHARS)
    name = text.partition(",")[0] if "@" in text else text
    return "" if "@" in name else name


_MAX_SECTION_CHARS = 30
#: Only a path, a list or a file's name has these.
_CHARACTERS_NOT_IN_SECTIONS = frozenset("/,_|>:;")


def _section(
    head: Head, schema: SchemaMetadata, site: str, title: str, elements: ElementsByTag
) -> str:
    """Return the name of the page's section, unless it is part of a URL, the site's or an id.

    A lower-case id is replaced by the text of the page's link to the section; an English name on a
    page in another script is dropped.
    """
    sections = (*schema.sections, *_flat(head.value_lists(_NAMES["section"])))
    no_value = _NO_VALUE["any"] | _NO_VALUE["section"]
    names = (name for name in map(clean_attribute, sections) if name.lower() not in no_value)
    name = next(names, "")
    if name.islower():
        name = _link_text(elements, name)
    is_name = len(name) <= _MAX_SECTION_CHARS and not _CHARACTERS_NOT_IN_SECTIONS.intersection(name)
    letters = "".join(filter(str.isalpha, title))
    is_foreign = bool(letters) and name.isascii() and not any(map(str.isascii, letters))
    is_other = is_foreign or name.lower() == site.lower()
    return name if is_name and not is_other else ""


#: The fewest characters of an element in a text sample.
_MIN_SAMPLED_CHARS = 20
#: The fewest characters of a sufficient sample.
_MIN_SAMPLE_CHARS = 300
_MAX_SAMPLED_ELEMENTS = 10_000
_MAX_LINKS = 1_000


def _link_text(elements: ElementsByTag, name: str) -> str:
    """Return the text of a link that is a name but for its accents, capitals and spaces, or ''."""
    key = _plain_letters(name)
    for link in elements.find("a")[:_MAX_LINKS]:
        text = element_line(link, limit=2 * _MAX_SECTION_CHARS)
        if _plain_letters(text) == key and text != text.lower():
            return text
    return ""


def _plain_letters(text: str) -> str:
    return comparison_key("".join(filter(str.isascii, unicodedata.normalize("NFKD", text))))


def sample_text(tree: HtmlElement, size: int) -> str:
    """Return text of a page's paragraphs or, without any, of other elements with text."""
    texts: list[str] = []
    length = 0
    for tags in (("p",), ("div", "td", "li", "dd", "font", "span"), ("a", "h1", "h2", "option")):
        for element in islice(tree.iter(*tags), _MAX_SAMPLED_ELEMENTS):
            if tags[0] == "p":
                text = element_line(element, limit=size)
            else:
                text = " ".join(filter(None, (element.text, *(child.tail for child in element))))
            if len(text) > _MIN_SAMPLED_CHARS and not text.isspace():
                texts.append(text[:size])
                length += len(texts[-1])
                if length > size:
                    return clean_line(" ".join(texts), size)
        if length > _MIN_SAMPLE_CHARS:
            break
    return clean_line(" ".join(texts), size)


def _picture(head: Head, schema: SchemaMetadata, base: str) -> str:
    addresses = chain(
        _flat(head.value_lists(_NAMES["picture"], limit=_MAX_URL_CHARS)),
        (clean_attribute(url, _MAX_URL_CHARS) for url in schema.images),
    )
    return next(filter(None, (_absolute(url, base) for url in addresses)), "")


def _languages(tree: HtmlElement, head: Head, schema: SchemaMetadata) -> list[str]:
    """Return the languages that a page states, the most reliable first."""
    roots = [element for element in (tree, tree.find("body")) if element is not None]
    languages = [root.get(name) or "" for root in roots for name in ("lang", "xml:lang")]
    return [*languages, *_flat(head.value_lists(_NAMES["language"], limit=60)), *schema.languages]


def _stated_authors(head: Head, schema: SchemaMetadata) -> list[list[str]]:
    """Return the lists of authors that a page states, JSON-LD first."""
    label, name = head.first("twitter:label1"), head.first("twitter:data1")
    labeled = [name] if is_byline_label(label) else []
    return [[*schema.authors], [*schema.creators], *head.value_lists(_NAMES["author"]), labeled]


def _persons(
    name_lists: Iterable[Iterable[str]], language: str, *not_authors: str, lines: Sequence[str] = ()
) -> str:
    """Return the names of the first list that has any, and one on the lines if there are some."""
    for texts in name_lists:
        names = join_names(texts, language, *not_authors)
        is_displayed = any(name in line for name in names.split(", ") for line in lines)
        if names and (is_displayed or not lines):
            return names
    return ""


def _published(head: Head, schema: SchemaMetadata, language: str, path_date: str) -> str:
    """Return the first stated date, with a time from another of that day.

    If there is none, or it is in UTC on an adjacent day, return the day in the URL's path.
    """
    dates = _dates(schema.published, language)
    for values in head.value_lists((*_NAMES["date"], *_NAMES["vague_date"])):
        dates += _dates(values, language)
    day = dates[0] if dates else path_date
    if path_date and day.endswith("+00:00") and abs(_days_between(day, path_date)) == 1:
        return path_date
    return next((date for date in dates if len(date) > DAY_CHARS and date.startswith(day)), day)


def _visible_date(stated_date: str, visible: str) -> str:
    """Return the stated date, or the visible one if adjacent (of another time zone)."""
    other_days = _other_days(stated_date) if visible else ()
    is_beside = bool(other_days) and _days_between(stated_date, visible) in other_days
    return visible if is_beside else stated_date or visible


def _displayed_date(stated_date: str, displayed_dates: Iterable[str]) -> str:
    """Return the only day displayed near the title, unless it is the stated one or nearly so."""
    days = {date[:DAY_CHARS]: date for date in displayed_dates if date}
    if not stated_date or len(days) != 1:
        return stated_date
    day, displayed = days.popitem()
    year, month, number = day.split("-")
    is_same = stated_date.startswith(f"{year}-{number}-{month}")  # 05/08/2019 was misread
    return stated_date if is_same or abs(_days_between(stated_date, day)) <= 1 else displayed


#: The hours of universal time at which it is the same day where most people live.
_SAME_DAY_HOURS = range(9, 14)


def _other_days(date: str) -> tuple[int, ...]:
    """Return by how many days the local date may differ from a day or a universal time."""
    if len(date) == DAY_CHARS:
        return -1, 1
    hour = datetime.fromisoformat(date).hour if date.endswith("+00:00") else _SAME_DAY_HOURS.start
    return () if hour in _SAME_DAY_HOURS else (-1,) if hour < _SAME_DAY_HOURS.start else (1,)


def _days_between(first: str, second: str) -> int:
    dates = [datetime.fromisoformat(date).date() for date in (first, second)]
    return (dates[1] - dates[0]).days


#: The most dates to read under one name.
_MAX_DATES = 20
#: More different ones, newest first, are those of a list of stories.
_MAX_DATES_OF_ARTICLE = 3


def _dates(texts: Sequence[str], language: str) -> list[str]:
    """Return dates as ISO 8601; () for those of a list of stories, which are newest first."""
    dates = [date for text in texts[:_MAX_DATES] if (date := parse_date(text, language))]
    return [] if len(set(dates)) > _MAX_DATES_OF_ARTICLE and dates[0] > min(dates) else dates


def _are_dates_of_list(dates: Sequence[str]) -> bool:
    """Return whether the dates below the title are those of a list of stories, newest first."""
    different = list(dict.fromkeys(dates))
    return len(different) >= _MAX_DATES_OF_ARTICLE and different == sorted(different, reverse=True)


def _direction(tree: HtmlElement) -> str:
    for element in (tree, tree.find("body")):
        direction = "" if element is None else (element.get("dir") or "").strip().lower()
        if direction in {"ltr", "rtl"}:
            return direction
    return ""
