"""Formulas on paper: drawn on the baseline, with alternative text; hostile ones are stopped."""

from __future__ import annotations

import os
import re
import signal
import time
from dataclasses import replace

import pikepdf
import pytest
from lxml import html as lxml_html

from printer.article import Article, Math, Span
from printer.render.math import formula_text, typeset_formula, typeset_formulas
from printer.worker_process import WorkerProcess
from tests.support.documents import html_page, render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, paragraph

HALF = "<math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>"

# The face's loader uses a name that Python has given up.
pytestmark = pytest.mark.filterwarnings("ignore:path is deprecated:DeprecationWarning")


def article(*blocks: object) -> Article:
    return replace(SAMPLE_ARTICLE, blocks=blocks)  # type: ignore[arg-type]


def formula(source: str, text: str = "") -> Span:
    return Span(text or source, math=source)


@pytest.mark.parametrize(
    "source",
    [
        r"\frac{-b \pm \sqrt{b^2-4ac}}{2a}",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
        r"\begin{align} a &= b \\ c &= d \end{align}",
        r"f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        r"\sum_{i=0}^\infty \int_0^1 \mathbb{R} \mathcal{L} \hat{x} \vec{v} \overline{ab}",
        r"\left( \frac{a}{b} \right) \operatorname{sin} \alpha \leq \binom{n}{k}",
        HALF,
    ],
)
def test_a_formula_is_drawn(source: str) -> None:
    for display in (True, False):
        outcome = typeset_formula(source, display)
        assert outcome is not None
        svg, width, height, depth = outcome
        assert svg.startswith("<svg")
        assert 0 < depth < height
        assert width > 0.5


def test_a_displayed_formula_is_larger_than_one_in_the_text() -> None:
    displayed, inline = (
        typeset_formula(r"\frac{a}{b}", True),
        typeset_formula(r"\frac{a}{b}", False),
    )
    assert displayed
    assert inline
    assert displayed[2] > 1.3 * inline[2]


def test_brackets_are_as_high_as_the_sum_inside_them() -> None:
    limits = "<munderover><mo>∑</mo><mi>k</mi><mi>n</mi></munderover>"
    heights = []
    for row in (limits, f"<mrow><mo>(</mo>{limits}<mi>a</mi><mo>)</mo></mrow>"):
        drawn = typeset_formula(f"<math>{row}</math>", True)
        assert drawn
        heights.append(drawn[2])
    assert heights[1] > heights[0]


def test_an_exponent_is_not_moved_into_its_base() -> None:
    drawn = [
        typeset_formula(f"<math><msup><mi>x</mi><mrow>{space}<mn>2</mn></mrow></msup></math>", True)
        for space in ("", "<mspace width='negativethinmathspace'/>" * 2)
    ]
    assert drawn[0] == drawn[1]


def test_lines_of_a_formula_are_not_numbered_anew() -> None:
    numbered, plain = (
        typeset_formula(rf"\begin{{align{s}}} a &= b \end{{align{s}}}", True) for s in ("", "*")
    )
    assert numbered == plain


@pytest.mark.parametrize(
    "source", [r"\unknown{x}", r"\input{/etc/passwd}", r"\write18{id}", "x^", r"\frac", ""]
)
def test_formulas_that_cannot_be_drawn_are_skipped(source: str) -> None:
    assert typeset_formulas([article(Math(source))]) == {}


HOSTILE = [
    "{" * 60 + "x" + "}" * 60,
    r"\sqrt{" * 40 + "x" + "}" * 40,
    r"\def\a{\a\a}\a",
    r"\def\a{xxxxxxxx}\def\b{\a\a\a\a\a\a}\def\c{\b\b\b\b\b\b}\def\d{\c\c\c\c\c\c}\d\d\d\d\d",
    "x^{" * 40 + "y" + "}" * 40,
    r"\left(" * 60 + "x" + r"\right)" * 60,
    "<math><mo stretchy='true' minsize='999999999'>(</mo></math>",
    "<math><mi>x</mi><mspace width='99999999em'/></math>",
    "<math>" + "<mrow><mi>a</mi>" * 150 + "</mrow>" * 150 + "</math>",
    "a" * 8000,
    "a" * 9000,
    "<math><!DOCTYPE",
    "<!DOCTYPE a [<!ENTITY b 'x'>]><math>&b;</math>",
]


