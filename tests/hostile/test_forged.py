"""Text of a page that tries to inject markup, headers or commands into outputs.

In HTML, EPUB, Markdown, the editor's preview and JSON they would run; in headers, mails, feeds,
file names and the metadata of a PDF they would say what nobody said.
"""

from __future__ import annotations

import email
import email.policy
import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pikepdf
import pytest
from lxml import etree
from lxml import html as lxml_html

from printer import Article, extract
from printer.article import Paragraph, Span
from printer.digest.delivery import Delivery, add_feed_entry, compose_mail
from printer.export.markdown import to_markdown
from printer.render.context import PreviewBlock, render_preview
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

#: Words that are something else to somebody.
WORDS = {
    "a script": "<script>alert(1)</script>",
    "an end of everything": "]]></title></style></script></textarea><!--><img src=x onerror=alert(1)>",
    "an attribute": "\"' onmouseover='alert(1)' x=\"",
    "a template": "{{ 7 * 191 }}{% include '/etc/passwd' %}${7 * 191}#{7 * 191}",
    "a link of Markdown": "[x](javascript:alert(1)) ![x](http://127.0.0.1/) <javascript:alert(1)>",
    "HTML in Markdown": "\n\n<script>alert(1)</script>\n\n    code\n# heading\n---\n[a]: javascript:1",
    "a header": "x\r\nBcc: all@forged.test\r\n\r\nforged",
    "other lines": "x\u2028Bcc: all@forged.test\u2029\x0b\x0c\x85Bcc: y",
    "an encoded header": "=?utf-8?q?x=0D=0ABcc:_all=40forged.test?=",
    "RDF": "</rdf:li></rdf:Seq></rdf:Description></rdf:RDF><x:forged/>&amp;<?xpacket end?>",
    "a PDF string": ") /OpenAction << /S /JavaScript /JS (app.alert(1)) >> (\\",
    "NUL and signs of control": "a\0b\x01\x02\x1b[31mred\x1b]0;title\x07\x7f\x9b",
    "directions": "\u202egpj.exe\u2066\u2069\u200f",
    "half a sign": "\ud800 \udfff \ufffe \uffff",
    "a path": "../../../../etc/cron.d/x\\..\\..\\x:y|z*?",
    "a formula of a sheet": "=cmd|' /C calc'!A0",
    "a word without end": "w" * 200_000,
}

#: Of words that need a page of their own, and several to a page of the others.
ALONE = "a word without end"
PAGES = [(ALONE,), *batched([name for name in WORDS if name != ALONE], 1 if THOROUGH else 8)]

WHEN = datetime(2024, 5, 1, 12, tzinfo=UTC)


def page_with(words: str) -> bytes:
    """Return a page with these words in all its metadata, properly escaped."""
    data = json.dumps(
        {"@type": "NewsArticle", "headline": words, "author": {"name": words}, "publisher":
         {"name": words}, "description": words, "inLanguage": words, "keywords": [words]}
    ).replace("<", "\\u003c")  # fmt: skip
    escaped = "".join(f"&#{ord(sign)};" for sign in words[:5000])
    head = f'<script type="application/ld+json">{data}</script>' + "".join(
        f'<meta name="{name}" property="{name}" content="{escaped}">'
        for name in ("og:title", "author", "og:site_name", "description", "keywords", "generator")
    )
    attack = (
        f'<p title="{escaped}">{escaped}</p><h2 id="{escaped}">{escaped}</h2><pre class="language-{escaped}">'
        f'{escaped}</pre><table><caption>{escaped}<tr><th abbr="{escaped}">{escaped}<td>x</table>'
        f'<a href="{escaped}">{escaped}</a><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="'
        f' width=600 height=400 alt="{escaped}"><math alttext="{escaped}"><mi>{escaped}</mi></math>'
    )
    return hostile_page(attack, head=head, title=escaped).encode("utf-8", "surrogatepass")


def active(tree: etree._Element) -> list[str]:
    """Return what of a tree runs or leads somewhere it should not."""
    violations = []
    for element in tree.iter(etree.Element):
        tag = etree.QName(element).localname
        if tag in ("script", "iframe", "object", "embed", "base", "form", "foreignObject"):
            violations.append(tag)
        for name, value in element.attrib.items():
            if name.startswith("on") or value.strip().lower().startswith(
                ("javascript:", "vbscript:")
            ):
                violations.append(f"{tag} {name}={value[:50]}")
    return violations


