"""Named entity recognition for Joshi and Liu's method: by rules, or by a spaCy model.

The rules are in the spirit of GATE's: names are runs of capitalized words, joined by particles
(``University of Kestermouth``, ``Tove van der Lind``).  Titles before them, organization suffixes
after them and a gazetteer of places identify names even at the beginning of a sentence.  In scripts
without capitals, and in texts that do not use them, terms take the place of names: words, or pairs
of characters in scripts without spaces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from functools import lru_cache, partial
from typing import Any, TypeAlias

from ...errors import MissingLibrary, UsageError
from ...i18n import load_table

#: Counts the mentions of each name in a text, in lower case.
NameRecognizer: TypeAlias = Callable[[str], Counter[str]]

_WORDS = {kind: frozenset(words) for kind, words in load_table("entity_words").items()}
#: Words inside a name.
_PARTICLES = _WORDS["particles"]
RULES = "rules"
_SPACY = "spacy:"


def load_recognizer(name: str, language: str = "") -> NameRecognizer:
    """Return the recognizer 'rules', or 'spacy:MODEL' with the name or folder of a model.

    Raises:
        UsageError: The name is neither.
        MissingLibrary: spaCy or the model is not installed.
    """
    check_recognizer(name)
    if name == RULES:
        territories = place_names(language.partition("-")[0].lower())
        return partial(find_names, territories=territories)
    return partial(_find_by_model, _load_model(name.removeprefix(_SPACY)))


def check_recognizer(name: str) -> None:
    """Raise :class:`UsageError` unless the name is 'rules' or 'spacy:MODEL'."""
    if name != RULES and (not name.startswith(_SPACY) or name == _SPACY):
        raise UsageError(
            f"there is no named-entity recognizer {name!r}", hint=f"Choose {RULES} or {_SPACY}MODEL"
        )


@lru_cache(8)
def place_names(language: str) -> frozenset[str]:
    """Return the names of countries and regions in a language and in English, in lower case."""
    from babel import Locale, UnknownLocaleError

    names: set[str] = set()
    for tag in {"en", language}:
        try:
            territories = Locale.parse(tag).territories
        except (UnknownLocaleError, ValueError, TypeError):
            continue
        names.update(name.lower() for name in territories.values())
    return frozenset(names)


_UNNEEDED_PIPES = ("parser", "senter", "lemmatizer", "textcat", "textcat_multilabel")


@lru_cache(2)
def _load_model(model: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingLibrary.of_extra("spaCy is not installed", "nlp") from error
    try:
        return spacy.load(model, exclude=_UNNEEDED_PIPES)
    except OSError as error:
        raise MissingLibrary(
            f"the spaCy model {model!r} is not installed",
            hint=f"Install it: python -m spacy download {model}, or name the folder of a model",
        ) from error
    except Exception as error:
        raise MissingLibrary(
            f"the spaCy model {model!r} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


#: Further text is not read.
_MAX_CHARS = 60_000
#: The labels that models use for people, places and organizations.
_LABELS = frozenset({"PERSON", "PER", "ORG", "GPE", "LOC", "FAC", "NORP", "GPE_LOC", "GPE_ORG"})


def _find_by_model(model: Any, text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for entity in model(text[:_MAX_CHARS]).ents:
        name = " ".join(entity.text.split()).lower()
        if name and entity.label_ in _LABELS:
            counts[name] += 1
    return merge_short_names(counts)


def find_names(text: str, territories: Set[str] = frozenset()) -> Counter[str]:
    """Return the mentions of each name in a text, in lower case, also by one of its words.

    ``territories`` are known place names, in lower case.
    """
    text = text[:_MAX_CHARS]
    if _has_no_case(text):
        return Counter(find_terms(text))
    certain_names: Counter[str] = Counter()
    uncertain: Counter[str] = Counter()
    for name, is_certain in _capitalized_runs(text):
        (certain_names if is_certain or name in territories else uncertain)[name] += 1
    known_words = name_words(certain_names)
    certain_names.update({name: count for name, count in uncertain.items() if name in known_words})
    return merge_short_names(certain_names)


#: Capitalized words that are not names: first words of sentences, days, months.
_COMMON = _WORDS["common"]
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_WORD = re.compile(r"[^\W\d_]{3,40}(?:\u200c?[^\W\d_]+)?")


def find_terms(text: str) -> Iterator[str]:
    """Yield the terms of a text: words of at least three letters, or pairs of characters."""
    for match in _UNSPACED.finditer(text):
        run = match[0]
        yield from (run[i : i + 2] for i in range(len(run) - 1))
    for word in _WORD.findall(_UNSPACED.sub(" ", text)):
        folded = word.lower()
        if folded not in _COMMON:
            yield folded.removeprefix("ال")


def _has_no_case(text: str) -> bool:
    """Return whether case tells nothing: the script has none, or all letters have the same."""
    start = text[:2000]
    lower, upper, letters = (
        sum(map(test, start)) for test in (str.islower, str.isupper, str.isalpha)
    )
    if 2 * (lower + upper) < letters:
        return True
    return not upper or (upper > lower and upper > 8)


_TOKEN = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*|[.!?…:;,•|()\"“”«»\n]|\d+|&")
_SENTENCE_BOUNDS = frozenset('.!?…:•|\n"“«(')
_BREAKS = _SENTENCE_BOUNDS | frozenset(";,)”»")
#: Words before a name.
_TITLES = _WORDS["titles"]


def _capitalized_runs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the names in a text in lower case, each with whether it is certain to be one."""
    run = _Run()
    begins_sentence = True
    last = ""
    for word in _TOKEN.findall(text):
        folded = word.lower()
        if word == "." and (len(last) == 1 or last in _TITLES):
            continue  # an initial, an abbreviated title
        if word in _BREAKS:
            yield from run.end()
            begins_sentence = word in _SENTENCE_BOUNDS
        elif word[:1].isupper() and folded not in _COMMON:
            run.add(word, folded, begins_sentence)
            begins_sentence = False
        elif not (folded in _PARTICLES and run.add_particle(folded)):
            yield from run.end()
            begins_sentence = False
        last = folded
    yield from run.end()


