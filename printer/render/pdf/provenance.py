"""Provenance of a print: its sources in the metadata and, for archives, attached."""

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

#: The XMP namespace of the provenance, and its prefix.
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

#: The properties, each a list with a value per page, and their meanings.
_PROPERTIES = {
    "source": "The address that each page came from",
    "fetched": "When each page was fetched",
    "sha256": "The SHA-256 of each page as it was received, after decompression",
}


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file inside a PDF; ``relationship`` is as in ISO 32000-2, 7.11.3."""

    name: str
    data: bytes = field(repr=False)
    description: str
    relationship: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the pages of a document came from, as it is stored in the PDF."""

    xmp: bytes = b""
    attachments: tuple[AttachedFile, ...] = ()


def build_provenance(pages: Sequence[ExtractedPage], *, attach: bool) -> Provenance:
    """Return where pages came from; ``attach`` adds their HTML and the articles as files."""
    files: list[AttachedFile] = []
    for number, page in enumerate(pages if attach else (), 1):
        source = page.source
        suffix = f"-{number}" if len(pages) > 1 else ""
        modified = source.fetched or datetime.fromtimestamp(0, UTC)
        kind = "; ".join(filter(None, (source.media_type, source.charset)))
        description = printable(f"The page as it was received from {source.url} ({kind})")
        files.append(
            AttachedFile(f"source{suffix}.html", page.html, description, "Source", modified)
        )
        article = json.dumps(page.article.to_dict(), ensure_ascii=False, indent=1)
        data = article.encode("utf-8", "replace")
        description = "The article found in the page, as data"
        files.append(AttachedFile(f"article{suffix}.json", data, description, "Data", modified))
    return Provenance(_build_xmp([_values(page.source) for page in pages]), tuple(files))


def _values(source: PageSource) -> dict[str, str]:
    fetched = source.fetched
    return {
        "source": printable(source.url),
        "fetched": fetched.astimezone(UTC).isoformat(timespec="seconds") if fetched else "",
        "sha256": source.sha256,
    }


def _build_xmp(rows: Sequence[dict[str, str]]) -> bytes:
    """Return descriptions for the RDF of an XMP packet, with the schema that PDF/A asks for."""
    description = Element(f"{{{_RDF}}}Description", {f"{{{_RDF}}}about": ""})
    SubElement(description, f"{{{_DC}}}source").text = rows[0]["source"] if rows else ""
    for name in _PROPERTIES:
        parent = SubElement(description, f"{{{NAMESPACE}}}{name}")
        sequence = SubElement(parent, f"{{{_RDF}}}Seq")
        for values in rows:
            SubElement(sequence, f"{{{_RDF}}}li").text = values[name]
    return tostring(description) + b"\n" + tostring(_build_schema())


def _build_schema() -> Element:
    description = Element(f"{{{_RDF}}}Description", {f"{{{_RDF}}}about": ""})
    schemas = SubElement(description, f"{{{_EXTENSION}}}schemas")
    schema = _add_resource(SubElement(schemas, f"{{{_RDF}}}Bag"))
    SubElement(schema, f"{{{_SCHEMA}}}schema").text = "Where a printed web page came from"
    SubElement(schema, f"{{{_SCHEMA}}}namespaceURI").text = NAMESPACE
    SubElement(schema, f"{{{_SCHEMA}}}prefix").text = PREFIX
    properties = SubElement(SubElement(schema, f"{{{_SCHEMA}}}property"), f"{{{_RDF}}}Seq")
    for name, meaning in _PROPERTIES.items():
        resource = _add_resource(properties)
        for key, value in (
            ("name", name), ("valueType", "seq Text"), ("category", "external"),
            ("description", meaning),
        ):  # fmt: skip
            SubElement(resource, f"{{{_PROPERTY}}}{key}").text = value
    return description


def _add_resource(parent: Element) -> Element:
    return SubElement(parent, f"{{{_RDF}}}li", {f"{{{_RDF}}}parseType": "Resource"})


def add_provenance(pdf: Any, xmp: bytes) -> None:
    """Add descriptions to the metadata of a PDF that is about to be written."""
    if not xmp:
        return
    for stream in pdf.objects:
        if getattr(stream, "extra", {}).get("Type") == "/Metadata":
            packet = b"".join(stream.stream)
            stream.stream = [packet.replace(b"</rdf:RDF>", xmp + b"</rdf:RDF>", 1)]
