"""The patches of WeasyPrint: what they do, and what they rely on in it."""

from __future__ import annotations

import ast
import inspect
import os
import tomllib
from collections import defaultdict
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pypdfium2
import pytest
import weasyprint
from weasyprint import HTML
from weasyprint.layout import LayoutContext, column

from printer import extract
from printer.options import PrintOptions
from printer.render.context import Document, RenderContext, build_front_matter
from printer.render.weasy import patches
from printer.render.weasy.engine import render_pdf
from printer.render.weasy.patches import (
    MAX_LETTER_SPACING_EM,
    PATCHES,
    Patch,
    _parse_style_sheet,
    patched,
)
from tests.support.documents import render_html
from tests.support.effort import THOROUGH
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph

ROOT = Path(__file__).parents[3]
FOLDER = Path(weasyprint.__file__).parent

#: The replacements that save time or memory: the pages are the same without them.
FASTER = {
    patches.free_attributes,
    patches.keep_page_references,
    patches.reuse_style_sheet,
    patches.split_planned_text,
}

#: The parameters of each function that is replaced.
PARAMETERS = {
    "block_container_layout": "context box bottom_space skip_stack page_is_empty absolute_boxes"
    " fixed_boxes adjoining_margins first_letter_style first_line_style discard max_lines",
    "block_level_layout": "context box bottom_space skip_stack containing_block page_is_empty"
    " absolute_boxes fixed_boxes adjoining_margins first_letter_style first_line_style discard"
    " max_lines",
    "columns_layout": "context box bottom_space skip_stack containing_block page_is_empty"
    " absolute_boxes fixed_boxes adjoining_margins first_letter_style first_line_style",
    "_break_line": "context box line new_children needed page_is_empty index skip_stack resume_at"
    " absolute_boxes fixed_boxes",
    "float_layout": "context box containing_block absolute_boxes fixed_boxes bottom_space"
    " skip_stack",
    "split_first_line": "text style context max_width justification_spacing is_line_start minimum",
    "split_inline_box": "context box position_x max_x bottom_space skip_stack containing_block"
    " absolute_boxes fixed_boxes line_placeholders waiting_floats line_children"
    " first_letter_style first_line_style",
    "auto_table_layout": "context box containing_block",
    "get_next_linebox": "context linebox position_y bottom_space skip_stack containing_block"
    " absolute_boxes fixed_boxes first_letter_style first_line_style",
    "justify_line": "context line extra_width",
    "handle_leader": "context line containing_block",
    "can_break_text": "text lang",
    "split_text_box": "context box available_width skip is_line_start",
    "_report_footnotes": "context footnotes_height",
    "make_page": "context root_box page_type resume_at page_number page_state",
    "remake_page": "index context root_box html",
    "draw_column_rules": "stream box",
    "draw_first_line": "stream textbox text_overflow block_ellipsis matrix",
    "Layout": "style justification_spacing max_width",
    "TTFont": "file res_name_or_index sfntVersion flavor checkChecksums verbose recalcBBoxes allowVID"
    " ignoreDecompileErrors recalcTimestamp fontNumber lazy quiet _tableCache cfg _useLegacyTTC",
    "add_tags": "pdf document pdf_version page_streams",
    "_build_box_tree": "box parent pdf page_number nums annotations tags",
    "CSS": "guess filename url file_obj string encoding base_url url_fetcher _check_mime_type"
    " media_type font_config counter_style color_profiles matcher page_rules layers layer",
}

#: The modules that bind each function when they are imported, and so call the original unless the
#: replacement is put there: "split_first_line" is patched as layout.inline calls it alone.
BOUND_BY = {
    "block_container_layout": {"layout.page"},
    "block_level_layout": {"layout.__init__", "layout.page"},
    "columns_layout": {"layout.block"},
    "_break_line": set[str](),
    "float_layout": {"layout.block", "layout.inline", "layout.page"},
    "split_first_line": {"layout.inline", "layout.preferred"},
    "split_inline_box": set[str](),
    "auto_table_layout": set[str](),
    "get_next_linebox": set[str](),
    "justify_line": set[str](),
    "handle_leader": {"layout.inline"},
    "can_break_text": {"layout.inline", "layout.preferred"},
    "split_text_box": set[str](),
    "_report_footnotes": set[str](),
    "make_page": set[str](),
    "remake_page": set[str](),
    "draw_column_rules": set[str](),
    "draw_first_line": set[str](),
    "Layout": set[str](),
    "TTFont": {"pdf.fonts", "text.fonts"},
    "add_tags": {"pdf.__init__"},
    "_build_box_tree": set[str](),
    "CSS": {"css.__init__", "document", "html"},
}

