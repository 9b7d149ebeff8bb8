"""What a page states in JSON-LD, read as leniently as search engines read it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from lxml.html import HtmlElement

Thing: TypeAlias = dict[str, Any]

#: Characters read of one script, and of all of a page's.
MOST_CHARS = 1_000_000
_MOST_SCRIPTS = 50
#: Values looked at, and how deep inside each other.
MOST_ITEMS = 2_000
MOST_DEPTH = 8

#: What a script may begin and end with that is no JSON.
_WRAPPING = re.compile(r"^\s*+(?:(?://|/\*)?\s*+(?:<!\[CDATA\[|<!--)\s*+(?:\*/)?)?+")
_ENDING = ("*/", "]]>", "-->", "//", "/*", ";")
# One pass that steps over strings, so that what looks like a comment inside one is left alone.
# Whatever is opened and never closed goes to the end: no place is looked at twice.
_MISTAKES = re.compile(
    r'("(?:[^"\\]++|\\.)*+"?)|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|//[^\n]*+|(,[\s,]*+)',
    re.DOTALL,
)
_MAIN = ("@graph", "mainEntity", "mainEntityOfPage", "@list", "@set")


def read_json_ld(tree: HtmlElement) -> list[Thing]:
    """Return the things that a page's JSON-LD describes, outermost first, in document order.

    What is only part of another thing (an author, an item of a list) is not among them.
    """
    items: list[Thing] = []
    for value in _values(tree):
        _gather(value, items)
    return items


def _values(tree: HtmlElement) -> Iterator[Any]:
    left = MOST_CHARS
    scripts = 0
    for script in tree.iter("script"):
        if "ld+json" not in (script.get("type") or "").lower():
            continue
        text = script.text or ""
        left -= len(text)
        scripts += 1
        if left < 0 or scripts > _MOST_SCRIPTS:
            return
        yield from parse_json(text)


def parse_json(text: str) -> list[Any]:
    """Return the JSON values in a script: [] for what cannot be read as any."""
    for attempt in (_as_is, _unwrapped, _mended, _unescaped):
        try:
            return attempt(text)
        except (ValueError, RecursionError):
            continue
    return []


_DECODER = json.JSONDecoder(strict=False)


def _as_is(text: str) -> list[Any]:
    return [_DECODER.decode(text)]


def _unwrapped(text: str) -> list[Any]:
    """Read what stands in a comment or CDATA section, or several values in a row."""
    start = _WRAPPING.match(text)
    text = text[start.end() if start else 0 :].strip()
    for ending in (*_ENDING, *_ENDING):
        if text.endswith(ending):
            text = text[: -len(ending)].rstrip()
    values: list[Any] = []
    at = 0
    while at < len(text) and len(values) < _MOST_SCRIPTS:
        value, at = _DECODER.raw_decode(text, at)
        values.append(value)
        while at < len(text) and text[at] in " \t\r\n,;":
            at += 1
    return values


def _mended(text: str) -> list[Any]:
    """Read JSON with comments and commas too many."""

    def right(found: re.Match[str]) -> str:
        if found[2]:
            return "" if text[found.end() : found.end() + 1] in {"}", "]"} else ","
        return found[1] or ""

    return _unwrapped(_MISTAKES.sub(right, text))


def _unescaped(text: str) -> list[Any]:
    return _mended(html.unescape(text))


def _gather(value: Any, items: list[Thing]) -> None:
    """Add the things in a value; the order of the page, the outer before the inner."""
    waiting = [(value, 0)]
    looked = 0
    while waiting and len(items) < MOST_ITEMS and looked < MOST_ITEMS:
        value, depth = waiting.pop()
        looked += 1
        if depth > MOST_DEPTH:
            continue
        if isinstance(value, list):
            waiting.extend((each, depth + 1) for each in reversed(value[:MOST_ITEMS]))
        elif isinstance(value, dict):
            if "@type" in value or "headline" in value or "@id" in value:
                items.append(value)
            waiting.extend((value[key], depth + 1) for key in reversed(_MAIN) if key in value)


def type_names(item: Thing) -> frozenset[str]:
    """Return the schema types of a thing, without the vocabulary's address."""
    stated = item.get("@type")
    names = stated if isinstance(stated, list) else [stated]
    return frozenset(
        name.rpartition("/")[2].rpartition(":")[2]
        for name in names[:10]
        if isinstance(name, str) and len(name) < 200
    )


def string_values(value: Any, key: str = "name") -> list[str]:
    """Return the strings of a value: itself, those of a list, or of what has a ``key``.

    Language-tagged values give what they hold.
    """
    found: list[str] = []
    waiting = [(value, 0)]
    looked = 0
    while waiting and looked < 200:
        value, depth = waiting.pop()
        looked += 1
        if isinstance(value, str):
            found.append(value)
        elif depth < 5 and isinstance(value, list):
            waiting.extend((each, depth + 1) for each in reversed(value[:100]))
        elif depth < 5 and isinstance(value, dict):
            inner = value.get(key) or value.get("@value")
            if inner is not None:
                waiting.append((inner, depth + 1))
    return found


