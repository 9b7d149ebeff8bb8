"""Provenance of a print: its sources in the metadata and, for archives, as attachments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from ...capture import PageSource
from ...output import ExtractedPage
from ..markup import printable


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file attached to a PDF, with its ``relationship`` by ISO 32000-2, 7.11.3."""

    name: str
    data: bytes = field(repr=False)
    description: str
    relationship: str
    modified: datetime


@dataclass(frozen=True, slots=True)
class Provenance:
    """The provenance of a document as stored in its PDF."""

    xmp: bytes = b""
    attachments: tuple[AttachedFile, ...] = ()


def build_provenance(pages: Sequence[ExtractedPage], *, attach: bool) -> Provenance:
    """Return the provenance of pages; ``attach`` adds their HTML and the articles as files."""
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
    return Provenance(_build_xmp([_source_values(page.source) for page in pages]), tuple(files))


def _source_values(source: PageSource) -> dict[str, str]:
    fetched = source.fetched
    return {
        "source": printable(source.url),
        "fetched": fetched.astimezone(UTC).isoformat(timespec="seconds") if fetched else "",
        "sha256": source.sha256,
    }


#: The XMP namespace of the provenance.
NAMESPACE = "urn:webprint:provenance:1#"
#: The properties and their meanings; each is a list with one value per web page.
_PROPERTIES = {
    "source": "The address that each page came from",
    "fetched": "When each page was fetched",
    "sha256": "The SHA-256 of each page as it was received, after decompression",
}
# Descriptions for the RDF of an XMP packet; PDF/A requires the schema (ISO 19005-3, 6.6.2.3).
_XMP = Markup(
    '<rdf:Description rdf:about="" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:webprint="{namespace}">'
    "<dc:source>{source}</dc:source>{properties}</rdf:Description>\n"
    '<rdf:Description rdf:about="" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"'
    ' xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"'
    ' xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">'
    '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">'
    "<pdfaSchema:schema>Where a printed web page came from</pdfaSchema:schema>"
    "<pdfaSchema:namespaceURI>{namespace}</pdfaSchema:namespaceURI>"
    "<pdfaSchema:prefix>webprint</pdfaSchema:prefix>"
    "<pdfaSchema:property><rdf:Seq>{schema}</rdf:Seq></pdfaSchema:property>"
    "</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"
)
_PROPERTY = Markup("<webprint:{name}><rdf:Seq>{values}</rdf:Seq></webprint:{name}>")
_VALUE = Markup("<rdf:li>{}</rdf:li>")
_SCHEMA_PROPERTY = Markup(
    '<rdf:li rdf:parseType="Resource"><pdfaProperty:name>{name}</pdfaProperty:name>'
    "<pdfaProperty:valueType>seq Text</pdfaProperty:valueType>"
    "<pdfaProperty:category>external</pdfaProperty:category>"
    "<pdfaProperty:description>{meaning}</pdfaProperty:description></rdf:li>"
)


def _build_xmp(rows: Sequence[dict[str, str]]) -> bytes:
    none = Markup("")
    properties = none.join(
        _PROPERTY.format(name=name, values=none.join(_VALUE.format(row[name]) for row in rows))
        for name in _PROPERTIES
    )
    schema = none.join(
        _SCHEMA_PROPERTY.format(name=name, meaning=meaning) for name, meaning in _PROPERTIES.items()
    )
    source = rows[0]["source"] if rows else ""
    xmp = _XMP.format(namespace=NAMESPACE, source=source, properties=properties, schema=schema)
    return xmp.encode("ascii", "xmlcharrefreplace")


def add_provenance(pdf: Any, xmp: bytes) -> None:
    """Add descriptions to the metadata of a PDF that is about to be written."""
    if not xmp:
        return
    for stream in pdf.objects:
        if getattr(stream, "extra", {}).get("Type") == "/Metadata":
            packet = b"".join(stream.stream)
            stream.stream = [packet.replace(b"</rdf:RDF>", xmp + b"</rdf:RDF>", 1)]
