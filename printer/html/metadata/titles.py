"""Choose a page's title, without the name of its site.

A page states its title up to five times: in ``title`` (with the site's name, a section, words for
search engines), in a heading, in OpenGraph, in JSON-LD.  A title on which the heading and another
of these agree is chosen.  If they differ, the heading is chosen if it is on the same subject, since
readers see it; a heading that shares few words with ``title`` is a slogan or the name of a section.
If one of the two has clearly more of the words at the end of the page's URL, it is chosen, since
such a URL is made from the page's original title.  A title that is not displayed on the page is
for search engines, and the main heading above the text is chosen instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote, urlsplit

from ...text import WORD, count_words

_SEPARATOR = re.compile(
    r"\s*[|｜¦ㅣ]\s*|\s+(?:[-–—−•·»«›‹<>:~*⋆/\\]|::|--)\s+|\s*[»«›‹]\s+|\s*(?:(?<!\w)::|::(?!\w)|__)\s*"
    # Chinese titles have no blanks around them.
    r"|_(?=[\u3040-\u9fff])"
    r"|-{1,2}(?=[《\u4e00-\u9fff][^-_]{0,12}(?:[网網]|[频頻]道|新[闻聞]|首[页頁])[^-_]{0,6}(?:[-_]|$))"
)


@dataclass(frozen=True, slots=True)
class TitleHeading:
    """A heading; ``full`` includes its kicker; ``is_main`` is false if the page has no main one."""

    text: str
    full: str = ""
    is_main: bool = True


def choose_title(
    document: str,
    headings: Sequence[TitleHeading],
    stated: Sequence[str],
    site: SiteNames,
    *,
    article: bool,
    lines: Sequence[str],
) -> str:
    """Return a page's title, from ``title``, its main headings and the titles stated elsewhere."""
    main_headings = [heading for heading in headings if heading.is_main]
    title = _choose(document, main_headings, stated, site, article=article)
    title = _LEADING_SEPARATOR.sub("", title)
    keys = {title_key(text) for heading in main_headings for text in (heading.text, heading.full)}
    if not title or site.is_home or title_key(title) in keys:
        return title
    return _headline(title, headings, (document, *stated), site, lines)


#: What precedes a title without a name before it: '/ Harbours', '...: Harbours'.
_LEADING_SEPARATOR = re.compile(r"^[^\w\s]{0,5}[:|/·–—-]\s+(?=\w)")
#: The subject after a Chinese or Japanese title.
_HAN_SECTION = re.compile(r"(?<=[\u3040-\u9fff])[-_][\u3040-\u9fff]{2,8}$")
#: The lead in the share of the URL's words that decides between two titles.
_MIN_SLUG_LEAD = 0.3
#: The length of a headline that ``title`` does not state.
_MIN_HEADLINE_WORDS = 3
_MAX_HEADLINE_WORDS = 30
#: More characters need not be read to recognize a paragraph.
_MAX_COUNTED_CHARS = 600
MAX_CHARS_BESIDE_TITLE = 60


def _headline(
    title: str,
    headings: Sequence[TitleHeading],
    stated: Sequence[str],
    site: SiteNames,
    lines: Sequence[str],
) -> str:
    """Return a stated title as displayed on the page, or else the heading above the text."""
    keys = [title_key(line) if len(line) <= _MAX_COUNTED_CHARS else "" for line in lines]
    standing = set(keys)
    site_part, _, part_after_site = title.partition(": ")
    section = _HAN_SECTION.search(title)
    names_site = any(map(site.repeats_host, site_part.split()))
    for part in (
        part_after_site if names_site else "",
        title[: section.start()] if section else "",
    ):
        if part and title_key(part) in standing:
            return part
    stated_keys = list(map(title_key, stated))
    longer = [
        line
        for line, key in zip(lines, keys, strict=True)
        if key
        and line.startswith(title)
        and any(stated_key.startswith(key) for stated_key in stated_keys)
        and site.strip_from(line) == line
    ]
    if longer:
        return max(longer, key=len)
    key, max_chars = title_key(title), len(title) + MAX_CHARS_BESIDE_TITLE
    is_part = title != stated[0] or bool(_SEPARATOR.fullmatch(f" {title[-1]} "))
    names_site = is_part and site.is_site_name(title)
    candidates = [heading for heading in headings if not site.is_site_name(heading.text)]
    is_in_line = any(key in line and len(line) <= max_chars for line in keys)
    is_headed = any(
        not any(map(str.isdigit, heading.text.removesuffix(title)))  # a date before it
        and _position_above_text(heading, keys, lines) is not None
        for heading in candidates[:1]
    )
    if not names_site and (key in standing or (is_in_line and not is_headed)):
        return title
    if not names_site:
        candidates = [heading for heading in candidates[:1] if heading.is_main]
        parts = map(TitleHeading, title_parts(stated[0])[1:])
        candidates += [part for part in parts if not site.is_site_name(part.text)]
    for heading in candidates:
        if _position_above_text(heading, keys, lines) is None:
            continue
        is_in_url = site.slug_overlap(title) >= site.slug_overlap(heading.text) + _MIN_SLUG_LEAD
        is_headline = bool(heading.full) or is_same_subject(heading.text, title)
        if not is_in_url or is_headline:
            return site.strip_from(heading.text)
    return title


