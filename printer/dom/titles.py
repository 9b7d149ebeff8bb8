"""A page's title, without the name of its site.

A page states its title up to five times: in ``title`` (with the site's name, a section, words for
search engines), in a heading, in OpenGraph, in JSON-LD.  What two of them agree on is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

#: What stands between a title and the site's name.
_SEPARATOR = re.compile(
    r"\s*[|｜¦]\s*|\s+(?:[-–—−•·»«›‹<>:~*⋆/\\]|::|--)\s+|\s*[»«›‹]\s+|\s*(?:::|__)\s*"
)
_LETTERS = re.compile(r"[\W_]+")
_PERMALINK = re.compile(r"\s*[¶#§🔗]+$")

#: Titles are cut at this many characters.
MOST_CHARS = 300


def key(text: str) -> str:
    """Return a text's letters and digits, for comparing what is punctuated differently."""
    return _LETTERS.sub(" ", text).strip().casefold()


def choose_title(
    document: str, headings: Sequence[str], stated: Sequence[str], sites: Sequence[str], url: str
) -> str:
    """Return a page's title.

    ``document`` is the text of ``title``, ``headings`` those of ``h1``, ``stated`` the titles of
    OpenGraph, JSON-LD and the like, ``sites`` the names the page's site goes by.
    """
    known = {key(site) for site in sites if key(site)}
    host = _host(url)

    def without_site(text: str) -> str:
        return _without_site(text, known, host)

    titles = [cut for text in headings if (cut := without_site(_PERMALINK.sub("", text)))]
    titles = [text for text in titles if key(text) not in known and not _is_host(text, host)]
    whole = without_site(document)
    others = [cut for text in stated if (cut := without_site(text))]
    parts = {key(part) for part in _parts(document)} | {key(whole)}
    agreed = parts | {key(each) for each in others}
    for heading in titles:
        if key(heading) in agreed:
            return heading
    for text in others:
        if key(text) in parts:
            return text
    if len(titles) == 1 and len(titles[0].split()) > 2:
        return titles[0]
    first = _parts(whole)[0] if whole else ""
    return first or next(iter(others), "") or next(iter(titles), "") or document


def site_part(document: str, headings: Sequence[str], url: str) -> str:
    """Return the part of ``title`` that names the site: the one that repeats the host's name."""
    host = _host(url)
    parts = _parts(document)
    if len(parts) < 2 or not host:
        return ""
    for part in (parts[-1], parts[0]):
        if _is_host(part, host) and key(part) not in {key(each) for each in headings}:
            return part
    return ""


def _parts(text: str) -> list[str]:
    return [part for part in _SEPARATOR.split(text) if part] or [text]


def _without_site(text: str, known: set[str], host: str) -> str:
    """Cut the site's name off either end of a title."""
    while True:
        cuts = list(_SEPARATOR.finditer(text))
        if not cuts:
            return text
        for cut, rest, part in (
            (cuts[-1], text[: cuts[-1].start()], text[cuts[-1].end() :]),
            (cuts[0], text[cuts[0].end() :], text[: cuts[0].start()]),
        ):
            del cut
            if rest and (key(part) in known or _is_host(part, host)):
                text = rest
                break
        else:
            return text


def _host(url: str) -> str:
    """Return the letters of a host's name, without what most have in common."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    labels = [label for label in host.split(".")[:-1] if label not in {"www", "m", "co", "com"}]
    return _LETTERS.sub("", "".join(labels)).casefold()


def _is_host(part: str, host: str) -> bool:
    """Tell whether a text is the name of the host, as a part of it or with some words more."""
    letters = _LETTERS.sub("", part).casefold()
    return (
        len(letters) > 2
        and len(host) > 2
        and (letters in host or letters.startswith(host) or (len(host) > 4 and host in letters))
    )
