"""Checks of a call before anything is fetched: pages, output, options without effect."""

from __future__ import annotations

import os
import string
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ..article import Article
from ..errors import BadURL, OutputError, UsageError
from ..options import ENDINGS, FORMATS_WITH_PICTURES, Format
from ..settings import LoadedSettings, Settings
from ..text import file_name
from ..urls import host_of, is_http, normalize_url, split_credentials
from . import output
from .commands import COMMANDS
from .help import suggest

#: The fields of a file name, as in '{site}/{date} {title}.pdf'.
_FIELDS: dict[str, Callable[[Article], str]] = {
    "title": lambda article: article.title,
    "site": lambda article: article.site or host_of(article.url),
    "host": lambda article: host_of(article.url),
    "author": lambda article: article.byline,
    "date": lambda article: article.published[:10] or date.today().isoformat(),
}

#: The settings that lay out pages, and so do nothing for other formats than PDF.
_LAYOUT = (
    "paper", "margin", "theme", "font_size", "set", "css", "fit", "booklet", "nup", "landscape",
    "duplex", "ink_save", "links", "qr", "pdf", "print_timeout",
)  # fmt: skip

#: The settings that do something only for a page with an address.
_FOR_WEB = ("render", "follow", "header", "user", "storage_state")


def list_pages(
    pages: Sequence[str], lists: Sequence[str] = (), command: str = "webprint"
) -> list[str]:
    """Return the pages of a call, with those in the files of ``@FILE`` arguments and ``lists``."""
    names: list[str] = []
    for page in pages:
        names += _read_list(page[1:]) if page.startswith("@") and page[1:] else [page]
    for file in lists:
        names += _read_list(file)
    if not names:
        raise UsageError("no page is named", hint=f"See {command} --help")
    return names


def _read_list(file: str) -> list[str]:
    from ..batch import read_list

    names = [line for _, line in read_list(output.read_input(file))]
    if not names:
        raise UsageError(f"{file} contains no address", hint="It has one address per line")
    return names


def check_pages(names: Sequence[str], url: str = "") -> None:
    """Raise an error for a page that cannot be read, or an address that does not go with it.

    Raises:
        BadURL: a page is neither an address nor a file.
        UsageError: the first page is a mistyped command, or ``--url`` has nothing to do.
    """
    for position, name in enumerate(names):
        is_word = not position and name.isalpha() and not _exists(Path(name))
        if is_word and (hint := suggest(name, COMMANDS)):
            raise UsageError(f"there is no file or command {name!r}", hint=hint)
        if name != output.STDOUT:
            _check_page(name)
    if list(names).count(output.STDOUT) > 1:
        raise UsageError("standard input can be read only once", hint="Name - once")
    if url:
        if any(is_http(name) or name.startswith("file:") for name in names):
            raise UsageError("--url goes with a local file or standard input, not with an address")
        if len(names) > 1:
            raise UsageError("--url is the address of one page", hint="Print the pages one by one")
        normalize_url(url)


def _check_page(name: str) -> None:
    if not name.strip():
        raise UsageError("an address is empty", hint="Name a page, as in webprint URL")
    path = Path(name)
    if "://" not in name and _exists(path):
        if path.is_dir():
            raise BadURL(f"{name} is a folder", hint="Name the page in it")
    elif name.startswith("file:"):
        from ..fetch.files import path_of_file_url

        if not _exists(path_of_file_url(name)):
            raise BadURL("there is no such file", url=name, hint="Check its name")
    else:
        check_address(name)


def check_address(name: str) -> None:
    """Raise :class:`BadURL` for anything but the address of a web page."""
    normalize_url(split_credentials(name)[0])


def check_file(out: str) -> None:
    """Raise :class:`OutputError` if a file cannot be written because of its folder."""
    path = Path(out)
    if out != output.STDOUT and not path.parent.is_dir():
        raise OutputError(
            f"{out} cannot be written: no such file or directory",
            hint=f"There is no folder {path.parent}",
        )
    if out != output.STDOUT and not os.access(path if path.exists() else path.parent, os.W_OK):
        raise OutputError(f"{out} cannot be written: permission denied", hint="Name another file")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a path
        return False


