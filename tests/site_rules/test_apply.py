"""The effect of site rules on a page's article."""

import pytest

from printer import extract
from printer.errors import NoArticle
from printer.extract_stage import explain
from printer.html.page import read_page
from printer.options import ExtractOptions, SiteRule
from printer.site_rules import fulltextrss
from printer.site_rules.apply import match_rules, rule_host
from tests.support.story_page import SENTENCE

URL = "https://www.news.example.org/a/story"
LETTER = "A letter from the harbour comes each morning with the boat, and the baker reads it aloud."
PAGE = f"""<!doctype html><html lang=en><head><title>Harbour lights go dark</title></head><body>
<nav><a href=/>Home</a> <a href=/news>News</a></nav>
<article><h1>Harbour lights go dark</h1><p class=kicker>By the quay</p>
{"".join(f"<p>{SENTENCE * 3}It was day {n}.</p>" for n in range(4))}
<div class="inlay box"><h2>The morning letter</h2><p>{LETTER}</p>
<figure><img src=/letter.jpg width=600 height=400 alt="A letter"></figure></div>
<p>{SENTENCE * 2}A word <span class=ad>buy fish</span> after it.</p>
<figure class=photo><img src=/quay.jpg width=600 height=400 alt="The quay"></figure>
</article>
<aside class=more><p class=note>What the editors add: {SENTENCE}</p><a href=/b>Another story</a>
<img src=/map.png width=500 height=400 alt="A map"></aside>
<p class=written>Vera Example, 3 May 2024</p>
<footer>Imprint</footer></body></html>"""


def article(page=PAGE, url=URL, **rule):
    rules = (SiteRule(host="example.org", name="example.org.toml", **rule),) if rule else ()
    return extract(page, url, rules=rules)


def test_without_rules_nothing_changes():
    assert LETTER in article().text
    assert article(drop=("#nothing",)) == article()


def test_a_rule_drops_only_its_elements():
    before, after = article(), article(drop=(".inlay", ".ad"))
    assert LETTER not in after.text
    assert "A word after it." in after.text
    assert "buy fish" not in after.text
    dropped = {"The morning letter", LETTER}
    assert [p for p in before.paragraphs if p not in dropped and "fish" not in p] == [
        p for p in after.paragraphs if "A word" not in p
    ]
    assert after.confidence == before.confidence


def test_pictures_in_dropped_elements_are_dropped():
    assert [f.alt for f in article().figures] == ["A letter", "The quay"]
    assert [f.alt for f in article(drop=(".inlay",)).figures] == ["The quay"]
    assert [f.alt for f in article(drop=(".photo img",)).figures] == ["A letter"]


def test_elements_kept_by_a_rule_are_included():
    before, after = article(), article(keep=(".more",))
    assert "editors" not in before.text
    assert "What the editors add" in after.text
    assert "Another story" in after.text
    assert "A map" in [f.alt for f in after.figures]
    assert after.confidence >= 0.9


def test_the_nearest_rule_decides():
    after = article(keep=(".more",), drop=(".more a", ".inlay"))
    assert "What the editors add" in after.text
    assert "Another story" not in after.text
    after = article(drop=(".inlay",), keep=(".inlay h2",))
    assert "The morning letter" in after.text
    assert LETTER not in after.text


def test_a_body_is_the_article():
    after = article(body=(".nothing", ".more", "article"), drop=(".more a",))
    assert after.text == f"What the editors add: {SENTENCE.strip()}"
    assert after.confidence >= 0.9
    hidden = PAGE.replace("<a href=/b>", "<p style='display:none'>Not to be seen</p><a href=/b>")
    assert "Not to be seen" not in article(hidden, body=(".more",)).text


def test_rules_set_title_author_and_date():
    after = article(title=("h2",), author=(".none", ".written"), date=(".written",))
    assert after.title == "The morning letter"
    assert after.byline.startswith("Vera Example")
    assert after.published == "2024-05-03"
    assert article(date=(".kicker",)).published == article().published


def test_a_page_of_which_nothing_is_left_says_what_to_try():
    with pytest.raises(NoArticle, match="--no-rules"):
        article(drop=("body",))


