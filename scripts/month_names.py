"""Write printer/i18n/month_names.json, the names of the months in the languages of pages.

python scripts/month_names.py

The names are those of CLDR, by way of Babel; loading all those locales takes seconds, so their
names are kept in a file.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from babel import Locale

FILE = Path(__file__).parent.parent / "printer/i18n/month_names.json"

#: Where a name means two months, the language listed first has it.  Croatian is left out, as its
#: names are those of other months in Czech and Polish.
LANGUAGES = (
    "en en_GB de de_AT fr es nl ru it pt sv da nb nn pl cs",
    "ar ar_LB bg bn ca el et fa fi gl he hi hu id lt lv ro sk sl sr th tr uk",
)
#: These give their abbreviations too; those of others are words elsewhere (Czech 'pro').
ABBREVIATING = ["en", "en_GB", "de", "de_AT", "fr", "es", "nl", "ru", "el"]
#: Older spellings and abbreviations that pages use as well.  Of Italian and Portuguese ones, only
#: those that are no words elsewhere (as English 'set', 'gen' and 'mag' are).
VARIANTS = {
    2: "feber fev फरवरी",
    6: "giu",
    7: "lug",
    9: "सितम्बर",
    10: "ott",
    11: "नवम्बर",
    12: "दिसम्बर",
}
#: A name that the pattern of a date fits.
_NAME = re.compile(r"[^\s\d.,;:/()]{2,14}")


def month_names() -> list[str]:
    """Return the names of each month, January's first, with blanks between them."""
    months: dict[str, int] = {}
    for language in " ".join(LANGUAGES).split():
        widths = ["wide", "abbreviated"] if language in ABBREVIATING else ["wide"]
        for width in widths:
            for context in ("format", "stand-alone"):
                for month, written in Locale.parse(language).months[context][width].items():
                    name = written.lower().rstrip(".")
                    # Hebrew writes 'in' as a part of the name.
                    for form in (name, f"ב{name}") if language == "he" else (name,):
                        if _NAME.fullmatch(form):
                            months.setdefault(form, month)
    for month, names in VARIANTS.items():
        months |= dict.fromkeys(names.split(), month)
    return [" ".join(sorted(n for n in months if months[n] == month)) for month in range(1, 13)]


if __name__ == "__main__":
    FILE.write_text(json.dumps(month_names(), ensure_ascii=False, indent=0) + "\n")
