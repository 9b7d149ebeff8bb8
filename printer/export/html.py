"""Articles as one page of HTML that contains all it needs and runs nothing."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from lxml import etree

from ..article import Article, Figure
from ..output import Picture
from ..render.limits import limit_article
from ..render.markup import printable
from ..render.math import typeset_formulas
from .screen import ScreenArticle, ScreenPicture, fit_picture, parse, render, safe_link, stylesheet

#: What the page may load: its own style sheet, and its pictures.
_SELF_CONTAINED = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_WITH_LINKED_PICTURES = "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'"


def to_html(article: Article) -> str:
    """Return an article as a page that loads its pictures from the web."""
    return _page([article], _linked_picture, _WITH_LINKED_PICTURES, "", None)


def to_standalone_html(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> str:
    """Return articles as one page with their pictures inside."""

    def picture(figure: Figure) -> ScreenPicture | None:
        found = pictures.get(figure.svg or figure.src)
        return fit_picture(figure, found, _data_url) if found else None

    return _page(articles, picture, _SELF_CONTAINED, title, fetched)


def _page(
    articles: Sequence[Article],
    picture: Callable[[Figure], ScreenPicture | None],
    policy: str,
    title: str,
    fetched: datetime | None,
) -> str:
    limited = [limit_article(article)[0] for article in articles]
    formulas = typeset_formulas(limited)
    views = [
        ScreenArticle(article, False, f"a{number}-", picture, _data_url, formulas, fetched)
        for number, article in enumerate(limited, 1)
    ]
    name = printable(title if len(limited) > 1 and title else limited[0].title)
    css = stylesheet("common", "page")
    root = parse(render("html_page", views, name, title, policy, css))
    text: str = etree.tostring(root, method="html", encoding="unicode", doctype="<!DOCTYPE html>")
    return text + "\n"


def _data_url(picture: Picture) -> str:
    text = base64.b64encode(picture.data).decode("ascii")
    return f"data:{picture.media_type};base64,{text}"


def _linked_picture(figure: Figure) -> ScreenPicture | None:
    url = safe_link(figure.src)
    is_web = url[:4].lower() == "http"
    return ScreenPicture(url, figure.width, figure.height) if is_web else None
