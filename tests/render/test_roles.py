import pytest

from printer.article import Cell, Code, List, Math, Rule, Span, Table
from printer.render.roles import (
    find_entries,
    find_labels,
    find_roles,
    is_code_title,
    is_label,
    is_labeled_line,
    is_verse,
)
from tests.support.sample_articles import heading, items, paragraph

WORDS = "The river rises under the ridge and comes down slowly through the meadows to the mill. "


def test_each_block_has_one_role():
    blocks = {
        paragraph("HARBOR NEWS"): "eyebrow",
        heading("The ferry"): "",
        paragraph("The ferry leaves at:"): "leads",
        items("Eight"): "",
        paragraph(WORDS): "",
        Math("x = 1"): "",
        paragraph("(3)"): "formula-number",
        paragraph("setup.py"): "code-title",
        Code("x = 1"): "",
        paragraph("Tickets"): "label-line",
        paragraph(WORDS * 2): "",
    }
    assert find_roles(list(blocks)) == tuple(blocks.values())


def test_notes_below_a_table_belong_to_it():
    table = Table((), ((Cell((paragraph("Ferry"),)), Cell((paragraph("8*"),))),))
    mark = paragraph(Span("a", ("sup",)), Span("At low tide."))
    notes = (
        paragraph("* Daily."),
        mark,
        paragraph("Note: No dogs."),
        paragraph("Quelle: Hafenamt"),
    )
    roles = find_roles([table, *notes, paragraph(WORDS), paragraph("* Daily.")])
    assert roles[1:] == ("table-note",) * 4 + ("", "")
    assert find_roles([table, paragraph(f"* {WORDS * 4}")])[1] == ""
    assert "table-note" not in find_roles([paragraph(WORDS), *notes, paragraph(WORDS)])


def test_the_name_of_an_entry_is_distinguished_from_its_other_lines():
    lines = ("The mill", "Height: 12 m", "Built: 1862", "Owner: the town")
    roles = ("entry name", "entry", "entry", "entry")
    assert find_roles([*map(paragraph, lines), paragraph(WORDS)]) == (*roles, "")


@pytest.mark.parametrize(
    ("block", "after", "is_one"),
    [
        (paragraph(Span("Step one: listen", ("strong",))), paragraph(WORDS), True),
        (paragraph(Span("What you need", ("strong",))), List(()), True),
        (paragraph("Note"), paragraph(WORDS), True),
        (paragraph("Listing 4"), Code("x"), True),
        (paragraph("and then call it with"), Code("x"), False),
        (paragraph("Tools of the mill"), items("A wheel"), True),
        (paragraph("so we took"), items("A wheel"), False),
        (paragraph("NEWS OF THE BAY"), paragraph("A lamp and a pair of oars were found."), True),
        (paragraph("“GONE FOR GOOD”"), paragraph("A lamp and a pair of oars were found."), True),
        (paragraph("BBC 中文站 10月报"), paragraph("A lamp and a pair of oars were found."), False),
        (paragraph("＜震度4＞"), paragraph("宮崎県：延岡市"), True),
        (paragraph("Note"), paragraph("Short."), False),
        (paragraph("4.7 / 5"), paragraph(WORDS), False),
        (paragraph("Rope"), paragraph("A lamp and a pair of oars"), False),
        (paragraph("It rained."), paragraph(WORDS), False),
        (paragraph(Span("Time:", ("strong",)), Span(" a week")), paragraph(WORDS), False),
        (paragraph(Span(f"{WORDS * 2}is it?", ("strong",))), paragraph(WORDS), True),
        (paragraph(Span(f"{WORDS * 2}is it?", ("em",))), paragraph(WORDS), True),
        (paragraph(Span(f"{WORDS * 2}it is.", ("strong",))), paragraph(WORDS), False),
        (paragraph(f"{WORDS * 2}is it?"), paragraph(WORDS), False),
        (paragraph(Span("Tools of the mill", ("strong",)), Span(": ")), items("A wheel"), True),
        (paragraph(Span("The end", ("strong",))), None, False),
        (paragraph(Span("Above", ("strong",))), heading("A heading"), False),
        (paragraph(Span("Above", ("strong",))), Rule(), False),
        (paragraph(Span("See here", href="https://example.org/")), paragraph(WORDS), False),
        (paragraph(Span("Note"), Span("1", note="1")), paragraph(WORDS), False),
    ],
)
def test_a_line_that_is_a_heading_is_distinguished_from_text(block, after, is_one):
    assert is_label(block, after) is is_one


