"""URLs: the only module that parses, normalizes and compares them.

Host names are converted by IDNA 2008 with the mappings of UTS #46 everywhere, as browsers do:
IDNA 2003, as in Python's codec ``idna``, turns ``straße.de`` into ``strasse.de``, which belongs to
somebody else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from .errors import BadURL
from .files import load_json
from .text import truncate

_PORTS = {"http": 80, "https": 443}
_MAX_LENGTH = 16_384
#: The characters of an address in a message.
_MAX_QUOTED = 120
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLAIN_HOST = re.compile(
    r"(?:[^/?#@]*@)?(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]|[^/?#:@]+(?=:\d))"
    r"(?::(?!\d*443(?!\d))\d{1,5})?(?=[/?#]|$)",
    re.IGNORECASE,
)
_PATH = re.compile(r"\.{0,2}/(?!/)|~|[A-Za-z]:\\|\\\\")
_HOST_AND_PORT = re.compile(r"[^/?#@:]+:\d{1,5}(?:[/?#]|$)")
_CREDENTIALS = re.compile(r"(https?://)([^/?#]{1,2000})@", re.IGNORECASE)
_USERINFO = re.compile(r"(?:(?<=//)|^(?!mailto:))[^/?#]{1,2000}@", re.IGNORECASE)
_HOST_NAME = re.compile(r"[a-z0-9_.-]{1,253}")
_IPV6 = re.compile(r"[0-9a-f:.]+(%[0-9a-z_.-]+)?")
_PATH_SAFE = "!$%&'()*+,/:;=?@[]~"
_LINK_SAFE = "!#$%&'()*+,/:;=?@~-._"
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
#: A web address, or a relative one, up to its query.
_UP_TO_QUERY = re.compile(r"(?:https?:|(?![A-Za-z][A-Za-z0-9+.-]*:))[^?#]*", re.IGNORECASE)

#: What browsers ignore around an address, and in it.
_IGNORED_AROUND = "".join(map(chr, range(33)))
_IGNORED = dict.fromkeys(map(ord, "\t\r\n"))
_HOST_FOLLOWS = re.compile(r"^(https?:)?/{2,}", re.IGNORECASE)

#: Extensions of files, which no host name ends with.
_FILE_EXTENSIONS = (".html", ".htm", ".xhtml", ".pdf", ".epub", ".json", ".jsonl", ".txt")

_NAMES = load_json(__file__, "url_names.json")
#: Query parameters that campaigns and networks add to track who followed a link.
_TRACKING = re.compile("|".join(_NAMES["tracking"]), re.IGNORECASE)

#: Query parameters that always name a session.
_SESSION = re.compile("|".join(_NAMES["session"]), re.IGNORECASE)
#: Query parameters that name a session when their value looks like a token.
_MAYBE_SESSION = frozenset({"sid", "s", "session", "osid", "visit"})
_TOKEN = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^;]*", re.IGNORECASE)
#: A path segment that names a cookieless ASP.NET session.
_SEGMENT_SESSION = re.compile(r"\(S\([A-Za-z0-9]{8,}\)\)")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

#: Names of index pages, which are equivalent to their folder if no query follows.
_INDEX_PAGES = frozenset(_NAMES["index_pages"])


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a URL: scheme, host in ASCII, port."""

    scheme: str
    host: str
    port: int

    @property
    def netloc(self) -> str:
        """The host, in brackets if it is an IPv6 address, with the port unless it is the usual."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}"


def normalize_url(text: str) -> str:
    """Return the http(s) URL that a user meant, percent-encoded and with an ASCII host.

    ``example.org/x`` becomes ``https://example.org/x``.  Raise :class:`BadURL`.
    """
    text = text.translate(_IGNORED).strip()
    url = _complete_url(text)
    parts = _split(url, text)
    if "@" in parts.netloc:
        raise BadURL(
            "a user name or password in the address is not used",
            url=strip_userinfo(url),
            hint="Remove it, and pass it with --user NAME:PASSWORD",
        )
    return encode_url(urlunsplit(parts))


def encode_url(url: str) -> str:
    """Return a URL as sent in a request: ASCII, no user; raise :class:`BadURL`."""
    parts = _split(url, url)
    path, query, fragment = (
        quote(part, safe=_PATH_SAFE, errors="replace")
        for part in (parts.path or "/", parts.query, parts.fragment)
    )
    return urlunsplit((parts.scheme, _origin(parts, url).netloc, path, query, fragment))


def canonical_url(url: str) -> str:
    """Return the canonical form of an http(s) URL, equal for all spellings of it.

    Scheme and host are in lower-case ASCII, without default port, user and fragment; dot segments
    are resolved; only what must be is percent-encoded, in capitals; parameters are sorted by name,
    those for tracking and sessions removed, and so are index pages such as ``index.html``.  Servers
    that follow RFC 3986, section 6, return the same page for it; the host is never changed.
    Idempotent.

    Raise :class:`BadURL`.
    """
    parts = urlsplit(encode_url(url))
    pairs = (pair.partition("=") for pair in parts.query.split("&") if pair)
    pairs = ((_unify_escapes(name), sep, _unify_escapes(value)) for name, sep, value in pairs)
    content = [pair for pair in pairs if pair[0] and not _names_visitor(pair[0], pair[2])]
    query = "&".join("".join(pair) for pair in sorted(content, key=lambda pair: pair[0]))
    path = _canonical_path(parts.path, index_pages=not query)
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


def url_key(url: str) -> str:
    return hashlib.sha256(canonical_url(url).encode()).hexdigest()


def resolve(base: str, href: str, schemes: frozenset[str] = frozenset({"http", "https"})) -> str:
    """Return a reference as an absolute URL, or '' if it is broken or of another scheme."""
    try:
        url = join(base, href)
        return url if urlsplit(url).scheme.lower() in schemes else ""
    except ValueError:
        return ""


def join(base: str, href: str) -> str:
    """Return a reference as an absolute URL, as browsers read it; raise :class:`ValueError`.

    On the web, backslashes are slashes, and two or more of them precede a host.
    """
    href = _with_slashes(href.strip().strip(_IGNORED_AROUND).translate(_IGNORED))
    if is_http(base):
        href = _HOST_FOLLOWS.sub(r"\1//", href, count=1)
    return urljoin(base, href)


def is_http(url: str) -> bool:
    return url[:8].lower().startswith(("http://", "https://"))


def link_url(url: str) -> str:
    """Return a URL quoted for a link (RFC 3986), '' if it is broken or not http(s) or mailto."""
    text = url.strip()
    if text[:7].lower() == "mailto:":
        return _quote_part(text) if "@" in text and "#" not in text else ""
    try:
        parts = _split(text, text)
        host = str(_origin(parts, text)).partition("://")[2]
    except BadURL:
        return ""
    if ".." in host or host[0] in ".-":
        return ""
    user, at, _ = parts.netloc.rpartition("@")
    place = _quote_part(user).replace("/", "%2F") + at + host
    fragment = _quote_part(parts.fragment).replace("#", "%23")
    path, query = _quote_part(parts.path), _quote_part(parts.query)
    return urlunsplit((parts.scheme, place, path, query, fragment))


def with_ascii_host(url: str) -> str:
    """Return an http(s) URL with its host in ASCII, else unchanged; '' if the host is not valid."""
    try:
        parts = urlsplit(url)
        if parts.netloc.isascii() or parts.scheme not in _PORTS:
            return url
        user, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=user + at + _origin(parts, url).netloc))
    except (ValueError, BadURL):
        return ""


def _with_slashes(url: str) -> str:
    """Return a URL with slashes instead of backslashes before its query, as browsers read it."""
    match = _UP_TO_QUERY.match(url) if "\\" in url else None
    return match[0].replace("\\", "/") + url[match.end() :] if match else url


def _quote_part(text: str) -> str:
    return _STRAY_PERCENT.sub("%25", quote(text, safe=_LINK_SAFE, errors="replace"))


def origin_of(url: str) -> Origin:
    """Return the origin of an http(s) URL; raise :class:`BadURL`."""
    return _origin(_split(url, url), url)


def host_of(url: str) -> str:
    """Return the host of a URL of any scheme in ASCII, '' if it has no valid one."""
    try:
        return ascii_host((urlsplit(_with_slashes(url)).hostname or "").rstrip("."))
    except ValueError:
        return ""


def ascii_host(host: str) -> str:
    """Return a host in lower-case ASCII; raise :class:`ValueError` if it is invalid."""
    if not host.isascii():
        import idna

        # Its errors are UnicodeErrors, and so ValueErrors.
        host = idna.encode(host, uts46=True).decode("ascii")
    host = host.lower()
    if not (_IPV6 if ":" in host else _HOST_NAME).fullmatch(host):
        raise ValueError("the host name is not valid")
    return host


def split_credentials(url: str) -> tuple[str, str]:
    """Return a URL without its ``NAME:PASSWORD``, and that ('' for none)."""
    url_text = url.strip()
    match = _CREDENTIALS.match(url_text)
    return (match[1] + url_text[match.end() :], match[2]) if match else (url, "")


def strip_userinfo(url: str) -> str:
    """Return a URL without user name and password, for messages."""
    return _USERINFO.sub("", url, count=1)


def origins_of(urls: Iterable[str]) -> frozenset[Origin]:
    """Return the origins of the URLs that a user gave; skip anything else, such as a file.

    A plain http URL on the default port includes the same host over https, to which most servers
    redirect at once.
    """
    origins = set()
    for url in urls:
        try:
            origins.add(origin_of(normalize_url(split_credentials(url)[0])))
        except BadURL:  # reported when it is fetched, if it ever is
            continue
    secure = {Origin("https", origin.host, 443) for origin in origins if origin.port == 80}
    return frozenset(origins | secure)


def credentials_by_origin(urls: Iterable[str]) -> dict[Origin, str]:
    """Return the ``NAME:PASSWORD`` of each URL that a user gave, by origin."""
    credentials = {}
    for text in urls:
        url, userinfo = split_credentials(text)
        name, _, password = userinfo.partition(":")
        for origin in origins_of([url]) if userinfo else ():
            credentials[origin] = f"{unquote(name)}:{unquote(password)}"
    return credentials


def is_tracking(name: str) -> bool:
    """Return whether a query parameter only tracks the reader."""
    return _TRACKING.fullmatch(name) is not None


def strip_tracking(query: str) -> str:
    """Return a query without the parameters that only track the reader."""
    return "&".join(pair for pair in query.split("&") if not is_tracking(pair.partition("=")[0]))


def _complete_url(text: str) -> str:
    if text.startswith("//"):
        return "https:" + text
    if _PATH.match(text):
        raise BadURL(
            f"there is no file {truncate(text, _MAX_QUOTED)!r}", hint="Check its name and folder"
        )
    if _SCHEME.match(text) and not _HOST_AND_PORT.match(text):
        return text
    host = re.split(r"[/?#]", text, maxsplit=1)[0]
    if "." not in host and ":" not in host and host.lower() != "localhost":
        raise BadURL(
            f"{truncate(text, _MAX_QUOTED)!r} is neither a file nor a web address",
            hint="An address looks like https://example.org/page",
        )
    if host == text and text.lower().endswith(_FILE_EXTENSIONS):
        raise BadURL(
            f"there is no file {truncate(text, _MAX_QUOTED)!r}",
            hint="Check its name; an address looks like https://example.org/page",
        )
    return add_scheme(text)


def add_scheme(text: str) -> str:
    """Return an address without a scheme with https.

    It gets http if the host is this machine or a number, or if a port is given that is not of
    https, as such servers rarely have a certificate.
    """
    return f"http://{text}" if _PLAIN_HOST.match(text) else f"https://{text}"


def _split(url: str, text: str) -> SplitResult:
    """Split an http(s) URL; an error quotes ``text``."""
    text = strip_userinfo(text)
    if len(url) > _MAX_LENGTH:
        raise BadURL(
            f"the address is longer than {_MAX_LENGTH} characters", url=truncate(text, _MAX_QUOTED)
        )
    try:
        parts = urlsplit(_with_slashes(url))
    except ValueError as error:
        reason = str(error)
        raise _bad_address(text, f"{reason[:1].lower()}{reason[1:]}") from error
    if parts.scheme not in _PORTS:
        reason = f"{parts.scheme} is not http or https" if parts.scheme else "no scheme given"
        hint = "For a file on this machine, give its path" if parts.scheme == "file" else ""
        raise _bad_address(text, reason, hint)
    if not parts.netloc:
        raise _bad_address(text, "it names no host")
    return parts


def _bad_address(text: str, reason: str, hint: str = "") -> BadURL:
    quoted = truncate(strip_userinfo(text), _MAX_QUOTED)
    return BadURL(f"{quoted!r} is not a web address: {reason}", hint=hint)


def _origin(parts: SplitResult, text: str) -> Origin:
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        hint = "A port is a number up to 65535"
        raise _bad_address(text, "the port is not valid", hint) from error
    try:
        host = ascii_host(host)
    except ValueError as error:
        raise _bad_address(text, "the host name is not valid") from error
    return Origin(parts.scheme, host, port or _PORTS[parts.scheme])


def _canonical_path(path: str, *, index_pages: bool) -> str:
    """Return a canonical path; with ``index_pages`` the name of an index page is removed."""
    segments = [_PATH_SESSION.sub("", _unify_escapes(segment)) for segment in path.split("/")[1:]]
    segments = [segment for segment in segments if not _SEGMENT_SESSION.fullmatch(segment)]
    segments = _resolve_dots(segments or [""])
    if index_pages and segments[-1].lower() in _INDEX_PAGES:
        segments[-1] = ""
    return "/" + "/".join(segments)


def _resolve_dots(segments: Iterable[str]) -> list[str]:
    """Resolve the segments ``.`` and ``..`` (RFC 3986, section 5.2.4)."""
    resolved: list[str] = []
    is_folder = False
    for segment in segments:
        is_folder = segment in {".", ".."}
        if segment == ".." and resolved:
            resolved.pop()
        elif not is_folder:
            resolved.append(segment)
    return [*resolved, ""] if is_folder or not resolved else resolved


def _names_visitor(name: str, value: str) -> bool:
    """Return whether a query parameter identifies the visitor rather than the page."""
    if is_tracking(name) or _SESSION.fullmatch(name):
        return True
    return name.lower() in _MAYBE_SESSION and _TOKEN.fullmatch(value) is not None


def _unify_escapes(text: str) -> str:
    """Write each character in one way: literally where allowed, else percent-encoded."""

    def escape(match: re.Match[str]) -> str:
        if match[1] is None:
            return "%25"
        character = chr(int(match[1], 16))
        return character if character in _UNRESERVED else match[0].upper()

    return _ESCAPE.sub(escape, text)
