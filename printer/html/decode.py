"""Decode a page by its declared charset or by detection, and repair doubly encoded text.

The order is the HTML standard's: byte order mark, HTTP header, ``meta`` element, detection.  Unlike
in a browser, a declaration that the bytes plainly contradict is ignored.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter

import webencodings  # type: ignore[import-untyped]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(
    rb"""<(?:meta\b[^>]{0,500}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s{0,9}=\s{0,9}["']?\s{0,9}"""
    rb"""([a-zA-Z0-9_.:-]{2,40})""",
    re.IGNORECASE,
)

#: Python's codec for a WHATWG encoding, if the codec of that name decodes less than browsers do.
_CODECS = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "iso-8859-8-i": "iso-8859-8",
    "iso-2022-jp": "iso2022_jp_ext",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-user-defined": "windows-1252",
}
#: Charsets that detection may return: those in use on the web.
_DETECTABLE = [
    "utf_8", "cp1252", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255",
    "cp1256", "cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp874",
]  # fmt: skip
_DOUBLE = frozenset({"big5hkscs", "cp949", "gb18030", "cp932", "euc_jp", "euc-jp"})
_CENTRAL = ("cp1250", "iso8859_2")
#: Characters inside words that indicate a wrong charset.
_ODD = re.compile("(?<=[^\\W\\d_])[\x80-\xa0¡-ª¬-¶¸-º¼-¿×÷ŁĽ\ufffd]")
_ASCII = bytes(range(128))
_ASCII_LETTERS = re.compile(rb"[^a-zA-Z]+")
_RUNS = re.compile(rb"[^<>]{0,80}[\x80-\xff][^<>]{0,400}")

#: The bytes of text that detection examines.
_SAMPLE = 8_000


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
    high = len(body.translate(None, _ASCII))
    # Valid UTF-8 is UTF-8, but a few characters of a two-byte charset may be valid by chance.
    chance = bool(names) and names[0] in _DOUBLE and high < 8
    if not chance and (text := _as_utf8(body)):
        return text
    for name in names:
        if name != "utf-8" and (declared_text := _as_declared(body, name, high)) is not None:
            return declared_text
    return _as_utf16(body) or body.decode(_detected(body), "replace")


def _meta(body: bytes) -> str:
    match = _META.search(body[:8192])
    label = match[1].decode("ascii") if match else ""
    # A page whose meta element could be read is not UTF-16.
    return "utf-8" if label.lower().startswith("utf-16") else label


def codec_for_label(label: str) -> str:
    """Return Python's codec for a WHATWG label, or ''.

    Other codecs of Python are excluded: some decompress, or take long to decode.
    """
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


def _as_declared(body: bytes, name: str, high: int) -> str | None:
    """Decode by the declared charset; return None if the bytes contradict it."""
    try:
        text = body.decode(name, "replace")
    except LookupError:
        return None
    if text.count("\ufffd") * 20 > high:
        return None
    # Western text is mostly ASCII; otherwise the page is in another script.
    if name in {"windows-1252", "iso-8859-1"} and high * 3 > _letters(body):
        return None
    return text


def _letters(body: bytes) -> int:
    """Count letters in the text around bytes above ASCII, both kinds."""
    runs = b"".join(_RUNS.findall(body[:200_000]))[: 4 * _SAMPLE]
    high = len(runs.translate(None, _ASCII))
    share = high + len(_ASCII_LETTERS.sub(b"", runs))
    total = len(body.translate(None, _ASCII))
    return share * total // high if high else 0


def _as_utf16(body: bytes) -> str:
    """Decode UTF-16 without a byte order mark, recognised by NUL in every other byte of markup."""
    head = body[:256]
    if len(head) >= 4 and head.count(0) * 3 > len(head):
        even, odd = head[::2].count(0), head[1::2].count(0)
        if even != odd:
            return body.decode("utf-16-be" if even > odd else "utf-16-le", "replace")
    return ""


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
    slavic = sum(map(sample.count, (b"\x9a", b"\x9e"))) * 30 > len(sample.translate(None, _ASCII))
    near = _CENTRAL if slavic or best.language == "Hungarian" else ("cp1252", *_CENTRAL)
    return min(near, key=lambda name: len(_ODD.findall(sample.decode(name, "replace"))))


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
_CONTROLS = re.compile("[\x80-\x9f]")
#: The fewest such sequences in a faulty page, and the largest ratio of the same characters
#: correctly encoded.
_ENOUGH, _MAX_CORRECT = 3, 0.25


def fix_mojibake(text: str) -> str:
    """Return text with doubly encoded characters ('donâ€™t' for 'don’t') repaired.

    Such text was UTF-8, decoded as a one-byte charset and encoded as UTF-8 again, as in databases
    moved between systems.  A sequence that is valid UTF-8 when converted back byte by byte and
    contains a control character is always repaired.  Sequences without one are repaired if a page
    has several, unless the same characters also occur correctly: then the page is about the fault.
    """
    # Searching for single letters is faster, and most pages have none of these.
    if text.isascii() or not any(lead in text for lead in "ÃÂâð"):
        return text
    if not any(beginning in text for beginning in _BEGINNINGS):
        return text
    counts = Counter(_SEQUENCES.findall(text))
    decoded = {sequence: _decode_again(sequence) for sequence in counts}
    wrong = [sequence for sequence in counts if decoded[sequence] != sequence]
    likely = [sequence for sequence in wrong if sequence[0] in _LEADS]
    occurrences = sum(counts[sequence] for sequence in likely)
    characters = {char for sequence in likely for char in decoded[sequence]} - {"\xa0"}
    correct = sum(map(text.count, characters))
    if occurrences < _ENOUGH or correct > occurrences * _MAX_CORRECT:
        certain = {s: decoded[s] for s in wrong if _CONTROLS.search(s)}
        if not certain:
            return text
        decoded = {sequence: sequence for sequence in counts} | certain
    return _SEQUENCES.sub(lambda match: decoded[match[0]], text)


def _decode_again(sequence: str) -> str:
    try:
        return sequence.translate(_BYTES).encode("latin-1").decode()
    except UnicodeError:
        return sequence