def _position_above_text(
    heading: TitleHeading, keys: Sequence[str], lines: Sequence[str]
) -> int | None:
    """Return the index of a heading's line if it is above the text and as long as headlines are."""
    if not _MIN_HEADLINE_WORDS <= count_words(heading.text) <= _MAX_HEADLINE_WORDS:
        return None
    heading_keys = {title_key(heading.text), title_key(heading.full)} - {""}
    position = next((i for i, key in enumerate(keys) if key in heading_keys), None)
    return position if position is not None and is_above_text(lines, position) else None


_MIN_PARAGRAPH_WORDS = 25


def is_paragraph(line: str) -> bool:
    return count_words(line[:_MAX_COUNTED_CHARS]) > _MIN_PARAGRAPH_WORDS


#: The most lines from a headline to the text.
MAX_LINES_TO_TEXT = 12


def is_above_text(lines: Sequence[str], position: int) -> bool:
    """Return whether a paragraph is among the lines below one."""
    return any(map(is_paragraph, lines[position + 1 : position + 1 + MAX_LINES_TO_TEXT]))


#: The beginning of a suffix that a stated title may lack.
_SUFFIX = re.compile(r"\s*[-–—|｜¦ㅣ_]")
_PERMALINK = re.compile(r"\s?[¶#§🔗]{1,3}$")


def _choose(
    document: str,
    main_headings: Sequence[TitleHeading],
    stated: Sequence[str],
    site: SiteNames,
    *,
    article: bool,
) -> str:
    """Return the title that a page's head and headings agree on."""
    if not site.is_home:
        document_title = site.strip_from(document)
        stated = _distinct(map(site.strip_from, stated))
    else:
        document_title, stated = document, _distinct(stated)
    first = _first_part(document_title)
    part = title_parts(document_title)[0]
    if any(title_key(heading.text).endswith(f" {title_key(part)}") for heading in main_headings):
        first = part  # below a label in the heading
    keys = {title_key(text) for text in (document_title, first, *_beginnings(document_title))}
    stated_keys = {title_key(text) for text in stated}
    texts = (_with_kicker(heading, keys | stated_keys) for heading in main_headings)
    headings = [
        text
        for text in _distinct(site.strip_from(_PERMALINK.sub("", text)) for text in texts)
        if not site.is_leading_name(text)
    ]
    in_url = [text for text in headings if site.slug_overlap(text) == 1]
    for agreeing in (keys, stated_keys):
        for heading in headings:
            if title_key(heading) in agreeing:
                return in_url[0] if len(in_url) == 1 else heading  # perhaps of the section
    begins = (text for text in stated if document.startswith(text) and len(title_parts(text)) == 1)
    beginning = next(
        (text for text in begins if article and _SUFFIX.match(document, len(text))), ""
    )
    title = beginning or _stated_title(document_title, first, stated, keys, site)
    # What follows a beginning that is also stated elsewhere names the site.
    subject = title if title_key(title) in keys & stated_keys else document_title
    heading = _main_heading(headings, document_title, subject, article)
    # If they differ, the URL may decide: it is made from the title.
    if heading and site.slug_overlap(title) < site.slug_overlap(heading) + _MIN_SLUG_LEAD:
        return _without_label(heading, stated)
    best = max(headings, key=site.slug_overlap, default="")
    return best if site.slug_overlap(best) >= site.slug_overlap(title) + _MIN_SLUG_LEAD else title


def _stated_title(
    document_title: str, first: str, stated: Sequence[str], keys: Set[str], site: SiteNames
) -> str:
    for text in stated:
        if title_key(text) in keys:
            return first if title_key(text) == title_key(document_title) else text
    if stated and not site.is_home and not _words(stated[0]).isdisjoint(_words(document_title)):
        return title_parts(stated[0])[0]
    return first or next(iter(stated), "")


