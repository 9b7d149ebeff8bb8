"""Signatures: a line above each post of a discussion that says who wrote it, and when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from lxml.html import HtmlElement

from ..article import Paragraph, Span
from ..html.discussion import Post, read_posts
from ..html.page import Page
from ..html.segments import Segment
from ..model import Verdict
from .selection import holder

#: A page is a discussion when posts, so many at least, hold this share of what is printed of it.
_FEWEST, _MOST = 2, 0.5
#: What hints at posts on a page that was taken for something else; one by one they are found soon.
_HINTS = (
    re.compile(r"schema\.org/(?:Answer|Comment|DiscussionForum)"),
    re.compile("data-author="),
    re.compile(r"""id=["']?(?:post|msg|p)[-_]?\d"""),
)


def posts_of(page: Page, verdict: Verdict) -> Mapping[HtmlElement, Post]:
    """Return the posts of a discussion, those alone that something is kept of; none elsewhere."""
    if verdict.kind != "forum" and not any(hint.search(page.source) for hint in _HINTS):
        return {}
    posts = read_posts(page.tree)
    above: dict[HtmlElement, HtmlElement | None] = {}
    sizes: Counter[HtmlElement | None] = Counter()
    for segment, keep in zip(page.segments, verdict.keep, strict=True):
        for leaf in segment.leaves if keep and posts else ():
            sizes[_post_of(holder(leaf), posts, above)] += len(leaf.text.strip())
    elsewhere = sizes.pop(None, 0)
    said = {
        element: posts[element] for element, size in sizes.items() if size and element is not None
    }
    enough = elsewhere <= (1 - _MOST) * (elsewhere + sizes.total())
    return said if enough and len(said) >= _FEWEST else {}


def without_names(page: Page, verdict: Verdict, posts: Mapping[HtmlElement, Post]) -> Verdict:
    """Return the verdict without the lines that only tell what the posts' signatures tell."""
    told: set[HtmlElement] = set()
    for mark in (mark for post in posts.values() for mark in post.marks):
        if mark not in told:  # else in one that was read
            told.update(mark.iter())
    if not told:
        return verdict
    keep = (
        kept
        and (all(holder(leaf) not in told for leaf in segment.leaves) or _says_more(segment, told))
        for segment, kept in zip(page.segments, verdict.keep, strict=True)
    )
    return replace(verdict, keep=tuple(keep))


def _says_more(segment: Segment, told: Set[HtmlElement]) -> bool:
    rest = (leaf.text for leaf in segment.leaves if holder(leaf) not in told)
    return any(map(str.isalpha, "".join(rest)))


def signatures(posts: Mapping[HtmlElement, Post], opener: str) -> dict[HtmlElement, Paragraph]:
    """Return a line for each post.

    The first has none when it is ``opener``'s: the article's byline names them.
    """
    signed = {element: signature(post.author, post.date) for element, post in posts.items()}
    first = next(iter(posts), None)
    if first is not None and posts[first].author == opener:
        del signed[first]
    return signed


def signature(author: str, date: str) -> Paragraph:
    """Return the line that says who wrote something, and when; either may be ''."""
    spans = [Span(author, ("strong",))] if author else []
    if date:
        spans.append(Span(f", {date}" if spans else date, ("small",)))
    return Paragraph(tuple(spans))


def _post_of(
    element: HtmlElement | None,
    posts: Mapping[HtmlElement, Post],
    known: dict[HtmlElement, HtmlElement | None],
) -> HtmlElement | None:
    """Return the post that an element stands in; ``known`` is kept so that depth costs once."""
    way = []
    while element is not None and element not in posts and element not in known:
        way.append(element)
        element = element.getparent()
    found = known.get(element, element) if element is not None else None
    known.update(dict.fromkeys(way, found))
    return found
