"""Databases: the write-ahead log of many at once, files of their owner, passwords in addresses."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest
from sqlalchemy import text

from printer.db import enable_wal, open_engine
from printer.errors import UsageError

MANY = 6


def test_many_make_a_new_file_at_once(tmp_path: Path) -> None:
    together = Barrier(MANY, timeout=60)

    def make(path: Path) -> str:
        together.wait()
        with closing(sqlite3.connect(path, timeout=60)) as connection:
            enable_wal(connection, 10)
            with connection:
                connection.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)")
                connection.execute("INSERT INTO words VALUES ('one')")
            (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
            return str(mode)

    with ThreadPoolExecutor(MANY) as pool:
        for number in range(30):
            path = tmp_path / f"{number}.db"
            assert list(pool.map(make, [path] * MANY)) == ["wal"] * MANY
            with closing(sqlite3.connect(path)) as connection:
                assert connection.execute("SELECT count(*) FROM words").fetchone() == (MANY,)


def test_a_file_that_stays_locked_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "locked.db"
    with closing(sqlite3.connect(path, timeout=0)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with closing(sqlite3.connect(path, timeout=0)) as other:
            began = time.monotonic()
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                enable_wal(other, 0.2)
            assert 0.2 <= time.monotonic() - began < 30


def test_another_fault_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    path.write_bytes(b"not a database" * 99)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.DatabaseError):
        enable_wal(connection, 60)


def test_only_the_owner_may_read_a_new_database(tmp_path: Path) -> None:
    path = tmp_path / "jobs.sqlite"
    engine = open_engine(str(path))
    try:
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE secrets (value TEXT)"))
    finally:
        engine.dispose()
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("password", ["hunter@2", "hun/t@er2", "hun@t/er2", "hun@te:r2"])
def test_a_password_with_an_at_sign_is_not_taken_for_a_host(password: str) -> None:
    with pytest.raises(UsageError) as caught:
        open_engine(f"postgresql://ann:{password}@127.0.0.1/prints")
    assert not any(part in str(caught.value) for part in ("hun", "er2"))
