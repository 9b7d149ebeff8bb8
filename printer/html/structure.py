"""Replace generic elements with the lists, tables, verse and code that they represent.

Their roles, styles and classes show which they are.  Leftover shortcodes and notices that a link
opens a new window are removed.  All of this is done before the page is indexed.  Small images of
formulas have TeX as their alternative text or address.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice, pairwise, takewhile
from typing import Any
from urllib.parse import unquote

from lxml import etree
from lxml.html import HtmlElement

from ..text import SENTENCE_ENDS, YEAR, class_pattern, is_blank
from .index import beginning_of_text, is_in_recipe, is_recipe_fact, names_of_part, short_text
from .visibility import HEADING_TAGS, drop_window_notices

_MAX_LINES = 2000
_SHORTCODE_HINT = re.compile(r"\[/[a-z]|\[[a-z][\w-]{1,40}\s[\w-]{1,40}\s?=")


def retag_structures(tree: HtmlElement, elements: Sequence[HtmlElement], source: str) -> None:
    """Rename elements by role, style and class, and remove shortcodes and notices of links."""
    boxes = [e for e in elements if e.tag in ("blockquote", "div", "p", "section")]
    _retag_custom_elements(elements)
    _retag_roles(boxes)
    _retag_styled(boxes)
    _retag_pairs(boxes)
    _retag_boxes(boxes)
    _retag_links_in_lists(elements)
    _retag_ingredients(boxes)
    if INGREDIENT_HINT in source:
        _join_ingredients(elements)
        is_recipe = '"Recipe"' in source or "schema.org/Recipe" in source
        _retag_facts(boxes, is_recipe)
        _retag_amounts(elements, is_recipe)
    _retag_numbered_lists(elements)
    _retag_attributions(elements)
    _retag_pictures_in_lines(elements)
    _retag_accordions(tree, elements, source)
    drop_window_notices(elements)
    _retag_breaks(elements)
    if _SHORTCODE_HINT.search(source):  # few pages have any
        _drop_shortcodes(tree)


#: The elements whose names end those of custom elements ('app-header').
_CUSTOM_NAMES = {
    "header": "header", "footer": "footer", "nav": "nav", "navbar": "nav", "navigation": "nav",
    "menu": "nav", "link": "a",
}  # fmt: skip


def _retag_custom_elements(elements: Iterable[HtmlElement]) -> None:
    """Turn custom elements for headers, footers, menus and links into those of HTML."""
    for element in elements:
        if "-" in element.tag:
            name = _CUSTOM_NAMES.get(element.tag.rpartition("-")[2])
            if name:  # the parser's own names of broken tags cannot be set
                element.tag = name


# Lists and tables


def _retag_roles(boxes: Iterable[HtmlElement]) -> None:
    """Turn boxes with the role of a table, or of a list of several lines, into tables and lists."""
    for box in [
        box for box in boxes if box.tag == "div" and box.get("role") in {"table", "grid", "list"}
    ]:
        items = list(box)
        if box.get("role") != "list":
            _retag_table(box)
        elif _are_lines(items):
            box.tag = "ul"
            for item in items:
                item.tag = "li"


_SPACED_STYLE = re.compile(r"white-space\s{0,9}:\s{0,9}(?:pre(?:-line|-wrap)?|break-spaces)\b")


def _retag_styled(boxes: Iterable[HtmlElement]) -> None:
    """Turn empty boxes in a line into spans, and line ends that a style keeps into breaks."""
    for box in [box for box in boxes if box.tag in ("div", "p") and box.get("style")]:
        style = box.get("style") or ""
        if _INLINE_STYLE.search(style) and _is_empty(box):
            _unbox(box)
        elif _SPACED_STYLE.search(style):
            _keep_breaks(box)


_INLINE_STYLE = re.compile(r"display\s{0,9}:\s{0,9}(?:-webkit-)?inline")


def _unbox(box: HtmlElement) -> None:
    """Make an empty box in a line a part of it, without a space before a full stop or comma."""
    _make_inline(box, "div", "p")
    previous = box.getprevious()
    if (box.tail or "").lstrip()[:1] in tuple(".,;)"):
        for part in box.iter():
            part.text = None
            part.tail = box.tail.lstrip() if part is box else None
        if previous is not None and is_blank(previous.tail):
            previous.tail = None


_PICTURE_TAGS = frozenset({"img", "picture", "video", "iframe", "svg"})
_MAX_EMPTY_ELEMENTS = 20


def _is_empty(element: HtmlElement) -> bool:
    """Return whether an element has few others in it, and neither text nor a picture."""
    parts = list(islice(element.iter(), _MAX_EMPTY_ELEMENTS + 1))
    texts = [part.text for part in parts] + [part.tail for part in parts[1:]]
    has_picture = any(part.tag in _PICTURE_TAGS for part in parts)
    return len(parts) <= _MAX_EMPTY_ELEMENTS and not has_picture and all(map(is_blank, texts))


#: The names of the parts of a table, by role.
_TABLE_PARTS = {
    "row": "tr", "cell": "td", "gridcell": "td", "columnheader": "th", "rowheader": "th",
}  # fmt: skip
_TABLE_NAMES = frozenset({"table", "grid"})
_MAX_PARTS = 20_000


def _retag_table(table: HtmlElement) -> None:
    """Turn boxes into rows and cells, if there are at least two rows of at least two cells."""
    rows: list[HtmlElement] = []
    cells: dict[HtmlElement, list[HtmlElement]] = {}
    for count, element in enumerate(table.iter("*")):
        is_inside = element is not table
        if count > _MAX_PARTS or (is_inside and _TABLE_NAMES & {element.tag, element.get("role")}):
            return
        name = _TABLE_PARTS.get(element.get("role") or "", "")
        if name == "tr":
            rows.append(element)
        elif name:
            row = element.getparent()
            while row is not None and row not in rows[-1:]:
                row = row.getparent()
            if row is None:
                return
            cells.setdefault(row, []).append(element)
    if len(rows) < 2 or any(len(cells.get(row, ())) < 2 for row in rows):
        return
    table.tag = "table"
    for row in rows:
        row.tag = "tr"
        for cell in cells[row]:
            cell.tag = _TABLE_PARTS[cell.get("role") or ""]


def _are_lines(items: list[HtmlElement]) -> bool:
    return len(items) > 1 and all(
        item.get("role") == "listitem"
        and _is_line(item)
        and next(item.iter("img", "svg", "button"), None) is None
        and not (len(item) == 1 and item[0].tag == "a" and is_blank(item.text))
        for item in items
    )


_MIN_PAIRS = 3


def _retag_pairs(boxes: Iterable[HtmlElement]) -> None:
    """Turn similar boxes, each of a label and a value, into the rows of a table."""
    for box in [box for box in boxes if box.tag == "div" and len(box) >= _MIN_PAIRS]:
        rows = list(islice(box, _MAX_LINES + 1))
        if len(rows) > _MAX_LINES or not is_blank(box.text):
            continue
        if len({(row.tag, row.get("class")) for row in rows}) > 1 or rows[0].tag != "div":
            continue
        pairs = [pair for pair in takewhile(bool, map(_label_and_value, rows)) if pair]
        labels = {beginning_of_text(label) for _, label, _ in pairs}
        if len(labels) < len(rows):
            continue
        box.tag = "table"
        for row, label, value in pairs:
            row.tag, label.tag, value.tag = "tr", "th", "td"


#: The most boxes around the label and the value in a row.
_MAX_PAIR_DEPTH = 4
_MAX_PAIR_LABEL_CHARS = 40
_MAX_VALUE_CHARS = 60


def _label_and_value(row: HtmlElement) -> tuple[HtmlElement, HtmlElement, HtmlElement] | None:
    """Return the innermost element around a row's two short texts, and both, if there are two."""
    for _ in range(_MAX_PAIR_DEPTH):
        if not is_blank(row.text) or not all(is_blank(part.tail) for part in row):
            return None
        parts = [part for part in row if beginning_of_text(part, 1)]
        if len(parts) == 2:
            label, value = map(beginning_of_text, parts)
            is_label = label[0].isalpha() and len(label) <= _MAX_PAIR_LABEL_CHARS
            has_box = any(part.tag == "div" for part in parts)
            if is_label and has_box and len(value) <= _MAX_VALUE_CHARS and not YEAR.search(value):
                inner_blocks = chain.from_iterable(part.iter(*_NOT_TEXT_TAGS) for part in parts)
                return (row, *parts) if next(inner_blocks, None) is None else None
            return None
        if len(parts) != 1:
            return None
        row = parts[0]
    return None


