"""TeX in the text of a page, and formulas in scripts and pictures."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer import extract
from printer.article import Math, Paragraph, plain_text, walk
from printer.compose.cleanup import clean_up
from tests.support.compose_html import compose_article

MATHJAX = "<script src='/mathjax/tex-chtml.js'></script>"
SINGLE = "<script>MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}}</script>"


def formulas(html: str) -> list[tuple[str, bool]]:
    """The formulas of a page: source, and whether each is displayed."""
    found = []
    for block in walk(compose_article(html).blocks):
        if isinstance(block, Math):
            found.append((block.source, True))
        elif isinstance(block, Paragraph):
            found += [(span.math, False) for span in block.spans if span.math]
    return found


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (r"<p>Let \(x^2\) be.", [("x^2", False)]),
        (r"<p>So \[x^2 \in \mathbb{R}\] holds.", [(r"x^2 \in \mathbb{R}", True)]),
        (r"<ul><li>Here \(a\)<li>b</ul>", [("a", False)]),
        (r"<table><tr><th>a<th>b<tr><td>\(c\)<td>d</table>", [("c", False)]),
        (MATHJAX + "<p>So $$a_1$$ and it costs $5 or $6 now.", [("a_1", True)]),
        (SINGLE + "<p>Here $x$ and $y+1$, for $5 only.", [("x", False), ("y+1", False)]),
        ("<p>It costs $5 or $6 now, $$ saved.", []),
        (r"<p><code>\(x\)</code> is how it is written.", []),
        (r"<pre>\(x\)</pre><p>is how it is written.", []),
        (r"<p>Only begun \(x and never ended.", []),
    ],
)
def test_tex_in_the_text(html: str, found: list[tuple[str, bool]]) -> None:
    assert formulas(html) == found


def test_the_text_around_a_formula_stays() -> None:
    article = compose_article(r"<p id=a>One \[x\] two \(y\) three.")
    assert [plain_text(b.spans) if isinstance(b, Paragraph) else b.source for b in article.blocks] == [
        "One", "x", "two y three.",
    ]  # fmt: skip


def test_mathml_loses_its_indentation_but_no_space_that_is_text() -> None:
    sign, text = "<mi>\n        x\n</mi>\n\n", "<mtext>\n    &nbsp;for\n all\n</mtext>"
    [(source, _)] = formulas(f"<p>Let <math><mrow>\n  {sign}{text}</mrow></math> be.")
    assert source == "<math><mrow><mi>x</mi> <mtext>\xa0for all</mtext></mrow></math>"


def test_a_formula_alone_in_its_paragraph_is_displayed() -> None:
    blocks = compose_article(r"<p>Let<p><math><mi>x</mi></math><p>or \(y\) be.").blocks
    kinds = [type(block) for block in clean_up(blocks, "", {}, linked=False)]
    assert kinds == [Paragraph, Math, Paragraph]


def test_mathjax_2_leaves_its_source_beside_its_glyphs() -> None:
    glyphs = "<span class='MathJax' id='m-1-Frame'><nobr>xx==11</nobr></span>"
    script = "<script type='math/tex'>x=1</script>"
    assert formulas(f"<p>Let {glyphs}{script} be.") == [("x=1", False)]
    source = "<span class='MathJax_SVG' data-mathml='<math><mi>x</mi></math>'><svg></svg></span>"
    assert formulas(f"<p>Let {source}{script} be.") == [("<math><mi>x</mi></math>", False)]


def test_pictures_of_formulas() -> None:
    visible = (
        "<img class='mwe-math-fallback-image-display' src='/math/a.svg' alt='{\\displaystyle x^2}'>"
    )
    assert formulas(
        f"<p>Then</p><div>{visible}</div><p>and <img class=latex src=/tex.png alt='a_1'>."
    ) == [
        ("x^2", True),
        ("a_1", False),
    ]


@pytest.mark.parametrize(
    ("image", "tex"),
    [
        (
            r"<img src=/a.svg alt='\operatorname{fn}(x) = \log(y)'>",
            r"\operatorname{fn}(x) = \log(y)",
        ),
        ("<img src=/svg.image?%5Cfrac%7Ba%7D%7Bb%7D>", r"\frac{a}{b}"),
        ("<img src='/chart?cht=tx&amp;chl=%5Calpha%2B%5Cbeta'>", r"\alpha+\beta"),
        ("<img src=/formula/%5Cfrac%7Bm%7D%7Bv%7D>", r"\frac{m}{v}"),
        ("<img class=latex src=/a.png alt=A>", "A"),
        ("<img src=/a.png alt='C:\\Users\\me'>", ""),
        ("<img class=latex src=/a.png alt='A glove of latex'>", ""),
        ("<img src='/files?path=C:%5CUsers%5Cme'>", ""),
    ],
)
def test_pictures_whose_text_or_address_is_tex(image: str, tex: str) -> None:
    assert formulas(f"<p>Let {image} be.") == ([(tex, False)] if tex else [])


def test_tex_in_an_attribute_replaces_the_glyphs_of_a_script() -> None:
    glyphs = "<span class=katex><span aria-hidden=true>b2a</span></span>"
    article = compose_article(rf"<p>Let <span data-math='\frac{{b^2}}{{a}}'>{glyphs}</span> be.")
    assert article.text == r"Let \frac{b^2}{a} be."


def test_a_picture_of_a_formula_takes_no_text_as_its_caption() -> None:
    image = r"<img src=/a.svg width=400 height=300 alt='x_{1} = \frac{a}{b}'>"
    text = "The tides of the harbour were noted by hand for years, and the clerk computed them so."
    page = f"<h1>Tides</h1><p>{text}</p><p>So {image} is the height of the tide.</p><p>{text} Yes."
    assert r"So x_{1} = \frac{a}{b} is the height of the tide." in extract(page).text


@given(st.text(alphabet="\\()[]$ ax\n", max_size=200))
def test_any_text_is_kept(text: str) -> None:
    article = compose_article(f"{SINGLE}<p>Begin {text} end")
    result = article.text
    assert result.startswith("Begin")
    assert result.count("a") == text.count("a")
    assert result.count("x") == text.count("x")


@pytest.mark.parametrize("piece", ["\\(", "\\[a", "$", "$$a", "\\(a\\)", "\\(\\a", "$a"])
def test_hostile_text_takes_little_time(piece: str) -> None:
    began = time.process_time()
    compose_article(f"{SINGLE}<p>Begin {piece * 30_000} end")
    assert time.process_time() - began < 5
