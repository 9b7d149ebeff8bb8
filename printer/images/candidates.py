"""Picture candidates: every place of a picture on a page, with all its URLs.

If a browser has laid out the page, its rendered sizes are used and the backgrounds set by style
sheets are candidates, too.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Literal, NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from ..capture import PictureBox, Rect, is_visible
from ..html.index import outward
from ..html.page import Page, PageLayout
from ..html.structure import image_tex
from ..html.visibility import is_not_displayed
from ..selection import Verdict
from ..urls import is_http
from .srcset import (
    BACKGROUND_ATTRIBUTES,
    IMAGE_FILE,
    PLAIN,
    PREVIEW,
    VERSION,
    ImageSource,
    absolute_url,
    background_sources,
    best_source,
    is_dark_mode_variant,
    original_url,
    picture_key,
    read_sources,
    src_attribute,
    width_from_url,
)

#: A picture with a smaller box in the layout did not load or is hidden.
_MIN_BOX_PX = 2.0
Kind = Literal["image", "drawing", "poster", "background", "lead"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place of a picture on the page.

    ``index`` is the position of the element, or of its nearest indexed ancestor, in the page's
    index, ``segment`` the text segment that it is in or before.  ``sources`` are all URLs as
    written in the page, ``best`` is the one to print, ``url_key`` a key that all share.  ``width``
    and ``height`` are declared or rendered, in CSS pixels, ``natural_width`` is the width of the
    widest version in pixels (0: unknown).
    """

    element: HtmlElement
    kind: Kind
    index: int
    segment: int
    sources: tuple[ImageSource, ...] = ()
    alt: str = ""
    title: str = ""
    width: int = 0
    height: int = 0
    natural_width: int = 0
    url_key: str = ""
    best: ImageSource | None = None

    @property
    def order(self) -> tuple[int, int]:
        """A sort key for document order."""
        return self.index, self.segment

    def urls(self, base: str) -> tuple[str, ...]:
        """Return every URL that may be fetched, beginning with the one to print."""
        urls = [self.best.url] if self.best else []
        urls += [source.url for source in self.sources]
        return tuple(dict.fromkeys(filter(None, (absolute_url(url, base) for url in urls))))


def find_candidates(page: Page, segments: range | None = None) -> list[Candidate]:
    """Return the pictures of a page in document order, with rendered sizes if it has a layout.

    Of those outside ``segments``, only ``src`` is read, except the metadata's picture above.
    """
    candidates = _markup_candidates(page, segments)
    candidates += _backgrounds(page, segments, {candidate.element for candidate in candidates})
    if layout := page.layout:
        candidates = [
            _with_rendered_size(candidate, layout.graphics.get(candidate.element))
            for candidate in candidates
        ]
        elements = {candidate.element for candidate in candidates}
        candidates += _styled_backgrounds(page, layout, segments, elements)
    return sorted(candidates, key=lambda candidate: candidate.order)


#: Further pictures are ignored.
MAX_CANDIDATES = 3000
_TAGS = ("img", "video", "svg", "object")
#: Elements of a site's own that scripts turn into pictures, such as ``amp-img``.
_CUSTOM_TAG = re.compile(
    r"[a-z]{1,30}(?:-[a-z0-9]{1,30}){0,4}-(?:image|img|anim|picture)(?:-[a-z0-9]{1,30}){0,2}"
)


def _markup_candidates(page: Page, segments: range | None) -> list[Candidate]:
    """Return the pictures in the markup except backgrounds, with adjacent copies merged."""
    candidates: list[Candidate] = []
    placeholders = _repeated_sources(page)
    lead_key = picture_key(page.metadata.image)
    custom = frozenset(tag for tag in set(page.index.tags) if "-" in tag)
    for element in page.elements.find(*_TAGS, *custom):
        if len(candidates) >= MAX_CANDIDATES:
            break
        index, segment = page.index.locate(element)
        if segments is not None and segment not in segments:
            if element.tag == "img":
                key_above = lead_key if segment < segments.start else ""
                candidates.append(_distant_candidate(element, index, segment, key_above))
            continue
        for candidate in _read_element(element, index, segment):
            if element.get("src") in placeholders and len(candidate.sources) > 1:
                candidate = _without_source(candidate, element.get("src"))
            if not (candidates and _merge(candidates, candidate, placeholders)):
                candidates.append(candidate)
    return [c for c in candidates if c.kind == "drawing" or _has_picture(c)]


