"""Picture selection: methods by name, the default one, and the ``images`` option.

The default method is a weighted sum of features of position, markup, names, size and file, among
them CUTER's criteria: the bounds of the article and the declared size.  The weights come from a
logistic regression over labeled pages (``benchmarks/train_pictures.py``).  Joshi and Liu's
comparison of names changed no result in cross-validation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from ..files import load_json
from ..html.index import ElementFlag, Segment, outward
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..options import IMAGE_METHODS, ExtractOptions, check_known
from ..selection import Verdict
from ..urls import host_of
from .candidates import Candidate, article_column, find_candidates, is_beside_column
from .captions import Caption, CaptionFinder, is_caption_name, read_caption, repeats_alt
from .features import (
    FURNITURE_FEATURES,
    LINK_FEATURES,
    FeatureReader,
    address_features,
    is_lead,
    is_near_title,
    long_words,
)
from .papers import cuter, joshi_liu
from .papers.cuter import article_bounds, nearby_segments
from .papers.ner import RULES, check_recognizer
from .rejections import INTERFACE_DRAWING, rejection_reason
from .selection import (
    CUTER_LIMITS,
    ICON_LIMITS,
    PictureSelection,
    RejectedPicture,
    SelectedPicture,
    drop_further_views,
    is_minor_text,
    merge_copies,
    name_covers,
    share_captions,
)
from .srcset import PLAIN, ImageSource, picture_key

if TYPE_CHECKING:
    from .size_probe import SizeFilter

_DUPLICATE = "a duplicate of a printed picture"
_FAR = "far from the article's text"


def select_pictures(
    page: Page, verdict: Verdict, options: ExtractOptions, probe: SizeFilter | None = None
) -> PictureSelection:
    """Select the pictures to print; ``probe`` rejects those of undeclared size by their files.

    Raises:
        UsageError: The method or the recognizer is unknown.
        MissingLibrary: The recognizer is not installed.
    """
    if options.images == "none":
        # Pictures are selected nevertheless, so that their captions are left out with them.
        selection = select_by_score(page, verdict)
        return _keep_only(selection, None, "pictures are switched off")
    if options.images == "all":
        selection = select_all(page, verdict)
    else:
        selection = select_by_method(page, verdict, options.image_method, options.ner)
        selection = drop_further_views(page, selection)
    selection = name_covers(page, verdict, merge_copies(selection))
    if probe is not None:
        limits = CUTER_LIMITS if options.image_method == "cuter" else ICON_LIMITS
        selection = probe(page, selection, limits)
    return _keep_lead(page, selection) if options.images == "lead" else selection


def select_by_method(
    page: Page, verdict: Verdict, method: str = "default", ner: str = RULES
) -> PictureSelection:
    check_known("picture selection method", method, IMAGE_METHODS)
    check_recognizer(ner)
    if method == "joshi-liu":
        return joshi_liu.select_pictures(page, verdict, ner)
    return (cuter.select_pictures if method == "cuter" else select_by_score)(page, verdict)


def select_all(page: Page, verdict: Verdict) -> PictureSelection:
    """Select every picture in the article and right around it, except icons and banners."""
    nearby = cuter.nearby_segments(page, cuter.article_bounds(page, verdict))
    candidates = find_candidates(page, nearby)
    captions = CaptionFinder(page, candidates)
    selected: list[SelectedPicture] = []
    rejected: list[RejectedPicture] = []
    url_keys: set[str] = set()
    for candidate in candidates:
        reason = ""
        if candidate.segment not in nearby:
            reason = _FAR
        elif candidate.url_key and candidate.url_key in url_keys:
            reason = _DUPLICATE
        elif candidate.width and candidate.height:
            reason = ICON_LIMITS.reject_reason(candidate.width, candidate.height)
        if reason:
            rejected.append(RejectedPicture(candidate, reason))
        else:
            url_keys.add(candidate.url_key)
            selected.append(SelectedPicture(candidate, captions.find(candidate)))
    return PictureSelection(tuple(share_captions(page, selected)), tuple(rejected))


def _keep_lead(page: Page, selection: PictureSelection) -> PictureSelection:
    """Return the picture that the page's metadata names if it is selected, or else the first."""
    if not selection.selected:
        return selection
    key = picture_key(page.metadata.image)
    named = (p for p in selection.selected if key and p.candidate.url_key == key)
    return _keep_only(selection, next(named, selection.selected[0]), "not the lead picture")


