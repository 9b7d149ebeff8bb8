"""Settings: what a person may choose, and where each choice comes from.

One class, :class:`Settings`, names every setting once.  The command line's options, the keys of
``webprint.toml`` and the ``WEBPRINT_*`` variables are all made from it.  Later layers win:
defaults, the user's ``webprint.toml``, the working folder's, the environment, the command line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from . import toml_loader
from .errors import UsageError
from .options import (
    ExtractOptions,
    FetchOptions,
    ImageOptions,
    KeyStyle,
    LinkStyle,
    Options,
    PdfVariant,
    PictureScope,
    PrintOptions,
    RenderMode,
)

SETTINGS_FILE = "webprint.toml"
ENV_PREFIX = "WEBPRINT_"

#: The tables of a settings file that are no settings: digests, and where prints may be sent.
OTHER_TABLES = ("digest", "send")

#: Settings that hold several values; a variable has one a line.
_SEVERAL = ("header", "set")

#: No style sheet that a person wrote is larger.
_MOST_CSS = 1_000_000

Stage: TypeAlias = Literal["Page", "Article", "Fetching", "Run", "Server", "Digests"]


def _setting(default: object, stage: Stage, text: str, **more: str) -> Any:
    notes: dict[str, Any] = {"stage": stage, **more}
    return Field(default, description=text, json_schema_extra=notes, repr="sensitive" not in more)


class Settings(BaseModel):
    """Every setting, with its default, in the order in which help shows them.

    A field's ``stage`` is the panel it is shown in, ``short`` a one-letter option,
    ``sensitive`` says that its value is not to be shown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    format: Literal["auto", "pdf", "epub", "markdown", "html", "json"] = _setting(
        "auto", "Page", "What to write; by the ending of the file's name, else PDF, by default."
    )
    paper: str = _setting(
        "", "Page", "A4, Letter, A5, Legal, a device the theme knows, or WIDTHxHEIGHT."
    )
    margin: str = _setting("", "Page", "Page margin, such as 20mm; the theme's own by default.")
    theme: str = _setting("article", "Page", "How the article is set: a name or a folder.")
    font_size: str = _setting("", "Page", "Size of the text, such as 11pt.")
    set: tuple[str, ...] = _setting(
        (), "Page", "Change a value of the theme, as in font=Inter; repeatable."
    )
    css: str = _setting("", "Page", "A style sheet that comes after the theme's.")
    fit: int = _setting(0, "Page", "Print on at most so many pages, as small as can be read.")
    booklet: bool = _setting(False, "Page", "Pages of half the paper, in order to fold and staple.")
    nup: int = _setting(1, "Page", "Pages on a side: 1, 2 or 4.")
    duplex: bool = _setting(False, "Page", "Margins for both sides of the sheet.")
    ink_save: bool = _setting(False, "Page", "No backgrounds, light pictures.")
    title: str = _setting("", "Page", "A cover with this title, for several articles in one file.")
    print_timeout: float = _setting(120.0, "Page", "Seconds that setting the pages may take.")
    dpi: int = _setting(200, "Page", "Resolution that pictures are scaled to.")
    grayscale: bool = _setting(
        False, "Page", "Print without colour: pictures, drawings, the theme."
    )
    links: LinkStyle = _setting(
        "none", "Page", "Where links lead: not on paper, at the page's foot, at the end, or inline."
    )
    qr: bool = _setting(False, "Page", "Print a QR code of the page's address.")
    pdf: PdfVariant = _setting(
        "ua-1", "Page", "The standard to keep: accessible, or for archives with the sources in it."
    )
    deterministic: bool = _setting(
        False, "Page", "The same page gives the same bytes: leave out when it was fetched."
    )

    extractor: str = _setting("default", "Article", "The extraction method.")
    images: PictureScope = _setting(
        "article", "Article", "Which pictures to print: the article's, all in its place, its lead "
        "picture alone, or none."
    )  # fmt: skip
    image_method: str = _setting("default", "Article", "The picture selection method.")
    ner: str = _setting("rules", "Article", "What recognises names: rules, or spacy:MODEL.")
    comments: bool = _setting(False, "Article", "Print the readers' comments after the article.")
    key_paragraphs: int = _setting(
        0, "Article", "Print the paragraphs that say most, so many of them; 0 is the whole article."
    )
    key_paragraphs_as: KeyStyle = _setting(
        "only", "Article", "Those paragraphs alone, or in a box before the whole article."
    )
    key_query: str = _setting("", "Article", "What key paragraphs should be about.")
    rules: str = _setting("", "Article", "A folder with rules for single sites, besides your own.")
    no_rules: bool = _setting(False, "Article", "Leave your own rules for single sites out.")

    render: RenderMode = _setting(
        "auto", "Fetching", "Load the page in a browser: when the page needs it, never, or always."
    )
    follow: bool = _setting(True, "Fetching", "Get all pages of an article split over several.")
    timeout: float = _setting(30.0, "Fetching", "Seconds a page may take to fetch, all in all.")
    user_agent: str = _setting("", "Fetching", "The User-Agent to send.")
    header: tuple[str, ...] = _setting(
        (), "Fetching", "A header to send to the page's own site, 'Name: value'; repeatable.",
        sensitive="yes",
    )  # fmt: skip
    cookies: str = _setting("", "Fetching", "A cookies.txt file (Netscape format).")
    storage_state: str = _setting(
        "", "Fetching", "The state of a browser in which you signed in (see 'webprint login')."
    )
    user: str = _setting(
        "", "Fetching", "Your NAME:PASSWORD for the page's own site (basic authentication).",
        sensitive="yes",
    )  # fmt: skip
    allow_private: bool = _setting(
        False, "Fetching", "Let pages name pictures on private addresses too."
    )
    max_size: int = _setting(20_000_000, "Fetching", "Largest answer accepted, in bytes.")
    cache: bool = _setting(
        True, "Fetching", "Keep fetched pages on disk as HTTP allows, and "
        "remember which pictures turned out icons.",
    )  # fmt: skip

    library: bool = _setting(
        False, "Run", "Keep the text of what is printed on this machine, for 'webprint search'."
    )
    strict: bool = _setting(False, "Run", "Fail when not all of the article is on paper.")
    verbose: bool = _setting(False, "Run", "Say more, and show tracebacks.", short="-v")
    quiet: bool = _setting(False, "Run", "Say nothing but errors.", short="-q")

    host: str = _setting("127.0.0.1", "Server", "The address to listen on.")
    port: int = _setting(8631, "Server", "The port to listen on.")
    hostnames: str = _setting("", "Server", "Other names it is called by, blanks between them.")
    database: str = _setting(
        "", "Server", "Where jobs are kept: an SQLite file, or postgresql://...", sensitive="yes"
    )
    broker: str = _setting(
        "", "Server", "What calls workers elsewhere (Celery): redis://... or amqp://...",
        sensitive="yes",
    )  # fmt: skip
    storage: str = _setting("", "Server", "Where results are kept: a folder, or s3://...")
    workers: int = _setting(0, "Server", "Prints made at once; 0 is one a processor.")
    time_limit: int = _setting(120, "Server", "Seconds one print may take.")
    memory_limit: int = _setting(2000, "Server", "Megabytes one print may take.")
    keep_days: int = _setting(30, "Server", "Days that prints are kept.")

    spread: bool = _setting(
        False, "Digests", "Have the workers of --database read and lay out the articles."
    )  # fmt: skip
    reading_list: str = _setting("", "Digests", "The file that 'webprint later' adds to.")
    smtp: str = _setting(
        "", "Digests", "What sends mail: smtps://USER:PASSWORD@HOST, or smtp:// with STARTTLS.",
        sensitive="yes",
    )  # fmt: skip
    mail_from: str = _setting("", "Digests", "The address that mail is sent from.")

    def options(self) -> Options:
        """Return the options of all stages."""
        return Options(
            fetch=self.fetch_options(),
            extract=self.extract_options(),
            images=self.image_options(),
            page=self.print_options(),
        )

    def fetch_options(self) -> FetchOptions:
        """Return the options of the fetch stage."""
        return FetchOptions(
            timeout=self.timeout,
            max_bytes=self.max_size,
            user_agent=self.user_agent,
            headers=tuple(_header(line) for line in self.header),
            cookies=self.cookies,
            storage_state=self.storage_state,
            user=self.user,
            allow_private=self.allow_private,
            cache=self.cache,
            render=self.render,
            follow=self.follow,
        )

    def extract_options(self) -> ExtractOptions:
        """Return the options of extraction."""
        return ExtractOptions(
            extractor=self.extractor,
            images=self.images,
            image_method=self.image_method,
            ner=self.ner,
            comments=self.comments,
            key_paragraphs=self.key_paragraphs,
            key_paragraphs_as=self.key_paragraphs_as,
            query=self.key_query,
        )

    def image_options(self) -> ImageOptions:
        """Return the options of picture preparation."""
        return ImageOptions(dpi=self.dpi)

    def print_options(self) -> PrintOptions:
        """Return the options of the print stage."""
        return PrintOptions(
            format="pdf" if self.format == "auto" else self.format,
            paper=self.paper,
            margin=self.margin,
            theme=self.theme,
            font_size=self.font_size,
            theme_options=self.set,
            css=_style_sheet(self.css),
            links=self.links,
            qr=self.qr,
            fit=self.fit,
            booklet=self.booklet,
            nup=self.nup,
            duplex=self.duplex,
            ink_save=self.ink_save,
            grayscale=self.grayscale,
            pdf=self.pdf,
            title=self.title,
            deterministic=self.deterministic,
        )


