r"""Formulas in the attributes of images and of elements that a script typesets.

Blogs and wikis show formulas as small images, whose alternative text or address is TeX.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from lxml.html import HtmlElement

MAX_SOURCE = 20_000
#: The attributes in which pages keep the TeX of a formula that a script typesets.
TEX_ATTRIBUTES = ("data-math", "data-latex", "data-tex")

_NAME = re.compile(
    r"(?:^|[\s_-])(?:latex|tex|math|katex|formula|equation)(?:[\s_-]|$)", re.IGNORECASE
)
#: A command of TeX, and the other signs of which a formula has at least one.
_COMMAND = re.compile(r"\\(?:[a-zA-Z]{2,}|[,;!\\])")
_SIGNS = re.compile(r"[{}^_]")
_LIKELY = re.compile(r"[\\^_={}]")
_WORD = re.compile(r"[^\W\d_]{4}")
#: The longest formula without any such sign ('A'), and the longest address, in characters.
_MAX_PLAIN, _MAX_ADDRESS = 20, 4000


def image_tex(image: HtmlElement) -> str:
    """Return the TeX of an image that shows a formula, '' for any other image."""
    address = image.get("src") or ""
    alt = " ".join((image.get("alt") or "")[:MAX_SOURCE].split())
    if alt:
        names = image.get("class") or ""
        if _COMMAND.search(alt) and _SIGNS.search(alt):
            return alt
        if _LIKELY.search(alt) and _NAME.search(f"{names} {address}"[:300].partition("?")[0]):
            return alt
        if len(alt) <= _MAX_PLAIN and _NAME.search(names[:300]) and not _WORD.search(alt):
            return alt
    return _address_tex(address) if "%5" in address[:_MAX_ADDRESS] else ""


def _address_tex(address: str) -> str:
    """Return the formula in the address of an image that a service draws, '' if there is none."""
    path, _, query = address[:_MAX_ADDRESS].partition("?")
    for part in query.split("&") if query else [path.rpartition("/")[2]]:
        name, _, value = part.partition("=")
        text = unquote(value if value and "%" not in name else part)
        if _COMMAND.search(text) and ":" not in text:  # no path of another system
            return " ".join(text.split())
    return ""


def attribute_tex(element: HtmlElement) -> str:
    """Return the TeX of an element that a script typesets, '' if there is none."""
    tex = next(filter(None, map(element.get, TEX_ATTRIBUTES)), "").strip()
    if not tex or len(tex) > MAX_SOURCE:
        return ""
    named = (element, *element[:2])
    return tex if any(_NAME.search((node.get("class") or "")[:300]) for node in named) else ""
