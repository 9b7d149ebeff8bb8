"""The URLs that an element gives for its picture, and the best of them for print.

A picture often has several: sizes in ``srcset``, the real picture in an attribute for a script, a
blurred preview in ``src``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode

from lxml.html import HtmlElement

from ..files import load_json
from ..html.index import outward
from ..urls import resolve

#: Longer data: URLs of pictures are not read.
_MAX_DATA_CHARS = 5_000_000
_TABLES = load_json(__file__, "srcset.json")
IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|jfif)(?![\w-])", re.IGNORECASE)
# Ranks, best first.
ORIGINAL = 0
#: A version for this place on the page.
VERSION = 1
#: The value of ``src``.
PLAIN = 2
#: A version for small screens.
SMALL = 3
PREVIEW = 4


class ImageSource(NamedTuple):
    """A URL as written in the page, its width in pixels (0: unknown) and its rank."""

    url: str
    width: int = 0
    rank: int = 5


_DARK_CLASS = re.compile(
    r"(?:^|[\s_])(?:only-dark|(?:show-on-|theme-)?dark(?:-mode|-theme)?-only)(?=$|\s)"
    r"|(?:^|\s)hidden\s(?:.{0,200}\s)?dark:(?:block|inline|inline-block|flex)(?=$|\s)"
)
_DARK_ADDRESS = re.compile(r"#(?:gh-dark-mode-only|only-dark)$")


def is_dark_mode_variant(element: HtmlElement) -> bool:
    """Return whether a picture is the dark-mode variant of one that also has a light variant."""
    return bool(_DARK_ADDRESS.search((element.get("src") or "")[-30:])) or any(
        "dark" in (names := (node.get("class") or "")[:400]) and _DARK_CLASS.search(names)
        for node in outward(element, 2)
    )


#: The preferred width in pixels, enough for the text block of a page at 200 to 250 dpi.
PREFERRED_WIDTH = 1600
_MAX_SOURCES = 60
#: Attributes in which scripts keep the URL of a picture until it is scrolled into view.
_LAZY = frozenset(_TABLES["lazy"])
_ORIGINALS = frozenset(_TABLES["originals"])
_VERSION_LISTS = frozenset(_TABLES["version_lists"])
_READ = frozenset((*_VERSION_LISTS, *_ORIGINALS, *_LAZY, *_TABLES["without_prefix"], "src"))
#: A place in a URL that a script fills in.
_TEMPLATE = re.compile(r"\$\{|\{\{|<%|(?:\{|%7B)[a-z_]\w{0,40}(?:\}|%7D)", re.IGNORECASE)
#: A place in a URL for a width in pixels.
_WIDTH_TEMPLATE = re.compile(r"(?:\{|%7B)(?i:width|w)(?:\}|%7D)|(?<=[-_/=][wW])WIDTH(?=[/.&_-]|$)")
_MAX_SOURCE_ELEMENTS = 30
_DARK_MEDIA = re.compile(r"prefers-color-scheme\s{0,9}:\s{0,9}dark")


def read_sources(element: HtmlElement) -> list[ImageSource]:
    """Return the sources that an ``img``, ``source`` or similar element gives, each URL once."""
    sources: dict[str, ImageSource] = {}

    def add(source: ImageSource) -> None:
        if "{" in source.url or "%" in source.url or "WIDTH" in source.url:
            filled = _WIDTH_TEMPLATE.sub(str(PREFERRED_WIDTH), source.url)
            if _TEMPLATE.search(filled):
                return
            source = source._replace(url=filled)
        previous = sources.get(source.url)
        if previous is None or (source.rank, -source.width) < (previous.rank, -previous.width):
            sources[source.url] = source

    for name, value in element.attrib.items():
        if name in _READ or name.startswith("data-"):
            for source in _read_attribute(name, value):
                add(source)
    parent = element.getparent()
    # A parser that does not know ``source`` nests the elements after it.
    while parent.tag == "source" and element.tag != "source":
        parent = parent.getparent()
    if parent.tag == "picture" and element.tag != "source":
        for version in islice(parent.iter("source"), _MAX_SOURCE_ELEMENTS):
            media = version.get("media") or ""
            for source in () if _DARK_MEDIA.search(media) else read_sources(version):
                add(source._replace(rank=SMALL) if "max-width" in media else source)
    return list(sources.values())[:_MAX_SOURCES]


def src_attribute(element: HtmlElement) -> tuple[ImageSource, ...]:
    value = (element.get("src") or "").strip()
    is_url = 0 < len(value) <= _MAX_DATA_CHARS and value[0] != "#"
    return (_plain_source(value),) if is_url else ()


#: Longer attributes are not read.
_MAX_CHARS = 30_000


def _read_attribute(name: str, value: str) -> Iterator[ImageSource]:
    value = value.strip()
    is_url = value[:1] not in ("", "#")  # a fragment is the page itself
    if not is_url or len(value) > (_MAX_DATA_CHARS if value[:5] == "data:" else _MAX_CHARS):
        return
    if name == "src":
        yield _plain_source(value)
    elif name in _VERSION_LISTS or name.endswith("srcset"):
        yield from parse_srcset(value)
    elif value[0] in "{[":
        return  # data for scripts
    elif name in _ORIGINALS:
        if _is_url(value):
            yield ImageSource(value, 0, ORIGINAL)
    elif name in _LAZY:
        if _is_url(value):
            yield ImageSource(value, 0, PREVIEW if _is_placeholder(value) else VERSION)
    elif len(value) < 2000 and " " not in value and "/" in value and IMAGE_FILE.search(value):
        yield ImageSource(value, 0, PREVIEW if "blur" in name or "preview" in name else VERSION)


#: A shorter data: URL is a placeholder if the element gives another URL.
_MIN_DATA_CHARS = 4_000
_RASTER = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif|bmp)[;,]", re.IGNORECASE)


def _plain_source(value: str) -> ImageSource:
    if value[:5].lower() == "data:":
        preview = not _RASTER.match(value) or len(value) < _MIN_DATA_CHARS
    else:
        preview = _is_placeholder(value)
    return ImageSource(value, 0, PREVIEW if preview else PLAIN)


_BLANK = re.compile(
    r"[/_.-](?:blank|spacer|transparent|trans|loading|loader|lazy(?:load)?|pixel|grey|gray|1x1|empty|"
    r"spinner|dummy|clear|holder|(?:no|missing)[_-]?(?:image|img|photo|picture|thumb(?:nail)?)"
    r"(?:[_-](?:available|found))?)\.(?:gif|png|jpe?g|svg|webp)|/s\.gif"
)
_BLURRED = re.compile(r"blur[_=(,\d-]")


def _is_placeholder(value: str) -> bool:
    """Return whether a URL ends in the name of a loading placeholder."""
    end = "/" + value[-80:].lower()
    return "placeholder" in end or bool(_BLANK.search(end) or _BLURRED.search(end))


def _is_url(value: str) -> bool:
    """Return whether an attribute's value is a URL rather than other data for scripts."""
    is_address = "/" in value or IMAGE_FILE.search(value) is not None
    return len(value) > 4 and is_address and value[0] != "<"


