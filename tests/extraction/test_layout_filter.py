"""Corrections of the selection by layout, on pages with given layouts."""

from __future__ import annotations

from printer.capture import ElementBox, Font, Layout, Rect, TextBox, Visibility
from printer.extraction.appearance import filter_by_layout
from printer.html.page import Page, read_page
from tests.support.selections import run_pass

WORDS = "The tide came in over the flats and the boats rose on their ropes, one by one. "
COLUMN = Rect(100, 0, 700, 20)
PLAIN = Visibility(0)


def draw(*rows: tuple[str, Rect, float, Visibility]) -> Page:
    """A page of paragraphs, each with its text, box, print and how it is seen."""
    html = "".join(f'<p data-m="{n}">{text}</p>' for n, (text, *_) in enumerate(rows))
    boxes = {n: ElementBox(rect, "block", sight) for n, (_, rect, _, sight) in enumerate(rows)}
    texts = {
        (n, False): TextBox(rect, Font(size, "rgb(0, 0, 0)"), sight)
        for n, (_, rect, size, sight) in enumerate(rows)
    }
    layout = Layout("data-m", boxes=boxes, texts=texts, pictures={})
    return read_page(f"<body>{html}</body>", layout=layout)


def row(
    at: int, text: str = WORDS, rect: Rect = COLUMN, size: float = 16, sight: Visibility = PLAIN
) -> tuple[str, Rect, float, Visibility]:
    return f"{at} {text}", rect, size, sight


def mend(page: Page, keep: str, scores: float = 0.9, kind: str = "article") -> str:
    flags = [flag == "x" for flag in keep]
    corrected = run_pass(filter_by_layout, page, flags, [scores] * len(flags), kind)
    return "".join("x" if flag else "." for flag in corrected)


def test_invisible_text_and_overlays_are_dropped() -> None:
    hidden, layer = Visibility.CLIPPED, Visibility.LAYER
    page = draw(row(0), row(1, sight=hidden), row(2), row(3, sight=layer), row(4), row(5))
    assert mend(page, "xxxxxx") == "x.x.xx"
    assert mend(page, "xxxxxx", kind="listing") == "x.x.xx"


def test_text_that_fades_in_at_its_place_is_kept() -> None:
    fading = Visibility.TRANSPARENT
    page = draw(
        row(0), row(1, sight=fading), row(2, sight=fading | Visibility.OUT_OF_FLOW), row(3), row(4)
    )
    assert mend(page, "xxxxx") == "xx.xx"


def test_a_layout_that_denies_most_of_the_text_is_not_believed() -> None:
    page = draw(row(0), *(row(n, sight=Visibility.NOT_DISPLAYED) for n in range(1, 6)))
    assert mend(page, "xxxxxx") == "xxxxxx"


def test_a_page_that_is_one_layer_keeps_its_text() -> None:
    page = draw(*(row(n, sight=Visibility.LAYER) for n in range(5)))
    assert mend(page, "xxxxx") == "xxxxx"


def test_text_beside_the_column_or_in_a_box_is_dropped() -> None:
    rects = {
        "side bar": Rect(740, 0, 1000, 50),
        "middle card": Rect(300, 0, 520, 50),
        "quotation": Rect(140, 0, 660, 50),
        "half column": Rect(100, 0, 350, 50),
    }
    rows = [row(n, rect=rect) for n, rect in enumerate(rects.values(), start=1)]
    page = draw(row(0), *rows, row(5), row(6), row(7), row(8), row(9))
    assert mend(page, "xxxxxxxxxx") == "x..xxxxxxx"
    assert mend(page, "xxxxxxxxxx", kind="listing") == "xxxxxxxxxx"


def test_smaller_print_in_a_box_goes_and_over_the_whole_width_stays() -> None:
    box, note = Rect(144, 0, 700, 50), COLUMN
    page = draw(row(0), row(1, rect=box, size=13), row(2), row(3, rect=note, size=13), row(4))
    assert mend(page, "xxxxx") == "x.xxx"


def test_text_in_the_articles_print_between_its_pieces_is_taken_in() -> None:
    page = draw(row(0), row(1), row(2, size=13), row(3), row(4))
    assert mend(page, "x..xx") == "xx.xx"
    assert mend(page, "x..xx", scores=0.01) == "x..xx"
    assert mend(page, "..xx.") == "..xx."


def test_without_a_layout_nothing_changes() -> None:
    page = read_page("<p>One</p><p>Two</p>")
    assert run_pass(filter_by_layout, page, [True, False], [0.9, 0.1]) == (True, False)
    assert mend(draw(row(0), row(1)), "..") == ".."
