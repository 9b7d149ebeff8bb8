"""HTML to PDF: WeasyPrint without network or files, its complaints collected."""

from __future__ import annotations

import logging
import re
import sys
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any

from ...errors import MissingLibrary, RenderError
from ...themes.assets import fetcher
from ..context import Document
from ..hanging import install as let_spaces_hang
from ..leaders import install as join_leaders
from ..pdf.grayscale import convert_to_grayscale
from ..pdf.line_numbers import number_lines
from ..pdf.provenance import AttachedFile, add_provenance
from ..spare import is_short
from ..spelled import spelled_out
from ..tops import install as begin_columns_at_the_top
from .figure_placement import place_figures
from .layout_text import LayoutText, read_layout_text
from .patches import install as balance_titles

MOST_WARNINGS = 20

#: A picture is scaled down again where it has more than so many times the pixels asked for.
CLOSE = 1.1

_LOGGER = "weasyprint"

_GLYPH = re.compile(r"\.notdef glyph rendered .*?\(U\+([0-9A-F]+)\)")


@dataclass(frozen=True, slots=True)
class RenderedPdf:
    """A PDF, how many pages it has, the number of the first, and what went less than well."""

    pdf: bytes = field(repr=False)
    pages: int
    warnings: tuple[str, ...] = ()
    layout: LayoutText = field(default_factory=LayoutText, repr=False)
    first_page: int = 1


#: The fonts that were read, for the prints of one thread: read anew for each they fill the memory.
_read = threading.local()
#: Fontconfig crashes now and then when two threads read the fonts at once.
_reading = threading.Lock()
_warmed = threading.Event()


def _fonts(document: Document) -> Any:
    """Return the fonts for a document: one that brings its own shares them with no other."""
    from weasyprint.text.fonts import FontConfiguration

    with _reading:
        if "@font-face" in document.html:
            return FontConfiguration()
        if not hasattr(_read, "fonts"):
            _read.fonts = FontConfiguration()
        return _read.fonts


#: Modules of which WeasyPrint uses only functions and classes that it calls.
_DEFERRED = ("fontTools.subset", "fontTools.varLib.instancer")


class _DeferredModule(ModuleType):
    """A stand-in for a module whose functions import it when they are called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*args, **kwargs)

        return call


def import_weasyprint() -> None:
    """Import WeasyPrint, with rarely used modules of fontTools deferred.

    Where HarfBuzz subsets fonts, WeasyPrint calls fontTools for variable fonts only, yet importing
    these modules is a quarter of importing WeasyPrint.  Not safe while other threads import.

    Raises:
        OSError: a system library is missing.
    """
    stand_ins = {name: _DeferredModule(name) for name in _DEFERRED if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        import weasyprint  # noqa: F401
    finally:
        for name in stand_ins:
            del sys.modules[name]


def load_fonts() -> None:
    """Load WeasyPrint and read the system's fonts, once.

    A missing library shows at :func:`to_pdf`.
    """
    try:
        from weasyprint.text.fonts import FontConfiguration
    except OSError:
        return
    with _reading:
        if not _warmed.is_set():
            _warmed.set()
            FontConfiguration()


def render_pdf(document: Document) -> RenderedPdf:
    """Print a document.

    Raises :class:`MissingLibrary` when Pango is not installed, :class:`RenderError` when
    WeasyPrint fails.  Pictures and glyphs that could not be drawn are warnings.
    """
    try:
        import weasyprint
        from weasyprint.urls import FatalURLFetchingError
    except OSError as error:
        raise MissingLibrary(
            f"WeasyPrint cannot load a system library: {_line(error)}",
            hint="On Debian or Ubuntu: apt install libpango-1.0-0 libpangoft2-1.0-0"
            " libharfbuzz-subset0 fonts-linuxlibertine fonts-noto-core",
        ) from error
    with _collected() as complaints:
        try:
            html = weasyprint.HTML(
                string=document.html, base_url=None, url_fetcher=fetcher(document.assets)
            )
            layout = _laid_out(html, document)
            with spelled_out():
                pdf = layout.write_pdf(
                    finisher=lambda laid_out, file: _finish(laid_out, file, document),
                    pdf_variant=f"pdf/{document.pdf_variant}",
                    pdf_tags=True,
                    attachments=[_attachment(each) for each in document.provenance.attachments],
                )
            if document.line_numbers:
                pdf = number_lines(pdf, layout.pages, document.line_numbers)
        except FatalURLFetchingError as error:
            raise RenderError(f"a part of the document could not be read: {error}") from error
        except RecursionError as error:
            raise RenderError("the document is nested too deeply to print") from error
        except Exception as error:
            raise RenderError(
                f"WeasyPrint could not print the document: {type(error).__name__}: {_line(error)}"
            ) from error
    warnings = (*document.warnings, *_summary(complaints))
    laid = read_layout_text(layout.pages)
    return RenderedPdf(pdf, len(layout.pages), warnings, laid, document.first_page)


def _laid_out(html: Any, document: Document) -> Any:
    """Lay out a document; again, with longer pages, where that spares a last page of little."""
    from weasyprint import CSS

    def lay_out(*sheets: Any) -> Any:
        place_figures(html)
        return html.render(
            font_config=_fonts(document),
            presentational_hints=True,
            dpi=round(document.dpi * CLOSE) or None,
            stylesheets=[*_numbered(document.first_page), *sheets],
        )

    balance_titles()
    let_spaces_hang()
    join_leaders()
    begin_columns_at_the_top()
    layout = lay_out()
    if document.extended_css and is_short(layout.pages):
        longer = lay_out(CSS(string=document.extended_css))
        if len(longer.pages) < len(layout.pages):
            return longer
    return layout


def _numbered(first: int) -> list[Any]:
    """Return the style sheet with which the first page has this number, and lies on its side."""
    from weasyprint import CSS

    if first == 1:
        return []
    # A page that resets the counter does not count it up as well.
    side = "recto" if first % 2 else "verso"
    return [
        CSS(
            string=f"html {{ break-before: {side} }} @page :first {{ counter-reset: page {first} }}"
        )
    ]


def _finish(layout: Any, pdf: Any, document: Document) -> None:
    from .tags import complete_tags

    complete_tags(layout, pdf)
    add_provenance(pdf, document.provenance.xmp)
    if document.grayscale:
        convert_to_grayscale(pdf)


def _attachment(attached: AttachedFile) -> Any:
    from weasyprint import Attachment

    when = attached.modified.astimezone(UTC)
    return Attachment(
        file_obj=BytesIO(attached.data),
        name=attached.name,
        description=attached.description,
        created=when,
        modified=when,
        relationship=attached.relationship,
    )


class _Collector(logging.Handler):
    """Keep what WeasyPrint says in one thread."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread and len(self.lines) < 10_000:
            self.lines.append(record.getMessage())


