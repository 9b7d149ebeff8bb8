import pytest

from printer.html.metadata.jsonld import parse_json
from printer.html.metadata.metadata import read_metadata
from printer.html.page import read_page
from printer.html.parse import base_url, parse

URL = "https://www.example.org/news/ferry"
TEXT = (
    "<p>The ferry that has carried schoolchildren and sheep across the river for forty years will "
    "make its last crossing in March, and from then on the boat will be moved by a chain.</p>"
)


def read(head="", body=TEXT, url=URL, html="<html lang=en>"):
    tree = parse(f"{html}<head>{head}</head><body>{body}</body></html>")
    return read_metadata(tree, url, base_url(tree, url))


def read_with_lines(head, body, url=URL):
    return read_page(f"<html lang=en><head>{head}</head><body>{body}</body></html>", url).metadata


def json_ld(text):
    return f'<script type="application/ld+json">{text}</script>'


def test_a_page_that_states_nothing_has_nothing():
    found = read(html="<html>", body="<p>Hm.</p>")
    assert (found.title, found.byline, found.published, found.site) == ("", "", "", "")
    assert (found.lead, found.language, found.canonical, found.image) == ("", "", "", "")


def test_json_ld_states_all():
    found = read(
        json_ld(
            """{"@context": "https://schema.org", "@graph": [
            {"@type": "Organization", "@id": "#paper", "name": "The Tide"},
            {"@type": "Person", "@id": "#orla", "name": "Orla Fennimoor"},
            {"@type": ["NewsArticle"], "headline": "Ferry &amp; tide",
             "author": [{"@id": "#orla"}, {"@type": "Person", "name": "Tam Reed"}],
             "datePublished": "2024-10-17T06:30:00+01:00",
             "dateModified": "2024-10-19T06:30:00+01:00",
             "publisher": {"@id": "#paper"}, "description": "What a chain can do.",
             "image": [{"@type": "ImageObject", "url": "/img/boat.jpg"}]}]}"""
        )
    )
    assert found.title == "Ferry & tide"
    assert found.byline == "Orla Fennimoor, Tam Reed"
    assert found.published == "2024-10-17T06:30:00+01:00"
    assert found.site == "The Tide"
    assert found.lead == "What a chain can do."
    assert found.image == "https://www.example.org/img/boat.jpg"


def test_meta_elements_state_all():
    found = read(
        """<meta property="og:title" content="Ferry &amp;amp; tide">
        <meta name="author" content="By Orla Fennimoor">
        <meta property="article:published_time" content="2024-10-17T06:30:00Z">
        <meta property="article:modified_time" content="2024-10-18T06:30:00Z">
        <meta property="og:site_name" content="The Tide">
        <meta name="description" content="What a
            chain can do.">
        <meta property="og:image" content="//img.example.org/boat.jpg">
        <link rel="canonical" href="/news/ferry-tide">"""
    )
    assert found.title == "Ferry & tide"
    assert found.byline == "Orla Fennimoor"
    assert found.published == "2024-10-17T06:30:00+00:00"
    assert found.site == "The Tide"
    assert found.lead == "What a chain can do."
    assert found.image == "https://img.example.org/boat.jpg"
    assert found.canonical == "https://www.example.org/news/ferry-tide"


@pytest.mark.parametrize(
    ("publisher", "site"),
    [
        ("Board of Fisheries, post@fish.example.org", "Board of Fisheries"),
        ("post@fish.example.org", ""),
        ("Reed, Pike and Tench, Ltd", "Reed, Pike and Tench, Ltd"),
    ],
)
def test_the_address_of_the_publisher_is_no_part_of_its_name(publisher, site):
    assert read(f'<meta name="DC.publisher" content="{publisher}">').site == site


def test_dublin_core_and_microdata_are_read():
    found = read(
        """<meta name="DC.title" content="On chains"><meta name="DC.creator" content="Reed, Tam">
        <meta name="DC.date.issued" content="2011-05-02">"""
    )
    assert (found.title, found.byline, found.published) == ("On chains", "Tam Reed", "2011-05-02")
    found = read(
        body="""<article><h1 itemprop="headline">On chains</h1>
        <span itemprop="author" itemscope>By <b itemprop="name">Tam Reed</b>, Harbour</span>
        <span itemprop="datePublished" content="2011-05-02">2 May</span></article>"""
        + TEXT
    )
    assert (found.title, found.byline, found.published) == ("On chains", "Tam Reed", "2011-05-02")


@pytest.mark.parametrize(
    "text",
    [
        '{"headline": "A", "n": [1, 2,], }',
        '/* made by a plug-in */ {"headline": "A"} // end',
        '<!-- {"headline": "A"} -->',
        '//<![CDATA[\n{"headline": "A"}\n//]]>',
        "{&quot;headline&quot;: &quot;A&quot;}",
        '{"headline": "A"};',
        '{"x": "a line\nbreak and a \x01 control", "headline": "A"}',
        '{"url": "https://example.org/*not a comment*/", "headline": "A",}',
    ],
)
def test_broken_json_is_mended(text):
    found = parse_json(text)
    assert found
    assert found[0]["headline"] == "A"


def test_values_in_a_row_are_all_read():
    assert parse_json('{"a": 1}\n{"b": 2}') == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a":' * 50_000, "nonsense", "null"])
def test_invalid_json_is_ignored(text):
    assert read(json_ld(text), body="<h1>Title</h1>" + TEXT).title == "Title"


def test_of_a_list_of_articles_none_is_the_page():
    items = ",".join(
        f'{{"@type": "NewsArticle", "headline": "Story {n}", "author": "Writer {n}", '
        f'"datePublished": "2024-01-0{n}"}}'
        for n in range(1, 6)
    )
    found = read(f"<title>News</title>{json_ld(f'[{items}]')}")
    assert (found.title, found.byline, found.published) == ("News", "", "")


def test_a_site_s_name_may_have_the_parts_of_its_host_in_any_order():
    head = "<title>Nets | Tide Docs</title><meta property='og:type' content='article'>"
    body = f"<h1>Nets in use</h1>{TEXT}"
    assert read(head, body, url="https://docs.tide.org/nets").title == "Nets in use"


def test_of_several_articles_the_one_with_the_page_s_address_counts():
    items = ",".join(
        f'{{"@type": "NewsArticle", "headline": "Story {n}", "url": "https://example.org/{n}"}}'
        for n in range(5)
    )
    assert read(json_ld(f"[{items}]"), url="https://example.org/3").title == "Story 3"