#: The smallest share of words that an article's heading has in common with ``title`` if both are
#: on the same subject.
_MIN_SHARED_IF_ARTICLE = 0.34
#: The smallest share of words that any other heading has in common with ``title``.
_MIN_SHARED = 0.67
#: Pages with more headings have no main one.
_MAX_HEADINGS = 3
#: The fewest words of an article's only heading that make it the title, whatever ``title`` says.
_MIN_SENTENCE_WORDS = 4


def _main_heading(headings: Sequence[str], document_title: str, subject: str, article: bool) -> str:
    """Return the heading on the same subject as ``title``, or ''."""
    title = _words(subject)
    if not title or not headings:
        return next(iter(headings), "")

    best = max(headings, key=partial(_shared, title))
    first, *later = (len(_words(part) & _words(best)) for part in title_parts(document_title))
    if max(later, default=0) > first:
        return ""
    is_similar = _shared(title, best) >= (_MIN_SHARED_IF_ARTICLE if article else _MIN_SHARED)
    sentence = article and len(headings) == 1 and len(_words(best)) >= _MIN_SENTENCE_WORDS
    return best if sentence or (is_similar and len(headings) <= _MAX_HEADINGS) else ""


_NOT_WORD = re.compile(r"[\W_]+")
#: The longest site name without a slogan.
_MAX_PLAIN_NAME_CHARS = 30
_MAX_ABBREVIATION_CHARS = 3
#: The longest name that a slogan follows.
_MAX_NAME_WORDS = 3
#: The longest name that is kept with its slogan.
_MAX_UNCUT_NAME_CHARS = 40
_MAX_UNCUT_NAME_WORDS = 7
#: Parts of a host that do not name a site.
_COMMON_LABELS = frozenset({"www", "m", "mobile", "co", "com", "org", "net"})
#: The smallest number of words by which a share is divided.
_MIN_SLUG_WORDS = 3
_MAX_PATH_CHARS = 1000
_INDEX_PAGE = re.compile(r"/(?:default|index)\.\w{3,5}$", re.IGNORECASE)


def is_same_subject(text: str, title: str) -> bool:
    return _shared(_words(title), text) >= _MIN_SHARED_IF_ARTICLE


def _shared(title: Set[str], text: str) -> float:
    """Return the share of words that a text has in common with a title, of the shorter one's."""
    words = _words(text)
    return len(words & title) / max(1, min(len(words), len(title)))


class SiteNames:
    """The names of a page's site: those it states, and that of its host.

    ``keys`` are the stated names in comparable form, ``slug_words`` the words at the end of the
    page's URL.
    """

    def __init__(self, stated: Iterable[str], url: str) -> None:
        self.keys = {title_key(name) for name in stated} - {""}
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
        except ValueError:
            parts, host = urlsplit(""), ""
        self.is_home = bool(parts.netloc) and not parts.path.strip("/")
        self.full_host = _NOT_WORD.sub("", host)
        labels = [label for label in host.split(".")[:-1] if label not in _COMMON_LABELS]
        self.labels = frozenset(labels)
        self.host = _NOT_WORD.sub("", "".join(labels))
        path = _INDEX_PAGE.sub("", unquote(parts.path[:_MAX_PATH_CHARS])).rstrip("/")
        slug = path.rpartition("/")[2]
        words = _words(slug.replace("_", " "))
        self.slug_words = frozenset(word for word in words if not word.isdigit())

    def slug_overlap(self, text: str) -> float:
        """Return the share of the words at the end of the page's URL that a text contains."""
        return len(self.slug_words & _words(text)) / max(_MIN_SLUG_WORDS, len(self.slug_words))

    def is_site_name(self, text: str) -> bool:
        return title_key(text) in self.keys or self.repeats_host(text)

    def is_leading_name(self, text: str) -> bool:
        """Return whether the first part of a title is only the site's name, and no product's."""
        letters = _NOT_WORD.sub("", text).casefold()
        return (len(letters) > 2 and letters in self.full_host) or title_key(text) in self.keys

    def repeats_host(self, text: str) -> bool:
        """Return whether a text has the host's parts in any order, and at most two other words."""
        letters = _NOT_WORD.sub("", text).casefold()
        if len(letters) < 3 or len(self.host) < 3:
            return False
        return (
            letters in self.host
            or _words(text) <= self.labels
            or letters.startswith(self.host)
            or (len(self.host) > 4 and self.host in letters)
        )

    def strip_from(self, text: str) -> str:
        """Return a title without the site's name at either end."""
        cuts = list(_SEPARATOR.finditer(text))
        while cuts:
            start = cuts[0].start()
            if self.is_site_name(text[cuts[-1].end() :]):
                text = text[: cuts.pop().start()]
            elif self.is_leading_name(text[:start]):
                text = text[cuts[0].end() :]
                cuts = list(_SEPARATOR.finditer(text))
            else:
                break
        return text

    def short_name(self, name: str) -> str:
        """Return the site's name without a slogan or its owner.

        A slogan follows a colon, or is next to the part that the host repeats; of many words, the
        first part is the name.  Short names and abbreviations are kept whole.
        """
        if len(name) <= _MAX_PLAIN_NAME_CHARS:
            return name
        named, *slogan = name.split(": ", 1)
        if slogan and len(named.split()) <= _MAX_NAME_WORDS:
            return named
        first, *later = title_parts(name)
        if len(first) <= _MAX_ABBREVIATION_CHARS:
            return name
        if self.repeats_host(first):
            return first
        if len(name) <= _MAX_UNCUT_NAME_CHARS:
            return name
        names = (part for part in later if not part.isupper() and self.repeats_host(part))
        return next(names, first if len(name.split()) > _MAX_UNCUT_NAME_WORDS else name)

    def find_in_title(self, document: str, headings: Sequence[str]) -> str:
        """Return the part of a document's title that repeats the host's name, or ''."""
        parts = title_parts(document)
        heading_keys = set(map(title_key, headings))
        for part in (parts[-1], parts[0]):
            if len(parts) > 1 and self.repeats_host(part) and title_key(part) not in heading_keys:
                return part
        return ""