@dataclass(frozen=True, slots=True)
class Layer:
    """Values from one place; ``name`` says which, for people."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings in force, and by name the layer that each comes from."""

    settings: Settings
    origins: Mapping[str, str]

    @property
    def explicit(self) -> frozenset[str]:
        """The names of the settings that somebody chose, wherever."""
        return frozenset(name for name, origin in self.origins.items() if origin != "default")


def setting_fields() -> Iterator[tuple[str, FieldInfo, Mapping[str, Any]]]:
    """Yield each setting's name, field and notes (stage, short, sensitive)."""
    for name, field in Settings.model_fields.items():
        notes = field.json_schema_extra
        yield name, field, notes if isinstance(notes, dict) else {}


def load_settings(
    given: Mapping[str, Any], environ: Mapping[str, str] | None = None
) -> LoadedSettings:
    """Join all layers; ``given`` holds what the command line set.

    Raises :class:`UsageError` for a file that cannot be read, an unknown key (naming the nearest
    right one) or a value of the wrong kind (naming the layer it came from).
    """
    layers = [
        *(_file_layer(path) for path in settings_files() if path.is_file()),
        _environment(os.environ if environ is None else environ),
        Layer("command line", given),
    ]
    values: dict[str, Any] = {}
    origins = dict.fromkeys(Settings.model_fields, "default")
    for layer in layers:
        _check(layer)
        values.update(layer.values)
        origins.update(dict.fromkeys(layer.values, layer.name))
    return LoadedSettings(Settings(**values), origins)