#: What labels and values may not contain.
_NOT_TEXT_TAGS = (
    "a", "blockquote", "form", "h1", "h2", "h3", "h4", "h5", "h6", "img", "input", "ol", "picture",
    "pre", "select", "table", "textarea", "time", "ul", "video",
)  # fmt: skip


# Lines


#: What the names of boxes of verse and code contain; searching for it is faster.
_BOX_HINT = re.compile("code|language-|lyrics|poe|stanza|strophe|verse")


def _retag_boxes(boxes: Iterable[HtmlElement]) -> None:
    """Join lines that are boxes: code as preformatted text, verse with line breaks."""
    for box in [box for box in boxes if box.tag in ("blockquote", "div", "section")]:
        names = (box.get("class") or "")[:300]
        if _BOX_HINT.search(names.lower()):
            _retag_lines(box, names)


def _retag_links_in_lists(elements: Iterable[HtmlElement]) -> None:
    """Put each link of a list that has nothing but links into an item."""
    for box in [element for element in elements if element.tag in ("ul", "ol")]:
        links = list(box)
        if len(links) < 2 or any(link.tag != "a" for link in links) or not is_blank(box.text):
            continue
        for link in links:
            item = box.makeelement("li")
            link.addprevious(item)
            item.append(link)


_INGREDIENT_PROPERTIES = frozenset({"recipeIngredient", "ingredients"})


