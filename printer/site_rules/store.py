"""Where rules stand: a folder with a file a host, readable and made to be edited by hand."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .. import toml_loader
from ..atomic_write import atomic_write
from ..errors import OutputError, UsageError
from ..options import SiteRule
from . import css, fulltextrss
from .apply import ACTIONS, parent_domains, rule_host
from .css import InvalidSelector

MOST_BYTES = 200_000
MOST_SELECTORS = 200
MOST_FILES = 10_000

_KEYS = tuple(part.replace("_", "-") for part in ACTIONS)
_LINE = re.compile(r"line (\d+)")


def user_folder() -> Path:
    """Return the folder of the user's own rules, whether or not it exists."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "webprint" / "rules"


@dataclass(frozen=True, slots=True)
class RuleStore:
    """Folders with rules, read anew for each host, so that what is edited counts at once.

    ``HOST.toml`` is our own form; ``HOST.txt`` and ``.HOST.txt`` (with its subdomains) are read as
    full-text-rss does.
    """

    folders: tuple[Path, ...] = field(default_factory=lambda: (user_folder(),))

    def __call__(self, url: str) -> tuple[SiteRule, ...]:
        """Return the rules for a page, those of the nearest name first."""
        host = rule_host(url)
        return tuple(self._named(host)) if host else ()

    def _named(self, host: str) -> Iterator[SiteRule]:
        for name in parent_domains(host):
            for folder in self.folders:
                yield from _read_all([folder / f"{name}.toml", folder / f".{name}.txt"])
                bare = host.removeprefix("www.")
                if name in (host, bare):
                    yield from _read_all([folder / f"{name}.txt"])

    def all(self) -> list[SiteRule]:
        """Return all rules there are, by host."""
        found: list[SiteRule] = []
        for folder in self.folders:
            if folder.is_dir():
                paths = [each for each in folder.iterdir() if each.suffix in (".toml", ".txt")]
                found += _read_all(sorted(paths)[:MOST_FILES])
        return sorted(found, key=lambda rule: rule.host)


def rule_store(own: bool = True, more: str = "") -> RuleStore:
    """Return the folder that the user's rules are in, and another one; raises UsageError."""
    folders = [user_folder()] if own else []
    if more:
        path = Path(more).expanduser()
        if not path.is_dir():
            raise UsageError(f"--rules: {more} is not a folder")
        folders.append(path)
    return RuleStore(tuple(folders))


def _read_all(paths: Iterable[Path]) -> Iterator[SiteRule]:
    for path in paths:
        stem = path.name.removeprefix(".").rpartition(".")[0]
        if path.is_file() and rule_host(f"//{stem}") == stem:
            yield read_rule(path)


def read_rule(path: Path) -> SiteRule:
    """Return the rule in a file; what is wrong with it is among its faults, with its line."""
    host = path.name.removeprefix(".").rpartition(".")[0]
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return SiteRule(host=host, name=str(path), faults=(f"{path}: {error.strerror}",))
    if len(data) > MOST_BYTES:
        fault = f"{path} is too large for rules of one site"
        return SiteRule(host=host, name=str(path), faults=(fault,))
    text = data.decode("utf-8", "replace")
    if path.suffix == ".txt":
        below = path.name.startswith(".")
        return fulltextrss.read(text, host, str(path), subdomains=below)
    return parse_rule(text, host, str(path))


def parse_rule(text: str, host: str, name: str) -> SiteRule:
    """Return the rule that TOML text holds; what is wrong with it is among its faults."""
    try:
        table = toml_loader.parse(text)
    except toml_loader.TomlError as error:
        where = _LINE.search(str(error))
        place = f"{name}, line {where[1] if where else len(text.splitlines())}"
        fault = f"{place}: it is not TOML: {str(error).partition(' (at ')[0].lower()[:200]}"
        return SiteRule(host=host, name=name, faults=(fault,))
    parts: dict[str, Any] = {}
    faults: list[str] = []
    count = 0
    for key, value in table.items():
        values = [value] if isinstance(value, str) else value
        if key not in _KEYS:
            faults.append(f"{_place(text, name, key)}: {key!r} is none of {', '.join(_KEYS)}")
        elif not isinstance(values, list) or not all(isinstance(each, str) for each in values):
            faults.append(f"{_place(text, name, key)}: {key} takes selectors between quotes")
        else:
            count += len(values)
            sound = tuple(each for each in values if _is_sound(each, text, name, key, faults))
            parts[key.replace("-", "_")] = sound
    if count > MOST_SELECTORS:
        fault = f"{name}: more than {MOST_SELECTORS} selectors"
        return SiteRule(host=host, name=name, faults=(fault,))
    return SiteRule(host=host, name=name, faults=tuple(faults), **parts)


def _is_sound(selector: str, text: str, name: str, key: str, faults: list[str]) -> bool:
    try:
        css.parse(selector)
    except InvalidSelector as fault:
        place = _place(text, name, key, selector)
        faults.append(f"{place}: {selector[:60]!r} cannot be used: {fault}")
        return False
    return True


def _place(text: str, name: str, key: str, value: str = "") -> str:
    """Return the file and line where a key, or a value after it, stands."""
    lines = text.splitlines()
    begin = next((n for n, line in enumerate(lines) if line.lstrip(" \"'").startswith(key)), 0)
    written = (value, json.dumps(value, ensure_ascii=False)[1:-1])
    within = (n for n in range(begin, len(lines)) if any(w and w in lines[n] for w in written))
    return f"{name}, line {next(within, begin) + 1}"


