"""The pictures of a page: addresses, copies, placeholders, drawings."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.html.page import read_page
from printer.images.candidates import MAX_CANDIDATES, find_candidates
from printer.images.srcset import (
    ImageSource,
    absolute_url,
    best_source,
    parse_srcset,
    picture_key,
    width_from_url,
)

URL = "https://news.example.org/a/story.html"


def found(html: str, url: str = URL) -> list[tuple[str, ...]]:
    page = read_page(f"<body>{html}</body>", url)
    return [candidate.urls(page.base) for candidate in find_candidates(page)]


def test_a_spacer_below_a_picture_is_none_of_its_copies() -> None:
    html = "<td><img src=/p.jpg width=234><br><img src=/spacer.gif width=234 height=7></td>"
    picture = find_candidates(read_page(f"<table><tr>{html}</table>", URL))[0]
    assert picture.urls(URL) == ("https://news.example.org/p.jpg",)
    assert (picture.width, picture.height) == (234, 0)


@pytest.mark.parametrize(
    ("html", "sources"),
    [
        ('<img src="p.jpg">', [("https://news.example.org/a/p.jpg",)]),
        ('<img src="//cdn.example.org/p.jpg">', [("https://cdn.example.org/p.jpg",)]),
        ('<amp-img src="/p.jpg"></amp-img>', [("https://news.example.org/p.jpg",)]),
        (
            '<lead-image-v2 data-src="/p.jpg"></lead-image-v2>',
            [("https://news.example.org/p.jpg",)],
        ),
        ('<gallery-slide src="/p.jpg"></gallery-slide>', [("https://news.example.org/p.jpg",)]),
        ('<gallery-slide src="/p.json" data-icon="/p.jpg"></gallery-slide>', []),
        ('<film-player src="/play?poster=p.jpg"></film-player>', []),
        ('<zoom-box src="/l.jpg"><img src="/p.jpg"></zoom-box>', [("p",)]),
        ('<canvas><img src="/1.jpg"><img src="/2.jpg"></canvas>', []),
        ('<canvas><img src="/p.jpg"><p>A chart</canvas>', [("https://news.example.org/p.jpg",)]),
        ('<lead-image><img src="/p.jpg"></lead-image>', [("https://news.example.org/p.jpg",)]),
        (
            '<img src="/grey.gif" data-src="/p.jpg">',
            [("https://news.example.org/p.jpg", "https://news.example.org/grey.gif")],
        ),
        ('<img data-original="/p.jpg">', [("https://news.example.org/p.jpg",)]),
        ('<img data-someone-else="/p.jpg">', [("https://news.example.org/p.jpg",)]),
        (
            '<img src="/s.jpg" srcset="/s.jpg 400w, /m.jpg 1600w, /l.jpg 3000w">',
            [("m", "s", "l")],
        ),
        (
            '<picture><source srcset="/l.webp 1600w"><source media="(max-width: 600px)"'
            ' srcset="/tall.webp 1600w"><img src="/s.jpg"></picture>',
            [("l.webp", "s", "tall.webp")],
        ),
        ('<video poster="/p.jpg"></video>', [("https://news.example.org/p.jpg",)]),
        ("<div style=\"background-image: url('/p.jpg')\"></div>", [("p",)]),
        ('<div data-bg="/p.jpg"></div>', [("p",)]),
        ('<img src="javascript:alert(1)">', [()]),
        ('<img src="data:text/html,<p>">', []),
        ('<img src="">', []),
        ("<img>", []),
    ],
)
def test_addresses(html: str, sources: list[tuple[str, ...]]) -> None:
    def long(name: str) -> str:
        if "/" in name:
            return name
        return f"https://news.example.org/{name}" + ("" if "." in name else ".jpg")

    assert found(html) == [tuple(long(name) for name in names) for names in sources]


def test_a_picture_as_data_is_a_picture_when_it_is_no_placeholder() -> None:
    picture = "data:image/png;base64," + "A" * 6000
    assert found(f'<img src="{picture}">') == [(picture,)]
    assert found('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">') == []


@pytest.mark.parametrize(
    "html",
    [
        '<figure><img src="data:image/gif;base64,R0lG" data-src="/p.jpg">'
        '<noscript><img src="/p.jpg"></noscript></figure>',
        '<img src="data:image/gif;base64,R0lG"><noscript><img src="/p.jpg"></noscript>',
        '<noscript><img src="/p.jpg"></noscript><img src="/blank.gif" data-src="/p.jpg">',
        '<img src="/t2-holder.png" data-src="/p.jpg">',
        '<div><img src="/p.jpg?blur=40" class="preview"><img src="/p.jpg?w=1200"></div>',
        '<span><img src="/p-300x200.jpg"></span><span><img src="/p-1024x683.jpg"></span>',
        '<amp-img src="/p.jpg"><noscript><img src="/p.jpg"></noscript></amp-img>',
    ],
)
def test_copies_that_stand_together_are_one(html: str) -> None:
    (sources,) = found(html)
    assert "p" in sources[0].rsplit("/", 1)[1][:2]


@pytest.mark.parametrize(
    "html",
    [
        '<figure><img src="/t/60/q-a.jpg" width="60" height="40">'
        '<noscript><img src="/full-a.jpg" width="1200" height="800"></noscript></figure>',
    ],
)
def test_a_stand_in_gives_way_to_the_picture_it_stands_for(html: str) -> None:
    assert [urls[0].rsplit("/", 1)[1] for urls in found(html)] == ["full-a.jpg"]


def test_a_small_picture_is_not_taken_for_a_stand_in_of_the_next_one() -> None:
    html = '<p><img src="/face.jpg" width="60"> <img src="/wide.jpg" width="1200"></p>'
    assert len(found(html)) == 2


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        (
            '<img src="/p/${formatId}.jpg" data-src="/p/7.jpg">',
            ["https://news.example.org/p/7.jpg"],
        ),
        ('<img src="/p/{{ id }}.jpg">', None),
        (
            '<img data-src="/p/%7Bimage%7D.jpg" src="/p/7.jpg">',
            ["https://news.example.org/p/7.jpg"],
        ),
        ('<img data-src="/p_{width}x.jpg">', ["https://news.example.org/p_1600x.jpg"]),
        (
            '<img src="/7-w100/p.jpg" data-template="/7-wWIDTH/p.jpg">',
            ["https://news.example.org/7-w1600/p.jpg", "https://news.example.org/7-w100/p.jpg"],
        ),
        ('<img src="/a{1}b.jpg">', ["https://news.example.org/a{1}b.jpg"]),
    ],
)
def test_a_template_is_not_fetched_as_it_stands(html: str, urls: list[str] | None) -> None:
    assert found(html) == ([] if urls is None else [tuple(urls)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/thumb.php?src=sea.jpg&w=300", "/thumb.php?src=boat.jpg&w=300", False),
        ("/thumb.php?src=sea.jpg&w=300", "/thumb.php?src=sea.jpg&w=900", True),
        ("/image.php?id=3", "/image.php?id=4", False),
        ("/image.php?id=3&w=100", "/image.php?w=900&id=3", True),
        ("/photos/abc?w=100&q=80", "/photos/abc?w=1000", True),
        ("/media.ashx?w=3", "/media.ashx?w=4", False),
        ("/max/60/a.jpeg", "/max/1200/a.jpeg", True),
        ("/styles/lead_wide/public/a.jpg", "/a.jpg", True),
        ("/7-w100/a.jpg", "/7-w1024/a.jpg", True),
        ("/a.jpg?x=1", "/a.jpg?x=2", True),
    ],
)
def test_parameters_distinguish_pictures_unless_they_only_scale(
    one: str, other: str, same: bool
) -> None:
    keys = {picture_key(f"https://news.example.org{url}") for url in (one, other)}
    assert (len(keys) == 1) is same


def test_addresses_nested_without_end_have_a_key() -> None:
    assert picture_key("https://news.example.org/i?url=" + "/i?url=" * 300 + "a.jpg")


def test_pictures_side_by_side_are_not_one() -> None:
    assert len(found('<p><img src="/a.jpg"><img src="/b.jpg"></p>')) == 2
    assert len(found('<p><img src="/a.jpg"></p><p>Text between.</p><p><img src="/a.jpg"></p>')) == 2


@pytest.mark.parametrize(
    ("one", "other"), [("a.dark.png", "a.png"), ("a-mo.jpg", "a-pc.jpg"), ("m_a.jpg", "d_a.jpg")]
)
def test_of_the_versions_for_screens_one_is_printed(one: str, other: str) -> None:
    html = '<i class="a"><img src="/{}" alt="Boat"></i><i class="b"><img src="/{}" alt="Boat"></i>'
    for names in ((one, other), (other, one)):
        assert found(f"<div>{html.format(*names)}</div>") == [
            (f"https://news.example.org/{other}",)
        ]
    assert len(found(f"<div>{html.format('a-1.jpg', 'a-2.jpg')}</div>")) == 2


def test_a_class_tells_the_sides_of_an_icon() -> None:
    page = read_page('<body><img src="/a.jpg" class="w-8 h-6 md:w-10"></body>', URL)
    assert [(picture.width, picture.height) for picture in find_candidates(page)] == [(32, 24)]
    page = read_page('<body><img src="/a.jpg" class="w-50 h-auto"></body>', URL)
    assert [(picture.width, picture.height) for picture in find_candidates(page)] == [(0, 0)]


def test_files_are_named_by_files_only() -> None:
    assert found('<img src="img/p.jpg">', "file:///home/me/page.html") == [
        ("file:///home/me/img/p.jpg",)
    ]
    assert found('<img src="file:///etc/passwd.jpg">') == [()]


def test_icons_are_no_drawings() -> None:
    shape = '<path d="M0 0h9"/>'
    page = read_page(
        f'<body><figure><svg viewBox="0 0 600 300">{shape}</svg></figure>'
        f'<a><svg role="img" viewBox="0 0 600 300">{shape}</svg></a>'
        f'<p><svg width="16" height="16" viewBox="0 0 512 512">{shape}</svg></p>'
        f'<figure><img src="/p.jpg"><svg viewBox="0 0 512 512">{shape}</svg></figure>'
        f'<figure><svg aria-hidden="true" viewBox="0 0 512 512">{shape}</svg></figure></body>'
    )
    (drawing,) = (candidate for candidate in find_candidates(page) if candidate.kind == "drawing")
    assert (drawing.kind, drawing.width, drawing.height) == ("drawing", 600, 300)


def test_a_large_icon_is_no_drawing() -> None:
    def kinds(shapes: str) -> list[str]:
        page = read_page(
            f'<body><p><svg width="256px" height="256" viewBox="0 0 9 9">{shapes}</svg></p></body>'
        )
        return [candidate.kind for candidate in find_candidates(page)]

    shape = '<path fill="currentColor" d="M0 0h9v9z"/>'
    assert kinds(2 * shape) == []
    assert kinds(2 * shape + '<text x="1" y="1">Depth of the river</text>') == ["drawing"]
    assert kinds(20 * shape) == ["drawing"]


def test_a_diagram_may_only_state_its_view_box() -> None:
    text = '<path d="M0 0h9"/><text x="1" y="1">Depth of the river</text>'
    svg = '<p><svg {} viewBox="0 0 600 300">{}</svg></p>'
    html = svg.format('width="100%"', text) + svg.format("", '<path d="M0 0h9"/>' * 20)
    html += f"<div style='display: none'>{svg.format('', text)}</div>"
    page = read_page(f"<body>{html}{svg.format('width=40 height=20', text)}</body>")
    drawings = [c for c in find_candidates(page) if c.kind == "drawing"]
    assert [(d.width, d.height) for d in drawings] == [(600, 300)]


@pytest.mark.parametrize(
    ("value", "addresses"),
    [
        ("a.jpg 1x, b.jpg 2x", [("a.jpg", 0), ("b.jpg", 0)]),
        ("a.jpg 300w,b.jpg 600w", [("a.jpg", 300), ("b.jpg", 600)]),
        ("a,w_3,h_2.jpg 30w, b,w_6.jpg 60w 4h", [("a,w_3,h_2.jpg", 30), ("b,w_6.jpg", 60)]),
        ("a b.jpg 300w", [("a b.jpg", 300)]),
        ("a.jpg, b.jpg 2x", [("a.jpg", 0), ("b.jpg", 0)]),
        (" ,, a.jpg , ", [("a.jpg", 0)]),
        ("", []),
    ],
)  # fmt: skip
def test_srcset(value: str, addresses: list[tuple[str, int]]) -> None:
    assert [(source.url, source.width) for source in parse_srcset(value)] == addresses


@given(
    st.lists(
        st.tuples(
            st.from_regex(r"[a-z][a-z,/._-]{0,20}[a-z]", fullmatch=True), st.integers(1, 9999)
        )
    )
)
def test_srcset_can_be_parsed_back(pairs: list[tuple[str, int]]) -> None:
    value = ", ".join(f"{url} {width}w" for url, width in pairs)
    assert [(source.url, source.width) for source in parse_srcset(value)] == pairs


@given(st.text(max_size=300))
def test_any_text_is_read_without_harm(text: str) -> None:
    list(parse_srcset(text))
    picture_key(text)
    width_from_url(text)
    assert absolute_url(text, URL)[:5] in ("", "http:", "https", "data:")


def test_the_best_is_wide_enough_and_no_wider() -> None:
    sizes = [ImageSource(f"{width}.jpg", width, 1) for width in (300, 1500, 1700, 4000)]
    assert best_source(sizes) == sizes[2]
    assert best_source(sizes[:2]) == sizes[1]
    assert best_source([]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://x.org/p-300x200.jpg", "https://x.org/p.jpg"),
        ("https://x.org/p.jpg?w=300", "https://x.org/p.jpg?w=1200"),
        ("https://x.org/p.jpg", "//x.org/p.webp"),
        ("https://x.org/w_300,c_fill/v1/p.jpg", "https://x.org/w_900,c_fill/v1/p.jpg"),
        ("/_next/image?url=%2Fp.jpg&w=640", "/_next/image?url=%2Fp.jpg&w=1080"),
        ("https://x.org/p@2x.png", "https://x.org/p.png"),
        ("/f/b/8/csm_p_a860d2f5af.jpg", "/f/b/8/csm_p_1694444c90.jpg"),
        ("https://x.org/i/48213-7.jpg", "https://cdn.x.org/compressed/b7/48213-7.jpg"),
        ("https://x.org/cache/1920/1080/m/p.jpg", "https://x.org/cache/1920/x/m/p.jpg"),
        ("https://x.org/m/16-9/p.jpg", "https://x.org/m/3-4/p.jpg"),
        ("https://x.org/thumbnails/resized/630x420/m/p.jpg", "https://x.org/m/p.jpg"),
        ("https://c.org/fetch/f_auto/https%3A%2F%2Fx.org%2Fp.jpg%3Fw%3D300", "https://x.org/p.jpg"),
        ("https://x.org/p.jpg.webp", "https://x.org/p.jpg"),
        ("https://x.org/48_13_XS.jpg", "https://x.org/48_13_L2.jpg"),
        ("https://x.org/27-medium_default/boat.jpg", "https://x.org/27-cart_default/boat.jpg"),
        ("https://x.org/quay_desktop.avif", "https://x.org/quay_mobile.avif"),
        ("https://x.org/p/48213.jpg", "https://cdn.org/q/medium_48213.jpg"),
        ("https://c.org/600/https://x.org/p?width=300", "https://x.org/p?width=900"),
    ],
)
def test_versions_of_a_picture_are_alike(one: str, other: str) -> None:
    assert picture_key(one) == picture_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://x.org/2020/p.jpg", "https://x.org/2021/p.jpg"),
        ("https://x.org/image?id=1", "https://x.org/image?id=2"),
        ("https://x.org/p1.jpg", "https://x.org/p2.jpg"),
        ("https://x.org/a-1280.jpg", "https://x.org/b-1280.jpg"),
        ("https://x.org/a/size=1280x720.jpg", "https://x.org/b/size=1280x720.jpg"),
        ("https://x.org/2020/1105/p.jpg", "https://x.org/2020/1106/p.jpg"),
        ("https://x.org/map_s.jpg", "https://x.org/map_l.jpg"),
        ("https://x.org/27-cart_default/boat.jpg", "https://x.org/28-cart_default/boat.jpg"),
    ],
)
def test_other_pictures_are_not(one: str, other: str) -> None:
    assert picture_key(one) != picture_key(other)


def test_thirty_thousand_pictures_are_read_in_bounded_time() -> None:
    page = read_page("<body>" + '<p><img src="/p.jpg">x</p>' * 30_000 + "</body>", URL)
    start = time.process_time()
    assert len(find_candidates(page)) == MAX_CANDIDATES
    assert time.process_time() - start < 1


def test_of_versions_for_screens_the_large_one_is_printed() -> None:
    def versions(*pictures: tuple[str, str]) -> list[str]:
        html = "".join(f'<img src="/{name}.jpg" alt="{alt}">' for name, alt in pictures)
        return [urls[0].rpartition("/")[2] for urls in found(f"<div>{html}</div>")]

    assert versions(("d-boat", "A boat"), ("m-boat", "A boat")) == ["d-boat.jpg"]
    assert versions(("boat_mobile", "A boat"), ("boat_desktop", "A boat")) == ["boat_desktop.jpg"]
    assert len(versions(("boat-1", "A boat"), ("boat-2", "A boat"))) == 2
    assert len(versions(("d-boat", "A boat"), ("m-boat", "A quay"))) == 2


def test_a_background_may_have_a_bracket_in_its_address() -> None:
    for style in ("url('/boat(2).jpg')", "url(&quot;/boat(2).jpg&quot;)"):
        assert found(f'<div style="background-image: {style}"></div>') == [
            ("https://news.example.org/boat(2).jpg",)
        ]


@pytest.mark.parametrize(
    "html",
    [
        '<img src="/light.png" class="only-light"><img src="/dark.png" class="only-dark">',
        '<p><img src="/light.png#gh-light-mode-only"><img src="/dark.png#gh-dark-mode-only"></p>',
        '<div class="dark:hidden"><img src="/light.png"></div>'
        '<div class="hidden w-full dark:block"><img src="/dark.png"></div>',
        '<picture><source media="(prefers-color-scheme: dark)" srcset="/dark.webp 1200w">'
        '<img src="/light.png" width="600"></picture>',
    ],
)
def test_versions_for_dark_screens_are_not_printed(html: str) -> None:
    page = read_page(f"<!doctype html><body><p>Text.</p>{html}<p>Text.</p>", "https://example.org/")
    (candidate,) = find_candidates(page)
    assert [url.partition("#")[0] for url in candidate.urls(page.base)] == [
        "https://example.org/light.png"
    ]


def test_the_first_numbers_of_a_crop_are_no_size() -> None:
    html = "<img src='/p.jpg?width=2000&rect=153%2C470%2C3847%2C2164'><p>Text</p><img src=/mill-640x360.jpg>"
    first, second = find_candidates(read_page(html, URL))
    assert (first.width, first.height) == (0, 0)
    assert (second.width, second.height) == (640, 360)


def test_the_stand_in_that_all_pictures_share_is_not_printed() -> None:
    html = "".join(
        f'<p>Text.</p><p><img src="/all.png" width="540" data-src="/{name}.jpg?resize=540%2C360"></p>'
        for name in "abcd"
    )
    assert [urls[0].rsplit("/", 1)[1][:5] for urls in found(html)] == [
        "a.jpg", "b.jpg", "c.jpg", "d.jpg"
    ]  # fmt: skip
    html = "".join(
        f'<p>Text.</p><p><img src="/all.png"><noscript><img src="/{name}.jpg"></noscript></p>'
        for name in "abcd"
    )
    assert [urls[0][-5:] for urls in found(html)] == ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]


def test_two_crops_of_a_picture_in_one_figure_are_one() -> None:
    def crops(*names: str) -> str:
        one, other = (
            f'<div><div><div><picture><source srcset="/w100/a/{name}">'
            f'<img src="/w{width}/{width}/{name}"></picture></div></div></div>'
            for name, width in zip(names, (900, 1200), strict=True)
        )
        return (
            f"<figure><div>{one}</div><div>{other}</div><figcaption>A boat.</figcaption></figure>"
        )

    assert len(found(crops("boat.jpg", "boat.jpg"))) == 1
    assert len(found(crops("boat.jpg", "quay.jpg"))) == 2


def test_a_fragment_is_no_address_of_a_picture() -> None:
    page = read_page(
        '<picture><source srcset="#, # 2x"><img alt="Boat"></picture><img src="#">',
        "https://e.org/",
    )
    assert not find_candidates(page)
