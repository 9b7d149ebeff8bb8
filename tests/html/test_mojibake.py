"""Doubly encoded text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.html.page import read_page
from printer.html.parse import fix_mojibake

TEXT = "“Don’t,” said Zoë — it’s 20 °C in Łódź, 東京 is far… 🙂"


def twice(text: str, charset: str) -> str:
    """Encode twice: as UTF-8 that is taken for a one-byte charset."""
    garbled = ""
    for byte in text.encode():
        try:
            garbled += bytes([byte]).decode(charset)
        except UnicodeDecodeError:  # five bytes mean nothing there, which browsers pass through
            garbled += chr(byte)
    return garbled


@pytest.mark.parametrize("charset", ["latin-1", "cp1252"])
def test_text_encoded_twice_is_mended(charset: str) -> None:
    wrong = twice(TEXT, charset)
    assert wrong != TEXT
    assert fix_mojibake(wrong) == TEXT


def test_one_sure_sequence_is_mended_alone() -> None:
    assert fix_mojibake("NESCAFÉ® isn" + twice("’", "latin-1") + "t") == "NESCAFÉ® isn’t"


@pytest.mark.parametrize(
    "text",
    [
        "NESCAFÉ® NESCAFÉ® NESCAFÉ® NESCAFÉ®",
        "Straß\u00ade, Groß\u00adstadt, Maß\u00adstab, Spaß\u00adbad",
        "L’âge d’or à la forêt — « très bien » où naît la rivière",
        "COMUNICAÇÃO · ÂNGULO · ÃES",
        "Ⅷ Ÿ€ naïve ‘ð’ and â, ã",
        "It shows â€™ once.",
        "Why â€™ for ’ and â€œ for “? Your â€™ was UTF-8: the ’ is â€™, the “ is â€œ.",
        TEXT,
    ],
)
def test_text_that_means_it_stays(text: str) -> None:
    assert fix_mojibake(text) == text


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(fix_mojibake(text), str)


@given(st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E) | st.sampled_from("’“”…éöñ—")))
def test_doubly_encoded_text_is_restored(text: str) -> None:
    assert fix_mojibake(twice(f"“{text}’”", "latin-1")) == f"“{text}’”"


def test_a_page_is_mended() -> None:
    html = f"<p>{twice(TEXT, 'latin-1')}</p>".encode()
    assert read_page(html).segments[0].text == TEXT