def page_with_all(names: tuple[str, ...]) -> bytes:
    return page_with(" ".join(WORDS[name] for name in names))


@pytest.mark.parametrize("names", PAGES, ids=", ".join)
def test_in_a_pdf(names: tuple[str, ...]) -> None:
    result = result_or_error(
        lambda: print_page(capture_of(page_with_all(names)), pdf="a-3u", deterministic=True)
    )
    check_pdf(result, attached=True)
    with pikepdf.open(io.BytesIO(result.data)) as pdf:
        assert set(map(str, pdf.docinfo)) <= {
            "/Title", "/Author", "/Subject", "/Keywords", "/Creator", "/Producer", "/CreationDate",
            "/ModDate", "/Lang",
        }  # fmt: skip
        packet = pdf.Root.Metadata.read_bytes()
        root = etree.fromstring(packet, etree.XMLParser(resolve_entities=False))
        assert not [e for e in root.iter(etree.Element) if "forged" in str(e.tag)]
        rdf = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
        assert len(list(root.iter(f"{rdf}RDF"))) == 1
        for name in pdf.attachments:
            assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-."), name


@pytest.mark.parametrize("names", PAGES, ids=", ".join)
def test_in_files_of_other_formats(names: tuple[str, ...]) -> None:
    source = capture_of(page_with_all(names))
    html = print_page(source, format="html").data
    assert not active(lxml_html.fromstring(html))
    book = print_page(source, format="epub").data
    with zipfile.ZipFile(io.BytesIO(book)) as packed:
        for name in packed.namelist():
            assert ".." not in name
            assert not name.startswith("/")
            if name.endswith((".xhtml", ".opf", ".ncx", ".xml")):
                assert not active(etree.fromstring(packed.read(name)))
    from markdown_it import MarkdownIt

    text = print_page(source, format="markdown").data.decode()
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    assert not active(lxml_html.fromstring(f"<div>{parser.render(text)}</div>"))
    assert len(json.loads(print_page(source, format="json").data)) >= 1


@pytest.mark.parametrize("words", WORDS)
def test_in_the_preview(words: str) -> None:
    article = extract(page_with(WORDS[words]), "https://reader.test/x")
    shapes = [PreviewBlock(f"p{n}", block, WORDS[words]) for n, block in enumerate(article.blocks)]
    html = render_preview(article, shapes, lambda figure: None)
    tree = lxml_html.fromstring(html.encode("utf-8", "replace"))
    assert not active(tree)
    assert not tree.xpath("//a/@href[not(starts-with(., '#'))] | //img/@src")


@pytest.mark.parametrize("words", WORDS)
def test_in_a_mail(words: str) -> None:
    text = WORDS[words]
    delivery = Delivery("x", text, WHEN, b"x", {"articles": [{"title": text}]})
    mail = compose_mail(delivery, "me@reader.test", "you@reader.test")
    read = email.message_from_bytes(mail.as_bytes(), policy=email.policy.default)
    assert "Bcc" not in read
    assert read["To"] == "you@reader.test"
    assert set(read.keys()) == {
        "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
    }  # fmt: skip
    assert [part.get_content_type() for part in read.iter_parts()] == [
        "text/plain",
        "application/pdf",
    ]


@pytest.mark.parametrize("words", WORDS)
def test_in_a_feed_of_digests(words: str) -> None:
    issue = Delivery("a", WORDS[words], WHEN, b"x", {})
    feed = add_feed_entry(b"", "https://x.test/#a", "https://x.test/a.pdf", issue)
    root = etree.fromstring(feed)
    assert len(root) == 5
    assert not active(root)


@pytest.mark.parametrize("words", WORDS)
def test_in_a_header_of_an_answer(words: str) -> None:
    from printer.server.routes.api import content_disposition

    for name, value in content_disposition(SimpleNamespace(title=WORDS[words]), "pdf").items():  # type: ignore[arg-type]
        (name + value).encode("ascii")
        assert value.isprintable()
        assert value.count('"') == 2
        assert len(value) < 1500


def test_in_the_name_of_a_file(tmp_path: Path) -> None:
    from printer.text import file_name

    for words in WORDS.values():
        name = file_name(words)
        assert name == Path(name).name
        assert 0 < len(name.encode()) < 256
        (tmp_path / name).write_bytes(b"x")


def test_markup_in_text_stays_text() -> None:
    article = Article("t", (Paragraph((Span("<script>alert(1)</script>" + STORY),)),))
    assert "<script>" not in to_markdown(article).replace("\\<script>", "")
