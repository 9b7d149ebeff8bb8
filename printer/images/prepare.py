"""Picture files: parallel fetching within limits, and preparation for print.

A picture that fails is omitted with one warning and does not affect the others.
"""

from __future__ import annotations

import base64
import binascii
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TypeAlias, TypeVar
from urllib.parse import unquote_to_bytes, urlsplit

from ..article import Figure
from ..capture import GetResource
from ..errors import BlockedAddress, WebprintError
from ..options import ImageOptions
from ..output import SCREEN_DPI, Picture, PreparedPictures
from .raster import UnusablePicture, prepare_raster
from .svg import looks_like_svg, prepare_svg

#: A figure, and the URL of the page that it is on.
FigureRequest: TypeAlias = tuple[Figure, str]

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")


def run_in_threads(
    work: Callable[[Task], Outcome], tasks: Sequence[Task], workers: int, deadline: float
) -> dict[int, Outcome]:
    """Return the outcomes ready at a deadline on the monotonic clock, by the index of the task.

    ``work`` must not raise, and is not called after the deadline.  The threads are daemons, so that
    the program can end before them.
    """
    outcomes: dict[int, Outcome] = {}
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[None] = queue.SimpleQueue()
    for index in range(len(tasks)):
        todo.put(index)

    def run() -> None:
        while time.monotonic() < deadline:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                return
            outcomes[index] = work(tasks[index])
            done.put(None)

    for _ in range(max(1, min(workers, len(tasks)))):
        threading.Thread(target=run, daemon=True, name="webprint-picture").start()
    for _ in tasks:
        try:
            done.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            break
    return dict(outcomes)


# The maximum size of a picture on paper.
DEFAULT_WIDTH_MM = 170.0
DEFAULT_HEIGHT_MM = 180.0


def prepare_pictures(
    figures: Iterable[FigureRequest],
    get: GetResource,
    options: ImageOptions | None = None,
    *,
    width: float = DEFAULT_WIDTH_MM,
    height: float = DEFAULT_HEIGHT_MM,
    grayscale: bool = False,
) -> PreparedPictures:
    """Fetch and prepare the pictures of figures; a picture that fails becomes a warning.

    ``width`` and ``height`` are the maximum of a picture on paper, in millimeters.
    """
    options = options or ImageOptions()
    pairs = reversed(list(figures))
    requests = {figure.svg or figure.src: (figure, page) for figure, page in pairs}
    requests = dict(reversed(requests.items()))  # the first of each, in reading order
    budget = _Budget(options.total_bytes, time.monotonic() + options.timeout)
    preparer = _Preparer(get, options, budget, width, height, grayscale)
    tasks = list(requests.values())
    outcomes = run_in_threads(preparer, tasks, options.workers, budget.deadline)
    timeout = UnusablePicture("is left out: it took too long to fetch")
    pictures: dict[str, Picture] = {}
    warnings: list[str] = []
    for index, (key, (figure, _)) in enumerate(requests.items()):
        outcome = outcomes.get(index, timeout)
        if isinstance(outcome, Picture):
            pictures[key] = outcome
        else:
            warnings.append(f"picture {_describe(figure)} {outcome}")
    missing = len(requests) - len(pictures)
    return PreparedPictures(MappingProxyType(pictures), missing, tuple(warnings))


@dataclass(slots=True)
class _Budget:
    """The bytes and the time left for all pictures together."""

    bytes_left: int
    deadline: float
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, size: int) -> None:
        with self._lock:
            self.bytes_left -= size
            if self.bytes_left < 0:
                raise UnusablePicture("is left out: the pictures together are over the size limit")


#: A picture shown narrower than this is an icon, which print does not enlarge.
_MAX_ICON_WIDTH_PX = 100


