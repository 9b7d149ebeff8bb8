"""Helpers of the hostile tests: build a page around an attack, print it and check the PDF."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any, TypeVar

import pikepdf
import pypdfium2

from printer import Capture, ExtractOptions, FetchOptions, ImageOptions, Printer, PrintOptions
from printer.capture import PageSource
from printer.errors import WebprintError
from printer.options import Options
from printer.output import Result
from printer.render.worker_pool import RenderPool
from printer.session import Session

Outcome = TypeVar("Outcome")

#: The text of the article, so that there is something to print.
STORY = "".join(
    f"<p>The {day} of the walk led along the river, past the mill and the old bridge, and the"
    " children counted herons, boats and the arches of the railway until it grew dark.</p>"
    for day in ("first day", "second day", "third day", "fourth day", "fifth day", "last day")
)


def batched(attacks: Iterable[str], size: int) -> list[tuple[str, ...]]:
    """Return attacks in groups; one page is printed per group."""
    names = list(attacks)
    return [tuple(names[start : start + size]) for start in range(0, len(names), size)]


def hostile_page(attack: str = "", *, head: str = "", title: str = "A walk along the river") -> str:
    """Return a page with an article around an attack."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f"</head><body><article><h1>{title}</h1>{STORY}{attack}{STORY}</article></body></html>"
    )


def capture_of(
    html: str | bytes, url: str = "https://reader.test/story", **details: Any
) -> Capture:
    """Return a page as if it had been fetched."""
    body = html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html
    return Capture(body, PageSource(url=url, requested_url=url, media_type="text/html", **details))


def print_page(
    source: str | bytes | Capture,
    *,
    fetch: FetchOptions | None = None,
    extract: ExtractOptions | None = None,
    pictures: ImageOptions | None = None,
    named: tuple[str, ...] = (),
    limit: float = 60.0,
    **options: Any,
) -> Result:
    """Print a page; ``source`` is HTML, an address or a capture.

    The rendering process has the same limits of memory and time as this one, and ``limit`` seconds
    of elapsed time.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and not source.startswith("http")):
        source = capture_of(source)
    chosen = Options(
        fetch=fetch or FetchOptions(render="never", cache=False, timeout=8, retries=0),
        extract=extract or ExtractOptions(),
        images=pictures or ImageOptions(timeout=8),
        page=PrintOptions(**options),
    )
    with (
        RenderPool(limit) as press,
        Printer(chosen, Session(chosen.fetch, chosen.images, user_urls=named), press) as printer,
    ):
        return printer.print_pages([source])


def result_or_error(act: Callable[[], Outcome]) -> Outcome | WebprintError:
    """Return the result of an attack, or the one-line error that users see."""
    try:
        return act()
    except WebprintError as error:
        message = str(error)
        assert message.strip(), "an error says something"
        assert len(message) < 2000, f"an error is a line, not {len(message)} characters"
        assert "Traceback" not in message
        return error


#: The PDF actions that run, open or send something.
_ACTIVE = ("/JavaScript", "/JS", "/Launch", "/SubmitForm", "/ImportData", "/GoToR", "/GoToE",
           "/RichMedia", "/Movie", "/Sound", "/OpenAction", "/AA", "/XFA")  # fmt: skip


def check_pdf(result: Result | WebprintError, *, attached: bool = False) -> str:
    """Check that a PDF opens and has no active content and no foreign file; return its text."""
    if isinstance(result, WebprintError):
        raise AssertionError(f"it was not printed: {result}") from result
    assert result.format == "pdf"
    assert 0 < result.pages < 2000
    with pikepdf.open(BytesIO(result.data)) as pdf:
        for item in pdf.objects:
            if not isinstance(item, pikepdf.Dictionary | pikepdf.Stream):
                continue
            active = [name for name in _ACTIVE if name in item]
            assert not active, f"the PDF holds {active}"
            assert item.get("/S") not in [pikepdf.Name(name) for name in _ACTIVE], item
            if "/URI" in item:
                uri = str(item["/URI"])
                assert re.match(r"(https?://|mailto:)", uri, re.IGNORECASE), uri[:100]
            assert attached or "/EmbeddedFile" not in str(item.get("/Type", ""))
        pdf.check_pdf_syntax() if hasattr(pdf, "check_pdf_syntax") else pdf.check()
    document = pypdfium2.PdfDocument(result.data)
    try:
        assert len(document) == result.pages
        return "\n".join(
            document[index].get_textpage().get_text_range()
            for index in range(min(len(document), 50))
        )
    finally:
        document.close()
