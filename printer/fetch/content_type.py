"""What kind of thing an answer is: by its media type, and by its first bytes."""

from __future__ import annotations

import re

from ..errors import NotHTML

HTML = frozenset({"text/html", "application/xhtml+xml"})
#: Types that say too little: the bytes decide.
_VAGUE = frozenset(
    {
        "",
        "application/octet-stream",
        "application/unknown",
        "application/xml",
        "binary/octet-stream",
        "content/unknown",
        "text/plain",
        "text/xml",
        "unknown/unknown",
    }
)
_NAMES = {
    "application/epub+zip": "an EPUB book",
    "application/gzip": "a compressed archive",
    "application/json": "JSON data",
    "application/ld+json": "JSON data",
    "application/msword": "a Word document",
    "application/pdf": "a PDF",
    "application/postscript": "a PostScript document",
    "application/rss+xml": "a news feed",
    "application/atom+xml": "a news feed",
    "application/x-tar": "a compressed archive",
    "application/xml": "an XML document",
    "application/zip": "a ZIP archive",
    "image/gif": "a GIF picture",
    "image/jpeg": "a JPEG picture",
    "image/png": "a PNG picture",
    "image/svg+xml": "an SVG picture",
    "image/webp": "a WebP picture",
    "image/avif": "an AVIF picture",
    "text/css": "a style sheet",
    "text/csv": "a CSV table",
    "text/javascript": "a script",
    "text/markdown": "a Markdown text",
    "text/plain": "plain text",
    "text/xml": "an XML document",
}
_FAMILIES = {
    "image": "a picture",
    "audio": "a sound recording",
    "video": "a video",
    "font": "a font",
}
_OFFICE = ("application/vnd.openxmlformats", "application/vnd.oasis", "application/vnd.ms")

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"BZh", "application/gzip"),
    (b"\xfd7zXZ\x00", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/gzip"),
    (b"Rar!\x1a\x07", "application/gzip"),
    (b"%!PS", "application/postscript"),
    (b"{\\rtf", "application/rtf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"OggS", "audio/ogg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x7fELF", "application/x-executable"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_MARKUP = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|base|h[1-6]|p|div|span|main"
    rb"|article|section|header|nav|table|ul|ol|a|b|i|em|strong|img|br|hr|center|font)[\s/>]",
    re.IGNORECASE,
)
_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]")


def sniff_media_type(head: bytes) -> str:
    """Return the media type that a file's first bytes show, or '' when they show none."""
    for magic, media_type in _MAGIC:
        if head.startswith(magic) and (magic != b"BM" or head[6:10] == b"\0\0\0\0"):
            return media_type
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav"}.get(head[8:12], "video/x-msvideo")
    if head[4:8] == b"ftyp":
        return "image/avif" if head[8:12] in {b"avif", b"avis"} else "video/mp4"
    return ""


def describe(media_type: str) -> str:
    """Name a media type for people: ``a PDF``, ``a JPEG picture``."""
    if media_type in _NAMES:
        return _NAMES[media_type]
    if media_type.startswith(_OFFICE):
        return "an office document"
    return _FAMILIES.get(media_type.partition("/")[0], f"of type {media_type}")


def check_html(media_type: str, head: bytes | None, url: str) -> None:
    """Raise :class:`NotHTML` unless the answer may be a web page.

    ``head`` is the beginning of the body, about a thousand bytes; None when it is not known yet,
    so that only a media type that settles the question is refused.
    """
    if head is None:
        if media_type not in HTML and media_type not in _VAGUE:
            raise not_html(media_type, url)
        return
    found = sniff_media_type(head)
    if found:
        raise not_html(found, url)
    wide = head[:2] in {b"\xff\xfe", b"\xfe\xff"}  # UTF-16: text, full of zero bytes
    text = head.replace(b"\0", b"") if wide else head
    if b"\0" in text and not _MARKUP.search(text):
        raise not_html("application/octet-stream", url)
    if media_type in HTML or not text.strip() or _MARKUP.search(text):
        return
    if _FEED.search(text):
        raise not_html("application/rss+xml", url)
    if text.lstrip()[:5] == b"<?xml":
        raise not_html("application/xml", url)
    raise not_html("application/json" if text.lstrip()[:1] in b"{[" else "text/plain", url)


def not_html(media_type: str, url: str) -> NotHTML:
    """Make the error of an answer that is no page."""
    what = describe(media_type)
    if media_type == "application/octet-stream":
        what = "a binary file"
    return NotHTML(f"not a web page but {what}", media_type=media_type, url=url)
