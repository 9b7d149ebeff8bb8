"""Features of a picture: named yes-or-no properties, such as ``after the borders``.

Some come from the names of classes, ids and files.  A name is split into words (``post-thumbnail``,
``postThumbnail``), and each word and each pair of adjacent words is looked up in
``features.json``, where an asterisk matches any ending.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise

from lxml.html import HtmlElement

from ..files import load_json
from ..html.index import ElementFlag, outward
from ..html.metadata.dates import is_day
from ..html.page import Page
from ..html.visibility import HEADING_TAGS
from ..selection import Verdict
from ..text import YEAR
from ..urls import host_of
from .candidates import Candidate
from .captions import is_caption_name, is_credit_line
from .papers.cuter import ArticleBounds
from .srcset import IMAGE_FILE, is_numbered, original_url, picture_key

_TABLES = load_json(__file__, "features.json")


_MAX_UNREAD_LEVELS = 3


def _is_unread(element: HtmlElement) -> bool:
    """Return whether screen readers skip an element or a box near around it."""
    levels = outward(element, _MAX_UNREAD_LEVELS)
    return any(level.get("aria-hidden") == "true" for level in levels)


class FeatureReader:
    """Reads the features of a page's candidates."""

    def __init__(
        self,
        page: Page,
        verdict: Verdict,
        candidates: Sequence[Candidate],
        bounds: ArticleBounds,
    ) -> None:
        self.page, self.index, self.bounds = page, page.index, bounds
        self.verdict = verdict
        names = re.split(r",\s|;| and | und | et | y | e ", page.metadata.byline.lower())
        self.authors = tuple(name.strip() for name in names if " " in name.strip())
        self.photographers = _photographers(self.authors, candidates, bounds)
        sizes = [len(segment.text) for segment in page.segments]
        selected_sizes = (n if keep else 0 for n, keep in zip(sizes, verdict.keep, strict=True))
        # Running sums of the characters of all text, of the article and of links.
        self.char_sums = [0, *accumulate(sizes)]
        self.article_sums = [0, *accumulate(selected_sizes)]
        self.link_sums = [0, *accumulate(segment.link_chars for segment in page.segments)]
        self.copies = Counter(candidate.url_key for candidate in candidates if candidate.url_key)
        self.days_below_headings: dict[str, set[str]] = {}
        for above, line in pairwise(page.segments):
            if above.block.tag in HEADING_TAGS and _is_dated(line.text):
                self.days_below_headings.setdefault(above.text, set()).add(line.text)
        self.unread = {c.url_key for c in candidates if _is_unread(c.element)}
        self.opened_dialogs = _opened_dialogs(candidates)
        self.looks = {candidate: _look(candidate.element) for candidate in candidates}
        self.segments_by_look: dict[tuple[str, ...], list[int]] = {}
        for candidate, look in self.looks.items():
            self.segments_by_look.setdefault(look, []).append(candidate.segment)
        for segments in self.segments_by_look.values():
            segments.sort()
        self.lead = picture_key(page.metadata.image)
        self.lead_file = self.lead.rpartition("/")[2]
        self.title = long_words(page.metadata.title)
        self.site_name = (page.metadata.site or _site_host(page.url)).lower()
        self.name_features: dict[int, frozenset[str]] = {}

    def features(self, candidate: Candidate) -> frozenset[str]:
        ancestors = [candidate.index]
        while (parent := self.index.parents[ancestors[-1]]) >= 0:
            ancestors.append(parent)
        return frozenset(
            chain(
                ("always", candidate.kind),
                _size_features(candidate),
                _position_features(self, candidate),
                _surrounding_features(self, candidate, ancestors),
                _repetition_features(self, candidate),
                _name_features(self, candidate, ancestors),
                _link_features(self, candidate),
                _picture_file_features(self, candidate),
                _alt_features(self, candidate.alt),
            )
        )

    def key(self, candidate: Candidate) -> str:
        """Return a key shared by all copies: also by crops of the lead, and copies in dialogs."""
        dialog = find_dialog(candidate)
        if dialog is not None and dialog.get("id") in self.opened_dialogs:
            return self.opened_dialogs[dialog.get("id", "")]
        is_lead = self.lead_file == candidate.url_key.rpartition("/")[2]
        return self.lead if is_lead and _is_distinct(self.lead_file) else candidate.url_key


