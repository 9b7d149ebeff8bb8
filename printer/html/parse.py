"""Decode HTML, and parse it into a tree of bounded depth and width, in linear time.

The charset is looked for in the order of the HTML standard: byte order mark, HTTP header, ``meta``
element, detection.  Unlike in a browser, a declaration that the bytes plainly contradict is
ignored.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from itertools import islice
from typing import Any

import webencodings  # type: ignore[import-untyped]
from lxml import etree
from lxml.html import HtmlElement

from ..text import clean_line
from ..urls import resolve
from .visibility import is_not_displayed

#: Attributes of one element beyond this many are dropped.
MAX_ATTRIBUTES = 1000
_ATTRIBUTES = (
    rb"""[^\s/>]*+(?:[\s/]*+[^\s/>][^\s/>=]*+"""
    rb"""(?:="[^"]*+"|\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+){0,%d}+[\s/]*+"""
) % MAX_ATTRIBUTES


def _raw(tag: bytes, end: bytes) -> bytes:
    """Return the pattern of an element whose content is text up to its end tag."""
    return rb"|(?:%b|%b)(?=[\s/>])%b>(?:[^<]++|<(?!/%b))*+" % (tag, tag.upper(), _ATTRIBUTES, end)


#: The parser's time is quadratic in the attributes of one element. A page of up to this size takes
#: a second at most.
_MAX_SMALL_PAGE_BYTES = 150_000
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\f\r"))
_FEEDS = bytes.maketrans(b"\f", b" ")
#: U+FFFE and U+FFFF, which the parser accepts but a tree does not.
_NONCHARACTERS = (b"\xef\xbf\xbe", b"\xef\xbf\xbf")


def parse(text: str) -> HtmlElement:
    """Return the tree of a page; never raises.  An empty page has an empty body."""
    source = text.encode("utf-8", "replace").translate(_FEEDS, _CONTROLS)
    for character in _NONCHARACTERS:
        source = source.replace(character, b"")
    source = strip_invalid_references(source) or b"<html/>"
    source = _keep_heading_paragraphs(source)
    # As browsers read it, <script/> is <script> where an end tag follows.
    source = _SELF_CLOSED_SCRIPT.sub(
        lambda match: match[1][:-1] + b">" if match[2] else match[0], source
    )
    tree = _parse_tree(source)
    _gather(tree)
    _close_head(tree)
    _close_navigation(tree)
    _open_templates(tree)
    return tree


def _parse_tree(source: bytes) -> HtmlElement:
    """Return the parser's own tree, or one of bounded depth and width if it would be too large."""
    if len(source) > _MAX_SMALL_PAGE_BYTES and _has_wide_tag(source):
        return _parse_flat(source)
    parser = _parser()
    tree = etree.fromstring(source, parser)
    if tree is None:
        return etree.fromstring(b"<html><body/></html>", _parser())
    error = parser.error_log.last_error
    if error is not None and error.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:  # of its depth
        return _parse_flat(source)
    return tree


#: References to characters not allowed in a tree: controls, surrogates, noncharacters.
_INVALID_REFERENCE = re.compile(
    rb"&#(?:0*+(?:[0-8]|1[1-24-9]|2[0-9]|3[01]|127|5529[6-9]|55[3-9][0-9]{2}|56[0-9]{3}"
    rb"|57[0-2][0-9]{2}|573[0-3][0-9]|5734[0-3]|6553[45])(?![0-9])"
    rb"|[xX]0*+(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|7[fF]|[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[eEfF])"
    rb"(?![0-9a-fA-F]));?"
)


def strip_invalid_references(source: bytes) -> bytes:
    """Return markup without references to characters not allowed in a tree.

    One that only the removal of another completes becomes U+FFFD, which completes no third.
    """
    return _INVALID_REFERENCE.sub(b"\xef\xbf\xbd", _INVALID_REFERENCE.sub(b"", source))


