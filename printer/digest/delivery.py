"""Where a digest goes: a folder or any place fsspec knows, mail, a printer, a webhook."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lxml import etree
from pydantic import ValidationError

from ..errors import MissingLibrary, OutputError, UsageError
from ..options import Format
from ..render.inline import printable
from ..settings import Settings
from ..urls import origin_of
from .config import Delivery, Described, Destination, load_digests, read_settings_files, wrong
from .smtp import Mail, MayHaveArrived, Server, send

#: Seconds that a printer's queue and a webhook may take to answer.
_PATIENCE = 60.0

#: So many names are tried when files are there already.
_MOST_NAMES = 1_000


@dataclass(frozen=True, slots=True)
class Parcel:
    """A digest to be delivered; ``told`` is what a webhook is told of it."""

    name: str
    title: str
    when: datetime
    data: bytes
    told: dict[str, Any]
    format: Format = "pdf"

    @property
    def stem(self) -> str:
        """Its file name without the ending."""
        return f"{self.name}-{self.when:%Y-%m-%d}"

    @property
    def ending(self) -> str:
        """The ending of its file name."""
        return f".{self.format}"

    @property
    def media_type(self) -> str:
        """What a web server calls such a file."""
        return "application/epub+zip" if self.format == "epub" else "application/pdf"


def deliver(parcel: Parcel, to: Delivery, settings: Settings) -> str:
    """Deliver a digest; returns where it went.  Raises :class:`OutputError` and the like."""
    kinds: dict[str, Callable[[Parcel, Delivery, Settings], str]] = {
        "folder": _to_folder, "mail": _by_mail, "printer": _to_printer, "webhook": _by_webhook,
    }  # fmt: skip
    return kinds[to.kind](parcel, to, settings)


# ---- files ----


def _to_folder(parcel: Parcel, to: Delivery, settings: Settings) -> str:
    del settings
    fs, root = _opened(to.folder)
    with _told(to.folder):
        fs.makedirs(root, exist_ok=True)
        path = _free(fs, f"{root}/{parcel.stem}", parcel.ending)
        _put(fs, path, parcel.data)
        _announce(fs, root, path, parcel, to)
    return path


def _announce(fs: Any, root: str, path: str, parcel: Parcel, to: Delivery) -> None:
    """Write of a file in the folder's feed, where one is kept."""
    if not to.feed:
        return
    url = f"{to.feed.rstrip('/')}/{quote(path.rpartition('/')[2])}"
    issue = Issue(parcel.title, url, parcel.when, parcel.data, parcel.media_type)
    place = f"{root}/{parcel.name}.atom"
    old = fs.cat_file(place, end=5_000_000) if fs.exists(place) else b""
    if f'href="{escape(url)}"'.encode() not in old:  # Else who wrote it was killed afterwards.
        _put(fs, place, with_issue(old, parcel.title, f"{to.feed}#{quote(parcel.name)}", issue))


def goal(parcel: Parcel, to: Delivery) -> str:
    """Return the file that a delivery is going to write, '' where it writes none."""
    if to.kind != "folder":
        return ""
    fs, root = _opened(to.folder)
    with _told(to.folder):
        return _free(fs, f"{root}/{parcel.stem}", parcel.ending)


def arrived(parcel: Parcel, to: Delivery, goal: str) -> bool | None:
    """Tell whether what was on its way to a place is there; None where nobody can know."""
    if not goal:
        return None
    fs, root = _opened(to.folder)
    with _told(to.folder):
        if not fs.exists(goal):
            return False
        _announce(fs, root, goal, parcel, to)
    return True


def _opened(place: str) -> tuple[Any, str]:
    import fsspec

    try:
        fs, root = fsspec.core.url_to_fs(place if "://" in place else f"file://{_home(place)}")
    except ImportError as error:
        raise MissingLibrary(f"a package is missing to reach {_scheme(place)}: {error}") from error
    except (ValueError, OSError) as error:
        raise OutputError(f"{_scheme(place)} cannot be reached: {error}") from error
    return fs, str(root).rstrip("/")