@dataclass(frozen=True, slots=True)
class _Preparer:
    """Prepares one picture per call, in any thread, for a maximum size in millimeters."""

    get: GetResource
    options: ImageOptions
    budget: _Budget
    width: float
    height: float
    grayscale: bool

    def __call__(self, request: FigureRequest) -> Picture | UnusablePicture:
        try:
            return self._prepare(*request)
        except UnusablePicture as error:
            return error
        except Exception as error:  # noqa: BLE001 - a failure costs only its own picture
            return UnusablePicture(f"failed: {type(error).__name__}: {str(error)[:80]}")

    def _prepare(self, figure: Figure, page: str) -> Picture:
        """Return the first usable version, or raise the error of the first version."""
        if figure.svg:
            return self._svg(figure, figure.svg)
        first: UnusablePicture | None = None
        for url in _urls(figure, page):
            try:
                if time.monotonic() >= self.budget.deadline:
                    raise UnusablePicture("is left out: the pictures together took too long")
                data = self._fetch(url, page)
                return (self._svg if looks_like_svg(data) else self._raster)(figure, data)
            except UnusablePicture as error:
                first = first or error
        raise first or UnusablePicture("has no address")

    def _fetch(self, url: str, page: str) -> bytes:
        if url[:5].lower() == "data:":
            data = _decode_data_url(url, self.options.max_bytes)
        else:
            try:
                data = self.get(url, page).body
            except BlockedAddress as error:
                if url.startswith("file:"):
                    raise UnusablePicture(f"was not read: {error.message}") from error
                raise UnusablePicture("is on a private network and was not fetched") from error
            except WebprintError as error:
                raise UnusablePicture(f"could not be fetched: {error.message}") from error
        if len(data) > self.options.max_bytes:
            raise UnusablePicture(_too_large(self.options.max_bytes))
        self.budget.spend(len(data))
        return data

    def _raster(self, figure: Figure, data: bytes) -> Picture:
        max_pixels, box = self.options.max_pixels, partial(self._usable_pixels, figure)
        return prepare_raster(data, max_pixels, box, grayscale=self.grayscale)

    def _usable_pixels(self, figure: Figure, width: int, height: int) -> tuple[int, int]:
        """Return the pixels that print can use; it enlarges any picture but icons."""
        inches = min(self.width / 25.4, self.height / 25.4 * width / height)
        if 0 < figure.width < _MAX_ICON_WIDTH_PX:
            inches = min(inches, figure.width / SCREEN_DPI)
        pixels = max(1, round(inches * max(self.options.dpi, SCREEN_DPI)))
        return min(pixels, width), max(1, min(round(pixels * height / width), height))

    def _svg(self, figure: Figure, source: bytes | str) -> Picture:
        return prepare_svg(source, partial(self._raster, figure), grayscale=self.grayscale)


MAX_TRIES = 4


def _urls(figure: Figure, page: str) -> Iterator[str]:
    """Yield the URLs of a picture to try, beginning with the chosen one."""
    schemes: tuple[str, ...] = ("http://", "https://", "data:")
    if page.startswith("file:"):
        schemes += ("file://",)
    # Beside other versions, one inside the page is a blurred preview.
    versions = (url for url in figure.sources if url[:5].lower() != "data:")
    urls = dict.fromkeys((figure.src, *versions))
    return islice((url for url in urls if url[:8].lower().startswith(schemes)), MAX_TRIES)


def _decode_data_url(url: str, limit: int) -> bytes:
    head, comma, body = url[5:].partition(",")
    if not comma:
        raise UnusablePicture("has a broken data: address")
    if len(body) > limit * 3:
        raise UnusablePicture(_too_large(limit))
    data = unquote_to_bytes(body)
    if not head.lower().rstrip().endswith(";base64"):
        return data
    try:
        packed = b"".join(data.split())
        return base64.b64decode(packed + b"=" * (-len(packed) % 4), altchars=None, validate=True)
    except binascii.Error as error:
        raise UnusablePicture("has a broken data: address") from error


def _too_large(limit: int) -> str:
    return f"is larger than {limit / 1e6:.3g} MB"


def _describe(figure: Figure) -> str:
    """Return a name for a picture in messages: its URL or its description."""
    if not figure.svg and figure.src[:5].lower() != "data:":
        return _short_url(figure.src)
    name = "(drawing)" if figure.svg else "(inside the page)"
    description = " ".join((figure.alt or figure.caption).split())
    return f"{name} ({description[:40]})" if description else name


def _short_url(url: str) -> str:
    """Return a URL short enough for one line, without its query, which may contain secrets."""
    try:
        parts = urlsplit(url)
        text = f"{parts.hostname or ''}{parts.path}"
    except ValueError:
        text = url
    text = "".join(filter(str.isprintable, text))
    return text if len(text) <= 80 else f"{text[:30]}…{text[-48:]}"