def test_hostile_formulas_are_stopped_and_the_others_drawn(printed) -> None:
    began = time.process_time()
    found = typeset_formulas([article(*map(Math, HOSTILE), Math("x^2"))])
    assert time.process_time() - began < 26
    for (source, _), formula in found.items():
        assert formula.width < 120, source[:40]
        assert formula.height < 60, source[:40]


def test_bombs_do_not_keep_the_formulas_before_them_from_being_drawn() -> None:
    bombs = [Math("{" * (40 + n) + "x^{a^{b^{c}}}" * 9 + "}" * (40 + n)) for n in range(15)]
    assert ("x^2", True) in typeset_formulas([article(Math("x^2"), *bombs)])


@pytest.mark.parametrize(
    ("source", "read"),
    [
        (HALF, "x = 1/2"),
        (r"\frac{1}{2}", r"\frac{1}{2}"),
        (
            "<math><msup><mi>x</mi><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow></msup></math>",
            "x^(a + 1)",
        ),
        ("<math><msqrt><mn>2</mn></msqrt></math>", "√2"),
        ("<math><msubsup><mo>∑</mo><mn>0</mn><mi>n</mi></msubsup><mi>i</mi></math>", "∑_0^ni"),
        (
            "<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></math>",
            "[1, 2]",
        ),
        ("<math broken", "as it reads"),
    ],
)
def test_a_formula_reads_as_a_line_of_text(source: str, read: str) -> None:
    assert formula_text(source, "as it reads") == read


def test_a_formula_is_a_picture_with_its_reading_on_the_baseline(printed) -> None:
    text = article(paragraph("Let ", formula(HALF, "x=12"), " be the half."), Math("x^2", "x^2"))
    images = lxml_html.fromstring(render_html([text], {}).html).xpath("//img[@class='math']")
    assert [image.get("alt") for image in images] == ["x = 1/2", "x^2"]
    assert re.search(r"vertical-align:-0\.\d+em", images[0].get("style"))
    paper = printed(text)
    kinds = [
        str(o.Alt)
        for o in paper.pdf.objects
        if isinstance(o, pikepdf.Dictionary) and o.get("/Type") == "/StructElem" and "/Alt" in o
    ]
    assert kinds == ["x = 1/2", "x^2"]
    assert "Let be the half." in " ".join(paper.text.split())


def test_a_formula_that_cannot_be_drawn_prints_as_text(printed) -> None:
    assert r"\unknown{x}" in printed(article(Math(r"\unknown{x}", r"\unknown{x}"))).text


def test_a_process_that_is_killed_is_replaced(monkeypatch) -> None:
    submit, killed = WorkerProcess.submit, []

    def submit_and_kill(worker, *args, **kwargs):
        submit(worker, *args, **kwargs)
        if not killed:
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    monkeypatch.setattr(WorkerProcess, "submit", submit_and_kill)
    article = Article("A", (Math("x^2", "x^2"), Math("y^3", "y^3")))
    assert len(typeset_formulas([article])) == 2
    assert killed


def test_warnings_of_libraries_are_not_printed(capfd) -> None:
    odd = "<math><semantics><mi>x</mi><annotation>x</annotation></semantics></math>"
    typeset_formulas([Article("A", (Math(odd, "x"),))])
    assert capfd.readouterr().err == ""


def test_no_process_is_started_for_a_page_without_formulas(monkeypatch) -> None:
    monkeypatch.setattr("printer.render.math._typeset", None)
    assert typeset_formulas([article(paragraph("x"))]) == {}


def test_a_reading_holds_no_markup() -> None:
    assert "<b>" not in html_page(article(Math("<b>x", "<b>x")))
