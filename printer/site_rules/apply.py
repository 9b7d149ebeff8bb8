"""Rules on a page: what they select, and what that makes of extraction's choice."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

from lxml.html import HtmlElement

from ..html.index import IS_HIDDEN, Leaf, Segment
from ..html.metadata.dates import parse_date
from ..html.metadata.metadata import Metadata
from ..html.page import Page
from ..html.parse import element_line
from ..options import SiteRule
from ..selection import Verdict
from ..text import clean_attribute, clean_line
from ..urls import host_of, resolve

Action: TypeAlias = Literal["drop", "keep", "body", "title", "author", "date", "next_page"]

ACTIONS: tuple[Action, ...] = ("drop", "keep", "body", "title", "author", "date", "next_page")

#: How sure one is of an article that a person's rule says where it is.
SURE = 0.9

_RULE_HOST = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,9}")


@dataclass(frozen=True, slots=True)
class SelectorMatch:
    """What one selector of a rule met on a page; ``fault`` says why it could not be tried."""

    rule: SiteRule
    action: Action
    selector: str
    count: int = 0
    error: str = ""

    def __str__(self) -> str:
        """The rule as explanations name it."""
        return f"{self.action} {self.selector} ({self.rule.name or self.rule.host})"


@dataclass(frozen=True, slots=True, eq=False)
class RuleMatch:
    """What the rules for a page's site say of it.

    ``dropped``, ``wanted`` and ``body`` hold elements with all that is inside them (the nearest
    rule around something decides); ``why`` names the rule of each element that one selected.
    ``said`` are the page's metadata as the rules have them.
    """

    dropped: AbstractSet[HtmlElement] = frozenset()
    included: AbstractSet[HtmlElement] = frozenset()
    body: AbstractSet[HtmlElement] = frozenset()
    reasons: Mapping[HtmlElement, str] = field(default_factory=lambda: MappingProxyType({}))
    metadata_overrides: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    next_page: str = ""
    matches: tuple[SelectorMatch, ...] = ()
    warnings: tuple[str, ...] = ()

    def override_metadata(self, stated: Metadata) -> Metadata:
        """Return a page's metadata with what the rules say in the place of what it states."""
        return replace(stated, **self.metadata_overrides) if self.metadata_overrides else stated

    def reason(self, element: HtmlElement | None) -> str:
        """Return the rule that decides about an element, or ''."""
        while element is not None:
            if element in self.reasons:
                return self.reasons[element]
            element = element.getparent()
        return ""


NO_RULES = RuleMatch()


def rule_host(url: str) -> str:
    """Return the host of a URL as rule files are named after it, or '' if it can have none."""
    host = host_of(url)
    return host if _RULE_HOST.fullmatch(host) else ""


def parent_domains(host: str) -> Iterator[str]:
    """Yield a host and the domains it is in, the nearest first."""
    yield host
    try:
        ipaddress.ip_address(host)
    except ValueError:
        parts = host.split(".")
        yield from (".".join(parts[n:]) for n in range(1, len(parts) - 1))


def match_rules(page: Page, rules: Sequence[SiteRule]) -> RuleMatch:
    """Find out what the rules for a page's host select on it."""
    host = rule_host(page.url)
    names = set(parent_domains(host)) if host else set()
    fitting = [r for r in rules if r.host == host or (r.subdomains and r.host in names)]
    if not fitting:
        return NO_RULES
    return _Application(page, fitting).done()