def _distant_candidate(element: HtmlElement, index: int, segment: int, lead_key: str) -> Candidate:
    """Return a candidate far from the text, read in full only if its key is ``lead_key``."""
    if lead_key:
        candidate = _candidate(element, "image", index, segment, read_sources(element))
        if candidate.url_key == lead_key:
            return candidate
    sources = src_attribute(element)
    best = sources[0] if sources else None
    return Candidate(element, "image", index, segment, sources, best=best)


def _read_element(element: HtmlElement, index: int, segment: int) -> Iterator[Candidate]:
    tag = element.tag
    if tag == "img":
        if not (image_tex(element) or is_dark_mode_variant(element) or _is_frame(element)):
            yield _candidate(element, "image", index, segment, read_sources(element))
    elif "-" in tag:
        is_picture = _is_custom_picture(element) and element.find(".//img") is None
        if is_picture and (sources := read_sources(element)):
            yield _candidate(element, "image", index, segment, sources)
    elif tag == "video":
        poster = (element.get("poster") or "").strip()
        if poster:
            yield _candidate(element, "poster", index, segment, [ImageSource(poster)])
    elif tag == "object":
        data = element.get("data") or ""
        if data and (element.get("type") or "").startswith("image/"):
            yield _candidate(element, "image", index, segment, [ImageSource(data)])
    elif _is_drawing(element):
        yield _candidate(element, "drawing", index, segment, [])


def _is_frame(element: HtmlElement) -> bool:
    """Return whether a picture is one of the frames from which a script draws an animation."""
    parent = element.getparent()
    if parent is None or parent.tag != "canvas":
        return False
    siblings = chain(element.itersiblings("img"), element.itersiblings("img", preceding=True))
    return next(siblings, None) is not None


def _is_custom_picture(element: HtmlElement) -> bool:
    """Return whether an element of a site's own is named as a picture, or its file is one."""
    if _CUSTOM_TAG.fullmatch(element.tag):
        return True
    urls = (element.get(name) or "" for name in ("src", "data-src"))
    return any(IMAGE_FILE.search(url[:2000].partition("?")[0]) for url in urls)


#: Two numbers, not the first of the four of a crop such as ``rect=153,470,3847,2164``.
_SIZE_IN_URL = re.compile(r"[-_=/](\d{2,4})(?:x|%2C|,)(\d{2,4})(?!\d|(?:%2C|,)\d)", re.IGNORECASE)


def _candidate(
    element: HtmlElement, kind: Kind, index: int, segment: int, sources: list[ImageSource]
) -> Candidate:
    width, height = _declared_side(element, "width"), _declared_side(element, "height")
    best = best_source(sources)
    if best and not width and not height and (match := _SIZE_IN_URL.search(best.url[-200:])):
        width, height = int(match[1]), int(match[2])
    alt = element.get("alt")
    if kind == "drawing":
        width, height = _drawing_size(element, width, height)
        title = element.find("title")
        alt = element.get("aria-label") or ("".join(title.itertext()) if title is not None else "")
    return Candidate(
        element=element,
        kind=kind,
        index=index,
        segment=segment,
        sources=tuple(sources),
        alt=_collapse_space(alt),
        title=_collapse_space(element.get("title")),
        width=width,
        height=height,
        natural_width=max(
            (source.width or width_from_url(source.url) for source in sources), default=0
        ),
        url_key=picture_key(best.url if best else ""),
        best=best,
    )


def _collapse_space(text: str | None) -> str:
    return " ".join((text or "").split())[:2000]


_NUMBER = re.compile(r"\s{0,9}(\d{1,5})(?:\.\d{1,9})?\s{0,9}(?:px)?\s{0,9}$")
_STYLE = {
    side: re.compile(rf"(?:^|[;\s]){side}\s{{0,9}}:\s{{0,9}}(\d{{1,5}})(?:\.\d{{1,9}})?px")
    for side in ("width", "height")
}
#: A class of the Tailwind framework for the side of an icon, in units of four pixels.
_SMALL_SIDE_CLASS = {
    side: re.compile(rf"(?:^|\s)(?:{side[0]}|size)-(1?[0-9])(?=\s|$)") for side in _STYLE
}


