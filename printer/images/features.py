"""What tells a picture of the article from the others, as named signals that hold or do not.

Each signal is a short name (``outside the borders``); a table of weights says what it counts for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, islice, pairwise
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from ..html.index import ElementFlag
from ..html.page import Page
from ..selection import Verdict
from .candidates import Candidate
from .papers.cuter import ArticleBounds
from .srcset import picture_key

_INSIDE = {
    int(ElementFlag.NAV): "in navigation",
    int(ElementFlag.ASIDE): "in an aside",
    int(ElementFlag.HEADER): "in a header",
    int(ElementFlag.FOOTER): "in a footer",
    int(ElementFlag.FORM): "in a form",
    int(ElementFlag.BUTTON): "in a button",
    int(ElementFlag.FIGURE): "in a figure",
    int(ElementFlag.ITEM): "in a list",
    int(ElementFlag.CELL): "in a table",
    int(ElementFlag.MAIN): "in main",
    int(ElementFlag.ARTICLE): "in an article",
    int(ElementFlag.HIDDEN): "hidden",
    int(ElementFlag.DIALOG): "in a dialog",
    int(ElementFlag.HEADING): "in a heading",
    int(ElementFlag.PARAGRAPH): "in a paragraph",
    int(ElementFlag.QUOTE): "in a quotation",
    int(ElementFlag.DETAILS): "in details",
}


#: Sizes that advertisements are sold in.
_ADS = frozenset({
    (300, 250), (336, 280), (728, 90), (970, 250), (970, 90), (160, 600), (120, 600), (300, 600),
    (320, 50), (320, 100), (468, 60), (234, 60), (250, 250), (200, 200), (180, 150), (240, 400),
})  # fmt: skip
#: What is written over advertisements.
_LABEL = re.compile(
    r"\W*(?:ad|ads|advert|advertisement|advertising|sponsored|sponsor|promoted|promotion|anzeige|"
    r"werbung|publicité|publicidad|pubblicità|annonce|reklam[ae]?|реклама|広告|スポンサーリンク|pr|广告|"
    r"廣告|광고|إعلان|विज्ञापन|פרסומת|διαφήμιση|โฆษณา)\W*",
    re.IGNORECASE,
)
_PICTURE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg)(?:$|[?#])", re.IGNORECASE)

#: How many levels above the picture names are read, at most.
_CLIMB = 7
_MOST_NAME = 240


class FeatureReader:
    """Reads the signals of a page's candidates."""

    def __init__(
        self,
        page: Page,
        verdict: Verdict,
        candidates: Sequence[Candidate],
        borders: ArticleBounds | None,
    ) -> None:
        self.page = page
        self.region = borders
        outline = page.index
        self.parents, self.states = outline.parents, outline.flags
        self.begins, self.ends = outline.segment_begins, outline.segment_ends
        self.elements = outline.elements
        sizes = [len(each.text) for each in page.segments]
        self.chars = [0, *accumulate(sizes)]
        self.kept = [
            0, *accumulate(n if k else 0 for n, k in zip(sizes, verdict.keep, strict=True))
        ]  # fmt: skip
        self.links = [0, *accumulate(each.link_chars for each in page.segments)]
        self.repeated = Counter(each.url_key for each in candidates if each.url_key)
        self.shapes = {each: _shape(each.element) for each in candidates}
        self.alike: dict[tuple[str, ...], list[int]] = {}
        for each, shape in self.shapes.items():
            self.alike.setdefault(shape, []).append(each.segment)
        for places in self.alike.values():
            places.sort()
        self.lead = picture_key(page.metadata.image) if page.metadata.image else ""
        self.words = _words(page.metadata.title)
        self.named: dict[int, frozenset[str]] = {}

    def features(self, candidate: Candidate) -> frozenset[str]:
        """Return the signals that hold for a candidate."""
        found = {"always", candidate.kind}
        chain = self._chain(candidate.index)
        found.update(_size(candidate))
        found.update(self._place(candidate))
        found.update(self._around(candidate, chain))
        found.update(self._names(candidate, chain))
        found.update(self._link(candidate))
        found.update(self._file(candidate))
        found.update(self._text(candidate))
        return frozenset(found)

    def _chain(self, at: int) -> list[int]:
        chain = []
        while at >= 0:
            chain.append(at)
            at = self.parents[at]
        return chain

    def _place(self, candidate: Candidate) -> Iterable[str]:
        """Say where the picture stands among the page's text."""
        if self.region is None:
            yield "no text"
            return
        first, start, last = self.region
        before = candidate.segment
        if before < first:
            yield "before the borders"
        elif before > last + 1:
            yield "after the borders"
        elif before <= start:
            yield "between title and text"
        elif before == last + 1:
            yield "right after the text"
        else:
            yield "in the text"
        if before < first and self.chars[first] - self.chars[before] < 200:
            yield "shortly before the title"
        kept, chars = self.kept, self.chars
        end = len(chars) - 1
        for reach, name in ((2, "next to"), (8, "near")):
            low, high = max(0, before - reach), min(end, before + reach)
            yield f"{name}: {_share(kept[high] - kept[low], chars[high] - chars[low])}"
        if kept[min(end, before + 4)] == kept[min(end, before)]:
            yield "no text of the article follows"
        if kept[min(end, before)] == kept[max(0, before - 4)]:
            yield "no text of the article goes before"

    def _around(self, candidate: Candidate, chain: list[int]) -> Iterable[str]:
        """Say what the elements around the picture hold."""
        state = self.states[chain[0]]
        for flag, name in _INSIDE.items():
            if state & flag:
                yield name
        begins, ends, chars, kept = self.begins, self.ends, self.chars, self.kept
        least = min(200, kept[-1])
        held = False
        for level, index in enumerate(chain):
            low, high = begins[index], ends[index]
            if low == high:
                continue
            whole, part = chars[high] - chars[low], kept[high] - kept[low]
            if not held:
                held = True
                yield f"with: {_share(part, whole)}"
                yield f"with {_amount(whole)} of text"
                if self.links[high] - self.links[low] > whole / 2:
                    yield "with text of links"
                if whole < 200 and _LABEL.fullmatch(self.page.segments[low].text[:40]):
                    yield "under the word for advertising"
            if part >= least:
                yield f"text of the article {min(level, 9)} levels up"
                yield f"in a part: {_share(part, whole)}"
                yield f"in a part with {'most' if part > kept[-1] / 2 else 'little'} of the article"
                break
        yield from self._alike(candidate)

    def _alike(self, candidate: Candidate) -> Iterable[str]:
        """Say how many pictures stand in the same way, and where."""
        alike = self.alike[self.shapes[candidate]]
        if len(alike) > 1:
            yield "one of few alike" if len(alike) < 4 else "one of many alike"
            if self.region is not None:
                start, last = self.region.start, self.region.last
                inside = bisect_right(alike, last) - bisect_left(alike, start)
                yield f"alike ones in the text: {_share(inside, len(alike))}"
        copies = self.repeated[candidate.url_key]
        if copies > 1:
            yield "repeated" if copies < 4 else "repeated often"

    def _names(self, candidate: Candidate, chain: list[int]) -> Iterable[str]:
        """Read the names of the elements between the picture and the article's text."""
        yield from name_features(_name(candidate.element))
        for level, index in enumerate(chain[:_CLIMB]):
            low, high = self.begins[index], self.ends[index]
            if level and self.kept[high] - self.kept[low] > 0.3 * self.kept[-1]:
                break
            named = self.named.get(index)
            if named is None:
                named = self.named[index] = name_features(_name(self.elements[index]))
            yield from named

    def _link(self, candidate: Candidate) -> Iterable[str]:
        node: HtmlElement | None = candidate.element
        for _ in range(8):
            if node is None or node.tag == "a":
                break
            node = node.getparent()
        if node is None or node.tag != "a":
            return
        href = (node.get("href") or "").strip()[:2000]
        if _PICTURE_FILE.search(href):
            yield "linked to a picture"
        elif not href or href.startswith(("#", "javascript:")):
            yield "linked to nowhere"
        else:
            host = _host(href)
            inside = not host or host == _host(self.page.url)
            if inside and urlsplit(href).path in ("", "/"):
                yield "linked to the front page"
            yield "linked within the site" if inside else "linked elsewhere"
            if "sponsored" in (node.get("rel") or ""):
                yield "linked for money"
            if self._is_card(candidate, node):
                yield "linked with words of its own"

    def _is_card(self, candidate: Candidate, link: HtmlElement) -> bool:
        """Tell whether the picture's link has words in it, or words beside it have that link."""
        if sum(len(text.strip()) for text in islice(link.itertext(), 40)) > 14:
            return True
        href = link.get("href")
        for segment in self.page.segments[max(0, candidate.segment - 2) : candidate.segment + 3]:
            if segment.link_chars < 15:
                continue
            for element, tail in segment.leaves[:20]:
                node = element.getparent() if tail else element
                for _ in range(3):
                    if node is None:
                        break
                    if node.tag == "a":
                        if node.get("href") == href:
                            return True
                        break
                    node = node.getparent()
        return False

    def _file(self, candidate: Candidate) -> Iterable[str]:
        chosen = candidate.best
        if chosen is None:
            return
        url = chosen.url if chosen.url[:5] != "data:" else "data:"
        path = url.partition("?")[0]
        yield from file_features(path[-80:])
        if url != "data:":
            yield from host_features(path[:80])
        if path.endswith(".svg"):
            yield "an SVG file"
        elif path.endswith(".gif"):
            yield "a GIF file"
        elif path.endswith(".png"):
            yield "a PNG file"
        elif not _PICTURE_FILE.search(path):
            yield "a file of no kind"
        if url == "data:":
            yield "picture as data"
        if self.lead and candidate.url_key and candidate.url_key == self.lead:
            yield "the page's own picture"

    def _text(self, candidate: Candidate) -> Iterable[str]:
        alt = candidate.alt
        if not alt:
            yield "no alt"
        elif len(alt) < 12:
            yield "short alt"
        elif len(alt) > 50:
            yield "long alt"
        if self.words:
            both = len(self.words & _words(alt))
            if both >= 2 and both * 2 >= len(self.words):
                yield "alt like the title"
            elif both:
                yield "alt touches the title"
        if re.search(r"logo|avatar|icon|profile|headshot", alt[:100], re.IGNORECASE):
            yield "alt of a logo or portrait"


