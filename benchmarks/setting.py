"""Measure how pages are set: `python -m benchmarks.setting [--pages N]`.

Lays out articles of the shared corpus with blank pictures of the stated sizes (3 to 2 where none
is stated), and counts what a reader sees: holes at the foot of pages that are not the last, lines
with wide gaps between words, words divided at the end of a page, words cut in titles and headings,
tables over the edge of the text, and notes that are lost or late.  With ``--compare``, the lines of
paragraphs are also set one by one.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from PIL import Image

from printer import Article, PrintOptions, extract
from printer.errors import NoArticle
from printer.output import Picture
from printer.render.context import RenderContext, build_document
from printer.render.weasy.box_tree import measure_gap
from printer.render.weasy.engine import asset_fetcher, lay_out_document
from printer.render.weasy.footnotes import count_misplaced
from printer.render.weasy.paragraphs import fill_line
from printer.render.weasy.patches import collected_warnings, disabled, patched
from printer.themes.page import UNITS
from tests.support.picture_files import encode_image

from .corpus import CORPUS, is_available, require_corpus, samples
from .protocol import Effort, Row, floors

SETS = ("fundus", "daniel", "wcxb", "moz", "defuddle")

#: A hole, as a share of the height of the text; a wide gap between words, in points; the width of a
#: space, in ems.
HOLE, WIDE_GAP, SPACE = 0.15, 7.0, 0.25

#: The space added between the words of a loose line, and taken from that of an overfull one, in
#: ems.
LOOSE, OVERFULL = 0.2, -0.12

#: The width of a picture without a stated one, and the least of one that is printed.
WIDTH, LEAST_WIDTH = 1200, 200

#: The shares to reach, in percent; of everything else, there should be none.
HOLES, WIDE_GAPS = f"holes over {HOLE:.0%} of the text", f"lines with gaps over {WIDE_GAP:.0f} pt"
GOALS = {HOLES: 2.0, WIDE_GAPS: 0.3}

_SPACELESS = frozenset({"ja", "zh", "th", "lo", "km", "my"})


def articles(count: int) -> Iterator[Article]:
    """Yield the articles of ``count`` pages, as many of each set."""
    for name in SETS:
        pages = list(samples(name))
        share = -(-count // len(SETS))
        for sample in pages[:: max(1, len(pages) // share)][:share]:
            try:
                yield extract(sample.html, sample.url)
            except NoArticle:
                continue


@cache
def blank(width: int, height: int) -> Picture:
    """Return a grey picture."""
    data = encode_image(Image.new("L", (width, height), 170), "PNG")
    return Picture(data, "image/png", width, height)


def lay_out(article: Article) -> list[Any]:
    """Return the pages of an article."""
    import weasyprint

    pictures = {}
    for figure in article.figures:
        width = figure.width or WIDTH
        if width >= LEAST_WIDTH:
            height = min(2 * width, figure.height or width * 2 // 3)
            pictures[figure.svg or figure.src] = blank(width, height)
    context = RenderContext.of([article], PrintOptions())
    targets = context.new_targets()
    document = build_document(context, (0,), pictures, targets, targets)
    fetcher = asset_fetcher(document.assets)
    html = weasyprint.HTML(string=document.html, base_url=None, url_fetcher=fetcher)
    with patched(), collected_warnings():
        return list(lay_out_document(html, document).pages)


def measure(article: Article) -> Counter[str]:
    """Return counts of an article: pages, lines, and what is wrong with them."""
    start = time.process_time()
    pages = lay_out(article)
    counts = Counter(
        pages=len(pages),
        late_notes=count_misplaced(pages),
        milliseconds=round(1000 * (time.process_time() - start)),
    )
    for number, page in enumerate(pages):
        box = page._page_box
        root = box.children[0]
        if number < len(pages) - 1 and box.page_type.name != "turned":
            counts["inner pages"] += 1
            counts["holes"] += measure_gap(box) / box.height > HOLE
        edge = box.content_box_x() + box.width
        counts["divided"] += number < len(pages) - 1 and _ends_in_hyphen(root)
        for part in root.descendants():
            kind = type(part).__name__
            if kind == "LineBox":
                gap = max(getattr(b, "justification_spacing", 0) for b in part.descendants())
                points = UNITS["px"] / UNITS["pt"]
                counts["lines"] += 1
                counts.update(_count_justified(part))
                counts["wide gaps"] += (gap + SPACE * part.style["font_size"]) * points > WIDE_GAP
            elif kind == "TableBox":
                counts["wide tables"] += part.position_x + part.width > edge + 1
            elif "balanced" in (
                part.element.get("class") or "" if part.element is not None else ""
            ):
                counts["cut words"] += count_cuts(part, article.language)
    return counts


def _ends_in_hyphen(root: Any) -> bool:
    """Return whether the last line of a page's text ends inside a word."""
    lines = [part for part in root.descendants() if type(part).__name__ == "LineBox"]
    last = max(lines, key=lambda line: line.position_y, default=None)
    return last is not None and _text(last).endswith("\u2010")


