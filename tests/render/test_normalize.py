"""Hostile articles stay printable."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from printer.article import (
    Article,
    Block,
    Cell,
    Code,
    Figure,
    Item,
    List,
    Paragraph,
    Quote,
    Span,
    Table,
    walk,
)
from printer.errors import RenderError
from printer.export.markdown import to_markdown
from printer.render import normalize, templates
from printer.render.normalize import normalize_article
from tests.support.documents import render_html
from tests.support.sample_articles import SAMPLE_ARTICLE, cells, items, paragraph


def nested(depth: int) -> tuple[Block, ...]:
    run: tuple[Block, ...] = (paragraph("at the bottom"),)
    for level in range(depth):
        run = (Quote(run),) if level % 2 else (List((Item((paragraph(f"level {level}"), *run)),)),)
    return run


def article(*run: Block) -> Article:
    return replace(SAMPLE_ARTICLE, blocks=run)


@pytest.mark.parametrize(
    ("name", "run", "words"),
    [
        ("deep nesting", nested(3000), "at the bottom"),
        ("huge spans", (Table((), ((Cell((paragraph("one"),), colspan=10**9, rowspan=10**9),), cells("two"))),), "two"),
        ("nested tables", (Table((), ((Cell((Table((), (cells("inner"),)),)),),)),), "inner"),
        ("a word without end", (paragraph("w" * 50_000),), "www"),
        ("a line of code without end", (Code("c" * 50_000, "python"),), "ccc"),
        ("piled marks", (paragraph("e" + "\u0301" * 100_000 + " after"),), "after"),
        ("many spans", (Paragraph(tuple(Span(f"s{n} ", ("em",) * (n % 2)) for n in range(3000))),), "s2999"),
        ("no-break spaces", (paragraph("x" + "\u00a0" * 20_000 + "after"),), "after"),
    ],
)  # fmt: skip
def test_a_hostile_article_prints_soon(
    printed, name: str, run: tuple[Block, ...], words: str
) -> None:
    start = time.monotonic()
    paper = printed(article(*run))
    assert words in paper.text, f"{name}: the text is gone"
    assert time.monotonic() - start < 30, f"{name}: took too long"


def test_nothing_is_lost_to_depth() -> None:
    deep = article(*nested(600))
    normalized, warnings = normalize_article(deep)
    levels = {f"level {n}" for n in range(0, 600, 2)}
    found = {b.spans[0].text for b in walk(normalized.blocks) if isinstance(b, Paragraph)}
    assert levels <= found
    assert not warnings


def test_too_many_blocks_end_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normalize, "MAX_BLOCKS", 50)
    normalized, warnings = normalize_article(
        article(*(paragraph(str(n)) for n in range(40)), items(*map(str, range(40))))
    )
    assert sum(1 for _ in walk(normalized.blocks)) <= 50
    assert "81 blocks" in warnings[0]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([Table((), (cells(*"abc"),) * 3)], ""),
        ([Table((), (cells(*"abc"),) * 4)], "1 table is printed as a list of rows"),
        ([Table((), (cells(*"ab" * 20),)), Table((), (cells(*"abc"),) * 4)], "2 tables are"),
    ],
)
def test_a_table_that_becomes_a_list_is_reported(
    monkeypatch: pytest.MonkeyPatch, tables: list[Block], message: str
) -> None:
    """The report counts it as missing, but its words are printed."""
    monkeypatch.setattr(normalize, "MAX_CELLS", 9)
    _, warnings = normalize_article(article(*tables))
    assert [warning[: len(message)] for warning in warnings] == ([message] if message else [])


def test_number_columns_are_set_to_the_right() -> None:
    table = Table(
        (cells("Name", "£", header=True),),
        (cells("A 1", "1,200.50"), cells("B", "−3 %"), cells("C", "")),
    )
    (normalized,), _ = normalize_article(article(table))[0].blocks, None
    assert isinstance(normalized, Table)
    assert [cell.align for row in (*normalized.head, *normalized.body) for cell in row] == [
        "",
        "end",
    ] * 4


def test_markdown_of_a_deep_article() -> None:
    assert "at the bottom" in to_markdown(article(*nested(3000)))


def test_a_list_of_pictures_is_replaced_by_them() -> None:
    pictures = tuple(Figure(f"https://example.org/{n}.jpg") for n in range(4))
    listed = List((Item(pictures[:2]), Item(pictures[2:])))
    assert normalize_article(article(listed))[0].blocks == pictures
    mixed = List((Item(pictures), Item((paragraph("words"),))))
    assert normalize_article(article(mixed))[0].blocks == (mixed,)


def test_the_templates_take_time_in_proportion_to_the_article() -> None:
    def seconds(count: int) -> float:
        long = article(*(paragraph(f"Line {number}.") for number in range(count)))
        started = time.process_time()
        render_html([long], {})
        return time.process_time() - started

    seconds(10)
    assert seconds(8_000) < 15 * seconds(1_000)


def test_an_article_that_fills_templates_too_long_is_not_blamed_on_the_theme(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(templates, "TIME_LIMIT", 0.01)
    long = article(*(paragraph(f"Line {number}.") for number in range(2_000)))
    with pytest.raises(RenderError, match="took longer than") as caught:
        render_html([long], {})
    assert "too long to print" in caught.value.hint
