"""The OPDS catalog as an e-reader uses it: with a password, by links, with search."""

import base64
import io
import re
import zipfile

import feedparser
import pytest

from printer.server.security import AccessKeys
from tests.support.story_page import story_page

FILE = "http://opds-spec.org/acquisition"


def password(server):
    page = server.client.get("/settings").text
    assert f"{server.url}/opds" in page
    return re.search(r"<code>((?:[a-z2-7]{4}-){3}[a-z2-7]{4})</code>", page)[1]


@pytest.fixture(scope="module")
def reader(server):
    """An e-reader with the password, typed in capitals and without hyphens."""
    with server.anonymous_client() as client:
        client.auth = ("me", password(server).upper().replace("-", ""))
        yield client


@pytest.fixture(scope="module")
def prints(server):
    ids = {}
    for title, text in (("Harbour & lights", ""), ("Of ducks", "<p>The <b>eider</b> is a duck.")):
        page = story_page(title, extra=text)
        answer = server.submit(url=f"https://ducks.example/{len(ids)}", html=page)
        ids[title] = server.wait_finished(answer.json()["id"])["id"]
    return ids


def feed(reader, path):
    answer = reader.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/atom+xml;profile=opds-catalog")
    parsed = feedparser.parse(answer.content)
    assert not parsed.bozo, parsed
    assert parsed.feed.id
    assert parsed.feed.updated
    return parsed


def link(links, rel, type_=""):
    return next(
        candidate.href
        for candidate in links
        if candidate.rel == rel and candidate.type.startswith(type_)
    )


def test_a_reader_finds_its_way_to_the_files(reader, prints):
    top = feed(reader, "/opds")
    assert [entry.title for entry in top.entries] == ["Prints", "Digests"]
    listed = feed(reader, link(top.entries[0].links, "subsection"))
    entry = next(entry for entry in listed.entries if entry.title == "Harbour & lights")
    pdf = reader.get(link(entry.links, FILE, "application/pdf"))
    assert pdf.content.startswith(b"%PDF")
    assert "Harbour" in pdf.headers["content-disposition"]
    epub = reader.get(link(entry.links, FILE, "application/epub+zip"))
    assert zipfile.ZipFile(io.BytesIO(epub.content)).read("mimetype") == b"application/epub+zip"
    cover = reader.get(link(entry.links, "http://opds-spec.org/image"))
    assert cover.headers["content-type"] == "image/png"
    assert reader.get(f"/opds/prints/{prints['Of ducks']}.md").status_code == 404
    assert reader.get(f"/opds/prints/{'0' * 20}.pdf").status_code == 404


def test_it_searches(reader, prints):
    described = reader.get(link(feed(reader, "/opds").feed.links, "search")).text
    template = re.search(r'template="([^"]+)"', described)[1]
    results = feed(reader, template.replace("{searchTerms}", "eider"))
    assert [entry.title for entry in results.entries] == ["Of ducks"]
    assert feed(reader, template.replace("{searchTerms}", "walrus%20%22")).entries == []


def test_pages_of_the_catalogue_are_linked(server, reader):
    for number in range(31):
        server.submit(url=f"https://many.example/{number}", html=story_page(f"Many {number}"))
    for job in server.client.get("/api/prints?limit=40&site=many.example").json():
        server.wait_finished(job["id"])
    first = feed(reader, "/opds/prints?q=many")
    second = feed(reader, link(first.feed.links, "next"))
    assert (len(first.entries), len(second.entries)) == (30, 1)


def test_issues_of_digests_are_listed(server, reader):
    folder = server.home / "Papers"
    folder.mkdir()
    for name in ("week-2024-05-06.epub", "week-2024-05-13.pdf", "week-2024-05-13-2.pdf",
                 "week-2024-99-99.pdf", "other.pdf", "week-2024-05-06.txt"):  # fmt: skip
        (folder / name).write_bytes(name.encode())
    (folder / "week-2024-05-20.pdf").symlink_to(server.home / ".config/webprint/webprint.toml")
    settings = server.home / ".config/webprint/webprint.toml"
    settings.write_text(
        '[[digest]]\nname = "week"\ntitle = "The week"\n'
        '[[digest.source]]\npage = "https://example.org/"\n'
        f'[[digest.deliver]]\nfolder = "{folder / ("unreadable" * 30)}"\n'
        f'[[digest.deliver]]\nfolder = "{folder}"\n'
    )
    try:
        entries = feed(reader, "/opds/digests").entries
        assert [entry.title for entry in entries] == [
            "The week, 13 May 2024", "The week, 13 May 2024", "The week, 6 May 2024",
        ]  # fmt: skip
        href = link(entries[-1].links, FILE, "application/epub+zip")
        assert reader.get(href).content == b"week-2024-05-06.epub"
        for path in ("week/other.pdf", "week/..%2F..%2Ftoken", "other/week-2024-05-13.pdf",
                     "week/week-2024-05-20.pdf"):  # fmt: skip
            assert reader.get(f"/opds/digests/{path}").status_code == 404
    finally:
        settings.unlink()


def test_the_password_reads_and_no_more(server, reader, prints):
    with server.anonymous_client() as client:
        refused = client.get("/opds")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Basic ")
        for wrong in ("", "x", "Basic", "Basic !!", "Basic " + base64.b64encode(b"me:no").decode(),
                      "Basic " + base64.b64encode(b"\xff").decode()):  # fmt: skip
            assert client.get("/opds", headers={"Authorization": wrong}).status_code in (401, 429)
    some = next(iter(prints.values()))
    for method, path in (("GET", "/api/prints"), ("GET", f"/api/prints/{some}/pdf"),
                         ("POST", "/api/prints"), ("DELETE", f"/api/prints/{some}")):  # fmt: skip
        assert reader.request(method, path).status_code in (401, 429)
    assert reader.post("/opds/prints").status_code == 405
    assert reader.get("/settings", headers={"Accept": "text/html"}).status_code == 401
    other = AccessKeys("another token that is long enough").reading_password
    assert not AccessKeys(server.token).is_reading_password(other)
