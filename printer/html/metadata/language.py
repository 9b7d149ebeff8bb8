"""Choose a page's language: the stated one, unless its script or words contradict it.

A text's language is determined by its script and, among the languages of one script, by its
function words: they make up a third to a half of running text in any language, and a few sentences
contain enough of them to separate even related languages if the lists include the words that
differ.  A learned identifier (py3langid) decides on 2 % more of the corpora's texts, but takes 0.7
s to load.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from ...i18n import load_table

_TABLES = load_table("languages")
_SCRIPTS = _TABLES["scripts"]
_LETTERS = {script: re.compile(f"[{row['letters']}]") for script, row in _SCRIPTS.items()}
_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})(?:[-_](?P<script>[a-z]{4}))?(?:[-_](?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?=$|[-_.@,;\s])",
    re.IGNORECASE,
)
#: Codes to replace: withdrawn ones, and three-letter codes with a two-letter one.
_ALIASES = _TABLES["aliases"]
_NAMES = _TABLES["names"]


def language_tag(stated: str | None) -> str:
    """Return the BCP 47 tag of a stated language ('en_US', 'EN-us', 'English'), or ''."""
    text = (stated or "")[:60].strip()
    match = _TAG.match(text)
    if not match:
        return str(_NAMES.get(text.lower(), ""))
    language = match["language"].lower()
    tag: str = _ALIASES.get(language, language)
    if tag in {"xx", "und", "mul", "zxx", "mis", "lang", "std", "all", "utf", "iso"}:
        return ""
    if match["script"]:
        tag += f"-{match['script'].title()}"
    if match["region"]:
        tag += f"-{match['region'].upper()}"
    return tag


_RIGHT_TO_LEFT = frozenset(_TABLES["right_to_left"].split())
_RIGHT_TO_LEFT_SCRIPTS = frozenset(_TABLES["right_to_left_scripts"].split())


def text_direction(language: str) -> str:
    primary, *subtags = language.lower().split("-")
    if subtags and len(subtags[0]) == 4:
        return "rtl" if subtags[0] in _RIGHT_TO_LEFT_SCRIPTS else "ltr"
    return "rtl" if primary in _RIGHT_TO_LEFT else "ltr"


#: Scripts in which a letter is a syllable or more.
_DENSE = ("han", "kana", "hangul")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
#: Letters beyond Latin, roughly.
_NOT_LATIN = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2c80-\ufefe\uff66-\uff9f]+")
_MIN_LETTERS = 40


def detect_script(text: str) -> str:
    """Return the script of most of a text's words, '' if it has too few letters."""
    not_latin = "" if text.isascii() else "".join(_NOT_LATIN.findall(text))
    if len(not_latin) * 20 < len(text):
        return "latin" if len(text) >= 2 * _MIN_LETTERS else ""
    counts = Counter({name: len(letters.findall(not_latin)) for name, letters in _LETTERS.items()})
    counts["latin"] = sum(map(len, _LATIN.findall(text)))
    letters = counts.total()
    if counts["kana"] * 12 > counts["han"]:
        counts["kana"] += counts.pop("han", 0)  # kana distinguishes Japanese from Chinese
    for name in _DENSE:
        counts[name] *= 3
    return max(counts, key=counts.__getitem__) if letters >= _MIN_LETTERS else ""


#: The characters of text from which the script is determined.
_SCRIPT_SAMPLE_CHARS = 600
#: The characters of text from which the language is determined.
_LANGUAGE_SAMPLE_CHARS = 4_000
#: A text with a smaller share of function words is hardly in that language.
_MIN_PLAUSIBLE_SHARE = 0.08


def choose_language(stated: Iterable[str], sample: Callable[[int], str]) -> str:
    """Return the language of a page as a BCP 47 tag, or ''; ``sample`` returns text of a length.

    This is the first stated tag, unless its language is not written in the text's script or the
    text is plainly in another: many pages keep the English tag of their template.  The language of
    such a text is '' if it is none of those with a list of function words.
    """
    glance = sample(_SCRIPT_SAMPLE_CHARS)
    script = detect_script(glance)
    tags = filter(None, map(language_tag, stated))
    tag = next((tag for tag in tags if _is_written_in(tag, script)), "")
    language = tag.partition("-")[0]
    if (
        not tag
        or function_word_share(_count_words(glance), language, script) <= _MIN_PLAUSIBLE_SHARE
    ):
        text = sample(_LANGUAGE_SAMPLE_CHARS)
        detected = detect_language(text)
        if detected:
            tag = tag if detected == language else detected
        else:
            counts = _count_words(text)
            stated_tags = (tag, *tags)
            tag = next((t for t in stated_tags if not _is_foreign(counts, t, script)), "")
    if tag in ("zh", "zh-CN") and _is_traditional(sample(_LANGUAGE_SAMPLE_CHARS)):
        return "zh-Hant"
    return tag


