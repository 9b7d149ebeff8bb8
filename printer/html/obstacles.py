"""Recognize pages that show something else instead of their article."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final, Literal, TypeAlias

from ..i18n import load_table
from ..text import UNSPACED_CHARACTER
from .page import Page
from .parse import element_line

Obstacle: TypeAlias = Literal["", "sign-in", "robot check", "not found", "consent", "paywall"]


#: The longest text that is not an article. A character of a script without spaces counts
#: as three.
_MAX_OBSTACLE_CHARS = 900
#: The longest whole page without an article.
_MAX_SMALL_PAGE_CHARS = 3_000
#: The longest beginning of an article.
MAX_STUB_CHARS = 1_500
_OF_SMALL_PAGES: Final[tuple[Obstacle, ...]] = ("robot check", "consent")


def find_obstacle(page: Page, text: str) -> Obstacle:
    """Return the kind of page shown instead of an article, or ''.

    Args:
        page: The page.
        text: The text that was selected as its article, '' for none.
    """
    size = _size(text)
    if size > MAX_STUB_CHARS:
        return ""
    if size <= _MAX_OBSTACLE_CHARS:
        headings = map(element_line, islice(page.tree.iter("h1", "h2"), _MAX_LINES))
        titles = [page.metadata.title, *(heading[:_MAX_LINE_CHARS] for heading in headings)]
        titles = [title.casefold() for title in titles]
        fields = page.tree.iter("input")
        has_password = any(field.get("type") == "password" for field in fields)
        if has_password and _announces(titles, "sign-in"):
            return "sign-in"
        if _announces(titles, "not found"):
            return "not found"
        total = sum(_size(segment.text) for segment in page.segments)
        if total <= _MAX_OBSTACLE_CHARS and _has_captcha(page):
            return "robot check"
        for obstacle in _OF_SMALL_PAGES:
            if total <= _MAX_SMALL_PAGE_CHARS and _announces(titles, obstacle):
                return obstacle
    return "paywall" if text and _is_closed(page, text) else ""


def _size(text: str) -> int:
    return len(text) + 2 * len(UNSPACED_CHARACTER.findall(text))


_PHRASES: dict[Obstacle, tuple[str, ...]] = load_table("obstacles")
_MAX_CHARS_BESIDE_PHRASE = 24


def _announces(titles: Iterable[str], obstacle: Obstacle) -> bool:
    """Return whether a title is about an obstacle and little else."""
    return any(
        phrase in title and len(title) <= len(phrase) + _MAX_CHARS_BESIDE_PHRASE
        for title in titles
        for phrase in _PHRASES[obstacle]
    )


_MAX_LINES = 12
_MAX_LINE_CHARS = 160


_CAPTCHA = re.compile(r"captcha|turnstile|challenge-(?:form|running|stage)", re.IGNORECASE)


def _has_captcha(page: Page) -> bool:
    """Return whether a page has an element that asks visitors to prove that they are human."""
    for element in page.tree.iter("div", "form", "iframe", "input"):
        names = " ".join(filter(None, map(element.get, ("class", "id", "name", "title"))))
        if names and _CAPTCHA.search(names[:300]):
            return True
    return False


def _is_closed(page: Page, text: str) -> bool:
    """Return whether the lines after a short article ask readers to subscribe."""
    last = text.rstrip().rpartition("\n")[2].strip()
    lines = [segment.text for segment in page.segments]
    position = next((i for i in range(len(lines) - 1, -1, -1) if lines[i] == last), None)
    if position is None:
        return False
    lines_below = (
        line[:_MAX_LINE_CHARS].casefold() for line in lines[position : position + _MAX_LINES]
    )
    return any(phrase in line for line in lines_below for phrase in _PHRASES["paywall"])
