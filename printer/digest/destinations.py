"""Where single prints may be sent: the [[send]] tables of webprint.toml, and digests' deliveries.

[[send]]
name = "My reader"
mail = "reader@example.org"
format = "epub"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ..errors import UsageError
from ..urls import origin
from .described import Delivery, Described, Destination, load_digests, read_settings_files, wrong

MOST = 50


def destinations() -> dict[str, Destination]:
    """Return where prints may be sent, by the names that people know; none when none is set.

    Raises :class:`UsageError` that names the line of what is wrong in a settings file.
    """
    found: dict[str, Destination] = {}
    for path, text, tables in read_settings_files():
        for each in _read(text, tables, path):
            found.setdefault(each.name or place_of(each), each)
    known = {place_of(each) for each in found.values()}
    for digest in load_digests():
        for delivery in digest.deliver:
            name = place_of(delivery)
            if name not in known:
                found.setdefault(
                    name, Destination.model_validate(delivery.model_dump(by_alias=True))
                )
    return dict(list(found.items())[:MOST])


def _read(text: str, tables: Mapping[str, Any], file: str) -> tuple[Destination, ...]:
    try:
        return Described(send=tables.get("send", ())).send
    except ValidationError as error:
        raise wrong(error, text, file) from error


def place_of(to: Delivery) -> str:
    """Return a delivery as it may be told: what of its address can hold a key is left out."""
    match to.kind:
        case "mail":
            return f"e-mail to {to.mail}"
        case "printer":
            return f"printer {to.printer}"
        case "webhook":
            return f"webhook at {origin(to.webhook.get_secret_value() if to.webhook else '')}"
        case _:
            scheme, remote, _ = to.folder.partition("://")
            return f"folder {scheme}://" if remote else f"folder {to.folder}"


def chosen(name: str) -> Destination:
    """Return the destination of a name; raises :class:`UsageError` when it is none."""
    known = destinations()
    if name not in known:
        hint = f"There are: {', '.join(known)}" if known else NONE
        raise UsageError(f"{name[:60]!r} is no place to send a print to", hint=hint)
    return known[name]


NONE = "None is set: give webprint.toml a [[send]] table, as docs/print-button.md says"