_ARTICLES = frozenset({
    "Article", "NewsArticle", "BlogPosting", "Report", "ReportageNewsArticle",
    "OpinionNewsArticle", "AnalysisNewsArticle", "BackgroundNewsArticle", "AskPublicNewsArticle",
    "ReviewNewsArticle", "AdvertiserContentArticle", "SatiricalArticle", "ScholarlyArticle",
    "MedicalScholarlyArticle", "TechArticle", "APIReference", "LiveBlogPosting",
    "SocialMediaPosting", "DiscussionForumPosting",
})  # fmt: skip
_WORKS = frozenset({
    "Recipe", "HowTo", "Question", "Review", "CriticReview", "Event", "Book", "Chapter", "Poem",
    "CreativeWork", "Movie", "Course", "Dataset", "PodcastEpisode", "VideoObject", "JobPosting",
    "Product", "ProductGroup", "Thesis", "ShortStory", "Essay",
})  # fmt: skip
_PAGES = frozenset({
    "WebPage", "AboutPage", "ContactPage", "FAQPage", "ItemPage", "MedicalWebPage", "QAPage",
    "CollectionPage", "ProfilePage", "SearchResultsPage", "CheckoutPage",
})  # fmt: skip
#: Articles beyond this many, none of them said to be the page's, make a list of articles.
_FEW = 2


@dataclass(frozen=True, slots=True)
class SchemaMetadata:
    """What JSON-LD says of a page, as it stands there."""

    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    article: bool = False


def read_schema(items: Sequence[Thing], addresses: Sequence[str]) -> SchemaMetadata:
    """Read what a page's things say of it; ``addresses`` are those the page goes by."""
    by_id = {each["@id"]: each for each in reversed(items) if isinstance(each.get("@id"), str)}

    def whole(value: Any) -> Any:
        """Put the thing in the place of what refers to it."""
        if isinstance(value, list):
            return [whole(each) for each in value[:100] if not isinstance(each, list)]
        if isinstance(value, dict) and "name" not in value and "url" not in value:
            name = value.get("@id")
            return by_id.get(name, value) if isinstance(name, str) else value
        return value

    kinds = [type_names(each) for each in items]
    mine = {_address(each) for each in addresses if each}

    def of(names: frozenset[str], most: int) -> Thing | None:
        found = [each for each, kind in zip(items, kinds, strict=True) if kind & names]
        full = [each for each in found if len(each) > 2]
        for each in full:
            if _addresses(each) & mine:
                return each
        headlines = {str(each.get("headline") or each.get("name")) for each in full}
        return full[0] if full and len(headlines) <= most else None

    article, work, page = of(_ARTICLES, _FEW), of(_WORKS, _FEW), of(_PAGES, _FEW)
    main = article or work
    ours = [each for each in (article or work, page) if each is not None]
    sites = [name for each in ours for name in string_values(whole(each.get("publisher")))]
    for each, kind in zip(items, kinds, strict=True):
        if "WebSite" in kind:
            sites += string_values(each.get("name")) + string_values(each.get("alternateName"))

    def stated(read: Callable[[Thing], list[str]]) -> tuple[str, ...]:
        return next((tuple(found) for each in ours if (found := read(each))), ())

    return SchemaMetadata(
        titles=tuple(
            name
            for each in ours
            for name in string_values(each.get("headline")) or string_values(each.get("name"))
        ),
        authors=() if main is None else tuple(_authors(main, whole)),
        published=stated(lambda each: string_values(each.get("datePublished"), "@value")),
        sites=tuple(sites[:10]),
        leads=stated(lambda each: string_values(each.get("description"))),
        languages=stated(lambda each: string_values(each.get("inLanguage"))),
        images=() if main is None else tuple(string_values(whole(main.get("image")), "url")),
        article=article is not None,
    )


def _authors(item: Thing, whole: Callable[[Any], Any]) -> list[str]:
    return string_values(whole(item.get("author"))) or string_values(whole(item.get("creator")))


def _addresses(item: Thing) -> set[str]:
    stated = [item.get("url"), item.get("@id"), item.get("mainEntityOfPage")]
    found = {each for value in stated for each in string_values(value, "@id")}
    return {_address(each) for each in found} - {""}


def _address(url: str) -> str:
    """Return what is the same in the addresses of one page: host and path."""
    try:
        parts = urlsplit(url[:2000])
    except ValueError:
        return ""
    path = parts.path.rstrip("/")
    return f"{parts.netloc.removeprefix('www.')}{path}".lower() if parts.netloc and path else ""