def _declared_side(element: HtmlElement, side: str) -> int:
    match = _NUMBER.match(element.get(side) or "")
    if match is None:
        style = element.get("style")
        match = _STYLE[side].search(style[:2000]) if style else None
    if match:
        return int(match[1])
    match = _SMALL_SIDE_CLASS[side].search((element.get("class") or "")[:1000])
    return 4 * int(match[1]) if match else 0


_MIN_PLACEHOLDER_COPIES = 4


def _repeated_sources(page: Page) -> frozenset[str]:
    """Return the values of ``src`` that many pictures share, as those of placeholders."""
    images = page.elements.find("img")[:MAX_CANDIDATES]
    counts = Counter(image.get("src") for image in images)
    return frozenset(
        src for src, count in counts.items() if src and count >= _MIN_PLACEHOLDER_COPIES
    )


def _without_source(candidate: Candidate, url: str) -> Candidate:
    sources = tuple(source for source in candidate.sources if source.url != url)
    best = best_source(sources)
    url_key = picture_key(best.url) if best else ""
    return replace(candidate, sources=sources, best=best, url_key=url_key)


_MAX_MERGED_SOURCES = 100
_SCREEN_PATTERN = r"(?<![^_-])(?:{0})[_-]|[._-](?:{0})(?=\.\w+$)"
#: The words in the name of a file for small or dark screens, which is not printed.
_UNPRINTED_SCREENS = "m|mo|mob|mobile|phone|sm|xs|dark"
_UNPRINTED_SCREEN = re.compile(_SCREEN_PATTERN.format(_UNPRINTED_SCREENS), re.IGNORECASE)


def _merge(candidates: list[Candidate], current: Candidate, placeholders: frozenset[str]) -> bool:
    """Merge a candidate into the one before it if both show the same picture.

    ``placeholders`` are the addresses that many pictures of the page share.
    """
    previous = candidates[-1]
    if previous.kind != "image" or current.kind != "image":
        return False
    if _is_for_other_screen(previous, current):
        if _UNPRINTED_SCREEN.search(_file_name(previous)):
            candidates[-1] = current
        return True
    is_crop = _is_crop(previous, current)
    are_displayed = _is_displayed(previous) and _is_displayed(current)
    shared_urls = _non_data_urls(previous) & _non_data_urls(current)
    shares_url = is_crop if are_displayed else bool(shared_urls)
    has_common = is_crop or _have_common_ancestor(previous.element, current.element)
    if len(previous.sources) > _MAX_MERGED_SOURCES or not has_common:
        return False
    if previous.segment != current.segment:
        return False
    if _is_placeholder(previous, current, placeholders):
        candidates[-1] = replace(
            current, alt=current.alt or previous.alt, title=current.title or previous.title
        )
        return True
    is_same_picture = shares_url or (bool(previous.url_key) and previous.url_key == current.url_key)
    if not is_same_picture and not is_preview(previous):
        return False
    # Browsers that run scripts do not display ``noscript``.
    if is_preview(previous) and _is_displayed(current):
        candidates[-1] = _merged(current, previous)
    else:
        candidates[-1] = _merged(previous, current)
    return True


def _merged(primary: Candidate, secondary: Candidate) -> Candidate:
    """Return a candidate completed with the attributes that only its duplicate has."""
    sources = tuple(
        {source.url: source for source in (*secondary.sources, *primary.sources)}.values()
    )
    return replace(
        primary,
        sources=sources,
        alt=primary.alt or secondary.alt,
        title=primary.title or secondary.title,
        width=primary.width or secondary.width,
        height=primary.height or secondary.height,
        natural_width=max(primary.natural_width, secondary.natural_width),
        url_key=secondary.url_key if is_preview(primary) else primary.url_key,
        best=best_source(sources),
    )


#: The maximum width of a placeholder.
_MAX_PLACEHOLDER_PX = 100


