"""Articles in one PDF, rendered in parallel in runs and merged.

Each run of articles is a separate document, so that runs can be rendered in parallel, memory does
not grow with the book, and an article that fails is the only one lost.  The cover and the contents
are first rendered alongside the runs, to find the number of their pages, and again when the first
page of each article is known.  Page numbers are rendered while the parts are merged.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ..article import Article
from ..errors import RenderError
from ..options import PrintOptions
from ..output import Picture, PreparedPictures, PrintedContent
from ..themes.options import apply_options
from ..themes.page import page_geometry
from .context import ArticleView, Document, RenderContext, build_document, build_front_matter
from .links import LinkTargets
from .pdf.provenance import Provenance
from .weasy.engine import RenderedPdf, render_pdf
from .worker_pool import RenderPool

if TYPE_CHECKING:
    from .pdf.merge import MergePart

#: Steps from the requested size to the smallest legible one: ever smaller type in one column up to
#: ``ONE_COLUMN_STEPS``, then in two columns, starting with larger type again, and finally smaller
#: pictures.
FIT_STEPS = 11

#: Prepares the pictures of the articles at these indexes.
Prepare: TypeAlias = Callable[[Sequence[int]], PreparedPictures]


@dataclass(frozen=True, slots=True)
class RenderedBook(RenderedPdf):
    """A PDF of articles; ``failed`` has the indexes of those that failed, with the reasons."""

    failed: tuple[tuple[int, RenderError], ...] = ()
    pictures: int = 0
    missing_pictures: int = 0


Rendered = TypeVar("Rendered", bound=RenderedPdf)


def fit_to_pages(options: PrintOptions, render: Callable[[PrintOptions], Rendered]) -> Rendered:
    """Render on at most ``options.fit`` pages (0: any) in five tries; warn if it is impossible."""
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
    # The last attempt was the tightest.
    warning = (
        f"the print takes {pdf.pages} pages instead of {options.fit}, "
        "because smaller type would be illegible"
    )
    return replace(pdf, warnings=(*pdf.warnings, warning))


ONE_COLUMN_STEPS = 6
#: The scale of pictures at the penultimate step.
SMALL_PICTURES = 0.5
#: The scale of pictures at the last step.
SMALLEST_PICTURES = 0.25
#: The least margins, as fractions of the paper's width and height.
_LEAST_MARGINS = {"side": 0.048, "top": 0.055, "bottom": 0.06}
#: The least leading, in ems and as a share of the theme's.
_MIN_LEADING = 1.18
_MIN_LEADING_SHARE = 0.88
#: How much longer lines become, as a share of the theme's.
_LONGER_MEASURE = 0.3
#: The characters to a line in two columns, at the first and at the last step.
_TWO_COLUMN_MEASURE = (62, 74)
MIN_FONT_SIZE_PT = 8.5
#: If the theme's type is ``LARGE_PT`` or larger.
MIN_LARGE_PT = 14.0
LARGE_PT = 16.0
#: The minimum width of paper for two columns of small type.
MIN_TWO_COLUMN_WIDTH_MM = 180.0


def tighten(options: PrintOptions, step: int) -> PrintOptions:
    """Return options reduced by steps towards the smallest legible type, keeping the user's."""
    styling, geometry = apply_options(options), page_geometry(options)
    page = styling.theme.page
    is_large = geometry.font_size >= LARGE_PT
    min_size = min(geometry.font_size, MIN_LARGE_PT if is_large else MIN_FONT_SIZE_PT)
    folds = page.columns == 1 and geometry.width >= MIN_TWO_COLUMN_WIDTH_MM and not is_large
    degree = _fit_degree(min(step, FIT_STEPS - 1), folds=folds)
    picture_scale = SMALLEST_PICTURES if step == FIT_STEPS else 1 - (1 - SMALL_PICTURES) * degree

    def between(first: float, last: float) -> float:
        return first + (last - first) * degree

    size = between(geometry.font_size, min_size)
    min_leading = max(_MIN_LEADING, page.leading * _MIN_LEADING_SHARE)
    values = {
        "leading": between(page.leading, min_leading),
        "pictures": page.pictures * picture_scale,
        "measure": page.measure * (1 + _LONGER_MEASURE * degree),
    }
    for edge, least in _LEAST_MARGINS.items():
        margin: float = getattr(page, edge)
        values[edge] = between(margin, min(margin, least))
    if folds and step > ONE_COLUMN_STEPS:
        values |= {"columns": 2, "measure": between(*_TWO_COLUMN_MEASURE)}
    reduced = (
        f"{name}={value:.4g}" for name, value in values.items() if name not in styling.chosen
    )
    return replace(
        options,
        theme_options=(*options.theme_options, *reduced),
        font_size=options.font_size or f"{size:.2f}pt",
    )


def _fit_degree(step: int, *, folds: bool) -> float:
    """Return the reduction of type at a step, 0 to 1; it drops at the first with two columns."""
    if not folds:
        return step / (FIT_STEPS - 1)
    if step <= ONE_COLUMN_STEPS:
        return 0.75 * step / ONE_COLUMN_STEPS
    return 0.4 + 0.6 * (step - ONE_COLUMN_STEPS) / (FIT_STEPS - 1 - ONE_COLUMN_STEPS)


