"""Parts that were laid out apart, bound to one PDF that is whole.

Pages, the outline, the places that links lead to and the structure tree of every part are put
behind those of the front matter, which keeps its metadata.  Page numbers, which no part can know,
are drawn over the pages as artefacts, from a document that has nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pikepdf import Page, Pdf

#: What a catalogue holds that is brought together.
_KEPT = ("/Names", "/Outlines", "/StructTreeRoot")


@dataclass(frozen=True, slots=True)
class Bound:
    """The file of a part, and whether an empty page stands before it.

    The first ``below`` items of its outline belong under the last one before it.
    """

    path: Path
    after_blank: bool = False
    below: int = 0


def bind(
    front: bytes, parts: Sequence[Bound], folios: Iterable[bytes], bare: frozenset[int]
) -> bytes:
    """Return one PDF of the front matter and the parts behind it.

    Page k of the ``folios``, one behind the other, is drawn over page k of the whole, unless k,
    from 0, is ``bare``.  They are asked for when all parts are bound.  A name that several parts
    have means the place in the last of them.
    """
    import pikepdf

    with pikepdf.open(BytesIO(front)) as whole:
        places = dict(_places(whole.Root))
        tags = _Tags(whole)
        for number, part in enumerate(parts, 1):
            with pikepdf.open(part.path) as more:
                if part.after_blank:
                    whole.add_blank_page(page_size=_size(more.pages[0]))
                begins = len(whole.pages)
                for page in more.pages:
                    whole.pages.append(page)
                # The pages went first: what names them leads to their copies now.
                kept = {key: more.Root[key] for key in _KEPT if key in more.Root}
                root = whole.copy_foreign(more.make_indirect(pikepdf.Dictionary(kept)))
            places.update(_places(root))
            _append_outline(whole, root, part.below)
            tags.append(root, whole.pages[begins:], number)
        _name(whole, places)
        tags.close()
        begins = 0
        for each in folios:
            with pikepdf.open(BytesIO(each)) as over:
                _draw_over(whole, begins, over, bare)
                begins += len(over.pages)
        target = BytesIO()
        whole.save(target, deterministic_id=True)
        return target.getvalue()


def _size(page: Page) -> tuple[float, float]:
    left, bottom, right, top = (float(value) for value in page.mediabox)
    return right - left, top - bottom


def _places(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names of places in a catalogue, as WeasyPrint writes them: in one row."""
    if "/Names" in root and "/Dests" in root.Names:
        row = list(root.Names.Dests.Names)
        yield from zip(map(str, row[::2]), row[1::2], strict=True)


def _name(whole: Pdf, places: dict[str, Any]) -> None:
    import pikepdf

    row: list[Any] = []
    for name in sorted(places, key=lambda name: pikepdf.String(name).__bytes__()):
        row += (pikepdf.String(name), places[name])
    tree = whole.make_indirect(pikepdf.Dictionary(Names=pikepdf.Array(row)))
    if "/Names" not in whole.Root:
        whole.Root.Names = pikepdf.Dictionary()
    whole.Root.Names.Dests = tree


def _append_outline(whole: Pdf, root: Any, below: int) -> None:
    """Put the outline of a part behind that of the whole, its first items under the last there."""
    if "/Outlines" not in root or "/First" not in root.Outlines:
        return
    outline = whole.Root.get("/Outlines")
    if outline is None or "/First" not in outline:
        whole.Root.Outlines = root.Outlines
        return
    items = [root.Outlines.First]
    while "/Next" in items[-1]:
        items.append(items[-1].Next)
    last = outline.Last
    _hang(last, items[:below])
    _hang(outline, items[below:])
    # Open items count all that shows below them; every item of ours is open.
    count = int(root.Outlines.Count)
    outline.Count = int(outline.Count) + count
    if below:
        shown = count - sum(1 + int(item.get("/Count", 0)) for item in items[below:])
        last.Count = int(last.get("/Count", 0)) + shown


def _hang(parent: Any, items: Sequence[Any]) -> None:
    """Put items of an outline behind those that are below another."""
    for item in items:
        item.Parent = parent
        for link in ("/Prev", "/Next"):
            if link in item:
                del item[link]
        if "/First" in parent:
            parent.Last.Next, item.Prev = item, parent.Last
        else:
            parent.First = item
        parent.Last = item


class _Tags:
    """The structure tree of the whole, to which those of the parts are added."""

    def __init__(self, whole: Pdf) -> None:
        root = whole.Root.StructTreeRoot
        self._document = root.K[0]
        self._parents = root.ParentTree
        self._kids: list[Any] = list(self._document.K)
        self._row: list[Any] = list(self._parents.Nums)

    def append(self, root: Any, pages: Sequence[Page], part: int) -> None:
        """Add a part's tree, whose elements are now on these pages."""
        import pikepdf

        first = int(self._row[-2]) + 1 if self._row else 0
        for page in pages:
            page.obj.StructParents = int(page.obj.StructParents) + first
            for annotation in page.obj.get("/Annots", ()):
                if "/StructParent" in annotation:
                    annotation.StructParent = int(annotation.StructParent) + first
        tree = root.StructTreeRoot
        row = list(tree.ParentTree.Nums)
        for at in range(0, len(row), 2):
            self._row += (int(row[at]) + first, row[at + 1])
        for kid in tree.K[0].K:
            kid.P = self._document
            self._kids.append(kid)
            if kid.S == "/NonStruct":
                for note in kid.K:
                    if isinstance(note, pikepdf.Dictionary) and "/ID" in note:
                        note.ID = pikepdf.String(f"{note.ID}-{part}")

    def close(self) -> None:
        """Write what was added."""
        import pikepdf

        self._document.K = pikepdf.Array(self._kids)
        self._parents.Nums = pikepdf.Array(self._row)


def _draw_over(whole: Pdf, begins: int, over: Pdf, bare: frozenset[int]) -> None:
    """Draw pages over others, from one on, apart from their text."""
    import pikepdf

    for index, folio in enumerate(over.pages, begins):
        if index in bare:
            continue
        page = whole.pages[index]
        form = whole.copy_foreign(folio.as_form_xobject())
        resources = page.obj.Resources
        if "/XObject" not in resources:
            resources.XObject = pikepdf.Dictionary()
        # All pages of a part have their resources in common, so each has a name of its own in them.
        name = f"/Folio{index}"
        resources.XObject[name] = form
        page.contents_add(b"q", prepend=True)
        page.contents_add(f"Q /Artifact BMC q {name} Do Q EMC".encode())
