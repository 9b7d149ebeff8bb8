"""Apply site rules to a page: match their selectors, and override the extractor's decisions."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from lxml.html import HtmlElement

from ..html.index import Segment
from ..html.metadata.dates import parse_date
from ..html.page import Page
from ..html.parse import element_line
from ..options import SiteRule
from ..selection import Verdict
from ..text import clean_attribute, clean_line
from ..urls import host_of, resolve
from . import css, fulltextrss

Action: TypeAlias = Literal["drop", "keep", "body", "title", "author", "date", "next_page"]


@dataclass(frozen=True, slots=True)
class SelectorMatch:
    """The number of elements that a selector matched; ``error`` says why it could not be tried."""

    rule: SiteRule
    action: Action
    selector: str
    count: int = 0
    error: str = ""

    def __str__(self) -> str:
        return f"{self.action} {self.selector} ({self.rule.name or self.rule.host})"


@dataclass(frozen=True, slots=True, eq=False)
class RuleMatch:
    """What the rules for a page's site select on it.

    ``dropped``, ``included`` and ``body`` are the selected elements with their descendants, about
    which the rule of the nearest ancestor decides.  ``reasons`` has the selector that matched an
    element, ``metadata_overrides`` the metadata that the rules set, ``next_page`` the URL at which
    the article continues, ``matches`` every selector that was tried, ``warnings`` the faults.
    """

    dropped: AbstractSet[HtmlElement] = frozenset()
    included: AbstractSet[HtmlElement] = frozenset()
    body: AbstractSet[HtmlElement] = frozenset()
    reasons: Mapping[HtmlElement, str] = field(default_factory=dict)
    metadata_overrides: Mapping[str, Any] = field(default_factory=dict)
    next_page: str = ""
    matches: tuple[SelectorMatch, ...] = ()
    warnings: tuple[str, ...] = ()

    def reason(self, element: HtmlElement | None) -> str:
        """Return the selector that decides about an element, or ''."""
        while element is not None:
            if element in self.reasons:
                return self.reasons[element]
            element = element.getparent()
        return ""


_RULE_HOST = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,9}")


def rule_host(url: str) -> str:
    """Return the host of a URL as used in names of rule files, or ''."""
    host = host_of(url)
    return host if _RULE_HOST.fullmatch(host) else ""


def rule_site(url: str) -> str:
    """Return the host for which rules are made from a page, without 'www.'."""
    return rule_host(url).removeprefix("www.")


def parent_domains(host: str) -> Iterator[str]:
    """Yield a host and its parent domains, the nearest first."""
    yield host
    try:
        ipaddress.ip_address(host)
    except ValueError:
        parts = host.split(".")
        yield from (".".join(parts[n:]) for n in range(1, len(parts) - 1))


def match_rules(page: Page, rules: Sequence[SiteRule]) -> RuleMatch:
    """Apply the rules for a page's host; return the elements and values that they select."""
    host = rule_host(page.url)
    domains = set(parent_domains(host)) if host else set()
    rules = [r for r in rules if r.host == host or (r.subdomains and r.host in domains)]
    return _Matcher(page).match(rules) if rules else RuleMatch()


ACTIONS: tuple[Action, ...] = get_args(Action)


class _Matcher:
    """Collects the elements that the rules select on a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tree = css.ElementIndex(page.tree)
        self.matches: list[SelectorMatch] = []
        self.selected: dict[Action, dict[HtmlElement, str]] = {action: {} for action in ACTIONS}
        self.texts: dict[Action, str] = {}

    def match(self, rules: Sequence[SiteRule]) -> RuleMatch:
        for rule in rules:
            for action in ACTIONS:
                for selector in getattr(rule, action):
                    self._match(rule, action, selector)
        drop, body = self.selected["drop"], self.selected["body"]
        keep = {e: reason for e, reason in self.selected["keep"].items() if e not in drop}
        overrides = {
            "title": self.texts.get("title", ""),
            "byline": self.texts.get("author", ""),
            "published": parse_date(self.texts.get("date", "")),
        }
        return RuleMatch(
            dropped=below(drop, keep),
            included=below(keep, drop),
            body=below(body),
            reasons={**body, **keep, **drop},
            metadata_overrides={name: text for name, text in overrides.items() if text},
            next_page=self._next_page(),
            matches=tuple(self.matches),
            warnings=tuple(fault for rule in rules for fault in rule.faults),
        )

    def _match(self, rule: SiteRule, action: Action, selector: str) -> None:
        match = SelectorMatch(rule, action, selector)
        texts: list[str] = []
        try:
            if rule.xpath:
                indexes, texts = fulltextrss.select_xpath(self.tree, selector)
            else:
                indexes = css.select(self.tree, selector)
        except css.InvalidSelector as error:
            self.matches.append(replace(match, error=str(error)))
            return
        match = replace(match, count=len(indexes) + len(texts))
        self.matches.append(match)
        elements = [self.tree.elements[index] for index in indexes]
        if action == "body" and self.selected["body"]:
            return  # The first match is the article.
        for element in elements:
            self.selected[action].setdefault(element, str(match))
        if action not in self.texts:
            lines = [*map(clean_line, texts), *(_text(action, element) for element in elements[:1])]
            if lines and lines[0]:
                self.texts[action] = lines[0]

    def _next_page(self) -> str:
        """Return the URL at which the article continues, unless it is on another site."""
        url = resolve(self.page.base, self.texts.get("next_page", "")).partition("#")[0]
        same_site = url and rule_host(url) == rule_host(self.page.url)
        return url if same_site and url != self.page.url else ""


#: The attributes that an action reads in preference to an element's text.
_ATTRIBUTES = {"date": ("datetime", "content"), "next_page": ("href",)}


def _text(action: Action, element: HtmlElement) -> str:
    names = _ATTRIBUTES.get(action, ("content",))
    attribute_text = next((value for name in names if (value := element.get(name))), "")
    if action == "next_page":
        return attribute_text[:2000].strip()
    return clean_attribute(attribute_text) or element_line(element)


def below(tops: Iterable[HtmlElement], stops: Iterable[HtmlElement] = ()) -> set[HtmlElement]:
    """Return elements and their descendants, without ``stops`` and theirs."""
    stops = set(stops)
    elements: set[HtmlElement] = set()
    todo = list(tops)
    while todo:
        element = todo.pop()
        if element not in elements:
            elements.add(element)
            todo.extend(child for child in element if child not in stops)
    return elements


#: The confidence in an article whose element a rule selects.
RULE_CONFIDENCE = 0.9


def apply_rules(page: Page, match: RuleMatch, verdict: Verdict) -> Verdict:
    """Return the verdict with the rules' exclusions and inclusions applied."""
    if not (match.dropped or match.included or match.body):
        return verdict
    visible = page.index.visible_segments() if match.body else frozenset()
    keep = []
    for segment, selected in zip(page.segments, verdict.keep, strict=True):
        parents = {leaf.parent for leaf in segment.leaves if leaf.text.strip()}
        if match.body:
            selected = segment.index in visible and not parents.isdisjoint(match.body)
        selected = selected or not parents.isdisjoint(match.included)
        keep.append(selected and not parents <= match.dropped)
    confidence = verdict.confidence
    if (match.body or match.included) and any(keep):
        confidence = max(confidence, RULE_CONFIDENCE)
    return replace(verdict, keep=tuple(keep), confidence=confidence)


def segment_reason(match: RuleMatch, segment: Segment) -> str:
    leaf = next((leaf for leaf in segment.leaves if leaf.text.strip()), None)
    return match.reason(leaf.parent) if leaf and match.reasons else ""
