"""The pure half of the pipeline: a parsed page becomes an article, or the reasons for it.

Page -> rules, Verdict -> Placed pictures -> Article
"""

from __future__ import annotations

from collections.abc import Set
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lxml.html import HtmlElement

from .article import Article, iter_text
from .compose import append_comments, compose, drop_author_lines, find_posts
from .errors import NoArticle
from .extraction import select_segments
from .gc_paused import gc_paused
from .html.comments import Comments, read_comments
from .html.page import Page, read_page
from .images import (
    PictureSelection,
    drop_captions,
    find_alternatives,
    override_selection,
    picture_decisions,
    place_pictures,
    select_pictures,
)
from .options import ExtractOptions
from .output import CompletenessReport
from .selection import Explanation, PictureDecision, Verdict
from .site_rules import RuleMatch, SelectorMatch, apply_rules, match_rules
from .site_rules.apply import below, segment_reason
from .summarize import summarize

if TYPE_CHECKING:
    from .editing.blocks import EditableBlock
    from .images.size_probe import SizeFilter


@gc_paused
def extract(
    html: bytes | str, url: str | None = "", *, charset: str = "", **options: object
) -> Article:
    """Return the article of a page; pure: no network, no files, no clock.

    Without ``url`` relative links and pictures lead nowhere.  ``charset`` is what an HTTP header
    declared, ``options`` are the fields of :class:`ExtractOptions`.  Raises :class:`NoArticle`
    when the page holds none.
    """
    chosen = ExtractOptions(**options)  # type: ignore[arg-type]
    page = read_page(html, url or "", charset)
    found = find(page, chosen)
    return append_comments(summarize(found.article, chosen), page, found.comments)


#: So many dropped pictures are offered at most.
MOST_PICTURES = 20


@dataclass(frozen=True, slots=True)
class Found:
    """The article of a page, what was chosen of its pictures, the comments wanted after it.

    ``follows`` is where it goes on as a rule for the site says, ``kind`` the kind of page,
    ``pieces`` what can be left out of it or brought back, where that was asked for.
    """

    article: Article
    page: Page = field(repr=False)
    verdict: Verdict = field(repr=False)
    unwanted: Set[HtmlElement] = field(repr=False)
    choice: PictureSelection = field(repr=False)
    comments: Comments
    follows: str
    kind: str
    pieces: tuple[EditableBlock, ...] = ()

    @property
    def pictures(self) -> tuple[PictureDecision, ...]:
        """What was decided about each picture; told only when asked for."""
        return picture_decisions(self.page, self.choice)

    @property
    def lost(self) -> CompletenessReport:
        """What of the page's chosen text the article does not have; read when asked for."""
        from .compose.coverage import check_coverage

        pictures = place_pictures(self.page, self.choice)
        return check_coverage(self.page, self.verdict, pictures, self.article, self.unwanted)


def _choose(
    page: Page, options: ExtractOptions, measure: SizeFilter | None
) -> tuple[RuleMatch, Verdict, PictureSelection]:
    """Return what the rules for the site say, and the choice of text and pictures under them."""
    ruled = match_rules(page, options.rules)
    verdict = apply_rules(page, ruled, select_segments(page, options))
    choice = select_pictures(page, verdict, options, measure)
    if options.images in ("article", "all"):
        choice = override_selection(
            page, verdict, choice, ruled.dropped, ruled.included, ruled.reason
        )
    return ruled, verdict, choice


@gc_paused
def find(
    page: Page,
    options: ExtractOptions,
    measure: SizeFilter | None = None,
    *,
    editable: bool = False,
) -> Found:
    """Find the article of a page, with its pieces when it is to be edited."""
    ruled, verdict, choice = _choose(page, options, measure)
    # On a page that is a discussion the comments are the article.
    apart = options.comments and verdict.kind != "forum"
    comments = read_comments(page.tree) if apart else Comments()
    verdict = drop_captions(page, verdict, choice)
    said = replace(page, metadata=ruled.override_metadata(page.metadata))
    posts = find_posts(page, verdict)
    verdict = drop_author_lines(page, verdict, posts)
    unwanted = below(comments.elements) | ruled.dropped
    article = compose(said, verdict, place_pictures(page, choice), unwanted, posts)
    if not any(piece for block in article.blocks for piece in iter_text(block)):
        hint = "A rule for this site may leave it out: --no-rules" if ruled.dropped else ""
        raise NoArticle("the page holds no article", url=page.url, hint=hint)
    article = replace(article, warnings=(*article.warnings, *ruled.warnings))
    parts = _pieces(said, verdict, choice, article, below(comments.elements)) if editable else ()
    return Found(
        article, page, verdict, unwanted, choice, comments, ruled.next_page, verdict.kind, parts
    )


def _pieces(
    page: Page,
    verdict: Verdict,
    choice: PictureSelection,
    article: Article,
    apart: AbstractSet[HtmlElement],
) -> tuple[EditableBlock, ...]:
    """Return the article in pieces, with what was left out near it at its place."""
    from .editing.blocks import AFTER, BEFORE, editable_blocks, select_omitted

    shown = place_pictures(page, choice)
    captions = frozenset[int]().union(*(each.captions for each in shown))
    others = select_omitted(page, verdict, captions)
    kept = [index for index, keep in enumerate(verdict.keep) if keep]
    near = range(max(0, kept[0] - BEFORE), kept[-1] + AFTER) if kept else range(0)
    pictures = find_alternatives(page, choice, near, MOST_PICTURES)
    rest = compose(page, others, pictures, apart)
    elements = {each.figure.svg or each.figure.src: each.element for each in (*pictures, *shown)}
    return editable_blocks(page, (article.blocks, verdict), (rest.blocks, others), elements)


def explain(page: Page, options: ExtractOptions, measure: SizeFilter | None = None) -> Explanation:
    """Say what was thought of each of a page's segments and pictures."""
    from .extraction.explain import explain as explain_choice

    ruled, verdict, choice = _choose(page, options, measure)
    told = explain_choice(page, verdict, place_pictures(page, choice))
    segments = (
        replace(each, rule=segment_reason(ruled, segment))
        for each, segment in zip(told.segments, page.segments, strict=True)
    )
    return replace(
        told,
        segments=tuple(segments),
        pictures=picture_decisions(page, choice),
        rules=(*map(_told, ruled.matches), *ruled.warnings),
    )


def _told(match: SelectorMatch) -> str:
    """Say what a rule met on a page."""
    return f"{match}: {match.error or match.count}"
