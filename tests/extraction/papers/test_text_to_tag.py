"""Weninger and Hsu's ratios, computed by hand, and independent of line breaks in the source."""

from __future__ import annotations

import re

import numpy as np
import pytest

from printer.extraction.papers.text_to_tag import above_threshold, ratios, score, smooth
from printer.html.page import read_page

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
    blurred = smooth(np.array([0.0, 0, 10, 0, 0, 5]))
    assert blurred == pytest.approx([2, 2, 2, 3, 3, 1])


def test_the_default_is_the_smoothed_ratio_less_the_standard_deviation() -> None:
    found = np.array([0, 0, 0.8, 0, 10, 5, 10, 10, 0, 0, 0, 0])
    padded = np.concatenate(([0, 0], found, [0, 0]))
    blurred = np.array([padded[place : place + 5].mean() for place in range(len(found))])
    expected = blurred[[2, 4, 5, 6, 7]] - blurred.std()
    assert score(read_page(PAGE)) == pytest.approx(expected.tolist())


def test_the_threshold_is_one_standard_deviation() -> None:
    values = np.array([0.0, 0, 0, 8])
    assert above_threshold(values) == pytest.approx(values - np.sqrt(12))
