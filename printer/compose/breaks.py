"""What the line breaks in a run of text mean: a verse, new paragraphs, or an editor's margin."""

from __future__ import annotations

from itertools import pairwise

from ..article import Span, Spans, plain
from .inline import PLAIN, joinable, style_of

#: Lines that an editor wrapped are about this long, in characters.
_NARROW, _WIDE = 50, 130
#: Editors measure in characters or in the widths of letters.
_SLACK = 0.9
_FEWEST_WORDS = 4
#: A line of so many characters that ends as a sentence does is a paragraph.
_LONG = 80
#: A bold line of no more characters heads a longer one.
_LABEL = 90
_STOPS = ".!?…。！？۔।:："
_CLOSING_SIGNS = "\"'”’»)]"


def parted(spans: Spans) -> list[Spans]:
    """Return the paragraphs that a run of text with line breaks is.

    Text broken at an editor's margin is one line again.  Pages that put a break where a paragraph
    ends get paragraphs.  All other breaks stay: verses, addresses.
    """
    if not any("\n" in span.text for span in spans):
        return [spans]
    lines = _split_lines(spans)
    if len(lines) < 2:
        return [spans]
    texts = [plain(line) for line in lines]
    if _is_wrapped(texts):
        return [_join_lines(lines, " ")]
    paragraphs: list[list[Spans]] = [[lines[0]]]
    for line, text, before in zip(lines[1:], texts[1:], texts, strict=False):
        if min(len(text), len(before)) >= _LONG and _ends_sentence(before) and _ends_sentence(text):
            paragraphs.append([line])
        else:
            paragraphs[-1].append(line)
    return [_join_lines(paragraph, "\n") for paragraph in paragraphs]


def labels_apart(spans: Spans) -> list[Spans]:
    """Part lines in bold type from the longer lines that they head."""
    lines = _split_lines(spans)
    if len(lines) < 2:
        return [spans]
    paragraphs: list[list[Spans]] = [[]]
    for line, after in zip(lines, [*lines[1:], ()], strict=True):
        if _heads(line, after):
            paragraphs += [[line], []]
        else:
            paragraphs[-1].append(line)
    return [_join_lines(paragraph, "\n") for paragraph in paragraphs if paragraph]


def _heads(line: Spans, after: Spans) -> bool:
    text, said = plain(line), [span for span in line if span.text.strip()]
    return (
        0 < len(text) <= _LABEL
        and max(2 * len(text), _LONG) <= len(below := plain(after))
        and not below[:1].islower()
        and all("strong" in span.marks for span in said)
        and "strong" not in after[0].marks
    )


def _split_lines(spans: Spans) -> list[Spans]:
    """Return the lines of a run of text that are not empty."""
    lines: list[list[Span]] = [[]]
    for span in spans:
        first, *rest = span.text.split("\n")
        if not rest:
            lines[-1].append(span)
            continue
        style = style_of(span)
        if first:
            lines[-1].append(Span(first, *style))
        lines += [[Span(text, *style)] if text else [] for text in rest]
    return [tuple(line) for line in lines if line]


def _join_lines(lines: list[Spans], glue: str) -> Spans:
    """Join lines; the glue goes with the text before it, outside its link."""
    joined: list[Span] = []
    style, texts = PLAIN, list[str]()  # of the last span, the others being in ``joined``
    for line in lines:
        first = line[0]
        if texts and (style.href or not joinable(style)):
            joined.append(Span("".join(texts), *style))
            style, texts = PLAIN, [glue]
        elif texts:
            texts.append(glue)
        if texts and not first.href and style_of(first) == style:
            texts.append(first.text)
            line = line[1:]
        if line:
            if texts:
                joined.append(Span("".join(texts), *style))
            joined += line[:-1]
            style, texts = style_of(line[-1]), [line[-1].text]
    return (*joined, Span("".join(texts), *style))


def _is_wrapped(texts: list[str]) -> bool:
    """Tell whether sentences go on after most breaks, and no line had room for the next word."""
    width = max(map(len, texts[:-1]), default=0)
    if not _NARROW <= width <= _WIDE or len(texts[-1]) > width / _SLACK:
        return False
    if any(len(text.split(None, _FEWEST_WORDS)) <= _FEWEST_WORDS for text in texts[:-1]):
        return False  # a list, or a script that parts no words
    breaks = list(pairwise(texts))
    going_on = sum(after[:1].islower() and not _ends_sentence(line) for line, after in breaks)
    return going_on * 2 >= len(breaks) and all(
        len(line) + 1 + len(after.split(None, 1)[0]) > width * _SLACK
        for line, after in breaks
        if after
    )


def _ends_sentence(text: str) -> bool:
    return text.rstrip(_CLOSING_SIGNS)[-1:] in _STOPS and bool(text)
