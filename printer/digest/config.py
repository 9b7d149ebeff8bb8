"""What a digest is: the [[digest]] tables of webprint.toml, checked.

[[digest]]
name = "morning"
title = "The Morning Paper"
schedule = "0 6 * * mon-fri"
timezone = "Europe/Paris"

[[digest.source]]
feed = "https://example.org/feed.xml"
section = "News"

[[digest.deliver]]
folder = "~/Papers"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from .. import toml_loader
from ..atomic_write import atomic_write
from ..errors import OutputError, UsageError
from ..settings import SETTINGS_FILE, settings_files
from .filters import Pattern, parse_pattern
from .sources.opml import Subscription
from .toml_positions import line_of

#: So many articles are in a digest that does not say how many.
DEFAULT_LIMIT = 50
MAX_ARTICLES = 1_000
MAX_SOURCES = 500

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]{1,64}@[A-Za-z0-9.-]{1,255}")


def _check_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("should be small letters, digits, - and _")
    return text


def _check_url(text: str) -> str:
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ValueError(f"is no web address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"\s", text):
        raise ValueError("should be an address that begins with https:// or http://")
    return text


def _check_time_zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError("is no time zone: they are called like Europe/Paris") from error
    return text


def _check_cron(text: str) -> str:
    from cronsim import CronSim, CronSimError

    try:
        CronSim(text, datetime.now(UTC))
    except CronSimError as error:
        raise ValueError("is no cron expression, such as '0 6 * * mon-fri'") from error
    return text


def _check_mail_address(text: str) -> str:
    if not _ADDRESS.fullmatch(text):
        raise ValueError("is no e-mail address")
    return text


def _check_one_line(text: str) -> str:
    if any(not c.isprintable() for c in text):
        raise ValueError("should be one line")
    return text


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str | Mapping) else value


Line = Annotated[str, Field(max_length=300), AfterValidator(_check_one_line)]
WebURL = Annotated[str, AfterValidator(_check_url)]
Duration = Annotated[timedelta, BeforeValidator(lambda value: parse_duration(str(value)))]
Patterns = Annotated[
    tuple[Annotated[Pattern, BeforeValidator(lambda value: parse_pattern(str(value)))], ...],
    BeforeValidator(_as_list),
]
TextFrom = Literal["page", "feed"]


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=lambda name: name.replace("_", "-"),
        hide_input_in_errors=True,
        arbitrary_types_allowed=True,
    )

    def _kind(self, names: tuple[str, ...]) -> str:
        given = [name for name in names if getattr(self, name)]
        if len(given) != 1:
            raise ValueError(f"should have one of {', '.join(names)}, and has {len(given)}")
        return given[0]


class Source(_Table):
    """Where articles come from: one of a feed, a page, a folder of mails, a reading list, a crawl.

    ``section`` is the heading they stand under, ``limit`` the most there may be (0: no limit of its
    own), ``age`` how old they may be, ``body`` whether the text is the page's or the feed's own.
    ``pages``, ``depth`` and ``delay`` (seconds between two requests) bound a crawl.
    """

    feed: WebURL | None = None
    page: WebURL | None = None
    mail: str = ""
    reading_list: str = ""
    crawl: WebURL | None = None

    name: Line = ""
    section: Line = ""
    limit: int = Field(0, ge=0, le=MAX_ARTICLES)
    age: Duration | None = None
    body: TextFrom | None = None
    include: Patterns = ()
    exclude: Patterns = ()
    language: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = ()

    pages: int = Field(200, ge=1, le=100_000)
    depth: int = Field(3, ge=0, le=50)
    delay: float = Field(1.0, ge=0, le=3600)

    @model_validator(mode="after")
    def _checked(self) -> Source:
        self._kind(SOURCE_KINDS)
        return self

    @property
    def kind(self) -> str:
        """Which kind of source it is."""
        return self._kind(SOURCE_KINDS)

    @property
    def location(self) -> str:
        """The address or path it is read from."""
        return str(getattr(self, self.kind))


SOURCE_KINDS = ("feed", "page", "mail", "reading_list", "crawl")


class Destination(_Table):
    """Where a digest goes: one of a folder or URL that fsspec knows, mail, a printer, a webhook.

    ``most`` is how large a mail may be, in megabytes; ``copies`` what a printer prints; ``feed``
    keeps an Atom feed of the digests in the folder, which is read at the address it says.
    """

    folder: str = ""
    mail: Annotated[str, AfterValidator(lambda text: text and _check_mail_address(text))] = ""
    printer: Line = ""
    webhook: SecretStr | None = None

    most: float = Field(20.0, gt=0, le=200)
    copies: int = Field(1, ge=1, le=99)
    options: tuple[Line, ...] = ()
    feed: WebURL | None = None

    @model_validator(mode="after")
    def _checked(self) -> Destination:
        self._kind(DESTINATION_KINDS)
        if self.webhook:
            _check_url(self.webhook.get_secret_value())
        if self.feed and not self.folder:
            raise ValueError("feed goes with a folder")
        return self

    @property
    def kind(self) -> str:
        """Which kind of delivery it is."""
        return self._kind(DESTINATION_KINDS)


DESTINATION_KINDS = ("folder", "mail", "printer", "webhook")


class NamedDestination(Destination):
    """Where a single print may be sent: a [[send]] table, a delivery with a ``name`` for people."""

    name: Line = ""
    format: Literal["pdf", "epub"] = "pdf"


class Digest(_Table):
    """A digest as webprint.toml describes it; see docs/digests.md for each key."""

    name: Annotated[str, AfterValidator(_check_name)]
    title: Line = ""
    source: tuple[Source, ...] = Field((), min_length=1, max_length=MAX_SOURCES)
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MAX_ARTICLES)
    age: Duration | None = None
    body: TextFrom = "page"
    include: Patterns = ()
    exclude: Patterns = ()
    language: Annotated[tuple[str, ...], BeforeValidator(_as_list)] = ()
    query: Line = ""

    theme: str = ""
    paper: str = ""
    format: Literal["", "pdf", "epub"] = ""
    fit: int | None = Field(None, ge=0)
    qr: bool = True

    schedule: Annotated[str, AfterValidator(lambda text: text and _check_cron(text))] = ""
    timezone: Annotated[str, AfterValidator(_check_time_zone)] = "UTC"
    catch_up: Duration = timedelta(days=7)
    deliver: Annotated[tuple[Destination, ...], BeforeValidator(_as_list)] = ()

    @property
    def heading(self) -> str:
        """The title on its cover."""
        return self.title or self.name.replace("-", " ").replace("_", " ").capitalize()


class SettingsTables(BaseModel):
    """The tables of a settings file that are read here."""

    digest: tuple[Digest, ...] = ()
    send: tuple[NamedDestination, ...] = ()


def parse_digests(text: str, tables: Mapping[str, Any], file: str) -> tuple[Digest, ...]:
    """Return the digests that a settings file describes.

    ``text`` is the file's, ``tables`` what a parser made of it.  Raises :class:`UsageError` that
    names the line of what is wrong.
    """
    try:
        found = SettingsTables(digest=tables.get("digest", ())).digest
    except ValidationError as error:
        raise config_error(error, text, file) from error
    seen: set[str] = set()
    for number, each in enumerate(found):
        if each.name in seen:
            line = line_of(text, ("digest", number, "name"))
            raise UsageError(f"{file}, line {line}: a second digest is called {each.name}")
        seen.add(each.name)
    return found


def config_error(error: ValidationError, text: str, file: str) -> UsageError:
    """Return what is wrong with a table of a settings file, with its line."""
    fault = error.errors(include_url=False, include_input=False)[0]
    place = fault["loc"]
    where = f"{file}, line {line_of(text, place)}"
    return UsageError(f"{where}: {_message(fault, place)}", hint=_hint(fault, place))


def _message(fault: Any, place: tuple[str | int, ...]) -> str:
    names = [str(part) for part in place if isinstance(part, str)]
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        return f"unknown key {names[-1][:60]}"
    if fault["type"] == "missing":
        message = "is missing"
    return f"{'.'.join(names)}: {message[:1].lower()}{message[1:]}"


def _hint(fault: Any, place: tuple[str | int, ...]) -> str:
    if fault["type"] != "extra_forbidden":
        return ""
    around = next((p for p in reversed(place[:-1]) if isinstance(p, str)), "")
    tables: dict[str, type[_Table]] = {
        "source": Source, "deliver": Destination, "send": NamedDestination,
    }  # fmt: skip
    table = tables.get(around, Digest)
    known = [str(field.alias) for field in table.model_fields.values()]
    near = get_close_matches(str(place[-1]), known, 1, 0.5)
    return f"Did you mean {near[0]}?" if near else f"Known are {', '.join(known)}"


def load_digests() -> tuple[Digest, ...]:
    """Return the digests of the settings files; the working folder's go before the user's own.

    Raises :class:`UsageError`, as :func:`read_digests` does.
    """
    found: dict[str, Digest] = {}
    for path, text, tables in read_settings_files():
        found |= {each.name: each for each in parse_digests(text, tables, path)}
    return tuple(found.values())


def read_settings_files() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the settings files there are, the user's first: path, text, tables."""
    for path in settings_files():
        if path.is_file():
            try:
                text = path.read_text("utf-8")
                yield str(path), text, toml_loader.parse(text)
            except OSError as error:
                raise UsageError(f"{path} cannot be read: {error.strerror}") from error
            except (toml_loader.TomlError, UnicodeDecodeError) as error:
                raise UsageError(f"{path} is not valid TOML: {error}") from error


