"""Settings: their layers, and those that a command ignores."""

from pathlib import Path

import pytest

from printer.errors import UsageError
from printer.settings import load_settings


def test_settings_can_be_put_back_to_their_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("webprint.toml").write_text('format = "epub"\npaper = "A5"\n')
    loaded = load_settings({"title": "Mine"})
    assert loaded.explicit == {"format", "paper", "title"}
    pinned = loaded.with_defaults(("format", "title"))
    assert (pinned.settings.format, pinned.settings.title) == ("auto", "")
    assert pinned.settings.paper == "A5"
    assert pinned.explicit == {"paper"}


def test_a_settings_file_may_begin_with_a_byte_order_mark(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("webprint.toml").write_bytes(b'\xef\xbb\xbfpaper = "A5"')
    assert load_settings({}).settings.paper == "A5"


@pytest.mark.parametrize(
    "line", ['css = "a\\u0000b"', 'database = "\\u0000"', 'set = ["a=\\u0000"]']
)
def test_a_setting_that_no_path_can_contain_is_refused(tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "webprint.toml").write_text(line)
    with pytest.raises(UsageError, match=r"webprint.toml: (css|database|set): .*NUL"):
        load_settings({})
