"""The ids of an article: each name of the article gets one of its own, and links lead to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit, urlunsplit

from ..article import Article, Item, List, Note, block_spans, walk
from ..render.inline import printable
from ..render.links import SCHEMES

_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")
#: What stands in an address as it is; all else is written with percent signs (RFC 3986).
_KEPT = "!#$%&'()*+,/:;=?@~-._"
_HOST = re.compile(r"[a-z0-9_.-]+", re.IGNORECASE)
_NUMBERS = re.compile(r"[0-9a-f:.]+")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(slots=True)
class Places:
    """The names that links of one article may lead to, with the ids they are written with.

    Ids begin with ``prefix``, a letter first, and are ASCII: XML knows fewer signs than HTML.
    """

    prefix: str
    ids: dict[str, str] = field(default_factory=dict)
    notes: dict[str, Note] = field(default_factory=dict)
    _set: set[str] = field(default_factory=set)
    _taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, article: Article, prefix: str) -> Places:
        """Find every name of an article."""
        places = cls(prefix)
        for block in walk(article.blocks):
            names = [getattr(block, "id", "")]
            names += [span.id for spans in block_spans(block) for span in spans]
            if isinstance(block, List):
                names += [item.id for item in block.items if isinstance(item, Item)]
            for name in filter(None, names):
                places.ids.setdefault(name, places.fresh(name))
            if isinstance(block, Note):
                places.notes.setdefault(block.id, block)
        return places

    def fresh(self, name: str) -> str:
        """Return an id that no other place has, made from a name."""
        base = self.prefix + (_PLAIN.sub("-", name[:60]).strip("-") or "place")
        made, number = base, 2
        while made in self._taken:
            made, number = f"{base}-{number}", number + 1
        self._taken.add(made)
        return made

    def define(self, name: str) -> str:
        """Return the id to set for a name, '' when it has none or it was set before."""
        if not name or name in self._set or name not in self.ids:
            return ""
        self._set.add(name)
        return self.ids[name]

    def target(self, href: str) -> str:
        """Return where a link leads: a safe address, a place of this article, or ''."""
        if href.startswith("#"):
            known = self.ids.get(href[1:])
            return f"#{known}" if known else ""
        return address(href)

    def call(self, note: str) -> str:
        """Return the id of the first sign that calls a note, '' for the others."""
        name = f"call {note}"
        self.ids.setdefault(name, self.fresh(f"call-{note}"))
        return self.define(name)

    def called(self, note: str) -> str:
        """Return where a note is called first, '' when it is not."""
        name = f"call {note}"
        return f"#{self.ids[name]}" if name in self._set else ""


def address(url: str) -> str:
    """Return an address that may be linked, written as RFC 3986 has it; '' for any other."""
    text = printable(url).strip()
    if not text.lower().startswith(SCHEMES):
        return ""
    if text[:7].lower() == "mailto:":
        return _percent(text) if "@" in text and "#" not in text else ""
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:  # of which UnicodeError is one
        return ""
    if ":" in host and _NUMBERS.fullmatch(host):
        host = f"[{host}]"
    elif not _HOST.fullmatch(host) or ".." in host or host[0] in ".-":
        return ""
    user, at, _ = parts.netloc.rpartition("@")
    place = _percent(user).replace("/", "%2F") + at + host + (f":{port}" if port else "")
    fragment = _percent(parts.fragment).replace("#", "%23")
    path = _percent(parts.path)
    return urlunsplit((parts.scheme, place, path, _percent(parts.query), fragment))


def _percent(text: str) -> str:
    """Return a part of an address with its other signs written with percent signs."""
    return _PERCENT.sub("%25", quote(text, safe=_KEPT, errors="replace"))
