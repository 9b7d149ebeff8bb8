"""The sandboxed environment of templates, with a time limit, filters and tests.

Themes may come from strangers, so templates see only the values they are given.  Their CPU time is
checked on iterations, on calls, and when templates are included.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import lru_cache
from itertools import compress, groupby, islice, pairwise
from math import ceil, inf
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
    Figure,
    Heading,
    Item,
    List,
    Math,
    Paragraph,
    Post,
    Row,
    Rule,
    Span,
    Table,
    has_mark_throughout,
    is_eyebrow,
    iter_text,
    plain_text,
    walk,
)
from ..errors import RenderError, UsageError
from ..text import COLONS, count_columns
from ..themes.loader import BASE_THEME, Theme, builtin_folder
from ..themes.page import CHARACTER_WIDTH, UNITS, PageGeometry
from ..urls import is_http
from .figures import FigurePlacer, FigureRow, arrange
from .inline import breakable, breakable_url, highlight, mark_symbols, no_break_spaces
from .links import display_url
from .markup import attributes, printable, strip_brackets, valid_language

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
        raise UsageError(f"a template of theme {theme.name} produces too much output") from error
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UsageError(f"a template of the theme {theme.name} is faulty: {error}") from error


@lru_cache(maxsize=16)
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
        written=display_url,
        # For metadata (W3C profile of ISO 8601): with a time only if it has a zone.
        moment=lambda date: date if _TIME_ZONE.search(date) else date.partition("T")[0],
        address=lambda url: breakable_url(display_url(url)),
        lang=valid_language,
        code=highlight,
        sign=strip_brackets,
        spaced=no_break_spaces,
        signs=mark_symbols,
        initial=_wrap_initial,
        opening=_wrap_opening,
        groupby_run=lambda parts, name: [
            (value, list(run)) for value, run in groupby(parts, key=attrgetter(name))
        ],
        is_web=is_http,
        code_attributes=code_attributes,
        page_number=_page_number,
        page_reference=_page_reference,
        table_class=table_class,
        table_parts=table_parts,
        list_class=list_class,
        arranged=arrange_figures,
        entries=find_entries,
        labels=find_labels,
    )
    env.tests.update(
        bare=is_bare,
        brief=lambda block: sum(map(len, iter_text(block))) <= MAX_UNBROKEN_BOX_CHARS,
        few_lines=lambda post: _count_lines(post) <= MAX_UNBROKEN_POST_LINES,
        eyebrow=is_eyebrow,
        long=is_long_row,
        lengthy=lambda item: _count_lines(item) > MAX_BOUND_ITEM_LINES,
        titling=is_code_title,
        introducing=introduces,
        naming=heads_entries,
        verse=is_verse,
        numbering=is_formula_number,
    )
    return env


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
            raise SecurityError("it makes a number or a text that is too large")
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


#: The first words of a paragraph in HTML, up to a punctuation mark or an element.
_OPENING = re.compile(r"[^\W\d_][\w'’-]*(?: [\w'’-]+){1,4}(?=[ ,.;:])")


def _wrap_opening(html: Markup) -> Markup:
    """Return the HTML of a paragraph with its first words in an element of their own."""
    if words := _OPENING.match(html):
        # Whole words without markup or entities, and the rest is escaped already.
        return Markup(f'<span class="opening">{words[0]}</span>{html[words.end() :]}')  # noqa: S704
    return html


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
        if _code_size(geometry, width - LIST_INDENT_REM * _em(geometry), columns) < CODE_SIZE_REM:
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
    return width / ((columns * CODE_ADVANCE_EM + CODE_PADDING_EM) * _em(geometry))


def _em(geometry: PageGeometry) -> float:
    return geometry.font_size * UNITS["pt"]


#: The name of a file or a language above code.
MAX_CODE_LABEL_CHARS = 40
_FILE_NAME = re.compile(r"[\w.~@/\\-]*\.[A-Za-z]\w{0,9}")


def is_code_title(block: Paragraph, following: Block | None) -> bool:
    """Return whether a paragraph is the title of code: its language or the name of its file."""
    text = plain_text(block.spans).strip()
    if not isinstance(following, Code) or not 0 < len(text) <= MAX_CODE_LABEL_CHARS:
        return False
    is_language = following.language and text.casefold() == following.language.casefold()
    return bool(is_language or _FILE_NAME.fullmatch(text))


#: A line of a list without a label, or one that introduces the next block.
MAX_BARE_LINE_CHARS = 48
MAX_TABLE_LABEL_CHARS = 120
#: A bold text of this length before a list, or one below a heading, introduces the list.
MAX_LIST_LEAD_CHARS = 144


def introduces(
    block: Paragraph, following: Block | FigureRow | None, before: Block | None = None
) -> bool:
    """Return whether a paragraph introduces the next block and is kept with it.

    It ends in a colon, or is a short line before code, below a heading, at the beginning of an
    item, or above a table, or before a list one without final punctuation, a bold one or the only
    text below a heading.
    """
    text = plain_text(block.spans).rstrip()
    is_short = len(text) <= MAX_BARE_LINE_CHARS
    is_line = is_short or (len(text) <= MAX_LINE_CHARS and isinstance(before, Heading))
    is_lead = len(text) <= MAX_LIST_LEAD_CHARS and (
        isinstance(before, Heading) or has_mark_throughout(block.spans, "strong")
    )
    if isinstance(following, Paragraph | Figure) and is_line and isinstance(before, Heading | None):
        return True
    if isinstance(following, Table) and len(text) <= MAX_TABLE_LABEL_CHARS:
        return True
    if isinstance(following, Heading | Rule | None):
        return False
    is_name = is_short and text[-1:].isalnum()
    return (
        text.endswith(COLONS)
        or (is_short and isinstance(following, Code))
        or ((is_name or is_lead) and isinstance(following, List))
    )


def find_labels(blocks: Sequence[Block | FigureRow], entries: frozenset[int]) -> frozenset[int]:
    """Return the indices of headings not marked up as such.

    Of the bold lines, and of the lines above running text, all are headings or none is.
    """
    paragraphs = {i: block for i, block in enumerate(blocks) if isinstance(block, Paragraph)}
    labels = {i for i, b in paragraphs.items() if is_label(b, (*blocks[i + 1 : i + 2], None)[0])}
    bold = {i for i in labels if "strong" in paragraphs[i].spans[0].marks}
    sentences = {i for i in bold if _SENTENCE.fullmatch(plain_text(paragraphs[i].spans))}
    if len(bold) == 1 or sentences != bold:  # The author stressed them.
        labels -= sentences
    lines = _lines_above_text(paragraphs, entries, bold)
    headed = labels & lines
    if 2 * len(headed) < len(lines) or 3 * len(headed - entries) < len(headed):
        return frozenset(labels - entries - lines)
    # The first of two lines above a text is no entry of a list, either.
    above = {i - 1 for i in lines if i - 1 in entries and i - 2 not in entries}
    above = {i for i in above if not (has_short_lines(blocks[i]) or is_labeled_line(blocks[i]))}
    return frozenset((labels - entries) | lines | above)


def _lines_above_text(
    paragraphs: Mapping[int, Paragraph], entries: frozenset[int], bold: Set[int]
) -> set[int]:
    """Return the lines that would be headings of the longer paragraphs below, were they longer."""
    texts = {i for i, b in paragraphs.items() if i not in entries | bold and not _is_entry(b)}
    lines = paragraphs.keys() & {i - 1 for i in texts} - bold
    lengths = {i: len(plain_text(block.spans)) for i, block in paragraphs.items()}
    return {i for i in lines if is_label(paragraphs[i], _LONG_TEXT) and lengths[i] < lengths[i + 1]}


#: A sentence of five words or more, and no title with a subtitle.
_SENTENCE = re.compile(r"(?:[^\s:：–—]+\s){4,}[^\s:：–—]+\.|[^:：—]{12,}。")
MAX_BOLD_LABEL_CHARS = 90
#: A line in brackets, as Japanese headings are.
_BRACKETED = re.compile(r"[＜〈《【].{1,30}[＞〉》】]")
MAX_PLAIN_LABEL_CHARS = 64
MIN_LABELED_CHARS = 80
MAX_QUESTION_CHARS = 360


def is_label(block: Paragraph, following: Block | FigureRow | None) -> bool:
    """Return whether a paragraph is a heading, though not marked up as one.

    It is a short bold line, perhaps with small print, a question before its answer, or a short line
    without final punctuation before code, a list or a paragraph.
    """
    text = plain_text(block.spans).strip()
    if isinstance(following, Heading | Rule | None) or not text or "\n" in text:
        return False
    if len(text) > MAX_BOLD_LABEL_CHARS:
        return _is_question(block, text, following)
    marks = [span.marks for span in block.spans if any(map(str.isalnum, span.text))]
    if marks and "strong" in marks[0]:
        return all({"strong", "small"} & {*part} for part in marks)
    if any(span.href or span.note or span.math for span in block.spans):
        return False
    if _BRACKETED.fullmatch(text):
        return isinstance(following, Paragraph)
    return _is_plain_label(text, following)


def _is_plain_label(text: str, following: Block | FigureRow) -> bool:
    """Return whether a line without marks is a heading: by its length and end, or its capitals."""
    is_capitals = " " in text and all(char.isupper() for char in text if char.isalpha())
    last = text.rstrip("’”»'\"")[-1:] if is_capitals else text[-1]
    is_line = last.isalnum() and count_columns(text) <= MAX_PLAIN_LABEL_CHARS
    if not is_line or not any(map(str.isalpha, text)):
        return False
    if isinstance(following, Code | List):
        is_named = isinstance(following, Code) or not text[0].islower()
        return is_named and len(text) <= MAX_CODE_LABEL_CHARS
    width = count_columns(text)
    min_width = 2 * width if is_capitals else max(2 * width, MIN_LABELED_CHARS)
    return (
        isinstance(following, Paragraph) and count_columns(plain_text(following.spans)) >= min_width
    )


#: In place of a text that is long enough for any label.
_LONG_TEXT = Paragraph((Span(MIN_LABELED_CHARS * "Text "),))


def _is_question(block: Paragraph, text: str, following: Block | FigureRow) -> bool:
    """Return whether a paragraph is an interviewer's question, set apart from the answer."""
    if len(text) > MAX_QUESTION_CHARS or not text.endswith(("?", "？", "؟", ";")):
        return False
    return isinstance(following, Paragraph) and any(
        has_mark_throughout(block.spans, mark) and not has_mark_throughout(following.spans, mark)
        for mark in ("strong", "em")
    )