# Possessive repetitions of groups with a lookahead match nothing in Python before 3.11.5.
_HEADING = re.compile(rb"(<([hH][1-6])(?=[\s>])[^<>]*+>)(.*?)(?=<(/?[hH][1-6])[\s>])", re.DOTALL)
_NEXT_PARAGRAPH = re.compile(rb"</p\s*+>\s*+(?=<p[\s>])", re.IGNORECASE)
_PARAGRAPH = re.compile(rb"<(/?)p(?=[\s>])([^<>]*+)>", re.IGNORECASE)


def _keep_heading_paragraphs(source: bytes) -> bytes:
    """Replace paragraphs inside headings by spans; the parser would end the headings there."""

    def replace(heading: re.Match[bytes]) -> bytes:
        if heading[4] != b"/" + heading[2] or not _PARAGRAPH.search(heading[3]):
            return heading[0]
        content = _NEXT_PARAGRAPH.sub(b"</span><br>", heading[3])
        return heading[1] + _PARAGRAPH.sub(rb"<\1span\2>", content)

    return _HEADING.sub(replace, source)


#: A script whose start tag looks like an empty element's, which it is not in HTML.
_SELF_CLOSED_SCRIPT = re.compile(rb"(<script(?=[\s/])[^<>]*+)(?<=/)>(?=.*?<(/?)script)", re.DOTALL)
_LOOKUP = etree.ElementDefaultClassLookup(element=HtmlElement)


def _parser(target: Any = None) -> etree.HTMLParser:
    parser = etree.HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True, target=target
    )
    parser.set_element_class_lookup(_LOOKUP)
    return parser


#: The part of a page before the first tag with too many attributes, in a single match, which is
#: faster than one per tag.  Most tags have no attributes, and do not begin like those whose content
#: is text.
_ORDINARY = re.compile(
    rb"(?:[^<]++|<(?:/[a-zA-Z0-9]++>|(?:[a-ru-zA-RU-Z]|s[pu]|t[dhr])[a-zA-Z0-9]*+>|!--(?!-?>)(?:[^-]++|-(?!-!?>))*+"
    + _raw(b"script", b"[sS][cC][rR]")
    + _raw(b"style", b"[sS][tT][yY]")
    + _raw(b"title", b"[tT][iI][tT]")
    + _raw(b"textarea", b"[tT][eE][xX]")
    + rb"|/?[a-zA-Z]%b(?:>|\Z)|(?:[!?]|/(?![a-zA-Z]))[^>]*+|(?![a-zA-Z!?/])))*+" % _ATTRIBUTES
)


def _has_wide_tag(source: bytes) -> bool:
    """Return whether a tag has more attributes than an element may."""
    ordinary = _ORDINARY.match(source)
    return ordinary is None or ordinary.end() < len(source)


def _gather(tree: HtmlElement) -> None:
    """Move into the body all content beside it and that of further roots, after ``</html>``."""
    head, body = tree.find("head"), tree.find("body")
    if body is None:
        body = etree.SubElement(tree, "body")
    position = tree.index(body)
    # Content before the body, which the parser puts beside it if the body begins late.
    before = [part for part in tree[:position] if part is not head]
    texts = [body.tail]
    for part in [*tree[position + 1 :], *tree.itersiblings()]:
        _move_content(part, body, texts)
    _append_text(body, texts)
    _prepend(body, before)
    body.text = "".join(filter(None, (tree.text, None if head is None else head.tail, body.text)))
    tree.text = body.tail = None
    if head is not None:
        head.tail = None


def _move_content(part: HtmlElement, body: HtmlElement, texts: list[str | None]) -> None:
    """Append a part to the body, or the content of a further root or body.

    ``texts`` are those after the last element: to join them one at a time would be quadratic.
    """
    tail, part.tail = part.tail, None
    if part.tag in ("html", "body"):
        texts.append(part.text)
        for child in list(part):
            _move_content(child, body, texts)
        if (parent := part.getparent()) is not None:
            parent.remove(part)
    else:
        _append_text(body, texts)
        body.append(part)
    texts.append(tail)


def _append_text(element: HtmlElement, texts: list[str | None]) -> None:
    """Append texts to the content of an element, and empty their list."""
    text = "".join(filter(None, texts))
    texts.clear()
    if text and len(element):
        element[-1].tail = (element[-1].tail or "") + text
    elif text:
        element.text = (element.text or "") + text