@pytest.mark.parametrize(
    ("title", "h1", "og", "site", "expected"),
    [
        ("The ferry | The Tide", "", "", "The Tide", "The ferry"),
        ("The Tide - The ferry", "", "", "The Tide", "The ferry"),
        ("The ferry – Example", "", "", "", "The ferry"),  # repeats the host
        ("霧の町の、最後の活字｜月刊みさき", "霧の町の、最後の活字", "", "",
         "霧の町の、最後の活字"),
        ("The ferry | News | The Tide", "The ferry", "", "", "The ferry"),
        ("Ferry: a new way - The Tide", "Ferry: a new way", "", "The Tide", "Ferry: a new way"),
        ("A - B - The Tide", "A – B", "", "The Tide", "A – B"),
        # The heading's words where title was shortened, the title where the heading is a slogan.
        ("Ferry to run on tide", "Ferry to run on the tide alone, council decides", "", "",
         "Ferry to run on the tide alone, council decides"),
        ("How to mend a net | The Tide", "Welcome aboard", "", "The Tide", "How to mend a net"),
        ("How to mend a net | The Tide", "The Tide", "", "The Tide", "How to mend a net"),
        ("x", "The ferry", "The ferry", "", "The ferry"),
        ("", "The ferry¶", "", "", "The ferry"),
        ("", "", "The ferry", "", "The ferry"),
        ("View topic - How do I mend a net", "", "", "", "How do I mend a net"),
        ("Nets - Overview | Office of Tides and Harbours", "", "", "", "Nets"),
    ],
)  # fmt: skip
def test_titles_lose_the_site_s_name(title, h1, og, site, expected):
    head = f"<title>{title}</title>"
    head += f'<meta property="og:title" content="{og}">' if og else ""
    head += f'<meta property="og:site_name" content="{site}">' if site else ""
    assert read(head, f"<h1>{h1}</h1>{TEXT}").title == expected


@pytest.mark.parametrize(
    ("title", "h1", "og", "expected"),
    [
        # A beginning of ``title`` that is stated elsewhere is not cut further.
        ("New here – Which net? - Feedback - Nets", "", "New here – Which net?",
         "New here – Which net?"),
        # A label or a date before the heading, a count after it.
        ("How to mend a net | Talk", "Thread: How to mend a net", "How to mend a net",
         "How to mend a net"),
        ("How to mend a net | Talk", "How to mend a net (tide.test) 139", "How to mend a net",
         "How to mend a net"),
        ("2025 was a year of nets | Talk", "2025 was a year of nets and of boats",
         "2025 was a year of nets", "2025 was a year of nets and of boats"),
        # A question or a quotation before the rest of a headline is no label.
        ("How to mend a net | Talk", "Torn again? How to mend a net", "How to mend a net",
         "Torn again? How to mend a net"),
        ("How to mend a net | Talk", "“Mere holes”: How to mend a net", "How to mend a net",
         "“Mere holes”: How to mend a net"),
        # A short title stated without the site's name belongs to a longer heading.
        ("Mending | Rope Guild Papers", "Mending in winter", "Mending", "Mending in winter"),
        # The heading names the section that ends the title.
        ("Mending in winter - Nets and ropes of the guild", "Nets and ropes of the guild",
         "Mending in winter", "Mending in winter"),
        # A short name below a label in the heading is not the section before a title.
        ("Harbour Nets | Store of all fishing gear", "Meet the maker Harbour Nets", "",
         "Harbour Nets"),
        # A product may bear the site's name.
        ("Example Nets Deluxe – Blue", "Example Nets Deluxe – Blue", "",
         "Example Nets Deluxe – Blue"),
        # A dash in brackets parts nothing.
        ("The mesh (wide - fine - finest) of nets", "", "", "The mesh (wide - fine - finest) of nets"),
        # A line about the site is no title.
        ("How to mend a net - Example", "A word from the founder of Example News", "",
         "How to mend a net"),
    ],
)  # fmt: skip
def test_titles_keep_words_that_only_they_have(title, h1, og, expected):
    head = f"<title>{title}</title>"
    head += f'<meta property="og:title" content="{og}">' if og else ""
    assert read(head, f"<h1>{h1}</h1>{TEXT}").title == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("mending-blue-nets", "Mending blue nets"),
        ("7213", "Nets for every boat"),
        ("%E7%B6%B2", ""),
    ],
)
def test_the_address_decides_between_heading_and_title(address, expected):
    head = "<title>Nets for every boat | Example</title>"
    found = read(head, f"<h1>Mending blue nets</h1>{TEXT}", url=f"https://example.org/a/{address}")
    assert found.title == (expected or "Nets for every boat")


def test_a_heading_s_lines_are_words_apart_and_its_buttons_are_no_words():
    body = "<h1>The ferry<br>runs<div>by night</div><button>Copy link</button></h1>"
    assert read(body=body + TEXT).title == "The ferry runs by night"


@pytest.mark.parametrize(
    ("stated", "title"),
    [("The ferry runs", "The ferry runs"), ("The ferry", "The ferry runs photo: Orla Reed")],
)
def test_the_credit_in_a_heading_is_no_part_of_a_stated_title(stated, title):
    head = f"<title>{stated} - The Tide</title><meta property=og:title content='{stated}'>"
    body = "<h1>The ferry runs <div>photo: Orla Reed</div></h1>"
    assert read(head, body + TEXT).title == title


@pytest.mark.parametrize(("label", "date"), [("Last updated:", "2026-02-01"), ("Next ferry:", "")])
def test_the_date_of_an_update_may_be_below_its_label(label, date):
    lines = ["The ferry", *["x"] * 90, label, "February 1, 2026"]
    tree = parse("<html lang=en><body><h1>The ferry</h1></body></html>")
    assert read_metadata(tree, URL, URL, lines).published == date


def test_a_drawing_s_title_is_not_the_page_s():
    found = read(body=f"<svg><title>Menu</title></svg><h1>The ferry</h1>{TEXT}")
    assert found.title == "The ferry"


def test_a_heading_may_be_a_picture_of_its_words():
    assert read(body=f'<h1><img alt="The ferry" src="a.png"></h1>{TEXT}').title == "The ferry"


def test_a_code_tag_in_a_title_stays():
    assert read("<title>Thirty years of &lt;br></title>").title == "Thirty years of <br>"


def test_nothing_unseen_is_left_in_a_line():
    found = read('<meta property="og:title" content="The\u202e fer\u200bry\u2069 \ue000 &#0;now">')
    assert found.title.replace("\ufffd", "") == "The ferry now"


def test_lines_are_bounded():
    long = "word " * 100_000
    found = read(
        f'<title>{long}</title><meta name="description" content="{long}">'
        f'<meta property="og:site_name" content="{long}"><meta name="author" content="{long}">'
    )
    assert max(map(len, (found.title, found.lead, found.site, found.byline))) <= 1_000


@pytest.mark.parametrize(
    "stated", ["javascript:alert(1)", "data:image/png;base64,AAAA", "http://[", "file:///etc/x"]
)
def test_addresses_are_of_the_web(stated):
    found = read(
        f'<meta property="og:image" content="{stated}"><link rel=canonical href="{stated}">'
    )
    assert (found.image, found.canonical) == ("", "")


def test_the_site_is_named_by_the_host_when_nothing_else_does():
    found = read("<title>The ferry | Example News</title>", f"<h1>The ferry</h1>{TEXT}")
    assert found.site == "Example News"


def test_the_front_page_is_not_a_story_s_address():
    head = '<link rel="canonical" href="/"><meta property="og:url" content="/news/ferry">'
    assert read(head).canonical == "https://www.example.org/news/ferry"
    assert read(head, url="https://www.example.org/").canonical == "https://www.example.org/"


