"""What commands that read pages share: the printer as set up, and the pages they are given."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..pipeline import Printer, Source
from ..settings import Settings
from ..site_rules.store import rule_store
from . import output
from .console import Console

if TYPE_CHECKING:
    from ..render.worker_pool import RenderPool


def source_of(name: str, url: str, limit: int) -> Source:
    """Return what a command was given as a page: an address, a file, standard input."""
    if name != output.STDOUT and not url:
        return name
    from ..fetch.files import read_file, read_stdin

    if name == output.STDOUT:
        return read_stdin(sys.stdin.buffer, url, limit)
    if "://" in name:
        raise UsageError("--url goes with a local file or standard input, not with an address")
    return read_file(Path(name), limit, url)


def printer_for(
    settings: Settings, names: list[str], console: Console, press: RenderPool | None = None
) -> Printer:
    """Return the printer that the settings ask for; ``names`` are what the person named."""
    if press:
        press.allow(settings.print_timeout)
    return Printer(
        fetch=settings.fetch_options(),
        extract=settings.extract_options(),
        pictures=settings.image_options(),
        page=settings.print_options(),
        named=tuple(filter(None, names)),
        notify=console.step,
        press=press,
        rules=rule_store(not settings.no_rules, settings.rules),
    )
