"""Parts that were laid out apart, bound to one PDF that is whole.

Pages, the outline, the places that links lead to and the structure tree of every part are put
behind those of the front matter, which keeps its metadata.  Page numbers, which no part can know,
are drawn over the pages as artefacts, from a document that has nothing else.

What is bound is written at once, and one part is open at a time.  Of those before it there remain
the outline, the places by name, and the numbers of the objects that the whole lists.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b, md5
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ...errors import RenderError

if TYPE_CHECKING:
    from pikepdf import Pdf

#: What of a catalogue is brought together, and of an item in an outline made anew.
_BROUGHT = ("/Pages", "/Names", "/Outlines", "/StructTreeRoot")
_LINKS = ("/Parent", "/Prev", "/Next", "/First", "/Last", "/Count")

#: A leaf of the tree of names holds so many.
_LEAF = 100


@dataclass(frozen=True, slots=True)
class MergePart:
    """The file of a part, and whether an empty page stands before it.

    The first ``below`` items of its outline belong under the last one before it.
    """

    path: Path
    after_blank: bool = False
    below: int = 0


def merge_parts(
    front: bytes,
    parts: Sequence[MergePart],
    folios: Iterable[bytes],
    bare: frozenset[int],
    file: BinaryIO,
) -> None:
    """Write one PDF of the front matter and the parts behind it to a file.

    Page k of the ``folios``, one behind the other, is drawn over page k of the whole, unless k,
    from 0, is ``bare``.  They are asked for when all parts are bound.  A name that several parts
    have means the place in the last of them.  Raises :class:`RenderError` when a part cannot be
    read, or the pages of the folios are not as many.
    """
    import pikepdf

    try:
        with pikepdf.open(BytesIO(front)) as begun:
            whole = _Whole(begun, bare, file)
        for number, part in enumerate(parts, 1):
            with pikepdf.open(part.path) as more:
                whole.append(more, part, number)
        whole.draw(folios)
    except pikepdf.PdfError as error:
        raise RenderError(f"the parts could not be bound: {error}") from error
    whole.close()


@dataclass(slots=True)
class _Item:
    """An item of an outline: what it tells, and the items below it."""

    told: bytes
    below: list[_Item] = field(default_factory=list)


class _Whole:
    """A PDF that is being bound, begun with its front matter."""

    def __init__(self, front: Pdf, bare: frozenset[int], file: BinaryIO) -> None:
        self._bare = bare
        self._target = target = Writing(file, front.pdf_version)
        self._pages, self._tree, self._document = (target.reserve() for _ in range(3))
        self._same: dict[bytes, int] = {}
        # By number: the form drawn over each page, or 0; the nodes of the tree of pages; the
        # elements of the document; what holds the elements by their place on pages.
        self._forms, self._nodes, self._kids = array("L"), array("L"), array("L")
        self._holders: list[tuple[int, bytes]] = []
        self._marked = 0
        self._places: dict[bytes, bytes] = {}
        self._outline: list[_Item] = []
        self._before, self._behind = _stream(target, b"q"), dict[int, int]()
        self._begin(front)

    def _begin(self, front: Pdf) -> None:
        """Bind the front matter, and keep what is said of the whole."""
        root = front.Root
        metadata, tree = root.Metadata, root.StructTreeRoot
        metadata.write(metadata.read_bytes())  # for all to read: PDF/A has it not encoded
        copying = self._copying(front)
        self._about = copying.told(_without(root, *_BROUGHT))
        self._names = copying.told(_without(root.get("/Names", {}), "/Dests"))
        self._about_tree = copying.told(_without(tree, "/K", "/ParentTree"))
        self._about_document = copying.told(_without(tree.K[0], "/K"))
        self._info = copying.copy(front.trailer.Info) if "/Info" in front.trailer else 0
        self._add(front, copying, 0)

    def append(self, part: Pdf, bound: MergePart, number: int) -> None:
        """Bind a part behind what there is."""
        if bound.after_blank:
            box = part.pages[0].mediabox.unparse(resolved=True)
            page = b"<< /Type /Page /Parent %d 0 R /MediaBox %s /Resources << >> >>"
            self._nodes.append(self._target.add(page % (self._pages, box)))
            self._forms.append(0)
        _tell_notes_apart(part, number)
        self._add(part, self._copying(part), bound.below)

    def _copying(self, part: Pdf) -> Copying:
        copying = Copying(part, self._target, self._same)
        tree = part.Root.StructTreeRoot
        copying.stand_for(tree, self._tree)
        copying.stand_for(tree.K[0], self._document)
        return copying

    def _add(self, part: Pdf, copying: Copying, below: int) -> None:
        root = part.Root
        tree = root.StructTreeRoot
        for name, place in _places(root):
            self._places[bytes(name)] = copying.told(place)
        items = list(_items(root.Outlines, copying)) if "/Outlines" in root else []
        if below:
            self._outline[-1].below += items[:below]
        self._outline += items[below:]
        if limits := self._shift(part):
            self._holders.append((copying.copy(tree.ParentTree), limits))
        self._make_room(part, copying)
        root.Pages.Parent = copying.stand_in(self._pages)
        self._nodes.append(copying.copy(root.Pages))
        self._kids.extend(copying.copy(kid) for kid in tree.K[0].K)
        copying.finish()

    def _shift(self, part: Pdf) -> bytes:
        """Count what holds elements on from the last part; return the first and last number."""
        import pikepdf

        for page in part.pages:
            page.obj.StructParents = int(page.obj.StructParents) + self._marked
            for annotation in page.obj.get("/Annots", ()):
                if "/StructParent" in annotation:
                    annotation.StructParent = int(annotation.StructParent) + self._marked
        holders = part.Root.StructTreeRoot.ParentTree
        row: list[Any] = list(holders.Nums)
        if not row:
            return b""
        row[::2] = [int(number) + self._marked for number in row[::2]]
        holders.Nums, holders.Limits = pikepdf.Array(row), pikepdf.Array([row[0], row[-2]])
        self._marked = row[-2] + 1
        return b"[ %d %d ]" % (row[0], row[-2])

    def _make_room(self, part: Pdf, copying: Copying) -> None:
        """Have each page draw the form with its number, apart from its text."""
        import pikepdf

        for index, page in enumerate(part.pages):
            if len(self._forms) in self._bare:
                self._forms.append(0)
                continue
            self._forms.append(self._target.reserve())
            resources, drawn = page.obj.Resources, page.obj.Contents
            if "/XObject" not in resources:
                resources.XObject = pikepdf.Dictionary()
            # All pages of a part have their resources in common: each has a name of its own there.
            resources.XObject[f"/Folio{index}"] = copying.stand_in(self._forms[-1])
            if index not in self._behind:
                draw = b"Q /Artifact BMC q /Folio%d Do Q EMC" % index
                self._behind[index] = _stream(self._target, draw)
            pieces = drawn if isinstance(drawn, pikepdf.Array) else [drawn]
            page.obj.Contents = pikepdf.Array(
                [copying.stand_in(self._before), *pieces, copying.stand_in(self._behind[index])]
            )

    def draw(self, folios: Iterable[bytes]) -> None:
        """Write what is drawn over the pages."""
        import pikepdf

        at = 0
        for each in folios:
            with pikepdf.open(BytesIO(each)) as over:
                copying = Copying(over, self._target, self._same)
                for page, form in zip(over.pages, self._forms[at:], strict=False):
                    if form:
                        copying.copy(page.as_form_xobject(), form)
                copying.finish()
                at += len(over.pages)
        if at != len(self._forms):
            raise RenderError(f"numbers were set for {at} pages, and there are {len(self._forms)}")

    def close(self) -> None:
        """Write what the parts have in common."""
        target, pages = self._target, len(self._forms)
        kids = _references(self._nodes)
        told = b"<< /Type /Pages /Count %d /Kids %s >>" % (pages, kids)
        target.write(self._pages, told)
        told = _with(self._about_document, b"/K " + _references(self._kids))
        target.write(self._document, told)
        holders = target.add(b"<< /Kids %s >>" % _references(each for each, _ in self._holders))
        more = b"/K [ %d 0 R ] /ParentTree %d 0 R" % (self._document, holders)
        target.write(self._tree, _with(self._about_tree, more))
        names = _with(self._names, b"/Dests %d 0 R" % self._write_places())
        more = b"/Pages %d 0 R /StructTreeRoot %d 0 R /Names %s" % (self._pages, self._tree, names)
        if self._outline:
            outline = target.reserve()
            target.write(outline, b"<< %s >>" % self._write_items(self._outline, outline)[0])
            more += b" /Outlines %d 0 R" % outline
        target.close(target.add(_with(self._about, more)), self._info)

    def _write_places(self) -> int:
        names = sorted(self._places)
        leaves = []
        for at in range(0, len(names), _LEAF):
            some = names[at : at + _LEAF]
            row = b" ".join(b"%s %s" % (_string(name), self._places[name]) for name in some)
            limits = b"%s %s" % (_string(some[0]), _string(some[-1]))
            leaves.append(self._target.add(b"<< /Limits [ %s ] /Names [ %s ] >>" % (limits, row)))
        return self._target.add(b"<< /Kids %s >>" % _references(leaves))

    def _write_items(self, items: Sequence[_Item], above: int) -> tuple[bytes, int]:
        """Write items of an outline; return what the one above them tells, and how many show."""
        numbers = [self._target.reserve() for _ in items]
        shown = len(items)
        for place, item in enumerate(items):
            more = b"/Parent %d 0 R " % above
            if place:
                more += b"/Prev %d 0 R " % numbers[place - 1]
            if place + 1 < len(items):
                more += b"/Next %d 0 R " % numbers[place + 1]
            if item.below:
                told, below = self._write_items(item.below, numbers[place])
                shown += below
                more += told
            self._target.write(numbers[place], _with(item.told, more))
        return b"/First %d 0 R /Last %d 0 R /Count %d" % (numbers[0], numbers[-1], shown), shown


def _items(above: Any, copying: Copying) -> Iterator[_Item]:
    item = above.get("/First")
    while item is not None:
        yield _Item(copying.told(_without(item, *_LINKS)), list(_items(item, copying)))
        item = item.get("/Next")


def _tell_notes_apart(part: Pdf, number: int) -> None:
    """Give the notes at the foot of a part's pages names that no other part has."""
    import pikepdf

    for kid in part.Root.StructTreeRoot.K[0].K:
        for note in kid.K if kid.S == "/NonStruct" else ():
            if isinstance(note, pikepdf.Dictionary) and "/ID" in note:
                note.ID = pikepdf.String(f"{note.ID}-{number}")


def _places(root: Any) -> Iterator[tuple[Any, Any]]:
    """Yield names and the places they mean, as WeasyPrint writes them: in one row."""
    if "/Names" in root and "/Dests" in root.Names:
        row = list(root.Names.Dests.Names)
        yield from zip(row[::2], row[1::2], strict=True)


def _without(dictionary: Any, *keys: str) -> Any:
    import pikepdf

    kept = {key: dictionary[key] for key in dictionary.keys() if key not in keys}  # noqa: SIM118
    return pikepdf.Dictionary(kept)


def _with(told: bytes, more: bytes) -> bytes:
    """Return a dictionary that is written, with more in it."""
    return b"%s%s >>" % (told.removesuffix(b">>"), more)


def _references(numbers: Iterable[int]) -> bytes:
    return b"[ %s ]" % b" ".join(b"%d 0 R" % number for number in numbers)


def _string(name: bytes) -> bytes:
    return b"<%s>" % name.hex().encode("ascii")


def _stream(target: Writing, data: bytes) -> int:
    number = target.reserve()
    target.write_stream(number, b"<< /Length %d >>" % len(data), data)
    return number


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
