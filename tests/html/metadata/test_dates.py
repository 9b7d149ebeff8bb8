import pytest

from printer.html.metadata.dates import find_date, find_labeled_date, find_path_date, parse_date
from printer.html.metadata.markup_hints import read_markup_hints
from printer.html.metadata.metadata import read_metadata
from printer.html.page import read_page
from printer.html.parse import parse


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2024-10-17", "2024-10-17"),
        ("2024-10-17T06:30:00+01:00", "2024-10-17T06:30:00+01:00"),
        ("2024-10-17T06:30:00.123Z", "2024-10-17T06:30:00+00:00"),
        ("2024-10-17 06:30:00 UTC", "2024-10-17T06:30:00+00:00"),
        ("2024-10-17T06:30+0530", "2024-10-17T06:30+05:30"),
        ("2024-10-17T06:30:00-04", "2024-10-17T06:30:00-04:00"),
        ("2024-10-17T06:30", "2024-10-17T06:30"),
        ("2024-10-17T00:00:00", "2024-10-17"),
        ("2024/10/17", "2024-10-17"),
        ("20241017", "2024-10-17"),
        ("20241017T063000Z", "2024-10-17T06:30:00+00:00"),
        ("Thu, 17 Oct 2024 06:30:00 GMT", "2024-10-17T06:30:00+00:00"),
        ("October 17, 2024", "2024-10-17"),
        ("Vol. 3. 2024 Oct 17;28(2)", "2024-10-17"),
        ("Oct 17, 2024 6:30 pm", "2024-10-17T18:30"),
        ("17 October 2024", "2024-10-17"),
        ("17. Oktober 2024", "2024-10-17"),
        ("17 de octubre de 2024", "2024-10-17"),
        ("17 octobre 2024", "2024-10-17"),
        ("17 октября 2024", "2024-10-17"),
        ("17.10.2024", "2024-10-17"),
        ("17/10/2024", "2024-10-17"),
        ("10/17/2024", "2024-10-17"),
        ("2024年10月17日", "2024-10-17"),
        ("2024년 10월 17일", "2024-10-17"),
    ],
)
def test_dates_of_many_forms(stated, expected):
    assert parse_date(stated) == expected


@pytest.mark.parametrize(
    "stated",
    [
        "", "yesterday", "3 hours ago", "03/04/2024", "2024", "2024-10", "2024-02-30",
        "0000-00-00", "0001-01-01T00:00:00", "1970-01-01T00:00:00Z", "9999-12-31", "17 Foo 2024",
        "99/99/2024", "2024-10-17T25:00:00", "page 12 of 2024", "123456789012345678",
        "2024-10-17T06:30:00+99:00", "0",
    ],
)  # fmt: skip
def test_invalid_and_ambiguous_dates_are_none(stated):
    assert parse_date(stated) == ""


def test_a_date_within_a_line_is_found():
    assert find_date("Published on 17 October 2024 at 06:30") == "2024-10-17T06:30"
    assert find_date("Nothing to see") == ""


@pytest.mark.parametrize(
    "period",
    ["10/17/2024 - 12/19/2024", "17.10.2024–19.12.2024", "17 October 2024 – 19 December 2024"],
)
def test_a_period_is_no_date(period):
    assert find_date(f"The course: {period}") == ""
    assert find_date(period[:10] + " - 18:30" if "/" in period else "17.10.2024 - 18:30")


def published(body, head=""):
    tree = parse(f"<html><head>{head}</head><body>{body}</body></html>")
    return read_metadata(tree, "https://example.org/a", "https://example.org/a").published


STORY = "<h1>The ferry</h1>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (STORY + '<time datetime="2024-10-17T06:30+01:00">Thursday</time>',
         "2024-10-17T06:30+01:00"),
        ('<time datetime="2024-10-17">Thursday</time>' + STORY, "2024-10-17"),
        (STORY + "<p class='entry-date'>17 October 2024</p>", "2024-10-17"),
        (STORY + '<p>Updated <time datetime="2024-10-19">Saturday</time></p>', ""),
        (STORY + '<time class="updated" datetime="2024-10-19">Saturday</time>', ""),
        (STORY + '<time itemprop="dateModified" datetime="2024-10-19">Saturday</time>', ""),
        (STORY + "<p>The war ended on 17 October 1824.</p>", ""),
        (STORY + '<aside><time datetime="2024-10-17">Thursday</time></aside>', ""),
        (STORY + '<div class="related"><time datetime="2024-10-17">Thursday</time></div>', ""),
        (STORY + "<p>x</p>" * 200 + '<time datetime="2024-10-17">Thursday</time>', ""),
    ],
)  # fmt: skip
def test_only_a_marked_date_near_the_heading_counts(body, expected):
    assert published(body) == expected


