import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from printer.errors import UsageError
from printer.settings import SETTINGS_FILE, Settings, load_settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def write_settings(tmp_path, monkeypatch):
    """Write settings files in an empty working folder and an empty user's folder."""
    user, work = tmp_path / "user", tmp_path / "work"
    (user / "webprint").mkdir(parents=True)
    work.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user))
    monkeypatch.chdir(work)

    def write(*, users="", folders=""):
        (user / "webprint" / SETTINGS_FILE).write_text(users)
        (work / SETTINGS_FILE).write_text(folders)

    return write


def test_each_layer_overrides_the_one_below(write_settings, monkeypatch):
    monkeypatch.setenv("WEBPRINT_THEME", "y")
    write_settings(users='paper = "A5"\nmargin = "1in"\ntheme = "x"', folders='margin = "2in"')
    loaded = load_settings({"font_size": "12pt"})
    settings = loaded.settings
    assert (settings.paper, settings.margin, settings.theme) == ("A5", "2in", "y")
    assert settings.font_size == "12pt"
    assert settings.timeout == 30
    assert loaded.origins["paper"].endswith("user/webprint/webprint.toml")
    assert loaded.origins["margin"] == "webprint.toml"
    assert loaded.origins["theme"] == "environment"
    assert loaded.origins["font_size"] == "command line"
    assert loaded.origins["timeout"] == "default"


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a file to another user, as only root can")
def test_a_folders_settings_of_another_user_are_refused(write_settings):
    write_settings(folders='paper = "A5"')
    os.chown(SETTINGS_FILE, 65534, -1)
    with pytest.raises(UsageError, match="belongs to another user"):
        load_settings({})


def test_a_folders_settings_that_all_can_change_are_refused(write_settings):
    write_settings(folders='paper = "A5"')
    Path(SETTINGS_FILE).chmod(0o666)
    with pytest.raises(UsageError, match="can be changed by others"):
        load_settings({})


def test_values_take_their_settings_kind(write_settings, monkeypatch):
    write_settings(folders='font-size = "9pt"\nheader = ["A: b"]\nfollow = false')
    monkeypatch.setenv("WEBPRINT_TIMEOUT", "2.5")
    monkeypatch.setenv("WEBPRINT_ALLOW_PRIVATE", "true")
    monkeypatch.setenv("WEBPRINT_DPI", "96")
    settings = load_settings({}).settings
    assert settings.timeout == 2.5
    assert settings.allow_private is True
    assert settings.follow is False
    assert settings.fetch_options().headers == (("A", "b"),)
    assert settings.options().images.dpi == 96


@pytest.mark.parametrize(
    ("layer", "says"),
    [
        ({"folders": 'papper = "A4"'}, "webprint.toml: unknown setting papper. Did you mean paper"),
        ({"folders": 'font_sise = "9pt"'}, "Did you mean font-size"),
        ({"folders": "timeout = 'soon'"}, "webprint.toml: timeout: use a number"),
        ({"folders": "paper ="}, "not valid TOML"),
        ({"users": "zzz = 1"}, "webprint config"),
    ],
)
def test_a_wrong_file_is_an_error_that_helps(write_settings, layer, says):
    write_settings(**layer)
    with pytest.raises(UsageError) as caught:
        load_settings({})
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("WEBPRINT_PAPR", "A4", "unknown setting WEBPRINT_PAPR. Did you mean WEBPRINT_PAPER"),
        ("WEBPRINT_DPI", "many", "WEBPRINT_DPI"),
        ("WEBPRINT_RENDER", "perhaps", "'auto', 'never' or 'always'"),
    ],
)
def test_a_wrong_variable_is_an_error_that_helps(write_settings, monkeypatch, name, value, says):
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as caught:
        load_settings({})
    assert says in str(caught.value)


