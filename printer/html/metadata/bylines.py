"""Extract the names of authors from bylines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...i18n import fold_words, is_invitation, load_table, page_labels
from ...text import LABEL_LINE, WORD, clean_attribute, comparison_key, split_label
from .dates import MONTHS, PUBLISHED, find_date

#: What ends the name of a company in the register of its country.
COMPANY = re.compile(
    r"(?:^|(?<=[\s.,]))(?:Ltd|LTD|Inc|LLC|PLC|Corp|GmbH|AG|KG|S\.\s?A|S\.?p\.?A|S\.?r\.?l|B\.V|N\.V"
    r"|A\.Ş|Α\.\s?Ε|s\.r\.o|z o\.\s?o|Kft|Zrt|Bhd)\.?$|有限公司$|^(?:株式会社|주식회사)"
)
_FULL_NAME = re.compile(
    r"[^\W\d_a-z][^\W\d_]*[.'’-]?[^\W\d_]*"
    r"(?:\s(?:[A-Z]\.|van|von|de|der|da|di|del|el|al|bin|[^\W\d_a-z][^\W\d_]*[.'’-]?[^\W\d_]+)){1,4}"
)
_WORDS = load_table("bylines")
#: Limits of the names of one page, and of the characters of a name.
MAX_NAMES = 12


def join_names(texts: Iterable[str], language: str = "", *not_authors: str) -> str:
    """Return the names of persons in some bylines, joined by ', '.

    Those of ``not_authors`` (the site, the title) are left out, also with words beside them.
    """
    names: list[str] = []
    keys = {"", *map(comparison_key, not_authors)}
    for text in texts:
        for name in _names(text, language.partition("-")[0]):
            if len(names) < MAX_NAMES and keys.isdisjoint(_keys(name)):
                keys.add(comparison_key(name))
                names.append(name)
    return ", ".join(names)


def is_account(name: str) -> bool:
    """Return whether a name may be one for logging in: a single word in lower case."""
    return name.islower() and " " not in name and not _DOMAIN.fullmatch(name)


def is_login(names: str) -> bool:
    """Return whether a byline is a single word with a digit or a capital inside: 'ReedT12'."""
    return " " not in names and re.search(r"[0-9]|[^\W\d_A-Z][A-Z]", names) is not None


MAX_CHARS = 100


def without_address(text: str, *sites: str) -> str:
    """Return a byline without what follows the site's name, as 'The Tide, Oslo, Norway'."""
    name = text.partition(",")[0]
    return name if comparison_key(name) in set(map(comparison_key, sites)) - {""} else text


_MAX_LINE_CHARS = 160


def find_signature(lines: Iterable[str]) -> str:
    """Return the line that names the author; '' if there is none or several differ."""
    signed = {name for line in lines if len(line) <= _MAX_LINE_CHARS and (name := _signed(line))}
    return signed.pop() if len(signed) == 1 else ""