_DESCRIPTOR = re.compile(r" (\d{1,6}(?:\.\d{1,6})?[wxWX])(?: \d{1,6}h)? ?(?:,|$)")


def parse_srcset(value: str) -> Iterator[ImageSource]:
    """Parse a ``srcset``, ending URLs at descriptors or ', ', as they may contain commas."""
    parts = _DESCRIPTOR.split(" ".join(value.split()))
    for text, descriptor in zip(parts[::2], [*parts[1::2], ""], strict=True):
        *undescribed, url = text.strip(" ,").split(", ")
        for other in undescribed:
            if other.strip(" ,"):
                yield ImageSource(other.strip(" ,"), 0, VERSION)
        url = url.strip(" ,")
        if not url:
            continue
        width = int(float(descriptor[:-1])) if descriptor[-1:] in ("w", "W") else 0
        preview = url[:5] == "data:" or (not width and _is_placeholder(url))
        yield ImageSource(url, width, PREVIEW if preview else VERSION)


BACKGROUND_ATTRIBUTES = _TABLES["backgrounds"]
_CSS_URL = re.compile(
    r"""url\(\s{0,9}(?:(?P<quote>["'])(?P<quoted>.{1,20000}?)(?P=quote)|(?P<bare>[^"')]{1,20000}))"""
)


def background_sources(element: HtmlElement) -> list[ImageSource]:
    """Return the backgrounds given in an element's ``style`` or in attributes for scripts."""
    style = element.get("style")
    sources: list[ImageSource] = []
    if style and "url(" in style:
        matches = _CSS_URL.finditer(style[:_MAX_CHARS])
        urls = [(match["quoted"] or match["bare"]).strip() for match in matches]
        sources = [ImageSource(url, 0, VERSION) for url in urls if url[:5] != "data:"]
    for name in BACKGROUND_ATTRIBUTES:
        value = (element.get(name) or "").strip()
        match = _CSS_URL.match(value)
        url = match and (match["quoted"] or match["bare"])
        sources += [ImageSource(url)] if url else parse_srcset(value)
    return sources


