"""Who wrote a page: names as they are printed under a title."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .lines import attribute

#: Names of one page beyond these are dropped, as is what is longer than any name.
MOST_NAMES = 12
MOST_CHARS = 100

#: What stands before a name in any language: a word that is no name, or one with a colon.
_BY = re.compile(
    r"""(?:(?:written|posted|published|reported|story|text|words|article|reviewed|edited)\s)?by\b\s*:?
    |(?:(?:the\s)?authors?|written|text|autor(?:in|en|a|es|zy|i)?|auteure?s?|författare|skribent
        |tekst|redakcja|автор(?:ы)?|текст|文|作者|記者|记者|撰文|筆者|著者|執筆|取材|編輯|编辑|글
        |الكاتب|نویسنده)\s*[:：/／・|]
    |بقلم\b|מאת\b|ein\s(?:artikel|beitrag|gastbeitrag|kommentar)\svon\b|geschrieben\svon\b
    |écrit\spar\b|publié\spar\b|rédigé\spar\b|escrito\spor\b|publicado\spor\b|scritto\sda\b
    |geschreven\sdoor\b""",
    re.VERBOSE | re.IGNORECASE,
)
#: What stands before a name in one language, where it may begin a name in others.
_BY_IN = {
    "de": "von", "fr": "par", "es": "por", "pt": "por", "gl": "por", "ca": "per", "it": "di da",
    "nl": "door", "sv": "av", "no": "av", "nb": "av", "nn": "av", "da": "af", "pl": "przez",
    "cs": "od", "ro": "de", "el": "από του της", "af": "deur",
}  # fmt: skip
_REPORTER = re.compile(r"\s*(?:기자|특파원|記者|记者|報導|报道)$")
#: What stands after a name: a function, an address, a date.
_AFTER = re.compile(
    r"""\s*(?:[|•·–—]\s|\s-\s|\s/\s|\bon\s(?=\w{3,9}\s[0-9])|[\[(<].*|\bupdated\b|\bpublished\b).*$"""
    r"""|,\s(?:staff|senior|special|contributing|chief|managing|deputy|associate|freelance|editor|"""
    r"""reporter|correspondent|columnist|writer|phd|ph\.d|m\.?d\.?|rd|rn|mba|cfp|cpa|dds|esq)\b.*$""",
    re.IGNORECASE | re.DOTALL,
)
_AND = re.compile(
    r"\s*(?:;|、|،|\s&\s|\s\+\s|\s(?:and|und|et|y|e|i|en|och|og|ja|и|και|with|mit|avec)\s)\s*"
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
    "about the author", "see all posts", "true", "false", "редакция", "編集部", "编辑部", "本站",
})  # fmt: skip
_EDGES = " \t,.:;|•·-–—/\"“”„'‘’()[]*"
_CODE = re.compile(r"[{}<>\\=$%_]|^[\W\d]*$|[0-9a-f]{12}")


def byline(stated: Iterable[str], language: str = "", *others: str) -> str:
    """Return names as one line, ``', '`` between them; '' when none is a person's.

    ``stated`` holds one or more names each; ``others`` are names of what is no author: the site.
    """
    names: list[str] = []
    known = {"", *(other.casefold() for other in others)}
    for text in stated:
        for name in _names(text, language.partition("-")[0]):
            if name.casefold() not in known and len(names) < MOST_NAMES:
                known.add(name.casefold())
                names.append(name)
    return ", ".join(names)


def _names(text: str, language: str) -> list[str]:
    """Return the names in a statement such as 'By A. Writer and B. Author | Staff'."""
    text = attribute(text, 400)
    text = _without_by(text, language)
    if _ADDRESS.search(text):
        text = " ".join(_ADDRESS.sub(" ", text).split())
    text = _AFTER.sub("", text, 1)
    names = []
    for part in _AND.split(text)[:MOST_NAMES]:
        for name in _listed(part):
            name = _REPORTER.sub("", name.strip(_EDGES)).strip(_EDGES)
            if _is_name(name):
                names.append(_cased(name))
    return names


def _without_by(text: str, language: str) -> str:
    found = _BY.match(text)
    if found:
        text = text[found.end() :].lstrip()
    first, _, rest = text.partition(" ")
    if first.lower() in _BY_IN.get(language, "").split() and (" " in rest or first.islower()):
        return rest
    return text


def _listed(part: str) -> list[str]:
    """Part names at commas, but not a family name from a given one ('Writer, Anna')."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    if len(pieces) == 2 and all(" " not in piece for piece in pieces):
        return [f"{pieces[1]} {pieces[0]}"] if not _is_suffix(pieces[1]) else [", ".join(pieces)]
    names: list[str] = []
    for piece in pieces:
        if names and _is_suffix(piece):
            names[-1] += f", {piece}"
        else:
            names.append(piece)
    return names


def _is_suffix(piece: str) -> bool:
    return piece.rstrip(".").casefold() in {"jr", "sr", "ii", "iii", "iv"}


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= MOST_CHARS
        and name.casefold() not in _NOBODY
        and len(name.split()) <= 8
        and not _CODE.search(name)
    )


def _cased(name: str) -> str:
    """Write names that are all capitals as names are written."""
    if len(name) > 4 and name.isupper() and " " in name and name.isascii():
        return " ".join(
            word if len(word) < 3 or "." in word else word.title() for word in name.split()
        )
    return name
