"""HTML to PDF by WeasyPrint, without access to network or files, and with warnings collected.

cffi would parse WeasyPrint's C declarations anew in each process: ``declarations.json``, written by
``scripts/weasyprint_declarations.py``, has what it finds.  Line numbers, which CSS lacks, are drawn
over the pages as artifacts.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import threading
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import _cffi_backend

from ...errors import MissingLibrary, RenderError
from ...output import PrintedContent
from ...text import quantity, truncate
from ...themes.loader import Assets
from ..completeness import read_printed_content
from ..context import Document
from ..pdf.grayscale import convert_to_grayscale
from ..pdf.provenance import AttachedFile, add_provenance
from . import figure_placement
from .box_tree import Box, has_class, is_figure, lowest_edge, measure_gap
from .figure_placement import MIN_LAST_LINES
from .footnotes import count_misplaced
from .hyphenation import prepare_hyphenation
from .patches import collected_warnings, patched

if TYPE_CHECKING:
    from weasyprint.urls import URLFetcher


@dataclass(frozen=True, slots=True)
class RenderedPdf:
    """A PDF with its number of pages, the number of its first page, its layout and warnings."""

    pdf: bytes = field(repr=False)
    pages: int
    warnings: tuple[str, ...] = ()
    layout: PrintedContent = field(default_factory=PrintedContent, repr=False)
    first_page: int = 1


# A missing font configuration is reported as an error instead.
warnings.filterwarnings("ignore", r"No fonts configured|FontConfig cannot", UserWarning)

_INSTALL = "On Debian or Ubuntu: apt-get install {}; 'webprint doctor' checks this machine"


def render_pdf(document: Document) -> RenderedPdf:
    """Render a document; pictures and glyphs that cannot be drawn become warnings.

    Raise :class:`MissingLibrary` without Pango or any font, or :class:`RenderError`.
    """
    try:
        import weasyprint
        from weasyprint.urls import FatalURLFetchingError
    except OSError as error:
        raise MissingLibrary(
            f"WeasyPrint cannot load a system library: {_first_line(error)}",
            hint=_INSTALL.format(
                "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 fonts-linuxlibertine"
                " fonts-noto-core"
            ),
        ) from error
    if not load_fonts():
        raise MissingLibrary(
            "no fonts are installed",
            hint=_INSTALL.format("fonts-linuxlibertine fonts-dejavu-core fonts-noto-core"),
        )
    with collected_warnings() as messages:
        try:
            html = weasyprint.HTML(
                string=document.html, base_url=None, url_fetcher=asset_fetcher(document.assets)
            )
            with patched():
                layout = lay_out_document(html, document)
                pdf = layout.write_pdf(
                    finisher=lambda layout, pdf: _finish(layout, pdf, document),
                    pdf_variant=f"pdf/{document.pdf_variant}",
                    pdf_tags=True,
                    attachments=[_attachment(file) for file in document.provenance.attachments],
                )
            if document.line_numbers:
                pdf = number_lines(pdf, layout.pages, document.line_numbers)
        except FatalURLFetchingError as error:
            raise RenderError(f"a part of the document could not be read: {error}") from error
        except RecursionError as error:
            raise RenderError("the document is nested too deeply to print") from error
        except MemoryError as error:
            raise RenderError("the document takes too much memory") from error
        except Exception as error:
            reason = f"{type(error).__name__}: {_first_line(error)}"
            raise RenderError(f"WeasyPrint could not print the document: {reason}") from error
    warnings = [*document.warnings, *_summarize(messages)]
    if misplaced := count_misplaced(layout.pages):
        warnings.append(f"{quantity(misplaced, 'footnote')} not on the page of the reference mark")
    return RenderedPdf(
        pdf,
        len(layout.pages),
        tuple(warnings),
        read_printed_content(layout.pages),
        document.first_page,
    )


#: A picture with more than this many times the requested resolution is scaled down.
DPI_TOLERANCE = 1.1


def lay_out_document(html: Any, document: Document) -> Any:
    """Lay out a document, and again with longer pages to avoid a nearly empty last page.

    Pages gain a line at head and foot and tighter leading; as a last resort, type gets smaller.  A
    last page that remains gets at least :data:`MIN_LAST_LINES` lines.  Documents of more pages than
    :data:`MAX_LAST_PAGE_SHARES` names are laid out once.
    """
    from weasyprint import CSS

    def lay_out(*stylesheets: Any, unbroken_page: int = -1) -> Any:
        figure_placement.enable(html, unbroken_page=unbroken_page)
        return html.render(
            font_config=_font_configuration(document),
            presentational_hints=True,
            dpi=round(document.dpi * DPI_TOLERANCE) or None,
            stylesheets=[*first_page, *stylesheets],
        )

    number = document.first_page
    # A page that resets the counter does not also increment it.
    side = "recto" if number % 2 else "verso"
    css = f"html {{ break-before: {side} }} @page :first {{ counter-reset: page {number} }}"
    first_page = [CSS(string=css)] if number != 1 else []
    layout = lay_out()
    if document.extended_styles and (share := _needed_share(layout.pages)):
        for stylesheet, gain in document.extended_styles:
            if share > gain * (len(layout.pages) - 1):
                continue
            longer_layout = lay_out(CSS(string=stylesheet))
            if len(longer_layout.pages) < len(layout.pages):
                return longer_layout
    if css := _last_page_css(layout.pages):
        balanced = lay_out(CSS(string=css), unbroken_page=len(layout.pages) - 2)
        if _is_better_filled(balanced.pages, len(layout.pages)):
            return balanced
    return layout


#: A document of at most this many pages is laid out again with longer pages if its text and source
#: fill less than this share of its last page.
MAX_LAST_PAGE_SHARES = ((12, 0.26), (30, 0.2), (60, 0.12))
#: The page counts of the documents that may be laid out a second time.
_SECOND_LAYOUT_PAGES = range(2, MAX_LAST_PAGE_SHARES[-1][0] + 1)


def _needed_share(pages: list[Any]) -> float:
    """Return the share of a page that earlier pages must absorb to save the last; 0 keeps it."""
    if len(pages) not in _SECOND_LAYOUT_PAGES:
        return 0.0
    max_share = next(share for count, share in MAX_LAST_PAGE_SHARES if len(pages) <= count)
    page = pages[-1]._page_box
    used = lowest_edge(page.children[0]) - page.content_box_y()
    if used >= max_share * page.height and not _is_picture_alone(page):
        return 0.0
    gap = max(0.0, measure_gap(pages[-2]._page_box))
    return float(max(used - gap, 1.0) / page.height)


def _is_picture_alone(page: Box) -> bool:
    """Return whether a page holds a single figure or row of figures, and at most the source."""
    bodies = (
        box for box in page.descendants() if box.element_tag == "div" and has_class(box, "body")
    )
    blocks = [box for body in bodies for box in body.children if not has_class(box, "colophon")]
    return len(blocks) == 1 and is_figure(blocks[0])


def _last_page_css(pages: list[Any]) -> str:
    """Return CSS that shortens the page before a last page with too few lines, or ''."""
    heights = _line_heights(pages[-1])
    if len(pages) not in _SECOND_LAYOUT_PAGES or not 0 < len(heights) < MIN_LAST_LINES:
        return ""
    gap = max(0.0, measure_gap(pages[-2]._page_box))
    height = gap + (MIN_LAST_LINES - len(heights) - 0.5) * max(heights.values())
    return f"@page :nth({len(pages) - 1}) {{ padding-bottom: {height:.2f}px !important }}"


#: Lines of the page before the last are moved to it unless that leaves a larger hole there.
MAX_LAST_HOLE_SHARE = 0.15


def _is_better_filled(pages: list[Any], count: int) -> bool:
    """Return whether there are still ``count`` pages, the last two of which are well filled."""
    if len(pages) != count or 0 < len(_line_heights(pages[-1])) < MIN_LAST_LINES:
        return False
    page = pages[-2]._page_box
    hole = measure_gap(page) + page.padding_bottom
    return bool(hole <= MAX_LAST_HOLE_SHARE * (page.height + page.padding_bottom))


def _line_heights(page: Any) -> dict[int, float]:
    """Return the heights of the lines on a page by position; none if it holds a picture."""
    root = page._page_box.children[0]
    if any(type(box).__name__.endswith("ReplacedBox") for box in root.descendants()):
        return {}
    imprint = {
        line for box in root.descendants() if has_class(box, "colophon")
        for line in box.descendants()
    }  # fmt: skip
    return {
        round(box.position_y): box.height
        for box in root.descendants()
        if type(box).__name__ == "LineBox" and box.width and box not in imprint
    }


def _finish(layout: Any, pdf: Any, document: Document) -> None:
    from .tags import complete_tags

    complete_tags(layout, pdf)
    add_provenance(pdf, document.provenance.xmp)
    if document.grayscale:
        convert_to_grayscale(pdf)


def _attachment(file: AttachedFile) -> Any:
    from weasyprint import Attachment

    modified = file.modified.astimezone(UTC)
    return Attachment(
        file_obj=BytesIO(file.data),
        name=file.name,
        description=file.description,
        created=modified,
        modified=modified,
        relationship=file.relationship,
    )


#: Prefixes of the URLs of pictures inside a prepared SVG, which webprint encoded and are small.
_INLINE_PICTURES = ("data:image/png;base64,", "data:image/jpeg;base64,")


def asset_fetcher(assets: Assets) -> URLFetcher:
    """Return a fetcher that serves assets from memory and refuses every other URL."""
    from weasyprint.urls import URLFetcher, URLFetcherResponse

    class AssetFetcher(URLFetcher):  # type: ignore[misc]
        """Serves assets from memory; opens nothing."""

        def __init__(self) -> None:
            # Omits the handlers for http, ftp, file and data that the parent class would create.
            self._fail_on_errors = False

        def fetch(self, url: str, headers: Mapping[str, str] | None = None) -> URLFetcherResponse:
            del headers
            asset = assets.by_url.get(url)
            if asset is not None:
                content_type = {"Content-Type": asset.media_type}
                return URLFetcherResponse(url, asset.data, content_type)
            for prefix in _INLINE_PICTURES:
                if url.startswith(prefix):
                    content_type = {"Content-Type": prefix[5:-8]}
                    data = base64.b64decode(url[len(prefix) :], validate=True)
                    return URLFetcherResponse(url, data, content_type)
            raise ValueError(f"not a part of the document: {url[:80]}")

        def open(self, url: object, data: object = None, timeout: object = None) -> object:
            del data, timeout
            return self.fetch(str(getattr(url, "full_url", url)))

    return AssetFetcher()


class _DeferredModule(ModuleType):
    """A placeholder for a module, which is imported when one of its functions is called."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            return getattr(import_module(self.__name__), name)(*args, **kwargs)

        return call


