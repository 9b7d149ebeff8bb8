"""The reasons for which a picture cannot belong to the article, whatever its score."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from lxml.html import HtmlElement

from ..html.index import ElementFlag, outward
from ..html.metadata.dates import is_date_line
from ..html.visibility import is_not_displayed
from ..text import CAMEL_CASE, YEAR
from .candidates import Candidate, is_preview
from .captions import Caption, is_credit_line
from .features import (
    FeatureReader,
    find_dialog,
    is_one_of_many,
    links_to_enlargement,
    long_words,
    nearest_link,
)
from .srcset import original_url, picture_key

#: A shorter caption may be a teaser's.
_MIN_CAPTION_CHARS = 12
_ICON_FEATURES = frozenset({
    "file of an icon", "named as an icon", "file of a network", "file of an ad",
})  # fmt: skip
#: A smaller picture can only be an icon.
_MAX_ICON_SIDE_PX = 64
#: The alternative text of a badge that leads to a shop or a player: 'Listen on Spotify'.
_BADGE = re.compile(
    r".{0,30}\b(?:Amazon Music|Audible|Apple (?:Podcasts?|Music)|(?:Mac )?App Store|AppGallery"
    r"|Castbox|Castro|Deezer|F-Droid|Galaxy Store|Google (?:Play|Podcasts?)(?: Store)?"
    r"|iHeart(?:Radio)?|iTunes|Microsoft Store|Overcast|Pandora|Player FM|Pocket ?Casts?|Podimo"
    r"|SoundCloud|Spotify|Stitcher|TuneIn|YouTube(?: Music)?)\W{0,3}(?:badge|button|logo|icon)?",
    re.IGNORECASE,
)
_MAX_RULE_THICKNESS_PX = 3
INTERFACE_DRAWING = "a drawing of the interface"


def rejection_reason(
    reader: FeatureReader, candidate: Candidate, features: frozenset[str], caption: Caption
) -> str:
    """Return why a picture cannot belong to the article whatever its score, '' if it can."""
    if "a smiley" in features:
        return "a smiley"
    if "an SVG file" in features and features & _ICON_FEATURES:
        return INTERFACE_DRAWING
    if not caption.text and _is_icon_or_logo(reader, candidate, features):
        return INTERFACE_DRAWING
    if is_preview(candidate) and reader.copies[candidate.url_key] > 1:
        return "a placeholder"
    if not caption.text and (reason := _reason_without_caption(reader, candidate, features)):
        return reason
    if _is_portrait(reader, candidate, features, caption):
        return "a portrait of the author"
    is_credit = len(caption.text) < _MIN_CAPTION_CHARS or is_credit_line(caption.text)
    is_linked = all(reader.page.segments[i].is_link for i in caption.segments)
    if (is_credit or is_linked) and _is_teaser(reader, candidate, caption):
        return "a teaser of another page"
    if _is_in_other_series(reader, caption):
        return "in a series of something else"
    largest = candidate.natural_width or candidate.width  # if a side is unknown
    sides = (side or largest for side in (candidate.width, candidate.height))
    if all(0 < side <= _MAX_ICON_SIDE_PX for side in sides):
        return "as small as an icon"
    return "a picture of an audio player" if _is_in_audio_player(reader, candidate) else ""


#: A heading above pictures of this many days is the title of a series.
_MIN_DAYS_OF_SERIES = 5
#: A heading of fewer words may be a label: 'Photo'.
_MIN_WORDS_OF_SERIES = 2


def _is_in_other_series(reader: FeatureReader, caption: Caption) -> bool:
    """Return whether a caption has the title of a series of the day with no word of the page's.

    In an article, such a series would be pages of pictures of other events.
    """
    if reader.verdict.kind != "article" or not caption.segments:
        return False
    first = reader.page.segments[min(caption.segments)]
    days = reader.days_below_headings.get(first.text, ())
    if len(days) < _MIN_DAYS_OF_SERIES or reader.verdict.keep[first.index]:
        return False
    words = long_words(first.text)
    return len(words) >= _MIN_WORDS_OF_SERIES and words.isdisjoint(reader.title)


#: The features of the logos of customers, in rows on pages that sell something.
_LOGO_FEATURES = frozenset({"file of a logo", "named as a logo"})
#: The alternative text of a row of stars.
_RATING = re.compile(r"[0-9](?:[.,][0-9]{1,2})? ?(?:out of|of|von|sur|de|su|av|van|/) ?(?:5|10)\b")
#: The longer side of the largest icons, if it is known.
_MAX_LARGE_ICON_PX = 300
_ICON_NAME = re.compile(r"(?<![a-z])icons?(?![a-z])")


def _is_icon_or_logo(reader: FeatureReader, candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a file that is no photograph is an icon, a logo or a rating."""
    link = nearest_link(candidate.element, _MAX_LEVELS_TO_LINK)
    if _RATING.match(candidate.alt) or (link is not None and _is_logo_link(link)):
        return True
    if "the page's own picture" in features or candidate.best is None:
        return False
    path = original_url(candidate.best.url).partition("?")[0]
    if _PHOTOGRAPH_FILE.search(path):
        return False
    is_small = max(candidate.width, candidate.height) <= _MAX_LARGE_ICON_PX
    if is_small and _ICON_NAME.search(path.rpartition("/")[2].lower()):
        return not candidate.alt or _ICON_NAME.search(candidate.alt.lower()) is not None
    if "one side under 80" in features and candidate.alt.lower().endswith(" icon"):
        return True
    is_customer = reader.verdict.kind in _SELLING_KINDS and not _LOGO_FEATURES.isdisjoint(features)
    is_small_logo = features >= {"file of a logo", "side under 64"}
    return is_customer or (is_small_logo and not reader.verdict.has_entries)


