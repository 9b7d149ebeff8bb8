"""Addresses as people and pages write them, made into ones that can be fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from .errors import BadURL

_PORTS = {"http": 80, "https": 443}
_MAX_LENGTH = 16_384
#: How names of files end that no host's name does.
_FILES = (".html", ".htm", ".xhtml", ".pdf", ".epub", ".json", ".jsonl", ".txt")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HOST_AND_PORT = re.compile(r"[^/?#@:]+:\d{1,5}(?:[/?#]|$)")
_LOGIN = re.compile(r"(https?://)([^/?#]{1,2000})@", re.IGNORECASE)
_USERINFO = re.compile(r"(?:(?<=//)|^(?!mailto:))[^/?#@]{1,2000}@", re.IGNORECASE)
_PATH_SAFE = "!$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a URL points: scheme, host in ASCII, port."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"


def normalize_url(url: str) -> str:
    """Return the http(s) URL a person meant, percent-encoded and with an ASCII host.

    ``example.org/x`` becomes ``https://example.org/x``.  Raises :class:`BadURL`.
    """
    text = "".join(url.split("\n")).replace("\r", "").replace("\t", "").strip()
    parts = _split(_with_scheme(text), text)
    if "@" in parts.netloc:
        raise BadURL(
            "a user name or password in the address is not used",
            url=strip_userinfo(_with_scheme(text)),
            hint="Take it out, and give it with --user NAME:PASSWORD",
        )
    return encode_url(urlunsplit(parts))


def encode_url(url: str) -> str:
    """Return a URL as it is sent: user name and password left out, everything in ASCII."""
    parts = _split(url, url)
    origin = _origin(parts, url)
    return urlunsplit(
        (
            parts.scheme,
            str(origin).partition("://")[2],
            quote(parts.path or "/", safe=_PATH_SAFE, errors="replace"),
            quote(parts.query, safe=_PATH_SAFE, errors="replace"),
            quote(parts.fragment, safe=_PATH_SAFE, errors="replace"),
        )
    )


def origin_of(url: str) -> Origin:
    """Return the origin of an http(s) URL; raises :class:`BadURL`."""
    return _origin(_split(url, url), url)


def split_credentials(url: str) -> tuple[str, str]:
    """Part an address that a person gives from the ``NAME:PASSWORD`` in it, '' without one."""
    found = _LOGIN.match(url.strip())
    return (found[1] + url.strip()[found.end() :], found[2]) if found else (url, "")


def credentials_by_origin(sources: Iterable[str]) -> dict[Origin, str]:
    """Return by origin the names and passwords in what a person gave, as ``NAME:PASSWORD``."""
    found = {}
    for source in sources:
        url, login = split_credentials(source)
        if login:
            name, _, password = login.partition(":")
            for where in origins_of([url]):
                found[where] = f"{unquote(name)}:{unquote(password)}"
    return found


def strip_userinfo(url: str) -> str:
    """Return the URL without user name and password, for messages."""
    return _USERINFO.sub("", url, count=1)


def _with_scheme(text: str) -> str:
    if text.startswith("//"):
        return "https:" + text
    if _SCHEME.match(text) and not _HOST_AND_PORT.match(text):
        return text
    host = re.split(r"[/?#]", text, maxsplit=1)[0]
    if "." not in host and ":" not in host and host.lower() != "localhost":
        raise BadURL(
            f"{_short(text)!r} is neither a file nor a web address",
            hint="An address looks like https://example.org/page",
        )
    if host == text and text.lower().endswith(_FILES):
        raise BadURL(
            f"there is no file {_short(text)!r}",
            hint="Check its name; an address looks like https://example.org/page",
        )
    return "https://" + text


def _split(url: str, shown: str) -> SplitResult:
    shown = strip_userinfo(shown)
    if len(url) > _MAX_LENGTH:
        raise BadURL(f"the address is longer than {_MAX_LENGTH} characters", url=_short(shown))
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadURL(f"{_short(shown)!r} is not a web address: {error}") from error
    if parts.scheme not in _PORTS:
        raise BadURL(
            f"{_short(shown)!r} is not a web address: {parts.scheme or 'no scheme'}"
            + (" is not http or https" if parts.scheme else " given"),
            hint="For a file on this machine, give its path" if parts.scheme == "file" else "",
        )
    if not parts.netloc:
        raise BadURL(f"{_short(shown)!r} is not a web address: it names no host")
    return parts


def _origin(parts: SplitResult, url: str) -> Origin:
    shown = _short(strip_userinfo(url))
    try:
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise BadURL(f"{shown!r} is not a web address: {error}") from error
    return Origin(parts.scheme, _ascii_host(host, shown), port or _PORTS[parts.scheme])


def _ascii_host(host: str, shown: str) -> str:
    """Return the host in lower-case ASCII (IDNA 2008 with the usual mappings)."""
    if not host.isascii():
        import idna

        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError) as error:
            raise BadURL(f"{shown!r} is not a web address: the host name is not valid") from error
    allowed = r"[0-9a-f:.]+(%[0-9a-z_.-]+)?" if ":" in host else r"[a-z0-9_.-]{1,253}"
    if not re.fullmatch(allowed, host.lower()):
        raise BadURL(f"{shown!r} is not a web address: the host name is not valid")
    return host.lower()


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."


def origins_of(sources: Iterable[str]) -> frozenset[Origin]:
    """Return the origins of what a person gave; what is no address (a file, say) has none.

    Who names a plain http address on its usual port also means the same host over https, where
    most servers send one at once.
    """
    found = set()
    for source in sources:
        try:
            found.add(origin_of(normalize_url(split_credentials(source)[0])))
        except BadURL:  # Said when it is fetched, if it ever is.
            continue
    secure = {Origin("https", where.host, 443) for where in found if where.port == 80}
    return frozenset(found | secure)


_TRACKING = re.compile(
    r"(?:utm_\w+|fb(?:clid|_\w+)|[gdt]clid|gclsrc|wbraid|gbraid|msclkid|yclid|twclid|ttclid|igshid?"
    r"|mc_[ce]id|_hs(?:enc|mi)|hsctatracking|mkt_tok|vero_\w+|oly_(?:anon|enc)_id|wickedid"
    r"|_openstat|s_cid|ns_\w+|at_(?:medium|campaign|custom\d|link\w*)|cmpid|icid|ncid|sr_share"
    r"|pk_\w+|mtm_\w+|piwik_\w+|matomo_\w+|_ga|_gl|guce_\w+|trk\w*|spm|share_id|ref_(?:src|url))",
    re.IGNORECASE,
)


def is_tracking(name: str) -> bool:
    """Tell whether a parameter of a query only follows the reader about."""
    return _TRACKING.fullmatch(name) is not None


def strip_tracking(query: str) -> str:
    """Return a query without the parameters that only follow the reader about."""
    return "&".join(pair for pair in query.split("&") if not is_tracking(pair.partition("=")[0]))


def resolve(base: str, href: str, schemes: frozenset[str] = frozenset({"http", "https"})) -> str:
    """Return an absolute address, or '' for one that is broken or of another scheme."""
    try:
        url = urljoin(base, href.strip())
        return url if urlsplit(url).scheme.lower() in schemes else ""
    except ValueError:
        return ""


def is_http(url: str) -> bool:
    """Return whether a URL has the scheme http or https."""
    return url[:8].lower().startswith(("http://", "https://"))