def test_a_sign_or_an_address_is_no_site_s_name():
    assert read('<meta property="og:site_name" content="/">').site == ""
    assert read('<meta property="og:site_name" content="https://example.org">').site == ""


@pytest.mark.parametrize("url", ["", "http://[", "not an address", "file:///tmp/a.html"])
def test_any_address_of_the_page_will_do(url):
    base = '<base href="https://example.org/">'
    found = read(f"{base}<title>The ferry | News</title><link rel=canonical href=/x>", url=url)
    assert found.title == "The ferry"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ('"Harbour"', "Harbour"),
        ('["Harbour &amp; Sea", "News"]', "Harbour & Sea"),
        ('"news/harbour"', ""),
        ('"harbour-news"', ""),
        ('"Sea, Harbour, News"', ""),
        ('"The Tide"', ""),
        ('"nil"', ""),
        ('["Uncategorized", "Harbour"]', "Harbour"),
        ('"Sin categoría"', ""),
        ('"What happened at the harbour in the last year"', ""),
    ],
)
def test_a_section_is_a_name(stated, expected):
    site = '<meta property="og:site_name" content="The Tide">'
    found = read(
        site
        + json_ld(f'{{"@type": "NewsArticle", "headline": "Ferry", "articleSection": {stated}}}')
    )
    assert found.section == expected
    assert read('<meta property="article:section" content="Sea">').section == "Sea"


def test_a_section_in_another_script_is_no_kicker():
    head = "<title>渡轮将于三月停航</title><meta property='article:section' content='{}'>"
    assert read(head.format("National")).section == ""
    assert read(head.format("社会")).section == "社会"


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("Ferry: The last crossing | Tide", "<span class=topline>Ferry</span> <b>The last crossing</b>",
         "Ferry: The last crossing"),
        ("The last crossing | Tide", "<span class=x__kicker>Ferry</span><b>The last crossing</b>",
         "The last crossing"),
        ("Old chains: “The last crossing”", "<i>Ferry</i><i class=hidden>-</i><b>“The last crossing”</b>",
         "“The last crossing”"),
        ("Ferry: The last crossing", "<i>Ferry</i><i>:</i> <b>The last crossing</b>",
         "Ferry: The last crossing"),
        ("The last crossing", "<span class=label>News</span> The last crossing", "The last crossing"),
        ("The last crossing ever", "<b>The last</b> <i>crossing</i> ever", "The last crossing ever"),
        ("Category:Ferries", "<i>Category</i><i>:</i><b>Ferries</b>", "Category:Ferries"),
    ],
)  # fmt: skip
def test_a_kicker_is_not_glued_to_the_title(title, heading, expected):
    found = read(f"<title>{title}</title>", f"<h1>{heading}</h1>{TEXT}")
    assert found.title == expected


def test_the_visible_heading_is_preferred_to_one_in_a_menu():
    body = f"<nav><h1>Ferry: Last crossing of the chain</h1></nav><h2>The last crossing</h2>{TEXT}"
    head = (
        "<title>Ferry: Last crossing of the chain</title>"
        '<meta property="og:title" content="The last crossing">'
    )
    assert read(head, body).title == "The last crossing"
    assert read("<title>Ferry</title>", body).title == "Ferry: Last crossing of the chain"


def test_the_headline_ends_where_the_section_begins():
    head = "<title>The last crossing-RiversㅣTide</title>" + json_ld(
        '{"@type": "NewsArticle", "headline": "The last crossing", "datePublished": "2024"}'
    )
    assert read(head).title == "The last crossing"


@pytest.mark.parametrize(
    ("document", "title"),
    [
        ("渡し船は三月に終わる_ニュース_港新聞", "渡し船は三月に終わる"),
        ("渡轮将于三月停航_新闻中心_港口网", "渡轮将于三月停航"),
        ("渡轮将于三月停航-社会频道-港口网", "渡轮将于三月停航"),
        ("渡輪將於三月停航--港口網", "渡輪將於三月停航"),
        ("图文-渡轮将于三月停航", "图文-渡轮将于三月停航"),
        ("snake_case 的名字", "snake_case 的名字"),
    ],
)
def test_parts_of_chinese_titles_are_separated_without_blanks(document, title):
    section = "<h1>新闻中心</h1><p>渡轮将于三月停航，港务局周二宣布。</p>"
    assert read(f"<title>{document}</title>", section, html="<html>").title == title


LINK = '<p><a href="/{0}">{0}</a></p>'


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        # A title for search engines stands nowhere on the page.
        ("Tide forecast: cheap chains and old boats", f"<h1>Why the ferry stops</h1>{TEXT}",
         "Why the ferry stops"),
        ("Rivers / Why the ferry stops in March", f"<h1>Why the ferry stops in March</h1>{TEXT}",
         "Why the ferry stops in March"),
        # The title stands on the page; the heading is the section's.
        ("Why the ferry stops", f"<h1>Rivers and lakes today</h1><b>Why the ferry stops</b>{TEXT}",
         "Why the ferry stops"),
        # No text below the heading, or a heading of few words.
        ("Cheap chains and old boats", f"{TEXT}<h1>More about the rivers</h1>",
         "Cheap chains and old boats"),
        ("Cheap chains and old boats", f"<h1>Welcome</h1>{TEXT}", "Cheap chains and old boats"),
        # The parts of an identifier.
        ("harbour::ferries - Nets", f"<h1>Module ferries</h1>{TEXT}", "harbour::ferries"),
        # The site's name is no headline.
        ("Cheap chains and old boats", f"<h1>Example</h1>{TEXT}", "Cheap chains and old boats"),
        # A title that stands whole on the page is not cut at its dash.
        ("The last ferry of the river - Part 1 | Nets and boats",
         f"<h1>Nets</h1><h2>The last ferry of the river - Part 1</h2>{TEXT}",
         "The last ferry of the river - Part 1"),
    ],
)  # fmt: skip
def test_the_title_is_the_headline_that_stands_on_the_page(title, body, expected):
    menu = "".join(map(LINK.format, ("Rivers", "Lakes", "Harbours")))
    found = read_with_lines(f"<title>{title}</title>", menu + body, "https://example.org/a/7213")
    assert found.title == expected


def test_of_several_headings_the_first_is_the_headline():
    head = "<title>Cheap chains</title>"
    body = f"<h1>Why the ferry stops</h1>{TEXT}<h1>What the council decides</h1>{TEXT}"
    assert read_with_lines(head, body).title == "Why the ferry stops"


def test_the_address_keeps_a_title_that_is_not_on_the_page():
    body = f"<h1>Why the ferry stops</h1>{TEXT}"
    found = read_with_lines(
        "<title>Cheap old chains</title>", body, "https://example.org/cheap-old-chains"
    )
    assert found.title == "Cheap old chains"


