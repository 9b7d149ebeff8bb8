"""Content without a printed form: posts, films, sounds, frames; panels displayed one at a time."""

from __future__ import annotations

import pytest

from printer.article import (
    Embed,
    Figure,
    Heading,
    List,
    Paragraph,
    Quote,
    Rule,
    iter_text,
    plain_text,
    walk,
)
from printer.compose import compose
from printer.html.page import read_page
from printer.selection import PlacedFigure, Verdict
from tests.support.compose_html import URL, compose_article

AROUND = "<p>One of the paragraphs around it, of some length.</p>"
TWEET = """<blockquote class="twitter-tweet"><p lang="en">The weir has gone. Keep off the path.</p>
&mdash; Marl Council (@marl) <a href="https://s.example.org/marl/status/12">March 3, 2024</a></blockquote>
<script async src="https://s.example.org/widgets.js"></script>"""
TOOT = """<blockquote class="mastodon-embed" data-embed-url="https://m.example.org/@ann/77/embed">
<p>We got across at noon.</p><footer>Ann of Marl, 3 March</footer></blockquote>"""


def only(html: str, kind: type) -> list:
    found = compose_article(AROUND + html + AROUND)
    return [block for block in walk(found.blocks) if isinstance(block, kind)]


def test_a_post_is_a_quotation_with_author_date_and_source() -> None:
    (post,) = only(TWEET, Embed)
    assert (post.kind, post.url) == ("post", "https://s.example.org/marl/status/12")
    assert (post.author, post.published) == ("Marl Council (@marl)", "March 3, 2024")
    assert [plain_text(block.spans) for block in post.blocks] == [
        "The weir has gone. Keep off the path."
    ]


@pytest.mark.parametrize(
    ("end", "printed"),
    [
        (' <a href="https://t.example/8f">pic.example.com/Rq8yWx3</a>', ""),
        ("<br>https://pic.example.com/Rq8yWx3", ""),
        (" See pic.example.com.", " See pic.example.com."),
        (" https://epic.example.com/store", " https://epic.example.com/store"),
    ],
)
def test_a_post_is_printed_without_the_address_of_its_picture(end: str, printed: str) -> None:
    (post,) = only(TWEET.replace("</p>", f"{end}</p>"), Embed)
    assert [plain_text(block.spans) for block in post.blocks] == [
        f"The weir has gone. Keep off the path.{printed}"
    ]


def test_a_post_may_name_its_address_in_an_attribute() -> None:
    (post,) = only(TOOT, Embed)
    assert post.url == "https://m.example.org/@ann/77/embed"
    assert post.author == "Ann of Marl, 3 March"
    (bad,) = only(TOOT.replace("https://m.example.org/@ann/77/embed", "javascript:alert(1)"), Quote)
    assert plain_text(bad.cite) == "Ann of Marl, 3 March"


PICTURE_POST = """<blockquote class="pinboard-media"><div><a href="https://i.example.org/p/Bz7uXJug/?x=1">
<div>Look at this</div></a><p><a href="https://i.example.org/p/Bz7uXJug/">Posted by Ann of Marl</a></p>
</div></blockquote>"""


def test_a_post_without_selected_text_is_printed_by_its_address() -> None:
    article = compose_article(AROUND + PICTURE_POST.replace("Posted", "This") + AROUND, drop="his")
    (post,) = (block for block in article.blocks if isinstance(block, Embed))
    assert (post.kind, post.url) == ("post", "https://i.example.org/p/Bz7uXJug/?x=1")
    assert post.title == "Look at this This by Ann of Marl"
    without_address = PICTURE_POST.replace("/p/Bz7uXJug", "/about").replace("Posted", "This")
    article = compose_article(AROUND + without_address + AROUND, drop="his")
    assert not [block for block in walk(article.blocks) if isinstance(block, Embed | Quote)]


@pytest.mark.parametrize(("host", "count"), [("https://other.test", 1), ("", 0)])
def test_the_card_of_another_story_of_the_site_is_not_printed(host: str, count: int) -> None:
    frame = (
        f"<iframe class='wp-embedded-content' title='The weir' src='{host}/weir/embed/'></iframe>"
    )
    assert len(only(frame, Embed)) == count


def test_an_ordinary_quotation_stays_one() -> None:
    html = "<blockquote class='posted-by-hand'><p>Mind the gap.</p><p>— A sign</p></blockquote>"
    assert only(html, Quote)
    assert not only(html, Embed)


