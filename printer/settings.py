"""Settings, each defined once in :class:`Settings`.

The command line's options, the keys of ``webprint.toml`` and the ``WEBPRINT_*`` variables are
derived from it.  Later layers win: defaults, the user's ``webprint.toml``, the working folder's,
the environment, the command line.
"""

from __future__ import annotations

import dataclasses
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ByteSize, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from . import files
from .errors import UsageError
from .files import os_errors
from .options import (
    ExtractOptions,
    ExtractorName,
    FetchOptions,
    ImageMethod,
    ImageOptions,
    KeyStyle,
    LinkStyle,
    Options,
    PdfVariant,
    PictureScope,
    PrintOptions,
    RenderMode,
)
from .text import did_you_mean

SETTINGS_FILE = "webprint.toml"
ENV_PREFIX = "WEBPRINT_"

#: The tables of a settings file that are not settings: digests and delivery destinations.
OTHER_TABLES = ("digest", "send")

#: Settings with several values; an environment variable has one per line.
_MULTIPLE = ("header", "set")

_MAX_CSS_BYTES = 1_000_000

#: A day, the longest time limit.
MAX_SECONDS = 86_400

#: The largest number of anything else, which files, databases and clocks can hold.
MAX_NUMBER = 1_000_000_000

T = TypeVar("T")

Panel: TypeAlias = Literal["Page", "Article", "Fetching", "Run", "Server", "Digests"]


def _setting(
    default: object, text: str, *, panel: Panel, gt: int | None = None, ge: int | None = None,
    le: int | None = None, **extra_notes: str,
) -> Any:  # fmt: skip
    notes: dict[str, Any] = {"panel": panel, **extra_notes}
    if le is None and (gt, ge) != (None, None):
        le = MAX_NUMBER
    return Field(
        default, description=text, json_schema_extra=notes, repr="sensitive" not in extra_notes,
        gt=gt, ge=ge, le=le,
    )  # fmt: skip


_page = partial(_setting, panel="Page")
_article = partial(_setting, panel="Article")
_fetching = partial(_setting, panel="Fetching")
_run = partial(_setting, panel="Run")
_server = partial(_setting, panel="Server")
_digests = partial(_setting, panel="Digests")


