"""Each kind of block, in the various forms that pages use."""

from __future__ import annotations

import re
import time
from typing import TypeVar

import pytest

from printer.article import (
    Block,
    Code,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
    is_eyebrow,
    iter_spans,
    iter_text,
    plain_text,
    walk,
)
from printer.compose import compose
from printer.compose.block_builders import is_bold_line
from printer.compose.cleanup import clean_up
from printer.html.page import read_page
from printer.render.roles import is_code_title
from printer.selection import Verdict
from tests.support.compose_html import compose_article, first_spans, outline

LONG = "The ferry crosses the river at low tide and comes back at high tide. " * 2
B = TypeVar("B", bound=Block)


def only(html: str, kind: type[B]) -> B:
    """Return the one block of a kind."""
    (found,) = [block for block in walk(compose_article(html).blocks) if isinstance(block, kind)]
    return found


def test_headings_begin_at_2_and_skip_no_level() -> None:
    html = "<h3>a</h3>x<h6>b</h6>x<h4>c</h4>x<h2>d</h2>x<h5>e</h5>x"
    assert outline(html) == [(2, "a"), (3, "b"), (3, "c"), (2, "d"), (3, "e")]


def test_headings_within_lists_are_below_the_heading_above_them() -> None:
    entry = "<li><h5>{0}</h5><p>{0} is a dock by the sea</p>"
    html = f"<h3>a</h3><p>x<ul>{entry.format('b')}{entry.format('c')}</ul><h4>d</h4><p>x"
    headings = [
        (block.level, plain_text(block.spans))
        for block in walk(compose_article(html).blocks)
        if isinstance(block, Heading)
    ]
    assert headings == [(2, "a"), (3, "b"), (3, "c"), (3, "d")]
    quoted = only("<h2>a</h2><blockquote><p>x<h5>b</h5><p>y</blockquote>", Quote)
    assert [block.level for block in quoted.blocks if isinstance(block, Heading)] == [3]


@pytest.mark.parametrize("begin", ["<h3>", "<div role=heading aria-level=3>"])
def test_a_paragraph_marked_up_as_a_heading_is_a_paragraph(begin: str) -> None:
    end = "</h3>" if begin == "<h3>" else "</div>"
    text = " ".join(["The ferry goes at noon, and comes back before the tide turns."] * 4)
    blocks = compose_article(f"<p>above{begin}{text}{end}<h3>Times</h3><p>below").blocks
    assert [type(block) for block in blocks] == [Paragraph, Paragraph, Heading, Paragraph]
    assert "".join(iter_text(blocks[1])) == text


def test_a_heading_of_signs_is_a_rule() -> None:
    blocks = compose_article("<p>above<h2>___</h2><p>below").blocks
    assert [type(block) for block in blocks] == [Paragraph, Rule, Paragraph]
    assert outline("<h2>*</h2><p>x<h2>+</h2><p>y") == [(2, "*"), (2, "+")]


def test_a_heading_loses_the_link_to_itself() -> None:
    html = '<h2 id=x>How to <a class=headerlink href="#x">¶</a></h2><p>text'
    assert outline(html) == [(2, "How to")]
    leads_nowhere = '<h2>How to <a class=headerlink href="#gone">¶</a></h2><p>text'
    assert outline(leads_nowhere) == [(2, "How to")]


def test_role_heading_is_a_heading() -> None:
    assert outline("<div role=heading aria-level=2>a</div>x") == [(2, "a")]


def test_a_heading_with_nothing_beneath_it_at_the_end_is_left_out() -> None:
    assert outline("<h2>a</h2><p>x</p><h2>Related</h2>") == [(2, "a")]
    assert outline("<h2>a</h2><p>x</p><h2>Reviews (5)</h2><h3>What others say</h3>") == [(2, "a")]
    assert len(outline("<p>x</p><h2>Carrots</h2><h2>Peas</h2>")) == 2
    names = "<p>x</p><h2>a</h2><img src=a.png width=300 height=200><h2>b</h2>"
    assert outline(names) == [(2, "a"), (2, "b")]
    entries = "<h2>{0}</h2><h3>A town by the sea</h3>"
    assert len(outline("<p>x</p>" + entries.format("Marl") + entries.format("Nantmoor"))) == 4


def test_a_sentence_set_as_a_heading_at_the_end_closes_an_article() -> None:
    closing = "<h2>x</h2><p>y</p><h2>What do you think about it all?</h2>"
    blocks = compose_article(closing).blocks
    assert isinstance(blocks[-1], Paragraph)
    assert plain_text(blocks[-1].spans) == "What do you think about it all?"
    assert len(compose_article(closing.replace(" about it all?", "")).blocks) == 2
    read = compose_article("<p>y</p>").blocks
    heading = compose_article("<h2>What do you think about it all?</h2>x").blocks[0]
    assert len(clean_up((*read, *read, heading), "", {}, linked=False, kind="service")) == 3
    assert len(clean_up((*read, *read, heading), "", {}, linked=False, kind="product")) == 2


def test_names_of_other_products_at_the_end_are_left_out() -> None:
    names = compose_article("<h2>Oar</h2><p>x</p><p>y</p><h3>Boat</h3><h3>Sail</h3>").blocks
    assert len(clean_up(names, "", {}, linked=False, kind="collection")) == 5
    assert len(clean_up(names, "", {}, linked=False, kind="product")) == 3


@pytest.mark.parametrize(
    "html", ["<p>• a<p>b<p>• c", "<p>• a<p>■ b", "<p>– Yes?<p>– No.", "<p>•<p>x"]
)
def test_a_sign_at_the_beginning_of_a_line_is_no_bullet_by_itself(html: str) -> None:
    assert not any(isinstance(block, List) for block in compose_article(html).blocks)


def test_nested_lists() -> None:
    outer = only("<ol start=3 type=i><li>a<li><p>b<p>c</ol>", List)
    assert (outer.ordered, outer.start, outer.style) == (True, 3, "i")
    assert [len(item.blocks) for item in outer.items] == [1, 2]
    nested = compose_article("<ul><li>a<ul><li>b</ul><li>c</ul>").blocks[0]
    assert isinstance(nested, List)
    assert isinstance(nested.items[0].blocks[1], List)
    assert len(nested.items) == 2


def test_a_list_beside_its_item_belongs_to_it() -> None:
    block = compose_article("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>").blocks[0]
    assert isinstance(block, List)
    assert [len(item.blocks) for item in block.items] == [2, 1]


def test_an_item_that_is_only_a_list_belongs_to_the_item_above() -> None:
    html = "<ul><li>Boats:</li><li><ul><li>Skiff<li>Punt</ul></li><li>Oars:</li></ul>"
    block = compose_article(html).blocks[0]
    assert isinstance(block, List)
    assert [len(item.blocks) for item in block.items] == [2, 1]


def test_a_list_that_only_indents_another_adds_no_bullet() -> None:
    assert len(only("<ul><ul type=A><li>a<li>b</ul></ul>", List).items) == 2


def test_a_heading_alone_in_a_quotation_is_no_quotation() -> None:
    html = "<p>a</p><blockquote><h2>What Is Tide?</h2></blockquote><p>b</p>"
    assert [type(block) for block in clean_up(compose_article(html).blocks, "", {}, linked=False)] == [
        Paragraph, Heading, Paragraph,
    ]  # fmt: skip
    quoted = compose_article(html.replace("What Is Tide?", "“The tide waits for nobody.”")).blocks
    kinds = [type(block) for block in clean_up(quoted, "", {}, linked=False)]
    assert kinds == [Paragraph, Quote, Paragraph]


def test_a_heading_in_quotation_marks_alone_in_a_quotation_is_one_unless_it_repeats_the_text() -> (
    None
):
    line = "The gap was four metres wide on that day"
    html = f"<p>{line}, they say.</p><blockquote><h4>“{{}}.”</h4></blockquote><p>b</p>"
    for quoted, types in (
        (line, [Paragraph, Paragraph]),
        ("The weir has gone, and the path with it", [Paragraph, Quote, Paragraph]),
    ):
        found = clean_up(compose_article(html.format(quoted)).blocks, "", {}, linked=False)
        assert [type(block) for block in found] == types


def test_items_without_a_list_are_one() -> None:
    assert len(only("<div><li>a</li><li>b</li></div>", List).items) == 2
    numbered = only("<div><li>4. Oars.</li><li>5. Rope.</li><li>6. Sail.</li></div>", List)
    assert (numbered.ordered, numbered.start, len(numbered.items)) == (True, 4, 3)


def test_items_that_were_dropped_leave_no_bullet() -> None:
    article = compose_article("<ul><li>a<li>ADVERT<li>b</ul>", drop="ADVERT")
    (block,) = article.blocks
    assert isinstance(block, List)
    assert len(block.items) == 2


def test_definitions() -> None:
    block = only(
        "<dl><dt>t1</dt><dt>t2</dt><dd>d1</dd><dd>d2</dd><div><dt>t3<dd>d3</div></dl>",
        DefinitionList,
    )
    shape = [([plain_text(t) for t in e.terms], len(e.details)) for e in block.entries]
    assert shape == [(["t1", "t2"], 2), (["t3"], 1)]


def test_a_folded_part_does_not_repeat_its_title() -> None:
    details = "<img src=/oar.png><h2>Oars of ash</h2><h3>Blades</h3><p>They are long.</p>"
    block = only(f"<dl><dt><button>Oars of ash</button><dd>{details}</dl>", DefinitionList)
    assert [*iter_text(block)] == ["Oars of ash", "Blades", "They are long."]


