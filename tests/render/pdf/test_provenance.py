"""PDF/UA and PDF/A: structure, sources inside, provenance; the same bytes for the same page."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import pikepdf
import pytest

from printer import Capture, FetchOptions, Printer, PrintOptions
from printer.article import Figure, Math, Note, Span, Table
from printer.capture import PageSource
from printer.options import Options
from printer.output import ExtractedPage
from printer.render.pdf.provenance import NAMESPACE, build_provenance
from printer.render.weasy.engine import render_pdf
from tests.support import sample_articles as specimens
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, cells, paragraph
from tests.support.story_page import story_page

# WeasyPrint leaves the colour profile's file for Python to close.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*sRGB2014:pytest.PytestUnraisableExceptionWarning", "ignore:.*sRGB2014:ResourceWarning"
)

WHEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
PAGE = story_page("Harbour lights go dark").encode()


def capture(url: str = "https://example.org/story", body: bytes = PAGE) -> Capture:
    return Capture(body, PageSource(url, url, "text/html", "utf-8", fetched=WHEN, method="file"))


def extracted(page: Capture) -> ExtractedPage:
    return ExtractedPage(SAMPLE_ARTICLE, page.describe())


def printed_page(*captures: Capture, **options: Any) -> tuple[bytes, pikepdf.Pdf]:
    chosen = Options(fetch=FetchOptions(render="never"), page=PrintOptions(**options))
    with Printer(chosen) as printer:
        result = printer.print_pages(list(captures) or [capture()])
    return result.pdf, pikepdf.open(BytesIO(result.pdf))


def elements(pdf: pikepdf.Pdf) -> list[Any]:
    return [
        o
        for o in pdf.objects
        if isinstance(o, pikepdf.Dictionary) and o.get("/Type") == "/StructElem"
    ]


def test_an_archive_holds_the_page_and_the_article() -> None:
    data, pdf = printed_page(pdf="a-3u")
    files = pdf.attachments
    assert set(files) == {"source.html", "article.json"}
    assert files["source.html"].get_file().read_bytes() == PAGE
    article = json.loads(files["article.json"].get_file().read_bytes())
    assert article["title"] == "Harbour lights go dark"
    relations = {str(spec.UF): str(spec.AFRelationship) for spec in pdf.Root.AF}
    assert relations == {"source.html": "/Source", "article.json": "/Data"}
    assert str(files["source.html"].get_file().mime_type) == "text/html"
    with pdf.open_metadata() as xmp:
        assert xmp["pdfaid:part"] == "3"
        assert xmp["pdfaid:conformance"] == "U"
    assert pdf.Root.MarkInfo.Marked
    assert "/OutputIntents" in pdf.Root
    assert data.startswith(b"%PDF-1.7")


@pytest.mark.parametrize("variant", ["ua-1", "a-3u"])
def test_a_pdf_names_its_source(variant: str) -> None:
    _, pdf = printed_page(pdf=variant)
    with pdf.open_metadata() as xmp:
        assert xmp["dc:source"] == "https://example.org/story"
        assert xmp[f"{{{NAMESPACE}}}source"] == ["https://example.org/story"]
        assert xmp[f"{{{NAMESPACE}}}fetched"] == ["2026-03-04T05:06:07+00:00"]
        assert xmp[f"{{{NAMESPACE}}}sha256"] == [hashlib.sha256(PAGE).hexdigest()]


def test_several_pages_have_separate_sources() -> None:
    other = capture("https://example.org/other", story_page("Bread rises").encode())
    _, pdf = printed_page(capture(), other, pdf="a-3u")
    assert set(pdf.attachments) == {
        "source-1.html",
        "article-1.json",
        "source-2.html",
        "article-2.json",
    }
    with pdf.open_metadata() as xmp:
        assert xmp[f"{{{NAMESPACE}}}source"] == [
            "https://example.org/story",
            "https://example.org/other",
        ]


def test_metadata_cannot_be_injected() -> None:
    evil = "https://example.org/?</rdf:RDF><x>&amp;\x00\x0b\"'<![CDATA[]]>"
    xmp = build_provenance([extracted(capture(evil))], attach=False).xmp
    tree = ElementTree.fromstring(b"<r>" + xmp + b"</r>")
    (source,) = tree.iter("{http://purl.org/dc/elements/1.1/}source")
    assert source.text == evil.replace("\x00", "").replace("\x0b", "")
    _, pdf = printed_page(capture(evil.replace("\x00", "")), pdf="a-3u")
    with pdf.open_metadata() as packet:
        assert packet["dc:source"].startswith("https://example.org/?</rdf:RDF>")


def test_the_schema_of_our_properties_is_declared() -> None:
    tree = ElementTree.fromstring(
        b"<r>" + build_provenance([extracted(capture())], attach=False).xmp + b"</r>"
    )
    names = [e.text for e in tree.iter("{http://www.aiim.org/pdfa/ns/property#}name")]
    assert names == ["source", "fetched", "sha256"]


PRINT_BOTH = """
import sys
from printer import Printer, PrintOptions
from printer.options import Options
for variant in ("ua-1", "a-3u"):
    with Printer(Options(page=PrintOptions(pdf=variant, deterministic=True))) as printer:
        pdf = printer.print_pages([sys.argv[1]]).pdf
    open(f"{sys.argv[2]}.{variant}", "wb").write(pdf)
