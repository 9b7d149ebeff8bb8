"""What names tell of a picture: the classes and ids around it, and the name of its file.

Names are cut into words (``post-thumbnail``, ``postThumbnail``); a word, or two that stand
together, is looked up in the lists below.  A star stands for any ending.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, pairwise

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
def around(names: str) -> frozenset[str]:
    """Return what the names of an element say."""
    return _look_up(names, _AROUND_LISTS)


@lru_cache(4096)
def of_file(path: str) -> frozenset[str]:
    """Return what the end of a file's path says."""
    return _look_up(path, _FILE_LISTS)


@lru_cache(1024)
def of_host(address: str) -> frozenset[str]:
    """Return what the host says, and the first steps of the path."""
    return _look_up(address, _HOST_LISTS)


def _look_up(names: str, lists: _Lists) -> frozenset[str]:
    """Look up every word, and every two that stand together."""
    words = [word.lower() for word in _WORDS.findall(names[:_MOST_CHARS])]
    pairs = (one + other for one, other in pairwise(words))
    return frozenset(filter(None, map(lists.find, chain(words, pairs))))
