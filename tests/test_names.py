"""The names of the code: plain words that say what a thing is, and modules of a readable size."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = sorted(path.relative_to(ROOT) for path in (ROOT / "printer").rglob("*.py"))

#: Participles and pronouns that do not say what a thing is.
VAGUE = frozenset(
    [
        "told",
        "said",
        "came",
        "held",
        "apart",
        "laid",
        "shown",
        "seen",
        "handed",
        "asked",
        "wanted",
        "whole",
        "each",
        "given",
        "kept",
        "made",
        "own",
        "others",
        "elsewhere",
        "hand",
        "wish",
        "labour",
        "labours",
    ]
)
MAX_LINES = 800

#: Rooms that still have such names.