def labeled_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines, those of a label with the line after it: 'Author:', 'Anna Writer'."""
    for line, below in zip(lines, (*lines[1:], ""), strict=False):
        is_label = LABEL_LINE.fullmatch(line) or PUBLISHED.fullmatch(line)
        yield f"{line} {below}" if is_label else line


_PARTICLES = frozenset({
    "al", "and", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "dos", "e", "et",
    "i", "la", "le", "of", "und", "van", "von", "y",
})  # fmt: skip
#: The beginning of a line that says who wrote the page.
_SIGNATURE = re.compile(
    r"(?:This \w{4,9} was |[A-Z]\w{2,8} [0-9]{1,2}, [0-9]{4} )?"
    r"(?:(?:(?:Article )?[Ww]ritten |[Pp]osted |[Pp]ublished )?[Bb]y:?\s|WRITTEN BY:?\s"
    r"|[Vv]erfasst von:?\s|[Gg]eschrieben von:?\s|[ÉEé]crit par\s|[Rr]édigé par\s|[Ee]scrito por\s"
    r"|[Ss]critto da\s|[Gg]eschreven door\s"
    rf"|(?i:{'|'.join(map(re.escape, _WORDS['signature_labels']))})\s?:\s)"
)
_AFTER_SIGNATURE = re.compile(r"(?<=\w{3})\.\s|\s(?:at|/|\|)\s|:")


def _signed(line: str) -> str:
    match = _SIGNATURE.match(line)
    if not match or not _FULL_NAME.match(line, match.end()):
        return ""
    text = _AFTER_SIGNATURE.split(line[match.end() :], maxsplit=1)[0]
    words = text.partition(",")[0].split()
    return text if all(word in _PARTICLES or not word[0].islower() for word in words) else ""


#: The beginning of a byline, in languages where it begins nothing else.
BYLINE = re.compile(
    r"\s{0,40}(?:(?:[Ww]ritten |[Pp]osted |[Pp]ublished |[Ss]ubmitted )?[Bb]y(?::|\s)"
    r"|(?:WRITTEN )?BY:?\s|By(?=[A-Z][a-z]+\s[A-Z])"  # in an element of its own
    r"|V(?:on|ON):?\s"
    r"|Por:?\s|Par\s?:?\s|Door:?\s|Автор:|Текст:|Tekst:|Auth?ore?:|Contributor:|Autorka?:|Auteur\s?:|Yazan:"
    r"|Tác giả:|लेखक:|लेखिका:|โดย\s|Συντάκτ\w{1,4}:|بقلم|מאת|文[／/・:：]|記者[:：\s]|作者[:：])"
)
_SEPARATORS = re.compile(r"\s*[|╱•·]\s*")
#: A reporter's name in Chinese, before the place, a blank or the end.
_HAN_REPORTER = re.compile(
    r"(?:記者\s?|记者\s?|作者[:：])([\u4e00-\u9fff]{2,4}?)(?:[／/╱]|\s(?![摄攝])|[報报][導道]|$)"
)
#: The name of an account after a label: 'Author: reed12. 3 May 2012'.
_LABELED_ACCOUNT = re.compile(r"[^:：]{1,30}[:：]\s?([\w-]{3,30})(?:[.,|;]\s|\s\(?[0-9]|$)")
_AGENCIES = frozenset(_WORDS["agencies"])


#: A blog's category after the author: 'Anna Writer in Harbours'.
_IN_CATEGORY = re.compile(r"(?<=\w\w)\sin\s[A-Z][\w\s&-]{2,40}$")


def find_dated_signature(lines: Iterable[str], date: str, language: str) -> list[str]:
    """Return the names on the only line that states them with the date of the page."""
    day = date[:10]
    signatures = {
        tuple(names)
        for line in lines
        if len(line) <= _MAX_LINE_CHARS
        and day
        and len(_SEPARATORS.split(line)) == 2  # A line of more parts may name a program.
        and find_date(line, language)[:10] == day
        and (names := find_dated_names(line, beside_date=False))
    }
    return list(signatures.pop()) if len(signatures) == 1 else []


def find_dated_names(line: str, *, beside_date: bool) -> list[str]:
    """Return the names on or next to a line with a date or time, an agency's as a last resort."""
    line = line.strip()
    if han := _HAN_REPORTER.search(line):
        return [han[1]]
    if beside_date:
        first, *rest = line.split(", ")
        is_named = _FULL_NAME.fullmatch(first) and line[-1] not in ".!?:"
        return [line] if is_named and any(map(_has_job_title, rest)) else []
    if BYLINE.match(line) and (account := _LABELED_ACCOUNT.match(line)):
        return [account[1]]
    parts = _SEPARATORS.split(line)
    if len(parts) < 2:
        return []
    parts = [_IN_CATEGORY.sub("", part).strip() for part in parts]
    names = [part for part in parts if _FULL_NAME.fullmatch(part) and not _has_job_title(part)]
    return names or [part for part in parts if part in _AGENCIES]


