"""Which language a page is in: what it states, unless its script says otherwise, else its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from .common_words import common_word_share, language_by_words

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?=$|[-_.@,;\s])",
    re.IGNORECASE,
)
#: Codes and names that stand for another: withdrawn ones, three letters where there are two.
_SAME = {
    "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro", "eng": "en", "ger": "de",
    "deu": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt", "rus": "ru",
    "jpn": "ja", "kor": "ko", "zho": "zh", "chi": "zh", "ara": "ar", "heb": "he", "nld": "nl",
    "dut": "nl", "pol": "pl", "ukr": "uk", "tur": "tr", "swe": "sv", "cn": "zh", "jp": "ja",
    "kr": "ko", "cz": "cs", "gr": "el", "ua": "uk", "dk": "da",
}  # fmt: skip
_NAMES = {
    "english": "en", "deutsch": "de", "german": "de", "french": "fr", "français": "fr",
    "francais": "fr", "spanish": "es", "español": "es", "espanol": "es", "italian": "it",
    "italiano": "it", "portuguese": "pt", "português": "pt", "russian": "ru", "русский": "ru",
    "japanese": "ja", "日本語": "ja", "chinese": "zh", "中文": "zh", "korean": "ko", "arabic": "ar",
    "العربية": "ar", "dutch": "nl", "nederlands": "nl", "polish": "pl", "polski": "pl",
    "swedish": "sv", "svenska": "sv",
}  # fmt: skip
_NONE = frozenset({"xx", "und", "mul", "zxx", "mis", "lang", "std", "all", "utf", "iso"})

#: Scripts by the code points of their letters, and the languages written in them.  The first is
#: taken where nothing else tells.
_SCRIPTS: tuple[tuple[str, str, str], ...] = (
    ("kana", "\u3040-\u30ff\uff66-\uff9f", "ja"),
    ("hangul", "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af", "ko"),
    ("han", "\u3400-\u9fff\uf900-\ufaff", "zh ja yue wuu lzh nan hak gan ko"),
    (
        "cyrillic",
        "\u0400-\u052f",
        "ru uk bg sr be mk kk ky mn tg tt uz bs sh az ba cv ce os sah ab",
    ),
    (
        "arabic",
        "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefe",
        "ar fa ur ps ckb ku sd ug pnb azb az arz ary ks bal dv ms ha",
    ),
    ("hebrew", "\u0590-\u05ff\ufb1d-\ufb4f", "he yi lad"),
    ("greek", "\u0370-\u03ff\u1f00-\u1fff", "el grc"),
    ("devanagari", "\u0900-\u097f", "hi mr ne sa bho mai kok doi sd bh new ks"),
    ("bengali", "\u0980-\u09ff", "bn as mni"),
    ("gurmukhi", "\u0a00-\u0a7f", "pa"),
    ("gujarati", "\u0a80-\u0aff", "gu"),
    ("oriya", "\u0b00-\u0b7f", "or"),
    ("tamil", "\u0b80-\u0bff", "ta"),
    ("telugu", "\u0c00-\u0c7f", "te"),
    ("kannada", "\u0c80-\u0cff", "kn"),
    ("malayalam", "\u0d00-\u0d7f", "ml"),
    ("sinhala", "\u0d80-\u0dff", "si"),
    ("thai", "\u0e00-\u0e7f", "th"),
    ("lao", "\u0e80-\u0eff", "lo"),
    ("tibetan", "\u0f00-\u0fff", "bo dz"),
    ("myanmar", "\u1000-\u109f", "my"),
    ("georgian", "\u10a0-\u10ff\u1c90-\u1cbf", "ka"),
    ("armenian", "\u0530-\u058f", "hy"),
    ("ethiopic", "\u1200-\u137f", "am ti"),
    ("khmer", "\u1780-\u17ff", "km"),
)
#: Scripts of which a letter is a syllable or more.
_DENSE = ("han", "kana", "hangul")
_LETTERS = {name: re.compile(f"[{points}]") for name, points, _ in _SCRIPTS}
_WRITTEN = {name: tuple(languages.split()) for name, _, languages in _SCRIPTS}
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
#: Letters beyond Latin, roughly.
_BEYOND = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2c80-\ufefe\uff66-\uff9f]+")

#: Scripts that tell the language, or of which one language is by far the likeliest.
_ONE_LANGUAGE = frozenset(_LETTERS) - {"cyrillic", "arabic", "devanagari"}
#: Languages of two scripts, and those that no page is in when its letters are Latin.
_CYRILLIC_TOO = frozenset({"ro", "tk", "ku", "hr", "az", "uz", "tt"})
_NEVER_LATIN = frozenset({
    "ja", "ko", "zh", "ru", "uk", "bg", "be", "mk", "ar", "fa", "ur", "he", "el", "hi", "mr", "ne",
    "bn", "ta", "te", "kn", "ml", "th", "lo", "my", "ka", "hy", "km", "gu", "pa", "si", "am",
})  # fmt: skip
_JUNK_SCRIPTS = frozenset({"utf8", "form", "info"})

#: Languages written from right to left, and the scripts.
_RIGHT_TO_LEFT = frozenset({
    "ar", "fa", "he", "ur", "yi", "ps", "sd", "ug", "ckb", "dv", "arc", "syr", "pnb", "azb", "arz",
    "ary", "bal", "lad", "ks", "nqo",
})  # fmt: skip
_RIGHT_SCRIPTS = frozenset({"arab", "hebr", "thaa", "syrc", "nkoo", "adlm"})

#: Characters of text that show its script, and that tell its language.
_GLANCE, _SAMPLE = 600, 4_000
#: A share of its common words so low that the text is hardly in a language.
_STRANGE = 0.08
#: Letters of a sample below which nothing is told from it.
_ENOUGH = 40
#: A word with the signs that Indic scripts write around letters, which are no letters themselves.
_WORD = re.compile(r"[^\s0-9!\"#$%&()*+,./:;<=>?@\[\]^_`{|}~–—…،؛؟।«»“”„‹›\\-]+")


def language_tag(stated: str | None) -> str:
    """Return a BCP 47 tag for what a page states ('en_US', 'EN-us', 'English'), or ''."""
    text = (stated or "")[:60].strip()
    found = _TAG.match(text)
    if not found:
        return _NAMES.get(text.lower(), "")
    language = found["language"].lower()
    language = _SAME.get(language, language)
    if language in _NONE:
        return ""
    tag = language
    if found["script"] and found["script"].lower() not in _JUNK_SCRIPTS:
        tag += f"-{found['script'].title()}"
    if found["region"]:
        tag += f"-{found['region'].upper()}"
    return tag


def text_direction(language: str) -> str:
    """Return 'rtl' or 'ltr' as a language is written."""
    primary, *others = language.lower().split("-")
    script = next((part for part in others[:1] if len(part) == 4), "")
    if script:
        return "rtl" if script in _RIGHT_SCRIPTS else "ltr"
    return "rtl" if primary in _RIGHT_TO_LEFT else "ltr"


def detect_script(text: str) -> str:
    """Return the script of most of a text's words, or '' when it has too few letters."""
    others = "" if text.isascii() else "".join(_BEYOND.findall(text))
    if len(others) * 20 < len(text):
        return "latin" if len(text) >= 2 * _ENOUGH else ""
    counts = Counter({name: len(letters.findall(others)) for name, letters in _LETTERS.items()})
    counts["latin"] = sum(map(len, _LATIN.findall(text)))
    letters = counts.total()
    if counts["kana"] * 12 > counts["han"]:
        counts["kana"] += counts.pop("han", 0)  # kana is what tells Japanese from Chinese
    for name in _DENSE:
        counts[name] *= 3
    name, most = counts.most_common(1)[0]
    return name if letters >= _ENOUGH and most * 2 > counts.total() else ""