@contextmanager
def _collected() -> Iterator[list[str]]:
    """Collect WeasyPrint's log instead of letting it print."""
    logger = logging.getLogger(_LOGGER)
    collector = _Collector()
    before = logger.propagate
    logger.addHandler(collector)
    logger.propagate = False
    try:
        yield collector.lines
    finally:
        logger.removeHandler(collector)
        logger.propagate = before


def _summary(lines: list[str]) -> Iterator[str]:
    """Yield each complaint once, missing glyphs together, at most so many."""
    glyphs: dict[str, None] = {}
    others: dict[str, None] = {}
    for line in lines:
        match = _GLYPH.search(line)
        if match:
            glyphs[match[1]] = None
        else:
            others[_short(line)] = None
    yield from missing_glyphs(chr(int(code, 16)) for code in glyphs)
    yield from list(others)[:MOST_WARNINGS]
    if len(others) > MOST_WARNINGS:
        yield f"{len(others) - MOST_WARNINGS} more warnings from WeasyPrint"


def _line(error: Exception) -> str:
    return _short(str(error).partition("\n")[0])


def _short(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= 200 else line[:199] + "…"


#: So many letters of a script are named.
MOST_NAMED = 8

#: What a letter's name begins with when it says its kind and not its script.
_KINDS = frozenset({"COMBINING", "MODIFIER", "SUPERSCRIPT", "SUBSCRIPT", "VULGAR", "ROMAN"})

#: The first words of names of scripts that have more than one.
_OF_TWO = frozenset({
    "OLD", "LINEAR", "NEW", "TAI", "MEETEI", "PSALTER", "SYLOTI", "WARANG", "PAHAWH", "SORA",
    "MENDE", "CANADIAN", "IMPERIAL", "INSCRIPTIONAL", "ANATOLIAN", "EGYPTIAN", "MEROITIC",
    "CAUCASIAN", "MASARAM", "GUNJALA", "NYIAKENG", "ZANABAZAR", "KHITAN", "CYPRO", "CJK", "OL",
})  # fmt: skip


def missing_glyphs(signs: Iterable[str]) -> Iterator[str]:
    """Yield a warning for each script that letters are missing of, each letter named once."""
    scripts: dict[str, list[str]] = {}
    for sign in dict.fromkeys(signs):
        scripts.setdefault(script(sign), []).append(_told(sign))
    for name, letters in scripts.items():
        more = f" and {len(letters) - MOST_NAMED} more" if len(letters) > MOST_NAMED else ""
        yield f"no installed font has, of {name}: {', '.join(letters[:MOST_NAMED])}{more}"


def script(sign: str) -> str:
    """Return the script that a letter's name in Unicode says, 'signs' for what belongs to none."""
    kind = unicodedata.category(sign)
    if kind == "Co":
        return "private use"
    words = unicodedata.name(sign, "").replace("-", " ").split()
    if not words:
        return "unnamed"
    if kind[0] not in "LMN" or words[0] in _KINDS:
        return "signs"
    name = " ".join(words[: 2 if words[0] in _OF_TWO else 1])
    return "CJK" if words[0] == "CJK" else name.title()


def _told(sign: str) -> str:
    code = f"U+{ord(sign):04X}"
    name = unicodedata.name(sign, "")
    shown = "" if unicodedata.category(sign) in ("Co", "Cn", "Cc", "Cf") else f"{sign} "
    return f"{shown}{name} ({code})" if name else f"{shown}{code}"
