"""Composition: the chosen segments and pictures become an article of typed blocks.

A page's tree is walked once over what was chosen (:mod:`.blocks`); text becomes spans
(:mod:`.inline`) in flows (:mod:`.flow`), lists and tables gather in boxes (:mod:`.boxes`,
:mod:`.tables`), and what only the whole article shows is put right at the end
(:mod:`.finish`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from lxml.html import HtmlElement

from ..article import Article
from ..dom.comments import MOST_COMMENTS, Comments
from ..dom.page import Page
from ..model import Placed, Verdict
from .blocks import Composer
from .comments import comment_blocks
from .finish import finish
from .notes import read_anchors
from .selection import select
from .tex import with_tex

__all__ = ["compose", "with_comments"]


_CUT = "the page is too long to be read whole: what follows is left out"


def compose(
    page: Page,
    verdict: Verdict,
    pictures: tuple[Placed, ...],
    apart: Set[HtmlElement] = frozenset(),
) -> Article:
    """Build the article from a page and what was decided about it.

    ``apart`` are the elements that nothing right in them is taken from.
    """
    selection = select(page, verdict, pictures, apart)
    anchors = read_anchors(page, selection)
    composer = Composer(page, selection, anchors)
    blocks = with_tex(composer.blocks(), page)
    linked = bool(anchors.places or anchors.references)
    said = page.metadata
    return Article(
        title=said.title,
        blocks=finish(blocks, said.title, composer.aliases, linked=linked),
        url=page.url,
        byline=said.byline,
        published=said.published,
        site=said.site,
        lead=said.lead,
        language=said.language,
        direction="rtl" if said.direction == "rtl" else "ltr",
        confidence=verdict.confidence,
        warnings=(_CUT,) if page.outline.cut else (),
    )


def with_comments(article: Article, page: Page, comments: Comments) -> Article:
    """Return an article with what readers wrote below its page at the end."""
    blocks = article.blocks + comment_blocks(page, comments)
    warnings = article.warnings
    if comments.more:
        warnings += (f"only the first {MOST_COMMENTS} comments are printed",)
    return replace(article, blocks=blocks, warnings=warnings)