def _prepend(element: HtmlElement, parts: list[HtmlElement]) -> None:
    """Move parts before the content of an element."""
    if parts:
        parts[-1].tail, element.text = (parts[-1].tail or "") + (element.text or ""), None
        element[:0] = parts


_HEAD = frozenset({"title", "meta", "link", "script", "style", "base", "noscript", "template"})


def _close_head(tree: HtmlElement) -> None:
    """Move elements not allowed in a head to the body, as ``<body>`` is optional in HTML 5."""
    head = tree.find("head")
    if head is not None:
        misplaced = (i for i, part in enumerate(head) if part.tag not in _HEAD)
        _prepend(tree.find("body"), list(head)[next(misplaced, len(head)) :])


def _close_navigation(tree: HtmlElement) -> None:
    """Move the main content out of a navigation with an unclosed element, as browsers do."""
    main = next(tree.iter("main"), None)
    around = [] if main is None else list(main.iterancestors("nav", "header"))
    if main is None or not any(element.tag == "nav" for element in around):
        return
    moved = [main, *main.itersiblings()]
    parent = around[-1].getparent()
    if parent is not None:
        position = parent.index(around[-1]) + 1
        parent[position:position] = moved


#: Elements deeper than this become siblings; browsers stop at 512 as well.
MAX_DEPTH = 512
#: The ids of the places for what React streams begin with these.
_PLACE_PREFIXES = ("B:", "P:")
_STREAMED_PATH = "body/*[starts-with(@id, 'S:')]"
_MAX_STREAMED = 2000
_TEXT_TAGS = frozenset({"article", "main", "p", "ul", "ol", "pre", "h2", "h3", "h4", "h5", "h6"})


def _open_templates(tree: HtmlElement) -> None:
    """Inline declarative shadow roots, and text that React streams to the end of the body."""
    places: dict[HtmlElement, str] = {}
    for template in tree.iter("template"):
        if template.get("shadowrootmode"):
            template.tag = "div"
        elif (template.get("id") or "").startswith(_PLACE_PREFIXES):
            places[template] = (template.get("id") or "")[len("B:") :]
    streamed = tree.xpath(_STREAMED_PATH) if places else []
    parts = {part.get("id")[len("S:") :]: part for part in streamed[:_MAX_STREAMED]}
    inside = {place for part in parts.values() for place in part.iter("template")}
    waiting = [place for place in places if place not in inside]
    while waiting and parts:
        place = waiting.pop()
        around = list(islice(place.iterancestors(), MAX_DEPTH))
        beside = [place.getprevious(), place.getnext()]
        is_text = any(part is not None and part.tag in _TEXT_TAGS for part in (*around, *beside))
        part = parts.pop(places[place], None)
        if part is None or not is_text or len(around) == MAX_DEPTH:
            continue
        waiting += (inner for inner in part.iter("template") if inner in places)
        place.text, part.text = part.text, None
        place.extend(part)
        place.drop_tag()


_INVALID_NAME = re.compile(r"""[\s&<>/"'{}]|^$""")


class _FlatBuilder:
    """Builds a tree of bounded depth and width from the parser's events."""

    def __init__(self) -> None:
        self.builder = etree.TreeBuilder(parser=_parser())
        self.depth = 0  # of the page
        self.open: list[str] = []  # in the tree

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open an element; at the maximum depth, as a sibling of the one before it."""
        self.depth += 1
        if self.depth == 1 and self.open and tag == "html":
            return  # A second root, for content after the end of the first, which stays open.
        if not tag.isalnum() and _INVALID_NAME.search(tag):
            tag = "span"  # A piece of a broken tag, which the parser accepts but a tree does not.
        if not self.open and tag != "html":
            self.open.append("html")
            self.builder.start("html", {})
        if len(self.open) >= MAX_DEPTH:
            self.builder.end(self.open.pop())
        valid: dict[str | bytes, str | bytes] = {}
        if attributes:  # Most have none.
            first = islice(attributes.items(), MAX_ATTRIBUTES)
            valid = {k: v for k, v in first if not _INVALID_NAME.search(k)}
        self.builder.start(tag, valid)
        self.open.append(tag)

    def end(self, tag: str) -> None:  # noqa: ARG002 (the parser's events come in pairs)
        """Close an element, unless it was closed to limit the depth."""
        if self.depth <= len(self.open) and len(self.open) > 1:
            self.builder.end(self.open.pop())
        self.depth -= 1

    def data(self, text: str) -> None:
        if self.open:
            self.builder.data(text)

    def close(self) -> HtmlElement:
        while self.open:
            self.builder.end(self.open.pop())
        return self.builder.close()


def _parse_flat(source: bytes) -> HtmlElement:
    """Parse a page that is too deep or wide for the parser's own tree; slower, still linear."""
    return etree.fromstring(source, _parser(_FlatBuilder()))


