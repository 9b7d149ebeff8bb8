"""Players and maps that a page shows in a frame, which paper can only name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Literal

from lxml.html import HtmlElement

from ..article import Block, Embed, Paragraph, Quote, Span, Spans, plain_text
from ..html.index import BLOCK_TAGS
from ..html.metadata.jsonld import Thing, read_json_ld, string_values, type_names
from .block_builders import BlockBuffer, QuoteBuilder
from .inline import clean_line

_SOURCES = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data-url")
_VIDEO = re.compile(
    r"/embed/|/video|/player|[/.]player\.|\bvideo\b|\byoutube\b|/reel/", re.IGNORECASE
)
_ISO_DURATION = re.compile(
    r"P(?:T)(?:(\d{1,3})H)?(?:(\d{1,5})M)?(?:(\d{1,6})(?:\.\d{1,6})?S)?", re.ASCII
)
_CARD = re.compile(r"(?:^|[\s_-])(?:card|bookmark|preview)(?:$|[\s_-])", re.IGNORECASE)
_POST = re.compile(
    r"(?:^|[\s_-])(?:tweet|toot|skeet|post|status|media|embed|embedded)(?:$|[\s_-])", re.IGNORECASE
)
_POST_ADDRESS = re.compile(r"permalink|embed-?url|post-?url|^cite$", re.IGNORECASE)
_LONGEST_CARD = 600
#: A card may be wrapped in so many elements within its place in a list.
_WRAPPERS = 6
#: Where JSON-LD has a film's address, and where an article has its films.
_ADDRESSES = ("contentUrl", "embedUrl", "url")
_PARTS = ("video", "audio", "associatedMedia")
_AUDIO = re.compile(r"/audio|podcast|/episode|/track|\baudio\b|/sound", re.IGNORECASE)
_MAP = re.compile(r"/maps?[/?]|[/.]maps?\.|\bmap\b", re.IGNORECASE)
_POST_TITLE = re.compile(r"\b(?:tweet|toot|post)\b", re.IGNORECASE)
_NOT = re.compile(
    r"\bads?\b|advert|adserv|sponsor|banner|analytics|doubleclick|captcha|consent|cookie|newsletter|subscribe|comment|share|pixel"
    r"|track(?:er|ing)|login|signup|/forms?/|chat",
    re.IGNORECASE,
)


def read_embed(element: HtmlElement, resolve: Callable[[str], str]) -> Embed | None:
    """Read a player or a map; None for a frame that is neither."""
    title = clean_line((element.get("title") or element.get("aria-label") or "")[:200])
    url = _source(element, resolve)
    if not url or _tiny(element):
        return None
    if element.tag == "video":
        return Embed("video", url, title, duration=_duration(element))
    if element.tag == "audio":
        return Embed("audio", url, title, duration=_duration(element))
    named = f"{title} {url[:300]} {element.get('id') or ''} {element.get('class') or ''}"
    if _NOT.search(named[:600]):
        return None
    kind = _kind(f"{url[:300]} {title}", element)
    return Embed(kind, url, title) if kind else None


def read_card(link: HtmlElement, resolve: Callable[[str], str]) -> Embed | None:
    """Read a card that leads to another page, all of it one link; None for a link that is none.

    Its class, or that of what it stands in, calls it so, and its parts are blocks of their own.
    One of several is an entry of a list, which says what it says in words.
    """
    around = (link, *islice(link.iterancestors(), 2))
    if not any(_CARD.search((each.get("class") or "")[:300]) for each in around):
        return None
    parts = [clean_line(str(text)) for text in islice(link.itertext(), 60)]
    string_values = list(dict.fromkeys(filter(None, parts)))
    url = resolve((link.get("href") or "").strip()[:2000])
    blocks = any(each.tag in BLOCK_TAGS for each in islice(link, 20))
    if not blocks or len(string_values) < 2 or sum(map(len, string_values)) > _LONGEST_CARD:
        return None
    if not url.startswith("http"):
        return None
    if any(map(_is_one_of_several, (*around, *_wrappers(link)))):
        return None
    told = [text for text in string_values if " " in text or text.lower() not in url.lower()]
    return Embed("frame", url, " · ".join(told))


def _wrappers(link: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements around a link as far as they hold nothing beside it, and its list item."""
    alone, inner = True, link
    for each in islice(link.iterancestors(), _WRAPPERS):
        alone = alone and inner.getprevious() is None and inner.getnext() is None
        inner = each
        if alone or each.tag == "li":
            yield each


def _is_one_of_several(element: HtmlElement) -> bool:
    """Tell whether an element has a sibling of the same name and class with a link in it."""
    named = element.get("class")
    around = chain(
        islice(element.itersiblings(preceding=True), 5), islice(element.itersiblings(), 5)
    )
    alike = (each for each in around if each.tag == element.tag and each.get("class") == named)
    told = named is not None or element.tag in {"a", "li"}
    return told and any(next(each.iter("a"), None) is not None for each in alike)


def _source(element: HtmlElement, resolve: Callable[[str], str]) -> str:
    nodes = [element, *element.iterchildren("source")] if element.tag != "iframe" else [element]
    for node in nodes[:5]:
        for name in _SOURCES:
            stated = (node.get(name) or "").strip()
            if stated and (url := resolve(stated)).startswith("http"):
                return url
    return ""


