"""Newsletters as entries of a digest."""

import os
import time

import pytest

from printer.digest.mail import MAX_BYTES, parse_mail
from tests.support.feeds import moment

MAIL = b"""Delivered-To: somebody.with.a.rather.long.name@example.org
From: Harbour News <news@example.org>
Subject: %d

The lights.
"""


def test_mails_without_an_id_that_begin_alike_are_two() -> None:
    """Otherwise the second is taken for the first and never printed."""
    one, two = parse_mail(MAIL % 1), parse_mail(MAIL % 2)
    assert one.url != two.url
    assert one.url == parse_mail(MAIL % 1).url


@pytest.mark.parametrize("kind", ["text/html", "multipart/mixed; boundary=b", "image/png"])
def test_parameters_of_a_type_that_cannot_be_sorted_do_no_harm(kind: str) -> None:
    head = f"Subject: News\nContent-ID: <p>\nContent-Type: {kind}; a*=x; a*0=y\n\n"
    mail = parse_mail(f"{head}--b\nContent-Type: text/html; a*=x; a*0=y\n\n<p>Text".encode())
    assert mail.title == "News"


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_report_of_a_million_paragraphs_is_read_in_seconds(end: bytes) -> None:
    data = (
        b"Subject: News\nContent-Type: Message/Delivery-Status\n\n" + (b"a: b" + end * 2) * 500_000
    )
    start = time.process_time()
    assert parse_mail(data).title == "News"
    assert time.process_time() - start < 5


def test_a_mail_that_is_too_large_is_reported_while_it_is_recent(desk, tmp_path):
    text = b"The ferry leaves the harbor at dawn, and nobody on the quay is late.\n\n" * 20
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "news.eml").write_bytes(b"Subject: News\n\n" + text)
    large = folder / "large.eml"
    large.write_bytes(b"Subject: Large\n\n")
    os.truncate(large, MAX_BYTES + 1)
    now = moment(3, 6)
    os.utime(large, (now.timestamp(), now.timestamp()))
    digest = desk.digest(f'age = "2d"\n[[digest.source]]\nmail = "{folder}"')
    issue = desk.issue(digest, now)
    assert [story.article.title for story in issue.stories] == ["News"]
    assert issue.problems == (("large.eml", "the mail cannot be read: it is too large"),)
    assert desk.issue(digest, moment(6, 6)).problems == ()
