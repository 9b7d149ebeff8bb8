"""Lines of headings: similar in length, broken between phrases."""

from __future__ import annotations

from typing import Any

import pytest
from weasyprint import HTML

from printer.render.weasy import headings
from printer.render.weasy.headings import choose_lines, find_breaks
from printer.render.weasy.patches import patched


def lines(title: str, width: float, language: str = "en") -> list[str]:
    """Return the lines of a heading of 20 px that is so many ems wide."""
    style = f"width: {width}em; font: 20px Noto Sans CJK JP, DejaVu Sans; overflow-wrap: anywhere"
    source = f"<h1 lang={language} class=balanced style='{style}'>{title}</h1>"
    with patched():
        page: Any = HTML(string=source).render().pages[0]._page_box
    return [
        "".join(getattr(box, "text", "") for box in line.descendants()).strip()
        for line in page.descendants()
        if type(line).__name__ == "LineBox" and line.children
    ]


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("ja", "川の水位が上がり、|水車小屋の人たちは|夜のうちに避難した"),
        ("ko", "강물이 불어나|방앗간 사람들이|밤사이 피했다"),
        ("en", "The mill by the river|and those who left it"),
        ("de", "Hochwasser im Tal –|die Mühle steht still"),
        ("de", "Streit um das|Mühlen-Denkmal"),
        ("fr", "La rivière monte :|le moulin s’arrête"),
        ("de", "Mühlenfest|am <em>1. Mai</em> am Wehr"),
    ],
)
def test_headings_are_broken_between_phrases(language: str, title: str) -> None:
    text = title.replace("|", "" if language == "ja" else " ")
    expected = title.replace("<em>", "").replace("</em>", "").split("|")
    longest = max(map(len, expected)) * (1 if language in ("ja", "ko") else 0.62)
    assert lines(text, longest + 0.8, language) == expected


@pytest.mark.parametrize("room", [8.8, 10.2, 13.5])
def test_a_line_of_chinese_ends_at_a_space_in_type_that_may_be_smaller(room: float) -> None:
    title = "磨坊终端年会今日开幕 二零一二成应用之年"
    assert lines(title, room, "zh") == title.split()


def test_no_word_of_korean_is_broken_at_any_width() -> None:
    title = '"왜 물방앗간, 제재소 나눠서 싸우나"... 마을 사람들 모두 강둑에 모여'
    words = title.split()
    for width in range(24, 40):
        broken = lines(title, width / 2, "ko")
        assert [word for line in broken for word in line.split()] == words, width


def test_chinese_is_broken_between_phrases_that_it_can_tell() -> None:
    title = "河水在夜里上涨，磨坊里的人们都已经离开村庄"
    first, *rest = lines(title, 14, "zh")
    assert first == "河水在夜里上涨，"
    assert "".join((first, *rest)) == title


@pytest.mark.parametrize(
    "title",
    [
        "李晓亮：是谁需要|一个“人造”的韩寒？",
        "姚明参加熊猫|放归自然活动",
        "今年煙臺1900多所|農村衛生室",
    ],
)
def test_no_line_of_chinese_ends_inside_a_word(title: str) -> None:
    longest = max(map(len, title.split("|")))
    assert lines(title.replace("|", ""), longest + 0.5, "zh") == title.split("|")


@pytest.mark.parametrize(
    "title",
    [
        'The mill on the cover:|"What I never was: a mill"',
        "Kling ruft zum|«stillen Widerstand»|gegen die neue Mühle auf",
        "Mill 9i (River Edition) –|best of all mills",
    ],
)
def test_a_line_rather_ends_before_a_quotation_than_inside(title: str) -> None:
    longest = max(map(len, title.split("|")))
    assert lines(title.replace("|", " "), 0.56 * longest + 1) == title.split("|")


def test_a_title_is_smaller_if_that_keeps_its_quotation_whole() -> None:
    title = "Kling ruft zum «politischen Widerstand» gegen die neue Mühle"
    expected = ["Kling ruft zum", "«politischen Widerstand»", "gegen die neue Mühle"]
    assert lines(title, 13) == expected


