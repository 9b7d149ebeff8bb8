"""Articles in one PDF: rendered in runs, in parallel, and merged.

A run of articles is a document of its own, so that runs can be rendered in parallel, none grows
with the others, and an article that fails costs itself alone.  The cover and the contents are
rendered beside the runs, to learn how many pages they take, and again when the page on which each
article begins is known.  Page numbers are rendered at the same time as the parts are merged.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias, TypeVar

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

#: Characters of a run, about ten pages: longer ones share fonts and style sheet among more pages,
#: shorter ones are distributed better over processors.
RUN_LENGTH = 30_000

#: The numbers of so many pages are one document, which takes about as long as a run.
NUMBERED_PAGES = 100

#: A reference to another page in the HTML.
PAGE_REFERENCE = 'class="jump"'

#: Attempts to render front matter that names the right pages.
MAX_TRIES = 4

#: Steps from what was asked for to the smallest that can be read: smaller type in one column, up to
#: ``ONE_COLUMN_STEPS``, then in two columns larger type that gets smaller again.
FIT_STEPS, ONE_COLUMN_STEPS = 10, 6

#: Points to which type is shrunk; type of ``LARGE`` and more is meant to stay large.
MIN_FONT_SIZE, MIN_LARGE, LARGE = 8.5, 14.0, 16.0

#: Paper of at least this width in millimetres takes two columns of small type.
TWO_COLUMN_WIDTH = 180.0

#: Renders documents in parallel and yields their results in order.
RenderAll: TypeAlias = Callable[[Iterable[Document]], Iterator[RenderedPdf | RenderError]]

#: Prepares the pictures of the articles at these indexes.
Prepare: TypeAlias = Callable[[Sequence[int]], PreparedPictures]


@dataclass(frozen=True, slots=True)
class RenderedBook(RenderedPdf):
    """A PDF of articles.

    ``failed`` are the indexes of the articles that could not be rendered, with the reasons;
    ``pictures`` counts those printed, ``missing`` those that were not available.
    """

    failed: tuple[tuple[int, RenderError], ...] = ()
    pictures: int = 0
    missing: int = 0


Rendered = TypeVar("Rendered", bound=RenderedPdf)


def fit_to_pages(options: PrintOptions, render: Callable[[PrintOptions], Rendered]) -> Rendered:
    """Render on at most ``options.fit`` pages (0: any number), changing as little as possible.

    Renders at most five times.  What does not fit at its smallest gets a warning.
    """
    pdf = render(options)
    if options.fit <= 0 or pdf.pages <= options.fit:
        return pdf
    low, high = 1, FIT_STEPS
    best: Rendered | None = None
    while low <= high:
        step = (low + high) // 2
        pdf = render(tighten(options, step))
        if pdf.pages <= options.fit:
            best, high = pdf, step - 1
        else:
            low = step + 1
    if best is not None:
        return best
    # The last that was tried is the tightest.
    warning = f"it takes {pdf.pages} pages, not {options.fit}: smaller type could not be read"
    return replace(pdf, warnings=(*pdf.warnings, warning))


def tighten(options: PrintOptions, step: int) -> PrintOptions:
    """Return the options some steps nearer to the smallest that can be read.

    What the user chose (font size, margins, values of the theme) stays.
    """
    styling, geometry = apply_options(options), page_geometry(options)
    page = styling.theme.page
    is_large = geometry.font_size >= LARGE
    min_size = min(geometry.font_size, MIN_LARGE if is_large else MIN_FONT_SIZE)
    folds = page.columns == 1 and geometry.width >= TWO_COLUMN_WIDTH and not is_large
    degree = _fit_degree(step, folds=folds)
    size = geometry.font_size + (min_size - geometry.font_size) * degree
    values = {
        "leading": page.leading + (max(1.18, page.leading * 0.88) - page.leading) * degree,
        "side": page.side + (min(page.side, 0.055) - page.side) * degree,
        "top": page.top + (min(page.top, 0.055) - page.top) * degree,
        "bottom": page.bottom + (min(page.bottom, 0.06) - page.bottom) * degree,
        "pictures": page.pictures * (1 - 0.5 * degree),
        "measure": page.measure * (1 + 0.3 * degree),
    }
    if folds and step > ONE_COLUMN_STEPS:
        values |= {"columns": 2, "measure": 62}
    added = (f"{name}={value:.4g}" for name, value in values.items() if name not in styling.chosen)
    return replace(
        options,
        theme_options=(*options.theme_options, *added),
        font_size=options.font_size or f"{size:.2f}pt",
    )


def _fit_degree(step: int, *, folds: bool) -> float:
    """Return how small a step is, from 0 to 1; the first in two columns is larger again."""
    if not folds:
        return step / FIT_STEPS
    if step <= ONE_COLUMN_STEPS:
        return 0.75 * step / ONE_COLUMN_STEPS
    return 0.4 + 0.6 * (step - ONE_COLUMN_STEPS) / (FIT_STEPS - ONE_COLUMN_STEPS)


def render_articles(
    context: RenderContext,
    prepare: Prepare,
    renderer: Renderer | None = None,
    provenance: Provenance | None = None,
) -> RenderedBook:
    """Render articles to one PDF.

    Without a ``renderer`` a single article is rendered in this process, several in a pool of
    their own.

    Raises:
        RenderError: none of the articles can be rendered.
        MissingLibrary: see :func:`.weasy.engine.render_pdf`.
    """
    provenance = provenance or Provenance()
    if context.has_contents:
        if renderer:
            return _render_book(context, prepare, renderer.render_all, provenance)
        with RenderPool(fork=False) as pool:
            return _render_book(context, prepare, pool.render_all, provenance)
    prepared = prepare((0,))
    targets = LinkTargets(context.links)
    document = build_document(context, (0,), prepared.pictures, targets, targets)
    document = replace(document, provenance=provenance)
    pdf = renderer.render(document) if renderer else render_pdf(document)
    return RenderedBook(
        pdf.pdf,
        pdf.pages,
        (*context.warnings, *prepared.warnings, *pdf.warnings),
        pdf.layout,
        pictures=len(prepared.pictures),
        missing=prepared.missing,
    )


def _render_book(
    context: RenderContext, prepare: Prepare, render_all: RenderAll, provenance: Provenance
) -> RenderedBook:
    with TemporaryDirectory(prefix="webprint-") as folder:
        builder = _BookBuilder(context, Path(folder), prepare, render_all)
        draft = builder.render_runs()
        front, numbers = builder.render_front(draft, provenance)
        names = builder.page_names(front)
        blank = frozenset(index for index, name in enumerate(names) if name is None)
        path = Path(folder) / "book.pdf"
        with path.open("wb") as file:
            overlays = (pdf.pdf for pdf in numbers)
            merge_parts(front.pdf, builder.merge_parts(), overlays, blank, file)
        layouts = [part.pdf.layout for part in builder.parts]
        counts: Counter[str] = Counter()
        for layout in layouts:
            counts.update(layout.counts)
        warnings = chain(
            context.warnings,
            builder.warnings,
            *(pdf.warnings for pdf in (front, *(part.pdf for part in builder.parts))),
        )
        return RenderedBook(
            path.read_bytes(),
            len(names),
            tuple(dict.fromkeys(warnings)),
            LayoutText(
                "\n".join(layout.text for layout in layouts),
                dict(counts),
                frozenset(chain.from_iterable(layout.targets for layout in layouts)),
            ),
            failed=tuple(builder.failed),
            pictures=builder.pictures,
            missing=builder.missing,
        )


def split_into_runs(articles: Sequence[Article]) -> Iterator[tuple[int, ...]]:
    """Yield the indexes of articles that are rendered as one document."""
    run: list[int] = []
    length = 0
    for index, article in enumerate(articles):
        length += len(article.text) + 1000
        run.append(index)
        if length >= RUN_LENGTH:
            yield tuple(run)
            run, length = [], 0
    if run:
        yield tuple(run)


@dataclass(slots=True)
class _Part:
    """A rendered run.  Its PDF is in a file; so is its document if the first page matters to it."""

    indexes: tuple[int, ...]
    pdf: RenderedPdf
    path: Path
    document: Path | None
    has_references: bool
    first_page: int = 1
    after_blank: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether it was rendered for another first page, and that shows."""
        rendered = self.pdf.first_page
        if self.has_references:
            return self.first_page != rendered
        return self.first_page % 2 != rendered % 2