def _is_placeholder(previous: Candidate, current: Candidate, placeholders: frozenset[str]) -> bool:
    """Return whether a small or shared picture is a placeholder for the ``noscript`` after it."""
    if not _is_displayed(previous) or _is_displayed(current):
        return False
    if placeholders.issuperset(source.url for source in previous.sources):
        return not placeholders.issuperset(source.url for source in current.sources)
    return 0 < (previous.natural_width or previous.width) <= _MAX_PLACEHOLDER_PX


def _non_data_urls(candidate: Candidate) -> set[str]:
    return {source.url for source in candidate.sources if not source.url.startswith("data:")}


def _is_crop(previous: Candidate, current: Candidate) -> bool:
    """Return whether the best files of two pictures of one figure have the same name."""
    pictures = previous, current
    figures = {next(picture.element.iterancestors("figure"), None) for picture in pictures}
    names = {picture.best.url.rpartition("/")[2] if picture.best else "" for picture in pictures}
    return len(figures) == len(names) == 1 and None not in figures


#: The words in the name of a file for other screens.
_PRINTED_SCREENS = "d|desktop|pc|tablet|md|lg|xl|light"
_ANY_SCREEN = re.compile(
    _SCREEN_PATTERN.format(f"{_UNPRINTED_SCREENS}|{_PRINTED_SCREENS}"), re.IGNORECASE
)


def _is_for_other_screen(previous: Candidate, current: Candidate) -> bool:
    """Return whether two adjacent pictures are variants for screens, by their texts and names."""
    is_same = (previous.alt, previous.segment) == (current.alt, current.segment)
    if not previous.alt or not is_same:
        return False
    if not _have_common_ancestor(previous.element, current.element):
        return False
    names = _file_name(previous), _file_name(current)
    return names[0] != names[1] and len({_ANY_SCREEN.sub("", name) for name in names}) == 1


def _file_name(candidate: Candidate) -> str:
    url = original_url(candidate.best.url) if candidate.best else ""
    return url.partition("?")[0].rpartition("/")[2]


def _has_picture(candidate: Candidate) -> bool:
    """Return whether a candidate has a picture and not only a placeholder."""
    return any(
        source.rank < PREVIEW or not source.url.startswith("data:") for source in candidate.sources
    )


def is_preview(candidate: Candidate) -> bool:
    """Return whether a candidate has nothing but placeholders and blurred previews."""
    return all(source.rank == PREVIEW for source in candidate.sources)


#: Copies of a picture have a common ancestor within this many levels.
_MAX_COPY_LEVELS = 4


def _is_displayed(candidate: Candidate) -> bool:
    levels = outward(candidate.element, _MAX_COPY_LEVELS - 1)
    return all(level.tag != "noscript" for level in levels)


def _have_common_ancestor(one: HtmlElement, other: HtmlElement) -> bool:
    ancestors = set(islice(one.iterancestors(), _MAX_COPY_LEVELS))
    return not ancestors.isdisjoint(islice(other.iterancestors(), _MAX_COPY_LEVELS))


#: Elements whose backgrounds are not pictures of their own.
_NO_BACKGROUND = frozenset({"html", "body", "img", "source", "a", "button", "label"})
# A background of more text is not a picture of the article.
_MAX_SEGMENTS_OVER = 8
_MAX_BACKGROUNDS = 300


def _may_have_background(page: Page, index: int, excluded: set[HtmlElement]) -> bool:
    """Return whether a background may be a picture: the element has little text and no other."""
    element = page.index.elements[index]
    length = page.index.segment_ends[index] - page.index.segment_begins[index]
    return (
        element.tag not in _NO_BACKGROUND
        and length <= _MAX_SEGMENTS_OVER
        and element not in excluded
        and element.find(".//img") is None
    )


def _backgrounds(
    page: Page, segments: range | None, excluded: set[HtmlElement]
) -> Iterator[Candidate]:
    """Yield the backgrounds that the markup gives to elements with little text."""
    index = page.index
    begins, elements = index.segment_begins, index.elements
    by_script = not index.attribute_names.isdisjoint(BACKGROUND_ATTRIBUTES)
    indexes = range(len(elements)) if by_script else index.styled
    if segments is not None:
        start, stop = (
            bisect_left(indexes, segment, key=begins.__getitem__)
            for segment in (segments.start, segments.stop)
        )
        indexes = indexes[start:stop]
    found = (
        (i, sources)
        for i in indexes
        if by_script or "url(" in (elements[i].get("style") or "")
        if (sources := background_sources(elements[i]))
    )
    for i, sources in islice(found, _MAX_BACKGROUNDS):
        if _may_have_background(page, i, excluded):
            yield _candidate(elements[i], "background", i, begins[i], sources)


