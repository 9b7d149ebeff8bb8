"""The [[digest]] and [[send]] tables of webprint.toml: digests, and destinations of prints.

See docs/digests.md for an example.  Include and exclude patterns are matched by RE2, in time linear
in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self
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

from .. import files
from ..errors import BadURL, OutputError, UsageError
from ..files import atomic_write, changing
from ..options import check_known
from ..settings import SETTINGS_FILE, read_settings_file, settings_files
from ..text import UNSPACED_CHARACTER, did_you_mean
from ..urls import origin_of
from .feeds import Subscription

_MAX_PATTERN_CHARS = 500
_MAX_TEXT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A word or phrase, or a regular expression between slashes."""

    text: str
    _regex: Any = field(repr=False, compare=False)

    def matches(self, text: str) -> bool:
        return self._regex.search(text[:_MAX_TEXT_CHARS]) is not None


def parse_pattern(text: str) -> Pattern:
    """Return a pattern of whole words, or /RE2/ between slashes; raise :class:`ValueError`."""
    import re2

    if not text.strip() or len(text) > _MAX_PATTERN_CHARS:
        raise ValueError(
            f"should be a word or /expression/ of at most {_MAX_PATTERN_CHARS} characters"
        )
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        source = f"(?m:{text[1:-1]})"  # The title is on a line of its own.
    else:
        phrase = text.split()
        words = r"\s+".join(map(re2.escape, phrase))
        before = r"(?:^|[^\pL\pN])" if _needs_boundary(phrase[0][0]) else ""
        after = r"(?:$|[^\pL\pN])" if _needs_boundary(phrase[-1][-1]) else ""
        source = f"{before}{words}{after}"
    options = re2.Options()
    options.case_sensitive = False
    options.max_mem = 8_000_000
    options.log_errors = False
    try:
        return Pattern(text, re2.compile(source, options=options))
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else reason
        raise ValueError(f"is not a valid RE2 expression: {reason}") from error


def _needs_boundary(character: str) -> bool:
    """Return whether a character belongs to a word, in a script with spaces between words."""
    return character.isalnum() and not UNSPACED_CHARACTER.match(character)


def exclusion_reason(text: str, include: Iterable[Pattern], exclude: Iterable[Pattern]) -> str:
    for pattern in exclude:
        if pattern.matches(text):
            return f"contains {pattern.text}"
    required = tuple(include)
    if required and not any(pattern.matches(text) for pattern in required):
        return f"contains none of {', '.join(pattern.text for pattern in required)}"
    return ""


DEFAULT_LIMIT = 50
MAX_ARTICLES = 1_000
MAX_SOURCES = 500
MAX_DESTINATIONS = 50

NO_DESTINATIONS = "None is set: add a [[send]] table to webprint.toml (see docs/print-button.md)"

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
_ADDRESS = re.compile(r"[^@\s<>,;:\"()\[\]\\]{1,64}@[A-Za-z0-9.-]{1,255}")
_DURATION = re.compile(r"([1-9]\d{0,4}) ?([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def _check_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("should be lower-case letters, digits, - and _")
    return text


def check_digest_name(text: str) -> None:
    """Raise :class:`UsageError` for an invalid name of a digest."""
    if not _NAME.fullmatch(text):
        hint = "Its name is lower-case letters, digits, - and _, such as morning"
        raise UsageError(f"no digest can be called {text[:60]!r}", hint=hint)


def _check_url(text: str) -> str:
    try:
        origin_of(text)
    except BadURL as error:
        raise ValueError("should be an address that starts with https:// or http://") from error
    if re.search(r"\s", text):
        raise ValueError("should be an address without spaces")
    return text


def _check_time_zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError("is not a time zone, such as Europe/Paris") from error
    return text


def _check_cron(text: str) -> str:
    from cronsim import CronSim, CronSimError

    try:
        CronSim(text or "* * * * *", datetime.now(UTC))
    except CronSimError as error:
        raise ValueError("is not a cron expression, such as '0 6 * * mon-fri'") from error
    return text


def _check_mail_address(text: str) -> str:
    if text and not _ADDRESS.fullmatch(text):
        raise ValueError("is not an e-mail address")
    return text


def _check_one_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("should be one line")
    return text


def _parse_duration(value: object) -> timedelta:
    match = _DURATION.fullmatch(str(value).strip())
    if not match:
        raise ValueError("should be a duration such as 36h, 2d or 1w")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str | Mapping) else value


