"""A PDF file written object by object, so that it can be larger than the memory there is.

What has no data of its own is put into object streams (ISO 32000-2, 7.5.7), and where everything
stands into a cross-reference stream (7.5.8).  Ten bytes an object are held until the end.
"""

from __future__ import annotations

import zlib
from array import array
from hashlib import md5
from typing import BinaryIO

#: An object stream holds so many objects, and ends when it has so many bytes.
MOST_OBJECTS, MOST_BYTES = 200, 100_000

#: So many rows of the cross-reference are packed at a time.
_ROWS = 10_000


class Writing:
    """A PDF being written to a file; objects have numbers, and what is written is their bytes."""

    def __init__(self, file: BinaryIO, version: str) -> None:
        self._file = file
        self._at = 0
        self._digest = md5(usedforsecurity=False)
        # Of each object the offset, or the number of the stream it is in and there its place,
        # counted from 1; of one that has not been written yet nothing.
        self._places, self._within = array("Q", [0]), array("H", [0])
        self._held: list[tuple[int, bytes]] = []
        self._size = 0
        self._emit(b"%%PDF-%s\n%%\xe2\xe3\xcf\xd3\n" % version.encode("ascii"))

    def reserve(self) -> int:
        """Return the number of an object that will be written."""
        self._places.append(0)
        self._within.append(0)
        return len(self._places) - 1

    def write(self, number: int, value: bytes) -> None:
        """Write an object that is no stream."""
        self._held.append((number, value))
        self._size += len(value)
        if len(self._held) >= MOST_OBJECTS or self._size >= MOST_BYTES:
            self._flush()

    def add(self, value: bytes) -> int:
        """Write an object that is no stream; return its number."""
        number = self.reserve()
        self.write(number, value)
        return number

    def write_stream(self, number: int, told: bytes, data: bytes) -> None:
        """Write a stream of data, encoded as its dictionary tells."""
        self._places[number] = self._at
        self._emit(b"%d 0 obj\n%s\nstream\n" % (number, told))
        self._emit(data)
        self._emit(b"\nendstream\nendobj\n")

    def close(self, root: int, info: int) -> None:
        """Write where everything stands; ``root`` is the catalogue, ``info`` 0 if there is none."""
        if self._held:
            self._flush()
        own = self.reserve()
        begins = self._places[own] = self._at
        count = len(self._places)
        name = self._digest.hexdigest().encode("ascii")
        about = b"/Info %d 0 R " % info if info else b""
        pack = zlib.compressobj()
        rows = b"".join(
            pack.compress(b"".join(map(self._row, range(at, min(at + _ROWS, count)))))
            for at in range(0, count, _ROWS)
        )
        told = b"/Type /XRef /W [ 1 6 2 ] /Size %d /Root %d 0 R %s/ID [ <%s> <%s> ]"
        self._deflated(own, told % (count, root, about, name, name), rows + pack.flush())
        self._emit(b"startxref\n%d\n%%%%EOF\n" % begins)

    def _row(self, number: int) -> bytes:
        place, within = self._places[number], self._within[number]
        if within:
            kind, within = 2, within - 1
        else:
            kind, within = (1, 0) if place else (0, 0xFFFF)
        return (kind << 64 | place << 16 | within).to_bytes(9, "big")

    def _flush(self) -> None:
        """Write the objects that were held back as one stream."""
        stream = self.reserve()
        heads, at = [], 0
        for index, (number, value) in enumerate(self._held, 1):
            self._places[number], self._within[number] = stream, index
            heads.append(b"%d %d" % (number, at))
            at += len(value) + 1
        head = b" ".join(heads) + b"\n"
        data = zlib.compress(head + b"\n".join(value for _, value in self._held))
        told = b"/Type /ObjStm /N %d /First %d" % (len(self._held), len(head))
        self._deflated(stream, told, data)
        self._held.clear()
        self._size = 0

    def _deflated(self, number: int, told: bytes, data: bytes) -> None:
        whole = b"<< %s /Filter /FlateDecode /Length %d >>" % (told, len(data))
        self.write_stream(number, whole, data)

    def _emit(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._at += len(data)
