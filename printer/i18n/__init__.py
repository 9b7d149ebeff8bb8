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
