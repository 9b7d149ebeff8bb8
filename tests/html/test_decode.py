"""Charsets: the declared one, unless the bytes prove it wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.html.parse import decode

TEXTS = {
    "ja": "これは日本語の文章です。東京の天気は晴れで、気温は二十度くらいになる見込みです。",
    "zh": "这是一个简体中文的网页，内容关于今天的天气。气象局表示，未来三天将持续晴朗。",
    "zh-TW": "這是一個繁體中文的網頁，內容關於今天的天氣。氣象局表示，未來三天將持續晴朗。",
    "ko": "이것은 한국어로 작성된 문서입니다. 오늘 날씨는 맑고 기온은 섭씨 이십도 정도입니다.",
    "ru": "Это страница на русском языке. Сегодня ожидается ясная погода, около двадцати градусов.",
    "fr": "L’été dernier, nous avons mangé des crêpes près de la forêt où naît la rivière.",
    "de": "Der große Bär läuft über die Straße und möchte schöne Äpfel essen.",
    "pl": "Zażółć gęślą jaźń. Dzień dobry, pogoda dzisiaj będzie słoneczna, a wieczór ciepły.",
    "cs": "Příliš žluťoučký kůň. Dnes bude slunečno a teplota vystoupí na dvacet stupňů.",
    "hu": "Az időjárás ma napos lesz, a hőmérséklet húsz fok körül alakul a tűző napon.",
    "el": "Αυτή είναι μια σελίδα στα ελληνικά. Ο καιρός σήμερα θα είναι αίθριος.",
    "he": "זהו דף בעברית. מזג האוויר היום יהיה נאה והטמפרטורה תגיע לעשרים מעלות.",
    "th": "นี่คือหน้าภาษาไทย อากาศวันนี้แจ่มใสและอุณหภูมิประมาณยี่สิบองศา",
}
WRITTEN = [
    ("ja", "cp932", "Shift_JIS"),
    ("ja", "euc_jp", "x-euc-jp"),
    ("ja", "iso2022_jp", "ISO-2022-JP"),
    ("zh", "gb18030", "gb2312"),
    ("zh-TW", "big5", "Big5"),
    ("ko", "cp949", "ks_c_5601-1987"),
    ("ru", "cp1251", "windows-1251"),
    ("ru", "koi8_r", "KOI8-R"),
    ("fr", "cp1252", "iso-8859-1"),
    ("de", "cp1252", "latin1"),
    ("pl", "iso8859_2", "iso-8859-2"),
    ("pl", "cp1250", "windows-1250"),
    ("cs", "cp1250", "cp1250"),
    ("hu", "cp1250", "x-cp1250"),
    ("el", "cp1253", "windows-1253"),
    ("he", "cp1255", "windows-1255"),
    ("th", "cp874", "tis-620"),
]


def page(text: str, head: str = "") -> str:
    return f"<!doctype html><html><head>{head}<title>t</title></head><body><p>{text}</body></html>"


@pytest.mark.parametrize(("language", "codec", "label"), WRITTEN)
def test_reads_a_page_by_header_by_meta_and_by_its_bytes_alone(
    language: str, codec: str, label: str
) -> None:
    plain = page(TEXTS[language])
    assert decode(plain.encode(codec), label) == plain
    assert decode(plain.encode(codec)) == plain
    meta = page(TEXTS[language], f'<meta charset="{label}">')
    assert decode(meta.encode(codec)) == meta


@pytest.mark.parametrize(("language", "codec", "label"), WRITTEN)
def test_passes_over_a_declaration_that_the_bytes_contradict(
    language: str, codec: str, label: str
) -> None:
    plain = page(TEXTS[language])
    assert decode(plain.encode(codec), "utf-8") == plain
    assert decode(plain.encode(), label) == plain


def test_reads_gb18030_characters_in_a_page_that_says_gb2312() -> None:
    text = page("镕朱 㐀 喆 " + TEXTS["zh"])
    assert decode(text.encode("gb18030"), "gb2312") == text


def test_a_byte_order_mark_wins() -> None:
    text = page(TEXTS["fr"])
    for codec in ("utf-8-sig", "utf-16"):
        assert decode(text.encode(codec), "windows-1251") == text
    assert decode(text.encode("utf-16-le")) == text


def test_keeps_utf_8_with_a_few_stray_bytes() -> None:
    body = page(TEXTS["ru"] * 10).encode()
    at = body.index("Это".encode()) + 1
    text = decode(body[:at] + b"\xff" + body[at:], "utf-8")
    assert TEXTS["ru"] in text
    assert text.count("\ufffd") < 4


def test_one_character_of_utf_8_is_enough_against_a_western_declaration() -> None:
    assert decode("<p>the bridge’s".encode(), "windows-1252") == "<p>the bridge’s"
    assert decode("<p>联通".encode("gb18030"), "gb2312") == "<p>联通"


def test_replacement_characters_that_the_page_holds_are_utf_8() -> None:
    assert decode("<p>a \ufffd b".encode(), "utf-8") == "<p>a \ufffd b"


def test_trusts_curly_quotes_to_windows_1252() -> None:
    assert decode(b"<p>He said \x93yes\x94 \x96 twice", "iso-8859-1") == "<p>He said “yes” – twice"


@pytest.mark.parametrize("label", ["unicode_escape", "utf-7", "hex", "idna", "zip", "no-such"])
def test_refuses_codecs_that_are_no_charset_of_the_web(label: str) -> None:
    assert decode(b"<p>a\\u0041+AEE- \xe9t\xe9", label).startswith("<p>a\\u0041+AEE-")


@given(st.binary(max_size=600), st.text(max_size=20))
def test_never_raises(body: bytes, label: str) -> None:
    decode(body, label)
    decode(b'<meta charset="' + label.encode("ascii", "ignore") + b'">' + body)
