"""Embedded media, link cards and quoted social posts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Literal, TypeAlias

from lxml.html import HtmlElement

from ..article import Block, Embed, Paragraph, Quote, Span, Spans, plain_text
from ..html.index import BLOCK_TAGS
from ..html.metadata.jsonld import Thing, read_json_ld, string_values, type_names
from ..html.page import Page
from ..html.visibility import is_not_displayed
from .block_builders import QuoteBuilder
from .inline import readable_line

#: Returns the absolute URL of an ``href``, '' for one that is not http(s) or mailto.
Resolve: TypeAlias = Callable[[str], str]

_MAX_URL_CHARS = 2000
_UNWANTED = re.compile(
    r"\bads?\b|advert|adserv|sponsor|banner|analytics|doubleclick|captcha|consent|(?<!no)cookie|newsletter"
    r"|subscribe|comment|share|pixel|track(?:er|ing)|login|signup|/forms?/|chat",
    re.IGNORECASE,
)
_MIN_FRAME_SIDE_PX = 40
_SOURCES = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data-url")


def read_embed(element: HtmlElement, resolve: Resolve) -> Embed | None:
    """Return a video, audio or frame element as an embed, None if it is not content."""
    title = readable_line((element.get("title") or element.get("aria-label") or "")[:200])
    url = _source(element, resolve)
    if not url or _is_smaller(element, _MIN_FRAME_SIDE_PX) or _is_decoration(element):
        return None
    if element.tag in ("video", "audio"):
        duration = element.get("data-duration") or element.get("duration") or ""
        return Embed(element.tag, url, title, duration=_format_duration(duration))
    names = f"{title} {url[:300]} {element.get('id') or ''} {element.get('class') or ''}"
    if _UNWANTED.search(names[:600]):
        return None
    kind = _frame_kind(f"{url[:300]} {title}", element)
    return Embed(kind, url, title) if kind else None


def _source(element: HtmlElement, resolve: Resolve) -> str:
    nodes = [element, *element.iterchildren("source")] if element.tag != "iframe" else [element]
    for node in nodes[:5]:
        for name in _SOURCES:
            href = (node.get(name) or "").strip()
            if href and (url := resolve(href)).startswith("http"):
                return url
    return ""


def _is_decoration(element: HtmlElement) -> bool:
    """Return whether a video plays by itself, over and over, without controls: a moving picture."""
    attributes = element.attrib
    is_loop = "loop" in attributes and ("autoplay" in attributes or "muted" in attributes)
    return element.tag == "video" and is_loop and "controls" not in attributes


def _is_smaller(element: HtmlElement, limit: int) -> bool:
    sizes = (element.get(name) or "" for name in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < limit for size in sizes)


_VIDEO = re.compile(
    r"/embed/|/video|/player|[/.]player\.|\bvideo\b|\byoutube\b|/reel/", re.IGNORECASE
)
_AUDIO = re.compile(r"/audio|podcast|/episode|/track|\baudio\b|/sound", re.IGNORECASE)
_MAP = re.compile(r"/maps?[/?]|[/.]maps?\.|\bmap\b", re.IGNORECASE)
_WIDGET = re.compile(r"\bwidgets?\b", re.IGNORECASE)
_POST_FRAME = re.compile(r"\b(?:tweet|toot|post)\b", re.IGNORECASE)
#: The address of a post: a noun and its number.
_POST_ADDRESS = re.compile(
    r"/(?:tweet|toot|post|status(?:es)?)\b\S{0,20}[/=][0-9]{6,}", re.IGNORECASE
)
_MIN_UNKNOWN_FRAME_SIDE_PX = 150


def _frame_kind(
    names: str, element: HtmlElement
) -> Literal["video", "audio", "map", "post", "frame", ""]:
    if _POST_FRAME.search((element.get("title") or "")[:200]) or _POST_ADDRESS.search(names):
        return "post"
    if _MAP.search(names):
        return "map"
    if _AUDIO.search(names):
        return "audio"
    if _VIDEO.search(names) or element.get("allowfullscreen") is not None:
        return "video"
    # A frame of unknown kind can be printed if it has a title that does not only name its maker.
    is_page = bool(element.get("title")) and not _WIDGET.search(names)
    is_hidden = _is_smaller(element, _MIN_UNKNOWN_FRAME_SIDE_PX) or is_not_displayed(element)
    return "frame" if is_page and not is_hidden else ""


#: The JSON-LD properties with the URL of a video.
_URL_PROPERTIES = ("contentUrl", "embedUrl", "url")


# Durations


def described_durations(page: Page, resolve: Resolve) -> dict[str, str]:
    """Return the durations of the media described in JSON-LD, by URL.

    If the page and its JSON-LD each have exactly one video (or audio), its duration is also stored
    under ``video`` (``audio``).
    """
    durations: dict[str, str] = {}
    described = list(_media(read_json_ld(page.linked_data)))
    for kind, name in (("video", "VideoObject"), ("audio", "AudioObject")):
        media = [item for item in described if name in type_names(item)]
        for item in media:
            duration = _item_duration(item)
            urls = (url for key in _URL_PROPERTIES for url in string_values(item.get(key), "url"))
            durations |= {resolve(url[:_MAX_URL_CHARS]): duration for url in urls if duration}
        if len(media) == len(page.elements.find(kind)) == 1:
            durations[kind] = _item_duration(media[0])
    return durations


def _media(items: list[Thing]) -> Iterator[Thing]:
    """Yield items and the media that are part of them."""
    for item in items:
        yield item
        for key in ("video", "audio", "associatedMedia"):
            value = item.get(key)
            parts = value if isinstance(value, list) else [value]
            yield from (part for part in parts[:100] if isinstance(part, dict))


def _item_duration(item: Thing) -> str:
    return _format_duration(next(iter(string_values(item.get("duration"))), ""))


_ISO_DURATION = re.compile(
    r"P(?:T)(?:(\d{1,3})H)?(?:(\d{1,5})M)?(?:(\d{1,6})(?:\.\d{1,6})?S)?", re.ASCII
)


def _format_duration(text: str) -> str:
    """Return an ISO 8601 duration, or seconds, as h:mm:ss or m:ss; '' if invalid or zero."""
    text = text.strip()[:40]
    if match := _ISO_DURATION.fullmatch(text):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        seconds += 60 * minutes + 3600 * hours
    elif re.fullmatch(r"\d{1,6}(?:\.\d{0,9})?", text, re.ASCII):
        seconds = round(float(text))
    else:
        return ""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if not (hours or minutes or seconds):
        return ""
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


_CARD = re.compile(r"(?:^|[\s_-])(?:card|bookmark|preview)(?:$|[\s_-])", re.IGNORECASE)
_MAX_CARD_CHARS = 600
#: The number of ancestors of a card that may wrap it as an entry of a list.
_MAX_WRAPPERS = 6


def read_card(link: HtmlElement, resolve: Resolve) -> Embed | None:
    """Return a link card to another page as an embed, None for any other link.

    The link or an element around it has the class of a card, and it contains blocks.  Cards in a
    list stay text.
    """
    ancestors = (link, *islice(link.iterancestors(), 2))
    if not any(_CARD.search((element.get("class") or "")[:300]) for element in ancestors):
        return None
    parts = [readable_line(str(text)) for text in islice(link.itertext(), 60)]
    lines = list(dict.fromkeys(filter(None, parts)))
    url = resolve((link.get("href") or "").strip()[:_MAX_URL_CHARS])
    has_blocks = any(child.tag in BLOCK_TAGS for child in islice(link, 20))
    if not has_blocks or len(lines) < 2 or sum(map(len, lines)) > _MAX_CARD_CHARS:
        return None
    if not url.startswith("http"):
        return None
    if any(map(_is_one_of_several, (*ancestors, *_wrappers(link)))):
        return None
    title = [line for line in lines if " " in line or line.lower() not in url.lower()]
    return Embed("frame", url, " · ".join(title))


def _wrappers(link: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the elements around a link that contain nothing else, and its list item."""
    is_sole_child, inner = True, link
    for element in islice(link.iterancestors(), _MAX_WRAPPERS):
        is_sole_child = is_sole_child and inner.getprevious() is None and inner.getnext() is None
        inner = element
        if is_sole_child or element.tag == "li":
            yield element


