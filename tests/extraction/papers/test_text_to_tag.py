"""Weninger and Hsu's ratios, computed by hand, and independent of line breaks in the source."""

from __future__ import annotations

import re

import numpy as np
import pytest

from printer.extraction.papers.text_to_tag import (
    Clustering,
    TextToTagOptions,
    ratios,
    score,
    slopes,
    smooth,
)
from printer.html.page import read_page

CLUSTERINGS: tuple[Clustering, ...] = (
    "threshold", "k-means", "em", "farthest-first", "prediction", "two-dimensional",
)  # fmt: skip

TEN = "ten chars."

# line                                       characters  tags  ratio
# <html>                                              0     1      0
# <body>                                              0     1      0
# <div><a>Home</a><img></div>                         4     5    0.8
# <div>                                               0     1      0
# <p>ten chars.ten chars.</p>                        20     2     10
# <p>ten chars.<b>ten chars.</b></p>                 20     4      5
# ten chars.<br>                                     10     1     10
# ten chars.                                         10     0     10
# <hr>                                                0     1      0
# </div>, </body>, </html>                            0     1      0
PAGE = f"""<html><head><title>No</title><style>p {{}}</style></head><body>
<div><a href=1>Home</a><img src=x></div><script>var x = "{TEN}"</script><!-- {TEN} -->
<div><p>{TEN}{TEN}</p><p>{TEN}<b>{TEN}</b></p>{TEN}<br>{TEN}<hr></div></body></html>"""


def test_the_ratio_of_each_line_is_its_text_by_its_tags() -> None:
    found, line = ratios(read_page(PAGE).index)
    assert found.tolist() == [0, 0, 0.8, 0, 10, 5, 10, 10, 0, 0, 0, 0]
    assert line.tolist() == [2, 4, 5, 6, 7]


def test_lines_do_not_depend_on_how_the_source_is_broken() -> None:
    minified = PAGE.replace("\n", "")
    spread = re.sub(r"</?(div|p|hr|br|body|html)>", r"\n\n  \g<0>\n\t", PAGE)
    assert spread.count("\n") > 4 * PAGE.count("\n")
    assert score(read_page(minified)) == score(read_page(PAGE)) == score(read_page(spread))


def test_smoothing_takes_the_mean_of_two_lines_each_way() -> None:
    blurred = smooth(np.array([0.0, 0, 10, 0, 0, 5]), TextToTagOptions())
    assert blurred == pytest.approx([2, 2, 2, 3, 3, 1])


def test_gaussian_smoothing_keeps_a_peak_and_its_sum() -> None:
    blurred = smooth(
        np.array([0.0, 0, 0, 10, 0, 0, 0]), TextToTagOptions(smoothing="gaussian", radius=2)
    )
    assert blurred.sum() == pytest.approx(10)
    assert blurred.argmax() == 3
    assert blurred[2] == blurred[4] < blurred[3]
    assert blurred[1] / blurred[3] == pytest.approx(np.exp(-0.5))


def test_the_default_is_the_smoothed_ratio_less_the_standard_deviation() -> None:
    found = np.array([0, 0, 0.8, 0, 10, 5, 10, 10, 0, 0, 0, 0])
    padded = np.concatenate(([0, 0], found, [0, 0]))
    blurred = np.array([padded[place : place + 5].mean() for place in range(len(found))])
    expected = blurred[[2, 4, 5, 6, 7]] - blurred.std()
    assert score(read_page(PAGE)) == pytest.approx(expected.tolist())


def test_the_slope_compares_with_the_mean_of_the_lines_ahead() -> None:
    assert slopes(np.array([0.0, 3, 6, 3]), 3).tolist() == [4, 0, 5, 3]


@pytest.mark.parametrize("clustering", CLUSTERINGS)
def test_each_clustering_separates_an_article_from_its_menus(clustering: Clustering) -> None:
    menu = "".join(f"<li><a href={n}>Link {n}</a></li>" for n in range(30))
    prose = "".join(f"<p>{TEN * (12 + n % 5)}</p>" for n in range(12))
    page = read_page(f"<body><ul>{menu}</ul><div>{prose}</div><ul>{menu}</ul></body>")
    scores = score(page, TextToTagOptions(clustering=clustering))
    assert all(value > 0 for value in scores[31:41]), scores[30:42]
    # The smoothing and the moving average blur two lines over the border.
    assert all(value <= 0 for value in scores[:27] + scores[-27:])


@pytest.mark.parametrize("clustering", CLUSTERINGS)
def test_pages_of_hardly_any_line_are_scored_too(clustering: Clustering) -> None:
    for html, segments in (("", 0), ("x", 1), ("<p>x<p>y", 2), ("<br>" * 9, 0)):
        scores = score(read_page(html), TextToTagOptions(clustering=clustering))
        assert len(scores) == segments
        assert np.isfinite(scores).all()