OneLine = Annotated[str, Field(max_length=300), AfterValidator(_check_one_line)]
Location = Annotated[str, AfterValidator(_check_one_line)]
WebURL = Annotated[str, AfterValidator(_check_url)]
Duration = Annotated[timedelta, BeforeValidator(_parse_duration)]
Patterns = Annotated[
    tuple[Annotated[Pattern, BeforeValidator(lambda value: parse_pattern(str(value)))], ...],
    BeforeValidator(_as_list),
]
Languages = Annotated[tuple[str, ...], BeforeValidator(_as_list)]


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=lambda name: name.replace("_", "-"),
        hide_input_in_errors=True,
        arbitrary_types_allowed=True,
    )


class _KindTable(_Table):
    """A table with exactly one of the keys that say what kind of thing it is."""

    kinds: ClassVar[tuple[str, ...]]

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        if (number := sum(bool(getattr(self, name)) for name in self.kinds)) != 1:
            raise ValueError(f"should have one of {', '.join(self.kinds)}, and has {number}")
        return self

    @property
    def kind(self) -> str:
        return next(name for name in self.kinds if getattr(self, name))


class Source(_KindTable):
    """A source of articles: a feed, a page, a folder of mails, a reading list, or a crawl.

    ``section`` is the heading of its articles, ``limit`` their maximum number (0 for no
    limit of its own), ``age`` their maximum age, and ``body`` whether to print the page or the
    text in the feed.
    ``pages``, ``depth`` and ``delay`` (seconds between two requests) limit a crawl.
    """

    kinds = ("feed", "page", "mail", "reading_list", "crawl")
    feed: WebURL | None = None
    page: WebURL | None = None
    mail: Location = ""
    reading_list: Location = ""
    crawl: WebURL | None = None

    name: OneLine = ""
    section: OneLine = ""
    limit: int = Field(0, ge=0, le=MAX_ARTICLES)
    age: Duration | None = None
    body: Literal["page", "feed"] | None = None
    include: Patterns = ()
    exclude: Patterns = ()
    language: Languages = ()

    pages: int = Field(200, ge=1, le=100_000)
    depth: int = Field(3, ge=0, le=50)
    delay: float = Field(1.0, ge=0, le=3600)

    @property
    def location(self) -> str:
        return str(getattr(self, self.kind))


def redact_url(folder: str) -> str:
    """Return the part of a folder's URL that may be shown; the rest can contain a key."""
    scheme, remote, _ = folder.partition("://")
    return f"{scheme}://" if remote else folder


class Destination(_KindTable):
    """Where a digest is delivered: a folder or fsspec URL, e-mail, a printer, or a webhook.

    ``max_megabytes`` limits the size of a mail.  With ``feed``, the URL at which the folder is
    served, an Atom feed of its digests is kept in it.
    """

    kinds = ("folder", "mail", "printer", "webhook")
    folder: Location = ""
    mail: Annotated[str, AfterValidator(_check_mail_address)] = ""
    printer: OneLine = ""
    webhook: SecretStr | None = None

    max_megabytes: float = Field(20.0, gt=0, le=200)
    copies: int = Field(1, ge=1, le=99)
    options: tuple[OneLine, ...] = ()
    feed: WebURL | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.webhook:
            _check_url(self.webhook_url)
        if self.feed and not self.folder:
            raise ValueError("feed goes with a folder")
        return self

    @property
    def webhook_url(self) -> str:
        """The URL of the webhook, which may contain a key."""
        return self.webhook.get_secret_value() if self.webhook else ""

    @property
    def label(self) -> str:
        """A description without the parts that may contain a key."""
        match self.kind:
            case "mail":
                return f"e-mail to {self.mail}"
            case "printer":
                return f"printer {self.printer}"
            case "webhook":
                return f"webhook at {origin_of(self.webhook_url)}"
            case _:
                return f"folder {redact_url(self.folder)}"