def find_entries(blocks: Sequence[Block | FigureRow]) -> frozenset[int]:
    """Return the indices of the paragraphs that are lines of a list, an address or a greeting.

    They are short lines in a row, most of which have a label or do not end like a sentence.
    """
    found: set[int] = set()
    for is_line, group in groupby(range(len(blocks)), lambda i: _is_line(blocks[i])):
        entries = [i for i in group if is_line and _is_entry(blocks[i])]
        run = range(entries[0], entries[-1] + 1) if entries else range(0)
        if len(run) > 1 or any(has_short_lines(blocks[i]) for i in run):
            found.update(run if 2 * len(entries) > len(run) else ())
    return frozenset(found)


def _is_line(block: Block | FigureRow) -> bool:
    """Return whether a paragraph may be a line of a list; one with a label may be longer."""
    if not isinstance(block, Paragraph) or block.standfirst:
        return False
    is_short = count_columns(plain_text(block.spans)[: MAX_LINE_CHARS + 1]) <= MAX_LINE_CHARS
    is_line = is_short and not has_mark_throughout(block.spans, "strong")
    return is_line or has_short_lines(block) or is_labeled_line(block, MAX_LONG_ENTRY_CHARS)


def _is_entry(block: Block | FigureRow) -> bool:
    """Return whether a line has a label, or several parts, or does not end like a sentence."""
    if not isinstance(block, Paragraph):
        return False
    end = plain_text(block.spans).rstrip(" ’”»'\"")[-1:]
    is_open = end not in ".!?…。！？۔।:："
    return is_open or has_short_lines(block) or is_labeled_line(block, MAX_LONG_ENTRY_CHARS)


