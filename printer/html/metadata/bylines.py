"""Who wrote a page: names as they are printed under a title."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...text import clean_attribute
from .dates import MONTHS

#: Names of one page beyond these are dropped, as is what is longer than any name.
MOST_NAMES = 12
MOST_CHARS = 100

#: What stands before a name in any language: a word that is no name, or one with a colon.
_BY = re.compile(
    r"""(?:[^\W\d_]{3,12}\s)?(?:by|via)\b\s*:?
    |authors?\b\s*:?
    |written\sby(?=[A-Z])
    |(?:the\s)?(?:author|written|text|autor(?:in|en|a|es|zy|i)?|auteure?s?|författare|skribent
        |tekst|redakcja|автор(?:ы)?|текст|文|作者|記者|记者|撰文|筆者|著者|執筆|取材|編輯|编辑|글
        |الكاتب|نویسنده)\s*[:：/／・|]
    |بقلم\b|מאת\b|ein\s(?:artikel|beitrag|gastbeitrag|kommentar)\svon\b|geschrieben\svon\b
    |écrit\spar\b|publié\spar\b|rédigé\spar\b|escrito\spor\b|publicado\spor\b|scritto\sda\b
    |geschreven\sdoor\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: Whatever ends in a colon and begins no line of a name.
_LABEL = re.compile(r"[^\W\d][^:：,;]{0,24}[:：](?!//)\s*(?=\S)")
#: What stands before a name in one language, where it may begin a name in others.
_BY_IN = {
    "de": "von", "fr": "par", "es": "por", "pt": "por", "gl": "por", "ca": "per", "it": "di da",
    "nl": "door", "sv": "av", "no": "av", "nb": "av", "nn": "av", "da": "af", "pl": "przez",
    "cs": "od", "ro": "de", "el": "από του της", "af": "deur", "th": "โดย", "vi": "bởi theo",
}  # fmt: skip
_REPORTER = re.compile(r"\s*(?:기자|특파원|記者|记者|報導|报道)$")
#: What stands after a name: a function, an address, a date.
_AFTER = re.compile(
    r"""\s?(?:\bon(?=$|\s\w{3,6}day\b|\s[0-9])|[|•·⋅∙–—]|-\s|\s-|»|\s/\s|\bon\s(?=\w{3,9}\s[0-9])|[\[(<]"""
    r"""|[,\s]{1,2}[0-9]|\b(?:last\s)?(?:updated|published)\b"""
    r"""|[.,;]?\s(?:medically\s|fact.?checked\s|expert\s)?(?:reviewed|edited|checked|photographs?"""
    r"""|photos?|illustrat\w{2,4}|pictures|images)\s(?:and\s\w{4,12}\s)?by\b).*$""",
    re.IGNORECASE | re.DOTALL,
)
#: What stands between two names; the second may be within one, as in 'Ortega y Gasset'.
_AND = re.compile(r"\s*(?:;|、|،|\s&\s|\s\+\s|\s(?:and|und|et|och|og|и|και|with|mit|avec)\s)\s*")
_PERHAPS_AND = re.compile(r"\s(?:y|e|i|en|ja|ve|dan|và)\s")
#: The name of an office, which may have a conjunction in it.
_OFFICE = re.compile(r"[^,]{3,60}\s(?:for|of)\s[^,]{3,60}\s(?:and|&)\s\S{3,30}")
#: What people are, or hold; no part of a name.
_FUNCTIONS = frozenset({
    "analyst", "assistant", "associate", "author", "autor", "autorin", "blogger", "ceo", "cfo",
    "chief", "cmo", "co-founder", "cofounder", "columnist", "consultant", "contributing",
    "contributor", "coo", "correspondent", "cto", "deputy", "director", "editor", "educator",
    "expert", "former", "founder", "freelance", "gardener", "head", "horticulturalist",
    "journalist", "journalistin", "lead", "manager", "managing", "marketer", "officer",
    "photographer", "president", "producer", "redakteur", "redakteurin", "reporter", "reviewer",
    "senior", "special", "specialist", "sponsored", "staff", "strategist", "vp", "writer",
})  # fmt: skip
#: What is left of a date that stood beside a name.
_DAYS = frozenset({"sun", "mon", "tue", "wed", "thu", "fri", "sat"})
_CREDENTIAL = re.compile(
    r"(?:[A-Z]{2,6}|(?:[A-Z][a-z]?\.){2,4}|[A-Z][a-z]?\.?D|Esq|[A-Z]{2,4}-[A-Z]{2,4})\.?"
)
_ADDRESS = re.compile(
    r"\S*(?:@|://|www\.)\S*|[\w-]+\.(?:com|org|net|de|co\.uk|fr|io)\b", re.IGNORECASE
)
_NOBODY = frozenset({
    "admin", "administrator", "administrador", "administrateur", "webmaster", "editor", "editors",
    "editorial", "editorial team", "editorial staff", "staff", "staff writer", "staff report",
    "staff reports", "the editors", "redaktion", "die redaktion", "redaction", "rédaction",
    "la rédaction", "redacción", "redazione", "redactie", "redakcja", "redaktionen", "redação",
    "author", "authors", "guest", "guest author", "guest contributor", "contributor", "user",
    "root", "test", "unknown", "anonymous", "none", "null", "undefined", "n/a", "na", "team",
    "news", "website", "web", "owner", "moderator", "default", "super user", "superuser", "name",
    "wordpress", "blog", "newsroom", "press release", "by", "share", "follow", "view profile",
    "about the author", "see all posts", "true", "false", "home", "редакция", "編集部",
    "编辑部", "本站",
})  # fmt: skip
#: A given name, with initials or without.
_GIVEN = re.compile(r"[^\W\d_][^\W\d_a-z]{0,1}[^\W\d_A-Z]{1,30}(?:\s[A-Z]\.?){0,3}")
#: An initial or 'Jr.' at the end.
_ABBREVIATED = re.compile(r"\b[^\W\d_]{1,2}\.$")
#: Words with small letters that names have in them.
_WITHIN = frozenset({
    "al", "and", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "dos", "e", "et",
    "i", "la", "le", "of", "und", "van", "von", "y",
})  # fmt: skip
_EDGES = " \t,:;|•·-–—/\"“”„'‘’()[]*"
#: The name of an account rather than a person.
_ACCOUNT = re.compile(r"[a-z0-9]+[._-][a-z0-9._-]+")
_CODE = re.compile(r"[{}<>\\=$%_]|^[\W\d]*$|[0-9a-f]{12}")