_MAX_DAY_CHARS = 40


def _is_dated(text: str) -> bool:
    """Return whether a line is a day with its year."""
    return len(text) <= _MAX_DAY_CHARS and YEAR.search(text) is not None and is_day(text)


#: The fewest pictures in the text whose alternative texts credit an author.
_MIN_CREDITED = 3


def _photographers(
    authors: Iterable[str], candidates: Iterable[Candidate], bounds: ArticleBounds
) -> frozenset[str]:
    """Return the authors whom the alternative texts of several pictures in the text credit."""
    alts = {c.alt.lower() for c in candidates if bounds.start < c.segment <= bounds.last}
    return frozenset(
        name
        for name in authors
        if sum(name in alt and name != alt for alt in alts) >= _MIN_CREDITED
    )


_MAX_DIALOG_LEVELS = 12


def find_dialog(candidate: Candidate) -> HtmlElement | None:
    around = islice(candidate.element.iterancestors(), _MAX_DIALOG_LEVELS)
    return next((e for e in around if e.tag == "dialog" or e.get("role") == "dialog"), None)


_OPENING_ATTRIBUTES = ("data-target", "data-bs-target", "aria-controls", "href")


def _opened_dialogs(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Return the keys of the pictures that open a dialog when clicked, by its id."""
    keys: dict[str, str] = {}
    for candidate in candidates:
        for element in outward(candidate.element, 2):
            targets = (element.get(name, "").lstrip("#") for name in _OPENING_ATTRIBUTES)
            keys |= {target: candidate.url_key for target in targets if target not in keys}
    return keys


_MIN_ALIKE = 4


def is_one_of_many(reader: FeatureReader, candidate: Candidate) -> bool:
    return len(reader.segments_by_look[reader.looks[candidate]]) >= _MIN_ALIKE


def _position_features(reader: FeatureReader, candidate: Candidate) -> Iterable[str]:
    first, start, last = reader.bounds
    position = candidate.segment
    if position < first:
        yield "before the borders"
    elif position > last + 1:
        yield "after the borders"
    elif position <= start:
        yield "between title and text"
    elif position == last + 1:
        yield "right after the text"
    else:
        yield "in the text"
    article, chars = reader.article_sums, reader.char_sums
    if position < first and chars[first] - chars[position] < 200:
        yield "shortly before the title"
    last_position = len(chars) - 1
    for reach, name in ((2, "next to"), (8, "near")):
        begin, end = max(0, position - reach), min(last_position, position + reach)
        share = _describe_share(article[end] - article[begin], chars[end] - chars[begin])
        yield f"{name}: {share}"
    if article[min(last_position, position + 4)] == article[min(last_position, position)]:
        yield "no text of the article follows"


_FEATURES_BY_FLAG = {int(ElementFlag[flag]): feature for flag, feature in _TABLES["places"].items()}
_AD_LABEL = re.compile(
    r"\W*(?:ad|ads|advert|advertisement|advertising|sponsored|sponsor|promoted|promotion|anzeige|"
    r"werbung|publicité|publicidad|pubblicità|annonce|reklam[ae]?|реклама|広告|スポンサーリンク|pr|广告|"
    r"廣告|광고|إعلان|विज्ञापन|פרסומת|διαφήμιση|โฆษณา)\W*",
    re.IGNORECASE,
)


def _surrounding_features(
    reader: FeatureReader, candidate: Candidate, ancestors: list[int]
) -> Iterable[str]:
    flags = reader.index.flags[candidate.index]
    for flag, name in _FEATURES_BY_FLAG.items():
        if flags & flag:
            yield name
    chars, article = reader.char_sums, reader.article_sums
    min_article_chars = min(200, article[-1])
    innermost = True
    for level, index in enumerate(ancestors):
        begin, end = reader.index.segment_begins[index], reader.index.segment_ends[index]
        if begin == end:
            continue
        total, article_chars = chars[end] - chars[begin], article[end] - article[begin]
        if innermost:
            innermost = False
            yield f"with: {_describe_share(article_chars, total)}"
            size = next((f"under {n}" for n in (30, 120, 400, 2000) if total < n), "plenty")
            yield f"with {size} of text"
            line = reader.page.segments[begin].text
            is_credit = end - begin == 1 and is_credit_line(line) and not YEAR.search(line)
            if reader.link_sums[end] - reader.link_sums[begin] > total / 2 and not is_credit:
                yield "with text of links"
            if total < 200 and _AD_LABEL.fullmatch(line[:40]):
                yield "under the word for advertising"
        if article_chars >= min_article_chars:
            yield f"text of the article {min(level, 9)} levels up"
            yield f"in a part: {_describe_share(article_chars, total)}"
            size = "most" if article_chars > article[-1] / 2 else "little"
            yield f"in a part with {size} of the article"
            break


def _repetition_features(reader: FeatureReader, candidate: Candidate) -> Iterable[str]:
    """Yield features of similarly placed pictures and of copies of this one."""
    similar = reader.segments_by_look[reader.looks[candidate]]
    if len(similar) > 1:
        yield "one of many alike" if is_one_of_many(reader, candidate) else "one of few alike"
        similar_in_text = bisect_right(similar, reader.bounds.last)
        similar_in_text -= bisect_left(similar, reader.bounds.start)
        yield f"alike ones in the text: {_describe_share(similar_in_text, len(similar))}"
    copies = reader.copies[candidate.url_key]
    if copies > 1:
        yield "repeated" if copies < 4 else "repeated often"


#: The levels above the picture whose names are read.
_MAX_NAME_LEVELS = 7


def _name_features(
    reader: FeatureReader, candidate: Candidate, ancestors: list[int]
) -> Iterable[str]:
    """Yield features of the names of elements between the picture and the article's text."""
    yield from name_features(_element_names(candidate.element))
    article = reader.article_sums
    for level, index in enumerate(ancestors[:_MAX_NAME_LEVELS]):
        begin, end = reader.index.segment_begins[index], reader.index.segment_ends[index]
        if level and article[end] - article[begin] > 0.3 * article[-1]:
            break
        if index not in reader.name_features:
            names = _element_names(reader.index.elements[index])
            reader.name_features[index] = name_features(names)
        yield from reader.name_features[index]


#: Links that share the page's address.
_SHARE_LINK = re.compile(
    r"(?:mailto|whatsapp|tg|sms|viber|line|fb-messenger):|[^?#]*[/.]"
    r"(?:share|sharer|shareArticle|sharing|intent|pin/create|addtoany|msg_url)(?![a-z])",
    re.IGNORECASE,
)


def _link_features(reader: FeatureReader, candidate: Candidate) -> Iterable[str]:
    link = nearest_link(candidate.element, 8)
    if link is None:
        return
    href = (link.get("href") or "").strip()[:2000]
    if links_to_enlargement(link):
        yield "linked to a picture"
    elif _SHARE_LINK.match(href):
        yield "linked for sharing"
    elif not href or href.startswith(("#", "javascript:")):
        yield "linked to nowhere"
    else:
        site = _site_host(href)
        is_internal = not site or site == _site_host(reader.page.url)
        yield "linked within the site" if is_internal else "linked elsewhere"
        if "sponsored" in (link.get("rel") or ""):
            yield "linked for money"
        if _has_linked_text(reader, candidate, link):
            yield "linked with words of its own"


def _has_linked_text(reader: FeatureReader, candidate: Candidate, link: HtmlElement) -> bool:
    """Return whether the picture's link contains text, or adjacent text has the same link."""
    texts = (
        text
        for part in islice(link.iter(), 40)
        for text in (None if is_caption_name(part.get("class") or "") else part.text, part.tail)
        if text and (part is not link or text is part.text)
    )
    if sum(len(text.strip()) for text in texts) > 14:
        return True
    href = link.get("href")
    for segment in reader.page.segments[max(0, candidate.segment - 2) : candidate.segment + 3]:
        if segment.link_chars < 15:
            continue
        for leaf in segment.leaves[:20]:
            other = nearest_link(leaf.parent, 2)
            if other is not None and other is not link and other.get("href") == href:
                return True
    return False


#: A larger GIF is a picture like any other.
_MAX_GIF_SIDE_PX = 250


def _picture_file_features(reader: FeatureReader, candidate: Candidate) -> Iterable[str]:
    if candidate.best is None:
        return
    is_data = candidate.best.url[:5] == "data:"
    url = "data:" if is_data else original_url(candidate.best.url)
    path = url.partition("?")[0]
    yield from address_features(url)
    if path.endswith(".svg"):
        yield "an SVG file"
    elif path.endswith(".gif"):
        widths = candidate.width, candidate.height, candidate.natural_width
        is_named = candidate.alt.lower() == path.rpartition("/")[2].lower()  # attached to a post
        if max(widths) < _MAX_GIF_SIDE_PX and not is_named:
            yield "a GIF file"
    elif path.endswith(".png"):
        yield "a PNG file"
    elif not IMAGE_FILE.search(path):
        yield "a file of no kind"
    if reader.lead and (candidate.url_key == reader.lead or _has_lead_file(reader, candidate)):
        yield "the page's own picture"


def _has_lead_file(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether a picture's file name contains that of the page's own, or the reverse."""
    names = candidate.url_key.rpartition("/")[2], reader.lead_file
    shorter, longer = sorted(names, key=len)
    return _is_distinct(shorter) and shorter in longer


_MAX_SEGMENTS_ABOVE_TITLE = 8


def is_near_title(reader: FeatureReader, candidate: Candidate) -> bool:
    """Return whether a picture of an article is where lead pictures are."""
    if reader.verdict.kind != "article":
        return False
    first = reader.bounds.first - _MAX_SEGMENTS_ABOVE_TITLE
    return first <= candidate.segment <= reader.bounds.start


#: Properties of schema.org.
_LEAD_PROPERTIES = frozenset({"image", "associatedMedia", "primaryImageOfPage"})
_LEAD_FEATURES = frozenset({
    "the page's own picture", "alt like the title", "named as a lead", "side under 400",
    "side large", "file under 800 wide", "file wide",
})  # fmt: skip
LINK_FEATURES = frozenset({
    "linked within the site", "linked elsewhere", "linked for sharing", "linked for money",
    "linked with words of its own", "linked to nowhere",
})  # fmt: skip
#: The lead picture never has one of these, nor has one that the text shows twice.
FURNITURE_FEATURES = LINK_FEATURES | {
    "file of a logo", "named as a logo", "file of an icon", "in navigation", "side under 32",
    "side under 64", "file under 100 wide", "named as a portrait", "alt names the site",
    "file of nothing", "a GIF file", "an SVG file", "a strip", "repeated often",
}  # fmt: skip


def is_lead(candidate: Candidate, features: frozenset[str]) -> bool:
    """Return whether a picture near the title may be the lead picture, by markup or size."""
    levels = list(outward(candidate.element, 4))
    is_still = any("player" in (element.get("class") or "") for element in levels)
    if is_still or features & FURNITURE_FEATURES or candidate.kind not in {"image", "background"}:
        return False
    return bool(features & _LEAD_FEATURES) or any(
        _LEAD_PROPERTIES.intersection((element.get("itemprop") or "").split()) for element in levels
    )


_PORTRAIT_ALT = re.compile(r"logo|avatar|icon|profile|headshot", re.IGNORECASE)


def _alt_features(reader: FeatureReader, alt: str) -> Iterable[str]:
    if not alt:
        yield "no alt"
    elif len(alt) < 12:
        yield "short alt"
    elif len(alt) > 50:
        yield "long alt"
    if reader.title:
        shared_words = len(reader.title & long_words(alt))
        if shared_words >= 2 and shared_words * 2 >= len(reader.title):
            yield "alt like the title"
    if alt and alt.lower() == reader.site_name:
        yield "alt names the site"
    if _PORTRAIT_ALT.search(alt[:100]):
        yield "alt of a logo or portrait"


#: A file name of this length belongs to a single picture.
_MIN_FILE_CHARS = 24


def _is_distinct(name: str) -> bool:
    """Return whether the name of a file is long enough to belong to a single picture."""
    return len(name) >= _MIN_FILE_CHARS or is_numbered(name)


#: The name of a link that shows a picture in a window of its own.
_ENLARGING_NAME = re.compile(
    r"(?:light|fancy|color|thick|swipe)-?b?box|photo-?swipe|magnific|enlarge|gallery|(?<![a-z])zoom|"
    r"(?<![a-z])wp-att(?![a-z])",
    re.IGNORECASE,
)


def links_to_enlargement(link: HtmlElement) -> bool:
    """Return whether a link enlarges the picture in it, by its address or for a script."""
    if IMAGE_FILE.search((link.get("href") or "").strip()[:2000]):
        return True
    names = f"{link.get('class') or ''} {link.get('rel') or ''} {' '.join(link.attrib)}"
    return _ENLARGING_NAME.search(names[:500]) is not None or any(
        name.startswith("data-") and IMAGE_FILE.search(value[-200:])
        for name, value in link.attrib.items()
    )


_AD_SIZES = frozenset((width, height) for width, height in _TABLES["ad_sizes"])


def _size_features(candidate: Candidate) -> Iterable[str]:
    width, height = candidate.width, candidate.height
    if width and height:
        short, long = sorted((width, height))
        limits = (32, 64, 100, 150, 250, 400)
        yield "side " + next((f"under {n}" for n in limits if short < n), "large")
        if (width, height) in _AD_SIZES:
            yield "size of an ad"
        if long / short > 3.5:
            yield "a strip"
        if width == height:
            yield "square"
    elif width or height:
        side = width or height
        yield "one side " + next((f"under {n}" for n in (80, 150, 300) if side < n), "large")
    else:
        yield "no size"
    if candidate.natural_width:
        width = candidate.natural_width
        yield "file " + next((f"under {n} wide" for n in (100, 200, 400, 800) if width < n), "wide")


#: A class that marks the item of a gallery that is shown, or its format.
_ITEM_CLASS = re.compile(
    r"(?:^|\s)(?:[\w-]{0,30}[-_])?(?:sel|selected|active|current|portrait|landscape)(?=\s|$)",
    re.IGNORECASE,
)


def _look(element: HtmlElement) -> tuple[str, ...]:
    """Return the tags and classes that the items of one gallery or list have in common."""
    return tuple(
        f"{level.tag}.{_ITEM_CLASS.sub('', (level.get('class') or '')[:60])}"
        for level in outward(element, 3)
    )


_MAX_CLASS_CHARS = 240


def _element_names(element: HtmlElement) -> str:
    names = map(element.get, ("class", "id", "role", "itemprop"))
    return " ".join(name[:_MAX_CLASS_CHARS] for name in names if name)


def nearest_link(element: HtmlElement, levels: int) -> HtmlElement | None:
    """Return the nearest link, the element itself or at most ``levels`` up."""
    return next((outer for outer in outward(element, levels) if outer.tag == "a"), None)


def _site_host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def long_words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text[:300].lower()))


def _describe_share(part: int, total: int) -> str:
    if not part:
        return "none"
    share = part / total
    return "all" if share > 0.9 else "most" if share > 0.5 else "some"


_HEXADECIMAL = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")
_MIXED_CASE = re.compile(r"[a-z][0-9]{0,9}[A-Z]")
_DIGIT_LETTER_CHANGE = re.compile(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")


def _drop_random(run: re.Match[str]) -> str:
    """Return a run of letters and digits, '' if it is random rather than words."""
    text = run[0]
    switches = len(_DIGIT_LETTER_CHANGE.findall(text))
    is_hexadecimal = switches > 0 and _HEXADECIMAL.fullmatch(text)
    is_random = is_hexadecimal or switches > (1 if _MIXED_CASE.search(text) else 2)
    return "" if is_random else text


#: A size in the name of a file, whose letters are no word: '512x512', '1200px'.
_SIZE = re.compile(r"(?<![0-9])[0-9]{2,4}(?:x[0-9]{2,4}|px)(?![0-9a-z])")
#: Runs of letters and digits that may be random, such as a hash or an identifier.
_RANDOM_RUN = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[A-Za-z0-9]{8,}")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class _WordTable:
    """Words and prefixes, each with its feature."""

    def __init__(self, lists: dict[str, list[str]]) -> None:
        self._features: dict[str, str] = {}
        self._prefixes: dict[str, list[tuple[str, str]]] = {}  # by their first two letters
        for feature, words in lists.items():
            for word in words:
                self._features[word.rstrip("*")] = feature
                if word.endswith("*"):
                    self._prefixes.setdefault(word[:2], []).append((word[:-1], feature))
        self._look_up = lru_cache(8192)(self._find)

    def _find(self, word: str) -> str | None:
        feature = self._features.get(word)
        if feature is None:
            prefixes = self._prefixes.get(word[:2], ())
            feature = next((name for start, name in prefixes if word.startswith(start)), None)
        return feature

    def features(self, names: str) -> frozenset[str]:
        """Return the features of words and of pairs; a pair in the table counts for both words."""
        words = [
            word.lower()
            for word in _WORDS.findall(_RANDOM_RUN.sub(_drop_random, _SIZE.sub(" ", names[:400])))
        ]
        # A letter before a number, as in 'vis/a0049', ends no word.
        pairs = [one + other if len(other) > 1 else "" for one, other in pairwise(words)]
        paired = {i for i, pair in enumerate(pairs) if pair in self._features}
        alone = [word for i, word in enumerate(words) if not paired & {i, i - 1}]
        separate = (pair for i, pair in enumerate(pairs) if not paired & {i - 1, i + 1})
        keys = chain(alone, (pair for pair in separate if len(pair) > 2))
        return frozenset(filter(None, map(self._look_up, keys)))


name_features = lru_cache(8192)(_WordTable(_TABLES["names"]).features)
_file_features = lru_cache(4096)(_WordTable(_TABLES["files"]).features)
_host_features = lru_cache(1024)(_WordTable(_TABLES["hosts"]).features)
#: A file name of this many words describes a picture, even if one of them is 'line'.
_MIN_DESCRIBING_WORDS = 6


#: The folders in which Drupal and TYPO3 keep all files of a site.
_FILES_FOLDER = re.compile(r"(?:^|/)(?:sites/default/files|fileadmin/user_upload)/")


def address_features(url: str) -> frozenset[str]:
    path = _FILES_FOLDER.sub("/", url.partition("?")[0])
    folders = path[:80].rpartition("/")[0]
    # A folder of several words, as 'data-analytics', is on a subject.
    server = "/".join(part for part in folders.split("/") if part.isalpha() or "." in part)
    features = _host_features(folders) - {"from a host of ads"}
    features |= _file_features(path[-80:]) | _host_features(server)
    is_described = len(long_words(re.split("/|%2F", path)[-1])) >= _MIN_DESCRIBING_WORDS
    return features - {"file of nothing"} if is_described else features
