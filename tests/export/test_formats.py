"""Articles in other formats: complete, reproducible, and without active content."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html

from printer.article import (
    Article,
    Cell,
    Code,
    Definition,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Note,
    Paragraph,
    Quote,
    Span,
    Table,
)
from printer.export import export_articles
from printer.export.epub import to_epub
from tests.support.sample_articles import (
    MISSING,
    SAMPLE_ARTICLE,
    SCRIPT_ARTICLES,
    heading,
    items,
    jpeg,
    landscape,
    paragraph,
    pictures,
)

FORMATS = ("epub", "html", "markdown", "json")
WHEN = datetime(2024, 5, 1, 12, tzinfo=UTC)
PICTURES = {**pictures(), MISSING: jpeg(landscape(90, 60))}
XHTML = {"x": "http://www.w3.org/1999/xhtml", "epub": "http://www.idpf.org/2007/ops"}

FRACTION = (
    '<math display="block"><semantics><mrow><mi>x</mi><mo stretchy="false" onclick="x()">=</mo>'
    "<mfrac><mn>1</mn><msqrt><mn>2</mn></msqrt></mfrac></mrow>"
    '<annotation encoding="application/x-tex">x</annotation></semantics></math>'
)
BROKEN = "<math><mfrac><mn>1</mn></mfrac></math>"

#: Addresses that lead nowhere good, or are hardly addresses.
BAD = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>1</script>", "file:///etc/passwd",
    "http://[", "http://", "https://user:p w@example.org:99999/", "http://a b/", "mailto:", "#nowhere",
    "https://example.org/%zz?<a>\"'{}|\\^`#a#b#c", "https://bücher.example/ü?q=é&x=<y>", "http://exa\nmple.org/",
    " https://example.org/\u202e", "vbscript:x", "https://example.org/a%", "http://example.org:80a/",
)  # fmt: skip

NASTY = '</title><script>alert(1)</script><img src=x onerror="alert(1)">&lt;]]>\x00\x0b\ufffe\ud800{{7*7}}'

HOSTILE = Article(
    title=NASTY,
    byline=NASTY,
    published="yesterday",
    site=NASTY,
    lead=NASTY,
    language="en-a",
    url=BAD[0],
    blocks=(
        Paragraph(tuple(Span(f"{n} {NASTY}", ("em", "q"), href=url, title=NASTY, lang="x y", dir="up")
                        for n, url in enumerate(BAD)), id="1 <a>"),
        Paragraph((Span("twice", id="1 <a>"), Span("jump", href="#1 <a>"), Span("9", note="no such"))),
        Paragraph((Span("日", ruby="<rt>"), Span("z", math=BROKEN), Span("w", math=FRACTION))),
        Heading(6, (Span("deep"),)), Heading(2, (), id="empty"), Heading(3, (Span(" "),)),
        List(()), List((Item(()), Item((heading("inside"), Quote(()), Quote((paragraph("one"),), box=True)))), ordered=True, style="x", start=-3),
        DefinitionList((Definition((), ((paragraph("no term"),),)), Definition(((Span("no meaning"),),), ()))),
        Table((), ((),)), Table(((),), ((Cell((), colspan=9999, rowspan=0, align='" onload="x'),),)),
        Code("<script>alert(1)</script>\x00", 'python" onclick="x'),
        Figure(BAD[0], alt=NASTY), Figure("http://127.0.0.1/x.png", svg="<svg onload='x'/>", credit=NASTY),
        Embed("video", BAD[0], NASTY), Embed("frame", BAD[10], ""),
        Math(BROKEN, NASTY), Math(FRACTION, "x"), Math("\\foo", "\\foo"), Math("<math", "y"),
        Note("n n", NASTY, (items("a"),)), Note("n n", "", (paragraph("again"),)), Note("", "", ()),
    ),
)  # fmt: skip


def chapters(book: bytes) -> dict[str, etree._Element]:
    with zipfile.ZipFile(io.BytesIO(book)) as file:
        return {
            name: etree.fromstring(file.read(name))
            for name in file.namelist() if name.endswith((".xhtml", ".opf"))
        }  # fmt: skip


@pytest.fixture(scope="module")
def book() -> bytes:
    maths = Article("Sums", (paragraph("See ", Span("x", math=FRACTION)), Math(FRACTION, "x")))
    articles = [SAMPLE_ARTICLE, *SCRIPT_ARTICLES.values(), maths, HOSTILE]
    return to_epub(articles, PICTURES, title="Week <12>", fetched=WHEN)


def test_the_book_is_valid(book, tmp_path) -> None:
    """Hold a book of all kinds of blocks, scripts and hostilities against epubcheck."""
    checker, java = shutil.which("epubcheck"), shutil.which("java")
    if not (checker and java):
        pytest.skip(f"{'epubcheck' if not checker else 'Java'} is not installed")
    path = tmp_path / "week.epub"
    path.write_bytes(book)
    done = subprocess.run(
        [java, "-XX:TieredStopAtLevel=1", "-jar", Path(checker).resolve(), "--failonwarnings", path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 errors / 0 warnings" in done.stdout


@pytest.mark.parametrize("format_", FORMATS)
def test_all_of_it_is_in_every_format(format_) -> None:
    articles = [*SCRIPT_ARTICLES.values(), SAMPLE_ARTICLE]
    data, report = export_articles(articles, format_, PICTURES, fetched=WHEN)
    assert report.complete, (report.shortfall(), report.missing_text)
    assert report.article.words > 800
    assert data == export_articles(articles, format_, PICTURES, fetched=WHEN)[0]


@pytest.mark.parametrize("format_", ["epub", "html"])
def test_a_missing_picture_is_reported(format_) -> None:
    assert export_articles([SAMPLE_ARTICLE], format_, {})[1].shortfall() == {"pictures": (0, 3)}


@pytest.mark.parametrize("format_", FORMATS)
def test_nothing_runs_and_nothing_is_fetched(format_) -> None:
    data, _ = export_articles([HOSTILE, SAMPLE_ARTICLE], format_, PICTURES, title=NASTY)
    if format_ == "json":
        assert len(json.loads(data)) == 2
        return
    if format_ == "epub":
        trees = list(chapters(data).values())
    elif format_ == "html":
        trees = [lxml_html.fromstring(data)]
    else:
        from markdown_it import MarkdownIt

        assert b"(javascript" not in data.lower()
        trees = [
            lxml_html.fromstring(MarkdownIt("commonmark").enable("table").render(data.decode()))
        ]
    for tree in trees:
        for element in tree.iter(etree.Element):
            tag = etree.QName(element).localname
            assert tag not in ("script", "iframe", "object", "embed", "base", "form"), tag
            for name, value in element.attrib.items():
                assert not name.startswith("on"), (tag, name)
                if name in ("src", "href", "poster", "data"):
                    has_link = tag in ("a", "link") or format_ == "markdown"
                    assert value.split(":")[0] in (
                        ("http", "https", "mailto") if has_link else ()
                    ) or (value.startswith(("data:image/", "#")) or ":" not in value), (
                        tag,
                        name,
                        value,
                    )


def test_the_policy_of_the_page_forbids_everything_unneeded() -> None:
    data, _ = export_articles([SAMPLE_ARTICLE], "html", PICTURES)
    (policy,) = lxml_html.fromstring(data).xpath("//meta[@http-equiv]/@content")
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def test_code_is_copied_without_its_places_to_break() -> None:
    code = Span("pip install foo\u200bbar", ("code",))
    exported, _ = export_articles(
        [Article("T", (Paragraph((code, Span(" ខ្ញុំ\u200bញ៉ាំ"))),))], "html", {}
    )
    text = lxml_html.fromstring(exported).text_content()
    assert "pip install foobar ខ្ញុំ\u200bញ៉ាំ" in text


def test_contents_nest_as_headings_do(book) -> None:
    nav = chapters(book)["book/nav.xhtml"]
    (toc,) = nav.xpath("//x:nav[@epub:type='toc']", namespaces=XHTML)
    first = toc.xpath("x:ol/x:li[1]/x:ol/x:li/x:a/text()", namespaces=XHTML)
    assert first == ["What was decided", "Accounts"]
    inner = toc.xpath("x:ol/x:li[1]/x:ol/x:li[1]//x:ol//x:a/text()", namespaces=XHTML)
    assert inner == ["Three ways over", "The tide at the landing"]


def test_notes_are_called_and_lead_back(book) -> None:
    page = chapters(book)["book/chapter-1.xhtml"]
    calls = page.xpath("//x:a[@epub:type='noteref']/@href", namespaces=XHTML)
    notes = page.xpath("//x:aside[@epub:type='footnote']", namespaces=XHTML)
    assert calls == [f"#{note.get('id')}" for note in notes]
    assert notes[0].xpath(".//x:a[@role='doc-backlink']/@href", namespaces=XHTML)


def test_boxes_are_neither_landmarks_nor_footnotes() -> None:
    boxes = tuple(Quote((paragraph("Wait."),), (Span("Note"),), box=True) for _ in range(2))
    data, _ = export_articles([Article("T", boxes)], "html", {})
    tree = lxml_html.fromstring(data)
    assert tree.xpath("//*[@class='box']/@role") == ["note", "note"]
    assert tree.xpath("//aside") == []


def test_the_package_has_the_metadata_of_the_book(book) -> None:
    opf = chapters(book)["book/package.opf"]
    labels = {
        name: opf.xpath(f"//*[local-name()='{name}']/text()")
        for name in ("title", "language", "creator", "source", "date")
    }
    assert labels["title"] == ["Week <12>"]
    assert {"en", "ar", "ja", "zh-Hans"} <= set(labels["language"])
    assert labels["creator"][0] == "Ada Fenwick and Thomas Oake"
    assert labels["source"][0].startswith("https://valley.example.org/2024/03/")
    assert labels["date"] == ["2024-03-12"]
    metas = {(m.get("property"), m.text) for m in opf.iter("{*}meta")}
    assert ("dcterms:modified", "2024-05-01T12:00:00Z") in metas
    assert ("schema:accessibilityFeature", "MathML") in metas
    assert ("schema:accessModeSufficient", "textual") not in metas, "a picture has no words"
    assert opf.xpath("//*[@properties='cover-image']")


def test_a_right_to_left_book_turns_its_pages_so() -> None:
    opf = chapters(to_epub([SCRIPT_ARTICLES["ar"]], PICTURES))["book/package.opf"]
    assert opf.xpath("//@page-progression-direction") == ["rtl"]


def test_mathml_is_kept_where_it_is_sound(book) -> None:
    pages = chapters(book)
    sums = next(p for p in pages.values() if p.xpath("//x:title[.='Sums']", namespaces=XHTML))
    drawn = [etree.QName(e).localname for e in next(sums.iter("{*}math")).iter()]
    assert drawn == ["math", "mrow", "mi", "mo", "mfrac", "mn", "msqrt", "mn"]
    assert len(list(sums.iter("{*}math"))) == 2


def test_formulas_are_tex_in_markdown() -> None:
    unclosed = "<math><mi>a</mi><mo>+</mo>"
    formulas = paragraph("y ", Span("x", math=FRACTION), " z ", Span("a plus", math=unclosed))
    text = export_articles([Article("T", (formulas,))], "markdown", {})[0]
    assert rb"y $x = \frac{1}{\sqrt{2}}$ z a plus" in text


@settings(max_examples=60)
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_and_any_address_make_a_sound_file(text, href) -> None:
    odd = paragraph(
        Span(text, href=href, id=href, note=text), Span(text, ("code",), href="http://" + href)
    )
    article = replace(SAMPLE_ARTICLE, title=text, url="https://" + href, blocks=(odd, Code(text)))
    for page in chapters(to_epub([article], {})).values():
        names = page.xpath("//@id")
        assert len(names) == len(set(names))
    lxml_html.fromstring(export_articles([article], "html", {})[0])


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://straße.de/a", "https://xn--strae-oqa.de/a"),
        ("https://example.org:443/ü?q=%zz", "https://example.org/%C3%BC?q=%25zz"),
        ("https://user:pass@example.org/", "https://user:pass@example.org/"),
        ("https://a..b/", ""),
    ],
)
@pytest.mark.parametrize("format_", ["epub", "html"])
def test_links_lead_to_the_same_host(format_, url, link) -> None:
    """A name like straße.de must not become another domain, as under IDNA 2003."""
    article = Article("T", (paragraph("See ", Span("this", href=url)),))
    data, _ = export_articles([article], format_, {})
    if format_ == "epub":
        trees = [tree for name, tree in chapters(data).items() if "chapter" in name]
    else:
        trees = [lxml_html.fromstring(data)]
    links = [e.get("href") for tree in trees for e in tree.iter(etree.Element) if e.get("href")]
    assert [href for href in links if href.startswith("http")] == ([link] if link else [])