_WIDTH = re.compile(
    r"[-_](\d{2,4})x\d{2,4}(?=[^/]{0,40}$)|[?&;](?:w|s|width|imwidth|wid|maxwidth)=(\d{2,4})(?!\w)"
    r"|[?&](?:resize|fit|size)=(\d{2,4})(?:%2C|,|x)|[/,;](?:w|width)[_=-](\d{2,4})(?![\d])|-w(\d{2,4})/"
    r"|/(?:rs:\w{1,9}:|fit-in/|[a-z_]{1,20})?(\d{2,4})x\d{0,4}/|[/_](\d{3,4})w?[/_.](?=[^/]{0,60}$)",
    re.IGNORECASE,
)


@lru_cache(4096)
def width_from_url(url: str) -> int:
    """Return the width in pixels stated in a picture's URL, 0 for none."""
    match = _WIDTH.search(url[-400:])
    if match is None:
        return 0
    width = int(next(group for group in match.groups() if group))
    is_year = 1900 <= width <= 2035
    return width if 16 <= width <= 6000 and not is_year else 0


def best_source(sources: Iterable[ImageSource]) -> ImageSource | None:
    """Return the source to print: no wider than necessary, originals before previews."""
    usable = [source for source in sources if source.rank < PREVIEW] or list(sources)
    if not usable:
        return None
    top = [source for source in usable if source.rank <= PLAIN] or usable
    sized = [(source.width or width_from_url(source.url), source) for source in top]
    wide = [pair for pair in sized if pair[0] >= PREFERRED_WIDTH]
    if wide:
        return min(wide, key=lambda pair: (pair[0], _is_avif(pair[1].url)))[1]
    original = next((source for source in top if source.rank == ORIGINAL), None)
    if original:
        return original
    pairs_with_width = [pair for pair in sized if pair[0]]
    if not pairs_with_width:
        return min(top, key=lambda source: (source.rank, _is_avif(source.url)))
    widest = max(pairs_with_width, key=lambda pair: (pair[0], not _is_avif(pair[1].url)))
    # A URL without a size usually leads to the full picture.
    unsized = [source for width, source in sized if not width]
    return unsized[0] if unsized and widest[0] < PREFERRED_WIDTH // 2 else widest[1]


def _is_avif(url: str) -> bool:
    return "avif" in url[-60:]


def absolute_url(url: str, base: str) -> str:
    """Return an absolute http, https or raster data: URL, a file: URL for files, or ''."""
    if url.startswith(("https://", "http://")) and "[" not in url:
        return url.replace(" ", "%20")
    if url[:5].lower() == "data:":
        return url if _RASTER.match(url) and len(url) <= _MAX_DATA_CHARS else ""
    if base.startswith("file:"):
        return resolve(base, url, frozenset({"http", "https", "file"}))
    return resolve(base, url).replace(" ", "%20")


_SIZE_SUFFIX = re.compile(
    r"[-_@](?:\d{2,4}x\d{2,4}|\d{2,4}w|[23]x|p-\d{3,4}|scaled|small|medium|large|thumb(?:nail)?|"
    r"full|original|preview|desktop|mobile)(?=\.\w{2,5}$)|(?<=\d)_(?:x{0,3}[sl]\d?|m)(?=\.\w{2,5}$)"
    r"|-e\d{10,13}(?=\.\w{2,5}$)",
    re.IGNORECASE,
)
_TRANSFORM = re.compile(
    r"/(?:(?:w|h|c|q|f|g|ar|dpr|fl|e|b|t|x|y)_[\w.:%-]{1,40},?){1,12}(?=/)|"
    r"/(?:fill|fit|crop|resize|thumb|max|width)[_/]\d{0,4}[x,/]?\d{0,4}(?=/)|"
    r"/\d{2,4}x\d{2,4}(?=/|$)|/styles/[\w-]{1,60}/public(?=/)|(?<=/)\d{2,4}x\d{2,4}_(?=[^/]*$)|"
    r"/resize:\w{1,9}(?::\d{1,4}){1,2}(?=/)|/cdn-cgi/image/[^/]{1,200}|-w\d{2,4}(?=/)|"
    r"(?<=\d)-[a-z]{1,20}_default(?:_2x)?(?=/)|"
    r"/(?!(?:19[5-9]|20)\d\d?/)\d{3,4}/(?:\d{3,4}|x)(?=/)|/(?:16|[1-5]|9|21)[-x:](?:16|[1-5]|9)(?=/)|"
    r"/(?:thumb(?:nail)?s?|small|medium|large|big|full|orig(?:inals?)?|mini|preview|resized?|cache)"
    r"(?=/)"
)
#: The name that a server gives a version of a picture, with a hash of how it was scaled.
_VERSION = re.compile(r"(?<=/)csm_([^/]+)_[0-9a-f]{10}(?=\.\w{2,5}$)")
_SCRIPT = re.compile(r"\.(?:php\d?|aspx?|ashx|axd|cgi|jsp|cfm|do|dll|pl)$", re.IGNORECASE)
_FILE_ENDING = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?)$", re.IGNORECASE)


