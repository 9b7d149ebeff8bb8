"""Initials: a large first letter that a page sets in a block of its own begins its word again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..article import Block, Paragraph, pieces, plain
from ..html.initials import begins

#: What may be a word of one letter, in some language written in Latin letters.
_ONE_LETTER_WORDS = frozenset("AEIOUYÀÉÓÅÖ")
_LETTERS = re.compile(r"[^\W\d_]+")


def with_initials(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks with each such letter and the paragraph after it as one."""
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if isinstance(block, Paragraph) and isinstance(before, Paragraph):
            initial, text = plain(before.spans), plain(block.spans)
            if begins(initial, text) and not before.id:
                glue = " " if _is_word(initial[-1], text, joined) else ""
                first, *rest = block.spans
                joined[-1] = replace(
                    block, spans=(replace(first, text=initial + glue + first.text.lstrip()), *rest)
                )
                continue
        joined.append(block)
    return tuple(joined)


def _is_word(letter: str, text: str, said: Iterable[Block]) -> bool:
    """Tell whether the letter is a word: what follows it is one that is met elsewhere too."""
    if letter not in _ONE_LETTER_WORDS:
        return False
    first, *others = _LETTERS.findall(text)
    before = (word for block in said for piece in pieces(block) for word in _LETTERS.findall(piece))
    return first in others or first in set(before)
