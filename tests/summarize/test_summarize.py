from hypothesis import given
from hypothesis import strategies as st

from printer import extract
from printer.article import Article, Figure, Heading, List, Note, Paragraph, Quote, Span, plain_text
from printer.options import ExtractOptions
from printer.summarize import summarize


def paragraph(text, **more):
    return Paragraph((Span(text, **more),))


ARTICLE = Article(
    "Harbour lights",
    (
        paragraph("It was raining, and there was nothing else to say of it at all."),
        Figure("https://example.org/a.png"),
        Paragraph(
            (Span("The harbour lights went out, and the harbour was dark."), Span("1", note="n1"))
        ),
        Heading(2, (Span("Afterwards and much later on"),)),
        paragraph("Somebody had been somewhere, or so it was told by someone else there."),
        paragraph(
            "Lights of the harbour were repaired; harbour lights shine.", href="https://x.test/"
        ),
        List(()),
        paragraph("Short one."),
        Note("n1", "1", (paragraph("A note that explains the harbour lights at length."),)),
        Note("n2", "2", (paragraph("Another note that nobody calls any more here."),)),
    ),
    language="en",
)


def key(article, count, style="only", query=""):
    options = ExtractOptions(key_paragraphs=count, key_paragraphs_as=style, key_query=query)
    return summarize(article, options)


def texts(blocks):
    return [plain_text(block.spans)[:12] for block in blocks if isinstance(block, Paragraph)]


def test_only_the_key_paragraphs_are_left_with_their_notes():
    short = key(ARTICLE, 2)
    assert texts(short.blocks) == ["The harbour ", "Lights of th"]
    assert [block.id for block in short.blocks if isinstance(block, Note)] == ["n1"]
    assert "harbour" in short.keywords


def test_a_box_stands_before_the_whole_and_leads_nowhere():
    boxed = key(ARTICLE, 2, "box")
    assert boxed.blocks == ARTICLE.blocks
    assert texts(boxed.key) == ["The harbour ", "Lights of th"]
    assert not any(span.href or span.note or span.id for block in boxed.key for span in block.spans)
    assert boxed.to_dict()["key"][0]["spans"][0]["text"].startswith("The harbour lights")


def test_a_query_brings_other_paragraphs():
    assert texts(key(ARTICLE, 1, query="rain").blocks) == ["It was raini"]


def test_a_short_article_and_one_without_the_option_stay_unchanged():
    assert key(ARTICLE, 4) is ARTICLE
    assert key(ARTICLE, 0) is ARTICLE


def test_quotations_count_and_every_script_has_paragraphs():
    signs = Article("港口", tuple(paragraph("港口的灯灭了，港口一片漆黑。" * n) for n in (1, 2, 3)))
    assert len(key(signs, 1).blocks) == 1
    quoted = Article("A", (Quote(ARTICLE.blocks[2:3]), *ARTICLE.blocks[:1], *ARTICLE.blocks[4:6]))
    assert texts(key(quoted, 1, query="dark").blocks) == ["The harbour "]


@given(st.lists(st.text(max_size=80), max_size=8), st.integers(1, 9), st.text(max_size=20))
def test_at_most_the_requested_number_and_in_order(lines, count, query):
    article = Article("T", tuple(map(paragraph, lines)))
    shortened = key(article, count, query=query)
    assert shortened is article or len(shortened.blocks) <= count
    places = [article.blocks.index(block) for block in shortened.blocks]
    assert places == sorted(places) or len(set(lines)) < len(lines)


def test_the_library_has_it_too():
    html = "<article><h1>Ferry</h1>" + "".join(
        f"<p>The ferry of day {n} leaves the harbour at dawn for the island.</p>" for n in range(9)
    )
    assert len(extract(html, key_paragraphs=3).paragraphs) == 3
