"""Dataclasses of plain data as JSON, which cannot make its reader execute anything."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    base64 = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
    return TypeAdapter(tuple[type_], config=base64)  # Dataclasses take the settings of a tuple.


def dump(type_: Any, value: object) -> bytes:
    """Return a value of a type as JSON, with bytes in base64."""
    return _adapter(type_).dump_json((value,))


def load(type_: Any, data: bytes) -> Any:
    """Return the value of a type that :func:`dump` wrote; raise :class:`ValueError`."""
    return _adapter(type_).validate_json(data)[0]
