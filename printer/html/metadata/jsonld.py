"""Read a page's JSON-LD, as leniently as search engines do."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from ...files import load_json

Thing: TypeAlias = dict[str, Any]
T = TypeVar("T")


def load_names(table: str) -> dict[str, str]:
    """Return a table of names.json: names separated by spaces, by their meaning."""
    tables: dict[str, dict[str, str]] = load_json(__file__, "names.json")
    return tables[table]


def read_json_ld(linked_data: Sequence[str]) -> list[Thing]:
    """Return the things in JSON-LD, outermost first, without mere parts such as an author."""
    walks = (walk_json(v, _inside, MAX_ITEMS, MAX_DEPTH) for v in _values(linked_data))
    values = (value for value in chain.from_iterable(walks) if isinstance(value, dict))
    return list(islice((v for v in values if not _THING_KEYS.isdisjoint(v)), MAX_ITEMS))


def read_linked_data(scripts: Iterable[HtmlElement]) -> list[str]:
    """Return the text of those scripts that are JSON-LD."""
    return [
        script.text or "" for script in scripts if "ld+json" in (script.get("type") or "").lower()
    ]


MAX_CHARS = 1_000_000
_MAX_SCRIPTS = 50


def _values(linked_data: Sequence[str]) -> Iterator[Any]:
    left = MAX_CHARS
    for text in linked_data[:_MAX_SCRIPTS]:
        left -= len(text)
        if left < 0:
            return
        yield from parse_json(text)


def parse_json(text: str) -> list[Any]:
    """Return the JSON values in a script, [] if it cannot be parsed."""
    with suppress(ValueError, RecursionError):
        return _decode_wrapped(text)
    for faulty in (text, html.unescape(text)):
        with suppress(ValueError, RecursionError):
            return _decode_faulty(faulty)
    return []


DECODER = json.JSONDecoder(strict=False)
#: What may surround the JSON of a script.
_WRAPPING = re.compile(r"^\s*+(?:(?://|/\*)?\s*+(?:<!\[CDATA\[|<!--)\s*+(?:\*/)?)?+")
_ENDING = ("*/", "]]>", "-->", "//", "/*", ";")


def _decode_wrapped(text: str) -> list[Any]:
    """Decode JSON, perhaps in a comment or CDATA section, or several values in a row."""
    text = _WRAPPING.sub("", text, count=1).strip()
    for ending in (*_ENDING, *_ENDING):
        if text.endswith(ending):
            text = text[: -len(ending)].rstrip()
    values: list[Any] = []
    position = 0
    while position < len(text) and len(values) < _MAX_SCRIPTS:
        value, position = DECODER.raw_decode(text, position)
        values.append(value)
        while position < len(text) and text[position] in " \t\r\n,;":
            position += 1
    return values


# One pass that skips strings, so that text like a comment inside them is kept.  Anything unclosed
# extends to the end, so that nothing is scanned twice.
_MISTAKES = re.compile(
    r'("(?:[^"\\]++|\\.)*+"?)|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|//[^\n]*+|(,[\s,]*+)', re.DOTALL
)


def _decode_faulty(text: str) -> list[Any]:
    """Decode JSON with comments and superfluous commas."""

    def correct(match: re.Match[str]) -> str:
        if match[2]:
            return "" if text[match.end() : match.end() + 1] in {"}", "]"} else ","
        return match[1] or ""

    return _decode_wrapped(_MISTAKES.sub(correct, text))


MAX_ITEMS = 2_000
MAX_DEPTH = 8
_MAIN = ("@graph", "mainEntity", "mainEntityOfPage", "@list", "@set")
_THING_KEYS = frozenset({"@type", "headline", "@id"})


def walk_json(
    value: T, inside: Callable[[T], Sequence[T]], limit: int, max_depth: float
) -> Iterator[T]:
    """Yield a value and those inside it, the outer before the inner, at most ``limit``."""
    waiting = [(value, 0)]
    for _ in range(limit):
        if not waiting:
            return
        value, depth = waiting.pop()
        yield value
        if depth < max_depth:
            waiting += [(inner, depth + 1) for inner in reversed(inside(value))]


def _inside(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value[:MAX_ITEMS]
    return [value[key] for key in _MAIN if key in value] if isinstance(value, dict) else []


def type_names(thing: Thing) -> frozenset[str]:
    """Return the schema.org types of a thing, without the vocabulary's URL."""
    types = thing.get("@type")
    names = types if isinstance(types, list) else [types]
    return frozenset(
        name.rpartition("/")[2].rpartition(":")[2]
        for name in names[:10]
        if isinstance(name, str) and len(name) < 200
    )