def test_a_list_of_terms_with_as_many_descriptions_composes_in_linear_time() -> None:
    started = time.process_time()
    only(f"<dl>{'<dt>Oar</dt>' * 6_000}{'<dd>Long</dd>' * 6_000}</dl>", DefinitionList)
    assert time.process_time() - started < 4


def test_the_numbers_of_an_ordered_list_are_not_doubled() -> None:
    html = "<ol><li><p>#1</p><p>Oar</p><li><p>#2</p><p>Sail</p></ol>"
    assert [*iter_text(only(html, List))] == ["Oar", "Sail"]


def test_a_numbered_paragraph_below_a_list_is_no_item_of_it() -> None:
    for paragraph in ("<p>Step 1. Row out:</p>", "<p><b>1.</b> Row out:</p>"):
        html = f"{paragraph}<ol><li>Slowly.</ol><p>2. Set the sail:</p><ol><li>Go.</ol>"
        kinds = [type(block) for block in compose_article(html).blocks]
        assert kinds == [Paragraph, List, Paragraph, List]


def test_indented_text_continues_the_item_above_it() -> None:
    html = "<ul><li>Oar</li></ul>\n<dl><dd>Of ash.</dd></dl>\n<ul><li>Rope</li></ul>"
    items = only(html, List).items
    assert [[*iter_text(*item.blocks)] for item in items] == [["Oar", "Of ash."], ["Rope"]]
    terms = "<ul><li>Oar</li></ul><dl><dt>Ash</dt><dd>A wood.</dd></dl>"
    below_text = "<ul><li>Oar</li></ul>Made here.<dl><dd>Of ash.</dd></dl>"
    assert all(len(compose_article(text).blocks) > 1 for text in (terms, below_text))


def test_lists_in_a_row_without_end_are_read() -> None:
    lists = compose_article("<ul><li>Oar</li></ul>" * 1_200).blocks
    assert len([*iter_text(*lists)]) == 1_200


def test_code_without_a_border_below_is_the_title_of_the_code_below() -> None:
    html = "<pre style='border-bottom: none'>/etc/boats/harbour.conf</pre> <pre>tide = 1</pre>"
    title, code = compose_article(html).blocks
    assert isinstance(title, Paragraph)
    assert isinstance(code, Code)
    assert is_code_title(title, code)
    bordered = compose_article(html.replace("none", "1px"))
    assert all(isinstance(block, Code) for block in bordered.blocks)


def test_a_definition_list_without_definitions_is_plain_text() -> None:
    block = only("<dl class=news><div>The ferry leaves at dawn.</div></dl>", Paragraph)
    assert plain_text(block.spans) == "The ferry leaves at dawn."


def test_a_definition_list_without_terms_is_its_text() -> None:
    article = compose_article("<dl><dt>ADVERT</dt><dd><p>a</p><p>b</p></dd></dl>", drop="ADVERT")
    assert [type(block) for block in article.blocks] == [Paragraph, Paragraph]


@pytest.mark.parametrize(
    "html",
    [
        "<blockquote><p>Said.</p><footer>A. Writer</footer></blockquote>",
        "<blockquote><p>Said.</p><p><cite>A. Writer</cite></p></blockquote>",
        "<blockquote>Said.<p>— A. Writer</p></blockquote>",
        "<blockquote>Said.<footer>&mdash; <b>A. Writer</b></footer></blockquote>",
        "<figure><blockquote>Said.</blockquote><figcaption>– A. Writer</figcaption></figure>",
        "<div><blockquote>Said.</blockquote><p class=speaker>A. Writer</p></div>",
    ],
)
def test_quotations_name_their_source(html: str) -> None:
    """The attribution has no dash: the template prints one."""
    quote = only(html, Quote)
    assert len(quote.blocks) == 1
    assert plain_text(quote.cite) == "A. Writer"


def test_a_paragraph_after_a_quotation_is_not_its_source() -> None:
    for html in ("<p class=whole>A. Writer</p>", f"<p class=author>{'He wrote. ' * 20}</p>"):
        quote, _ = compose_article(f"<blockquote><p>Said.</p></blockquote>{html}").blocks
        assert isinstance(quote, Quote)
        assert not quote.cite


@pytest.mark.parametrize(
    "html",
    [
        "<p><cite>The Kettle</cite> is a long book.</p><p>It has two parts.</p>",
        "<p>He gave <em>three</em> reasons:</p><ul><li>One<li>Two</ul>",
        "<p><b>Note:</b> mind the step.</p>",
        "So said the king:<br>fill up the kettle",
        "<b>Old Gasket</b> wrote:<br>Take the cap off.",
        "<p><em>A line of verse:<br>Another line.</em></p>",
        "<cite>Kettle</cite>s have changed.",
        "<cite>红茶壶</cite>是一部长篇小说。",
        "<cite>The Kettle</cite><sup>2</sup> told of it.",
        "<p><cite>The Kettle</cite></p><p>by nobody known</p>",
        "<p><cite>The Kettle</cite><br>Daily at six.</p><p><cite>The Cap</cite><br>At nine.</p>",
        "<div>The river said:</div><div>Come down to me</div><div>and drink.</div>",
        "<div><ul><li>One</li></ul>And this:</div><p>Two.</p>",
        "<div><p>One thing.</p><p>Two said:</p></div><p>Three.</p>",
        "<p>To fetch:</p><p>- a kettle<br>- a cap</p>",
        "<p>- Who is there?</p><p>- The king.</p>",
    ],
)
def test_the_text_of_a_quotation_stays_in_it(html: str) -> None:
    quote = only(f"<blockquote>{html}</blockquote>", Quote)
    assert not quote.cite
    text = compose_article(f"<blockquote>{html}</blockquote>").text
    assert "".join(text.split()) == "".join(re.sub("<[^>]*>", "", html).split())


@pytest.mark.parametrize(
    "html",
    [
        "<p><strong>Love:</strong><br>It is all there is.</p><p>— A. Writer</p>",
        "<p><cite>Then:</cite> we went.</p><p><cite>A. Writer</cite></p>",
        "<p>All is well.</p><footer>A. Writer:</footer>",
    ],
)
def test_a_source_named_below_stays_below(html: str) -> None:
    quote = only(f"<blockquote>{html}</blockquote>", Quote)
    assert "A. Writer" in plain_text(quote.cite)
    assert not quote.introduced


def test_the_author_of_a_post_is_named_below_it() -> None:
    html = (
        "<blockquote class=twitter-tweet><p><cite>Anna asks:</cite> Where is the ferry?</p>"
        "— Ben (@ben) <a href='https://posts.test/ben/1'>May 1, 2020</a></blockquote>"
    )
    post = only(html, Embed)
    assert (post.author, post.published) == ("Ben (@ben)", "May 1, 2020")


@pytest.mark.parametrize("name", ["pull-quote", "ArticlePullquote_root__z11"])
def test_a_pull_quote_that_repeats_the_text_is_left_out(name: str) -> None:
    body = "<p>First words. The line that matters, said once. Last words.</p>"
    pull = f"<aside class='{name}'><p>“The line that matters, said once.”</p></aside>"
    other = "<aside class='pull-quote'><p>Another line.</p></aside>"
    assert not [b for b in compose_article(body + pull).blocks if isinstance(b, Quote)]
    quote = only(body + other, Quote)
    assert quote.pull
    long = "<p>In the end the harbour, which is so old, has outlived all that were built there.</p>"
    for line in (
        "The line that matters, said once",
        "In the end the harbour has outlived all that were built there",
    ):
        shared = f"{long}<p class='social-media-quote'>{line}</p>"
        assert len(compose_article(body + shared).blocks) == 2
    plain = "<blockquote><p>{}</p></blockquote>"
    assert "Quote" not in str(
        compose_article(body + plain.format("The line that matters, said once."))
    )
    assert only(body + plain.format("The line that matters, said twice."), Quote)


@pytest.mark.parametrize(
    ("html", "label"),
    [
        ("<div class='admonition note'><p class=admonition-title>Note</p><p>{}</p></div>", "Note"),
        ("<div class='tip custom-block'><p class=custom-block-title>TIP</p><p>{}</p></div>", "TIP"),
        ("<div class='alert alert-info'><h4 class=alert-heading>Hinweis</h4>{}</div>", "Hinweis"),
        (
            "<details class='admonition'><summary>Siehe auch</summary><p>{}</p></details>",
            "Siehe auch",
        ),
        (
            "<div class='theme-admonition alert'><div class=admonitionHeading_x><svg></svg>info</div>"
            "<div class=admonitionContent_x><p>{}</p></div></div>",
            "info",
        ),
        ("<div class=markdown-alert><p class=markdown-alert-title>Tip</p><p>{}</p></div>", "Tip"),
        (
            "<blockquote class=admonition><div class=admonition-header><span>Tip</span></div>"
            "<div class=admonition-content><p>{}</p></div></blockquote>",
            "Tip",
        ),
        ("<div class=note><p><strong>Note:</strong></p><p>{}</p></div>", "Note"),
        ("<div class=note><strong>Note:</strong> {}</div>", "Note"),
        ("<div class='alert alert-info'><p><b>Hinweis</b>: {}</p></div>", "Hinweis"),
        ("<div class='template-box template-box-tip'><b>Tip</b> <p>{}</p></div>", "Tip"),
        ("<aside class=note><p>{}</p></aside>", ""),
        ("<section class=note><p>{}</p></section>", ""),
        ("<blockquote class=note>{}</blockquote>", ""),
        ("<div class='alert alert-warning'><p>{}</p></div>", ""),
        ("<div class='kg-card kg-callout-card'><div>{}</div></div>", ""),
        ("<div class=site-callout><h3>Why it lasts</h3><div><p>{}</p></div></div>", "Why it lasts"),
        ("<div class=aside--tip><p class=aside__title>Tip</p><p>{}</p></div>", "Tip"),
        (
            "<section class='x1-TipBoxWrapper y2'><div class=x3-Header><div><span>Did you know?"
            "</span></div></div><div class=x4-Body><div>{}</div></div></section>",
            "Did you know?",
        ),
        ("<div class=note-box><p class=title>Good to know</p><p>{}</p></div>", "Good to know"),
    ],
)
def test_notes_and_warnings_of_documentation_are_boxes(html: str, label: str) -> None:
    box = only(html.format("A worker that is killed loses nothing."), Quote)
    assert (box.box, plain_text(box.cite)) == (True, label)
    assert list(iter_text(*box.blocks)) == ["A worker that is killed loses nothing."]


