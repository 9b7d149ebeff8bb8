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
from ..render.markup import printable
from ..settings import Settings
from ..urls import origin_of
from .config import (
    Destination,
    NamedDestination,
    SettingsTables,
    config_error,
    load_digests,
    read_settings_files,
)
from .smtp import DeliveryUncertain, Mail, SMTPServer, send

#: Seconds that a printer's queue and a webhook may take to answer.
_TIMEOUT = 60.0

#: So many names are tried when files are there already.
_MAX_NAMES = 1_000


@dataclass(frozen=True, slots=True)
class Delivery:
    """A digest to be delivered; ``told`` is what a webhook is told of it."""

    name: str
    title: str
    when: datetime
    data: bytes
    report: dict[str, Any]
    format: Format = "pdf"

    @property
    def stem(self) -> str:
        """Its file name without the ending."""
        return f"{self.name}-{self.when:%Y-%m-%d}"

    @property
    def extension(self) -> str:
        """The ending of its file name."""
        return f".{self.format}"

    @property
    def media_type(self) -> str:
        """What a web server calls such a file."""
        return "application/epub+zip" if self.format == "epub" else "application/pdf"


def deliver(delivery: Delivery, destination: Destination, settings: Settings) -> str:
    """Deliver a digest; returns where it went.  Raises :class:`OutputError` and the like."""
    kinds: dict[str, Callable[[Delivery, Destination, Settings], str]] = {
        "folder": _deliver_to_folder,
        "mail": _deliver_by_mail,
        "printer": _deliver_to_printer,
        "webhook": _deliver_by_webhook,
    }
    return kinds[destination.kind](delivery, destination, settings)


# ---- files ----


def _deliver_to_folder(parcel: Delivery, to: Destination, settings: Settings) -> str:
    del settings
    fs, root = _open_filesystem(to.folder)
    with _write_errors(to.folder):
        fs.makedirs(root, exist_ok=True)
        path = _free_path(fs, f"{root}/{parcel.stem}", parcel.extension)
        _write_file(fs, path, parcel.data)
        _add_to_feed(fs, root, path, parcel, to)
    return path


def _add_to_feed(fs: Any, root: str, path: str, parcel: Delivery, to: Destination) -> None:
    """Write of a file in the folder's feed, where one is kept."""
    if not to.feed:
        return
    url = f"{to.feed.rstrip('/')}/{quote(path.rpartition('/')[2])}"
    issue = FeedIssue(parcel.title, url, parcel.when, parcel.data, parcel.media_type)
    place = f"{root}/{parcel.name}.atom"
    old = fs.cat_file(place, end=5_000_000) if fs.exists(place) else b""
    if f'href="{escape(url)}"'.encode() not in old:  # Else who wrote it was killed afterwards.
        _write_file(
            fs, place, add_feed_entry(old, parcel.title, f"{to.feed}#{quote(parcel.name)}", issue)
        )


def target_path(parcel: Delivery, to: Destination) -> str:
    """Return the file that a delivery is going to write, '' where it writes none."""
    if to.kind != "folder":
        return ""
    fs, root = _open_filesystem(to.folder)
    with _write_errors(to.folder):
        return _free_path(fs, f"{root}/{parcel.stem}", parcel.extension)


def has_arrived(parcel: Delivery, to: Destination, goal: str) -> bool | None:
    """Tell whether what was on its way to a place is there; None where nobody can know."""
    if not goal:
        return None
    fs, root = _open_filesystem(to.folder)
    with _write_errors(to.folder):
        if not fs.exists(goal):
            return False
        _add_to_feed(fs, root, goal, parcel, to)
    return True


def _open_filesystem(place: str) -> tuple[Any, str]:
    import fsspec

    try:
        fs, root = fsspec.core.url_to_fs(place if "://" in place else f"file://{_home(place)}")
    except ImportError as error:
        raise MissingLibrary(
            f"a package is missing to reach {_public_name(place)}: {error}"
        ) from error
    except (ValueError, OSError) as error:
        raise OutputError(f"{_public_name(place)} cannot be reached: {error}") from error
    return fs, str(root).rstrip("/")


def _home(place: str) -> str:
    return str(Path(place).expanduser().absolute())


def _free_path(fs: Any, stem: str, ending: str) -> str:
    """Return a name that no file has yet: what was delivered before stays as it is."""
    for number in range(1, _MAX_NAMES):
        path = f"{stem}{f'-{number}' if number > 1 else ''}{ending}"
        if not fs.exists(path):
            return path
    raise OutputError(f"there are too many files called {stem.rpartition('/')[2]}")


def _write_file(fs: Any, path: str, data: bytes) -> None:
    """Write a file so that nobody sees a part of it, as other stores do by themselves."""
    if "file" not in (fs.protocol if isinstance(fs.protocol, tuple | list) else (fs.protocol,)):
        fs.pipe_file(path, data)
        return
    part = f"{path}.part"
    fs.pipe_file(part, data)
    fs.mv(part, path)