# A smaller inline SVG, or one of few shapes without text and pictures, is an icon.
_MIN_DRAWING_SIDE_PX = 150
_MIN_SHAPES = 12
_SHAPE_TAGS = frozenset({"path", "rect", "circle", "ellipse", "line", "polygon", "polyline", "use"})
_DETAIL_TAGS = frozenset({"text", "image", "foreignobject"})
_MAX_DRAWING_ELEMENTS = 20_000
_MAX_FIGURE_PICTURES = 20
_MAX_HIDDEN_LEVELS = 12


def _is_drawing(element: HtmlElement) -> bool:
    """Return whether an SVG is a drawing rather than an icon: alone in a figure, or large."""
    if element.get("aria-hidden") == "true" or next(element.iterancestors("svg"), None) is not None:
        return False
    for parent in islice(element.iterancestors(), 3):
        if parent.tag in ("a", "button"):
            return False
        if parent.tag == "figure":
            pictures = islice(parent.iter("img", "svg"), _MAX_FIGURE_PICTURES)
            return all(picture.tag == "svg" for picture in pictures)
    if any(map(is_not_displayed, islice(element.iterancestors(), _MAX_HIDDEN_LEVELS))):
        return False
    sides = _declared_side(element, "width"), _declared_side(element, "height")
    inner = [child.tag for child in islice(element.iter(), _MAX_DRAWING_ELEMENTS)]
    # An icon of any size has neither text nor a picture, nor many shapes.
    if not _DETAIL_TAGS.isdisjoint(inner):
        return min(_drawing_size(element, *sides)) >= _MIN_DRAWING_SIDE_PX
    shapes = sum(tag in _SHAPE_TAGS for tag in inner)
    return min(sides) >= _MIN_DRAWING_SIDE_PX and shapes >= _MIN_SHAPES


def _drawing_size(element: HtmlElement, width: int, height: int) -> tuple[int, int]:
    """Return a drawing's declared size, or else the size of its view box."""
    box = (element.get("viewbox") or element.get("viewBox") or "").replace(",", " ").split()
    if not (width and height) and len(box) == 4:
        try:
            return round(float(box[2][:12])), round(float(box[3][:12]))
        except (ValueError, OverflowError):
            pass
    return width, height


_MAX_DRAWING_CHARS = 1_000_000
#: SVG names are case-sensitive, but HTML parsers lower-case them.
_SVG_NAMES = {name.lower(): name for name in (
    "linearGradient", "radialGradient", "clipPath", "textPath", "foreignObject", "viewBox",
    "preserveAspectRatio", "gradientUnits", "gradientTransform", "spreadMethod", "patternUnits",
    "patternContentUnits", "patternTransform", "clipPathUnits", "maskUnits", "maskContentUnits",
    "markerUnits", "markerWidth", "markerHeight", "refX", "refY", "pathLength", "textLength",
    "lengthAdjust", "startOffset",
)}  # fmt: skip


def drawing_source(element: HtmlElement) -> str:
    """Return the SVG source of an inline drawing, '' if it is empty or too large."""
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
            inner.tag = _SVG_NAMES.get(inner.tag, inner.tag)
            for name, value in inner.attrib.items():
                if _SVG_NAMES.get(name, name) != name:
                    del inner.attrib[name]
                    inner.set(_SVG_NAMES[name], value)
    source: str = etree.tostring(root, encoding="unicode", with_tail=False)
    return source if len(source) <= _MAX_DRAWING_CHARS else ""


def _with_rendered_size(candidate: Candidate, box: PictureBox | None) -> Candidate:
    """Add a picture's rendered size, its natural width and the URL that the browser shows."""
    if box is None or min(box.rect.width, box.rect.height) < _MIN_BOX_PX:
        return candidate
    sources = list(candidate.sources)
    urls = {source.url for source in sources}
    if candidate.kind == "image" and is_http(box.src) and box.src not in urls:
        rank = PLAIN if is_preview(candidate) else VERSION
        sources.append(ImageSource(box.src, box.width, rank))
    return replace(
        candidate,
        width=round(box.rect.width),
        height=round(box.rect.height),
        natural_width=max(candidate.natural_width, box.width),
        sources=tuple(sources),
        best=best_source(sources) if sources else candidate.best,
    )


