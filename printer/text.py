"""Clean text of unknown origin: lines, attributes, comparison keys, file names."""

from __future__ import annotations

import html
import itertools
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

#: Letters of the scripts without spaces between words (Thai, Lao, Burmese, Khmer, kana, Han), for
#: use in a character set of a regular expression.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\U00020000-\U0003ffff"
)
#: A character of these scripts.
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
#: Letters of the scripts that are written from right to left, for the same use.
RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff"
#: A word; in scripts without spaces, a single letter.
WORD = re.compile(f"[{UNSPACED}]|[^\\W_{UNSPACED}]+")
#: Where a word begins in a name such as 'captionCredit'.
CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
#: A line of signs between the scenes of a story.
SCENE_BREAK = re.compile(r"(?:[*•·⁂❦✻∗~∼_=#—–-]\s?){3,400}|⁂|❦|✻")
#: Signs before the items of a list, besides dashes and asterisks.
BULLETS = "•∙·◦▪‣●■►▶➤"
#: A year since 1000 within other text.
YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
#: The place before the first words of a report: 'AUBURN, Wash. —'.
DATELINE = re.compile(r"[^\W\d_][\w\s.,()/'’]{2,60}(?:—|–|--| -)")
#: The most characters into which case folding turns one.
LONGEST_FOLDED = 3
#: What a line never contains: controls, bidi overrides and isolates, invisible signs, private use
#: (icon fonts), halves of surrogate pairs, noncharacters.
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069"
    "\ue000-\uf8ff\ud800-\udfff\ufeff\ufff9-\ufffc\ufffe\uffff]"
)
#: How many times its limit a text may measure before cleaning, which shrinks entities and space.
_SLACK = 8


