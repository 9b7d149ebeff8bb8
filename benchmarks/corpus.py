"""Read the corpus of pages with known answers, which is kept outside the repository."""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import Path
from urllib.parse import urlsplit

from .protocol import Unavailable

#: The folder of the corpus, which docs/model-card.md describes.
CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"

#: The sets of pages from which the model learns, and all: nothing may learn from ``daniel``, whose
#: license is the GPL.
TRAINING_SETS = ("wcxb", "traf", "moz", "fundus", "defuddle")
SETS = (*TRAINING_SETS, "daniel")

#: Markdown that is not text: pictures, addresses, marks of notes, tags.
_MARKDOWN = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), " "),
    (re.compile(r"\]\([^)]*\)"), "]"),
    (re.compile(r"\[\^[^\]]*\]:?"), " "),
    (re.compile(r"<[^>]+>"), " "),
    (re.compile(r"https?://\S+"), " "),
)

#: Second-level labels under which a country's sites register their names.
_SHARED = frozenset(
    {"ac", "co", "com", "edu", "go", "gob", "gov", "govt", "ne", "net", "or", "org"}
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A page and its answer: the whole text, or snippets that must and must not appear.

    ``optional`` are the lines of the text that may be missing: a standfirst.  ``copy`` is true for
    a copy made harder to train on (:mod:`.augment`).
    """

    set: str
    id: str
    url: str
    kind: str
    html: bytes = field(repr=False)
    text: str | None = field(default=None, repr=False)
    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    title: str = ""
    optional: tuple[str, ...] = ()
    copy: bool = False

    @property
    def key(self) -> str:
        """The page's unique name in the corpus."""
        return f"{self.set}/{self.id}"

    @property
    def site(self) -> str:
        """What must not be split across folds: the registrable domain, or else the page itself."""
        host = urlsplit(self.url).hostname or ""
        return registrable(host) if "." in host else self.key


def registrable(host: str) -> str:
    """Return the registrable domain: two labels, or three under suffixes such as ``co.uk``."""
    labels = host.lower().strip(".").split(".")
    deep = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SHARED
    return ".".join(labels[-3:] if deep else labels[-2:])


def is_available() -> bool:
    """Return whether the corpus is available."""
    return (CORPUS / "wcxb" / "truth.jsonl").exists()


def require_corpus() -> None:
    """Raise :class:`Unavailable` if the corpus is not available."""
    if not is_available():
        raise Unavailable("not measured: the corpus is not available")


def samples(*sets: str) -> Iterator[Sample]:
    """Yield the pages of some sets; :data:`SETS` lists all."""
    for name in sets:
        with (CORPUS / name / "truth.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                yield _sample(name, json.loads(line))


def spread_evenly(count: int) -> Iterator[Sample]:
    """Yield ``count`` pages, taken in turn from every set and kind."""
    kinds: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in samples("wcxb", "traf", "moz"):
        if len(kinds[sample.set, sample.kind]) < count:
            kinds[sample.set, sample.kind].append(sample)
    turns = (sample for row in zip_longest(*kinds.values()) for sample in row if sample)
    return islice(turns, count)


def _sample(name: str, record: dict[str, object]) -> Sample:
    page = CORPUS / name / "pages" / f"{record['id']}.html.gz"
    text = record.get("text")
    optional: tuple[str, ...] = ()
    if name == "moz":
        from lxml import html

        tree = html.fromstring("<div>" + str(record["expected_html"]) + "</div>")
        text = "\n\n".join(map(str, tree.itertext()))
    if name == "defuddle":
        text = str(record["expected_markdown"])
        for pattern, by in _MARKDOWN:
            text = pattern.sub(by, text)
    if name == "fundus":
        optional = tuple(map(str, record["summary"]))  # type: ignore[call-overload]
        text = "\n".join([*optional, str(text)])
    return Sample(
        set=name,
        id=str(record["id"]),
        url=str(record["url"]),
        kind=str(record["type"]),
        html=gzip.decompress(page.read_bytes()),
        text=None if text is None else str(text),
        required=tuple(record.get("with") or ()),  # type: ignore[arg-type]
        forbidden=tuple(record.get("without") or ()),  # type: ignore[arg-type]
        title=str(record.get("title") or ""),
        optional=optional,
    )