class Settings(BaseModel):
    """All settings, in the order of the help text.

    A field's notes are ``panel``, where help shows it, ``flags``, other names of its option,
    ``metavar`` and ``shown``, what help shows for its value and its default, and ``sensitive`` if
    its value is not to be shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    format: Literal["auto", "pdf", "epub", "markdown", "html", "json"] = _page(
        "auto", "Output format, by default that of OUT's extension."
    )
    paper: str = _page("", "A4, Letter, A5, Legal, a device, or WIDTHxHEIGHT.")
    margin: str = _page("", "Page margin, such as 20mm; otherwise the theme's.")
    theme: str = _page("article", "The layout, by its name or folder.")
    font_size: str = _page("", "Size of the text, such as 11pt.", metavar="SIZE")
    set: tuple[str, ...] = _page(
        (), "Set an option of the theme, as in font=Inter; repeatable.", metavar="NAME=VALUE"
    )
    css: str = _page("", "A style sheet to add to the theme's.", metavar="FILE")
    fit: int = _page(0, "Print on at most N pages, if the text stays legible.", metavar="N", ge=0)
    booklet: bool = _page(False, "Print half-size pages as a booklet, to fold and staple.")
    nup: int = _page(1, "Pages per side of a sheet: 1, 2 or 4.", metavar="N", ge=1)
    landscape: bool = _page(False, "Use landscape orientation.")
    duplex: bool = _page(False, "Widen the inner margins for two-sided printing.")
    ink_save: bool = _page(False, "Omit backgrounds and lighten pictures, to save ink.")
    title: str = _page("", "Add a cover with this title to a file of several articles.")
    print_timeout: float = _page(120.0, "Seconds that layout may take.", gt=0, le=MAX_SECONDS)
    dpi: int = _page(200, "Resolution of printed pictures.", ge=20, le=1200)
    grayscale: bool = _page(False, "Print without color.")
    links: LinkStyle = _page("none", "Link addresses.", metavar="STYLE")
    qr: bool = _page(False, "Print a QR code of the page's address.")
    pdf: PdfVariant = _page(
        "ua-1", "PDF standard, accessible or archival with the sources attached."
    )
    deterministic: bool = _page(False, "Make the output reproducible: omit the time of fetching.")

    extractor: ExtractorName = _article("default", "The extraction method.", metavar="METHOD")
    images: PictureScope = _article("article", "Pictures to print.", metavar="WHICH")
    image_method: ImageMethod = _article(
        "default", "The picture selection method.", metavar="METHOD"
    )
    ner: str = _article(
        "rules", "The named-entity recognizer: rules, or spacy:MODEL.", metavar="RECOGNIZER"
    )
    comments: bool = _article(False, "Print the readers' comments after the article.")
    key_paragraphs: int = _article(
        0, "Print only this many of the most informative paragraphs.", metavar="N", ge=0
    )
    key_paragraphs_as: KeyStyle = _article(
        "only", "Print key paragraphs alone, or in a box before the article.", metavar="PLACE"
    )
    key_query: str = _article("", "What key paragraphs should be about.", metavar="WORDS")
    rules: str = _article("", "A folder of additional site rules.", metavar="FOLDER")
    no_rules: bool = _article(False, "Ignore your own site rules.")

    render: RenderMode = _fetching("auto", "When to load pages in a headless browser.")
    follow: bool = _fetching(True, "Fetch all parts of an article that spans several pages.")
    timeout: float = _fetching(30.0, "Seconds that fetching a page may take.", gt=0, le=MAX_SECONDS)
    user_agent: str = _fetching("", "The User-Agent to send.")
    header: tuple[str, ...] = _fetching(
        (), "A header to send to the page's own site, 'Name: value'; repeatable.", sensitive="yes"
    )
    cookies: str = _fetching("", "A cookies.txt file (Netscape format).", metavar="FILE")
    storage_state: str = _fetching(
        "", "A file with a browser's state after you signed in (see 'webprint login')."
    )
    user: str = _fetching(
        "", "Your NAME:PASSWORD for the page's own site (basic authentication).", sensitive="yes"
    )
    allow_private: bool = _fetching(False, "Allow pages to load resources from private addresses.")
    max_size: ByteSize = _fetching(
        20_000_000,
        "The largest page or picture to accept.",
        gt=0,
        le=1_000_000_000_000,
        flags="--size",
        metavar="SIZE",
        shown="20MB",
    )
    cache: bool = _fetching(
        True,
        "Cache pages on disk as HTTP allows, and remember which pictures were rejected as icons.",
    )

    library: bool = _run(
        False, "Index the text of printed articles locally, for 'webprint search'."
    )
    strict: bool = _run(False, "Fail unless all of the article is printed.")
    verbose: bool = _run(False, "Show each step.", flags="-v")
    debug: bool = _run(False, "Show the traceback of an error.")
    quiet: bool = _run(False, "Print errors only.", flags="-q")

    host: str = _server("127.0.0.1", "The address to listen on.")
    port: int = _server(8631, "The port to listen on.", ge=0, le=65535)
    hostnames: str = _server("", "Other host names of the server, separated by spaces.")
    trusted_proxies: str = _server(
        "127.0.0.1 ::1", "Addresses or networks of proxies whose X-Forwarded headers are trusted."
    )
    database: str = _server(
        "", "The job database: an SQLite file, or postgresql://...", sensitive="yes"
    )
    storage: str = _server("", "Where results are stored: a folder, or s3://...")
    workers: int = _server(0, "Worker processes; 0 means one per processor.", ge=0)
    time_limit: int = _server(120, "Seconds one print may take.", gt=0, le=MAX_SECONDS)
    memory_limit: int = _server(2000, "Megabytes one print may take.", gt=0)
    keep_days: int = _server(30, "Days to keep prints.", ge=0)

    reading_list: str = _digests("", "The file that 'webprint later' adds to.")
    smtp: str = _digests(
        "",
        "The mail server: smtps://USER:PASSWORD@HOST, or smtp:// with STARTTLS.",
        sensitive="yes",
    )
    mail_from: str = _digests("", "The sender's address.")

    def options(self) -> Options:
        return Options(
            fetch=self.fetch_options(),
            extract=self.extract_options(),
            images=ImageOptions(dpi=self.dpi, max_bytes=self.max_size),
            page=self.print_options(),
        )

    def fetch_options(self) -> FetchOptions:
        headers = tuple(map(_parse_header, self.header))
        return self._build(FetchOptions, max_bytes=self.max_size, headers=headers)

    def extract_options(self) -> ExtractOptions:
        """Return the options of extraction, without site rules."""
        return self._build(ExtractOptions, rules=())

    def print_options(self) -> PrintOptions:
        format_ = "pdf" if self.format == "auto" else self.format
        css = _read_style_sheet(self.css)
        return self._build(PrintOptions, format=format_, css=css, theme_options=self.set)

    def _build(self, options: type[T], **values: object) -> T:
        """Return options whose other fields are the settings of the same names."""
        names = {field.name for field in dataclasses.fields(options)}  # type: ignore[arg-type]
        same = {name: getattr(self, name) for name in names & type(self).model_fields.keys()}
        return options(**{**same, **values})


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, and the layer that each comes from, by name."""

    settings: Settings
    origins: Mapping[str, str]

    @property
    def explicit(self) -> frozenset[str]:
        return frozenset(name for name, origin in self.origins.items() if origin != "default")

    @property
    def from_command_line(self) -> frozenset[str]:
        return frozenset(name for name, origin in self.origins.items() if origin == "command line")

    def with_defaults(self, names: Collection[str]) -> LoadedSettings:
        defaults = Settings()
        values = {name: getattr(defaults, name) for name in names}
        origins = {**self.origins, **dict.fromkeys(names, "default")}
        return LoadedSettings(self.settings.model_copy(update=values), origins)


