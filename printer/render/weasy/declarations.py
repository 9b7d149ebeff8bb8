"""The C declarations of WeasyPrint in compiled form.

cffi parses C declarations anew in each process, and again the types of all values that are made.
``declarations.json``, written by ``scripts/weasyprint_declarations.py``, has what it finds.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import _cffi_backend

FILE = Path(__file__).with_name("declarations.json")


class StaleDeclarations(Exception):
    """The declarations of WeasyPrint are not those of the file."""


class CompiledFFI(_cffi_backend.FFI):  # type: ignore[misc]
    """A foreign function interface with the declarations of the file."""

    def __init__(self) -> None:
        """Load the file."""
        data = json.loads(FILE.read_bytes())
        super().__init__("weasyprint", **decode(data["arguments"]))
        self.source: str = data["source"]

    def dlopen(self, name: str, flags: int = 0) -> Any:
        """Load a library for good, as its objects may be freed after it at the end of Python."""
        return super().dlopen(name, flags | os.RTLD_NOW | os.RTLD_NODELETE)

    def cdef(self, source: str) -> None:
        """Check that these are the declarations of the file.

        Raises:
            StaleDeclarations: They differ.
        """
        if digest(source) != self.source:
            raise StaleDeclarations


def digest(source: str) -> str:
    """Return a hash of C declarations."""
    return sha256(source.encode()).hexdigest()


def encode(value: Any) -> Any:
    """Return the arguments of cffi as values of JSON: bytes as text, tuples as lists."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value


def decode(value: Any) -> Any:
    """Return the arguments of cffi from values of JSON; the reverse of :func:`encode`."""
    if isinstance(value, str):
        return value.encode("latin-1")
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(decode(item) for item in value)
    return value
