"""What a person set as their own defaults on the settings page, kept in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..atomic_write import atomic_write
from ..errors import JobsError, UsageError
from ..jobs.validation import merge_options
from ..settings import Settings
from .revisions import SHOWN

FILE = "defaults.json"
_MOST_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class Defaults:
    """Options by name in a file; where there is none, the server's own settings hold."""

    path: Path

    def options(self, base: Settings) -> dict[str, Any]:
        """Return what was chosen, as far as it still can be."""
        try:
            with self.path.open("rb") as file:
                said = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError):
            return {}  # Nothing was chosen yet, or nothing that can be read.
        if not isinstance(said, dict):
            return {}
        chosen = {name: said[name] for name in SHOWN if name in said}
        with suppress(UsageError):
            merge_options(base, chosen)
            return chosen
        return {}

    def settings(self, base: Settings) -> Settings:
        """Return the server's settings with what was chosen."""
        return merge_options(base, self.options(base))

    def keep(self, base: Settings, options: Mapping[str, Any]) -> None:
        """Keep what was chosen; raises :class:`UsageError` for what cannot be."""
        from ..pipeline import check_options

        chosen = {name: options[name] for name in SHOWN if name in options}
        check_options(merge_options(base, chosen).print_options())
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(self.path, json.dumps(chosen), 0o600)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise JobsError(f"the settings cannot be kept: {reason}") from error
