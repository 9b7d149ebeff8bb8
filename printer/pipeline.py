"""The way a page goes: the only module that joins the stages."""

from __future__ import annotations

from .article import Article
from .compose import compose
from .dom.page import read_page
from .errors import NoArticle
from .extract import decide
from .images import choose_pictures
from .options import ExtractOptions


def extract(html: bytes | str, url: str = "", *, charset: str = "", **options: object) -> Article:
    """Return the article of a page; pure: no network, no files, no clock.

    ``options`` are the fields of :class:`ExtractOptions`.  Raises :class:`NoArticle` when the page
    holds none.
    """
    chosen = ExtractOptions(**options)  # type: ignore[arg-type]
    page = read_page(html, url, charset)
    verdict = decide(page, chosen)
    if not any(verdict.keep):
        raise NoArticle("no article was found on the page", url=url)
    figures = choose_pictures(page, verdict) if chosen.images else ()
    return compose(page, verdict, figures)
