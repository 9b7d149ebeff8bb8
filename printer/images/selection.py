"""The selection of a page's pictures, with the reasons for rejections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import compress, islice

from lxml.html import HtmlElement

from ..article import Figure, Span
from ..html.index import BLOCK_TAGS, ElementFlag, is_inside, tag_and_class
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..i18n import fold_words
from ..selection import PictureDecision, PlacedFigure, Verdict
from ..text import SENTENCE_ENDS, has_currency_sign
from ..urls import is_http
from .candidates import Candidate, drawing_source
from .captions import (
    AGENCY_PATTERN,
    CREDIT_AFTER,
    Caption,
    CaptionFinder,
    is_credit_line,
    repeats_alt,
)
from .srcset import best_source

#: Standard banner sizes, which photographs do not have.
_BANNER_SIZES = frozenset({
    (728, 90), (970, 90), (970, 250), (468, 60), (234, 60), (320, 50), (320, 100), (300, 50),
    (120, 600), (160, 600), (300, 600), (300, 1050),
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """The minimum sides of a picture in pixels, their maximum ratio, and the minimum of its file.

    ``min_bytes`` applies to pictures whose shorter side is below ``min_bytes_below`` (0: to all);
    ``reject_ad_sizes`` rejects standard banner sizes.  The defaults are those of CUTER (Adam et
    al., section IV), except for ``max_ratio``, for which the paper gives no number.
    """

    min_side: int = 150
    min_long_side: int = 150
    max_ratio: float = 3.5
    min_bytes: int = 2048
    min_bytes_below: int = 0
    reject_ad_sizes: bool = False

    def reject_reason(self, width: int, height: int, size: int | None = None) -> str:
        """Return the reason to reject a picture with a file of ``size`` bytes, '' for none."""
        sides = f"{width} x {height} pixels"
        shorter, longer = sorted((width, height))
        if shorter < self.min_side or longer < self.min_long_side:
            return f"too small ({sides})"
        is_ad = self.reject_ad_sizes and (width, height) in _BANNER_SIZES
        if is_ad or longer > self.max_ratio * shorter:
            return f"shaped like a banner ({sides})"
        if size is not None and size < self.min_bytes and not 0 < self.min_bytes_below <= shorter:
            return f"too small a file ({size} bytes)"
        return ""


CUTER_LIMITS = SizeLimits()
#: Limits that spacers, icons, small portraits and banners fail.  Formulas, which are low, and
#: diagrams, which have small files, pass.
ICON_LIMITS = SizeLimits(
    min_side=16, min_long_side=100, max_ratio=9.0, min_bytes_below=150, reject_ad_sizes=True
)


@dataclass(frozen=True, slots=True, eq=False)
class SelectedPicture:
    """A picture of the article and its caption."""

    candidate: Candidate
    caption: Caption


@dataclass(frozen=True, slots=True, eq=False)
class RejectedPicture:
    """A picture that is not printed, why, and the segments of a caption not printed either."""

    candidate: Candidate
    reason: str
    caption_segments: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PictureSelection:
    """The pictures of a page: the ``selected`` ones, in document order, and the rejected."""

    selected: tuple[SelectedPicture, ...] = ()
    rejected: tuple[RejectedPicture, ...] = ()

    @property
    def candidates(self) -> list[Candidate]:
        """All pictures, the selected ones first."""
        selected = [picture.candidate for picture in self.selected]
        return selected + [picture.candidate for picture in self.rejected]

    @property
    def url_keys(self) -> set[str]:
        return {picture.candidate.url_key for picture in self.selected} - {""}

    def reject(self, reasons: Mapping[SelectedPicture, str]) -> PictureSelection:
        """Return the selection with these of the selected pictures rejected."""
        selected = (picture for picture in self.selected if picture not in reasons)
        rejected = (
            RejectedPicture(picture.candidate, reasons[picture])
            for picture in self.selected
            if picture in reasons
        )
        return PictureSelection(tuple(selected), (*self.rejected, *rejected))


_MAX_IN_FIGURE = 3


def share_captions(page: Page, selected: Sequence[SelectedPicture]) -> list[SelectedPicture]:
    """Assign a caption that several pictures share to one of them.

    It is the picture described by it, else the last of a few in a figure, else the first.
    """
    groups: dict[frozenset[int], list[SelectedPicture]] = {}
    for picture in selected:
        if picture.caption.segments:
            groups.setdefault(picture.caption.segments, []).append(picture)
    owners: set[SelectedPicture] = set()
    for segments, pictures in groups.items():
        text = " ".join(page.segments[i].text for i in sorted(segments))
        described_pictures = (
            picture
            for picture in pictures
            if picture.candidate.alt == text or repeats_alt(text, picture.candidate.alt)
        )
        figures = {
            next(picture.candidate.element.iterancestors("figure"), None) for picture in pictures
        }
        in_figure = len(figures) == 1 and None not in figures and len(pictures) <= _MAX_IN_FIGURE
        owners.add(next(described_pictures, pictures[-1] if in_figure else pictures[0]))
    return [
        picture
        if picture in owners or not picture.caption.segments
        else replace(picture, caption=Caption((), "", picture.caption.segments))
        for picture in selected
    ]


def place_picture(page: Page, picture: SelectedPicture) -> PlacedFigure:
    """Return the figure for a picture; one found only in the metadata is placed first."""
    candidate, caption = picture.candidate, picture.caption
    urls = candidate.urls(page.base)
    figure = Figure(
        src=urls[0] if urls else "",
        sources=urls,
        caption_spans=caption.spans,
        alt=candidate.alt,
        credit=_credit(candidate, caption),
        width=candidate.width,
        height=candidate.height,
        svg=drawing_source(candidate.element) if candidate.kind == "drawing" else "",
        id=candidate.element.get("id") or "",
    )
    return PlacedFigure(figure, candidate.element, caption.segments)


_AGENCY = re.compile(rf"(?:{AGENCY_PATTERN})(?!\w)")
#: The name of an agency after a bar.
_AGENCY_AFTER_BAR = re.compile(rf"\| ?(?:[^|\n]{{1,60}} ?/ ?)?(?:{AGENCY_PATTERN})$")
#: Brackets around a credit, and what may follow them.
_IN_BRACKETS = re.compile(r"\(([^()]*)\)\W*")
_MAX_CREDIT_CHARS = 120
#: A shorter word does not show that a caption names the author of its picture.
_MIN_NAME_CHARS = 4


def _credit(candidate: Candidate, caption: Caption) -> str:
    """Return a picture's credit, or, if its caption has none, that of its other texts.

    These are its alternative text and its tooltip, where a credit stands at the end.
    """
    if caption.credit or is_credit_line(caption.text):
        return caption.credit
    credit = next(filter(None, map(_credit_at_end, (candidate.alt, candidate.title))), "")
    is_in_caption = not _name_words(credit).isdisjoint(_name_words(caption.text))
    return "" if is_in_caption else credit


def _credit_at_end(text: str) -> str:
    """Return the credit after a description, '' for none."""
    if agency := _AGENCY_AFTER_BAR.search(text):
        return agency[0].lstrip("| ")
    match = next((m for m in CREDIT_AFTER.finditer(text) if m.start() > 1), None)
    if match is None or len(text) - match.start() > _MAX_CREDIT_CHARS:
        return ""
    if text[: match.start()].rstrip().endswith("("):
        in_brackets = _IN_BRACKETS.fullmatch(f"({text[match.start() :]}")
        credit = in_brackets[1] if in_brackets else ""
    else:
        credit = text[match.start() :]
    name = credit[len(match[0]) :].lstrip(" (")
    is_name = name[:1].isupper() or "©" in match[0] or _AGENCY.match(name) is not None
    return credit.strip() if name[:1].isalpha() and (is_name or not name[:1].islower()) else ""


def _name_words(text: str) -> set[str]:
    return {word for word in fold_words(text).split() if len(word) >= _MIN_NAME_CHARS}


def place_pictures(page: Page, selection: PictureSelection) -> tuple[PlacedFigure, ...]:
    """Return the figures of the selected pictures, in document order."""
    return tuple(place_picture(page, picture) for picture in selection.selected)


def drop_captions(page: Page, verdict: Verdict, selection: PictureSelection) -> Verdict:
    """Return the verdict without rejected pictures' captions; in lists, only marked ones."""
    captions = frozenset[int]().union(*(picture.caption_segments for picture in selection.rejected))
    if verdict.has_entries or verdict.kind == "product":
        flags, blocks = page.index.flags, page.index.segment_blocks
        captions = frozenset(i for i in captions if flags[blocks[i]] & ElementFlag.CAPTION)
    if not captions or not is_minor_text(page, verdict, captions):
        return verdict
    keep = (flag and index not in captions for index, flag in enumerate(verdict.keep))
    return replace(verdict, keep=tuple(keep))


