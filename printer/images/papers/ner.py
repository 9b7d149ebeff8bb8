"""Named entities by rule: names of people, places and organisations, without any model.

In the spirit of GATE's rules, which Joshi and Liu build on: names are runs of capitalised words,
joined by particles (``University of Kestermouth``, ``Tove van der Lind``); titles before them and
organisation suffixes after them, and a gazetteer of places, tell a name even where a sentence
begins.  Where a script has no
capital letters, or a text does not use them, its terms stand for names: words, or pairs of
characters where words are not set apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from functools import lru_cache, partial
from typing import Any, TypeAlias

from ...errors import MissingLibrary, UsageError

#: Text beyond this many characters is not read.
MOST_CHARS = 60_000

_TOKEN = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*|[.!?…:;,•|()\"“”«»\n]|\d+|&")
_ENDS = frozenset('.!?…:•|\n"“«(')
_BREAKS = _ENDS | frozenset(";,)”»")
#: Words that may stand inside a name.
_PARTICLES = frozenset(
    "of the de del della di da do dos das du des la le les los las von van der den zu zum zur "  # noqa: SIM905
    "af av bin ibn ben al el y e upon sur sous & st".split()
)
#: Words before a name that are not of it.
_TITLES = frozenset(
    "mr mrs ms miss mx dr prof professor sir dame lord lady president vice chancellor minister "  # noqa: SIM905
    "senator sen rep governor gov mayor judge justice king queen prince princess pope bishop "
    "archbishop rev reverend father general gen colonel col captain capt sgt sergeant lt "
    "lieutenant admiral chief coach ceo director chairman chairwoman spokesman spokeswoman "
    "herr frau präsident kanzler bundeskanzler minister madame monsieur señor señora don doña "
    "signor signora mme mlle m".split()
)
#: Words that end the name of an organisation, or of a place.
_SUFFIXES = frozenset(
    "inc ltd llc plc corp corporation company co gmbh ag kg se sa sas srl spa bv nv ab oy group "  # noqa: SIM905
    "holdings bank university college school institute institut universität université "
    "universidad academy hospital museum foundation association society union party committee "
    "council ministry department agency office commission court parliament senate congress army "
    "navy police club fc united league press news times post herald street road avenue square "
    "bridge river lake mountain island islands bay city county province state park airport "
    "station church cathedral castle palace theatre theater".split()
)
#: Capitalised words that name nobody: those that begin sentences, days, months.
_COMMON = frozenset(
    "a an the this that these those it its he she they we you i his her their our your my there "  # noqa: SIM905
    "here what when where who why how which while if but and or so as at by for from in into of "
    "on onto over to under up with after before since until during about because although not no "
    "yes all any both each few many more most other some such one two three new now then also "
    "just only even still yet however is are was were be been has have had do does did will would "
    "can could may might should must let get see read click photo image picture source figure "
    "table monday tuesday wednesday thursday friday saturday sunday january february march april "
    "june july august september october november december "
    "der die das ein eine und oder aber im am zum zur mit von für auf bei nach wie was wer es er "
    "sie wir ich nicht foto bild quelle le la les un une des et ou mais dans pour sur avec il elle "
    "ce cette el los las una y o pero en con por para es se su il lo gli uno i e ma nel di da che".split()  # noqa: E501
)
#: Scripts that set no spaces between words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_WORD = re.compile(r"[^\W\d_]{3,40}(?:\u200c?[^\W\d_]+)?")


def find_names(text: str, places: Set[str] = frozenset()) -> Counter[str]:
    """Return how often each named entity is mentioned in a text, in lower case.

    A word of a name that stands alone is a mention of the name (``Fenwick``, ``Ada Fenwick``).
    ``places`` are known names of places, in lower case.
    """
    text = text[:MOST_CHARS]
    if _has_no_case(text):
        return Counter(find_terms(text))
    found: Counter[str] = Counter()
    unsure: Counter[str] = Counter()
    for name, sure in _runs(text):
        (found if sure or name in places else unsure)[name] += 1
    known = name_words(found)
    found.update({name: count for name, count in unsure.items() if name in known})
    return merge_short_names(found)


def find_terms(text: str) -> Iterator[str]:
    """Yield the terms of a text: its words of three letters and more, pairs of characters."""
    for match in _UNSPACED.finditer(text):
        run = match[0]
        yield from (run[i : i + 2] for i in range(len(run) - 1))
    for word in _WORD.findall(_UNSPACED.sub(" ", text)):
        folded = word.lower()
        if folded not in _COMMON:
            yield folded.removeprefix("ال")


def _has_no_case(text: str) -> bool:
    """Tell whether capitals say nothing: a script without them, or a text all in one case."""
    lower = sum(map(str.islower, text[:2000]))
    upper = sum(map(str.isupper, text[:2000]))
    letters = sum(map(str.isalpha, text[:2000]))
    if 2 * (lower + upper) < letters:
        return True
    return not upper or (upper > lower and upper > 8)


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the names of a text as their words stand, and whether they are names for sure."""
    run = _Run()
    begins = True
    last = ""
    for word in _TOKEN.findall(text):
        folded = word.lower()
        if word == "." and (len(last) == 1 or last in _TITLES):
            continue  # an initial, an abbreviated title
        if word in _BREAKS:
            yield from run.take()
            begins = word in _ENDS
        elif word[:1].isupper() and folded not in _COMMON:
            run.add(word, folded, begins)
            begins = False
        elif not (folded in _PARTICLES and run.bridge(folded)):
            yield from run.take()
            begins = False
        last = folded
    yield from run.take()