def test_the_time_comes_from_another_statement_of_the_same_day():
    head = (
        '<script type="application/ld+json">{"@type": "Article", "headline": "The ferry",'
        '"datePublished": "2024-10-17"}</script>'
        '<meta property="article:published_time" content="2024-10-17T06:30:00+01:00">'
    )
    assert published(STORY, head) == "2024-10-17T06:30:00+01:00"


def test_a_modified_date_is_no_date_of_publication():
    assert published(STORY, '<meta property="article:modified_time" content="2024-10-17">') == ""


def test_of_many_dates_only_a_discussion_s_first_counts():
    days = [f'<meta itemprop="datePublished" content="2024-01-{n:02}">' for n in range(1, 8)]
    assert published(STORY + "".join(days)) == "2024-01-01"
    assert published(STORY + "".join(reversed(days))) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30 sierpnia 2024", "2024-08-30"),
        ("14 tháng 7 năm 2024", "2024-07-14"),
        ("18 मार्च 2024", "2024-03-18"),
        ("7 มิถุนายน 2567", "2024-06-07"),
        ("5 Kasım 2024", "2024-11-05"),
        ("3 Απριλίου 2024", "2024-04-03"),
        ("22 أبريل 2024", "2024-04-22"),
        ("24 במרץ 2024", "2024-03-24"),
        ("04-ago-2021 5:11:10", "2021-08-04T05:11:10"),
        ("Δευτέρα, 26 Δεκ 2011 19:05", "2011-12-26T19:05"),
        ("12 ott 2019", "2019-10-12"),
        ("12/Mar/2020", "2020-03-12"),
        ("10 nets 2024", ""),
        ("Room 12 of 2024", ""),
    ],
)
def test_months_are_read_in_many_languages(text, expected):
    assert find_date(text) == expected


def test_the_date_beside_a_line_that_names_the_author_is_the_page_s():
    body = "<h1>Nets</h1><div><span>Yazan: Elif Taşkıran</span> · <span>5 Kasım 2024</span></div>"
    tree = parse(f"<html><body>{body}<p>Ağlar.</p></body></html>")
    assert read_markup_hints(tree, "Nets", "tr").dates == ["2024-11-05"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("03/04/2024", "fr", "2024-04-03"),
        ("03/04/2024", "en-GB", "2024-04-03"),
        ("03/04/2024", "en-US", "2024-03-04"),
        ("03-04-2024", "pt-BR", "2024-04-03"),
        ("03/04/2024", "en", ""),
        ("03/04/2024", "", ""),
        ("13/04/2024", "en-US", "2024-04-13"),
        ("13/14/2024", "fr", ""),
        ("Do 25.04.24 | 14:07 Uhr", "de", "2024-04-25"),
        ("Version 10.12.24.3", "de", ""),
    ],
)
def test_the_language_decides_the_order_of_day_and_month(text, language, expected):
    assert find_date(text, language) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("2024/10/17/ferry", "2024-10-17"),
        ("news/2024-10-17-ferry", "2024-10-17"),
        ("news/2024/oct/17/ferry", "2024-10-17"),
        ("2024/October/17/ferry", "2024-10-17"),
        ("2024/ferry/17/quay", ""),
        ("top-2024-oct-17-ferries", ""),
        ("ferry-120241017", ""),
        ("2024/13/17/ferry", ""),
        ("2024/10/17/since-2019-05-02", ""),
    ],
)
def test_a_path_may_name_the_day(path, expected):
    assert find_path_date(path) == expected


def stated_date(head="", body="", url="https://example.org/ferry", language="en"):
    page = f"<html lang={language}><head>{head}</head><body>{body}<p>The ferry.</p></body></html>"
    return read_metadata(parse(page), url, url).published


def test_a_line_that_is_only_a_date_under_the_title_counts():
    line = "<div class=x>erstellt: <b>01. April 2025, 15:25</b></div>"
    assert stated_date(body=f"<h1>Nets</h1>{line}", language="de") == "2025-04-01T15:25"
    other = "<aside><b>01. April 2025</b></aside>"
    assert stated_date(body=f"<h1>Nets</h1>{other}") == ""
    changed = "<b>Updated: 1 April 2025</b>"
    assert stated_date(body=f"<h1>Nets</h1>{changed}") == ""
    sentence = "<p>On 1 April 2025 the council of the harbour met and chose the chain.</p>"
    assert stated_date(body=f"<h1>Nets</h1>{sentence}") == ""