def _keep_only(
    selection: PictureSelection, lead: SelectedPicture | None, reason: str
) -> PictureSelection:
    rejected = (
        RejectedPicture(picture.candidate, reason, picture.caption.segments)
        for picture in selection.selected
        if picture is not lead
    )
    selected = (lead,) if lead else ()
    return replace(selection, selected=selected, rejected=(*selection.rejected, *rejected))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each feature, and the score from which a picture is selected."""

    weights: Mapping[str, float]
    threshold: float

    def score(self, features: frozenset[str]) -> float:
        # fsum, because the iteration order of a set differs between processes.
        return math.fsum([self.weights.get(name, 0.0) for name in features])

    def reject_reason(self, features: frozenset[str]) -> str:
        """Return the feature that counts most against a picture."""
        return min(features, key=lambda name: (self.weights.get(name, 0.0), name))


@cache
def load_weights() -> Weights:
    data = load_json(__file__, "weights.json")
    return Weights(data["weights"], float(data["threshold"]))


def select_by_score(
    page: Page, verdict: Verdict, weights: Weights | None = None
) -> PictureSelection:
    """Select the pictures near the text whose score reaches the threshold."""
    bounds = article_bounds(page, verdict)
    nearby = nearby_segments(page, bounds)
    candidates = find_candidates(page, nearby)
    if bounds is None:
        return PictureSelection((), tuple(RejectedPicture(c, _FAR) for c in candidates))
    column = article_column(page, verdict)
    scored: list[Candidate] = []
    rejected: list[RejectedPicture] = []
    for candidate in candidates:
        # The page's own picture, the only far one with a key, may be far above the text.
        if candidate.segment not in nearby and not candidate.url_key:
            rejected.append(RejectedPicture(candidate, _FAR))
        elif is_beside_column(page, candidate, column):
            rejected.append(RejectedPicture(candidate, "beside the column of the article"))
        else:
            scored.append(candidate)
    captions = CaptionFinder(page, candidates)
    reader = FeatureReader(page, verdict, candidates, bounds)
    pictures = [(candidate, reader.features(candidate)) for candidate in scored]
    weights = weights or load_weights()
    selected, below_threshold = _apply_threshold(pictures, weights, captions, reader)
    rejected += below_threshold
    selected = share_captions(page, selected)
    return PictureSelection(
        _drop_unmarked(page, verdict, selected) or _lead_picture(page, verdict, rejected),
        tuple(rejected),
    )


#: How far below the threshold the lead picture may score.
_LEAD_BONUS = 1.8
#: The feature of a picture among text of the article.
_LISTED_FEATURE = "with: all"
#: The features of a picture in a gallery of figures.
_GALLERY_FEATURES = frozenset({"in a figure", "in the text", "named as a gallery"})
#: The features of a picture that the text shows.
_TEXT_FEATURES = frozenset({"in the text", _LISTED_FEATURE})
#: The fewest similar pictures to select for all of them to be selected.
_MIN_LISTED = 3
#: A picture that the text shows twice, or whose score is low, has none of these.
_UNLISTED_FEATURES = (FURNITURE_FEATURES - LINK_FEATURES) | {
    "alt of a logo or portrait", "file of an ad",
}  # fmt: skip
#: The features of a picture that ends the article, below its last line and in its part.
_END_FEATURES = frozenset({"right after the text", "in a part with most of the article"})
#: The features of a picture farther below, in an element with the whole article.
_CLOSING_FEATURES = frozenset({"after the borders", "in a part: all", "long alt"})
#: How far below the threshold a picture next to an entry's text may score.
_LISTED_BONUS = 0.8
#: The share of the pictures of one look that must score high for all to be of entries.
_MIN_LISTED_SHARE = 0.5
#: A picture in a row is no icon from this side on, whatever its name.
_MIN_ROW_SIDE_PX = 150
_SHORT_TEXT_FEATURES = frozenset(f"with under {size} of text" for size in (30, 120, 400))
#: The features of the picture of an entry among others, however long its text is.
_ENTRY_FEATURES = frozenset({"in the text", "one of many alike", "alike ones in the text: all"})
#: Pictures and their features.
_Pictures: TypeAlias = Sequence[tuple[Candidate, frozenset[str]]]


def _apply_threshold(
    pictures: _Pictures, weights: Weights, captions: CaptionFinder, reader: FeatureReader
) -> tuple[list[SelectedPicture], list[RejectedPicture]]:
    """Select by score; of copies of a picture, the best, preferably with a caption.

    Of a list's pictures, all are selected if several (on pages of entries, most) are likely.
    """
    reasons: dict[Candidate, str] = {}
    best: dict[str, tuple[bool, float]] = {}
    captions_found: dict[Candidate, Caption] = {}
    listed = _find_listed(pictures, weights, reader)
    lead = _find_lead(pictures, weights, captions, reader)
    for candidate, features in pictures:
        score = weights.score(features)
        may_be_closing = features >= _CLOSING_FEATURES and features.isdisjoint(FURNITURE_FEATURES)
        is_closing = may_be_closing and repeats_alt(candidate.alt, captions.find(candidate).text)
        bonus = _LEAD_BONUS if candidate is lead or is_closing else 0
        if features >= _END_FEATURES and features.isdisjoint(_UNLISTED_FEATURES | LINK_FEATURES):
            is_figure = "in a figure" in features and captions.find(candidate).text != ""
            is_large = not features.isdisjoint({"side large", "file wide"})
            bonus = max(bonus, _LISTED_BONUS * (is_large or is_figure))
        threshold = weights.threshold - bonus
        if score < threshold and candidate not in listed:
            reasons[candidate] = weights.reject_reason(features)
            continue
        captions_found[candidate] = captions.find(candidate)
        reason = rejection_reason(reader, candidate, features, captions_found[candidate])
        if reason:
            reasons[candidate] = reason
            if reason == INTERFACE_DRAWING:  # Text beside it is not a caption.
                del captions_found[candidate]
        else:
            rank = bool(captions_found[candidate].text), score
            key = reader.key(candidate)
            best[key] = max(rank, best.get(key, rank))
    selected: list[SelectedPicture] = []
    rejected: list[RejectedPicture] = []
    usable = [(candidate, features) for candidate, features in pictures if candidate not in reasons]
    repeated = _repeated_in_text(usable, reader)
    url_keys = {reader.key(candidate) for candidate in repeated}
    for candidate, features in pictures:
        key, caption = reader.key(candidate), captions_found.get(candidate, Caption())
        rank = bool(caption.text), weights.score(features)
        if candidate in reasons:
            rejected.append(RejectedPicture(candidate, reasons[candidate], caption.segments))
        elif key and candidate not in repeated and (key in url_keys or rank < best[key]):
            rejected.append(RejectedPicture(candidate, _DUPLICATE, caption.segments))
        else:
            url_keys.add(key)
            selected.append(SelectedPicture(candidate, caption))
    return selected, rejected


def _repeated_in_text(pictures: _Pictures, reader: FeatureReader) -> set[Candidate]:
    """Return the copies of pictures that the text shows deliberately.

    Text of the article is around each copy and between them.  In an article, the copies have the
    same markup and are not linked.
    """
    kind = reader.verdict.kind
    copies: dict[str, list[Candidate]] = {}
    if not (kind in {"article", "documentation"} or reader.verdict.has_entries):
        return set()
    unwanted = _UNLISTED_FEATURES | (LINK_FEATURES if kind == "article" else frozenset())
    for candidate, features in pictures:
        is_in_text = features >= _TEXT_FEATURES and features.isdisjoint(unwanted)
        if is_in_text and (key := reader.key(candidate)):
            places = copies.setdefault(key, [])
            if not places or _is_other_text(reader, places[-1].segment, candidate.segment):
                places.append(candidate)
    return {
        candidate
        for places in copies.values()
        if len(places) > 1
        and (kind != "article" or len({reader.looks[place] for place in places}) == 1)
        for candidate in places
    }


_MAX_CARD_SEGMENTS = 12


def _is_other_text(reader: FeatureReader, one: int, other: int) -> bool:
    """Return whether text of the article is between two places, other than copies of that around.

    A duplicated card repeats the text before and after its picture.
    """
    if reader.article_sums[one] == reader.article_sums[other]:
        return False
    length = other - one
    if length > _MAX_CARD_SEGMENTS:
        return True
    texts = [
        segment.text for segment in reader.page.segments[max(0, one - length) : other + length]
    ]
    start = min(one, length)
    around = (
        texts[start - length + k : start] + texts[start + length :][:k] for k in range(length + 1)
    )
    between = texts[start : start + length]
    return all(between[k:] + between[:k] != text for k, text in enumerate(around))


def _find_listed(pictures: _Pictures, weights: Weights, reader: FeatureReader) -> set[Candidate]:
    """Return the pictures with little text that have the markup of several above the threshold.

    On pages of entries, the threshold is lower next to text of the article.
    """
    looks = reader.looks
    counts = Counter(looks[candidate] for candidate, _ in pictures)
    scores = {candidate: weights.score(features) for candidate, features in pictures}
    high_scores = Counter(looks[c] for c in scores if scores[c] >= weights.threshold)
    bonus = _LISTED_BONUS if reader.verdict.has_entries else 0
    in_text: set[Candidate] = set()
    high_scores_in_text: Counter[tuple[str, ...]] = Counter()
    for candidate, features in pictures:
        if _LISTED_FEATURE in features or features >= _GALLERY_FEATURES:
            in_text.add(candidate)
            min_score = weights.threshold - bonus * features.isdisjoint(_UNLISTED_FEATURES)
            high_scores_in_text[looks[candidate]] += scores[candidate] >= min_score
    listed: set[Candidate] = set()
    for candidate, features in pictures:
        look = looks[candidate]
        min_count = max(_MIN_LISTED, _MIN_LISTED_SHARE * counts[look])
        is_large = min(candidate.width, candidate.height) >= _MIN_ROW_SIDE_PX
        if is_large and "file of an icon" in features and high_scores[look] + 1 >= min_count:
            listed.add(candidate)
        is_entry = features >= _ENTRY_FEATURES and "file of an ad" not in features
        has_short_text = not features.isdisjoint(_SHORT_TEXT_FEATURES)
        if (
            not (has_short_text or (reader.verdict.has_entries and is_entry))
            or "repeated often" in features
        ):
            continue
        if "repeated" in features and _LISTED_FEATURE not in features:
            continue
        is_in_text = candidate in in_text and high_scores_in_text[look] >= _MIN_LISTED
        may_end = reader.verdict.has_entries or features >= _END_FEATURES
        if is_in_text or (may_end and high_scores[look] >= min_count):
            listed.add(candidate)
    return listed


def _find_lead(
    pictures: _Pictures, weights: Weights, captions: CaptionFinder, reader: FeatureReader
) -> Candidate | None:
    """Return the best candidate for the lead picture if none near the title would be selected."""
    leads: dict[Candidate, float] = {}
    for candidate, features in pictures:
        if not is_near_title(reader, candidate):
            continue
        score = weights.score(features)
        if score < weights.threshold:
            if is_lead(candidate, features):
                leads[candidate] = score
        elif not rejection_reason(reader, candidate, features, captions.find(candidate)):
            return None
    return max(leads, key=leads.__getitem__, default=None)


#: Text that is marked up as a caption or is in a figure.
_MARKED = int(ElementFlag.CAPTION | ElementFlag.FIGURE)
#: If captions without such markup are a larger share of the article, they are its text.
_MAX_UNMARKED_SHARE = 0.3


def _drop_unmarked(
    page: Page, verdict: Verdict, selected: Sequence[SelectedPicture]
) -> tuple[SelectedPicture, ...]:
    """Remove unmarked captions where they would be product names or much of an article."""
    flags, blocks = page.index.flags, page.index.segment_blocks
    uncredited = (picture.caption for picture in selected if not picture.caption.credit)
    captions = frozenset[int]().union(*(caption.segments for caption in uncredited))
    unmarked = {i for i in captions if verdict.keep[i] and not flags[blocks[i]] & _MARKED}
    is_little = is_minor_text(page, verdict, unmarked, _MAX_UNMARKED_SHARE)
    if is_little and not (verdict.has_entries and len(unmarked) >= _MIN_LISTED):
        return tuple(selected)
    return tuple(
        replace(picture, caption=Caption()) if picture.caption.segments & unmarked else picture
        for picture in selected
    )


#: The name of a picture of this page has at least this many words of its title.
_MIN_TITLE_WORDS = 2
#: Words in the address of a picture that networks show for any page of a site.
_SITE_PICTURE = re.compile(
    r"(?<![a-z])(?:og|open-?graph|social|shar(?:e|ing)|fallback|site|standard|home|card|assets|"
    r"static|themes?|dist)(?![a-z])",
    re.IGNORECASE,
)


def _lead_picture(
    page: Page, verdict: Verdict, rejected: Sequence[RejectedPicture]
) -> tuple[SelectedPicture, ...]:
    """Return the picture named by the metadata, for an article without pictures of its own."""
    url = page.metadata.image
    body = page.tree.find("body")
    if not url or body is None or verdict.kind != "article" or not any(verdict.keep):
        return ()
    path = url.partition("?")[0]
    file = path.partition("//")[2].partition("/")[2][:500].lower()
    site = host_of(page.url).removeprefix("www.").partition(".")[0]
    name = file.rpartition("/")[2]
    names_title = len(long_words(page.metadata.title) & long_words(name)) >= _MIN_TITLE_WORDS
    is_of_site = _SITE_PICTURE.search(file) or (site and site in name)
    if (is_of_site and not names_title) or address_features(path) or name.endswith(".svg"):
        return ()
    source = ImageSource(url, 0, PLAIN)
    lead = Candidate(body, "lead", 0, 0, (source,), url_key=picture_key(url), best=source)
    is_rejected = any(picture.candidate.url_key == lead.url_key for picture in rejected)
    return () if is_rejected else (SelectedPicture(lead, _lead_caption(page, verdict, rejected)),)


#: How many lines above the text may be the caption of a picture that a script adds.
_MAX_LINES_ABOVE = 3
_MIN_LEAD_CAPTION_CHARS = 25
_MAX_BOX_LEVELS = 2


def _lead_caption(page: Page, verdict: Verdict, rejected: Sequence[RejectedPicture]) -> Caption:
    """Return the caption right above the text in a box whose picture only a script adds.

    Otherwise the caption would be lost, or be printed as text.
    """
    first = verdict.keep.index(True)
    # A line at a rejected picture, or just before it, is the caption of that one.
    pictured = {picture.candidate.segment for picture in rejected}
    lines = [
        segment
        for segment in page.segments[max(0, first - _MAX_LINES_ABOVE) : first + 1]
        if pictured.isdisjoint((segment.index, segment.index + 1))
        and segment.block.tag not in HEADING_TAGS
        and len(segment.text) >= _MIN_LEAD_CAPTION_CHARS
        and _is_in_caption(segment)
    ]
    copies = {segment.text for segment in lines}
    if len(copies) != 1:
        return Caption()
    spans, credit = read_caption(lines[:1], page.base)
    return Caption(spans, credit, frozenset(segment.index for segment in lines))


def _is_in_caption(segment: Segment) -> bool:
    boxes = outward(segment.block, _MAX_BOX_LEVELS)
    names = (f"{box.tag} {(box.get('class') or '')[:200]}".lower() for box in boxes)
    return any("caption" in name and is_caption_name(name) for name in names)
