"""Discussions: forum posts, and readers' comments after the article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lxml.html import HtmlElement

from .. import article as model
from ..article import (
    Block,
    Code,
    Heading,
    Paragraph,
    Quote,
    Rule,
    Span,
    iter_text,
    plain_text,
    walk,
)
from ..html.discussion import Comments, read_posts
from ..html.index import Segment, is_inside
from ..html.metadata.dates import is_written_date, parse_date
from ..html.page import Page
from ..html.posts import FoundPost, is_in_card
from ..i18n import format_date, is_advertisement_label, load_table
from ..selection import Verdict
from ..text import COLONS, comparison_key
from .builder import ArticleBuilder
from .cleanup import clean_up_part
from .footnotes import InternalTargets
from .selection import Selection, select_below

_DISCUSSION = re.compile(r'"@type"\s?:\s?"(?:DiscussionForumPosting|QAPage)"')
#: Signs of posts on a page that was not classified as a forum.
_POST_TYPE = re.compile(r"schema\.org/(?:Answer|Comment|DiscussionForum)")
_POST_ID = re.compile(r"(?:post|msg|p)[-_]?\d")
_TYPE_ATTRIBUTES = frozenset({"itemtype", "typeof"})


def find_posts(page: Page, verdict: Verdict) -> tuple[FoundPost, ...]:
    """Return the posts of a discussion, none for any other page."""
    is_known = verdict.kind == "forum" or any(map(_DISCUSSION.search, page.linked_data))
    if not (is_known or _has_marked_posts(page)):
        return ()
    posts = read_posts(page.tree, page.segments, verdict.keep, is_known=is_known)
    return tuple(post for post in posts if not is_advertisement_label(post.author))


def _has_marked_posts(page: Page) -> bool:
    """Return whether a page may have posts whose markup says that they are."""
    index = page.index
    return (
        "data-author" in index.attribute_names
        or len(set(filter(_POST_ID.match, filter(None, index.ids)))) > 1
        or (
            not _TYPE_ATTRIBUTES.isdisjoint(index.attribute_names)
            and _POST_TYPE.search(page.source) is not None
        )
    )


#: The letters and digits of a page's description to search for.
_LEAD_CHARS = 40


def select_posts(page: Page, verdict: Verdict, posts: Sequence[FoundPost]) -> Verdict:
    """Return a discussion's verdict: the text of its posts and, if different, its introduction."""
    if not posts:
        return verdict
    lead = comparison_key(page.metadata.lead)[:_LEAD_CHARS]
    first = "".join(leaf.text for leaf in posts[0].leaves)
    is_opened = bool(lead) and lead in comparison_key(first)
    content = {leaf for post in posts for leaf in post.leaves}
    elements = {post.element for post in posts}
    keep: list[bool] = []
    has_posts = False
    for segment, selected in zip(page.segments, verdict.keep, strict=True):
        is_content = not content.isdisjoint(segment.leaves)
        has_posts = has_posts or is_content or is_inside(segment.block, elements)
        is_printed = is_content or (selected and not has_posts and not is_opened)
        is_label = is_advertisement_label(segment.text) or _is_attachment(segment)
        keep.append(is_printed and not is_label)
    return replace(verdict, keep=tuple(keep))


def select_content(selection: Selection, posts: Sequence[FoundPost]) -> Selection:
    """Return the selection without the parts of posts that are not their content."""
    elements = {post.element for post in posts}
    content = {leaf for post in posts for leaf in post.leaves}
    bodies = {post.content for post in posts}
    leaves = {
        leaf: segment
        for leaf, segment in selection.leaves.items()
        if leaf in content or not is_inside(leaf.parent, elements)
    }
    figures = {
        element: figure
        for element, figure in selection.figures.items()
        if not is_in_card(element.iterancestors())
        and (is_inside(element, bodies) or not is_inside(element, elements))
    }
    return replace(selection, leaves=leaves, figures=figures)