#: Modules from which WeasyPrint uses only functions and classes that it calls.
_DEFERRED = ("fontTools.subset", "fontTools.varLib.instancer")


def import_weasyprint() -> None:
    """Import WeasyPrint without modules that take half of the time and are rarely needed.

    If HarfBuzz subsets fonts, WeasyPrint calls fontTools for variable fonts only.  Its C
    declarations are compiled already; without them, cffi also starts some forty processes to look
    for libraries by the names that they have on other systems.  Not safe while other threads
    import.  Raise OSError if a system library is missing.
    """
    stand_ins: dict[str, ModuleType] = {
        name: _DeferredModule(name) for name in _DEFERRED if name not in sys.modules
    }
    if sys.platform == "linux":
        stand_ins["cffi"] = ModuleType("cffi")
        stand_ins["cffi"].FFI = CompiledFFI  # type: ignore[attr-defined]
    try:
        with _stand_ins(stand_ins):
            import weasyprint
    except StaleDeclarations:
        import weasyprint  # noqa: F401
    prepare_hyphenation()


@contextmanager
def _stand_ins(modules: dict[str, ModuleType]) -> Iterator[None]:
    originals = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, original in originals.items():
            del sys.modules[name]
            if original is not None:
                sys.modules[name] = original


#: The fonts of a thread, shared by its documents to save memory.
_shared = threading.local()
#: Fontconfig may crash when two threads read the fonts at once.
_fonts_lock = threading.Lock()


