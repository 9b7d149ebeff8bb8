import pytest

from printer.html.metadata.bylines import join_names
from printer.html.metadata.metadata import read_metadata
from printer.html.page import read_page
from printer.html.parse import parse


@pytest.mark.parametrize(
    ("stated", "language", "expected"),
    [
        ("Orla Fennimoor", "en", "Orla Fennimoor"),
        ("By Orla Fennimoor", "en", "Orla Fennimoor"),
        ("BY ORLA FENNIMOOR", "en", "Orla Fennimoor"),
        ("JÖRG ÜBERSEE", "de", "Jörg Übersee"),
        ("IŞIL İNCE", "tr", "IŞIL İNCE"),
        ("Insights from Orla Fennimoor", "en", "Orla Fennimoor"),
        ("Written by: Orla Fennimoor", "en", "Orla Fennimoor"),
        ("by Orla Fennimoor and Tam Reed", "en", "Orla Fennimoor, Tam Reed"),
        ("Orla Fennimoor, Tam Reed & Jo Ash", "en", "Orla Fennimoor, Tam Reed, Jo Ash"),
        ("Reed & Reed", "en", "Reed & Reed"),
        ("By Orla Fennimoor, Senior Editor", "en", "Orla Fennimoor"),
        ("Orla Fennimoor | Harbour reporter", "en", "Orla Fennimoor"),
        ("Orla Fennimoor on October 17, 2024", "en", "Orla Fennimoor"),
        ("Orla Fennimoor 17 October 2024", "en", "Orla Fennimoor"),
        ("von orla am 26.10.2013", "de", "orla"),
        ("03/10/2024 by Orla Fennimoor", "en", "Orla Fennimoor"),
        ("Orla Fennimoor (orla@example.org)", "en", "Orla Fennimoor"),
        ("Orla Fennimoor, PhD, RN", "en", "Orla Fennimoor"),
        ("Orla Fennimoor, Jr.", "en", "Orla Fennimoor, Jr."),
        ("Orla Fennimoor. Reviewed by Tam Reed", "en", "Orla Fennimoor"),
        ("Fennimoor, Orla", "en", "Orla Fennimoor"),
        ("Fennimoor, Orla M.", "en", "Orla M. Fennimoor"),
        ("Fennimoor, O. M.", "en", "O. M. Fennimoor"),
        ("Wijk, Jan van der", "en", "Jan van der Wijk"),
        ("Orla Fennimoor und Tam Reed, Kester", "de", "Orla Fennimoor, Tam Reed"),
        ("Orla Fennimoor, Reuters", "en", "Orla Fennimoor, Reuters"),
        ("Amt für Fähren, Häfen", "de", "Amt für Fähren, Häfen"),
        ("Tide GmbH, Kester, Norway", "en", ""),
        ("tide.example GmbH, Kester", "en", ""),
        ("Harbour Admin", "en", ""),
        ("Mira d'Este-Vale", "fr", "Mira d'Este-Vale"),
        ("Orla O&amp;#39;Moor", "en", "Orla O'Moor"),
        ("Von Anna Weide", "de", "Anna Weide"),
        ("von Anna Weide und Bernd Ufer", "de", "Anna Weide, Bernd Ufer"),
        ("Amt für Fähren und Häfen", "de", "Amt für Fähren und Häfen"),
        ("Par Mireille Vasseau", "fr", "Mireille Vasseau"),
        ("Por Ana Ribera y Luis Prado", "es", "Ana Ribera, Luis Prado"),
        ("José Ribera y Prado", "es", "José Ribera y Prado"),
        ("di Carla Riva", "it", "Carla Riva"),
        ("Di Wu", "en", "Di Wu"),
        ("Door Jan van der Wijk", "nl", "Jan van der Wijk"),
        ("Av Siri Fjell", "nb", "Siri Fjell"),
        ("Автор: Вера Лугова", "ru", "Вера Лугова"),
        ("文／浅葱ミオ", "ja", "浅葱ミオ"),
        ("記者：王小明", "zh", "王小明"),
        ("作者: 王小明、李大山", "zh", "王小明, 李大山"),
        ("홍길동 기자", "ko", "홍길동"),
        ("بقلم سلافة الرملي", "ar", "سلافة الرملي"),
        ("文在寅", "zh", "文在寅"),
    ],
)
def test_names_stand_alone(stated, language, expected):
    assert join_names([stated], language) == expected


