"""What commands stand on that the command line alone does not need."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from ..errors import MissingLibrary

Extra = Literal["crawl", "digest", "server"]

_NEEDED: dict[Extra, tuple[str, tuple[str, ...]]] = {
    "crawl": ("the crawler needs", ("protego", "sqlalchemy")),
    "digest": ("digests need", ("feedparser", "cronsim", "re2", "sqlalchemy", "fsspec")),
    "server": (
        "the print server needs",
        ("fastapi", "uvicorn", "sqlalchemy", "fsspec", "pypdfium2", "python_multipart"),
    ),
}


def require(extra: Extra) -> None:
    """Raise :class:`MissingLibrary` when what an extra brings is not installed."""
    who, names = _NEEDED[extra]
    missing = [name for name in names if find_spec(name) is None]
    if missing:
        raise MissingLibrary(f"{who} {', '.join(missing)}", hint=f"pip install 'webprint[{extra}]'")