def without_last_heading(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the introduction of a discussion without the heading or rule above the posts."""
    introduction = list(blocks)
    while introduction and isinstance(introduction[-1], Heading | Rule):
        introduction.pop()
    return tuple(introduction)


def post_blocks(
    page: Page,
    selection: Selection,
    targets: InternalTargets,
    posts: Sequence[FoundPost],
    byline: str,
) -> tuple[model.Post, ...]:
    """Return the posts of a discussion; the first is not signed if it is by ``byline``."""
    elements = frozenset(post.element for post in posts)
    dates = {post.date for post in posts if post.date}
    days = {date for date in dates if parse_date(date)[:10] == date}  # for machines
    composed: list[model.Post] = []
    quotations = _Quotations()
    for post in posts:
        builder = ArticleBuilder(page, selection, targets, elements)
        blocks = quotations.tidy(clean_up_part(builder.blocks(post.content)))
        quotations.add(blocks)
        if not blocks:
            continue
        is_opening = not composed and post.author == byline
        is_unlike = post.date in days != dates
        date = format_date(post.date, page.metadata.language) if is_unlike else post.date
        author, date = ("", "") if is_opening else (post.author, date)
        composed.append(model.Post(author, date, blocks, post.depth))
    return tuple(composed)


#: The label of a file that a reader attached, with its number.
_ATTACHED = re.compile(r"(?:[^\W\d_]{1,20}\s){1,3}([0-9]{3,12})")


def _is_attachment(segment: Segment) -> bool:
    """Return whether a line only links to attached files by their numbers."""
    if segment.link_chars < len(segment.text) or not segment.text[-1:].isdecimal():
        return False
    leaves = [leaf for leaf in segment.leaves if leaf.text.strip()]
    return all(_names_attachment(leaf.element, leaf.text.strip()) for leaf in leaves)


def _names_attachment(link: HtmlElement, text: str) -> bool:
    match = _ATTACHED.fullmatch(text)
    return match is not None and link.tag == "a" and match[1] in (link.get("href") or "")


def _comparison_key(blocks: Iterable[Block]) -> str:
    return comparison_key(" ".join(iter_text(*blocks)))


_MAX_ATTRIBUTION_CHARS = 90


def _attributed(quote: Quote) -> Quote:
    """Return a quotation whose first line, ending in a colon, is its attribution."""
    if quote.cite or len(quote.blocks) < 2 or not isinstance(first := quote.blocks[0], Paragraph):
        return quote
    text = plain_text(first.spans).rstrip(" \n↑↗→»")
    if len(text) > _MAX_ATTRIBUTION_CHARS or not text.endswith(COLONS):
        return quote
    date, *remaining = quote.blocks[1:]
    if not (isinstance(date, Paragraph) and remaining and is_written_date(plain_text(date.spans))):
        remaining.insert(0, date)
    if len(remaining) == 1 and isinstance(inner := remaining[0], Quote) and not inner.cite:
        remaining = [*inner.blocks]
    return replace(quote, blocks=tuple(remaining), cite=(Span(text),))


_MAX_SEARCHED_CHARS = 200_000_000


class _Quotations:
    """Finds quotations of what is printed above, in bounded time."""

    def __init__(self) -> None:
        self.printed = ""
        self.budget = _MAX_SEARCHED_CHARS

    def add(self, blocks: Iterable[Block]) -> None:
        self.printed += (
            _comparison_key(block for block in blocks if not isinstance(block, Quote)) + "\n"
        )

    def tidy(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """Return a post with attributed quotations, without the one that mail programs append."""
        remaining = list(blocks)
        while len(remaining) > 1 and self._is_printed(remaining[-1]):
            remaining.pop()
            if len(remaining) > 1 and _introduces(remaining[-1]):
                remaining.pop()
        return tuple(
            _attributed(block) if isinstance(block, Quote) else block for block in remaining
        )

    def _is_printed(self, block: Block) -> bool:
        """Return whether all that is quoted, except for quotations in it, is printed above."""
        quoted = block.blocks if isinstance(block, Quote) else ()
        keys = [_comparison_key([b]) for b in walk(quoted) if isinstance(b, Paragraph | Code)]
        self.budget -= len(self.printed) * len(keys)
        return self.budget > 0 and bool(keys) and all(key in self.printed for key in keys)


_MAX_INTRODUCTION_CHARS = 150


def _introduces(block: Block) -> bool:
    text = plain_text(block.spans) if isinstance(block, Paragraph) else ""
    return len(text) <= _MAX_INTRODUCTION_CHARS and text.endswith(COLONS)


_COMMENT_HEADINGS = load_table("comment_headings")["by_language"]


def comment_blocks(page: Page, comments: Comments) -> tuple[Block, ...]:
    """Return a heading and the comments; () if there are no comments."""
    if not comments.posts:
        return ()
    language = page.metadata.language.partition("-")[0]
    heading = comments.heading or _COMMENT_HEADINGS.get(language, _COMMENT_HEADINGS["en"])
    leaves = (leaf for post in comments.posts for leaf in post.leaves)
    selection = select_below(page.tree, leaves)
    posts = post_blocks(page, selection, InternalTargets(), comments.posts, "")
    return Heading(2, (Span(heading),)), *posts