def _font_configuration(document: Document) -> Any:
    """Return the fonts for a document, not shared if it has fonts of its own."""
    from weasyprint.text.fonts import FontConfiguration

    with _fonts_lock:
        if "@font-face" in document.html:
            return FontConfiguration()
        if not hasattr(_shared, "fonts"):
            _shared.fonts = FontConfiguration()
        return _shared.fonts


_families: frozenset[str] | None = None


def load_fonts() -> frozenset[str]:
    """Load WeasyPrint and the fonts once; return the families, none if a library is missing."""
    global _families
    try:
        import_weasyprint()
        from weasyprint.text.ffi import ffi, fontconfig
        from weasyprint.text.fonts import FontConfiguration  # noqa: F401 - loads all of Pango
    except OSError:
        return frozenset()
    with _fonts_lock:
        if _families is None:
            config = fontconfig.FcInitLoadConfigAndFonts()
            fonts = fontconfig.FcConfigGetFonts(config, fontconfig.FcSetSystem)
            name = ffi.new("FcChar8 **")
            names = set()
            for pattern in () if fonts == ffi.NULL else fonts.fonts[0 : fonts.nfont]:
                n = 0
                while fontconfig.FcPatternGetString(pattern, b"family", n, name) == 0:
                    names.add(ffi.string(name[0]).decode("utf-8", "replace"))
                    n += 1
            fontconfig.FcConfigDestroy(config)
            _families = frozenset(names)
    return _families


