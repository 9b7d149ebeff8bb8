"""Merging of separately rendered parts to one PDF, with one part in memory at a time.

Pages, outline, named destinations and structure tree of every part are appended to those of the
front matter, whose metadata are kept.  Page numbers, which are unknown when a part is rendered,
come from separate documents and are drawn over the pages as artifacts.

Everything is written as soon as possible, and only one part is open at a time.  Of earlier parts,
only outlines, destinations and the numbers of shared objects stay in memory.  Section numbers are
those of ISO 32000-2.
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
from typing import Any, BinaryIO

import pikepdf
from pikepdf import Pdf

from ...errors import RenderError


@dataclass(frozen=True, slots=True)
class MergePart:
    """A part's file, whether it follows a blank page, and how many outline items it nests."""

    path: Path
    after_blank: bool = False
    nested: int = 0


def merge_parts(
    front: bytes,
    parts: Sequence[MergePart],
    overlays: Iterable[bytes],
    blank: frozenset[int],
    file: BinaryIO,
) -> None:
    """Merge the front matter and the parts to one PDF; of equal destinations, the last counts.

    The successive pages of ``overlays``, consumed after all parts are written, are drawn over the
    pages of the whole, except over those whose indexes are in ``blank``.
    """
    try:
        with pikepdf.open(BytesIO(front)) as pdf:
            merger = _Merger(pdf, blank, file)
        for number, part in enumerate(parts, 1):
            with pikepdf.open(part.path) as pdf:
                merger.append(pdf, part, number)
        merger.draw_overlays(overlays)
    except pikepdf.PdfError as error:
        raise RenderError(f"the parts could not be merged: {error}") from error
    merger.close()


MAX_STREAM_OBJECTS = 200
MAX_STREAM_BYTES = 100_000
#: Rows of the cross-reference stream that are compressed at a time.
_ROWS = 10_000