class NamedDestination(Destination):
    """A [[send]] table: a destination of single prints."""

    name: OneLine = ""
    format: Literal["pdf", "epub"] = "pdf"


class Digest(_Table):
    """A [[digest]] table; see docs/digests.md for its keys."""

    name: Annotated[str, AfterValidator(_check_name)]
    title: OneLine = ""
    source: tuple[Source, ...] = Field((), min_length=1, max_length=MAX_SOURCES)
    limit: int = Field(DEFAULT_LIMIT, ge=1, le=MAX_ARTICLES)
    age: Duration | None = None
    body: Literal["page", "feed"] = "page"
    include: Patterns = ()
    exclude: Patterns = ()
    language: Languages = ()
    query: OneLine = ""

    theme: str = ""
    paper: str = ""
    format: Literal["pdf", "epub"] = "pdf"
    fit: int | None = Field(None, ge=0)
    qr: bool = True

    schedule: Annotated[str, AfterValidator(_check_cron)] = ""
    timezone: Annotated[str, AfterValidator(_check_time_zone)] = "UTC"
    catch_up: Duration = timedelta(days=7)
    deliver: Annotated[tuple[Destination, ...], BeforeValidator(_as_list)] = ()

    @property
    def heading(self) -> str:
        return self.title or self.name.replace("-", " ").replace("_", " ").capitalize()

    def next_slot(self, now: datetime) -> datetime | None:
        """Return the next time at which an issue is due; None without a schedule."""
        return self._slot(now)

    def due_slot(
        self, now: datetime, last_slot: float | None, started: datetime
    ) -> datetime | None:
        """Return the slot to serve now, or None.

        If several slots were missed, only the latest is served, unless it is older than
        ``catch_up``.  ``last_slot`` is the latest slot queued; a digest that never ran is due from
        ``started``.
        """
        # One second later, so that a slot at this very moment is included.
        latest = self._slot(now + timedelta(seconds=1), reverse=True)
        if latest is None or now - latest > self.catch_up:
            return None
        after = datetime.fromtimestamp(last_slot, UTC) if last_slot is not None else started
        return latest if latest > after else None

    def _slot(self, now: datetime, *, reverse: bool = False) -> datetime | None:
        from cronsim import CronSim

        local = now.astimezone(ZoneInfo(self.timezone))
        return next(CronSim(self.schedule, local, reverse=reverse), None) if self.schedule else None


class _Tables(BaseModel):
    digest: tuple[Digest, ...] = ()
    send: tuple[NamedDestination, ...] = ()


def load_digests() -> tuple[Digest, ...]:
    """Return the digests of all settings files, of which later ones override earlier ones."""
    digests: dict[str, Digest] = {}
    for path, text, tables in _read_files():
        digests |= {digest.name: digest for digest in parse_digests(text, tables, path)}
    return tuple(digests.values())


def parse_digests(text: str, tables: Mapping[str, Any], file: str) -> tuple[Digest, ...]:
    digests = _parse_tables(text, {"digest": tables.get("digest", ())}, file).digest
    names = [digest.name for digest in digests]
    for number, name in enumerate(names):
        if name in names[:number]:
            line = line_of(text, ("digest", number, "name"))
            raise UsageError(f"{file}, line {line}: a second digest has the name {name}")
    return digests


def destinations() -> dict[str, NamedDestination]:
    """Return the destinations of [[send]] tables and of digests, by name."""
    named: dict[str, NamedDestination] = {}
    for path, text, tables in _read_files():
        for destination in _parse_tables(text, {"send": tables.get("send", ())}, path).send:
            named.setdefault(destination.name or destination.label, destination)
    labels = {destination.label for destination in named.values()}
    for digest in load_digests():
        for target in digest.deliver:
            if target.label not in labels:
                copy = NamedDestination.model_validate(target.model_dump(by_alias=True))
                named.setdefault(target.label, copy)
    return dict(list(named.items())[:MAX_DESTINATIONS])


def find_destination(name: str) -> NamedDestination:
    by_name = destinations()
    if not by_name:
        raise UsageError(f"there is no destination {name[:60]!r}", hint=NO_DESTINATIONS)
    check_known("destination", name, by_name)
    return by_name[name]


