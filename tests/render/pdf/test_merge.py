"""Merging parts into one PDF: objects survive, and memory does not grow with the parts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from printer.article import Span
from printer.errors import RenderError
from printer.options import PrintOptions
from printer.render.context import (
    RenderContext,
    build_document,
    build_front_matter,
)
from printer.render.links import LinkTargets
from printer.render.pdf import merge
from printer.render.pdf.merge import MergePart, PdfCopier, PdfWriter, merge_parts
from printer.render.worker_pool import RenderPool
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph

#: How many bytes of memory a page of a whole may take, ten times what was measured.
MAX_BYTES_PER_PAGE = 10_000

LINE = "The river rose in the night, and by morning the lower meadow was under water. "


def written_out(values: list[object]) -> bytes:
    """Copy values as the objects of a PDF, each referring to the one after it."""
    file = BytesIO()
    with pikepdf.new() as source:
        things = [source.make_indirect(pikepdf.Array([value])) for value in values]
        for one, other in pairwise(things):
            one.append(other)
        target = PdfWriter(file, "1.7")
        root, pages = target.reserve(), target.reserve()
        copying = PdfCopier(source, target, {})
        first = copying.copy(things[0])
        copying.finish()
        catalog = b"<< /Type /Catalog /Kept %d 0 R /Pages %d 0 R >>"
        target.write(root, catalog % (first, pages))
        target.write(pages, b"<< /Type /Pages /Count 0 /Kids [ ] >>")
        target.close(root, 0)
    return file.getvalue()


plain = (
    st.integers(-(2**31), 2**31 - 1)
    | st.booleans()
    | st.binary(max_size=60).map(pikepdf.String)
    | st.sampled_from(["(5 0 R", "5 0 R", "\\) 5 0 R", ")5 0 R<", "\r\n 1 0 R \\"]).map(
        pikepdf.String
    )
    | st.sampled_from(["/R", "/A5", "/A#20b", "/5"]).map(pikepdf.Name)
)
deep = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=4).map(pikepdf.Array)
        | st.dictionaries(st.sampled_from(["/A", "/R", "/Kids1"]), inner, max_size=3).map(
            pikepdf.Dictionary
        )
    ),
    max_leaves=10,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(deep, min_size=1, max_size=12), st.integers(1, 6))
def test_copied_objects_are_equal(values: list[object], most: int) -> None:
    before = merge.MAX_STREAM_OBJECTS
    try:
        merge.MAX_STREAM_OBJECTS = most
        data = written_out(values)
    finally:
        merge.MAX_STREAM_OBJECTS = before
    with pikepdf.open(BytesIO(data)) as pdf:
        assert not pdf.check_pdf_syntax()
        at = pdf.Root.Kept
        for value in values:
            assert at[0] == value
            at = at[1] if len(at) > 1 else None
        assert at is None


@pytest.fixture(scope="module")
def parts(press: RenderPool) -> tuple[bytes, bytes, int]:
    """A front matter of one page, a part, and how many pages that has."""
    text = paragraph(LINE * 3, Span("see 7 0 R (there", href="https://example.org/7 0 R"))
    article = replace(SAMPLE_ARTICLE, title="Of 5 0 R \\ and (more", blocks=(text,) * 12)
    context = RenderContext.of([article, article], PrintOptions(title=""))
    targets = LinkTargets(context.links)
    front, part = press.render_all(
        [
            build_front_matter(context, [context.view(0, article)]),
            build_document(context, [0], {}, targets, targets),
        ]
    )
    assert front.pages == 1
    return front.pdf, part.pdf, part.pages


def test_titles_and_links_that_look_like_references_stay(
    parts: tuple[bytes, bytes, int], press: RenderPool, tmp_path: Path
) -> None:
    front, part, pages = parts
    path = tmp_path / "part.pdf"
    path.write_bytes(part)
    context = RenderContext.of([SAMPLE_ARTICLE, SAMPLE_ARTICLE], PrintOptions())
    folios = press.render(context.fill(sheets=["", *[""] * 2 * pages], pages=1 + 2 * pages))
    file = BytesIO()
    merge_parts(front, [MergePart(path), MergePart(path)], [folios.pdf], frozenset({0}), file)
    with pikepdf.open(file) as pdf, pdf.open_outline() as outline:
        assert not pdf.check_pdf_syntax()
        assert len(pdf.pages) == 1 + 2 * pages
        assert [str(entry.title) for entry in outline.root] == ["Of 5 0 R \\ and (more"] * 2
        uris = [str(a.A.URI) for page in pdf.pages for a in page.Annots if "/A" in a]
        assert "https://example.org/7%200%20R" in uris
        two = typefaces(pdf)
    file = BytesIO()
    merge_parts(front, [MergePart(path)], [front, part], frozenset(range(1 + pages)), file)
    with pikepdf.open(file) as pdf:
        assert len(typefaces(pdf) & two) == len(typefaces(pdf))
        # The second part brings no typefaces, the page numbers one.
        assert len(two) <= len(typefaces(pdf)) + 1


def typefaces(pdf: pikepdf.Pdf) -> set[bytes]:
    """Return the typefaces in a PDF, and check that none is embedded twice."""
    descriptors = [descriptor for descriptor in pdf.objects if _is(descriptor, "/FontDescriptor")]
    programs = {
        descriptor.FontFile3.objgen: descriptor.FontFile3.read_bytes() for descriptor in descriptors
    }
    assert len(set(programs.values())) == len(programs)
    return set(programs.values())


def _is(thing: object, kind: str) -> bool:
    return isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == kind


def test_numbers_for_other_pages_are_not_drawn(
    parts: tuple[bytes, bytes, int], tmp_path: Path
) -> None:
    path = tmp_path / "part.pdf"
    path.write_bytes(parts[1])
    with pytest.raises(RenderError, match="0 page numbers do not fit 3 pages"):
        merge_parts(parts[0], [MergePart(path)], [], frozenset(), BytesIO())


def test_a_broken_part_is_reported(parts: tuple[bytes, bytes, int], tmp_path: Path) -> None:
    path = tmp_path / "part.pdf"
    path.write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(RenderError, match="could not be merged"):
        merge_parts(parts[0], [MergePart(path)], [], frozenset(), BytesIO())


GROWING = """
import resource, sys
from printer.render.pdf.merge import MergePart, merge_parts

def most(count):
    with open(sys.argv[3], "wb") as file:
        merge_parts(front, [MergePart(sys.argv[2])] * count, folios(count), frozenset([0]), file)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def folios(count):
    pages = int(sys.argv[5])
    yield front
    for _ in range(count):
        yield open(sys.argv[2], "rb").read()

front = open(sys.argv[1], "rb").read()
few, many = 20, int(sys.argv[4])
before = most(few)
print((most(many) - before) / (many - few) / int(sys.argv[5]))
"""


def test_memory_does_not_grow_with_the_pages(
    parts: tuple[bytes, bytes, int], tmp_path: Path
) -> None:
    front, part, pages = parts
    (tmp_path / "front.pdf").write_bytes(front)
    (tmp_path / "part.pdf").write_bytes(part)
    names = [str(tmp_path / name) for name in ("front.pdf", "part.pdf", "whole.pdf")]
    command = [sys.executable, "-c", GROWING, *names, "200", str(pages)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert float(completed.stdout) < MAX_BYTES_PER_PAGE
