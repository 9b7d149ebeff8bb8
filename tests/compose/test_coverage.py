"""The coverage report names selected content that the article lacks, and only that."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from printer.article import Article, Code, Heading, Note, Paragraph, Table
from printer.compose import compose
from printer.compose.coverage import check_coverage
from printer.html.page import Page, read_page
from printer.output import CompletenessReport, ContentCounts
from printer.selection import Verdict

HTML = """<!doctype html><html lang=en><title>The weir</title><body><h1>The weir</h1>
<p>The weir at Lower Marl broke in the night of the second of March.<sup id="r"><a href="#n1">[1]</a></sup></p>
<h2>What was done</h2><p>They sank a <a href="https://example.org/barge">barge across</a> the gap, and
it held for the rest of the winter.</p>
<ul><li>Stones from the quarry above the town</li><li>Sand in sacks of jute</li></ul>
<table><tr><th>Day</th><th>Metres</th></tr><tr><td>Monday</td><td>4</td></tr><tr><td>Tuesday</td><td>0</td></tr></table>
<pre>level = 4\nwhile level: sink()</pre>
<p>The <ruby>name<rp>(</rp><rt>reading</rt><rp>)</rp></ruby> is older than the mill itself.</p>
<h2>Notes</h2><ol><li id="n1">By the harbour master\'s book, which is kept in the chapel. <a href="#r">Back</a></li></ol>
</body></html>"""


def page() -> tuple[Page, Verdict, Article]:
    read = read_page(HTML, "https://example.org/weir")
    verdict = Verdict(tuple(True for _ in read.segments))
    return read, verdict, compose(read, verdict, ())


def without(article: Article, kind: type, text: str = "") -> Article:
    def is_it(block) -> bool:
        return isinstance(block, kind) and text in repr(block)

    assert any(map(is_it, article.blocks))
    return replace(article, blocks=tuple(b for b in article.blocks if not is_it(b)))


def report(change=lambda article: article) -> dict[str, int]:
    read, verdict, article = page()
    found = check_coverage(read, verdict, (), change(article))
    return {name: count for name, count in asdict(found.counts).items() if count}


def test_nothing_is_lost_of_a_whole_article() -> None:
    assert report() == {}


@pytest.mark.parametrize(
    ("kind", "text", "lost"),
    [
        (Paragraph, "Lower Marl", {"words": 13}),
        (Paragraph, "barge", {"words": 17, "links": 1}),
        (Heading, "What was done", {"words": 3, "headings": 1}),
        (Table, "", {"words": 3, "tables": 1}),
        (Code, "", {"words": 4, "code": 1}),
        (Note, "", {"words": 11, "headings": 1, "notes": 1}),
    ],
    ids=["words", "links", "headings", "tables", "code", "notes"],
)
def test_lost_content_is_reported(kind, text, lost) -> None:
    found = report(lambda article: without(article, kind, text))
    assert set(lost) == set(found), found
    assert abs(found["words"] - lost["words"]) <= 3


def test_unselected_text_is_not_reported_lost() -> None:
    read, verdict, _ = page()
    keep = tuple("barge" not in segment.text for segment in read.segments)
    smaller = compose(read, replace(verdict, keep=keep), ())
    found = check_coverage(read, replace(verdict, keep=keep), (), smaller)
    assert found.counts == ContentCounts()
    assert check_coverage(read, verdict, (), smaller).counts.links == 1


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("<h2>Notes</h2>", "<h2>What the harbour master wrote of it</h2>"),
        ('<ol><li id="n1">By', '<ol><li id="n1"><sup>1</sup>By'),
        (
            "<pre>",
            "<blockquote class=twitter-tweet><p>The weir is gone. <a href='https://t.co/1'>"
            "pic.twitter.com/weir1</a></p>&mdash; Mara Tiel <a href='https://twitter.com/m/status/1'>"
            "March 3, 1911</a></blockquote><pre>",
        ),
    ],
    ids=["heading of the notes", "mark of a note", "address of a picture"],
)
def test_what_an_article_has_in_another_form_is_not_lost(text, changed) -> None:
    read = read_page(HTML.replace(text, changed), "https://example.org/weir")
    verdict = Verdict(tuple(True for _ in read.segments))
    article = compose(read, verdict, ())
    assert check_coverage(read, verdict, (), article).counts == ContentCounts()


def test_the_number_of_a_paragraph_s_comments_is_not_lost() -> None:
    count = '<a class="comments_count" title="Comment">0</a>'
    read = read_page(HTML.replace("<p>The weir", f"<p>{count}The weir"), "https://example.org/weir")
    verdict = Verdict(tuple(True for _ in read.segments))
    loss = check_coverage(read, verdict, (), compose(read, verdict, ()))
    assert loss.counts.words == 0


def test_the_report_adds_earlier_losses() -> None:
    read, verdict, article = page()
    found = check_coverage(read, verdict, (), without(article, Code))
    full = CompletenessReport(ContentCounts(words=90), ContentCounts(words=90))
    assert full.complete
    after = full.including([found])
    assert not after.complete
    assert after.shortfall()["code"] == (0, 1)
    assert "level" in after.missing_text[0]


def test_a_formula_that_did_not_come_into_the_article_is_lost() -> None:
    math = "<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"
    html = HTML.replace("it held for", f"{math} it held for").replace(
        "They sank", '<img class="latex" src="f.png" alt="y_1 = 2"> They sank'
    )
    read = read_page(html, "https://example.org/weir")
    verdict = Verdict(tuple(True for _ in read.segments))
    article = compose(read, verdict, ())
    assert check_coverage(read, verdict, (), article).counts == ContentCounts()
    bare = tuple(
        replace(block, spans=tuple(span for span in block.spans if not span.math))
        if isinstance(block, Paragraph) else block
        for block in article.blocks
    )  # fmt: skip
    assert check_coverage(read, verdict, (), replace(article, blocks=bare)).counts.formulas == 2


def test_a_wiki_s_links_to_edit_a_section_are_not_lost() -> None:
    edit = "<span>[<a href='/w?title=Weirs&action=edit&section=1'>edit</a>]</span>"
    html = HTML.replace("What was done</h2>", f"What was done{edit}</h2>")
    read = read_page(html, "https://example.org/weir")
    verdict = Verdict(tuple(True for _ in read.segments))
    article = compose(read, verdict, ())
    assert any(
        isinstance(b, Heading) and b.spans[-1].text == "What was done" for b in article.blocks
    )
    assert not any(asdict(check_coverage(read, verdict, (), article).counts).values())


def test_code_that_is_the_title_of_other_code_is_not_lost() -> None:
    html = "<p>It was:</p><pre style='border-bottom:none'>weir.conf</pre><pre>level = 4</pre>"
    read = read_page(f"<html><body>{html}", "https://example.org/weir")
    verdict = Verdict(tuple(True for _ in read.segments))
    assert check_coverage(read, verdict, (), compose(read, verdict, ())).counts.code == 0
