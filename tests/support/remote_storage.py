"""A remote storage that cannot be reached."""

from __future__ import annotations

from typing import Any

import fsspec
from fsspec.implementations.memory import MemoryFileSystem

UNREACHABLE = "unreachable://bucket/prints"


class EndpointError(Exception):
    """An error like those of botocore: not one of the system, with the address, in two lines."""


class _Unreachable(MemoryFileSystem):  # type: ignore[misc]
    """Fail in every call, as s3fs does without its server."""

    protocol = "unreachable"

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise EndpointError('Could not connect to "https://key:hunter2@bucket/prints"\n400')

    cat_file = pipe_file = makedirs = exists = ls = rm = _fail


fsspec.register_implementation("unreachable", _Unreachable, clobber=True)