def test_the_reading_of_a_heading_s_signs_is_no_part_of_the_title():
    heading = "<h1><ruby>子<rp>(</rp><rt>こ</rt><rp>)</rp></ruby>どもの船</h1>"
    assert read(body=heading + TEXT).title == "子どもの船"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("Example News - Harbour Press Ltd & Co. of the Coast", "Example News"),
        ("Example News | For all who love the sea and its boats", "Example News"),
        ("Harbour Press of the whole Coast - Example News", "Example News"),
        ("Tides today: All about the sea and its boats", "Tides today"),
        ("The old harbour - From nets to lanterns, a day at sea made easy for all", "The old harbour"),
        ("Ministry of Harbours, Fisheries and Lighthouses", "Ministry of Harbours, Fisheries and Lighthouses"),
        ("EN - Examples for the National Harbour Service", "EN - Examples for the National Harbour Service"),
        ("Example | Forum", "Example | Forum"),
        ("Harbour Press |", "Harbour Press"),
    ],
)  # fmt: skip
def test_the_site_s_name_loses_its_slogan(stated, expected):
    head = f'<title>Ferry</title><meta property="og:site_name" content="{stated}">'
    assert read(head).site == expected


def test_a_site_is_not_called_by_the_page_s_title():
    title = "Why the last ferry stops"
    head = f'<title>{title}</title><meta property="og:site_name" content="{title}">'
    assert read(head).site == ""


BELOW = "<h1>Why the ferry stops</h1>"


@pytest.mark.parametrize(
    ("lines", "author", "date"),
    [
        (["Harbour Press 作者：孙伟 责任编辑：魏景芳 【编译】 2012年01月17日 17:40 评论"], "孙伟", "2012-01-17T17:40"),
        (["Written by", "Orla Fennimoor"], "Orla Fennimoor", ""),
        (["Written by:Orla Fennimoor"], "Orla Fennimoor", ""),
        (["Orla Fennimoor", "23.07.2025 · 6 min", TEXT, "Orla is our editor for rivers."],
         "Orla Fennimoor", "2025-07-23"),
        (["Orla Fennimoor", TEXT, "Orla Fennimoor, harbour master, has lived here for years."],
         "Orla Fennimoor", ""),
        (["Harbour Stories", "23.07.2025 · 6 min", TEXT, "Orla is our editor for rivers."],
         "", "2025-07-23"),
        (["3 March 2017 by Orla Fennimoor, Representative of the Ferries to the Harbour Office"],
         "Orla Fennimoor", "2017-03-03"),
        (["3 March 2017 by Orla FennimoorIn Ferries, Boats and Harbours"], "", ""),
        (["Autor: ofenni. Data publikacji: 2011-05-27 09:49"], "ofenni", "2011-05-27T09:49"),
    ],
)  # fmt: skip
def test_a_line_of_its_own_names_the_author(lines, author, date):
    body = BELOW + "".join(line if line == TEXT else f"<div>{line}</div>" for line in lines)
    found = read_with_lines("<title>Why the ferry stops</title>", body + TEXT)
    assert (found.byline, found.published) == (author, date)


def test_a_byline_below_the_title_counts_more_than_a_name_that_no_reader_sees():
    head = "<title>Why the ferry stops</title><meta name=author content='Tam Reed'>"
    line = "<h3>By Orla Fennimoor, Columnist</h3>"
    assert read_with_lines(head, BELOW + line + TEXT).byline == "Orla Fennimoor"
    found = read_with_lines(head, BELOW + line + TEXT + "<p>Published by Tam Reed</p>")
    assert found.byline == "Tam Reed"


def test_the_byline_above_the_text_precedes_whoever_published_it():
    head = "<title>Why the ferry stops</title><meta name=author content='Tam Reed'>"
    posted = "<div>{}</div><p>A ferry has carried sheep for forty years.</p>"
    line = "<p>By Orla Fennimoor</p>"
    date = posted.format("Tam Reed, 3 May 2021")
    assert read_with_lines(head, BELOW + date + line + TEXT).byline == "Orla Fennimoor"
    undated = posted.format("Our man on the quay is Tam Reed")
    assert read_with_lines(head, BELOW + undated + line + TEXT).byline == "Tam Reed"
    assert read_with_lines(head, BELOW + date + line + "<p>Sheep</p>" + TEXT).byline == "Tam Reed"


def test_a_title_of_nothing_but_the_site_gives_way_to_the_heading():
    head = "<title> | Oar & Sail Magazine</title><meta property=og:site_name content='Oar Paper'>"
    found = read_with_lines(head, f"<h1>Lamps</h1>{TEXT}", "https://www.oarsail.org/lamps")
    assert found.title == "Lamps"


def test_the_lines_beside_the_title_are_those_above_the_text():
    menu = LINK.format("Why the ferry stops") + "".join(map(LINK.format, "abcdefghijklmnop"))
    line = "<div>By Orla Fennimoor, 4 May 2021</div>"
    found = read_with_lines(
        "<title>Why the ferry stops</title>", f"{menu}{BELOW}{line}{TEXT}{menu}"
    )
    assert (found.byline, found.published) == ("Orla Fennimoor", "2021-05-04")


@pytest.mark.parametrize("stated", ["Nachrichten", "Новости", "Posted", "Veröffentlicht am",
                                    "The Tide, Harbour, Norway"])  # fmt: skip
def test_sections_labels_and_addresses_are_no_authors(stated):
    head = (
        f'<meta property="og:site_name" content="The Tide"><meta name="author" content="{stated}">'
    )
    assert read(head).byline in {"", "The Tide"}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2021-05-03", "2021-05-04"),
        ("2021-05-01", "2021-05-04"),
        ("2021-05-03T21:04:00-05:00", "2021-05-03T21:04:00-05:00"),
    ],
)
def test_the_day_that_the_page_shows_is_preferred_to_the_one_beside_it(stated, expected):
    head = f'<title>Why the ferry stops</title><meta name="PubDate" content="{stated}">'
    body = f"{BELOW}<div>By Orla Fennimoor And Tam Reed, Harbour News May 4, 2021</div>{TEXT}"
    found = read_with_lines(head, body)
    assert found.published == expected
    assert found.byline.startswith("Orla Fennimoor, Tam Reed")


def test_an_agency_is_the_author_if_nobody_else_is_named():
    def byline(line):
        body = f"<h1>Ferry to stop</h1><div>{line}</div>{TEXT}"
        return read_with_lines("<title>Ferry to stop</title>", body).byline

    assert byline("Reuters | 2024-01-17 09:07:25") == "Reuters"
    assert byline("Ada Fenwick | Reuters | 2024-01-17 09:07:25") == "Ada Fenwick"
    assert byline("Ferries | 2024-01-17 09:07:25") == ""
    assert read('<meta name="articleAuthor" content="Anadolu Ajansı">').byline == "Anadolu Ajansı"
    assert read('<meta name="articleAuthor" content="harbour.com.tr">').byline == ""


def test_a_name_alone_on_the_right_below_the_text_is_the_author_rather_than_the_site():
    def byline(*signatures):
        head = (
            '<meta property="og:site_name" content="Harbour"><meta name="author" content="Harbour">'
        )
        signed = "".join(f'{TEXT}<p style="text-align: right;"><b>{s}</b></p>' for s in signatures)
        return read(head, f"<h1>Ferry to stop</h1>{signed}").byline

    assert byline("Lê Phương") == "Lê Phương"
    assert byline("Lê Phương", "Ada Fenwick") == "Harbour"
    assert byline("Read more about the ferry") == "Harbour"