@pytest.mark.parametrize(
    "html",
    [
        "<div class=note><p>A line of the text.</p></div>",
        "<div class=note><p>Wait.</p><p>A line of the text.</p></div>",
        "<div class=tip><p>Tip</p></div>",
        "<div class=callout><h2>Our harbours</h2><p>A line of the text.</p></div>",
        "<div class=note><b>Berlin</b> grows.</div>",
        "<div class=side-note><b>Three quiet years</b> went by.</div>",
        "<aside><p>A line of the text.</p></aside>",
        "<div class='news-alert'><p class=title>Late</p><p>A line of the text.</p></div>",
        "<div class='keynote-box'><p class=title>Late</p><p>A line of the text.</p></div>",
        "<div class='tip-box'><p>Row slowly.</p><p>A line of the text.</p></div>",
        f"<div class=callout>{'<p>A line of the text, and another one.</p>' * 90}</div>",
        "<blockquote><p>[note] A line of the text.</p></blockquote>",
    ],
)
def test_text_that_only_has_such_a_name_is_no_box(html: str) -> None:
    assert not any(isinstance(b, Quote) and b.box for b in compose_article(html).blocks)


def test_the_name_of_a_command_does_not_continue_the_label_of_a_box() -> None:
    html = "<div class=harbour-note><b>Note</b> <a href=/m>tide-table(1)</a> reads it.</div>"
    assert plain_text(only(html, Quote).cite) == "Note"
    assert not isinstance(compose_article(html.replace("(1)", "")).blocks[0], Quote)


def test_code_keeps_lines_and_indentation_and_names_its_language() -> None:
    html = (
        '<pre><code class="language-python"><span>def</span> f():\n'
        "    <b>return</b> 1\n\n</code></pre>"
    )
    assert only(html, Code) == Code("def f():\n    return 1", "python")


def test_code_below_a_row_of_buttons_names_its_language() -> None:
    html = "<pre><div><i></i></div><code class=language-rust>f()</code></pre>"
    assert only(html, Code) == Code("f()", "rust")


def test_the_caption_below_code_keeps_its_emphasis() -> None:
    html = "<figure><pre>ring()</pre><figcaption>A <em>loud</em> call.</figcaption></figure><p>It rings."
    _, caption, _ = compose_article(html).blocks
    assert isinstance(caption, Paragraph)
    assert [span.text for span in caption.spans if "em" in span.marks] == ["loud"]


def test_spaces_of_hidden_lines_are_not_in_code() -> None:
    hidden = "<span class=boring><b>fn</b> <i>main</i>() {\n</span>"
    assert (
        only(f"<pre><code>{hidden}ring();\nstop();</code></pre>", Code).text == "ring();\nstop();"
    )


def test_code_that_is_a_block_by_its_class_keeps_its_blanks() -> None:
    html = "<div><p>So:</p><code class='hl block'>x := 1     -- <b>m</b>\n  y</code><p>And so on.</p></div>"
    _, code, _ = compose_article(html).blocks
    assert code == Code("x := 1     -- m\n  y")
    (block,) = compose_article("<p>So <code class=blocked>x  y</code> is.</p>").blocks
    assert isinstance(block, Paragraph)


def test_an_article_has_the_language_of_its_text() -> None:
    text = "Die Mühle steht am Fluss, und das Wasser treibt ihr Rad, wie es das seit jeher tut. "
    menu = "The mill and the river, and all that is on them. " * 20
    html = f"<p>{menu}</p><p>{text * 5}</p>"
    assert compose_article(html).language == "en"
    assert compose_article(html, drop="mill").language == "de"


def test_elements_named_lines_are_lines_of_code() -> None:
    line = "<span class='code-line'>{}</span>".format
    code = only(f"<pre>a = 1\n{line('b = 2')}{line('')}{line('<i>c</i> = 3')}\nd = 4</pre>", Code)
    assert code.text == "a = 1\nb = 2\n\nc = 3\nd = 4"
    broken = "".join(line(f"{name}\n") for name in "ab")
    assert only(f"<pre>{broken}</pre>", Code).text == "a\nb"
    html = f"<pre>f() {{\n{line('  b')}{line('')}  return\n{line('}')}</pre>"
    assert only(html, Code).text == "f() {\n  b\n\n  return\n}"
    token = "<span class=token>{}</span>".format
    html = f"<pre>{line(token('f()'))}{token('  g()')} +{token(' h()')}\n{line('i()')}{token('')}</pre>"
    assert only(html, Code).text == "f()\n  g() + h()\ni()"


def test_code_has_no_indentation_common_to_its_lines():
    html = "<pre>\n        if tide:\n            return\n\n        wait()\n</pre>"
    assert only(html, Code).text == "if tide:\n    return\n\nwait()"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<div class='highlight-rust notranslate'><div><pre>x</pre></div></div>", "rust"),
        ("<pre class='brush: sql;'>x</pre>", "sql"),
        ("<pre data-lang=go>x</pre>", "go"),
        ("<pre><code class=language-go>x</code>\n<code>y</code></pre>", "go"),
        ("<pre class='language-none'>x</pre>", ""),
        ("<pre>x</pre>", ""),
    ],
)
def test_languages(html: str, language: str) -> None:
    assert only(html, Code).language == language


@pytest.mark.parametrize(
    "html",
    [
        "[<i>1</i>, <i>2</i>,\n<i>3</i>]",
        "<i>10</i> print\n<i>20</i> end",
        "<b><i>1</i></b>\n<b><i>2</i></b>\n",
    ],
)
def test_numbers_in_code_stay(html: str) -> None:
    text = only(f"<pre>{html}</pre>", Code).text
    assert text == re.sub("<.*?>", "", html).strip()


def test_the_indentation_of_the_source_makes_no_layout_of_a_table() -> None:
    indent = "\n" + 90 * " "
    rows = "".join(
        f"<tr><td>{indent}<p>{indent}{name}</p></td><td>{indent}<p>{indent}{depth}</p></td></tr>"
        for name, depth in (("Gate", "4 m"), ("Weir", "2 m"))
    )
    table = only(f"<table><tbody>{rows}</tbody></table>", Table)
    assert [list(iter_text(*cell.blocks)) for row in table.body for cell in row] == [
        ["Gate"], ["4 m"], ["Weir"], ["2 m"],
    ]  # fmt: skip


def test_lines_of_code_without_a_preformatted_block_are_one() -> None:
    line = "<code>for gate in one two three; do open $gate; done</code>"
    html = f"<p>Open them:</p><div>{line}<br>{line}</div><p>{line}</p>"
    assert only(html, Code).text == "\n".join(
        2 * ["for gate in one two three; do open $gate; done"]
    )
    mixed = f"<p>{line}<br>and then wait for the water in the lock</p>"
    assert not [block for block in compose_article(mixed).blocks if isinstance(block, Code)]


def test_rows_between_rows_without_cells_are_items_of_a_list() -> None:
    row = "<tr><td>{0}.</td><td><a href=/{0}>Weir no. {0} has gone</a><tr><td><td>{0} hours ago"
    spacer = "<tr style='height:5px'></tr>"
    rows = spacer.join([*map(row.format, range(31, 36)), "<tr><td><td>That is all"])
    found = compose_article(f"<table>{rows}</table>").blocks
    assert isinstance(found[0], List)
    assert (found[0].ordered, found[0].start) == (True, 31)
    assert [" | ".join(iter_text(*item.blocks)) for item in found[0].items] == [
        f"Weir no. {n} has gone | {n} hours ago" for n in range(31, 36)
    ]
    assert [plain_text(block.spans) for block in found[1:]] == ["That is all"]
    plain = compose_article(f"<table>{rows.replace('.</td>', '</td>')}</table>").blocks
    assert [len(block.items) for block in plain if isinstance(block, List)] == [6]
    two = compose_article(f"<table>{spacer.join(map(row.format, range(2)))}</table>").blocks
    assert isinstance(two[0], Table)