@pytest.mark.parametrize(
    ("host", "url", "fits"),
    [
        ("example.org", "https://example.org/", True),
        ("example.org", "https://EXAMPLE.org:8080/", True),
        ("example.org", "https://a.b.example.org./", True),
        ("example.org", "https://notexample.org/", False),
        ("org", "https://example.org/", False),
        ("www.example.org", "https://example.org/", False),
        ("127.0.0.1", "http://127.0.0.1:80/", True),
        ("0.0.1", "http://127.0.0.1:80/", False),
        ("localhost", "http://localhost/", True),
        ("xn--bcher-kva.example", "https://bücher.example/", True),
        ("xn--strae-oqa.de", "https://straße.de/", True),
        ("strasse.de", "https://straße.de/", False),
        ("example.org", "", False),
        ("example.org", "file:///example.org/a.html", False),
    ],
)
def test_for_which_hosts_a_rule_holds(host, url, fits):
    page = read_page(PAGE, url)
    assert bool(match_rules(page, (SiteRule(host=host, drop=("p",)),)).matches) is fits


@pytest.mark.parametrize(
    "url", ["http://../x", "http://a/../b", "http://a b/", "http://[::1]/", "http://..%2f/", "x"]
)
def test_no_host_is_a_path(url):
    assert rule_host(url) in ("", "a")


def test_only_the_same_site_goes_on():
    more = PAGE.replace("<footer>", "<a class=on href='{}'>On</a><footer>")
    rule = SiteRule(host="example.org", next_page=("a.on",))
    for href, expected in [
        ("/a/story/two", "https://www.news.example.org/a/story/two"),
        ("https://elsewhere.example/2", ""), ("javascript:1", ""), ("#x", ""),
    ]:  # fmt: skip
        assert match_rules(read_page(more.format(href), URL), (rule,)).next_page == expected


def test_an_explanation_names_the_rule():
    rule = SiteRule(host="example.org", name="mine.toml", drop=(".inlay",), keep=(".more",))
    explanation = explain(read_page(PAGE, URL), ExtractOptions(rules=(rule,)))
    by_text = {segment.text: segment for segment in explanation.segments}
    assert by_text[LETTER].rule == "drop .inlay (mine.toml)"
    assert not by_text[LETTER].keep
    assert by_text["Another story"].rule == "keep .more (mine.toml)"
    assert by_text["Imprint"].rule == ""
    assert explanation.rules == (
        "drop .inlay (mine.toml): 1", "keep .more (mine.toml): 1",
    )  # fmt: skip
    reasons = {picture.alt: picture.reason for picture in explanation.pictures}
    assert reasons["A letter"] == "drop .inlay (mine.toml)"


SITE_FILE = """# A comment: with a colon
title: //h2
author: substring-before(//p[@class='written'], ',')
date: //p[@class='written']
body: //article | //aside
strip: //article//p[@class='kicker']
strip_id_or_class: inlay
strip_image_src: quay
strip: //p[//x]
next_page_link: //a[@class='on']/@href
find_string: <p>
replace_string(<b>): <i>
prune: no
nonsense
"""


def test_a_site_file_of_full_text_rss():
    rule = fulltextrss.parse_file(SITE_FILE, "example.org", "example.org.txt", subdomains=True)
    assert [fault.partition(": ")[0] for fault in rule.faults] == ["example.org.txt, line 9"]
    after = extract(PAGE, URL, rules=(rule,))
    assert (after.title, after.byline) == ("The morning letter", "Vera Example")
    assert after.published == "2024-05-03"
    assert LETTER not in after.text
    assert "By the quay" not in after.text
    assert "What the editors add" in after.text
    assert [f.alt for f in after.figures] == ["A map"]
    assert any("line 9" in warning for warning in after.warnings)


def test_a_deep_page_of_the_same_is_read_in_time():
    nested = "<div class=a>" * 400 + f"<p>{SENTENCE}</p>" * 300 + "</div>" * 400
    rule = SiteRule(host="example.org", drop=(".a .b", "div div div p"), keep=(".a",))
    match_rules(read_page(f"<html><body>{nested * 20}</body></html>", URL), (rule,))