_SELLING_KINDS = frozenset({"service", "product"})
#: A name of the site's own logo, such as 'logo', 'header__logo' or 'siteLogo'.
_LOGO_LINK = re.compile(
    r"(?:(?:branding|custom|head(?:er)?|main|nav(?:bar)?|page|site|top)[-_]{0,2}){0,2}"
    r"logo(?:[-_]{1,2}(?:link|image|img))?",
    re.IGNORECASE,
)


def _is_logo_link(link: HtmlElement) -> bool:
    """Return whether a link leads to the home page, or is named as the site's logo."""
    names = f"{link.get('id') or ''} {link.get('class') or ''}"[:300].split()
    return "home" in (link.get("rel") or "").split() or any(map(_LOGO_LINK.fullmatch, names))


def _is_in_dialog(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether a picture is in a closed dialog that has no text of the article."""
    dialog = find_dialog(candidate)
    if dialog is None or dialog.get("open") is not None or dialog not in reader.index.indexes:
        return False
    lines = reader.index.segment_range(reader.index.indexes[dialog])
    return reader.article_sums[lines.stop] == reader.article_sums[lines.start]


#: A parameter by which a link names the advertisement it belongs to.
_CAMPAIGN = re.compile(r"[?&]utm_(?:source|medium|campaign)=", re.IGNORECASE)
#: The features of a file that is a button if a script follows its link.
_BUTTON_FEATURES = frozenset({"a GIF file", "file of an icon"})
#: The features of a sign in the link to a larger version of the picture beside it.
_SIGN_FEATURES = frozenset({"a GIF file", "no alt", "linked to a picture"})
_BANNER_FEATURES = frozenset({"file of an ad", "named as advertising"})
#: The features of a picture for social networks, which readers do not see.
_UNSEEN_FEATURES = frozenset({"hidden", "between title and text"})
_ALIKE_FEATURES = frozenset(f"alike ones in the text: {share}" for share in ("all", "most", "some"))
_HOME_LINK = re.compile(r"(?:https?:)?(?://[^/?#]{1,100})?/?")
#: The path to a shop, a demonstration, a trial, or a form for messages.
_OFFER = re.compile(r"/(?:shop[/-]|checkout/|(?:contact|[\w-]{0,40}(?:demo|trial))/?(?:$|[?#]))")
_FEED_LINK = re.compile(
    r"[^?#]*(?:/(?:rss|feed|atom)/?|[/.](?:rss|atom)(?:\.xml)?)$", re.IGNORECASE
)


def _reason_without_caption(
    reader: FeatureReader, candidate: Candidate, features: frozenset[str]
) -> str:
    if _is_in_dialog(reader, candidate):
        return "in a dialog that opens on a click"
    is_unseen = features >= _UNSEEN_FEATURES and _is_undisplayed(reader, candidate)
    if is_unseen or _is_invisible(candidate.element) or _has_twin_for_wide_screens(candidate):
        return "a picture that is not displayed"
    if "linked elsewhere" in features and ("hidden" in features or _BADGE.fullmatch(candidate.alt)):
        return "a badge or a hidden button"
    if "linked for sharing" in features:
        return "a share button"
    if _is_button(reader, candidate, features):
        return "a button with a script"
    if candidate.kind == "image" and is_preview(candidate):
        return "a placeholder"
    is_rule = 0 < min(candidate.width, candidate.height) <= _MAX_RULE_THICKNESS_PX
    if _is_decoration(reader, candidate, features):
        return "an ornament"
    if _is_icon_in_heading(candidate, features):
        return INTERFACE_DRAWING
    if is_rule or _is_counter(candidate):
        return "a divider or a tracking pixel"
    if _is_below_other_heading(reader, candidate):
        return "below the heading of unrelated content"
    if _is_linked_banner(reader, candidate, features):
        return "a banner or a button that leads to another page"
    return ""


def _is_button(reader: FeatureReader, candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a picture is a button: of a script, or to enlarge another picture."""
    if "linked to nowhere" in features and not features.isdisjoint(_BUTTON_FEATURES):
        return True
    link = nearest_link(candidate.element, _MAX_LEVELS_TO_LINK)
    if link is None or not features >= _SIGN_FEATURES:
        return False
    key = picture_key((link.get("href") or "").strip()[:2000])
    return key != candidate.url_key and reader.copies[key] > 0


def _is_decoration(reader: FeatureReader, candidate: Candidate, features: frozenset[str]) -> bool:
    return (
        _is_ornament(reader, candidate, features)
        or _is_backdrop(candidate, features)
        or _is_stripe(candidate)
        or _is_in_ticker(reader, candidate, features)
        or _is_over_or_behind_picture(candidate)
        or ("side large" not in features and _is_in_date_line(reader, candidate))
        or _has_tooltip(candidate.element.getparent())
    )


def _has_tooltip(box: HtmlElement | None) -> bool:
    """Return whether an element other than a link shows its name to the pointer, as icons' do."""
    if box is None or box.tag == "a":
        return False
    return "tooltip" in (box.get("data-bs-toggle"), box.get("data-toggle"))


def _is_undisplayed(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether an article's picture is hidden by its parent, not until a script shows it."""
    return reader.verdict.kind == "article" and is_not_displayed(candidate.element.getparent())


_INVISIBLE = re.compile(r"visibility\s{0,9}:\s{0,9}hidden")


def _is_invisible(element: HtmlElement) -> bool:
    """Return whether a picture's own style hides it, and no script that loads it later shows it."""
    style = (element.get("style") or "")[:2000]
    is_lazy = any(name.startswith("data-") for name in map(str, element.attrib))
    return not is_lazy and _INVISIBLE.search(style) is not None


#: The class of an element that only small screens show.
_SMALL_SCREENS = re.compile(
    r"(?:^|[\s_-])(?:(?:hidden|hide)-(?:on-|for-)?(?:desktop|lg|large)|desktop-hid(?:e|den)"
    r"|d-(?:md|lg|xl)-none|(?:mobile|phone)-only|(?:show|only)-(?:on-|for-)?(?:mobile|phone))"
    r"(?=$|\s)|(?:^|\s)(?:md|lg|xl):hidden(?=$|\s)"
)
_MAX_SCREEN_LEVELS = 3
_MAX_TWIN_ELEMENTS = 30


def _has_twin_for_wide_screens(candidate: Candidate) -> bool:
    """Return whether only small screens show a picture that is beside one for wide screens."""
    levels = outward(candidate.element, _MAX_SCREEN_LEVELS)
    box = next((e for e in levels if _SMALL_SCREENS.search((e.get("class") or "")[:300])), None)
    if box is None:
        return False
    neighbors = [other for other in (box.getprevious(), box.getnext()) if other is not None]
    inside = chain.from_iterable(islice(other.iter(), _MAX_TWIN_ELEMENTS) for other in neighbors)
    return any(element.tag == "img" for element in inside)


#: A picture without text that occurs this often in the text divides it.
_MIN_DIVIDERS = 3


def _is_ornament(reader: FeatureReader, candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a picture without text is a divider or a GIF in the article's layout table."""
    is_described = candidate.alt or candidate.title or candidate.natural_width
    if is_described or candidate.kind != "image" or "no size" not in features:
        return False
    if reader.copies[candidate.url_key] >= _MIN_DIVIDERS and "in the text" in features:
        return True
    if "a GIF file" not in features:
        return False
    parts = [reader.index.elements[i].tag for i in _ancestors_without_article(reader, candidate)]
    return "td" in parts and "table" not in parts


#: Class names of background pictures, and of those behind a page's header or section.
_BACKDROP = r"(?:background|bg)(?:-(?:image|img|media|pic(?:ture)?|wrap(?:per)?)){0,3}$"
_BACKDROP_CLASS = re.compile(r"(?<![a-z])(?<!has-)(?<!with-)" + _BACKDROP)
_PAGE_BACKDROP_CLASS = re.compile(
    r"(?<![a-z])(?:hero|splash|banner|page|header|masthead|section)-(?:[a-z]{1,20}-){0,3}"
    + _BACKDROP
)
_PICTURE_FEATURES = frozenset({"the page's own picture", "named as a gallery"})
_MAX_CLASS_CHARS = 240
_NO_ROLES = frozenset({"presentation", "none", "decorative"})
_BACKDROP_FILE = re.compile(
    r"background|decorat|divider|gradient|pattern|separator|texture", re.IGNORECASE
)
_BACKDROP_ALT = re.compile(r"(?:[a-z]{1,12} )?background(?: (?:image|picture))?", re.IGNORECASE)


def _is_backdrop(candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a picture is decoration behind text, by its classes or for screen readers."""
    alt, element = candidate.alt, candidate.element
    url = candidate.best.url if candidate.best else ""
    is_named = features >= {"background", "file of nothing"} and _BACKDROP_FILE.search(url[-80:])
    if is_named or _BACKDROP_ALT.fullmatch(alt):
        return True
    if candidate.kind != "image" or not features.isdisjoint(_PICTURE_FEATURES):
        return False
    is_decoration = element.get("role") in _NO_ROLES and "in the text" not in features
    if alt or is_decoration:
        return is_decoration and element.get("aria-hidden") == "true"
    levels = list(outward(element, 2))
    is_unread = any(
        level.get("aria-hidden") == "true" or level.get("role") in _NO_ROLES
        for level in levels
        if level.tag != "a"
    )
    if is_unread and "file of nothing" in features:
        return True
    classes = " ".join((level.get("class") or "")[:_MAX_CLASS_CHARS] for level in levels)
    words = re.sub(r"[-_]+", "-", CAMEL_CASE.sub("-", classes)).lower().split()
    return any(map((_BACKDROP_CLASS if is_unread else _PAGE_BACKDROP_CLASS).search, words))


_STRIPE = re.compile(r"(?<![\w-])repeat-[xy](?![\w-])")


def _is_stripe(candidate: Candidate) -> bool:
    """Return whether a background is repeated in one direction, as the edges of frames are."""
    style = (candidate.element.get("style") or "")[:2000]
    return candidate.kind == "background" and _STRIPE.search(style) is not None


#: The class of a picture laid over another or behind it.
_LAYER_CLASS = re.compile(
    r"(?<![a-z])(?:ribbon|sticker|(?:sale|product|card|discount)-badge|(?:card|item|tile)-"
    + _BACKDROP
    + ")(?![a-z])"
)
_MAX_PICTURES_IN_CARD = 5


def _is_over_or_behind_picture(candidate: Candidate) -> bool:
    """Return whether a picture is a card's ribbon or its background, by its own class."""
    element = candidate.element
    classes = CAMEL_CASE.sub("-", (element.get("class") or "")[:_MAX_CLASS_CHARS])
    classes = re.sub(r"[-_]+", "-", classes).lower()
    if not any(map(_LAYER_CLASS.search, classes.split())):
        return False
    card = next(element.iterancestors("li", "article"), None)
    return card is not None and len(list(islice(card.iter("img"), _MAX_PICTURES_IN_CARD))) > 1


def _is_in_date_line(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether a picture stands within a line with a date that is not selected."""
    if candidate.segment >= len(reader.page.segments) or reader.verdict.keep[candidate.segment]:
        return False
    begin = reader.index.segment_spans[candidate.segment][0]
    is_within = begin < reader.index.opens[candidate.index]
    return is_within and is_date_line(reader.page.segments[candidate.segment].text)


_TICKER_CLASS = re.compile(r"(?<![a-z])(?:marquee|ticker)(?![a-z])")
_MAX_TICKER_LEVELS = 5


def _is_in_ticker(reader: FeatureReader, candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a picture is in a row that moves, by a name or by a copy for no reader."""
    if not (reader.verdict.has_entries or "an SVG file" in features):
        return False
    for level in islice(candidate.element.iterancestors(), _MAX_TICKER_LEVELS):
        classes = CAMEL_CASE.sub("-", (level.get("class") or "")[:_MAX_CLASS_CHARS]).lower()
        if _TICKER_CLASS.search(classes):
            return True
    return candidate.url_key in reader.unread and reader.copies[candidate.url_key] > 1


#: The name of a file with the size of an icon: 'vimeo32.png'.
_ICON_FILE = re.compile(
    r"(?<![0-9])(?:16|20|24|32|48|64)(?:px|x(?:16|20|24|32|48|64))?(?:@2x)?\.(?:png|gif|svg|webp|ico)$"
)

_PHOTOGRAPH_FILE = re.compile(r"\.(?:jpe?g|avif)$", re.IGNORECASE)


def _is_icon_in_heading(candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a picture in a heading with text is an icon by the name of its file."""
    if "in a heading" not in features or "with: none" in features or candidate.best is None:
        return False
    path = original_url(candidate.best.url).partition("?")[0]
    is_named = not features.isdisjoint(_ICON_FEATURES) and not _PHOTOGRAPH_FILE.search(path)
    return is_named or _ICON_FILE.search(path) is not None


#: How far above a picture its link is.
_MAX_LEVELS_TO_LINK = 8


def _is_linked_banner(
    reader: FeatureReader, candidate: Candidate, features: frozenset[str]
) -> bool:
    """Return whether a picture is an advertisement for the page it links to.

    On a page of entries, the links above the picture lead to the same page.
    """
    if reader.verdict.has_entries:
        return "with: none" in features and any(map(_leads_to_page, _links_over(candidate.element)))
    if reader.verdict.kind != "article":
        return False
    link = nearest_link(candidate.element, _MAX_LEVELS_TO_LINK)
    if link is None or not _leads_to_page(link) or "the page's own picture" in features:
        return candidate.element.get("usemap") is not None
    is_above = candidate.segment < reader.bounds.first and "linked elsewhere" in features
    is_below = candidate.segment > reader.bounds.last and features.isdisjoint(_ALIKE_FEATURES)
    href = (link.get("href") or "").strip()[:2000]
    return (
        is_above
        or is_below
        or not features.isdisjoint(_BANNER_FEATURES)
        or {"file of an icon", "no alt"} <= features
        or bool(_CAMPAIGN.search(href) or _FEED_LINK.match(href))
        or (features >= {"linked within the site", "no alt"} and bool(_HOME_LINK.fullmatch(href)))
        or ("linked within the site" in features and bool(_OFFER.search(href.lower())))
    )


_MAX_LINKS_OVER = 20


def _links_over(element: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the links without text beside a picture, which are placed over it."""
    for level in outward(element, 2):
        for siblings in (level.itersiblings(preceding=True), level.itersiblings()):
            for link in islice(siblings, _MAX_LINKS_OVER):
                if link.tag == "a" and not len(link) and not (link.text or "").strip():
                    yield link


def _ancestors_without_article(reader: FeatureReader, candidate: Candidate) -> Iterator[int]:
    """Yield the indexes of a picture's element and its ancestors up to the article's text."""
    index, begins, ends = candidate.index, reader.index.segment_begins, reader.index.segment_ends
    while index >= 0 and reader.article_sums[begins[index]] == reader.article_sums[ends[index]]:
        yield index
        index = reader.index.parents[index]


_MAX_TEASER_LINKS = 50


def _is_below_other_heading(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether a picture after the text is below a heading that is not selected."""
    previous = candidate.segment - 1
    if reader.verdict.kind != "article" or previous <= reader.bounds.last:
        return False
    return bool(reader.index.flags[reader.index.segment_blocks[previous]] & _HEADING)


#: A wider picture of an audio player is the lead.
_MAX_AUDIO_WIDTH_PX = 300
_AUDIO_CLASS = re.compile(r"(?<![a-z])(?:audio|podcast)(?![a-z])", re.IGNORECASE)


def _is_in_audio_player(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether a picture is small and in an audio player without text of the article."""
    if not 0 < candidate.width <= _MAX_AUDIO_WIDTH_PX:
        return False
    classes, ids = reader.index.classes, reader.index.ids
    return any(
        _AUDIO_CLASS.search(f"{classes[index] or ''} {ids[index] or ''}"[:400])
        for index in _ancestors_without_article(reader, candidate)
    )


_AUTHOR_LINK = re.compile(
    r"/(?:authors?|autor(?:en|es|in|innen|i)?|auteurs?|redaktion|redaktor|journalists?|columnists?)/",
    re.IGNORECASE,
)
#: The alternative text of a portrait is little more than the author's name.
_MAX_CHARS_BESIDE_NAME = 24
#: A byline has little text before a name: 'written by '.
_MAX_CHARS_BEFORE_NAME = 12
_MAX_BYLINE_CHARS = 80


def _is_portrait(
    reader: FeatureReader, candidate: Candidate, features: frozenset[str], caption: Caption
) -> bool:
    """Return whether a picture shows the author: by its link, its text or its names."""
    link = nearest_link(candidate.element, _MAX_LEVELS_TO_LINK)
    if link is not None and _AUTHOR_LINK.search((link.get("href") or "")[:2000]):
        return True
    alt, text = candidate.alt.lower(), caption.text.lower()
    credited = reader.photographers if "in the text" in features else frozenset[str]()
    alt_names_author = any(
        name in alt and (name == alt or name not in credited)
        for name in reader.authors
        if len(alt) < len(name) + _MAX_CHARS_BESIDE_NAME
    )
    if text:
        line = f"{caption.credit.lower()} {text}".lstrip()
        ends = [(name, len(name) + _MAX_CHARS_BEFORE_NAME) for name in reader.authors]
        is_marked = alt_names_author or "named as a portrait" in features
        names_author = any(name in text and len(text) < end for name, end in ends)
        return (is_marked and names_author) or (
            len(line) <= _MAX_BYLINE_CHARS
            and any(name in line[:end] for name, end in ends)
            and (_has_date(reader, line) or (alt_names_author and YEAR.search(line) is not None))
        )
    if "between title and text" in features and _is_round(candidate):
        return True
    if reader.verdict.kind == "article" and features >= _END_PORTRAIT_FEATURES:
        return True
    is_named = {"named as a portrait", "file of a portrait"} <= features
    is_entry = reader.verdict.has_entries and "one of many alike" in features
    return alt_names_author or (is_named and not is_entry)


#: The features of the author's portrait below an article.
_END_PORTRAIT_FEATURES = frozenset({"file of a portrait", "no text of the article follows"})


def _has_date(reader: FeatureReader, text: str) -> bool:
    """Return whether a text has the year and the day of the article's date."""
    year, _, day = reader.page.metadata.published[:10].partition("-")
    return {year, day[-2:].lstrip("0")} <= set(re.findall(r"[0-9]+", text))


_ROUND_CLASS = re.compile(r"(?:^|\s)(?:rounded-(?:full|circle)|(?:img|image)-circle)(?=$|\s)")
_MAX_FRAME_LEVELS = 4


def _is_round(candidate: Candidate) -> bool:
    """Return whether a picture is cut to a circle by a common class, as portraits are."""
    frames = outward(candidate.element, _MAX_FRAME_LEVELS)
    return any(_ROUND_CLASS.search((frame.get("class") or "")[:300]) for frame in frames)


# A teaser without a heading has more text in links.
_MIN_TEASER_LINK_CHARS = 15
_MIN_TEASER_LINK_SHARE = 0.3
_MAX_TEASER_SEGMENTS = 40
_HEADING = int(ElementFlag.HEADING)


def _is_teaser(reader: FeatureReader, candidate: Candidate, caption: Caption) -> bool:
    """Return whether a picture announces another page, below the start of the text or as a card.

    Its part of the page links there, and has a heading, a teaser's name or little unlinked text.
    """
    if reader.verdict.has_entries:
        may_be_teaser = is_one_of_many(reader, candidate) and not _is_linked_entry(
            reader, candidate
        )
    else:
        is_below = candidate.segment > reader.bounds.start
        may_be_teaser = reader.verdict.kind == "article" and is_below
    if not may_be_teaser:
        return False
    levels = [-1, *_ancestors_without_article(reader, candidate)]
    part = levels[-1]
    if part < 0 or not _has_page_link(reader.index.elements[part]):
        return False
    indexes = reader.index.segment_range(part)[:_MAX_TEASER_SEGMENTS]
    segments = [reader.page.segments[i] for i in indexes if i not in caption.segments]
    texts = [segment for segment in segments if not is_credit_line(segment.text)]
    if texts and any("teaser" in (reader.index.classes[i] or "").lower() for i in levels[1:]):
        return True
    blocks = (reader.index.segment_blocks[segment.index] for segment in texts)
    if any(reader.index.flags[block] & _HEADING for block in blocks):
        return True
    links = sum(segment.link_chars for segment in texts)
    text = sum(len(segment.text) for segment in texts)
    return links >= _MIN_TEASER_LINK_CHARS and links > _MIN_TEASER_LINK_SHARE * text


def _is_linked_entry(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether one link contains both a picture and text of the article."""
    link = nearest_link(candidate.element, _MAX_LEVELS_TO_LINK)
    index = None if link is None else reader.index.indexes.get(link)
    if index is None:  # Elements of a template are not indexed.
        return False
    sums = reader.article_sums
    begins, ends = reader.index.segment_begins, reader.index.segment_ends
    return sums[begins[index]] < sums[ends[index]]


def _has_page_link(element: HtmlElement) -> bool:
    """Return whether an element is in a link to another page or contains one."""
    outer_link = nearest_link(element, 3)
    if outer_link is not None and _leads_to_page(outer_link):
        return True
    return any(map(_leads_to_page, islice(element.iter("a"), _MAX_TEASER_LINKS)))


def _leads_to_page(link: HtmlElement) -> bool:
    """Return whether a link leads to another page rather than to a larger picture."""
    href = (link.get("href") or "").strip()
    return (
        bool(href) and not href.startswith(("#", "javascript:")) and not links_to_enlargement(link)
    )


#: A size or a number in the query of a picture's address, which a counter's does not have.
_LONG_NUMBER = re.compile(r"[0-9]{3}|[0-9a-f]{8}")


def _is_counter(candidate: Candidate) -> bool:
    """Return whether a picture without a text comes from a counter."""
    url = original_url(candidate.best.url) if candidate.best else ""
    path, _, query = url.partition("?")
    has_query = path.endswith("/") and bool(query) and not _LONG_NUMBER.search(query)
    return has_query and not candidate.alt