def test_headings_in_a_row_that_end_a_section_are_a_list() -> None:
    names = "".join(f"<h3>{name}</h3>" for name in ("Ferry", "Barge", "Lighter"))
    article = compose_article(f"<h2>Boats</h2>{names}<h2>Times</h2><p>x</p>")
    (found,) = [block for block in article.blocks if isinstance(block, List)]
    assert [*iter_text(found)] == ["Ferry", "Barge", "Lighter"]
    assert [type(block) for block in article.blocks] == [Heading, List, Heading, Paragraph]
    for html in (f"{names}<p>x</p>", f"{names}<h4>Deck</h4><p>x</p>", f"{names}<h3>Raft</h3>x"):
        assert not [b for b in compose_article(f"<h2>a</h2>{html}").blocks if isinstance(b, List)]


def test_a_line_that_begins_a_box_above_its_heading_stays_with_it() -> None:
    text = f"<p>{'The weir has gone. ' * 9}</p>"
    box = "<div>{}<div><h3>How to cross</h3></div>" + text + "</div>"
    blocks = compose_article(text + box.format("<p>Boats</p>")).blocks
    assert [is_eyebrow(block) for block in blocks] == [False, True, False, False]
    facts = "<div><h3>Ferry</h3><p>Boats</p></div>"
    for line in ("<p>It leaves at 9:15.</p>", "<p>2</p>", "<div><ul><li>Boats</ul></div>", facts):
        assert not any(map(is_eyebrow, compose_article(text + box.format(line)).blocks))
    below = "<h2>Harbour</h2>" + box.format("<p>Boats</p>")
    assert not any(map(is_eyebrow, compose_article(text + below).blocks))


def test_items_of_a_line_above_its_text_are_terms_and_details() -> None:
    item = "<li><p>{}</p><p>{}</p></li>"
    facts = [("Built", "1862"), ("Owner", "the harbour"), ("Berths", "Twelve, at high tide")]
    entries = only(
        f"<ul>{''.join(item.format(*fact) for fact in facts)}</ul>", DefinitionList
    ).entries
    assert [plain_text(entry.terms[0]) for entry in entries] == ["Built", "Owner", "Berths"]
    assert [*iter_text(*entries[2].details[0])] == ["Twelve, at high tide"]
    sentence = item.format("It was built by the town.", "It has twelve berths.")
    other_lists = (
        f"<ul>{item.format(*facts[0]) * 2}</ul>",
        f"<ol>{item.format(*facts[0]) * 3}</ol>",
        f"<ul>{item.format(*facts[0]) * 2}{sentence}</ul>",
        f"<ul>{item.format(*facts[0]) * 3}<li>One line</li></ul>",
    )
    for html in other_lists:
        assert only(html, List)


def test_a_row_across_a_table_is_its_caption() -> None:
    row = "<tr><td>Ferry<td>Eight<td>Marl"
    head = "<tr><td colspan=3>Departures at low tide"
    table = only(f"<table>{head}{row * 3}</table>", Table)
    assert (table.caption, len(table.rows)) == ("Departures at low tide", 3)
    fact = "<tr><td>Deck<td>Oak"
    beside = f"<table><thead><tr><td>The barge<td></thead>{fact * 3}</table>"
    assert only(beside, Table).caption == "The barge"
    sections = f"<table>{head}{row * 2}{head}{row * 2}</table>"
    missing = f"<table><tr><td>Mast<td>{fact * 3}</table>"
    for html in (sections, missing, f"<table>{row * 3}</table>"):
        assert not only(html, Table).caption


def test_a_line_named_as_such_is_small_and_stays_with_its_heading() -> None:
    eyebrow = "<p><span class='c-tag__eyebrow x'>Boats</span></p>"
    html = f"<p>{'The weir has gone. ' * 9}</p><div>{eyebrow}<h2>How to cross</h2></div>"
    blocks = compose_article(f"{html}<p>{'By boat, if at all. ' * 9}</p>").blocks
    assert [type(block).__name__ for block in blocks[1:3]] == ["Paragraph", "Heading"]
    assert is_eyebrow(blocks[1])
    assert not is_eyebrow(blocks[0])
    plain = compose_article(html.replace("eyebrow", "text").replace("<div>", "<div><hr>")).blocks
    assert not any(map(is_eyebrow, plain))
    assert is_eyebrow(Paragraph((Span("HOW IT FLOATS"),)))
    assert not any(is_eyebrow(Paragraph((Span(text),))) for text in ("How it floats", "NOTE: IT"))
    line = Paragraph((Span("Boats", ("small",)),))
    figure, head = Figure("/weir.jpg"), Heading(2, (Span("How to cross"),))
    text = Paragraph((Span("By boat, if at all."),))
    found = clean_up((text, line, figure, head, text), "", {}, linked=False)
    assert found[1:4] == (figure, line, head)


def test_tables_of_data() -> None:
    table = only(
        "<table><caption>Cap</caption><thead><tr><th>A<th>B</thead><tr><td>1<td align=right>2"
        "<tr><td colspan=2>3<tfoot><tr><td>S<td>T</tfoot></table>",
        Table,
    )
    assert table.caption == "Cap"
    assert [cell.header for cell in table.head[0]] == [True, True]
    assert [len(row) for row in table.body] == [2, 1]
    assert table.body[0][1].align == "right"
    assert table.body[1][0].colspan == 2
    assert len(table.foot) == 1


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li><span>•</span><div><p>Oars</div><li><span>•</span><p>Rope</ul>", "Oars Rope"),
        ("<ol><li><b>1.</b><p>Oars</p><li><b>2.</b><p>Rope</ol>", "Oars Rope"),
        ("<ol><li><b>3.</b><p>Oars</p><li><b>5.</b><p>Rope</ol>", "3. Oars 5. Rope"),
    ],
)
def test_an_item_that_begins_with_its_own_label_has_one(html: str, text: str) -> None:
    assert " ".join(iter_text(only(html, List))) == text


def test_a_reference_to_a_bibliography_is_no_title() -> None:
    spans = first_spans("<p>As <cite>[<a href='#b1'>1</a>]</cite> and <cite>The Tide</cite> say.")
    assert [span.text for span in spans if "cite" in span.marks] == ["The Tide"]


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ("<tr><td><td><b>Cost</b><td><b>Since</b><tr><td><b>Oars</b><td>4<td>1990", 1),
        ("<tr><td><b>Oars</b><td>4<tr><td><b>Rope</b><td>2", 0),
        ("<tr><td><b>Oars</b><td><b>4</b><tr><td><b>Rope</b><td><b>2</b>", 0),
        ("<tr><td>Ware<td>Cost<td>Use" + "<tr><td>Oars<td>$4 to 5<td>For boats" * 3, 1),
        ("<tr><td>Ware<td>Cost<td>Use" + "<tr><td>Oars<td>Four<td>For boats" * 3, 0),
        ("<tr><td>Ware<td>Oars" + "<tr><td>Cost<td>4" * 3, 0),
    ],
)
def test_a_first_row_of_names_is_the_head_of_a_table(rows: str, count: int) -> None:
    table = only(f"<table>{rows}</table>", Table)
    assert [all(cell.header for cell in row) for row in table.head] == [True] * count


def test_a_row_across_all_columns_below_their_names_is_not_repeated_with_them() -> None:
    names, part = "<tr><th>Ware<th>Cost", "<tr><th colspan=2>{}<tr><td>Oars<td>4"
    table = only(f"<table>{names}{part.format('Wood')}{part.format('Cloth')}</table>", Table)
    assert [*iter_text(*(c for row in table.head for cell in row for c in cell.blocks))] == [
        "Ware", "Cost",
    ]  # fmt: skip
    above = only(f"<table><tr><th colspan=2>All wares{names}{part.format('Wood')}</table>", Table)
    assert len(above.head) == 2


def test_a_table_prints_the_kept_cells_in_their_columns() -> None:
    html = "<table><tr><th>A<th>B<th>C<tr><td>1<td>ADVERT<td>3<tr><td>ADVERT</table>"
    block = compose_article(html, drop="ADVERT").blocks[0]
    assert isinstance(block, Table)
    assert [[bool(cell.blocks) for cell in row] for row in block.body] == [[True, False, True]]


def test_empty_cells_keep_their_place() -> None:
    table = only("<table><tr><th><th>B<tr><td>1<td></td><tr><td><td>2</table>", Table)
    rows = [[bool(cell.blocks) for cell in row] for row in (*table.head, *table.body)]
    assert rows == [[False, True], [True, False], [False, True]]


@pytest.mark.parametrize(
    "html",
    [
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        "<table><tr><td>a</table>",
        "<table>" + ("<tr>" + "<td><div><a href=/b>Boat</a></div><p>$5" * 4) * 4 + "</table>",
        "<table><tr><td><div><p>a</div><td><div><p>b</div><tr><td><div><p>c</div><td>d</table>",
        "<table><tr><td>a<td><table><tr><td>b</table></table>",
        "<table><tr>" + "<td>x" * 70 + "<tr>" + "<td>y" * 70 + "</table>",
    ],
)
def test_tables_that_arrange_the_page_are_text(html: str) -> None:
    assert all(isinstance(block, Paragraph) for block in compose_article(html).blocks)


