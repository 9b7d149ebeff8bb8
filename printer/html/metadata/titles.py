"""A page's title, without the name of its site.

A page states its title up to five times: in ``title`` (with the site's name, a section, words for
search engines), in a heading, in OpenGraph, in JSON-LD.  What the heading and another of them agree
on is taken.  Where they differ, the heading is what readers see, and so is taken when it is about
the same; a heading that shares little with ``title`` is a slogan or the name of a section.  Where
one of the two has clearly more of the words that end the page's address it is the title: such an
address is made of what the page was first called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence, Set
from urllib.parse import unquote, urlsplit

#: What stands between a title and the site's name.
_SEPARATOR = re.compile(
    r"\s*[|｜¦]\s*|\s+(?:[-–—−•·»«›‹<>:~*⋆/\\]|::|--)\s+|\s*[»«›‹]\s+|\s*(?:::|__)\s*"
)
#: One character of a script that sets no spaces, or a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W_]+")
_SIGNS = re.compile(r"[\W_]+")
_PERMALINK = re.compile(r"\s?[¶#§🔗]{1,3}$")

#: The share of words that a heading and ``title`` have in common when both are about the same: of
#: an article's heading, of any.  On pages with more headings than these none is the main one.
_SAME_ARTICLE, _SAME = 0.34, 0.67
_MOST_HEADINGS = 3
#: An article's only heading is its title, whatever ``title`` says, when it is this long.
_SENTENCE = 4
#: A first part of ``title`` this short ('View topic') gives way to a longer one.
_SHORT, _LONG = 2, 3
#: By this much more of the address's words, at least so many, a title is better than another.
_CLEARLY, _FEW = 0.3, 3
#: Characters read of an address's path.
_LONGEST = 1000
#: A label or a date before a heading: up to four words, not a number alone.
_LABEL = re.compile(r"(?=[\W\d]*[^\W\d])(?:[^\s]{1,30}\s){1,4}")


def comparison_key(text: str) -> str:
    """Return a text's letters and digits, for comparing what is punctuated differently."""
    return _SIGNS.sub(" ", text).strip().casefold()


def choose_title(
    document: str,
    headings: Sequence[str],
    stated: Sequence[str],
    site: SiteNames,
    *,
    article: bool = False,
) -> str:
    """Return a page's title.

    ``document`` is the text of ``title``, ``headings`` those of ``h1``, ``stated`` the titles of
    OpenGraph, JSON-LD and the like, ``article`` tells whether the page says that it is one.
    """
    clean: Callable[[str], str] = _as_it_is if site.is_home else site.strip_from
    heads = _distinct(site.strip_from(_PERMALINK.sub("", text)) for text in headings)
    others = _distinct(clean(text) for text in stated)
    whole = clean(document)
    heads = [text for text in heads if not _is_site(text, site, whole)]
    first = _first_part(whole)
    ours = {comparison_key(text) for text in (whole, first, *_beginnings(whole))}
    for same in (ours, {comparison_key(text) for text in others}):
        for heading in heads:
            if comparison_key(heading) in same:
                return heading
    told = _told(document, whole, first, others, site)
    found = _heading(heads, whole, article)
    # What they differ in, the address may settle: it is made of the title.
    if found and site.slug_overlap(told) < site.slug_overlap(found) + _CLEARLY:
        return _unlabelled(found, others, ours)
    best = max(heads, key=site.slug_overlap, default="")
    if best and not found and site.slug_overlap(best) >= site.slug_overlap(told) + _CLEARLY:
        return best
    return told or best


def _told(document: str, whole: str, first: str, others: Sequence[str], site: SiteNames) -> str:
    """Return the title that a page's head gives."""
    ours = {comparison_key(text) for text in (whole, first, *_beginnings(whole))}
    for text in others:
        if comparison_key(text) in ours:
            return first if comparison_key(text) == comparison_key(whole) else text
    if others and not site.is_home and not _words(others[0]).isdisjoint(_words(whole)):
        return _parts(others[0])[0]
    return first or next(iter(others), "") or document


def _heading(heads: Sequence[str], whole: str, article: bool) -> str:
    """Return the heading that is about the same as ``title``, or ''."""
    title = _words(whole)
    if not title or not heads:
        return next(iter(heads), "")

    def shared(text: str) -> float:
        words = _words(text)
        return len(words & title) / max(1, min(len(words), len(title)))

    best = max(heads, key=shared)
    first, *others = (len(_words(part) & _words(best)) for part in _parts(whole))
    later = max(others, default=0) > first
    enough = shared(best) >= (_SAME_ARTICLE if article else _SAME)
    if enough and len(heads) <= _MOST_HEADINGS and not later:
        return best
    if article and len(heads) == 1 and len(_words(best)) >= _SENTENCE and not later:
        return best
    return ""