def setting_fields() -> Iterator[tuple[str, FieldInfo, Mapping[str, Any]]]:
    """Yield each setting's name, field and notes (panel, flags, metavar, shown, sensitive)."""
    for name, field in Settings.model_fields.items():
        notes = field.json_schema_extra
        yield name, field, notes if isinstance(notes, dict) else {}


def load_settings(command_line: Mapping[str, Any]) -> LoadedSettings:
    """Merge all layers; raise :class:`UsageError`."""
    layers: dict[str, Mapping[str, Any]] = {}
    for path in settings_files():
        if path.is_file():
            table = read_settings_file(path)[1]
            settings = {key: table[key] for key in table if key not in OTHER_TABLES}
            layers[str(path)] = {key.replace("-", "_"): settings[key] for key in settings}
    layers["environment"] = _environment_values()
    layers["command line"] = command_line
    values: dict[str, Any] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")
    for name, layer in layers.items():
        check_layer(name, layer)
        values.update(layer)
        origins.update(dict.fromkeys(layer, name))
    return LoadedSettings(Settings(**values), origins)


def settings_files() -> tuple[Path, Path]:
    """Return the settings files, the user's first, whether or not they exist."""
    return config_folder() / SETTINGS_FILE, Path(SETTINGS_FILE)


def config_folder() -> Path:
    """Return the folder of the user's settings, themes and rules (XDG base directories)."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "webprint"


def data_folder() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(home) / "webprint"


def read_settings_file(path: Path) -> tuple[str, dict[str, Any]]:
    """Return the text and the tables of a settings file; raise :class:`UsageError`.

    The file of a working folder must belong to this user or to root, since it names servers, files
    and databases, and a folder such as /tmp is open to all users.
    """
    with os_errors(UsageError, f"{path} cannot be read"), path.open("rb") as file:
        status = os.fstat(file.fileno())
        data = file.read(files.MAX_TOML_BYTES + 1)
    foreign = status.st_uid not in (os.geteuid(), 0) or status.st_mode & stat.S_IWOTH
    if foreign and not path.is_absolute():
        raise UsageError(
            f"{path.resolve()} belongs to another user or can be changed by others",
            hint=f"If you trust it: chown $USER {path}, chmod o-w {path}",
        )
    try:
        return data.decode("utf-8-sig", "replace"), files.parse_toml_bytes(data)
    except files.TomlError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error


def _environment_values() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in os.environ.items():
        if key.startswith(ENV_PREFIX):
            name = key.removeprefix(ENV_PREFIX).lower()
            several = tuple(filter(None, value.splitlines()))
            values[name] = several if name in _MULTIPLE else value
    return values


def check_layer(layer: str, values: Mapping[str, Any]) -> None:
    """Raise :class:`UsageError` for an unknown setting or a value of the wrong type.

    ``layer`` is the source of the values: the path of a file, "environment" or "command line".
    """
    names = list(Settings.model_fields)
    for name in values:
        if name not in names:
            wrong, names_as_spelled = _spell(name, layer), [_spell(name, layer) for name in names]
            hint = did_you_mean(wrong, names_as_spelled) or "See 'webprint config'"
            raise UsageError(f"{layer}: unknown setting {wrong}", hint=hint)
        value = values[name]
        if any("\0" in str(text) for text in (value if isinstance(value, list) else (value,))):
            raise UsageError(f"{layer}: {_spell(name, layer)}: remove the character NUL")
    try:
        Settings(**values)
    except ValidationError as error:
        fault = error.errors()[0]
        name, message = _spell(str(fault["loc"][0]), layer), fault["msg"]
        is_size = fault["type"].startswith("byte_size")
        message = "use a size, such as 20MB" if is_size else plain_message(message)
        place = "" if layer in ("command line", "environment") else f"{layer}: "
        raise UsageError(f"{place}{name}: {message}") from error


#: Replacements for the messages of pydantic and typer about invalid values.
_PLAIN_MESSAGES = (
    (r".*?should be greater than or equal to ([\d.]+).*", r"use \1 or more"),
    (r".*?should be less than or equal to ([\d.]+).*", r"use \1 or less"),
    (r".*?should be greater than ([\d.]+).*", r"use a number above \1"),
    (r".*?should be a valid integer.*", "use a whole number"),
    (r".*?should be a valid number.*", "use a number"),
    (r".*?should be a valid boolean.*", "use true or false"),
    (r".*?should be a valid string.*", "use a text in quotes"),
    (r"Input should be ('.*')", r"use one of \1"),
)


def plain_message(message: str) -> str:
    """Return the message of a library about an invalid value in plain words."""
    for pattern, plain in _PLAIN_MESSAGES:
        if match := re.fullmatch(pattern, message, re.DOTALL):
            return match.expand(plain)
    return message[:1].lower() + message[1:] if message[1:2].islower() else message


def _spell(name: str, layer: str) -> str:
    if layer == "environment":
        return ENV_PREFIX + name.upper()
    return ("--" if layer == "command line" else "") + name.replace("_", "-")


def _parse_header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or any(c in line for c in "\r\n\0"):
        raise UsageError("--header takes 'Name: value'", hint="As in --header 'X-Key: 1234'")
    return name.strip(), value.strip()


def _read_style_sheet(path: str) -> str:
    if not path:
        return ""
    with os_errors(UsageError, f"--css: {path} cannot be read"):
        data = files.read_bounded(Path(path).expanduser(), _MAX_CSS_BYTES)
    return data.decode("utf-8", "replace")
