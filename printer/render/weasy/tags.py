"""Completion of WeasyPrint's structure tree for PDF/UA-1.

WeasyPrint does not tag the scope of header cells, formulas or notes, and does not mark running
heads and page numbers as artifacts (7.1 and 7.8).  It tags the parts of a paragraph on two pages,
or of a link on two lines, as two, and reads notes in the middle of the sentence that a page ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pydyf

from ...text import truncate
from .box_tree import has_class


def remember_box(original: Callable[..., Iterator[Any]], box: Any, *args: Any) -> Iterator[Any]:
    """Tag a box, and let its structure element refer to it."""
    for element in original(box, *args):
        vars(element).setdefault("box", getattr(box, "_box", box))
        yield element


MAX_DESCRIPTION_CHARS = 160
MAX_LABEL_CHARS = 3


def complete_tags(document: Any, pdf: Any) -> None:
    """Complete the structure tree of a PDF that is about to be written."""
    readings = _set_scopes(document)
    _describe_links(document)
    elements: dict[bytes, Any] = {
        item.reference: item
        for item in pdf.objects
        if hasattr(item, "get") and item.get("Type") == "/StructElem"
    }
    root = next((element for element in elements.values() if element["S"] == "/Document"), None)
    if root is None:
        return
    for element in elements.values():
        if element["S"] == "/Figure" and getattr(element.get("Alt"), "string", None) in readings:
            element["S"] = "/Formula"
    parents = _ParentTree(pdf)
    _join_fragments(root, elements, parents)
    _join_links(pdf, elements)
    _tag_notes(root, elements, parents)
    _mark_artifacts(pdf, root, elements)


def _set_scopes(document: Any) -> set[str]:
    """Set the scope of header cells; return the alternative texts of formulas."""
    readings = set()
    for page in document.pages:
        for box in page._page_box.descendants():
            if box.element is None:
                continue
            if box.element_tag == "th" and hasattr(box, "mark"):
                is_row = box.element.get("scope") == "row"
                box.mark["A"]["Scope"] = "/Row" if is_row else "/Column"
            elif box.element_tag == "img" and has_class(box, "math"):
                readings.add(box.element.get("alt"))
    return readings


def _describe_links(document: Any) -> None:
    """Describe each link by its text, or by its target if the text is only a label."""
    boxes = [box for page in document.pages for box in page._page_box.descendants()]
    anchors = {box.element.get("id"): box.element for box in boxes if box.element is not None}
    for box in boxes:
        link = getattr(box, "link_annotation", None)
        if link is None or box.element is None:
            continue
        text, target = _element_text(box.element), box.element.get("href", "")
        anchor = anchors.get(target.removeprefix("#"))
        if len(text) <= MAX_LABEL_CHARS and anchor is not None:
            text = max(text, _element_text(anchor), key=len)
        text = text or target.removeprefix("#")
        link["Contents"] = pydyf.String(truncate(text, MAX_DESCRIPTION_CHARS))


def _element_text(element: Any) -> str:
    """Return the text of an element, including the alternative texts of pictures."""
    alts = (picture.get("alt") or "" for picture in islice(element.iter("img"), 5))
    text = "".join((*islice(element.itertext(), 200), *alts))
    return " ".join(text.replace("\u200b", "").replace("\u2060", "").split())


def _join_fragments(root: Any, elements: dict[bytes, Any], parents: _ParentTree) -> None:
    """Join the elements that page, column and line breaks have divided, except tables."""
    pending = [root]
    while pending:
        parent = pending.pop()
        kids: list[Any] = []
        fragments: dict[tuple[object, ...], Any] = {}
        for kid in parent["K"]:
            element = elements.get(kid) if isinstance(kid, bytes) else None
            source = _source(element)
            first = fragments.get(source)
            if first is None or (_is_anonymous(element) and kids[-1] != first.reference):
                kids.append(kid)
                if source:
                    fragments[source] = element
            else:
                _append(first, elements.pop(kid), elements, parents)
        parent["K"][:] = kids
        found = (elements.get(kid) for kid in kids if isinstance(kid, bytes))
        pending.extend(kid for kid in found if kid is not None and kid["S"] != "/Table")


def _source(element: Any) -> tuple[object, ...]:
    """Return a key that all fragments of an element have, () for those that are not joined."""
    box = getattr(element, "box", None)
    if box is None or box.element is None or element["S"] in ("/Table", "/Figure"):
        return ()
    return id(box.element), box.element_tag, element["S"], _is_anonymous(element)


def _is_anonymous(element: Any) -> bool:
    """Return whether an element's box is anonymous; its parent may have several of these."""
    return type(element.box.style).__name__ == "AnonymousStyle"


def _append(first: Any, fragment: Any, elements: dict[bytes, Any], parents: _ParentTree) -> None:
    """Move the content of a fragment to the end of another, and remove the fragment."""
    for kid in fragment["K"]:
        if not isinstance(kid, bytes):
            parents.move_content(fragment["Pg"], kid, first)
            if fragment["Pg"] != first["Pg"]:
                kid = pydyf.Dictionary({"Type": "/MCR", "Pg": fragment["Pg"], "MCID": kid})
        elif kid in elements:
            elements[kid]["P"] = first.reference
        first["K"].append(kid)
    parents.move_annotations(fragment, first)
    fragment.clear()