#: What is between a date or time and the author: '3 May 2012 by Anna Writer'.
_AFTER_DATE = re.compile(
    r"[0-9](?:\s?[ap]\.?m\.?)?[\s,|·•–—-]{1,3}"
    r"(?=(?:[Bb]y|[Vv]on|[Pp]ar|[Pp]or|[Dd]oor|[Dd]a)\s|Auth?ore?:|Autorka?:|Auteur\s?:|Автор:)"
)
#: A word to which the next line is glued: 'ReedIn'.
_GLUED_WORDS = re.compile(r"[^\W\d_A-Z]{3}[A-Z]")


def find_late_byline(line: str) -> str:
    """Return the byline, or the first name of it, that follows a date on its line; '' for none."""
    date = _AFTER_DATE.search(line)
    byline = line[date.end() :] if date else ""
    name = _FULL_NAME.match(byline.partition(" ")[2])
    if name is None or _GLUED_WORDS.search(name[0]):
        return ""
    return find_byline(byline) or name[0]


def is_label_alone(line: str) -> bool:
    """Return whether a line is only the beginning of a byline, as 'Written by'."""
    return any(BYLINE.fullmatch(text) for text in (line, f"{line} "))


def is_full_name(line: str) -> bool:
    """Return whether a line may be the name of a person and nothing else."""
    return _FULL_NAME.fullmatch(line) is not None and not _has_job_title(line)


def is_credit(line: str) -> bool:
    """Return whether a line is a role and full names: 'Fact-checking: Ivo Halloran, Ana Reed'."""
    role, colon, text = split_label(line) if len(line) <= _MAX_LINE_CHARS else ("", "", "")
    if not colon or fold_words(role) not in page_labels("credited_roles"):
        return False
    names = (name for part in _split_at_conjunctions(text) for name in part.split(","))
    return all(is_full_name(name.strip(" .")) and not is_invitation(name) for name in names)


#: The word between a name and a profession.
_IS = r"\s(?:is|ist|est|es|è|é|är|er|on|jest|je|este|—|–)\s"


def is_described(name: str, lines: Iterable[str]) -> bool:
    """Return whether a line describes a person, as 'Anna Writer is our editor'."""
    first = name.partition(" ")[0]
    names = re.escape(name) if first.isupper() else rf"{re.escape(first)}|{re.escape(name)}"
    return any(map(re.compile(rf"(?:{names}){_IS}|{re.escape(name)},\s").match, lines))


#: Words before a name by language; in other languages they may begin a name.
_BY_IN = {language: frozenset(words.split()) for language, words in _WORDS["by"].items()}


def is_byline(line: str, language: str) -> bool:
    """Return whether a line is a byline, also after a word that is one before a full name only."""
    first, _, name = line.partition(" ")
    is_word = first in _BY_IN.get(language.partition("-")[0], ()) and is_full_name(name)
    return is_word or bool(BYLINE.match(line) and find_byline(line))


def is_byline_label(text: str) -> bool:
    """Return whether a label such as 'Written by' announces an author."""
    last = text.rstrip(" :").rpartition(" ")[2].casefold()
    return last == "by" or any(last in words for words in _BY_IN.values())


_MAX_WORDS = 12


def _keys(name: str) -> set[str]:
    """Return a name's letters and digits, and those of its first words and of its last."""
    words = WORD.findall(name.casefold())[:_MAX_WORDS]
    cuts = range(1, len(words))
    ends = {"".join(part) for cut in cuts for part in (words[:cut], words[cut:])}
    return {comparison_key(name), *ends}


