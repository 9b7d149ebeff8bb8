"""Font families: the theme's for Latin, Greek and Cyrillic, Noto for all other scripts.

The first family of a list determines the line height, the spaces and the punctuation, so the family
of a script precedes the theme's, which is used for foreign words.  No emoji family is listed, as it
would also be used for digits and spaces; Pango finds one by itself where it is needed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from .schema import Fonts


@cache
def _families() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("fonts.toml").read_text("utf-8"))


def build_font_css(fonts: Fonts, chosen: tuple[str, ...] = ()) -> str:
    """Return CSS with the families in ``--book``, ``--head``, ``--bold`` and ``--mono``.

    Style sheets append ``--other`` to each of the first three.  ``chosen`` are the user's families,
    which precede those of every language.
    """
    fallbacks = _families()["fallbacks"]
    generic = "serif" if fonts.style == "serif" else "sans-serif"
    other = _list((*fallbacks[fonts.style], *fallbacks["symbols"]))
    mono = _list((*fonts.code, *fallbacks["code"]))
    roles = {
        "book": fonts.text,
        "head": fonts.headings or fonts.text,
        "bold": fonts.text if chosen else fonts.bold or fonts.text,
    }
    lists = {role: _list((*chosen, *families)) for role, families in roles.items()}
    lists |= {"other": f"{other}, {generic}", "mono": f"{mono}, monospace"}
    rules = [_rule(":root", lists)]
    for script in _families()["scripts"]:
        lists = {
            role: _list((*chosen, script[fonts.style], *families))
            for role, families in roles.items()
        }
        if "mono" in script:
            mono = _list((*fonts.code, fallbacks["code"][0], script["mono"]))
            lists["mono"] = f"{mono}, monospace"
        rules.append(_rule(", ".join(f":lang({tag})" for tag in script["languages"]), lists))
    return "\n".join(rules)


def script_families() -> tuple[str, ...]:
    """Return the families for all scripts, for symbols, code and emoji."""
    fallbacks = _families()["fallbacks"]
    keys = ("serif", "sans", "mono")
    scripts = (script[key] for script in _families()["scripts"] for key in keys if key in script)
    latin = (fallbacks["serif"][0], fallbacks["sans"][0], fallbacks["code"][0])
    return tuple(dict.fromkeys((*latin, *scripts, *fallbacks["symbols"], "Noto Color Emoji")))


def debian_package(family: str) -> str:
    """Return the Debian package of a family, '' if it is not one of ours."""
    packages = _families()["packages"].items()
    return next((package for prefix, package in packages if family.startswith(prefix)), "")


def _rule(selector: str, values: dict[str, str]) -> str:
    return f"{selector} {{ {'; '.join(f'--{name}: {value}' for name, value in values.items())} }}"


def _list(families: Iterable[str]) -> str:
    return ", ".join(f'"{family}"' for family in dict.fromkeys(families))
