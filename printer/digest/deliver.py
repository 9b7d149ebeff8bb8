"""Where a digest goes: a folder or any place fsspec knows, mail, a printer, a webhook."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from ..errors import MissingLibrary, OutputError
from ..options import Format
from ..settings import Settings
from ..urls import origin
from .described import Delivery
from .outbox import Mail, MayHaveArrived, Server, send
from .published import Issue, with_issue

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
    url = f"{to.feed.rstrip('/')}/{path.rpartition('/')[2]}"
    issue = Issue(parcel.title, url, parcel.when, parcel.data, parcel.media_type)
    place = f"{root}/{parcel.name}.atom"
    old = fs.cat_file(place, end=5_000_000) if fs.exists(place) else b""
    if f'href="{escape(url)}"'.encode() not in old:  # Else who wrote it was killed afterwards.
        _put(fs, place, with_issue(old, parcel.title, f"{to.feed}#{parcel.name}", issue))


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
    where = str(origin(url))  # The rest of it may be a key.
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