def base_url(tree: HtmlElement, url: str) -> str:
    hrefs = ((base.get("href") or "").strip() for base in tree.iter("base"))
    href = next(filter(None, hrefs), "")
    return (resolve(url, href) if href else "") or url


#: Cloudflare replaces an address by "[email protected]" and puts it in this attribute, in
#: hexadecimal: the first byte is the key with which the others are combined (exclusive or).
EMAIL_ATTRIBUTE = "data-cfemail"
_PROTECTED = "/cdn-cgi/l/email-protection"


def decode_emails(tree: HtmlElement) -> None:
    """Restore the e-mail addresses that the page's script would decode."""
    for element in tree.iter():
        address = _address(element.get(EMAIL_ATTRIBUTE) or "")
        if not address:
            continue
        element.text = address
        parent = element.getparent()
        link = element if element.tag == "a" or parent is None else parent
        if link is element or _PROTECTED in (link.get("href") or ""):
            link.set("href", f"mailto:{address}")


#: An address in hexadecimal, after its key; none is longer than 254 characters.
_HEX = re.compile(r"(?:[0-9a-f]{2}){4,255}", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"[^\s<>@\"]{1,64}@[^\s<>@\"]{1,253}")


def _address(encoded: str) -> str:
    if not _HEX.fullmatch(encoded):
        return ""
    key, *data = bytes.fromhex(encoded)
    address = bytes(byte ^ key for byte in data).decode("utf-8", "replace")
    return address if _ADDRESS.fullmatch(address) and address.isprintable() else ""


#: Elements that start a new line, even inside a heading.
_LINES = frozenset({"br", "div", "p", "li", "small", "h2", "h3"})
#: Elements whose text is not content.
_SKIPPED = frozenset({
    "button", "noscript", "rp", "rt", "script", "select", "style", "svg", "template",
})  # fmt: skip
#: The most start and end tags to examine for an element's text.
_MAX_EVENTS = 400


def _is_unread(element: HtmlElement) -> bool:
    return element.tag in _SKIPPED or (bool(element.attrib) and is_not_displayed(element))


def element_line(element: HtmlElement, between: str = "", limit: int = 500) -> str:
    """Return an element's displayed text as a clean line; only the beginning of a large one."""
    parts = []
    walk = etree.iterwalk(element, ("start", "end"))
    for event, inner in islice(walk, _MAX_EVENTS):
        if event == "start" and inner is not element and _is_unread(inner):
            walk.skip_subtree()
            continue
        if inner.tag in _LINES:
            parts.append(" ")
        part = inner.text if event == "start" else inner.tail if inner is not element else None
        if part:
            parts.append(part)
    return clean_line(between.join(parts), limit)


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DOUBLE = frozenset({"big5hkscs", "cp949", "gb18030", "cp932", "euc_jp", "euc-jp"})


