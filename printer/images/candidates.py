"""The pictures of a page: every place where one stands, with all its addresses."""

from __future__ import annotations

import copy
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

from lxml import etree, html
from lxml.html import HtmlElement

from ..html.layout import PageLayout
from ..html.page import Page
from ..layout import PictureBox, Rect, is_visible
from ..selection import Verdict
from .srcset import (
    PLAIN,
    PREVIEW,
    VERSION,
    Address,
    absolute_url,
    background_addresses,
    best_address,
    picture_key,
    read_addresses,
    src_address,
    width_from_url,
)

#: The index of an element in the outline, and of the segment after it.
_Place: TypeAlias = tuple[int, int]

Kind = Literal["image", "drawing", "poster", "background", "lead"]

#: Pictures beyond this many are not looked at.
MAX_CANDIDATES = 3000

_TAGS = ("img", "amp-img", "amp-anim", "video", "svg", "object", "noscript")
_IMAGES = frozenset({"img", "amp-img", "amp-anim"})
#: How far apart, in levels of the tree, copies of one picture may stand.
_NEAR = 4
_NUMBER = re.compile(r"\s{0,9}(\d{1,5})(?:\.\d{1,9})?\s{0,9}(?:px)?\s{0,9}$")
_STYLE = {
    side: re.compile(rf"(?:^|[;\s]){side}\s{{0,9}}:\s{{0,9}}(\d{{1,5}})(?:\.\d{{1,9}})?px")
    for side in ("width", "height")
}
#: Elements whose backgrounds are not pictures of their own.
NO_BACKGROUND = frozenset({"html", "body", "img", "source", "a"})
#: A background with more segments of text over it is not a picture of the article.
MOST_OVER = 8
_MOST_BACKGROUNDS = 300
_BOTH = re.compile(r"[-_=/](\d{2,4})(?:x|%2C|,)(\d{2,4})(?![\d])", re.IGNORECASE)
_MOST_NOSCRIPT = 20_000
_MOST_BESIDE = 20
_MOST_COPIED = 100


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place in the page where a picture stands.

    ``at`` is the index in the page's outline of the element or, when that holds no index, of the
    one around it; ``before`` the index of the segment that the picture stands in or before.
    ``width`` and ``height`` are CSS pixels as declared (0: unknown), ``natural`` the width of the
    widest version as far as an address or ``srcset`` tells.  ``addresses`` are as the page writes
    them; ``same`` is what all addresses of this picture have in common.
    """

    element: HtmlElement
    kind: Kind
    index: int
    segment: int
    addresses: tuple[Address, ...] = ()
    alt: str = ""
    title: str = ""
    width: int = 0
    height: int = 0
    natural_width: int = 0
    url_key: str = ""
    best: Address | None = None

    def sources(self, base: str) -> tuple[str, ...]:
        """Return every usable address, the one to print from first."""
        chosen = self.best
        urls = [chosen.url] if chosen else []
        urls += [each.url for each in self.addresses]
        return tuple(dict.fromkeys(filter(None, (absolute_url(url, base) for url in urls))))


def _markup_candidates(page: Page, near: range | None = None) -> list[Candidate]:
    """Return the pictures of a page in document order, copies that stand together as one.

    Of pictures whose ``before`` is not in ``near`` only the ``src`` is read.
    """
    places: _Places | None = None  # it takes its time, and many a page has no pictures
    found: list[Candidate] = []
    for element in page.tree.iter(*_TAGS):
        if len(found) >= MAX_CANDIDATES:
            break
        places = places or _Places(page)
        at, before = place = places.of(element)
        if near is not None and before not in near:
            if element.tag in _IMAGES:
                found.append(_glanced(element, at, before))
            continue
        for candidate in _read(element, place):
            if not (found and _merge(found, candidate)):
                found.append(candidate)
    found = [each for each in found if each.kind == "drawing" or _has_address(each)]
    backgrounds = list(_backgrounds(page, near, {each.element for each in found}))
    if backgrounds:
        found = sorted([*found, *backgrounds], key=lambda each: (each.index, each.segment))
    return found


def _glanced(element: HtmlElement, at: int, before: int) -> Candidate:
    addresses = src_address(element)
    chosen = addresses[0] if addresses else None
    return Candidate(element, "image", at, before, addresses, best=chosen)


class _Places:
    """Where elements stand in a page's outline."""

    __slots__ = ("index", "outline")

    def __init__(self, page: Page) -> None:
        self.outline = page.index
        self.index = {element: i for i, element in enumerate(page.index.elements)}

    def of(self, element: HtmlElement) -> tuple[int, int]:
        """Return the index of an element (or of what holds it), and of the segment after it."""
        found = self.index.get(element)
        if found is not None:
            return found, self.outline.segment_begins[found]
        node = element
        while True:
            above = node.getparent()
            if above is None:
                return 0, 0
            found = self.index.get(above)
            if found is not None:
                break
            node = above
        before = node.getprevious()
        for _ in range(8):
            if before is None:
                break
            inside = self.index.get(before)
            if inside is not None:
                return found, self.outline.segment_ends[inside]
            before = before.getprevious()
        return found, self.outline.segment_begins[found]