def bold(text):
    return paragraph(Span(text, ("strong",)))


def italic(text):
    return paragraph(Span(text, ("em",)))


SHORT_TEXT = "They travel free of charge on all of the boats, but only on the open deck."
LONG_CHINESE = paragraph(
    "渡船每天早上八點離開港口，中午之前抵達小島，船上有咖啡和熱湯，天氣好的時候乘客都坐在甲板上看海鷗。"
)


@pytest.mark.parametrize(
    ("blocks", "labels"),
    [
        (("Tickets", WORDS, "Dogs", SHORT_TEXT, "Bicycles", WORDS), {0, 2, 4}),
        (("Tickets", WORDS, "Dogs", SHORT_TEXT, "Oars", SHORT_TEXT, "Rope", SHORT_TEXT), set()),
        (("Tickets", WORDS, "It rained", "all day"), {0}),
        (("Tickets", WORDS, "The island", "Dogs on the quay", WORDS), {0, 2, 3}),
        (("4.7 / 5", WORDS, "4.9 / 5", WORDS), set()),
        (("北線", LONG_CHINESE, "南線的小船", LONG_CHINESE), {0, 2}),
        ((bold("Tickets"), WORDS, bold("The ferry never waits for anyone."), WORDS), {0}),
        ((bold("The boats: a day on the water."), WORDS, bold("Tickets"), WORDS), {0, 2}),
        ((bold("The ferry never waits for anyone."), WORDS), set()),
        ((italic("Who rows?"), SHORT_TEXT, WORDS, italic("Were you afraid?"), WORDS), {0, 3}),
        ((italic("Who rows?"), SHORT_TEXT, WORDS), set()),
        ((bold("We sail to the island."), WORDS, bold("We row back at night."), WORDS), {0, 2}),
    ],
)
def test_lines_that_look_alike_are_all_headings_or_none(blocks, labels):
    run = [paragraph(block) if isinstance(block, str) else block for block in blocks]
    assert find_labels(run, find_entries(run)) == labels


def test_lines_with_a_colon_that_recur_above_text_are_headings():
    names = ("Tickets:", "Dogs (on a lead):", "Bicycles:", "Oars:")
    labels = [(paragraph(name), paragraph(WORDS)) for name in names]
    blocks = [block for pair in labels for block in pair]
    assert find_labels(blocks, frozenset()) == {0, 2, 4, 6}
    assert find_labels(blocks[:6], frozenset()) == set()
    text = [paragraph(WORDS * 2)] * 40
    assert find_labels([*text, *blocks], frozenset()) == set()
    term = [paragraph("Weir:"), paragraph("A low dam.")]  # One of a kind is set as all are.
    assert find_labels([*blocks, *term], frozenset()) == set()
    speech = [(paragraph(name), paragraph(f"“{WORDS}”")) for name in names]
    assert find_labels([block for pair in speech for block in pair], frozenset()) == set()


def test_a_label_of_questions_above_a_heading_is_an_eyebrow():
    for label, role in (("FAQ", "eyebrow"), ("Häufige Fragen:", "eyebrow"), ("Tides", "")):
        blocks = [paragraph(WORDS), paragraph(label), heading("When does it sail?")]
        assert find_roles(blocks) == ("", role, "")


def labeled(label, text):
    return paragraph(Span(f"{label}:", ("strong",)), Span(f" {text}"))


def test_short_paragraphs_with_labels_among_longer_ones_are_no_list():
    steps = [
        labeled("Step 1", WORDS * 2),
        labeled("Step 2", SHORT_TEXT),
        labeled("Step 3", SHORT_TEXT),
        labeled("Step 4", WORDS * 2),
    ]
    assert find_entries(steps) == frozenset()
    assert find_entries(steps[1:3]) == {0, 1}
    lines = [labeled("Berth", "North quay"), labeled("Draught", "3 m")]
    assert find_entries([steps[0], *lines, steps[3]]) == {1, 2}