def test_a_title_is_smaller_if_that_leaves_no_short_line_between_longer_ones() -> None:
    title = "Mill Searches for the Most Gifted Baker and Brewer in All Valleys"
    expected = ["Mill Searches for the Most Gifted", "Baker and Brewer in All Valleys"]
    assert lines(title, 17.3) == expected
    assert len(lines(title.replace("Gifted", "Gifted Young"), 17.3)) == 3


def test_a_line_rather_ends_before_a_name_behind_a_dash_than_inside() -> None:
    title = "Floods in the valley – Miller Anna tells"
    penalties = {title[: place.end]: place.penalty for place in find_breaks(title, "en")}
    inside, behind = "Floods in the valley – Miller", "Floods in the valley – Miller Anna"
    assert penalties[inside] > penalties[behind] == 0


def test_a_line_rather_ends_elsewhere_than_beside_an_ampersand() -> None:
    expected = ["Storm halts", "Miller & Company works"]
    assert lines("Storm halts Miller & Company works", 12) == expected


def test_no_line_begins_with_a_dash_even_if_there_are_more_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(headings, "SMALLER_TITLE", 1)
    broken = lines("The mill burnt – nobody is hurt", 7.2)
    assert len(broken) == 3
    assert not any(line.startswith("–") for line in broken)
    assert " ".join(broken) == "The mill burnt – nobody is hurt"


def test_a_title_of_several_lines_ends_one_at_its_colon() -> None:
    title = "Harvest fair at the mill: When the feast begins, what is new and who will play for it"
    first, *rest = lines(title, 15)
    assert first == "Harvest fair at the mill:"
    assert rest[0].startswith("When")
    short = lines(
        "Live: When the feast begins at the mill, what is new and who will play for it", 17
    )
    assert short[0] != "Live:"


def test_a_heading_of_one_line_and_one_with_a_break_of_its_own_stay() -> None:
    assert lines("The mill", 20) == ["The mill"]
    assert lines("The long day at<br>the mill", 30) == ["The long day at", "the mill"]


def test_a_heading_is_broken_anew_in_another_width() -> None:
    """A page is laid out several times, and its parts in columns of several widths."""
    body = "<div style='columns: 2; column-gap: 0'>" + "<h2 class=balanced>{0}</h2>" * 3 + "</div>"
    title = "The river and the mill and the meadow"
    with patched():
        page: Any = HTML(string=body.format(title)).render().pages[0]._page_box
    texts = [box.text.strip() for box in page.descendants() if hasattr(box, "text")]
    assert " ".join(texts) == " ".join([title] * 3)


def test_no_title_begins_with_a_line_that_is_less_than_half_as_long_as_another() -> None:
    title = "Struggling with getting better and what my body does"
    assert lines(title, 13)[0] == "Struggling with"


def test_a_long_text_below_a_title_is_a_paragraph() -> None:
    text = "本文导读：继上游之后，磨坊再次被淹。" * 9
    style = "width: 24em; font: 20px Noto Sans CJK JP"
    with patched():
        source = f"<p lang=zh class=balanced style='{style}'>{text}</p>"
        page: Any = HTML(string=source).render().pages[0]._page_box
    rows = [line for line in page.descendants() if type(line).__name__ == "LineBox"]
    widths = [sum(box.width for box in row.children) for row in rows if row.children]
    assert len(widths) > 4
    assert all(width > 22 * 20 for width in widths[:-1])


def test_lines_are_as_few_as_possible_and_then_alike() -> None:
    assert choose_lines([50, 50, 50, 50], [0] * 3, [0] * 3, 160) == [1]
    assert choose_lines([50, 50, 50, 50], [0] * 3, [0, 0.5, 0], 160) != [1]
    assert choose_lines([500, 20], [5], [0], 160) == [0]
    assert choose_lines([10], [], [], 160) == []


def test_very_long_headings_and_scripts_without_known_words_are_left_alone() -> None:
    assert find_breaks("ຂ່າວ" * 9, "lo") == []
    assert lines("so " * 200, 20)[0].count("so") > 8


def test_a_title_of_four_lines_is_smaller_if_it_then_has_three(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    title = "Arrested at the ferry over false banknotes, the miller of Nantmoor returns"
    assert len(lines(title, 12)) == 3
    assert len(lines(title, 10)) == 4, "it has no fewer in smaller type"
    monkeypatch.setattr(headings, "SMALLER_TITLE", 1)
    assert len(lines(title, 12)) == 4
