import json

import pytest

from printer.cli.print import explanation_html
from printer.selection import Explanation, SegmentDecision
from tests.support.story_page import story_page


def test_the_report_shows_every_segment(webprint, tmp_path):
    (tmp_path / "a.html").write_text(story_page(extra="<p>Bread &lt;script&gt; &amp; butter.</p>"))
    code, out, _ = webprint("explain", "a.html")
    assert code == 0
    assert out.count("<tr") == 1 + 9
    assert "Bread &lt;script&gt; &amp; butter." in out
    assert "max-subsequence" in out


def test_the_data_hold_every_score(webprint, tmp_path):
    (tmp_path / "a.html").write_text(story_page())
    code, out, _ = webprint("explain", "a.html", "--json")
    assert code == 0
    page = json.loads(out)
    selected = [segment["text"] for segment in page["segments"] if segment["keep"]]
    assert sum("It was day" in text for text in selected) == 6
    for segment in page["segments"]:
        assert {"text-to-tag", "summary-node", "article-subtree"} <= set(segment["scores"])


def test_the_report_names_what_dropped_a_line(webprint, tmp_path):
    line = "The ferry leaves the harbour at dawn, and nobody on the quay is ever late for it"
    news = f'<div class="newsletter"><p>{line}, you read.</p></div><p>{line}, they say.</p>'
    (tmp_path / "a.html").write_text(story_page(extra=news))
    _, out, _ = webprint("explain", "a.html", "--json")
    letters = next(s for s in json.loads(out)["segments"] if s["text"].endswith("you read."))
    assert letters["corrections"] == ["dropped: notice or promotional box"]
    assert "dropped: notice or promotional box" in webprint("explain", "a.html")[1]


def test_a_page_cannot_write_into_the_report():
    hostile = "</title><script>alert(1)</script>"
    judged = SegmentDecision(hostile, hostile, True, {hostile: 1.0})
    report = explanation_html(Explanation(hostile, hostile, hostile, 0.5, (judged,)))
    assert "<script" not in report
    assert "default-src 'none'" in report


def test_a_probability_is_no_decision():
    scores = {"default": 0.1, "text-to-tag": 1.0, "useful-text": -1.0}
    decision = SegmentDecision("Bread", "p", True, scores)
    report = explanation_html(Explanation("", "", "article", 0.5, (decision,)))
    assert report.count('class="score yes"') == report.count('class="score no"') == 1
    assert '<td class="score">0.10' in report


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_page_cannot_control_a_terminal(webprint, tmp_path, options):
    (tmp_path / "a.html").write_text(story_page(extra="<p>Bread \x9b31m and butter.</p>"))
    code, out, _ = webprint("explain", "a.html", *options)
    assert code == 0
    assert "Bread" in out
    assert "\x9b" not in out
