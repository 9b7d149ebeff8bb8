from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import UsageError
from printer.options import PrintOptions
from printer.themes.page import page_geometry


@pytest.mark.parametrize(
    ("paper", "size"),
    [("A4", (210, 297)), ("a5", (148, 210)), ("Letter", (215.9, 279.4)), ("LEGAL", (215.9, 355.6)),
     ("148mmx210mm", (148, 210)), ("148x210mm", (148, 210)), ("6in×9in", (152.4, 228.6)), ("10cm x 15cm", (100, 150))],
)  # fmt: skip
def test_papers(paper: str, size: tuple[float, float]) -> None:
    page = page_geometry(PrintOptions(paper=paper))
    assert (page.width, page.height) == pytest.approx(size)


def test_lines_stay_readable_on_large_paper() -> None:
    a4, a3 = page_geometry(PrintOptions()), page_geometry(PrintOptions(paper="A3"))
    assert a3.text_width == pytest.approx(a4.text_width)
    assert page_geometry(PrintOptions(paper="A6")).text_width > 75


def test_margins_and_sizes() -> None:
    assert page_geometry(PrintOptions(margin="20mm")).margins == (20, 20, 20, 20)
    assert page_geometry(PrintOptions(margin="10mm 2cm")).margins == (10, 20, 10, 20)
    assert page_geometry(PrintOptions(margin="0")).text_width == 210
    assert page_geometry(PrintOptions(font_size="14px")).font_size == pytest.approx(10.5)


@pytest.mark.parametrize(
    "options",
    [
        {"paper": "A4; } body { display: none"}, {"paper": "A99"}, {"paper": "1mmx1mm"}, {"paper": "9999mmx9999mm"},
        {"paper": "x"}, {"paper": " "}, {"paper": "1e3mmx1e3mm"}, {"paper": "nanmmxnanmm"}, {"paper": "-210mmx-297mm"},
        {"margin": "20"}, {"margin": "-5mm"}, {"margin": "200mm"}, {"margin": "1mm 2mm 3mm 4mm 5mm"},
        {"margin": "url(file:///etc/passwd)"}, {"margin": "20mm}"}, {"font_size": "0pt"}, {"font_size": "900pt"},
        {"font_size": "large"}, {"font_size": "12pt;"}, {"font_size": "١٢pt"}, {"theme": "../article"}, {"theme": "nosuch"},
    ],
)  # fmt: skip
def test_nonsense_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        page_geometry(PrintOptions(**options))
    assert len(str(caught.value)) < 300


def test_an_unknown_theme_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="article"):
        page_geometry(PrintOptions(theme="artcle"))


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_read_or_refused(paper: str, margin: str, size: str) -> None:
    for options in ({"paper": paper}, {"margin": margin}, {"font_size": size}):
        try:
            page = page_geometry(PrintOptions(**options))
        except UsageError:
            continue
        assert page.text_width > 0
        assert 5 <= page.font_size <= 48