#: A line that fits in the width of the usual page.
MAX_LINE_CHARS = 72
#: A line with a label next to other such lines.
MAX_LONG_ENTRY_CHARS = 180
#: A label with what it labels, as in "Type: text", or a numbered line.
_ENTRY = re.compile(
    r"(?:([0-9]{1,3}[.)] )|[^\W\d_][^:：.!?。\n]{0,30}(?:[:：](?!//) ?| → ))\S[^\n]*"
)


def is_labeled_line(block: Block | FigureRow | None, max_chars: int = MAX_LINE_CHARS) -> bool:
    """Return whether a paragraph is numbered or 'Label: value' rather than a sentence."""
    text = plain_text(block.spans).strip() if isinstance(block, Paragraph) else ""
    entry = _ENTRY.fullmatch(text) if len(text) <= max_chars else None
    is_bold = isinstance(block, Paragraph) and "strong" in block.spans[0].marks
    is_sentence = text.endswith((".", "!", "?", "…")) and not (is_bold or " → " in text)
    return entry is not None and (bool(entry[1]) or not is_sentence)


def heads_entries(block: Paragraph, following: Block | FigureRow | None) -> bool:
    """Return whether a line names the entry that the 'Label: value' lines below describe."""
    return not is_labeled_line(block) and is_labeled_line(following, MAX_LONG_ENTRY_CHARS)