def decode(body: bytes, declared: str = "") -> str:
    """Return a page's text; ``declared`` is the charset of the HTTP header.  Never raises."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(name, "replace")
    if body.isascii():
        # ISO-2022-JP is the only charset of the web that consists of ASCII bytes.
        japanese = b"\x1b$" in body
        return _as_utf16(body) or body.decode("iso2022_jp_ext" if japanese else "ascii", "replace")
    names = [name for label in (declared, _meta(body)) if (name := codec_for_label(label))]
    # Valid UTF-8 is UTF-8, but a few characters of a two-byte charset may be valid by chance.
    chance = bool(names) and names[0] in _DOUBLE and _count_high(body) < 8
    if not chance and (text := _as_utf8(body)):
        return text
    high_bytes = _count_high(body)
    for name in names:
        if name != "utf-8" and (declared_text := _as_declared(body, name, high_bytes)) is not None:
            return declared_text
    return _as_utf16(body) or body.decode(_detected(body), "replace")


_ASCII = bytes(range(128))


def _count_high(body: bytes) -> int:
    return len(body.translate(None, _ASCII))


_META = re.compile(
    rb"""<(?:meta\b[^>]{0,500}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s{0,9}=\s{0,9}["']?\s{0,9}"""
    rb"""([a-zA-Z0-9_.:-]{2,40})""",
    re.IGNORECASE,
)


def _meta(body: bytes) -> str:
    match = _META.search(body[:8192])
    label = match[1].decode("ascii") if match else ""
    # A page whose meta element could be read is not UTF-16.
    return "utf-8" if label.lower().startswith("utf-16") else label


#: Python's codec for a WHATWG encoding, if the codec of that name decodes less than browsers do.
_CODECS = {
    "big5": "big5hkscs", "euc-kr": "cp949", "gbk": "gb18030", "iso-8859-8-i": "iso-8859-8",
    "iso-2022-jp": "iso2022_jp_ext", "macintosh": "mac-roman", "shift_jis": "cp932",
    "windows-874": "cp874", "x-mac-cyrillic": "mac-cyrillic", "x-user-defined": "windows-1252",
}  # fmt: skip


def codec_for_label(label: str) -> str:
    """Return Python's codec for a WHATWG label, or ''; others may decompress or be slow."""
    encoding = webencodings.lookup(label) if label else None
    if encoding is None:
        return ""
    return _CODECS.get(encoding.name, str(encoding.name))


def _as_utf8(body: bytes) -> str:
    """Decode UTF-8 with a few stray bytes; return '' for anything else."""
    try:
        return body.decode()
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    # A few invalid sequences among many valid ones are damaged UTF-8.
    right = (len(body) - len(text)) // 2
    return text if wrong * 10 <= right else ""


def _as_declared(body: bytes, name: str, high_bytes: int) -> str | None:
    """Decode by the declared charset; return None if the bytes contradict it."""
    try:
        text = body.decode(name, "replace")
    except LookupError:
        return None
    if text.count("\ufffd") * 20 > high_bytes:
        return None
    # Western text is mostly ASCII; otherwise the page is in another script.
    if name in {"windows-1252", "iso-8859-1"} and high_bytes * 3 > _letters(body):
        return None
    return text


_ASCII_LETTERS = re.compile(rb"[^a-zA-Z]+")
_RUNS = re.compile(rb"[^<>]{0,80}[\x80-\xff][^<>]{0,400}")
#: The bytes of text that detection examines.
_SAMPLE = 8_000


def _letters(body: bytes) -> int:
    """Count letters in the text around bytes above ASCII, both kinds."""
    runs = b"".join(_RUNS.findall(body[:200_000]))[: 4 * _SAMPLE]
    high_bytes = _count_high(runs)
    share = high_bytes + len(_ASCII_LETTERS.sub(b"", runs))
    total = _count_high(body)
    return share * total // high_bytes if high_bytes else 0


def _as_utf16(body: bytes) -> str:
    """Decode UTF-16 without a byte order mark, recognized by NUL in every other byte of markup."""
    head = body[:256]
    if len(head) >= 4 and head.count(0) * 3 > len(head):
        even, odd = head[::2].count(0), head[1::2].count(0)
        if even != odd:
            return body.decode("utf-16-be" if even > odd else "utf-16-le", "replace")
    return ""


#: Charsets that detection may return: those in use on the web.
_DETECTABLE = [
    "utf_8", "cp1252", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255",
    "cp1256", "cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp874",
]  # fmt: skip
_CENTRAL = ("cp1250", "iso8859_2")
#: Characters inside words that indicate a wrong charset.
_ODD = re.compile("(?<=[^\\W\\d_])[\x80-\xa0¡-ª¬-¶¸-º¼-¿×÷ŁĽ\ufffd]")


def _detected(body: bytes) -> str:
    """Guess the charset from a sample of the text that is not ASCII."""
    from charset_normalizer import from_bytes  # slow to import

    sample = b" ".join(_RUNS.findall(body[:1_000_000]))[:_SAMPLE]
    best = from_bytes(sample, cp_isolation=_DETECTABLE).best()
    if best is None:
        return "windows-1252"
    if best.encoding not in _CENTRAL:
        return best.encoding
    # Western and Central European charsets differ in few letters, which detection confuses: š and
    # ž indicate Slavic languages, and symbols inside words a wrong charset.
    slavic = sum(map(sample.count, (b"\x9a", b"\x9e"))) * 30 > _count_high(sample)
    encodings = _CENTRAL if slavic or best.language == "Hungarian" else ("cp1252", *_CENTRAL)
    return min(encodings, key=lambda name: len(_ODD.findall(sample.decode(name, "replace"))))


# Doubly encoded text


#: The byte of each character of Windows-1252 from 0x80 to 0x9F.
_CP1252 = {bytes([byte]).decode("cp1252", "replace"): byte for byte in range(0x80, 0xA0)}
_BYTES = str.maketrans({char: chr(byte) for char, byte in _CP1252.items() if char != "\ufffd"})
_NEXT = "[\x80-\xbf" + re.escape("".join(map(chr, _BYTES))) + "]"
#: The character set at the beginning lets the search skip other characters quickly.
_SEQUENCES = re.compile(f"[Â-ô](?:(?<=[Â-ß]){_NEXT}|(?<=[à-ï]){_NEXT}{{2}}|(?<=[ð-ô]){_NEXT}{{3}})")
#: Letters that hardly precede a symbol in any language: Ã© is é, â€™ an apostrophe, ðŸ™‚ a smile.
_LEADS = frozenset("ÂÃâðï")
#: The beginnings of most such sequences; a page without any of them is not searched.
_BEGINNINGS = ("Ã", "Â", "â\x80", "â€", "ð\x9f", "ðŸ")
_C1_CONTROLS = re.compile("[\x80-\x9f]")
#: The fewest such sequences in a faulty page.
_MIN_SEQUENCES = 3
#: The largest ratio of the same characters correctly encoded.
_MAX_CORRECT_RATIO = 0.25


def fix_mojibake(text: str) -> str:
    """Return text with doubly encoded characters ('donâ€™t' for 'don’t') repaired.

    Sequences that are valid UTF-8 when converted back are repaired if they contain a control
    character, or if there are several and the page has none of these characters correctly.
    """
    if not any(beginning in text for beginning in _BEGINNINGS):
        return text
    counts = Counter(_SEQUENCES.findall(text))
    decoded = {sequence: _decode_again(sequence) for sequence in counts}
    plausible = [sequence for sequence in counts if sequence[0] in _LEADS]
    occurrences = sum(counts[sequence] for sequence in plausible)
    characters = {char for sequence in plausible for char in decoded[sequence]} - {"\xa0"}
    correct = sum(map(text.count, characters))
    if occurrences < _MIN_SEQUENCES or correct > occurrences * _MAX_CORRECT_RATIO:
        replacements = {s: decoded[s] for s in counts if _C1_CONTROLS.search(s)}
        if not replacements:
            return text
        decoded = {sequence: sequence for sequence in counts} | replacements
    return _SEQUENCES.sub(lambda match: decoded[match[0]], text)


def _decode_again(sequence: str) -> str:
    try:
        return sequence.translate(_BYTES).encode("latin-1").decode()
    except UnicodeError:
        return sequence


def xml_parser(**options: Any) -> etree.XMLParser:
    """Return a parser of untrusted XML, which opens no other file."""
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, **options)


def local_name(element: etree._Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]