def test_the_path_s_day_corrects_one_of_utc():
    head = '<meta property="article:published_time" content="2024-10-18T02:41:41{zone}">'
    url = "https://example.org/2024/10/17/ferry"
    assert stated_date(head.format(zone="Z"), url=url) == "2024-10-17"
    assert stated_date(head.format(zone="+02:00"), url=url) == "2024-10-18T02:41:41+02:00"
    assert stated_date(url=url) == "2024-10-17"
    assert stated_date(head.format(zone="Z"), url="https://example.org/2019/10/17/x") == (
        "2024-10-18T02:41:41+00:00"
    )


def test_the_path_of_the_stated_address_names_the_day_if_nothing_else_does():
    head = "<link rel=canonical href='https://example.org/2024/10/17/ferry'>"
    assert stated_date(head, url="https://example.org/saved") == "2024-10-17"
    visible = "<h1>Nets</h1><time datetime=2024-10-17T09:30>17 October</time>"
    assert stated_date(head, visible) == "2024-10-17T09:30"


@pytest.mark.parametrize(
    ("lines", "published"),
    [
        (
            "<h1>Ferries</h1><div><p>At the quay</p><div>Posted: 2:12 PM Jan 11, 2012</div></div>",
            11,
        ),
        ("<div>11.01.2012 | 13:02</div><h1>Ferries</h1>", 11),
        ("<div>NEWS<br>NEWS 11.01.2012</div><i></i><h1>Ferries</h1>", 11),
        ("<h1>Ferries</h1><p>13 Jan 2012</p><p>12 Jan 2012</p><p>11 Jan 2012</p>", 0),
        ("<h1>Ferries</h1><p>Updated 12.01.2012</p><p>11.01.2012</p>", 11),
        ("<h1>Ferries</h1><p>Updated 11.01.2012</p>", 11),
        ("<h1>Ferries</h1><table><tr><th>Built</th><td>11.01.2012</td></tr></table>", 0),
        ("<h1>Ferries</h1><p>The pier burned down on 11 January 2012.</p>", 0),
    ],
)
def test_a_date_in_a_line_without_marks_beside_the_title_is_read(lines, published):
    links = "".join(f"<a href='/{n}'><i>Page</i></a>" for n in range(60))
    page = read_page(f"<html lang=en><title>Ferries</title>{links}{lines}")
    assert page.metadata.published[:10] == ("2012-01-11" if published else "")


def test_a_byline_in_a_line_without_marks_beside_the_title_is_read():
    lines = "<h1>Ferries</h1>" + "<i></i>" * 100 + "<p>By <a href='/x'>Ivo Halloran</a></p>"
    page = read_page(f"<html lang=en><title>Ferries</title>{lines}<p>By the sea</p>")
    assert page.metadata.byline == "Ivo Halloran"


@pytest.mark.parametrize(
    ("label", "date"),
    [("Published", "2023-02-02"), ("Published:", "2023-02-02"), ("Ebb", "")],
)
def test_a_date_in_the_line_below_its_label_is_read(label, date):
    texts = (f"<p>Ferry {i} sails to the island. {'It waits for no one. ' * 9}" for i in range(20))
    lines = "".join(texts) + f"<table><tr><td>{label}<td>Feb 2, 2023</table>"
    assert read_page(f"<html lang=en><h1>Ferries</h1>{lines}").metadata.published == date


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Posted on April 13, 2023"], "2023-04-13"),
        (["Veröffentlicht am 5. November 2023, 14:09"], "2023-11-05T14:09"),
        (["August 12, 2025 By Orla Fennimoor"], "2025-08-12"),
        (["Опубликовано: 6 декабря 2011", "Опубликовано: 6 декабря 2011"], "2011-12-06"),
        (["Posted on April 13, 2023", "Posted on April 14, 2023"], ""),
        (["Date 13.04.2023"], "2023-04-13"),
        (["Date of the storm 13.04.2023"], ""),
        (["On April 13, 2023, it rained"], ""),
    ],
)
def test_the_only_date_after_a_label_anywhere_on_the_page_is_found(lines, expected):
    assert find_labeled_date(lines, "en") == expected