@pytest.mark.parametrize(
    "heading",
    [
        "<h1><span class='overline'>On the river</span> <span>Ferry &amp; tide</span></h1>",
        "<p class=topline>On the river</p><h1>Ferry &amp; tide</h1>",
        "<header><div><a class='head-eyebrow' href=/river>On <b>the river</b></a></div></header>"
        "<h1>Ferry &amp; tide</h1>",
        "<div><h1>Ferry &amp; tide</h1></div><div><h2 class=supra-title>On the river</h2></div>",
    ],
    ids=["inside", "above", "in a box above", "below"],
)
def test_the_kicker_of_the_heading_precedes_the_section_stated(heading):
    head = "<title>Ferry &amp; tide</title><meta property='article:section' content='News'>"
    assert read(head, heading + TEXT).section == "On the river"
    assert read(head, "<p class='ad-label kicker'>Advert</p><h1>Ferry</h1>").section == "News"
    long = heading.replace("On", "On and on " * 9)
    assert read(head, long + TEXT).section == "News"


def test_the_parts_of_a_kicker_are_not_glued():
    kicker = "<p class=overline><b>On the river</b><span>High water</span></p>"
    head = "<title>Ferry &amp; tide</title>"
    page = read(head, f"{kicker}<h1>Ferry &amp; tide</h1>{TEXT}")
    assert page.section == "On the river · High water"


def test_a_date_beside_the_title_precedes_that_of_the_day_and_of_other_stories():
    today = "<div>Tuesday, 9 April 2013</div><p>Weather</p>"
    plain = "<div class=name>Ferry &amp; tide</div><div>21 December 2011</div>"
    head = "<title>Ferry &amp; tide</title>"
    assert read(head, today + plain + TEXT).published == "2011-12-21"
    story = "<li><a href=/x>Another</a><time datetime=2013-04-10>Today</time></li>"
    dated = "<time datetime=2012-01-05>5 January</time><h1>Ferry &amp; tide</h1>"
    assert read(head, story + dated + TEXT).published == "2012-01-05"


@pytest.mark.parametrize(
    "stated", ["", "2012-01-05", "2012-01-05T10:00:00+00:00", "2012-01-05T06:47:30"]
)
def test_a_date_marked_below_the_title_precedes_the_only_line_with_a_date(stated):
    mark = "<time datetime=2012-01-05T06:47><span>06:47</span>05.01.2012</time>"
    other = "<ul><li><a href=/x>The weir</a><div>31 January 2012, 06:50</div></li></ul>"
    body = f"<h1>The ferry stops</h1>{mark}{other}{TEXT}"
    head = "<title>The ferry stops</title>"
    meta = f"<meta property=article:published_time content='{stated}'>"
    assert read_with_lines(head + meta, body).published.startswith("2012-01-05")
    above = "<div>31 January 2012, 06:50</div><h1>The ferry stops</h1>"
    story = "<div><time datetime=2012-01-05>5 Jan</time> <a href=/x>The weir</a></div>"
    body = f"{above}{'<p><i>The ferry.</i></p>' * 10}{story}{TEXT}"
    assert read_with_lines(head, body).published == "2012-01-31T06:50"


def test_a_creator_is_the_author_if_only_the_site_is_stated_as_one():
    found = read(
        json_ld(
            """{"@type": "NewsArticle", "headline": "Ferry", "creator": ["Orla Fennimoor"],
            "author": {"@type": "Organization", "name": "The Tide"},
            "publisher": {"@type": "Organization", "name": "The Tide"}}"""
        )
    )
    assert found.byline == "Orla Fennimoor"


def test_the_byline_below_the_title_precedes_the_site_stated_as_author():
    head = "<title>Ferry to stop</title><meta name=author content='The Tide'>"
    logo, heading = "<div>The Tide</div>", "<h1>Ferry to stop</h1>"
    signed = f"{logo}{heading}<div id=author>By: <b>Orla Fennimoor</b> (captain)</div>"
    assert read_with_lines(head, signed + TEXT).byline == "Orla Fennimoor"
    assert read_with_lines(head, logo + heading + TEXT).byline == "The Tide"


def test_those_who_made_the_site_are_not_authors():
    masthead = "Architecture: Orla Fennimoor, Design: Tam Reed. HTML: Ann Marl."
    assert read(f'<meta name="author" content="{masthead}">').byline == ""


def test_the_author_may_be_stated_under_a_name_with_a_blank():
    found = read('<meta name="twitter:misc:Written by" content="Orla Fennimoor">')
    assert found.byline == "Orla Fennimoor"


def test_a_saved_page_has_the_host_of_its_own_address_for_the_name_of_the_site():
    head = """<title>Ferry &amp; tide - News - The Tide</title>
    <meta property="og:title" content="tide.example - Ferry &amp; tide">
    <meta property="og:url" content="http://www.tide.example/story?id=7">"""
    found = read_with_lines(head, f"<div>Ferry &amp; tide</div>{TEXT}", "http://127.0.0.1/a.html")
    assert found.title == "Ferry & tide"


def test_what_a_template_was_to_replace_is_not_stated():
    head = (
        "<title>{{page.title}}</title><meta property=og:title content='${title}'>"
        "<meta property=og:site_name content='{{site.name}}'><meta name=description content='. .'>"
        "<meta name=twitter:description content='Why the boats stay in.'>"
    )
    found = read_with_lines(head, BELOW + TEXT)
    assert (found.title, found.site, found.lead) == (
        "Why the ferry stops", "", "Why the boats stay in.",
    )  # fmt: skip


def test_the_state_of_a_page_is_no_kicker():
    labels = {"Updated": "", "Climate change": "Climate change", "Sheep · 20 June 2019": "Sheep"}
    for label, kicker in labels.items():
        found = read_with_lines("", f"<div class=eyebrow>{label}</div>{BELOW}{TEXT}")
        assert found.section == kicker