def settings_files() -> tuple[Path, Path]:
    """Return the settings files, the user's first, whether or not they exist."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "webprint" / SETTINGS_FILE, Path(SETTINGS_FILE)


def data_folder() -> Path:
    """Return the folder in which is kept what the settings name no other place for."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(home) / "webprint"


def _file_layer(path: Path) -> Layer:
    try:
        with path.open("rb") as file:
            table = toml_loader.parse_bytes(file.read(toml_loader.MAX_BYTES + 1))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except toml_loader.TomlError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error
    for name in OTHER_TABLES:
        table.pop(name, None)
    return Layer(str(path), {key.replace("-", "_"): value for key, value in table.items()})


def _environment(environ: Mapping[str, str]) -> Layer:
    values: dict[str, Any] = {}
    for key, value in environ.items():
        if key.startswith(ENV_PREFIX):
            name = key.removeprefix(ENV_PREFIX).lower()
            values[name] = tuple(filter(None, value.splitlines())) if name in _SEVERAL else value
    return Layer("environment", values)


def _check(layer: Layer) -> None:
    names = list(Settings.model_fields)
    for name in layer.values:
        if name not in names:
            near = get_close_matches(name, names, 1, 0.5)
            hint = f"Did you mean {_shown(near[0], layer)}" if near else "See 'webprint config'"
            raise UsageError(f"{layer.name}: unknown setting {_shown(name, layer)}", hint=hint)
    try:
        Settings(**layer.values)
    except ValidationError as error:
        fault = error.errors()[0]
        name = _shown(str(fault["loc"][0]), layer)
        raise UsageError(f"{layer.name}: {name}: {_lower(fault['msg'])}") from error


def _shown(name: str, layer: Layer) -> str:
    """Return a setting's name as it is written in that layer."""
    if layer.name == "environment":
        return ENV_PREFIX + name.upper()
    return ("--" if layer.name == "command line" else "") + name.replace("_", "-")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or any(c in line for c in "\r\n\0"):
        raise UsageError("--header takes 'Name: value'")
    return name.strip(), value.strip()


def _style_sheet(path: str) -> str:
    if not path:
        return ""
    try:
        data = Path(path).expanduser().read_bytes()
    except OSError as error:
        raise UsageError(f"--css: {path} cannot be read: {error.strerror}") from error
    if len(data) > _MOST_CSS:
        raise UsageError(f"--css: {path} is too large for a style sheet")
    return data.decode("utf-8", "replace")
