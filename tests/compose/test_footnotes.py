"""Notes in the various forms that pages use."""

from __future__ import annotations

import pytest

from printer.article import Note, Paragraph, iter_spans, iter_text, plain_text, walk
from tests.support.compose_html import compose_article, first_spans, outline

NOTES = {
    "mediawiki": (
        '<p>Text<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup> more.',
        '<ol class=references><li id="cite_note-1"><span class="mw-cite-backlink"><b>'
        '<a href="#cite_ref-1">^</a></b></span> <span class="reference-text">The note.</span>'
        "</li></ol>",
    ),
    "markdown": (
        '<p>Text<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup> more.',
        '<div class=footnotes><hr><ol><li id="fn:1"><p>The note.'
        '<a class="footnote-backref" href="#fnref:1">&#8617;</a></p></li></ol></div>',
    ),
    "word": (
        '<p>Text<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a> more.',
        '<p><a href="#_ftnref1" name="_ftn1"><sup>[1]</sup></a> The note.</p>',
    ),
    "newsletter": (
        '<p>Text<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a> more.',
        '<div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" '
        'class="footnote-number">1</a><div class="footnote-content"><p>The note.</p></div></div>',
    ),
    "aria": (
        '<p>Text<a role=doc-noteref href="#n1">*</a> more.',
        "<section role=doc-endnotes><p id=n1 role=doc-endnote>The note.</p></section>",
    ),
    "label typed": (
        '<p>Text<sup><a id=r1 href="#en1">1</a></sup> more.',
        '<p id=en1>1. The note. <a href="#r1">Back</a></p>',
    ),
    "sign back that leads nowhere": (
        '<p>Text<a href="#fn1"><sup>1</sup></a> more.',
        '<ol class=footnotes><li id=fn1>The note. <a href="#">↩\ufe0e</a></li></ol>',
    ),
}


@pytest.mark.parametrize("kind", NOTES)
def test_footnotes(kind: str) -> None:
    text, notes = NOTES[kind]
    article = compose_article(f"{text}<h2>Notes</h2>{notes}")
    (note,) = [block for block in walk(article.blocks) if isinstance(block, Note)]
    (sign,) = [span for span in first_spans(f"{text}<h2>Notes</h2>{notes}") if span.note]
    assert sign.note == note.id
    assert sign.text.strip("[]") == note.label
    assert "sup" in sign.marks
    (body,) = note.blocks
    assert isinstance(body, Paragraph)
    assert plain_text(body.spans) == "The note."
    # The theme sets notes in a separate place, under its own heading.
    assert [type(block) for block in article.blocks] == [Paragraph, Note]


def test_a_heading_above_notes_stays_when_it_has_text_as_well() -> None:
    text, notes = NOTES["markdown"]
    assert outline(f"{text}<h2>Notes</h2><p>Some more.{notes}") == [(2, "Notes")]
    assert outline(f"{text}<h2>Notes</h2>{notes}<p>Some more.") == [(2, "Notes")]
    assert outline(f"{text}<h2>Notes</h2>{notes}<h2>More</h2><p>x") == [(2, "More")]


@pytest.mark.parametrize(("label", "stays"), [("Footnotes", 0), ("Fußnoten:", 0), ("Jane Reed", 1)])
def test_a_label_above_notes_goes_with_them(label: str, stays: int) -> None:
    text, notes = NOTES["markdown"]
    blocks = compose_article(f"{text}<p class=rubric>{label}</p>{notes}").blocks
    assert sum(list(iter_text(block)) == [label] for block in blocks) == stays


def test_a_sign_whose_note_is_not_printed_is_text() -> None:
    text, notes = NOTES["markdown"]
    article = compose_article(text + notes.replace("The note", "ADVERT"), drop="ADVERT")
    (block,) = article.blocks
    assert isinstance(block, Paragraph)
    assert not any(span.note or span.href for span in block.spans)


