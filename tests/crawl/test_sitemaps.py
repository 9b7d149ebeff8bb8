"""Sitemaps, valid and hostile."""

import gzip

from hypothesis import given, settings
from hypothesis import strategies as st

from printer.crawl.robots import MAX_LISTED_PAGES, parse_sitemap

NS = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"


def urls(*entries):
    body = "".join(f"<url><loc>{url}</loc>{more}</url>" for url, more in entries)
    return f"<?xml version='1.0'?><urlset {NS}>{body}</urlset>".encode()


def test_pages_come_the_newest_first():
    data = urls(
        ("https://a.test/old", "<lastmod>2020-01-01</lastmod>"),
        ("https://a.test/unknown", ""),
        ("https://a.test/new", "<lastmod>2026-05-01T10:00:00Z</lastmod>"),
    )
    expected = ("https://a.test/new", "https://a.test/old", "https://a.test/unknown")
    assert parse_sitemap(data).pages == expected
    assert parse_sitemap(gzip.compress(data)).pages == expected


def test_an_index_names_others():
    data = (
        f"<sitemapindex {NS}><sitemap><loc> https://a.test/1.xml.gz </loc></sitemap></sitemapindex>"
    )
    assert parse_sitemap(data.encode()).children == ("https://a.test/1.xml.gz",)


def test_a_list_of_lines_is_one_too():
    data = b"\xef\xbb\xbfhttps://a.test/1\r\nnothing\nhttps://a.test/2\nhttps://a.test/1\n"
    assert parse_sitemap(data).pages == ("https://a.test/1", "https://a.test/2")


def test_other_schemes_and_pictures_are_left_out():
    data = urls(
        ("file:///etc/passwd", ""),
        ("https://a.test/1", "<image><loc>https://a.test/1.png</loc></image>"),
    )
    assert parse_sitemap(data).pages == ("https://a.test/1",)


def test_a_broken_sitemap_gives_its_readable_part():
    assert parse_sitemap(urls(("https://a.test/1", ""))[:-20]).pages == ("https://a.test/1",)
    assert parse_sitemap(gzip.compress(urls(("https://a.test/1", "")))[:-10]).pages in (
        (), ("https://a.test/1",),
    )  # fmt: skip


def test_entities_are_not_resolved(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("https://a.test/secret")
    data = f"<!DOCTYPE u [<!ENTITY s SYSTEM '{secret.as_uri()}'>]>{urls(('&s;', '')).decode()[21:]}"
    assert parse_sitemap(data.encode()).pages == ()
    grown = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 12))
    data = f"<!DOCTYPE u [<!ENTITY e0 'https://a.test/'>{grown}]><urlset><url><loc>&e11;</loc></url></urlset>"
    assert parse_sitemap(data.encode()).pages == ()


def test_a_bomb_is_bounded():
    packed = gzip.compress(b"<urlset>" + b" " * 60_000_000)
    assert parse_sitemap(packed).pages == ()
    many = "\n".join(f"https://a.test/{n}" for n in range(MAX_LISTED_PAGES + 1000))
    assert len(parse_sitemap(many.encode()).pages) == MAX_LISTED_PAGES


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_anything_is_read(data):
    parse_sitemap(data)
    parse_sitemap(b"<urlset><url><loc>https://a.test/" + data)
    parse_sitemap(gzip.compress(data))