def render_articles(
    context: RenderContext,
    prepare: Prepare,
    renderer: RenderPool | None = None,
    provenance: Provenance | None = None,
) -> RenderedBook:
    """Render articles to one PDF; raise :class:`RenderError` if none can be rendered.

    Without a ``renderer``, a single article is rendered in this process, several in a temporary
    pool.
    """
    provenance = provenance or Provenance()
    if context.has_contents:
        with nullcontext(renderer) if renderer else RenderPool(fork=False) as pool:
            return _render_book(context, prepare, pool, provenance)
    prepared = prepare((0,))
    targets = context.new_targets()
    document = build_document(context, (0,), prepared.pictures, targets, targets)
    document = replace(document, provenance=provenance)
    pdf = renderer.render(document) if renderer else render_pdf(document)
    return RenderedBook(
        pdf.pdf,
        pdf.pages,
        (*context.warnings, *prepared.warnings, *pdf.warnings),
        pdf.layout,
        pictures=len(prepared.pictures),
        missing_pictures=prepared.missing,
    )


def _render_book(
    context: RenderContext, prepare: Prepare, pool: RenderPool, provenance: Provenance
) -> RenderedBook:
    from .pdf.merge import merge_parts

    with TemporaryDirectory(prefix="webprint-") as folder:
        builder = _BookBuilder(context, Path(folder), prepare, pool)
        draft = builder.render_runs()
        front, numbers = builder.render_front(draft, provenance)
        names = builder.page_names(front)
        blank = frozenset(index for index, name in enumerate(names) if name is None)
        path = Path(folder) / "book.pdf"
        with path.open("wb") as file:
            overlays = (pdf.pdf for pdf in numbers)
            merge_parts(front.pdf, builder.parts_to_merge(), overlays, blank, file)
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
            PrintedContent(
                "\n".join(layout.text for layout in layouts),
                dict(counts),
                frozenset(chain.from_iterable(layout.targets for layout in layouts)),
            ),
            failed=tuple(builder.failed),
            pictures=builder.pictures,
            missing_pictures=builder.missing_pictures,
        )


#: About ten pages: longer runs share fonts and style sheets, shorter ones are spread more evenly
#: over processors.
RUN_CHARS = 30_000


def split_into_runs(articles: Sequence[Article]) -> Iterator[tuple[int, ...]]:
    """Yield the indexes of the articles of each run."""
    run: list[int] = []
    length = 0
    for index, article in enumerate(articles):
        length += len(article.text) + 1000
        run.append(index)
        if length >= RUN_CHARS:
            yield tuple(run)
            run, length = [], 0
    if run:
        yield tuple(run)


@dataclass(slots=True)
class _RenderedRun:
    """A rendered run; its PDF is in a file, as is its document if it depends on the first page."""

    indexes: tuple[int, ...]
    pdf: RenderedPdf
    path: Path
    document: Path | None
    has_references: bool
    first_page: int = 1
    after_blank: bool = False

    @property
    def is_outdated(self) -> bool:
        """Whether it must be rendered again because its first page number changed."""
        rendered = self.pdf.first_page
        if self.has_references:
            return self.first_page != rendered
        return self.first_page % 2 != rendered % 2


#: Pages whose numbers are rendered as one document, which takes about as long as a run.
NUMBERED_PAGES = 100
#: The mark of a reference to another page in the HTML.
PAGE_REFERENCE = 'class="jump"'
#: Attempts to render front matter with the right page numbers.
MAX_TRIES = 4


