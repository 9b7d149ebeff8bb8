"""Articles as Markdown: CommonMark with GitHub's tables, footnotes and strikethrough."""

from __future__ import annotations

import re
from itertools import groupby

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
    Quote,
    Row,
    Rule,
    Span,
    Spans,
    Table,
    plain_text,
    walk,
)
from ..render.limits import limit_article
from ..render.links import SCHEMES
from ..render.markup import printable, strip_brackets
from .math import to_tex

#: Characters that begin markup wherever they stand.
_ANYWHERE = re.compile(r"([\\`*_\[\]<>|~$])")

#: Markup that only the beginning of a line can be: headings, lists, rules, fences.
_AT_START = re.compile(
    r"^([ \t]*)(#{1,6}(?=\s|$)|[-+=](?=\s|$|[-=])|>|(\d{1,9})([.)])(?=\s|$))", re.MULTILINE
)

#: A zero-width space, but where a script has no other between words.
_WITHIN = re.compile(f"(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]){ZERO_WIDTH_SPACE}")

#: An ampersand that would be read as the beginning of a character's name.
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")

#: Marks and how they are written; those that Markdown has no sign for are HTML.
_SIGNS = {"strong": ("**", "**"), "em": ("*", "*"), "del": ("~~", "~~"), "cite": ("*", "*")}
_HTML = frozenset({"mark", "ins", "sub", "sup", "kbd"})
#: What begins HTML in Markdown.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def to_markdown(article: Article) -> str:
    """Return an article as Markdown, its title as the one heading of the first level."""
    sound, _ = limit_article(article)
    about = [sound.byline, sound.published, sound.site]
    lines = [
        f"# {_text(sound.title)}" if sound.title else "",
        " · ".join(_text(each) for each in about if each),
        f"<{_address(sound.url)}>" if _address(sound.url) else "",
        _blocks(sound.blocks),
        *(_note(block) for block in walk(sound.blocks) if isinstance(block, Note)),
    ]
    return "\n\n".join(line for line in lines if line) + "\n"


def _blocks(blocks: tuple[Block, ...], *, tight: bool = False) -> str:
    pieces = (_block(block) for block in blocks)
    return ("\n" if tight else "\n\n").join(piece for piece in pieces if piece)


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return _at_start(_inline(block.spans))
        case Heading():
            return f"{'#' * block.level} {_one_line(_inline(block.spans))}"
        case Code():
            return _fenced(printable(block.text), block.language)
        case Figure():
            return _figure(block)
        case Math():
            return _math(block)
        case Embed():
            return _embed(block)
        case Rule():
            return "---"
        case _:
            return _outer(block)


def _outer(block: Block) -> str:
    """Return a block that holds others; notes stand at the end of the article, not here."""
    match block:
        case List():
            return _list(block)
        case DefinitionList():
            return _definitions(block)
        case Quote():
            return _quote(block)
        case Table():
            return _table(block)
        case _:
            return ""


def _list(block: List) -> str:
    tight = all(len(item.blocks) <= 1 or _is_tight(item.blocks) for item in block.items)
    items = []
    for number, item in enumerate(block.items, block.start):
        sign = f"{max(number, 0)}. " if block.ordered else "- "
        items.append(_hanging(sign, _blocks(item.blocks, tight=tight)))
    return ("\n" if tight else "\n\n").join(items)


def _is_tight(blocks: tuple[Block, ...]) -> bool:
    """Say whether an item is a line of text and lists under it."""
    return isinstance(blocks[0], Paragraph) and all(isinstance(b, List) for b in blocks[1:])


def _definitions(block: DefinitionList) -> str:
    entries = []
    for entry in block.entries:
        terms = (f"**{_one_line(_inline(term))}**" for term in entry.terms if plain_text(term))
        details = (_hanging("- ", _blocks(each)) for each in entry.details)
        entries.append("\n".join((*(f"{term}\n" for term in terms), *details)))
    return "\n\n".join(entries)


def _quote(block: Quote) -> str:
    inside = _blocks(block.blocks)
    if block.introduced:
        inside = f"{_inline(block.cite)}\n\n{inside}"
    elif block.cite:
        inside += f"\n\n— {_inline(block.cite)}"
    return "\n".join(f"> {line}".rstrip() for line in inside.strip("\n").split("\n"))


