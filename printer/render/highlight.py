"""Code with its syntax shown by weight and slant, so that it survives a black and white printer."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from .inline import breakable, clean

if TYPE_CHECKING:
    from pygments.lexer import Lexer

#: Longer code, or code with longer lines, is printed plain: a lexer may take very long over it.
LONGEST = 40_000
LONGEST_LINE = 1_000


def highlight(code: str, language: str) -> Markup:
    """Return code as HTML: keywords in ``b``, comments in ``i``, strings in ``span.string``."""
    code = clean(code).expandtabs(4)
    pieces = _pieces(code, language)
    if pieces is None:
        return escape(_lines(code))
    html = (f"{before}{escape(_lines(text))}{after}" for text, (before, after) in pieces)
    return Markup("".join(html))  # noqa: S704 - the text was escaped, the rest is ours


def _lines(text: str) -> str:
    return "\n".join(breakable(line) for line in text.split("\n"))


def _pieces(code: str, language: str) -> list[tuple[str, tuple[str, str]]] | None:
    """Return the code cut where its look changes; None when it is to be printed plain."""
    if not language or len(code) > LONGEST:
        return None
    if max(map(len, code.split("\n"))) > LONGEST_LINE:
        return None
    lexer = _lexer(language)
    if lexer is None:
        return None
    looks = ((_look(kind), text) for kind, text in lexer.get_tokens(code))
    pieces = [
        ("".join(text for _, text in run), look) for look, run in groupby(looks, lambda t: t[0])
    ]
    # A lexer that drops a character would change the code it shows.
    return pieces if "".join(text for text, _ in pieces) == code else None


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language[:40], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _look(kind: Any) -> tuple[str, str]:
    from pygments.token import Comment, Keyword, Literal

    if kind in Comment:
        return "<i>", "</i>"
    if kind in Keyword:
        return "<b>", "</b>"
    if kind in Literal.String:
        return '<span class="string">', "</span>"
    return "", ""
