"""One address for one page: URLs written in many ways made the same.

What is changed never changes the page that a well-kept server answers with (RFC 3986, section 6),
or only takes away what follows the reader about: tracking parameters and session ids.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

from ..urls import encode_url, is_tracking

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

#: Parameters that only ever name a visit.
_SESSION = re.compile(
    r"jsessionid|phpsessid|aspsessionid\w*|(?:asp\.net_)?session_?id|oscsid|zenid|cfid|cftoken"
    r"|bv_sessionid|sessid",
    re.IGNORECASE,
)
#: Parameters that name a visit when their value looks like it, and something else otherwise.
_MAYBE_SESSION = frozenset({"sid", "s", "session", "osid", "visit"})
_TOKEN = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^;]*", re.IGNORECASE)
#: A visit to a server of ASP.NET that sets no cookie.
_PATH_SEGMENT_SESSION = re.compile(r"\(S\([A-Za-z0-9]{8,}\)\)")

#: What a server shows for a folder; taken for the folder itself where no query follows.
_INDEX = frozenset({
    "index.html", "index.htm", "index.xhtml", "index.shtml", "index.php", "default.htm",
    "default.html", "default.asp", "default.aspx",
})  # fmt: skip


def normal_url(url: str) -> str:
    """Return the one way of writing an http(s) address; raises :class:`BadURL`.

    Scheme and host in lower case and ASCII, no default port, user or fragment; no dot segments;
    percent signs only where they are needed, in capitals; parameters in the order of their names,
    without those of tracking and sessions; no ``index.html`` and the like at the end.  Doing it
    twice changes nothing more, and the host is never another.
    """
    parts = urlsplit(encode_url(url))
    query = _query(parts.query)
    return urlunsplit((parts.scheme, parts.netloc, _path(parts.path, not query), query, ""))


def mark(url: str) -> str:
    """Return a short name of an address that all its ways of writing share."""
    return hashlib.sha256(normal_url(url).encode()).hexdigest()


def _path(path: str, alone: bool) -> str:
    """Return a path in its normal form; ``alone`` says that no query follows it."""
    segments = [_PATH_SESSION.sub("", _escaped(segment)) for segment in path.split("/")[1:]]
    segments = [each for each in segments if not _PATH_SEGMENT_SESSION.fullmatch(each)] or [""]
    kept = _without_dots(segments)
    if alone and kept[-1].lower() in _INDEX:
        kept[-1] = ""
    return "/" + "/".join(kept)


def _without_dots(segments: Iterable[str]) -> list[str]:
    """Resolve ``.`` and ``..`` (RFC 3986, section 5.2.4)."""
    kept: list[str] = []
    folder = False
    for segment in segments:
        folder = segment in {".", ".."}
        if segment == ".." and kept:
            kept.pop()
        elif not folder:
            kept.append(segment)
    return [*kept, ""] if folder or not kept else kept


def _query(query: str) -> str:
    pairs = [tuple(map(_escaped, pair.partition("="))) for pair in query.split("&") if pair]
    kept = [pair for pair in pairs if pair[0] and not _follows(pair[0], pair[2])]
    return "&".join("".join(pair) for pair in sorted(kept, key=lambda pair: pair[0]))


def _follows(name: str, value: str) -> bool:
    """Tell whether a parameter says who reads, and not what is read."""
    if is_tracking(name) or _SESSION.fullmatch(name):
        return True
    return name.lower() in _MAYBE_SESSION and _TOKEN.fullmatch(value) is not None


def _escaped(text: str) -> str:
    """Write each character in its one way: as itself where it may stand, else with a percent."""
    return _ESCAPE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return "%25"
    sign = chr(int(match[1], 16))
    return sign if sign in _UNRESERVED else match[0].upper()
