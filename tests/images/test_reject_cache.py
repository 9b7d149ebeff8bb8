"""The cache of rejected addresses: persistent, shared, bounded, private, and disabled by faults."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from printer.images.selection import CUTER_LIMITS, ICON_LIMITS
from printer.images.size_probe import CACHE_FILE, MAX_AGE_SECONDS, RejectCache

URL = "https://site.example.org/icon.png"


def opened(folder: Path, log: list[str] | None = None) -> RejectCache:
    return RejectCache(folder, (log if log is not None else []).append)


def test_an_address_is_known_in_the_next_run_and_by_its_limits(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        assert not cache.lookup([URL], CUTER_LIMITS)
        cache.add([URL + "#part"], CUTER_LIMITS)
        assert cache.lookup([URL, URL + "?2"], CUTER_LIMITS) == {URL}
    with opened(tmp_path) as cache:
        assert cache.lookup([URL], CUTER_LIMITS) == {URL}
        assert not cache.lookup([URL], ICON_LIMITS), "what the paper refuses others may take"


def test_no_address_is_rejected_of_none(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        assert cache.lookup([], CUTER_LIMITS) == frozenset()


def test_old_entries_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("printer.images.size_probe.time.time", lambda: now)
    with opened(tmp_path) as cache:
        cache.add([URL], CUTER_LIMITS)
        now += MAX_AGE_SECONDS - 1
        assert cache.lookup([URL], CUTER_LIMITS)
        now += 2
        assert not cache.lookup([URL], CUTER_LIMITS)
        cache.add([URL + "2"], CUTER_LIMITS)
    assert rows(tmp_path) == 1


def test_the_oldest_give_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("printer.images.size_probe.time.time", lambda: now)
    monkeypatch.setattr("printer.images.size_probe.MAX_ENTRIES", 20)
    with opened(tmp_path) as cache:
        for number in range(200):
            now = float(number)
            cache.add([f"{URL}?{number}"], CUTER_LIMITS)
    assert rows(tmp_path) == 20
    with opened(tmp_path) as cache:
        found = cache.lookup([f"{URL}?{n}" for n in range(200)], CUTER_LIMITS)
    assert found == {f"{URL}?{n}" for n in range(180, 200)}


def rows(folder: Path) -> int:
    with sqlite3.connect(folder / CACHE_FILE) as store:
        (count,) = store.execute("SELECT count(*) FROM rejected").fetchone()
    store.close()
    return int(count)


def test_the_file_is_private_and_holds_no_address(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    long = URL + "?" + "secret" * 400_000
    with opened(folder) as cache:
        cache.add([URL, long, "https://x.example/\ud800\0'); DROP TABLE rejected"], CUTER_LIMITS)
        assert cache.lookup([long], CUTER_LIMITS)
    path = folder / CACHE_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [path.name for path in folder.iterdir()] == [CACHE_FILE]
    data = path.read_bytes()
    assert len(data) < 50_000
    assert b"secret" not in data
    assert b"example" not in data


@pytest.mark.parametrize("damage", [b"not a database" * 999, b""])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / CACHE_FILE).write_bytes(damage)
    log: list[str] = []
    with opened(tmp_path, log) as cache:
        cache.add([URL], CUTER_LIMITS)
        assert cache.lookup([URL], CUTER_LIMITS)
    assert not log


def test_an_unwritable_cache_is_reported_once_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log: list[str] = []
    with opened(tmp_path / "file", log) as cache:
        cache.add([URL], CUTER_LIMITS)
        assert not cache.lookup([URL], CUTER_LIMITS)
    (only,) = log
    assert "rejected pictures is not used" in only


FILL = """
import sys
from contextlib import ExitStack
from pathlib import Path
from printer.images.size_probe import RejectCache
from printer.images.selection import CUTER_LIMITS
told = []
with RejectCache(Path(sys.argv[1]), told.append) as cache:
    for number in range(int(sys.argv[2]), int(sys.argv[2]) + 40):
        cache.lookup([str(number)], CUTER_LIMITS)
        cache.add([str(number)], CUTER_LIMITS)
sys.exit("; ".join(told) or 0)
"""


def test_processes_share_it(tmp_path: Path) -> None:
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", FILL, tmp_path, str(40 * number)], stderr=subprocess.PIPE
                )
            )
            for number in range(2)
        ]
        ended = [(process.communicate(timeout=60)[1], process.returncode) for process in processes]
    assert ended == [(b"", 0)] * 2
    assert rows(tmp_path) == 80