def _shape(element: HtmlElement) -> tuple[str, ...]:
    """Return what the places of one gallery or list have in common."""
    names = []
    node: HtmlElement | None = element
    for _ in range(4):
        if node is None:
            break
        names.append(f"{node.tag}.{(node.get('class') or '')[:60]}")
        node = node.getparent()
    return tuple(names)


def _name(element: HtmlElement) -> str:
    parts = (element.get("class"), element.get("id"), element.get("role"), element.get("itemprop"))
    return " ".join(part[:_MOST_NAME] for part in parts if part)


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text[:300].lower()))


def _share(part: int, whole: int) -> str:
    if not part:
        return "none"
    share = part / whole
    return "all" if share > 0.9 else "most" if share > 0.5 else "some"


def _amount(chars: int) -> str:
    return next((f"under {n}" for n in (30, 120, 400, 2000) if chars < n), "plenty")


def _size(candidate: Candidate) -> Iterable[str]:
    width, height = candidate.width, candidate.height
    if width and height:
        side, ratio = min(width, height), max(width, height) / min(width, height)
        yield "side " + next(
            (f"under {n}" for n in (32, 64, 100, 150, 250, 400) if side < n), "large"
        )
        if (width, height) in _ADS:
            yield "size of an ad"
        if ratio > 3.5:
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
    if len(candidate.addresses) > 2:
        yield "in many sizes"