def _tiny(element: HtmlElement) -> bool:
    sizes = (element.get(name) or "" for name in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < 40 for size in sizes)


def _duration(element: HtmlElement) -> str:
    """Return how long a film or sound is, as far as its element or what is beside it says."""
    stated = element.get("data-duration") or element.get("duration") or ""
    above = element.getparent()
    if not stated and above is not None:
        told = (meta.get("content") or "" for meta in islice(above.iterchildren("meta"), 20)
                if meta.get("itemprop") == "duration")  # fmt: skip
        stated = next(told, "")
    return _time(stated)


def described_durations(tree: HtmlElement, resolve: Callable[[str], str]) -> dict[str, str]:
    """Return how long the films and sounds are that a page describes in JSON-LD, by address.

    The only one of its kind has its length under ``video`` or ``audio`` too, when the page shows
    just one.
    """
    found: dict[str, str] = {}
    for kind, name in (("video", "VideoObject"), ("audio", "AudioObject")):
        things = [item for item in _media(read_json_ld(tree)) if name in type_names(item)]
        for item in things:
            time = _time(next(iter(string_values(item.get("duration"))), ""))
            urls = (url for key in _ADDRESSES for url in string_values(item.get(key), "url"))
            found |= {resolve(url[:2000]): time for url in urls if time}
        shown = list(islice(tree.iter(kind), 2))
        if len(things) == len(shown) == 1:
            found[kind] = _time(next(iter(string_values(things[0].get("duration"))), ""))
    return found


def _media(items: list[Thing]) -> Iterator[Thing]:
    """Yield things, and the films and sounds that are part of them."""
    for item in items:
        yield item
        for key in _PARTS:
            part = item.get(key)
            inside = part if isinstance(part, list) else [part]
            yield from (each for each in inside[:100] if isinstance(each, dict))


def _time(stated: str) -> str:
    """Return a length in hours, minutes and seconds; '' for what is none."""
    if match := _ISO_DURATION.fullmatch(stated.strip()[:40]):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
    elif re.fullmatch(r"\d{1,6}(?:\.\d{0,9})?", stated.strip()[:40], re.ASCII):
        hours, minutes, seconds = 0, 0, round(float(stated))
    else:
        return ""
    minutes, seconds = minutes + seconds // 60, seconds % 60
    hours, minutes = hours + minutes // 60, minutes % 60
    if not (hours or minutes or seconds):
        return ""
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _kind(
    named: str, element: HtmlElement
) -> Literal["video", "audio", "map", "post", "frame", ""]:
    if _POST_TITLE.search((element.get("title") or "")[:200]):
        return "post"
    if _MAP.search(named):
        return "map"
    if _AUDIO.search(named):
        return "audio"
    if _VIDEO.search(named) or element.get("allowfullscreen") is not None:
        return "video"
    # What it is cannot be told, but it has a name that can be printed.
    return "frame" if element.get("title") and not _is_small(element) else ""


def _is_small(element: HtmlElement) -> bool:
    sizes = (element.get(name) or "" for name in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < 150 for size in sizes)


def is_post(element: HtmlElement) -> bool:
    """Tell whether a quotation is a post that its author published elsewhere."""
    named = element.get("class")
    return bool(named and _POST.search(named[:300]))


class PostBuilder:
    """Gathers a post."""

    def __init__(self, element: HtmlElement, resolve: Callable[[str], str]) -> None:
        self.quote = QuoteBuilder(post=True)
        self.open = 0
        self.url = ""
        for name, value in islice(element.items(), 40):
            if not self.url and _POST_ADDRESS.search(name) and value.strip():
                url = resolve(value.strip()[:2000])
                self.url = url if url.startswith("http") else ""

    @property
    def flow(self) -> BlockBuffer:
        """Where its blocks gather."""
        return self.quote.flow

    def part(self, element: HtmlElement) -> Callable[[BlockBuffer], None] | None:
        """Return what takes the flow of the line that names the author."""
        return self.quote.part(element)

    def blocks(self) -> list[Block]:
        """Return the post; a quotation when nothing says where it is from."""
        found = self.quote.blocks()
        if len(found) != 1 or not isinstance(quote := found[0], Quote):
            return found
        card = _only_link(quote)
        linked = [span for span in card or quote.cite if span.href.startswith("http")]
        url = self.url or (linked[-1].href if linked else "")
        if not url:
            return found
        if card:
            return [Embed("frame", url, plain_text(card))]
        author, published = _signed(quote.cite)
        return [Embed("post", url, author=author, published=published, blocks=quote.blocks)]


def _only_link(quote: Quote) -> Spans:
    """Return the words of a post that is nothing but a link to it, none of any other."""
    spans = [s for b in quote.blocks for s in (b.spans if isinstance(b, Paragraph) else ())]
    alone = all(isinstance(block, Paragraph) for block in quote.blocks) and not quote.cite
    told = all(span.href for span in spans if span.text.strip())
    return tuple(spans) if alone and told else ()


def _signed(cite: Spans) -> tuple[str, str]:
    """Part the line that names the author from the date at its end, which is a link."""
    last = cite[-1] if cite else Span("")
    dated = bool(last.href) and any(map(str.isdigit, last.text))
    author = plain_text(cite[:-1] if dated else cite)
    return author.strip(" —–―-,·\n"), last.text.strip() if dated else ""
