"""A folder is changed by one process at a time."""

import pytest

from printer import locks


def test_a_folder_that_another_program_keeps_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "_LOCK_SECONDS", 0.1)
    folder = tmp_path / "new"
    with locks.locked(folder):
        assert folder.stat().st_mode & 0o77 == 0
        with pytest.raises(TimeoutError, match="another program"), locks.locked(folder):
            pass
    with locks.locked(folder):
        pass