def split_output(arguments: Sequence[str], out: str) -> tuple[list[str], str]:
    """Split off the output, a last argument that names a file to write or a folder."""
    *pages, last = arguments or [""]
    if not pages or "://" in last or last.startswith("@") or last == output.STDOUT:
        return [*arguments], out
    is_output = output.is_output_file(last) or last.endswith("/") or Path(last).is_dir()
    if not is_output and not (output.is_unsupported_file(last) and not Path(last).exists()):
        return [*arguments], out
    if out:
        raise UsageError(
            f"the output is named twice: {out} and {last}", hint="Leave one of them out"
        )
    return pages, last


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go: a file, standard output, a template, or files named after their titles.

    Without a file and a template, ``folder`` holds the results.  ``bundle`` means that all pages go
    to one file; ``force`` overwrites files whose names were not given.
    """

    file: str = ""
    folder: Path = Path()
    template: str = ""
    bundle: bool = False
    force: bool = False

    @classmethod
    def parse(cls, out: str, bundle: str, *, pages: int, named: str, force: bool = False) -> Target:
        """Return the target of a call; ``named`` is the format it asks for, 'auto' for none.

        Raises:
            UsageError: the output is not one that can be written, or does not suit the pages.
            OutputError: its folder does not exist.
        """
        if bundle and out:
            raise UsageError(
                f"--bundle {bundle} and {out} are two outputs",
                hint="Use --bundle FILE for one file, or -o FOLDER for a file each",
            )
        name = bundle or out
        if not name or name == output.STDOUT:
            if pages > 1 and out:
                raise UsageError("several pages need -o FOLDER, or --bundle FILE for one file")
            return cls(file=name, bundle=bool(bundle), force=force)
        path = Path(name)
        if name.endswith("/") or path.is_dir():
            if bundle:
                raise UsageError(f"{name} is a folder", hint="--bundle takes a file: --bundle FILE")
            if path.exists() and not path.is_dir():
                raise UsageError(f"{name} is a file, not a folder", hint="Leave out the slash")
            return cls(folder=path, force=force)
        _check_ending(name, named)
        if "{" in name:
            if bundle:
                raise UsageError("--bundle takes a plain file name", hint="Leave out the braces")
            _check_template(name)
            return cls(template=name, force=force)
        if pages > 1 and not bundle:
            raise UsageError("several pages need -o FOLDER, or --bundle FILE for one file")
        check_file(name)
        return cls(file=name, bundle=bool(bundle), force=force)

    @property
    def name(self) -> str:
        """The name that was given for the output, whose ending tells the format."""
        return self.file or self.template

    def path(self, article: Article, ending: str) -> Path:
        """Return the path of an article's file, which does not exist or may be overwritten."""
        if self.file:
            return Path(self.file)
        if not self.template:
            name = file_name(article.title)
            return output.free_path(self.folder, name, ending, force=self.force)
        values = {name: file_name(field(article), "unknown") for name, field in _FIELDS.items()}
        path = Path(self.template.format_map(values))
        return output.free_path(path.parent, path.stem, path.suffix, force=self.force)

    def describe(self, ending: str) -> str:
        """Return the path in words, before the article is known."""
        if self.file == output.STDOUT:
            return output.STDOUT_NAME
        if self.file:
            exists = Path(self.file).exists()
            return f"{self.file}{' (overwrites the file)' if exists else ''}"
        return self.template or str(self.folder / f"TITLE{ending}")

    def write(self, data: bytes, article: Article, ending: str) -> str:
        """Write a result and return where."""
        if self.file == output.STDOUT:
            output.write_stdout(data)
            return output.STDOUT_NAME
        path = self.path(article, ending)
        if not self.file:
            output.make_folder(path.parent)
        output.write(path, data)
        return str(path)


def _check_ending(name: str, named: str) -> None:
    """Raise :class:`UsageError` for a file name that does not tell its format, or a wrong one."""
    path = Path(name)
    known = [form for form, endings in ENDINGS.items() if name.lower().endswith(endings)]
    if known and named not in ("auto", known[0]):
        raise UsageError(
            f"{name} and --format {named} do not agree",
            hint=f"End the name in {ENDINGS[_format(named)][0]}, or leave out --format",
        )
    if known or (path.exists() and not path.is_file()):  # a pipe or a device
        return
    if named == "auto":
        kind = f"{path.suffix} files" if path.suffix else "a file without an ending"
        hint = "webprint writes .pdf, .epub, .html, .md and .json"
        if not path.suffix:
            hint = f"Name {name}.pdf, or the folder {name}/"
        raise UsageError(f"cannot write {kind}: {name}", hint=hint)