@pytest.mark.parametrize(
    "stated",
    ["", "admin", "Admin", "BoatsBy Maker", "Harbours.gr", "https://www.example.org/writer", "orla@example.org", "@orla",
     "{{author}}", "12345", "The Tide", "the tide", "None", "editorial team", "page.author",
     "5f3a9c0d1e2b4a6f", "Posted at 8:56am Monday", "x" * 500, "By", "Harbour Press Ltd", "Tide GmbH, Kester, Norway", "Shutterstock", "TIDES.PL S.A."],
)  # fmt: skip
def test_names_of_nobody_are_no_authors(stated):
    assert join_names([stated], "en", "The Tide") == ""


def test_authors_are_named_once_and_not_without_end():
    assert (
        join_names(["Orla Fennimoor", "ORLA FENNIMOOR", "Tam Reed"]) == "Orla Fennimoor, Tam Reed"
    )
    many = join_names(f"Writer N{'abcdefghijklmnopqrstuvwxyz'[n]}" for n in range(26))
    assert many.count(",") == 11


def read(body, head=""):
    tree = parse(f"<html lang=en><head>{head}</head><body>{body}</body></html>")
    return read_metadata(tree, "https://example.org/a", "https://example.org/a").byline


def test_the_company_of_a_site_is_no_author():
    assert read("<h1>The ferry</h1>", "<meta name=author content='Example S.A.'>") == ""


H1 = "<h1>The ferry</h1>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (H1 + '<p class="byline">By Orla Fennimoor</p>', "Orla Fennimoor"),
        (H1 + '<p class="post-author"><span>By</span><a>Orla Fennimoor</a></p>', "Orla Fennimoor"),
        (H1 + '<p>By <a rel="author" href="/o">Orla Fennimoor</a></p>', "Orla Fennimoor"),
        (H1 + "<p>By Orla Fennimoor</p>", "Orla Fennimoor"),
        (H1 + "<dl><dd class=createdby>Escrito por Orla Fennimoor</dd></dl>", "Orla Fennimoor"),
        (H1 + "<div class=createdby>Website by Orla Fennimoor</div>", ""),
        (H1 + "<p>ByOrla Fennimoor</p>", "Orla Fennimoor"),
        (H1 + "<p>Bypass Road closed</p>", ""),
        ('<p class="author">Orla Fennimoor</p>' + H1, "Orla Fennimoor"),
        (H1 + '<span class="author">Orla Fennimoor</span><span class="author">Tam Reed</span>',
         "Orla Fennimoor, Tam Reed"),
        (H1 + '<div class="byline">Orla Fennimoor</div>' + "<p>x</p>" * 5
         + '<div class="byline">Tam Reed</div>', "Orla Fennimoor"),
        (H1 + "<p><b class='prep-author'>Posted on</b> 3 May <b class='author'>reedtam</b></p>",
         "reedtam"),
        # Neither a sentence, nor who comments, nor another story's author.
        (H1 + "<p>By using this site you agree to our terms.</p>", ""),
        (H1 + "<p>By 2032 all ferries will be gone.</p>", ""),
        (H1 + '<div class="comments"><b class="author">Tam Reed</b></div>', ""),
        (H1 + '<aside><b class="author">Tam Reed</b></aside>', ""),
        (H1 + '<div class="comment-author">Tam Reed</div>', ""),
        (H1 + '<aside class="post-author">Orla Fennimoor</aside>', "Orla Fennimoor"),
        (H1 + "<p>x</p>" * 200 + '<b class="author">Tam Reed</b>', ""),
        (H1 + f'<div class="author">{"About the writer. " * 30}</div>', ""),
    ],
)  # fmt: skip
def test_bylines_of_the_page_itself(body, expected):
    assert read(body) == expected


def test_a_byline_that_the_head_states_is_preferred():
    body = H1 + '<p class="byline">By Tam Reed</p>'
    assert read(body, '<meta name="author" content="Orla Fennimoor">') == "Orla Fennimoor"
    assert read(body, '<meta name="author" content="admin">') == "Tam Reed"