class _ParentTree:
    """The number tree that maps content and annotations to structure elements."""

    def __init__(self, pdf: Any) -> None:
        self._numbers = _parent_tree(pdf)
        self._rows = {
            reference: self._numbers[2 * number + 1]
            for number, reference in enumerate(pdf.page_references)
        }
        self._annotations = defaultdict[bytes, list[int]](list)
        for index, value in enumerate(self._numbers):
            if isinstance(value, bytes):
                self._annotations[value].append(index)

    def move_content(self, page: bytes, mcid: int, element: Any) -> None:
        self._rows[page][mcid] = element.reference

    def move_annotations(self, source: Any, target: Any) -> None:
        for index in self._annotations.pop(source.reference, ()):
            self._numbers[index] = target.reference
            self._annotations[target.reference].append(index)


def _join_links(pdf: Any, elements: dict[bytes, Any]) -> None:
    """Move the annotations of pictures inside a link to the link; drop those of other marks."""
    tree = _parent_tree(pdf)
    places = {number: place + 1 for place, number in enumerate(tree) if isinstance(number, int)}
    for element in elements.values():
        link = element
        while link is not None and link["S"] != "/Link":
            link = elements.get(link["P"])
        if link is None or link is element:
            continue
        for kid in [kid for kid in element["K"] if isinstance(kid, bytes) and kid not in elements]:
            element["K"].remove(kid)
            reference = _get_object(pdf, kid)
            if element["S"] == "/Span":
                _get_object(pdf, reference["Pg"])["Annots"].remove(reference["Obj"])
            else:
                link["K"].append(kid)
                tree[places[_get_object(pdf, reference["Obj"])["StructParent"]]] = link.reference


def _parent_tree(pdf: Any) -> Any:
    """Return the numbers of pages and annotations, each followed by its structure elements."""
    return _get_object(pdf, _get_object(pdf, pdf.catalog["StructTreeRoot"])["ParentTree"])["Nums"]


def _tag_notes(root: Any, elements: dict[bytes, Any], parents: _ParentTree) -> None:
    """Tag footnotes, and move them after the paragraphs of their calls."""
    calls = {
        id(element.box.element): element for element in elements.values()
        if hasattr(element, "box") and str(element.box.element_tag).endswith("::footnote-call")
    }  # fmt: skip
    notes: dict[int, Any] = {}
    moved: dict[bytes, list[bytes]] = defaultdict(list)
    for area in [elements[kid] for kid in root["K"]]:
        spans: list[Any] = [elements.get(kid) for kid in area["K"] if isinstance(kid, bytes)]
        if area["S"] != "/NonStruct" or len(spans) != len(area["K"]):
            continue
        if not all(span is not None and span["S"] == "/Span" for span in spans):
            continue
        remaining = []
        for note in spans:
            source = id(note.box.element)
            if source in notes:  # Its beginning is on the page before.
                _append(notes[source], elements.pop(note.reference), elements, parents)
                continue
            notes[source] = note
            note["S"], note["ID"] = "/Note", pydyf.String(f"note-{len(notes)}")
            if source in calls:
                moved[_block_of(calls[source], elements).reference].append(note.reference)
            else:
                remaining.append(note.reference)
        area["K"][:] = remaining
    _insert_notes(moved, elements)
    root["K"][:] = [kid for kid in root["K"] if elements[kid]["K"]]


def _block_of(element: Any, elements: dict[bytes, Any]) -> Any:
    """Return the element of the block that contains an inline box."""
    from weasyprint.formatting_structure.boxes import InlineLevelBox

    while isinstance(element.box, InlineLevelBox):
        element = elements[element["P"]]
    return element


#: Elements that may have only certain kinds of children.
_STRICT = frozenset({"/L", "/LI", "/Table", "/THead", "/TBody", "/TFoot", "/TR"})


def _insert_notes(moved: dict[bytes, list[bytes]], elements: dict[bytes, Any]) -> None:
    """Insert notes after the blocks of their calls, or at their ends in lists and tables."""
    parents = set()
    for block, notes in moved.items():
        parent = elements[elements[block]["P"]]
        if parent["S"] in _STRICT:
            parent = elements[block]
            parent["K"].extend(notes)
        else:
            parents.add(parent.reference)
        for note in notes:
            elements[note]["P"] = parent.reference
    for reference in parents:
        kids = elements[reference]["K"]
        kids[:] = [
            kid for block in kids
            for kid in (block, *(moved.get(block, ()) if isinstance(block, bytes) else ()))
        ]  # fmt: skip


def _mark_artifacts(pdf: Any, root: Any, elements: dict[bytes, Any]) -> None:
    """Mark content outside all elements of the document, such as running heads, as artifacts."""
    reached, pending = set[bytes](), [root.reference]
    while pending:
        reference = pending.pop()
        if reference in elements and reference not in reached:
            reached.add(reference)
            pending.extend(kid for kid in elements[reference]["K"] if isinstance(kid, bytes))
    artifacts: dict[bytes, set[int]] = defaultdict(set)
    for reference, element in elements.items():
        if reference not in reached:
            artifacts[element["Pg"]].update(kid for kid in element["K"] if isinstance(kid, int))
    tree = _parent_tree(pdf)
    rows: dict[int, Any] = dict(zip(tree[::2], tree[1::2], strict=True))
    for reference, ids in artifacts.items():
        page = _get_object(pdf, reference)
        row: Any = rows[page["StructParents"]]
        for mcid in ids:
            row[mcid] = "null"
        # An operator is preceded by its operands: the tag and its properties.
        stream = _get_object(pdf, page["Contents"]).stream
        for index, operator in enumerate(stream):
            if operator == b"BDC" and stream[index - 1].get("MCID") in ids:
                stream[index - 2 : index + 1] = "/Artifact", b"", b"BMC"


def _get_object(pdf: Any, reference: bytes) -> Any:
    return pdf.objects[int(reference.split()[0])]