def _format(name: str) -> Format:
    return next(form for form in ENDINGS if form == name)


def _check_template(template: str) -> None:
    known = ", ".join(f"{{{name}}}" for name in _FIELDS)
    try:
        fields = [(name, spec, conv) for _, name, spec, conv in string.Formatter().parse(template)]
    except ValueError as error:
        raise UsageError(f"{template} has a brace too many", hint=f"Use {known}") from error
    for name, spec, conversion in fields:
        if name is not None and (name not in _FIELDS or spec or conversion):
            hint = suggest(name, _FIELDS) or f"Use {known}"
            raise UsageError(f"{template}: there is no {{{name}}} for file names", hint=hint)


def check_print(
    loaded: LoadedSettings, names: Sequence[str], form: Format, *, bundle: bool, url: str
) -> None:
    """Raise :class:`UsageError` for an option of the call that would have no effect."""
    typed = {name for name, origin in loaded.origins.items() if origin == "command line"}
    if "title" in typed and not (bundle and len(names) > 1):
        raise UsageError(
            "--title makes a cover for several pages in one file", hint="Add --bundle FILE"
        )
    local = not url and not any(name != output.STDOUT and not _exists(Path(name)) for name in names)
    if local and (name := _first(_FOR_WEB, typed)):
        raise UsageError(
            f"{_option(name, loaded.settings)} does nothing for a file on this computer",
            hint="Leave it out, or name the page's address",
        )
    if form != "pdf" and (name := _first(_LAYOUT, typed)):
        hint = "Leave it out, or write a PDF"
        raise UsageError(f"{_option(name)} does nothing for {_title(form)}", hint=hint)
    if form not in FORMATS_WITH_PICTURES and (name := _first(("dpi", "grayscale"), typed)):
        hint = "Leave it out, or write PDF, EPUB or HTML"
        raise UsageError(
            f"{_option(name)} does nothing for {_title(form)}, which has no pictures", hint=hint
        )


def check_settings(loaded: LoadedSettings) -> None:
    """Raise :class:`UsageError` for settings of a call that contradict or need each other."""
    settings = loaded.settings
    typed = {name for name, origin in loaded.origins.items() if origin == "command line"}
    if {"verbose", "quiet"} <= typed:
        raise UsageError("--verbose and --quiet contradict each other", hint="Leave one out")
    if {"rules", "no_rules"} <= typed:
        raise UsageError("--rules and --no-rules contradict each other", hint="Leave one out")
    needs_key = _first(("key_query", "key_paragraphs_as"), typed)
    if needs_key and not settings.key_paragraphs:
        raise UsageError(
            f"{_option(needs_key)} needs the number of paragraphs", hint="Add --key-paragraphs 3"
        )
    if "ner" in typed and settings.image_method != "joshi-liu":
        from ..images.papers.ner import check_recogniser

        check_recogniser(settings.ner)
        raise UsageError("--ner needs a method that uses it", hint="Add --image-method joshi-liu")
    if "user" in typed and not settings.user.partition(":")[1]:
        raise UsageError("--user takes NAME:PASSWORD", hint="As in --user ann:secret")
    for name in {"css", "cookies"} & typed:
        value = str(getattr(settings, name))
        if not _exists(Path(value).expanduser()):
            raise UsageError(f"{_option(name)}: there is no file {value}", hint="Check its name")
    if "extractor" in typed:
        from ..extraction.extract import check_extractor

        check_extractor(settings.extractor)
    if "image_method" in typed:
        from ..images.methods import check_method

        check_method(settings.image_method)


def _first(names: Collection[str], typed: Collection[str]) -> str:
    return next((name for name in names if name in typed), "")


def _option(name: str, settings: Settings | None = None) -> str:
    flag = f"--{name.replace('_', '-')}"
    if settings and name == "render":
        return f"{flag} {settings.render}"
    return "--no-follow" if settings and name == "follow" and not settings.follow else flag


def _title(form: Format) -> str:
    return output.FORMAT_NAMES[form]
