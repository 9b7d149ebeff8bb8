"""Published extractors by others, with their default settings.

Each gets what a program would pass: the page's bytes or text, and its address.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from printer.files import Closing
from printer.html.page import read_page
from printer.html.parse import decode

from .corpus import Sample
from .machine import NODE
from .protocol import Unavailable
from .text_quality import Found


@dataclass(frozen=True)
class Answer:
    """The result of another extractor; ``title`` is None if it extracts no titles."""

    text: str
    title: str | None = None

    @property
    def paragraphs(self) -> Sequence[str]:
        """The text's lines."""
        return [line for line in self.text.splitlines() if line.strip()]


@dataclass(frozen=True)
class HtmlAnswer:
    """A result in HTML, converted to text on request: that time is ours, not the extractor's."""

    html: str
    title: str | None = None
    milliseconds: float = 0.0

    @cached_property
    def text(self) -> str:
        """The text of its segments, one per line."""
        if not self.html.strip():
            return ""
        return "\n".join(segment.text for segment in read_page(self.html).segments)

    @property
    def paragraphs(self) -> Sequence[str]:
        """The text's lines."""
        return self.text.splitlines()


Extractor = Callable[[Sample], Found]


def trafilatura() -> Extractor:
    from trafilatura import bare_extraction

    def extract(sample: Sample) -> Answer:
        document = bare_extraction(sample.html, url=sample.url or None, with_metadata=True)
        return Answer(document.text or "", document.title or "") if document else Answer("", "")

    return extract


def readability_lxml() -> Extractor:
    from readability import Document

    def extract(sample: Sample) -> HtmlAnswer:
        document = Document(decode(sample.html), url=sample.url or None)
        return HtmlAnswer(document.summary(html_partial=True), document.short_title())

    return extract


def resiliparse() -> Extractor:
    from resiliparse.extract.html2text import extract_plain_text

    def extract(sample: Sample) -> Answer:
        html = decode(sample.html)
        text = extract_plain_text(html, main_content=True, list_bullets=False, alt_texts=False)
        return Answer(text)

    return extract


def justext() -> Extractor:
    import justext as library

    words = library.get_stoplist("English")

    def extract(sample: Sample) -> Answer:
        paragraphs = library.justext(sample.html, words)
        return Answer(
            "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)
        )

    return extract


def goose3() -> Extractor:
    from goose3 import Goose

    goose = Goose({"enable_image_fetching": False})

    def extract(sample: Sample) -> Answer:
        document = goose.extract(raw_html=decode(sample.html))
        return Answer(re.sub(r"\n{2,}", "\n", document.cleaned_text or ""), document.title or "")

    return extract


class Readability(Closing):
    """Mozilla's Readability in jsdom, in a Node process that runs as long as this object lives."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None or not (NODE / "node_modules" / "@mozilla" / "readability").is_dir():
            raise Unavailable(
                "Node is not installed, or `npm install` was not run in benchmarks/node"
            )
        self._process = subprocess.Popen(
            [node, "readability.js"], cwd=NODE, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def __call__(self, sample: Sample) -> HtmlAnswer:
        """Return the result of Readability, with the processor time it took."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        url = sample.url or "https://example.org/"
        self._process.stdin.write(json.dumps({"html": decode(sample.html), "url": url}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return HtmlAnswer(answer["html"], answer["title"], answer["milliseconds"])


#: The extractors by the name under which each is published.
PEERS: Mapping[str, Callable[[], Extractor]] = {
    "trafilatura": trafilatura,
    "readability-lxml": readability_lxml,
    "resiliparse": resiliparse,
    "jusText": justext,
    "goose3": goose3,
    "@mozilla/readability": Readability,
}


def load_installed(name: str) -> tuple[str, Extractor] | None:
    """Return a peer with its name and version, or None if it is not installed."""
    try:
        return f"{name} {version_of(name)}", PEERS[name]()
    except (ImportError, PackageNotFoundError, Unavailable):
        return None


def version_of(name: str) -> str:
    """Return the version of an installed peer."""
    package = NODE / "node_modules" / name / "package.json"
    if not package.is_file():
        return version(name)
    manifest: dict[str, Any] = json.loads(package.read_text())
    return str(manifest["version"])