def _retag_ingredients(boxes: Iterable[HtmlElement]) -> None:
    """Make a recipe's ingredients, which microdata marks, the items of a list, each on a line."""
    items = [box for box in boxes if box.get("itemprop") in _INGREDIENT_PROPERTIES]
    ingredients: HtmlElement | None = None
    for item in items:
        if ingredients is None or item.getprevious() is not ingredients:
            ingredients = item.makeelement("ul")
            item.addprevious(ingredients)
        item.tail, tail = None, item.tail
        ingredients.append(item)
        ingredients.tail = None if is_blank(tail) else tail
        item.tag = "li"
        _join_lines(item)


#: What the source of a page with a recipe contains, in any case of the first letter.
INGREDIENT_HINT = "ngredient"
_INGREDIENT = class_pattern("ingredient")
_MAX_INGREDIENT_CHARS = 200


def _join_ingredients(elements: Iterable[HtmlElement]) -> None:
    """Make the boxes of an item's amount and ingredient parts of one line."""
    for item in [element for element in elements if element.tag in ("dd", "li")]:
        is_named = len(item) == 1 and _INGREDIENT.search(names_of_part(item[0]))
        if is_named and short_text(item[0], _MAX_INGREDIENT_CHARS):
            _join_lines(item[0])


def _retag_facts(boxes: Iterable[HtmlElement], is_recipe: bool) -> None:
    """Make a recipe's times, servings and nutrients lines of a list, with bold labels."""
    inside = set[HtmlElement]()
    rows: list[list[HtmlElement]] = []
    for fact in boxes:
        is_fact = fact.tag == "div" and fact not in inside and is_recipe_fact(fact)
        if not is_fact or not (is_recipe or is_in_recipe(fact)):
            continue
        inside.update(fact.iter())
        previous = next((e for e in fact.itersiblings(preceding=True) if not _is_empty(e)), None)
        if rows and rows[-1][-1] is previous and is_blank(previous.tail):
            rows[-1].append(fact)
        else:
            rows.append([fact])
    for row in rows:
        for fact in row:
            _join_lines(fact)
            for label in [part for part in fact[:-1] if beginning_of_text(part, 1)][:1]:
                if not any(map(str.isdigit, beginning_of_text(label))):
                    label.tag = "b"
        if len(row) > 1:
            facts = row[0].makeelement("ul")
            row[0].addprevious(facts)
            row[-1].tail, facts.tail = None, row[-1].tail
            for fact in row:
                facts.append(fact)
                fact.tag = "li"


def _join_lines(box: HtmlElement) -> None:
    """Make the boxes in another parts of its line, with spaces between parts of any kind."""
    for part in box.iterdescendants():
        is_box = part.tag in ("div", "p")
        if is_box:  # the parser's own names of broken tags cannot be set
            part.tag = "span"
        if not part.tail and (is_box or part.getnext() is not None):
            part.tail = " "