def test_what_contains_the_heading_is_about_the_same_story():
    mark = "<time datetime=2017-03-01>1 March</time>"
    other = "<time datetime=2020-01-01>1 January</time>"
    body = f"<div class='page related'>{BELOW}{mark}</div><div class=related>{other}</div>"
    assert read("", body).published == "2017-03-01"
    dated = (
        f"<table><tr><td>{BELOW}<b>1 March 2017</b></td></tr></table><h2><b>2 March 2020</b></h2>"
    )
    assert read("", dated).published == "2017-03-01"
    rows = f"<table><tr><td>{BELOW}</td></tr><tr><td class=articleauthor>O.M. FENNIMOOR</td></tr>"
    assert read("", f"{rows}<tr><td class=author>Tam Reed</td></tr></table>").byline == (
        "O.M. Fennimoor"
    )


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Example.org today: Why the ferry stops", "Why the ferry stops"),
        ("崔港缺席渡轮大会 为水手主持晚会-港口新闻", "崔港缺席渡轮大会 为水手主持晚会"),
    ],
)
def test_a_title_begins_and_ends_as_the_line_on_the_page(title, line):
    assert read_with_lines(f"<title>{title}</title>", f"<p>{line}</p>" + TEXT).title == line
    assert read_with_lines(f"<title>{title}</title>", f"<p>{title}</p>" + TEXT).title == title


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        # A page without main headings: the heading in the header of the article.
        ("<title>Ferry stop: a portrait - Example</title><meta property=og:type content=article>",
         "<nav>Home <b>Ferry stop: a portrait</b></nav><article><header><h2><style>b {}</style>"
         f"<span>Rivers</span><b>:</b><span>Why the boat rests</span></h2></header>{TEXT}</article>",
         "Why the boat rests"),
        # The site's logo is a main heading.
        ("<title>Why the boat rests, at last</title>",
         f"<div class=top-logo><h1>Nets and boats weekly</h1></div>"
         f"<h2>Why the boat rests, at last</h2>{TEXT}",
         "Why the boat rests, at last"),
        ("<title>Why the boat rests</title>",
         f"<h1 class=name><a class=top-logo>Boat.com</a></h1><h2>Why the boat rests</h2>{TEXT}",
         "Why the boat rests"),
        ("<title>Example's nets and boats | Why the boat rests</title>",
         f"<h2>Why the boat rests</h2>{TEXT}", "Why the boat rests"),
        # A heading in the path of sections, and that of the article.
        ("<title>Boats: why they rest</title><meta property=og:type content=article>",
         "<ol class=c-breadcrumb><li><h1>Boats: why they rest</h1></ol><article><header>"
         "<h2><span data-cy=kicker>Rivers</span> <span>Why boats rest at last</span></h2></header>"
         f"{TEXT}</article>", "Why boats rest at last"),
        ("<title>Boats: why they rest</title><meta property=og:type content=article>",
         "<ul><li><h1>Boats: why they rest</h1></ul><article><hgroup><span>Rivers</span>"
         f"<h2>Why boats rest at last</h2></hgroup>{TEXT}</article>", "Why boats rest at last"),
        # Nothing but the site's name is stated.
        ("<title>Example Nets -</title>", f"<h1></h1><h2>Advice for the crossing</h2>{TEXT}",
         "Advice for the crossing"),
        # The title's line has a sign that separates the parts of other titles.
        ("<title>河邊小村_渡船停駛 (2) @ 河邊的家</title>"
         "<meta property=og:title content='河邊小村_渡船停駛 (2) @ 河邊的家'>",
         f"<h3>河邊小村_渡船停駛 (2)</h3>{TEXT}", "河邊小村_渡船停駛 (2)"),
    ],
    ids=["header", "logo", "in logo", "site first", "path", "group", "site only", "line"],
)  # fmt: skip
def test_without_a_main_heading_the_headline_is_of_lower_rank(head, body, expected):
    assert read_with_lines(head, body, "https://example.org/a/ferry-stop").title == expected


def test_a_page_that_has_a_logo_has_a_heading_besides():
    page = "<title>Boats and nets</title><body class=wp-custom-logo><h1>Why boats rest</h1>"
    assert read_page(f"<html>{page}{TEXT}", URL).metadata.title == "Why boats rest"


def test_a_heading_on_the_same_subject_stands_instead_of_the_address_s_title():
    body = f"<h1>How cheap chains move boats</h1>{TEXT}"
    address = "https://example.org/using-cheap-chains"
    head = "<title>Using cheap chains</title>"
    assert read_with_lines(head, body, address).title == "How cheap chains move boats"


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        ("<span class=byline> | <a class=vcard href=/hg1>Ada Fenwick</a></span>", "Ada Fenwick"),
        ("<div id=tide_article_author>Ada Fenwick</div>", "Ada Fenwick"),
        ("<p class=byline>(AFP) – 2 days ago</p>", "AFP"),
        ("<ul id=navigation><li><a href=/profile/ada-fenwick>Ada Fenwick</a></ul>", ""),
    ],
)
def test_a_mark_of_the_author_counts_with_signs_around_the_name(mark, expected):
    head = "<title>The last ferry</title>"
    assert read(head, f"<h1>The last ferry</h1>{mark}{TEXT}").byline == expected


def test_the_date_is_beside_the_heading_with_the_title_rather_than_the_site_s_name():
    logo = "<h1>Example</h1><p class=date>9 April 2013</p>"
    article = "<h2>Το πλοίο της γραμμής</h2><h6>ΔΗΜΟΣΙΕΥΘΗΚΕ: Πέμπτη 29 Δεκεμβρίου 2011</h6>"
    head = "<title>Το πλοίο της γραμμής - Νέα</title>"
    assert read(head, logo + article + TEXT).published == "2011-12-29"


def test_a_date_in_the_same_post_precedes_those_of_others_and_of_its_author():
    post = "<div><h2><a>{}</a></h2><div><dl><dd><span>Joined: 2001-02-03</span></dl>{}</div></div>"
    first = post.format("2024-08-03 10:59:47", f"<h3>The last ferry</h3>{TEXT}")
    second = post.format("2024-08-03 14:22:38", TEXT)
    head = "<title>The last ferry</title>"
    assert read(head, f"<h1>Boards</h1>{first}{second}").published == "2024-08-03T10:59:47"


def test_a_linked_date_in_the_text_is_no_date_of_publication():
    text = f"<p>The boat <a href=/x>sank on 4 December 2019</a>, and was lifted.</p>{TEXT}"
    assert read("<title>The boat</title>", f"<h1>The boat</h1>{text}").published == ""


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("<p class=x1>On the river</p>", "On the river"),
        ("<p class=share>On the river</p>", "España"),
        ("<p>Last updated: today</p>", "España"),
        ("<p>12 June</p>", "España"),
        ("<p><a>Home</a><a>News</a></p>", "España"),
    ],
)
def test_a_few_words_right_above_the_heading_are_its_kicker(label, expected):
    head = "<title>The last ferry</title><meta property=article:section content=espana>"
    menu = "<ul><li><a href=/espana/>España</a></ul>"
    assert (
        read(head, f"{menu}<main>{label}<h1>The last ferry</h1></main>{TEXT}").section == expected
    )


def test_a_section_in_small_letters_is_an_identifier():
    head = "<title>The last ferry</title><meta property=article:section content=espana>"
    assert read(head).section == ""


def test_a_label_for_screen_readers_is_no_kicker():
    heading = "<h1><span class=sr-only>Headline:</span> The last ferry</h1>"
    found = read("<title>The last ferry</title>", heading + TEXT)
    assert (found.title, found.section) == ("The last ferry", "")


def test_a_heading_right_above_the_title_is_its_kicker() -> None:
    title, line = "<h1>The ferry</h1>", "The mayor asks who will pay for it"
    head = "<title>The ferry</title>"
    assert read(head, f"<h5>{line}</h5>{title}{TEXT}").section == line
    assert read(head, f"<p>{line}</p>{title}{TEXT}").section == ""


