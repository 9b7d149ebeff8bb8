"""Objects of one PDF copied to another that is being written, with what they refer to."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from .written import Writing

if TYPE_CHECKING:
    from pikepdf import Pdf

#: What draws a page tells so much of itself: how it is encoded, and how long it is.
_PLAIN = 2

#: A reference, in an object as qpdf writes it; what looks like one in a string is none.
_REFERENCE = re.compile(
    rb"\([^()\\]*(?:\\.[^()\\]*)*\)|<[0-9a-fA-F]*>|(?<![\w.+-])(\d+) \d+ R(?!\w)", re.DOTALL
)


class Copying:
    """Copies objects of a PDF, each once; ``same`` are the typefaces and pictures there already.

    What was given a number is not followed: it stands for an object of the target.
    """

    def __init__(self, source: Pdf, target: Writing, same: dict[bytes, int]) -> None:
        self._source, self._target, self._same = source, target, same
        self._numbers: dict[int, int] = {}
        self._waiting: list[tuple[int, Any]] = []

    def stand_for(self, thing: Any, number: int) -> None:
        """Have an object of the source be one of the target, whatever it holds."""
        self._numbers[thing.objgen[0]] = number

    def stand_in(self, number: int) -> Any:
        """Return what stands in the source for an object of the target."""
        import pikepdf

        thing = self._source.make_indirect(pikepdf.Dictionary())
        self.stand_for(thing, number)
        return thing

    def copy(self, thing: Any, number: int = 0) -> int:
        """Have an object copied, to a number if one is kept for it; return its number."""
        name = thing.objgen[0]
        if name in self._numbers:
            return self._numbers[name]
        mark = None if number else _fingerprint(thing)
        if mark in self._same:
            number = self._same[mark]
        else:
            number = number or self._target.reserve()
            self._waiting.append((number, thing))
            if mark:
                self._same[mark] = number
        self._numbers[name] = number
        return number

    def told(self, value: Any) -> bytes:
        """Return a value as it is written in the target; what it refers to is copied."""
        return _REFERENCE.sub(self._renumbered, value.unparse(resolved=True))

    def finish(self) -> None:
        """Write what was to be copied."""
        import pikepdf

        while self._waiting:
            number, thing = self._waiting.pop()
            if isinstance(thing, pikepdf.Stream):
                data = thing.read_raw_bytes()
                thing.stream_dict.Length = len(data)
                self._target.write_stream(number, self.told(thing.stream_dict), data)
            else:
                self._target.write(number, self.told(thing))

    def _renumbered(self, found: re.Match[bytes]) -> bytes:
        if found[1] is None:
            return found[0]
        name = int(found[1])
        number = self._numbers.get(name)
        if number is None:
            number = self.copy(self._source.get_object(name, 0))
        return b"%d 0 R" % number


def _fingerprint(thing: Any) -> bytes | None:
    """Return what tells a typeface or picture: a stream of more than a page's marks, all in one."""
    import pikepdf

    if not isinstance(thing, pikepdf.Stream) or len(thing.stream_dict.keys()) <= _PLAIN:
        return None
    told = thing.stream_dict.unparse(resolved=True)
    if any(found[1] for found in _REFERENCE.finditer(told)):
        return None
    mark = blake2b(told, digest_size=16)
    mark.update(b"\n")
    mark.update(thing.read_raw_bytes())
    return mark.digest()