@pytest.mark.parametrize(
    ("lines", "texts"),
    [
        (("Length:", "12 m", "Seats:", "6"), ["Length: 12 m", "Seats: 6"]),
        (("By:", "Anna Reed", "The boat leaves the harbour at dawn."), ["By: Anna Reed"]),
        (("You need:", "two oars", "a rope"), ["You need:", "two oars", "a rope"]),
        (("Seats:", "The boat has six."), ["Seats:", "The boat has six."]),
    ],
)
def test_a_label_alone_on_its_line_is_joined_to_its_value(
    lines: tuple[str, ...], texts: list[str]
) -> None:
    found = compose_article("".join(f"<p>{line}</p>" for line in lines))
    assert list(iter_text(*found.blocks))[: len(texts)] == texts


def test_spans_stay_inside_the_table() -> None:
    table = only(
        "<table><tr><th colspan=99999>h<tr><td rowspan=9999>a<td>b<tr><td>c</table>", Table
    )
    cells = [cell for row in (*table.head, *table.body) for cell in row]
    assert max(cell.colspan for cell in cells) <= 60
    assert [cell.rowspan for cell in cells] == [1, 2, 1, 1]


def test_links_within_the_article_lead_to_blocks_of_it() -> None:
    article = compose_article(
        "<ul><li><a href='#one'>1</a><li><a href='#two'>2</a><li><a href='#gone'>3</a>"
        "<li><a href='https://example.org/a/page#one'>4</a><li><a href='#'>5</a></ul>"
        "<h2 id=one>One</h2><p>x</p><a name=two></a><p>y</p><p id=gone>ADVERT</p>",
        drop="ADVERT",
    )
    (toc,) = [block for block in article.blocks if isinstance(block, List)]
    links = [b.spans[0].href for b in walk((toc,)) if isinstance(b, Paragraph)]
    assert links == ["#one", "#two", "", "#one", ""]
    ids = [getattr(block, "id", "") for block in article.blocks]
    assert ids == ["", "one", "", "two"]


@pytest.mark.parametrize(
    ("href", "resolved"),
    [
        ("b", "https://example.org/a/b"),
        ("/b?c=d", "https://example.org/b?c=d"),
        ("//other.test/x", "https://other.test/x"),
        ("HTTP://other.test", "http://other.test"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("javascript:alert(1)", ""),
        ("JaVa\nScRiPt:alert(1)", ""),
        ("data:text/html,x", ""),
        ("file:///etc/passwd", ""),
        ("tel:123", ""),
        ("http://[x", ""),
        ("https://other.test/" + "x" * 3000, ""),
        (" https://other.test/ a ", "https://other.test/a"),
    ],
)
def test_links_lead_where_paper_may_say(href: str, resolved: str) -> None:
    assert first_spans(f'<p><a href="{href}">x</a>')[0].href == resolved


MATHML = "<math><mi>x</mi><mo>=</mo><mn>1</mn></math>"


@pytest.mark.parametrize(
    "html",
    [
        MATHML,
        f"<span class=katex><span class=katex-mathml>{MATHML}</span>"
        "<span class=katex-html aria-hidden=true>x=1</span></span>",
        f"<mjx-container><mjx-math>x=1</mjx-math><mjx-assistive-mml>{MATHML}</mjx-assistive-mml>"
        "</mjx-container>",
        "<span class=MathJax_Preview>x=1</span><script type='math/tex'>x=1</script>",
        "<img class=latex alt='x=1' src=x.png>",
    ],
)
def test_formulas_in_text(html: str) -> None:
    spans = first_spans(f"<p>Let {html} be.")
    assert [span.text.replace(" = ", "=") for span in spans] == ["Let ", "x=1", " be."]
    assert spans[1].math in {MATHML, "x=1"}


def test_the_text_of_a_formula_without_tex_shows_its_structure() -> None:
    root = (
        "<math><msqrt><msub><mi>β</mi><mtext>max</mtext></msub></msqrt><mo>≠</mo><mn>0</mn></math>"
    )
    assert first_spans(f"<p>Let {root} be.")[1].text == r"\sqrt{\beta_{\text{max}}} \neq 0"


@pytest.mark.parametrize(
    "html",
    [
        MATHML.replace("<math>", "<math display=block>"),
        f"<span class='katex-display'><span class=katex>{MATHML}</span></span>",
        "<script type='math/tex; mode=display'>x=1</script>",
    ],
)
def test_displayed_formulas(html: str) -> None:
    article = compose_article(f"<p>Let</p><div>{html}</div><p>be.")
    assert [type(block) for block in article.blocks] == [Paragraph, Math, Paragraph]


def test_mathml_is_copied_by_an_allow_list() -> None:
    html = (
        "<p>a <math onclick=x href=y><mi mathvariant=bold style=x>x</mi>"
        "<annotation encoding='application/x-tex'>x</annotation></math>"
        " b <math><script>x</script></math>"
    )
    spans = first_spans(html)
    assert spans[1].math == '<math><mi mathvariant="bold">x</mi></math>'
    assert not any("script" in span.math for span in spans)


def test_players_become_embeds_and_other_frames_nothing() -> None:
    article = compose_article(
        "<div><p>a</p><iframe src='https://v.test/embed/1' title='A film'></iframe>"
        "<iframe src='https://ads.test/x'></iframe>"
        "<iframe src='//v.test/player?ad' width=1></iframe>"
        "<audio controls><source src=/s/audio.mp3></audio><video src='blob:x'></video><p>b</p></div>"
    )
    assert [block for block in article.blocks if isinstance(block, Embed)] == [
        Embed("video", "https://v.test/embed/1", "A film"),
        Embed("audio", "https://example.org/s/audio.mp3"),
    ]


def test_rules_stand_between_kept_blocks_only() -> None:
    article = compose_article("<hr><p>a<hr><hr><p>b<p>* * *<p>c<p>————<p>d<hr>")
    assert [type(block) for block in article.blocks] == [
        Paragraph, Rule, Paragraph, Rule, Paragraph, Rule, Paragraph,
    ]  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 3])
def test_rules_that_frame_what_is_left_out_are_left_out(count: int) -> None:
    advertisements = "<hr>" + "<div class=advertisement></div><hr>" * count
    article = compose_article(f"<p>a{advertisements}<p>b")
    assert [type(block) for block in article.blocks] == [Paragraph, Paragraph]


def test_a_row_of_asterisks_between_the_lines_of_a_paragraph_is_a_rule() -> None:
    article = compose_article("<p>The river rose.<br>* * *<br>By morning it was<br>calm.")
    assert [type(block) for block in article.blocks] == [Paragraph, Rule, Paragraph]
    assert article.text.split() == "The river rose. By morning it was calm.".split()


def test_headings_and_figures_need_no_rules() -> None:
    text, heading = Paragraph((Span("Words"),)), Heading(2, (Span("Part"),))
    blocks = (text, Rule(), heading, Rule(), text, Rule(), Figure("p"), Rule(), text)
    assert clean_up(blocks, "", {}, linked=False) == (text, heading, text, Figure("p"), text)


def test_a_heading_with_nothing_below_a_list_is_dropped() -> None:
    def compose(count: int) -> list[type[Block]]:
        items = (Item((Paragraph((Span(f"Boat {n}"),)),)) for n in range(count))
        blocks = (List(tuple(items)), Heading(4, (Span("Other boats"),)))
        return [type(block) for block in clean_up(blocks, "", {}, linked=False, kind="listing")]

    assert compose(4) == [List]
    assert compose(1) == [List, Heading]


def test_both_rules_around_a_paragraph_above_a_heading_are_kept() -> None:
    text, rule, heading = Paragraph((Span("Words"),)), Rule(), Heading(2, (Span("Part"),))
    framed = (text, rule, text, rule, heading, text)
    assert clean_up(framed, "", {}, linked=False) == framed
    assert clean_up(framed[2:], "", {}, linked=False) == (text, heading, text)
    series = (text, rule, text, rule, text, rule, heading, text)
    assert clean_up(series, "", {}, linked=False) == (*series[:5], heading, text)


def test_a_heading_that_is_repeated_at_once_stands_once() -> None:
    article = compose_article("<p>a<h2>Description</h2><h3>Description</h3><p>b")
    assert [type(block) for block in article.blocks] == [Paragraph, Heading, Paragraph]


def test_a_paragraph_that_the_heading_below_repeats_is_dropped() -> None:
    article = compose_article(
        "<p>a<p>The largest boats (2023)<h3>The largest boats (2023)</h3><p>b"
    )
    assert [type(block) for block in article.blocks] == [Paragraph, Heading, Paragraph]
    article = compose_article("<p>a<p>The largest boats:<h3>Boats of 2023</h3><p>b")
    assert len(article.blocks) == 4


def test_a_quotation_mark_of_its_own_is_dropped() -> None:
    article = compose_article("<p>a<blockquote><p>Words</p><p>\u201c</p></blockquote><p>\u201d<p>b")
    assert article.text == "a\n\nWords\n\nb"


def test_details_are_opened_below_their_summary() -> None:
    article = compose_article("<details><summary>More</summary><p>Inside</p></details>")
    assert article.text == "More\n\nInside"
    html = (
        "<h2>Questions</h2><details><summary>Who rows?</summary><p>Ida.</p></details><p>Text.</p>"
    )
    assert outline(html) == [(2, "Questions"), (3, "Who rows?")]


def test_in_a_manual_a_summary_is_a_heading_if_it_has_one() -> None:
    summaries = "<summary>Show all</summary>", "<summary><h4>dock(boat)</h4></summary>"
    html = "".join(f"<details>{summary}<p>Moors a boat.</p></details>" for summary in summaries)
    page = read_page(f"<!doctype html><body>{html}", "https://example.org/m")
    keep = (True,) * len(page.segments)
    blocks = compose(page, Verdict(keep, kind="documentation"), ()).blocks
    assert [type(block) for block in blocks] == [Paragraph, Paragraph, Heading, Paragraph]


