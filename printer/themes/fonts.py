"""Which typefaces set a text: the theme's for Latin, Greek and Cyrillic, Noto's for all others.

A face that stands first gives its height to the line and its own spaces and stops, so for each
script its own comes first, and the theme's follows for foreign words.  No family of emoji is named:
one that stands in a list draws the digits and the spaces of the text around as well.  Pango finds
it by itself where an emoji is meant.
"""

from __future__ import annotations

from collections.abc import Iterable

from .schema import Fonts

#: By language: a face with serifs, one without, and one for code.
_SCRIPTS = {
    ("ar", "fa", "ps", "ckb", "ug"): ("Noto Naskh Arabic", "Noto Sans Arabic", ""),
    ("ur",): ("Noto Naskh Arabic", "Noto Sans Arabic", ""),
    ("he", "yi"): ("Noto Serif Hebrew", "Noto Sans Hebrew", ""),
    ("hi", "mr", "ne", "sa"): ("Noto Serif Devanagari", "Noto Sans Devanagari", ""),
    ("bn", "as"): ("Noto Serif Bengali", "Noto Sans Bengali", ""),
    ("ta",): ("Noto Serif Tamil", "Noto Sans Tamil", ""),
    ("te",): ("Noto Serif Telugu", "Noto Sans Telugu", ""),
    ("kn",): ("Noto Serif Kannada", "Noto Sans Kannada", ""),
    ("ml",): ("Noto Serif Malayalam", "Noto Sans Malayalam", ""),
    ("gu",): ("Noto Serif Gujarati", "Noto Sans Gujarati", ""),
    ("pa",): ("Noto Serif Gurmukhi", "Noto Sans Gurmukhi", ""),
    ("si",): ("Noto Serif Sinhala", "Noto Sans Sinhala", ""),
    ("th",): ("Noto Serif Thai", "Noto Sans Thai", ""),
    ("lo",): ("Noto Serif Lao", "Noto Sans Lao", ""),
    ("km",): ("Noto Serif Khmer", "Noto Sans Khmer", ""),
    ("my",): ("Noto Serif Myanmar", "Noto Sans Myanmar", ""),
    ("ka",): ("Noto Serif Georgian", "Noto Sans Georgian", ""),
    ("hy",): ("Noto Serif Armenian", "Noto Sans Armenian", ""),
    ("am", "ti"): ("Noto Serif Ethiopic", "Noto Sans Ethiopic", ""),
    ("ja",): ("Noto Serif CJK JP", "Noto Sans CJK JP", "Noto Sans Mono CJK JP"),
    ("ko",): ("Noto Serif CJK KR", "Noto Sans CJK KR", "Noto Sans Mono CJK KR"),
    ("zh",): ("Noto Serif CJK SC", "Noto Sans CJK SC", "Noto Sans Mono CJK SC"),
    ("zh-Hant", "zh-TW", "zh-HK", "zh-MO"): (
        "Noto Serif CJK TC", "Noto Sans CJK TC", "Noto Sans Mono CJK TC",
    ),
}  # fmt: skip

#: What a text of any language may hold here and there, in the order in which it is looked for.
_OTHERS = {
    "serif": (
        "Noto Serif", "Noto Naskh Arabic", "Noto Serif Hebrew", "Noto Serif Devanagari",
        "Noto Serif Thai", "Noto Serif CJK JP",
    ),
    "sans": (
        "Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari",
        "Noto Sans Thai", "Noto Sans CJK JP",
    ),
}  # fmt: skip
_SIGNS = ("Noto Sans Symbols", "Noto Sans Symbols2", "Noto Sans Math")
_CODE = ("DejaVu Sans Mono", "Noto Sans Mono", "Noto Sans Mono CJK JP")


def font_css(fonts: Fonts, chosen: tuple[str, ...] = ()) -> str:
    """Return the CSS that names the faces, as ``--book``, ``--head``, ``--bold`` and ``--mono``.

    ``--other`` is to follow each of the first three.  ``chosen`` are families the person asked
    for, which come first in every language.
    """
    others = (*_OTHERS[fonts.style], *_SIGNS)
    text = fonts.text
    roles = {
        "book": text,
        "head": fonts.headings or text,
        "bold": fonts.bold or text,
    }
    if chosen:
        roles["bold"] = text
    code = (*fonts.code, *_CODE)
    generic = "serif" if fonts.style == "serif" else "sans-serif"
    rules = [
        _rule(":root", {role: _families((*chosen, *own)) for role, own in roles.items()}
              | {"other": f"{_families(others)}, {generic}",
                 "mono": f"{_families(code)}, monospace"}),
    ]  # fmt: skip
    for languages, (serif, sans, mono) in _SCRIPTS.items():
        face = serif if fonts.style == "serif" else sans
        named = {role: _families((*chosen, face, *own)) for role, own in roles.items()}
        if mono:
            named["mono"] = f"{_families((*fonts.code, _CODE[0], mono))}, monospace"
        rules.append(_rule(", ".join(f":lang({tag})" for tag in languages), named))
    return "\n".join(rules)


def _rule(selector: str, values: dict[str, str]) -> str:
    return f"{selector} {{ {'; '.join(f'--{name}: {value}' for name, value in values.items())} }}"


def _families(families: Iterable[str]) -> str:
    return ", ".join(f'"{family}"' for family in dict.fromkeys(families))
