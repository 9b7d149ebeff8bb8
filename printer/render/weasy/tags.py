"""Completion of WeasyPrint's structure tree for PDF/UA-1.

WeasyPrint does not tag the scope of header cells, formulas or notes, and does not mark running
heads and page numbers as artifacts (7.1 and 7.8).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import Any

import pydyf

from ...text import truncate

#: The most characters of a link's description, and of a text that is only a note's label.
MAX_DESCRIPTION, MAX_LABEL = 160, 3


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
    _join_links(pdf, elements)
    _tag_notes(root, elements)
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
            elif box.element_tag == "img" and "math" in (box.element.get("class") or "").split():
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
        if len(text) <= MAX_LABEL and (anchor := anchors.get(target.removeprefix("#"))) is not None:
            text = max(text, _element_text(anchor), key=len)
        text = text or target.removeprefix("#")
        link["Contents"] = pydyf.String(truncate(text, MAX_DESCRIPTION))


def _element_text(element: Any) -> str:
    """Return the text of an element, including the alternative texts of pictures."""
    alts = (picture.get("alt") or "" for picture in islice(element.iter("img"), 5))
    text = "".join((*islice(element.itertext(), 200), *alts))
    return " ".join(text.replace("\u200b", "").replace("\u2060", "").split())


def _join_links(pdf: Any, elements: dict[bytes, Any]) -> None:
    """Move the annotations of pictures inside a link to the element of the link.

    Annotations of marks inside the link, such as emphasis, are dropped: the link's covers them.
    """
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


def _tag_notes(root: Any, elements: dict[bytes, Any]) -> None:
    """Tag footnotes, which are spans in an area that is a child of the document."""
    count = 0
    for reference in root["K"]:
        area = elements[reference]
        kids: list[Any] = (
            [elements.get(kid) for kid in area["K"]] if area["S"] == "/NonStruct" else []
        )
        if kids and all(kid is not None and kid["S"] == "/Span" for kid in kids):
            for kid in kids:
                count += 1
                kid["S"] = "/Note"
                kid["ID"] = pydyf.String(f"note-{count}")


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