def test_in_a_manual_only_the_heading_in_a_summary_is_one_and_is_code_if_it_says_so() -> None:
    heading = "<h4 class=code-header>fn <a href=/m>moor</a>(boat)</h4>"
    html = f"<details><summary>{heading}<p>Not for sailors.</summary><p>Moors it.</details>"
    page = read_page(f"<!doctype html><body>{html}", "https://example.org/m")
    keep = (True,) * len(page.segments)
    blocks = compose(page, Verdict(keep, kind="documentation"), ()).blocks
    first, note, _ = blocks
    assert isinstance(first, Heading)
    assert isinstance(note, Paragraph)
    assert all(span.marks == ("code",) for span in first.spans)


def test_ruby_keeps_its_reading() -> None:
    spans = first_spans("<p>本は<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>です")
    assert [(span.text, span.ruby) for span in spans] == [
        ("本は", ""),
        ("漢字", "かんじ"),
        ("です", ""),
    ]


def test_language_and_direction_are_stated_where_they_differ() -> None:
    blocks = compose_article(
        "<p lang=en-GB>x</p><p lang=fr>mot</p><p>a <i lang=de>Wort</i></p><p dir=rtl>y</p>"
    ).blocks
    assert [block.lang for block in blocks if isinstance(block, Paragraph)] == ["", "fr", "", ""]
    assert [block.dir for block in blocks if isinstance(block, Paragraph)] == ["", "", "", "rtl"]
    assert isinstance(blocks[2], Paragraph)
    assert [span.lang for span in blocks[2].spans] == ["", "de"]


def test_styles_written_by_word_processors() -> None:
    spans = first_spans('<p><span style="font-weight:700;font-style:italic">x</span> y')
    assert spans[0].marks == ("strong", "em")


@pytest.mark.parametrize(
    ("name", "bold"), [("strong", True), ("a text-bold", True), ("not-bold", False)]
)
def test_a_class_makes_a_phrase_bold(name: str, bold: bool) -> None:
    assert ("strong" in first_spans(f"<p><span class='{name}'>x</span> y")[0].marks) is bold


def test_the_only_paragraph_of_a_cell_aligns_it() -> None:
    table = only(
        "<table><tr><td><p style='text-align: center'>1</p><td>2<tr><td>3<td>4</table>", Table
    )
    assert [cell.align for cell in table.body[0]] == ["center", ""]


def test_a_list_of_cards_is_no_list() -> None:
    cards = "".join(f"<li><h3>Part {n}</h3><p>What part {n} tells.</p></li>" for n in (1, 2))
    article = compose_article(f"<p>Before.</p><ul>{cards}</ul><ul><li>One</li><li>Two</li></ul>")
    kinds = [type(block).__name__ for block in article.blocks]
    assert kinds == ["Paragraph", "Heading", "Paragraph", "Heading", "Paragraph", "List"]


@pytest.mark.parametrize(
    ("tag", "count", "kinds"),
    [("ul", 4, [Paragraph] * 4), ("ul", 3, [List]), ("ol", 4, [List])],
)
def test_a_text_within_the_only_item_of_a_list_is_no_list(
    tag: str, count: int, kinds: list[type]
) -> None:
    text = "".join(f"<p>{number} {LONG}</p>" for number in range(count))
    blocks = compose_article(f"<{tag}><li>{text}</li></{tag}>").blocks
    assert [type(block) for block in blocks] == kinds


def test_wrapped_cards_of_a_list_keep_their_words() -> None:
    def card(name: str) -> str:
        link = f'<a href="/{name}"><h2>The {name} wallet</h2><p>12 crowns and a half</p></a>'
        return f'<div class="cell"><div class="shop-card v2 card">{link}</div></div>'

    listed = "".join(f"<li>{card(name)}<i></i></li>" for name in ("grey", "brown"))
    for page in (f"<ul>{listed}</ul>", f"<div>{card('grey')}{card('brown')}</div>"):
        article = compose_article(f"<h1>Wallets</h1><p>All that we make.</p>{page}")
        assert "The grey wallet" in article.text
        assert "The brown wallet" in article.text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<td><i class='fa fa-check'></i>", "✓"),
        ("<td><svg><use href='#icon-cross'/></svg>", "✗"),
        ("<td><svg aria-label='Included'><path/></svg>", "Included"),
        ("<td><svg><title>No</title><path/></svg>", "No"),
        ("<td><img src='/tick.svg' alt=''>", "✓"),
        ("<td><img src='/a.png' alt='Yes'>", "Yes"),
        ("<td><img src='/a.png' alt='Checkmark'>", "✓"),
        ("<td><img src='/a.png' alt='Cross'>", "✗"),
        ("<td><a href=/vote><i title=Upvote></i></a>", ""),
        ("<td><a href=/tide><img src='/a.png' alt='yes'></a>", "yes"),
        ("<td><a href=/tide class=times></a>", ""),
        ("<td class=checkout>", ""),
        ("<td class=no>", ""),
        ("<td>", ""),
        ("<th><i class='fa fa-check'></i>", ""),
    ],
)
def test_a_cell_with_only_an_icon_has_the_icon_s_meaning(cell: str, text: str) -> None:
    html = f"<table><tr><th>Plan<th>Sync<th>Share<tr><td>Free{cell}<td>5 GB</table>"
    row = only(html, Table).rows[-1]
    assert [" ".join(iter_text(*cell.blocks)) for cell in row] == ["Free", text, "5 GB"]