def join_names(stated: Iterable[str], language: str = "", *others: str) -> str:
    """Return names as one line, ``', '`` between them; '' when none is a person's.

    ``stated`` holds one or more names each; ``others`` are names of what is no author: the site.
    """
    names: list[str] = []
    known = {"", *map(_key, others)}
    for text in stated:
        for name in _names(text, language.partition("-")[0]):
            if _key(name) not in known and len(names) < MOST_NAMES:
                known.add(_key(name))
                names.append(name)
    return ", ".join(names)


def _key(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()


def find_byline(text: str) -> str:
    """Return what follows 'By' on a line of its own when it is names; '' for a sentence."""
    text = clean_attribute(text, 120)
    found = _BY.match(text)
    rest = (text[found.end() :] if found else text.partition(" ")[2]).strip()
    words = _without_after(rest).split()
    capital = sum(not word[0].islower() for word in words)
    small = [word for word in words if word[0].islower() and word not in _WITHIN]
    enough = len(words) > 1 or not rest.isascii()
    return text if words and enough and len(words) <= 12 and capital and not small else ""


def _names(text: str, language: str) -> list[str]:
    """Return the names in a statement such as 'By A. Writer and B. Author | Staff'."""
    text = clean_attribute(text, 400)
    text = _without_by(text, language)
    if _ADDRESS.search(text):
        text = " ".join(_ADDRESS.sub(" ", text).split())
    text = _without_after(text)
    names = []
    for part in _parted(text):
        for name in _listed(part):
            name = _without_function(_REPORTER.sub("", name.strip(_EDGES)).strip(_EDGES))
            if name.endswith(".") and not _ABBREVIATED.search(name):
                name = name.rstrip(". ")
            if _is_name(name):
                names.append(_cased(name))
    return names


def _parted(text: str) -> list[str]:
    """Part a text at its conjunctions."""
    parts: list[str] = []
    if _OFFICE.fullmatch(text):
        return [text]
    for part in _AND.split(text)[:MOST_NAMES]:
        pieces = _PERHAPS_AND.split(part)
        parts += pieces if all(" " in piece for piece in pieces) else [part]
    return parts


def _without_by(text: str, language: str) -> str:
    found = _BY.match(text) or _LABEL.match(text)
    if found:
        text = text[found.end() :].lstrip()
    first, _, rest = text.partition(" ")
    if first.lower() in _BY_IN.get(language, "").split() and (" " in rest or first.islower()):
        return rest
    return text


def _without_after(text: str) -> str:
    """Cut off what follows names; of a date its month may come first."""
    found = _AFTER.search(text)
    if not found:
        return text
    before, _, last = text[: found.start()].rpartition(" ")
    return before if last.strip(".,").casefold() in MONTHS else text[: found.start()]


def _listed(part: str) -> list[str]:
    """Part names at commas, but not a family name from a given one ('Writer, Anna')."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    if len(pieces) == 2 and _GIVEN.fullmatch(pieces[1]) and " " not in pieces[0]:
        return [f"{pieces[1]} {pieces[0]}"]
    names: list[str] = []
    for piece in pieces:
        if names and _is_suffix(piece):
            names[-1] += f", {piece}"
        elif not (names and (_CREDENTIAL.fullmatch(piece) or _is_function(piece))):
            names.append(piece)
    return names


def _is_suffix(piece: str) -> bool:
    return piece.rstrip(".").casefold() in {"jr", "sr", "ii", "iii", "iv"}


def _is_function(text: str) -> bool:
    return not _FUNCTIONS.isdisjoint(text.casefold().replace("/", " ").split())


def _without_function(name: str) -> str:
    """Cut what people are off the end of their name: 'Anna Writer Senior Editor'."""
    words = name.split()
    if len(words) > 2 and words[-1].casefold() in _FUNCTIONS:
        kept = next(
            (place for place, word in enumerate(words) if word.casefold() in _FUNCTIONS), None
        )
        return " ".join(words[:kept]).strip(_EDGES) if kept and kept > 1 else name
    return name


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= MOST_CHARS
        and name.casefold() not in _NOBODY
        and name.casefold() not in _DAYS
        and len(name.split()) <= 8
        and not _CODE.search(name)
        and (" " in name or not (_ACCOUNT.fullmatch(name) or name.casefold() in MONTHS))
    )


def _cased(name: str) -> str:
    """Write names that are all capitals as names are written."""
    if len(name) > 4 and name.isupper() and " " in name and name.isascii():
        return " ".join(
            word if len(word) < 3 or "." in word else word.title() for word in name.split()
        )
    return name