def clean_line(text: str | None, limit: int = 500) -> str:
    """Return text without invisible characters, with white space folded, cut at ``limit``."""
    if not text:
        return ""
    text = text[: limit * _SLACK]
    if not text.isprintable() or "\ufffc" in text:
        text = INVISIBLE.sub("", text)
    folded = " ".join(text.split())
    if len(folded) <= limit:
        return folded
    cut = folded[: limit - 1]
    words = cut.rpartition(" ")[0]
    return (words if len(words) > limit // 2 else cut).rstrip() + "…"


def is_blank(text: str | None) -> bool:
    return not text or text.isspace()


def count_columns(text: str) -> int:
    """Return the width of a text in Latin characters, two for one of Chinese or Japanese."""
    return sum(2 if unicodedata.east_asian_width(character) in "FW" else 1 for character in text)


#: A label alone on its line: 'Author:'.
LABEL_LINE = re.compile(r"[^\W\d_][^.:：!?\n]{0,27}[:：]")


def class_pattern(names: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Return a pattern that finds one of some names as a word of a class or an id."""
    return re.compile(rf"(?:^|[\s_-])(?:{names})(?=$|[\s_-])", flags)


def truncate(text: str, limit: int) -> str:
    """Return text of at most ``limit`` characters; cut text ends in an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


_INLINE_TAGS = re.compile(
    r"</?(?:a|abbr|b|bdi|br|cite|em|font|i|mark|p|q|s|small|span|strong|sub|sup|u)\b[^<>]{0,300}>",
    re.IGNORECASE,
)


def clean_attribute(text: str | None, limit: int = 500) -> str:
    """Return an attribute, or a string from a script, as a clean line with entities decoded.

    The parser has decoded an attribute once, but publishing systems escape twice, and put inline
    markup where only text belongs.
    """
    if not text:
        return ""
    text = text[: limit * _SLACK]
    for _ in range(2):
        if "&" not in text:
            break
        text = html.unescape(text)
    if "</" in text:
        text = _INLINE_TAGS.sub("", text)
    return clean_line(text, limit)


#: What a template or a script of the site was to replace: '[form id=3]', '[BOX_1]', '{{ banner }}'.
_PLACEHOLDER = re.compile(
    r"\[/?[a-zA-Z][\w-]{0,40}(?:_\w{1,40}|(?:\s[\w-]{1,40}=[^\]]{0,150})+)\s?/?\]|\$?\{\{[^{}]{1,150}\}\}"
    r"|\$\{[\w.()\[\]]{1,100}\}|\{%[^{}]{1,150}%\}|<%[^<>%]{1,150}%>"
)


def is_placeholder(text: str) -> bool:
    """Return whether a text has no words except unreplaced template placeholders."""
    if not any(character in text for character in "{[<"):
        return False
    remaining, count = _PLACEHOLDER.subn("", text)
    return count > 0 and not any(map(str.isalnum, remaining))


_CHARACTERS_PER_WORD = 2


def count_words(text: str) -> int:
    """Return the number of words as a reader would count them.

    Words are what spaces separate; in scripts without spaces, two characters count as one.
    """
    if text.isascii() or not (unspaced := len(UNSPACED_CHARACTER.findall(text))):
        return len(text.split())
    spaced_words = UNSPACED_CHARACTER.sub(" ", text).split()
    spaced = sum(any(map(str.isalnum, word)) for word in spaced_words)
    return spaced + -(-unspaced // _CHARACTERS_PER_WORD)


def has_currency_sign(text: str) -> bool:
    return any(unicodedata.category(sign) == "Sc" for sign in set(text))


def quantity(number: float, noun: str) -> str:
    """Return a number with its noun: '1 page', '2 pages'."""
    digits = f"{number:g}" if isinstance(number, float) else number
    return f"{digits} {noun}{'' if number == 1 else 's'}"


#: The characters that end a label or a line that introduces what follows.
COLONS = (":", "：")
QUESTION_MARKS = ("?", "？", "؟")
#: The characters that end a sentence.
SENTENCE_ENDS = (".", "!", "…", "。", "！", "۔", "।", *QUESTION_MARKS)


def ends_sentence(text: str) -> bool:
    """Return whether a text ends in a sentence, or the colon of one, perhaps in quotation marks."""
    return text.rstrip(" \"'”’»)]」』）").endswith((*SENTENCE_ENDS, *COLONS))


def split_label(line: str) -> tuple[str, str, str]:
    """Return the label before the first colon of a line, that colon, and the text after it."""
    return line.replace("：", ":").partition(":")


#: The ASCII characters that are neither letters nor digits.
_ASCII_PUNCTUATION = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_LETTERS = re.compile(r"[^\W_]+")


def comparison_key(text: str) -> str:
    """Return the letters and digits of a text, case-folded, for comparison."""
    if text.isascii():
        return text.encode().translate(None, _ASCII_PUNCTUATION).decode().lower()
    return "".join(_LETTERS.findall(text)).casefold()


_INITIAL = re.compile(r"[«“„\"‘'¡¿]?[^\W\d_]")
#: The lines of word lists by first letter are shorter.
_MIN_CHARS_AFTER_DROP_CAP = 60


def continues_drop_cap(initial: str, text: str) -> bool:
    """Return whether a text continues the word or sentence that a drop cap begins."""
    letter = initial[-1:]
    return (
        len(initial) <= 2
        and len(text) >= _MIN_CHARS_AFTER_DROP_CAP
        and text[0].islower()
        and _INITIAL.fullmatch(initial) is not None
        and letter.isupper()
        and text[0] != letter.lower()
    )


#: Longest file name made from a title, in bytes of UTF-8 (file systems take 255).
FILE_NAME_BYTES = 150
_UNSAFE = re.compile(r'[\\/:*?"<>|\s]+')


def file_name(title: str, fallback: str = "article") -> str:
    """Return a file name made from a title, without folder or extension.

    Characters that any common file system refuses or the locale lacks are removed, and so is a
    leading dot or dash, which would hide the file or make it look like an option.
    """
    encoding = sys.getfilesystemencoding()
    text = unicodedata.normalize("NFC", title).encode(encoding, "ignore").decode(encoding)
    text = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text)
    text = _UNSAFE.sub(" ", text).strip(" .-_")
    text = text.encode()[:FILE_NAME_BYTES].decode("utf-8", "ignore").rstrip(" .")
    return text or fallback


def numbered(name: str, separator: str) -> Iterator[str]:
    """Yield a name, then the name with the numbers 2, 3 and so on after it."""
    yield name
    yield from (f"{name}{separator}{number}" for number in itertools.count(2))


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return "Did you mean NAME?" for the nearest of some names, '' if none is near."""
    from difflib import get_close_matches

    names_by_lower = {name.lower(): name for name in names}
    matches = get_close_matches(word.lower(), names_by_lower, 1)
    return f"Did you mean {names_by_lower[matches[0]]}?" if matches else ""


#: The most lines, such as a button, between a preview and the full text.
_MAX_LINES_TO_FULL_TEXT = 4
_MIN_PREVIEW_CHARS = 100
_MAX_PREVIEW_LINES = 200
_CUT_CHARACTERS = " .…"


def count_previewed(lines: Sequence[str], preview: int, text: int) -> int:
    """Return the number of lines of a preview, 0 if it is none.

    A preview is the beginning of a text; its last line is cut.  ``preview`` and ``text`` are the
    indexes of their first lines among those of a page or a post.
    """
    chars = 0
    for i in range(min(text - preview, len(lines) - text, _MAX_PREVIEW_LINES)):
        line, text_line = lines[preview + i], lines[text + i]
        beginning = line.rstrip(_CUT_CHARACTERS)
        chars += len(beginning)
        if line != text_line:
            rest = text_line.removeprefix(beginning)
            # An enumeration is not cut between its entries.
            is_cut = len(rest) < len(text_line) and rest[:1] not in {"", ",", ";"}
            is_near = text - preview - i - 1 <= _MAX_LINES_TO_FULL_TEXT
            return i + 1 if is_cut and is_near and chars >= _MIN_PREVIEW_CHARS else 0
    return 0


#: The fewest entries of a live report.
MIN_LIVE_ENTRIES = 4
_TIME_OF_DAY = re.compile(r"[0-2]?[0-9][:.h][0-5][0-9](?![0-9:.%])")
_MAX_ENTRY_TIME_CHARS = 60


def is_entry_time(line: str) -> bool:
    """Return whether a short line begins with the time of day, as entries of live reports do."""
    return len(line) <= _MAX_ENTRY_TIME_CHARS and _TIME_OF_DAY.match(line) is not None
