"""What makes a print an archive: where it came from in its metadata, and its sources inside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from ...capture import PageSource
from ...output import ExtractedPage
from ..markup import printable

#: The namespace of what is said of a print's origin, and the prefix it is written with.
NAMESPACE, PREFIX = "urn:webprint:provenance:1#", "webprint"

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_DC = "http://purl.org/dc/elements/1.1/"
_EXTENSION = "http://www.aiim.org/pdfa/ns/extension/"
_SCHEMA = "http://www.aiim.org/pdfa/ns/schema#"
_PROPERTY = "http://www.aiim.org/pdfa/ns/property#"
for _prefix, _uri in (
    ("rdf", _RDF), ("dc", _DC), (PREFIX, NAMESPACE), ("pdfaExtension", _EXTENSION),
    ("pdfaSchema", _SCHEMA), ("pdfaProperty", _PROPERTY),
):  # fmt: skip
    register_namespace(_prefix, _uri)

#: The properties, each a list with a value a page, and what they mean.
_PROPERTIES = {
    "source": "The address that each page came from",
    "fetched": "When each page was fetched",
    "sha256": "The SHA-256 of each page as it was received, after decompression",
}


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file inside the PDF; ``relationship`` is as in ISO 32000-2, 7.11.3."""

    name: str
    data: bytes = field(repr=False)
    description: str
    relationship: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the pages of a document came from, fit to be stored in it."""

    xmp: bytes = b""
    attachments: tuple[AttachedFile, ...] = ()


def build_provenance(pages: Sequence[ExtractedPage], *, attach: bool) -> Provenance:
    """Return where pages came from; with ``attach`` their HTML and the articles are attached."""
    rows = [_row(page.source) for page in pages]
    attached: list[AttachedFile] = []
    for number, page in enumerate(pages if attach else (), 1):
        source = page.source
        tail = f"-{number}" if len(pages) > 1 else ""
        stamp = source.fetched or datetime.fromtimestamp(0, UTC)
        kind = "; ".join(filter(None, (source.media_type, source.charset)))
        told = printable(f"The page as it was received from {source.url} ({kind})")
        attached.append(AttachedFile(f"source{tail}.html", page.html, told, "Source", stamp))
        data = json.dumps(page.article.to_dict(), ensure_ascii=False, indent=1).encode(
            "utf-8", "replace"
        )
        told = "The article found in the page, as data"
        attached.append(AttachedFile(f"article{tail}.json", data, told, "Data", stamp))
    return Provenance(_xmp(rows), tuple(attached))


def _row(source: PageSource) -> dict[str, str]:
    fetched = source.fetched
    return {
        "source": printable(source.url),
        "fetched": fetched.astimezone(UTC).isoformat(timespec="seconds") if fetched else "",
        "sha256": source.sha256,
    }


def _xmp(rows: Sequence[dict[str, str]]) -> bytes:
    """Return descriptions to stand in a packet's RDF, with the schema that PDF/A asks for."""
    about = Element(f"{{{_RDF}}}Description", {f"{{{_RDF}}}about": ""})
    SubElement(about, f"{{{_DC}}}source").text = rows[0]["source"] if rows else ""
    for name in _PROPERTIES:
        row = SubElement(SubElement(about, f"{{{NAMESPACE}}}{name}"), f"{{{_RDF}}}Seq")
        for values in rows:
            SubElement(row, f"{{{_RDF}}}li").text = values[name]
    return tostring(about) + b"\n" + tostring(_schema())


def _schema() -> Element:
    about = Element(f"{{{_RDF}}}Description", {f"{{{_RDF}}}about": ""})
    schema = _resource(SubElement(SubElement(about, f"{{{_EXTENSION}}}schemas"), f"{{{_RDF}}}Bag"))
    SubElement(schema, f"{{{_SCHEMA}}}schema").text = "Where a printed web page came from"
    SubElement(schema, f"{{{_SCHEMA}}}namespaceURI").text = NAMESPACE
    SubElement(schema, f"{{{_SCHEMA}}}prefix").text = PREFIX
    every = SubElement(SubElement(schema, f"{{{_SCHEMA}}}property"), f"{{{_RDF}}}Seq")
    for name, meaning in _PROPERTIES.items():
        one = _resource(every)
        for key, value in (
            ("name", name), ("valueType", "seq Text"), ("category", "external"),
            ("description", meaning),
        ):  # fmt: skip
            SubElement(one, f"{{{_PROPERTY}}}{key}").text = value
    return about


def _resource(above: Element) -> Element:
    return SubElement(above, f"{{{_RDF}}}li", {f"{{{_RDF}}}parseType": "Resource"})


def add_provenance(pdf: Any, xmp: bytes) -> None:
    """Put the descriptions into the metadata of a PDF that is about to be written."""
    if not xmp:
        return
    for stream in pdf.objects:
        if getattr(stream, "extra", {}).get("Type") == "/Metadata":
            packet = b"".join(stream.stream)
            stream.stream = [packet.replace(b"</rdf:RDF>", xmp + b"</rdf:RDF>", 1)]
