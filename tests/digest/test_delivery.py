import json
import os
import socket
import ssl
import stat
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import fsspec
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from pydantic import SecretStr

from printer.digest.config import Destination
from printer.digest.delivery import (
    Delivery,
    DeliveryUncertain,
    SMTPServer,
    compose_mail,
    deliver,
    send,
)
from printer.digest.feeds import parse_feed
from printer.errors import MissingLibrary, OutputError, UsageError
from printer.settings import Settings
from tests.support.certificates import make_certificate
from tests.support.remote_storage import UNREACHABLE
from tests.support.web_server import Reply, WebServer

WHEN = datetime(2026, 1, 5, 6, tzinfo=UTC)
PDF = b"%PDF-1.7\n" + bytes(range(256)) * 20


def parcel(pdf=PDF, title="The Morning Paper"):
    summary = {"digest": "morning", "articles": [{"title": "Harbour"}, {"title": "Bread"}]}
    return Delivery("morning", title, WHEN, pdf, summary)


# ---- folders ----


def test_a_folder_keeps_every_issue_and_a_feed_of_them(tmp_path):
    to = Destination(folder=str(tmp_path / "papers"), feed="https://example.org/papers")
    paths = [deliver(parcel(), to, Settings()) for _ in range(2)]
    names = ["morning-2026-01-05.pdf", "morning-2026-01-05-2.pdf"]
    assert [path.rpartition("/")[2] for path in paths] == names
    assert sorted(p.name for p in (tmp_path / "papers").iterdir()) == sorted(
        [*names, "morning.atom"]
    )
    feed = parse_feed((tmp_path / "papers/morning.atom").read_bytes(), "https://example.org/")
    assert [entry.url.rpartition("/")[2] for entry in feed.entries] == names[::-1]
    assert feed.entries[0].title == "The Morning Paper, 2026-01-05"


def test_a_name_that_another_digest_takes_meanwhile_is_numbered(tmp_path, monkeypatch):
    def fsync(handle):
        if not (tmp_path / "morning-2026-01-05.pdf").exists():
            (tmp_path / "morning-2026-01-05.pdf").write_bytes(b"other")

    monkeypatch.setattr(os, "fsync", fsync)
    path = deliver(parcel(), Destination(folder=str(tmp_path)), Settings())
    assert path.endswith("/morning-2026-01-05-2.pdf")
    assert (tmp_path / "morning-2026-01-05.pdf").read_bytes() == b"other"
    assert Path(path).read_bytes() == PDF


def test_a_link_that_waits_in_a_folder_is_not_followed(tmp_path):
    (tmp_path / "other.pdf").write_bytes(b"other")
    for name in ("morning-2026-01-05.pdf", "morning.atom"):
        (tmp_path / f"{name}.part").symlink_to(tmp_path / "other.pdf")
    deliver(parcel(), Destination(folder=str(tmp_path), feed="https://example.org/"), Settings())
    assert (tmp_path / "other.pdf").read_bytes() == b"other"


def test_a_file_is_named_by_the_usual_ending_of_its_format(tmp_path):
    text = replace(parcel(b"# News"), format="markdown")
    assert deliver(text, Destination(folder=str(tmp_path)), Settings()).endswith("-05.md")


def test_any_place_that_fsspec_knows():
    deliver(parcel(), Destination(folder="memory://papers"), Settings())
    files = fsspec.filesystem("memory")
    assert files.cat_file("/papers/morning-2026-01-05.pdf") == PDF


