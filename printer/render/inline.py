"""Inline HTML of an article: printable and breakable text, spans, notes, highlighted code.

No line breaks at the spaces that the conventions of a language forbid.  Only spaces change, so that
the printed words are the article's; French has thin spaces before its high punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from markupsafe import Markup, escape

from ..article import ZERO_WIDTH_SPACE, Paragraph, Span, Spans
from ..i18n import load_table
from ..options import LinkStyle
from .links import Anchors, display_url, is_visible_url
from .markup import (
    Element,
    attributes,
    close_up_ideographs,
    language_attributes,
    nest,
    printable,
    span_elements,
    strip_brackets,
)
from .math import formula_html

if TYPE_CHECKING:
    from pygments.lexer import Lexer

#: A character without width at which no line breaks.
WORD_JOINER = "\u2060"

#: A piece of code, and the name ('' for none) and class of its element.
CodePiece: TypeAlias = tuple[str, str, str]

#: Long runs of Latin characters, such as tokens and URLs, which get break opportunities, after
#: punctuation if possible.
_LONG_RUN = re.compile(
    r"(?=[!-\u024f]{41})(?:[!-\u024f]{12,38}[,.;:/?&=_)>-](?![,.;:/?&=_)>-])|[!-\u024f]{40})"
)
#: Machine-made runs, too long for a script with spaces.  They get line breaks, since the time of
#: layout grows with the square of their length.
_ENDLESS_RUN = re.compile(
    "[^ \t\n\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff00-\uffef\U00020000-\U0003ffff]{800}"
)


def breakable(text: str) -> str:
    """Return text with break opportunities in very long words."""
    if len(text) <= 40:
        return text
    text = _LONG_RUN.sub(lambda run: run[0] + ZERO_WIDTH_SPACE, text)
    return _ENDLESS_RUN.sub(lambda run: run[0] + "\n", text) if len(text) > 800 else text


#: Characters of a URL after which a line may break.
_URL_BREAKS = re.compile(r"[/?&=_.#-](?=\w)|//")


def breakable_url(url: str) -> str:
    """Return a URL with break opportunities after punctuation and in long words."""
    return breakable(_URL_BREAKS.sub(lambda match: match[0] + ZERO_WIDTH_SPACE, url))


#: Digits next to capitals, as in COP30, S3 and 3D.
_SPECIFICATION = re.compile(
    r"(?<![\w&#;])(?:[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]{1,6}[-\u2013]?[0-9]{1,6}[A-Z]{0,3}"
    r"|[0-9]{1,4}[A-Z]{1,3}[0-9]{0,4})(?![\w;])"
)
#: An address of a page or for mail in escaped text, where a hyphen would be taken for a part of it.
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[\w.\u200b-]{3,80}(?:/(?:[\w./?=%~+@#:\u200b-]|&amp;(?=\w)){0,200})?\w"
    # The rest of one whose beginning is a link.
    r"|(?<!\S)[\w+%.\u200b-]{0,80}(?:&amp;[\w.\u200b-]{1,40}=[\w+%.\u200b-]{0,200}){1,20}"
    r"|[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{2,20}){1,3}"
    r"|(?<![\w.@/-])[\w-]{2,60}(?:\.[\w-]{2,60}){0,2}\.(?:com|edu|gov|info|net|org)\b(?!\.\w)"
)
#: Words that break at no punctuation: compounds that begin with a single letter, such as T-shirt,
#: the start of an option or a path, such as --all and /etc, and names such as C++.
_UNBROKEN_WORD = re.compile(
    r"(?<![\w./-])(?:[^\W\d_]-[^\W\d_]{2,12}(?![\w./-])|-{1,2}[^\W_]\w{0,19}|\w{1,8}\+\+)"
    r"|(?<![\w.:/<)\]~-])/\w[\w.-]{0,19}"
)
#: Symbols with an empty glyph in Linux Libertine's semi-bold italic and none in its other faces:
#: they would be printed blank although a later family in the list has them.
_BLANK_SYMBOLS = re.compile(
    "[\u20a5\u20a6\u20a9\u20aa\u20ad\u20ae\u2104\u2107\u2108\u210a\u210b\u2110\u2112\u2114\u2117\u2118\u211b"
    "\u211e\u211f\u2123\u2125\u2128\u2129\u212c-\u212d\u212f-\u2134\u213a\u213c\u2141-\u2144\u25be\u25bf"
    "\u2611\u2613\u2616\u2637\u2638]+"
)


def mark_symbols(text: str, before: str = "") -> Markup:
    """Return text as HTML, with marked addresses, specifications and symbols without a glyph.

    ``before`` is the character that precedes the text in another element.
    """
    html = str(escape(text))
    html = _ADDRESS.sub(_mark_address, html) if "." in html or "&amp;" in html else html
    # A hyphen or a slash at the start of the text may join it to a word.
    start = len(html) - len(html.lstrip("-/")) if before.isalnum() else 0
    unbroken = _UNBROKEN_WORD.sub(r'<span class="no-break">\g<0></span>', html[start:])
    html = html[:start] + unbroken
    html = _BLANK_SYMBOLS.sub(r'<span class="sign">\g<0></span>', html)
    return Markup(_SPECIFICATION.sub(r'<span class="lining">\g<0></span>', html))  # noqa: S704


def _mark_address(match: re.Match[str]) -> str:
    address = match[0].replace(ZERO_WIDTH_SPACE, "")  # from ``breakable``
    return f'<span class="address">{breakable_url(address)}</span>'


def inline(spans: Spans, anchors: Anchors, links: LinkStyle | None = None) -> Markup:
    """Return spans as HTML; adjacent spans with the same link or mark share one element.

    ``links`` is the style of link targets inside a note, the article's by default.
    """
    return _InlineWriter(spans, anchors, links).write()


_CODE_MARKS = frozenset({"code", "samp", "kbd", "var"})
_LONG_WORD = re.compile(r"[^\W\d_]{16,}\W{0,9}")
_MARK = re.compile(r"[*＊※†]{1,3}")


class _InlineWriter:
    """Writes a sequence of spans with its link targets and footnotes."""

    def __init__(self, spans: Spans, anchors: Anchors, note_style: LinkStyle | None) -> None:
        self.anchors = anchors
        self.style = note_style or anchors.targets.style
        self.is_in_note = note_style is not None
        texts = ((span, close_up_ideographs(span.text)) for span in spans)
        spans = tuple(s if text is s.text else replace(s, text=text) for s, text in texts)
        self.spans = tuple(self._tie_calls(spans))
        self.last_words = _find_last_words(self.spans)
        self.follows_sign = False  # whether a reference mark precedes directly
        self.before = " "  # the last character of the text so far

    def write(self) -> Markup:
        return nest(self.spans, self._elements, self._content, self._link_target, self._footnote)

    def _is_call(self, span: Span) -> bool:
        return span.note in self.anchors.notes

    def _tie_calls(self, spans: Spans) -> Iterator[Span]:
        """Yield spans without white space before reference marks or commas between them."""
        neighbors = zip((None, *spans), spans, (*spans[1:], None), strict=False)
        for previous, span, following in neighbors:
            if following is None or self._is_call(span) or not self._is_call(following):
                yield span
                continue
            is_between = previous is not None and self._is_call(previous)
            text = span.text.rstrip(" ,;" if is_between else " ")
            if text or not is_between:
                yield replace(span, text=text)

    def _target(self, span: Span) -> str:
        return "" if self._is_call(span) else self.anchors.target(span.href)

    def _elements(self, span: Span) -> Iterator[Element]:
        target = self._target(span)
        is_jump = target.startswith("#") and self.anchors.targets.style != "none"
        link = attributes(href=target, class_=is_jump and "jump")
        return span_elements(span, link, call_class="call")

    def _join_mark(self) -> str:
        """Return a word joiner before a reference mark, with a comma if it follows another mark."""
        comma = "," if self.follows_sign else ""
        self.follows_sign = True
        return WORD_JOINER + comma

    def _link_target(self, linked: list[Span]) -> str:
        """Return the number or the URL that is printed after a link."""
        target = self._target(linked[0]) if linked and self.style != "none" else ""
        text = "".join(span.text.replace(ZERO_WIDTH_SPACE, "") for span in linked)
        if not target or target.startswith("#") or is_visible_url(text, target):
            return ""
        url = escape(breakable_url(display_url(target)))
        if self.style == "inline":
            return f' <span class="target">({url})</span>'
        number, is_new = self.anchors.targets.number(target)
        call = f'<sup class="link">{self._join_mark()}{number}</sup>'
        if self.style == "footnote" and not self.is_in_note:
            # A page prints the notes of a number once.
            return (
                f'{call}<span class="footnote" data-number="{number}"><span class="text">'
                f'<span class="label">{number}</span> <a href="{escape(target)}">{url}</a>'
                "</span></span>"
            )
        if is_new:
            self.anchors.targets.listed.append((number, target))
        return call

    def _footnote(self, span: Span) -> str:
        """Return the footnote of a span with its first call, '' for any other span."""
        note = None if self.is_in_note else self.anchors.take_footnote(span.note)
        if note is None:
            return ""
        # Links in a footnote have their URLs after them, as a footnote cannot have footnotes.
        style: LinkStyle = "none" if self.anchors.targets.style == "none" else "inline"
        label = escape(strip_brackets(note.label) or "*")
        if call := self.anchors.called(note.id):
            label = Markup('<a href="{}">{}</a>').format(call, label)
        prefix = f'<span class="label">{label}</span> '
        values = attributes(class_="footnote", role="doc-footnote", id=self.anchors.define(note.id))
        html = [f"<span{values}>"]
        for block in note.blocks:
            if isinstance(block, Paragraph):
                values = attributes(class_="text") + language_attributes(block)
                text = inline(block.spans, self.anchors, style)
                html.append(f"<span{values}>{prefix}{text}</span>")
                prefix = ""
        return "".join((*html, "</span>"))

    def _content(self, span: Span) -> str:
        """Return the content of a span; the last words stay whole, a long one is rarely broken."""
        start = self.last_words.get(id(span))
        if start is None:
            return self._text_html(span)
        before = self._text_html(replace(span, text=span.text[:start])) if start else ""
        after = self._text_html(replace(span, text=span.text[start:], id="" if start else span.id))
        kind = "last-word" if _LONG_WORD.fullmatch(span.text[start:]) else "no-break"
        return f'{before}<span class="{kind}">{after}</span>'

    def _text_html(self, span: Span) -> str:
        text = printable(span.text)
        if span.note:
            return self._note_call(text, span.note)
        self.follows_sign = self.follows_sign and not text
        if not span.math and not _CODE_MARKS.intersection(span.marks):
            language = span.lang or self.anchors.language
            text = no_break_spaces(text, language)
            if not self.before.isspace():
                text = _fasten_start(text, language)
        lines = breakable(text).split("\n")
        html = "<br>".join(map(mark_symbols, lines, (self.before, *("" for _ in lines[1:]))))
        is_mark = _MARK.fullmatch(text) or ("sup" in span.marks and text.startswith("["))
        if is_mark and not self.before.isspace():
            html = WORD_JOINER + html
        self.before = text[-1:] or " "
        if span.ruby:
            ruby = printable(span.ruby)[:60]
            # Ruby is printed above the text in half its size; long ruby needs room.
            style = f"min-width: {len(ruby) / 2}em"
            html = f'<ruby style="{style}">{html}<rt>{escape(ruby)}</rt></ruby>'
        if span.math:
            html = formula_html(span.math, text, self.anchors.formulas)
        name = self.anchors.define(span.id)
        return f'<span id="{escape(name)}">{html}</span>' if name else html

    def _note_call(self, text: str, note: str) -> str:
        label = escape(strip_brackets(text))
        if note not in self.anchors.notes:
            return str(label)
        start = self._join_mark()
        values = attributes(id=self.anchors.call(note), href=self.anchors.target(f"#{note}"))
        return f"{start}<a{values}>{label}</a>"


#: The last two words of a text if the last one is too short for a line of its own, or else the last
#: word, which is hyphenated only if it is long; in scripts with spaces.
_LAST_WORD = re.compile(
    r"(?<!\S)(?:\S{1,12} [^\s\uac00-\ud7af]{1,4}|"
    r"[^\s\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\uffff]{6,22})\s*$"
)
#: A text with fewer characters may fit on a line.
_MIN_BROKEN_CHARS = 32
_MAX_LAST_WORDS_CHARS = 40


def _find_last_words(spans: Spans) -> dict[int, int]:
    """Return where the last plain words begin, two if one is too short for a line of its own.

    Values are indexes by ``id()`` of the span.  A no-break space would change the printed text.
    """
    if not spans or sum(len(span.text) for span in spans) < _MIN_BROKEN_CHARS:
        return {}
    tail, text = [], ""
    for span in reversed(spans):
        if span.note and not text:
            continue  # the call of a note after the last word
        if span.math or span.note or span.ruby or "code" in span.marks:
            break
        tail.append(span)
        text = span.text + text
        if len(text) > _MAX_LAST_WORDS_CHARS:
            break
    match = _LAST_WORD.search(text, max(0, len(text) - _MAX_LAST_WORDS_CHARS))
    if not match or not match.start():
        return {}
    starts, offset = {}, len(text)
    for span in tail:
        offset -= len(span.text)
        starts[id(span)] = max(0, match.start() - offset)
        if match.start() >= offset:
            break
    return starts


def highlight(code: str, language: str) -> Markup:
    """Return code as HTML, highlighted by weight and slant rather than color.

    Each line is a ``span``; keywords are in ``b``, comments in ``i``, strings and names in
    ``span``.
    """
    lines: list[list[str]] = [[]]
    for text, tag, kind in split_by_style(printable(code).expandtabs(4), language):
        attribute = f' class="{kind}"' if kind else ""
        for number, line in enumerate(text.split("\n")):
            if number:
                lines[-1].append("\n")
                lines.append([])
            if line:
                if tag and not "".join(lines[-1]).strip():
                    # The line may break after its indentation if that is outside the element.
                    line = "".join(lines[-1]) + line
                    lines[-1].clear()
                html = _UNBROKEN_TOKEN.sub(
                    r'<span class="no-break">\g<0></span>', str(escape(breakable(line)))
                )
                lines[-1].append(f"<{tag}{attribute}>{html}</{tag}>" if tag else html)
    html_lines = ["".join(line) for line in lines if line]
    spans = (
        f'<span class="line{" head" if _comments_on(line, below) else ""}">{line}</span>'
        for line, below in zip(html_lines, (*html_lines[1:], ""), strict=False)
    )
    return Markup("".join(spans))  # noqa: S704 - the text is escaped, the rest is ours


#: A short token of code with a place where a line of text may end, in escaped text.
_UNBROKEN_TOKEN = re.compile(r"(?<!\S)(?=\S{2,24}(?!\S))\S*(?:[-/?!|}]\w|%\()\S*")


#: A highlighted line of code with a comment only.
_COMMENT_LINE = re.compile(r"\s*<i>[^<]*</i>\s*")


def _comments_on(line: str, below: str) -> bool:
    """Return whether a highlighted line is nothing but a comment on the code in the line below."""
    is_code = bool(below.strip()) and not below.lstrip().startswith("<i>")
    return is_code and _COMMENT_LINE.fullmatch(line) is not None


# Other code is not highlighted, as lexers may be very slow.
MAX_HIGHLIGHTED_CHARS = 40_000
MAX_HIGHLIGHTED_LINE_CHARS = 1_000


def split_by_style(code: str, language: str) -> list[CodePiece]:
    """Return code split where its style changes, in one piece if its language is unknown."""
    plain = [(code, "", "")]
    if not language or len(code) > MAX_HIGHLIGHTED_CHARS:
        return plain
    if max(map(len, code.split("\n"))) > MAX_HIGHLIGHTED_LINE_CHARS:
        return plain
    lexer = _find_lexer(language)
    if lexer is None:
        return plain
    # Many lexers know a comment by the end of its line.
    styled = ((_token_style(token), text) for token, text in lexer.get_tokens(code + "\n"))
    pieces = [
        ("".join(text for _, text in run), *style)
        for style, run in groupby(styled, lambda pair: pair[0])
    ]
    # A lexer that drops a character would change the code.
    if "".join(piece[0] for piece in pieces) != code + "\n":
        return plain
    text, *style = pieces.pop()
    return [*pieces, (text[:-1], *style)] if text[:-1] else pieces


def _find_lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language[:40], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _token_style(token: Any) -> tuple[str, str]:
    from pygments.token import Comment, Keyword, Literal, Name, Operator

    if token in Comment:
        return "i", ""
    if token in Keyword or token in Operator.Word or token in Name.Tag:
        return "b", ""
    if token in Literal.String:
        return "span", "string"
    if token in Name.Function or token in Name.Class:
        return "span", "name"
    return "", ""


_NO_BREAK_SPACE = "\u00a0"
#: A reference mark between an ideograph, which may end a link, and its comma or full stop.
_MARK_BEFORE_STOP = re.compile(r"(?:^|(?<=[\u3040-\u30ff\u3400-\u9fff]))(?=[*＊※†][、。，．])")


def no_break_spaces(text: str, language: str) -> str:
    """Return text with no-break spaces where its language forbids the end of a line."""
    text = _MARK_BEFORE_STOP.sub(WORD_JOINER, text)
    if " " not in text and "«" not in text and "»" not in text and not text.endswith(tuple(";!?")):
        return text
    for pattern, replacement in _spacing_rules(_primary(language)):
        text = pattern.sub(replacement, text)
    return text


#: The languages that set parentheses between dashes, the first of which may begin a line.
_OPENING_DASHES = frozenset({"es", "fr", "it", "pt"})
#: A space before a comma, a full stop or a parenthesis, left over from markup around a link.
_STRAY_START = re.compile(r" (?:[,.]|\)[,.;]?)(?=[\s”\"’]|$)")
#: The dash that follows an element.
_DASH_START = re.compile(r" [—–-] ")


def _fasten_start(text: str, language: str) -> str:
    """Return text after a word in another element, with its first character bound to the word."""
    if _STRAY_START.match(text):
        return text[1:]
    has_dash = _DASH_START.match(text) and _primary(language) not in _OPENING_DASHES
    return _NO_BREAK_SPACE + text[1:] if has_dash else text


def _primary(language: str) -> str:
    return language.partition("-")[0].lower()


#: Digits in groups of three.
_DIGIT_GROUP = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
#: A Roman numeral after a name, as of kings.
_ROMAN_NUMERAL = re.compile(r"(?<![\w.])((?![a-z])[^\W\d_]{2,}) (?=[IVX]{2,6}(?!\w))")
#: The holder of a copyright after its symbol.
_COPYRIGHT = re.compile(r"(?<=©) (?=\S)")
#: An ordinal number with a full stop, before what it counts, such as a month.
_DOTTED_ORDINAL = re.compile(r"(?<![\w.,:])(\d{1,2}\.) (?=[^\W\d_]{2})")
#: Before a dash between words, with which no line begins.
_TIGHT_DASH = re.compile(r"(?<=\w)(?=[—―]\w)")
#: Before a dash between spaces, or a hyphen in its place.
_SPACED_DASH = re.compile(r"(?<=[^\s—–-]) (?=[—–-] (?!\s))")
_STRAY_SPACE = re.compile(r"(?<=[^\W\d_]) (?=,(?:\s|$))|(?<=\s\() $")
#: Parentheses with spaces inside, around more than a short word.
_LOOSE_PARENTHESES = re.compile(r"(?<!\S)\( ?(\w[^()\n]{2,200}?[^\s()]) ?\)(?!\w)")


@lru_cache(maxsize=64)
def _spacing_rules(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return patterns with their replacements, in the order in which they are applied."""
    table = load_table("spacing")
    units, numbered = (_alternatives(table[name]) for name in ("units", "numbered"))
    before_unit = re.compile(rf"(?<=\d) (?=(?:{units})(?![\w/]))")
    after_label = re.compile(rf"(?<![\w.])({numbered}) (?=\d)")
    # Sentences without a space between them; a full stop may be inside a name: 'file.Close'.
    words = _alternatives(load_table("function_words")["latin"].get(language, "").title()) or "(?!)"
    end = rf"[!?](?=[^\W\d_a-z][^\W\d_]*[\s,])|\.(?=(?:{words})[\s,])"
    glued_sentence = re.compile(rf"(?<![\w.@/-])([^\W\d_A-Z]{{3,}}(?:{end}))")
    rules = [
        (_DIGIT_GROUP, _NO_BREAK_SPACE),
        (before_unit, _NO_BREAK_SPACE),
        (after_label, rf"\1{_NO_BREAK_SPACE}"),
        (_ROMAN_NUMERAL, rf"\1{_NO_BREAK_SPACE}"),
        (_COPYRIGHT, _NO_BREAK_SPACE),
        (_STRAY_SPACE, ""),
        (_LOOSE_PARENTHESES, r"(\1)"),
        (glued_sentence, r"\1 "),
    ]
    if language in table["dotted_ordinals"]:
        rules.append((_DOTTED_ORDINAL, rf"\1{_NO_BREAK_SPACE}"))
    if language not in _OPENING_DASHES:
        rules += [(_TIGHT_DASH, WORD_JOINER), (_SPACED_DASH, _NO_BREAK_SPACE)]
    if words := table["short_words"].get(language):
        short = re.compile(rf"(?<![\w’'-])({_alternatives(words)}) (?=\S)", re.IGNORECASE)
        rules.append((short, rf"\1{_NO_BREAK_SPACE}"))
    if language in table["spaced_punctuation"]:
        rules += _FRENCH_RULES
    return tuple(rules)


def _alternatives(words: str) -> str:
    return "|".join(re.escape(word) for word in sorted(words.split(), key=len, reverse=True))


_THIN_SPACE = "\u202f"
# French: after an opening guillemet, before a closing one and before other marks.  The mark ends a
# word: not the colon of a time, or the question mark of a URL.
_OPENING = re.compile(r"«[ \u00a0\u202f]?(?=\S)")
_CLOSING = re.compile(r"(?<=[^\s«])[ \u00a0\u202f]?(?=»)")
_HIGH = re.compile(r"(?<=[\w»)\]…%\"”’])[ \u00a0\u202f]?(?=[;!?][;!?»)\]\"”’.…]*(?:\s|$))")
_COLON = re.compile(r"(?<=[^\s:])[ \u00a0\u202f](?=:(?:\s|$))")
_FRENCH_RULES = (
    (_OPENING, "«" + _NO_BREAK_SPACE),
    (_CLOSING, _NO_BREAK_SPACE),
    (_HIGH, _THIN_SPACE),
    (_COLON, _NO_BREAK_SPACE),
)
