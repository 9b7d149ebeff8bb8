"""Blocks as elements, the same for a page of HTML and for a chapter of EPUB."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from ..article import (
    Block,
    Code,
    DefinitionList,
    Embed,
    Figure,
    Heading,
    Item,
    List,
    Math,
    Paragraph,
    Quote,
    Row,
    Rule,
    Table,
    plain_text,
)
from ..i18n.labels import format_date
from ..render.inline import printable, split_by_style, strip_brackets, valid_language
from ..render.links import display_url
from .chapter import Chapter
from .make import add
from .math import formula
from .places import address
from .spans import write


def write_article(chapter: Chapter) -> etree._Element:
    """Return a whole article: its head, its blocks, its notes and where it came from."""
    make, article = chapter.make, chapter.article
    start = chapter.places.fresh("start")
    top = make(
        "article" if not make.epub else "section", id=start, lang=chapter.language or "und",
        dir=article.direction, epub_type="chapter", role="doc-chapter" if make.epub else "",
    )  # fmt: skip
    header = make("header", make("h1", article.title))
    if article.byline:
        header.append(make("p", article.byline, class_="byline"))
    about = [format_date(article.published, chapter.language), article.site]
    if any(about):
        header.append(make("p", " · ".join(filter(None, about)), class_="origin"))
    top.append(header)
    blocks(top, article.blocks, chapter)
    _notes(top, chapter)
    if link := address(article.url):
        source = make("p", make("a", display_url(link), href=link), class_="colophon")
        if chapter.fetched:
            add(source, " · ", chapter.labels.fetched.format(date=chapter.fetched))
        top.append(source)
    return top


def blocks(parent: etree._Element, run: tuple[Block, ...], chapter: Chapter) -> None:
    """Put blocks at the end of an element; notes stand at the article's end, not here."""
    for block in run:
        for element in _block(block, chapter):
            parent.append(element)


def _block(block: Block, chapter: Chapter) -> Iterator[etree._Element]:
    make = chapter.make
    match block:
        case Paragraph():
            yield _text("p", block, chapter)
        case Heading():
            yield _text(f"h{block.level}", block, chapter)
        case Code():
            yield _code(block, chapter)
        case Figure():
            yield _figure(block, chapter)
        case Math():
            drawn = formula(block.source, block.alt, chapter, display=True)
            yield make("div", drawn, class_="formula")
        case Rule():
            yield make("hr")
        case Embed():
            yield _embed(block, chapter)
        case List() | DefinitionList() | Quote() | Table():
            yield from _outer(block, chapter)


def _outer(
    block: List | DefinitionList | Quote | Table, chapter: Chapter
) -> Iterator[etree._Element]:
    """Yield a block that holds others, unless it holds none."""
    match block:
        case List(items=items) if items:
            yield _list(block, chapter)
        case DefinitionList(entries=entries) if entries:
            yield _definitions(block, chapter)
        case Quote():
            yield _quote(block, chapter)
        case Table():
            if any((*block.head, *block.body, *block.foot)):
                yield _table(block, chapter)


def _text(tag: str, block: Paragraph | Heading, chapter: Chapter) -> etree._Element:
    element = chapter.make(
        tag,
        id=chapter.places.define(block.id),
        lang=valid_language(block.lang),
        dir=block.dir if block.dir in ("ltr", "rtl") else "",
    )
    write(element, block.spans, chapter)
    return element


def _inside(parent: etree._Element, run: tuple[Block, ...], chapter: Chapter) -> None:
    """Put blocks into an item or a cell; a lone paragraph needs no element of its own."""
    lone = run[0] if len(run) == 1 else None
    if isinstance(lone, Paragraph) and not (lone.id or lone.lang or lone.dir):
        write(parent, lone.spans, chapter)
    else:
        blocks(parent, run, chapter)


def _list(block: List, chapter: Chapter) -> etree._Element:
    style = block.style if block.ordered and block.style in ("a", "A", "i", "I") else ""
    start = str(block.start) if block.ordered and block.start != 1 else ""
    top = chapter.make("ol" if block.ordered else "ul", start=start, type=style)
    for item in block.items:
        top.append(_item(item, chapter))
    return top


def _item(item: Item, chapter: Chapter) -> etree._Element:
    element = chapter.make("li", id=chapter.places.define(item.id))
    _inside(element, item.blocks, chapter)
    return element


def _definitions(block: DefinitionList, chapter: Chapter) -> etree._Element:
    make = chapter.make
    top = make("dl")
    for entry in block.entries:
        for term in entry.terms or ((),):  # a meaning without its word still needs its place
            name = make("dt")
            write(name, term, chapter)
            top.append(name)
        for details in entry.details or ((),):
            meaning = make("dd")
            _inside(meaning, details, chapter)
            top.append(meaning)
    return top