@pytest.mark.parametrize(
    ("stated", "visible", "published"),
    [
        ("2024-02-25T02:25:54+00:00", "February 24, 2024", "2024-02-24"),
        ("2024-02-25T12:25:54+00:00", "February 24, 2024", "2024-02-25T12:25:54+00:00"),
        ("2024-02-25T02:25:54+01:00", "February 24, 2024", "2024-02-25T02:25:54+01:00"),
        ("2024-02-25T02:25:54+00:00", "February 26, 2024", "2024-02-25T02:25:54+00:00"),
        ("2024-02-25T22:25:54+00:00", "February 26, 2024", "2024-02-26"),
    ],
)
def test_the_day_below_the_title_precedes_one_in_universal_time(stated, visible, published):
    head = f"<title>The ferry</title><meta property='article:published_time' content='{stated}'>"
    line = f"<p class=byline>By Tam Reed</p><p class=publish-date>{visible} | 9:25pm</p>"
    found = read_with_lines(head, f"<h1>The ferry</h1>{line}{TEXT}").published
    assert found[:10] == published[:10]


def test_the_name_of_the_site_may_follow_the_title_where_a_page_states_it():
    title = "Cup preview: The last boat looks forward to a race of brothers"
    head = f"<title>{title} - Kester Rowing</title>"
    name = f"<meta name='application-name' content='{title} - Kester Rowing'>"
    assert read(head + name, f"<h1>{title}</h1>{TEXT}").site == "Kester Rowing"


def test_a_part_of_the_title_that_the_page_shows_above_its_text_is_the_title():
    head = "<title>Group in the town council - New rooms for the old school</title>"
    body = (
        f"<div>Group</div><div>in the town council</div><b>New rooms for the old school</b>{TEXT}"
    )
    assert read_with_lines(head, body).title == "New rooms for the old school"
    one_line = body.replace("Group</div><div>", "Group ")
    assert read_with_lines(head, one_line).title == "Group in the town council"


def test_a_page_named_index_has_the_words_of_its_folder():
    head = "<title>Council of Kester - New rooms for the school</title>"
    folder = "https://example.org/new-rooms-for-the-school/"
    body = f"<h1>Council of Kester</h1><h1>New rooms for the school</h1>{TEXT}"
    assert read(head, body, url=f"{folder}index.html").title == read(head, body, url=folder).title


@pytest.mark.parametrize(("name", "expected"), [("Date", "2022-01-21"), ("PubDate", "2022-01-26")])
def test_a_date_just_below_the_title_precedes_one_stated_without_saying_of_what(name, expected):
    head = f"<title>Ferry stops</title><meta name={name} content='2022-01-26'>"
    day = "<div><i>x</i><time datetime=2022-01-21>21.01.</time></div>"
    date = f"<aside class=meta>{day}<a href=/ferries>Ferries</a></aside>"
    assert read(head, f"<h1>Ferry stops</h1>{TEXT}{date}{TEXT}").published == expected


DATED_META = "<meta name=date content='2022-01-26'>"
DATED_JSON_LD = json_ld('{"@type": "Report", "headline": "A", "datePublished": "2022-01-26"}')
EARLIER_DATE = "<time datetime=2021-01-21>21 January</time>"
DATED_PATH = "https://example.org/2022/01/26/ferry"


@pytest.mark.parametrize(
    ("head", "url", "body"),
    [
        ("", DATED_PATH, EARLIER_DATE),
        ("<meta name=date content=2022-01-26T10:00>", DATED_PATH, EARLIER_DATE),
        (DATED_META, URL, "<time datetime=2023-05-03>3 May</time>"),
        (DATED_META, URL, "<time datetime=2021-01-21></time>"),
        (DATED_META, URL, f"<p>26 January 2022</p>{EARLIER_DATE}"),
        (DATED_META, URL, f"<aside class=meta><a href=/b>B</a><p>{EARLIER_DATE}</p></aside>"),
        (DATED_META, URL, f"<aside class=meta>{EARLIER_DATE}<a href=/b>B</a></aside>"),
        (DATED_JSON_LD + DATED_META, URL, EARLIER_DATE),
    ],
    ids=[
        "path",
        "path and meta",
        "later",
        "empty",
        "displayed",
        "other story",
        "story below",
        "JSON-LD",
    ],
)
def test_a_stated_date_that_is_no_change_precedes_one_just_below_the_title(head, url, body):
    head = f"<title>Ferry stops</title>{head}"
    page = read_with_lines(head, f"<h1>Ferry stops</h1>{body}{TEXT}", url)
    assert page.published[:10] == "2022-01-26"


def dated(stated: str, line: str, below: str = "") -> str:
    head = f'<title>Ferry stops</title><meta name="PubDate" content="{stated}">'
    body = f"<h1>Ferry stops</h1><div>{line}</div>{TEXT}{below}"
    return read_with_lines(head, body).published


@pytest.mark.parametrize(
    ("stated", "line", "expected"),
    [
        ("2015-04-06T13:52:00+00:00", "Updated September 28, 2025", "2025-09-28"),
        ("2025-11-05", "January 31, 2024", "2024-01-31"),
        # The page shows the stated date as well, or in another order of day and month.
        ("2015-04-06", "Updated May 21, 2025, published April 6, 2015", "2015-04-06"),
        ("2015-04-06", "May 21, 2025April 6, 2015 by Tam Reed", "2015-04-06"),
        ("2019-05-08", "<span lang=de>08.05.2019</span> 05/08/2019", "2019-05-08"),
        ("2019-05-08", "3 August 2019</div><div>9 August 2019", "2019-05-08"),
    ],
)
def test_the_only_date_that_readers_see_is_that_of_the_page(stated, line, expected):
    assert dated(stated, line) == expected


def test_a_time_glued_to_a_year_of_two_digits_is_no_part_of_it():
    assert dated("2019-09-28", "tam28.09.1912:44") == "2019-09-28"


TEXTS = {
    "en": TEXT,
    "de": "<p>Die alte Fähre, die seit vierzig Jahren Kinder und Schafe über den Fluss bringt, fährt "
    "im März zum letzten Mal, und danach wird das Boot von einer Kette über das Wasser gezogen.</p>",
    "es": "<p>El viejo barco que desde hace cuarenta años lleva a los niños y a las ovejas al otro "
    "lado del río hará su último viaje en marzo, y después una cadena moverá la barca nueva.</p>",
}


