from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from printer.article import Article, Code, Figure, Math, Note, Paragraph, Quote, Span, Table
from printer.export import export_articles
from printer.export.markdown import to_markdown
from tests.support.sample_articles import SAMPLE_ARTICLE, cells, heading, items, paragraph

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read(article: Article) -> lxml_html.HtmlElement:
    """Read an article's Markdown as a reader of Markdown would."""
    return lxml_html.fromstring(f"<div>{READER.render(to_markdown(article))}</div>")


def test_the_sample_article_parses_as_markdown() -> None:
    tree = read(SAMPLE_ARTICLE)
    assert tree.xpath("string(//h1)") == SAMPLE_ARTICLE.title
    assert tree.xpath("//h2/text()") == ["What was decided", "Accounts"]
    assert tree.xpath("//img/@src") == [figure.src for figure in SAMPLE_ARTICLE.figures]
    assert tree.xpath("//table/tbody/tr[1]/td/text()")[1:] == ["1811", "184.10", "The parish"]
    assert tree.xpath("//pre/code/@class") == ["language-python"]
    assert tree.xpath("//pre/code")[0].text_content().rstrip() == next(
        block.text for block in SAMPLE_ARTICLE.blocks if isinstance(block, Code)
    )
    assert tree.xpath("//ol/@start") == ["9"]
    assert tree.xpath("count(//ul/li)") >= 3
    assert "[^n1]: The name is older" in to_markdown(SAMPLE_ARTICLE)
    assert "family.[^n1]" in to_markdown(SAMPLE_ARTICLE)


def test_notes_of_several_articles_keep_their_own_text() -> None:
    def article(number: int) -> Article:
        call = paragraph("A line.", Span("1", note="n"))
        return Article(f"{number}", (call, Note("n", "1", (paragraph(f"Note of {number}."),))))

    markdown = to_markdown(article(1), article(2))
    for number in (1, 2):
        assert f"A line.[^{number}-n]" in markdown
        assert f"[^{number}-n]: Note of {number}." in markdown
    data, report = export_articles([article(1), article(2)], "markdown", {})
    assert data.decode() == markdown
    assert report.complete


def test_breaks_within_words_stay_where_a_script_has_no_others() -> None:
    markdown = to_markdown(Article("T", (paragraph("ខ្ញុំ\u200bញ៉ាំ and retry_\u200bafter"),)))
    assert markdown.endswith("ខ្ញុំ\u200bញ៉ាំ and retry\\_after\n")


def test_who_is_quoted_stands_above_or_below() -> None:
    above = to_markdown(Article("T", (Quote((paragraph("Yes."),), (Span("Ann wrote:"),)),)))
    assert above.endswith("> Ann wrote:\n>\n> Yes.\n")
    box = Quote((paragraph("Wait."),), (Span("Note"),), box=True)
    assert "> **Note**\n>\n> Wait." in to_markdown(Article("T", (box,)))
    below = to_markdown(Article("T", (Quote((paragraph("Yes."),), (Span("Ann"),)),)))
    assert below.endswith("> Yes.\n>\n> — Ann\n")


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=40)
)
def test_any_text_reads_as_itself(text: str) -> None:
    tree = read(Article("T", (paragraph(text), paragraph("a ", text, " b"))))
    texts = [p.text_content() for p in tree.xpath("//p")]
    assert texts == [text, f"a {text} b"]


def test_the_beginnings_of_lines_are_no_markup() -> None:
    lines = ["# not a heading", "- not a list", "+ nor this", "12. nor this", "3) nor this", "> no quote", "---", "===", "    no code", "```", "| a |", "<b>no</b>", "&amp; as it stands"]  # fmt: skip
    tree = read(Article("T", tuple(paragraph(line) for line in lines)))
    assert [p.text_content() for p in tree.xpath("//p")] == [line.strip() for line in lines]


def test_emphasis_keeps_its_blanks_outside() -> None:
    block = paragraph(
        "a", Span(" b ", ("em",)), "c ", Span("d*e", ("strong",)), " ", Span("x`y", ("code",))
    )
    tree = read(Article("T", (block,)))
    assert tree.xpath("//em/text()") == ["b"]
    assert tree.xpath("//strong/text()") == ["d*e"]
    assert tree.xpath("//code/text()") == ["x`y"]


def test_only_safe_addresses_are_linked() -> None:
    block = paragraph(
        Span("bad", href="javascript:alert(1)"), " ", Span("good", href="https://example.org/a (b)")
    )
    tree = read(Article("T", (block, Figure("javascript:x", alt="no"))))
    assert tree.xpath("//a/@href") == ["https://example.org/a%28b%29"]
    assert not tree.xpath("//img")