def _read(element: HtmlElement, place: _Place) -> Iterator[Candidate]:
    tag = element.tag
    if tag in _IMAGES:
        yield _made(element, "image", read_addresses(element), place)
    elif tag == "noscript":
        yield from _unparsed(element, place)
    elif tag == "video":
        poster = (element.get("poster") or element.get("data-poster") or "").strip()
        if poster:
            yield _made(element, "poster", [Address(poster)], place)
    elif tag == "object":
        data = element.get("data") or ""
        if data and (element.get("type") or "").startswith("image/"):
            yield _made(element, "image", [Address(data)], place)
    elif _is_drawing(element):
        yield _made(element, "drawing", [], place)


def _made(
    element: HtmlElement,
    kind: Kind,
    addresses: list[Address],
    place: _Place,
    standing: HtmlElement | None = None,
) -> Candidate:
    at, before = place
    width, height = _side(element, "width"), _side(element, "height")
    chosen = best_address(addresses)
    natural = max((a.width or width_from_url(a.url) for a in addresses), default=0)
    if chosen and not (width and height):
        match = _BOTH.search(chosen.url[-200:])
        if match and not width and not height:
            width, height = int(match[1]), int(match[2])
    if kind == "drawing":
        width, height = _drawn_size(element, width, height)
    return Candidate(
        element=element if standing is None else standing,
        kind=kind,
        index=at,
        segment=before,
        addresses=tuple(addresses),
        alt=drawing_title(element)
        if kind == "drawing"
        else " ".join((element.get("alt") or "").split())[:2000],
        title=" ".join((element.get("title") or "").split())[:2000],
        width=width,
        height=height,
        natural_width=natural,
        url_key=picture_key(chosen.url) if chosen else "",
        best=chosen,
    )


def _side(element: HtmlElement, side: str) -> int:
    match = _NUMBER.match(element.get(side) or "")
    if match is None:
        style = element.get("style")
        match = _STYLE[side].search(style[:2000]) if style else None
    return int(match[1]) if match else 0


def _unparsed(element: HtmlElement, place: _Place) -> Iterator[Candidate]:
    """Read the pictures in a ``noscript`` whose content was left as text."""
    text = element.text or ""
    if len(element) or "<img" not in text or len(text) > _MOST_NOSCRIPT:
        return
    for image in html.fragment_fromstring(text, create_parent="div").iter("img"):
        yield _made(image, "image", read_addresses(image), place, element)


def _merge(found: list[Candidate], new: Candidate) -> bool:
    """Merge a candidate with the one before it when both are one picture."""
    old = found[-1]
    if old.kind != "image" or new.kind != "image":
        return False
    if len(old.addresses) > _MOST_COPIED or not _near(old.element, new.element):
        return False
    twin = not (_shown(old) and _shown(new)) and bool(_urls(old) & _urls(new))
    if old.segment != new.segment and not twin:
        return False
    alike = twin or (bool(old.url_key) and old.url_key == new.url_key)
    if not alike and not _is_preview(old) and not _is_preview(new):
        return False
    # What stands in noscript stands nowhere when the page is shown.
    keep, other = (new, old) if _is_preview(old) and _shown(new) else (old, new)
    addresses = tuple({a.url: a for a in (*other.addresses, *keep.addresses)}.values())
    found[-1] = replace(
        keep,
        addresses=addresses,
        alt=keep.alt or other.alt,
        title=keep.title or other.title,
        width=keep.width or other.width,
        height=keep.height or other.height,
        natural_width=max(keep.natural_width, other.natural_width),
        url_key=other.url_key if _is_preview(keep) else keep.url_key,
        best=best_address(addresses),
    )
    return True


def _urls(candidate: Candidate) -> set[str]:
    return {each.url for each in candidate.addresses if not each.url.startswith("data:")}


def _has_address(candidate: Candidate) -> bool:
    """Tell whether there is a picture at all, not only what stands there until it is loaded."""
    return any(
        each.rank < PREVIEW or not each.url.startswith("data:") for each in candidate.addresses
    )


def _is_preview(candidate: Candidate) -> bool:
    return all(each.rank == PREVIEW for each in candidate.addresses)


def _shown(candidate: Candidate) -> bool:
    node: HtmlElement | None = candidate.element
    for _ in range(_NEAR):
        if node is None:
            break
        if node.tag == "noscript":
            return False
        node = node.getparent()
    return True