class _Run:
    """Capitalised words that follow each other."""

    __slots__ = ("between", "first", "told", "words")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.between: list[str] = []
        self.first = self.told = False

    def add(self, word: str, folded: str, begins: bool) -> None:
        """Add a word; ``begins`` says that a sentence begins with it."""
        if not self.words:
            self.first = begins
        self.told = self.told or folded in _TITLES or folded in _SUFFIXES
        self.told = self.told or (len(word) > 1 and word.isupper())
        if folded not in _TITLES:
            self.words += [*self.between, _bare(folded)]
            self.between = []
            # After a title the name is what counts, wherever it stands.
        elif not self.words:
            self.first = False

    def bridge(self, folded: str) -> bool:
        """Add a particle if the run may go on after it."""
        if not self.words or len(self.between) > 1:
            return False
        self.between.append(folded)
        return True

    def take(self) -> Iterator[tuple[str, bool]]:
        """End the run and yield its name: a lone word that begins a sentence may be any word."""
        if self.words:
            yield " ".join(self.words), len(self.words) > 1 or self.told or not self.first
        self.words, self.between, self.told = [], [], False


def _bare(word: str) -> str:
    """Return a word without the sign of the genitive."""
    return re.sub(r"['’]s?$", "", word)


def merge_short_names(found: Counter[str]) -> Counter[str]:
    """Count a single word as the commonest longer name that it stands in."""
    longer: dict[str, str] = {}
    for name, _ in found.most_common():
        words = name.split()
        if len(words) > 1:
            for word in words:
                if word not in _PARTICLES:
                    longer.setdefault(word, name)
    resolved: Counter[str] = Counter()
    for name, count in found.items():
        resolved[longer.get(name, name)] += count
    return resolved


def name_words(entities: Iterable[str]) -> frozenset[str]:
    """Return the words of names, by which a mention of a part is known."""
    return frozenset(word for name in entities for word in name.split() if word not in _PARTICLES)


#: Returns how often each name is mentioned in a text, in lower case.
Recogniser: TypeAlias = Callable[[str], Counter[str]]

RULES = "rules"
_SPACY = "spacy:"

#: What models call people, places and organisations.
_KINDS = frozenset({"PERSON", "PER", "ORG", "GPE", "LOC", "FAC", "NORP", "GPE_LOC", "GPE_ORG"})
#: Parts of a model that names do not need.
_UNNEEDED = ("parser", "senter", "lemmatizer", "textcat", "textcat_multilabel")


def load_recogniser(name: str, language: str = "") -> Recogniser:
    """Return the recogniser of a name: 'rules', or 'spacy:MODEL'.

    A model is named as it was installed, or is a folder.  ``language`` is the page's, for the
    rules' gazetteer.  Raises :class:`UsageError` for another name and :class:`MissingLibrary`
    when spaCy or the model is not installed.
    """
    check_recogniser(name)
    if name == RULES:
        return partial(find_names, places=place_names(language.partition("-")[0].lower()))
    return partial(_by_model, _load(name.removeprefix(_SPACY)))


def check_recogniser(name: str) -> None:
    """Raise :class:`UsageError` unless this may name a recogniser."""
    if name != RULES and (not name.startswith(_SPACY) or name == _SPACY):
        raise UsageError(
            f"no recogniser of names is called {name!r}", hint=f"Known are {RULES}, {_SPACY}MODEL"
        )


@lru_cache(8)
def place_names(language: str) -> frozenset[str]:
    """Return the names of the world's countries and regions in a language and in English."""
    from babel import Locale, UnknownLocaleError

    found: set[str] = set()
    for tag in {"en", language}:
        try:
            territories = Locale.parse(tag).territories
        except (UnknownLocaleError, ValueError, TypeError):
            continue
        found.update(name.lower() for name in territories.values())
    return frozenset(found)


@lru_cache(2)
def _load(model: str) -> Any:
    try:
        import spacy
    except ImportError as error:
        raise MissingLibrary(
            "spaCy is not installed", hint="Install it: pip install 'webprint[nlp]'"
        ) from error
    try:
        return spacy.load(model, exclude=_UNNEEDED)
    except OSError as error:
        raise MissingLibrary(
            f"the spaCy model {model!r} is not installed",
            hint=f"Install it: python -m spacy download {model}, or name a folder that holds one",
        ) from error
    except Exception as error:
        raise MissingLibrary(
            f"the spaCy model {model!r} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def _by_model(model: Any, text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for entity in model(text[:MOST_CHARS]).ents:
        name = " ".join(entity.text.split()).lower()
        if name and entity.label_ in _KINDS:
            found[name] += 1
    return merge_short_names(found)