class SiteNames:
    """The names a page's site goes by: those it states, and that of its host."""

    def __init__(self, stated: Iterable[str], url: str) -> None:
        self.keys = {comparison_key(name) for name in stated} - {""}
        self.host = self.full_host = ""
        self.is_home = False
        self.slug_words: frozenset[str] = frozenset()
        try:
            parts = urlsplit(url)
            labels = (parts.hostname or "").split(".")[:-1]
        except ValueError:
            return
        self.is_home = bool(parts.netloc) and not parts.path.strip("/")
        self.full_host = _SIGNS.sub("", parts.hostname or "")
        slug = unquote(parts.path[:_LONGEST]).rstrip("/").rpartition("/")[2].replace("_", " ")
        self.slug_words = frozenset(word for word in _words(slug) if not word.isdigit())
        common = {"www", "m", "mobile", "co", "com", "org", "net"}
        self.host = _SIGNS.sub("", "".join(label for label in labels if label not in common))

    def slug_overlap(self, text: str) -> float:
        """Return the share of the words that end the page's address that a text has."""
        return len(self.slug_words & _words(text)) / max(_FEW, len(self.slug_words))

    def is_site_name(self, text: str) -> bool:
        """Tell whether a text is the name of the site."""
        return comparison_key(text) in self.keys or self.repeats_host(text)

    def is_leading_name(self, text: str) -> bool:
        """Tell whether what a title begins with is the site's name alone.

        Products and chapters that bear a site's name with more words begin titles too.
        """
        return comparison_key(text) in self.keys or self.is_host(text)

    def repeats_host(self, text: str) -> bool:
        """Tell whether a text is the host's name: a part of it, or it with a word or two more."""
        letters = _SIGNS.sub("", text).casefold()
        if len(letters) < 3 or len(self.host) < 3:
            return False
        return (
            letters in self.host
            or letters.startswith(self.host)
            or (len(self.host) > 4 and self.host in letters)
        )

    def is_host(self, text: str) -> bool:
        """Tell whether a text is the host's name or a part of it."""
        letters = _SIGNS.sub("", text).casefold()
        return len(letters) > 2 and (letters in self.host or letters in self.full_host)

    def strip_from(self, text: str) -> str:
        """Cut the site's name off either end of a title."""
        cuts = list(_SEPARATOR.finditer(text))
        while cuts:
            start = cuts[0].start()
            if self.is_site_name(text[cuts[-1].end() :]) and text[: cuts[-1].start()]:
                text = text[: cuts.pop().start()]
            elif self.is_leading_name(text[:start]) and text[cuts[0].end() :]:
                text = text[cuts[0].end() :]
                cuts = list(_SEPARATOR.finditer(text))
            else:
                break
        return text

    def find_in_title(self, document: str, headings: Sequence[str]) -> str:
        """Return the part of ``title`` that is the site's name, when it repeats the host's."""
        parts = _parts(document)
        heads = {comparison_key(heading) for heading in headings}
        for part in (parts[-1], parts[0]):
            if len(parts) > 1 and self.repeats_host(part) and comparison_key(part) not in heads:
                return part
        return ""


def _parts(text: str) -> list[str]:
    return [part for part in _SEPARATOR.split(text) if part] or [text]


def _first_part(text: str) -> str:
    first, *others = _parts(text)
    if len(_words(first)) <= _SHORT:
        return next((part for part in others if len(_words(part)) >= _LONG), first)
    return first


def _is_site(heading: str, site: SiteNames, whole: str) -> bool:
    """Tell whether a heading is about the site: its name, or a line that has it and no more."""
    return site.is_leading_name(heading) or (
        site.repeats_host(heading) and _words(heading).isdisjoint(_words(whole))
    )


def _beginnings(text: str) -> list[str]:
    """Return what a title may be without one or more parts at its end."""
    return [text[: each.start()] for each in _SEPARATOR.finditer(text)]


def _unlabelled(heading: str, others: Sequence[str], ours: Set[str]) -> str:
    """Return a heading without a label or a date before it, as the page states it elsewhere."""
    for text in others:
        if len(_words(text)) <= _SHORT:
            continue
        before, after = heading.removesuffix(text), heading.removeprefix(f"{text} ")
        if before != heading and _LABEL.fullmatch(before):
            return text
        if after != heading and comparison_key(text) in ours and any(map(str.isdigit, after)):
            return text  # a date, a count of comments
    return heading


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _as_it_is(text: str) -> str:
    return text


def find_title_node(texts: Sequence[str], title: str) -> int | None:
    """Return the index of the last text that holds the title, or begins it and is most of it.

    ``texts`` are those before the article's starting paragraph.  One much longer than the title
    is running text that mentions it.
    """
    wanted = " ".join(title.split()).casefold()
    if not wanted:
        return None
    for index in range(len(texts) - 1, -1, -1):
        if len(texts[index]) > 3 * len(wanted):
            continue
        text = texts[index].casefold()
        if wanted in text or (wanted.startswith(text) and 2 * len(text) >= len(wanted)):
            return index
    return None
