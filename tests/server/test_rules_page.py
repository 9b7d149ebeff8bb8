"""The page of site rules: listing, disabling and removing them."""

import pytest


@pytest.fixture
def folder(server):
    folder = server.home / ".config/webprint/rules"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "example.org.toml").write_text('# mine\ndrop = [".ad", ".more"]\nkeep = ".box"\n')
    yield folder
    for file in folder.iterdir():
        file.unlink()


def change(server, **values):
    return server.client.post("/rules", data=values, follow_redirects=True)


def test_rules_are_listed_switched_off_and_removed(server, folder):
    (folder / "example.net.toml").write_text('drop = "<b>["\n')
    page = server.client.get("/rules").text
    for text in ("example.org", "Leave out <code>.ad</code>", "Print <code>.box</code>", "line 1"):
        assert text in page
    assert "<b>[" not in page
    assert "(switched off)" in change(server, do="off", file="example.org.toml").text
    assert (folder / "example.org.toml.off").exists()
    change(server, do="on", file="example.org.toml.off")
    change(server, do="remove", host="example.org", selector=".ad")
    assert (folder / "example.org.toml").read_text().startswith("# mine\ndrop = [")
    assert "<code>.ad</code>" not in server.client.get("/rules").text
    change(server, do="delete", file="example.net.toml")
    assert [file.name for file in folder.iterdir()] == ["example.org.toml"]


@pytest.mark.parametrize("file", ["../../../token", "missing.org.toml", ""])
def test_only_files_of_rules_are_touched(server, folder, file):
    for do in ("off", "delete"):
        assert change(server, do=do, file=file).status_code == 422
    assert [file.name for file in folder.iterdir()] == ["example.org.toml"]


def test_only_our_own_pages_change_them(server, folder):
    with server.anonymous_client(Cookie=server.cookie, Origin="https://evil.test") as client:
        sent = client.post("/rules", data={"do": "delete", "file": "example.org.toml"})
    assert sent.status_code == 403
    assert (folder / "example.org.toml").exists()