class _Application:
    """Gathers what rules select."""

    def __init__(self, page: Page, rules: Sequence[SiteRule]) -> None:
        self.page, self.rules = page, rules
        from .css import ElementIndex

        self.tree = ElementIndex(page.tree)
        self.matches: list[SelectorMatch] = []
        self.chosen: dict[Action, dict[HtmlElement, str]] = {part: {} for part in ACTIONS}
        self.texts: dict[Action, str] = {}

    def done(self) -> RuleMatch:
        for rule in self.rules:
            for part in ACTIONS:
                for selector in getattr(rule, part):
                    self._match(rule, part, selector)
        drop, body = self.chosen["drop"], self.chosen["body"]
        keep = {each: why for each, why in self.chosen["keep"].items() if each not in drop}
        said = {
            "title": self.texts.get("title", ""),
            "byline": self.texts.get("author", ""),
            "published": parse_date(self.texts.get("date", "")),
        }
        return RuleMatch(
            dropped=below(drop, keep),
            included=below(keep, drop),
            body=below(body),
            reasons={**body, **keep, **drop},
            metadata_overrides={name: text for name, text in said.items() if text},
            next_page=self._next_page(),
            matches=tuple(self.matches),
            warnings=tuple(fault for rule in self.rules for fault in rule.faults),
        )

    def _match(self, rule: SiteRule, part: Action, selector: str) -> None:
        from . import css, fulltextrss

        match = SelectorMatch(rule, part, selector)
        texts: list[str] = []
        try:
            if rule.xpath:
                places, texts = fulltextrss.select(self.tree, selector)
            else:
                places = css.select(self.tree, selector)
        except css.InvalidSelector as fault:
            self.matches.append(replace(match, error=str(fault)))
            return
        match = replace(match, count=len(places) + len(texts))
        self.matches.append(match)
        found = [self.tree.elements[place] for place in places]
        if part == "body" and self.chosen["body"]:
            return  # The first that fits is the article.
        for element in found:
            self.chosen[part].setdefault(element, str(match))
        if part not in self.texts:
            said = [*map(clean_line, texts), *(_text(part, each) for each in found[:1])]
            if said and said[0]:
                self.texts[part] = said[0]

    def _next_page(self) -> str:
        """Return where the article goes on, unless that is another site."""
        url = resolve(self.page.base, self.texts.get("next_page", "")).partition("#")[0]
        return (
            url
            if url and rule_host(url) == rule_host(self.page.url) and url != self.page.url
            else ""
        )


def _text(part: Action, element: HtmlElement) -> str:
    names = {"date": ("datetime", "content"), "next_page": ("href",)}.get(part, ("content",))
    stated = next((value for name in names if (value := element.get(name))), "")
    if part == "next_page":
        return stated[:2000].strip()
    return clean_attribute(stated) or element_line(element)


def below(tops: Iterable[HtmlElement], others: Iterable[HtmlElement] = ()) -> set[HtmlElement]:
    """Return elements and what is inside them, up to where others decide."""
    stops = set(others)
    found: set[HtmlElement] = set()
    todo = list(tops)
    while todo:
        element = todo.pop()
        if element not in found:
            found.add(element)
            todo.extend(child for child in element if child not in stops)
    return found


def apply_rules(page: Page, match: RuleMatch, verdict: Verdict) -> Verdict:
    """Return the verdict with what the rules leave out and take in."""
    if not (match.dropped or match.included or match.body):
        return verdict
    hidden = _hidden(page) if match.body else frozenset()
    keep = []
    for segment, kept in zip(page.segments, verdict.keep, strict=True):
        around = [_around(leaf) for leaf in segment.leaves if leaf.text.strip()]
        if match.body:
            kept = segment.index not in hidden and any(each in match.body for each in around)
        kept = kept or any(each in match.included for each in around)
        keep.append(kept and not all(each in match.dropped for each in around))
    known = bool(match.body or match.included)
    confidence = max(verdict.confidence, SURE) if known and any(keep) else verdict.confidence
    return replace(verdict, keep=tuple(keep), confidence=confidence)


def segment_reason(ruled: RuleMatch, segment: Segment) -> str:
    """Return the rule that decides about a segment, or ''."""
    leaf = next((leaf for leaf in segment.leaves if leaf.text.strip()), None)
    return ruled.reason(_around(leaf)) if leaf and ruled.reasons else ""


def _around(leaf: Leaf) -> HtmlElement | None:
    return leaf.element.getparent() if leaf.tail else leaf.element


def _hidden(page: Page) -> frozenset[int]:
    """Return the segments that nothing of is seen."""
    runs = page.index.text_runs
    seen = {at for at, state in zip(runs[::4], runs[1::4], strict=True) if not state & IS_HIDDEN}
    return frozenset(range(len(page.segments))) - seen
