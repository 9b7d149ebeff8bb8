"""Lists as other programs export them."""

import json

import pytest

from printer.digest import reading_list
from printer.digest.reading_list import parse_bookmarks
from printer.errors import UsageError

A, B = "https://example.org/a?x=1&y=2", "https://example.net/b"

NETSCAPE = f"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p><DT><H3 ADD_DATE="1">Boats</H3><DL><p>
<DT><A HREF="{A.replace("&", "&amp;")}" ADD_DATE="1700000000" ICON="data:x">A ferry, &eacute;t&eacute;</A>
<DD>A note
</DL><p><DT><A HREF="{B}">B</A></DL>"""
POCKET_HTML = f"""<!DOCTYPE html><html><body><h1>Unread</h1><ul><li><a href="{A}">A ferry, été</a></li></ul>
<h1>Read Archive</h1><ul><li><a href="{B}">B</a></li></ul></body></html>"""
POCKET_CSV = (
    f'title,url,time_added,tags,status\n"A ferry, été",{A},1700000000,,unread\nB,{B},1,,archive\n'
)
INSTAPAPER = f'URL,Title,Selection,Folder,Timestamp\n{A},"A ferry, été","two\nlines",Unread,1\n{B},B,,Archive,2\n'
READER_CSV = f'Title,URL,ID,Document tags,Saved date,Reading progress,Location\r\n"A ferry, été",{A},1,,2,0,new\r\nB,{B},2,,2,1,archive\r\n'
WALLABAG = [
    {"id": 1, "title": "A ferry, été", "url": A, "is_archived": 0, "tags": ["x"]},
    {"id": 2, "title": "B", "url": B, "is_archived": 1},
]
READWISE = {
    "count": 2,
    "results": [
        {"title": "A ferry, été", "url": "https://read.example/1", "source_url": A, "location": "new"},
        {"title": "B", "source_url": B, "location": "archive",
         "highlights": [{"text": "x", "url": "https://read.example/h"}]},
    ],
}  # fmt: skip
POCKET_API = {
    "status": 1,
    "list": {
        "1": {"given_title": "A ferry, été", "given_url": A, "status": "0"},
        "2": {"resolved_title": "B", "resolved_url": B, "status": "1"},
    },
}
FIREFOX = {
    "title": "",
    "type": "text/x-moz-place-container",
    "children": [
        {"title": "A ferry, été", "uri": A},
        {"title": "toolbar", "children": [{"title": "B", "uri": B}]},
    ],
}

EXPORTS = {
    "Netscape": NETSCAPE, "Pocket, HTML": POCKET_HTML, "Pocket, CSV": POCKET_CSV,
    "Instapaper": INSTAPAPER, "Reader": READER_CSV, "Wallabag": WALLABAG, "Readwise": READWISE,
    "Pocket, JSON": POCKET_API, "Firefox": FIREFOX,
    "a list": f"# mine\n\n- [A ferry, été]({A}\n{B} B\n".replace(f"- [A ferry, été]({A}", f"A ferry, été {A}"),
}  # fmt: skip
NO_MARKS = ("Netscape", "Firefox", "a list")


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_exports(name, encoding):
    export = EXPORTS[name]
    text = export if isinstance(export, str) else json.dumps(export)
    a, b = parse_bookmarks(text.encode(encoding))
    assert (a.url, a.title, a.is_read) == (A, "A ferry, été", False)
    assert (b.url, b.title, b.is_read) == (B, "B", name not in NO_MARKS)


def test_entries_without_web_address_are_returned():
    entries = parse_bookmarks(b"https://example.org/\nplace:sort=8\nnot an address\n")
    assert [page.url for page in entries][1:] == ["place:sort=8", "not an address"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"   \n\n",
        b"{}",
        b"[1, 2",
        b"[" * 100_000,
        b'url,title\n"' + b"x" * 200_000,
        b"<!DOCTYPE html>",
        b"\xff\xfe",
        b"url,title\n",
    ],
    ids=lambda data: repr(data[:12]),
)
def test_a_file_without_addresses_is_refused(data):
    with pytest.raises(UsageError):
        parse_bookmarks(data)


def test_files_are_limited(monkeypatch):
    monkeypatch.setattr(reading_list, "MAX_LINES", 3)
    assert len(parse_bookmarks(b"https://example.org/\n" * 3)) == 3
    with pytest.raises(UsageError, match="more than 3 entries"):
        parse_bookmarks(b"https://example.org/\n" * 4)
    monkeypatch.setattr(reading_list, "MAX_EXPORT_BYTES", 10)
    with pytest.raises(UsageError, match="larger"):
        parse_bookmarks(b"https://example.org/")


def test_a_line_longer_than_a_field_of_csv_is_a_line():
    assert len(parse_bookmarks(b'"' * 200_000 + f"\n{A}\n".encode())) == 2