#: Notes whose signs are no links, or whose names do not say so: the text, then the notes.
OTHER_SHAPES = {
    "list at the end": (
        "<p>One<sup>1</sup> and two<sup>[2]</sup> are here.",
        "<h2>Notes</h2><ol><li>Note one.</li><li>Note two.</li></ol>",
    ),
    "paragraphs that begin with the number": (
        "<p>One<sup>1</sup> and two<sup>2</sup> are here.",
        "<hr><p><sup>1</sup> Note one.</p><p><b>2</b> Note two.</p><p>Thanks to all of them.",
    ),
    "lists aside": (
        "<p>One<sup>1</sup> is here.</p><aside><ol><li>Note one.</li></ol></aside>"
        "<p>And two<sup>2</sup> are here.</p>",
        "<aside><ol start=2><li>Note two.</li></ol></aside><p>The end of it is here.",
    ),
    "in the line": (
        "<p>One<label for=s1></label><input id=s1><span class=sidenote>Note one.</span> and two"
        "<label>2</label><input><span class=sidenote><sup>2</sup> Note two.</span> are here.",
        "",
    ),
    "below the sign": (
        "<p>One<span class=inline-footnote>1<span class=footnoteContent>Note one.</span></span> and"
        " two<span class=inline-footnote>2<span class=footnoteContent>Note two.</span></span> are"
        " here.",
        "",
    ),
    "behind the sign": (
        "<p>One<sup><a href='javascript:void(0)'>1</a></sup><span class=x-footnote__note>Note one."
        "</span> and two<sup>2</sup><span class=x-footnote__note>Note two.</span> are here.",
        "",
    ),
    "within wrappers, with labels repeated": (
        "<p>One<span><sup>1</sup><span><span class=x_note_content><sup>1</sup><span>1</span>Note "
        "one.</span></span></span> and two<span><sup>2</sup><span><span class=x_note_content>"
        "<sup>2</sup><span>2</span>Note two.</span></span></span> are here.",
        "",
    ),
    "with a label, but no name": (
        "<p>One<sup><a href=#x1>1</a></sup> and two<sup><a href=#x2>2</a></sup> are here.",
        "<div id=x1><p><span>1</span>Note one.</div><div id=x2><p><span>2</span>Note two.</div>",
    ),
    "with a stop behind the link back": (
        "<p>One<sup><a id=r1 href=#n1>1</a></sup> and two<sup><a id=r2 href=#n2>2</a></sup> are here.",
        "<div id=n1><a href=#r1>1</a>. Note one.</div><div id=n2><a href=#r2>2</a>. Note two.</div>",
    ),
    "numbers of items": (
        "<p>One <a href='#a1'>[1]</a> and two <a href='#a2'>[2]</a> are here.",
        "<h2>References</h2><ol><li><a id=a1></a>Note one.</li><li><a id=a2></a>Note two.</li></ol>",
    ),
}


@pytest.mark.parametrize("kind", OTHER_SHAPES)
def test_notes_of_other_shapes(kind: str) -> None:
    article = compose_article("".join(OTHER_SHAPES[kind]))
    notes = [block for block in walk(article.blocks) if isinstance(block, Note)]
    assert [(note.label, *iter_text(*note.blocks)) for note in notes] == [
        ("1", "Note one."), ("2", "Note two."),
    ]  # fmt: skip
    signs = [span for span in iter_spans(article.blocks) if span.note]
    assert [(sign.note, sign.text.strip("[]")) for sign in signs] == [
        (note.id, note.label) for note in notes
    ]
    texts = " ".join(iter_text(*(block for block in article.blocks if not isinstance(block, Note))))
    assert texts.split()[0].startswith("One")
    assert "are here." in texts
    assert "Note" not in texts


@pytest.mark.parametrize(
    "html",
    [
        "<p>An area of 5 m<sup>2</sup> is small.</p><ol><li>First.</li><li>Second.</li></ol>",
        "<p>One<sup>1</sup> and 3<sup>4</sup>.</p><ol><li>First.</li><li>Second.</li></ol>",
        "<ol><li>First.</li></ol><p>One<sup>1</sup> is here.</p>",
        "<p>One<sup>1</sup> is here.</p><ol><li>First.</li></ol><p>More text is here.</p>",
    ],
)
def test_raised_numbers_that_are_no_signs_of_notes(html: str) -> None:
    assert not any(isinstance(block, Note) for block in walk(compose_article(html).blocks))


def test_raised_numbers_that_no_link_leads_to_remain_text() -> None:
    html = "<p>It is 4 m<sup>2</sup> wide.</p><hr><p>The end.</p><p><sup>2</sup> Oars.</p>"
    assert not any(isinstance(block, Note) for block in compose_article(html).blocks)


def test_a_link_leads_to_the_part_of_a_paragraph_below_its_line_breaks() -> None:
    html = "<p>See <a href='#b'>below</a>.</p><p>Oars.<br><br><a name=b>Ropes</a> hold.</p>"
    assert [block.id for block in compose_article(html).blocks] == ["", "", "b"]


def test_the_page_s_own_heading_of_its_notes_is_kept() -> None:
    for heading in ("References and notes", "Notes"):
        text, note = NOTES["markdown"]
        blocks = compose_article(f"{text}</p><h4>{heading}</h4>{note}").blocks
        assert [block.heading for block in blocks if isinstance(block, Note)] == [heading]


def test_no_space_is_between_a_spaced_mark_and_the_full_stop() -> None:
    html = "<p>The boat<sup> <b>2</b> </sup>. The <sup><b>3</b> <b>4</b></sup> ferry."
    assert compose_article(html).text == "The boat2. The 3 4 ferry."


@pytest.mark.parametrize(("number", "count"), [(3, 3), (4, 2)])
def test_links_to_the_heading_of_the_notes_lead_to_its_items(number: int, count: int) -> None:
    marks = "".join(f"<sup><a id=m{n} href='#all'>{n}</a></sup>, " for n in (1, 2, number))
    items = "".join(f"<li>Log {n} of the ferry.</li>" for n in (1, 2, 3))
    html = f"<p>Ferries sail{marks}often.</p><section class=footnotes><h2 id=all>Sources</h2>"
    blocks = compose_article(f"{html}<p>All are old.</p><ol>{items}</ol></section>").blocks
    notes = [block for block in blocks if isinstance(block, Note)]
    assert [" ".join(iter_text(note)) for note in notes][:2] == [
        "Log 1 of the ferry.", "Log 2 of the ferry.",
    ]  # fmt: skip
    assert len(notes) == count