def _is_one_of_several(element: HtmlElement) -> bool:
    """Return whether an element has a sibling of its tag and class with a link inside.

    The items of a list may differ in their classes.
    """
    classes = element.get("class")
    if classes is None and element.tag not in {"a", "li"}:
        return False
    siblings = chain(
        islice(element.itersiblings(preceding=True), 5), islice(element.itersiblings(), 5)
    )
    return any(
        sibling.tag == element.tag
        and (sibling.tag == "li" or sibling.get("class") == classes)
        and next(sibling.iter("a"), None) is not None
        for sibling in siblings
    )


_POST = re.compile(
    r"(?:^|[\s_-])(?:tweet|toot|skeet|post|status|media|embed|embedded)(?:$|[\s_-])", re.IGNORECASE
)


# Social posts


def is_post(blockquote: HtmlElement) -> bool:
    """Return whether the class of a quotation marks an embedded social post."""
    classes = blockquote.get("class")
    return bool(classes and _POST.search(classes[:300]))


_POST_URL = re.compile(r"permalink|embed-?url|post-?url|^cite$", re.IGNORECASE)


class PostBuilder(QuoteBuilder):
    """Builds an embed from the quotation of a social post.

    Its URL is in an attribute, or in the last link of the line with the author.
    """

    def __init__(self, element: HtmlElement, resolve: Resolve) -> None:
        super().__init__(post=True)
        self.url = ""
        for name, value in islice(element.items(), 40):
            if not self.url and _POST_URL.search(name) and value.strip():
                url = resolve(value.strip()[:_MAX_URL_CHARS])
                self.url = url if url.startswith("http") else ""

    def build(self) -> list[Block]:
        """Return the post, or a quotation if its URL is unknown."""
        blocks = super().build()
        if len(blocks) != 1 or not isinstance(quote := blocks[0], Quote):
            return blocks
        card = _sole_link(quote)
        links = [span.href for span in card or quote.cite if span.href.startswith("http")]
        url = self.url or (links[-1] if links else "")
        if not url:
            return blocks
        if card:
            return [Embed("frame", url, plain_text(card))]
        author, published = _split_signature(quote.cite)
        return [Embed("post", url, author=author, published=published, blocks=quote.blocks)]


def _sole_link(quote: Quote) -> Spans:
    """Return the spans of a post that consists of one link, () for any other post."""
    if quote.cite:
        return ()
    spans: Spans = ()
    for block in quote.blocks:
        if not isinstance(block, Paragraph):
            return ()
        spans += block.spans
    return spans if all(span.href for span in spans if span.text.strip()) else ()


def _split_signature(cite: Spans) -> tuple[str, str]:
    """Return the author in a signature, and the date if that is a link at its end."""
    last = cite[-1] if cite else Span("")
    is_date = bool(last.href) and any(map(str.isdigit, last.text))
    author = plain_text(cite[:-1] if is_date else cite)
    return author.strip(" —–―-,·\n"), last.text.strip() if is_date else ""