_MAX_NUTRIENT_CHARS = 15
_MAX_NUTRIENT_VALUES = 3
#: The terms and values of a definition list, also those in boxes, and the text around them.
_PARTS_OF_TERMS: Callable[..., Any] = etree.XPath("*[not(self::div)] | div/*")
_TEXT_AROUND_TERMS: Callable[..., Any] = etree.XPath("text() | div/text()")


def _retag_amounts(elements: Iterable[HtmlElement], is_recipe: bool) -> None:
    """Make a recipe's terms, such as nutrients, and their short values lines of a list."""
    for facts in [element for element in elements if element.tag == "dl"]:
        parts = list(_PARTS_OF_TERMS(facts)) if is_recipe or is_in_recipe(facts) else []
        starts = [n for n, part in enumerate(parts) if part.tag == "dt"]
        entries = [parts[n:end] for n, end in pairwise([*starts, len(parts)])]
        is_list = starts[:1] == [0] and all(map(_is_amount, entries))
        if not is_list or any(map(str.strip, _TEXT_AROUND_TERMS(facts))):
            continue
        for box in list(facts.iterchildren("div")):
            box.drop_tag()
        for term, *values in entries:
            item = facts.makeelement("li")
            term.addprevious(item)
            item.extend([term, *values])
            facts.tag, term.tag = "ul", "b"
            for value in [value for value in values if value.tag == "dd"]:
                value.tag, value.getprevious().tail = "span", " "
                _join_lines(value)


def _is_amount(entry: Sequence[HtmlElement]) -> bool:
    """Return whether an entry is a term and short values, first a number, or a list within one."""
    term, *values = entry
    if [value.tag for value in values] == ["dl"]:
        return _is_empty(term)
    texts = [short_text(v, _MAX_NUTRIENT_CHARS) if v.tag == "dd" else "" for v in values]
    is_short = all(text or _is_empty(value) for text, value in zip(texts, values, strict=True))
    is_short &= not len(term) and 0 < len(values) <= _MAX_NUTRIENT_VALUES
    return is_short and texts[0][:1].isdigit()


_MAX_STEPS = 100
_DECIMAL = re.compile(r"list-style(?:-type)?\s{0,9}:\s{0,9}decimal\b")


def _retag_numbered_lists(elements: Iterable[HtmlElement]) -> None:
    """Make lists ordered that CSS numbers, or whose items begin with a number in an element."""
    for box in [element for element in elements if element.tag == "ul"]:
        items = list(islice(box, _MAX_STEPS + 1))
        if any(_DECIMAL.search((e.get("style") or "")[:300]) for e in (box, *items[:1])):
            box.tag = "ol"
            continue
        if not 1 < len(items) <= _MAX_STEPS:
            continue
        numbers = [number for item in items if (number := _number_above(item)) is not None]
        texts = [(number.text or "").strip() for number in numbers]
        if texts == [str(n) for n in range(1, len(items) + 1)]:
            box.tag = "ol"
            for number in numbers:
                number.text = None


def _number_above(item: HtmlElement) -> HtmlElement | None:
    """Return the box that an item begins with, if it has only text and more boxes follow."""
    while len(item) and is_blank(item.text):
        item = item[0]
    following = item.getnext()
    is_alone = item.tag != "li" and not len(item) and is_blank(item.tail)
    return item if is_alone and following is not None and following.tag in _BLOCK_TAGS else None


_VERSE_CLASS = class_pattern("verses?|stanzas?|strophes?|poems?|poetry|lyrics", re.IGNORECASE)
_CODE_BOX_CLASS = re.compile(
    r"(?:^|\s)(?:code|source-?code|code-?(?:block|box|snippet|listing|sample|example)"
    r"|language-\w{1,30})(?=$|\s)",
    re.IGNORECASE,
)
_MAX_VERSE_LINE_CHARS = 120
_CODE_LANGUAGES = ("data-lang", "data-language")


