import os

import pytest

from printer.errors import BadURL, BlockedAddress, FetchError, TooLarge
from printer.fetch.files import path_of_file_url, read_sibling

MAX_BYTES = 20_000_000


@pytest.fixture
def saved(tmp_path):
    """A page saved with its pictures, and a file beside its folder."""
    folder = tmp_path / "saved page"
    (folder / "page_files").mkdir(parents=True)
    (folder / "page.html").write_text("<img src=page_files/a.jpg>")
    (folder / "page_files" / "a.jpg").write_bytes(b"picture")
    (tmp_path / "secret").write_bytes(b"secret")
    return folder


def test_a_picture_in_the_pages_folder_is_read(saved):
    url, page = (saved / "page_files/a.jpg").as_uri(), (saved / "page.html").as_uri()
    assert read_sibling(url, page, MAX_BYTES).body == b"picture"


@pytest.mark.parametrize("name", ["../secret", "page_files/../../secret", "%2e%2e/secret", "link"])
def test_a_file_elsewhere_is_refused(saved, name):
    (saved / "link").symlink_to(saved.parent / "secret")
    with pytest.raises(BlockedAddress):
        read_sibling(f"{saved.as_uri()}/{name}", (saved / "page.html").as_uri(), MAX_BYTES)


@pytest.mark.parametrize("page", ["https://example.org/", ""])
def test_a_page_from_elsewhere_names_no_file(saved, page):
    with pytest.raises(BlockedAddress):
        read_sibling((saved / "page.html").as_uri(), page, MAX_BYTES)


def test_large_and_special_files_are_refused(saved):
    page = (saved / "page.html").as_uri()
    os.mkfifo(saved / "pipe")
    for name in ("missing", "page_files", "pipe"):
        with pytest.raises(FetchError):
            read_sibling(f"{saved.as_uri()}/{name}", page, MAX_BYTES)
    with pytest.raises(TooLarge):
        read_sibling(f"{saved.as_uri()}/page_files/a.jpg", page, 3)


def test_a_file_address_becomes_a_path(saved):
    assert path_of_file_url((saved / "page.html").as_uri()) == saved / "page.html"
    with pytest.raises(BadURL):
        path_of_file_url("file://elsewhere/etc/passwd")