def string_values(value: Any, key: str = "name") -> list[str]:
    """Return the strings of a value: itself, of a list, the ``key`` or ``@value`` of a thing."""

    def inside(value: Any) -> list[Any]:
        if isinstance(value, list):
            return value[:100]
        return [value.get(key) or value.get("@value")] if isinstance(value, dict) else []

    return [text for text in walk_json(value, inside, 200, 5) if isinstance(text, str)]


@dataclass(frozen=True, slots=True)
class SchemaMetadata:
    """What JSON-LD states about a page, unprocessed."""

    titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    creators: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    article: bool = False


_TYPES = {kind: frozenset(types.split()) for kind, types in load_names("schema_types").items()}
#: The most articles of a page that is not a list of articles, if none is identified as the page's.
_MAX_UNIDENTIFIED_ARTICLES = 2


def read_schema(things: Sequence[Thing], urls: Sequence[str]) -> SchemaMetadata:
    """Return the metadata in a page's JSON-LD; ``urls`` are the page's addresses."""
    by_id = {thing["@id"]: thing for thing in reversed(things) if isinstance(thing.get("@id"), str)}

    def resolve(value: Any) -> Any:
        """Return a value with references replaced by the things they refer to."""
        if isinstance(value, list):
            return [resolve(inner) for inner in value[:100] if not isinstance(inner, list)]
        if isinstance(value, dict) and "name" not in value and "url" not in value:
            name = value.get("@id")
            return by_id.get(name, value) if isinstance(name, str) else value
        return value

    def find(types: frozenset[str]) -> Thing | None:
        """Return the thing of one of the types that the page is about."""
        items = [thing for thing in things if len(thing) > 2 and type_names(thing) & types]
        for thing in items:
            if _page_keys(thing) & page_keys:
                return thing
        headlines = {str(thing.get("headline") or thing.get("name")) for thing in items}
        return items[0] if items and len(headlines) <= _MAX_UNIDENTIFIED_ARTICLES else None

    def first(field: str, key: str = "name") -> tuple[str, ...]:
        """Return the strings of a field of the first thing that has it."""
        values = (tuple(string_values(thing.get(field), key)) for thing in main)
        return next(filter(None, values), ())

    page_keys = {_page_key(url) for url in urls if url}
    article, page = find(_TYPES["articles"]), find(_TYPES["pages"])
    work = article or find(_TYPES["works"])
    main = [thing for thing in (work, page) if thing is not None]
    sites = [name for thing in main for name in string_values(resolve(thing.get("publisher")))]
    for thing in things:
        if "WebSite" in type_names(thing):
            sites += string_values(thing.get("name")) + string_values(thing.get("alternateName"))
    authors, creators = (
        tuple(string_values(resolve((work or {}).get(field)))) for field in ("author", "creator")
    )
    return SchemaMetadata(
        titles=tuple(
            name
            for thing in main
            for name in string_values(thing.get("headline")) or string_values(thing.get("name"))
        ),
        authors=authors,
        creators=creators,
        published=first("datePublished", "@value"),
        sites=tuple(sites[:10]),
        leads=first("description"),
        languages=first("inLanguage"),
        images=tuple(string_values(resolve((work or {}).get("image")), "url")),
        sections=first("articleSection"),
        article=article is not None,
    )


def _page_keys(thing: Thing) -> set[str]:
    urls = (thing.get("url"), thing.get("@id"), thing.get("mainEntityOfPage"))
    return {_page_key(url) for value in urls for url in string_values(value, "@id")} - {""}


def _page_key(url: str) -> str:
    """Return the part that all URLs of a page share: host and path."""
    try:
        parts = urlsplit(url[:2000])
    except ValueError:
        return ""
    path = parts.path.rstrip("/")
    return f"{parts.netloc.removeprefix('www.')}{path}".lower() if parts.netloc and path else ""
