"""Composition: the chosen segments and pictures become an article of typed blocks.

A page's tree is walked once over what was chosen (:mod:`.blocks`); text becomes spans
(:mod:`.inline`) in flows (:mod:`.flow`), lists and tables gather in boxes (:mod:`.boxes`,
:mod:`.tables`), and what only the whole article shows is put right at the end
(:mod:`.finish`).
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace
from types import MappingProxyType

from lxml.html import HtmlElement

from ..article import Article
from ..html.comments import MOST_COMMENTS, Comments
from ..html.forum import Post
from ..html.page import Page
from ..selection import PlacedFigure, Verdict
from .builder import ArticleBuilder
from .footnotes import read_anchors
from .forum import author_lines, comment_blocks, drop_author_lines, find_posts
from .math import convert_inline_tex
from .postprocess import join_drop_caps, postprocess
from .selection import select

__all__ = ["append_comments", "compose", "drop_author_lines", "find_posts"]


_NONE: Mapping[HtmlElement, Post] = MappingProxyType({})
_CUT = "the page is too long to be read whole: what follows is left out"


def compose(
    page: Page,
    verdict: Verdict,
    pictures: tuple[PlacedFigure, ...],
    excluded: Set[HtmlElement] = frozenset(),
    posts: Mapping[HtmlElement, Post] = _NONE,
) -> Article:
    """Build the article from a page and what was decided about it.

    ``apart`` are the elements that nothing right in them is taken from, ``posts`` those of a
    discussion, each of which is signed.
    """
    said = page.metadata
    selection = select(page, verdict, pictures, excluded)
    anchors = read_anchors(page, selection)
    composer = ArticleBuilder(page, selection, anchors, author_lines(posts, said.byline))
    blocks = join_drop_caps(convert_inline_tex(composer.blocks(), page))
    linked = bool(anchors.places or anchors.references)
    return Article(
        title=said.title,
        blocks=postprocess(blocks, said.title, composer.aliases, linked=linked),
        url=page.url,
        byline=said.byline,
        published=said.published,
        site=said.site,
        lead=said.lead,
        language=said.language,
        direction="rtl" if said.direction == "rtl" else "ltr",
        confidence=verdict.confidence,
        warnings=(_CUT,) if page.index.truncated else (),
    )


def append_comments(article: Article, page: Page, comments: Comments) -> Article:
    """Return an article with what readers wrote below its page at the end."""
    blocks = article.blocks + comment_blocks(page, comments)
    warnings = article.warnings
    if comments.more:
        warnings += (f"only the first {MOST_COMMENTS} comments are printed",)
    return replace(article, blocks=blocks, warnings=warnings)