def _text(line: Any) -> str:
    return "".join(getattr(box, "text", "") for box in line.descendants())


def _count_justified(line: Any) -> Counter[str]:
    """Return counts of a justified line: added space in hundredths of an em, and a last hyphen."""
    spacings = [getattr(box, "justification_spacing", 0) for box in line.descendants()]
    added = max(spacings, key=abs) / max(1.0, line.style["font_size"])
    if added < OVERFULL:
        return Counter(overfull=1)
    if not added or line.style["text_align_all"] != "justify":
        return Counter()
    return Counter(
        justified=1,
        added=round(100 * abs(added)),
        loose=int(added > LOOSE),
        hyphens=int(_text(line).endswith("\u2010")),
    )


def count_cuts(heading: Any, language: str) -> int:
    """Return the number of lines of a heading that end inside a word."""
    if language.partition("-")[0] in _SPACELESS:
        return 0
    text = " ".join("".join(heading.element.itertext()).split())
    lines = [line for line in heading.children if type(line).__name__ == "LineBox"]
    return sum(
        _is_cut(_text(a).strip(), _text(b).strip(), text) and not _is_broken(a)
        for a, b in pairwise(lines)
    )


def _is_cut(above: str, below: str, text: str) -> bool:
    is_word = (above[-1:] + below[:1]).isalpha() and above[-10:] + below[:10] in text
    return above.endswith("\u2010") or is_word


def _is_broken(line: Any) -> bool:
    """Return whether a line ends at a line break of the text."""
    return any(box.element_tag.startswith("br") for box in line.descendants())


def total(count: int) -> tuple[int, Counter[str]]:
    """Return the number of articles, and the counts of all."""
    counts = [measure(article) for article in articles(count)]
    return len(counts), sum(counts, Counter())


def shares(counts: Counter[str]) -> dict[str, float]:
    """Return the figures: shares in percent, or numbers."""
    return {
        HOLES: 100 * counts["holes"] / max(1, counts["inner pages"]),
        WIDE_GAPS: 100 * counts["wide gaps"] / max(1, counts["lines"]),
        "overfull lines": counts["overfull"],
        "words divided at the end of a page": counts["divided"],
        "words cut in headings": counts["cut words"],
        "tables over the edge": counts["wide tables"],
        "notes lost or late": counts["late_notes"],
    }


def spacing(counts: Counter[str]) -> dict[str, float]:
    """Return figures of justified lines."""
    lines = max(1, counts["justified"])
    return {
        "mean change of a space, in ems": counts["added"] / 100 / lines,
        f"lines with more than {LOOSE} ems added to a space, in percent": 100
        * counts["loose"]
        / lines,
        "lines that end in a hyphen, in percent": 100 * counts["hyphens"] / lines,
    }


def rows(effort: Effort) -> Iterator[Row]:
    require_corpus()
    number, counts = total(effort.of(100, 50, 20))
    for figure, value in shares(counts).items():
        limit = floors("setting")[figure] if effort.quick else GOALS.get(figure, 0)
        unit = "%" if figure in GOALS else ""
        yield Row("webprint", figure, value, unit, number, goal=f"≤ {limit}", pinned=effort.quick)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--compare", action="store_true", help="set lines one by one, too")
    arguments = parser.parse_args()
    pages = arguments.pages
    if not is_available():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 1
    for separately in (True, False) if arguments.compare else (False,):
        if separately:
            disabled.add(fill_line)
        else:
            disabled.discard(fill_line)
        number, counts = total(pages)
        seconds = counts["milliseconds"] / 1000
        print("Lines set one by one:" if separately else "Lines of a paragraph set together:")
        size = f"{number} articles, {counts['pages']} pages, {counts['lines']} lines"
        print(f"{size}, laid out in {seconds:.1f} s")
        for figure, value in (shares(counts) | spacing(counts)).items():
            print(f"{figure}: {value:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