#: What the layout context holds; placing figures restores the three marked *, and relies on the
#: others being set anew for each page or not being used up by one.
CONTEXT = """
    _excluded_shapes _excluded_shapes_root_boxes broken_out_of_flow* counter_style current_footnote_area
    current_page current_page_footnotes dictionaries font_config footnotes* forced_break
    get_image_from_uri in_column page_bottom page_footnotes rendered_notes reported_footnotes*
    running_elements string_set style_for tables target_collector
"""

by_function = pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.function)


def test_weasyprint_is_the_version_that_the_patches_were_written_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (pin,) = (line for line in project["dependencies"] if line.startswith("weasyprint"))
    assert pin == f"weasyprint=={weasyprint.__version__}"
    assert pin in (ROOT / "constraints.txt").read_text("utf-8").splitlines()


@by_function
def test_a_replaced_function_has_the_parameters_relied_on(patch: Patch) -> None:
    with patched():
        function = getattr(import_module(patch.module), patch.function)
    original = inspect.unwrap(function)
    assert original is not function, "it is not replaced"
    assert " ".join(inspect.signature(original).parameters) == PARAMETERS[patch.function]


@cache
def importing_modules() -> dict[str, set[str]]:
    """Return the modules of WeasyPrint that import each name."""
    modules: dict[str, set[str]] = defaultdict(set)
    for path in FOLDER.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                for name in node.names:
                    modules[name.name].add(".".join(path.relative_to(FOLDER).with_suffix("").parts))
    return modules


@by_function
def test_who_calls_the_original_is_known(patch: Patch) -> None:
    assert importing_modules().get(patch.function, set()) == BOUND_BY[patch.function]


def test_a_first_line_is_split_into_six_values() -> None:
    source = (FOLDER / "text/line_break.py").read_text("utf-8")
    functions = {
        node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)
    }
    metrics = [n for n in ast.walk(functions["first_line_metrics"]) if isinstance(n, ast.Return)]
    assert [len(n.value.elts) for n in metrics if isinstance(n.value, ast.Tuple)] == [6]
    for node in ast.walk(functions["split_first_line"]):
        if isinstance(node, ast.Return):
            assert isinstance(node.value, ast.Call)
            assert isinstance(node.value.func, ast.Name)
            assert node.value.func.id == "first_line_metrics"


def test_the_layout_context_has_the_state_of_figure_placement() -> None:
    context = LayoutContext(None, print, None, None, None)
    assert sorted(vars(context)) == sorted(CONTEXT.replace("*", "").split())


def test_pango_lets_spaces_at_the_end_of_a_line_hang() -> None:
    from weasyprint.text.ffi import pango

    assert pango.pango_version() >= 15000, "older versions may break lines before a last space"