class _BookBuilder:
    """The parts of a book while it is made."""

    def __init__(
        self, context: RenderContext, folder: Path, prepare: Prepare, render_all: RenderAll
    ) -> None:
        self.context = context
        self.parts: list[_Part] = []
        self.failed: list[tuple[int, RenderError]] = []
        self.warnings: list[str] = []
        self.pictures = self.missing = 0
        self._folder, self._prepare, self._render_all = folder, prepare, render_all
        self._targets = LinkTargets(context.links)
        self._starts_recto = context.styling.theme.page.chapters != "any"
        self._is_duplex = bool(context.geometry.gutter)

    def render_runs(self) -> RenderedPdf:
        """Render all runs, and each article of those that fail; return a draft of the front matter.

        Raises:
            RenderError: no article can be rendered.
        """
        runs = list(split_into_runs(self.context.articles))
        views = [self.context.view(*pair) for pair in enumerate(self.context.articles)]
        # The draft is for the case that no article fails, with page numbers yet unknown.
        draft = build_front_matter(self.context, [replace(view, page=1) for view in views])
        failed, drafts = self._render(runs, self._targets, [draft])
        for run, target_count in failed:
            self._render([(index,) for index in run], self._targets.first(target_count))
        if not self.parts:
            raise self.failed[0][1]
        self.parts.sort(key=lambda part: part.indexes)
        return _raise_errors(*drafts)

    def _render(
        self, runs: Sequence[tuple[int, ...]], targets: LinkTargets, more: Iterable[Document] = ()
    ) -> tuple[list[tuple[tuple[int, ...], int]], list[RenderedPdf | RenderError]]:
        """Render runs, and more documents beside them.

        Return the runs that failed, with the number of link targets before each, and the results of
        the other documents.
        """
        target_counts: list[int] = []
        saved: list[tuple[Path | None, bool]] = []

        def documents() -> Iterator[Document]:
            for run in runs:
                target_counts.append(targets.count)
                document = self._build(run, targets)
                has_references = PAGE_REFERENCE in document.html
                path = None
                if has_references or self._is_duplex:
                    path = self._folder / f"{run[0]}-{len(run)}.document"
                    path.write_bytes(pickle.dumps(document))
                saved.append((path, has_references))
                yield document
            yield from more

        failed: list[tuple[tuple[int, ...], int]] = []
        results = self._render_all(documents())
        for number, run in enumerate(runs):
            outcome = next(results)
            if isinstance(outcome, RenderedPdf):
                path = self._folder / f"{run[0]}-{len(run)}.pdf"
                path.write_bytes(outcome.pdf)
                self.parts.append(_Part(run, replace(outcome, pdf=b""), path, *saved[number]))
            elif len(run) > 1:
                failed.append((run, target_counts[number]))
            else:
                self.failed.append((run[0], outcome))
        return failed, list(results)

    def _build(self, run: tuple[int, ...], targets: LinkTargets) -> Document:
        prepared = self._prepare(run)
        self.pictures += len(prepared.pictures)
        self.missing += prepared.missing
        self.warnings += prepared.warnings
        is_last = run[-1] == len(self.context.articles) - 1
        listed = self._targets if is_last else LinkTargets()
        return build_document(self.context, run, prepared.pictures, targets, listed)

    def render_front(
        self, draft: RenderedPdf, provenance: Provenance
    ) -> tuple[RenderedPdf, Iterator[RenderedPdf]]:
        """Assign pages to the parts; return the front matter and the page numbers.

        The page numbers are still being rendered, while the parts can be merged.
        """
        front = draft
        for _ in range(MAX_TRIES):
            self._assign_pages(front.pages + 1)
            if self._render_outdated():
                continue
            names = front.layout.page_names
            contents = replace(
                build_front_matter(self.context, self._entries()), provenance=provenance
            )
            results = map(
                _raise_errors, self._render_all(chain([contents], self._number_documents(front)))
            )
            front = next(results)
            if front.layout.page_names == names:
                return front, results
            deque(results, maxlen=0)  # These numbers are of other pages.
        return front, map(_raise_errors, self._render_all(self._number_documents(front)))

    def _number_documents(self, front: RenderedPdf) -> Iterator[Document]:
        names = [name or "" for name in self.page_names(front)]
        for start in range(0, len(names), NUMBERED_PAGES):
            some = names[start : start + NUMBERED_PAGES]
            document = build_page_numbers(self.context, some, len(names))
            yield replace(document, first_page=start + 1)

    def _assign_pages(self, page: int) -> None:
        """Assign the first page of every part, from that of the first part."""
        for part in self.parts:
            part.after_blank = self._starts_recto and page % 2 == 0
            part.first_page = page + part.after_blank
            page = part.first_page + part.pdf.pages

    def _render_outdated(self) -> bool:
        """Render outdated parts again; return whether the number of their pages changed."""
        outdated = [
            (part, part.document) for part in self.parts if part.document and part.is_outdated
        ]

        def documents() -> Iterator[Document]:
            for part, path in outdated:
                document: Document = pickle.loads(path.read_bytes())  # noqa: S301
                yield replace(document, first_page=part.first_page)

        changed = False
        results = map(_raise_errors, self._render_all(documents()))
        for (part, _), pdf in zip(outdated, results, strict=True):
            changed |= pdf.pages != part.pdf.pages
            part.path.write_bytes(pdf.pdf)
            part.pdf = replace(pdf, pdf=b"")
        return changed

    def _entries(self) -> list[ArticleView]:
        """Return the articles of the contents, with the pages where they begin."""
        entries = []
        for part in self.parts:
            for index in part.indexes:
                view = self.context.view(index, self.context.articles[index])
                offset = part.pdf.layout.page_by_anchor.get(f"{view.anchors.prefix}start", 0)
                entries.append(replace(view, page=part.first_page + offset))
        return entries

    def merge_parts(self) -> list[MergePart]:
        """Return the parts as they are to be merged."""
        parts, has_section = [], False
        for part in self.parts:
            opens = [self.context.opens_section(index) for index in part.indexes]
            # Articles that continue the section of an earlier part are below it in the outline.
            nested = opens.index(True) if True in opens else len(opens)
            parts.append(MergePart(part.path, part.after_blank, nested if has_section else 0))
            has_section = has_section or True in opens
        return parts

    def page_names(self, front: RenderedPdf) -> list[str | None]:
        """Return the name of each page in the style sheet, None for a blank one."""
        names = list(front.layout.page_names)
        for part in self.parts:
            names += [None] * part.after_blank
            names += part.pdf.layout.page_names
        return names


def _raise_errors(outcome: RenderedPdf | RenderError) -> RenderedPdf:
    if isinstance(outcome, RenderError):
        raise outcome
    return outcome
