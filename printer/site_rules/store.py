"""Read and edit rule files: a folder with one file per host, which can also be edited by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .. import files
from ..errors import OutputError, UsageError
from ..files import atomic_write, changing, os_errors
from ..options import SiteRule
from ..settings import config_folder
from . import css, fulltextrss
from .apply import ACTIONS, parent_domains, rule_host

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

OFF = ".off"


def user_folder() -> Path:
    """Return the folder of the user's own rules, whether or not it exists."""
    return config_folder() / "rules"


MAX_FILES = 10_000
_EXTENSIONS = (".toml", ".txt")


@dataclass(frozen=True, slots=True)
class RuleStore:
    """Folders with rules, read anew for each page, so that edits take effect at once.

    ``HOST.toml`` is in webprint's own format; ``HOST.txt`` and ``.HOST.txt`` (including subdomains)
    are in that of full-text-rss.
    """

    folders: tuple[Path, ...] = field(default_factory=lambda: (user_folder(),))

    def __call__(self, url: str) -> tuple[SiteRule, ...]:
        """Return the rules for a page's URL, those of the nearest domain first."""
        host = rule_host(url)
        return tuple(self._for_host(host)) if host else ()

    def _for_host(self, host: str) -> Iterator[SiteRule]:
        for domain in parent_domains(host):
            for folder in self.folders:
                yield from _read_rules([folder / f"{domain}.toml", folder / f".{domain}.txt"])
                if domain in (host, host.removeprefix("www.")):
                    yield from _read_rules([folder / f"{domain}.txt"])

    def all(self) -> list[SiteRule]:
        """Return all rules, sorted by host."""
        listed = (item for folder in self.folders for item in list_files(folder))
        return sorted((rule for rule, is_on in listed if is_on), key=lambda rule: rule.host)


def rule_store(user: bool = True, more: str = "") -> RuleStore:
    """Return the store of the user's rules and of another folder; raise UsageError."""
    folders = [user_folder()] if user else []
    if more:
        path = Path(more).expanduser()
        if not path.is_dir():
            raise UsageError(f"--rules: {more} is not a folder")
        folders.append(path)
    return RuleStore(tuple(folders))


def _read_rules(paths: Iterable[Path], name: str = "") -> Iterator[SiteRule]:
    for path in paths:
        host = _host_of_file(name or path.name)
        if path.is_file() and rule_host(f"//{host}") == host:
            yield read_rule(path, name)


def _host_of_file(name: str) -> str:
    return name.removeprefix(".").rpartition(".")[0]


MAX_BYTES = 200_000


