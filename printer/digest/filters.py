"""What is wanted: words and regular expressions that an article must have, or must not.

Expressions are matched by RE2, whose time grows with the text alone, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_MAX_PATTERN = 500
#: So much of a text is looked at.
_MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word or phrase, or an expression between slashes, as ``text`` says it."""

    text: str
    _matcher: Any = field(repr=False, compare=False)

    def matches(self, text: str) -> bool:
        """Tell whether a text has it."""
        return self._matcher.search(text[:_MAX_TEXT]) is not None


def parse_pattern(text: str) -> Pattern:
    """Return the pattern that a description gives; raises :class:`ValueError` for a wrong one.

    A word is found as a whole and in any case; what stands between slashes is an expression of RE2.
    """
    import re2

    if not text.strip() or len(text) > _MAX_PATTERN:
        raise ValueError(f"should be a word or /expression/ of at most {_MAX_PATTERN} characters")
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        source = f"(?m:{text[1:-1]})"  # The title is a line of its own.
    else:
        source = _phrase_regex(" ".join(text.split()))
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 8_000_000
    options.log_errors = False
    try:
        return Pattern(text, re2.compile(source, options=options))
    except re2.error as error:
        raise ValueError(f"is no expression that RE2 knows: {_error_text(error)}") from error


def _phrase_regex(phrase: str) -> str:
    """Return the expression of a phrase that stands between other words."""
    import re2

    inner = r"\s+".join(map(re2.escape, phrase.split(" ")))
    before = (
        r"(?:^|[^\pL\pN])" if phrase[0].isalnum() and not _is_unspaced_script(phrase[0]) else ""
    )
    after = (
        r"(?:$|[^\pL\pN])" if phrase[-1].isalnum() and not _is_unspaced_script(phrase[-1]) else ""
    )
    return f"{before}{inner}{after}"


def _is_unspaced_script(sign: str) -> bool:
    return "\u0e00" <= sign <= "\u0eff" or "\u3040" <= sign <= "\u9fff"


def _error_text(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def exclusion_reason(text: str, include: Iterable[Pattern], exclude: Iterable[Pattern]) -> str:
    """Say why a text is not wanted; '' when it is."""
    for each in exclude:
        if each.matches(text):
            return f"has {each.text}"
    required = tuple(include)
    if required and not any(each.matches(text) for each in required):
        return f"has none of {', '.join(each.text for each in required)}"
    return ""