_AROUND = {
    "named as a logo": "logo* brand* masthead sitetitle",
    "named as a portrait": """
        avatar* gravatar* author* byline* bio profile* headshot* vcard contributor* writer*
        reviewer* user userpic userimage team autor* redakteur* staff speaker*""",
    "named as an icon": "icon* emoji* smiley* smilie* flag flags badge* sprite* ico symbol*",
    "named for sharing": "share* sharing social* follow* addtoany sns",
    "named as advertising": """
        ad ads adv advert* sponsor* banner* promo* dfp gpt affiliate* partner* cta commercial*
        offer offers upsell* mpu leaderboard* werbung anzeige*""",
    "named as another story": """
        related* recommend* recirc* morefrom morestories moreposts morenews readmore readnext youmay
        popular* trending latest recent* similar* teaser* card cards tile tiles suggest* next prev
        previous mostread storylist grid feed listing loop thumb thumbs postnavigation crosslink*
        upnext""",
    "named as a side column": """
        sidebar* sidecolumn widget widgets aside rail secondary complementary rightcol* rightcolumn
        seitenleiste""",
    "named as a frame of the page": """
        header footer nav navbar navigation* menu menus topbar bottom toolbar breadcrumb*""",
    "named as comments": "comment comments commentlist disqus* respond replies",
    "named as a form": """
        newsletter* subscri* signup* cookie* consent* modal* popup* overlay* login*""",
    "named as goods": "product products shop* price* cart buy woocommerce checkout",
    "named as a gallery": """
        gallery galleries slide slides slider slideshow carousel* swiper* lightbox* fancybox*""",
    "named as a lead": """
        hero* feature featured* lead* postthumbnail cover mainimage headline topimage opener*
        aufmacher* keyvisual""",
    "named as content": """
        content entry* article* postcontent postbody postimage wpimage* wpblock* attachment* body
        bodytext inline* story richtext* prose figure photo picture illustration* aligncenter
        alignleft alignright alignnone sizefull sizelarge sizemedium wysiwyg kgimage graf""",
    "named as a picture with a caption": "caption captions captioned wpcaption mediaobject",
}  # fmt: skip
_FILE = {
    "file of a logo": "logo* brand brands branding",
    "file of an icon": """
        icon icons ico favicon* arrow* btn* button* sprite* bullet* chevron* close search star stars
        check checkmark flag flags emoji* play quote quotes smile* smiley* menu""",
    "file of a portrait": """
        avatar* gravatar* author* headshot* profile* portrait* bio user users staff team""",
    "file of a network": """
        facebook* twitter* linkedin* instagram* pinterest* youtube* whatsapp* telegram* fb rss email
        googleplay appstore tiktok* share print reddit*""",
    "file of an ad": """
        ad ads advert* banner banners sponsor* promo* cta newsletter* badge badges seal award awards
        payment* visa paypal""",
    "file of nothing": """
        pixel spacer blank transparent placeholder* default loading loader tracking beacon clear
        noscript collect tr divider* separator* decoration* decorative gradient* background* bg
        pattern* shape* line lines shadow* texture* dots wave* overlay* circle*""",
}  # fmt: skip

