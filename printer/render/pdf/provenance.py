"""Provenance of a print: its sources in the metadata and, for archives, as attachments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment

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


def _build_xmp(rows: Sequence[dict[str, str]]) -> bytes:
    """Return descriptions for the RDF of an XMP packet."""
    source = Path(__file__).with_name("provenance.xml.j2").read_text("utf-8")
    template = Environment(autoescape=True).from_string(
        "".join(map(str.strip, source.splitlines()))
    )
    xmp = template.render(rows=rows, namespace=NAMESPACE, properties=_PROPERTIES)
    return xmp.encode("ascii", "xmlcharrefreplace")


def add_provenance(pdf: Any, xmp: bytes) -> None:
    """Add descriptions to the metadata of a PDF that is about to be written."""
    if not xmp:
        return
    for stream in pdf.objects:
        if getattr(stream, "extra", {}).get("Type") == "/Metadata":
            packet = b"".join(stream.stream)
            stream.stream = [packet.replace(b"</rdf:RDF>", xmp + b"</rdf:RDF>", 1)]