@pytest.mark.parametrize(
    ("attributes", "duration"),
    [
        ("data-duration=93", "1:33"), ("data-duration='93.4'", "1:33"), ("duration=PT1H2M3S", "1:02:03"),
        ("data-duration='3600'", "1:00:00"), ("data-duration='1e9'", ""), ("data-duration='-5'", ""),
        ("data-duration='0'", ""), ("data-duration='" + "9" * 5000 + "'", ""), ("", ""),
    ],
)  # fmt: skip
def test_how_long_a_film_is(attributes, duration) -> None:
    (film,) = only(
        f"<video src='https://v.example.org/1.mp4' title='Gap' {attributes}></video>", Embed
    )
    assert (film.title, film.duration) == ("Gap", duration)


def test_a_frame_with_a_name_is_a_box_and_others_are_nothing() -> None:
    frame = '<iframe src="https://c.example.org/d/9" width="600" height="{}" {}></iframe>'
    (box,) = only(frame.format(400, 'title="Water level, hour by hour"'), Embed)
    assert (box.kind, box.title) == ("frame", "Water level, hour by hour")
    assert not only(frame.format(400, ""), Embed)
    assert not only(frame.format(90, 'title="Water level"'), Embed)
    assert not only(frame.format(400, 'title="Advertisement"'), Embed)
    assert not only(frame.format(400, 'title="Session" style="display:none"'), Embed)
    form = frame.replace("c.example.org", "c.example-forms.com")
    assert not only(form.format(400, 'title="Water level"'), Embed)
    assert only(form.replace("-forms", "-platform").format(400, 'title="Water level"'), Embed)
    (post,) = only(frame.format(400, 'title="A post by Ann"'), Embed)
    assert post.kind == "post"


TABS = """<div class="tabs"><div role="tablist"><button role="tab" aria-controls="p1">Monday</button>
<a role="tab" id="t2" href="#p2">Tuesday</a></div>
<div role="tabpanel" id="p1"><p>The gap was four metres wide on that day.</p></div>
<div role="tabpanel" aria-labelledby="t2" hidden><p>The barge was sunk across the gap.</p></div></div>"""


@pytest.mark.parametrize(
    ("src", "printed"),
    [
        ("/video/7?feature=oembed&amp;enablejsapi=1&origin=https://a.example", "/video/7"),
        ("/video/7?rel=0&amp;amp;start=17&Autoplay=1#t=2", "/video/7?start=17#t=2"),
        ("/video/?list=UU-7&rel", "/video/?list=UU-7"),
        ("/player/#/video?id=7&rel=0", "/player/#/video?id=7&rel=0"),
        ("/video/7?rel=0&token=8f", "/video/7?rel=0&token=8f"),
    ],
)
def test_parameters_of_a_player_are_left_out(src: str, printed: str) -> None:
    (frame,) = only(f'<iframe src="https://films.example.org{src}"></iframe>', Embed)
    assert frame.url == f"https://films.example.org{printed}"


def test_a_frame_in_many_boxes_of_its_own_is_found() -> None:
    frame = '<iframe data-src="https://c.example.org/embed/9" allowfullscreen></iframe>'
    (box,) = only("<div>" * 10 + frame + "</div>" * 10, Embed)
    assert box.url == "https://c.example.org/embed/9"
    assert only("<div>" * 20 + frame + "</div>" * 20, Embed) == []
    far = "<div><i>Menu</i>" * 8 + frame + "</div>" * 8
    below = "<div>" * 10 + frame + "</div>" * 10  # the last line
    for body in (AROUND + far, AROUND + below):
        blocks = compose_article(body, drop="Menu").blocks
        assert not any(isinstance(block, Embed) for block in blocks)


def test_a_frame_that_is_called_a_widget_is_nothing_unless_it_plays() -> None:
    frame = '<iframe src="https://shop.example.org/{}" title="Price widget"></iframe>'
    assert only(frame.format("widget/7"), Embed) == []
    assert only(frame.format("widget/audio/7"), Embed)[0].kind == "audio"


def test_a_sound_without_controls_is_nothing() -> None:
    sound = '<div><audio src="a.mp3"{}></audio></div>'
    assert only(sound.format(""), Embed) == []
    assert len(only(sound.format(" controls"), Embed)) == 1


def test_a_hidden_player_is_nothing() -> None:
    assert (
        only(
            '<div><audio src="a.mp3" title="T" controls style="display:none"></audio></div>', Embed
        )
        == []
    )


def test_the_number_of_comments_on_a_paragraph_is_left_out() -> None:
    count = '<a class="comments_count opener" href="#c">{}</a>'
    found = compose_article(f"<p>{count.format(12)}The weir has gone, and the path with it.</p>")
    assert plain_text(found.blocks[0].spans) == "The weir has gone, and the path with it."
    assert "Two" in compose_article(f"<p>{count.format('Two')} The weir has gone.</p>").text