@pytest.mark.parametrize(
    ("language", "stated", "line", "expected"),
    [
        ("es", "Orla Fennimoor", "por Tam Reed", "Tam Reed"),
        ("de", "tamreed", "von Tam Reed", "Tam Reed"),
        ("de", "Orla Fennimoor", "von der Elbe bis zum Hafen", "Orla Fennimoor"),
        ("en", "tamreed", "The ferry", ""),
        ("en", "tamreed", "tamreed", "tamreed"),
        ("de", "The Tide", "Von Tam Reed, dpa", "Tam Reed, dpa"),
        ("en", "", "<div>WRITTEN BY</div><div>Tam Reed</div>", "Tam Reed"),
    ],
)
def test_the_byline_that_readers_see_precedes_the_name_of_an_account(
    language, stated, line, expected
):
    head = f'<title>Ferry stops</title><meta name="author" content="{stated}">'
    head += '<meta property="og:site_name" content="The Tide">'
    body = f"<h1>Ferry stops</h1><div>{line}</div>{TEXTS[language]}"
    page = f"<html lang={language}><head>{head}</head><body>{body}</body></html>"
    assert read_page(page, URL).metadata.byline == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Text: Tam Reed / harbour.example", "Tam Reed"),
        ("Author(s): Tam Reed, Orla Fennimoor", "Tam Reed, Orla Fennimoor"),
        ("Autores: Tam Reed", "Tam Reed"),
        ("Text: the ferry stops", ""),
        ("Context: Tam Reed", ""),
    ],
)
def test_a_line_below_the_text_may_name_the_author(line, expected):
    body = f"<h1>Ferry stops</h1>{TEXT}{TEXT}<p>{line}</p>"
    assert read_with_lines("<title>Ferry stops</title>", body).byline == expected


def test_the_author_may_be_marked_in_the_footer_of_the_article():
    def byline(footer: str, comment: str = "") -> str:
        article = f"<article><h1>Ferry stops</h1>{TEXT * 40}{comment}{footer}</article>"
        return read("<title>Ferry stops</title>", article).byline

    author = "<span class='author vcard'>Author <a href=/author/tam/>Tam</a></span>"
    assert byline(f"<footer class=entry-footer>{author}</footer>") == "Tam"
    assert byline(f"<footer class=comment-meta>{author}</footer>") == ""
    assert byline("", f"<article><footer>{author}</footer></article>") == ""


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (
            "<div>By </div><a href=/authors/tam-reed>Tam Reed</a><div>Harbour Content writer</div>",
            "Tam Reed",
        ),
        ("<a href=/author/tam>Tam</a> <a href=https://social.example/tide>tide</a>", "Tam"),
        (
            "<a href=/author/tam>Tam Reed</a> and <a href=/author/orla>Orla Fennimoor</a>"
            "<a href=/author/tam>More by Tam</a>",
            "Tam Reed, Orla Fennimoor",
        ),
    ],
)
def test_a_box_of_the_author_has_links_to_the_page_of_each(box, expected):
    body = f"<h1>Ferry stops</h1><div class=author>{box}</div>{TEXT}"
    assert read("<title>Ferry stops</title>", body).byline == expected


def test_a_person_who_is_a_tag_of_the_page_is_not_its_author():
    tag = "<a href=/topics/people/orla-fennimoor rel=tag>Orla Fennimoor</a>"
    line = "<p>Submitted by <a href=/users/tam>Tam Reed</a> on Tue, 01/17/2012 - 11:07</p>"
    assert read("<title>Ferry stops</title>", f"<h1>Ferry stops</h1>{tag}{TEXT}").byline == ""
    body = f"<h1>Ferry stops</h1>{line}{tag}{TEXT}"
    assert read("<title>Ferry stops</title>", body).byline == "Tam Reed"
    author = tag.replace("people", "authors")
    body = f"<h1>Ferry stops</h1>{author}{TEXT}"
    assert read("<title>Ferry stops</title>", body).byline == "Orla Fennimoor"


def test_a_breadcrumb_names_no_author():
    crumbs = "<div class=breadcrumb><a href=/people/real-life>Real Life</a></div>"
    assert read("<title>Ferry stops</title>", f"{crumbs}<h1>Ferry stops</h1>{TEXT}").byline == ""


@pytest.mark.parametrize(
    ("document", "headings", "path", "expected"),
    [
        (
            "Old ferry in winter » When it stops",
            ["How is the old ferry in winter kept?"],
            "winter",
            "How is the old ferry in winter kept?",
        ),
        (
            "News - Harbour",
            ["News", "The ferry stops for good"],
            "the-ferry-stops-for-good",
            "The ferry stops for good",
        ),
        ("News - Harbour", ["News", "The ferry stops for good"], "winter", "News"),
        ("...: Ferry", ["..."], "winter", "Ferry"),
        ("/ Old ferries of the river", ["/ Old ferries of the river"], "f",
         "Old ferries of the river"),
        ("#1: Ferry of the river", ["#1: Ferry of the river"], "f", "#1: Ferry of the river"),
    ],
)  # fmt: skip
def test_the_title_is_the_heading_that_readers_see(document, headings, path, expected):
    body = "".join(f"<h1>{heading}</h1>" for heading in headings)
    head = f"<title>{document}</title><meta property='og:site_name' content='Tides of Kester'>"
    found = read_with_lines(head, body + TEXT, f"https://tides.example/{path}")
    assert found.title == expected


def test_a_date_before_the_title_is_no_part_of_the_heading():
    head = "<title>Old ferry</title><meta property='og:title' content='The old ferry in winter'>"
    heading = "<h1><small>Dec 18 2025</small> The old ferry in winter</h1>"
    assert read_with_lines(head, heading + TEXT).title == "The old ferry in winter"


@pytest.mark.parametrize(
    ("stated", "mark", "expected"),
    [
        ("CX2204", "<span class=author>Orla Fennimoor</span>", "Orla Fennimoor"),
        ("Tam Reed", "<span class=author>Orla Fennimoor</span>", "Tam Reed"),
    ],
)
def test_the_marked_author_precedes_a_name_for_logging_in(stated, mark, expected):
    head = f"<title>The ferry</title><meta name=author content='{stated}'>"
    body = f"<h1>The ferry</h1><div>{mark}</div>{TEXT}<p>More by {stated}</p>"
    assert read_with_lines(head, body).byline == expected


def test_a_comment_s_date_does_not_replace_the_day_beside_the_title():
    head = "<meta property=article:published_time content='2024-10-17T21:30:00+00:00'>"
    comment = "<p>Tam, 18.10.2024, 9:16</p>"
    for below, date in (
        ("<p class=entry-date>17.10.2024</p>", "2024-10-17T21:30:00+00:00"),
        ("", "2024-10-18T09:16"),
    ):
        body = f"<h1>The ferry</h1>{comment}{TEXT}{TEXT}{below}"
        assert read_with_lines(f"<title>The ferry</title>{head}", body).published == date


@pytest.mark.parametrize(
    ("name", "site"),
    [("Homepage", "The Tide"), ("Tide Home", "Tide Home"), ("tide.example/", "tide.example")],
)
def test_a_site_is_not_called_by_the_label_of_its_first_page(name, site):
    head = f"<meta property=og:site_name content='{name}'>"
    publisher = json_ld(
        '{"@type": "WebSite", "name": "The Tide", "url": "https://www.example.org"}'
    )
    assert read(head + publisher).site == site


@pytest.mark.parametrize(
    ("link", "section"),
    [("Back to Ferries", ""), ("Zurück zum Hafen", ""), ("Ferry news", "Ferry news")],
)
def test_a_link_back_above_the_title_is_no_kicker(link, section):
    head = "<title>The last crossing</title>"
    html = f"<div><a href=/ferries>{link}</a><h1>The last crossing</h1></div>{TEXT}"
    assert read(head, html).section == section
