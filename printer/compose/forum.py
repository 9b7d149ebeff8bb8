"""Discussions: author lines of forum posts, and readers' comments after the article."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import replace

from lxml.html import HtmlElement

from ..article import Block, Heading, Item, List, Paragraph, Span
from ..html.comments import Comment, Comments
from ..html.forum import Post, read_posts
from ..html.index import Segment
from ..html.page import Page
from ..i18n import load_table
from ..selection import Verdict
from .builder import ArticleBuilder
from .footnotes import LinkTargets
from .selection import select_below

#: The posts of a discussion, and their share of its selected text, at the least.
_MIN_POSTS, _MIN_SHARE = 2, 0.5
#: Signs of posts on a page that was not classified as a forum.
_HINTS = (
    re.compile(r"schema\.org/(?:Answer|Comment|DiscussionForum)"),
    re.compile("data-author="),
    re.compile(r"""id=["']?(?:post|msg|p)[-_]?\d"""),
)
#: The heading of comments without a heading of their own, by language.
_HEADINGS = load_table("comment_headings")["by_language"]


def find_posts(page: Page, verdict: Verdict) -> Mapping[HtmlElement, Post]:
    """Return the posts of a discussion that have selected text, none for any other page."""
    if verdict.kind != "forum" and not any(hint.search(page.source) for hint in _HINTS):
        return {}
    posts = read_posts(page.tree)
    known: dict[HtmlElement, HtmlElement | None] = {}
    sizes: Counter[HtmlElement | None] = Counter()
    for segment, keep in zip(page.segments, verdict.keep, strict=True):
        for leaf in segment.leaves if keep and posts else ():
            sizes[_post_of(leaf.parent, posts, known)] += len(leaf.text.strip())
    outside = sizes.pop(None, 0)
    selected = {
        element: posts[element] for element, size in sizes.items() if size and element is not None
    }
    is_discussion = outside <= (1 - _MIN_SHARE) * (outside + sizes.total())
    return selected if is_discussion and len(selected) >= _MIN_POSTS else {}


def _post_of(
    element: HtmlElement | None,
    posts: Mapping[HtmlElement, Post],
    known: dict[HtmlElement, HtmlElement | None],
) -> HtmlElement | None:
    """Return the post around an element; ``known`` caches the result for each ancestor."""
    path = []
    while element is not None and element not in posts and element not in known:
        path.append(element)
        element = element.getparent()
    post = known.get(element, element) if element is not None else None
    known.update(dict.fromkeys(path, post))
    return post


def drop_author_lines(page: Page, verdict: Verdict, posts: Mapping[HtmlElement, Post]) -> Verdict:
    """Return the verdict without the page's own author lines, which the composed ones replace."""
    marks: set[HtmlElement] = set()
    for mark in (mark for post in posts.values() for mark in post.elements):
        if mark not in marks:  # otherwise it was added as a descendant
            marks.update(mark.iter())
    if not marks:
        return verdict
    keep = (
        keep
        and (
            all(leaf.parent not in marks for leaf in segment.leaves)
            or _has_other_text(segment, marks)
        )
        for segment, keep in zip(page.segments, verdict.keep, strict=True)
    )
    return replace(verdict, keep=tuple(keep))


def _has_other_text(segment: Segment, marks: Set[HtmlElement]) -> bool:
    rest = (leaf.text for leaf in segment.leaves if leaf.parent not in marks)
    return any(map(str.isalpha, "".join(rest)))


def author_lines(posts: Mapping[HtmlElement, Post], byline: str) -> dict[HtmlElement, Paragraph]:
    """Return the author line of each post, but not of a first post by the article's author."""
    lines = {element: author_line(post.author, post.date) for element, post in posts.items()}
    first = next(iter(posts), None)
    if first is not None and posts[first].author == byline:
        del lines[first]
    return lines


def author_line(author: str, date: str) -> Paragraph:
    """Return a line with an author and a date; either may be ''."""
    spans = [Span(author, ("strong",))] if author else []
    if date:
        spans.append(Span(f", {date}" if spans else date, ("small",)))
    return Paragraph(tuple(spans))


def comment_blocks(page: Page, comments: Comments) -> tuple[Block, ...]:
    """Return a heading and the list of comments, nothing if there are none."""
    if not comments.threads:
        return ()
    language = page.metadata.language.partition("-")[0]
    heading = comments.heading or _HEADINGS.get(language, _HEADINGS["en"])
    return Heading(2, (Span(heading),)), _comment_list(page, comments.threads)


def _comment_list(page: Page, comments: tuple[Comment, ...]) -> List:
    return List(tuple(Item(_comment(page, comment)) for comment in comments))


def _comment(page: Page, comment: Comment) -> tuple[Block, ...]:
    builder = ArticleBuilder(page, select_below(comment.element, comment.leaves), LinkTargets())
    line = [author_line(comment.author, comment.date)] if comment.author or comment.date else []
    replies = [_comment_list(page, tuple(comment.replies))] if comment.replies else []
    return (*line, *builder.blocks(comment.element), *replies)