#: A text with a smaller share is not in that language if it has as many words.
_MIN_SHARE_OF_MANY_WORDS = 0.05
_MANY_WORDS = 100


def _is_foreign(counts: Mapping[str, int], tag: str, script: str) -> bool:
    """Return whether a long text has next to none of a language's function words."""
    is_long = sum(counts.values()) >= _MANY_WORDS
    share = function_word_share(counts, tag.partition("-")[0], script)
    return is_long and share < _MIN_SHARE_OF_MANY_WORDS


#: The languages written in each script, the default one first.
_WRITTEN_IN: dict[str, tuple[str, ...]] = {
    script: tuple(row["languages"].split()) for script, row in _SCRIPTS.items()
}
#: Languages that are also written in Cyrillic.
_CYRILLIC_TOO = frozenset(_TABLES["also_in_cyrillic"].split())
_NEVER_LATIN = frozenset(_TABLES["never_in_latin"].split())


def _is_written_in(tag: str, script: str) -> bool:
    language = tag.partition("-")[0]
    if not script:
        return True
    if script == "latin":
        # Transliteration is common; doubt only languages that are never printed that way.
        return language not in _NEVER_LATIN
    return language in _WRITTEN_IN[script] or (script == "cyrillic" and language in _CYRILLIC_TOO)


#: The share of characters without a simplified form's code above which Chinese is traditional.
_MIN_TRADITIONAL_SHARE = 0.1


def _is_traditional(text: str) -> bool:
    """Return whether Chinese has many characters that the encoding of simplified ones lacks."""
    han = "".join(_LETTERS["han"].findall(text))
    simplified = han.encode("gb2312", "ignore").decode("gb2312")
    traditional = len(han) - len(simplified)
    return traditional > _MIN_TRADITIONAL_SHARE * len(han)


#: Scripts of one language, or with one language that is by far the likeliest.
_ONE_LANGUAGE = frozenset(_LETTERS) - {"cyrillic", "arabic", "devanagari"}


#: The smallest share of function words of a detected language.
_MIN_FUNCTION_WORD_SHARE = 0.15
#: The smallest lead of the best language in function words.
_MIN_LEAD_WORDS = 3
#: The smallest lead of the best language, as a share of all words.
_MIN_LEAD_SHARE = 0.01


def detect_language(text: str) -> str:
    """Return the language of a text by its script and function words, or ''."""
    script = detect_script(text)
    if script in _ONE_LANGUAGE:
        return _WRITTEN_IN[script][0]
    if script not in FUNCTION_WORDS:
        return ""
    counts = _count_words(text)
    scores = sorted(
        (sum(counts[word] for word in counts.keys() & words), language)
        for language, words in FUNCTION_WORDS[script].items()
    )
    (second, _), (best, language) = scores[-2:]
    clear = best - second >= _MIN_LEAD_WORDS + _MIN_LEAD_SHARE * counts.total()
    return language if clear and best >= _MIN_FUNCTION_WORD_SHARE * counts.total() else ""


#: The commonest words of languages, by script.
FUNCTION_WORDS = {
    script: {language: frozenset(words.split()) for language, words in languages.items()}
    for script, languages in load_table("function_words").items()
}


def function_word_share(counts: Mapping[str, int], language: str, script: str) -> float:
    """Return the share of a language's function words in a text, 1 if it has no list."""
    words = FUNCTION_WORDS.get(script, {}).get(language)
    if words is None:
        return 1.0
    return sum(counts[word] for word in counts.keys() & words) / max(1, sum(counts.values()))


#: A word, including the marks around letters in Indic scripts, which are not letters themselves.
_WORD = re.compile(r"[^\s0-9!\"#$%&()*+,./:;<=>?@\[\]^_`{|}~–—…،؛؟।«»“”„‹›\\-]+")


def _count_words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))
