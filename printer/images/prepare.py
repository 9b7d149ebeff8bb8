"""Picture files: fetched in parallel within limits, and prepared for print.

A picture that fails costs only itself and one line in the warnings.
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
from ..errors import WebprintError
from ..options import ImageOptions
from ..output import Picture, PreparedPictures
from .raster import PixelBox, UnusablePicture, prepare_raster
from .svg import looks_like_svg, prepare_svg

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

#: A figure, and the URL of the page that names it.
FigureRequest: TypeAlias = tuple[Figure, str]

#: The default room for a picture on paper, in millimetres.
DEFAULT_WIDTH, DEFAULT_HEIGHT = 170.0, 180.0
#: A picture without a size on screen is printed at this many pixels to the inch.
SCREEN_DPI = 96
#: At most so many versions of one picture are tried.
MAX_TRIES = 4


def run_in_threads(
    work: Callable[[Task], Outcome],
    tasks: Sequence[Task],
    workers: int,
    seconds_left: Callable[[], float],
) -> dict[int, Outcome]:
    """Return the outcomes that are there in time, by the index of the task.

    ``work`` must not raise.  The threads are daemons: one that waits for a server does not keep the
    program from ending.
    """
    outcomes: dict[int, Outcome] = {}
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[None] = queue.SimpleQueue()
    for index in range(len(tasks)):
        todo.put(index)

    def run() -> None:
        while True:
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
            done.get(timeout=max(0.0, seconds_left()))
        except queue.Empty:
            break
    return dict(outcomes)


def prepare_pictures(
    figures: Iterable[FigureRequest],
    get: GetResource,
    options: ImageOptions | None = None,
    *,
    width: float = DEFAULT_WIDTH,
    height: float = DEFAULT_HEIGHT,
) -> PreparedPictures:
    """Fetch and prepare the pictures of figures; never raises for one.

    Args:
        figures: The figures, each with the URL of its page, which is sent as the referer.
        get: Fetches a file.
        options: Limits, resolution and colour.
        width: The width on paper that a picture may take, in millimetres.
        height: The height on paper that a picture may take, in millimetres.
    """
    options = options or ImageOptions()
    requests = {_key(figure): (figure, page) for figure, page in reversed(list(figures))}
    requests = dict(reversed(requests.items()))  # the first of each, in reading order
    budget = _Budget(options.total_bytes, time.monotonic() + options.timeout)
    room = _Room(width, height, max(options.dpi, SCREEN_DPI))
    preparer = _Preparer(get, options, budget, room)
    tasks = list(requests.values())
    outcomes = run_in_threads(preparer, tasks, options.workers, lambda: budget.seconds_left)
    late = UnusablePicture("is left out: it took too long to fetch")
    pictures: dict[str, Picture] = {}
    warnings: list[str] = []
    for index, (key, (figure, _)) in enumerate(requests.items()):
        outcome = outcomes.get(index, late)
        if isinstance(outcome, Picture):
            pictures[key] = outcome
        else:
            warnings.append(f"picture {_describe(figure)} {outcome}")
    missing = len(requests) - len(pictures)
    return PreparedPictures(MappingProxyType(pictures), missing, tuple(warnings))


def _key(figure: Figure) -> str:
    return figure.svg or figure.src


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

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()


@dataclass(frozen=True, slots=True)
class _Room:
    """The room on paper, in millimetres, and the resolution to fill it with."""

    width: float
    height: float
    dpi: int

    def pixels(self, figure: Figure, width: int, height: int) -> PixelBox:
        """Return how many pixels a picture of this size can use.

        It is printed at the size it has on screen, or as large as the room allows.
        """
        on_screen = figure.width if 0 < figure.width <= width else width
        inches = min(on_screen / SCREEN_DPI, self.width / 25.4, self.height / 25.4 * width / height)
        pixels = max(1, round(inches * self.dpi))
        return PixelBox(min(pixels, width), max(1, min(round(pixels * height / width), height)))


@dataclass(frozen=True, slots=True)
class _Preparer:
    """Prepares one picture at a time, for any thread."""

    get: GetResource
    options: ImageOptions
    budget: _Budget
    room: _Room

    def __call__(self, request: FigureRequest) -> Picture | UnusablePicture:
        try:
            return self._prepare(*request)
        except UnusablePicture as error:
            return error
        except Exception as error:  # noqa: BLE001 - a failure costs only its own picture
            return UnusablePicture(f"failed: {type(error).__name__}: {str(error)[:80]}")

    def _prepare(self, figure: Figure, page: str) -> Picture:
        """Return the first version that can be used, else raise what was wrong with the first."""
        if figure.svg:
            return self._svg(figure, figure.svg)
        first: UnusablePicture | None = None
        for url in _urls(figure, page):
            try:
                if self.budget.seconds_left <= 0:
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
            except WebprintError as error:
                raise UnusablePicture(f"could not be fetched: {error.message}") from error
        if len(data) > self.options.max_bytes:
            raise UnusablePicture(_too_large(self.options.max_bytes))
        self.budget.spend(len(data))
        return data

    def _raster(self, figure: Figure, data: bytes) -> Picture:
        max_pixels, box = self.options.max_pixels, partial(self.room.pixels, figure)
        return prepare_raster(data, max_pixels, box, grey=self.options.grayscale)

    def _svg(self, figure: Figure, source: bytes | str) -> Picture:
        return prepare_svg(source, partial(self._raster, figure), grey=self.options.grayscale)


def _urls(figure: Figure, page: str) -> Iterator[str]:
    """Return the URLs of a picture to try, the chosen one first."""
    schemes: tuple[str, ...] = ("http://", "https://", "data:")
    if page.startswith("file:"):
        schemes += ("file://",)
    urls = dict.fromkeys((figure.src, *figure.sources))
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
    """Return the file of a picture, or what it shows, for a message."""
    if not figure.svg and figure.src[:5].lower() != "data:":
        return _short_url(figure.src)
    name = "(drawing)" if figure.svg else "(inside the page)"
    about = " ".join((figure.alt or figure.caption).split())
    return f"{name} ({about[:40]})" if about else name


def _short_url(url: str) -> str:
    """Return a URL short enough for one line, without the query, which may hold secrets."""
    try:
        parts = urlsplit(url)
        text = f"{parts.hostname or ''}{parts.path}"
    except ValueError:
        text = url
    text = "".join(filter(str.isprintable, text))
    return text if len(text) <= 80 else f"{text[:30]}…{text[-48:]}"