@pytest.mark.parametrize(
    ("page", "theme"),
    [
        ("arabic", "article"),
        ("chinese", "newspaper"),
        ("essay-notes", "compact"),
        ("formulas", "manuscript"),
        ("hindi", "large-print"),
        ("thai", "ereader"),
    ],
)
def test_the_patches_that_save_time_change_nothing(
    monkeypatch: pytest.MonkeyPatch, page: str, theme: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = (ROOT / "tests" / "pages" / page / "source.html").read_bytes()
    article = extract(source, "https://example.org/")
    document = render_html([article], {}, PrintOptions(theme=theme))
    fast = render_pdf(document).pdf
    monkeypatch.setattr(patches, "disabled", FASTER)
    assert render_pdf(document).pdf == fast


PLAIN = "one two three four five six seven eight"
MARKED = "one two three <a href='#'>four five</a> six <em>seven</em> eight"


def lines(markup: str, width: float, style: str = "") -> list[str]:
    source = f"<p style='width: {width}px; font: 16px DejaVu Sans Mono; {style}'>{markup}</p>"
    page: Any = HTML(string=source).render().pages[0]._page_box
    return [
        "".join(getattr(box, "text", "") for box in line.descendants()).strip()
        for line in page.descendants()
        if type(line).__name__ == "LineBox" and line.children
    ]


def test_words_in_links_break_where_they_would_break_without() -> None:
    with patched():
        for width in range(60, 400, 1 if THOROUGH else 7):
            assert lines(MARKED, width) == lines(PLAIN, width), f"in a width of {width} pixels"


def test_documents_of_other_programs_are_laid_out_as_without_patches() -> None:
    from weasyprint.text.ffi import pango

    with patched():
        assert lines(MARKED, 130) == lines(PLAIN, 130)
    # Newer versions of Pango break such lines well by themselves.
    assert (lines(MARKED, 130) != lines(PLAIN, 130)) == (pango.pango_version() < 15200)


def test_white_space_that_is_preserved_does_not_hang() -> None:
    with patched():
        for style in ("white-space: pre", "white-space: pre-wrap"):
            for width in range(90, 200, 10):
                assert "".join(lines(MARKED, width, style)).split()[0] == "one"


def test_lines_of_chinese_end_flush_on_the_right() -> None:
    style = "width: 315px; font: 20px Noto Serif CJK SC; text-align: justify"
    source = f"<p lang=zh style='{style}'>{'河水从山脊下流出，慢慢穿过草地。' * 6}<em>再见</em></p>"
    with patched():
        page: Any = HTML(string=source).render().pages[0]._page_box
    edges = [
        max(box.position_x + box.width for box in line.descendants() if hasattr(box, "text"))
        for line in page.descendants()
        if type(line).__name__ == "LineBox" and line.children
    ]
    left = page.content_box_x() + 8
    assert len(edges) > 5
    assert edges[:-1] == pytest.approx([left + 315] * (len(edges) - 1), abs=0.5)
    assert edges[-1] < left + 314


def test_chinese_is_spaced_around_words_and_numbers_but_not_inside() -> None:
    text = "磨坊的水轮由Waterwheels公司在一八零零年制造，直径12345毫米，至今仍在转动。"
    drawn = {}
    for align in ("start", "justify"):
        style = f"width: 341px; font: 20px Noto Serif CJK SC; text-align: {align}"
        with patched():
            pdf = HTML(string=f"<p lang=zh style='{style}'>{text * 3}").write_pdf()
        document = pypdfium2.PdfDocument(pdf)
        page = document[0].get_textpage()
        signs = page.get_text_range()
        drawn[align] = [
            (signs[at], page.get_charbox(at, loose=True)) for at in range(page.count_chars())
        ]
        document.close()
    gaps = defaultdict(list)
    for (one, a), (two, b), (_, c), (_, d) in zip(
        drawn["start"], drawn["start"][1:], drawn["justify"], drawn["justify"][1:], strict=False
    ):
        if abs(a[1] - b[1]) < 1 and abs(c[1] - d[1]) < 1:
            gaps[one.isascii(), two.isascii()].append((d[0] - c[0]) - (b[0] - a[0]))
    assert len(gaps) == 4
    assert max(map(abs, gaps.pop((True, True)))) < 0.02
    assert all(max(found) > 0.1 for found in gaps.values())


def test_spaced_chinese_is_read_back_without_spaces() -> None:
    text = "磨坊的水轮由匠人制造直径五米Waterwheels公司"
    style = "width: 316px; font: 20px Noto Serif CJK SC; text-align: justify"
    with patched():
        pdf = HTML(string=f"<p lang=zh style='{style}'>{text}").write_pdf()
    document = pypdfium2.PdfDocument(pdf)
    first, *_ = document[0].get_textpage().get_text_range().splitlines()
    document.close()
    assert first == text[:14]


def justified(text: str, width: int) -> list[Any]:
    """Return the text boxes of the lines of a justified paragraph of so many pixels."""
    style = f"width: {width}px; font: 16px Noto Serif; text-align: justify"
    with patched():
        page: Any = HTML(string=f"<p style='{style}'>{text}").render().pages[0]._page_box
    return [line.children[0] for line in page.descendants() if type(line).__name__ == "LineBox"]


def test_letters_take_up_the_width_of_a_line_of_few_words() -> None:
    first, *_ = justified("two straightforwardly unrepresentative words", 181)
    assert first.text == "two straightforwardly"
    assert first.style["letter_spacing"] == pytest.approx(16 * MAX_LETTER_SPACING_EM)
    assert first.width == pytest.approx(181, abs=0.5)
    joined, *_ = justified("هذا النص طويل جدا ويمتد على سطور عديدة في هذه الصفحة", 240)
    assert joined.style["letter_spacing"] == "normal"


def test_a_line_is_left_short_where_its_words_would_stand_far_apart() -> None:
    first, *_ = justified("two straightforwardly unrepresentative words", 240)
    assert first.text == "two straightforwardly"
    assert 165 < first.width < 175
    assert first.style["letter_spacing"] == "normal"
    assert not getattr(first, "justification_spacing", 0)


def front_matter(language: str) -> bytes:
    names = ("The mill", "What the river took and what it left behind, as told by those " * 2, "A")
    articles = [
        replace(SAMPLE_ARTICLE, title=name, blocks=(paragraph("It rose."),), language=language)
        for name in names
    ]
    context = RenderContext.of(articles, PrintOptions())
    entries = [context.view(*pair) for pair in enumerate(articles)]
    return render_pdf(
        build_front_matter(context, [replace(e, page=7 * n) for n, e in enumerate(entries)])
    ).pdf


@pytest.mark.parametrize("language", ["en", "ar"])
def test_leaders_are_one_text_that_looks_like_their_dots(
    monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    joined = front_matter(language)
    with monkeypatch.context() as patch:
        patch.setattr(patches, "LEADER_TOLERANCE_PX", -1.0)
        separate = front_matter(language)
    drawn = []
    for pdf in (joined, separate):
        document = pypdfium2.PdfDocument(pdf)
        try:
            drawn.append(document[0].render(scale=2).to_numpy()[..., :3].mean(axis=2))
        finally:
            document.close()
    assert len(joined) < len(separate)
    assert drawn[0].min() < 128
    assert np.abs(drawn[0] - drawn[1]).mean() < 0.05


STYLE = """
    @counter-style stars { system: cyclic; symbols: "*"; suffix: "! " }
    @page { size: 200pt 150pt; margin: 10pt; @bottom-left { content: "page " counter(page) } }
    li { list-style: stars; color: var(--ink) } :root { --ink: #123 }
"""


def test_a_style_sheet_that_was_parsed_before_gives_the_same_pages() -> None:
    one, other = (
        Document(f"<html lang=en><title>{title}</title><style>{STYLE}</style><ol><li>{title}</ol>")
        for title in ("One", "Another")
    )
    _parse_style_sheet.cache_clear()
    first = render_pdf(one)
    render_pdf(other)
    assert _parse_style_sheet.cache_info().hits == 1
    again = render_pdf(one)
    _parse_style_sheet.cache_clear()

    assert first.pdf == again.pdf
    text = pypdfium2.PdfDocument(again.pdf)[0].get_textpage().get_text_range()
    assert "*! One" in text
    assert "page 1" in text


def test_each_document_warns_of_a_faulty_style_sheet() -> None:
    faulty = Document("<html lang=en><title>-</title><style>p { margin: blue }</style><p>Words")
    assert render_pdf(faulty).warnings == render_pdf(faulty).warnings != ()


@pytest.mark.parametrize("rule", ["@font-face { font-family: x }", "@layer x;", "@\\66ont-face {}"])
def test_a_style_sheet_with_effects_on_its_document_is_parsed_for_each(rule: str) -> None:
    _parse_style_sheet.cache_clear()
    render_pdf(Document(f"<html lang=en><title>-</title><style>{rule}</style><p>Words"))
    assert _parse_style_sheet.cache_info().currsize == 0


def count_divided_pages(document: Document) -> int:
    with patched():
        pages = HTML(string=document.html).render().pages
    boxes = ([*page._page_box.children[0].descendants()] for page in pages)
    lines = ([box for box in page if type(box).__name__ == "LineBox"] for page in boxes)
    return sum(patches._is_divided(page[-1]) for page in lines)


def test_no_word_is_divided_between_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("a", "the", "transportation", "and", "consideration", "of", "by", "to")
    text = " ".join(Random(1).choices(words, k=3500))
    article = replace(SAMPLE_ARTICLE, blocks=(paragraph(text),), language="en")
    document = render_html([article], {}, PrintOptions())

    assert count_divided_pages(document) == 0
    monkeypatch.setattr(patches, "disabled", {patches.avoid_divided_words})
    assert count_divided_pages(document) > 0


def test_a_word_is_not_divided_after_two_lines_that_cannot_be_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("a", "the", "transportation", "and", "consideration", "of", "by", "to")
    random = Random(1)
    texts = [" ".join(random.choices(words, k=random.choice((20, 26, 30)))) for _ in range(120)]
    article = replace(SAMPLE_ARTICLE, blocks=tuple(map(paragraph, texts)), language="en")
    document = render_html([article], {}, PrintOptions())

    assert count_divided_pages(document) == 0
    monkeypatch.setattr(patches, "_set_undivided", lambda *_: None)
    assert count_divided_pages(document) > 0


def narrow_pages_with_long_words() -> Document:
    random = Random(1)
    words = ("a", "the", "and", "of", "by", "to", "in", "internationalization")
    texts = [" ".join(random.choices(words, k=random.choice((26, 30, 36)))) for _ in range(60)]
    article = replace(SAMPLE_ARTICLE, blocks=tuple(map(paragraph, texts)), language="en")
    return render_html([article], {}, PrintOptions(paper="100mmx150mm"))


def test_the_lines_above_share_the_space_of_a_word_kept_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = narrow_pages_with_long_words()
    divided = count_divided_pages(document)
    monkeypatch.setattr(patches, "undivided_word", lambda *_: nullcontext(False))
    assert count_divided_pages(document) > divided


def test_a_word_stays_divided_between_pages_where_its_line_would_be_left_short() -> None:
    document = narrow_pages_with_long_words()
    with patched():
        pages = HTML(string=document.html).render().pages
    boxes = ([*page._page_box.children[0].descendants()] for page in pages)
    feet = [[box for box in page if type(box).__name__ == "LineBox"][-1] for page in boxes]
    assert not any(hasattr(line, patches._LEFT_SHORT) for line in feet)
    assert any(map(patches._is_divided, feet))


@pytest.mark.parametrize("before", range(100, 190, 15))
def test_a_floating_picture_is_not_parted_from_its_caption(before: int) -> None:
    source = f"""<style>@page {{ size: 400px 300px; margin: 20px }} figure {{ float: right;
        break-inside: avoid; margin: 0 }} figcaption {{ break-before: avoid }}</style>
        <div style="height: {before}px"></div><figure><div style="width: 90px; height: 80px">
        </div><figcaption>Below</figcaption></figure>{"<p>Words beside it." * 9}"""
    with patched():
        pages = HTML(string=source).render().pages
    with_figure = [
        page
        for page in pages
        if any(box.element_tag in ("figure", "figcaption") for box in page._page_box.descendants())
    ]
    assert len(with_figure) == 1


def test_notes_of_columns_are_reported_until_none_is_left() -> None:
    area = SimpleNamespace(margin_height=lambda: 10)
    notes, reported = ["one", "two"], list[str]()
    context = SimpleNamespace(
        current_footnote_area=area,
        current_page_footnotes=notes,
        reported_footnotes=reported,
        report_footnote=lambda note: reported.append(notes.pop(notes.index(note))),
    )
    with patched():
        column._report_footnotes(context, 0)
    assert reported == ["one", "two"]
    assert not notes


def test_layouts_of_lines_free_their_memory() -> None:
    from weasyprint.text.line_break import create_layout

    page = HTML(string="<p style='font-variant-numeric: oldstyle-nums'>1871").render().pages[0]
    style = next(b for b in page._page_box.descendants() if b.element_tag == "p").style

    def lay_out(count: int) -> None:
        with patched():
            for _ in range(count):
                create_layout("1871", style, None, None, 0)

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    lay_out(5_000)
    before = resident()
    lay_out(40_000)
    assert resident() - before < 2_000_000
