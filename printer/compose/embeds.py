"""Players and maps that a page shows in a frame, which paper can only name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from lxml.html import HtmlElement

from ..article import Embed
from .inline import tidy

_SOURCES = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data-url")
_VIDEO = re.compile(
    r"/embed/|/video|/player|[/.]player\.|\bvideo\b|\byoutube\b|/reel/", re.IGNORECASE
)
_AUDIO = re.compile(r"/audio|podcast|/episode|/track|\baudio\b|/sound", re.IGNORECASE)
_MAP = re.compile(r"/maps?[/?]|[/.]maps?\.|\bmap\b", re.IGNORECASE)
_NOT = re.compile(
    r"\bads?\b|adserv|doubleclick|captcha|consent|cookie|newsletter|subscribe|comment|share|pixel"
    r"|track(?:er|ing)|login|signup|/forms?/|chat",
    re.IGNORECASE,
)


def read_embed(element: HtmlElement, resolve: Callable[[str], str]) -> Embed | None:
    """Read a player or a map; None for a frame that is neither."""
    title = tidy((element.get("title") or element.get("aria-label") or "")[:200])
    url = _source(element, resolve)
    if not url or _tiny(element):
        return None
    if element.tag == "video":
        return Embed("video", url, title, resolve(element.get("poster") or ""))
    if element.tag == "audio":
        return Embed("audio", url, title)
    if _NOT.search(f"{url[:300]} {element.get('id') or ''} {element.get('class') or ''}"[:500]):
        return None
    kind = _kind(f"{url[:300]} {title}", element)
    return Embed(kind, url, title) if kind else None


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


def _kind(named: str, element: HtmlElement) -> Literal["video", "audio", "map", ""]:
    if _MAP.search(named):
        return "map"
    if _AUDIO.search(named):
        return "audio"
    if _VIDEO.search(named) or element.get("allowfullscreen") is not None:
        return "video"
    return ""
