"""What WeasyPrint's tags do not say.

Which cells heads are of, what is a formula or a note, and that running heads and page numbers are
no part of the text (PDF/UA-1, 7.1 and 7.8).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import Any

import pydyf

#: So many characters tell where a link leads; a text of no more is but the sign of a note.
TOLD, SIGN = 160, 3


def complete_tags(document: Any, pdf: Any) -> None:
    """Complete the structure tree of a PDF that is about to be written."""
    readings = _heads_and_formulas(document)
    _tell_links(document)
    elements: dict[bytes, Any] = {
        each.reference: each
        for each in pdf.objects
        if hasattr(each, "get") and each.get("Type") == "/StructElem"
    }
    root = next((each for each in elements.values() if each["S"] == "/Document"), None)
    if root is None:
        return
    for element in elements.values():
        if element["S"] == "/Figure" and getattr(element.get("Alt"), "string", None) in readings:
            element["S"] = "/Formula"
    _name_notes(root, elements)
    _set_aside(pdf, root, elements)


def _heads_and_formulas(document: Any) -> set[str]:
    """Give the heads of tables their scope; return the readings of formulas."""
    readings = set()
    for page in document.pages:
        for box in page._page_box.descendants():
            if box.element is None:
                continue
            if box.element_tag == "th" and hasattr(box, "mark"):
                row = box.element.get("scope") == "row"
                box.mark["A"]["Scope"] = "/Row" if row else "/Column"
            elif box.element_tag == "img" and "math" in (box.element.get("class") or "").split():
                readings.add(box.element.get("alt"))
    return readings


def _tell_links(document: Any) -> None:
    """Have each link say its text, and what it leads to when that is but a sign."""
    boxes = [box for page in document.pages for box in page._page_box.descendants()]
    places = {box.element.get("id"): box.element for box in boxes if box.element is not None}
    for box in boxes:
        link = getattr(box, "link_annotation", None)
        if link is None or box.element is None:
            continue
        text, target = _words(box.element), box.element.get("href", "")
        if len(text) <= SIGN and (place := places.get(target.removeprefix("#"))) is not None:
            text = max(text, _words(place), key=len)
        told = text or target.removeprefix("#")
        link["Contents"] = pydyf.String(told if len(told) <= TOLD else told[: TOLD - 1] + "…")


def _words(element: Any) -> str:
    """Return an element's text; of a picture in it, what describes it."""
    pictures = (each.get("alt") or "" for each in islice(element.iter("img"), 5))
    text = "".join((*islice(element.itertext(), 200), *pictures))
    return " ".join(text.replace("\u200b", "").split())


def _name_notes(root: Any, elements: dict[bytes, Any]) -> None:
    """Tag what stands at the foot of pages, directly in the document, as notes."""
    notes = 0
    for reference in root["K"]:
        foot = elements[reference]
        kids: list[Any] = (
            [elements.get(kid) for kid in foot["K"]] if foot["S"] == "/NonStruct" else []
        )
        if kids and all(kid is not None and kid["S"] == "/Span" for kid in kids):
            for kid in kids:
                notes += 1
                kid["S"] = "/Note"
                kid["ID"] = pydyf.String(f"note-{notes}")


def _set_aside(pdf: Any, root: Any, elements: dict[bytes, Any]) -> None:
    """Mark what no element of the document holds, running heads, as artifacts."""
    reached, todo = set[bytes](), [root.reference]
    while todo:
        reference = todo.pop()
        if reference in elements and reference not in reached:
            reached.add(reference)
            todo.extend(kid for kid in elements[reference]["K"] if isinstance(kid, bytes))
    aside: dict[bytes, set[int]] = defaultdict(set)
    for reference, element in elements.items():
        if reference not in reached:
            aside[element["Pg"]].update(kid for kid in element["K"] if isinstance(kid, int))
    parents = pdf.objects[_number(pdf.catalog["StructTreeRoot"])]["ParentTree"]
    numbered = pdf.objects[_number(parents)]["Nums"]
    rows: dict[int, Any] = {numbered[at]: numbered[at + 1] for at in range(0, len(numbered), 2)}
    for page, ids in aside.items():
        held = pdf.objects[_number(page)]
        stream = pdf.objects[_number(held["Contents"])].stream
        row: Any = rows[held["StructParents"]]
        for mcid in ids:
            row[mcid] = "null"
        for at, piece in enumerate(stream):
            if piece == b"BDC" and stream[at - 1].get("MCID") in ids:
                stream[at - 2 : at + 1] = "/Artifact", b"", b"BMC"


def _number(reference: bytes) -> int:
    return int(reference.split()[0])
