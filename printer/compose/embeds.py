"""Embedded media and quoted social posts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Literal, TypeAlias

from lxml.html import HtmlElement

from ..article import Block, Embed, Paragraph, Quote, Span, Spans, plain_text
from ..html.parse import element_line
from ..html.visibility import is_not_displayed
from ..urls import host_of, is_http
from .block_builders import BlockBuilder, QuoteBuilder
from .inline import readable_line, strip_end

#: Returns the absolute URL of an ``href``, '' for one that is not http(s) or mailto.
Resolve: TypeAlias = Callable[[str], str]

_MAX_URL_CHARS = 2000
_UNWANTED = re.compile(
    r"\bads?\b|advert|adserv|sponsor|banner|analytics|doubleclick|captcha|consent|(?<!no)cookie|newsletter"
    r"|subscribe|comment|share|pixel|track(?:er|ing)|login|signup|/forms?/|(?<!plat)forms?\.[a-z]{2,4}/|chat",
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
    if element.tag == "audio" and element.get("controls") is None:  # Browsers do not display it.
        return None
    if element.tag in ("video", "audio"):
        duration = element.get("data-duration") or element.get("duration") or ""
        return Embed(element.tag, url, title, duration=_format_duration(duration))
    names = f"{title} {url[:300]} {element.get('id') or ''} {element.get('class') or ''}"
    if _UNWANTED.search(names[:600]) or _is_story_of_site(element, url, resolve):
        return None
    kind = _frame_kind(f"{url[:300]} {title}", element)
    if kind in ("video", "audio"):
        url = _strip_player_parameters(url)
    return Embed(kind, url, title) if kind else None


def _is_story_of_site(element: HtmlElement, url: str, resolve: Resolve) -> bool:
    """Return whether a frame is WordPress's card of a story, of the page's own site."""
    is_card = "wp-embedded-content" in (element.get("class") or "").split()
    return is_card and host_of(url) == host_of(resolve("/"))


class CardBuilder(BlockBuilder):
    """Builds an embed from the title of the preview of a linked page."""

    def build(self) -> list[Block]:
        """Return the linked page, or the title as a paragraph if it is no link."""
        spans, rest = self.buffer.take_spans()
        url = next((span.href for span in spans if is_http(span.href)), "")
        if url:
            return [Embed("frame", url, plain_text(spans)), *rest]
        return [Paragraph(spans), *rest] if spans else rest


#: Parameters that only say how a player looks and behaves.
_PLAYER_PARAMETERS = frozenset({
    "autohide", "autopause", "autoplay", "byline", "controls", "dnt", "enablejsapi", "fs",
    "iv_load_policy", "loop", "modestbranding", "mute", "muted", "origin", "playsinline",
    "portrait", "preload", "rel", "showinfo", "showsearch", "widget_referrer", "wmode",
})  # fmt: skip
_SIGNATURES = frozenset({"expires", "hash", "hmac", "sig", "signature", "token"})


def _strip_player_parameters(url: str) -> str:
    """Return the address of a player without what readers need not type, unless it is signed."""
    address, sign, fragment = url.partition("#")
    path, _, query = address.partition("?")
    parameters = [part.removeprefix("amp;") for part in query.split("&")]
    names = [part.partition("=")[0].lower() for part in parameters]
    if not _SIGNATURES.isdisjoint(names):
        return url
    needed = [
        part
        for part, name in zip(parameters, names, strict=True)
        if part and part.lower() != "feature=oembed" and name not in _PLAYER_PARAMETERS
    ]
    return "?".join(filter(None, (path, "&".join(needed)))) + sign + fragment


_CAPTION_CLASS = re.compile(r"caption|(?<![a-z])(?:label|legend)(?![a-z])", re.IGNORECASE)
_MAX_CAPTION_CHARS = 600
_MAX_LEVELS_TO_FIGURE = 4
_MAX_ELEMENTS_IN_FIGURE = 200


def caption_of(element: HtmlElement) -> HtmlElement | None:
    """Return the caption of a frame or film: that of its figure, or a named one after it."""
    caption = element.getnext()
    if caption is None or not _CAPTION_CLASS.search((caption.get("class") or "")[:300]):
        around = islice(element.iterancestors(), _MAX_LEVELS_TO_FIGURE)
        figure = next((outer for outer in around if outer.tag == "figure"), None)
        inside = [] if figure is None else list(islice(figure.iter(), _MAX_ELEMENTS_IN_FIGURE))
        media = [inner for inner in inside if inner.tag in ("iframe", "video", "audio")]
        captions = (inner for inner in inside if inner.tag == "figcaption")
        caption = next(captions, None) if len(media) == 1 else None
    line = "" if caption is None else element_line(caption, limit=_MAX_CAPTION_CHARS + 1)
    return caption if 0 < len(line) <= _MAX_CAPTION_CHARS else None


def _source(element: HtmlElement, resolve: Resolve) -> str:
    nodes = [element, *element.iterchildren("source")] if element.tag != "iframe" else [element]
    for node in nodes[:5]:
        for name in _SOURCES:
            href = (node.get(name) or "").strip()
            if href and is_http(url := resolve(href)):
                return url
    return ""


def _is_decoration(element: HtmlElement) -> bool:
    """Return whether a video plays over and over without controls: a moving picture."""
    attributes = element.attrib
    return "loop" in attributes and "controls" not in attributes


def _is_smaller(element: HtmlElement, limit: int) -> bool:
    sizes = (element.get(name) or "" for name in ("width", "height"))
    return any(size.isdecimal() and int(size[:6]) < limit for size in sizes)


_VIDEO = re.compile(
    r"/video|/player|[/.]player\.|\b(?:video|film|movie|trailer|youtube)\b|/reel/", re.IGNORECASE
)
#: What a page permits a player.
_PLAYING = re.compile(r"\bautoplay\b|\bpicture-in-picture\b")
_AUDIO = re.compile(r"/audio|podcast|/episode|/track|\baudio\b|/sound", re.IGNORECASE)
_MAP = re.compile(r"/maps?[/?]|[/.]maps?\.|\bmap\b", re.IGNORECASE)
_WIDGET = re.compile(r"\b(?:widgets?|plugin)\b", re.IGNORECASE)
_POST_FRAME = re.compile(r"\b(?:tweet|toot|post)\b", re.IGNORECASE)
#: The address of a post: a noun and its number.
_POST_ADDRESS = re.compile(
    r"/(?:tweet|toot|post|status(?:es)?)\b\S{0,20}[/=][0-9]{6,}|/(?:p|reel|tv)/[\w-]{8,}",
    re.IGNORECASE,
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
    if _VIDEO.search(names) or _PLAYING.search(element.get("allow") or ""):
        return "video"
    # Another frame can be printed if it has a title that does not only name its maker.
    is_embedded = "/embed/" in names or element.get("allowfullscreen") is not None
    is_page = (is_embedded or bool(element.get("title"))) and not _WIDGET.search(names)
    is_hidden = _is_smaller(element, _MIN_UNKNOWN_FRAME_SIDE_PX) or is_not_displayed(element)
    return "frame" if is_page and not is_hidden and element.get("tabindex") != "-1" else ""


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


# Social posts


_MAX_POST_LINKS = 30
#: The title of a post that is a picture or a film, with no text but a signature.
_MAX_LINE_CHARS = 300
_POST_URL = re.compile(r"permalink|embed-?url|post-?url|^cite$", re.IGNORECASE)


class PostBuilder(QuoteBuilder):
    """Builds an embed from a social post's quotation and its URL."""

    def __init__(self, element: HtmlElement, resolve: Resolve) -> None:
        super().__init__()
        self.line = element_line(element, limit=_MAX_LINE_CHARS)
        stated = [value for name, value in element.items()[:40] if _POST_URL.search(name)]
        links = (link.get("href") or "" for link in islice(element.iter("a"), _MAX_POST_LINKS))
        linked = (href for href in links if _POST_ADDRESS.search(href[:_MAX_URL_CHARS]))
        values = filter(None, map(str.strip, (*stated, *linked)))
        urls = (resolve(value[:_MAX_URL_CHARS]) for value in values)
        self.url = next(filter(is_http, urls), "")

    def build(self) -> list[Block]:
        """Return the post, or a quotation if its URL is unknown."""
        blocks = super().build()
        if not blocks and self.url:
            return [Embed("post", self.url, self.line)]
        if len(blocks) != 1 or not isinstance(quote := blocks[0], Quote):
            return blocks
        links = [span.href for span in quote.cite if is_http(span.href)]
        url = self.url or (links[-1] if links else "")
        if not url:
            return blocks
        author, published = _split_signature(quote.cite)
        parts = tuple(chain.from_iterable(map(_without_picture_address, quote.blocks)))
        return [Embed("post", url, author=author, published=published, blocks=parts)]


#: The address of a post's picture, which ends its text.
PICTURE_ADDRESS = re.compile(r"(?:https?://|(?<![\w./-]))pic\.[\w-]{1,30}\.[a-z]{2,6}/\w{1,30}\s*$")


def _without_picture_address(block: Block) -> Iterator[Block]:
    """Yield a block without the address of the post's picture at its end, if any text remains."""
    if not isinstance(block, Paragraph) or not block.spans:
        yield block
        return
    *spans, last = block.spans
    text = PICTURE_ADDRESS.sub("", last.text)
    if text == last.text:
        yield block
    elif rest := strip_end((*spans, replace(last, text=text)), " \n"):
        yield replace(block, spans=rest)


def _split_signature(cite: Spans) -> tuple[str, str]:
    """Return the author in a signature, and the date if that is a link at its end."""
    last = cite[-1] if cite else Span("")
    is_date = bool(last.href) and any(map(str.isdigit, last.text))
    author = plain_text(cite[:-1] if is_date else cite)
    return author.strip(" —–―-,·\n"), last.text.strip() if is_date else ""
