"""Which pictures each method selects, and why the others are rejected."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from printer import extract
from printer.article import Article
from printer.errors import UsageError
from printer.html.page import Page, read_page
from printer.images import place_pictures, select_by_method, select_pictures
from printer.images.selection import drop_captions
from printer.options import IMAGE_METHODS, ExtractOptions
from printer.selection import PlacedFigure, Verdict

TEXT = (
    "Ada Fenwick, the mayor of Kestermouth, said on the quay that the ferry would be sold. The "
    "boat had crossed the river for forty years, and nobody in Kestermouth thought it would end. "
)
URL = "https://news.example.org/2024/ferry.html"


def read(html: str, head: str = "") -> tuple[Page, Verdict]:
    page = read_page(f"<html><head>{head}</head><body>{html}</body></html>", URL)
    return page, Verdict(tuple("mayor of Kestermouth" in segment.text for segment in page.segments))


def article(*inside: str, around: str = "") -> str:
    parts = "".join(f"<p>{TEXT}</p>{part}" for part in inside)
    return f"<main><article><h1>The ferry</h1>{parts}<p>{TEXT}</p></article></main>{around}"


def find_pictures(
    page: Page, verdict: Verdict, method: str = "default"
) -> tuple[PlacedFigure, ...]:
    options = ExtractOptions(image_method=method)
    return place_pictures(page, select_pictures(page, verdict, options))


def names(placed: tuple[PlacedFigure, ...]) -> list[str]:
    return [placement.figure.src.rsplit("/", 1)[1] for placement in placed]


PHOTO = (
    '<figure><img src="/photo.jpg" width="900" height="600" alt="A ferry">'
    "<figcaption>Ada Fenwick on the ferry at Kestermouth last week.</figcaption></figure>"
)


@pytest.mark.parametrize("method", IMAGE_METHODS)
def test_every_method_keeps_the_photograph_with_its_caption(method: str) -> None:
    page, verdict = read(article(PHOTO))
    (placed,) = find_pictures(page, verdict, method)
    assert placed.figure.src == "https://news.example.org/photo.jpg"
    assert placed.figure.caption == "Ada Fenwick on the ferry at Kestermouth last week."
    assert placed.element.tag == "img"
    assert [page.segments[i].text for i in placed.captions] == [placed.figure.caption]


@pytest.mark.parametrize(
    "other",
    [
        '<div class="ad-slot"><span>Advertisement</span><a href="https://ads.example.net/c?9">'
        '<img src="/ad.png" width="300" height="250"></a></div>',
        '<div class="author-box"><img src="/avatar.jpg" width="80" height="80"> By A. Writer</div>',
        '<ul class="share"><li><a href="https://social.example.net/s"><img src="/facebook.png"'
        ' width="24" height="24"></a></li></ul>',
        '<img src="https://pixel.example.net/collect?id=3" width="1" height="1">',
        '<div class="related"><ul><li><a href="/2024/sheep.html"><img src="/sheep.jpg" width="120"'
        ' height="80"><h4>Sheep walk home at low tide</h4></a></li><li><a href="/2024/bell.html">'
        '<img src="/bell.jpg" width="120" height="80"><h4>Fog bell to ring by hand</h4></a></li>'
        "</ul></div>",
    ],
    ids=["advertisement", "portrait", "share icons", "pixel", "related stories"],
)
def test_foreign_pictures_within_the_text_are_dropped(other: str) -> None:
    page, verdict = read(article(PHOTO, other))
    found = select_by_method(page, verdict)
    assert [picture.candidate.alt for picture in found.selected] == ["A ferry"]
    assert found.rejected
    assert all(picture.reason for picture in found.rejected)


PLAIN = '<img src="/p.jpg" width="900" height="600" alt="{}">'
CARD = f"<figure>{PLAIN.format('Sheep')}</figure>"


@pytest.mark.parametrize(
    ("teaser", "reason"),
    [
        (f'<div><a href="/2024/sheep.html">{CARD}</a><div><h3>Sheep walk home</h3><p>They did so '
         "again today, and nobody had called them.</p></div></div>", "a teaser of another page"),
        (f'<div>{CARD}<span>See also</span><p><a href="/2024/sheep.html">Sheep walk home at low '
         "tide</a></p></div>", "a teaser of another page"),
        (f'<div>{CARD}<a href="/2024/sheep.html"><p class="caption">4 November 2024 Report</p>'
         "<h3>Sheep walk home</h3></a></div>", "a teaser of another page"),
        (f'<a href="/letter.html"><figure>{PLAIN.format("Sheep")}<figcaption><h3>The letter</h3>'
         "<p>Every Thursday.</p></figcaption></figure></a>", "a teaser of another page"),
        (f'<div><a href="/author/a-writer/">{CARD}</a></div>', "a portrait of the author"),
        (f'<div><figure>{PLAIN.format("Portrait of Ann Other")}</figure></div>',
         "a portrait of the author"),
        ('<p><img src="https://cdn.example.net/emoji/846.png"></p>', "a smiley"),
        ('<p><img src="/i.php?image=https%3A%2F%2Fa.example.net%2Ffavicon.ico"></p>', "a smiley"),
        ('<p class="picked-badge"><img src="/img/BEST-2026.svg"></p>',
         "a drawing of the interface"),
        ('<p><img src="/shop-placeholder-400x400.png" width="400" height="400"></p>',
         "a placeholder"),
        ('<div class="top-audio"><img src="/s.jpg" alt="Sheep" width="180" height="120"><p>'
         "<b>AUDIO:</b> The sheep walk home</p></div>", "a picture of an audio player"),
        (f'<div><figure>{PLAIN.format("Ann Other")}<figcaption>by Ann Other</figcaption></figure></div>',
         "a portrait of the author"),
        (f'<div class="author-info">{PLAIN.format("")}<p>Ann Other</p></div>',
         "a portrait of the author"),
        (f'<a id="logo" href="/tide">{PLAIN.format("The Tide - Home")}</a>',
         "a drawing of the interface"),
        (f'<p><a href="/news/feed/">{PLAIN.format("Sheep")}</a></p>',
         "a banner or a button that leads to another page"),
        (f'<div style="display: none"><a href="https://voice.example.net/read?id=5">'
         f'{PLAIN.format("Listen to this page")}</a></div>', "a badge or a hidden button"),
        ('<p><a href="https://music.example.com/show"><img src="/a.png" width="300" height="73" '
         'alt="Listen on Amazon Music"></a></p>', "a badge or a hidden button"),
        (f'<p><a href="https://shop.example.net/?utm_source=tide">{PLAIN.format("Sheep")}</a></p>',
         "a banner or a button that leads to another page"),
        ('<p><a href="/join"><img src="/join-cta.jpg" width="900" height="300"></a></p>',
         "a banner or a button that leads to another page"),
        ('<p class="prize-award"><img src="/img/BEST-2026.svg"></p>',
         "a drawing of the interface"),
    ],
    ids=["heading", "link", "linked caption", "heading in the caption", "author's page",
         "author's name", "smiley", "favicon", "badge", "placeholder", "sound", "byline", "author box", "logo",
         "feed", "hidden", "music", "campaign", "call to action", "award"],
)  # fmt: skip
def test_teasers_portraits_and_icons_are_refused_at_any_score(teaser: str, reason: str) -> None:
    names = (
        '<meta name="author" content="Ann Other"><meta property="og:site_name" content="The Tide">'
    )
    page, verdict = read(article(PHOTO, teaser), names)
    found = select_by_method(page, verdict)
    assert [picture.candidate.alt for picture in found.selected] == ["A ferry"]
    assert [picture.reason for picture in found.rejected] == [reason]


@pytest.mark.parametrize(
    "markup",
    [
        f"<section><h2>Pictures</h2>{CARD}</section>",
        f'<figure><a href="/sheep.jpg">{PLAIN.format("Sheep")}</a><figcaption>Sheep walk home on '
        'the <a href="/path.html">old path along the river</a>.</figcaption></figure>',
    ],
    ids=["a gallery under a heading", "a link in a caption"],
)
def test_the_articles_own_pictures_are_kept(markup: str) -> None:
    page, verdict = read(article(PHOTO, markup))
    found = select_by_method(page, verdict)
    assert [picture.candidate.alt for picture in found.selected] == ["A ferry", "Sheep"]


def test_the_picture_that_the_page_states_as_its_own_is_found_above_the_text() -> None:
    head = '<meta property="og:image" content="https://cdn.example.org/s1200/20240312-55.jpg">'
    lead = '<p>News</p><div><img src="/n615/20240312-55.jpg" width="160" height="90"></div>'
    page, verdict = read(f"<main>{lead}{article(PHOTO)}</main>", head)
    assert names(find_pictures(page, verdict)) == ["20240312-55.jpg", "photo.jpg"]
    page, verdict = read(f"<main>{lead}{article(PHOTO)}</main>")
    assert names(find_pictures(page, verdict)) == ["photo.jpg"]


@pytest.mark.parametrize(
    ("lead", "count"),
    [
        ('<div><div class="page-hero"><img src="/boat.jpg"></div></div>', 1),
        ('<div><div class="page-hero" style="background-image: url(/boat.jpg)"></div></div>', 1),
        ('<div><img src="/boat.jpg" width="900" height="500"></div>', 1),
        ('<div><img src="/boat.jpg"></div>', 0),
        ('<div class="player page-hero"><img src="/boat.jpg"></div>', 0),
        ('<div class="page-hero"><a href="/news/"><img src="/boat.jpg"></a></div>', 0),
        ('<div class="page-hero"><img src="/boat.gif"></div>', 0),
    ],
)
def test_an_article_without_one_gets_the_best_candidate_for_a_lead_picture(
    lead: str, count: int
) -> None:
    below = '<p>By the editors</p><p class="time">Monday, 9 am</p>' * 2
    html = f"<main><p>News</p>{lead}{below}{article()}</main>"
    assert len(find_pictures(*read(html))) == count


@pytest.mark.parametrize(
    ("address", "is_printed"),
    [
        ("/2024/boat.jpg", True),
        ("/2024/news.png", False),
        ("/assets/boat.png", False),
        ("/open-graph.jpg", False),
        ("/assets/kestermouth-ferry.png", True),
        ("/2024/other.jpg", False),
    ],
)
def test_the_picture_of_the_metadata_is_printed_if_all_others_are_rejected(
    address: str, is_printed: bool
) -> None:
    head = f'<meta property="og:image" content="https://news.example.org{address}">'
    icon = '<p><img src="/2024/other.jpg" width="20" height="20"></p>'
    head += "<title>A ferry leaves Kestermouth</title>"
    assert bool(find_pictures(*read(article(icon), head))) == is_printed


CAPTION = "<div class=lead-caption>Ada Fenwick on the ferry at noon. (Shore Photo/Ida Reed)</div>"


@pytest.mark.parametrize(
    ("above", "caption", "credit"),
    [
        (f"<div><div class=placeholder></div>{CAPTION}</div>",
         "Ada Fenwick on the ferry at noon.", "Shore Photo/Ida Reed"),
        (CAPTION * 2, "Ada Fenwick on the ferry at noon.", "Shore Photo/Ida Reed"),
        (f"{CAPTION}<p class=caption>Another picture, of the quay at night</p>", "", ""),
        (f"{CAPTION}<img src=/logo.svg width=20 height=20>", "", ""),
        ("<div class=caption><h2>The ferry that was sold last week</h2></div>", "", ""),
        ("<p>Ada Fenwick on the ferry at Kestermouth last week.</p>", "", ""),
    ],
)  # fmt: skip
def test_a_picture_known_from_the_metadata_has_the_caption_above_the_text(
    above: str, caption: str, credit: str
) -> None:
    head = "<meta property='og:image' content='/boats/fenwick.jpg'>"
    html = f"<article><h1>The ferry</h1>{above}<p>{TEXT}</p><p>{TEXT}</p></article>"
    (placed,) = find_pictures(*read(html, head))
    assert (placed.figure.caption, placed.figure.credit) == (caption, credit)
    assert bool(placed.captions) == bool(caption)


def test_a_link_that_enlarges_a_picture_leads_to_no_other_page() -> None:
    link = f'<div><a href="/gallery/5" {{}}>{PLAIN.format("Sheep")}<b>{"Sheep at home. " * 3}</b></a></div>'
    for attribute in (
        'class="lightbox"',
        'class="gallery-link"',
        'data-zoom="1"',
        'data-img="/large/sheep.jpg"',
    ):
        assert len(find_pictures(*read(article(PHOTO, link.format(attribute))))) == 2
    assert len(find_pictures(*read(article(PHOTO, link.format(""))))) == 1


LICENSE = '<a href="/rights.html">Kestermouth Pictures</a> | <a href="/shop.html">Buy this</a>'
NAMED = '<meta property="og:image" content="https://cdn.example.org/fb/128/128/Ferry-At-Kestermouth-Quay.jpg">'


@pytest.mark.parametrize(
    ("lead", "head"),
    [
        (f'<div class="slideshow"><img src="/lead.jpg" itemprop="associatedMedia"><p>{LICENSE}</p>'
         "</div>", ""),
        ('<ul class="slideshow"><li><a href="#"><img src="/fb/660/371/Ferry-At-Kestermouth-Quay.jpg">'
         "</a><p>News</p></li></ul>", NAMED),
    ],
    ids=["by its property", "by a long name"],
)  # fmt: skip
def test_a_lead_picture_among_links_of_a_slide_show_is_found(lead: str, head: str) -> None:
    title = f"<h1>The ferry</h1>{lead}"
    for_sale = article(PHOTO).replace("<h1>The ferry</h1>", title)
    assert len(find_pictures(*read(for_sale, head))) == 2
    assert len(find_pictures(*read(for_sale.replace(" itemprop", " data-x")))) == 1


def test_of_several_crops_of_the_lead_picture_one_is_printed() -> None:
    crops = "".join(
        f'<div><p>Cut {ratio}</p><img src="/ar/{ratio}/Ferry-At-Kestermouth-Quay.jpg"></div>'
        for ratio in ("16-9", "4-3", "3-4")
    )
    html = article(PHOTO).replace("<h1>The ferry</h1>", f"<h1>The ferry</h1>{crops}")
    assert names(find_pictures(*read(html, NAMED))) == [
        "Ferry-At-Kestermouth-Quay.jpg",
        "photo.jpg",
    ]


def test_the_address_of_the_lead_picture_may_state_how_a_server_scales_it() -> None:
    head = '<meta property="og:image" content="https://cdn.example.org/20240312-55.jpg">'
    lead = '<p>News</p><div><img src="/20240312-55_cut=1,2.jpg" width="160" height="90"></div>'
    page, verdict = read(f"<main>{lead}{article(PHOTO)}</main>", head)
    assert names(find_pictures(page, verdict)) == ["20240312-55_cut=1,2.jpg", "photo.jpg"]


def figure(alt: str) -> str:
    return f'<div><img src="/{alt[-4:]}.jpg" width="900" height="600" alt="{alt}"></div>'


@pytest.mark.parametrize(
    ("alts", "owner"),
    [
        (("The quay", "The mayor Ada Fenwick beside the ferry", "A bell", "A boat"), 1),
        (("The quay", "A bell", "A boat", "Sheep"), 0),
        (("The quay", "A bell"), 1),
    ],
    ids=["the one it describes", "the first of a gallery", "the last of a pair"],
)
def test_a_caption_of_several_pictures_is_printed_once(alts: tuple[str, ...], owner: int) -> None:
    text = "The mayor Ada Fenwick beside the ferry on Monday."
    pictures = "".join(map(figure, alts))
    gallery = f"<figure>{pictures}<figcaption>{text}</figcaption></figure>"
    page, verdict = read(article(gallery))
    placed = find_pictures(page, verdict)
    captions = [placement.figure.caption for placement in placed]
    assert captions == [text if number == owner else "" for number in range(len(alts))]
    assert len({placement.captions for placement in placed}) == 1


def test_a_picture_above_the_text_that_is_marked_as_decoration_is_refused() -> None:
    pattern = "<img src=/petals.png width=900 height=600 alt=Dots aria-hidden=true{}>"
    for role, number in ((" role=decorative", 1), ("", 2)):
        above = f"<main>{pattern.format(role)}"
        page, verdict = read(article(PHOTO).replace("<main>", above))
        assert len(find_pictures(page, verdict)) == number


def test_a_gallery_is_printed_whole_if_several_of_its_pictures_are_likely() -> None:
    sizes = [(150, 150)] * 5 + [(900, 600)] * 3
    pictures = "".join(
        f"<figure class='gallery-item {'portrait' if n % 2 else 'landscape'}'>"
        f"<div class='gallery-icon'><a href=/{n}.jpg><img src=/{n}-{w}x{h}.jpg width={w} height={h}>"
        f"</a></div><figcaption>Boat {n}</figcaption></figure>"
        for n, (w, h) in enumerate(sizes)
    )
    page, verdict = read(article(f"<div class='gallery'>{pictures}</div>"))
    assert len(find_pictures(page, verdict)) == len(sizes)


def test_a_picture_beside_the_author_and_the_date_is_a_portrait() -> None:
    head = "<meta name=author content='Ada Fenwick'><meta name=date content=2024-05-03>"
    line = "<figure><img src=/a.jpg alt='{}'></figure><div>{}</div>"
    for alt, text, number in (
        ("", "By Ada Fenwick, May 3, 2024", 0),
        ("", "Written by Ada Fenwick on May 3, 2024", 0),
        ("", "Boats drawn by Ada, 2024", 1),
        ("Ada Fenwick", "By Ada Fenwick, Updated June 9, 2024", 0),
    ):
        picture = f"<div>{line.format(alt, text)}</div>"
        page, verdict = read(article(picture), head)
        assert len(find_pictures(page, verdict)) == number, text


def test_a_short_caption_goes_to_the_picture_with_that_alternative_text() -> None:
    pictures = figure("島の旗＝港") + figure("拡大")
    gallery = f"<figure>{pictures}<figcaption>島の旗＝港</figcaption></figure>"
    page, verdict = read(article(gallery))
    placed = find_pictures(page, verdict)
    assert [placement.figure.caption for placement in placed] == ["島の旗＝港", ""]


def test_pictures_far_from_the_text_are_dropped() -> None:
    far = "<p>" + "Other news of the day, told at some length. " * 60 + "</p>"
    page, verdict = read(
        article(PHOTO, around=f'{far}<img src="/far.jpg" width="900" height="600">')
    )
    found = select_by_method(page, verdict)
    assert [picture.reason for picture in found.rejected] == ["far from the article's text"]


def test_a_picture_that_stands_twice_is_printed_once_and_knows_all_addresses() -> None:
    again = '<figure><img src="/photo-300x200.jpg" alt="again"></figure>'
    page, verdict = read(article(PHOTO, again))
    (placed,) = find_pictures(page, verdict)
    assert set(placed.figure.sources) == {
        "https://news.example.org/photo.jpg", "https://news.example.org/photo-300x200.jpg"
    }  # fmt: skip
    assert placed.figure.src == "https://news.example.org/photo.jpg"


def test_cuter_drops_by_borders_and_declared_size() -> None:
    small = '<img src="/small.jpg" width="100" height="90">'
    strip = '<img src="/strip.jpg" width="900" height="160">'
    unknown = '<img src="/unknown.jpg">'
    page, verdict = read(
        '<img src="/logo.jpg" width="300" height="200"><p>Menu</p>'
        + article(PHOTO, small, strip, unknown)
    )
    assert names(find_pictures(page, verdict, "cuter")) == ["photo.jpg", "unknown.jpg"]
    reasons = [picture.reason for picture in select_by_method(page, verdict, "cuter").rejected]
    assert reasons == [
        "outside the borders of the article",
        "too small (100 x 90 pixels)",
        "shaped like a banner (900 x 160 pixels)",
    ]


def test_joshi_and_liu_take_no_article_for_a_caption() -> None:
    page, verdict = read(article('<img src="photo.jpg" width=600 height=400>'))
    choice = select_by_method(page, verdict, "joshi-liu")
    assert [picture.candidate.element.get("src") for picture in choice.selected] == ["photo.jpg"]
    assert not choice.selected[0].caption.segments


def test_joshi_and_liu_drop_a_caption_about_something_else() -> None:
    other = PHOTO.replace("photo", "other").replace(
        "Ada Fenwick on the ferry at Kestermouth last week.", "Tove Lindqvar in Vell, far away."
    )
    page, verdict = read(article(PHOTO, other, around=PHOTO.replace("photo", "outside")))
    assert names(find_pictures(page, verdict, "joshi-liu")) == ["photo.jpg"]
    assert {
        picture.reason for picture in select_by_method(page, verdict, "joshi-liu").rejected
    } == {
        "its caption names nothing that the article does",
        "outside the article subtree",
    }


HEAD = '<meta property="og:image" content="https://news.example.org/lead.jpg">'


def test_the_pages_own_picture_is_found_far_above_the_text() -> None:
    menu = "".join(
        f"<p>Section {number} of the newspaper with its news</p>" for number in range(40)
    )
    far = f'<figure><img src="/lead-1200x800.jpg" alt="A ferry"></figure>{menu}'
    page, verdict = read(far + article(PHOTO), HEAD)
    assert names(find_pictures(page, verdict)) == ["lead-1200x800.jpg", "photo.jpg"]
    page, verdict = read(far + article(PHOTO), HEAD.replace("lead", "other"))
    assert names(find_pictures(page, verdict)) == ["photo.jpg"]


def test_a_lead_picture_of_the_metadata_stands_before_an_article_without_pictures() -> None:
    page, verdict = read(article(), HEAD)
    (placed,) = find_pictures(page, verdict)
    assert placed.figure.src == "https://news.example.org/lead.jpg"
    assert placed.element.tag == "body"


@pytest.mark.parametrize(
    ("html", "head"),
    [
        (article(PHOTO), HEAD),
        (article(), HEAD.replace("lead.jpg", "site-logo.png")),
        (article(), ""),
        ("<p>Menu</p>", HEAD),
    ],
    ids=["has its own", "a logo", "none", "no article"],
)
def test_otherwise_it_is_left_out(html: str, head: str) -> None:
    page, verdict = read(html, head)
    assert "lead.jpg" not in names(find_pictures(page, verdict))
    assert "site-logo.png" not in names(find_pictures(page, verdict))


def test_a_drawing_brings_its_source_with_the_names_that_svg_needs() -> None:
    drawing = (
        '<figure><svg viewBox="0 0 640 300"><title>Two rays</title><defs><linearGradient id="g">'
        '</linearGradient></defs><path d="M0 0h9"/></svg><figcaption>Rays.</figcaption></figure>'
    )
    page, verdict = read(article(drawing))
    (placed,) = find_pictures(page, verdict)
    assert (placed.figure.src, placed.figure.alt) == ("", "Two rays")
    assert placed.figure.svg.startswith('<svg viewBox="0 0 640 300">')
    assert "<linearGradient" in placed.figure.svg
    assert page.tree.find(".//svg").get("viewbox")  # the tree is as it was


def test_an_unknown_method_is_a_usage_error() -> None:
    page, verdict = read(article())
    with pytest.raises(UsageError, match="nonsense"):
        find_pictures(page, verdict, "nonsense")


@pytest.mark.parametrize(
    "html",
    [
        '<img src="/p.jpg">' * 50_000,
        '<p><img src="/p.jpg">word</p>' * 30_000,
        '<a href="/x">' + '<img src="/p.jpg">word' * 20_000,
        "<picture>" + '<source srcset="/a.jpg 1w">' * 5_000 + '<img src="/p.jpg">' * 5_000,
        "".join(f'<img src="/blank.gif" data-src="/p{i}-blur.jpg">' for i in range(20_000)),
        "<figure>" + "<svg><path/></svg>" * 30_000,
        "<svg><g>" * 250 + "<path/>",
        '<div style="background:url(/p.jpg)">' * 400 + "<b></b>" * 20_000,
        "<noscript>" + '<img src="/p.jpg">' * 20_000,
        '<img srcset="' + "a.jpg , " * 4000 + '">',
        '<img data-x=\'' + "[" * 20_000 + "/a.jpg'>",
    ],
    ids=["many", "among words", "in one link", "sources", "previews", "drawings", "nested drawings",
         "backgrounds", "noscript", "srcset", "json"],
)  # fmt: skip
def test_hostile_pages_cost_little(html: str) -> None:
    page, verdict = read(f"<p>{TEXT}</p>{html}<p>{TEXT}</p>")
    for method in IMAGE_METHODS:
        start = time.process_time()
        find_pictures(page, verdict, method)
        assert time.process_time() - start < 4, method


SECOND = (
    '<figure><img src="/quay.jpg" width="900" height="600" alt="The quay">'
    "<figcaption>The quay at Kestermouth on a market day.</figcaption></figure>"
)


def article_of(*figures: str, **options: Any) -> Article:
    body = "".join(f"<p>{TEXT}</p>{figure}" for figure in figures)
    source = f"<title>The ferry</title><article><h1>The ferry</h1>{body}<p>{TEXT}</p></article>"
    return extract(source, URL, **options)


def test_captions_of_omitted_pictures_are_dropped() -> None:
    with_pictures = article_of(PHOTO, SECOND)
    assert len(with_pictures.figures) == 2
    lead = article_of(PHOTO, SECOND, images="lead")
    assert [figure.caption for figure in lead.figures] == [with_pictures.figures[0].caption]
    none = article_of(PHOTO, SECOND, images="none")
    assert not none.figures
    for article in (with_pictures, lead, none):
        assert "market day" not in article.text
        assert "last week" not in article.text
        assert article.text.count("crossed the river") == 3


def test_captions_that_are_the_article_stay() -> None:
    figures = [
        f'<figure><img src="/{n}.jpg" width="900" height="600"><figcaption>Plate {n}. {TEXT * 2}'
        "</figcaption></figure>"
        for n in range(6)
    ]
    body = f"<title>Plates</title><article><h1>Plates</h1><p>{TEXT}</p>{''.join(figures)}</article>"
    assert extract(body, URL, images="none").text


def test_the_names_of_wares_beside_their_pictures_are_text_and_no_captions() -> None:
    def wares(count: int) -> tuple[Page, Verdict]:
        cards = "".join(
            f'<p><img src="/w-{n}.jpg" width="600" height="400"><br><i>The ware number {n}.</i></p>'
            for n in range(count)
        )
        page = read_page(f"<article><p>{TEXT}</p>{cards}<p>{TEXT}</p></article>", URL)
        return page, Verdict((True,) * len(page.segments))

    few, many = (find_pictures(*wares(count)) for count in (2, 40))
    assert [placement.figure.caption for placement in few] == [
        "The ware number 0.",
        "The ware number 1.",
    ]
    assert many
    assert not any(placement.captions or placement.figure.caption for placement in many)


def test_a_formula_drawn_as_a_picture_stays_a_formula() -> None:
    formulas = "".join(
        f'<p>{TEXT}<img class="latex" src="https://s.example.org/latex.php?latex=x%5E{n}&bg=fff"'
        f' alt="x^{n} = \\\\alpha"></p>'
        for n in range(3)
    )
    found = extract(
        f"<html><body><article><h1>The ferry</h1>{formulas}</article></body></html>", URL
    )
    assert not found.figures


def test_all_pictures_of_a_list_are_printed_if_some_are() -> None:
    name = "The mayor of Kestermouth with boat number {}"
    files = {"boat1.jpg": "", "boat2.jpg": "", "boat3.jpg": "", "logo-badge.png": "Logo"}
    tiles = "".join(
        f'<li class=tile><img src="/{file}" alt="{alt}" width=330 height=240><h3>{name.format(at)}'
        "</h3></li>"
        for at, (file, alt) in enumerate(files.items())
    )
    page, verdict = read(f"<main><h1>Boats</h1><p>{TEXT}</p><ul>{tiles}</ul><p>{TEXT}</p></main>")
    assert names(find_pictures(page, verdict)) == list(files)
    page, verdict = read(f"<main><h1>Boats</h1><p>{TEXT}</p>{tiles[-130:]}<p>{TEXT}</p></main>")
    assert names(find_pictures(page, verdict)) == []


@pytest.mark.parametrize(("kind", "count"), [("collection", 4), ("listing", 4), ("article", 3)])
def test_all_pictures_of_a_list_of_things_are_printed_if_most_are(kind: str, count: int) -> None:
    files = {"boat1.jpg": "", "boat2.jpg": "", "boat3.jpg": "", "logo-badge.png": "Logo"}
    tiles = "".join(
        f'<li class=tile><img src="/{file}" alt="{alt}" width=330 height=240><h3>Boat {at}</h3>'
        "<button>Add to the basket</button></li>"
        for at, (file, alt) in enumerate(files.items())
    )
    page, verdict = read(f"<main><h1>Boats</h1><p>{TEXT}</p><ul>{tiles}</ul><p>{TEXT}</p></main>")
    keep = tuple("basket" not in segment.text for segment in page.segments)
    assert len(find_pictures(page, replace(verdict, keep=keep, kind=kind))) == count


@pytest.mark.parametrize(("count", "expected"), [(4, 4), (2, 1)])
def test_a_picture_below_the_last_line_that_is_like_the_others_is_printed(
    count: int, expected: int
) -> None:
    picture = '<div class=box><img src="/boat{}.png"><button>Zoom</button></div>'
    lines = "".join(f"<p>{TEXT}</p><p>{TEXT}</p>{picture.format(at)}" for at in range(count))
    page, verdict = read(f"<main><h1>The ferry</h1>{lines}</main><p>Menu</p><p>More</p>")
    assert len(find_pictures(page, verdict)) == expected


def test_of_the_copies_of_a_picture_the_one_with_a_caption_is_printed() -> None:
    bare = '<figure><img src="/photo.jpg" width="900" height="600" alt="A ferry"></figure>'
    page, verdict = read(article(bare, PHOTO))
    (placed,) = find_pictures(page, verdict)
    assert placed.figure.caption == "Ada Fenwick on the ferry at Kestermouth last week."


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        ("<img src='/access/?free=&left=6'>", "a tracking pixel"),
        (
            "<img src='/fetch/https%3A%2F%2Fx.org%2Faccess%2F%3Ffree%3D%26left%3D6'>",
            "a tracking pixel",
        ),
        ("<a href='javascript:larger()'><img src='/type_plus.gif' alt=Larger></a>", "a button"),
        ("<div class=badge><img src='/best.svg.png'></div>", "a drawing of the interface"),
        ("<p><img src=/photo/line.jpg width=900 height=2 alt=Sheep></p>", "a divider"),
    ],
)
def test_pictures_that_show_nothing_are_refused(picture: str, reason: str) -> None:
    page, verdict = read(
        f"<div>{picture}</div>{article()}".replace("<article>", f"<article>{picture}")
    )
    selection = select_by_method(page, verdict)
    assert not selection.selected
    assert any(reason in rejected.reason for rejected in selection.rejected)


@pytest.mark.parametrize(
    ("small", "wide"),
    [
        ("part-hidden-desktop part-hidden-tablet", "part-hidden-mobile"),
        ("d-lg-none", "d-none d-lg-block"),
        ("lg:hidden", "hidden lg:block"),
        ("picture mobile-only", "desktop-only"),
    ],
)
def test_of_two_versions_for_screens_the_one_for_wide_screens_is_printed(
    small: str, wide: str
) -> None:
    picture = '<div class="{}"><img src="/{}.jpg" width="900" height="600" alt="A ferry"></div>'
    versions = picture.format(small, "small") + picture.format(wide, "wide")
    page, verdict = read(article(f"<div>{versions}</div>"))
    assert names(find_pictures(page, verdict)) == ["wide.jpg"]
    page, verdict = read(article(f"<div>{picture.format(small, 'small')}</div>"))
    assert names(find_pictures(page, verdict)) == ["small.jpg"]


def test_a_picture_without_text_that_is_repeated_in_the_text_divides_it() -> None:
    rule = '<p><img src="/border.jpg"></p>'
    page, verdict = read(article(PHOTO, rule, rule, rule))
    selection = select_by_method(page, verdict)
    assert [picture.candidate.alt for picture in selection.selected] == ["A ferry"]
    assert {picture.reason for picture in selection.rejected} == {"an ornament"}


def test_the_frame_of_a_layout_table_is_none_of_the_articles_pictures() -> None:
    frame = "<td><img src=/left_top.gif></td><td><img src=/left_bottom.gif></td>"
    page, verdict = read(f"<table><tr>{frame}<td>{article(PHOTO, '')}</td>{frame}</tr></table>")
    selection = select_by_method(page, verdict)
    assert [picture.candidate.alt for picture in selection.selected] == ["A ferry"]


def test_the_current_slide_is_one_of_its_slide_show() -> None:
    slides = "".join(
        f'<div class="slide{state}"><img src="/{n}.jpg" alt="{"The ferry on the river " * 3}">'
        f'<div class="media_copyright"><a href="/legal.html">© River Agency</a></div></div>'
        for n, state in enumerate((" slide-active", "", "", ""))
    )
    page, verdict = read(article(f'<div class="slideshow content">{slides}</div>'))
    found = names(find_pictures(page, verdict))
    assert found == ["0.jpg", "1.jpg", "2.jpg", "3.jpg"]


def test_a_source_in_the_link_of_a_picture_makes_no_teaser() -> None:
    boxes = [
        f'<div class="picture-container"><a href="/pictures/{n}.html"><img src="/red-house-by-the-'
        f'coast-line-in-spring-{n}.jpg" alt="The ferry at the pier"><span class="picture-source">'
        f"(Source: Ann Other, Kestermouth)</span></a></div><p>{TEXT}</p><p>{TEXT}</p>"
        for n in range(4)
    ]
    page, verdict = read(article("", *boxes))
    found = find_pictures(page, verdict)
    assert len(found) == 4
    assert {placed.figure.caption for placed in found} == {"Source: Ann Other, Kestermouth"}


@pytest.mark.parametrize(("side", "remains"), [(32, False), (64, False), (90, True)])
def test_a_picture_as_small_as_an_icon_is_dropped_even_with_a_caption(side, remains) -> None:
    small = PHOTO.replace('width="900" height="600"', f'width="{side}" height="{side}"')
    assert bool(find_pictures(*read(article(small)))) == remains


def test_a_picture_below_a_heading_that_is_left_out_is_not_the_articles() -> None:
    for heading, last in (("Pin it", "A ferry"), (TEXT, "Sheep")):
        page, verdict = read(article(PHOTO) + f"<h2>{heading}</h2>{CARD}")
        found = select_by_method(page, verdict)
        assert found.selected[-1].candidate.alt == last


@pytest.mark.parametrize(
    ("title", "day", "count"),
    [
        ("World in pictures", "{} May 2024", 1),
        ("World in pictures", "1 May 2024", 7),
        ("World in pictures", "{}", 7),
        ("World in pictures", "", 7),
        ("Ferry in pictures", "{} May 2024", 7),
        ("Photo", "{} May 2024", 7),
        ("图片说明", "2024年5月{}日", 7),
    ],
)
def test_only_the_pictures_of_another_series_of_the_day_are_left_out(
    title: str, day: str, count: int
) -> None:
    slide = (
        "<figure><img src='/{0}.jpg' width=900 height=600 alt='A'><figcaption><h3>{1}</h3>"
        "<p>{2}</p><p>A crowd in a town square beside the river.</p></figcaption></figure>"
    )
    slides = "".join(slide.format(n, title, day.format(n)) for n in range(6))
    page, verdict = read(article(PHOTO, f"<div>{slides}</div>"))
    assert len(find_pictures(page, verdict)) == count


def test_the_copy_in_a_dialog_is_not_printed_again() -> None:
    opener = PHOTO.replace("<img", "<img data-target='#box'")
    dialog = "<div id={} class=modal role=dialog><img src='/large.jpg' width=900 height=600></div>"
    page, verdict = read(article(opener + dialog.format("box")))
    assert names(find_pictures(page, verdict)) == ["photo.jpg"]
    page, verdict = read(article(PHOTO + dialog.format("other")))
    assert names(find_pictures(page, verdict)) == ["photo.jpg"]


def test_a_linked_credit_makes_no_teaser() -> None:
    show = (
        "<div class=slide><img src='/{0}.jpg' width=600 height=400 alt='Boat'><div>{1}</div></div>"
    )
    link = "<a href=/rights>© Kester Pictures/ Tam {}</a>"
    slides = "".join(show.format(n, link.format(n)) for n in ("a", "b", "c"))
    page, verdict = read(article(f"<div class=slideshow>{slides}</div>"))
    assert names(find_pictures(page, verdict)) == ["a.jpg", "b.jpg", "c.jpg"]


def test_text_beside_an_icon_is_no_caption() -> None:
    icon = "<img src='/check-2.svg' alt=Checkmark>"
    table = f"<table><tr><td>{icon}<td>Ada Fenwick, the mayor of Kestermouth<td></table>"
    page, verdict = read(article(PHOTO, table))
    selection = select_pictures(page, verdict, ExtractOptions())
    assert drop_captions(page, verdict, selection).keep == verdict.keep


def test_the_placeholder_of_several_pictures_is_not_printed() -> None:
    stand_in = PHOTO.replace("/photo.jpg", "/lazy/placeholder.gif")
    page, verdict = read(article(stand_in, stand_in))
    assert find_pictures(page, verdict) == ()


def test_a_picture_that_the_text_of_a_manual_shows_twice_is_printed_twice() -> None:
    line = "<p>The mayor of Kestermouth has {} oars.</p>"
    steps = (
        f"<p><img src=/boat-1.png></p>{line.format('two')}",
        line.format("no"),
        f"<ol><li><p><img src=/boat-1.png></p></li></ol>{line.format('four')}",
    )
    page, verdict = read(article(*steps))
    for kind, count in (("documentation", 2), ("article", 1)):
        assert len(find_pictures(page, replace(verdict, kind=kind))) == count
    page, verdict = read(article(steps[0], steps[0].replace("two", "three")))
    assert len(find_pictures(page, verdict)) == 2
    icons = "<p class=icon><img src=/boat-1.svg alt=Boat></p>", ""
    page, verdict = read(article(*icons, *icons))
    assert len(find_pictures(page, replace(verdict, kind="documentation"))) <= 1


def cards(count: int, card: str) -> str:
    return "".join(card.replace("NUMBER", str(number)) for number in range(count))


@pytest.mark.parametrize(
    ("file", "count"), [("team/portrait-1.jpg", 6), ("sponsor-1.png", 6), ("ads/1.png", 5)]
)
def test_the_pictures_of_entries_are_printed_alike(file: str, count: int) -> None:
    entries = cards(6, "<article class='post author-reed'><div class=main><a href=/n/NUMBER>"
                       "<img src=/quay-NUMBER.jpg alt='The boats of the north go to sea NUMBER'>"
                       "</a></div><h2><a href=/n/NUMBER>Boats of NUMBER</a></h2>"
                       + f"<p>{TEXT} NUMBER</p>" * 6 + "</article>")  # fmt: skip
    page = read_page(f"<main><h1>Boats</h1>{entries.replace('quay-1.jpg', file)}</main>", URL)
    verdict = Verdict((True,) * len(page.segments), kind="listing")
    assert len(find_pictures(page, verdict)) == count


def test_the_cards_of_a_list_keep_the_pictures_that_they_share() -> None:
    boats = cards(4, '<div class="card promo"><a href="/boats/NUMBER"><h4>K 10NUMBER</h4>'
                     "<img src=/boat.png><h3>The boat number NUMBER with two oars</h3></a></div>")  # fmt: skip
    boats = boats.replace("/boat.png", "/boat-a.png", 2)
    page = read_page(f"<main><h1>Boats</h1><p>{TEXT}</p>{boats}</main>", URL)
    verdict = Verdict((True,) * len(page.segments), kind="listing")
    found = names(find_pictures(page, verdict))
    assert found == ["boat-a.png", "boat-a.png", "boat.png", "boat.png"]
    twice = boats.replace("number 3", "number 2").replace("K 103", "K 102")
    page = read_page(f"<main><h1>Boats</h1><p>{TEXT}</p>{twice}</main>", URL)
    assert names(find_pictures(page, verdict)).count("boat.png") == 1


@pytest.mark.parametrize("has_name", [True, False])
def test_the_picture_in_the_link_of_an_entry_is_not_a_teaser(has_name: bool) -> None:
    boats = cards(5, "<a href=/b/NUMBER><div><img src=/b-NUMBER.jpg alt='The boat in the harbour'>"
                     "<p>Look at this boat in the shop</p></div><h3>The oak boat NUMBER</h3></a>")  # fmt: skip
    page = read_page(f"<main><h1>Boats</h1><p>{TEXT}</p>{boats}</main>", URL)
    keep = tuple(part.text in ("Boats", TEXT) or (has_name and "oak" in part.text)
                 for part in page.segments)  # fmt: skip
    assert len(find_pictures(page, Verdict(keep, kind="collection"))) == (5 if has_name else 0)


def test_the_links_of_a_template_are_of_no_entry() -> None:
    boats = cards(5, "<a href=/b/NUMBER><img src=/b-NUMBER.jpg alt='The boat in the harbour'></a>")
    html = f"<main><h1>Boats</h1><p>{TEXT}</p><template>{boats}</template></main>"
    page = read_page(html, URL)
    assert len(find_pictures(page, Verdict((True,) * len(page.segments), kind="collection"))) == 5


@pytest.mark.parametrize("before", [True, False])
def test_the_picture_of_a_card_without_its_text_is_not_printed(before: bool) -> None:
    row = cards(5, "<div class=tile><a href=/c/NUMBER><figure><img src=/c-NUMBER.jpg alt=Boats>"
                   "</figure></a><div><a href=/c/NUMBER>All boats of kind NUMBER</a></div></div>")  # fmt: skip
    text = f"<p>{TEXT}</p><p>{TEXT}</p>"
    page, verdict = read(f"<main><h1>Boats</h1>{row}{text}</main>" if before else text + row + text)
    assert not find_pictures(page, replace(verdict, kind="collection"))


def test_a_picture_above_the_text_that_no_reader_sees_is_not_printed() -> None:
    picture = '<div{}><img{} src="/pin.jpg" width="900" height="600"></div>'
    hidden = " style='display: none'"
    for styles, count in (((hidden, ""), 0), (("", hidden), 1), (("", ""), 1)):
        body = f"<h1>The ferry</h1>{picture.format(*styles)}<p>{TEXT}</p><p>{TEXT}</p>"
        page, verdict = read(f"<main>{body}</main>")
        assert len(find_pictures(page, verdict)) == count


def test_only_small_pictures_in_the_line_of_the_date_are_ornaments() -> None:
    for side, count in ((40, 0), (900, 1)):
        picture = f"<img src=/a.jpg width={side} height={side}>"
        line = f"<div>May 3, {picture} 2024</div>"
        page, verdict = read(f"<main><h1>The ferry</h1>{line}<p>{TEXT}</p><p>{TEXT}</p></main>")
        assert len(find_pictures(page, verdict)) == count, side


def test_a_picture_that_is_never_visible_is_dropped() -> None:
    hidden = "<img src=/a.jpg width=900 height=600 style='visibility: hidden'{}>"
    for attribute, count in (("", 0), (" data-loaded=no", 1)):
        page, verdict = read(article(f"<figure>{hidden.format(attribute)}</figure>"))
        assert len(find_pictures(page, verdict)) == count, attribute


def test_a_picture_below_links_to_other_pages_is_a_banner() -> None:
    banner = (
        "<section><a aria-label=Oars href=/oars style='left:50%'>&nbsp;</a><picture>"
        "<img src=/oars.jpg width=900 height=600 alt='Shop for oars'></picture>"
        "<p>Until Monday.</p><p>In all shops.</p></section>"
    )
    page, verdict = read(article(PHOTO, banner))
    selection = select_by_method(page, replace(verdict, kind="collection"))
    assert [picture.candidate.alt for picture in selection.selected] == ["A ferry"]


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        ("<div class=hero__bg><img src=/a.jpg width=900 height=600></div>", "an ornament"),
        ("<div class=part__bg aria-hidden=true><img src=/a.jpg width=900 height=600></div>",
         "an ornament"),
        ("<div class=pageBackgroundImageWrapper><img src=/a.jpg width=900 height=600></div>",
         "an ornament"),
        ("<figure><img src=/a.jpg width=900 height=600 alt='Background image'></figure>",
         "an ornament"),
        ("<figure><img src=/stripe-bg.jpg width=900 height=600 role=presentation></figure>",
         "an ornament"),
        ("<p data-bs-toggle=tooltip title=Mark><img src=/m.png width=900 height=600></p>",
         "an ornament"),
        ("<h3><a href=http://v.example.org/1><img src=/i/film32.png alt=Film></a>Learn more</h3>",
         "a drawing of the interface"),
        ("<figure class=teaser><a href=/film><img src=/a.jpg width=900 height=600></a><figcaption>Photo: The Tide"
         "</figcaption><p>Watch the goats</p></figure>",
         "a teaser of another page"),
        ("<p><a href=\"javascript:size('body')\"><img src=/img/larger.gif alt=Larger></a></p>",
         "a button with a script"),
        ("<p><a href=/photo.jpg><img src=/img/larger.gif></a></p>",
         "a button with a script"),
    ],
)  # fmt: skip
def test_decoration_and_buttons_are_refused(picture: str, reason: str) -> None:
    page, verdict = read(article(PHOTO, picture))
    keep = tuple(
        flag or "Learn" in s.text for flag, s in zip(verdict.keep, page.segments, strict=True)
    )
    selection = select_by_method(page, replace(verdict, keep=keep))
    assert [picture.candidate.alt for picture in selection.selected] == ["A ferry"]
    assert [picture.reason for picture in selection.rejected] == [reason]


def test_the_ribbon_and_the_background_of_a_card_are_refused() -> None:
    size = "width=900 height=600"
    layers = f"<img class=card-background alt=Sea src=/a.jpg {size}>"
    layers += f"<img class='new sale-ribbon' alt=New src=/b.jpg {size}>"
    boat = f"<img src=/boat.jpg {size} alt=Boat>"
    page, verdict = read(article(PHOTO, f"<ul><li>{layers}{boat}</li></ul>"))
    selection = select_by_method(page, verdict)
    assert [picture.candidate.alt for picture in selection.selected] == ["A ferry", "Boat"]
    page, verdict = read(article(PHOTO, f"<ul><li>{boat.replace('img', 'img class=card-bg')}</ul>"))
    assert len(find_pictures(page, verdict)) == 2


def test_covers_that_alone_name_what_a_list_describes_have_captions() -> None:
    cover = "<a href=/{0}><img class=cover src=/{0}.jpg width=900 height=600 alt='{0} boat'></a>"
    names = "Oak", "Elm", "Ash"
    entries = "".join(f"<div>{cover.format(name)}<p>{TEXT} {name}.</p></div>" for name in names)
    for body, captions in (
        (entries, [f"{name} boat" for name in names]),
        (entries + "".join(f"<h3>{name} boat</h3><p>{TEXT}</p>" for name in names), [""] * 3),
    ):
        page, verdict = read(f"<main><article>{body}</article></main>")
        verdict = replace(verdict, kind="collection", keep=(True,) * len(page.segments))
        selection = select_pictures(page, verdict, ExtractOptions())
        assert [picture.caption.text for picture in selection.selected] == captions


def test_a_row_of_logos_with_a_copy_for_no_reader_is_refused() -> None:
    logos = [f"<img class=mark src=/m{n}.png width=300 height=200 alt=M{n}>" for n in range(4)]
    copies = "".join(logos).replace("class", "aria-hidden=true class")
    named = f"<div class=LogoTicker>{logos[0]}</div>"
    for row, count in ((f"<div>{''.join(logos)}{copies}</div>", 5), (named, 2)):
        page, verdict = read(article(PHOTO, row))
        assert len(find_pictures(page, verdict)) == count
        selection = select_by_method(page, replace(verdict, kind="service"))
        assert [picture.candidate.alt for picture in selection.selected] == ["A ferry"]


@pytest.mark.parametrize(
    "picture",
    [
        "<div class='slide-background'><img src=/a.jpg width=900 height=600></div>",
        "<div class='has-background'><img src=/a.jpg width=900 height=600></div>",
        "<div class=part__bg><img src=/a.jpg width=900 height=600></div>",
        "<a aria-hidden=true><img src=/pier-bg.jpg width=900 height=600></a>",
        "<h3><img src=/star-of-the-river.jpg alt=Boat></h3>",
        "<div class=hero__bg><img src=/a.jpg width=900 height=600 alt='The ferry'></div>",
        "<h3><img src=/boat-1932.png alt=Boat></h3>",
        "<img src=/a.jpg width=900 height=600 aria-hidden=true role=presentation alt=Boat>",
    ],
)
def test_other_pictures_are_not(picture: str) -> None:
    page, verdict = read(article(PHOTO, picture))
    assert len(find_pictures(page, verdict)) == 2


def test_a_picture_that_ends_the_article_with_its_alternative_text_as_caption_is_printed() -> None:
    words = "The ferry lay at the quay of Kester for the last time in the spring of that year"
    box = f"<aside class=embed><b>Photo</b><div><img src=/end.jpg alt='{words}'></div>{{}}</aside>"
    for line, printed in ((f"<div>{words}</div>", ["end.jpg"]), ("<div>Another ferry</div>", [])):
        page, verdict = read(
            f"<article><h1>The ferry</h1>{f'<p>{TEXT}</p>' * 9}{box.format(line)}</article>"
        )
        assert names(find_pictures(page, verdict)) == printed


@pytest.mark.parametrize(
    ("picture", "kind", "remains"),
    [
        ('<img src="/quay-icon.png">', "article", False),
        ('<img src="/quay-icon.png" alt="Quay icon">', "article", False),
        ('<img src="/quay-icon.png" alt="The icon on the map">', "service", False),
        ('<img src="/quay-icon.png" alt="The quay at noon">', "article", True),
        ('<img src="/style-icons.jpg">', "article", True),
        ('<img src="/icon-of-the-sea.webp" width=900 height=600>', "article", True),
        ('<img src="/silicon.png">', "article", True),
        ('<img src="/logo-marl.svg">', "service", False),
        ('<div class="logo-item"><img src="/marl.png"></div>', "product", False),
        ('<div class="boat-item"><img src="/marl.png"></div>', "product", True),
        ('<img src="/ferry-logo.jpg" width=198 height=54>', "article", True),
        ('<img src="/ferry-logo.png" width=198 height=54>', "article", False),
        ('<img src="/ferry-logo.png" width=198 height=54>', "collection", True),
        ('<img src="/row.png" alt="4.5 out of 5 stars">', "article", False),
        ('<img src="/row.png" alt="4 of 52 ferries">', "article", True),
    ],
)
def test_an_icon_or_the_logo_of_a_customer_is_refused(picture, kind, remains) -> None:
    page, verdict = read(article(f'<figure class="wp-block-image">{picture}</figure>'))
    assert bool(find_pictures(page, replace(verdict, kind=kind))) is remains


@pytest.mark.parametrize(
    ("picture", "remains"),
    [
        ('<div style="background-image:url(/quay_divider.jpg)"></div>', False),
        ('<div style="background-image:url(/quay_night.jpg)"></div>', True),
        ('<div style="background-image:url(/quay_clear_day.jpg)"></div>', True),
        ('<label style="background-image:url(/black.jpg)"></label>', False),
        (
            '<figure class="wp-block-image"><img src="/quay.jpg" alt="Dot background"></figure>',
            False,
        ),
        (
            '<figure class="wp-block-image"><img src="/quay.jpg" alt="In the background"></figure>',
            True,
        ),
        ('<a href="/"><figure><img src="/quay.jpg"></figure></a>', False),
        ('<a href="https://news.example.org"><figure><img src="/quay.jpg"></figure></a>', False),
        ('<a href="/"><figure><img src="/q.jpg" alt="The quay at noon"></figure></a>', True),
        ('<a href="/shop/oars"><figure><img src="/q.jpg" alt="Oars"></figure></a>', False),
        ('<a href="/book-a-demo"><figure><img src="/q.jpg" alt="Sails"></figure></a>', False),
        ('<a href="/shops-by-the-sea"><figure><img src="/q.jpg" alt="Shop"></figure></a>', True),
        ('<a href="//b.test/shop/oars"><figure><img src="/q.jpg" alt="Oar"></figure></a>', True),
        ('<figure><img src="/q.jpg" alt="The quay at noon" usemap="#quay"></figure>', False),
        ('<figure class="wp-block-image"><img src="/subscribe-box.jpg" width=650></figure>', True),
    ],
)
def test_decoration_and_banners_of_the_site_are_refused(picture: str, remains: bool) -> None:
    page, verdict = read(article(picture))
    assert bool(find_pictures(page, replace(verdict, kind="article"))) is remains


@pytest.mark.parametrize(
    ("picture", "remains"),
    [
        ('<img src="/cake.jpg" alt="The cake of the mayor" width=640 height=960>', True),
        ('<img src="/cake.jpg" alt="The cake of the mayor" width=150 height=150>', False),
        ('<figure><div><img src="/cake.jpg"></div><p>The cake of the mayor</p></figure>', True),
        ('<a href="/cakes"><img src="/cake.jpg" width=640 height=960></a>', False),
        (
            '<figure class=gallery><img src="/Marl-Headshot.jpg" width=640 height=440></figure>',
            False,
        ),
        (
            '<figure class=gallery><img src="/Marl-by-night.jpg" width=640 height=440></figure>',
            True,
        ),
    ],
)
def test_a_large_picture_right_below_the_last_line_ends_the_article(picture, remains) -> None:
    text = f"<p>{TEXT * 4}</p>" * 3
    html = f"<article><h1>The ferry</h1>{text}<p>{picture}</p><p>Tags: quay</p>"
    more = "More of this: boats, quays and ferries of the lake. " * 7
    page, verdict = read(f"{html}<p>{more}</p></article>")
    assert bool(find_pictures(page, replace(verdict, kind="article"))) is remains


@pytest.mark.parametrize(
    "picture",
    [
        "<p><img src=/pier.png width=48 alt=Pier></p>",
        "<p><img src=/pier.png width=72 alt='Pier icon'></p>",
        "<p><img src=/img/no-image.png width=900 height=600></p>",
        "<p><img src=/img/missing_photo.jpg width=900 height=600></p>",
        "<div class=ticker><img src=/tide.svg width=300 height=200 alt='The Tide'></div>",
        "<p>3 May 2024 <b><img src=/pier.jpg>Comments (3)</b></p>",
    ],
)
def test_icons_and_stand_ins_are_refused(picture: str) -> None:
    page, verdict = read(article(PHOTO, picture))
    assert names(find_pictures(page, verdict)) == ["photo.jpg"]


@pytest.mark.parametrize(
    "picture",
    [
        "<p><img src=/pier.png width=300 alt=Pier></p>",
        "<p><img src=/pier.png width=900 height=600 alt='An old icon'></p>",
        "<p><img src=/no-image-of-the-pier.png width=900 height=600></p>",
        "<div class=ticker><img src=/pier.jpg width=900 height=600 alt='The pier'></div>",
        "<p><img src=/pier.jpg width=900 height=600></p><p>3 May 2024</p>",
    ],
)
def test_pictures_that_resemble_icons_and_stand_ins_are_selected(picture: str) -> None:
    page, verdict = read(article(PHOTO, picture))
    assert len(find_pictures(page, verdict)) == 2


def test_a_picture_by_the_author_of_that_day_with_a_description_is_no_portrait() -> None:
    head = "<meta name=author content='Ada Fenwick'><meta name=date content=2024-05-03>"
    text = (
        "The ferry lies at the quay of Kestermouth on May 3, 2024, where the mayor wants to sell it"
    )
    picture = (
        f"<figure><img src=/a.jpg><figcaption>{text}. (ADA FENWICK/The Tide)</figcaption></figure>"
    )
    page, verdict = read(article(picture), head)
    assert len(find_pictures(page, verdict)) == 1


@pytest.mark.parametrize(("width", "count"), [(339, 3), (90, 2)])
def test_a_tile_named_as_an_icon_is_printed_with_the_others_of_its_row(
    width: int, count: int
) -> None:
    tile = '<div><a href="/{0}.html"><img src="/{0}.png" width={1} height={1} alt="{2}"></a></div>'
    tiles = "".join((
        tile.format("boats", 339, "For mariners"), tile.format("oars", 339, "For mariners"),
        tile.format("guides_icon", width, "Guides icon"),
    ))  # fmt: skip
    page, verdict = read(article(f"<div>{tiles}</div>"))
    assert len(find_pictures(page, verdict)) == count


@pytest.mark.parametrize(("rel", "count"), [("home", 0), ("bookmark", 1)])
def test_the_logo_that_leads_home_is_no_lead_picture(rel: str, count: int) -> None:
    logo = f'<a rel={rel} href="/"><img src="/ferry.png" width="1746" height="585" alt="Tide"></a>'
    head = '<meta property="og:image" content="https://news.example.org/ferry.png">'
    page, verdict = read(f"<h1>The ferry</h1>{logo}<p>{TEXT}</p><p>{TEXT}</p>", head)
    assert len(find_pictures(page, verdict)) == count


def test_the_logo_of_a_company_is_kept() -> None:
    mill = f'<a class="company-logo" href="/mill">{PLAIN.format("The mill")}</a>'
    found = select_by_method(*read(article(PHOTO, f"<div>{mill}</div>")))
    assert "The mill" in [picture.candidate.alt for picture in found.selected]


def test_pictures_that_their_alternative_texts_credit_to_the_author_are_no_portraits() -> None:
    alts = ("Ann Other", "The quay by Ann Other", "Low tide, Ann Other", "Gulls by Ann Other")
    pictures = [
        f"<div>{PLAIN.replace('p.jpg', f'{n}.jpg').format(a)}</div>" for n, a in enumerate(alts)
    ]
    head = '<meta name="author" content="Ann Other">'
    found = select_by_method(*read(article(*pictures), head))
    assert [picture.candidate.alt for picture in found.selected] == list(alts[1:])
    assert [picture.reason for picture in found.rejected] == ["a portrait of the author"]
    below = f"<div>{PLAIN.replace('p.jpg', 'me.jpg').format('About Ann Other')}</div>"
    found = select_by_method(*read(article(*pictures, around=below), head))
    assert [picture.reason for picture in found.rejected] == ["a portrait of the author"] * 2
    few = select_by_method(*read(article(*pictures[:3]), head))
    assert not few.selected


@pytest.mark.parametrize("beside", ["<figure>{}</figure>", "<div class=photo>{}</div>"])
def test_a_background_beside_a_picture_is_printed(beside: str) -> None:
    background = '<div class="boat-photo" style="background-image: url(/boat.jpg)"></div>'
    picture = beside.format(PLAIN.format("The quay"))
    page, verdict = read(article(f"<section>{background}{picture}</section>"))
    assert len(find_pictures(page, verdict)) == 2


@pytest.mark.parametrize(("repeat", "count"), [("no-repeat", 2), ("repeat-x", 1)])
def test_a_background_that_is_repeated_in_one_direction_is_no_picture(
    repeat: str, count: int
) -> None:
    style = f"background-image: url(/boat.jpg); background-repeat: {repeat}"
    page, verdict = read(article(PHOTO, f'<div class="boat-photo" style="{style}"></div>'))
    assert len(find_pictures(page, verdict)) == count


def test_a_round_picture_between_title_and_text_is_a_portrait() -> None:
    portrait = f'<div class="w-8 rounded-full"><span>{PLAIN.format("Our herd")}</span></div>'
    page = article(PHOTO).replace("</h1>", f"</h1>{portrait}")
    found = select_by_method(*read(page))
    assert [picture.candidate.alt for picture in found.selected] == ["A ferry"]
    assert [picture.reason for picture in found.rejected] == ["a portrait of the author"]


@pytest.mark.parametrize(
    ("attributes", "caption", "credit"),
    [
        ('alt="The new ferry © Ida Reed"', "", "© Ida Reed"),
        ('alt="The new ferry (Photo: Ida Reed / Shore)"', "At noon.", "Photo: Ida Reed / Shore"),
        ('alt="The new ferry" title="The new ferry | Bildquelle: Reed"', "", "Bildquelle: Reed"),
        ('alt="The new ferry" title="The new ferry | dpa"', "At noon.", "dpa"),
        ('alt="The new ferry" title="The new ferry | The Shore"', "At noon.", ""),
        ('alt="The new ferry © Ida Reed"', "At noon. Photo: Ann Marl", "Photo: Ann Marl"),
        ('alt="The new ferry © Ida Reed"', "The ferry as Ida Reed saw it", ""),
        ('alt="The mayor (L), the captain (C) and the pilot at noon"', "At noon.", ""),
        ('alt="The new ferry. Photo: 8 March 2021"', "At noon.", ""),
        ('alt="The new ferry. Foto: dpa/Ida Reed"', "At noon.", "Foto: dpa/Ida Reed"),
        ('alt="The new ferry © reed/shore"', "At noon.", "© reed/shore"),
        ('alt="The new ferry ©"', "At noon.", ""),
        ('alt="The new ferry Foto: "', "At noon.", ""),
        ('alt="The ferry (Photo: Ida Reed) seen at night from the quay"', "At noon.", ""),
        ('alt="The diagram. Image: left is the mill"', "At noon.", ""),
        ('alt="It is © 2019 Harbour Ltd. All rights reserved"', "At noon.", ""),
        (f'alt="The new ferry. Photo: {"one of many on the river " * 6}"', "At noon.", ""),
    ],
)
def test_a_credit_may_be_in_the_alternative_text_only(
    attributes: str, caption: str, credit: str
) -> None:
    picture = f"<img src=/p.jpg width=900 height=600 {attributes}>"
    html = article(f"<figure>{picture}<figcaption>{caption}</figcaption></figure>")
    (placed,) = find_pictures(*read(html))
    assert placed.figure.credit == credit
