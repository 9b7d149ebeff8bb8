from dataclasses import replace

from printer.article import Article, Figure, Note, Paragraph, Span
from printer.compose.cleanup import merge_pages

LEAD = Figure("https://example.org/lead.jpg")
SUMMARY = Paragraph((Span("What the whole story is about, told in one sentence of some length."),))


def page(*texts, note=""):
    notes = (Note("n1", "1", (Paragraph((Span(note),)),)),) if note else ()
    paragraphs = tuple(Paragraph((Span(text), Span("1", note="n1", href="#n1"))) for text in texts)
    return Article("Title", (LEAD, SUMMARY, *paragraphs, *notes), confidence=0.9)


def test_pages_follow_each_other_and_repeat_nothing():
    joined = merge_pages([page("One"), page("Two"), page("No"), page("No")])
    assert joined.title == "Title"
    assert joined.blocks[:2] == (LEAD, SUMMARY)
    assert joined.text.replace("1", "").split("\n\n")[1:] == ["One", "Two", "No", "No"]
    assert joined.figures == (LEAD,)


def test_notes_of_two_pages_do_not_meet():
    joined = merge_pages([page("One", note="first"), page("Two", note="second")])
    notes = {block.id: block for block in joined.blocks if isinstance(block, Note)}
    assert set(notes) == {"n1", "p2-n1"}
    two = next(b for b in joined.blocks if isinstance(b, Paragraph) and b.spans[0].text == "Two")
    assert two.spans[1].note == "p2-n1"
    assert two.spans[1].href == "#p2-n1"


def test_only_the_first_page_has_a_standfirst():
    standfirst = Paragraph((Span("A short line."),), standfirst=True)
    other = Paragraph((Span("Another line."),), standfirst=True)
    pages = [replace(page(name), blocks=(lead, *page(name).blocks)) for name, lead in (
        ("One", standfirst), ("Two", standfirst), ("Three", other))]  # fmt: skip
    blocks = merge_pages(pages).blocks
    assert [block for block in blocks if getattr(block, "standfirst", False)] == [standfirst]
    assert [block.spans[0].text for block in blocks if isinstance(block, Paragraph)][2:] == [
        "One", "Two", "Another line.", "Three",
    ]  # fmt: skip