@pytest.mark.parametrize(
    ("stated", "language", "expected"),
    [
        ("लेखक: मीरा जोशी", "hi", "मीरा जोशी"),
        ("Tác giả: Lê Thu Hà", "vi", "Lê Thu Hà"),
        ("Yazan: Elif Taşkıran", "tr", "Elif Taşkıran"),
        ("โดย มาลี วงศ์ทอง", "th", "มาลี วงศ์ทอง"),
        ("文/林秋水", "zh", "林秋水"),
        ("View all posts by Anna Reed", "en", "Anna Reed"),
        ("Alle Beiträge von Anna Reed", "de", "Anna Reed"),
        ("Eingestellt von Anna Reed", "de", "Anna Reed"),
        ("Pubblicato da Anna Reed", "it", "Anna Reed"),
    ],
)
def test_words_before_a_name_are_removed_in_any_language(stated, language, expected):
    assert join_names([stated], language) == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Anna Reed on 3 May 2024", "Anna Reed"),
        ("AnnaR on Friday December 19", "AnnaR"),
        ("Sat", ""),
        ("https://example.org/user/anna-reed", ""),
        ("Bureau for Tides and Nets", "Bureau for Tides and Nets"),
        ("Anna Reed and Tam Reed", "Anna Reed, Tam Reed"),
        ("Anna (A.B.) Reed", "Anna (A.B.) Reed"),
        ("Anna Reed (Tides) and Tam Reed", "Anna Reed"),
        ("By Anna (Nan) Reed | Tides", "Anna (Nan) Reed"),
        ("Kester (Norway) Staff", "Kester"),
        ("Anna (Reuters) Reed", "Anna"),
        ("Anna (Photos) Reed", "Anna"),
        ("Anna (Editor) Reed", "Anna"),
        (
            "Anna Reed, Research Scientist, and Tam Ash, VP and Senior Fellow, Tide Research",
            "Anna Reed, Tam Ash",
        ),
        ("Anna Reed, Head of Marketing and Community Development", "Anna Reed"),
    ],
)
def test_remains_around_a_name_are_removed(stated, expected):
    assert join_names([stated], "en") == expected


SITE = '<meta property="og:site_name" content="The Tide">'


def byline(head="", body="", url="https://www.thetide.example/ferry", language="en"):
    page = f"<html lang={language}><head>{head}</head><body>{body}<p>The ferry.</p></body></html>"
    return read_metadata(parse(page), url, url).byline


@pytest.mark.parametrize(
    ("author", "body", "expected"),
    [
        ("The Tide", "", "The Tide"),
        ("thetide.example", "", ""),
        ("thetide.example", "<h1>Ferry</h1><p class=byline>thetide.example</p>", ""),
        ("https://www.facebook.com/thetide", "", ""),
        ("The Tide", "<h1>Ferry</h1><p class=byline>By Tam Reed</p>", "Tam Reed"),
        ("The Tide Newsroom", "<h1>Ferry</h1><p class=byline>By Tam Reed</p>", "Tam Reed"),
        ("Tam Reed, The Tide", "", "Tam Reed"),
        ("", "<h1>Ferry</h1><p class=byline>The Tide</p>", "The Tide"),
    ],
)
def test_the_publisher_signs_only_if_no_person_does(author, body, expected):
    assert byline(f'{SITE}<meta name="author" content="{author}">', body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('<div>by <a href="/authors/tam-reed"><b>Tam Reed</b></a></div>', "Tam Reed"),
        ('<div><a href="/autor/tam-reed/">Tam Reed</a></div>', "Tam Reed"),
        ("<p>By: Tam Reed</p>", "Tam Reed"),
        (
            "<li>Von: <a href=/tam>Tam Reed</a>, <a href=/orla>Orla Fennimoor</a></li>",
            "Tam Reed, Orla Fennimoor",
        ),
        ("<p class=Story_author__U98U7>Tam Reed</p>", "Tam Reed"),
        ("<p><b>Autor/in:</b> Tam Reed</p>", ""),
        ("<div class=photo-text><span class=author>Tam Reed</span></div>", ""),
    ],
)
def test_bylines_under_a_title_of_any_rank(body, expected):
    menu = "<nav><h1>Ferry, the search engine's words</h1></nav>" + "<i>x</i>" * 90
    page = f"{menu}<h2>Ferry and tide</h2>{body}"
    assert byline('<meta property="og:title" content="Ferry and tide">', page) == expected


@pytest.mark.parametrize("label", ["Written by", "Verfasst von", "Écrit par", "Escrito por"])
def test_the_label_of_a_link_preview_names_the_author(label):
    head = '<meta name="twitter:label1" content="{}"><meta name="twitter:data1" content="{}">'
    assert byline(head.format(label, "Tam Reed")) == "Tam Reed"
    assert byline(head.format("Est. reading time", "3 minutes")) == ""