def test_an_unwritable_folder_is_an_error_without_keys(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be"):
        deliver(parcel(), Destination(folder=str(tmp_path / "file/x")), Settings())
    with pytest.raises((OutputError, MissingLibrary)) as caught:
        deliver(parcel(), Destination(folder="nothing://key:hunter2@x"), Settings())
    assert "hunter2" not in str(caught.value)


def test_a_remote_folder_out_of_reach_is_an_error_without_keys():
    with pytest.raises(OutputError, match="could not connect") as caught:
        deliver(parcel(), Destination(folder=UNREACHABLE), Settings())
    assert "hunter2" not in str(caught.value)


# ---- mail ----


class Post:
    """A mail server that accepts or refuses mail as configured."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.mails = []

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        answer = self.answers.pop(0) if self.answers else "250 taken"
        if answer.startswith("250"):
            self.mails.append(envelope)
        return answer


class Office(Controller):
    """Listens on whichever port is free."""

    def _trigger_server(self):
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def office(post, **options):
    controller = Office(post, hostname="127.0.0.1", port=0, **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


def mailed(port, most=20.0, sleep=pytest.fail, **more):
    mail = compose_mail(parcel(), "paper@example.org", "ann@kindle.test")
    send(
        mail,
        SMTPServer("127.0.0.1", port, implicit_tls=False, **more),
        max_megabytes=most,
        sleep=sleep,
    )


def test_a_mail_carries_the_pdf():
    post = Post()
    with office(post) as port:
        settings = Settings(smtp=f"smtp://127.0.0.1:{port}", mail_from="p@example.org")
        deliver(parcel(title="Läute\nBcc: x@y.test"), Destination(mail="ann@kindle.test"), settings)
    (envelope,) = post.mails
    assert envelope.rcpt_tos == ["ann@kindle.test"]
    import email.policy

    message = email.message_from_bytes(envelope.content, policy=email.policy.default)
    assert message["Subject"] == "Läute Bcc: x@y.test, 2026-01-05"
    assert message["Bcc"] is None
    (attached,) = message.iter_attachments()
    assert attached.get_content_type() == "application/pdf"
    assert attached.get_filename() == "morning-2026-01-05.pdf"
    assert attached.get_content() == PDF


def test_a_mail_that_is_refused_for_now_is_sent_again():
    post, pauses = Post("451 later", "452 full"), []
    with office(post) as port:
        mailed(port, sleep=pauses.append)
    assert len(post.mails) == 1
    assert len(pauses) == 2


def test_a_mail_that_is_refused_is_not_sent_again():
    post = Post("554 no")
    with office(post) as port, pytest.raises(OutputError, match="554"):
        mailed(port)
    assert not post.mails


def test_a_refused_sign_in_shows_nothing_that_the_server_repeats():
    def refuse(server, session, envelope, mechanism, data):
        message = f"535 5.7.8 No: {data.password.decode()} aHVudGVyMg== AGFubgBodW50ZXIy"
        return AuthResult(success=False, handled=False, message=message)

    options = {"authenticator": refuse, "auth_require_tls": False}
    with office(Post(), **options) as port, pytest.raises(OutputError) as caught:
        mailed(port, user="ann", password="hunter2")
    assert str(caught.value).endswith(": 535 5.7.8")
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_an_absent_server_is_tried_three_times():
    pauses = []
    with office(Post()) as port:
        pass
    with pytest.raises(OutputError, match="cannot send"):
        mailed(port, sleep=pauses.append)
    assert len(pauses) == 2


class Rude(Post):
    """Hangs up at a word of the conversation, once."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def _hang_up_at(self, word, server):
        if word == self.at:
            self.at = ""
            server.transport.close()

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802
        self._hang_up_at("RCPT", server)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        self._hang_up_at("DATA", server)
        return answer

    async def handle_QUIT(self, server, session, envelope):  # noqa: N802
        return "421 busy"


@pytest.mark.parametrize("at", ["", "RCPT"])
def test_whenever_a_server_hangs_up_a_mail_comes_once(at):
    post, pauses = Rude(at), []
    with office(post) as port:
        mailed(port, sleep=pauses.append)
    assert len(post.mails) == 1
    assert len(pauses) == (at == "RCPT")


def test_a_mail_that_may_have_arrived_is_not_sent_again():
    post = Rude("DATA")
    with office(post) as port, pytest.raises(DeliveryUncertain):
        mailed(port)
    assert len(post.mails) == 1


def test_a_mail_over_the_limit_is_not_sent():
    with office(Post()) as port, pytest.raises(OutputError, match="limit is"):
        mailed(port, most=0.005)


@pytest.mark.parametrize("address", ["a@b.test\nBcc: c@d.test", "a@b.test\r\n\r\nHello"])
def test_no_header_can_be_put_into_an_address(address):
    with pytest.raises(UsageError):
        compose_mail(parcel(), address, "ann@kindle.test")
    with pytest.raises(UsageError):
        compose_mail(parcel(), "ann@kindle.test", address)


def test_a_password_is_never_printed():
    server = SMTPServer.from_url("smtps://ann:hunter2@mail.example.org")
    assert (server.password, server.port, server.implicit_tls) == ("hunter2", 465, True)
    settings = Settings(smtp="smtps://ann:hunter2@mail.example.org")
    assert "hunter2" not in repr(server) + repr(settings)
    for wrong in ("ann:hunter2@x", "smtps://ann:hunter2@x:port", "http://hunter2"):
        with pytest.raises(UsageError) as caught:
            SMTPServer.from_url(wrong)
        assert "hunter2" not in str(caught.value)


def test_starttls_is_used_where_it_is_offered_and_the_name_is_checked(tmp_path):
    context, post = make_certificate(tmp_path, "mail.test", "IP:127.0.0.1"), Post()
    with office(post, tls_context=context, require_starttls=True) as port:
        mail = compose_mail(parcel(), "p@example.org", "ann@kindle.test")
        server = SMTPServer("127.0.0.1", port, implicit_tls=False)
        with pytest.raises(OutputError, match="certificate"):
            send(mail, server, max_megabytes=20, sleep=pytest.fail)
        trusted = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        send(mail, server, max_megabytes=20, sleep=pytest.fail, context=trusted)
    assert len(post.mails) == 1


# ---- printers and webhooks ----


@pytest.fixture
def lp(tmp_path, monkeypatch):
    """A program called lp that notes what it was called with."""

    def make(code):
        program = tmp_path / "bin/lp"
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/words\ncat > {tmp_path}/paper\n{code}\n'
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return tmp_path

    return make


def test_a_printer_gets_it_by_lp(lp):
    folder = lp("exit 0")
    to = Destination(printer="hall", copies=2, options=("sides=two-sided-long-edge",))
    assert deliver(parcel(title="A; rm -rf $HOME"), to, Settings()) == "printer hall"
    words = (folder / "words").read_text().splitlines()
    assert words == ["-d", "hall", "-n", "2", "-t", "A; rm -rf $HOME", "-o",
                     "sides=two-sided-long-edge"]  # fmt: skip
    assert (folder / "paper").read_bytes() == PDF


def test_a_printer_that_refuses_says_why(lp):
    lp("echo 'lp: no such printer' >&2; exit 1")
    with pytest.raises(OutputError, match="no such printer"):
        deliver(parcel(), Destination(printer="hall"), Settings())


def test_a_webhook_is_notified_and_its_address_kept_secret():
    with WebServer() as web:
        url = web.add("/hunter2", lambda hit: Reply("", 204))
        to = Destination(webhook=SecretStr(url))
        assert deliver(parcel(), to, Settings()) == f"webhook at {web.url}"
        web.add("/hunter2", "no", status=500)
        with pytest.raises(OutputError, match="answered 500") as caught:
            deliver(parcel(), to, Settings())
    assert "hunter2" not in str(caught.value) + repr(to)
    assert json.loads(json.dumps(parcel().report))["digest"] == "morning"


def test_a_webhook_that_answers_byte_by_byte_is_given_up(monkeypatch):
    monkeypatch.setattr("printer.digest.delivery._TIMEOUT", 1.0)

    def answer(listener):
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            for _ in range(600):
                connection.sendall(b"a")
                time.sleep(0.1)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=answer, args=[listener])
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/hook"
        started = time.monotonic()
        with pytest.raises(DeliveryUncertain, match="gave no answer"):
            deliver(parcel(), Destination(webhook=SecretStr(url)), Settings())
        assert time.monotonic() - started < 30
        thread.join()


def test_a_webhook_that_answers_without_end_is_notified_once():
    sent = []

    def endless():
        while len(sent) < 2_000:
            sent.append(None)
            yield bytes(100_000)

    with WebServer() as web:
        url = web.add("/hook", endless)
        assert deliver(parcel(), Destination(webhook=SecretStr(url)), Settings())
        assert len(web.hits("/hook")) == 1
    assert len(sent) < 1_000