#: Text before a name in any language: a word that is not a name, or one with a colon.
_BY = re.compile(
    r"""(?:(?:view|see)\sall\sposts\s|[^\W\d_]{3,12}\s)?(?:by|via)\b\s*:?
    |insights\sfrom\b
    |authors?\b\s*:?
    |(?-i:(?:[Ww]ritten\s)?[Bb]y(?=[A-Z][a-z]))
    |(?:the\s)?(?:author|written|text|autor(?:/?in|en|a|es|zy|i)?|auteure?s?|författare|skribent
        |tekst|redakcja|автор(?:ы)?|текст|文|作者|記者|记者|撰文|筆者|著者|執筆|取材|編輯|编辑|글
        |الكاتب|نویسنده)\s*[:：/／・|]
    |بقلم\b|מאת\b|(?:ein|alle)\s(?:artikel|beiträge?|gastbeitrag|kommentar)\svon\b
    |(?:eingestellt|erstellt|gepostet|geschrieben|verfasst|veröffentlicht)\svon\b|écrit\spar\b|publié\spar\b|rédigé\spar\b|(?:escrito|postado|publicado)\spor\b
    |(?:inserito|postato|pubblicato|scritto)\sda\b
    |geschreven\sdoor\b""",
    re.VERBOSE | re.IGNORECASE,
)


def find_byline(text: str) -> str:
    """Return a line if it begins like a byline and names follow; '' for a sentence."""
    text = clean_attribute(text, 120)
    label = _BY.match(text)
    names = (text[label.end() :] if label else text.partition(" ")[2]).strip()
    words = _without_after(names).split()
    small = any(word[0].islower() and word not in _PARTICLES | _AGENCIES for word in words)
    is_long_enough = len(words) > 1 or not names.isascii()
    return text if is_long_enough and not small else ""


_REPORTER = re.compile(r"\s*(?:기자|특파원|記者|记者|報導|报道)$")
_ADDRESS = re.compile(
    r"\S*(?:@|://|www\.)\S*|[\w-]+\.(?:com|org|net|de|co\.uk|fr|io)(?:\.[a-z]{2})?\b", re.IGNORECASE
)
#: The work of those who made the site: 'Design: A. Writer. HTML: B. Author'.
_MASTHEAD = re.compile(
    r"\b(?:HTML|programming|(?:web )?(?:design|architecture|hosting)|development|webmaster)\s?:",
    re.IGNORECASE,
)
#: An initial or 'Jr.' at the end.
_ABBREVIATED = re.compile(r"\b[^\W\d_]{1,2}\.$")
_EDGES = " \t,:;&|•·-–—/\"“”„'‘’()[]*"
_LEADING_CHARACTERS = " |•·–—-/,:"
#: The abbreviation of an agency before its report: '(PA) – 2 days ago'.
_AGENCY = re.compile(r"^\(([A-Z]{2,6})\)")


def _names(text: str, language: str) -> list[str]:
    """Return the names in a byline such as 'By A. Writer and B. Author | Staff'."""
    text = _AGENCY.sub(r"\1", clean_attribute(text, 400).lstrip(_LEADING_CHARACTERS))
    date = _AFTER_DATE.search(text)
    text = text[date.end() :] if date and text[0].isdigit() else text
    text = _FOR_PAPER.sub("", _without_by(text, language))
    if _MASTHEAD.search(text):
        return []
    if _ADDRESS.search(text):
        text = " ".join(_ADDRESS.sub(" ", text).split())
    names: list[str] = []
    for part in _split_at_conjunctions(_without_after(text)):
        if names and _has_job_title(part.partition(",")[0]):  # 'Vice President and Senior Fellow'
            continue
        for name in _split_at_commas(part):
            name = _without_job_title(_REPORTER.sub("", name.strip(_EDGES)).strip(_EDGES))
            if name.endswith(".") and not _ABBREVIATED.search(name):
                name = name.rstrip(". ")
            if _is_name(name):
                names.append(_title_case(name))
    return names