def test_a_wiki_s_signs_for_editing_and_going_back_are_dropped() -> None:
    edit = "<span>[<a href='/w?title=Tides&action=edit&section=2'>edit</a>]</span>"
    notes = "".join(
        f"<li><b><a href='#r{n}'>^</a></b> <sup>a</sup> <a href='#s{n}'>b</a> Reed, Tides of May {n}</li>"
        for n in (1, 2)
    )
    assert outline(f"<h2>References{edit}</h2><p>Text.</p>") == [(2, "References")]
    found = only(f"<p>Text.</p><ul>{notes}</ul><p>More.</p>", List)
    assert [list(iter_text(item.blocks[0])) for item in found.items] == [
        ["Reed, Tides of May 1"], ["Reed, Tides of May 2"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("html", "joined"),
    [
        ("<span>Wick.</span><p>The Wick ferry leaves at dawn.</p>", "Wick. The Wick ferry"),
        ("<p>Never.</p><p>The Wick ferry leaves at dawn.</p>", ""),
        ("<p>Oslo –</p><p>The ferry leaves at dawn.</p>", "Oslo – The ferry"),
        ("<p>Text.</p><p>2.</p><h2>Where does it go?</h2>", "2. Where"),
        ("<p>No more ferries today, said the man on the quay at the end of the day.</p>"
         "<p>Really.</p><p>The ferry leaves at dawn.</p>", ""),
        ("<p>2.</p><p>The ferry leaves at dawn.</p>", ""),
        ("<div>A</div><p>t dawn the ferry leaves the harbour, and nobody on the quay is late.</p>",
         "At dawn the ferry"),
        ("<div>A</div><p>The ferry leaves the harbour at dawn, and nobody on the quay is late.</p>",
         ""),
    ],
)  # fmt: skip
def test_a_place_or_number_alone_is_joined_with_the_text_it_begins(html: str, joined: str) -> None:
    texts = [" ".join(iter_text(block)) for block in compose_article(f"<div>{html}</div>").blocks]
    assert any(text.startswith(joined) for text in texts)
    assert (len(texts) < html.count("</")) is bool(joined)


def test_short_paragraphs_that_their_class_calls_headings_are_headings() -> None:
    text = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it. " * 2
    section = "<p class=x-interline>{}</p><p>" + text + "</p>"
    html = "".join(map(section.format, ("The long way", "The short way")))
    found = [block for block in compose_article(html).blocks if isinstance(block, Heading)]
    assert [plain_text(block.spans) for block in found] == ["The long way", "The short way"]
    labeled = html.replace("The long way", "North").replace("<p>The", "<p>Open.</p><p>The", 1)
    assert [text for _, text in outline(labeled)] == ["North", "The short way"]
    for other in (html.replace("short way", "short way."), html.replace("interline", "line")):
        assert not any(isinstance(block, Heading) for block in compose_article(other).blocks)


def test_a_term_loses_the_link_to_itself() -> None:
    html = '<dl><dt id=x>sail(wind)<a href="#x">¶</a></dt><dd>Sets sail.</dd></dl>'
    (entry,) = only(html, DefinitionList).entries
    assert [plain_text(term) for term in entry.terms] == ["sail(wind)"]


def test_a_heading_that_is_a_link_to_itself_keeps_signs_of_code() -> None:
    link = '<a href="#x">The <code>??</code> sign</a>'
    for permalink in ("¶", "<code>#</code>"):
        html = f'<h2 id=x>{link} <a href="#x">{permalink}</a></h2><p>text'
        assert outline(html) == [(2, "The ?? sign")]


def test_headings_and_terms_lose_the_link_to_their_source_code() -> None:
    links = '<a href="https://code.test/sail.py">[source]</a><a href="#x">¶</a>'
    (entry,) = only(
        f"<dl><dt id=x>sail(wind){links}</dt><dd>Sets sail.</dd></dl>", DefinitionList
    ).entries
    assert [plain_text(term) for term in entry.terms] == ["sail(wind)"]
    assert outline(f"<h2 id=x>sail(wind) {links}</h2><p>text") == [(2, "sail(wind)")]
    numbered = '<h2>sail(wind) <a href="https://notes.test/1">[1]</a></h2><p>text'
    assert outline(numbered) == [(2, "sail(wind) [1]")]


@pytest.mark.parametrize(
    ("reference", "marks"),
    [
        ("<cite>Reed, Ada. <i>Tides of the Mouth</i>. Harbour Press.</cite>", {("em",)}),
        ("<cite>Tides of the Mouth</cite>, by Ada Reed, 1904", {("cite",)}),
    ],
)
def test_a_whole_reference_of_a_list_is_not_in_italics(reference: str, marks: set[object]) -> None:
    blocks = compose_article(f"<p>The tides turn.</p><ul><li>{reference}</li></ul>").blocks
    (items,) = (block for block in blocks if isinstance(block, List))
    found = {span.marks for span in iter_spans((items,))}
    assert found - {()} == marks


def test_rules_between_the_items_of_a_list_are_not_printed() -> None:
    found = compose_article(
        "<p>The ferry.</p><ul><li>A bell<hr></li><li>A lamp</li><li><hr></li></ul>"
    )
    assert not any(isinstance(block, Rule) for block in walk(found.blocks))
    assert [plain_text(item.blocks[0].spans) for item in found.blocks[1].items] == [
        "A bell",
        "A lamp",
    ]


def test_a_table_with_lists_in_its_cells_is_data() -> None:
    rows = "".join(f"<tr><td>{n} months<td><ul><li>Book<li>Pay</ul><td>▢" for n in range(3))
    assert len(only(f"<table><tr><td>Period<td>Task<td>✓{rows}</table>", Table).rows) == 4
    menus = "<tr><td><ul><li><a href=/b>b</a></ul><td>x" * 3
    assert not any(isinstance(b, Table) for b in compose_article(f"<table>{menus}</table>").blocks)


def test_a_table_whose_cells_wrap_their_lines_is_data() -> None:
    table = only(
        "<table><tr><td><div>Defined in <code>a.h</code></div><td>"
        "<tr><td><div><pre>int a;</pre></div><td><div>(since 2017)</div></table>",
        Table,
    )
    assert [bool(cell.blocks) for row in table.body for cell in row] == [True, False, True, True]
    row = "<tr>" + "<td><div>Berths</div><div>12</div>" * 4
    assert len(only(f"<table>{row * 4}</table>", Table).rows) == 4


def test_typed_bullets_make_a_list() -> None:
    above, items, below = compose_article(
        "<p>It takes:<br>• sheep<br>• a piano that<br>nobody plays<br><b>• doctors</b><br>Not cows.</p>"
    ).blocks
    assert isinstance(items, List)
    assert [list(iter_text(*item.blocks)) for item in items.items] == [
        ["sheep"], ["a piano that\nnobody plays"], ["doctors"],
    ]  # fmt: skip
    assert list(iter_text(above, below)) == ["It takes:", "Not cows."]
    (dashed,) = compose_article("<p>- Nets and lines<br>- Oars<br>- Paint it first.</p>").blocks
    assert isinstance(dashed, List)
    assert len(dashed.items) == 3
    first, text, second = compose_article("<p>● a<p>● b<p>c<p>● d").blocks
    assert isinstance(first, List)
    assert isinstance(text, Paragraph)
    assert isinstance(second, List)
    assert [len(first.items), len(second.items)] == [2, 1]


def test_a_table_that_aligns_equations_becomes_formulas_with_their_numbers() -> None:
    left, right = "<math><mi>x</mi></math>", "<math><mo>=</mo><mi>{}</mi></math>"
    rows = "".join(
        f"<tr><td><td>{left}<td>{right.format(n)}<td><td><span>({n})</span>" for n in (2, 3)
    )
    first, number, *rest = compose_article(f"<table class=x_eqn_table>{rows}</table>").blocks
    assert isinstance(first, Math)
    assert "<mi>x</mi></mrow><mrow><mo>=</mo><mi>2</mi>" in first.source
    assert [*iter_text(number)] == ["(2)"]
    assert len(rest) == 2
    only(f"<table class=x_eqn_table>{rows}<tr><td>Name<td>Of it<td>1<td>2<td>3</table>", Table)


@pytest.mark.parametrize(
    "html",
    [
        "<pre><div>a</div><div>  b</div></pre>",
        "<pre>a<br>  b</pre>",
        "<pre><span class=line><span class='lineno'>1</span>a\n</span>"
        "<span class=line><span class='lineno'>2</span>  b</span></pre>",
        "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td>"
        "<td class=code><pre>a\n  b</pre></td></tr></table>",
        "<table><tr><td class='blob-num' data-line-number=1></td><td class='blob-code'>a</td></tr>"
        "<tr><td class='blob-num' data-line-number=2></td><td class='blob-code'>  b</td></tr>"
        "</table>",
        "<pre><div><span class=x>9</span><div>a\n</div></div>"
        "<div><style>p { }</style><span class=x>10</span><div>  b</div></div></pre>",
        "<pre><span class=line>a</span><span class='line border-l'>  b</span></pre>",
        "<pre>a\r\n&nbsp;&nbsp;b\n</pre>",
        "<pre><a href='https://play.example.org/'>Run</a><code>a\n  b</code></pre>",
    ],
)
def test_code_without_its_line_numbers(html: str) -> None:
    assert only(html, Code).text == "a\n  b"


def test_an_item_has_no_dash_after_its_bullet() -> None:
    items = "<li>– reporting by Reed<li>-5 degrees<li>• bold<li><span>•</span>Oars"
    block = only(f"<ul>{items}</ul>", List)
    texts = [plain_text(item.blocks[0].spans) for item in block.items]  # type: ignore[attr-defined]
    assert texts == ["reporting by Reed", "-5 degrees", "bold", "Oars"]


def test_the_lines_of_a_source_are_parted_by_commas() -> None:
    name = "<div class=q-source><p>A. Writer</p><p>miller at Marl</p></div>"
    quote = only(f"<blockquote><p>Said.</p>{name}</blockquote>", Quote)
    assert plain_text(quote.cite) == "A. Writer, miller at Marl"


@pytest.mark.parametrize(
    ("link", "source"),
    [
        ("<a href=//linkedin.example/reed>LinkedIn</a><a href=//x.example/reed>X</a>", "A. Reed"),
        ("<a href=/moor>The Moor</a> and ", "The Moor and A. Reed"),
    ],
)
def test_links_to_social_networks_beside_a_speaker_are_left_out(link: str, source: str) -> None:
    quote = only(f"<blockquote><p>Said.</p><footer>{link}A. Reed</footer></blockquote>", Quote)
    assert plain_text(quote.cite) == source


def test_the_name_of_a_network_may_be_the_source() -> None:
    source = "<footer><a href=//linkedin.example>LinkedIn</a></footer>"
    quote = only(f"<blockquote><p>Said.</p>{source}</blockquote>", Quote)
    assert plain_text(quote.cite) == "LinkedIn"


def test_amounts_in_headings_are_bold_lines_below_the_names_of_what_they_are_for() -> None:
    offers = "".join(
        f"<p>{name}</p><h4>{price}</h4><p>For boats of all kinds that cross the river.</p>"
        for name, price in (("Day ticket", "$20"), ("Season ticket", "€1,200/year"))
    )
    shape = [(type(b), plain_text(b.spans)) for b in compose_article(f"<h2>Prices{offers}").blocks]
    assert shape[1:3] == [(Heading, "Day ticket"), (Paragraph, "$20")]
    assert shape[4:6] == [(Heading, "Season ticket"), (Paragraph, "€1,200/year")]
    same = f"<h2>Ferry</h2><p>From</p><h4>$20</h4><h2>Barge</h2><p>From</p><h4>$30</h4><p>{LONG}"
    assert [type(b) for b in compose_article(same).blocks].count(Heading) == 2
    years = compose_article(f"<h2>Harbours</h2><p>Dates</p><h3>1874</h3><p>{LONG}").blocks
    assert isinstance(years[2], Heading)


@pytest.mark.parametrize(("end", "kind"), [(".", Paragraph), ("", Heading)])
def test_a_sentence_of_several_lines_in_a_heading_is_a_paragraph(end: str, kind: type) -> None:
    text = "The ferry leaves the quay at dawn, crosses the river in all weathers, and is back " * 2
    blocks = compose_article(f"<h4>{text.strip()}{end}</h4><p>{LONG}</p>").blocks
    assert isinstance(blocks[0], kind)


def test_a_long_quotation_in_a_heading_is_a_paragraph() -> None:
    saying = "“The ferry came late, but it came, and we shall take it again next year"
    blocks = compose_article(
        f"<h3>{saying}!”</h3><h3>{saying}, with all of our boats and oars.”</h3>"
    ).blocks
    assert [type(block) for block in blocks] == [Heading, Paragraph]


def test_a_heading_marked_throughout_is_not_highlighted() -> None:
    page = f"<h2><mark>Harbours</mark></h2><p>{LONG}<h2>The <mark>old</mark> mole</h2><p>{LONG}"
    first, _, second, _ = compose_article(page).blocks
    assert [span.marks for span in first.spans] == [()]
    assert ("mark",) in [span.marks for span in second.spans]
    question, answer = compose_article(f"<p><mark>When?</mark></p><p>{LONG}</p>").blocks
    assert [span.marks for span in question.spans] == [("strong",)]
    assert [span.marks for span in answer.spans] == [()]


def test_headings_of_an_accordion_are_below_the_one_above_it() -> None:
    folded = "".join(
        f"<h2 class=accordion-header>{name}</h2><p>{LONG}</p>" for name in ("When?", "Where?")
    )
    page = compose_article(f"<h2>Questions</h2>{folded}<h2>Harbours</h2><p>{LONG}").blocks
    assert [b.level for b in page if isinstance(b, Heading)] == [2, 3, 3, 2]


def test_a_class_or_style_states_the_numbering_of_a_list() -> None:
    items = "<li>Oars and sails</li><li>Nets and lines</li>"
    for attribute, style in (
        ("class=ol-lower-alpha", "a"), ('style="list-style-type: upper-roman"', "I"), ("", ""),
    ):  # fmt: skip
        (block,) = compose_article(f"<ol {attribute}>{items}</ol>").blocks
        assert block.style == style


@pytest.mark.parametrize(
    "item",
    [
        "<li><span class=label>{}.</span><cite>Ferryman, A. " + "The water rises. " * 7 + "</cite>",
        "<li><div>{}</div><div>The water rises.</div>",
    ],
)
def test_numbers_in_elements_of_their_own_number_a_list(item: str) -> None:
    found = only("<ul>" + "".join(map(item.format, (1, 2, 3))) + "</ul>", List)
    assert found.ordered
    assert found.start == 1
    for spans in (block.spans for entry in found.items for block in entry.blocks):
        assert plain_text(spans)[0] in "FT"
        assert not any("cite" in span.marks for span in spans)


def test_a_list_whose_numbers_are_typed_is_numbered() -> None:
    references = only("<ul><li>4. Oars, <i>1990</i>.<li>5. Rope.</ul>", List)
    assert (references.ordered, references.start, len(references.items)) == (True, 4, 2)


@pytest.mark.parametrize(
    "markup",
    [
        "<ul style='list-style-type: decimal'><li>Stir.<li>Wait.</ul>",
        "<ul><li style='list-style: decimal'>Stir.<li style='list-style: decimal'>Wait.</ul>",
    ],
)
def test_a_list_whose_style_numbers_it_is_numbered(markup: str) -> None:
    assert only(markup, List).ordered
    assert not only(markup.replace("decimal", "disc"), List).ordered


def test_a_list_without_items_indents() -> None:
    assert [type(b) for b in compose_article("<p>Text.</p><ul>Aside.</ul><p>More.").blocks] == [
        Paragraph, Quote, Paragraph,
    ]  # fmt: skip
    nested = compose_article("<p>Text.</p><ul><b>Least:</b><ul><li>3 m<li>Two</ul></ul>").blocks
    assert [type(block) for block in nested] == [Paragraph, Paragraph, List]


def test_a_sentence_that_an_empty_box_interrupts_goes_on() -> None:
    html = "<div>See <a href=/a>Tides</a><div></div>, and <i>Depths</i><div></div>. Then go.</div>"
    (paragraph,) = compose_article(html).blocks
    assert plain_text(paragraph.spans) == "See Tides, and Depths. Then go."
    assert len(compose_article("<p>Ends.</p><p>, odd</p>").blocks) == 2


def test_a_list_of_one_bold_line_is_a_heading() -> None:
    article = compose_article(
        "<p>One.</p><ul><li><strong>The lock</strong></li></ul><p>Two men open it.</p>"
        "<ul><li><strong><a href=/q>The quay</a> (by day)</strong></li></ul><p>Three.</p>"
        "<ul><li><strong>See <a href=/m>the mole</a></strong></li></ul><p>Four.</p>"
    )
    kinds = [type(block) for block in article.blocks]
    assert kinds == [Paragraph] * 5 + [List, Paragraph]


_REMARK = "<p>The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it.</p>"


def bold(*lines: str, below: str = _REMARK) -> str:
    return "".join(f"<p><b>{line}</b></p>{below}" for line in lines)


def test_a_bold_question_may_be_longer_than_other_headings() -> None:
    question = f"Which of the boats {'of the upper harbour ' * 3}may use the new lock"
    assert outline(bold("Tides", f"{question}?")) == [(2, "Tides"), (2, f"{question}?")]
    for line in (question, f"{'They wait. ' * 3}{question}?"):
        assert outline(bold("Tides", "Boats", line)) == [(2, "Tides"), (2, "Boats")]


def test_bold_lines_above_text_are_headings() -> None:
    html = f"<h2>By sea</h2>{_REMARK}{bold('The lock', 'The quay')}"
    assert outline(html) == [(2, "By sea"), (3, "The lock"), (3, "The quay")]
    assert outline(bold("Tides", below="<ul><li>Low<li>High</ul>") + bold("Boats")) == [
        (2, "Tides"), (2, "Boats"),
    ]  # fmt: skip
    assert outline(_REMARK + bold("The lock")) == [(2, "The lock")]
    numbered = bold("1. The lock.", "2. The quay", "3. The weir")
    assert [text for _, text in outline(numbered)] == ["1. The lock.", "2. The quay", "3. The weir"]
    chinese = "<p>渡輪在黎明離開港口，碼頭上從來沒有人遲到，大家都這麼說。</p>"
    assert outline(bold("碼頭", "港口", below=chinese)) == [(2, "碼頭"), (2, "港口")]


@pytest.mark.parametrize(
    "lines",
    [
        ["1. The lock", "2. We went home in the evening, and all was well."],
        ["1. The lock", "2. 5 per cent of all boats.", "3. Mai war alles ruhig."],
        ["1. The lock", "2. The weir", "3. We went home, and all was well."],
        ["1. The lock", "2. The weir", "4. Juli war alles ruhig."],
    ],
)
def test_numbered_bold_sentences_are_no_headings(lines: list[str]) -> None:
    below = "<p>The ferry leaves the old harbour at dawn, and nobody has ever been late for it.</p>"
    html = "".join(f"<p><b>{line}</b></p>{below}" for line in lines)
    assert not [text for _, text in outline(html) if text.endswith(".")]


@pytest.mark.parametrize(
    "html",
    [
        bold("The lock"),
        _REMARK + bold("Print the list of locks!"),
        f"<h2>By sea</h2>{bold('The lock')}",
        bold("The lock", "The quay", below="<p>Ida.</p>"),
        bold("Tell us, where is the lock?", "And who is on the quay?", "The lock keeper speaks"),
        bold("The lock is shut.", "The quay is empty."),
        f"{bold('And the boat?', 'The boat', 'The quay')}{bold(*['And who would row it? ' * 9] * 4)}",
        bold("10:15 The lock", "11:20 The quay"),
        f"<p><b>Pier 3</b></p><p><b>Nantmoor</b></p><p><b>Wales</b></p>{bold('Ida Reed')}",
    ],
)
def test_other_bold_lines_are_no_headings(html: str) -> None:
    assert outline(html) in ([], [(2, "By sea")])


def test_numbered_lists_that_continue_each_other_are_one() -> None:
    steps = "<ol start={0}><li>Step {0}</ol><ul><li>Row {0}</ul>"
    found = compose_article("".join(map(steps.format, (1, 2, 3)))).blocks
    assert [len(block.items) for block in found if isinstance(block, List)] == [3]
    assert list(iter_text(*found)) == [f"{word} {n}" for n in (1, 2, 3) for word in ("Step", "Row")]
    for numbers in (1, 1), (1, 3), (1,):
        separate = compose_article("".join(map(steps.format, numbers))).blocks
        assert len(separate) == 2 * len(numbers)


def test_the_times_of_a_live_report_are_below_the_headings_of_its_entries() -> None:
    entry = "<div><time>21:0{0}</time><mark>Tam Reed</mark></div><h3>Mile {0}</h3><p>The boat is on.</p>"
    blocks = compose_article("".join(map(entry.format, range(4)))).blocks
    assert [plain_text(block.spans) for block in blocks[:2] if hasattr(block, "spans")] == [
        "Mile 0",
        "21:00 Tam Reed",
    ]
    assert [type(block) for block in blocks[:4]] == [Heading, Paragraph, Paragraph, Heading]
    programme = compose_article("".join(map(entry.format, range(3)))).blocks
    assert isinstance(programme[0], Paragraph)


@pytest.mark.parametrize(("end", "are_headings"), [("?", True), ("", False)])
def test_long_questions_named_as_such_are_headings(end: str, are_headings: bool) -> None:
    line = "<div class=faq-question>Which of the {} leave the harbour at dawn, and how long do they stay out at sea{}</div>"
    html = "".join(line.format(name, end) + _REMARK + _REMARK for name in ("boats", "ferries"))
    assert len(outline(html)) == (2 if are_headings else 0)


@pytest.mark.parametrize("end", [".", ":", "。", "：", "।"])
def test_a_bold_sentence_is_no_heading_in_any_script(end: str) -> None:
    assert is_bold_line(Paragraph((Span("北線的小船", ("strong",)),)))
    assert not is_bold_line(Paragraph((Span(f"北線的小船{end}", ("strong",)),)))