_DURATION = re.compile(r"([1-9]\d{0,4}) ?(m|h|d|w)")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_duration(text: str) -> timedelta:
    """Return a span of time; raises :class:`ValueError` for what is none."""
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise ValueError("should be a span of time such as 36h, 2d or 1w")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def parse_datetime(text: str) -> datetime | None:
    """Return the time that an ISO 8601 text names, in UTC where it has no zone; None for others."""
    try:
        found = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found


def add_sources(subscriptions: Sequence[Subscription], name: str) -> tuple[Path, int]:
    """Add feeds to a digest of the working folder's webprint.toml; those it has are left out.

    A digest that is not there is begun.  Returns the file and how many were added.
    """
    path = Path(SETTINGS_FILE)
    try:
        text = path.read_text("utf-8") if path.is_file() else ""
        tables = toml_loader.parse(text)
    except (OSError, UnicodeDecodeError, toml_loader.TomlError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    digests = parse_digests(text, tables, str(path))
    names = [digest.name for digest in digests]
    if name in names:
        place = names.index(name)
        if not _in_tables(text, place):
            raise UsageError(f"{path}: {name} has its sources in one line", hint="Add it by hand")
        have = {source.feed for source in digests[place].source}
        new = [each for each in subscriptions if each.feed not in have]
        added = _with(text, place, new)
    else:
        new = list(subscriptions)
        gap = "\n" if text else ""
        added = f"{text.rstrip()}{gap * 2}[[digest]]\nname = {_string(name)}\n{_tables(new)}"
    if new:
        parse_digests(
            added, toml_loader.parse(added), str(path)
        )  # Nothing is written that is wrong.
        _replace(path, added)
    return path, len(new)


def _in_tables(text: str, place: int) -> bool:
    """Tell whether the sources are [[digest.source]] tables, which more can follow."""
    line = text.splitlines()[line_of(text, ("digest", place, "source", 0)) - 1]
    return line.strip().startswith("[[")


def _with(text: str, place: int, new: Sequence[Subscription]) -> str:
    """Put sources at the end of a digest's own tables."""
    lines = text.splitlines()
    following = line_of(text, ("digest", place + 1))
    # Without a further digest the nearest thing around is the first line, or an earlier digest.
    last = following - 1 if following > line_of(text, ("digest", place)) else len(lines)
    before, after = "\n".join(lines[:last]).rstrip(), "\n".join(lines[last:])
    return f"{before}\n{_tables(new)}" + (f"\n{after}\n" if after else "")


def _tables(subscriptions: Sequence[Subscription]) -> str:
    made = []
    for each in subscriptions:
        rows = [f"feed = {_string(each.feed)}"]
        rows += [f"{key} = {_string(value)}" for key, value in
                 (("name", each.name), ("section", each.section)) if value]  # fmt: skip
        made.append("\n[[digest.source]]\n" + "\n".join(rows) + "\n")
    return "".join(made)


def _string(text: str) -> str:
    """Write a string as TOML, whose basic strings are JSON's but for one sign."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _replace(path: Path, text: str) -> None:
    try:
        atomic_write(path, text, 0o644)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}") from error
