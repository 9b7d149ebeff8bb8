"""The addresses that an element names for its picture, and the best of them for print.

One picture often has many addresses: sizes in ``srcset``, the real one in an attribute that a
script reads, a blurred preview in ``src``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qs, unquote

from lxml.html import HtmlElement

from ..urls import resolve

#: How many pixels wide a picture should be: the text block of a page at 200 to 250 dpi.
WANTED_WIDTH = 1600

#: Attributes longer than this are not read (a picture as data may be).
_MOST_CHARS = 30_000
#: A picture as data that is longer than this is left out.
_MOST_DATA = 5_000_000
#: A picture as data below this is a placeholder when there is another address.
_LEAST_DATA = 4_000
_MOST_ADDRESSES = 60
_MOST_SOURCES = 30

#: Attributes in which scripts keep a list of versions, the best first.
_SETS = (
    "srcset", "data-srcset", "data-lazy-srcset", "data-original-srcset", "data-src-set",
    "data-bgset", "data-retina-srcset", "data-gt-lazy-srcset",
)  # fmt: skip
#: Attributes in which scripts keep the whole picture.
_WHOLE = (
    "data-orig-file", "data-hi-res", "data-hires", "data-hi-res-src", "data-highres",
    "data-full", "data-full-src", "data-fullsrc", "data-large-file", "data-large_image",
    "data-large-src", "data-zoom-image", "data-zoom-src", "data-raw-src", "data-retina",
    "data-image-src", "data-original-src",
)  # fmt: skip
#: Attributes in which scripts keep the picture until it is scrolled into sight.
_LAZY = (
    "data-src", "data-original", "data-lazy-src", "data-lazy", "data-lazyload", "data-gt-lazy-src",
    "data-img-src", "data-echo", "data-actualsrc", "data-delayed-url", "data-deferred-src",
    "data-defer-src", "data-ll-src", "data-cfsrc", "data-runner-src", "data-srclazy",
    "data-default-src", "data-desktop-src", "data-src-large", "data-src-medium", "data-imgsrc",
    "data-ezsrc", "data-th-src", "lazy-src", "lazysrc", "nitro-lazy-src", "data-nitro-lazy-src",
    "data-flickity-lazyload", "data-flickity-lazyload-src", "data-splide-lazy",
)  # fmt: skip
#: Attributes read without the usual ``data-`` before them; like all others they must name a file.
_BARE = ("original", "file", "loadsrc")
_KNOWN = frozenset((*_SETS, *_WHOLE, *_LAZY, *_BARE, "src"))
_BACKGROUNDS = ("data-bg", "data-background", "data-background-image", "data-bgset", "data-bg-src")

_DESCRIPTOR = re.compile(r" (\d{1,6}(?:\.\d{1,6})?[wxWX])(?: \d{1,6}h)? ?(?:,|$)")
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|jfif)(?![\w-])", re.IGNORECASE)
_RASTER = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp)[;,]", re.IGNORECASE)
_CSS_URL = re.compile(r"""url\(\s{0,9}["']?([^"')]{1,20000})""")
_BLANK = re.compile(
    r"[/_.-](?:blank|spacer|transparent|trans|loading|loader|lazy(?:load)?|pixel|grey|gray|1x1|empty|"
    r"spinner|dummy|clear|s)\.(?:gif|png|jpe?g|svg|webp)"
)
_BLURRED = re.compile(r"blur[_=(,\d-]")
_WIDTH = re.compile(
    r"[-_](\d{2,4})x\d{2,4}(?=[^/]{0,40}$)|[?&;](?:w|s|width|imwidth|wid|maxwidth)=(\d{2,4})(?!\w)"
    r"|[?&](?:resize|fit|size)=(\d{2,4})(?:%2C|,|x)|[/,;](?:w|width)[_=-](\d{2,4})(?![\d])"
    r"|/(?:rs:\w{1,9}:|fit-in/)?(\d{2,4})x\d{0,4}/|[/_](\d{3,4})w?[/_.](?=[^/]{0,60}$)",
    re.IGNORECASE,
)


class Address(NamedTuple):
    """An address as the page writes it; ``width`` in pixels (0: unknown), best ``rank`` lowest."""

    url: str
    width: int = 0
    rank: int = 5


#: Ranks: a file that is said to be the whole picture, a version for this place, what ``src`` holds,
#: a version for small screens, a preview.
ORIGINAL, VERSION, PLAIN, SMALL, PREVIEW = range(5)


def read_addresses(element: HtmlElement) -> list[Address]:
    """Return the addresses that an ``img``, ``source`` or the like names, each once."""
    found: dict[str, Address] = {}
    attributes = element.attrib
    for name, value in attributes.items():
        if name in _KNOWN or name.startswith("data-"):
            for address in _read(name, value):
                _keep(found, address)
    above = element.getparent()
    # A parser that does not know ``source`` nests what comes after it.
    while above is not None and above.tag == "source" and element.tag != "source":
        above = above.getparent()
    if above is not None and above.tag == "picture" and element.tag != "source":
        for source in islice(above.iter("source"), _MOST_SOURCES):
            small = "max-width" in (source.get("media") or "")
            for address in read_addresses(source):
                _keep(found, address._replace(rank=SMALL) if small else address)
    return list(found.values())[:_MOST_ADDRESSES]


def src_address(element: HtmlElement) -> tuple[Address, ...]:
    """Return the address in ``src`` alone."""
    value = (element.get("src") or "").strip()
    return (_plain(value),) if 0 < len(value) <= _MOST_DATA else ()


def _keep(found: dict[str, Address], address: Address) -> None:
    known = found.get(address.url)
    if known is None or (address.rank, -address.width) < (known.rank, -known.width):
        found[address.url] = address


def _read(name: str, value: str) -> Iterator[Address]:
    """Read one attribute."""
    value = value.strip()
    if not value or len(value) > (_MOST_DATA if value[:5] == "data:" else _MOST_CHARS):
        return
    if name == "src":
        yield _plain(value)
    elif name in _SETS or name.endswith("srcset"):
        yield from parse_srcset(value)
    elif value[0] in "{[":
        yield from _read_json(value)
    elif name in _WHOLE:
        if _is_address(value):
            yield Address(value, 0, ORIGINAL)
    elif name in _LAZY:
        if _is_address(value):
            yield Address(value, 0, PREVIEW if _is_placeholder(value) else VERSION)
    elif len(value) < 2000 and " " not in value and "/" in value and _FILE.search(value):
        yield Address(value, 0, PREVIEW if "blur" in name or "preview" in name else VERSION)


def _plain(value: str) -> Address:
    if value[:5].lower() == "data:":
        if not _RASTER.match(value):
            return Address(value, 0, PREVIEW)
        return Address(value, 0, PREVIEW if len(value) < _LEAST_DATA else PLAIN)
    return Address(value, 0, PREVIEW if _is_placeholder(value) else PLAIN)


def _is_placeholder(value: str) -> bool:
    """Tell by the end of an address whether it is shown only until the picture is there."""
    end = "/" + value[-80:].lower()
    return "placeholder" in end or bool(_BLANK.search(end) or _BLURRED.search(end))


def _is_address(value: str) -> bool:
    """Tell an address from the other things that scripts keep in attributes."""
    return len(value) > 4 and ("/" in value or bool(_FILE.search(value))) and value[0] not in "#<{"


def _read_json(value: str) -> Iterator[Address]:
    """Read addresses from an attribute that holds JSON: the strings that name picture files."""
    if not _FILE.search(value):
        return
    try:
        waiting = [json.loads(value)]
    except (ValueError, RecursionError):
        return
    seen = 0
    while waiting and seen < 200:
        seen += 1
        each = waiting.pop()
        if isinstance(each, dict):
            waiting.extend(each.values())
            waiting.extend(key for key in each if isinstance(key, str) and "/" in key)
        elif isinstance(each, list):
            waiting.extend(each)
        elif isinstance(each, str) and "/" in each and " " not in each and _FILE.search(each):
            yield Address(each, 0, VERSION)


def parse_srcset(value: str) -> Iterator[Address]:
    """Read a ``srcset``: commas and even spaces in addresses are taken for what they are.

    An address reaches up to its descriptor; addresses without one are apart by a comma and space.
    """
    parts = _DESCRIPTOR.split(" ".join(value.split()))
    for place in range(0, len(parts), 2):
        text = parts[place].strip(" ,")
        bare = text.split(", ") if ", " in text else [text]
        for url in bare[:-1]:
            if url.strip(" ,"):
                yield Address(url.strip(" ,"), 0, VERSION)
        url = bare[-1].strip(" ,")
        if not url:
            continue
        descriptor = parts[place + 1] if place + 1 < len(parts) else ""
        width = int(float(descriptor[:-1])) if descriptor[-1:] in ("w", "W") else 0
        preview = url[:5] == "data:" or (not width and _is_placeholder(url))
        yield Address(url, width, PREVIEW if preview else VERSION)


def background_addresses(element: HtmlElement) -> list[Address]:
    """Return the addresses of the background that an element's own style or a script gives it."""
    style = element.get("style")
    found = []
    if style and "url(" in style:
        urls = _CSS_URL.findall(style[:_MOST_CHARS])
        found = [Address(url.strip(), 0, VERSION) for url in urls if url[:5] != "data:"]
    for name in _BACKGROUNDS:
        value = element.get(name)
        if value:
            value = value.strip()
            match = _CSS_URL.match(value)
            found += [Address(match[1])] if match else parse_srcset(value)
    return found


@lru_cache(4096)
def width_from_url(url: str) -> int:
    """Return the width that an address states of its picture, 0 when none."""
    match = _WIDTH.search(url[-400:])
    if match is None:
        return 0
    width = int(next(group for group in match.groups() if group))
    return width if 16 <= width <= 6000 and not 1900 <= width <= 2035 else 0


def best_address(addresses: Iterable[Address]) -> Address | None:
    """Return the address to print from: wide enough and no wider, whole pictures before previews.

    Among versions of one width the formats that every decoder reads come first.
    """
    usable = [each for each in addresses if each.rank < PREVIEW] or list(addresses)
    if not usable:
        return None
    top = [each for each in usable if each.rank <= PLAIN] or usable
    sized = [(each.width or width_from_url(each.url), each) for each in top]
    wide = [pair for pair in sized if pair[0] >= WANTED_WIDTH]
    if wide:
        return min(wide, key=lambda pair: (pair[0], _format(pair[1].url)))[1]
    whole = [each for each in top if each.rank == ORIGINAL]
    if whole:
        return whole[0]
    known = [pair for pair in sized if pair[0]]
    if not known:
        return min(top, key=lambda each: (each.rank, _format(each.url)))
    widest = max(known, key=lambda pair: (pair[0], -_format(pair[1].url)))
    # An address without any size is mostly the picture itself.
    unsized = [each for width, each in sized if not width]
    return unsized[0] if unsized and widest[0] < WANTED_WIDTH // 2 else widest[1]


def _format(url: str) -> int:
    return 1 if ".avif" in url or "avif" in url[-60:] else 0


def absolute_url(url: str, base: str) -> str:
    """Return an absolute address, '' for one that may not be fetched.

    http and https, raster pictures as data, and files when the page is one itself.
    """
    if url.startswith(("https://", "http://")) and "[" not in url:
        return url.replace(" ", "%20") if " " in url else url
    if url[:5].lower() == "data:":
        return url if _RASTER.match(url) and len(url) <= _MOST_DATA else ""
    if base.startswith("file:"):
        return resolve(base, url, frozenset({"http", "https", "file"}))
    return resolve(base, url).replace(" ", "%20")


_SIZES = re.compile(
    r"[-_@](?:\d{2,4}x\d{2,4}|\d{2,4}w|[23]x|p-\d{3,4}|scaled|small|medium|large|thumb(?:nail)?|"
    r"full|original|preview)(?=\.\w{2,5}$)|-e\d{10,13}(?=\.\w{2,5}$)",
    re.IGNORECASE,
)
_TRANSFORM = re.compile(
    r"/(?:(?:w|h|c|q|f|g|ar|dpr|fl|e|b|t|x|y)_[\w.:%-]{1,40},?){1,12}(?=/)|"
    r"/(?:fill|fit|crop|resize|thumb)[_/]\d{0,4}[x,/]?\d{0,4}(?=/)|/cdn-cgi/image/[^/]{1,200}"
)
_KNOWN_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?)$", re.IGNORECASE)


@lru_cache(4096)
def picture_key(url: str) -> str:
    """Return what the addresses of one picture in several sizes and formats have in common.

    '' for a picture as data and for what shows nothing.
    """
    if url[:5].lower() == "data:":
        return url[:300] if len(url) > _LEAST_DATA else ""
    path, _, query = url.partition("#")[0].partition("?")
    if query and "url=" in query:
        inner = parse_qs(query[:3000]).get("url") or [""]
        if _FILE.search(inner[0]):
            return picture_key(inner[0])
    path = unquote(path)
    nested = max(path.find("http://", 9), path.find("https://", 9))
    if nested > 0:
        path = path[nested:]
    if "//" in path[:8]:
        path = path[path.index("//") + 2 :].partition("/")[2] or path
    path = _TRANSFORM.sub("", "/" + path.lstrip("./"))
    if not _KNOWN_FILE.search(path):
        return f"{path}?{query}" if query and "." not in path[-6:] else path
    stem = _SIZES.sub("", _SIZES.sub("", path))
    return stem.rpartition(".")[0].lower()
