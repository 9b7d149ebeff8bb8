"""Include and exclude patterns: words, phrases, and regular expressions matched by RE2.

RE2 takes time linear in the text, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

#: The most characters of a pattern, and of a text that is searched.
_MAX_PATTERN, _MAX_TEXT = 500, 20_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word or phrase, or a regular expression between slashes."""

    text: str
    _regex: Any = field(repr=False, compare=False)

    def matches(self, text: str) -> bool:
        """Return whether the pattern occurs in a text."""
        return self._regex.search(text[:_MAX_TEXT]) is not None


def parse_pattern(text: str) -> Pattern:
    """Return the pattern that a text describes; raises :class:`ValueError`.

    A phrase matches as whole words in any case; text between slashes is an RE2 expression.
    """
    import re2

    if not text.strip() or len(text) > _MAX_PATTERN:
        raise ValueError(f"should be a word or /expression/ of at most {_MAX_PATTERN} characters")
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        source = f"(?m:{text[1:-1]})"  # The title is on a line of its own.
    else:
        phrase = text.split()
        words = r"\s+".join(map(re2.escape, phrase))
        before = r"(?:^|[^\pL\pN])" if _needs_boundary(phrase[0][0]) else ""
        after = r"(?:$|[^\pL\pN])" if _needs_boundary(phrase[-1][-1]) else ""
        source = f"{before}{words}{after}"
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 8_000_000
    options.log_errors = False
    try:
        return Pattern(text, re2.compile(source, options=options))
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise ValueError(f"is not a valid RE2 expression: {reason}") from error


def _needs_boundary(character: str) -> bool:
    """Return whether a character belongs to a word, in a script with spaces between words."""
    unspaced = "\u0e00" <= character <= "\u0eff" or "\u3040" <= character <= "\u9fff"
    return character.isalnum() and not unspaced


def exclusion_reason(text: str, include: Iterable[Pattern], exclude: Iterable[Pattern]) -> str:
    """Return why a text is filtered out, or ''."""
    for pattern in exclude:
        if pattern.matches(text):
            return f"contains {pattern.text}"
    required = tuple(include)
    if required and not any(pattern.matches(text) for pattern in required):
        return f"contains none of {', '.join(pattern.text for pattern in required)}"
    return ""
