"""The sandboxed environment of templates, with a time limit, filters and tests.

Themes may come from strangers, so templates see only the values they are given.  Their CPU time is
checked on iterations, on calls, and when templates are included.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache
from itertools import compress, groupby, islice, pairwise
from math import ceil, inf
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    nodes,
    pass_context,
    pass_environment,
)
from jinja2.exceptions import SecurityError
from jinja2.filters import make_attrgetter
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from ..article import (
    Block,
    Cell,
    Code,
    Figure,
    Heading,
    Item,
    List,
    Paragraph,
    Post,
    Row,
    Rule,
    Table,
    iter_text,
    plain_text,
    walk,
)
from ..errors import RenderError, UsageError
from ..text import count_columns
from ..themes.loader import BASE_THEME, Theme, builtin_folder
from ..themes.page import CHARACTER_WIDTH, PageGeometry
from ..urls import is_http
from .figures import FigurePlacer, FigureRow, arrange
from .inline import breakable, breakable_url, highlight, mark_symbols, no_break_spaces
from .links import display_url
from .markup import attributes, escape_text, printable, strip_brackets, valid_language
from .roles import MAX_LINE_CHARS, find_roles

#: An article of 20,000 paragraphs takes two seconds of CPU time.
TIME_LIMIT = 30.0


def fill(theme: Theme, name: str, **values: object) -> str:
    """Fill a template of a theme with values.

    Raise :class:`UsageError` if it is faulty or takes too much memory, :class:`RenderError` if it
    takes too much time.
    """
    try:
        template = _theme_environment(theme.folders).get_template(f"{name}.html.j2")
        with limited_time():
            return template.render(values)
    except _OutOfTime as error:
        raise RenderError(
            f"filling a template of the theme {theme.name} took longer than {TIME_LIMIT:g} s",
            hint="The article is too long to print, or the theme is faulty",
        ) from error
    except TemplateError as error:
        place = f"{error.filename}:{error.lineno}" if isinstance(error, TemplateSyntaxError) else ""
        reason = str(error).rstrip(".")
        message = f"a template of the theme {theme.name} is faulty: {reason}"
        raise UsageError(message, hint=f"See {place}" if place else "") from error
    except (MemoryError, RecursionError) as error:
        raise UsageError(
            f"a template of the theme {theme.name} produces too much output"
        ) from error
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UsageError(f"a template of the theme {theme.name} is faulty: {error}") from error


def environment(folders: tuple[Path, ...] = ()) -> SandboxedEnvironment:
    """Return an environment that looks up templates in the folders, then in the base theme."""
    return SandboxedEnvironment(
        loader=FileSystemLoader([*folders, builtin_folder() / BASE_THEME, builtin_folder()]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=16)
def _theme_environment(folders: tuple[Path, ...]) -> SandboxedEnvironment:
    env = environment(folders)
    env.filters.update(
        kind=lambda block: type(block).__name__,
        plain=plain_text,
        clean=printable,
        breakable=breakable,
        display_url=display_url,
        # For metadata (W3C profile of ISO 8601): with a time only if it has a zone.
        metadata_date=lambda date: date if _TIME_ZONE.search(date) else date.partition("T")[0],
        address=lambda url: breakable_url(display_url(url)),
        lang=valid_language,
        code=highlight,
        strip_brackets=strip_brackets,
        no_break_spaces=no_break_spaces,
        mark_symbols=mark_symbols,
        wrap_initial=_wrap_initial,
        wrap_opening=_wrap_opening,
        wrap_emoji=_wrap_emoji,
        groupby_run=_group_runs,
        is_web=is_http,
        code_attributes=code_attributes,
        page_number=_page_number,
        page_reference=_page_reference,
        table_class=table_class,
        table_parts=table_parts,
        has_room_for_amounts=has_room_for_amounts,
        list_class=list_class,
        arrange_figures=arrange_figures,
        roles=find_roles,
    )
    env.tests.update(
        without_content=is_without_content,
        short_box=lambda block: sum(map(len, iter_text(block))) <= MAX_UNBROKEN_BOX_CHARS,
        short_post=lambda post: _count_lines(post) <= MAX_UNBROKEN_POST_LINES,
        long_row=is_long_row,
        lone_row=_may_stand_alone,
        amount=is_amount,
        long_item=lambda item: _count_lines(item) > MAX_BOUND_ITEM_LINES,
    )
    return env


@pass_environment
def _group_runs(env: Environment, parts: Iterable[Any], name: str) -> list[tuple[Any, list[Any]]]:
    """Group successive parts with the same value of an attribute that the sandbox allows."""
    runs = groupby(parts, key=make_attrgetter(env, name))
    return [(value, list(run)) for value, run in runs]


class _OutOfTime(SecurityError):
    """The time of a document's templates is used up."""