def add_selectors(
    folder: Path, host: str, part: Literal["drop", "keep"], wanted: Sequence[str]
) -> Path:
    """Add selectors of what is left out, or taken in, to the rule of a host; the rest stays.

    Raises :class:`UsageError` for a host or a selector that is none, and when the file that is
    there cannot be read.
    """
    name, host = host, _typed_host(host)
    if not host:
        raise UsageError(f"{name[:80]!r} is not the name of a host")
    for each in wanted:
        try:
            css.parse(each)
        except InvalidSelector as fault:
            raise UsageError(f"{each[:60]!r} cannot be used: {fault}") from fault
    path = folder / f"{host}.toml"
    text = path.read_text() if path.is_file() else f"# What webprint does on {host}.\n"
    there = parse_rule(text, host, str(path))
    if there.faults:
        raise UsageError(there.faults[0], hint="Mend the file first")
    new = [each for each in dict.fromkeys(wanted) if each not in getattr(there, part)]
    if new:
        _write(path, with_selectors(text, part, new))
    return path


def with_selectors(text: str, part: str, wanted: Sequence[str]) -> str:
    """Return a file's text with selectors added to its ``drop`` or ``keep``."""
    lines = "".join(f"    {json.dumps(each, ensure_ascii=False)},\n" for each in wanted)
    begun = re.search(rf"^{part}[ \t]*=[ \t]*\[[ \t]*\n?", text, re.MULTILINE)
    if begun:
        return f"{text[: begun.end()].rstrip()}\n{lines}{text[begun.end() :]}"
    single = re.search(rf"^{part}[ \t]*=[ \t]*(?=[\"'])([^\n]*)$", text, re.MULTILINE)
    if single:
        value = tomllib.loads(single[0])[part]
        kept = f"{part} = [\n    {json.dumps(value, ensure_ascii=False)},\n{lines}]"
        return text[: single.start()] + kept + text[single.end() :]
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}\n{part} = [\n{lines}]\n"


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    if parse_rule(text, path.stem, str(path)).faults:
        raise UsageError(f"{path} cannot be added to", hint="Add the selector by hand")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(path, text, 0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"{path} cannot be written: {reason}") from error


def remove_selectors(folder: Path, host: str, unwanted: Sequence[str]) -> Path:
    """Take selectors out of the rule of a host; the rest of the file stays as it is.

    Raises :class:`UsageError` for one that is not in it, and when the file cannot be read.
    """
    name, host = host, _typed_host(host)
    path = folder / f"{host}.toml"
    if not host or not path.is_file():
        raise UsageError(f"there are no rules of yours for {name[:100]}")
    text = path.read_text()
    there = parse_rule(text, host, str(path))
    if there.faults:
        raise UsageError(there.faults[0], hint="Mend the file first")
    for each in unwanted:
        if not any(each in getattr(there, part) for part in ACTIONS):
            raise UsageError(f"{each[:60]!r} is not in {path}", hint="See 'webprint rules'")
        text, there = _without(text, there, each)
    if any(getattr(there, part) for part in ACTIONS):
        _write(path, text)
    else:
        remove_rule(folder, host)
    return path


def _without(text: str, there: SiteRule, unwanted: str) -> tuple[str, SiteRule]:
    """Return a file's text and rule without a selector, wherever it stands."""
    left = {part: _less(getattr(there, part), unwanted) for part in ACTIONS}
    written = (json.dumps(unwanted, ensure_ascii=False), json.dumps(unwanted), f"'{unwanted}'")
    value = "|".join(map(re.escape, dict.fromkeys(written)))
    keys = "|".join(_KEYS)
    for place in (
        rf"^[ \t]*(?:{value})[ \t]*,?[ \t]*(?:#[^\n]*)?\n",  # on a line of its own
        rf"^(?:{keys})[ \t]*=[ \t]*(?:{value})[ \t]*(?:#[^\n]*)?(?:\n|\Z)",  # alone under its key
        rf"(?:{value})[ \t]*,[ \t]*",
        rf",[ \t]*(?:{value})(?=[ \t]*\])",
        rf"(?:{value})",
    ):
        text = re.sub(place, "", text, flags=re.MULTILINE)
        now = parse_rule(text, there.host, there.name)
        if {part: getattr(now, part) for part in ACTIONS} == left and not now.faults:
            return text, now
    raise UsageError(f"{there.name} cannot be changed so", hint="Take the selector out by hand")


def _less(selectors: tuple[str, ...], unwanted: str) -> tuple[str, ...]:
    return tuple(each for each in selectors if each != unwanted)


def _typed_host(text: str) -> str:
    """Return a host that a person typed in the form that names its file, '' if it is none."""
    host = rule_host(f"//{text}")
    return host if host == text or not (text.isascii() or set("/?#@:\\") & set(text)) else ""


def remove_rule(folder: Path, host: str) -> bool:
    """Delete the rule of a host; False when there is none."""
    host = _typed_host(host)
    if not host:
        return False
    try:
        (folder / f"{host}.toml").unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise OutputError(f"the rule for {host} cannot be deleted: {error.strerror}") from error
    return True