def test_panels_are_opened_under_their_labels() -> None:
    texts = [plain_text(block.spans) for block in compose_article(AROUND + TABS + AROUND).blocks][
        1:-1
    ]
    assert texts == [
        "Monday", "The gap was four metres wide on that day.",
        "Tuesday", "The barge was sunk across the gap.",
    ]  # fmt: skip


def test_the_labels_of_panels_are_not_listed_above_them() -> None:
    row = """<ul role="tablist"><li role="presentation"><a role="tab" href="#p1">Oak</a></li>
    <li role="presentation"><a role="tab" href="#p2">Elm</a></li>{}</ul>
    <section role="tabpanel" id="p1"><p>Forty loads of oak came from Harrow.</p></section>
    <section role="tabpanel" id="p2"><p>Nine loads of elm came from the mill.</p></section>"""
    assert only(row.format(""), List) == []
    assert [plain_text(label.spans) for label in only(row.format(""), Heading)] == ["Oak", "Elm"]
    assert only(UNMARKED, List) == []
    (remaining,) = only(row.format("<li><p>The ash stood too far away.</p></li>"), List)
    assert [text for item in remaining.items for text in iter_text(*item.blocks)] == [
        "The ash stood too far away."
    ]


def test_an_accordion_keeps_its_panels() -> None:
    html = """<div role="tablist"><h3 role="tab" id="h1">Oak</h3>
    <div role="tabpanel" aria-labelledby="h1"><p>Forty loads of oak from Harrow.</p></div></div>"""
    (label,) = only(html, Heading)
    assert (plain_text(label.spans), label.level) == ("Oak", 2)
    assert plain_text(only(html, Paragraph)[1].spans) == "Forty loads of oak from Harrow."


def test_tabs_on_one_line_are_printed_above_their_panels_only() -> None:
    tab = "<span role=tab id={0} aria-controls=p-{0}>{0}</span>".format
    panel = "<div role=tabpanel id=p-{0} aria-labelledby={0}><p>Loads of {0}.</p></div>".format
    row = f"<div role=tablist><div>{tab('Oak')}{tab('Elm')}</div></div>"
    found = compose_article(AROUND + row + panel("Oak") + panel("Elm") + AROUND).blocks
    lines = [plain_text(b.spans) for b in found if isinstance(b, Heading | Paragraph)]
    assert lines[1:-1] == ["Oak", "Loads of Oak.", "Elm", "Loads of Elm."]
    card = row.replace("Elm</span>", "Elm<br>of the mill<img src=elm.jpg></span>")
    found = compose_article(AROUND + card + panel("Oak") + panel("Elm") + AROUND).blocks
    assert "of the mill" in "".join(iter_text(*found))


def test_very_many_tabs_cost_little() -> None:
    deep = "<span role=tab aria-controls=p>" * 3000 + "x" * 100_000 + "</span>" * 3000
    panel = "<div role=tabpanel id=p><p>Here.</p></div>"
    assert only(f"<div role=tablist>{deep}</div>{panel}", Paragraph)


UNMARKED = """<div class="tabs"><ul class="tab-list"><li><a href="#oak">Oak</a></li>
<li><a href="#elm">Elm</a></li></ul><div id="oak" class="pane"><p>Forty loads of oak came from Harrow.</p>
</div><div id="elm" class="pane"><p>Nine loads of elm came from the mill.</p></div></div>"""


def test_tabs_without_roles_are_recognized_by_class_and_links() -> None:
    found = compose_article(AROUND + UNMARKED + AROUND).blocks
    headings = [plain_text(block.spans) for block in found if isinstance(block, Heading)]
    assert headings == ["Oak", "Elm"]
    assert isinstance(
        found[found.index(next(b for b in found if isinstance(b, Heading))) + 1], Paragraph
    )
    boxed = UNMARKED.replace('<div id="oak"', '<div class="panes"><div id="oak"') + "</div>"
    assert len(only(boxed, Heading)) == 2


@pytest.mark.parametrize(
    ("was", "now"),
    [("tab-list", "links"), ('id="elm"', 'id="ash"'), ('<li><a href="#elm">Elm</a></li>', "")],
    ids=["not called so", "no panel", "one"],
)
def test_other_lists_of_links_are_no_tabs(was, now) -> None:
    html = UNMARKED.replace('class="tabs"', "").replace(was, now)
    assert only(html, Heading) == []


def test_hostile_rows_of_tabs_cost_little() -> None:
    rows = "<div class=tabs>" * 2000 + "<a href=#x>A</a>" * 2000 + "</div>" * 2000
    assert only(rows + "<p id=x>Here it is.</p>", Paragraph)