#: If captions are a larger share of the article, they are its text.
_MAX_CAPTION_SHARE = 0.5


def is_minor_text(
    page: Page, verdict: Verdict, captions: Iterable[int], max_share: float = _MAX_CAPTION_SHARE
) -> bool:
    """Return whether captions are at most a share of the article's text."""
    sizes = [
        len(segment.text) if keep else 0
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
    ]
    return sum(sizes[index] for index in captions) <= max_share * sum(sizes)


def override_selection(
    page: Page,
    selection: PictureSelection,
    excluded: AbstractSet[HtmlElement],
    included: AbstractSet[HtmlElement],
    reason: Callable[[HtmlElement], str],
) -> PictureSelection:
    """Return a selection without the pictures in some elements and with those in others.

    Of copies in ``included``, only the first is selected; ``reason`` says why one is rejected.
    """
    if not (excluded or included):
        return selection
    captions = CaptionFinder(page, selection.candidates)
    selected: list[SelectedPicture] = []
    rejected: list[RejectedPicture] = []
    for picture in selection.selected:
        candidate = picture.candidate
        if is_inside(candidate.element, excluded):
            message = reason(candidate.element)
            rejected.append(RejectedPicture(candidate, message, picture.caption.segments))
        else:
            selected.append(picture)
    url_keys = PictureSelection(tuple(selected)).url_keys
    for rejected_picture in selection.rejected:
        candidate = rejected_picture.candidate
        if candidate.url_key in url_keys or not is_inside(candidate.element, included):
            rejected.append(rejected_picture)
        else:
            url_keys |= {candidate.url_key} - {""}
            selected.append(SelectedPicture(candidate, captions.find(candidate)))
    selected.sort(key=lambda picture: picture.candidate.order)
    rejected.sort(key=lambda picture: picture.candidate.order)
    return PictureSelection(tuple(selected), tuple(rejected))


