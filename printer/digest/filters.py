"""What is wanted: words and regular expressions that an article must have, or must not.

Expressions are matched by RE2, whose time grows with the text alone, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_LONGEST = 500
#: So much of a text is looked at.
_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word or phrase, or an expression between slashes, as ``text`` says it."""

    text: str
    _matcher: Any = field(repr=False, compare=False)

    def found_in(self, text: str) -> bool:
        """Tell whether a text has it."""
        return self._matcher.search(text[:_LOOKED_AT]) is not None


def pattern(text: str) -> Pattern:
    """Return the pattern that a description gives; raises :class:`ValueError` for a wrong one.

    A word is found as a whole and in any case; what stands between slashes is an expression of RE2.
    """
    import re2

    if not text.strip() or len(text) > _LONGEST:
        raise ValueError(f"should be a word or /expression/ of at most {_LONGEST} characters")
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        source = f"(?m:{text[1:-1]})"  # The title is a line of its own.
    else:
        source = _edges(" ".join(text.split()))
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 8_000_000
    options.log_errors = False
    try:
        return Pattern(text, re2.compile(source, options=options))
    except re2.error as error:
        raise ValueError(f"is no expression that RE2 knows: {_told(error)}") from error


def _edges(phrase: str) -> str:
    """Return the expression of a phrase that stands between other words."""
    import re2

    inner = r"\s+".join(map(re2.escape, phrase.split(" ")))
    before = r"(?:^|[^\pL\pN])" if phrase[0].isalnum() and not _unspaced(phrase[0]) else ""
    after = r"(?:$|[^\pL\pN])" if phrase[-1].isalnum() and not _unspaced(phrase[-1]) else ""
    return f"{before}{inner}{after}"


def _unspaced(sign: str) -> bool:
    return "\u0e00" <= sign <= "\u0eff" or "\u3040" <= sign <= "\u9fff"


def _told(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def unwanted(text: str, include: Iterable[Pattern], exclude: Iterable[Pattern]) -> str:
    """Say why a text is not wanted; '' when it is."""
    for each in exclude:
        if each.found_in(text):
            return f"has {each.text}"
    required = tuple(include)
    if required and not any(each.found_in(text) for each in required):
        return f"has none of {', '.join(each.text for each in required)}"
    return ""