def add_sources(subscriptions: Sequence[Subscription], name: str) -> tuple[Path, int]:
    """Add feeds to a digest in the webprint.toml of the working folder, creating it if needed.

    The rest of the file stays as it is.  Returns the file and the number of new feeds.  Raises
    :class:`UsageError` or :class:`OutputError`.
    """
    path = Path(SETTINGS_FILE)
    with changing(path, OutputError):
        text, tables = "", dict[str, Any]()
        if path.is_file():
            text, tables = read_settings_file(path)
        digests = parse_digests(text, tables, str(path))
        index = next((n for n, digest in enumerate(digests) if digest.name == name), None)
        listed = {source.feed for source in digests[index].source} if index is not None else set()
        new = [subscription for subscription in subscriptions if subscription.feed not in listed]
        if new:
            text = _with_sources(text, index, new, name)
            parse_digests(text, files.parse_toml(text), str(path))  # Validate before writing.
            atomic_write(path, text, 0o644)
    return path, len(new)


def _with_sources(text: str, index: int | None, new: list[Subscription], name: str) -> str:
    """Return settings with sources added to their digest number ``index``, or to a new one."""
    import tomlkit

    if index is None:
        heading = f'{text.rstrip()}\n\n[[digest]]\nname = "{name}"\n'.lstrip("\n")
        return heading + "".join(
            f"\n{tomlkit.dumps({'digest': {'source': [_source_row(row)]}})}" for row in new
        )
    document: Any = tomlkit.parse(text)
    sources = document["digest"][index]["source"]
    is_array = isinstance(sources, tomlkit.items.Array)
    for row in new:
        table = tomlkit.inline_table() if is_array else tomlkit.table()
        table.update(_source_row(row))
        if not is_array:
            table.add(tomlkit.nl())
        sources.append(table)
    return tomlkit.dumps(document)


def _source_row(subscription: Subscription) -> dict[str, str]:
    row = {"feed": subscription.feed, "name": subscription.name, "section": subscription.section}
    return {key: value for key, value in row.items() if value}


def _read_files() -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield path, text and tables of each existing settings file, the user's first."""
    for path in settings_files():
        if path.is_file():
            yield str(path), *read_settings_file(path)


def _parse_tables(text: str, tables: Mapping[str, Any], file: str) -> _Tables:
    try:
        return _Tables(**tables)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
    path = fault["loc"]
    keys = [str(key) for key in path if isinstance(key, str)]
    message, hint = fault["msg"].removeprefix("Value error, "), ""
    if fault["type"] == "extra_forbidden":
        message, hint = f"unknown key {keys[-1][:60]}", _key_hint(keys)
    else:
        reason = "is missing" if fault["type"] == "missing" else message[:1].lower() + message[1:]
        message = f"{'.'.join(keys)}: {reason}"
    raise UsageError(f"{file}, line {line_of(text, path)}: {message}", hint=hint)


def _key_hint(keys: list[str]) -> str:
    """Return the known key nearest to the last one, or else all keys of its table."""
    models: dict[str, type[_Table]] = {
        "source": Source, "deliver": Destination, "send": NamedDestination,
    }  # fmt: skip
    model = models.get(keys[-2] if len(keys) > 1 else "", Digest)
    keys_of_table = [str(field.alias) for field in model.model_fields.values()]
    return did_you_mean(keys[-1], keys_of_table) or f"Known are {', '.join(keys_of_table)}"


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line, from 1, of a value in a TOML file, or of the nearest table around it."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    for depth in range(len(path), 0, -1):
        try:
            node: Any = tomlkit.parse(text)
            root = node
            for key in path[:depth]:
                node = node[key]
            node.comment("\0")
            before, marker, _ = root.as_string().partition("\0")
        except (TOMLKitError, KeyError, IndexError, TypeError, AttributeError):
            continue
        if marker:  # The comment is at the end of a value, or after the header of a table.
            is_table = isinstance(node, tomlkit.items.Table)
            return int(before.count("\n") + 1 - (0 if is_table else node.as_string().count("\n")))
    return 1