def test_long_numbered_lines_of_one_paragraph_are_a_list():
    lines = [f"{letter}) {WORDS}".strip() for letter in "abc"]
    blocks = [paragraph(WORDS * 3), paragraph("\n".join(lines)), paragraph(WORDS * 3)]
    assert find_entries(blocks) == {1}
    for text in ([lines[0], WORDS, WORDS], lines * 5, lines[:1]):
        assert not find_entries([blocks[0], paragraph("\n".join(text)), blocks[2]])


def test_a_chinese_quotation_after_a_sentence_is_no_label():
    assert not is_labeled_line(paragraph("船長站在碼頭。他說：“今天不開船。”他又走了"), 180)


def test_stanzas_are_distinguished_from_paragraphs():
    stanza = paragraph(
        "It came down out of the hills\nwith dust on its sleeves,\nand asked its way."
    )
    assert is_verse(stanza)
    assert not is_verse(paragraph("One line\nand another"))
    assert not is_verse(paragraph(f"{WORDS}\n{WORDS}\n{WORDS}"))
    assert is_verse(paragraph(f"1 - The ford\n2 - The mill\n3 - The weir\n4 - {WORDS[:120]}"))
    assert not is_verse(paragraph(f"The ford\nThe mill\nThe weir\n{WORDS * 8}"))


def test_the_title_of_code_is_its_file_or_language():
    code = Code("x = 1", "python")
    for title in ("Python", "config/settings.py", "~/.bashrc", "Cargo.toml", "File: a.py"):
        assert is_code_title(paragraph(title), code), title
    for text in ("For example:", "Then run it.", "A long line", "e.g."):
        assert not is_code_title(paragraph(text), code), text
    assert not is_code_title(paragraph("main.py"), paragraph(WORDS))


def test_a_short_paragraph_below_the_opening_one_introduces_nothing():
    rest = [paragraph("We took the ferry."), paragraph(WORDS * 2)]
    assert find_roles(rest) == ("leads", "")
    assert find_roles(rest, before=paragraph(WORDS * 2)) == ("", "")


@pytest.mark.parametrize(
    "lines",
    [
        ["[Ann: I will be late!]", "“Then I will wait.”", "[Ann: Do not wait for me.]"],
        ["(The door opens.)", "(Nobody comes in.)"],
        ["「もう帰るよ。」", "「待って！」"],
        [(Span("The mill stands still."), Span("1", note="n1")), "It was sold.",
         (Span("The wheel is rotten."), Span("2", ("sup",)))],
    ],
)  # fmt: skip
def test_sentences_before_brackets_and_notes_are_no_lines_of_a_list(lines):
    blocks = [paragraph(*line) if isinstance(line, tuple) else paragraph(line) for line in lines]
    assert find_entries(blocks) == frozenset()


def test_a_price_or_an_address_is_no_heading():
    assert not is_label(bold("https://valley.example.org/mill"), paragraph(WORDS * 2))
    assert not is_label(paragraph("$39.99 USD"), items("Four pockets"))
    assert not is_label(paragraph("€12 per night"), paragraph(WORDS * 2))
    assert is_label(paragraph("£10 notes are withdrawn"), paragraph(WORDS * 2))
    assert is_label(paragraph("Four pockets for €12"), paragraph(WORDS * 2))


def test_a_chinese_paragraph_that_begins_with_a_dateline_is_no_entry():
    lines = ("新华网北京１月１６日电 题：" + "渡船的早晨" * 6, "本报记者 王小明")
    assert find_entries([*map(paragraph, lines), paragraph(WORDS)]) == frozenset()
    assert find_entries([*map(paragraph, ("渡船：早晨", "码头：晚上")), paragraph(WORDS)]) == {0, 1}
    phones = ("工作日电话：010-6655 7788", "节假日电话：139-0000 1111")
    assert find_entries([*map(paragraph, phones), paragraph(WORDS)]) == {0, 1}


def test_the_name_of_a_chinese_reporter_is_no_heading():
    text = paragraph("渡船在黎明離開碼頭，穿過河口，船長站在甲板上望著遠處的燈塔。" * 3)
    assert find_roles([text, paragraph("本报记者 王小明 李雪"), text]) == ("", "", "")
    assert find_roles([text, paragraph("记者 王小明 李雪"), text]) == ("", "", "")
    for label in ("记者见闻", "编辑 推荐"):
        assert find_roles([text, paragraph(label), text]) == ("", "label-line", "")
