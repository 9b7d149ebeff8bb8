"""Articles as Markdown: CommonMark with GitHub's tables, footnotes and strikethrough."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

from ..article import (
    ZERO_WIDTH_SPACE,
    Article,
    Block,
    Code,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    List,
    Math,
    Note,
    Paragraph,
    Post,
    Quote,
    Row,
    Rule,
    Span,
    Spans,
    Table,
    plain_text,
    prefix_ids,
    walk,
)
from ..compose.math import mathml_to_tex
from ..files import load_json
from ..render.links import SCHEMES
from ..render.markup import printable, strip_brackets
from ..render.normalize import normalize_article
from .html import parse_mathml


def to_markdown(*articles: Article) -> str:
    """Return articles as Markdown with unique notes; only titles are first-level headings."""
    if articles[1:]:
        articles = tuple(
            replace(article, blocks=prefix_ids(article.blocks, f"{number}-"))
            for number, article in enumerate(articles, 1)
        )
    return "\n---\n\n".join(map(_article, articles))


def _article(article: Article) -> str:
    normalized, _ = normalize_article(article)
    attribution = [normalized.byline, normalized.published, normalized.source]
    url = _url(normalized.url)
    parts = (
        f"# {_text(normalized.title)}" if normalized.title else "",
        " · ".join(_text(text) for text in attribution if text),
        f"<{url}>" if url else "",
        _blocks(normalized.blocks),
        *(_note(block) for block in walk(normalized.blocks) if isinstance(block, Note)),
    )
    return _join(parts) + "\n"


def _join(parts: Iterable[str], separator: str = "\n\n") -> str:
    return separator.join(filter(None, parts))


def _blocks(blocks: tuple[Block, ...], *, tight: bool = False) -> str:
    return _join(map(_block, blocks), "\n" if tight else "\n\n")


def _block(block: Block) -> str:
    """Return a block, '' for a note, as notes are at the end of the article."""
    writer = _WRITERS.get(type(block))
    return writer(block) if writer is not None else ""


#: Characters that are markup only at the start of a line: headings, lists, rules, fences.
_AT_START = re.compile(
    r"^([ \t]*)(#{1,6}(?=\s|$)|[-+=](?=\s|$|[-=])|>|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE
)


def _paragraph(block: Paragraph) -> str:
    return _AT_START.sub(_escape_start, _inline(block.spans))


def _heading(block: Heading) -> str:
    return f"{'#' * block.level} {_one_line(_inline(block.spans))}"


def _math(block: Math) -> str:
    source = _tex(block.source)
    if source and "$" not in source:
        return f"$$\n{source}\n$$"
    is_tex = not block.source.startswith("<math")
    return _text(block.alt or (block.source if is_tex else ""))


def _list(block: List) -> str:
    tight = all(len(item.blocks) <= 1 or _is_tight(item.blocks) for item in block.items)
    items = []
    for number, item in enumerate(block.items, block.start):
        marker = f"{max(number, 0)}. " if block.ordered else "- "
        items.append(_indent(marker, _blocks(item.blocks, tight=tight)))
    return ("\n" if tight else "\n\n").join(items)


def _is_tight(blocks: tuple[Block, ...]) -> bool:
    return isinstance(blocks[0], Paragraph) and all(isinstance(b, List) for b in blocks[1:])


def _definitions(block: DefinitionList) -> str:
    entries = []
    for entry in block.entries:
        terms = (f"**{_one_line(_inline(term))}**\n" for term in entry.terms if plain_text(term))
        details = (_indent("- ", _blocks(blocks)) for blocks in entry.details)
        entries.append("\n".join((*terms, *details)))
    return "\n\n".join(entries)


def _quote(block: Quote) -> str:
    text = _blocks(block.blocks)
    if block.box and plain_text(block.cite):
        text = f"**{_one_line(_inline(block.cite))}**\n\n{text}"
    elif block.introduced:
        text = f"{_inline(block.cite)}\n\n{text}"
    elif block.cite:
        text += f"\n\n— {_inline(block.cite)}"
    return _quoted(text.strip("\n"))


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _post(block: Post) -> str:
    author, date = _text(block.author), _text(block.published)
    signature = ", ".join(filter(None, (f"**{author}**" if author else "", date)))
    text = _join((signature, _blocks(block.blocks)))
    for _ in range(block.depth):
        text = _quoted(text)
    return text


def _fenced_code(block: Code) -> str:
    code = printable(block.text)
    fence = "`" * max(3, _longest_backticks(code) + 1)
    name = block.language if re.fullmatch(r"[\w+#.-]{1,40}", block.language) else ""
    return f"{fence}{name}\n{code}\n{fence}"


def _longest_backticks(text: str) -> int:
    return max(map(len, re.findall(r"`+", text)), default=0)


_ALIGNMENTS = {"right": "--:", "end": "--:", "center": ":-:", "left": ":--"}


def _table(block: Table) -> str:
    rows = [_cells(row) for row in block.rows]
    if not rows:
        return ""
    width = max(map(len, rows))
    head, body = (rows[0], rows[1:]) if block.head else ([""] * width, rows)
    first = (block.head or block.body)[0]
    rule = [_ALIGNMENTS.get(cell.align, "---") for cell in first for _ in range(cell.colspan)]
    lines = [head, (rule + ["---"] * width)[:width], *body]
    table = "\n".join(f"| {' | '.join(line + [''] * (width - len(line)))} |" for line in lines)
    return _join((_inline(block.caption_spans), table))


def _cells(row: Row) -> list[str]:
    cells: list[str] = []
    for cell in row:
        text = "<br>".join(_one_line(_block(block)) for block in cell.blocks)
        cells += [text, *[""] * (cell.colspan - 1)]
    return cells


def _figure(block: Figure) -> str:
    url = _url(block.src)
    alt = _one_line(_text(block.alt or block.caption))
    caption = _inline(block.caption_spans) + (f" ({_text(block.credit)})" if block.credit else "")
    picture = f"![{alt}]({url})" if url else f"[{alt}]" if alt and not caption else ""
    caption = caption.strip()
    return _join((picture, f"*{caption}*" if caption and "*" not in caption else caption))


#: What of a formula Markdown reads as the beginning of a tag or an entity, and an escaped backslash
#: before letters, which would become a command.
_READ_BY_MARKDOWN = re.compile(r"<(?=[A-Za-z/!?])|&(?=#|\w{1,32};)|(?<!\\)(?:\\\\)+(?=[A-Za-z@])")
#: A space at the end, which without its blank would escape the sign that ends the formula.
_LAST_BACKSLASH = re.compile(r"(?<!\\)((?:\\\\)*)\\$")


def _tex(source: str) -> str:
    """Return a formula as TeX, with spaces where Markdown would read it as something else.

    A formula with commands that may do more than typeset it is ''.
    """
    if source.startswith("<math"):
        root = parse_mathml(source)
        source = mathml_to_tex(root) if root is not None else ""
    tex = _LAST_BACKSLASH.sub(r"\1", " ".join(printable(source).split()))
    return _READ_BY_MARKDOWN.sub(r"\g<0> ", tex) if _only_typesets(tex) else ""


#: The commands and environments of TeX that only typeset, as MathJax and KaTeX document them: none
#: that define commands or change how they are read, that load or style something, or that link to
#: anything but another formula.
_TEX: dict[str, Any] = load_json(__file__, "tex.json")
_TEX_COMMANDS = frozenset(" ".join(chain.from_iterable(_TEX["commands"].values())).split())
_TEX_ENVIRONMENTS = frozenset(" ".join(_TEX["environments"]).split())
_COMMAND = re.compile(r"\\([A-Za-z@]+|.)")
#: The beginning or end of an environment, whose variants end in a star.
_ENVIRONMENT = re.compile(r"\\(?:begin|end)(?![A-Za-z@])(?:\s*\{([A-Za-z]+)\*?\})?")
#: Characters by their codes, with which TeX can spell a command.
_SPELLED = re.compile(r"\\[A-Za-z@]*\^\^|\^\^[0-9a-f]{2}")


def _only_typesets(tex: str) -> bool:
    """Return whether all commands and environments of a formula are known to only typeset."""
    names = (match[1] for match in _COMMAND.finditer(tex))
    environments = (match[1] for match in _ENVIRONMENT.finditer(tex))
    return (
        all(name in _TEX_COMMANDS or not (name[0].isalpha() or name[0] == "@") for name in names)
        and all(name in _TEX_ENVIRONMENTS for name in environments)
        and _SPELLED.search(tex) is None
    )


def _embed(block: Embed) -> str:
    url = _url(block.url)
    attribution = _text(_join((block.author, block.published), " · "))
    if block.kind == "post" and block.blocks:
        source = f"[{attribution or _text(block.url)}]({url})" if url else attribution
        return _quoted(_join((_blocks(block.blocks), f"— {source}")))
    name = _text(block.title or block.url) or block.kind
    name += f" ({block.duration})" if block.duration else ""
    link = f"[{block.kind}: {name}]({url})" if url else f"{block.kind}: {name}"
    return _join((_blocks(block.blocks), link, attribution))


def _note(note: Note) -> str:
    return _indent(f"[^{_note_key(note.id)}]: ", _blocks(note.blocks), width=4)


def _note_key(name: str) -> str:
    return re.sub(r"[^\w-]", "-", name)[:60] or "note"


#: The delimiters of marks; marks without delimiters in Markdown are written as HTML.
_DELIMITERS = {"strong": ("**", "**"), "em": ("*", "*"), "del": ("~~", "~~"), "cite": ("*", "*")}


def _inline(spans: Spans) -> str:
    """Return spans as Markdown; adjacent spans with the same link share one link."""
    parts = []
    for href, run in groupby(spans, key=lambda span: span.href if not span.note else ""):
        text = "".join(map(_span, run))
        url = _url(href)
        parts.append(f"[{text}]({url})" if url and text.strip() else text)
    return "".join(parts).strip()


def _span(span: Span) -> str:
    if span.note:
        return f"[^{_note_key(span.note)}]" if strip_brackets(span.text) else ""
    if span.math and (source := _tex(span.math)) and "$" not in source:
        return f"${source}$"
    if "code" in span.marks and "\n" not in span.text:
        return _code(_clean(span.text))
    text = _text(span.text).replace("\n", "\\\n")
    if span.ruby:
        text += f" ({_text(span.ruby)})"
    # Delimiters must adjoin the text, so white space goes outside.
    content = text.strip()
    if not content:
        return text
    leading, trailing = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    for mark in reversed(span.marks):
        if mark in {"mark", "ins", "sub", "sup", "kbd"}:
            content = f"<{mark}>{content}</{mark}>"
        elif mark in _DELIMITERS and not content.startswith(_DELIMITERS[mark][0] + "*"):
            content = content.join(_DELIMITERS[mark])
    return leading + content + trailing


def _code(text: str) -> str:
    ticks = "`" * (_longest_backticks(text) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


#: Characters that are markup anywhere.
_ANYWHERE = re.compile(r"([\\`*_\[\]<>|~$])")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")


def _text(text: str) -> str:
    return _ENTITY.sub(r"\\&", _ANYWHERE.sub(r"\\\1", _clean(text)))


#: A zero-width space, except between the words of scripts without spaces.
_WITHIN_WORD = re.compile(f"(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]){ZERO_WIDTH_SPACE}")


def _clean(text: str) -> str:
    """Return printable text without break opportunities, which would break searches for words."""
    return _WITHIN_WORD.sub("", printable(text))


def _escape_start(match: re.Match[str]) -> str:
    indent, marker, number, stop = match.groups()
    return f"{indent}{number}\\{stop}" if number else f"{indent}\\{marker}"


_URL_ESCAPES = str.maketrans(
    {"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", '"': "%22"}
)


def _url(url: str) -> str:
    """Return a URL escaped for a link, '' if it is unsafe."""
    if not url.lower().startswith(SCHEMES):
        return ""
    return "".join(printable(url).translate(_URL_ESCAPES).split())


def _indent(marker: str, text: str, width: int = 0) -> str:
    indent = " " * (width or len(marker))
    first, *rest = text.split("\n")
    return "\n".join((marker + first, *(indent + line if line else "" for line in rest)))


def _one_line(text: str) -> str:
    return " ".join(text.replace("\\\n", " ").split())


_WRITERS: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    Heading: _heading,
    Code: _fenced_code,
    Figure: _figure,
    Math: _math,
    Embed: _embed,
    Rule: lambda _: "---",
    List: _list,
    DefinitionList: _definitions,
    Post: _post,
    Quote: _quote,
    Table: _table,
}