def read_rule(path: Path, name: str = "") -> SiteRule:
    """Return the rule in a file, or in one called ``name``; its faults have line numbers."""
    name = name or path.name
    host = _host_of_file(name)
    try:
        text = files.read_bounded(path, MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        return SiteRule(host=host, name=str(path), faults=(f"{path}: {error.strerror}",))
    if name.endswith(".txt"):
        subdomains = name.startswith(".")
        return fulltextrss.parse_file(text, host, str(path), subdomains=subdomains)
    return parse_rule(text, host, str(path))


MAX_SELECTORS = 200
_KEYS = tuple(action.replace("_", "-") for action in ACTIONS)
_LINE = re.compile(r"line (\d+)")


def parse_rule(text: str, host: str, name: str) -> SiteRule:
    """Return the rule in TOML text; errors are listed in its faults."""
    try:
        table = files.parse_toml(text)
    except files.TomlError as error:
        line_match = _LINE.search(str(error))
        location = f"{name}, line {line_match[1] if line_match else len(text.splitlines())}"
        fault = (
            f"{location}: this is not valid TOML: {str(error).partition(' (at ')[0].lower()[:200]}"
        )
        return SiteRule(host=host, name=name, faults=(fault,))
    actions: dict[str, Any] = {}
    faults: list[str] = []
    count = 0
    for key, value in table.items():
        selectors = [value] if isinstance(value, str) else value
        location = f"{name}, line {_line_of(text, key)}"
        if key not in _KEYS:
            faults.append(f"{location}: {key!r} is none of {', '.join(_KEYS)}")
        elif not isinstance(selectors, list) or not all(isinstance(s, str) for s in selectors):
            faults.append(f"{location}: {key} takes selectors between quotes")
        else:
            count += len(selectors)
            valid = []
            for selector in selectors:
                try:
                    css.parse(selector)
                    valid.append(selector)
                except css.InvalidSelector as error:
                    location = f"{name}, line {_line_of(text, key, selector)}"
                    faults.append(f"{location}: {selector[:60]!r} cannot be used: {error}")
            actions[key.replace("-", "_")] = tuple(valid)
    if count > MAX_SELECTORS:
        fault = f"{name}: more than {MAX_SELECTORS} selectors"
        return SiteRule(host=host, name=name, faults=(fault,))
    return SiteRule(host=host, name=name, faults=tuple(faults), **actions)


def _line_of(text: str, key: str, value: str = "") -> int:
    """Return the line number of a key, or of a value after it."""
    lines = text.splitlines()
    begin = next((n for n, line in enumerate(lines) if line.lstrip(" \"'").startswith(key)), 0)
    written = (value, json.dumps(value, ensure_ascii=False)[1:-1])
    later_lines = (n for n in range(begin, len(lines)) if any(w and w in lines[n] for w in written))
    return next(later_lines, begin) + 1


def add_selectors(
    folder: Path, host: str, action: Literal["drop", "keep"], selectors: Sequence[str]
) -> Path:
    """Add selectors to a host's rule file, whose rest is unchanged; return the file."""
    path = _rule_file(folder, host)
    if path is None:
        hint = "It looks like example.org, without https://"
        raise UsageError(f"{host[:80]!r} is not the name of a host", hint=hint)
    for selector in selectors:
        try:
            css.parse(selector)
        except css.InvalidSelector as error:
            raise UsageError(f"{selector[:60]!r} cannot be used: {error}") from error
    with changing(path, OutputError):
        text = _read_text(path) if path.is_file() else f"# Rules of webprint for {path.stem}.\n"
        present = getattr(_parse_sound(path, text), action)
        new = [selector for selector in dict.fromkeys(selectors) if selector not in present]
        if new:
            _write(path, with_selectors(text, action, new))
    return path


def with_selectors(text: str, action: str, selectors: Sequence[str]) -> str:
    """Return a file's text with selectors added under a key."""
    import tomlkit  # slow to import

    document = tomlkit.parse(text)
    value = document.get(action)
    if not isinstance(value, list):
        document[action] = tomlkit.array().multiline(True)
        selectors = [*([] if value is None else [value]), *selectors]
    document[action].extend(selectors)
    return tomlkit.dumps(document)


def remove_selectors(folder: Path, host: str, selectors: Sequence[str]) -> Path:
    """Remove selectors from the rule of a host; the rest of its file is unchanged.

    Return the file, which is deleted with its last selector.  Raise :class:`UsageError` or
    :class:`OutputError`.
    """
    import tomlkit

    path = _rule_file(folder, host)
    if path is None or not path.is_file():
        raise UsageError(f"you have no rules for {host[:100]}")
    with changing(path, OutputError):
        text = _read_text(path)
        _parse_sound(path, text)
        document = tomlkit.parse(text)
        for selector in selectors:
            if not _remove(document, selector):
                raise UsageError(f"{selector[:60]!r} is not in {path}", hint="See 'webprint rules'")
        if any(document.values()):
            _write(path, tomlkit.dumps(document))
        else:
            remove_rule(folder, host)
    return path


def _remove(document: TOMLDocument, selector: str) -> bool:
    """Remove all occurrences of a selector; return whether there were any."""
    is_removed = False
    for key, value in list(document.items()):
        if isinstance(value, list):
            while selector in value:
                value.remove(selector)
                is_removed = True
        elif value == selector:
            document.remove(key)
            is_removed = True
    return is_removed


def remove_rule(folder: Path, host: str) -> bool:
    """Delete the rule of a host; return False if it has none."""
    path = _rule_file(folder, host)
    with os_errors(OutputError, f"the rule for {host} cannot be deleted"):
        if path is None or not path.is_file():
            return False
        path.unlink()
    return True


def list_files(folder: Path) -> list[tuple[SiteRule, bool]]:
    """Return the rules in a folder, and whether each is in force or switched off."""
    paths = sorted(folder.iterdir())[:MAX_FILES] if folder.is_dir() else []
    rules = [(rule, True) for rule in _read_rules(p for p in paths if p.suffix in _EXTENSIONS)]
    for path in paths:
        if path.suffix == OFF and path.with_suffix("").suffix in _EXTENSIONS:
            rules += [(rule, False) for rule in _read_rules([path], path.with_suffix("").name)]
    return sorted(rules, key=lambda item: item[0].host)


def switch_file(folder: Path, name: str, *, enabled: bool) -> None:
    """Switch the rules in a file off, or on again, by changing its extension."""
    path = _existing_file(folder, name)
    target = path.with_name(name.removesuffix(OFF) if enabled else f"{name}{OFF}")
    if (path.suffix == OFF) != enabled:
        return
    if target.exists():
        raise UsageError(f"there is a file {target.name} already", hint="Remove one of them")
    with os_errors(OutputError, f"{path} cannot be renamed"):
        path.rename(target)


def delete_file(folder: Path, name: str) -> None:
    """Delete the rules in a file, which may be switched off; raises as :func:`switch_file`."""
    path = _existing_file(folder, name)
    with os_errors(OutputError, f"{path} cannot be deleted"):
        path.unlink()


def _existing_file(folder: Path, name: str) -> Path:
    names = {Path(rule.name).name for rule, _ in list_files(folder)}
    if name not in names:
        raise UsageError(f"there are no rules in {name[:100]!r}")
    return folder / name


_NO_HOST = frozenset("/?#@:\\")


def _rule_file(folder: Path, host: str) -> Path | None:
    """Return the path of a host's rule file; None if ``host`` is not a host name."""
    name = rule_host(f"//{host}")
    mapped = not host.isascii() and _NO_HOST.isdisjoint(host)
    return folder / f"{name}.toml" if name and (name == host or mapped) else None


def _read_text(path: Path) -> str:
    try:
        return files.read_bounded(path, MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {files.reason_of(error)}") from error


def _parse_sound(path: Path, text: str) -> SiteRule:
    rule = parse_rule(text, path.stem, str(path))
    if rule.faults:
        raise UsageError(rule.faults[0], hint="Correct the file first")
    return rule


def _write(path: Path, text: str) -> None:
    if parse_rule(text, path.stem, str(path)).faults:
        raise UsageError(f"the change would make {path} invalid", hint="Edit it by hand")
    atomic_write(path, text, 0o600)