_MAX_CHARS_OVER = 150
#: A smaller background is decoration.
_MIN_BACKGROUND_PX = 150.0


def _styled_backgrounds(
    page: Page, layout: PageLayout, segments: range | None, excluded: set[HtmlElement]
) -> Iterator[Candidate]:
    """Yield the backgrounds that style sheets give to elements with little text."""
    boxes = ((element, box) for element, box in layout.graphics.items() if box.background)
    for element, box in islice(boxes, _MAX_BACKGROUNDS):
        i = page.index.indexes.get(element)
        if i is None:
            continue
        segment = page.index.segment_begins[i]
        is_large = min(box.rect.width, box.rect.height) >= _MIN_BACKGROUND_PX
        is_near = segments is None or segment in segments
        if is_large and is_near and _may_have_background(page, i, excluded):
            covered = page.segments[segment : page.index.segment_ends[i]]
            if sum(len(other.text) for other in covered) <= _MAX_CHARS_OVER:
                source = ImageSource(box.src)
                candidate = _candidate(element, "background", i, segment, [source])
                yield _with_rendered_size(candidate, box)


#: The class of a picture next to the text.
_FLOATED_NAME = re.compile(
    r"(?:^|\s)(?:align|float|pull)-?(?:left|right|start|end)(?:$|\s)", re.IGNORECASE
)


def is_floated(element: HtmlElement) -> bool:
    """Return whether an element's own attributes place it next to the text."""
    style = "".join((element.get("style") or "")[:500].lower().split())
    return (
        "float:left" in style
        or "float:right" in style
        or (element.get("align") or "").lower() in ("left", "right")
        or _FLOATED_NAME.search((element.get("class") or "")[:300]) is not None
    )


def is_centered(element: HtmlElement) -> bool:
    """Return whether an element's own attributes center its text."""
    style = "".join((element.get("style") or "")[:500].lower().split())
    is_aligned = (element.get("align") or "").lower() in ("center", "middle")
    return element.tag == "center" or is_aligned or "text-align:center" in style


class ArticleColumn(NamedTuple):
    """The column of the article's lines, in CSS pixels from the left edge of the page."""

    left: float
    right: float

    def overlaps(self, rect: Rect) -> bool:
        """Return whether a box reaches into the column."""
        return rect.right > self.left and rect.left < self.right


#: The share of the article's text that may lie outside its column on each side.
_MAX_SHARE_OUTSIDE_COLUMN = 0.05


def article_column(page: Page, verdict: Verdict) -> ArticleColumn | None:
    """Return the column of the article's text, None if the page has no layout."""
    if page.layout is None:
        return None
    boxes = [
        (text.rect, len(segment.text))
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
        if keep
        for text in map(page.layout.texts.get, segment.leaves)
        if text is not None and text.rect.width > _MIN_BOX_PX
    ]
    if not boxes:
        return None
    left = _outer_quantile(sorted((rect.left, chars) for rect, chars in boxes))
    right = -_outer_quantile(sorted((-rect.right, chars) for rect, chars in boxes))
    return ArticleColumn(left, right) if left < right else None


def _outer_quantile(weighted: list[tuple[float, int]]) -> float:
    """Return the smallest value after ``_MAX_SHARE_OUTSIDE_COLUMN`` of the weight is discarded."""
    remaining = _MAX_SHARE_OUTSIDE_COLUMN * sum(weight for _, weight in weighted)
    for value, weight in weighted:
        remaining -= weight
        if remaining < 0:
            return value
    return weighted[-1][0]


def is_beside_column(page: Page, candidate: Candidate, column: ArticleColumn | None) -> bool:
    """Return whether a visible picture is next to the article, in a column of its own."""
    box = page.layout.graphics.get(candidate.element) if page.layout else None
    if box is None or column is None or not is_visible(box.visibility):
        return False
    is_drawn = min(box.rect.width, box.rect.height) >= _MIN_BOX_PX
    return is_drawn and not column.overlaps(box.rect)
