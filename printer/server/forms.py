"""Pages from templates, and forms: the options of a print, and text that a person typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import ImmutableMultiDict
from starlette.responses import HTMLResponse, Response

from ..errors import BadURL
from ..files import load_json
from ..jobs import validate_url
from ..options import EXTRACTORS, IMAGE_METHODS
from ..output import STEPS
from ..render.markup import printable
from ..settings import Settings
from ..text import truncate
from ..themes.loader import theme_names
from ..urls import add_scheme

#: The options of a print that people use, which the settings page has too, and those of the editor.
MAIN_OPTIONS = ("theme", "paper", "font_size", "images", "links", "fit")
EDITOR_OPTIONS = ("theme", "paper", "font_size", "margin", "links", "fit")
#: The other options, and those that depend on the number of key paragraphs.
MORE_OPTIONS = (
    "format", "margin", "nup", "pdf", "render", "extractor", "image_method",
    "booklet", "duplex", "ink_save", "grayscale", "qr", "comments", "follow", "no_rules",
)  # fmt: skip
KEY_OPTIONS = ("key_paragraphs", "key_paragraphs_as", "key_query")
#: The options of the theme that the editor offers, by the name of the field.
THEME_OPTIONS = {"columns": "columns", "picture_size": "pictures"}

#: The words of options, of their choices, and of the states and steps of prints.
WORDS: dict[str, Any] = load_json(__file__, "words.json")
WORDS["steps"].update({step: words[0].upper() + words[1:] for step, words in STEPS.items()})
_LABELS: dict[str, str] = WORDS["labels"]
_CHOICES: dict[str, tuple[tuple[str, str], ...]] = {
    name: tuple((value, words) for value, words in choices)
    for name, choices in WORDS["choices"].items()
}

#: The maximum number of fields of a form: an edit has one for each block.
_MAX_FIELDS = 6_000

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))", re.IGNORECASE)
_FLAG = re.compile(r"--([a-z][a-z-]*[a-z])")
_LINK = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FormField:
    """An option in a form: a switch, a choice of (value, words), or a text.

    ``pictures`` has the names of pictures of the choices, by value.
    """

    name: str
    label: str
    value: str
    choices: tuple[tuple[str, str], ...] = ()
    is_switch: bool = False
    pictures: Mapping[str, str] | None = None


def make_fields(names: Sequence[str], settings: Settings) -> list[FormField]:
    return [_field(name, getattr(settings, name)) for name in names]


def editor_fields(settings: Settings) -> list[FormField]:
    """Return the fields of the editor, with the options of the theme that it offers."""
    fields = [replace(field, pictures=None) for field in make_fields(EDITOR_OPTIONS, settings)]
    chosen = dict(assignment.split("=", 1) for assignment in settings.set if "=" in assignment)
    return fields + [_field(name, chosen.get(key, "")) for name, key in THEME_OPTIONS.items()]


def _field(name: str, value: Any) -> FormField:
    if name in WORDS["switches"]:
        return FormField(name, _LABELS[name], "yes" if value else "", is_switch=True)
    choices, text = _CHOICES.get(name) or _named_choices(name), str(value)
    if name == "format" and text == "pdf":
        text = "auto"
    if choices and text not in dict(choices):
        choices = (*choices, (text, text))
    pictures = {theme: f"theme-{theme}.png" for theme, _ in choices} if name == "theme" else {}
    available = {value: file for value, file in pictures.items() if _has_picture(file)}
    return FormField(name, _LABELS[name], text, choices, pictures=available or None)


@cache
def _has_picture(name: str) -> bool:
    """Return whether there is a picture of a theme; there is none of a user's own."""
    return (files(__package__) / "static" / name).is_file()


def _named_choices(name: str) -> tuple[tuple[str, str], ...]:
    names: Iterable[str] = ()
    if name == "theme":
        names = theme_names()
    elif name in ("extractor", "image_method"):
        names = EXTRACTORS if name == "extractor" else IMAGE_METHODS
    return tuple((n, WORDS["names"].get(n) or n.replace("-", " ").capitalize()) for n in names)


def describe_options(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the options of a print in words, as pairs of label and value."""
    words = []
    for name, value in options.items():
        if name in _LABELS:
            field = _field(name, value)
            switch = "yes" if field.value else "no"
            text = switch if field.is_switch else dict(field.choices).get(field.value, field.value)
            words.append((field.label, text))
        elif value:
            text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            words.append(("Theme options" if name == "set" else name.capitalize(), text))
    return words


async def _read_form(request: Request) -> ImmutableMultiDict[str, str]:
    async with request.form(max_files=0, max_fields=_MAX_FIELDS) as form:
        return ImmutableMultiDict([(name, str(value)) for name, value in form.multi_items()])


Form: TypeAlias = Annotated[ImmutableMultiDict[str, str], Depends(_read_form)]


def in_words(message: str) -> str:
    """Return a message with the names of options as they are in forms."""

    def label(match: re.Match[str]) -> str:
        name = match[1].replace("-", "_")
        return f"“{_LABELS[name]}”" if name in _LABELS else match[0]

    return _FLAG.sub(label, message)


def theme_assignments(settings: Settings, values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the theme's options, with the values of the editor's form in place of the old."""
    changes = {key: values[name] for name, key in THEME_OPTIONS.items() if name in values}
    unchanged = [text for text in settings.set if text.partition("=")[0].strip() not in changes]
    return (*unchanged, *(f"{key}={value}" for key, value in changes.items() if value))


def typed_url(text: str) -> str:
    """Return the address in what a person typed or shared; raise :class:`BadURL`."""
    text = text.strip()
    if " " in text or "\n" in text:
        link = _LINK.search(text)
        text = link[0] if link else text
    url = text if _SCHEME.match(text) else add_scheme(text.lstrip("/"))
    try:
        validate_url(url)
        if url != text and "." not in url and not url.lower().startswith("http://localhost"):
            raise BadURL("a word")
    except BadURL:
        raise BadURL(
            f"“{truncate(text, 80)}” is not the address of a web page"
            if text
            else "There is no address",
            hint="An address looks like https://example.org/story",
        ) from None
    return url


#: The path under which a proxy shows the server to the client of this request.
PREFIX: ContextVar[str] = ContextVar("PREFIX", default="")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals["root"] = PREFIX.get
    environment.filters["sentence"] = make_sentence
    environment.filters["in_words"] = in_words
    environment.filters["printable"] = lambda value: printable(str(value))
    return environment


def make_sentence(text: str) -> str:
    """Return a message as a sentence: with a capital, and a full stop unless it has an end."""
    text = f"{text[:1].upper()}{text[1:]}"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def render_text(name: str, /, **values: Any) -> str:
    return _environment().get_template(f"{name}.j2").render(values)


def render_page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    return HTMLResponse(render_text(f"{name}.html", **values).encode("utf-8", "replace"), status)


def render_xml(template: str, media_type: str, **values: Any) -> Response:
    xml = render_text(f"{template}.xml", **values)
    return Response(xml.encode("utf-8", "replace"), media_type=media_type)