def _retag_lines(box: HtmlElement, names: str) -> None:
    is_code = _CODE_BOX_CLASS.search(names) is not None
    if not is_code and not _VERSE_CLASS.search(names):
        return
    has_lines = not len(box) and "\n" in (box.text or "").strip()
    if is_code and has_lines and ("language-" in names or any(map(box.get, _CODE_LANGUAGES))):
        box.tag = "pre"
        return
    for group in [box] if is_code else [box, *box.iterchildren("div")]:
        lines = list(group[: _MAX_LINES + 1])
        if not 1 < len(lines) <= _MAX_LINES or not is_blank(group.text):
            continue
        if any(line.tag not in ("div", "p") or not _is_line(line) for line in lines):
            continue
        if is_code:
            if next(group.iter("a", "img", "button"), None) is None:
                group.tag = "pre"
        elif all(len("".join(line.itertext())) <= _MAX_VERSE_LINE_CHARS for line in lines):
            for n, line in enumerate(lines):
                line.tag = "span"
                if n:
                    group.insert(2 * n - 1, group.makeelement("br"))


_BLOCK_TAGS = frozenset({
    "blockquote", "div", "dl", "figure", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "p", "pre",
    "section", "table", "ul",
})  # fmt: skip


def _is_line(element: HtmlElement) -> bool:
    """Return whether an element has only text, and blank space after it."""
    has_blocks = any(
        child.tag in _BLOCK_TAGS or child.tag == "br" for child in element.iterdescendants()
    )
    return not has_blocks and is_blank(element.tail)


#: The last class of a ``span`` that is drawn as a line break.
_BREAK_NAMES = frozenset({"br", "line-break", "linebreak"})


def _retag_breaks(elements: Iterable[HtmlElement]) -> None:
    """Turn empty spans whose class calls them line breaks into line breaks."""
    for element in [element for element in elements if element.tag == "span"]:
        names = (element.get("class") or "").split()[-1:]
        if names and names[0] in _BREAK_NAMES and not len(element) and is_blank(element.text):
            element.tag, element.text = "br", None


_CAPTION_CLASS = re.compile(r"(?<![a-z])(?:caption|legend)(?![a-z])", re.IGNORECASE)


#: The longest line that says whose a quotation is.
MAX_ATTRIBUTION_CHARS = 120
#: Classes of a line that says whose a quotation is.
SOURCE_CLASS = re.compile(
    r"(?:^|[\s_-])(?:[Ss]ource|[Aa]uthor|[Ss]peaker|[Ww]ho|[Cc]ite|[Cc]itation|[Aa]ttribution)(?![a-z])"
)


def _retag_attributions(elements: Sequence[HtmlElement]) -> None:
    """Turn spans below pictures into captions; put the source of a quotation into it.

    The source keeps its tag, by which the classifier knows it, and is named by its class.  A small
    portrait between them would part the two on paper, and is dropped.
    """
    for quotation in [element for element in elements if element.tag == "blockquote"]:
        source = _find_source(quotation)
        if source is not None:
            source.set("class", f"{source.get('class') or ''} source".strip())
            for part in list(quotation.itersiblings()):
                if part is source:
                    quotation.append(source)
                elif _is_small_picture(part):
                    part.drop_tree()
    for caption in [element for element in elements if element.tag in ("figcaption", "span")]:
        previous = caption.getprevious()
        box = caption.getparent()
        if caption.tag == "figcaption" and box is not None and box.tag == "div":
            above = box.getprevious()  # the speaker may stand in a box, beside a portrait
            previous = above if above is not None and above.tag == "blockquote" else previous
        if previous is None:
            continue
        if caption.tag == "figcaption" and previous.tag == "blockquote":
            caption.tag = "footer"
            previous.append(caption)
        elif (
            (caption.tag, previous.tag) == ("span", "img")
            and is_blank(previous.tail)
            and _CAPTION_CLASS.search((caption.get("class") or "")[:200])
        ):
            caption.tag = "figcaption"


#: An alternative text of fewer characters does not identify a caption.
_MIN_ALT_CHARS = 25
#: The most that a caption has besides: a credit, and not the rest of a paragraph.
_MAX_CHARS_BESIDE_ALT = 60