def _quote(block: Quote, chapter: Chapter) -> etree._Element:
    element = chapter.make("blockquote", class_="pull" if block.pull else "")
    blocks(element, block.blocks, chapter)
    if block.cite:
        source = chapter.make("p", class_="source above" if block.introduced else "source")
        write(source, block.cite, chapter)
        element.insert(0 if block.introduced else len(element), source)
    return element


def _code(block: Code, chapter: Chapter) -> etree._Element:
    make = chapter.make
    code = make("code")
    for text, tag, kind in split_by_style(printable(block.text), block.language):
        add(code, make(tag, text, class_=kind) if tag else text)
    return make("pre", code, id=chapter.places.define(block.id), dir="ltr")


def _figure(block: Figure, chapter: Chapter) -> etree._Element:
    make = chapter.make
    top = make("figure", id=chapter.places.define(block.id))
    shown = chapter.picture(block)
    alt = block.alt or block.caption or chapter.labels.picture
    if shown is None:
        missing = make("p", chapter.labels.missing, class_="missing")
        if block.alt and block.alt != block.caption:
            add(missing, ": ", block.alt)
        top.append(missing)
    else:
        top.append(
            make(
                "img", src=shown.url, alt=alt, width=str(shown.width or ""),
                height=str(shown.height or ""),
            )
        )  # fmt: skip
    if plain_text(block.caption_spans) or block.credit:
        caption = make("figcaption")
        write(caption, block.caption_spans, chapter)
        if block.credit:
            add(caption, " ", make("span", block.credit, class_="credit"))
        top.append(caption)
    return top


def _table(block: Table, chapter: Chapter) -> etree._Element:
    make = chapter.make
    table = make("table", id=chapter.places.define(block.id))
    if plain_text(block.caption_spans):
        caption = make("caption")
        write(caption, block.caption_spans, chapter)
        table.append(caption)
    for tag, rows in (("thead", block.head), ("tbody", block.body), ("tfoot", block.foot)):
        if rows:
            table.append(make(tag, *(_row(row, tag == "thead", chapter) for row in rows)))
    # What scrolls sideways can be scrolled with the keyboard.
    return make("div", table, class_="table", tabindex="0")


def _row(row: Row, head: bool, chapter: Chapter) -> etree._Element:
    made = chapter.make("tr")
    for cell in row:
        scope = ("col" if head else "row") if cell.header else ""
        element = chapter.make(
            "th" if cell.header else "td",
            scope=scope,
            colspan=str(cell.colspan) if cell.colspan > 1 else "",
            rowspan=str(cell.rowspan) if cell.rowspan > 1 else "",
            class_=cell.align,
        )
        _inside(element, cell.blocks, chapter)
        made.append(element)
    return made


def _embed(block: Embed, chapter: Chapter) -> etree._Element:
    make = chapter.make
    link = address(block.url)
    said = " · ".join(filter(None, (block.author, block.published)))
    if block.kind == "post" and block.blocks:
        quote = make("blockquote", class_="post")
        blocks(quote, block.blocks, chapter)
        source = make("p", said, class_="source")
        if link:
            add(source, " " if said else "", make("a", display_url(link), href=link))
        quote.append(source)
        return quote
    box = make("div", class_="embed")
    blocks(box, block.blocks, chapter)
    label = make("p", make("span", getattr(chapter.labels, block.kind), class_="kind"))
    if block.title:
        add(label, " ", block.title)
    if block.duration:
        add(label, f" ({block.duration})")
    if said:
        add(label, " ", said)
    box.append(label)
    if link:
        box.append(make("p", make("a", display_url(link), href=link), class_="address"))
    return box


def _notes(parent: etree._Element, chapter: Chapter) -> None:
    """Put the notes at the article's end, each with its sign and a way back."""
    notes = chapter.notes()
    if not notes:
        return
    make = chapter.make
    section = make("section", make("h2", chapter.labels.notes), class_="notes")
    for number, note in enumerate(notes, 1):
        sign = strip_brackets(note.label) or str(number)
        back = chapter.places.called(note.id)
        label = make("a", sign, href=back, role="doc-backlink") if back else make("span", sign)
        element = make(
            "aside", id=chapter.places.define(note.id), epub_type="footnote", role="doc-footnote"
        )
        first = note.blocks[0] if note.blocks else None
        if isinstance(first, Paragraph):
            paragraph = _text("p", first, chapter)
            label.tail = " " + (paragraph.text or "")
            paragraph.text = None
            paragraph.insert(0, label)
            element.append(paragraph)
            blocks(element, note.blocks[1:], chapter)
        else:
            element.append(make("p", label))
            blocks(element, note.blocks, chapter)
        section.append(element)
    parent.append(section)


def without_dead_links(root: etree._Element) -> None:
    """Take away links to places that are not there."""
    elements = list(root.iter(etree.Element))
    there = {f"#{element.get('id')}" for element in elements}
    for element in elements:
        href = element.get("href") or ""
        if href.startswith("#") and href not in there:
            del element.attrib["href"]