#: Iterations and calls between two checks of the time.
_CHECK_INTERVAL = 64


class _Deadline:
    """The CPU time left for the templates of one document."""

    def __init__(self) -> None:
        self._end = time.thread_time() + TIME_LIMIT
        self._steps = 0

    def check(self) -> None:
        """Count a step; raise _OutOfTime if no time is left."""
        self._steps += 1
        if not self._steps % _CHECK_INTERVAL and time.thread_time() > self._end:
            raise _OutOfTime


_deadline: ContextVar[_Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def limited_time() -> Iterator[None]:
    """Limit the time of all templates rendered in the context."""
    previous = _deadline.set(_Deadline())
    try:
        yield
    finally:
        _deadline.reset(previous)


def _check_time() -> None:
    if deadline := _deadline.get():
        deadline.check()


_TIMED = "timed"


class SandboxedEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox whose templates have a time limit inside :func:`limited_time`."""

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters[_TIMED] = _check_iterations

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        """Send every loop through a filter that checks the time."""
        template = super()._parse(source, name, filename)
        for loop in template.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, _TIMED, [], [], None, None, lineno=loop.lineno)
            loop.iter.set_environment(self)
        return template

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as it is called
        """Check the time on a call of a macro or anything else."""
        _check_time()
        return super().call(__context, __obj, *args, **kwargs)

    def join_path(self, template: str, parent: str) -> str:
        """Check the time when a template is included."""
        _check_time()
        return super().join_path(template, parent)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Multiply unless the product is too large."""
        if _is_too_large(operator, left, right):
            raise SecurityError("a number or text became too large")
        return super().call_binop(context, operator, left, right)


@pass_context  # Prevents evaluation when the template is compiled.
def _check_iterations(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    del context
    for item in items:
        _check_time()
        yield item


MAX_NUMBER_BITS = 10_000
#: Characters or items.
MAX_PRODUCT_LENGTH = 10_000_000


def _is_too_large(operator: str, left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length()
        product = bits * abs(right) if operator == "**" else bits + right.bit_length()
        return product > MAX_NUMBER_BITS
    sequence, times = (left, right) if isinstance(right, int) else (right, left)
    if not (isinstance(sequence, Sized) and isinstance(times, int)):
        return False
    return len(sequence) * times > MAX_PRODUCT_LENGTH


_TIME_ZONE = re.compile(r"(?:Z|[+-]\d\d:\d\d)$")


def _wrap_initial(html: Markup) -> Markup:
    """Return the HTML of a paragraph with its first letter in an element of its own."""
    if html[:1].isalpha() and not unicodedata.combining(html[1:2] or "x"):
        # The letter is not markup, and the rest is escaped already.
        return Markup(f'<span class="initial">{html[0]}</span>{html[1:]}')  # noqa: S704
    return html


_LATIN = "A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ"
#: The first words of a paragraph in HTML, up to a punctuation mark or an element.  In other scripts
#: they would be set in small capitals only where they are Latin.
_OPENING = re.compile(rf"[{_LATIN}][{_LATIN}\d'’-]*(?: [{_LATIN}\d'’-]+){{1,4}}(?=[ ,.;:])")


def _wrap_opening(html: Markup) -> Markup:
    """Return the HTML of a paragraph with its first words in an element of their own."""
    if words := _OPENING.match(html):
        # Whole words without markup or entities, and the rest is escaped already.
        return Markup(f'<span class="opening">{words[0]}</span>{html[words.end() :]}')  # noqa: S704
    return html


_EMOJI = re.compile(
    "(?:[\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]|[#*0-9]\ufe0f\u20e3)"
    "[\u200d\ufe0f\u20e3\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]*"
)


def _wrap_emoji(text: str) -> Markup:
    """Return text as HTML with its emoji, blank in small capitals, in elements of their own."""
    html = str(escape_text(text))
    return Markup(_EMOJI.sub(r'<span class="emoji">\g<0></span>', html))  # noqa: S704


def _page_number(label: str, pages: int = 0) -> Markup:
    """Return 'page {page} of {pages}' as CSS content; without ``pages`` these are counted."""
    before, _, remainder = label.partition("{page}")
    between, _, after = remainder.partition("{pages}")
    total = f'"{pages}"' if pages else "counter(pages)"
    return Markup(f'"{before}" counter(page) "{between}" {total} "{after}"')  # noqa: S704


def _page_reference(label: str) -> Markup:
    """Return 'p. {page}' as CSS content, for the page of a link's target."""
    before, _, after = label.partition("{page}")
    return Markup(f'"{before}" target-counter(attr(href url), page) "{after}"')  # noqa: S704


@pass_context
def arrange_figures(context: Context, run: tuple[Block, ...]) -> tuple[Block | FigureRow, ...]:
    """Return blocks with adjacent figures in rows; without rows in the preview."""
    placer = context.get("picture")
    return arrange(placer, run) if isinstance(placer, FigurePlacer) else run


MAX_UNBROKEN_CODE_LINES = 12
#: Code that spans the columns of a page is not broken.
MAX_SPANNING_CODE_LINES = 24
#: A line of this many characters must fit in the width of a page.
CODE_COLUMNS = 80
CODE_SIZE_REM = 0.72
MIN_CODE_SIZE_REM = 0.56
MIN_CODE_SIZE_PT = 5.8
MAX_CODE_HANG_MM = 8.0
LIST_INDENT_REM = 1.6
CODE_ADVANCE_EM = 0.603
CODE_PADDING_EM = 1.5


@pass_context
def code_attributes(context: Context, block: Code) -> Markup:
    """Return the class and style of code: ``short`` is unbroken, ``full`` not indented in lists."""
    lines = _code_lines(block)
    classes = ["short"] if len(lines) < MAX_UNBROKEN_CODE_LINES else []
    geometry = context.get("paper")
    style = ""
    if isinstance(geometry, PageGeometry):
        width, hang, size = _fit_code(lines, geometry)
        if width > geometry.column_width:
            classes = ["short", "across"]
        size = next((common for common in context.get("code_sizes", ()) if common <= size), size)
        style = f"font-size: {size:.3f}rem" if size < CODE_SIZE_REM else ""
        style += f"; margin-right: -{hang:.2f}mm" if hang else ""
        columns = _count_columns(lines)
        if _code_size(geometry, width - LIST_INDENT_REM * geometry.em, columns) < CODE_SIZE_REM:
            classes.append("full")
    return attributes(class_=" ".join(classes), style=style)


#: Smaller type is used only where lines do not fit otherwise.
MIN_COMMON_CODE_SIZE_REM = 0.6


def common_code_sizes(blocks: Iterable[Code], geometry: PageGeometry) -> tuple[float, ...]:
    """Return the sizes of the code of a document: one, and a smaller one for very long lines."""
    sizes = {_fit_code(_code_lines(block), geometry)[2] for block in blocks}
    usual = min((size for size in sizes if size >= MIN_COMMON_CODE_SIZE_REM), default=CODE_SIZE_REM)
    return tuple(sorted({usual, min(sizes, default=usual)}, reverse=True))


def _code_lines(block: Code) -> list[str]:
    return block.text.expandtabs(4).split("\n")


def _count_columns(lines: Sequence[str]) -> int:
    return min(max(map(len, lines)), CODE_COLUMNS)


def _fit_code(lines: Sequence[str], geometry: PageGeometry) -> tuple[float, float, float]:
    """Return the width of code, its hang into the margin, and its type size in rems.

    Lines of ``CODE_COLUMNS`` fit by smaller type, then a hang, then the width of the page.
    """
    columns, hang, width = _count_columns(lines), 0.0, geometry.column_width
    is_narrow = geometry.columns > 1 and len(lines) <= MAX_SPANNING_CODE_LINES
    if is_narrow and _code_size(geometry, width, columns) < MIN_CODE_SIZE_REM:
        width = geometry.text_width
    min_size = max(MIN_CODE_SIZE_REM, MIN_CODE_SIZE_PT / geometry.font_size)
    if _code_size(geometry, width, columns) < min_size and width == geometry.text_width:
        hang = min(MAX_CODE_HANG_MM, geometry.margins[1] / 2)
    size = max(_code_size(geometry, width + hang, columns), min_size)
    return width, hang, min(CODE_SIZE_REM, size)


def _code_size(geometry: PageGeometry, width: float, columns: int) -> float:
    """Return the font size, in rems, at which a line of ``columns`` characters fits in a width."""
    return width / ((columns * CODE_ADVANCE_EM + CODE_PADDING_EM) * geometry.em)


MAX_UNBROKEN_CELL_CHARS = 400


def is_long_row(row: Sequence[Cell]) -> bool:
    """Return whether a row of a table is long enough to be broken between pages."""
    return any(len("".join(iter_text(*cell.blocks))) > MAX_UNBROKEN_CELL_CHARS for cell in row)


#: A row of as many lines may stand alone on a page.
MIN_LONE_ROW_LINES = 5
#: The usual number of characters of a line in a cell.
MAX_CELL_LINE_CHARS = 40


def _may_stand_alone(row: Sequence[Cell]) -> bool:
    """Return whether a row of a table has enough lines to stand alone on a page."""
    texts = (iter_text(*cell.blocks) for cell in row)
    counts = (sum(ceil(len(text) / MAX_CELL_LINE_CHARS) for text in cell) for cell in texts)
    begins_group = any(cell.rowspan > 1 for cell in row)
    return not begins_group and max(counts, default=0) >= MIN_LONE_ROW_LINES


#: The longest is a date, as '14 Mar 2026'.
MAX_AMOUNT_CHARS = 11
MAX_AMOUNT_WORDS = 3
_NUMBER = re.compile(r"\d")


def is_amount(cell: Cell) -> bool:
    """Return whether a cell is a number with a short unit, as '36 months', or a short date."""
    text = " ".join(iter_text(*cell.blocks))
    is_short = count_columns(text) <= MAX_AMOUNT_CHARS and len(text.split()) <= MAX_AMOUNT_WORDS
    return is_short and not cell.header and not text.isupper() and bool(_NUMBER.search(text))


@pass_context
def has_room_for_amounts(context: Context, table: Table) -> bool:
    """Return whether each amount of a table can stand on one line."""
    geometry = context.get("paper")
    if not isinstance(geometry, PageGeometry):
        return False
    lengths = _longest_words(table, keep_amounts=True)
    needed = sum(TABLE_ADVANCE_EM * length + TABLE_PADDING_EM for length in lengths)
    return TABLE_SIZE_REM * needed <= geometry.column_width / geometry.em


def is_without_content(block: Heading, following: Sequence[Block]) -> bool:
    """Return whether a heading has no content, as at the end of a part or in a list of headings."""
    levels = [part.level if isinstance(part, Heading) else 7 for part in (*following[:2], Rule())]
    return levels[0] < block.level or (levels[0] == block.level and levels[1] <= block.level)


MAX_UNBROKEN_ITEMS = 8
MAX_UNBROKEN_LIST_LINES = 8
#: Items of fewer characters, on average, are a line at most.
MAX_TERSE_ITEM_CHARS = 80


def list_class(block: List) -> str:
    """Return the CSS classes of a list.

    A ``collection`` has no marks, a ``loose`` list mostly items of several parts; a ``short``
    one is kept on one page, a ``terse`` one is not justified.
    """
    lengths = [sum(map(len, iter_text(*item.blocks))) for item in block.items]
    is_terse = sum(lengths) <= MAX_TERSE_ITEM_CHARS * len(lengths)
    if block.is_collection:
        return "collection terse" if is_terse else "collection"
    long_items = sum(
        sum(not isinstance(child, List) for child in item.blocks) > 1 for item in block.items
    )
    is_loose = 2 * long_items > len(lengths)
    is_short = (
        len(lengths) <= MAX_UNBROKEN_ITEMS
        and sum(_count_lines(item) for item in block.items) <= MAX_UNBROKEN_LIST_LINES
    )
    return " ".join(compress(("loose", "short", "terse"), (is_loose, is_short, is_terse)))


def _count_lines(item: Item | Post) -> float:
    """Return roughly the number of lines of a part on the usual page, infinity with a picture."""
    if any(isinstance(block, Figure) for block in walk(item.blocks)):
        return inf
    lines = (line for text in iter_text(*item.blocks) for line in text.split("\n"))
    return sum(ceil(len(line) / MAX_LINE_CHARS) for line in lines)


#: An item of more lines may stand alone on a page.
MAX_BOUND_ITEM_LINES = 2
MAX_UNBROKEN_BOX_CHARS = 600
MAX_UNBROKEN_POST_LINES = 5
MAX_UNBROKEN_ROWS = 12
MAX_UNBROKEN_TABLE_CHARS = 600
#: The width of a character of a column's longest word.
WORD_ADVANCE_EM = 0.52
TABLE_PADDING_EM = 0.8
TABLE_SIZE_REM = 0.86
WIDE_TABLE_SIZE_REM = 0.72
#: How many times the width of the page the words of a wide table may need.
MAX_SQUEEZED = 1.3


@pass_context
def table_class(context: Context, table: Table) -> str:
    """Return the CSS class of a table, by the number of columns and the length of their texts.

    ``wide``, ``widest`` and ``across`` ones span columns; ``short`` ones are kept on one page.
    """
    rows = table.rows
    columns = max((sum(cell.colspan for cell in row) for row in rows), default=0)
    geometry = context.get("paper")
    room = needed = 0.0
    if isinstance(geometry, PageGeometry) and columns > 3:
        room = geometry.text_width / geometry.em
        needed = sum(WORD_ADVANCE_EM * word + TABLE_PADDING_EM for word in _longest_words(table))
    if columns > 12 or (columns > 6 and WIDE_TABLE_SIZE_REM * needed > MAX_SQUEEZED * room):
        return "widest"
    if columns > 6 or TABLE_SIZE_REM * needed > room:
        return "wide"
    has_columns = isinstance(geometry, PageGeometry) and geometry.columns > 1
    if has_columns and _is_wider_than_column(rows, geometry):
        return "across"
    is_short = (
        len(rows) <= MAX_UNBROKEN_ROWS
        and len("".join(iter_text(table))) <= MAX_UNBROKEN_TABLE_CHARS
    )
    return "short" if is_short and columns else "table"


#: The width of the widest characters.
TABLE_ADVANCE_EM = 0.6
ROTATED_TABLE_SIZE_REM = 0.75
SPANNING_TABLE_SIZE_REM = 0.55
MAX_PARTED_CELLS = 5_000


@pass_context
def table_parts(context: Context, table: Table) -> tuple[Table, ...]:
    """Return a very wide table in parts that fit; each begins with the first column."""
    geometry = context.get("paper")
    cells = [cell for row in table.rows for cell in row]
    has_spans = any(cell.colspan > 1 or cell.rowspan > 1 for cell in cells)
    if has_spans or not isinstance(geometry, PageGeometry) or len(cells) > MAX_PARTED_CELLS:
        return (table,)
    words = _longest_words(table)
    if len(words) < 3 or table_class(context, table) != "widest":
        return (table,)
    first, *widths = (TABLE_ADVANCE_EM * word + TABLE_PADDING_EM for word in words)
    line = geometry.text_height if geometry.columns == 1 else geometry.text_width
    size = ROTATED_TABLE_SIZE_REM if geometry.columns == 1 else SPANNING_TABLE_SIZE_REM
    room = line / (geometry.em * size) - first
    count = min(len(widths), ceil(sum(widths) / max(room, 1.0)))
    ends = [1 + len(widths) * number // count for number in range(count + 1)]
    return tuple(
        replace(
            table,
            head=_take_columns(table.head, start, end),
            body=_take_columns(table.body, start, end),
            foot=_take_columns(table.foot, start, end),
            caption_spans=table.caption_spans if start == 1 else (),
            id=table.id if start == 1 else "",
        )
        for start, end in pairwise(ends)
    )


def _take_columns(rows: Sequence[Row], start: int, end: int) -> tuple[Row, ...]:
    """Return rows of their first cells and those from ``start`` to ``end``."""
    return tuple((*row[:1], *row[start:end]) for row in rows)


#: Where a name may be broken, after punctuation.
_IN_NAMES = re.compile(r"(?<=[_./=+:&?@-])(?=[^\W\d])")


def _longest_words(table: Table, *, keep_amounts: bool = False) -> list[int]:
    """Return the lengths of the longest words, or unbroken parts of names, of each column."""
    lengths: list[int] = []
    for row in table.rows:
        for column, cell in enumerate(row):
            text = " ".join(iter_text(*cell.blocks))
            words = [text] if keep_amounts and is_amount(cell) else text.split()
            length = max((len(part) for word in words for part in _IN_NAMES.split(word)), default=0)
            if column == len(lengths):
                lengths.append(length)
            lengths[column] = max(lengths[column], length)
    return lengths


MAX_CELL_WIDTH_CHARS = 28


def _is_wider_than_column(rows: Sequence[Sequence[Cell]], geometry: PageGeometry) -> bool:
    widths: dict[int, int] = {}
    for row in islice(rows, 200):
        for column, cell in enumerate(row):
            text = " ".join(plain_text(b.spans) for b in cell.blocks if isinstance(b, Paragraph))
            widths[column] = max(widths.get(column, 0), min(len(text), MAX_CELL_WIDTH_CHARS))
    character = CHARACTER_WIDTH * TABLE_SIZE_REM * geometry.em
    return sum(widths.values()) + 3 * len(widths) > 1.1 * geometry.column_width / character
