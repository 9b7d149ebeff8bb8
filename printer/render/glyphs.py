"""Letters that no installed font has, told by name and by script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

#: So many letters of a script are named.
MOST_NAMED = 8

#: What a letter's name begins with when it says its kind and not its script.
_KINDS = frozenset({"COMBINING", "MODIFIER", "SUPERSCRIPT", "SUBSCRIPT", "VULGAR", "ROMAN"})

#: The first words of names of scripts that have more than one.
_OF_TWO = frozenset({
    "OLD", "LINEAR", "NEW", "TAI", "MEETEI", "PSALTER", "SYLOTI", "WARANG", "PAHAWH", "SORA",
    "MENDE", "CANADIAN", "IMPERIAL", "INSCRIPTIONAL", "ANATOLIAN", "EGYPTIAN", "MEROITIC",
    "CAUCASIAN", "MASARAM", "GUNJALA", "NYIAKENG", "ZANABAZAR", "KHITAN", "CYPRO", "CJK", "OL",
})  # fmt: skip


def missing_glyphs(signs: Iterable[str]) -> Iterator[str]:
    """Yield a warning for each script that letters are missing of, each letter named once."""
    scripts: dict[str, list[str]] = {}
    for sign in dict.fromkeys(signs):
        scripts.setdefault(script(sign), []).append(_told(sign))
    for name, letters in scripts.items():
        more = f" and {len(letters) - MOST_NAMED} more" if len(letters) > MOST_NAMED else ""
        yield f"no installed font has, of {name}: {', '.join(letters[:MOST_NAMED])}{more}"


def script(sign: str) -> str:
    """Return the script that a letter's name in Unicode says, 'signs' for what belongs to none."""
    kind = unicodedata.category(sign)
    if kind == "Co":
        return "private use"
    words = unicodedata.name(sign, "").replace("-", " ").split()
    if not words:
        return "unnamed"
    if kind[0] not in "LMN" or words[0] in _KINDS:
        return "signs"
    name = " ".join(words[: 2 if words[0] in _OF_TWO else 1])
    return "CJK" if words[0] == "CJK" else name.title()


def _told(sign: str) -> str:
    code = f"U+{ord(sign):04X}"
    name = unicodedata.name(sign, "")
    shown = "" if unicodedata.category(sign) in ("Co", "Cn", "Cc", "Cf") else f"{sign} "
    return f"{shown}{name} ({code})" if name else f"{shown}{code}"