class _BookBuilder:
    """A book in progress, with its parts."""

    def __init__(
        self, context: RenderContext, folder: Path, prepare: Prepare, pool: RenderPool
    ) -> None:
        self.context = context
        self.parts: list[_RenderedRun] = []
        self.failed: list[tuple[int, RenderError]] = []
        self.warnings: list[str] = []
        self.pictures = self.missing_pictures = 0
        self._folder, self._prepare, self._render_all = folder, prepare, pool.render_all
        self._targets = context.new_targets()
        self._lead_picture: Picture | None = None
        self._starts_recto = context.styling.theme.page.chapters != "any"
        self._is_duplex = bool(context.geometry.gutter)

    def render_runs(self) -> RenderedPdf:
        """Render all runs, the articles of failed ones one by one; return a draft of the front."""
        runs = list(split_into_runs(self.context.articles))
        views = [self.context.view(*pair) for pair in enumerate(self.context.articles)]
        # The draft assumes that no article fails; its page numbers are placeholders.
        draft = build_front_matter(self.context, [replace(view, page=1) for view in views])
        failed, drafts = self._render(runs, self._targets, [draft])
        for run, target_count in failed:
            self._render([(index,) for index in run], self._targets.first(target_count))
        if not self.parts:
            raise self.failed[0][1]
        self.parts.sort(key=lambda part: part.indexes)
        return _raise_errors(*drafts)

    def _render(
        self,
        runs: Sequence[tuple[int, ...]],
        targets: LinkTargets,
        extra_documents: Iterable[Document] = (),
    ) -> tuple[list[tuple[tuple[int, ...], int]], list[RenderedPdf | RenderError]]:
        """Render runs; return failed ones with their first link number, and the extra documents."""
        target_counts: list[int] = []
        saved_documents: list[tuple[Path | None, bool]] = []
        pictures_by_run: list[PreparedPictures] = []

        def documents() -> Iterator[Document]:
            for run in runs:
                target_counts.append(targets.count)
                prepared = self._prepare(run)
                document = self._build(run, prepared, targets)
                pictures_by_run.append(prepared)
                has_references = PAGE_REFERENCE in document.html
                path = None
                if has_references or self._is_duplex:
                    path = self._folder / f"{run[0]}-{len(run)}.document"
                    path.write_bytes(pickle.dumps(document))
                saved_documents.append((path, has_references))
                yield document
            yield from extra_documents

        failures: list[tuple[tuple[int, ...], int]] = []
        results = self._render_all(documents())
        for number, run in enumerate(runs):
            outcome = next(results)
            if isinstance(outcome, RenderedPdf):
                path = self._folder / f"{run[0]}-{len(run)}.pdf"
                path.write_bytes(outcome.pdf)
                self.parts.append(
                    _RenderedRun(run, replace(outcome, pdf=b""), path, *saved_documents[number])
                )
                prepared = pictures_by_run[number]
                self.pictures += len(prepared.pictures)
                self.missing_pictures += prepared.missing
                self.warnings += prepared.warnings
            elif len(run) > 1:
                failures.append((run, target_counts[number]))
            else:
                self.failed.append((run[0], outcome))
        return failures, list(results)

    def _build(
        self, run: tuple[int, ...], prepared: PreparedPictures, targets: LinkTargets
    ) -> Document:
        if run[0] == 0:
            figures = self.context.articles[0].figures
            names = (figure.svg or figure.src for figure in figures)
            self._lead_picture = next(filter(None, map(prepared.pictures.get, names)), None)
        is_last = run[-1] == len(self.context.articles) - 1
        listed = self._targets if is_last else LinkTargets()
        return build_document(self.context, run, prepared.pictures, targets, listed)

    def render_front(
        self, draft: RenderedPdf, provenance: Provenance
    ) -> tuple[RenderedPdf, Iterator[RenderedPdf]]:
        """Assign pages to the parts; return the front matter and, lazily, the page numbers."""
        front = draft
        for _ in range(MAX_TRIES):
            page = front.pages + 1
            for part in self.parts:
                part.after_blank = self._starts_recto and page % 2 == 0
                part.first_page = page + part.after_blank
                page = part.first_page + part.pdf.pages
            if self._render_outdated():
                continue
            names = front.layout.page_names
            contents = replace(
                build_front_matter(
                    self.context, self._entries(), len(self.page_names(front)), self._lead_picture
                ),
                provenance=provenance,
            )
            results = map(
                _raise_errors, self._render_all(chain([contents], self._number_documents(front)))
            )
            front = next(results)
            if front.layout.page_names == names:
                return front, results
            deque(results, maxlen=0)  # These numbers are outdated.
        return front, map(_raise_errors, self._render_all(self._number_documents(front)))

    def _number_documents(self, front: RenderedPdf) -> Iterator[Document]:
        names = [name or "" for name in self.page_names(front)]
        for start in range(0, len(names), NUMBERED_PAGES):
            batch = names[start : start + NUMBERED_PAGES]
            # Empty pages of these names in the style sheet.
            document = self.context.fill(sheets=batch, pages=len(names))
            yield replace(document, first_page=start + 1)

    def _render_outdated(self) -> bool:
        """Render outdated parts again; return whether any number of pages changed."""
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
        """Return the entries of the contents: articles with their first pages."""
        entries = []
        for part in self.parts:
            for index in part.indexes:
                view = self.context.view(index, self.context.articles[index])
                offset = part.pdf.layout.page_by_anchor.get(f"{view.anchors.prefix}start", 0)
                entries.append(replace(view, page=part.first_page + offset))
        return entries

    def parts_to_merge(self) -> list[MergePart]:
        """Return the parts for :func:`.merge_parts`."""
        from .pdf.merge import MergePart

        parts, has_section = [], False
        for part in self.parts:
            opens = [self.context.opens_section(index) for index in part.indexes]
            # Articles that continue the section of an earlier part belong below it in the outline.
            nested = opens.index(True) if True in opens else len(opens)
            parts.append(MergePart(part.path, part.after_blank, nested if has_section else 0))
            has_section = has_section or True in opens
        return parts

    def page_names(self, front: RenderedPdf) -> list[str | None]:
        """Return each page's name in the style sheet, None for a blank page."""
        names = list(front.layout.page_names)
        for part in self.parts:
            names += [None] * part.after_blank
            names += part.pdf.layout.page_names
        return names


def _raise_errors(outcome: RenderedPdf | RenderError) -> RenderedPdf:
    if isinstance(outcome, RenderError):
        raise outcome
    return outcome
