"""Templates filled: what they may call, and what is said of one that is faulty."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any

from jinja2 import (
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    nodes,
    pass_context,
)
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from ..article import (
    Block,
    Cell,
    Code,
    DefinitionList,
    Heading,
    List,
    Math,
    Paragraph,
    Quote,
    Rule,
    Table,
    plain_text,
)
from ..errors import UsageError
from ..themes.loader import BASE_THEME, Theme, builtin_folder
from ..themes.page import CHARACTER_WIDTH, UNITS, PageGeometry
from .inline import (
    breakable,
    breakable_url,
    highlight,
    mark_symbols,
)
from .links import display_url
from .markup import printable, strip_brackets, valid_language

_ZONE = re.compile(r"(?:Z|[+-]\d\d:\d\d)$")


@lru_cache(maxsize=16)
def environment(folders: tuple[Path, ...] = ()) -> BoundedEnvironment:
    """Return the environment a theme's templates run in: bounded, escaping, strict about names.

    ``blocks.html.j2`` is the nearest there is in ``folders`` or, when none has it, the base
    theme's; ``article/blocks.html.j2`` is that of our own theme of this name.
    """
    return BoundedEnvironment(
        loader=FileSystemLoader([*folders, builtin_folder() / BASE_THEME, builtin_folder()]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=16)
def _environment(folders: tuple[Path, ...]) -> BoundedEnvironment:
    env = environment(folders)
    env.filters.update(
        kind=lambda block: type(block).__name__,
        plain=plain_text,
        clean=printable,
        breakable=breakable,
        written=display_url,
        moment=_moment,
        address=lambda url: breakable_url(display_url(url)),
        lang=valid_language,
        code=highlight,
        sign=strip_brackets,
        signs=mark_symbols,
        initial=_initial,
        groupby_run=_runs,
        is_web=is_web,
        page_number=_page_number,
        page_reference=_page_reference,
        table_class=table_class,
    )
    env.tests.update(
        bare=is_bare,
        loose=is_loose,
        short=is_short,
        introducing=introduces,
        labelling=is_label,
        verse=is_verse,
        numbering=is_number_of,
    )
    return env


def fill(theme: Theme, name: str, **values: object) -> str:
    """Return what a theme's template makes of these values."""
    try:
        template = _environment(theme.folders).get_template(f"{name}.html.j2")
        with bounded():
            return template.render(values)
    except TemplateError as error:
        place = f"{error.filename}:{error.lineno}" if isinstance(error, TemplateSyntaxError) else ""
        reason = str(error).rstrip(".")
        message = f"a template of the theme {theme.name} is faulty: {reason}"
        raise UsageError(message, hint=f"See {place}" if place else "") from error
    except (MemoryError, RecursionError) as error:
        raise UsageError(f"a template of the theme {theme.name} makes too much") from error
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UsageError(f"a template of the theme {theme.name} is faulty: {error}") from error


def _moment(published: str) -> str:
    """Return a date as metadata takes it (W3C's profile): no time of day without its zone."""
    return published if _ZONE.search(published) else published.partition("T")[0]


def _runs(parts: Sequence[Any], name: str) -> list[tuple[object, list[Any]]]:
    """Return successive parts of which the named value is the same together."""
    return [(value, list(run)) for value, run in groupby(parts, key=attrgetter(name))]


def is_web(url: str) -> bool:
    """Tell whether an address leads to the web."""
    return url.lower().startswith(("http://", "https://"))


def _initial(html: Markup) -> Markup:
    """Return a paragraph's HTML with its first letter apart; one that begins otherwise stays."""
    if html[:1].isalpha() and not unicodedata.combining(html[1:2] or "x"):
        # The letter is no markup, and what follows it was escaped before.
        return Markup(f'<span class="initial">{html[0]}</span>{html[1:]}')  # noqa: S704
    return html


def _page_number(words: str, pages: int = 0) -> Markup:
    """Return the CSS content of 'page {page} of {pages}'; without ``pages`` they are counted."""
    before, _, rest = words.partition("{page}")
    between, _, after = rest.partition("{pages}")
    every = f'"{pages}"' if pages else "counter(pages)"
    counters = f'"{before}" counter(page) "{between}" {every} "{after}"'
    return Markup(counters)  # noqa: S704 - the words are ours


def _page_reference(words: str) -> Markup:
    """Return the CSS content of 'p. {page}', the page that a link leads to."""
    before, _, after = words.partition("{page}")
    counter = f'"{before}" target-counter(attr(href url), page) "{after}"'
    return Markup(counter)  # noqa: S704 - the words are ours


#: Seconds of the processor's time; an article of 20,000 paragraphs takes one.
SECONDS = 30.0
#: The time is looked at once in so many turns and calls.
_SELDOM = 64

#: Bits of a number, signs of a text or members of a list that arithmetic may make.
_MOST_BITS, _LONGEST = 10_000, 10_000_000

_WATCHED = "watched"


class _Time:
    """What is left to the templates of one document, all of which one thread fills."""

    def __init__(self) -> None:
        self._ends = time.thread_time() + SECONDS
        self._steps = 0

    def step(self) -> None:
        """Go on; raises :class:`SecurityError` when the time is used up."""
        self._steps += 1
        if not self._steps % _SELDOM and time.thread_time() > self._ends:
            raise SecurityError("it goes on without end")


_time: ContextVar[_Time | None] = ContextVar("time", default=None)


@contextmanager
def bounded() -> Iterator[None]:
    """Give the templates that are rendered inside their time, all together."""
    before = _time.set(_Time())
    try:
        yield
    finally:
        _time.reset(before)