def _near(one: HtmlElement, other: HtmlElement) -> bool:
    """Tell whether two elements share an ancestor a few levels up."""
    above = set()
    node: HtmlElement | None = one
    for _ in range(_NEAR):
        node = node.getparent() if node is not None else None
        above.add(node)
    node = other
    for _ in range(_NEAR):
        node = node.getparent() if node is not None else None
        if node is not None and node in above:
            return True
    return False


def _backgrounds(page: Page, near: range | None, taken: set[HtmlElement]) -> Iterator[Candidate]:
    """Yield the backgrounds of elements that hold little text, a title perhaps."""
    begins, ends, elements = page.index.segment_begins, page.index.segment_ends, page.index.elements
    by_script = "data-bg" in page.source or "data-background" in page.source
    indexes = range(len(elements)) if by_script else page.index.styled
    if near is not None:
        low, high = (
            bisect_left(indexes, at, key=begins.__getitem__) for at in (near.start, near.stop)
        )
        indexes = indexes[low:high]
    count = 0
    for index in indexes:
        element = elements[index]
        if not by_script and "url(" not in (element.get("style") or ""):
            continue
        if ends[index] - begins[index] > MOST_OVER or element in taken:
            continue
        addresses = background_addresses(element) if element.tag not in NO_BACKGROUND else []
        if not addresses:
            continue
        count += 1
        if count > _MOST_BACKGROUNDS:
            return
        if element.find(".//img") is None:
            yield _made(element, "background", addresses, (index, begins[index]))


_LARGE = 150


def _is_drawing(element: HtmlElement) -> bool:
    """Tell a drawing from an icon: alone in a figure, or large by its own account."""
    if element.get("aria-hidden") == "true" or next(element.iterancestors("svg"), None) is not None:
        return False
    above = element.getparent()
    for _ in range(3):
        if above is None:
            break
        if above.tag in ("a", "button"):
            return False
        if above.tag == "figure":
            beside = islice(above.iter("img", "svg"), _MOST_BESIDE)
            return all(each is element or each.tag == "svg" for each in beside)
        above = above.getparent()
    return min(_side(element, "width"), _side(element, "height")) >= _LARGE


def _drawn_size(element: HtmlElement, width: int, height: int) -> tuple[int, int]:
    """Return a drawing's size: its own, or that of its view box."""
    box = (element.get("viewbox") or element.get("viewBox") or "").replace(",", " ").split()
    if not (width and height) and len(box) == 4:
        try:
            return round(float(box[2][:12])), round(float(box[3][:12]))
        except (ValueError, OverflowError):
            return width, height
    return width, height


_MAX_DRAWING_CHARS = 1_000_000
_MAX_DRAWING_ELEMENTS = 20_000

#: HTML parsers write all names small, while SVG tells them apart.
_SVG_ELEMENTS = {name.lower(): name for name in (
    "linearGradient", "radialGradient", "clipPath", "textPath", "foreignObject",
)}  # fmt: skip
_SVG_ATTRIBUTES = {name.lower(): name for name in (
    "viewBox", "preserveAspectRatio", "gradientUnits", "gradientTransform", "spreadMethod",
    "patternUnits", "patternContentUnits", "patternTransform", "clipPathUnits", "maskUnits",
    "maskContentUnits", "markerUnits", "markerWidth", "markerHeight", "refX", "refY", "pathLength",
    "textLength", "lengthAdjust", "startOffset",
)}  # fmt: skip


def drawing_source(element: HtmlElement) -> str:
    """Return the source of an inline drawing as SVG; '' for an empty or an enormous one."""
    for count, inner in enumerate(element.iter()):
        if count > _MAX_DRAWING_ELEMENTS:
            return ""
        if inner is not element and inner.tag not in ("title", "desc", "defs", "g", "use"):
            break
    else:
        return ""
    root = copy.deepcopy(element)
    root.tail = None
    for inner in root.iter():
        if isinstance(inner.tag, str):
            inner.tag = _SVG_ELEMENTS.get(inner.tag, inner.tag)
            for name, value in list(inner.attrib.items()):
                right = _SVG_ATTRIBUTES.get(name)
                if right and right != name:
                    del inner.attrib[name]
                    inner.set(right, value)
    source: str = etree.tostring(root, encoding="unicode", with_tail=False)
    return source if len(source) <= _MAX_DRAWING_CHARS else ""


def drawing_title(element: HtmlElement) -> str:
    """Return what a drawing says it shows."""
    title = element.find("title")
    said = element.get("aria-label") or ("".join(title.itertext()) if title is not None else "")
    return " ".join(said.split())[:2000]


#: A box smaller than this is a picture that was not loaded, or none that is seen.
_LEAST = 2.0
#: A background smaller than this decorates.
_LEAST_BACKGROUND = 150.0
_MOST_STYLED_BACKGROUNDS = 100
#: What has more text over it is paper for that text.
_MOST_CHARS_OVER = 150
#: What part of the article's text may stand outside its column, on each side.
_OUTSIDE = 0.05


