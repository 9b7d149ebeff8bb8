"""Recognisers of names: rules with a gazetteer, and a spaCy model where spaCy is installed."""

from __future__ import annotations

import builtins
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from printer.errors import MissingLibrary, UsageError
from printer.html.page import read_page
from printer.images import select_by_method
from printer.images.papers.ner import load_recognizer, place_names
from printer.selection import Verdict


def test_the_gazetteer_knows_a_place_where_a_sentence_begins() -> None:
    text = "Norway won. Nobody saw it. Norwegen gewann."
    assert load_recognizer("rules")(text) == Counter({"norway": 1})
    assert load_recognizer("rules", "de-AT")(text) == Counter({"norway": 1, "norwegen": 1})
    assert "日本" in place_names("ja")
    assert place_names("no such language") == place_names("en") == place_names("")


def test_scripts_without_capitals_need_no_gazetteer() -> None:
    assert load_recognizer("rules", "ja")("渡し場") == Counter({"渡し": 1, "し場": 1})


@pytest.mark.parametrize("name", ["gate", "spacy:", "spacy", ""])
def test_an_unknown_recogniser_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="rules or spacy:MODEL"):
        load_recognizer(name)


def test_without_spacy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = builtins.__import__

    def absent(name: str, *arguments: Any, **more: Any) -> Any:
        if name.partition(".")[0] == "spacy":
            raise ImportError(name)
        return real(name, *arguments, **more)

    monkeypatch.delitem(sys.modules, "spacy", raising=False)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingLibrary, match=r"\[nlp\]"):
        load_recognizer("spacy:absent_model")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A real spaCy model, saved in a folder: a blank pipeline with a ruler."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([
        {"label": "PERSON", "pattern": "ada fenwick"},
        {"label": "GPE", "pattern": "kestermouth"},
        {"label": "DATE", "pattern": "tuesday"},
    ])  # fmt: skip
    folder = tmp_path / "model"
    pipeline.to_disk(folder)
    return folder


@pytest.mark.filterwarnings("default")
def test_a_model_names_people_and_places_and_nothing_else(model: Path) -> None:
    found = load_recognizer(f"spacy:{model}")(
        "on tuesday ada fenwick left kestermouth; ada fenwick."
    )
    assert found == Counter({"ada fenwick": 2, "kestermouth": 1})


@pytest.mark.filterwarnings("default")
def test_a_missing_model_is_reported(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    with pytest.raises(MissingLibrary, match="not installed"):
        load_recognizer(f"spacy:{tmp_path / 'nothing'}")
    with pytest.raises(MissingLibrary, match="spacy download xx_absent"):
        load_recognizer("spacy:xx_absent")


@pytest.mark.filterwarnings("default")
def test_pictures_are_chosen_by_recognized_names(model: Path) -> None:
    text = "<p>on tuesday ada fenwick left the harbour of kestermouth with forty of its boats.</p>"
    page = read_page(
        f"<body><article>{text * 4}"
        "<div><img src=a.jpg>ada fenwick at the quay</div>"
        "<div><img src=b.jpg>a harbour with forty boats</div></article></body>",
        "https://example.org/",
    )
    verdict = Verdict(tuple("left the harbour" in segment.text for segment in page.segments))

    def selected_sources(ner: str) -> list[str]:
        choice = select_by_method(page, verdict, "joshi-liu", ner)
        return [picture.candidate.element.get("src", "") for picture in choice.selected]

    assert selected_sources("rules") == ["a.jpg", "b.jpg"], (
        "without capitals, terms stand for names"
    )
    assert selected_sources(f"spacy:{model}") == ["a.jpg"]
