"""Newsletters as entries of a digest."""

from printer.digest.mail import parse_mail

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
