"""Code with its syntax shown by weight and slant, so that it survives a black and white printer."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from .inline import breakable, printable

if TYPE_CHECKING:
    from pygments.lexer import Lexer

#: Longer code, or code with longer lines, is printed plain: a lexer may take very long over it.
LONGEST = 40_000
LONGEST_LINE = 1_000

#: A piece of code with the element it stands in ('' for none) and that element's class.
Piece = tuple[str, str, str]


def highlight(code: str, language: str) -> Markup:
    """Return code as HTML, a ``span`` a line, so that a line that is broken can be marked.

    Keywords are in ``b``, comments in ``i``, strings and names that are defined in ``span``.
    """
    lines: list[list[str]] = [[]]
    for text, tag, kind in split_by_style(printable(code).expandtabs(4), language):
        own = f' class="{kind}"' if kind else ""
        for number, line in enumerate(text.split("\n")):
            if number:
                lines[-1].append("\n")
                lines.append([])
            if line:
                shown = escape(breakable(line))
                lines[-1].append(f"<{tag}{own}>{shown}</{tag}>" if tag else shown)
    html = (f'<span class="line">{"".join(line)}</span>' for line in lines if line)
    return Markup("".join(html))  # noqa: S704 - the text was escaped, the rest is ours


def split_by_style(code: str, language: str) -> list[Piece]:
    """Return code cut where its look changes; one piece when its language is not known."""
    plain = [(code, "", "")]
    if not language or len(code) > LONGEST:
        return plain
    if max(map(len, code.split("\n"))) > LONGEST_LINE:
        return plain
    lexer = _lexer(language)
    if lexer is None:
        return plain
    looks = ((_look(kind), text) for kind, text in lexer.get_tokens(code))
    pieces = [
        ("".join(text for _, text in run), *look) for look, run in groupby(looks, lambda t: t[0])
    ]
    # A lexer that drops a character would change the code it shows.
    return pieces if "".join(piece[0] for piece in pieces) == code else plain


def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language[:40], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _look(kind: Any) -> tuple[str, str]:
    from pygments.token import Comment, Keyword, Literal, Name, Operator

    if kind in Comment:
        return "i", ""
    if kind in Keyword or kind in Operator.Word or kind in Name.Tag:
        return "b", ""
    if kind in Literal.String:
        return "span", "string"
    if kind in Name.Function or kind in Name.Class:
        return "span", "name"
    return "", ""
