"""Which recogniser of names Joshi and Liu's comparison uses: our rules, or a spaCy model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeAlias

from ..errors import MissingLibrary, UsageError
from .papers.ner import MOST_CHARS, names, resolved

#: Returns how often each name is mentioned in a text, in lower case.
Recogniser: TypeAlias = Callable[[str], Counter[str]]

RULES = "rules"
_SPACY = "spacy:"

#: What models call people, places and organisations.
_KINDS = frozenset({"PERSON", "PER", "ORG", "GPE", "LOC", "FAC", "NORP", "GPE_LOC", "GPE_ORG"})
#: Parts of a model that names do not need.
_UNNEEDED = ("parser", "senter", "lemmatizer", "textcat", "textcat_multilabel")


def recogniser(name: str, language: str = "") -> Recogniser:
    """Return the recogniser of a name: 'rules', or 'spacy:MODEL'.

    A model is named as it was installed, or is a folder.  ``language`` is the page's, for the
    rules' gazetteer.  Raises :class:`UsageError` for another name and :class:`MissingLibrary`
    when spaCy or the model is not installed.
    """
    check(name)
    if name == RULES:
        return partial(names, places=places(language.partition("-")[0].lower()))
    return partial(_by_model, _load(name.removeprefix(_SPACY)))


def check(name: str) -> None:
    """Raise :class:`UsageError` unless this may name a recogniser."""
    if name != RULES and (not name.startswith(_SPACY) or name == _SPACY):
        raise UsageError(
            f"no recogniser of names is called {name!r}", hint=f"Known are {RULES}, {_SPACY}MODEL"
        )


@lru_cache(8)
def places(language: str) -> frozenset[str]:
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
    return resolved(found)