def _retag_pictures_in_lines(elements: Iterable[HtmlElement]) -> None:
    """Turn a picture in a paragraph and the text that repeats its ``alt`` into a figure.

    Otherwise, the caption would be read as the paragraph's first or last sentence.
    """
    for span in [element for element in elements if element.tag == "span" and len(element) > 1]:
        picture, paragraph = span[0], span.getparent()
        alt = (picture.get("alt") or "").strip(" .…") if picture.tag == "img" else ""
        if paragraph is None or paragraph.tag != "p" or len(alt) < _MIN_ALT_CHARS:
            continue
        is_first = span.getprevious() is None and is_blank(paragraph.text)
        is_last = span.getnext() is None and is_blank(span.tail)
        is_alone = is_blank(span.text) and next(span.iter(*_BLOCK_TAGS), None) is None
        texts = chain([picture.tail or ""], *(part.itertext() for part in span[1:]))
        text = "".join(texts).strip()
        is_caption = text.startswith(alt) and len(text) <= len(alt) + _MAX_CHARS_BESIDE_ALT
        if is_alone and (is_first or is_last) and is_caption:
            caption = span.makeelement("figcaption")
            caption.text, picture.tail = picture.tail, None
            caption.extend(span[1:])
            span.append(caption)
            span.tag = "figure"


#: The most parts of a box with a quotation, a portrait and the line below them.
_MAX_PARTS_OF_QUOTATION = 4
_MAX_ELEMENTS_OF_SOURCE = 40
_COMMAS = (",", "，", "、", "،")


def _find_source(quotation: HtmlElement) -> HtmlElement | None:
    """Return the line that says whose a quotation is, if nothing but a portrait is beside them.

    Its class says so, or it begins with a name in bold and a comma.  Readers see it as part of the
    quotation, and not as text that follows; in a discussion, the text that follows is a reply.
    """
    box = quotation.getparent()
    if box is None or box.tag == "body" or quotation.getprevious() is not None:
        return None
    if not 2 <= len(box) <= _MAX_PARTS_OF_QUOTATION:
        return None
    source, *between = reversed(box[1:])
    if source.tag not in ("div", "p"):
        return None
    if not all(map(is_blank, (box.text, *(part.tail for part in box)))):
        return None
    line, *texts = map(_read_line, (source, *between))
    if any(text != "" for text in texts) or not line or len(line) > MAX_ATTRIBUTION_CHARS:
        return None
    if SOURCE_CLASS.search((source.get("class") or "")[:300]):
        return source
    first = source[0] if len(source) and is_blank(source.text) else source
    is_name = first.tag in ("b", "strong") and (first.tail or "").lstrip().startswith(_COMMAS)
    return source if is_name and not line.endswith(SENTENCE_ENDS) else None


_MAX_PORTRAIT_SIDE_PX = 160


def _is_small_picture(element: HtmlElement) -> bool:
    """Return whether an element has pictures, all of a small stated width."""
    widths = [picture.get("width") or "" for picture in element.iter("img")]
    return bool(widths) and all(
        width.isdecimal() and int(width[:6]) <= _MAX_PORTRAIT_SIDE_PX for width in widths
    )


def _read_line(element: HtmlElement) -> str | None:
    """Return the text of an element with few others in it, None for a larger one."""
    elements = sum(1 for _ in islice(element.iter(), _MAX_ELEMENTS_OF_SOURCE + 1))
    is_small = elements <= _MAX_ELEMENTS_OF_SOURCE
    return " ".join("".join(element.itertext()).split()) if is_small else None


#: Controls that unfold something.
_UNFOLDING: Callable[..., Any] = etree.XPath(
    "//@aria-controls/.. | //button[@aria-expanded]"
    " | //@data-toggle[.='collapse']/.. | //@data-bs-toggle[.='collapse']/.."
)
#: The heading before an element.
_HEADING_BEFORE: Callable[..., Any] = etree.XPath(
    "preceding::*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5][1]"
)
_MAX_CONTROLS = 300


def _retag_accordions(tree: HtmlElement, elements: Iterable[HtmlElement], source: str) -> None:
    """Make controls that unfold the part below them headings, and buttons in headings text.

    A page has several such controls with different labels; others say 'Read more'.
    """
    for button in [element for element in elements if element.tag == "button"]:
        heading = button.getparent()
        if heading is None or heading.tag not in HEADING_TAGS:
            continue  # such as a button with a portrait, which is dropped
        if beginning_of_text(heading) == beginning_of_text(button):
            _make_inline(button, "button", "div", "p")
    if not any(name in source for name in ("aria-controls", "aria-expanded", "collapse")):
        return
    controls = _UNFOLDING(tree)[:_MAX_CONTROLS]
    boxes_by_control = [
        (control, box) for control in controls if (box := _box_above_part(control)) is not None
    ]
    labels = Counter(beginning_of_text(box) for _, box in boxes_by_control)
    if len(labels) < 2:
        return
    headings_before = _HEADING_BEFORE(boxes_by_control[0][0])
    level = min(6, int(headings_before[0].tag[1]) + 1) if headings_before else 3
    for control, box in boxes_by_control:
        if labels[beginning_of_text(box)] == 1:
            _retag_control(control, box, f"h{level}")