#: The paper after the names of its reporters: 'Anna Writer For The Harbour Post'.
_FOR_PAPER = re.compile(r"(?<=\w)\sFor The\s[^\W\d_a-z].*")
#: Text between two names.
_AND = re.compile(r"\s*(?:;|、|،|\s\+\s|\s(?:and|And|AND|und|et|och|og|и|και|with|mit|avec)\s)\s*")
#: Text that is between two names or inside one, as in 'Ortega y Gasset'.
_PERHAPS_AND = re.compile(r"\s(?:&|y|e|i|en|ja|ve|dan|và)\s")
#: The name of an office, which may contain a conjunction.
_OFFICE = re.compile(
    r"[^,]{3,60}\s(?:for|of|für|pour|para|voor|för)\s[^,]{3,60}\s(?:and|&|und|et|y|e|en|och|og)\s\S{3,30}"
)


def _split_at_conjunctions(text: str) -> list[str]:
    if _OFFICE.fullmatch(text):
        return [text]
    parts: list[str] = []
    for part in _AND.split(text)[:MAX_NAMES]:
        pieces = _PERHAPS_AND.split(part)
        parts += pieces if all(" " in piece for piece in pieces) else [part]
    return parts


#: A label that ends in a colon.
_LABEL = re.compile(r"[^\W\d][^:：,;]{0,24}[:：](?!//)\s*(?=\S)")


def _without_by(text: str, language: str) -> str:
    if label := _BY.match(text) or _LABEL.match(text):
        text = text[label.end() :].lstrip()
    first, _, names = text.partition(" ")
    if first.lower() in _BY_IN.get(language, ()) and (" " in names or first.islower()):
        return names
    return text


#: Text after a name: another label, a job title, an address, a date.
_AFTER = re.compile(
    r"""\s?(?:(?-i:\b[A-Z]\w{3,12}:\s)|\b(?:am|le|el|il|den|op)\s(?=[0-9])|\bon(?=$|\s\w{3,6}day\b|\s(?:mon|tue|wed|thu|fri|sat|sun),|\s[0-9])|[|•·⋅∙–—]|-\s|\s-|»|\s/\s|\bon\s(?=\w{3,9}\s[0-9])|[\[<]|\((?!(?:[A-Z]\.?){1,3}\)\s[^\W\d_])"""
    r"""|[,\s]{1,2}[0-9]|\b(?:last\s)?(?:updated|published)\b"""
    r"""|[.,;]?\s(?:medically\s|fact.?checked\s|expert\s)?(?:reviewed|edited|checked|photographs?"""
    r"""|photos?|illustrat\w{2,4}|pictures|images)\s(?:and\s\w{4,12}\s)?by\b).*$""",
    re.IGNORECASE | re.DOTALL,
)


#: Another name in parentheses within a person's: 'Anna (Nan) Writer', not 'Anna (Reuters) Writer'.
_NICKNAME = re.compile(
    r"[^\W\d_a-z][^\W\d_A-Z]+ \(([^\W\d_a-z][^\W\d_A-Z]+)\) (?=([^\W\d_a-z][^\W\d_]+))"
)


def _without_after(text: str) -> str:
    """Cut off the text after names; a date may begin with its month."""
    end = 0
    if nickname := _NICKNAME.match(text):
        is_name = nickname[1] not in _AGENCIES and not any(map(_has_job_title, nickname.groups()))
        is_label = fold_words(nickname[1]) in page_labels("box_labels")  # 'Anna (Photos) Writer'
        end = nickname.end() if is_name and not is_label else 0
    match = _AFTER.search(text, end)
    if not match:
        return text
    text_before, _, last = text[: match.start()].rpartition(" ")
    return text_before if last.strip(".,").casefold() in MONTHS else text[: match.start()]