@contextmanager
def _write_errors(place: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise OutputError(f"{_public_name(place)} cannot be written: {reason}") from error


def _public_name(place: str) -> str:
    """Return a place as it may be told: the rest of a URL can hold a key."""
    return place if "://" not in place else f"{place.partition('://')[0]}://"


# ---- mail ----


def _deliver_by_mail(parcel: Delivery, to: Destination, settings: Settings) -> str:
    server = SMTPServer.from_url(settings.smtp)
    mail = Mail(
        sender=settings.mail_from or server.user,
        to=to.mail,
        subject=f"{parcel.title}, {parcel.when:%Y-%m-%d}",
        text="\n".join(each["title"] for each in parcel.report["articles"]),
        name=f"{parcel.stem}{parcel.extension}",
        data=parcel.data,
        media_type=parcel.media_type,
    )
    send(mail, server, max_megabytes=to.most)
    return to.mail


# ---- a printer ----


def _deliver_to_printer(parcel: Delivery, to: Destination, settings: Settings) -> str:
    del settings
    if parcel.format != "pdf":
        raise OutputError(f"a printer takes no {parcel.format.upper()}")
    command = ["lp", "-d", to.printer, "-n", str(to.copies), "-t", parcel.title]
    for option in to.options:
        command += ["-o", option]
    try:
        # What a person wrote goes as arguments, and no shell reads them.
        ran = subprocess.run(  # noqa: S603
            command, input=parcel.data, capture_output=True, timeout=_TIMEOUT, check=False
        )
    except FileNotFoundError as error:
        raise MissingLibrary("there is no lp", hint="On Debian: apt install cups-client") from error
    except subprocess.TimeoutExpired as error:
        raise DeliveryUncertain(f"the printer {to.printer} did not answer") from error
    except OSError as error:
        raise OutputError(f"the printer {to.printer} cannot be asked: {error.strerror}") from error
    if ran.returncode:
        said = " ".join(ran.stderr.decode("utf-8", "replace").split())[:200]
        raise OutputError(f"the printer {to.printer} refused: {said}")
    return f"printer {to.printer}"


# ---- a webhook ----


def _deliver_by_webhook(parcel: Delivery, to: Destination, settings: Settings) -> str:
    import httpx2

    del settings
    url = to.webhook.get_secret_value() if to.webhook else ""
    where = str(origin_of(url))  # The rest of it may be a key.
    try:
        with httpx2.Client(timeout=_TIMEOUT, trust_env=False) as client:
            answer = client.post(url, json=parcel.report)
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise OutputError(f"the webhook at {where} cannot be reached") from error
    except httpx2.HTTPError as error:
        raise DeliveryUncertain(f"the webhook at {where} gave no answer") from error
    if answer.status_code >= 300:
        raise OutputError(f"the webhook at {where} answered {answer.status_code}")
    return f"webhook at {where}"


MAX_DESTINATIONS = 50


def destinations() -> dict[str, NamedDestination]:
    """Return where prints may be sent, by the names that people know; none when none is set.

    Raises :class:`UsageError` that names the line of what is wrong in a settings file.
    """
    found: dict[str, NamedDestination] = {}
    for path, text, tables in read_settings_files():
        for each in _read(text, tables, path):
            found.setdefault(each.name or describe(each), each)
    known = {describe(each) for each in found.values()}
    for digest in load_digests():
        for delivery in digest.deliver:
            name = describe(delivery)
            if name not in known:
                found.setdefault(
                    name, NamedDestination.model_validate(delivery.model_dump(by_alias=True))
                )
    return dict(list(found.items())[:MAX_DESTINATIONS])


def _read(text: str, tables: Mapping[str, Any], file: str) -> tuple[NamedDestination, ...]:
    try:
        return SettingsTables(send=tables.get("send", ())).send
    except ValidationError as error:
        raise config_error(error, text, file) from error


def describe(to: Destination) -> str:
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


def find_destination(name: str) -> NamedDestination:
    """Return the destination of a name; raises :class:`UsageError` when it is none."""
    known = destinations()
    if name not in known:
        hint = f"There are: {', '.join(known)}" if known else NO_DESTINATIONS
        raise UsageError(f"{name[:60]!r} is no place to send a print to", hint=hint)
    return known[name]


NO_DESTINATIONS = "None is set: give webprint.toml a [[send]] table, as docs/print-button.md says"


_ATOM = "http://www.w3.org/2005/Atom"
#: So many digests are in the feed.
_MAX_FEED_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class FeedIssue:
    """A digest that was put somewhere, and the address it is read at."""

    title: str
    url: str
    when: datetime
    data: bytes = field(repr=False)
    media_type: str = "application/pdf"


def add_feed_entry(old: bytes, title: str, identity: str, issue: FeedIssue) -> bytes:
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
    for each in _entries(old)[: _MAX_FEED_ENTRIES - 1]:
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
