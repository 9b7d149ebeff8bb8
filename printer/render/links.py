"""Links on paper: which targets are named, under which numbers, and how an address is written.

A link on paper says nothing of where it leads.  Each target gets one number, the same wherever
it is linked again, and its address stands at the foot of the page, in a list at the end, or
behind the link.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import unquote, urlsplit, urlunsplit

from ..article import Article, Paragraph, Span, plain_text
from ..options import LinkStyle
from ..urls import strip_tracking
from .limits import walk_blocks

#: An address longer than this is printed up to here; the link itself is whole.
LONGEST_PRINTED = 300

#: With more text of addresses than this part of the article's, they do not fit under its pages.
MOST_AT_FOOT = 0.3

#: More targets than these are named at the end: setting notes under pages takes its time.
MOST_TARGETS = 150


def display_url(url: str) -> str:
    """Return an address as it is printed: without tracking, scheme and what only machines need."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return url[:LONGEST_PRINTED]
    if parts.scheme == "mailto":
        return _readable(parts.path)[:LONGEST_PRINTED]
    scheme = "" if parts.scheme == "https" else parts.scheme
    path = "" if parts.path == "/" and not parts.query else parts.path
    whole = urlunsplit((scheme, host + port, path, strip_tracking(parts.query), parts.fragment))
    text = _readable(whole.removeprefix("//"))
    return text if len(text) <= LONGEST_PRINTED else text[: LONGEST_PRINTED - 1] + "…"


def _readable(text: str) -> str:
    """Undo percent signs where that gives letters, so that what is printed can be read."""
    if "%" not in text:
        return text
    try:
        plain_text = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text
    # What would change the address when it is typed in stays as it is.
    kept = plain_text.isprintable() and not any(sign.isspace() for sign in plain_text)
    return plain_text if kept and plain_text.count("%") == 0 else text


@dataclass(slots=True)
class LinkTargets:
    """The targets of an article's links and their numbers, given as they are met.

    ``style`` is how they are printed, ``listed`` holds those to be named at the end: number and
    address.
    """

    style: LinkStyle = "none"
    listed: list[tuple[int, str]] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def number(self, target: str) -> tuple[int, bool]:
        """Return a target's number, and whether this is the first time it is asked for."""
        known = self._numbers.get(target)
        if known is not None:
            return known, False
        number = self._numbers[target] = len(self._numbers) + 1
        return number, True

    @property
    def count(self) -> int:
        """How many targets have a number."""
        return len(self._numbers)

    def before(self, count: int) -> LinkTargets:
        """Return these targets as they were when so many had a number, with none listed."""
        return LinkTargets(self.style, [], dict(islice(self._numbers.items(), count)))

    def put_at_end(self, number: int, target: str) -> None:
        """Have a target named in the list at the end."""
        self.listed.append((number, target))


def shows_own_url(text: str, target: str) -> bool:
    """Tell whether a link's text is its address already."""
    shown = text.strip().rstrip("/").lower()
    if not shown:
        return True
    bare = shown.removeprefix("https://").removeprefix("http://").removeprefix("www.")
    address = display_url(target).removeprefix("http://").removeprefix("www.")
    return bare in {address.rstrip("/").lower(), target.lower().rstrip("/")}


def choose_link_style(style: LinkStyle, article: Article) -> LinkStyle:
    """Return the style that can be set: an article that is mostly links has them at the end."""
    if style != "footnote":
        return style
    targets: set[str] = set()
    words = 0
    for block in walk_blocks(article.blocks):
        spans: tuple[Span, ...] = getattr(block, "spans", ())
        targets.update(span.href for span in spans if span.href.startswith("http"))
        words += len(plain_text(spans)) if isinstance(block, Paragraph) else 0
    addresses = sum(len(display_url(target)) + 4 for target in targets)
    fits = addresses <= MOST_AT_FOOT * words and len(targets) <= MOST_TARGETS
    return "footnote" if fits else "endnote"