def _step() -> None:
    if left := _time.get():
        left.step()


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox whose templates have a time to keep to inside :func:`bounded`."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters[_WATCHED] = _watched

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Have every loop go through a filter that sees it turn."""
        template = super()._parse(source, name, filename)
        for loop in template.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, _WATCHED, [], [], None, None, lineno=loop.lineno)
            loop.iter.set_environment(self)
        return template

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as it is called
        """See a call: of a macro, of a loop that is its own inside, of anything else."""
        _step()
        return super().call(__context, __obj, *args, **kwargs)

    def join_path(self, template: str, parent: str) -> str:
        """See a template that another takes in."""
        _step()
        return super().join_path(template, parent)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Multiply what stays of a size."""
        if _is_too_much(operator, left, right):
            raise SecurityError("it makes a number or a text without end")
        return super().call_binop(context, operator, left, right)


@pass_context  # So that it is not called when the template is compiled.
def _watched(context: Context, turns: Iterable[Any]) -> Iterator[Any]:
    del context
    for turn in turns:
        _step()
        yield turn


def _is_too_much(operator: str, left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length()
        made = bits * abs(right) if operator == "**" else bits + right.bit_length()
        return made > _MOST_BITS
    long, times = (left, right) if isinstance(right, int) else (right, left)
    return isinstance(long, Sized) and isinstance(times, int) and len(long) * times > _LONGEST


#: A table of no more rows is not broken over pages.
MOST_KEPT = 9

#: The text of a cell is given room for so many characters of a line.
LONG_CELL = 28

#: Code of fewer lines is not broken over pages; a shorter text before code is its label.
MOST_LINES, LABEL = 14, 40

#: A bold line of no more characters heads what comes after it; no line of verse is longer.
LONGEST_LABEL, LONGEST_VERSE = 90, 64

_NUMBER = re.compile(r"\(\s?\d{1,3}(?:\.\d{1,3})?[a-z]?\s?\)")


def is_short(block: Code) -> bool:
    """Say whether code is to stand on one page."""
    return block.text.count("\n") < MOST_LINES


def introduces(block: Paragraph, after: Block) -> bool:
    """Say whether a paragraph leads to what comes after it and is to stay with it."""
    if not isinstance(after, List | Code | Table | Math | Quote | DefinitionList):
        return False
    text = plain_text(block.spans).rstrip()
    return text.endswith((":", "：")) or (isinstance(after, Code) and len(text) < LABEL)


def is_label(block: Paragraph, after: Block | None) -> bool:
    """Say whether a paragraph is the heading of what follows, though its page does not say so.

    That is a short line in bold type, with small print after it perhaps, or one without a stop
    before a longer text.
    """
    text = plain_text(block.spans).strip()
    if after is None or not 0 < len(text) <= LONGEST_LABEL or "\n" in text:
        return False
    if isinstance(after, Heading | Rule):
        return False
    first, *others = (span for span in block.spans if span.text.strip())
    if "strong" in first.marks and all({"strong", "small"} & {*each.marks} for each in others):
        return True
    longer = isinstance(after, Code) or (
        isinstance(after, Paragraph) and len(plain_text(after.spans)) > 2 * len(text)
    )
    return longer and len(text) <= LABEL and text[-1].isalnum() and not _is_linked(block)


def is_bare(block: Heading, after: Block) -> bool:
    """Say whether a heading has nothing under it, as the entries of a list that is set in headings.

    A heading before one of a lower level announces that one.
    """
    return isinstance(after, Heading) and after.level <= block.level


def _is_linked(block: Paragraph) -> bool:
    return any(span.href or span.note or span.math for span in block.spans)


def is_verse(block: Paragraph) -> bool:
    """Say whether a paragraph is a stanza: several lines, all of them short."""
    rows = "".join(span.text for span in block.spans).strip().split("\n")
    return len(rows) > 2 and max(map(len, rows)) <= LONGEST_VERSE


def is_number_of(block: Block, before: Block) -> bool:
    """Say whether a block is the number of the formula before it, as in (3)."""
    if not (isinstance(block, Paragraph) and isinstance(before, Math)):
        return False
    return bool(_NUMBER.fullmatch(plain_text(block.spans[:3])[:20].strip()))


def is_loose(block: List) -> bool:
    """Say whether a list's items are more than a line or two each, and stand better apart."""
    return any(sum(isinstance(each, Paragraph) for each in item.blocks) > 1 for item in block.items)


@pass_context
def table_class(context: Context, table: Table) -> str:
    """Return how a table is set, from how many columns it has and how long their texts are.

    ``wide`` and ``widest`` are set closely, ``across`` spans the columns of the page, and so do
    they; ``short`` is not broken.
    """
    rows = (*table.head, *table.body, *table.foot)
    columns = max((sum(cell.colspan for cell in row) for row in rows), default=0)
    if columns > 6:
        return "widest" if columns > 12 else "wide"
    paper = context.get("paper")
    if isinstance(paper, PageGeometry) and paper.columns > 1 and _is_long(rows, paper):
        return "across"
    return "short" if len(rows) <= MOST_KEPT and columns else "table"


def _is_long(rows: Sequence[Sequence[Cell]], paper: PageGeometry) -> bool:
    """Say whether a column of the page is too narrow for a table's texts."""
    widths: dict[int, int] = {}
    for row in islice(rows, 200):
        for place, cell in enumerate(row):
            text = " ".join(plain_text(b.spans) for b in cell.blocks if isinstance(b, Paragraph))
            widths[place] = max(widths.get(place, 0), min(len(text), LONG_CELL))
    character = CHARACTER_WIDTH * paper.font_size * UNITS["pt"] * 0.86
    return sum(widths.values()) + 3 * len(widths) > 1.1 * paper.column_width / character
