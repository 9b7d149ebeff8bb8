"""The ways of choosing an article's pictures, by name: ours and the two papers' alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from ..article import Span
from ..errors import UsageError
from ..html.page import Page
from ..selection import Verdict
from .captions import Caption, block_caption, climbed_caption
from .papers.cuter import region
from .papers.joshi_liu import RelevanceOptions, article_subtree, names_of, relevant, within
from .recognise import RULES, check, recogniser
from .rendered import candidates_of
from .scorer import by_signals
from .selection import Choice, Dropped, Kept, is_aside
from .sizes import ICONS, PAPER, SizeLimits

#: Chooses by what is on the page; the last argument names the recogniser of names.
Method: TypeAlias = Callable[[Page, Verdict, str], Choice]


def by_borders(page: Page, verdict: Verdict, ner: str = RULES) -> Choice:
    """Choose as CUTER does: between the borders, and large enough as far as attributes say.

    Where they do not, the file decides (:mod:`printer.images.size_probe`).
    """
    del ner
    borders = region(page, verdict)
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for each in candidates_of(page):
        if borders is None or not borders.holds(each.before):
            dropped.append(Dropped(each, "outside the borders of the article"))
        elif each.width and each.height and (fault := PAPER.fault(each.width, each.height)):
            dropped.append(Dropped(each, fault))
        else:
            text, indexes = climbed_caption(page, verdict, each)
            kept.append(Kept(each, Caption((Span(text),) if text else (), "", indexes)))
    return Choice(tuple(kept), tuple(dropped))


def by_names(page: Page, verdict: Verdict, ner: str = RULES) -> Choice:
    """Choose as Joshi and Liu do: in the article subtree, and with a caption about the article.

    What of the article's text is the caption itself does not count, unless that is all of it.
    Where the first block ancestor is no block of the picture's own but holds most of the article,
    its text decides as in the paper, and is not printed as the caption.
    """
    options = RelevanceOptions()
    top = article_subtree(page, verdict, options.share)
    recognise = recogniser(ner, page.metadata.language)
    article = names_of(page, verdict, recognise=recognise)
    read: dict[range, tuple[str, bool]] = {}
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for each in candidates_of(page):
        if top < 0 or not within(page, each.at, top):
            dropped.append(Dropped(each, "outside the article subtree"))
            continue
        indexes = block_caption(page, each)
        if indexes not in read:
            text = " ".join(page.segments[i].text for i in indexes)
            beside = article - names_of(page, verdict, indexes, recognise) or article
            read[indexes] = text, relevant(text, beside, options, recognise)
        text, about = read[indexes]
        if not text:
            dropped.append(Dropped(each, "without a caption"))
        elif not about:
            dropped.append(Dropped(each, "its caption names nothing that the article does"))
        else:
            own = Caption((Span(text),), "", frozenset(indexes))
            kept.append(Kept(each, own if is_aside(page, verdict, indexes) else Caption()))
    return Choice(tuple(kept), tuple(dropped))


def _by_default(page: Page, verdict: Verdict, ner: str) -> Choice:
    del ner
    return by_signals(page, verdict)


#: Every method by name.
METHODS: Mapping[str, Method] = MappingProxyType({
    "default": _by_default,
    "cuter": by_borders,
    "joshi-liu": by_names,
})  # fmt: skip


#: What the files of a method's pictures have to be, where the page does not state their size.
LIMITS: Mapping[str, SizeLimits] = MappingProxyType({"cuter": PAPER})


def limits(method: str) -> SizeLimits:
    """Return the limits of a method by name."""
    return LIMITS.get(method, ICONS)


def choose(page: Page, verdict: Verdict, method: str = "default", ner: str = RULES) -> Choice:
    """Decide about every picture of a page by the method of a name.

    ``ner`` names the recogniser of names, for the method that asks one.
    """
    if method not in METHODS:
        raise UsageError(
            f"no way of choosing pictures is called {method!r}",
            hint=f"Known are {', '.join(METHODS)}",
        )
    check(ner)
    return METHODS[method](page, verdict, ner)
