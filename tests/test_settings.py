"""Settings: their layers, and those that a command ignores."""

from pathlib import Path

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