def find_candidates(page: Page, near: range | None = None) -> list[Candidate]:
    """Return the pictures of a page in document order, as they are drawn where that is known.

    ``near`` is as for :func:`printer.images.candidates.find_candidates`.
    """
    found = _markup_candidates(page, near)
    drawn = page.layout
    if drawn is None:
        return found
    found = [_as_drawn(each, drawn.graphics.get(each.element)) for each in found]
    more = list(_styled_backgrounds(page, drawn, near, {each.element for each in found}))
    return sorted([*found, *more], key=lambda each: (each.segment, each.index)) if more else found


def _as_drawn(candidate: Candidate, graphic: PictureBox | None) -> Candidate:
    """Give a candidate the size it is drawn at, its own size, and the address that is shown."""
    if graphic is None or min(graphic.rect.width, graphic.rect.height) < _LEAST:
        return candidate
    width, height = round(graphic.rect.width), round(graphic.rect.height)
    addresses = list(candidate.addresses)
    known = {each.url for each in addresses}
    if candidate.kind == "image" and graphic.src.startswith("http") and graphic.src not in known:
        shows = all(each.rank == PREVIEW for each in addresses)
        addresses.append(Address(graphic.src, graphic.width, PLAIN if shows else VERSION))
    return replace(
        candidate,
        width=width,
        height=height,
        natural_width=max(candidate.natural_width, graphic.width),
        addresses=tuple(addresses),
        best=best_address(addresses) if addresses else candidate.best,
    )


def _styled_backgrounds(
    page: Page, drawn: PageLayout, near: range | None, taken: set[HtmlElement]
) -> Iterator[Candidate]:
    """Yield the backgrounds that style sheets give to elements with little text over them."""
    outline = page.index
    index = None
    count = 0
    for element, graphic in drawn.graphics.items():
        if not graphic.background or element in taken or element.tag in NO_BACKGROUND:
            continue
        if min(graphic.rect.width, graphic.rect.height) < _LEAST_BACKGROUND:
            continue
        if index is None:
            index = {each: at for at, each in enumerate(outline.elements)}
        at = index.get(element)
        if at is None or count >= _MOST_STYLED_BACKGROUNDS:
            continue
        before = outline.segment_begins[at]
        if near is not None and before not in near:
            continue
        over = page.segments[before : min(outline.segment_ends[at], before + MOST_OVER + 1)]
        if len(over) > MOST_OVER or sum(len(each.text) for each in over) > _MOST_CHARS_OVER:
            continue
        if element.find(".//img") is not None:
            continue
        count += 1
        address = Address(graphic.src)
        yield Candidate(
            element=element,
            kind="background",
            index=at,
            segment=before,
            addresses=(address,),
            alt=" ".join((element.get("aria-label") or "").split())[:2000],
            width=round(graphic.rect.width),
            height=round(graphic.rect.height),
            url_key=picture_key(graphic.src),
            best=address,
        )


class Column(NamedTuple):
    """Where the lines of the article begin and end, in CSS pixels from the page's left."""

    left: float
    right: float

    def overlaps(self, rect: Rect) -> bool:
        """Tell whether a box reaches into the column."""
        return rect.right > self.left and rect.left < self.right


def article_column(page: Page, verdict: Verdict) -> Column | None:
    """Return the column of the article's text, as far as it was drawn."""
    if page.layout is None:
        return None
    rects = [
        (text.rect, len(segment.text))
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep
        for text in map(page.layout.texts.get, segment.leaves)
        if text is not None and text.rect.width > _LEAST
    ]
    if not rects:
        return None
    left = _quantile(sorted((rect.left, size) for rect, size in rects))
    right = -_quantile(sorted((-rect.right, size) for rect, size in rects))
    return Column(left, right) if left < right else None


def _quantile(weighed: list[tuple[float, int]]) -> float:
    """Return the least value but for a small part of the whole weight."""
    rest = _OUTSIDE * sum(size for _, size in weighed)
    for value, size in weighed:
        rest -= size
        if rest < 0:
            return value
    return weighed[-1][0]


def is_beside_column(page: Page, candidate: Candidate, lines: Column | None) -> bool:
    """Tell whether a picture is drawn beside the article's column, in a column of its own.

    What is clipped, or off the page, may be slides of a gallery, which stand anywhere.
    """
    graphic = page.layout.graphics.get(candidate.element) if page.layout else None
    if graphic is None or lines is None or not is_visible(graphic.visibility):
        return False
    drawn = min(graphic.rect.width, graphic.rect.height) >= _LEAST
    return drawn and not lines.overlaps(graphic.rect)
