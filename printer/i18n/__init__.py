"""Words of many languages, kept as data files beside this module."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def load_table(name: str) -> Any:
    """Return the content of ``NAME.json``, which is loaded once and must not be modified."""
    return json.loads(Path(__file__).with_name(f"{name}.json").read_bytes())


#: The longest label of an advertisement with an explanation, in characters.
_LABEL_CHARS = 60


def is_advertisement_label(text: str) -> bool:
    """Return whether text labels an advertisement: 'Ad: …', 'Ad (gone after login)'."""
    labels = load_table("page_furniture")["advertisement_labels"]
    signs = (":", "(", " - ", " – ") if len(text) <= _LABEL_CHARS else (":",)
    parts = [text, *(text.partition(sign)[0] for sign in signs if sign in text)]
    return any(_bare(part) in labels for part in parts)


def _bare(text: str) -> str:
    return text.strip(" .:·–—-[]()").lower()
