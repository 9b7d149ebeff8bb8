"""Lines of justified paragraphs: chosen together, flush at both edges, complete."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from math import inf
from statistics import mean
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weasyprint import HTML

from printer.render.weasy import paragraphs, patches
from printer.render.weasy.paragraphs import (
    HANGS,
    LAST_HYPHEN,
    LINE_PENALTY,
    NEXT_HYPHEN,
    SHRINK,
    STRETCH,
    Break,
    choose_breaks,
)
from printer.render.weasy.patches import patched
from tests.support.documents import text_of

SIZE = 16

TEXT = (
    "The miller closed the sluice at noon and waited for the river to rise, as his grandfather had"
    " done, and his grandfather's uncle before that; but the meadow beyond the willow stayed dry,"
    " and the geese walked across it in single file, unhurried, towards the <em>abandoned"
    " railwaymen's cottages</em> by the embankment. Nobody remembered who had planted the orchard"
    " there, or why its apples ripened a fortnight before all others in the parish."
)
NOTED = TEXT.replace("sluice", "sluice<sup>1<span style='float: footnote'>Of oak.</span></sup>")
FLOATED = TEXT.replace("The", "<b style='float: left; font-size: 3em'>T</b>he", 1)


def lines(
    text: str, width: int, style: str = "", language: str = "en", before: str = ""
) -> list[Any]:
    """Return the lines of a justified paragraph that is so many pixels wide."""
    style = f"width: {width}px; font: {SIZE}px Noto Serif; text-align: justify; {style}"
    source = f"<div lang={language} style='{style}'>{before}<p>{text}</div>"
    with patched():
        page: Any = HTML(string=source).render().pages[0]._page_box
    return [
        line
        for line in page.children[0].descendants()
        if type(line).__name__ == "LineBox" and line.children
    ]


def gaps(found: list[Any]) -> list[float]:
    """Return the space added between the words of each line but the last, in ems."""
    spacings = ([getattr(box, "justification_spacing", 0) for box in line.descendants()]
                for line in found[:-1])  # fmt: skip
    return [max(line, key=abs) / SIZE for line in spacings]


@pytest.fixture
def one_by_one(monkeypatch):
    monkeypatch.setattr(patches, "disabled", {paragraphs.fill_line})


WIDTHS = range(320, 520, 40)


def unevenness() -> float:
    return mean(
        mean(gap**2 for gap in gaps(lines(TEXT, width, "hyphens: auto"))) for width in WIDTHS
    )


def test_lines_chosen_together_are_more_even(request):
    together = unevenness()
    request.getfixturevalue("one_by_one")
    assert together < 0.75 * unevenness()


@pytest.mark.parametrize("text", [TEXT, NOTED])
@pytest.mark.parametrize("hyphens", ["manual", "auto"])
def test_no_word_is_lost_and_no_line_is_over_the_edge(text, hyphens):
    tree = HTML(string=text).etree_element.find("body")
    expected = " ".join("".join(tree.itertext()).split())
    for width in WIDTHS:
        found = lines(text, width, f"hyphens: {hyphens}")
        printed = " ".join(text_of(line) for line in found).replace("\u2010 ", "")
        if text == TEXT:
            assert printed == expected
        edges = [line.position_x + line.width for line in found[:-1]]
        left = min(line.position_x for line in found)
        assert max(edges) <= left + width + max(HANGS.values()) * SIZE + 0.1
        if hyphens == "auto":
            assert min(edges) >= left + width - 0.1
        assert min(gaps(found)) >= -SHRINK - 0.01


def test_a_word_divided_within_a_ligature_fits_in_its_line():
    words = "suffices for <b>justified</b>; profits of different offices in official definitions "
    for width in range(300, 560, 5):
        found = lines(7 * words, width, "hyphens: auto; font-family: Linux Libertine O")
        left = min(line.position_x for line in found)
        assert min(line.position_x + line.width for line in found[:-1]) >= left + width - 0.1
        assert min(gaps(found)) >= -SHRINK - 0.01


def test_a_space_at_the_end_of_the_text_makes_no_line():
    for width in WIDTHS:
        expected = [text_of(line) for line in lines(TEXT, width)]
        found = [text_of(line) for line in lines(TEXT + " ", width)]
        assert [line.rstrip() for line in found] == expected


def test_half_of_a_divided_paragraph_has_lines_of_its_own(monkeypatch):
    (line,) = lines(TEXT.partition(" as his")[0], 1000)
    (text,) = line.children
    monkeypatch.setattr(
        paragraphs,
        "ParagraphLines",
        lambda _, pieces, *__, **___: "".join(piece.text for piece in pieces),
    )
    assert paragraphs._get_paragraph(None, line) == text.text
    half = line.copy_with_children([text.copy_with_text(text.text[:70])])
    assert paragraphs._get_paragraph(None, half) == text.text[:70]


@pytest.mark.parametrize("width", range(300, 520, 20))
def test_the_last_line_of_the_first_part_of_a_divided_paragraph_is_full(width):
    plain = TEXT.replace("<em>", "").replace("</em>", "")
    undivided = [text_of(line) for line in lines(plain, width, "hyphens: auto")]
    for count in range(2, len(undivided)):
        if undivided[count - 1].endswith("\u2010"):
            continue
        first_part = " ".join(undivided[:count]).replace("\u2010 ", "")
        found = lines(first_part, width, "hyphens: auto; text-align-last: justify")
        assert len(found) == count
        edge = found[-1].position_x + found[-1].width
        assert edge >= found[0].position_x + width - 0.1


def test_the_last_line_is_shrunk_but_not_over_the_edge():
    shrunk = 0
    for width in range(300, 560, 8):
        first, *_, last = lines(TEXT, width, "hyphens: auto")
        assert last.position_x + last.width <= first.position_x + width + 0.1
        shrunk += min(getattr(box, "justification_spacing", 0) for box in last.descendants()) < 0
    assert shrunk


def test_a_line_beside_a_float_keeps_its_width(monkeypatch):
    """The float may be on the page only when the paragraph is laid out again."""

    class LineBox:
        style = {"text_align_all": "justify"}  # noqa: RUF012
        text_indent = 20

    wide = SimpleNamespace(line_at=lambda *_: paragraphs.Line(470.0, 0.0, 80, False))
    monkeypatch.setattr(paragraphs, "_get_paragraph", lambda *_: wide)
    column = SimpleNamespace(width=500)
    edges = []

    def original(_context, _box, _position_x, max_x, *_):
        edges.append(max_x)
        raise StopIteration

    for max_x in (300, 500):
        with pytest.raises(StopIteration):
            paragraphs.fill_line(original, SimpleNamespace(), LineBox(), 20, max_x, 0, None, column)
    assert edges == [300, 20 + 470.0 + paragraphs.MARGIN_PX]


def test_no_line_beside_a_float_reaches_into_it():
    floated = "<b style='float: right; width: 100px; height: 90px'></b>"
    text = TEXT.replace(" and ", " <em>and</em> ").replace(" the ", " <em>the</em> ")
    for width in range(300, 420, 4):
        found = lines(text, width, before=floated)
        edge = found[0].position_x + width
        beside = [line for line in found if line.position_y < found[0].position_y + 60]
        texts = [box for line in beside for box in line.descendants() if hasattr(box, "text")]
        assert max(box.position_x + box.width for box in texts) <= edge - 99


def test_words_are_only_divided_where_lines_are_not_good_without():
    wide = [text_of(line) for line in lines(TEXT, 560, "hyphens: auto")]
    narrow = [text_of(line) for line in lines(TEXT, 170, "hyphens: auto")]
    assert not any(line.endswith("\u2010") for line in wide)
    assert any(line.endswith("\u2010") for line in narrow)


FILES = (
    "It matches the images that end with <code>.gif</code>, <code>.jpg</code>, or <code>.png</code>"
    " in <code>/data</code>, <code>/images</code>, and <code>/usr/share</code>, the pages that end"
    " with <code>.html</code> and <code>?print=yes</code>, the rules for <code>:root</code> marked"
    " <code>!important</code>, and all those files below <code>/srv</code> or <code>./local</code>"
    " that nobody has read since <em>the flood</em> ."
)


@pytest.mark.parametrize("width", range(360, 500, 10))
def test_lines_end_before_signs_that_begin_an_element(width):
    found = lines(FILES, width, "hyphens: auto")
    texts = [text_of(line).strip() for line in found]
    text = re.sub("<[^>]*>| ", "", FILES)
    assert max(map(abs, gaps(found)), default=0) <= 3 * STRETCH
    assert "".join(texts).translate({0x20: "", 0x2010: ""}) == text
    assert not any(line.startswith(",") or line == "." for line in texts)
    assert not any(line.endswith((" .", " /", " :", " ?", " !")) for line in texts[:-1])


#: Words that WeasyPrint would divide elsewhere, or not at all, and signs in elements of their own.
JOINED = (
    "Nobody~remembered who had planted the_abandoned orchard, and the grandfather's grandson"
    " didn't~understand why geese( unhurried )walked to the railwaymen^cottages <b>、</b> by the"
    " <i>meadow</i>-embankment <b>」</b> <em>before</em>/afterwards; but the=sluice was opened at"
    " the end of the harvest~fortnight, when nobody's neighbours weren't~listening any longer."
)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_lines_end_where_they_were_planned_to(monkeypatch, language):
    ends: list[int] = []
    torn: list[tuple[int, int]] = []
    line_at = paragraphs.ParagraphLines.line_at

    def record(paragraph: Any, start: int, *widths: float) -> Any:
        line = line_at(paragraph, start, *widths)
        torn.extend((end, start) for end in ends if start and end != start)
        ends[:] = [line.end] if line else []
        return line

    monkeypatch.setattr(paragraphs.ParagraphLines, "line_at", record)
    for width in range(170, 420, 10):
        lines(JOINED, width, "hyphens: auto", language)
    assert ends
    assert torn == []


def test_words_that_are_tied_are_parted_rather_than_leave_a_line_short(monkeypatch):
    text = (
        "Wasserbegrenzung musste er sich erklären: In einem Gespräch bei RTL am 18.&nbsp;November"
        " hatte er mit Blick auf damalige Berichte über die Schleuse noch betont, sie sei zu."
    )

    def short_lines():
        for width in range(150, 330, 3):
            found = lines(text, width, "hyphens: auto", language="de")
            yield from (text_of(line) for line in found[:-1] if line.width < width - 1.5 * SIZE)

    after = sum(line.endswith(" am") for line in short_lines())
    monkeypatch.setattr(paragraphs, "ATTEMPTS", paragraphs.ATTEMPTS[:-1])
    assert after < sum(line.endswith(" am") for line in short_lines())


def test_signs_hang_over_the_edge():
    found = {
        text_of(line): line.width - width
        for width in WIDTHS
        for line in lines(TEXT, width, "hyphens: auto")[:-1]
    }
    hung = [excess for text, excess in found.items() if text.endswith((",", "."))]
    flush = [excess for text, excess in found.items() if text[-1].isalpha()]
    assert hung == pytest.approx([HANGS[","] * SIZE] * len(hung), abs=0.1)
    assert flush == pytest.approx([0.0] * len(flush), abs=0.1)
    assert hung
    assert flush


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "هذا النص طويل جدا ويمتد على سطور عديدة في هذه الصفحة " * 4),
        ("ja", "川の水位が上がり、水車小屋の人たちは夜のうちに避難した。" * 5),
        ("en", TEXT.replace("geese", "<span style='display: inline-block'>geese</span>")),
        ("en", FLOATED),
        ("en", TEXT.replace("geese", "<code style='padding: 0 3px'>geese</code>")),
    ],
)
def test_other_paragraphs_are_filled_line_by_line(language, text, request):
    direction = "direction: rtl" if language == "ar" else ""
    together = [text_of(line) for line in lines(text, 330, direction, language)]
    request.getfixturevalue("one_by_one")
    assert together == [text_of(line) for line in lines(text, 330, direction, language)]


def demerits(chosen: list[Break], first_width: float, width: float, *, is_full: bool) -> float:
    """Return the demerits of the lines between breaks, inf if one cannot be set."""
    total = 0.0
    for at, (origin, place) in enumerate(pairwise(chosen)):
        room = (width if at else first_width) - (place.width - origin.next_width) + place.hang
        spaces = (place.spaces - origin.next_spaces) * SIZE
        is_last = at == len(chosen) - 2
        may_be_short = is_last and not is_full
        if room < -SHRINK * spaces or (not may_be_short and room - place.hang > STRETCH * spaces):
            return inf
        ratio = room / spaces / (SHRINK if room < 0 else STRETCH) if spaces else 0.0
        ratio = min(0.0, ratio) if may_be_short else ratio
        total += (LINE_PENALTY + 100 * abs(ratio) ** 3) ** 2
        total += place.hyphen * (paragraphs.HYPHEN + origin.hyphen * NEXT_HYPHEN)
        total += LAST_HYPHEN if is_last and origin.hyphen else 0
    return total


@st.composite
def places(draw):
    """Draw a paragraph of up to ten words, some of them divided."""
    drawn, x, spaces = [Break(0, 0.0, 0.0, 0, 0)], 0.0, 0
    parts = draw(
        st.lists(st.tuples(st.integers(12, 60), st.booleans(), st.booleans()), min_size=2, max_size=10)
    )  # fmt: skip
    for index, (width, divided, hung) in enumerate(parts[:-1], 1):
        x += width
        hang = 2.0 * hung
        if divided:
            drawn.append(Break(index, x + 5, x, spaces, spaces, hang, True))
        else:
            drawn.append(Break(index, x, x + 4, spaces, spaces + 1, hang))
            x, spaces = x + 4, spaces + 1
    x += parts[-1][0]
    return [*drawn, Break(len(parts), x, x, spaces, spaces)]


@given(places(), st.integers(60, 140), st.integers(0, 20), st.booleans())
def test_the_lines_chosen_are_those_of_least_demerits(drawn, width, indent, is_full):
    chosen = choose_breaks(drawn, SIZE, width - indent, width, 1.0, fills_last_line=is_full)
    first, *inner, last = drawn
    every = (
        [first, *some, last]
        for count in range(len(inner) + 1)
        for some in combinations(inner, count)
    )
    least = min(demerits(lines, width - indent, width, is_full=is_full) for lines in every)
    if not chosen:
        assert least == inf
    else:
        assert demerits(chosen, width - indent, width, is_full=is_full) == pytest.approx(least)


NAMES = (
    "In the spring a letter from the old chancellor Bismarck reached the miller, who had never"
    " before heard of him, nor of the commission that Charles and Bartholomew had assembled in"
    " Constantinople; he read it twice and gave it to Alexandrina without a word, unhurried, as his"
    " grandfather in Alabama would have done, and returned to the abandoned embankment with Benjamin."
)


def count_divided_names(language: str) -> int:
    ends = [
        text_of(line).split()[-1]
        for width in range(330, 560, 10)
        for line in lines(NAMES, width, "hyphens: auto", language)
    ]
    return sum(end[0].isupper() and end.endswith("\u2010") for end in ends)


def test_names_are_rarely_divided(monkeypatch):
    rare = count_divided_names("en")
    monkeypatch.setattr(paragraphs, "CAPITALIZED_NOUNS", frozenset({"en"}))
    assert rare < 0.7 * count_divided_names("en")


def test_capitals_are_no_sign_of_a_name_at_the_start_of_a_sentence_and_in_german():
    def is_name(text: str, language: str, before: str = "") -> bool:
        style = {"lang": language, "hyphens": "auto", "white_space": "normal"}
        piece = SimpleNamespace(text=text, style=style | {"hyphenate_limit_chars": (5, 2, 2)})
        context = SimpleNamespace(dictionaries={})
        return {name for _, name in paragraphs._hyphenate(context, piece, before)} == {True}

    assert is_name("a Constantinople", "en")
    assert is_name("Constantinople", "en", "in ")
    assert not is_name("Constantinople", "en")
    assert not is_name("it. \u201cConstantinople", "en")
    assert not is_name("constantinople", "en")
    assert not is_name("nach Konstantinopel", "de")
