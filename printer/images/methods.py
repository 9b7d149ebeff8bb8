"""The ways of choosing an article's pictures, by name: ours and the two papers' alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from ..article import Span
from ..errors import UsageError
from ..html.page import Page
from ..selection import Verdict
from .candidates import Candidate, candidates_of
from .captions import Caption, Captions, block_caption, climbed_caption
from .papers.cuter import region, surroundings
from .papers.joshi_liu import RelevanceOptions, article_subtree, names_of, relevant, within
from .papers.ner import RULES, check, recogniser
from .scorer import by_signals
from .selection import ICONS, PAPER, Choice, Dropped, Kept, SizeLimits, is_aside
from .srcset import likeness

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


def everything(page: Page, verdict: Verdict) -> Choice:
    """Choose every picture in the article and right around it, but for icons and banners."""
    near = surroundings(page, region(page, verdict))
    candidates = candidates_of(page, near)
    captions = Captions(page, verdict, candidates)
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    taken: set[str] = set()
    for each in candidates:
        reason = _refused(each, near, taken)
        if reason:
            dropped.append(Dropped(each, reason))
        else:
            taken.add(each.same)
            kept.append(Kept(each, captions.default(each)))
    return Choice(tuple(kept), tuple(dropped))


def _refused(candidate: Candidate, near: range, taken: set[str]) -> str:
    if candidate.before not in near:
        return "far from the article's text"
    if candidate.same and candidate.same in taken:
        return "the same picture again"
    if candidate.width and candidate.height:
        return ICONS.fault(candidate.width, candidate.height)
    return ""


def lead_alone(page: Page, choice: Choice) -> Choice:
    """Keep the picture that the page names as its own when it is there, else the first."""
    if not choice.kept:
        return choice
    own = likeness(page.metadata.image) if page.metadata.image else ""
    lead = next((each for each in choice.kept if own and each.candidate.same == own), None)
    lead = lead or choice.kept[0]
    return _without(choice, lead, "not the lead picture")


def nothing(page: Page, verdict: Verdict) -> Choice:
    """Keep no picture, though what the article's are is known: their captions go with them."""
    return _without(by_signals(page, verdict), None, "pictures are not wanted")


def _without(choice: Choice, lead: Kept | None, reason: str) -> Choice:
    others = (
        Dropped(each.candidate, reason, each.caption.segments)
        for each in choice.kept
        if each is not lead
    )
    kept = (lead,) if lead else ()
    return replace(choice, kept=kept, dropped=(*choice.dropped, *others))
