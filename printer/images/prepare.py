"""Picture files: fetched in parallel within limits, made ready for print.

A picture that fails costs itself alone and is one line in the warnings.
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
from types import MappingProxyType
from typing import TypeAlias, TypeVar
from urllib.parse import unquote_to_bytes, urlsplit

from ..article import Figure
from ..capture import GetResource
from ..errors import WebprintError
from ..options import ImageOptions
from ..output import Picture, PreparedPictures
from .raster import Box, Unusable, prepare_raster
from .svg import looks_like_svg, prepare_svg

Given = TypeVar("Given")
Made = TypeVar("Made")


def run_in_threads(
    work: Callable[[Given], Made],
    given: Sequence[Given],
    workers: int,
    seconds_left: Callable[[], float],
) -> dict[int, Made]:
    """Return by index what came of each in time; ``work`` must not raise.

    The threads are daemons: one that a server holds up costs its own work, not the end of the
    program.
    """
    made: dict[int, Made] = {}
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    done: queue.SimpleQueue[None] = queue.SimpleQueue()
    for index in range(len(given)):
        todo.put(index)

    def labour() -> None:
        while True:
            try:
                index = todo.get_nowait()
            except queue.Empty:
                return
            made[index] = work(given[index])
            done.put(None)

    for _ in range(max(1, min(workers, len(given)))):
        threading.Thread(target=labour, daemon=True, name="webprint-picture").start()
    for _ in given:
        try:
            done.get(timeout=max(0.0, seconds_left()))
        except queue.Empty:
            break
    return dict(made)


#: The width and height in millimetres that a picture may take when nobody says.
WIDTH, HEIGHT = 170.0, 180.0

#: A picture without its own size on screen is printed at this many pixels to the inch.
SCREEN = 96

#: At most so many versions of one picture are tried.
MOST_TRIES = 4

#: What a picture's address may begin with; ``file:`` besides, on a page that is a file itself.
_SCHEMES = ("http://", "https://", "data:")

#: A figure, and the page that names it.
Wanted: TypeAlias = tuple[Figure, str]


def prepare(
    figures: Iterable[Wanted],
    get: GetResource,
    options: ImageOptions | None = None,
    *,
    width: float = WIDTH,
    height: float = HEIGHT,
) -> PreparedPictures:
    """Fetch and prepare every picture; never raises for one.

    ``figures`` come with the address of the page that names them, which is sent as the referer.
    ``width`` and ``height`` are the room a picture may take on paper, in millimetres.
    """
    chosen = options or ImageOptions()
    wanted = {_key(figure): (figure, page) for figure, page in reversed(list(figures))}
    wanted = dict(reversed(wanted.items()))  # the first of each, in reading order
    budget = _Budget(chosen.total_bytes, time.monotonic() + chosen.timeout)
    room = _Room(width, height, max(chosen.dpi, SCREEN))
    work = _Work(get, chosen, budget, room)
    outcomes = _run(list(wanted.values()), work, chosen.workers, budget)
    pictures: dict[str, Picture] = {}
    warnings: list[str] = []
    for (key, (figure, _)), outcome in zip(wanted.items(), outcomes, strict=True):
        if isinstance(outcome, Picture):
            pictures[key] = outcome
        else:
            warnings.append(f"picture {_name(figure)} {outcome}")
    missing = len(wanted) - len(pictures)
    return PreparedPictures(MappingProxyType(pictures), missing, tuple(warnings))


def _key(figure: Figure) -> str:
    return figure.svg or figure.src


@dataclass(slots=True)
class _Budget:
    """What is left of the bytes and the time for all pictures together."""

    bytes_left: int
    deadline: float
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def spend(self, size: int) -> None:
        with self._lock:
            self.bytes_left -= size
            if self.bytes_left < 0:
                raise Unusable("is left out: the pictures together are over the size limit")

    @property
    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def check_time(self) -> None:
        if self.seconds_left <= 0:
            raise Unusable("is left out: the pictures together took too long")


@dataclass(frozen=True, slots=True)
class _Room:
    """The room on paper, in millimetres, and the resolution to fill it with."""

    width: float
    height: float
    dpi: int

    def box(self, figure: Figure, width: int, height: int) -> Box:
        """Return how many pixels a picture of this size can use.

        It is printed at the size it has on screen, or as large as the room allows.
        """
        shown = figure.width if 0 < figure.width <= width else width
        inches = min(shown / SCREEN, self.width / 25.4, self.height / 25.4 * width / height)
        pixels = max(1, round(inches * self.dpi))
        return Box(min(pixels, width), max(1, min(round(pixels * height / width), height)))


@dataclass(frozen=True, slots=True)
class _Work:
    """How one picture is made."""

    get: GetResource
    options: ImageOptions
    budget: _Budget
    room: _Room

    def __call__(self, figure: Figure, page: str) -> Picture:
        """Return the prepared picture; raises :class:`Unusable` with the first reason."""
        if figure.svg:
            return self._drawing(figure, figure.svg)
        first: Unusable | None = None
        for source in _sources(figure, page):
            try:
                self.budget.check_time()
                return self._prepare(self._bytes(source, page), figure)
            except Unusable as error:
                first = first or error
        raise first or Unusable("has no address")

    def _bytes(self, source: str, page: str) -> bytes:
        if source[:5].lower() == "data:":
            data = _decoded(source, self.options.max_bytes)
        else:
            try:
                data = self.get(source, page).body
            except WebprintError as error:
                raise Unusable(f"could not be fetched: {error.message}") from error
        if len(data) > self.options.max_bytes:
            raise Unusable(f"is larger than {self.options.max_bytes / 1e6:.3g} MB")
        self.budget.spend(len(data))
        return data

    def _prepare(self, data: bytes, figure: Figure) -> Picture:
        if looks_like_svg(data):
            return self._drawing(figure, data)
        return self._raster(figure, data)

    def _raster(self, figure: Figure, data: bytes) -> Picture:
        most, box = self.options.max_pixels, partial(self.room.box, figure)
        return prepare_raster(data, most, box, grey=self.options.grayscale)

    def _drawing(self, figure: Figure, source: bytes | str) -> Picture:
        return prepare_svg(source, partial(self._raster, figure), grey=self.options.grayscale)


def _run(
    wanted: list[Wanted], work: _Work, workers: int, budget: _Budget
) -> list[Picture | Unusable]:
    """Make the pictures in parallel until all are made or the time is up."""

    def make(one: Wanted) -> Picture | Unusable:
        try:
            return work(*one)
        except Unusable as error:
            return error
        except Exception as error:  # noqa: BLE001 - a fault costs its own picture
            return Unusable(f"failed: {type(error).__name__}: {str(error)[:80]}")

    made = run_in_threads(make, wanted, workers, lambda: budget.seconds_left)
    late = Unusable("is left out: it took too long to fetch")
    return [made.get(index, late) for index in range(len(wanted))]


def _sources(figure: Figure, page: str) -> Iterator[str]:
    """Yield the addresses of a picture, the chosen one first."""
    schemes = (*_SCHEMES, "file://") if page.startswith("file:") else _SCHEMES
    every = dict.fromkeys((figure.src, *figure.sources))
    usable = (url for url in every if url[:8].lower().startswith(schemes))
    for _, url in zip(range(MOST_TRIES), usable, strict=False):
        yield url


def _decoded(url: str, limit: int) -> bytes:
    """Return the bytes of a data: address."""
    head, comma, body = url[5:].partition(",")
    if not comma:
        raise Unusable("has a broken data: address")
    if len(body) > limit * 3:
        raise Unusable(f"is larger than {limit / 1e6:.3g} MB")
    data = unquote_to_bytes(body)
    if not head.lower().rstrip().endswith(";base64"):
        return data
    try:
        packed = b"".join(data.split())
        return base64.b64decode(packed + b"=" * (-len(packed) % 4), altchars=None, validate=True)
    except binascii.Error as error:
        raise Unusable("has a broken data: address") from error


def _name(figure: Figure) -> str:
    """Name a picture for a person: its file, or what it shows."""
    if figure.svg:
        name = "(drawing)"
    elif figure.src[:5].lower() == "data:":
        name = "(inside the page)"
    else:
        name = _shown(figure.src)
    about = " ".join((figure.alt or figure.caption).split())
    return f"{name} ({about[:40]})" if about and name.startswith("(") else name


def _shown(url: str) -> str:
    """Return an address short enough for a line, without what is secret in it."""
    try:
        parts = urlsplit(url)
        text = f"{parts.hostname or ''}{parts.path}"
    except ValueError:
        text = url
    text = "".join(sign for sign in text if sign.isprintable())
    return text if len(text) <= 80 else f"{text[:30]}…{text[-48:]}"
