"""The meaning of line breaks in a run of text."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from printer.article import Span, plain_text
from printer.compose.inline import split_labels, split_paragraphs

WRAPPED = (
    "The harbour of Nantmoor was dredged for the first time in living",
    "memory last spring, when the council found that the ferries had",
    "begun to touch the ground at low tide. Nobody had expected to find",
    "anything there.",
)
VERSE = ("The tide goes out,", "the tide comes in,", "and nobody in Nantmoor", "is asked about it.")
LONG = (
    "The harbour was dredged last spring, because the ferries touched the ground at low tide.",
    "Nobody had expected to find anything but mud there, and for two weeks there was only mud.",
)


def read(*lines: str) -> list[str]:
    return [plain_text(spans) for spans in split_paragraphs((Span("\n".join(lines)),))]


def test_text_wrapped_at_a_margin_is_one_line() -> None:
    assert read(*WRAPPED) == [" ".join(WRAPPED)]


def test_two_lines_are_wrapped_when_the_sentence_goes_on() -> None:
    assert read(WRAPPED[0], "memory last spring.") == [f"{WRAPPED[0]} memory last spring."]
    assert read(WRAPPED[0], "Memory fails us.") == [f"{WRAPPED[0]}\nMemory fails us."]


def test_lines_of_a_configuration_stay_apart() -> None:
    settings = "harbour.lights=on", "quay=3"
    assert read(LONG[0][:-1], *settings) == ["\n".join((LONG[0][:-1], *settings))]
    assert read(LONG[0][:-1], "and quay", "x=3") == [f"{LONG[0][:-1]} and quay\nx=3"]


def test_a_verse_keeps_its_lines() -> None:
    assert read(*VERSE) == ["\n".join(VERSE)]


def test_long_sentences_apart_are_paragraphs() -> None:
    assert read(*LONG) == list(LONG)
    assert read(LONG[0], "Short.", LONG[1]) == [LONG[0], "Short.", LONG[1]]


def test_a_break_inside_a_sentence_of_prose_is_dropped() -> None:
    start, rest = f"{LONG[1]} The boats of", "the night were counted again."
    assert read(LONG[0], start, rest, "It was dark.") == [
        LONG[0],
        f"{start} {rest}",
        "It was dark.",
    ]


def test_a_break_before_a_name_that_ends_the_only_unfinished_sentence_is_dropped() -> None:
    quotation = "“The ferries touch the ground and nobody in the harbour has dredged it,” said"
    assert read(quotation, "Ann Reed.") == [f"{quotation} Ann Reed."]
    beginning = f"{LONG[1]} They found the anchor of the"
    assert read(beginning, "Nantmoor, and sold it.") == [f"{beginning} Nantmoor, and sold it."]
    for lines in [
        (quotation, "Ann Reed"),  # a signature
        (beginning, "Nantmoor, and sold it.", "It was dark."),
        (f"{beginning} Quay", "The boats of the night."),
        (LONG[0][:-1], "Tickets are sold on board."),  # lines without final punctuation
        (
            "Meet the crew of the boat (approx. 20 people) every morning in the old meadow",
            "The ferry leaves at noon.",
        ),
        (f"{beginning} old boats and of the harbour", "Follow her on the river."),
    ]:
        assert "\n".join(lines[:2]) in "\n".join(read(*lines))


def test_lines_of_a_list_stay_together_also_if_one_is_a_sentence() -> None:
    stops = [f"Buses to Marl stop at the lower gate of the weir on the {side}" for side in "NSW"]
    long = "Buses to Nantmoor stop at the upper gate, beside the mill and its old meadow"
    lines = ("Changes to buses from noon.", *stops, long)
    assert read(*lines) == ["\n".join(lines)]


def test_scripts_without_spaces_keep_their_lines() -> None:
    lines = ("港" * 60, "海" * 58, "船" * 20)
    assert read(*lines) == ["\n".join(lines)]


def test_marks_and_links_stay_where_they_were() -> None:
    spans = (Span("A line of the harbour's own\n"), Span("Nantmoor", href="https://n.test/"),
             Span("\nand a last one"))  # fmt: skip
    assert split_paragraphs(spans) == [
        (
            Span("A line of the harbour's own\n"),
            Span("Nantmoor", href="https://n.test/"),
            Span("\nand a last one"),
        )
    ]


@given(st.lists(st.tuples(st.text("ab. \n", min_size=1), st.sampled_from(["", "strong"]))))
def test_no_character_is_lost(parts: list[tuple[str, str]]) -> None:
    spans = tuple(Span(text, (mark,) if mark else ()) for text, mark in parts)
    if spans:
        text_before = "".join("".join(span.text.split()) for span in spans)
        found = "".join(
            "".join(span.text.split()) for part in split_paragraphs(spans) for span in part
        )
        assert found == text_before


def test_a_bold_line_above_a_longer_one_is_a_paragraph_of_its_own() -> None:
    bold, text = Span("Tip", ("strong",)), Span(f"\n{LONG[0]}")
    assert [plain_text(part) for part in split_labels((bold, text))] == ["Tip", LONG[0]]
    twice = (bold, text, Span("\n"), replace(bold, text="Note"), text)
    assert [plain_text(part) for part in split_labels(twice)] == ["Tip", LONG[0], "Note", LONG[0]]


def test_bold_lines_of_an_address_or_within_a_sentence_stay() -> None:
    bold = Span("Anna of Marl", ("strong",))
    for spans in (
        (bold, Span("\nThe Quay 5\nNantmoor")),
        (bold, Span(" said so:\n" + LONG[0])),
        (Span(LONG[0] + "\n"), bold),
        (Span("\n"),),
        (bold, Span("\nA line of verse that is longer than that")),
    ):
        assert [plain_text(part) for part in split_labels(spans)] == [plain_text(spans)]


def test_long_addresses_one_below_the_other_are_no_prose() -> None:
    lines = [f"https://harbour.test/nantmoor/{'ferries/' * 9}{n}" for n in range(3)]
    assert read(*lines) == ["\n".join(lines)]