def _make_inline(element: HtmlElement, *tags: str) -> None:
    for inner in element.iter(*tags):
        inner.tag = "span"


_MAX_CONTROL_LABEL_CHARS = 160
_MIN_PART_CHARS = 20
_MAX_COUNTED_PART_CHARS = 2000


def _box_above_part(control: HtmlElement) -> HtmlElement | None:
    """Return the box around a control that precedes the text it unfolds, or None."""
    target = (
        control.get("data-target") or control.get("data-bs-target") or control.get("href") or ""
    )
    name = control.get("aria-controls") or target.removeprefix("#")
    label = beginning_of_text(control)
    if not 2 < len(label) <= _MAX_CONTROL_LABEL_CHARS:
        return None
    for box in (control, *islice(control.iterancestors(), 3)):
        if beginning_of_text(box) != label:
            break
        part = next(box.itersiblings("*"), None)
        if part is None:
            continue
        ids = (part.get("id"), *(inner.get("id") for inner in part[:1]))
        if name and name not in ids:
            continue
        links = islice(part.iter("a"), _MAX_CONTROLS)
        text = beginning_of_text(part, _MAX_COUNTED_PART_CHARS)
        if any(beginning_of_text(button) == text for button in islice(part.iter("button"), 2)):
            return None  # the next control: a script has the text that this one unfolds
        length = len(text)
        is_text = (
            length >= _MIN_PART_CHARS
            and 2 * sum(len(beginning_of_text(link)) for link in links) < length
        )
        fields = chain(box.iterancestors("nav", "footer", "form"), part.iter("input", "select"))
        return box if is_text and next(fields, None) is None else None
    return None


def _retag_control(control: HtmlElement, box: HtmlElement, tag: str) -> None:
    """Make a control a heading, unless there is one in it or around it, and take away its role."""
    ancestors = [control]
    while ancestors[-1] is not box and (parent := ancestors[-1].getparent()) is not None:
        ancestors.append(parent)
    for element in ancestors:
        element.attrib.pop("role", None)
    if control.tag in HEADING_TAGS:
        return
    if next(control.iterdescendants(*HEADING_TAGS), None) is not None:
        control.tag = "div"
    else:
        _make_inline(control, "div", "p")
        is_in_heading = any(element.tag in HEADING_TAGS for element in ancestors)
        control.tag = "span" if is_in_heading else tag


_VERBATIM_TAGS = frozenset({"code", "kbd", "pre", "samp", "script", "style", "textarea", "title"})


def _keep_breaks(box: HtmlElement) -> None:
    """Turn the line ends in text whose style keeps them into breaks."""
    if any(child.tag in _BLOCK_TAGS for child in box):
        return
    children = list(box)
    box.text = _insert_breaks(box, 0, box.text)
    for child in children:
        child.tail = _insert_breaks(box, box.index(child) + 1, child.tail)


def _insert_breaks(box: HtmlElement, position: int, text: str | None) -> str | None:
    """Insert the lines of a text but the first, each after a break; return the first."""
    first, *lines = re.split(r"[ \t]*\n", text or "")
    if len(lines) > _MAX_LINES:
        return text
    for n, line in enumerate(lines):
        line_break = box.makeelement("br")
        line_break.tail = line
        box.insert(position + n, line_break)
    return first


# Markup that is not text


_QUOTATION_MARKS = "\"'“”„″‘’«»"
_QUOTATION_MARK_SET = frozenset(_QUOTATION_MARKS)
_SHORTCODE = re.compile(
    r"\[(/?)([a-z][\w-]{0,40})"
    rf"((?:\s{{1,3}}[\w-]{{1,40}}\s?=\s?(?:[{_QUOTATION_MARKS}][^\[\]{_QUOTATION_MARKS}]{{0,300}}[{_QUOTATION_MARKS}]"
    rf"|[^\s\[\]{_QUOTATION_MARKS}]{{1,100}})){{0,20}})\s?/?\]"
)
#: The shortcodes whose content only invites to something.
_PROMOTION_SHORTCODE = re.compile(r"button|btn|form|newsletter|subscri|optin|cta(?:$|_)")