def _fenced(code: str, language: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    name = language if re.fullmatch(r"[\w+#.-]{1,40}", language) else ""
    return f"{fence}{name}\n{code}\n{fence}"


def _table(block: Table) -> str:
    rows = [_cells(row) for row in (*block.head, *block.body, *block.foot)]
    if not rows:
        return ""
    width = max(map(len, rows))
    head, body = (rows[0], rows[1:]) if block.head else ([""] * width, rows)
    aligned = (block.head or block.body)[0]
    signs = [_RULES.get(cell.align, "---") for cell in aligned for _ in range(cell.colspan)]
    lines = [head, (signs + ["---"] * width)[:width], *body]
    table = "\n".join(f"| {' | '.join(line + [''] * (width - len(line)))} |" for line in lines)
    caption = _inline(block.caption_spans)
    return f"{caption}\n\n{table}" if caption else table


_RULES = {"right": "--:", "end": "--:", "center": ":-:", "left": ":--"}


def _cells(row: Row) -> list[str]:
    cells: list[str] = []
    for cell in row:
        text = "<br>".join(_one_line(_block(each)) for each in cell.blocks)
        cells += [text, *[""] * (cell.colspan - 1)]
    return cells


def _figure(block: Figure) -> str:
    address = _address(block.src)
    alt = _one_line(_text(block.alt or block.caption))
    caption = _inline(block.caption_spans) + (f" ({_text(block.credit)})" if block.credit else "")
    picture = f"![{alt}]({address})" if address else f"[{alt}]" if alt and not caption else ""
    return "\n\n".join(each for each in (picture, _emphasised(caption.strip())) if each)


def _math(block: Math) -> str:
    source = _tex(block.source)
    return _text(block.alt) if not source or "$" in source else f"$$\n{source}\n$$"


def _tex(source: str) -> str:
    """Return a formula as TeX in which no HTML is found; a blank more changes nothing."""
    return _TAG.sub("< ", to_tex(source))


def _embed(block: Embed) -> str:
    address = _address(block.url)
    said = _text(" · ".join(filter(None, (block.author, block.published))))
    if block.kind == "post" and block.blocks:
        source = f"[{said or _text(block.url)}]({address})" if address else said
        inside = "\n\n".join(filter(None, (_blocks(block.blocks), f"— {source}")))
        return "\n".join(f"> {line}".rstrip() for line in inside.split("\n"))
    name = _text(block.title or block.url) or block.kind
    name += f" ({block.duration})" if block.duration else ""
    named = f"[{block.kind}: {name}]({address})" if address else f"{block.kind}: {name}"
    return "\n\n".join(filter(None, (_blocks(block.blocks), named, said)))


def _note(note: Note) -> str:
    return _hanging(f"[^{_key(note.id)}]: ", _blocks(note.blocks), indent=4)


def _inline(spans: Spans) -> str:
    """Return spans as Markdown; neighbours under the same link are one link."""
    pieces = []
    for href, run in groupby(spans, key=lambda span: span.href if not span.note else ""):
        text = "".join(map(_span, run))
        address = _address(href)
        pieces.append(f"[{text}]({address})" if address and text.strip() else text)
    return "".join(pieces).strip()


def _span(span: Span) -> str:
    if span.note:
        return f"[^{_key(span.note)}]" if strip_brackets(span.text) else ""
    if span.math and (source := _tex(span.math)) and "$" not in source:
        return f"${source}$"
    if "code" in span.marks and "\n" not in span.text:
        return _code(_whole(span.text))
    text = _text(span.text).replace("\n", "\\\n")
    if span.ruby:
        text += f" ({_text(span.ruby)})"
    # A sign of emphasis only counts next to a letter: blanks are moved outside.
    inside = text.strip()
    if not inside:
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    for mark in reversed(span.marks):
        if mark in _HTML:
            inside = f"<{mark}>{inside}</{mark}>"
        elif mark in _SIGNS and not inside.startswith(_SIGNS[mark][0] + "*"):
            inside = inside.join(_SIGNS[mark])
    return before + inside + after


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _text(text: str) -> str:
    """Return text with everything that Markdown or HTML would read as markup escaped."""
    return _ENTITY.sub(r"\\&", _ANYWHERE.sub(r"\\\1", _whole(text)))


def _whole(text: str) -> str:
    """Return clean text without breaks within words, which a search would not find then."""
    return _WITHIN.sub("", printable(text))


def _at_start(text: str) -> str:
    """Escape what would be markup at the beginning of a line."""
    return _AT_START.sub(_escape_start, text)


def _escape_start(match: re.Match[str]) -> str:
    indent, sign, number, stop = match.groups()
    return f"{indent}{number}\\{stop}" if number else f"{indent}\\{sign}"


def _address(url: str) -> str:
    """Return an address fit for a link's brackets, '' when it is none or is not safe."""
    if not url.lower().startswith(SCHEMES):
        return ""
    unsafe = {"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "%5C", '"': "%22"}
    return "".join(unsafe.get(sign, sign) for sign in printable(url) if not sign.isspace())


def _key(name: str) -> str:
    return re.sub(r"[^\w-]", "-", name)[:60] or "note"


def _hanging(sign: str, text: str, indent: int = 0) -> str:
    """Return text after a sign, its other lines indented to stand under the first."""
    pad = " " * (indent or len(sign))
    first, *others = text.split("\n")
    return "\n".join((sign + first, *(pad + line if line else "" for line in others)))


def _one_line(text: str) -> str:
    return " ".join(text.replace("\\\n", " ").split())


def _emphasised(text: str) -> str:
    return f"*{text}*" if text and "*" not in text else text