_CREDENTIAL = re.compile(
    r"(?:[A-Z]{2,6}|(?:[A-Z][a-z]?\.){2,4}|[A-Z][a-z]?\.?D|Esq|[A-Z]{2,4}-[A-Z]{2,4})\.?"
)
#: A given name, with initials or a particle of the family name or without; or only initials.
_FORENAME = re.compile(
    r"[^\W\d_][^\W\d_a-z]{0,1}[^\W\d_A-Z]{1,30}(?:\s[A-Z]\.?){0,3}"
    r"(?:\s(?:van|von|de|den|der|da|di|del|la)){0,2}|(?:[A-Z]\.[\s-]?){1,3}"
)


#: One word after full names: 'Anna Writer, Kester'.
_PLACE = re.compile(r"[^\W\d_a-z][^\W\d_A-Z]{2,30}")


def _split_at_commas(part: str) -> list[str]:
    """Split names at commas, but not in 'Writer, Anna' or before a company's address."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    if pieces and COMPANY.search(pieces[0]):
        return []
    if len(pieces) == 2 and _FORENAME.fullmatch(pieces[1]) and " " not in pieces[0]:
        return [f"{pieces[1]} {pieces[0]}"]
    names: list[str] = []
    for piece in pieces:
        if names and piece.rstrip(".").casefold() in {"jr", "sr", "ii", "iii", "iv"}:
            names[-1] += f", {piece}"
        elif names and _has_job_title(piece):
            break  # an office follows
        elif not (names and _CREDENTIAL.fullmatch(piece)):
            names.append(piece)
    is_place = len(names) > 1 and _PLACE.fullmatch(names[-1]) and names[-1] not in _AGENCIES
    return names[:-1] if is_place and all(map(_FULL_NAME.fullmatch, names[:-1])) else names


_JOB_TITLES = frozenset(_WORDS["job_titles"].split())


def _has_job_title(text: str) -> bool:
    return not _JOB_TITLES.isdisjoint(text.casefold().replace("/", " ").split())


def _without_job_title(name: str) -> str:
    """Cut a job title off the end of a name: 'Anna Writer Senior Editor'."""
    words = name.split()
    if len(words) < 3 or words[-1].casefold() not in _JOB_TITLES:
        return name
    first = next(i for i, word in enumerate(words) if word.casefold() in _JOB_TITLES)
    return " ".join(words[:first]).strip(_EDGES) if first > 1 else name


#: The name of a site: 'Harbours.gr'.
_DOMAIN = re.compile(r"[\w-]{3,60}\.[a-zA-Z]{2,4}", re.ASCII)
#: The name of an account rather than a person.
_ACCOUNT = re.compile(r"[a-z0-9]+[._-][a-z0-9._-]+")
#: What no name has: the characters of code, a hash, a time, a link glued to 'By' after it.
_CODE = re.compile(
    r"[^\W\d_A-Z]{2}By\s|[{}<>\\=$%]|_(?![A-Z][a-z])|^[\W\d]*$|[0-9a-f]{12}|^[0-9]{1,2}\s?[ap]m\b"
)
#: Words that are not a person's name: accounts, offices, page furniture, remains of a date.
_NOT_NAMES = frozenset(_WORDS["not_names"])
#: The words for an account, which others may precede: 'Harbour Admin'.
_ACCOUNT_WORDS = frozenset(_WORDS["accounts"].split())


def _is_name(name: str) -> bool:
    folded = name.casefold()
    return (
        1 < len(name) <= MAX_CHARS
        and folded not in _NOT_NAMES
        and not PUBLISHED.match(name)
        and folded.rpartition(" ")[2] not in _ACCOUNT_WORDS
        and len(name.split()) <= 8
        and not _CODE.search(name)
        and not _ACCOUNT.fullmatch(name)
        and not _DOMAIN.fullmatch(name)
    )


def _title_case(name: str) -> str:
    """Return a name in title case if it is all capitals."""
    is_latin = max(name) <= "\u017f" and "İ" not in name
    if name.isupper() and " " in name and is_latin:
        return " ".join(word if len(word) < 3 else word.title() for word in name.split())
    return name
