"""Pages that try to hang, crash or fill the memory of the program.

Each attack is in an article, and the rest of it is printed.  Its name says what it tries.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from printer.article import Article, Paragraph, Span
from printer.errors import RenderError, WebprintError
from printer.output import PrintedContent
from printer.render.completeness import check_completeness
from printer.render.markup import Ids
from tests.support.effort import THOROUGH
from tests.support.hostile_pages import (
    STORY,
    batched,
    capture_of,
    check_pdf,
    hostile_page,
    print_page,
    result_or_error,
)

MANY = 20_000

#: Attacks in the midst of an article.
INSIDE: dict[str, Callable[[], str]] = {
    # deep nesting
    "blocks in blocks": lambda: "<div>" * MANY + "deep",
    "quotations in quotations": lambda: "<blockquote>" * MANY + "deep" + "</blockquote>" * MANY,
    "lists in lists": lambda: "<ul><li>" * MANY + "item",
    "tables in tables": lambda: "<table><tr><td>" * MANY + "cell",
    "marks in marks": lambda: "<p>" + "<b><i><a href=/x>" * MANY + "text" + "</a></i></b>" * MANY,
    "figures in figures": lambda: "<figure><figcaption>" * MANY + "words",
    "misnested marks": lambda: "<p>" + "<a><b><p></a></b>" * 20_000,
    "details in details": lambda: "<details>" * MANY + "<summary>more</summary><p>words",
    "ruby in ruby": lambda: "<p>" + "<ruby>" * MANY + "word<rt>over",
    "formulas in formulas": lambda: "<p><math>" + "<mrow><msqrt>" * MANY + "<mi>x</mi>",
    "a drawing in a drawing": lambda: "<svg width=90 height=90>" + "<svg><g>" * 20_000,
    "directions in directions": lambda: "<p>" + "<bdo dir=rtl>\u202e" * 20_000 + "word",
    # width
    "a million attributes": lambda: f"<p {' '.join(f'a{n}=x' for n in range(10**6))}>words</p>",
    "an attribute of 10 MB": lambda: f'<p title="{"x" * 10**7}">words</p>',
    "a class of a million names": lambda: f'<p class="{"c " * 10**6}">words</p>',
    "spans of a billion": lambda: (
        "<table><tr><td colspan=999999999 rowspan=999999999>1<td>2<tr><td>3</table>" * 50
    ),
    "spans of 5,000 digits": lambda: (
        f"<table><tr><td colspan={'9' * 5_000} rowspan={'9' * 5_000}>1<td>2<tr><td>3</table>"
    ),
    "overlapping spans": lambda: (
        "<table>" + "<tr><td rowspan=65534 colspan=1000>1<td>2" * 300 + "</table>"
    ),
    "numbers of lists": lambda: (
        f"<ol start=-9{'9' * 400}><li value=1e999>x<li value={'9' * 5000}>y"
        f"</ol><ol start=3999999999 type=I><li>roman<li>more</ol>"
    ),
    "1,500 links": lambda: "<p>" + "".join(f"<a href='/{n}'>bridge</a> " for n in range(1_500)),
    "a link of 5 MB": lambda: f"<p><a href='https://x.test/{'a' * 5 * 10**6}'>bridge</a>",
    "anchors of one name": lambda: "<p id=same>x" * 1_000 + "<a href=#same>to it</a>",
    "a formula of brackets, too long to be typeset": lambda: "<p>\\(" + "\\left(" * 3_000 + "\\)",
    "15,000 words without a space": lambda: "<p>See " + "a.(" * 15_000 + " there",
    "1,000 formulas": lambda: "<p>" + "$x^2$ <math><mi>x</mi></math> " * 500,
    "brackets of TeX": lambda: "<p>$$" + "\\frac{" * 2_000 + "$$ \\begin{align}" * 2_000,
    "20,000 breaks": lambda: "<p>word" + "<br>" * 20_000 + "<wbr>&shy;" * 20_000,
    "many rules and blanks": lambda: "<hr><p>&nbsp;</p>" * MANY,
    # signs
    "a million accents": lambda: "<p>a" + "\u0301" * 10**6,
    "thousands of joiners": lambda: "<p>" + "\U0001f468\u200d" * 600,
    "signs that are a sentence": lambda: "<p>" + "\ufdfa" * 2_000,
    "private and broken signs": lambda: "<p>" + "".join(map(chr, range(0xD800, 0xF8FF, 5))),
    "a word of Thai, Arabic and Tamil": lambda: "<p>" + "ก" * 3_000 + "ب" * 3_000 + "க்" * 3_000,
    # regex traps
    "blanks without end": lambda: "<p>" + "word" + " " * 10**6 + "\u00a0" * 10**6 + "word",
    "dates without end": lambda: "<p class=date>" + "2024-" * 5_000 + "<time>" + "1/" * 10**4,
    "quotes and brackets": lambda: "<p>" + "(" * 20_000 + "“" * 20_000 + "[" * 20_000,
    "addresses without end": lambda: "<p>" + "http://" * 5_000 + "a@" * 5_000,
    "captions without end": lambda: (
        "<figure><img src=data:,><figcaption>" + "Photo: " * 5_000 + "©" * 2_000
    ),
    "by, by, by": lambda: "<p class=byline>" + "By and " * 5_000 + "By," * 5_000,
    "dollars and backslashes": lambda: "<p>" + "$\\" * 20_000 + "\\(" * 10_000 + "\\[" * 10_000,
    "ampersands": lambda: "<p>" + "&" * 10**4 + "&#" * 10**4 + "&amp" * 10**4,
    "less and less": lambda: "<p>" + "<" * 10**5 + "</" * 10**5 + "<!" * 10**5,
    "quotes that do not close": lambda: "<p " + "='\"" * 20_000,
    "comments that do not close": lambda: "<!-" * 20_000 + "<!--" * 20_000,
    # pictures in words
    "many versions of a picture": lambda: (
        "<img srcset='" + ",".join(f"/p{n}.jpg {n}w" for n in range(1, MANY)) + "'>"
    ),
    "commas of versions": lambda: f"<img srcset='{',' * 10**6}'><img sizes='{'(' * 10**6}'>",
    "100,000 pictures": lambda: "<figure><img src=/a.jpg width=600 height=400></figure>" * 20_000,
    "a picture of 10 MB in the page": lambda: f"<img src='data:image/png;base64,{'A' * 10**7}'>",
    "a drawing of a million shapes": lambda: (
        "<svg width=600 height=400>" + "<path d='M0 0L9 9'/>" * 200_000 + "</svg>"
    ),
    "readers who answer each other": lambda: (
        "<section id=comments class=comments>"
        + "<ul class=comment-list><li class=comment><p class=author>A</p><p>So it is.</p>" * 500
    ),
}


#: Attacks that stay in their place, so that one page can hold several.
CLOSED = [
    "a million attributes", "private and broken signs", "a word of Thai, Arabic and Tamil",
    "blanks without end", "numbers of lists", "thousands of joiners", "dates without end",
    "quotes and brackets", "commas of versions",
]  # fmt: skip
PAGES = [(attack,) for attack in INSIDE if THOROUGH or attack not in CLOSED]
PAGES += [] if THOROUGH else batched(CLOSED, 5)


@pytest.mark.parametrize("attacks", PAGES, ids=", ".join)
def test_an_article_with_it_is_printed(attacks: tuple[str, ...]) -> None:
    inside = STORY.join(INSIDE[attack]() for attack in attacks)
    result = result_or_error(lambda: print_page(hostile_page(inside)))
    assert "herons" in check_pdf(result)


#: Attacks that may take longer to set than is allowed.
TOO_MUCH: dict[str, Callable[[], str]] = {
    "code of one line": lambda: f"<pre><code class=language-python>{'(' * 10**6}</code></pre>",
    "a word of 10 MB": lambda: f"<p>{'x' * 10**7}</p>",
    "a word of 10 MB in a cell": lambda: f"<table><tr><td>{'x' * 10**7}<td>y</table>",
    "10,000 columns": lambda: f"<table>{('<tr>' + '<td>1' * 10_000) * 2}</table>",
    "8,000 rows": lambda: f"<table>{'<tr><td>mill<td>bridge' * 8_000}</table>",
    "a paragraph of 5 MB": lambda: f"<p>{'the river and the mill ' * 220_000}</p>",
    "code of many lines": lambda: (
        "<pre><code class=language-html>" + "&lt;a b='c\n" * MANY + "</code></pre>"
    ),
    "captions of one figure": lambda: (
        "<figure><img src=/a.jpg width=600 height=400>"
        + "<figcaption>a mill</figcaption>" * MANY
        + "</figure>"
    ),
    "items outside lists": lambda: "<li>item of the mill</li>" * 4_000,
    "20,000 headings": lambda: "<h2>The mill</h2>" * 20_000,
    "all planes": lambda: "<p>" + "".join(chr(n) for n in range(0x20, 0x30000, 7)),
    "notes that call each other": lambda: "".join(
        f"<p id=n{n}><a href='#n{n + 1}'><sup>{n}</sup></a> note" for n in range(5_000)
    ),
}

#: Seconds that setting their pages may take: the setting a person has for it.
LIMIT = 1.0


@pytest.mark.parametrize("attack", TOO_MUCH)
def test_an_article_with_it_is_printed_or_ended_in_time(attack: str) -> None:
    result = result_or_error(lambda: print_page(hostile_page(TOO_MUCH[attack]()), limit=LIMIT))
    if isinstance(result, WebprintError):
        assert isinstance(result, RenderError), result
    else:
        check_pdf(result)


def test_places_whose_ids_collide_are_numbered_in_time() -> None:
    ids = Ids("", str)
    assigned = [ids.fresh("名") for _ in range(50_000)]
    assert assigned[:3] == ["place", "place-2", "place-3"]
    assert len(set(assigned)) == len(assigned)


def test_lost_paragraphs_are_looked_for_in_time() -> None:
    blocks = tuple(Paragraph((Span(f"the river and the mill {n}"),)) for n in range(20_000))
    article = Article(title="A walk", url="https://reader.test/", blocks=blocks)
    layout = PrintedContent("the river and the mill " * 100_000)
    assert "the river and the mill 0" in check_completeness([article], layout).missing_text


#: Attacks in the head of a page, or in its metadata.
HEAD: dict[str, Callable[[], str]] = {
    "data nested deep": lambda: _data('{"a":' * MANY + "1" + "}" * MANY),
    "lists nested deep": lambda: _data("[" * MANY),
    "a number of a million digits": lambda: _data(
        '{"@type":"Article","position":' + "9" * 10**6 + "}"
    ),
    "data of 10 MB": lambda: _data(
        json.dumps({"@type": "Article", "articleBody": "x " * 5 * 10**6})
    ),
    "100,000 data": lambda: _data('{"@type":"Article","headline":"x"}') * 20_000,
    "many authors": lambda: _data(
        json.dumps({"@type": "Article", "author": [{"name": f"A{n}"} for n in range(MANY)]})
    ),
    "a graph that refers to itself": lambda: _data(
        json.dumps({"@graph": [{"@id": "a", "author": {"@id": "a"}, "isPartOf": {"@id": "a"}}]})
    ),
    "a state nested deep": lambda: (
        '<script id=__NEXT_DATA__ type="application/json">'
        + '{"props":' * MANY
        + "</script><script>window.__STATE__="
        + "{a:[" * MANY
        + "</script>"
    ),
    "scripts full of quotes": lambda: (
        "<script>self.__next_f.push([1," + '"\\' * 500_000 + "</script>"
    ),
    "100,000 metas": lambda: "".join(
        f"<meta name=author content=A{n}><meta property=article:tag content=t{n}>"
        for n in range(50_000)
    ),
    "an author of 5 MB": lambda: f'<meta name=author content="{"Ann, " * 10**6}">',
    "a date that is none": lambda: (
        f'<meta property=article:published_time content="{"9" * 10**6}">'
        '<meta name=date content="9999-12-31T23:59:59-99:99"><meta name=date content="-0001-01-01">'
    ),
    "a style of 10 MB": lambda: "<style>" + ".a{display:none}" * 600_000 + "</style>",
    "a style that imports itself": lambda: (
        "<style>" + "@import '/story';" * MANY + "{" * MANY + "</style>"
    ),
    "a title of 5 MB": lambda: f"<meta property=og:title content='{'The walk | ' * 500_000}'>",
    "100,000 bases": lambda: "<base href='//[::'>" * MANY,
    "entities of entities": lambda: (
        "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
        + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 20))
        + "]>&a19;"
    ),
}


def _data(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize("attacks", batched(HEAD, 1 if THOROUGH else 6), ids=", ".join)
def test_a_page_that_says_them_is_printed(attacks: tuple[str, ...]) -> None:
    head = "".join(HEAD[attack]() for attack in attacks)
    result = result_or_error(lambda: print_page(hostile_page(head=head)))
    assert "herons" in check_pdf(result)


#: Whole pages, of which something may be left or nothing.
COMPLETE_PAGES: dict[str, Callable[[], str | bytes]] = {
    "a title of 5 MB": lambda: hostile_page(title="The walk " * 550_000),
    "nothing but open tags": lambda: "<p>" * 300_000,
    "nothing but NUL": lambda: bytes(10**6),
    "nothing but a byte order": lambda: b"\xff\xfe",
    "half a sign at the end": lambda: hostile_page().encode("utf-16")[:-1],
    "a language of a megabyte": lambda: hostile_page().replace('lang="en"', f'lang="{"en-" * 400_000}"'),
    "an XML that reads a file": lambda: '<?xml version="1.0"?><!DOCTYPE html ['
    '<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "file:///etc/passwd">%p;]>'
    + hostile_page("<p>&f;</p>"),
    "every element": lambda: hostile_page("".join(f"<{a}{b}>x" for a in "abcdefhimnopqrstuvw" for b in "123abcdefghijklmnopqrtuvwxyz")),
    "a page of pages": lambda: hostile_page() * 300,
    "one line of text": lambda: "the river and the mill " * 400_000,
}  # fmt: skip


@pytest.mark.parametrize("attack", COMPLETE_PAGES)
def test_a_page_filled_with_it_ends(attack: str) -> None:
    result = result_or_error(lambda: print_page(COMPLETE_PAGES[attack](), limit=LIMIT))
    if not isinstance(result, Exception):
        assert "root:" not in check_pdf(result)


def test_a_title_longer_than_a_page_is_printed() -> None:
    assert "herons" in check_pdf(print_page(hostile_page(title="\N{GRINNING FACE}" * 400)))


@pytest.mark.parametrize(
    "charset",
    ["utf-7", "punycode", "idna", "base64", "zlib", "rot13", "unicode_escape", "undefined",
     "raw_unicode_escape", "utf-32", "iso-2022-jp", "hz", "cp037", "x" * 10_000, "\0", "../x"],
)  # fmt: skip
def test_a_charset_that_is_a_trap_is_not_followed(charset: str) -> None:
    html = hostile_page("<p>" + "+ADw-script+AD4- \\x3cscript\\x3e " * 100 + "a-" * 1_000)
    html += f"<!-- {'a-' * 10**6} -->"
    html = html.replace('charset="utf-8"', f'charset="{charset}"')
    result = result_or_error(lambda: print_page(capture_of(html, charset=charset), format="json"))
    assert not isinstance(result, WebprintError), result
    assert b"herons" in result.data