@lru_cache(4096)
def picture_key(url: str) -> str:
    """Return a key shared by a picture's URLs in all sizes, '' for a small data: URL."""
    if not url or url[:5].lower() == "data:":
        return url[:300] if len(url) > _MIN_DATA_CHARS else ""
    path, _, query = original_url(url).partition("#")[0].partition("?")
    path = unquote(path)
    if "//" in path[:8]:
        path = path[path.index("//") + 2 :].partition("/")[2] or path
    path = _VERSION.sub(r"\1", _TRANSFORM.sub("", "/" + path.lstrip("./")))
    if not _FILE_ENDING.search(path):
        query = _identifying_parameters(query, keep=bool(_SCRIPT.search(path))) if query else ""
        return f"{path}?{query}" if query else path
    stem = _SIZE_SUFFIX.sub("", _SIZE_SUFFIX.sub("", path)).rpartition(".")[0].lower()
    name = stem.rpartition("/")[2]
    return _SIZE_PREFIX.sub("", name, count=1) if is_numbered(name) else stem


_SIZE_PREFIX = re.compile(r"^(?:small|medium|large|thumb(?:nail)?|full|original|preview)[_-]")


_PIXELS = re.compile(r"\d{2,4}x\d{2,4}")
_MIN_NAME_DIGITS = 5


def is_numbered(name: str) -> bool:
    """Return whether the name of a file has enough digits to belong to a single picture."""
    return sum(map(str.isdigit, _PIXELS.sub("", name))) >= _MIN_NAME_DIGITS


_MAX_NESTED_URLS = 3
#: The extension that a server adds to the name of a file whose format it changes: 'badge.svg.png'.
_ADDED_EXTENSION = re.compile(
    r"(?<=\.jpg|\.png|\.gif|\.svg)\.(?:jpe?g|png|webp|avif)(?=$|[?#])", re.IGNORECASE
)
_URL_IN_PATH = re.compile(r"(?<=[/,=])https?(?:%3A%2F%2F|:/{1,2}(?=\w))", re.IGNORECASE)


def original_url(url: str) -> str:
    """Return the URL of the file from which a server makes a picture, if its URL shows that."""
    for _ in range(_MAX_NESTED_URLS):
        inner = _nested_url(url)
        if not inner:
            break
        url = inner
    return _ADDED_EXTENSION.sub("", url)


def _nested_url(url: str) -> str:
    """Return the picture's own URL from the path or the parameters of a scaling server, or ''."""
    path, _, query = url.partition("#")[0].partition("?")
    in_path = _URL_IN_PATH.search(path)
    if in_path:
        inner = url[in_path.start() :]
        return unquote(inner) if "%" in in_path[0] else inner
    if _FILE_ENDING.search(path):
        return ""
    return next(
        (
            value
            for _, value in parse_qsl(query[:3000])
            if "/" in value and (IMAGE_FILE.search(value) or value.endswith(".ico"))
        ),
        "",
    )


#: Parameters that state how a server scales and encodes a picture, not which picture.
_SCALING = frozenset(_TABLES["scaling_parameters"])


def _identifying_parameters(query: str, *, keep: bool) -> str:
    """Return the parameters that identify a picture; if none does, all with ``keep``, or none."""
    pairs = parse_qsl(query[:3000], keep_blank_values=True)
    identifying = [pair for pair in pairs if pair[0].lower() not in _SCALING]
    return urlencode(sorted(identifying or pairs if keep else identifying))