def find_title_node(texts: Sequence[str], title: str) -> int | None:
    """Return the index of the last text that contains the title, or is most of its beginning.

    CUTER (Adam et al.) starts from it.  Of ``texts``, which precede the first paragraph, one much
    longer than the title only mentions it.
    """
    title = " ".join(title.split()).casefold()
    for index in range(len(texts) - 1 if title else -1, -1, -1):
        text = texts[index].casefold()
        if len(texts[index]) <= 3 * len(title) and (
            title in text or (title.startswith(text) and 2 * len(text) >= len(title))
        ):
            return index
    return None


def title_key(text: str) -> str:
    """Return a text's letters and digits, for comparison regardless of punctuation."""
    return _NOT_WORD.sub(" ", text).strip().casefold()


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.casefold()))


def title_parts(text: str) -> list[str]:
    """Return the parts of a title between separators outside brackets."""
    cuts, depth, end = [], 0, 0
    for cut in _SEPARATOR.finditer(text):
        depth += text.count("(", end, cut.start()) - text.count(")", end, cut.start())
        end = cut.start()
        if depth <= 0:
            cuts.append(cut)
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    parts = (text[start:end] for start, end in zip(starts, ends, strict=True))
    return [part for part in parts if part] or [text]


#: A first part of ``title`` of at most this many words ('View topic') is replaced by a longer one.
_MAX_LABEL_WORDS = 2
_MIN_TITLE_PART_WORDS = 3


def _first_part(text: str) -> str:
    """Return a title's first part, a longer one if it is short; the last of three is the site."""
    first, *later = title_parts(text)
    if len(later) > 1 and text.endswith(f"| {later[-1]}"):
        later.pop()
    if len(_words(first)) <= _MAX_LABEL_WORDS:
        return next((part for part in later if len(_words(part)) >= _MIN_TITLE_PART_WORDS), first)
    return first


def _beginnings(text: str) -> list[str]:
    """Return the possible titles with one or more parts at the end removed."""
    return [text[: cut.start()] for cut in _SEPARATOR.finditer(text)]


def _with_kicker(heading: TitleHeading, stated_keys: Set[str]) -> str:
    """Return a heading, after its kicker if the page states its title only so."""
    full = title_key(heading.full)
    if full and full in stated_keys and title_key(heading.text) not in stated_keys:
        return heading.full
    return heading.text


#: A label or a date before a heading: up to four words, not a number alone, a question or quoted.
_LABEL = re.compile(r"(?=[\W\d]*[^\W\d])(?:[^\s?!？！\"„“”«»]{1,30}\s){1,4}")


def _without_label(heading: str, stated: Sequence[str]) -> str:
    """Return a heading without a label or a date around it, if the page states it so elsewhere."""
    for text in stated:
        if len(_words(text)) <= _MAX_LABEL_WORDS:
            continue
        label_after = heading.removeprefix(f"{text} ")
        if _LABEL.fullmatch(heading.removesuffix(text)):
            return text
        if label_after != heading and any(map(str.isdigit, label_after)):
            return text  # a date, a count of comments
    return heading


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))
