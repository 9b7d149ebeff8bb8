"""Large first letters that pages set in blocks of their own."""

from __future__ import annotations

import re

_INITIAL = re.compile(r"[«“„\"‘'¡¿]?[^\W\d_]")
#: What an initial begins is no shorter; a list of words by their first letters has such lines.
_LEAST = 60


def continues_drop_cap(initial: str, text: str) -> bool:
    """Tell whether a text goes on in the midst of the word, or sentence, that a letter begins."""
    letter = initial[-1:]
    return (
        len(initial) <= 2
        and len(text) >= _LEAST
        and text[0].islower()
        and _INITIAL.fullmatch(initial) is not None
        and letter.isupper()
        and text[0] != letter.lower()
    )