LOOP = '<video src="/waves.mp4" poster="/waves.jpg" autoplay loop muted playsinline></video>'


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://video-nocookie.test/embed/b_PXu", "video"),
        ("https://posts.test/embed/Post.html?id=1675626836821", "post"),
        ("https://posts.test/ben/status/1675626836821", "post"),
    ],
)
def test_frames_are_known_by_their_addresses(address: str, kind: str) -> None:
    html = f'<p>a</p><iframe src="{address}" width="560" height="315"></iframe><p>b</p>'
    _, embed, _ = compose_article(html).blocks
    assert isinstance(embed, Embed)
    assert (embed.kind, embed.url) == (kind, address)


def test_a_video_that_runs_as_decoration_is_no_embed() -> None:
    assert only(LOOP, Embed) == []
    assert [embed.kind for embed in only(LOOP.replace("muted", "controls"), Embed)] == ["video"]
    assert [embed.kind for embed in only(LOOP.replace(" loop", ""), Embed)] == ["video"]


SOUND = '<audio src="/story.mp3" title="Listen to this article" controls></audio>'


def test_a_player_before_the_text_is_not_content_unless_it_is_all_there_is() -> None:
    text = "".join(
        f"<p>Paragraph {number} of the story, of some length.</p>" for number in range(5)
    )

    def sounds(html: str) -> int:
        found = compose_article(html).blocks
        return sum(isinstance(block, Embed) for block in found)

    assert sounds(SOUND + text) == 0
    assert sounds(text + SOUND) == 1
    assert sounds(SOUND + "<p>An episode of the podcast about the weir at Marl.</p>") == 1


def test_the_count_of_a_slide_is_no_heading() -> None:
    slide = "<div role=tabpanel aria-label='Slide {0} of 2'><p>Loads of oak, {0}.</p></div>".format
    assert only(slide(1) + slide(2), Heading) == []


FRAME = '<iframe src="https://c.example.org/embed/9" {}></iframe>'


def test_a_frame_is_a_film_only_if_something_says_so() -> None:
    for attributes, kind in (
        ("title='Table of tides'", "frame"),
        ("allowfullscreen", "frame"),
        ("title='Video of the weir'", "video"),
        ("allow='autoplay; picture-in-picture'", "video"),
    ):
        assert [block.kind for block in only(FRAME.format(attributes), Embed)] == [kind]


@pytest.mark.parametrize(
    "html",
    [
        "<figure><div>{}</div><figcaption>The weir <i>at dawn</i>.</figcaption></figure>",
        "<div>{}<p class='label'>The weir <i>at dawn</i>.</p></div>",
        "<div>{}<div class='video-caption'><span>The weir at dawn.</span></div></div>",
    ],
)
@pytest.mark.parametrize("medium", [FRAME.format("title='The weir'"), "<video src=/1.mp4></video>"])
def test_the_caption_of_a_frame_or_film_is_its_title_and_printed_once(html, medium) -> None:
    found = compose_article(AROUND + html.format(medium) + AROUND)
    (embed,) = (block for block in found.blocks if isinstance(block, Embed))
    assert embed.title == "The weir at dawn."
    assert len(found.blocks) == 3


@pytest.mark.parametrize(
    ("address", "kind"),
    [("https://www.youtube.com/embed/abc", Embed), ("/embed/harbour.jpg", Figure)],
)
def test_a_picture_in_the_place_of_a_player_is_a_film(address: str, kind: type) -> None:
    page = read_page(f"<body><p>Boats.</p><img data-src='{address}' width=150><p>Tide.</p>", URL)
    (image,) = page.tree.iter("img")
    placed = PlacedFigure(Figure(address), image, frozenset())
    blocks = compose(page, Verdict((True,) * len(page.segments)), (placed,)).blocks
    assert [type(block) for block in blocks] == [Paragraph, kind, Paragraph]


def test_the_paragraph_after_a_frame_is_no_caption() -> None:
    html = FRAME.format("title='The weir'") + "<p>The weir was built in spring.</p>"
    assert [block.title for block in only(html, Embed)] == ["The weir"]
    two = f"<figure>{FRAME.format('title=One')}{FRAME.format('title=Two')}<figcaption>Both.</figcaption></figure>"
    assert [block.title for block in only(two, Embed)] == ["One", "Two"]


def test_a_heading_between_rules_is_the_title_of_the_film_below_it() -> None:
    html = f"<hr><h2>The river from above</h2>{FRAME.format('allowfullscreen')}<hr>"
    assert [block.title for block in only(html, Embed)] == ["The river from above"]
    assert only(html, Heading) == only(html, Rule) == []