def _home(place: str) -> str:
    return str(Path(place).expanduser().absolute())


def _free(fs: Any, stem: str, ending: str) -> str:
    """Return a name that no file has yet: what was delivered before stays as it is."""
    for number in range(1, _MOST_NAMES):
        path = f"{stem}{f'-{number}' if number > 1 else ''}{ending}"
        if not fs.exists(path):
            return path
    raise OutputError(f"there are too many files called {stem.rpartition('/')[2]}")


def _put(fs: Any, path: str, data: bytes) -> None:
    """Write a file so that nobody sees a part of it, as other stores do by themselves."""
    if "file" not in (fs.protocol if isinstance(fs.protocol, tuple | list) else (fs.protocol,)):
        fs.pipe_file(path, data)
        return
    part = f"{path}.part"
    fs.pipe_file(part, data)
    fs.mv(part, path)


@contextmanager
def _told(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise OutputError(f"{_scheme(place)} cannot be written: {reason}") from error


def _scheme(place: str) -> str:
    """Return a place as it may be told: the rest of a URL can hold a key."""
    return place if "://" not in place else f"{place.partition('://')[0]}://"


# ---- mail ----


def _by_mail(parcel: Parcel, to: Delivery, settings: Settings) -> str:
    server = Server.of(settings.smtp)
    mail = Mail(
        sender=settings.mail_from or server.user,
        to=to.mail,
        subject=f"{parcel.title}, {parcel.when:%Y-%m-%d}",
        text="\n".join(each["title"] for each in parcel.told["articles"]),
        name=f"{parcel.stem}{parcel.ending}",
        data=parcel.data,
        media_type=parcel.media_type,
    )
    send(mail, server, most=to.most)
    return to.mail


# ---- a printer ----


def _to_printer(parcel: Parcel, to: Delivery, settings: Settings) -> str:
    del settings
    if parcel.format != "pdf":
        raise OutputError(f"a printer takes no {parcel.format.upper()}")
    command = ["lp", "-d", to.printer, "-n", str(to.copies), "-t", parcel.title]
    for option in to.options:
        command += ["-o", option]
    try:
        # What a person wrote goes as arguments, and no shell reads them.
        ran = subprocess.run(  # noqa: S603
            command, input=parcel.data, capture_output=True, timeout=_PATIENCE, check=False
        )
    except FileNotFoundError as error:
        raise MissingLibrary("there is no lp", hint="On Debian: apt install cups-client") from error
    except subprocess.TimeoutExpired as error:
        raise MayHaveArrived(f"the printer {to.printer} did not answer") from error
    except OSError as error:
        raise OutputError(f"the printer {to.printer} cannot be asked: {error.strerror}") from error
    if ran.returncode:
        said = " ".join(ran.stderr.decode("utf-8", "replace").split())[:200]
        raise OutputError(f"the printer {to.printer} refused: {said}")
    return f"printer {to.printer}"


# ---- a webhook ----


def _by_webhook(parcel: Parcel, to: Delivery, settings: Settings) -> str:
    import httpx2

    del settings
    url = to.webhook.get_secret_value() if to.webhook else ""
    where = str(origin_of(url))  # The rest of it may be a key.
    try:
        with httpx2.Client(timeout=_PATIENCE, trust_env=False) as client:
            answer = client.post(url, json=parcel.told)
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise OutputError(f"the webhook at {where} cannot be reached") from error
    except httpx2.HTTPError as error:
        raise MayHaveArrived(f"the webhook at {where} gave no answer") from error
    if answer.status_code >= 300:
        raise OutputError(f"the webhook at {where} answered {answer.status_code}")
    return f"webhook at {where}"


MOST = 50


def destinations() -> dict[str, Destination]:
    """Return where prints may be sent, by the names that people know; none when none is set.

    Raises :class:`UsageError` that names the line of what is wrong in a settings file.
    """
    found: dict[str, Destination] = {}
    for path, text, tables in read_settings_files():
        for each in _read(text, tables, path):
            found.setdefault(each.name or place_of(each), each)
    known = {place_of(each) for each in found.values()}
    for digest in load_digests():
        for delivery in digest.deliver:
            name = place_of(delivery)
            if name not in known:
                found.setdefault(
                    name, Destination.model_validate(delivery.model_dump(by_alias=True))
                )
    return dict(list(found.items())[:MOST])


def _read(text: str, tables: Mapping[str, Any], file: str) -> tuple[Destination, ...]:
    try:
        return Described(send=tables.get("send", ())).send
    except ValidationError as error:
        raise wrong(error, text, file) from error


def place_of(to: Delivery) -> str:
    """Return a delivery as it may be told: what of its address can hold a key is left out."""
    match to.kind:
        case "mail":
            return f"e-mail to {to.mail}"
        case "printer":
            return f"printer {to.printer}"
        case "webhook":
            return f"webhook at {origin_of(to.webhook.get_secret_value() if to.webhook else '')}"
        case _:
            scheme, remote, _ = to.folder.partition("://")
            return f"folder {scheme}://" if remote else f"folder {to.folder}"


def chosen(name: str) -> Destination:
    """Return the destination of a name; raises :class:`UsageError` when it is none."""
    known = destinations()
    if name not in known:
        hint = f"There are: {', '.join(known)}" if known else NONE
        raise UsageError(f"{name[:60]!r} is no place to send a print to", hint=hint)
    return known[name]


NONE = "None is set: give webprint.toml a [[send]] table, as docs/print-button.md says"


_ATOM = "http://www.w3.org/2005/Atom"
#: So many digests are in the feed.
_MOST = 50


@dataclass(frozen=True, slots=True)
class Issue:
    """A digest that was put somewhere, and the address it is read at."""

    title: str
    url: str
    when: datetime
    data: bytes = field(repr=False)
    media_type: str = "application/pdf"


def with_issue(old: bytes, title: str, identity: str, issue: Issue) -> bytes:
    """Return a feed (b'' for a new one) with one more issue, the newest first."""
    feed = etree.Element(_name("feed"), nsmap={None: _ATOM})  # type: ignore[dict-item]
    _add(feed, "title", title)
    _add(feed, "id", identity)
    _add(feed, "updated", issue.when.astimezone(UTC).isoformat())
    author = etree.SubElement(feed, _name("author"))
    _add(author, "name", "webprint")
    entry = etree.SubElement(feed, _name("entry"))
    _add(entry, "title", f"{issue.title}, {issue.when:%Y-%m-%d}")
    _add(entry, "id", f"urn:sha256:{hashlib.sha256(issue.data).hexdigest()}")
    _add(entry, "updated", issue.when.astimezone(UTC).isoformat())
    etree.SubElement(entry, _name("link"), rel="alternate", href=issue.url)
    etree.SubElement(
        entry,
        _name("link"),
        rel="enclosure",
        href=issue.url,
        type=issue.media_type,
        length=str(len(issue.data)),
    )
    for each in _entries(old)[: _MOST - 1]:
        feed.append(each)
    data: bytes = etree.tostring(feed, xml_declaration=True, encoding="utf-8", pretty_print=True)
    return data


def _entries(old: bytes) -> list[etree._Element]:
    """Return the issues in a feed that was written before; of a damaged one what can be read."""
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_blank_text=True
    )
    try:
        root = etree.fromstring(old, parser) if old else None
    except etree.XMLSyntaxError:
        return []
    return root.findall(_name("entry")) if root is not None else []


def _add(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, _name(name)).text = printable(text)


def _name(name: str) -> str:
    return f"{{{_ATOM}}}{name}"
