import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import NotHTML
from printer.fetch.response import check_html, describe_media_type, sniff_media_type


@pytest.mark.parametrize(
    ("head", "description"),
    [
        (b"%PDF-1.7\n%\xe2", "a PDF"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", "a JPEG picture"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"GIF89a", "a GIF picture"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP picture"),
        (b"\x00\x00\x00\x20ftypavif", "an AVIF picture"),
        (b"\x00\x00\x00\x20ftypisom", "a video"),
        (b"PK\x03\x04", "a ZIP archive"),
        (b"From: <Saved by Blink>\r\n\r\n<html>", "an MHTML archive"),
        (b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n<p>", "an MHTML archive"),
        (b"WARC/1.0\r\nWARC-Type: response\r\n\r\n<html>", "a WARC archive"),
        (b"\x00\x01\x02\x03" * 300, "a binary file"),
    ],
)
def test_bytes_take_precedence_over_the_header(head: bytes, description: str) -> None:
    with pytest.raises(NotHTML, match=f"not a web page but {description}"):
        check_html("text/html", head, "")


@pytest.mark.parametrize(
    ("media_type", "description"),
    [
        ("application/pdf", "a PDF"),
        ("image/jpeg", "a JPEG picture"),
        ("image/x-strange", "a picture"),
        ("video/mp4", "a video"),
        ("application/vnd.oasis.opendocument.text", "an office document"),
        ("application/json", "JSON data"),
        ("application/x-odd", "of type application/x-odd"),
    ],
)
def test_the_header_alone_refuses(media_type: str, description: str) -> None:
    with pytest.raises(NotHTML) as caught:
        check_html(media_type, None, "https://example.org/x")
    assert description in str(caught.value)
    assert caught.value.media_type == media_type


@pytest.mark.parametrize(
    ("media_type", "head"),
    [
        ("text/html", b""),
        ("text/html", b"only words"),
        ("text/html", "words".encode("utf-16")),
        ("", b"<!DOCTYPE html><p>x"),
        ("application/octet-stream", b"  <html lang=en>"),
        ("text/plain", b"<!-- hm --><body>"),
        ("text/xml", b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'),
        ("", "<html>".encode("utf-16")),
    ],
)
def test_pages_pass(media_type: str, head: bytes) -> None:
    check_html(media_type, None, "")
    check_html(media_type, head, "")


@pytest.mark.parametrize(
    ("media_type", "head", "description"),
    [
        ("text/plain", b"just words", "plain text"),
        ("text/plain", b'{"a": 1}', "JSON data"),
        ("text/xml", b'<?xml version="1.0"?><rss version="2.0">', "a news feed"),
        ("application/xml", b'<?xml version="1.0"?><urlset>', "an XML document"),
    ],
)
def test_vague_types_are_settled_by_the_bytes(
    media_type: str, head: bytes, description: str
) -> None:
    check_html(media_type, None, "")
    with pytest.raises(NotHTML, match=description):
        check_html(media_type, head, "")


@given(st.binary(max_size=1024))
def test_any_bytes_are_judged_without_a_fault(head: bytes) -> None:
    assert isinstance(describe_media_type(sniff_media_type(head) or "text/plain"), str)
    for media_type in ("", "text/html", "text/plain"):
        with contextlib.suppress(NotHTML):
            check_html(media_type, head, "")