_MIN_ALTERNATIVE_SIDE_PX = 100


def find_alternatives(
    page: Page, selection: PictureSelection, nearby: range, limit: int
) -> tuple[PlacedFigure, ...]:
    """Return at most ``limit`` rejected pictures ``nearby`` that are large enough to offer."""
    url_keys = selection.url_keys
    figures: list[PlacedFigure] = []
    for candidate in (picture.candidate for picture in selection.rejected):
        sides = candidate.width, candidate.height
        small = any(0 < side < _MIN_ALTERNATIVE_SIDE_PX for side in sides)
        if small or candidate.kind != "image" or candidate.segment not in nearby:
            continue
        if candidate.url_key in url_keys:
            continue
        placed = place_picture(page, SelectedPicture(candidate, Caption()))
        if is_http(placed.figure.src) and len(figures) < limit:
            url_keys |= {candidate.url_key} - {""}
            figures.append(placed)
    return tuple(figures)


_MAX_DECISION_CHARS = 500


def picture_decisions(page: Page, selection: PictureSelection) -> tuple[PictureDecision, ...]:
    """Return the decision about each picture, in document order."""
    selected = [(picture.candidate, picture.caption, "") for picture in selection.selected]
    rejected = [(picture.candidate, Caption(), picture.reason) for picture in selection.rejected]
    decisions = sorted([*selected, *rejected], key=lambda decision: decision[0].order)
    return tuple(
        PictureDecision(
            url=next(iter(candidate.urls(page.base)), "")[:_MAX_DECISION_CHARS],
            kind=candidate.kind,
            alt=candidate.alt[:_MAX_DECISION_CHARS],
            caption=caption.text[:_MAX_DECISION_CHARS],
            credit=caption.credit[:_MAX_DECISION_CHARS],
            width=candidate.width,
            height=candidate.height,
            reason=reason,
        )
        for candidate, caption, reason in decisions
    )


#: The copies of a picture whose URLs are added to it.
_MAX_COPIES = 100


def merge_copies(selection: PictureSelection) -> PictureSelection:
    """Add to every selected picture the URLs of its copies elsewhere on the page."""
    copies: dict[str, list[Candidate]] = {}
    for candidate in selection.candidates:
        if candidate.url_key:
            copies.setdefault(candidate.url_key, []).append(candidate)

    def merge(picture: SelectedPicture) -> SelectedPicture:
        copies_of_picture = copies.get(picture.candidate.url_key, [])
        if len(copies_of_picture) < 2:
            return picture
        all_copies = (picture.candidate, *copies_of_picture[:_MAX_COPIES])
        sources = tuple(
            {source.url: source for copy in all_copies for source in copy.sources}.values()
        )
        merged = replace(picture.candidate, sources=sources, best=best_source(sources))
        return replace(picture, candidate=merged)

    return replace(selection, selected=tuple(map(merge, selection.selected)))


