"""The standfirst between title and text: found by the page's summary or by its name."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from printer.article import Figure, Heading, Paragraph, iter_text, plain_text
from printer.compose import compose
from printer.extraction.selected_text import SelectedText
from printer.extraction.standfirst import drop_repeated_standfirst, find_standfirst, find_tagline
from printer.html.page import Page, read_page
from printer.selection import PlacedFigure, Verdict
from tests.support.selections import run_pass

TEXT = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it, they say."
BODY = f"<div><p>{TEXT}</p><p>{TEXT} Again.</p></div>"
SUMMARY = "How a small harbour in the north keeps its only boat running through the winter"


def found_lines(page: Page, keep: Sequence[bool], score: float = 0.5) -> list[str]:
    """Return the lines that are the standfirst, if all have the same score."""
    selected = SelectedText(page, keep, scores=[score] * len(keep))
    return [page.segments[i].text for i in sorted(find_standfirst(selected))]


def standfirst(html: str, summary: str = "") -> list[str]:
    head = f"<title>The ferry</title><meta name='description' content='{summary}'>"
    page = read_page(f"<html><head>{head}</head><body>{html}</body></html>")
    keep = [TEXT in segment.text for segment in page.segments]
    return found_lines(page, keep)


@pytest.mark.parametrize(
    ("head", "score", "is_found"),
    [
        ("<h1>The ferry</h1><p>{}.</p>", 0.4, True),
        ("<h1>The ferry</h1><p>{}.</p>", 0.2, False),
        ("<h1>The ferry</h1><p>{}</p>", 0.4, False),
        ("<h1>The ferry</h1><div><p>{}.</p></div>", 0.4, False),
        ("<h2>The ferry</h2><p>{}.</p>", 0.4, False),
    ],
)
def test_a_sentence_right_below_the_heading_of_an_offer_is_found(
    head: str, score: float, is_found: bool
) -> None:
    html = f"<header>{head.format(SUMMARY)}<a href=/ask>Ask us</a></header>{BODY}"
    page = read_page(f"<html><head><title>The ferry</title></head><body>{html}</body></html>")
    keep = [TEXT in segment.text for segment in page.segments]
    selected = SelectedText(page, keep, "service", [score] * len(keep))
    assert bool(find_tagline(selected)) is is_found


@pytest.mark.parametrize("tag", ["p", "div", "h2"])
def test_the_page_s_summary_above_the_text_is_the_standfirst(tag: str) -> None:
    line = f"<{tag}>{SUMMARY}</{tag}>"
    assert standfirst(f"<h1>The ferry</h1>{line}{BODY}", SUMMARY) == [SUMMARY]
    assert standfirst(f"<h1>The ferry</h1>{line}{BODY}", SUMMARY[:60] + "…") == [SUMMARY]
    assert standfirst(f"<h1>The ferry</h1>{line}{BODY}") == []


@pytest.mark.parametrize("around", ["<div hidden>{}</div>", "<form>{}</form>"])
def test_the_summary_is_found_on_a_page_that_is_all_hidden_or_a_form(around: str) -> None:
    html = f"<h1>The ferry</h1><p>{SUMMARY}</p>{BODY}"
    assert standfirst(around.format(html), SUMMARY) == [SUMMARY]
    alone = f"<h1>The ferry</h1>{around.format(f'<p>{SUMMARY}</p>')}{BODY}"
    assert standfirst(alone, SUMMARY) == []


def test_a_line_that_announces_a_list_is_no_standfirst() -> None:
    line = SUMMARY + " and the spring:"
    lines = f"<h1>The ferry</h1><div class=intro><p>{line}</p>{{}}</div>{BODY}"
    page = read_page(f"<title>The ferry</title>{lines.format('<ul><li>Oil</li></ul>')}")
    keep = [True] * len(page.segments)
    assert not found_lines(page, keep)
    page = read_page(f"<title>The ferry</title>{lines.format('')}")
    keep = [True] * len(page.segments)
    assert found_lines(page, keep, 1) == [line]


def test_a_standfirst_may_have_two_lines_of_one_name() -> None:
    more = "The pilot retires in the autumn, and nobody has been found for the work"
    lines = f"<h2 class='subtitle'>{SUMMARY}</h2><h2 class='subtitle'>{more}</h2>"
    assert standfirst(f"<h1>The ferry</h1>{lines}{BODY}", SUMMARY) == [SUMMARY, more]
    named = f"<p class='teaser'>{SUMMARY}</p><p class='subtitle'>{more}</p>"
    assert standfirst(f"<h1>The ferry</h1>{named}{BODY}", SUMMARY) == [SUMMARY]


def test_a_deck_below_the_summary_and_a_repeated_title_is_part_of_the_standfirst() -> None:
    lines = "<p>Harbour</p>" * 12
    deck = "<h2 class='subheading'>The pilot retires in the autumn</h2>"
    html = f"<h1>The ferry</h1><div>{SUMMARY}</div>{lines}<h1>The ferry</h1>{deck}{BODY}"
    assert standfirst(html, SUMMARY) == [SUMMARY, "The pilot retires in the autumn"]


def test_a_heading_of_several_lines_below_the_title_is_the_standfirst() -> None:
    lines = [
        "The pilot retires this autumn",
        "Nobody wants his work",
        "The council meets on Monday",
    ]
    html = f"<h1>The ferry</h1><h2>{'<br>'.join(lines)}</h2>{BODY}"
    assert standfirst(html) == lines


def test_the_short_lines_of_a_named_standfirst_belong_to_it() -> None:
    lines = ["Nets mended", "The last ferry leaves the harbour", "Everybody waves"]
    html = f"<h1>The ferry</h1><div class=mid-title>{'<br>'.join(lines)}</div>{BODY}"
    assert standfirst(html) == lines


@pytest.mark.parametrize(
    "name", ["standfirst", "article-subtitle", "ArticleDek_x7", "chapo", "perex"]
)
def test_a_line_with_the_name_of_a_standfirst_is_one(name: str) -> None:
    assert standfirst(f"<h1>The ferry</h1><p class='{name}'>{SUMMARY}</p>{BODY}") == [SUMMARY]
    assert standfirst(f"<p class='{name}'>{SUMMARY}</p><h1>The ferry</h1>{BODY}") == []


@pytest.mark.parametrize(
    "line",
    [
        f"<nav><p class=subtitle>{SUMMARY}</p></nav>",
        f"<p class=subtitle hidden>{SUMMARY}</p>",
        f"<p class=subtitle><a href=/x>{SUMMARY}</a></p>",
        "<p class=subtitle>By Ann Lee</p>",
        "<p class=teaser-date>Published on 3 May 2024</p>",
        f"<figure><img src=a.jpg><figcaption class=summary>{SUMMARY}</figcaption></figure>",
        f"<div class='related excerpt'>{SUMMARY}</div>",
    ],
)
def test_other_lines_between_title_and_text_are_not(line: str) -> None:
    assert standfirst(f"<h1>The ferry</h1>{line}{BODY}", SUMMARY if "nav" in line else "") == []


def test_a_picture_s_credit_in_a_lead_is_not() -> None:
    lead = "<div class=lead><figure><img src=a.jpg><div>Photo by Ann Marl for us</div></figure>"
    assert standfirst(f"<h1>The ferry</h1>{lead}</div>{BODY}") == []


def test_a_summary_that_begins_the_text_is_not_repeated() -> None:
    assert standfirst(f"<h1>The ferry</h1><p class=lead>{TEXT}</p>{BODY}", TEXT) == []
    assert standfirst(f"<h1>The ferry</h1>{BODY}", TEXT) == []
    dated = BODY.replace(f"<p>{TEXT}</p>", f"<p>WICK, 5 May. {TEXT}</p>")
    assert standfirst(f"<h1>The ferry</h1><p class=lead>{TEXT}</p>{dated}", TEXT) == []


@pytest.mark.parametrize(
    "body",
    [
        f"<p class=a1>{TEXT}</p><p class=b2>{TEXT} Again.</p><p class=c3>{TEXT} Then.</p>",
        f"<p><span>{TEXT}</span></p><p><span>{TEXT} Again.</span></p>",
    ],
)
def test_a_first_paragraph_like_the_others_is_not(body: str) -> None:
    assert standfirst(f"<h1>The ferry</h1><div>{body}</div>", TEXT) == []


def test_the_standfirst_comes_first_as_a_paragraph_and_once() -> None:
    html = f"<h1>The ferry</h1><img src=a.jpg><h2>{SUMMARY} <a href='/b'>more</a></h2>{BODY}"
    page = read_page(f"<html><body>{html}</body></html>", "https://news.test/")
    (image,) = page.tree.iter("img")
    placed = (PlacedFigure(Figure("https://news.test/a.jpg"), image),)
    keep = tuple(segment.block.tag != "h1" for segment in page.segments)
    article = compose(page, Verdict(keep, standfirst=frozenset({1})), placed)
    first, second, *rest = article.blocks
    assert isinstance(first, Paragraph)
    assert first.standfirst
    assert plain_text(first.spans) == f"{SUMMARY} more"
    assert first.spans[-1].href == "https://news.test/b"
    assert isinstance(second, Figure)
    assert not any(isinstance(block, Heading) for block in rest)
    assert SUMMARY not in " ".join(iter_text(*rest))
    dropped = Verdict((False, False, *keep[2:]), standfirst=frozenset({1}))
    assert SUMMARY not in compose(page, dropped, placed).text
    caption = PlacedFigure(Figure("https://news.test/a.jpg", credit="Ivo"), image, frozenset({1}))
    again = compose(page, Verdict(keep, standfirst=frozenset({1})), (caption,))
    assert isinstance(again.blocks[0], Figure)


@pytest.mark.parametrize(("tag", "count"), [("h2", 1), ("p", 2)])
def test_the_lines_of_a_heading_are_one_standfirst(tag: str, count: int) -> None:
    page = read_page(f"<h1>The ferry</h1><{tag}>No boat<br>No harbour</{tag}>{BODY}")
    keep = tuple(segment.block.tag != "h1" for segment in page.segments)
    blocks = compose(page, Verdict(keep, standfirst=frozenset({1, 2})), ()).blocks
    lines = [plain_text(b.spans) for b in blocks if isinstance(b, Paragraph) and b.standfirst]
    assert "\n".join(lines) == "No boat\nNo harbour"
    assert len(lines) == count


def test_a_title_repeated_above_the_standfirst_is_not_printed() -> None:
    html = f"<h1>The ferry</h1><div class='lead'><p>The ferry</p><p>{SUMMARY}</p></div>{BODY}"
    page = read_page(f"<html><body>{html}</body></html>")
    keep = tuple(segment.block.tag != "h1" for segment in page.segments)
    article = compose(page, Verdict(keep, standfirst=frozenset({1, 2})), ())
    assert article.title == "The ferry"
    assert "The ferry" not in article.text.splitlines()


def test_a_standfirst_below_the_first_of_two_titles_is_found() -> None:
    line = f"<div class='excerpt'>{SUMMARY}</div><div>Photo: Ivo</div>"
    assert standfirst(f"<h1>The ferry</h1>{line}<h1>The ferry</h1>{BODY}") == [SUMMARY]


LINE = "Why the boat of a small harbour never rests."


@pytest.mark.parametrize(
    ("between", "expected"),
    [
        (f"<p>{LINE}</p><p>Share</p>", [LINE]),
        (f"<p>3 min</p><p>{LINE}</p><p>By Ann Lee</p>", [LINE]),
        (f"<p>{LINE[:-1]} in 2031?</p>", [f"{LINE[:-1]} in 2031?"]),
        ("<p>Printed in the spring of 2031.</p>", []),
        (f"<p>{LINE[:-1]}, as our board found in March 2031.</p>", []),
        (f"<p>© {LINE[:-1]} 2031.</p>", []),
        (f"<p>3 min</p><p>{LINE}</p><p>Share</p>", []),
        (f"<p>{LINE}</p><p>Listen to this story now.</p>", []),
        (f"<p>{LINE[:-1]}</p>", []),
        ("<h2>Why does the boat never rest?</h2>", []),
    ],
)
def test_the_only_sentence_below_the_title_or_above_the_byline_is_the_standfirst(
    between: str, expected: list[str]
) -> None:
    head = "<title>The ferry</title><meta name=author content='Ann Lee'>"
    page = read_page(f"<head>{head}</head><h1>The ferry</h1>{between}{BODY}")
    keep = [TEXT in segment.text for segment in page.segments]
    for score, found in ((0.5, expected), (0.05, [])):
        assert found_lines(page, keep, score) == found


def test_the_summary_is_the_standfirst_although_the_text_repeats_a_part_of_it_later() -> None:
    line = f"{SUMMARY}, and why nobody complains"
    head = f"<title>The ferry</title><meta name='description' content='{line}'>"
    for part, found in ((SUMMARY, [line]), (line, [])):
        body = f"<div><p>{TEXT} They all know {part}.</p><p>{TEXT} Again.</p></div>"
        page = read_page(f"<head>{head}</head><h1>The ferry</h1><p>{line}</p>{body}")
        keep = [TEXT in segment.text for segment in page.segments]
        assert found_lines(page, keep) == found


def test_a_standfirst_that_the_text_repeats_after_its_place_is_dropped() -> None:
    again = f"<p>KESTER, 3 May. {TEXT} The keeper said so.</p>"
    more = "<p>The tower was built by nine masons, and it still stands, as all of them knew.</p>"
    for lead, repeats in ((TEXT, True), (f"{TEXT} {SUMMARY}, and {SUMMARY}.", False)):
        page = read_page(f"<body><h1>The ferry</h1><div>{lead}</div>{again}{more}</body>")
        keep = tuple(segment.block.tag != "h1" for segment in page.segments)
        left = run_pass(drop_repeated_standfirst, page, keep)
        assert left == ((False, False, True, True) if repeats else keep)


def test_a_standfirst_that_the_text_repeats_word_for_word_is_dropped() -> None:
    paragraphs = f"<p>{TEXT}</p><p>{SUMMARY}.</p><p>{TEXT} So they said again.</p>"
    page = read_page(f"<body><h1>The ferry</h1><h2>{TEXT} {SUMMARY}.</h2>{paragraphs}</body>")
    keep = tuple(segment.block.tag != "h1" for segment in page.segments)
    assert run_pass(drop_repeated_standfirst, page, keep) == (False, False, True, True, True)


def standfirst_flags(body: str) -> list[bool]:
    page = read_page(f"<title>The ferry</title><body><h1>The ferry</h1>{body}</body>")
    keep = tuple(segment.text != "The ferry" for segment in page.segments)
    blocks = compose(page, Verdict(keep), ()).blocks
    return [isinstance(block, Paragraph) and block.standfirst for block in blocks]


def test_a_first_paragraph_that_alone_is_bold_is_the_standfirst() -> None:
    body = f"<p>{TEXT}</p><p>{TEXT} Again.</p>"
    assert standfirst_flags(f"<p><b>{SUMMARY}.</b></p>{body}") == [True, False, False]
    assert standfirst_flags(f"<p><b>{SUMMARY}:</b></p>{body}") == [False] * 3
    assert standfirst_flags(f"<p>It says: <b>{SUMMARY}.</b></p>{body}") == [False] * 3
    assert standfirst_flags(f"<p><b>The ferry sank.</b></p>{body}") == [False] * 3
    assert standfirst_flags(f"<p><b>{SUMMARY}.</b></p><p><b>{TEXT}</b></p>") == [False] * 2


def test_a_note_about_the_author_is_no_standfirst() -> None:
    for name, found in (("Ann", 0), ("How", 1), ("The", 1)):
        line = f"<div class=excerpt>{name} {SUMMARY[4:]}</div>"
        head = "<title>The ferry</title><meta name=author content='Ann Reed, The Pilots'>"
        page = read_page(f"<head>{head}</head><body><h1>The ferry</h1>{line}{BODY}</body>")
        keep = [TEXT in segment.text for segment in page.segments]
        assert len(found_lines(page, keep)) == found


@pytest.mark.parametrize(
    "line",
    [
        f"<h1>{SUMMARY}</h1>",
        f"<h2>{SUMMARY} and spring, and who pays for it in the end.</h2>",
        f"<p data-part='teaserText'>{SUMMARY}</p>",
    ],
)
def test_a_second_main_heading_and_a_long_one_below_the_title_are_the_standfirst(line: str) -> None:
    html = f"<h1>The ferry</h1>{line}{BODY}"
    assert [text[:20] for text in standfirst(html)] == [SUMMARY[:20]]


def test_a_named_standfirst_stands_although_the_text_begins_alike() -> None:
    line = f"<div class='article_lead'>{TEXT[:70]} in spring.</div>"
    assert standfirst(f"<h1>The ferry</h1>{line}{BODY}") == [f"{TEXT[:70]} in spring."]
    contained = f"<div class='article_lead'>{TEXT[:70]}</div>"
    assert standfirst(f"<h1>The ferry</h1>{contained}{BODY}") == []


def test_who_the_author_is_is_no_standfirst() -> None:
    name = "<meta name=author content='Ada Fenwick'>"
    line = f"<p class='excerpt'>Ada is a writer from the north. {SUMMARY}.</p>"
    assert standfirst(f"{name}<h1>The ferry</h1>{line}{BODY}") == []


@pytest.mark.parametrize("place", ["KESTER — ", "KESTER (AP) - "])
def test_a_text_that_begins_with_its_place_is_not_lifted_out(place: str) -> None:
    body = BODY.replace("<p>", f"<p class=i1>{place}", 1)
    assert standfirst(f"<h1>The ferry</h1>{body}", f"{place}{TEXT}") == []


def test_text_without_an_element_of_its_own_is_not_lifted_out() -> None:
    body = f"<div>{TEXT}<p>{TEXT} Again.</p><p>{TEXT} And again.</p></div>"
    assert standfirst(f"<h1>The ferry</h1>{body}", TEXT) == []


def test_a_line_that_announces_buttons_is_no_standfirst() -> None:
    label = "<div class=ai-summary><p>Summarize this article with:</p><a href=/a>Ask</a></div>"
    assert standfirst(f"<h1>The ferry</h1>{label}{BODY}") == []


def test_a_line_above_the_standfirst_in_its_element_belongs_to_it() -> None:
    line = "In conversation with the pilot"
    box = f"<div><p>{line}</p><h2>{SUMMARY}</h2></div>"
    assert standfirst(f"<h1>The ferry</h1>{box}{BODY}", SUMMARY) == [line, SUMMARY]
    separate = f"<p>{line}</p><div><h2>{SUMMARY}</h2></div>"
    assert standfirst(f"<h1>The ferry</h1>{separate}{BODY}", SUMMARY) == [SUMMARY]


def test_a_heading_above_the_byline_is_the_standfirst() -> None:
    copies = "<ul><li>The ferry</li></ul><h1>The ferry</h1>"
    byline = "<p>By <a rel=author href=/tam>Tam Reed</a></p>"
    assert standfirst(f"{copies}<h4>{SUMMARY}</h4>{byline}{BODY}") == [SUMMARY]
    assert standfirst(f"{copies}<h4>{SUMMARY}</h4>{BODY}") == []
    highlights = f"<h4>The pilot retires in the autumn</h4><h4>{SUMMARY}</h4>"
    assert standfirst(f"{copies}{highlights}{byline}{BODY}") == []


def test_the_title_with_its_kicker_above_the_byline_is_no_standfirst() -> None:
    byline = "<p>By <a rel=author href=/tam>Tam Reed</a></p>"
    other = "<h2>Boats of the winter: The ferry of the north</h2>"
    assert standfirst(f"<h1>Boats of winter: ferry of the north</h1>{other}{byline}{BODY}") == []


def test_the_title_with_its_kicker_below_the_path_to_the_page_is_no_standfirst() -> None:
    path = "<ul><li>Harbour</li><li>The ferry</li></ul>"
    title = "<h1 class=page-lead><span>Boats</span> The ferry</h1>"
    html = f"{path}<title>The ferry</title>{title}<p class=lead>{SUMMARY}</p>{BODY}"
    assert standfirst(html, SUMMARY) == [SUMMARY]


def test_a_named_line_above_the_summary_belongs_to_the_standfirst() -> None:
    subline = "<p class=header-subline>The crew asks for another year</p>"
    html = f"<h1>The ferry</h1>{subline}<div>{SUMMARY}</div>{BODY}"
    assert standfirst(html, SUMMARY) == ["The crew asks for another year", SUMMARY]


@pytest.mark.parametrize(
    ("above", "line", "below", "expected"),
    [
        ("", f"<p>{SUMMARY}</p>", "<p>Tam Reed</p><p>May 3, 2021</p>", True),
        ("", f"<h3>{SUMMARY}</h3>", "<p>Harbour</p><p>May 3, 2021</p>", True),
        ("", "<p>What does 2021 have in store for the boats?</p>", "<p>May 3, 2021</p>", True),
        ("", f"<p>{SUMMARY}</p>", "<p>Tam Reed</p>", False),
        ("<p>Harbour</p>", f"<p>{SUMMARY}</p>", "<p>May 3, 2021</p>", False),
        ("", "<p>The old harbour</p>", "<p>May 3, 2021</p>", False),
    ],
)
def test_a_line_of_several_words_between_title_and_date_is_the_standfirst(
    above: str, line: str, below: str, *, expected: bool
) -> None:
    assert bool(standfirst(f"<h1>The ferry</h1>{above}{line}{below}{BODY}")) == expected


def test_a_byline_is_no_standfirst_whatever_it_is_called() -> None:
    byline = "by Tam C. Reed November 8, 2023 | 6:03 pm November 8, 2023"
    assert standfirst(f"<h1>The ferry</h1><div class=subhead>{byline}</div>{BODY}") == []
    line = "By the river, nobody is ever late for the only boat of the north"
    assert standfirst(f"<h1>The ferry</h1><div class=subhead>{line}</div>{BODY}") == [line]


def test_a_heading_of_two_lines_far_below_the_title_is_no_standfirst() -> None:
    heading = "<h2>Why the harbour is the best<br>place to buy a boat</h2>"
    links = "<ul>" + "<li>Boats</li>" * 12 + "</ul>"
    assert standfirst(f"<h1>The ferry</h1>{heading}{links}{BODY}")
    assert standfirst(f"<h1>The ferry</h1>{links}{heading}{BODY}") == []


@pytest.mark.parametrize(
    ("heading", "box", "is_found"),
    [
        ("1. Introduction", "<div>{}</div>", False),
        ("Introduction", "{}", False),
        ("The crew of the ferry asks for another year", "<div>{}</div>", False),
        ("The crew of the ferry asks for another year", "{}", True),
    ],
)
def test_the_summary_below_the_heading_of_a_section_is_no_standfirst(
    heading: str, box: str, is_found: bool
) -> None:
    text = f"{SUMMARY}, and who pays for it in the end"
    section = f"<section><h2>{heading}</h2>{box.format(f'<p>{text}</p>')}</section>"
    head = f"<title>The ferry</title><meta name='description' content='{text}'>"
    page = read_page(
        f"<html><head>{head}</head><body><h1>The ferry</h1>{section}{BODY}</body></html>"
    )
    keep = [segment.block.tag != "h1" for segment in page.segments]
    assert (text in found_lines(page, keep)) is is_found


def test_a_lower_heading_alone_with_the_title_in_an_element_is_the_standfirst() -> None:
    subtitle = "<h2>Late every morning</h2>"
    header = "<div><h1>The ferry</h1>{}</div>"
    more = "<h2>The quay</h2>"
    assert standfirst(f"{header.format(subtitle)}{more}{BODY}") == ["Late every morning"]
    for line in ("<h2>Opened in May 2024</h2>", "<p>Late every morning</p>", f"{subtitle}<hr>"):
        assert standfirst(f"{header.format(line)}{more}{BODY}") == []
    motto = "<div><h1>The Harbour Post</h1><h2>All about the boats</h2></div>"
    assert standfirst(f"{motto}<h2>The ferry</h2>{BODY}") == []


def test_a_long_paragraph_that_is_selected_begins_the_text_although_the_summary_has_it() -> None:
    head = f"<title>The ferry</title><meta name=description content='{SUMMARY}'>"
    for count, found in ((7, []), (2, [0])):
        first = f"{SUMMARY}. {'It crosses the river at dawn and again at night. ' * count}".strip()
        body = f"<h1>The ferry</h1><section><p>{first}</p></section>{BODY}"
        page = read_page(f"<html><head>{head}</head><body>{body}</body></html>")
        keep = [segment.text != "The ferry" for segment in page.segments]
        selected = SelectedText(page, keep, scores=[0.9] * len(keep))
        assert [i - 1 for i in sorted(find_standfirst(selected))] == found


def test_the_summary_below_a_quotation_that_opens_the_text_is_no_standfirst() -> None:
    head = f"<title>The ferry</title><meta name=description content='{SUMMARY}'>"
    summary = f"<p>{SUMMARY}, and who pays for it in the end.</p>"
    quotation = "<div><blockquote>It will never be late again.</blockquote></div>"
    for opening, is_found in ((quotation, False), ("", True)):
        page = read_page(f"<html><head>{head}</head><h1>The ferry</h1>{opening}{summary}{BODY}")
        keep = [segment.block.tag != "h1" for segment in page.segments]
        assert bool(found_lines(page, keep)) is is_found
