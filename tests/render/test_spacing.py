"""No-break spaces by language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.render.inline import no_break_spaces


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "« Quoi ? » dit-il : non !", "«~Quoi_?~» dit-il~: non_!"),
        ("fr-CA", "«Quoi?» Non; 25 %", "«~Quoi_?~» Non_; 25~%"),
        ("fr", "à 12:30, voir x?a=1 et http://a", "à 12:30, voir x?a=1 et http://a"),
        ("cs", "v lese a u vody", "v~lese a~u~vody"),
        ("pl", "W domu i w ogrodzie", "W~domu i~w~ogrodzie"),
        ("ru", "в лесу и у реки", "в~лесу и~у~реки"),
        ("uk", "і в лісі", "і~в~лісі"),
        ("en", "a walk in a wood", "a walk in a wood"),
        ("en", "10 000 km and 5 kg, No 26", "10~000~km and 5~kg, No~26"),
        ("de", "20 °C, S. 12, Nr. 5, 3 million", "20~°C, S.~12, Nr.~5, 3 million"),
        ("en", "at 5 min to 3 minutes", "at 5~min to 3 minutes"),
        ("en", "the boat—it sank – was old", "the boat^—it sank~– was old"),
        ("pl", "był tam - z nimi -", "był tam~- z~nimi -"),
        ("fr", "la barque – elle coula –", "la barque – elle coula –"),
        (
            "de",
            "König Charles III. am 26. Mai, der 1. FC",
            "König Charles~III. am 26.~Mai, der 1.~FC",
        ),
        (
            "en",
            "He was 12. Then he left; mix III with IV",
            "He was 12. Then he left; mix III with IV",
        ),
        ("fr", "Louis XIV, © Agence", "Louis~XIV, ©~Agence"),
        ("en", "Florida , shared", "Florida, shared"),
        ("en", "npm install , .x and .", "npm install, .x and ."),
        ("en", "ferries ( with a crew ), boats ( of oak)", "ferries (with a crew), boats (of oak)"),
        ("en", "f( x ), the signs ( and ), :( no", "f( x ), the signs ( and ), :( no"),
        ("de", "die Fähre ( ", "die Fähre ("),  # before a link
        ("en", "It sank.The crew swam!Nobody drowned.", "It sank. The crew swam! Nobody drowned."),
        (
            "en",
            "the method boat.Sail of Boat.The sank.Nobody",
            "the method boat.Sail of Boat.The sank.Nobody",
        ),
        ("ja", "日南市*、延岡市", "日南市^*、延岡市"),
        ("ja", "*、延岡市", "^*、延岡市"),  # after a link
        ("", "", ""),
    ],
)
def test_where_no_line_ends(language: str, text: str, expected: str) -> None:
    signs = str.maketrans({"\u00a0": "~", "\u202f": "_", "\u2060": "^"})
    assert no_break_spaces(text, language).translate(signs) == expected


@given(st.text("ab «»?!;: 1kmgv\u00a0", max_size=40), st.sampled_from(["fr", "cs", "en"]))
def test_only_spaces_change(text: str, language: str) -> None:
    spaced = no_break_spaces(text, language)
    assert "".join(spaced.split()) == "".join(text.split())