def _drop_shortcodes(tree: HtmlElement) -> None:
    """Remove shortcodes: tags in brackets that are closed somewhere, or have quoted attributes."""
    places = [
        (element, is_tail, text)
        for element in tree.iter("*")
        for is_tail, text in ((False, element.text or ""), (True, element.tail or ""))
        if "[" in text
        and _SHORTCODE.search(text)
        and (is_tail or element.tag not in _VERBATIM_TAGS)
        and next(element.iterancestors(*_VERBATIM_TAGS), None) is None
    ]
    closed = {match[2] for *_, text in places for match in _SHORTCODE.finditer(text) if match[1]}
    for element, is_tail, text in places:
        remaining_parts, end, action = [], 0, ""
        for match in _SHORTCODE.finditer(text):
            if match[2] not in closed and _QUOTATION_MARK_SET.isdisjoint(match[3]):
                continue
            if match[2] != action:
                remaining_parts.append(text[end : match.start()])
            action = match[2] if not match[1] and _PROMOTION_SHORTCODE.search(match[2]) else ""
            end = match.end()
        remaining = "".join([*remaining_parts, text[end:]])
        if is_tail:
            element.tail = remaining
        else:
            element.text = remaining


MAX_SOURCE = 20_000
_FORMULA_NAME = class_pattern("latex|tex|math|katex|formula|equation", re.IGNORECASE)
#: A command of TeX, and the other characters of which a formula has at least one.
_TEX_COMMAND = re.compile(r"\\(?:[a-zA-Z]{2,}|[,;!\\])")
_TEX_CHARACTER = re.compile(r"[{}^_]")
_FORMULA_CHARACTER = re.compile(r"[\\^_={}]")
_WORD = re.compile(r"[^\W\d_]{4}")
#: The longest formula without any of TeX's characters ('A').
_MAX_PLAIN_FORMULA_CHARS = 20
_MAX_ADDRESS_CHARS = 4000


def image_tex(image: HtmlElement) -> str:
    """Return the TeX of an image that shows a formula, '' for any other image."""
    address = image.get("src") or ""
    alt = " ".join((image.get("alt") or "")[:MAX_SOURCE].split())
    names = image.get("class") or ""
    name_and_path = f"{names} {address}"[:300].partition("?")[0]
    is_plain = len(alt) <= _MAX_PLAIN_FORMULA_CHARS and not _WORD.search(alt)
    if alt and (
        (_TEX_COMMAND.search(alt) and _TEX_CHARACTER.search(alt))
        or (_FORMULA_CHARACTER.search(alt) and _FORMULA_NAME.search(name_and_path))
        or (is_plain and _FORMULA_NAME.search(names[:300]))
    ):
        return alt
    return _address_tex(address) if "%5" in address[:_MAX_ADDRESS_CHARS] else ""


def _address_tex(address: str) -> str:
    """Return the formula in the address of an image that a service draws, or ''."""
    path, _, query = address[:_MAX_ADDRESS_CHARS].partition("?")
    for part in query.split("&") if query else [path.rpartition("/")[2]]:
        text = unquote(part.partition("=")[2] or part)
        if _TEX_COMMAND.search(text) and ":" not in text:  # no path of another system
            return " ".join(text.split())
    return ""


#: The attributes in which pages keep the TeX of a formula that a script typesets.
TEX_ATTRIBUTES = ("data-math", "data-latex", "data-tex")


def attribute_tex(element: HtmlElement) -> str:
    """Return the TeX of an element that a script typesets, or ''."""
    tex = next(filter(None, map(element.get, TEX_ATTRIBUTES)), "").strip()
    classes = [(node.get("class") or "")[:300] for node in (element, *element[:2])]
    return tex if len(tex) <= MAX_SOURCE and any(map(_FORMULA_NAME.search, classes)) else ""


_POST_CLASS = class_pattern("tweet|toot|skeet|post|status|media|embed|embedded", re.IGNORECASE)


def is_social_post(blockquote: HtmlElement) -> bool:
    """Return whether the class of a quotation marks an embedded social post."""
    classes = blockquote.get("class")
    return bool(classes and _POST_CLASS.search(classes[:300]))