def choose_language(stated: Iterable[str], sample: Callable[[int], str]) -> str:
    """Return the language of a page that states some; ``sample`` gives so much of its text.

    The first tag stated is taken, unless its language is not written so or is plainly another:
    templates come in English, and many a page keeps what its template states.
    """
    glance = sample(_GLANCE)
    script = detect_script(glance)
    tag = next(
        (tag for each in stated if (tag := language_tag(each)) and _written_so(tag, script)), ""
    )
    language = tag.partition("-")[0]
    if tag and common_word_share(_counted(glance), language, script) > _STRANGE:
        return tag
    found = detect_language(sample(_SAMPLE))
    return found if found and found != language else tag


def _written_so(tag: str, script: str) -> bool:
    language = tag.partition("-")[0]
    if not script:
        return True
    if script == "latin":
        # Transliteration is common; only languages that are never printed so are doubted.
        return language not in _NEVER_LATIN
    return language in _WRITTEN[script] or (script == "cyrillic" and language in _CYRILLIC_TOO)


def detect_language(text: str) -> str:
    """Return the language of a text by its script and its commonest words, or ''."""
    script = detect_script(text)
    if not script:
        return ""
    one = _WRITTEN[script][0] if script in _ONE_LANGUAGE else ""
    return one or language_by_words(_counted(text), script)


def _counted(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))