MAX_UNBROKEN_CELL_CHARS = 400


def is_long_row(row: Sequence[Cell]) -> bool:
    """Return whether a row of a table is long enough to be broken between pages."""
    return any(len("".join(iter_text(*cell.blocks))) > MAX_UNBROKEN_CELL_CHARS for cell in row)


def is_bare(block: Heading, following: Sequence[Block]) -> bool:
    """Return whether a heading has no content, as at the end of a part or in a list of headings."""
    levels = [part.level if isinstance(part, Heading) else 7 for part in (*following[:2], Rule())]
    return levels[0] < block.level or (levels[0] == block.level and levels[1] <= block.level)


MAX_VERSE_LINE_CHARS = 64


def is_verse(block: Paragraph) -> bool:
    """Return whether a paragraph is verse: over two lines, three in four short, none very long."""
    lengths = [len(line) for line in plain_text(block.spans).strip().split("\n")]
    long_lines = sum(length > MAX_VERSE_LINE_CHARS for length in lengths)
    return (
        len(lengths) > 2
        and 4 * long_lines <= len(lengths)
        and max(lengths) <= 4 * MAX_VERSE_LINE_CHARS
    )


def has_short_lines(block: Block | FigureRow) -> bool:
    """Return whether a paragraph has several lines, most short enough for a line of the page."""
    lines = plain_text(block.spans).strip().split("\n") if isinstance(block, Paragraph) else ()
    long_lines = sum(len(line) > MAX_VERSE_LINE_CHARS for line in lines)
    return len(lines) > 1 and 2 * long_lines < len(lines)


_FORMULA_NUMBER = re.compile(r"\(\s?\d{1,3}(?:\.\d{1,3})?[a-z]?\s?\)")


def is_formula_number(block: Block, previous: Block) -> bool:
    """Return whether a block is the number of the formula before it, such as (3)."""
    if not (isinstance(block, Paragraph) and isinstance(previous, Math)):
        return False
    return bool(_FORMULA_NUMBER.fullmatch(plain_text(block.spans[:3])[:20].strip()))


MAX_UNBROKEN_ITEMS = 8
MAX_UNBROKEN_LIST_LINES = 8
#: Items of fewer characters, on average, are a line at most.
MAX_TERSE_ITEM_CHARS = 80


def list_class(block: List) -> str:
    """Return the CSS classes of a list.

    A ``collection`` has no marks, a ``loose`` list mostly items of several paragraphs; a ``short``
    one is kept on one page, a ``terse`` one is not justified.
    """
    lengths = [sum(map(len, iter_text(*item.blocks))) for item in block.items]
    is_terse = sum(lengths) <= MAX_TERSE_ITEM_CHARS * len(lengths)
    if block.style == "none":
        return "collection terse" if is_terse else "collection"
    long_items = sum(
        sum(isinstance(child, Paragraph) for child in item.blocks) > 1 for item in block.items
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
        room = geometry.text_width / _em(geometry)
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
TURNED_TABLE_SIZE_REM = 0.75
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
    size = TURNED_TABLE_SIZE_REM if geometry.columns == 1 else SPANNING_TABLE_SIZE_REM
    room = line / (_em(geometry) * size) - first
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


def _longest_words(table: Table) -> list[int]:
    """Return the lengths of the longest words, or unbroken parts of names, of each column."""
    lengths: list[int] = []
    for row in table.rows:
        for column, cell in enumerate(row):
            words = " ".join(iter_text(*cell.blocks)).split()
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
    character = CHARACTER_WIDTH * TABLE_SIZE_REM * _em(geometry)
    return sum(widths.values()) + 3 * len(widths) > 1.1 * geometry.column_width / character
