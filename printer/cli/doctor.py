"""The command that checks this machine for everything that prints need."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from zoneinfo import available_timezones

import typer

from .. import __version__
from ..errors import MissingLibrary, WebprintError, install_command
from ..settings import LoadedSettings, Settings, data_folder
from .help import Commands
from .options import EXTRAS, AsJson, missing_packages, with_installed, with_settings
from .output import print_json

commands = Commands()

#: Less free disk space than this is reported.
_MIN_FREE_BYTES = 500_000_000
_BROWSER_SECONDS = 30.0
#: Seconds that a file may be dated in the future, as on a network disk.
_CLOCK_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Check:
    """A check's result and remedy; a ``problem`` stops all prints, a ``note`` some."""

    subject: str
    state: Literal["ok", "note", "problem"]
    text: str
    fix: str = ""


@commands.command()
@with_settings("database")
def doctor(*, loaded: LoadedSettings, as_json: AsJson = False) -> None:
    """Check this machine's fonts, Chromium, cache, databases and clock; say what to install."""
    checks = []
    for check in run_checks(loaded.settings):
        checks.append(check)
        if as_json:
            print_json(asdict(check))
            continue
        print(f"{check.state:8} {check.subject:10} {check.text}", flush=True)
        if check.fix:
            print(f"{'':19} {check.fix}", flush=True)
    if any(check.state == "problem" for check in checks):
        raise typer.Exit(MissingLibrary.exit_code)


def run_checks(settings: Settings) -> Iterator[Check]:
    """Check everything; continue after a failed check."""
    yield Check("webprint", "ok", f"{__version__}, Python {platform.python_version()}, {_system()}")
    pango = check_pango()
    yield pango
    if pango.state == "ok":
        yield from check_fonts()
        yield check_print()
    yield check_browser()
    yield check_cache()
    yield from check_databases(settings)
    yield check_clock([data_folder(), *data_folder().glob("*.sqlite")])
    yield check_extras()


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _failed_check(subject: str, error: WebprintError) -> Check:
    hint = error.hint.replace("; 'webprint doctor' checks this machine", "")
    return Check(subject, "problem", error.message, hint)


def check_pango() -> Check:
    from ..render.weasy.engine import import_weasyprint

    try:
        import_weasyprint()
        from weasyprint.text.ffi import harfbuzz_subset, pango
    except OSError as error:
        packages = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
        return Check(
            "Pango", "problem", " ".join(str(error).split())[:200], _install_hint(packages)
        )
    number = pango.pango_version()
    text = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    if not harfbuzz_subset:
        fix = _install_hint("libharfbuzz-subset0")
        return Check("Pango", "note", f"{text}; PDFs take longer without harfbuzz-subset", fix)
    return Check("Pango", "ok", f"{text}, with harfbuzz-subset")


def check_fonts() -> Iterator[Check]:
    from ..render.weasy.engine import load_fonts
    from ..themes.loader import all_themes
    from ..themes.options import script_families

    installed = load_fonts()
    if not installed:
        fix = _install_hint("fonts-linuxlibertine fonts-dejavu-core fonts-noto-core")
        yield Check("fonts", "problem", "no fonts are installed", fix)
        return
    roles = {
        (*getattr(theme.fonts, role),)
        for theme in all_themes()
        for role in ("text", "headings", "bold", "code")
    }
    missing = {families[0] for families in roles if families and not installed & {*families}}
    yield _check_families("theme fonts", missing, "those of all themes")
    missing = {*script_families()} - installed
    yield _check_families("fonts", missing, f"{len(script_families())} families for all scripts")


def _check_families(subject: str, missing: Iterable[str], text: str) -> Check:
    from ..themes.options import debian_package

    names = sorted(missing)
    if not names:
        return Check(subject, "ok", text)
    fix = _install_hint(" ".join(sorted({debian_package(name) for name in names} - {""})))
    return Check(subject, "note", f"not installed: {', '.join(names)}", fix)


def check_print() -> Check:
    from ..render.worker_pool import RenderPool
    from ..render_stage import render_specimen

    start = time.monotonic()
    try:
        with RenderPool(fork=False) as pool:
            pool.run("laying out a test page", render_specimen)
    except WebprintError as error:
        return _failed_check("layout", error)
    return Check("layout", "ok", f"a test page in {time.monotonic() - start:.1f} s")