def test_nested_blocks_stay_inside() -> None:
    table = Table((cells("A|B", "C", header=True),), (cells("1", "2"),))
    quote = Quote((paragraph("one"), Code("two\n\nthree"), items("four", "five")))
    tree = read(
        Article(
            "T", (quote, table, items((paragraph("six"), Code("seven")), "eight"), heading("End"))
        )
    )
    assert tree.xpath("//blockquote/pre")[0].text_content() == "two\n\nthree\n"
    assert tree.xpath("//blockquote/ul/li/text()") == ["four", "five"]
    assert tree.xpath("//th/text()") == ["A|B", "C"]
    assert tree.xpath("//li/pre")[0].text_content() == "seven\n"
    assert tree.xpath("//h2/text()") == ["End"]


def test_notes_hold_blocks() -> None:
    note = Note("n", "1", (paragraph("first"), Paragraph((Span("second"),))))
    text = to_markdown(Article("T", (paragraph("x", Span("1", note="n")), note)))
    assert text.endswith("x[^n]\n\n[^n]: first\n\n    second\n")


def test_text_that_looks_like_a_call_of_a_note_is_not_missed() -> None:
    article = Article(title="Moss", blocks=(paragraph("It grows, as [^1]: says, on roofs."),))
    assert not export_articles([article], "markdown", {})[1].missing_text


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}", r"\style{background:url(//a.example)}{x}", r"\bbox[red]{x}",
        r"\mmlToken{mi}[href=javascript:alert(1)]{x}", r"\texttip{x}{y}", r"\data{a=b}{x}",
        r"\htmlData{a=b}{x}", r"\color{red}{x}", r"\RequirePackage{x}", r"\font\a=/etc/x",
        r"\input{/etc/passwd}", r"\InputIfFileExists{/etc/passwd}{}{}", r"\VerbatimInput{/etc/passwd}",
        r"\lstinputlisting{/etc/passwd}", r"\includegraphics{/etc/passwd}", r"\includepdf{/etc/a.pdf}",
        r"\pdffiledump offset 0 length 99 {/etc/passwd}", r"\pdfximage{/etc/passwd.pdf}",
        r"\immediate\write18{id}", r"\latelua{os.execute('id')}", r"\def\x{\x}\x",
        r"\csname hr\expandafter\endcsname ef", r"\scantokens{\string\hr ef}", r"\sum@href x",
        r"\^^68ref{javascript:alert(1)}{x}", r"\in^^0ut{/etc/passwd}", r"^^5chref{javascript:alert(1)}{x}",
        r"\begin{filecontents}{a}x\end{filecontents}", r"\begin {input}{/etc/passwd}", r"\end{input}",
        r"\begin\text{x}",
    ],
)  # fmt: skip
def test_formulas_only_typeset(tex: str) -> None:
    article = Article("T", (paragraph("Let ", Span(tex, math=tex)), Math(tex)))
    markdown = to_markdown(article)
    assert "$" not in markdown
    assert read(article).text_content().count(tex) == 2


def test_a_command_with_an_unprintable_character_is_no_formula() -> None:
    hidden = "\\hr\x08ef{javascript:alert(1)}{x}"
    assert "$" not in to_markdown(Article("T", (Math(hidden),)))


@pytest.mark.parametrize(
    "tex",
    [
        r"\left( \frac{-b \pm \sqrt{b^2 - 4ac}}{2a} \right) \,", "x^^2", r"\mathbb R^n \to \mathbb{C}",
        r"\begin{cases} 1 & \text{if } x \le 0 \\ 0 & \text{else} \end{cases}",
        r"\begin{align*} \hat{x} &= \operatorname*{arg\,max}_x \sum_{i=1}^n \log p \end{align*}",
        r"\overset{!}{=} \quad {\rm d}x \otimes \boldsymbol\lambda \Big| \ce{H2O} \tag{1} \label{a}",
    ],
)  # fmt: skip
def test_usual_formulas_are_tex(tex: str) -> None:
    assert to_markdown(Article("T", (Math(tex),))).endswith(f"$$\n{tex}\n$$\n")


@pytest.mark.parametrize(
    ("tex", "written"),
    [
        (r"a\\href{javascript:alert(1)}{x}", r"a\\ href{javascript:alert(1)}{x}"),
        ("&#92;href{javascript:alert(1)}{x}", "& #92;href{javascript:alert(1)}{x}"),
        (r"\in&#112ut{a}", r"\in& #112ut{a}"),
        (r"\in&bsol;ut", r"\in& bsol;ut"),
        (r"a&b\\\alpha", r"a&b\\\alpha"),
        ("x\\ ", "x"),
        (r"a\\", r"a\\"),
    ],
)
def test_markdown_makes_no_command_of_a_formula(tex: str, written: str) -> None:
    assert to_markdown(Article("T", (Math(tex),))).endswith(f"$$\n{written}\n$$\n")
