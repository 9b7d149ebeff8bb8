"""Parse TOML within limits, with a single error class for whatever is wrong with it."""

from __future__ import annotations

import tomllib
from typing import Any

#: The maximum size of a file of settings, rules or a theme, in bytes.
MAX_BYTES = 1_000_000

#: The parser's memory grows with the square of the parts of a key.
_MAX_DOTS = 1_000


class TomlError(ValueError):
    """The text is not TOML; the message says why, with the line if known."""


def parse(text: str) -> dict[str, Any]:
    """Return the tables of a text; raises :class:`TomlError`."""
    if len(text) > MAX_BYTES:
        raise TomlError("it is too large")
    if any(line.count(".") > _MAX_DOTS for line in text.split("\n")):
        raise TomlError("a line of it has more than 1,000 dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise TomlError("it is nested too deeply") from None
    except ValueError as error:  # from the parser, or an impossible number or date
        raise TomlError(str(error)) from error


def parse_bytes(data: bytes) -> dict[str, Any]:
    """Return the tables of a file's content; raises :class:`TomlError`."""
    try:
        return parse(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise TomlError("it is not UTF-8") from error