MAX_WARNINGS = 20
_BROKEN_DRAWING = "Failed to render SVG image"
_MISSING_GLYPH = re.compile(r"\.notdef glyph rendered .*?\(U\+([0-9A-F]+)\)")


def _summarize(messages: list[str]) -> Iterator[str]:
    """Yield each warning once: missing glyphs, and at most ``MAX_WARNINGS`` others."""
    characters: dict[str, None] = {}
    warnings: dict[str, None] = {}
    for message in messages:
        if match := _MISSING_GLYPH.search(message):
            characters[chr(int(match[1], 16))] = None
        elif message.startswith(_BROKEN_DRAWING):  # with an address that only webprint knows
            warnings["an SVG drawing is invalid and may be incomplete"] = None
        else:
            warnings[truncate(" ".join(message.split()), 200)] = None
    yield from missing_glyphs(characters)
    yield from list(warnings)[:MAX_WARNINGS]
    if len(warnings) > MAX_WARNINGS:
        yield f"{len(warnings) - MAX_WARNINGS} more warnings from WeasyPrint"


#: The most characters quoted in a warning.
MAX_NAMED_CHARACTERS = 8


def missing_glyphs(characters: Iterable[str]) -> Iterator[str]:
    """Yield a warning with the names of characters that no font has."""
    names = list(map(_describe, dict.fromkeys(characters)))
    unnamed = len(names) - MAX_NAMED_CHARACTERS
    suffix = f" and {unnamed} more" if unnamed > 0 else ""
    if names:
        yield f"no installed font has {', '.join(names[:MAX_NAMED_CHARACTERS])}{suffix}"


def _describe(character: str) -> str:
    code = f"U+{ord(character):04X}"
    name = unicodedata.name(character, "")
    is_visible = unicodedata.category(character) not in ("Co", "Cn", "Cc", "Cf")
    return (f"{character} " if is_visible else "") + (f"{name} ({code})" if name else code)


def _first_line(error: Exception) -> str:
    """Return the first line of a message, cut at 200 characters."""
    return truncate(" ".join(str(error).partition("\n")[0].split()), 200)


class StaleDeclarations(Exception):
    """The compiled declarations are not those of the installed WeasyPrint."""


DECLARATIONS = Path(__file__).with_name("declarations.json")


