import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from printer.errors import BadURL, FetchError, NotHTML, TooLarge, UsageError
from printer.fetch.files import read_file, read_stdin

MAX_BYTES = 20_000_000
PAGE = "<!DOCTYPE html><title>Hé</title><p>Text</p>".encode()


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a page.html"
    path.write_bytes(PAGE)
    capture = read_file(path, MAX_BYTES)
    assert capture.body == PAGE
    assert capture.source.method == "file"
    assert capture.url == path.as_uri()
    assert capture.source.charset == ""
    assert read_file(path, MAX_BYTES, url="https://example.org/x").url == "https://example.org/x"


def test_a_file_without_a_suffix_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_bytes(PAGE)
    assert read_file(path, MAX_BYTES).source.media_type == "text/html"


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadURL, match=r"there is no file .*missing\.html"):
        read_file(tmp_path / "missing.html", MAX_BYTES)
    with pytest.raises(BadURL, match="is a folder"):
        read_file(tmp_path, MAX_BYTES)
    with pytest.raises(FetchError, match="cannot be read"):
        read_file("nul\0byte", MAX_BYTES)


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    loop = tmp_path / "loop.html"
    loop.symlink_to(loop)
    with pytest.raises(FetchError, match="cannot be read"):
        read_file(loop, MAX_BYTES)


@pytest.mark.parametrize(
    ("data", "description"),
    [
        (b"%PDF-1.4", "a PDF"),
        (b"\xff\xd8\xff\xe0", "a JPEG picture"),
        (b"\0" * 99, "a binary file"),
    ],
)
def test_other_files_are_named_by_their_type(tmp_path: Path, data: bytes, description: str) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(data)
    with pytest.raises(NotHTML, match=description) as caught:
        read_file(path, MAX_BYTES)
    assert str(path) in str(caught.value)


def test_a_file_over_the_limit_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    with path.open("wb") as stream:
        stream.write(PAGE)
        os.truncate(path, 50_000_000_000)  # sparse: fifty gigabytes of nothing
    with pytest.raises(TooLarge, match="larger than 20 MB"):
        read_file(path, MAX_BYTES)
    with pytest.raises(TooLarge, match="larger than 10 bytes"):
        read_file(path, 10)


def test_a_pipe_with_a_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe.html"
    os.mkfifo(path)
    opened = threading.Event()

    def write() -> None:
        with path.open("wb") as stream:
            opened.set()
            stream.write(PAGE)

    writer = threading.Thread(target=write)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer.start()
    opened.wait(5)
    try:
        assert read_file(path, MAX_BYTES).body == PAGE
    finally:
        os.close(reader)
        writer.join()


def test_standard_input_is_a_page_at_its_address() -> None:
    capture = read_stdin(io.BytesIO(PAGE), "https://example.org/x", MAX_BYTES)
    assert (capture.source.method, capture.url, capture.body) == (
        "stdin",
        "https://example.org/x",
        PAGE,
    )


def test_standard_input_is_bounded_and_not_empty() -> None:
    with pytest.raises(TooLarge):
        read_stdin(io.BytesIO(PAGE), "", 10)
    with pytest.raises(UsageError, match="empty"):
        read_stdin(io.BytesIO(b"\n"), "", MAX_BYTES)
    with pytest.raises(NotHTML, match="a PDF"):
        read_stdin(io.BytesIO(b"%PDF-1.4"), "", MAX_BYTES)


def test_reading_a_file_needs_no_http_client() -> None:
    code = (
        "import sys, printer.fetch.files;"
        "print([m for m in ('httpx2', 'hishel', 'playwright') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