def read_lines(*lines):
    body = "".join(f"<p>{line}</p>" for line in lines[1:])
    tree = parse(f"<html lang=en><body><h1>{lines[0]}</h1>{body}</body></html>")
    return read_metadata(tree, "https://example.org/a", "https://example.org/a", lines).byline


SENTENCE = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it. " * 2


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        (["25 November, 06:30 | Orla Fennimoor"], [], "Orla Fennimoor"),
        (["25 November, 06:30 | 12 comments"], [], ""),
        (["Nov 25, 2024 • Orla Fennimoor in Boats and Nets"], [], "Orla Fennimoor"),
        (["Tide Media／記者王小明／台北報導 2024-01-12 12:01"], [], "王小明"),
        (["March 24, 2024", "Orla Fennimoor, Research Scientist, Tide Labs"], [], "Orla Fennimoor"),
        (["March 24, 2024", "Contact Us"], [], ""),
        (["Author:", "Orla Fennimoor/Tide Press"], [], "Orla Fennimoor/Tide Press"),
        (["Contributor:", "Orla Fennimoor"], [], "Orla Fennimoor"),
        (["Class:", "Orla Fennimoor/Tide Press"], [], ""),
        ([], ["This post was written by Orla Fennimoor, Head of Boats"], "Orla Fennimoor"),
        ([], ["August 12, 2024 By Orla Fennimoor"], "Orla Fennimoor"),
        ([], ["By Orla Fennimoor", "By Tam Reed"], ""),
        ([], ["Written by a friend of boats"], ""),
        ([], ["Article written by:", "Orla Fennimoor, MD"], "Orla Fennimoor"),
        ([], ["Author:", "Orla Fennimoor", "Last updated:", "1 May 2024"], "Orla Fennimoor"),
        ([], ["Harbour:", "Orla Fennimoor"], ""),
        (["Harbour news Published on 11 June 2019"], [], ""),
    ],
)
def test_names_beside_a_date_or_in_a_signature_are_the_byline(above, below, expected):
    assert read_lines("The ferry", *above, SENTENCE, SENTENCE, *["x"] * 90, *below) == expected


def test_a_name_beside_the_page_s_date_below_the_text_is_the_author():
    def author(*dates):
        lines = ["The ferry", "25 May 2024", SENTENCE, SENTENCE, *["x"] * 90]
        return read_lines(*lines, *(f"{name} | {date} at 14:26" for name, date in dates))

    assert author(("Orla Fennimoor", "25 May 2024")) == "Orla Fennimoor"
    assert author(("Orla Fennimoor", "26 May 2024")) == ""
    assert author(("Orla Fennimoor", "25 May 2024"), ("Tam Reed", "25 May 2024")) == ""
    assert author(("Radio Kester | Harbour Report", "25 May 2024")) == ""


def test_the_author_whom_the_page_shows_is_preferred():
    author = '{"@type": "Person", "name": "Ada Fenwick"}'
    data = f'<script type="application/ld+json">{{"@type": "NewsArticle", "headline": "The ferry", "author": {author}}}'
    head = f"{data}</script><meta name=author content='Tam Reed'>"
    for line, expected in (("Tam Reed in Kester", "Tam Reed"), ("In Kester", "Ada Fenwick")):
        html = f"<html lang=en><head>{head}</head><body>{H1}<div>{line}</div>The boat left."
        assert read_page(html).metadata.byline == expected


def test_a_person_of_whom_a_paragraph_tells_is_no_author():
    link = "<a href=/profile/tam-reed>Tam Reed</a>"
    assert read(f"{H1}<p>{link}</p>") == "Tam Reed"
    assert read(f"{H1}<p>The harbour asked {link} {'about the nets of old ' * 9}</p>") == ""


def test_a_byline_is_part_of_the_block_that_the_title_names():
    line = "<div class='teaser-{}__meta'><p class=byline__author>BY TAM REED on 21 April 2020"
    title = "<h1><span class='teaser-top__title'>The ferry</span></h1>"
    assert read(title + line.format("top")) == "Tam Reed"
    assert read(title + line.format("side")) == ""


@pytest.mark.parametrize(
    "text", ["19.11.2021 Autor: Tam Reed Quelle: The Tide", "3 May 2012, Auteur : Tam Reed"]
)
def test_other_labels_beside_the_author_go(text):
    assert join_names([text], "de") == "Tam Reed"


def test_the_paper_after_the_names_goes():
    text = "By Tam Reed And Orla Fennimoor For The Tide On Sunday"
    assert join_names([text], "en") == "Tam Reed, Orla Fennimoor"