class CompiledFFI(_cffi_backend.FFI):  # type: ignore[misc]
    """A foreign function interface with the compiled declarations."""

    def __init__(self) -> None:
        data = json.loads(DECLARATIONS.read_bytes())
        super().__init__("weasyprint", **decode_arguments(data["arguments"]))
        self.source: str = data["source"]

    def dlopen(self, name: str, flags: int = 0) -> Any:
        """Load a library that is never unloaded: Python may free its objects later, at exit."""
        return super().dlopen(name, flags | os.RTLD_NOW | os.RTLD_NODELETE)

    def cdef(self, source: str) -> None:
        """Raise :class:`StaleDeclarations` unless the compiled declarations have this source."""
        if hash_declarations(source) != self.source:
            raise StaleDeclarations


def hash_declarations(source: str) -> str:
    return sha256(source.encode()).hexdigest()


def decode_arguments(value: Any) -> Any:
    """Return the arguments of cffi from values of JSON, where bytes are text and tuples lists."""
    if isinstance(value, str):
        return value.encode("latin-1")
    if isinstance(value, dict):
        return {key: decode_arguments(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(decode_arguments(item) for item in value)
    return value


_CSS = """
@page {{ size: {width}px {height}px; margin: 0 }}
body {{ margin: 0 }}
div {{ position: relative; height: {height}px; break-after: page }}
div:last-child {{ break-after: auto }}
span {{ position: absolute; left: 0; text-align: right; color: #595959;
  font: 8pt "Linux Libertine O", "Noto Serif", serif; font-variant-numeric: lining-nums }}
"""
DISTANCE_PX = 16


def number_lines(pdf: bytes, pages: list[Any], interval: int) -> bytes:
    """Return a PDF with every ``interval``-th line numbered."""
    import pikepdf
    import weasyprint

    boxes = [page._page_box for page in pages]
    css = _CSS.format(width=boxes[0].margin_width(), height=boxes[0].margin_height())
    divs = "".join(f"<div>{''.join(spans)}</div>" for spans in _number_spans(boxes, interval))
    overlay_pdf = weasyprint.HTML(string=f"<style>{css}</style>{divs}").write_pdf()
    with pikepdf.open(BytesIO(pdf)) as document, pikepdf.open(BytesIO(overlay_pdf)) as overlays:
        pairs = zip(document.pages, overlays.pages, strict=True)
        for index, (page, overlay) in enumerate(pairs):
            if page.mediabox[3] != overlay.mediabox[3]:
                continue  # A rotated page has a table.
            # Pages may share their resources, so each overlay needs its own name.
            name = pikepdf.Name(f"/LineNumbers{index}")
            form = document.copy_foreign(overlay.as_form_xobject())
            page.add_resource(form, pikepdf.Name.XObject, name)
            page.contents_add(b"q", prepend=True)
            page.contents_add(f"Q /Artifact BMC q {name} Do Q EMC".encode())
        target = BytesIO()
        document.save(target, deterministic_id=True)
        return target.getvalue()


#: Elements whose lines are not numbered.
UNNUMBERED = ("figure", "table", "pre", "aside", "header", "nav")


def _number_spans(pages: list[Box], interval: int) -> Iterator[list[str]]:
    """Yield the numbers of each page as HTML."""
    count = 0
    for page in pages:
        spans = []
        # Adjacent cells, or a list marker and its text, are one line.
        tops: set[int] = set()
        for line in _iter_lines(page.children[0]):
            top = round(line.position_y)
            if top in tops or not line.width:
                continue
            tops.add(top)
            count += 1
            if count % interval == 0:
                width = page.content_box_x() - DISTANCE_PX
                style = f"top: {line.position_y:.2f}px; width: {width:.2f}px"
                style += f"; line-height: {line.height:.2f}px"
                spans.append(f'<span style="{style}">{count}</span>')
        yield spans


def _iter_lines(box: Box) -> Iterator[Box]:
    """Yield the lines of running text from top to bottom."""
    from weasyprint.formatting_structure.boxes import LineBox

    for child in box.children:
        child = getattr(child, "_box", child)
        if isinstance(child, LineBox):
            yield child
        elif child.element_tag not in UNNUMBERED and getattr(child, "children", None):
            yield from _iter_lines(child)
