"""Discussions: forum posts, and readers' comments after the article."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from .. import article as model
from ..article import (
    COLONS,
    Block,
    Heading,
    Paragraph,
    Quote,
    Rule,
    Span,
    iter_text,
    plain_text,
)
from ..html.discussion import Comments, read_posts
from ..html.index import is_inside
from ..html.page import Page
from ..html.posts import Post, is_in_card, is_written_date
from ..i18n import is_advertisement_label, load_table
from ..selection import Verdict
from ..text import comparison_key
from .builder import ArticleBuilder
from .footnotes import LinkTargets
from .postprocess import postprocess_part
from .selection import Selection, select_below

_DISCUSSION = re.compile(r'"@type"\s?:\s?"(?:DiscussionForumPosting|QAPage)"')
#: Signs of posts on a page that was not classified as a forum.
_POST_TYPE = re.compile(r"schema\.org/(?:Answer|Comment|DiscussionForum)")
_POST_ID = re.compile(r"(?:post|msg|p)[-_]?\d")
_TYPE_ATTRIBUTES = frozenset({"itemtype", "typeof"})


def find_posts(page: Page, verdict: Verdict) -> tuple[Post, ...]:
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
        or any(map(_POST_ID.match, filter(None, index.ids)))
        or (
            not _TYPE_ATTRIBUTES.isdisjoint(index.attribute_names)
            and _POST_TYPE.search(page.source) is not None
        )
    )


#: The letters and digits of a page's description to search for.
_LEAD_CHARS = 40


def select_posts(page: Page, verdict: Verdict, posts: Sequence[Post]) -> Verdict:
    """Return the verdict of a discussion: the text of its posts, and the introduction.

    If the page's description is the beginning of the first post, nothing introduces it.
    """
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
        keep.append(is_printed and not is_advertisement_label(segment.text))
    return replace(verdict, keep=tuple(keep))


def select_content(selection: Selection, posts: Sequence[Post]) -> Selection:
    """Return the selection without the parts of posts that are not their content."""
    elements = {post.element for post in posts}
    content = {leaf for post in posts for leaf in post.leaves}
    bodies = {post.content for post in posts}
    leaves = {
        leaf: segment
        for leaf, segment in selection.leaves.items()
        if leaf in content or leaf.parent is None or not is_inside(leaf.parent, elements)
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


_MAX_SEARCHED_CHARS = 200_000
#: The most quotations that a mail program appends to a post.
_MAX_APPENDED = 10


def post_blocks(
    page: Page, selection: Selection, targets: LinkTargets, posts: Sequence[Post], byline: str
) -> tuple[model.Post, ...]:
    """Return the posts of a discussion; the first is not signed if it is by ``byline``."""
    elements = frozenset(post.element for post in posts)
    composed: list[model.Post] = []
    printed = ""
    for post in posts:
        builder = ArticleBuilder(page, selection, targets, elements)
        written = list(postprocess_part(builder.blocks(post.content)))
        for _ in range(_MAX_APPENDED):
            if len(written) < 2 or not _is_printed(written[-1], printed):
                break
            written.pop()
            if len(written) > 1 and _introduces(written[-1]):
                written.pop()
        printed = (printed + _unquoted_text(written))[-_MAX_SEARCHED_CHARS:]
        blocks = tuple(map(_attributed, written))
        if not blocks:
            continue
        is_opening = not composed and post.author == byline
        author, date = ("", "") if is_opening else (post.author, post.date)
        composed.append(model.Post(author, date, blocks, post.depth))
    return tuple(composed)


def _is_printed(block: Block, printed: str) -> bool:
    """Return whether a block is a quotation of what stands above, as mail programs append it."""
    text = _unquoted_text(block.blocks) if isinstance(block, Quote) else ""
    return bool(text) and text in printed


def _unquoted_text(blocks: Iterable[Block]) -> str:
    """Return the letters of blocks without quotations and the lines that introduce them."""
    written = (b for b in blocks if not (isinstance(b, Quote) or _introduces(b)))
    return comparison_key(" ".join(iter_text(*written)))


def _introduces(block: Block) -> bool:
    return isinstance(block, Paragraph) and plain_text(block.spans).endswith(COLONS)


_MAX_ATTRIBUTION_CHARS = 90


def _attributed(quote: Block) -> Block:
    """Return a quotation with a first line that ends in a colon as its attribution.

    What is quoted may be in an element of its own, and a date above it.
    """
    if not isinstance(quote, Quote) or quote.cite or len(quote.blocks) < 2:
        return quote
    if not isinstance(first := quote.blocks[0], Paragraph):
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


_COMMENT_HEADINGS = load_table("comment_headings")["by_language"]


def comment_blocks(page: Page, comments: Comments) -> tuple[Block, ...]:
    """Return a heading and the comments; () if there are no comments."""
    if not comments.posts:
        return ()
    language = page.metadata.language.partition("-")[0]
    heading = comments.heading or _COMMENT_HEADINGS.get(language, _COMMENT_HEADINGS["en"])
    leaves = (leaf for post in comments.posts for leaf in post.leaves)
    selection = select_below(page.tree, leaves)
    posts = post_blocks(page, selection, LinkTargets(), comments.posts, "")
    return Heading(2, (Span(heading),)), *posts