#: Words that end the name of an organization or a place.
_SUFFIXES = _WORDS["suffixes"]


class _Run:
    """Successive capitalized words, and the particles between them."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._particles: list[str] = []
        self._begins_sentence = self._is_marked = False

    def add(self, word: str, folded: str, begins_sentence: bool) -> None:
        if not self._words:
            self._begins_sentence = begins_sentence
        is_acronym = len(word) > 1 and word.isupper()
        if is_acronym or folded in _TITLES or folded in _SUFFIXES:
            self._is_marked = True
        if folded not in _TITLES:
            self._words += [*self._particles, re.sub(r"['’]s?$", "", folded)]
            self._particles = []
        elif not self._words:
            # The word after a title is a name, even at the beginning of a sentence.
            self._begins_sentence = False

    def add_particle(self, folded: str) -> bool:
        """Add a particle if the run can continue after it; return whether it can."""
        if not self._words or len(self._particles) > 1:
            return False
        self._particles.append(folded)
        return True

    def end(self) -> Iterator[tuple[str, bool]]:
        """End the run and yield its name; a single word at the start of a sentence is uncertain."""
        if self._words:
            is_certain = len(self._words) > 1 or self._is_marked or not self._begins_sentence
            yield " ".join(self._words), is_certain
        self._words, self._particles, self._is_marked = [], [], False


def merge_short_names(counts: Counter[str]) -> Counter[str]:
    """Count a single word as the most frequent longer name that contains it."""
    longer: dict[str, str] = {}
    for name, _ in counts.most_common():
        words = name.split()
        if len(words) > 1:
            for word in words:
                if word not in _PARTICLES:
                    longer.setdefault(word, name)
    merged: Counter[str] = Counter()
    for name, count in counts.items():
        merged[longer.get(name, name)] += count
    return merged


def name_words(names: Iterable[str]) -> frozenset[str]:
    """Return the words of names, without particles."""
    return frozenset(word for name in names for word in name.split() if word not in _PARTICLES)