"""


def test_the_same_page_gives_the_same_bytes(tmp_path) -> None:
    """Print in new processes, with other hash seeds, at other times."""
    page = tmp_path / "page.html"
    page.write_bytes(PAGE.replace(b"</p>", " 🦉</p>".encode(), 1))  # Its font is saved anew.
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        environment.pop("SOURCE_DATE_EPOCH", None)
        command = [sys.executable, "-c", PRINT_BOTH, str(page), str(tmp_path / seed)]
        subprocess.run(command, check=True, env=environment, capture_output=True)
        os.utime(page, (1, 1_000_000_000 + int(seed)))
    for variant in ("ua-1", "a-3u"):
        one, other = ((tmp_path / f"{seed}.{variant}").read_bytes() for seed in ("1", "2"))
        assert one == other
        with pikepdf.open(BytesIO(one)) as pdf, pdf.open_metadata() as xmp:
            assert not any(xmp.get(f"{{{NAMESPACE}}}fetched", []))


def test_the_time_of_a_reproducible_build_is_taken(monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    _, pdf = printed_page(deterministic=True)
    with pdf.open_metadata() as xmp:
        assert xmp[f"{{{NAMESPACE}}}fetched"] == ["1970-01-02T00:00:00+00:00"]


@pytest.mark.skipif(not shutil.which("qpdf"), reason="qpdf is not installed")
@pytest.mark.parametrize("variant", ["ua-1", "a-3u"])
def test_qpdf_finds_no_fault(variant: str, tmp_path) -> None:
    out = tmp_path / "out.pdf"
    document = render_html([SAMPLE_ARTICLE], specimens.pictures(), PrintOptions(pdf=variant))
    out.write_bytes(render_pdf(document).pdf)
    ran = subprocess.run(["qpdf", "--check", out], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_table_heads_have_their_scope(printed) -> None:
    head = (cells("Name", "Count", header=True),)
    row = (*cells("Oak", header=True), *cells("7"))
    pdf = printed(replace(SAMPLE_ARTICLE, blocks=(Table(head, (row, row)),))).pdf
    scopes = [str(e.A.Scope) for e in elements(pdf) if e.S == "/TH"]
    assert sorted(scopes) == ["/Column", "/Column", "/Row", "/Row"]
    named = {bytes(e.ID) for e in elements(pdf) if e.S == "/TH"}
    for cell in (e for e in elements(pdf) if e.S == "/TD"):
        assert {bytes(h) for h in cell.A.Headers} <= named


def test_formulas_and_notes_are_tagged_as_such(printed) -> None:
    blocks = (
        paragraph("Let ", Span("x^2", math="x^2"), " be. " * 40, Span("1", note="a")),
        Math(r"\frac{1}{2}", "half"),
        Note("a", "1", (paragraph("A note."),)),
    )
    pdf = printed(replace(SAMPLE_ARTICLE, blocks=blocks)).pdf
    found = elements(pdf)
    assert [str(e.Alt) for e in found if e.S == "/Formula"] == ["x^2", r"\frac{1}{2}"]
    (note,) = [e for e in found if e.S == "/Note"]
    assert bytes(note.ID)
    assert not [e for e in found if e.S == "/Figure"]


def test_every_figure_has_words_and_every_link_its_text(printed) -> None:
    pictures = specimens.pictures()
    bare = Figure(specimens.LANDSCAPE)
    pdf = printed(
        replace(SAMPLE_ARTICLE, blocks=(*SAMPLE_ARTICLE.blocks, bare)), pictures=pictures, qr=True
    ).pdf
    for element in elements(pdf):
        if element.S in ("/Figure", "/Formula"):
            assert str(element.get("/Alt", "")), "a picture without words"
        if element.S == "/Link":
            assert len(element.K) > 1, "a link without text"
    contents = [a for page in pdf.pages for a in page.get("/Annots", [])]
    assert all("/StructParent" in annotation for annotation in contents)


def test_running_heads_are_no_part_of_the_text(printed) -> None:
    """What is marked in a page is either in the structure or an artifact."""
    pdf = printed(replace(SAMPLE_ARTICLE, blocks=[paragraph(f"Line {n}.") for n in range(90)])).pdf
    assert len(pdf.pages) > 1
    for page in pdf.pages:
        marked, artifacts = set(), 0
        for operands, operator in pikepdf.parse_content_stream(page):
            if str(operator) == "BDC":
                marked.add(int(operands[1].MCID))
            artifacts += str(operator) == "BMC" and str(operands[0]) == "/Artifact"
        referenced = {
            int(k)
            for e in elements(pdf)
            if "/Pg" in e and e.Pg.objgen == page.obj.objgen
            for k in _ids(e)
        }
        assert marked <= referenced
        assert artifacts >= 1
    tree = pdf.Root.StructTreeRoot.ParentTree.Nums
    rows = [list(tree[n + 1]) for n in range(0, 2 * len(pdf.pages), 2)]
    assert all(None in row for row in rows)


def _ids(element):
    kids = element.get("/K", [])
    return [kid for kid in kids if isinstance(kid, int)]


def test_a_page_is_kept_only_if_it_is_attached() -> None:
    for variant, html in (("ua-1", b""), ("a-3u", PAGE)):
        options = Options(fetch=FetchOptions(render="never"), page=PrintOptions(pdf=variant))
        with Printer(options) as printer:
            assert printer.extract(capture()).html == html