_HOST = {
    "from a host of ads": """
        ad ads adserver* adserv* advert* adspirit adnxs doubleclick* googlesyndication banner* pixel
        px track* tracker* tracking analytics stats beacon* affiliate* count counter zoominfo bat
        collect adsct""",
    "from a host of portraits": "gravatar avatar* avatars",
}  # fmt: skip

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MOST_CHARS = 400


class _Lists:
    """Words, and beginnings of words, with the signal that each gives."""

    __slots__ = ("begun", "find", "whole")

    def __init__(self, said: dict[str, str]) -> None:
        self.whole: dict[str, str] = {}
        # Beginnings by their first two letters.
        self.begun: dict[str, list[tuple[str, str]]] = {}
        for name, words in said.items():
            for word in words.split():
                self.whole[word.rstrip("*")] = name
                if word.endswith("*"):
                    self.begun.setdefault(word[:2], []).append((word[:-1], name))
        self.find = lru_cache(8192)(self._find)

    def _find(self, word: str) -> str | None:
        """Return the signal of a word, if it is listed."""
        name = self.whole.get(word)
        if name is None:
            near = self.begun.get(word[:2], ())
            name = next((name for start, name in near if word.startswith(start)), None)
        return name


_AROUND_LISTS, _FILE_LISTS, _HOST_LISTS = _Lists(_AROUND), _Lists(_FILE), _Lists(_HOST)


@lru_cache(8192)
def name_features(names: str) -> frozenset[str]:
    """Return what the names of an element say."""
    return _look_up(names, _AROUND_LISTS)


@lru_cache(4096)
def file_features(path: str) -> frozenset[str]:
    """Return what the end of a file's path says."""
    return _look_up(path, _FILE_LISTS)


@lru_cache(1024)
def host_features(address: str) -> frozenset[str]:
    """Return what the host says, and the first steps of the path."""
    return _look_up(address, _HOST_LISTS)


def _look_up(names: str, lists: _Lists) -> frozenset[str]:
    """Look up every word, and every two that stand together."""
    words = [word.lower() for word in _WORDS.findall(names[:_MOST_CHARS])]
    pairs = (one + other for one, other in pairwise(words))
    return frozenset(filter(None, map(lists.find, chain(words, pairs))))