#: A shop lists at least this many things.
_MIN_ENTRIES = 3
_MAX_LEVELS_TO_ENTRY = 10
#: Including the labels of its buttons.
_MAX_ENTRY_CHARS = 400


def drop_further_views(page: Page, selection: PictureSelection) -> PictureSelection:
    """Return a selection with one picture of each product of a list with prices."""
    around = {p: _find_entry(page, p.candidate.element) for p in selection.selected}
    found = {entry for entry in around.values() if entry is not None}
    looks = Counter(map(tag_and_class, found))
    entries = {entry for entry in found if looks[tag_and_class(entry)] >= _MIN_ENTRIES}
    printed_entries: set[HtmlElement] = set()
    further: dict[SelectedPicture, str] = {}
    for picture, entry in around.items():
        if entry is not None and entry in entries:
            # A price next to a choice of colors is inside the entry with the name.
            entry = next((e for e in reversed(list(entry.iterancestors())) if e in entries), entry)
            if entry in printed_entries:
                further[picture] = "another picture of the same entry"
            printed_entries.add(entry)
    return selection.reject(further)


def _find_entry(page: Page, element: HtmlElement) -> HtmlElement | None:
    """Return the closest element around a picture that names a price, if it has few words."""
    index = page.index
    for ancestor in islice(element.iterancestors(*BLOCK_TAGS), _MAX_LEVELS_TO_ENTRY):
        position = index.indexes.get(ancestor)
        if position is None:
            return None
        segments = page.segments[index.segment_begins[position] : index.segment_ends[position]]
        are_many = len(segments) > _MAX_ENTRY_CHARS  # none is empty
        if are_many or sum(len(segment.text) for segment in segments) > _MAX_ENTRY_CHARS:
            return None
        if any(has_currency_sign(segment.text) for segment in segments):
            return ancestor
    return None


_KINDS_WITH_COVERS = frozenset({"collection", "listing"})
_MIN_COVERS = 3
_MAX_NAME_CHARS = 80
_MAX_NAME_WORDS = 8
#: The share of covers whose names are in the text from which the list has names.
_MAX_NAMED_SHARE = 0.3


def name_covers(page: Page, verdict: Verdict, selection: PictureSelection) -> PictureSelection:
    """Return the selection with alternative texts as captions of a list's covers without names.

    A copy of each cover is a link to the page of what it names.
    """
    if verdict.kind not in _KINDS_WITH_COVERS:
        return selection
    images = page.elements.find("img")
    linked = {e.get("alt") for e in images if next(e.iterancestors("a"), None) is not None} - {""}
    lines = [s for s in compress(page.segments, verdict.keep) if len(s.text) <= _MAX_NAME_CHARS]
    headings = sum(line.block.tag in HEADING_TAGS for line in lines)
    words = {word for line in lines for word in fold_words(line.text).split()}
    covers: dict[str, dict[str, SelectedPicture]] = {}
    for picture in selection.selected:
        alt, names = picture.candidate.alt, picture.candidate.element.get("class")
        if names and alt in linked and not picture.caption.segments:
            covers.setdefault(names, {}).setdefault(alt, picture)
    captions: dict[SelectedPicture, Caption] = {}
    for pictures in covers.values():
        missing = {alt: p for alt, p in pictures.items() if _is_missing_name(alt, words)}
        is_named = headings + len(pictures) - len(missing) > _MAX_NAMED_SHARE * len(pictures)
        if len(missing) >= _MIN_COVERS and not is_named:
            captions |= {p: Caption((Span(alt),)) for alt, p in missing.items()}
    if not captions:
        return selection
    selected = (replace(p, caption=captions.get(p, p.caption)) for p in selection.selected)
    return replace(selection, selected=tuple(selected))


def _is_missing_name(text: str, words: AbstractSet[str]) -> bool:
    """Return whether a text is a name, no description, of which most words are not known."""
    is_name = len(text) <= _MAX_NAME_CHARS and not (
        text[0].islower() or text.endswith(SENTENCE_ENDS)
    )
    parts = fold_words(text).split()
    unknown = sum(part not in words for part in parts)
    return is_name and len(parts) <= _MAX_NAME_WORDS and 2 * unknown >= len(parts)