@pytest.mark.parametrize("line", ["no colon", ": value", "A: b\r\nC: d"])
def test_a_header_that_is_none_is_refused(line):
    with pytest.raises(UsageError, match="Name: value"):
        Settings(header=(line,)).fetch_options()


def test_a_headers_value_stays_out_of_reprs():
    settings = Settings(header=("Authorization: Bearer abcdef",))
    assert "abcdef" not in repr(settings.fetch_options())
    assert "abcdef" not in repr(settings)


def test_a_settings_file_is_begun_changed_and_read(webprint, write_settings, tmp_path):
    file = tmp_path / "user/webprint/webprint.toml"
    assert webprint("config", "init")[0] == 0
    assert load_settings({}).origins["paper"] == "default"  # all of it is a comment
    lines = [line[2:] for line in file.read_text().splitlines() if " = " in line]
    assert [line.partition(" = ")[0] for line in lines] == [
        name.replace("_", "-") for name in Settings.model_fields
    ]
    tomllib.loads("\n".join(lines))
    assert webprint("config", "init") == (2, "", f"webprint: {file} exists. Change it with: "
                                          "webprint config set NAME VALUE\n")  # fmt: skip
    for name, value in (("paper", "A5"), ("max-size", "3MB"), ("fit", "2"), ("paper", "A6")):
        assert webprint("config", "set", name, value)[0] == 0
    assert webprint("config", "set", "set", "columns=2", "font=Inter")[0] == 0
    assert webprint("config", "get", "paper") == (0, "A6\n", "")
    assert webprint("config", "get", "max_size") == (0, "3000000\n", "")
    assert webprint("config", "get", "set")[1] == "columns=2\nfont=Inter\n"
    for name in ("Café", '"Ann" B\\C'):
        assert webprint("config", "set", "title", name)[0] == 0
        assert webprint("config", "get", "title") == (0, f"{name}\n", "")
    assert file.read_text().count("paper = ") == 2  # the comment and the value
    settings = load_settings({}).settings
    assert (settings.paper, settings.fit, settings.set) == ("A6", 2, ("columns=2", "font=Inter"))


def test_a_value_is_set_before_the_digests_of_a_file(webprint, write_settings):
    write_settings(folders='# mine\n[[digest]]\nname = "week"\n')
    assert webprint("config", "set", "--here", "margin", "1in")[0] == 0
    assert load_settings({}).settings.margin == "1in"
    text = Path(SETTINGS_FILE).read_text()
    assert "# mine" in text
    assert text.index("margin") < text.index("[[digest]]")


def test_a_settings_file_may_begin_with_a_byte_order_mark(webprint, write_settings):
    write_settings()
    path = Path(SETTINGS_FILE)
    path.write_bytes(b'\xef\xbb\xbf# Mine\ntheme = "compact"\n')
    assert webprint("config", "set", "--here", "paper", "A5")[0] == 0
    assert tomllib.loads(path.read_text()) == {"paper": "A5", "theme": "compact"}
    assert "# Mine" in path.read_text()


def test_a_file_that_is_not_toml_is_not_changed(webprint, write_settings):
    write_settings(folders="theme = compact\n")
    code, _, err = webprint("config", "set", "--here", "margin", "1in")
    assert code == UsageError.exit_code
    assert "is not valid TOML" in err
    assert Path(SETTINGS_FILE).read_text() == "theme = compact\n"


def test_settings_set_at_once_are_all_kept(tmp_path):
    environment = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "printer", "config", "set"]
    values = {"paper": "A5", "dpi": "150", "theme": "compact", "links": "footnote"}
    processes = [
        subprocess.Popen(
            [*command, *item], env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL
        )
        for item in values.items()
    ]
    assert [process.wait(60) for process in processes] == [0] * len(values)
    path = tmp_path / "webprint" / SETTINGS_FILE
    assert {key: str(value) for key, value in tomllib.loads(path.read_text()).items()} == values
    assert path.parent.stat().st_mode & 0o77 == 0
