"""Articles as one page of HTML that holds all it needs and lets nothing run."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from lxml import etree

from ..article import Article, Figure
from ..i18n.labels import format_date, labels
from ..output import Picture
from ..render.inline import printable, valid_language
from ..render.limits import limit_article
from ..render.math import typeset_formulas
from .blocks import without_dead_links, write_article
from .chapter import Chapter, Shown
from .make import Make, add
from .places import Places, address
from .style import COMMON, PAGE

#: What the page may load: the pictures in it, and its own style sheet.
_INSIDE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_LINKED = "default-src 'none'; img-src http: https: data:; style-src 'unsafe-inline'"


def to_html(article: Article) -> str:
    """Return an article as a page whose pictures stay where they are on the web."""
    return _page([article], _on_the_web, _LINKED, "", None)


def to_standalone_html(
    articles: Sequence[Article],
    pictures: Mapping[str, Picture],
    *,
    title: str = "",
    fetched: datetime | None = None,
) -> str:
    """Return articles as one page with their pictures in it."""

    def picture(figure: Figure) -> Shown | None:
        found = pictures.get(figure.svg or figure.src)
        if found is None:
            return None
        width = min(figure.width, found.width) if figure.width > 0 else found.width
        return Shown(_data(found), width, max(1, round(width * found.height / found.width)))

    return _page(articles, picture, _INSIDE, title, fetched)


def _page(
    articles: Sequence[Article],
    picture: Callable[[Figure], Shown | None],
    policy: str,
    title: str,
    fetched: datetime | None,
) -> str:
    make = Make()
    sound = [limit_article(article)[0] for article in articles]
    formulas = typeset_formulas(sound)
    first = sound[0]
    name = printable(title if len(sound) > 1 and title else first.title)
    body = make("body")
    if len(sound) > 1 and title:
        body.append(make("header", make("h1", title)))
    tops: list[etree._Element] = []
    for number, each in enumerate(sound, 1):
        places = Places.of(each, f"a{number}-")
        tag = valid_language(each.language)
        day = format_date(fetched, tag) if fetched else ""
        chapter = Chapter(each, make, places, picture, _data, formulas, day)
        tops.append(write_article(chapter))
    if len(sound) > 1:
        body.append(_contents(make, sound, tops))
    add(body, *tops)
    html = make("html", _head(make, first, name, policy), body, lang=valid_language(first.language))
    make.set(html, "dir", first.direction)
    without_dead_links(html)
    text: str = etree.tostring(html, method="html", encoding="unicode", doctype="<!DOCTYPE html>")
    return text + "\n"


def _head(make: Make, first: Article, title: str, policy: str) -> etree._Element:
    head = make("head", make("meta", charset="utf-8"))
    add(head, make("meta", http_equiv="Content-Security-Policy", content=policy))
    add(head, make("meta", name="viewport", content="width=device-width, initial-scale=1"))
    add(head, make("meta", name="referrer", content="no-referrer"))
    add(head, make("meta", name="generator", content="webprint"))
    add(head, make("title", title))
    about = (
        ("author", first.byline), ("description", first.lead[:500]),
        ("dcterms.created", first.published),
    )  # fmt: skip
    add(head, *(make("meta", name=name, content=value) for name, value in about if value))
    if link := address(first.url):
        add(head, make("link", rel="canonical", href=link))
    add(head, make("style", COMMON + PAGE))
    return head


def _contents(
    make: Make, articles: Sequence[Article], tops: Sequence[etree._Element]
) -> etree._Element:
    items = (
        make("li", make("a", article.title or "·", href=f"#{top.get('id')}"))
        for article, top in zip(articles, tops, strict=True)
    )
    heading = make("h2", labels(valid_language(articles[0].language)).contents)
    return make("nav", heading, make("ol", *items))


def _data(picture: Picture) -> str:
    text = base64.b64encode(picture.data).decode("ascii")
    return f"data:{picture.media_type};base64,{text}"


def _on_the_web(figure: Figure) -> Shown | None:
    url = address(figure.src)
    return Shown(url, figure.width, figure.height) if url and url[:4].lower() == "http" else None
