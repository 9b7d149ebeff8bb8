"""Several articles in one PDF: laid out apart, side by side, and bound.

A run of articles is a document of its own, so that as many are laid out at once as there are
processors, none grows with the others, and one that cannot be set costs itself alone.  The cover
and the contents are set beside them to see how many pages they take, and again when it is known
on which page every article begins; beside that the page numbers, and the parts are bound meanwhile.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeAlias, TypeVar

from ..article import Article
from ..errors import RenderError
from ..options import PrintOptions
from ..output import PreparedPictures
from ..themes.options import apply_options
from ..themes.page import page_geometry
from .context import (
    ArticleView,
    Document,
    RenderContext,
    build_document,
    build_front_matter,
    build_page_numbers,
)
from .links import LinkTargets
from .pdf.merge import MergePart, merge_parts
from .pdf.provenance import Provenance
from .weasy.engine import RenderedPdf, render_pdf
from .weasy.layout_text import LayoutText
from .worker_pool import Renderer, RenderPool

#: A run of articles ends when it has so many characters, about ten pages: longer ones share their
#: typefaces and style sheet among more pages, shorter ones are spread over processors better.
RUN = 30_000

#: The numbers of so many pages are set in one document: it takes about as long as a run.
FOLIOS = 100

#: What a reference to another page looks like in a document.
JUMP = 'class="jump"'

#: How often the front matter is set until the pages it names are right.
TRIES = 4

#: Lays out documents, several at once, and yields what came of each, in their order.
Layouts: TypeAlias = Callable[[Iterable[Document]], Iterator[RenderedPdf | RenderError]]

#: Prepares the pictures of the articles at these places for print.
Prepare: TypeAlias = Callable[[Sequence[int]], PreparedPictures]


@dataclass(frozen=True, slots=True)
class RenderedBook(RenderedPdf):
    """A PDF of several articles.

    ``failed`` are the articles that could not be set, by place, and why; ``pictures`` counts those
    printed, ``missing`` those that could not be had.
    """

    failed: tuple[tuple[int, RenderError], ...] = ()
    pictures: int = 0
    missing: int = 0


def render_articles(
    whole: RenderContext,
    prepare: Prepare,
    press: Renderer | None = None,
    origin: Provenance | None = None,
) -> RenderedBook:
    """Print articles to one PDF: one in this process unless there is a press, several in presses.

    Raises :class:`RenderError` when none of them can be set, and as
    :func:`printer.render.weasy.engine.render_pdf`.
    """
    origin = origin or Provenance()
    if not whole.several:
        prepared = prepare((0,))
        targets = LinkTargets(whole.links)
        document = build_document(whole, (0,), prepared.pictures, targets, targets)
        printed = (press.render if press else render_pdf)(replace(document, provenance=origin))
        told = (*whole.warnings, *prepared.warnings, *printed.warnings)
        pictures, missing = len(prepared.pictures), prepared.missing
        return RenderedBook(
            printed.pdf, printed.pages, told, printed.layout, pictures=pictures, missing=missing
        )
    if press:
        return _bound(whole, prepare, press.render_all, origin)
    with RenderPool(fork=False) as own:
        return _bound(whole, prepare, own.render_all, origin)


def _bound(
    whole: RenderContext, prepare: Prepare, layouts: Layouts, origin: Provenance
) -> RenderedBook:
    """Print several articles, with cover and contents."""
    with TemporaryDirectory(prefix="webprint-") as folder:
        work = _Work(whole, Path(folder), prepare, layouts)
        draft = work.set(list(split_into_runs(whole.articles)))
        front, folios = work.number(draft, origin)
        sheets = work.sheets(front)
        bare = frozenset(place for place, name in enumerate(sheets) if name is None)
        path = Path(folder) / "whole.pdf"
        with path.open("wb") as file:
            merge_parts(front.pdf, work.bounds(), (each.pdf for each in folios), bare, file)
        printed = [front, *(part.printed for part in work.parts)]
        told = chain(whole.warnings, work.warnings, *(each.warnings for each in printed))
        return RenderedBook(
            path.read_bytes(),
            len(sheets),
            tuple(dict.fromkeys(told)),
            _together([part.printed.layout for part in work.parts]),
            failed=tuple(work.failed),
            pictures=work.pictures,
            missing=work.missing,
        )


def split_into_runs(articles: Sequence[Article]) -> Iterator[tuple[int, ...]]:
    """Yield the places of articles that are laid out together, in order."""
    run: list[int] = []
    size = 0
    for place, article in enumerate(articles):
        size += len(article.text) + 1000
        run.append(place)
        if size >= RUN:
            yield tuple(run)
            run, size = [], 0
    if run:
        yield tuple(run)


@dataclass(slots=True)
class _Part:
    """A run of articles that was laid out; its PDF and its document are in files."""

    places: tuple[int, ...]
    printed: RenderedPdf
    pdf: Path
    document: Path | None
    jumps: bool
    first: int = 1
    after_blank: bool = False

    @property
    def is_amiss(self) -> bool:
        """Whether it was laid out for another first page, and that shows."""
        was = self.printed.first_page
        return self.first != was if self.jumps else self.first % 2 != was % 2


class _Work:
    """What is known of a volume while it is made."""

    def __init__(
        self, whole: RenderContext, folder: Path, prepare: Prepare, layouts: Layouts
    ) -> None:
        self.whole = whole
        self.parts: list[_Part] = []
        self.failed: list[tuple[int, RenderError]] = []
        self.warnings: list[str] = []
        self.pictures = self.missing = 0
        self._folder, self._prepare, self._layouts = folder, prepare, layouts
        self._targets = LinkTargets(whole.links)
        page = whole.styling.theme.page
        self._recto, self._sided = page.chapters != "any", bool(whole.paper.gutter)

    def set(self, runs: Sequence[tuple[int, ...]]) -> RenderedPdf:
        """Lay out all runs, and of one that fails every article alone; return a draft of the front.

        Raises :class:`RenderError` when none of them can be laid out.
        """
        failed, draft = self._set(runs, self._targets, self._draft())
        for run, known in failed:
            self._set([(place,) for place in run], self._targets.first(known))
        if not self.parts:
            raise self.failed[0][1]
        self.parts.sort(key=lambda part: part.places)
        return _sound(*draft)

    def _set(
        self, runs: Sequence[tuple[int, ...]], targets: LinkTargets, more: Iterable[Document] = ()
    ) -> tuple[list[tuple[tuple[int, ...], int]], list[RenderedPdf | RenderError]]:
        """Lay out runs; return those that failed, and how many targets were known before each.

        What comes of ``more`` documents is returned as well.
        """
        known: list[int] = []
        kept: list[tuple[Path | None, bool]] = []

        def documents() -> Iterator[Document]:
            for run in runs:
                known.append(targets.count)
                document = self._document(run, targets)
                jumps = JUMP in document.html
                put_by = self._put_by(document, run) if jumps or self._sided else None
                kept.append((put_by, jumps))
                yield document
            yield from more

        failed, others = [], []
        for number, outcome in enumerate(self._layouts(documents())):
            if number >= len(runs):
                others.append(outcome)
            elif isinstance(outcome, RenderedPdf):
                self.parts.append(self._part(runs[number], outcome, *kept[number]))
            elif len(runs[number]) > 1:
                failed.append((runs[number], known[number]))
            else:
                self.failed.append((runs[number][0], outcome))
        return failed, others

    def _draft(self) -> Iterator[Document]:
        """Yield the front matter as it is when all articles can be set, on pages yet unknown."""
        entries = [self.whole.part(*each) for each in enumerate(self.whole.articles)]
        yield build_front_matter(self.whole, [replace(entry, page=1) for entry in entries])

    def _document(self, run: tuple[int, ...], targets: LinkTargets) -> Document:
        prepared = self._prepare(run)
        self.pictures += len(prepared.pictures)
        self.missing += prepared.missing
        self.warnings += prepared.warnings
        last = run[-1] == len(self.whole.articles) - 1
        listed = self._targets if last else LinkTargets()
        return build_document(self.whole, run, prepared.pictures, targets, listed)

    def _put_by(self, document: Document, run: tuple[int, ...]) -> Path:
        """Keep a document that looks otherwise when it begins on another page than the first."""
        path = self._folder / f"{run[0]}-{len(run)}.document"
        path.write_bytes(pickle.dumps(document))
        return path

    def _part(
        self, run: tuple[int, ...], printed: RenderedPdf, document: Path | None, jumps: bool
    ) -> _Part:
        path = self._folder / f"{run[0]}-{len(run)}.pdf"
        path.write_bytes(printed.pdf)
        return _Part(run, replace(printed, pdf=b""), path, document, jumps)

    def number(
        self, draft: RenderedPdf, origin: Provenance
    ) -> tuple[RenderedPdf, Iterator[RenderedPdf]]:
        """Have every part know its first page; return the front matter and the page numbers.

        These are still being set, while the rest can be bound.
        """
        front = draft
        for _ in range(TRIES):
            self._begin(front.pages + 1)
            if self._lay_again():
                continue
            before = front.layout.page_names
            entries = build_front_matter(self.whole, self._entries())
            documents = chain([replace(entries, provenance=origin)], self._folios(front))
            outcomes = map(_sound, self._layouts(documents))
            front = next(outcomes)
            if front.layout.page_names == before:
                return front, outcomes
            deque(outcomes, maxlen=0)  # the numbers of other pages
        return front, map(_sound, self._layouts(self._folios(front)))

    def _folios(self, front: RenderedPdf) -> Iterator[Document]:
        """Yield documents of page numbers, for so many pages each."""
        names = [name or "" for name in self.sheets(front)]
        for at in range(0, len(names), FOLIOS):
            document = build_page_numbers(self.whole, names[at : at + FOLIOS], len(names))
            yield replace(document, first_page=at + 1)

    def _begin(self, page: int) -> None:
        """Say on which page every part begins, from that of the first."""
        for part in self.parts:
            part.after_blank = self._recto and page % 2 == 0
            part.first = page + part.after_blank
            page = part.first + part.printed.pages

    def _lay_again(self) -> bool:
        """Lay out what must know its first page anew; tell whether pages came or went."""
        again = [part for part in self.parts if part.document and part.is_amiss]

        def documents() -> Iterator[Document]:
            for part in again:
                document: Document = pickle.loads(part.document.read_bytes())  # type: ignore[union-attr] # noqa: S301
                yield replace(document, first_page=part.first)

        changed = False
        for part, outcome in zip(again, map(_sound, self._layouts(documents())), strict=True):
            changed |= outcome.pages != part.printed.pages
            part.pdf.write_bytes(outcome.pdf)
            part.printed = replace(outcome, pdf=b"")
        return changed

    def _entries(self) -> list[ArticleView]:
        """Return the lines of the contents, on the pages where the articles begin."""
        entries = []
        for part in self.parts:
            for place in part.places:
                entry = self.whole.part(place, self.whole.articles[place])
                begins = part.printed.layout.page_by_anchor.get(f"{entry.anchors.prefix}start", 0)
                entries.append(replace(entry, page=part.first + begins))
        return entries

    def bounds(self) -> list[MergePart]:
        """Return the parts as they are to be bound."""
        bounds, sections = [], False
        for part in self.parts:
            opens = [self.whole.opens(place) for place in part.places]
            # What goes on with a section that an earlier part began stands below it.
            below = opens.index(True) if True in opens else len(opens)
            bounds.append(MergePart(part.pdf, part.after_blank, below if sections else 0))
            sections = sections or True in opens
        return bounds

    def sheets(self, front: RenderedPdf) -> list[str | None]:
        """Return what each page of the whole is called in the style sheet, None for a bare one."""
        names = list(front.layout.page_names)
        for part in self.parts:
            names += [None] * part.after_blank
            names += part.printed.layout.page_names
        return names


def _sound(outcome: RenderedPdf | RenderError) -> RenderedPdf:
    if isinstance(outcome, RenderError):
        raise outcome
    return outcome


def _together(laid: Sequence[LayoutText]) -> LayoutText:
    things: Counter[str] = Counter()
    for each in laid:
        things.update(each.counts)
    return LayoutText(
        "\n".join(each.text for each in laid),
        dict(things),
        frozenset(chain.from_iterable(each.targets for each in laid)),
    )


#: How many steps lie between what was asked for and the smallest that can be read: the type gets
#: smaller in one column, then stands larger in two, and gets smaller again.
STEPS = 10
ONE_COLUMN = 6

#: Type is set no smaller than this, in points; large type stays large.
LEAST_SIZE, LEAST_LARGE = 8.5, 14.0
LARGE = 16.0

#: Paper at least this wide, in millimetres, takes two columns of small type.
TWO_COLUMNS = 180.0


P = TypeVar("P", bound=RenderedPdf)


@dataclass(frozen=True, slots=True)
class Fitted(Generic[P]):
    """What was printed, with the options that it took."""

    printed: P
    options: PrintOptions


def fit_to_pages(options: PrintOptions, print_: Callable[[PrintOptions], P]) -> Fitted[P]:
    """Print on at most ``options.fit`` pages, changing as little as will do.

    Printing is tried at most five times.  What does not fit at its smallest is printed so, with a
    warning.
    """
    printed = print_(options)
    if options.fit <= 0 or printed.pages <= options.fit:
        return Fitted(printed, options)
    low, high = 1, STEPS
    best: Fitted[P] | None = None
    while low <= high:
        middle = (low + high) // 2
        tried = tighter(options, middle)
        printed = print_(tried)
        if printed.pages <= options.fit:
            best = Fitted(printed, tried)
            high = middle - 1
        else:
            low = middle + 1
    if best is not None:
        return best
    # The last that was tried is the tightest.
    said = f"it takes {printed.pages} pages, not {options.fit}: smaller could not be read"
    return Fitted(replace(printed, warnings=(*printed.warnings, said)), tried)


def tighter(options: PrintOptions, step: int) -> PrintOptions:
    """Return the options a number of steps nearer to the smallest that can be read.

    What the person chose (a size of type, margins, values of the theme) stays as it is.
    """
    page, paper = apply_options(options).theme.page, page_geometry(options)
    least = min(paper.font_size, LEAST_LARGE if paper.font_size >= LARGE else LEAST_SIZE)
    small = paper.font_size < LARGE
    folds = page.columns == 1 and paper.width >= TWO_COLUMNS and small
    part = _part(step, folds=folds)
    size = paper.font_size + (least - paper.font_size) * part
    values = {
        "leading": page.leading + (max(1.18, page.leading * 0.88) - page.leading) * part,
        "side": page.side + (min(page.side, 0.055) - page.side) * part,
        "top": page.top + (min(page.top, 0.055) - page.top) * part,
        "bottom": page.bottom + (min(page.bottom, 0.06) - page.bottom) * part,
        "pictures": page.pictures * (1 - 0.5 * part),
        "measure": page.measure * (1 + 0.3 * part),
    }
    if folds and step > ONE_COLUMN:
        values |= {"columns": 2, "measure": 62}
    chosen = {assignment.partition("=")[0].strip() for assignment in options.theme_options}
    added = tuple(f"{name}={value:.4g}" for name, value in values.items() if name not in chosen)
    return replace(
        options,
        theme_options=(*options.theme_options, *added),
        font_size=options.font_size or f"{size:.2f}pt",
    )


def _part(step: int, *, folds: bool) -> float:
    """Return how far a step goes, from 0 to 1; the first in two columns goes back a little."""
    if not folds:
        return step / STEPS
    if step <= ONE_COLUMN:
        return 0.75 * step / ONE_COLUMN
    return 0.4 + 0.6 * (step - ONE_COLUMN) / (STEPS - ONE_COLUMN)