def check_browser() -> Check:
    from ..fetch.browser.process import NO_SANDBOX, BrowserProcess, runs_unsandboxed

    async def version() -> str:
        browser = await BrowserProcess.start(time.monotonic() + _BROWSER_SECONDS)
        try:
            return browser.browser.version
        finally:
            await browser.close()

    try:
        text = f"{asyncio.run(version())} starts"
    except WebprintError as error:
        return _failed_check("Chromium", error)
    if runs_unsandboxed():
        risk, _, fix = NO_SANDBOX.rpartition(". ")
        return Check("Chromium", "note", f"{text}. {risk}", fix)
    return Check("Chromium", "ok", f"{text}, in its sandbox")


def check_cache() -> Check:
    from ..fetch.cache import cache_folder, open_cache

    warnings: list[str] = []
    try:
        folder = cache_folder()
    except RuntimeError as error:
        return Check("cache", "note", str(error), "Set XDG_CACHE_HOME to a folder")
    cache = open_cache(folder, max_entry=1, secrets=(), warn=warnings.append)
    if cache is None:
        fix = f"Make {folder} writable, or set XDG_CACHE_HOME to another folder"
        return Check("cache", "note", warnings[-1], fix)
    cache.close()
    return _check_space("cache", folder)


def _check_space(subject: str, folder: Path, text: str = "") -> Check:
    free = shutil.disk_usage(folder).free
    text = f"{text or folder}, {free / 1e9:.1f} GB free"
    if free < _MIN_FREE_BYTES:
        return Check(subject, "note", text, "Free some disk space")
    return Check(subject, "ok", text)


def check_databases(settings: Settings) -> Iterator[Check]:
    """Check the databases of prints, digests and the library, without changing them."""
    folder = data_folder()
    if "://" in settings.database:
        yield _check_server(settings.database)
    files = {*folder.glob("*.sqlite")}
    if settings.database and "://" not in settings.database:
        files.add(Path(settings.database))
    for file in sorted(files):
        yield _check_file(file)
    if not files:
        parent = next(path for path in (folder, *folder.parents) if path.is_dir())
        if os.access(parent, os.W_OK):
            yield _check_space("database", parent, f"none yet in {folder}")
        else:
            fix = "Make it writable, or set XDG_DATA_HOME to another folder"
            yield Check("database", "problem", f"{parent} cannot be written", fix)


def _check_server(database: str) -> Check:
    if not find_spec("sqlalchemy"):
        return Check(
            "database", "problem", "PostgreSQL needs SQLAlchemy", install_command("server")
        )
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    from ..db import open_engine

    try:
        engine = open_engine(database)
        with engine.connect() as connection:
            version = connection.execute(text("SHOW server_version")).scalar()
    except (WebprintError, SQLAlchemyError, ImportError) as error:
        reason = " ".join(str(getattr(error, "orig", error)).split())[:200]
        return Check("database", "problem", reason, "Check --database, and that the server runs")
    engine.dispose()
    return Check("database", "ok", f"PostgreSQL {version}")


def _check_file(path: Path) -> Check:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as database:
            result = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        result = str(error)
    if result == "ok":
        return _check_space("database", path.parent, str(path))
    fix = "Make the file and its folder writable, or restore them from a backup"
    return Check("database", "problem", f"{path}: {result}", fix)


def check_clock(files: Iterable[Path]) -> Check:
    """Check the clock against the dates of our own files, and the list of time zones."""
    now = time.time()
    newest = max((path.stat().st_mtime for path in files if path.exists()), default=0.0)
    newest = max(newest, Path(__file__).stat().st_mtime)
    text = f"{datetime.fromtimestamp(now).astimezone():%Y-%m-%d %H:%M %Z}"
    if newest > now + _CLOCK_SECONDS:
        late = f"{text} is earlier than our files, of {datetime.fromtimestamp(newest):%Y-%m-%d}"
        return Check("clock", "problem", late, "Set the clock: prints are deleted by their age")
    if not available_timezones():
        return Check("clock", "note", f"{text}, without time zones", _install_hint("tzdata"))
    return Check("clock", "ok", text)


def check_extras() -> Check:
    missing = [extra for extra in EXTRAS if missing_packages(extra)]
    if missing:
        fix = f"To add them: {install_command(with_installed(*missing))}"
        return Check("extras", "note", f"not installed: {', '.join(missing)}", fix)
    return Check("extras", "ok", ", ".join(EXTRAS))


def _install_hint(packages: str) -> str:
    if not packages:
        return ""
    if sys.platform == "linux":
        return f"On Debian or Ubuntu: apt-get install {packages}"
    return f"Install what Debian calls {packages}"
