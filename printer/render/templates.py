"""Templates filled: what they may call, and what is said of one that is faulty."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError
from markupsafe import Markup

from ..article import plain_text
from ..errors import UsageError
from ..themes.loader import BASE, Theme, builtin_folder
from .bounded import BoundedEnvironment, bounded
from .highlight import highlight
from .inline import breakable, breakable_address, printable, signs, strip_brackets, valid_language
from .judged import (
    introduces,
    is_bare,
    is_label,
    is_loose,
    is_number_of,
    is_short,
    is_verse,
    table_class,
)
from .links import display_url

_ZONE = re.compile(r"(?:Z|[+-]\d\d:\d\d)$")


@lru_cache(maxsize=16)
def environment(folders: tuple[Path, ...] = ()) -> BoundedEnvironment:
    """Return the environment a theme's templates run in: bounded, escaping, strict about names.

    ``blocks.html.j2`` is the nearest there is in ``folders`` or, when none has it, the base
    theme's; ``article/blocks.html.j2`` is that of our own theme of this name.
    """
    return BoundedEnvironment(
        loader=FileSystemLoader([*folders, builtin_folder() / BASE, builtin_folder()]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=16)
def _environment(folders: tuple[Path, ...]) -> BoundedEnvironment:
    env = environment(folders)
    env.filters.update(
        kind=lambda block: type(block).__name__,
        plain=plain_text,
        clean=printable,
        breakable=breakable,
        written=display_url,
        moment=_moment,
        address=lambda url: breakable_address(display_url(url)),
        lang=valid_language,
        code=highlight,
        sign=strip_brackets,
        signs=signs,
        initial=_initial,
        groupby_run=_runs,
        is_web=is_web,
        page_number=_page_number,
        page_reference=_page_reference,
        table_class=table_class,
    )
    env.tests.update(
        bare=is_bare,
        loose=is_loose,
        short=is_short,
        introducing=introduces,
        labelling=is_label,
        verse=is_verse,
        numbering=is_number_of,
    )
    return env


def fill(theme: Theme, name: str, **values: object) -> str:
    """Return what a theme's template makes of these values."""
    try:
        template = _environment(theme.folders).get_template(f"{name}.html.j2")
        with bounded():
            return template.render(values)
    except TemplateError as error:
        place = f"{error.filename}:{error.lineno}" if isinstance(error, TemplateSyntaxError) else ""
        reason = str(error).rstrip(".")
        message = f"a template of the theme {theme.name} is faulty: {reason}"
        raise UsageError(message, hint=f"See {place}" if place else "") from error
    except (MemoryError, RecursionError) as error:
        raise UsageError(f"a template of the theme {theme.name} makes too much") from error
    except (ArithmeticError, TypeError, ValueError) as error:
        raise UsageError(f"a template of the theme {theme.name} is faulty: {error}") from error


def _moment(published: str) -> str:
    """Return a date as metadata takes it (W3C's profile): no time of day without its zone."""
    return published if _ZONE.search(published) else published.partition("T")[0]


def _runs(parts: Sequence[Any], name: str) -> list[tuple[object, list[Any]]]:
    """Return successive parts of which the named value is the same together."""
    return [(value, list(run)) for value, run in groupby(parts, key=attrgetter(name))]


def is_web(url: str) -> bool:
    """Tell whether an address leads to the web."""
    return url.lower().startswith(("http://", "https://"))


def _initial(html: Markup) -> Markup:
    """Return a paragraph's HTML with its first letter apart; one that begins otherwise stays."""
    if html[:1].isalpha() and not unicodedata.combining(html[1:2] or "x"):
        # The letter is no markup, and what follows it was escaped before.
        return Markup(f'<span class="initial">{html[0]}</span>{html[1:]}')  # noqa: S704
    return html


def _page_number(words: str, pages: int = 0) -> Markup:
    """Return the CSS content of 'page {page} of {pages}'; without ``pages`` they are counted."""
    before, _, rest = words.partition("{page}")
    between, _, after = rest.partition("{pages}")
    every = f'"{pages}"' if pages else "counter(pages)"
    counters = f'"{before}" counter(page) "{between}" {every} "{after}"'
    return Markup(counters)  # noqa: S704 - the words are ours


def _page_reference(words: str) -> Markup:
    """Return the CSS content of 'p. {page}', the page that a link leads to."""
    before, _, after = words.partition("{page}")
    counter = f'"{before}" target-counter(attr(href url), page) "{after}"'
    return Markup(counter)  # noqa: S704 - the words are ours
