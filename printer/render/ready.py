"""What sets an article is loaded before the first one comes, while that is fetched and read."""

from __future__ import annotations

from contextlib import suppress

from ..errors import WebprintError
from ..options import PrintOptions
from . import archive, fit, impose, loss, volume
from .filled import load_templates
from .pdf import warm
from .styled import styled

#: The modules that setting.py loads when it is called.
LOADED = (archive, fit, impose, loss, volume)


def make_ready() -> None:
    """Load WeasyPrint, read the system's fonts and the templates of the common theme."""
    warm()
    with suppress(WebprintError):  # what is wrong is told when it is printed with
        load_templates(styled(PrintOptions()).theme)