class PdfWriter:
    """Writes a PDF object by object; objects are given as bytes.

    Objects without streams go into object streams (7.5.7), and all positions into a cross-reference
    stream (7.5.8).  Ten bytes per object are held until the end.
    """

    def __init__(self, file: BinaryIO, version: str) -> None:
        self._file = file
        self._position = 0
        self._digest = md5(usedforsecurity=False)
        # By object number: the position of an object, or the number of its object stream and its
        # slot in that, counted from 1; zeros for an object not yet written.
        self._positions, self._slots = array("Q", [0]), array("H", [0])
        self._pending: list[tuple[int, bytes]] = []
        self._pending_bytes = 0
        self._emit(b"%%PDF-%s\n%%\xe2\xe3\xcf\xd3\n" % version.encode("ascii"))

    def reserve(self) -> int:
        """Return the number of an object to be written later."""
        self._positions.append(0)
        self._slots.append(0)
        return len(self._positions) - 1

    def write(self, number: int, value: bytes) -> None:
        """Write an object without a stream."""
        self._pending.append((number, value))
        self._pending_bytes += len(value)
        if len(self._pending) >= MAX_STREAM_OBJECTS or self._pending_bytes >= MAX_STREAM_BYTES:
            self._flush()

    def add(self, value: bytes) -> int:
        """Write an object without a stream; return its number."""
        number = self.reserve()
        self.write(number, value)
        return number

    def write_stream(self, number: int, dictionary: bytes, data: bytes) -> None:
        """Write a stream whose data is already encoded as stated in its dictionary."""
        self._positions[number] = self._position
        self._emit(b"%d 0 obj\n%s\nstream\n" % (number, dictionary))
        self._emit(data)
        self._emit(b"\nendstream\nendobj\n")

    def add_stream(self, data: bytes) -> int:
        """Write a stream of plain data; return its number."""
        number = self.reserve()
        self.write_stream(number, b"<< /Length %d >>" % len(data), data)
        return number

    def close(self, root: int, info: int) -> None:
        """Write the cross-reference stream; ``root`` is the catalog, ``info`` may be 0."""
        if self._pending:
            self._flush()
        number = self.reserve()
        position = self._positions[number] = self._position
        count = len(self._positions)
        digest = self._digest.hexdigest().encode("ascii")
        info_entry = b"/Info %d 0 R " % info if info else b""
        compressor = zlib.compressobj()
        rows = b"".join(
            compressor.compress(b"".join(map(self._row, range(start, min(start + _ROWS, count)))))
            for start in range(0, count, _ROWS)
        )
        entries = b"/Type /XRef /W [ 1 6 2 ] /Size %d /Root %d 0 R %s/ID [ <%s> <%s> ]"
        entries %= (count, root, info_entry, digest, digest)
        self._write_deflated(number, entries, rows + compressor.flush())
        self._emit(b"startxref\n%d\n%%%%EOF\n" % position)

    def _row(self, number: int) -> bytes:
        position, slot = self._positions[number], self._slots[number]
        if slot:
            kind, slot = 2, slot - 1
        else:
            kind, slot = (1, 0) if position else (0, 0xFFFF)
        return (kind << 64 | position << 16 | slot).to_bytes(9, "big")

    def _flush(self) -> None:
        """Write the pending objects as an object stream."""
        stream = self.reserve()
        offsets, offset = [], 0
        for slot, (number, value) in enumerate(self._pending, 1):
            self._positions[number], self._slots[number] = stream, slot
            offsets.append(b"%d %d" % (number, offset))
            offset += len(value) + 1
        header = b" ".join(offsets) + b"\n"
        data = zlib.compress(header + b"\n".join(value for _, value in self._pending))
        entries = b"/Type /ObjStm /N %d /First %d" % (len(self._pending), len(header))
        self._write_deflated(stream, entries, data)
        self._pending.clear()
        self._pending_bytes = 0

    def _write_deflated(self, number: int, entries: bytes, data: bytes) -> None:
        dictionary = b"<< %s /Filter /FlateDecode /Length %d >>" % (entries, len(data))
        self.write_stream(number, dictionary, data)

    def _emit(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self._position += len(data)


#: A reference in an object as written by qpdf, but not the same characters in a string.
_REFERENCE = re.compile(
    rb"\([^()\\]*(?:\\.[^()\\]*)*\)|<[0-9a-fA-F]*>|(?<![\w.+-])(\d+) \d+ R(?!\w)", re.DOTALL
)


class PdfCopier:
    """Copies objects of a PDF, each once; ``shared`` has the fonts and pictures copied so far.

    References to objects mapped to a number are not followed.
    """

    def __init__(self, source: Pdf, target: PdfWriter, shared: dict[bytes, int]) -> None:
        self._source, self._target, self._shared = source, target, shared
        self._numbers: dict[int, int] = {}
        self._pending: list[tuple[int, Any]] = []

    def map(self, item: Any, number: int) -> None:
        """Map an object of the source to an object of the target."""
        self._numbers[item.objgen[0]] = number

    def placeholder(self, number: int) -> Any:
        """Return an object of the source that represents an object of the target."""
        item = self._source.make_indirect(pikepdf.Dictionary())
        self.map(item, number)
        return item

    def copy(self, item: Any, number: int = 0) -> int:
        """Copy an object to a reserved number, or to a new one; return the number."""
        source_number = item.objgen[0]
        if source_number in self._numbers:
            return self._numbers[source_number]
        fingerprint = None if number else _fingerprint(item)
        if fingerprint in self._shared:
            number = self._shared[fingerprint]
        else:
            number = number or self._target.reserve()
            self._pending.append((number, item))
            if fingerprint:
                self._shared[fingerprint] = number
        self._numbers[source_number] = number
        return number

    def serialize(self, value: Any) -> bytes:
        """Return a value as bytes for the target; the objects it refers to are copied."""
        return _REFERENCE.sub(self._renumber, value.unparse(resolved=True))

    def finish(self) -> None:
        """Write all pending copies."""
        while self._pending:
            number, item = self._pending.pop()
            if isinstance(item, pikepdf.Stream):
                data = item.read_raw_bytes()
                item.stream_dict.Length = len(data)
                self._target.write_stream(number, self.serialize(item.stream_dict), data)
            else:
                self._target.write(number, self.serialize(item))

    def _renumber(self, match: re.Match[bytes]) -> bytes:
        if match[1] is None:
            return match[0]
        source_number = int(match[1])
        number = self._numbers.get(source_number)
        if number is None:
            number = self.copy(self._source.get_object(source_number, 0))
        return b"%d 0 R" % number


#: The number of dictionary entries of a stream that only draws: its encoding and its length.
_CONTENT_ENTRIES = 2


def _fingerprint(item: Any) -> bytes | None:
    """Return a hash of a font or picture (a self-contained stream that does not only draw)."""
    if not isinstance(item, pikepdf.Stream) or len(item.stream_dict.keys()) <= _CONTENT_ENTRIES:
        return None
    dictionary = item.stream_dict.unparse(resolved=True)
    if any(match[1] for match in _REFERENCE.finditer(dictionary)):
        return None
    digest = blake2b(dictionary, digest_size=16)
    digest.update(b"\n")
    digest.update(item.read_raw_bytes())
    return digest.digest()


@dataclass(slots=True)
class _OutlineItem:
    """An item of an outline: its serialized entries without links, and its subitems."""

    entries: bytes
    children: list[_OutlineItem] = field(default_factory=list)


#: Entries of a catalog that are merged.
_MERGED = ("/Pages", "/Names", "/Outlines", "/StructTreeRoot")
_MAX_NAMES_PER_LEAF = 100


class _Merger:
    """A PDF in progress, beginning with the front matter."""

    def __init__(self, front: Pdf, blank: frozenset[int], file: BinaryIO) -> None:
        self._blank = blank
        self._target = target = PdfWriter(file, front.pdf_version)
        self._pages, self._tree, self._document = (target.reserve() for _ in range(3))
        self._shared: dict[bytes, int] = {}
        # Object numbers: the form drawn over each page, or 0; the nodes of the page tree; the
        # children of the /Document element.
        self._forms, self._nodes, self._kids = array("L"), array("L"), array("L")
        # The nodes of the parent tree with their limits, and the next free key in it.
        self._parent_nodes: list[tuple[int, bytes]] = []
        self._next_key = 0
        self._destinations: dict[bytes, bytes] = {}
        self._outline: list[_OutlineItem] = []
        self._save, self._draw = target.add_stream(b"q"), dict[int, int]()
        self._begin(front)

    def _begin(self, front: Pdf) -> None:
        """Write the front matter, and keep the entries for the whole."""
        root = front.Root
        metadata, tree = root.Metadata, root.StructTreeRoot
        metadata.write(metadata.read_bytes())  # PDF/A requires this to be uncompressed.
        copier = self._copier(front)
        self._catalog_entries = copier.serialize(_copy_without(root, *_MERGED))
        self._names_entries = copier.serialize(_copy_without(root.get("/Names", {}), "/Dests"))
        self._tree_entries = copier.serialize(_copy_without(tree, "/K", "/ParentTree"))
        self._document_entries = copier.serialize(_copy_without(tree.K[0], "/K"))
        self._info = copier.copy(front.trailer.Info) if "/Info" in front.trailer else 0
        self._add(front, copier, 0)

    def append(self, pdf: Pdf, part: MergePart, number: int) -> None:
        if part.after_blank:
            box = pdf.pages[0].mediabox.unparse(resolved=True)
            page = b"<< /Type /Page /Parent %d 0 R /MediaBox %s /Resources << >> >>"
            self._nodes.append(self._target.add(page % (self._pages, box)))
            self._forms.append(0)
        _rename_notes(pdf, number)
        self._add(pdf, self._copier(pdf), part.nested)

    def _copier(self, pdf: Pdf) -> PdfCopier:
        copier = PdfCopier(pdf, self._target, self._shared)
        tree = pdf.Root.StructTreeRoot
        copier.map(tree, self._tree)
        copier.map(tree.K[0], self._document)
        return copier

    def _add(self, pdf: Pdf, copier: PdfCopier, nested: int) -> None:
        root = pdf.Root
        tree = root.StructTreeRoot
        for name, destination in _read_destinations(root):
            self._destinations[bytes(name)] = copier.serialize(destination)
        items = list(_read_outline(root.Outlines, copier)) if "/Outlines" in root else []
        if nested:
            self._outline[-1].children += items[:nested]
        self._outline += items[nested:]
        if limits := self._shift_keys(pdf):
            self._parent_nodes.append((copier.copy(tree.ParentTree), limits))
        self._add_overlay_forms(pdf, copier)
        root.Pages.Parent = copier.placeholder(self._pages)
        self._nodes.append(copier.copy(root.Pages))
        self._kids.extend(copier.copy(kid) for kid in tree.K[0].K)
        copier.finish()

    def _shift_keys(self, pdf: Pdf) -> bytes:
        """Renumber the parent tree (14.7.5.4) from the next free key; return the limits."""
        for page in pdf.pages:
            page.obj.StructParents = int(page.obj.StructParents) + self._next_key
            for annotation in page.obj.get("/Annots", ()):
                if "/StructParent" in annotation:
                    annotation.StructParent = int(annotation.StructParent) + self._next_key
        tree = pdf.Root.StructTreeRoot.ParentTree
        row: list[Any] = list(tree.Nums)
        if not row:
            return b""
        row[::2] = [int(key) + self._next_key for key in row[::2]]
        tree.Nums, tree.Limits = pikepdf.Array(row), pikepdf.Array([row[0], row[-2]])
        self._next_key = row[-2] + 1
        return b"[ %d %d ]" % (row[0], row[-2])

    def _add_overlay_forms(self, pdf: Pdf, copier: PdfCopier) -> None:
        """Make each page draw the form with its number, as an artifact."""
        for index, page in enumerate(pdf.pages):
            if len(self._forms) in self._blank:
                self._forms.append(0)
                continue
            self._forms.append(self._target.reserve())
            resources, contents = page.obj.Resources, page.obj.Contents
            if "/XObject" not in resources:
                resources.XObject = pikepdf.Dictionary()
            # The pages of a part share their resources, so each form needs its own name.
            resources.XObject[f"/Folio{index}"] = copier.placeholder(self._forms[-1])
            if index not in self._draw:
                draw = b"Q /Artifact BMC q /Folio%d Do Q EMC" % index
                self._draw[index] = self._target.add_stream(draw)
            streams = contents if isinstance(contents, pikepdf.Array) else [contents]
            page.obj.Contents = pikepdf.Array(
                [copier.placeholder(self._save), *streams, copier.placeholder(self._draw[index])]
            )

    def draw_overlays(self, overlays: Iterable[bytes]) -> None:
        """Write the forms that are drawn over the pages."""
        count = 0
        for data in overlays:
            with pikepdf.open(BytesIO(data)) as overlay:
                copier = PdfCopier(overlay, self._target, self._shared)
                for page, form in zip(overlay.pages, self._forms[count:], strict=False):
                    if form:
                        copier.copy(page.as_form_xobject(), form)
                copier.finish()
                count += len(overlay.pages)
        if count != len(self._forms):
            raise RenderError(f"{count} page numbers do not fit {len(self._forms)} pages")

    def close(self) -> None:
        """Write the objects that the parts share."""
        target, kids = self._target, _references(self._nodes)
        pages = b"<< /Type /Pages /Count %d /Kids %s >>" % (len(self._forms), kids)
        target.write(self._pages, pages)
        kids = b"/K " + _references(self._kids)
        target.write(self._document, _add_entries(self._document_entries, kids))
        kids = _references(number for number, _ in self._parent_nodes)
        parent_tree = target.add(b"<< /Kids %s >>" % kids)
        entries = b"/K [ %d 0 R ] /ParentTree %d 0 R" % (self._document, parent_tree)
        target.write(self._tree, _add_entries(self._tree_entries, entries))
        names = _add_entries(self._names_entries, b"/Dests %d 0 R" % self._write_destinations())
        entries = b"/Pages %d 0 R /StructTreeRoot %d 0 R /Names %s"
        entries %= (self._pages, self._tree, names)
        if self._outline:
            outline = target.reserve()
            target.write(outline, b"<< %s >>" % self._write_outline(self._outline, outline)[0])
            entries += b" /Outlines %d 0 R" % outline
        target.close(target.add(_add_entries(self._catalog_entries, entries)), self._info)

    def _write_destinations(self) -> int:
        """Write the name tree (7.9.6); return its number."""
        names = sorted(self._destinations)
        leaves = []
        for start in range(0, len(names), _MAX_NAMES_PER_LEAF):
            leaf_names = names[start : start + _MAX_NAMES_PER_LEAF]
            pairs = b" ".join(
                b"%s %s" % (_hex_string(name), self._destinations[name]) for name in leaf_names
            )
            limits = b"%s %s" % (_hex_string(leaf_names[0]), _hex_string(leaf_names[-1]))
            leaves.append(self._target.add(b"<< /Limits [ %s ] /Names [ %s ] >>" % (limits, pairs)))
        return self._target.add(b"<< /Kids %s >>" % _references(leaves))

    def _write_outline(self, items: Sequence[_OutlineItem], parent: int) -> tuple[bytes, int]:
        """Write outline items; return the parent's entries and the number of visible items."""
        numbers = [self._target.reserve() for _ in items]
        visible = len(items)
        for index, item in enumerate(items):
            entries = b"/Parent %d 0 R " % parent
            if index:
                entries += b"/Prev %d 0 R " % numbers[index - 1]
            if index + 1 < len(items):
                entries += b"/Next %d 0 R " % numbers[index + 1]
            if item.children:
                links, count = self._write_outline(item.children, numbers[index])
                visible += count
                entries += links
            self._target.write(numbers[index], _add_entries(item.entries, entries))
        links = b"/First %d 0 R /Last %d 0 R /Count %d" % (numbers[0], numbers[-1], visible)
        return links, visible


def _read_outline(parent: Any, copier: PdfCopier) -> Iterator[_OutlineItem]:
    item = parent.get("/First")
    while item is not None:
        entries = copier.serialize(
            _copy_without(item, *("/Parent", "/Prev", "/Next", "/First", "/Last", "/Count"))
        )
        yield _OutlineItem(entries, list(_read_outline(item, copier)))
        item = item.get("/Next")


def _read_destinations(root: Any) -> Iterator[tuple[Any, Any]]:
    """Yield named destinations, which WeasyPrint writes as one array."""
    if "/Names" in root and "/Dests" in root.Names:
        row = list(root.Names.Dests.Names)
        yield from zip(row[::2], row[1::2], strict=True)


def _rename_notes(pdf: Pdf, number: int) -> None:
    """Make the ids of the footnotes of a part unique among all parts."""
    for item in pdf.objects:
        if isinstance(item, pikepdf.Dictionary) and item.get("/S") == "/Note":
            item.ID = pikepdf.String(f"{item.ID}-{number}")


def _copy_without(dictionary: Any, *keys: str) -> Any:
    remaining = {key: dictionary[key] for key in dictionary.keys() if key not in keys}  # noqa: SIM118
    return pikepdf.Dictionary(remaining)


def _add_entries(dictionary: bytes, entries: bytes) -> bytes:
    return b"%s%s >>" % (dictionary.removesuffix(b">>"), entries)


def _references(numbers: Iterable[int]) -> bytes:
    return b"[ %s ]" % b" ".join(b"%d 0 R" % number for number in numbers)


def _hex_string(name: bytes) -> bytes:
    return b"<%s>" % name.hex().encode("ascii")
