"""Pages, pictures and styles that try to reach private addresses and files.

A second server of a private address stands for the inside: nothing may arrive there.  The page's own
server is private too, but was named by the person, as on a command line.
"""

from __future__ import annotations

import base64
import socket
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from printer import FetchOptions
from printer.errors import BlockedAddress, FetchError, RenderError, UsageError, WebprintError
from printer.fetch.client import HttpClient
from printer.fetch.ssrf import Guard
from tests.support.hostile_pages import (
    capture_of,
    check_pdf,
    hostile_page,
    print_page,
    result_or_error,
)
from tests.support.web_server import WebServer

SECRET = "swordfish"

#: The places for addresses in a page; each is tried with a different address.
PLACES = """
<img src="{}" width=600 height=400>|<img srcset="{} 2x" width=600 height=400>
<img data-src="{}" width=600 height=400 loading=lazy>|<img data-original="{}" width=600 height=400>
<picture><source srcset="{}"><img src="data:," width=600 height=400></picture>
<video poster="{}" width=600 height=400></video>|<audio src="{}"></audio>|<track src="{}">
<svg width=600 height=400><image href="{}" width=600 height=400/></svg>
<svg width=600 height=400><image xlink:href="{}" width=600 height=400/></svg>
<svg width=600 height=400><use href="{}#a"/></svg>|<svg><script href="{}"></script></svg>
<svg width=600 height=400><filter id=f><feImage href="{}"/></filter><rect width=9 height=9 filter="url(#f)"/></svg>
<svg width=600 height=400><style>@import "{}";</style><rect width=9 height=9 fill="url({}#x)"/></svg>
<svg width=600 height=400><foreignObject><img src="{}"></foreignObject></svg>
<p style="background:url({})">x</p>|<p style="content:url('{}');list-style:url({})">x</p>
<object data="{}" width=600 height=400></object>|<embed src="{}" width=600 height=400>
<iframe src="{}" width=600 height=400></iframe>|<frame src="{}">|<input type=image src="{}">
<table background="{}"><tr background="{}"><td background="{}">x</table>
<noscript><img src="{}" width=600 height=400></noscript>|<template><img src="{}"></template>
<math><mi href="{}">x</mi><maction actiontype=statusline href="{}"/></math>
<a rel=attachment href="{}">a</a>|<blockquote cite="{}">q</blockquote>|<ins cite="{}">i</ins>
<portal src="{}"></portal>|<image src="{}" width=600 height=400>|<bgsound src="{}">
<div data-background-image="{}" style="width:600px;height:400px">x</div>
<amp-img src="{}" width=600 height=400></amp-img>|<xi:include href="{}" parse="text"/>
"""

HEADS = """
<link rel=stylesheet href="{}">|<link rel=attachment href="{}">|<link rel=icon href="{}">
<link rel=preload as=image href="{}">|<link rel=prefetch href="{}">|<link rel=amphtml href="{}">
<link rel=canonical href="{}">|<link rel=alternate type="application/rss+xml" href="{}">
<link rel=alternate type="application/json+oembed" href="{}">|<link rel=manifest href="{}">
<link rel=next href="{}">|<link rel=import href="{}">|<meta http-equiv=refresh content="0;url={}">
<meta property=og:image content="{}">|<meta name=twitter:image content="{}">
<meta property=og:image:secure_url content="{}">|<meta itemprop=image content="{}">
<style>@import url({}); @font-face {{ font-family: x; src: url({}) }} p {{ background: url({}) }}</style>
<script src="{}"></script>|<script type="application/ld+json">{{"@type":"Article","image":"{}","logo":"{}"}}</script>
"""


def filled(text: str, address: Callable[[int], str], begin: int = 0) -> str:
    """Put a different address at every place; format one by one."""
    tests, number = [], begin
    for line in text.strip().replace("\n", "|").split("|"):
        addresses = [address(number + n) for n in range(line.count("{}"))]
        number += len(addresses)
        tests.append(line.format(*addresses))
    return "".join(tests)


def forms(host: str, port: int) -> dict[str, str]:
    """Return addresses that lead to an IPv4 host without looking like it."""
    a, b, c, d = map(int, host.split("."))
    number = (a << 24) | (b << 16) | (c << 8) | d
    return {
        "plain": f"http://{host}:{port}/plain",
        "one number": f"http://{number}:{port}/number",
        "octal": f"http://0{a:o}.0{b:o}.0{c:o}.0{d:o}:{port}/octal",
        "hexadecimal": f"http://0x{number:08x}:{port}/hexadecimal",
        "dotted hexadecimal": f"http://0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}:{port}/dotted",
        "short": f"http://{a}.{d}:{port}/short",
        "mapped": f"http://[::ffff:{host}]:{port}/mapped",
        "mapped in hexadecimal": f"http://[::ffff:{a:x}{b:02x}:{c:x}{d:02x}]:{port}/mapped-hex",
        "compatible": f"http://[::{host}]:{port}/compatible",
        "a public name as user": f"http://www.example.org@{host}:{port}/user",
        "a public name and password": f"http://www.example.org:80@{host}:{port}/password",
        "no scheme": f"//{host}:{port}/no-scheme",
        "backslashes": f"http:\\\\{host}:{port}\\backslash",
        "a backslash in the user": f"http://www.example.org\\@{host}:{port}/backslash-user",
        "a tab in it": f"ht\ttp://{host[:4]}\n{host[4:]}:{port}/tab",
        "blanks before": f"  \x0b http://{host}:{port}/blanks",
        "wide digits": f"http://{host.translate({48 + n: 0xFF10 + n for n in range(10)})}:{port}/wide",
        "digits in circles": f"http://{host.replace('1', '①').replace('2', '②')}:{port}/circles",
        "wide dots": f"http://{host.replace('.', '。')}:{port}/dots",
        "a dot at the end": f"http://{host}.:{port}/dot",
        "per cent": f"http://%31%32%37.0.0.{d}:{port}/percent",
        "this host": f"http://localhost:{port}/localhost",
        "nothing": f"http://0.0.0.0:{port}/zeros",
        "IPv6": f"http://[::1]:{port}/ipv6",
        "IPv6 with a zone": f"http://[::1%25lo]:{port}/zone",
        "a fragment that hides it": f"http://{host}:{port}#@www.example.org/fragment",
        "upper case": f"HTTP://LOCALHOST:{port}/upper",
        "web socket": f"ws://{host}:{port}/socket",
    }


def test_nothing_in_a_page_reaches_a_private_address() -> None:
    with WebServer() as web, WebServer("127.0.0.2") as inside:
        body = filled(PLACES, lambda n: f"{inside.url}/place-{n}")
        head = filled(HEADS, lambda n: f"{inside.url}/place-{n}", 1000)
        url = web.add("/story", hostile_page(body, head=head))
        for more in ({}, {"format": "html"}, {"format": "epub"}):
            result = result_or_error(lambda more=more: print_page(url, named=(url,), **more))
            assert not isinstance(result, WebprintError), result
            if not more:
                assert SECRET not in check_pdf(result)
        assert not inside.hits(), f"asked for: {[hit.path for hit in inside.hits()]}"


def test_no_form_of_an_address_hides_where_it_leads() -> None:
    with WebServer() as web, WebServer("127.0.0.2") as inside:
        written = forms("127.0.0.2", inside.port)
        pictures = "".join(
            f"<figure><img src='{url}' width=600 height=400></figure>" for url in written.values()
        )
        url = web.add("/story", hostile_page(pictures))
        result = result_or_error(lambda: print_page(url, named=(url,)))
        check_pdf(result)
        assert not inside.hits(), f"asked for: {[hit.path for hit in inside.hits()]}"


@pytest.mark.parametrize("form", forms("127.0.0.2", 1))
def test_no_redirect_leads_inside(form: str) -> None:
    with WebServer() as web, WebServer("127.0.0.2") as inside:
        target = forms("127.0.0.2", inside.port)[form]
        web.redirect("/first", "/second", 307)
        web.redirect("/second", target.encode("utf-8").decode("latin-1").replace("\n", ""), 303)
        with HttpClient(
            FetchOptions(cache=False, retries=0, timeout=8), user_urls=(web.url,)
        ) as fetch:
            outcome = result_or_error(lambda: fetch.get_page(f"{web.url}/first"))
        assert isinstance(outcome, WebprintError), "the redirect was followed"
        assert not inside.hits()


def test_a_base_elsewhere_moves_no_address_inside() -> None:
    with WebServer() as web, WebServer("127.0.0.2") as inside:
        for base in (f"//127.0.0.2:{inside.port}/", "file:///etc/"):
            url = web.add(
                "/story",
                hostile_page(
                    "<img src='passwd' width=600 height=400>", head=f"<base href='{base}'>"
                ),
            )
            assert "root:" not in check_pdf(
                result_or_error(lambda url=url: print_page(url, named=(url,)))
            )
        assert not inside.hits()


def test_the_next_page_is_not_inside() -> None:
    with WebServer() as web, WebServer("127.0.0.2") as inside:
        inside.add("/2", hostile_page(f"<p>{SECRET}</p>"))
        web.redirect("/2", f"{inside.url}/2")
        url = web.add(
            "/1", hostile_page("<a rel=next href=/2>Next page</a>", head="<link rel=next href=/2>")
        )
        assert SECRET not in check_pdf(result_or_error(lambda: print_page(url, named=(url,))))
        assert not inside.hits()


def test_a_picture_that_redirects_leads_nowhere_inside() -> None:
    with WebServer() as web, WebServer("127.0.0.2") as inside:
        for number, target in enumerate(forms("127.0.0.2", inside.port).values()):
            web.redirect(f"/{number}.jpg", target.encode().decode("latin-1").replace("\n", ""))
        pictures = "".join(f"<img src=/{n}.jpg width=600 height=400>" for n in range(30))
        url = web.add("/story", hostile_page(pictures))
        check_pdf(result_or_error(lambda: print_page(url, named=(url,))))
        assert not inside.hits()


def test_a_name_that_changes_its_answer_gains_nothing() -> None:
    """The first lookup gives a public address, later ones a private one; and the reverse."""
    with WebServer("127.0.0.2") as inside:
        for answers in (["192.0.2.1", "127.0.0.2"], ["127.0.0.2", "192.0.2.1"]):
            left = iter(answers)

            def resolve(host: str, left=left) -> list[str]:
                return [next(left, "127.0.0.2")]

            options = FetchOptions(cache=False, retries=2, timeout=2, connect_timeout=0.3)
            with HttpClient(options, resolve=resolve, sleep=lambda _: None) as web:
                outcome = result_or_error(
                    lambda web=web: web.get_page(f"http://rebound.test:{inside.port}/")
                )
            assert isinstance(outcome, FetchError)
        assert not inside.hits()


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1.", "localhost.", "LOCALHOST", "ip6-localhost", "[::1]", "0", "0x0", "00000000000",
     "127.1", "017700000001", "2130706433", "[::]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
     "①②⑦.⓪.⓪.①", "127。0。0。1", "169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal",
     "localhost\0.example.org", "127.0.0.1\t", "a" * 300, ".", "..", "-", "xn--", "[::1", "::1]"],
)  # fmt: skip
def test_a_host_in_any_form_is_public_or_refused(host: str) -> None:
    outcome = result_or_error(lambda: Guard().addresses(host, 80, 5))
    assert isinstance(outcome, BlockedAddress | FetchError), outcome


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "FILE:/etc/passwd", "file://localhost/etc/passwd", "jar:file:///a!/b",
     "data:text/html,<p>x", "javascript:alert(1)", "view-source:http://x.test/", "about:blank",
     "ftp://127.0.0.1/", "gopher://127.0.0.1:25/_MAIL", "dict://127.0.0.1:11211/stats",
     "ldap://127.0.0.1/", "tftp://127.0.0.1/x", "ws://127.0.0.1/", "blob:http://x.test/1",
     "unix:/var/run/docker.sock", "http+unix://%2Fvar%2Frun/x", "\\\\server\\share", "//etc/passwd",
     "netdoc:///etc/passwd", "http:///etc/passwd", "https:/x", "http://", "http://:80/",
     "http://x.test:99999/", "http://x.test:-1/", "http://[", "http://x.test\r\nHost: y/"],
)  # fmt: skip
def test_only_the_web_is_fetched(url: str) -> None:
    options = FetchOptions(cache=False, retries=0, timeout=2)
    with HttpClient(options, resolve=lambda host: ["127.0.0.1"]) as web:
        assert isinstance(result_or_error(lambda: web.get_page(url)), WebprintError)
        assert isinstance(
            result_or_error(lambda: web.get_resource(url)), WebprintError | ValueError
        )


def test_no_page_names_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.svg"
    secret.write_text(
        f"<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'><text>{SECRET}</text></svg>"
    )
    schemes = ("file://", "FILE:", "jar:file://", "view-source:file://", "")
    body, head = (
        "".join(filled(places, lambda n: f"{scheme}{secret}") for scheme in schemes)  # noqa: B023
        for places in (PLACES, HEADS)
    )
    html = hostile_page(body, head=head)
    for format_ in ("pdf", "html", "epub"):
        result = result_or_error(lambda format_=format_: print_page(html, format=format_))
        assert not isinstance(result, WebprintError), result
        assert SECRET.encode() not in result.data
        if format_ == "pdf":
            assert SECRET not in check_pdf(result)


STYLES = """
@import "{}";|@import url({}) print;|@font-face {{ font-family: Secret; src: url("{}"), local({}) }}
p {{ background: url({}); font-family: Secret; cursor: url({}) }}|p::before {{ content: url({}) }}
li {{ list-style-image: url({}) }}|@page {{ background: url({}); @top-left {{ content: url({}) }} }}
p {{ border-image: url({}) 30; mask: url({}); shape-outside: url({}); filter: url({}#a) }}
p::after {{ content: target-text(url({})) attr(href url) }}|@namespace x url({});
p {{ background: image-set("{}" 1x); bookmark-label: url({}); link: url({}); anchor: url({}) }}
"""


def test_a_style_sheet_of_a_person_opens_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret.svg"
    secret.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    with WebServer() as web:
        addresses = (f"{web.url}/x.css", secret.as_uri(), str(secret), "jar:file:/x!/y")
        rules = STYLES.strip().replace("\n", "|").split("|")
        css = "".join(filled(rule, lambda n: a) for rule in rules for a in addresses)  # noqa: B023
        check_pdf(result_or_error(lambda: print_page(hostile_page(), css=css)))
        assert not web.hits()


@pytest.mark.parametrize(
    "css",
    ["</style><script>alert(1)</script>", "*" * 10**5, "@media print {" * 5_000, "a{b:" + "(" * 10**5,
     "p{width:calc(" + "(1px + " * 3_000, "p{content:'" + "\\" * 10**5, "/*" * 10**5,
     ":root{--a:var(--b);--b:var(--a);--c:var(--c)} p{color:var(--a);width:var(--c)}",
     ":root{--a0:xxxxxxxxxx;" + "".join(f"--a{n}:{f'var(--a{n - 1})' * 10};" for n in range(1, 12))
     + "} p::before{content:var(--a11)}",
     "p{font-size:1e99px;margin:-1e99px;line-height:1e-99}", "@page{size:0 0;margin:1e9mm}",
     "@page{size:1mm 1mm}", "p{column-count:999999999;columns:1px}", "p{break-before:page}" * 50,
     "p::before{content:counter(x, symbols(cyclic ''))} p{counter-increment:x 999999999}",
     "p{height:1e7px}", "p{position:fixed;float:footnote;display:table-cell}",
     ":not(:is(" * 2_000, ".a" * 10**5, "p" + "~p" * 5_000 + "{color:red}"],
    ids=range(20),
)  # fmt: skip
def test_a_style_sheet_that_is_a_trap(css: str) -> None:
    result = result_or_error(lambda: print_page(hostile_page(), css=css, limit=1.5))
    if not isinstance(result, RenderError):
        check_pdf(result)


THEME = 'description = "A trap"\nextends = "article"\n'

TEMPLATES = {
    "a class of a class": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals": "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "a format": "{{ '{0.__class__.__init__.__globals__}'.format(article) }}",
    "an attribute by name": "{{ article|attr('__class__') }}",
    "a file": "{% include '/etc/passwd' %}",
    "a file above": "{% include '../../../../../../etc/passwd' %}",
    "an import": "{% import 'os' as os %}{{ os.system('id') }}",
    "a loop without end": "{% for a in range(99999) %}{% for b in range(99999) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}{% endfor %}",
    "loops that say nothing": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "a loop inside itself": "{% for a in [1, 2] recursive %}{{ loop([1, 2]) if loop.depth < 60 }}{% endfor %}",
    "a loop over what is made as it goes": "{% for a in range(99999) %}{% for b in range(99999) | map('string') %}{% endfor %}{% endfor %}",
    "macros that call themselves": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "a number without end": "{{ 9 ** (9 ** 9) }}",
    "a number that grows": "{% set n = namespace(n=9 ** 99) %}{% for a in range(99) %}{% set n.n = n.n * n.n %}{% endfor %}",
    "a division by nothing": "{{ 1 / 0 }}",
    "a word without end": "{{ 'x' * 10**11 }}",
    "itself": "{% include 'article.html.j2' %}",
    "a name that is none": "{{ nothing.at.all }}",
    "broken": "{% if %}",
}


@pytest.mark.parametrize("attack", TEMPLATES)
def test_a_template_of_a_theme(attack: str, tmp_path: Path) -> None:
    (tmp_path / "theme.toml").write_text(THEME)
    (tmp_path / "article.html.j2").write_text(TEMPLATES[attack])
    with patch("printer.render.templates.TIME_LIMIT", 0.5):
        outcome = result_or_error(
            lambda: print_page(hostile_page(), theme=f"{tmp_path}/", limit=3.0)
        )
    assert isinstance(outcome, WebprintError), f"it was printed: {check_pdf(outcome)[:200]}"


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "/etc/passwd", "link.svg", "a\\0b.png", "a\0b.png", "%2e%2e/x.png",
             "file:///etc/passwd", "C:/x.png", "." * 5000 + ".png", "font.ttf", "data:image/png,x"],
    ids=range(11),
)  # fmt: skip
def test_a_theme_reads_its_own_folder_alone(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "theme"
    folder.mkdir()
    secret = tmp_path / "secret.svg"
    secret.write_text(
        f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>{SECRET}</text></svg>"
    )
    (folder / "link.svg").symlink_to(secret)
    (folder / "font.ttf").write_bytes(b"\0\1\0\0" + b"\xff" * 5000)
    (folder / "theme.toml").write_text(THEME)
    (folder / "print.css").write_text(
        f"@font-face {{ font-family: S; src: url('{name}') }}\np {{ font-family: S }}\n"
        f"h1 {{ background: url('{name}') }} h1::before {{ content: url('{name}') }}",
    )
    outcome = result_or_error(lambda: print_page(hostile_page(), theme=f"{folder}/"))
    if isinstance(outcome, WebprintError):
        assert isinstance(outcome, UsageError), outcome
    else:
        text = check_pdf(outcome)
        assert SECRET not in text
        assert "root:" not in text


def test_headers_that_are_a_flood_end(tmp_path: Path) -> None:
    def flood(talk: socket.socket) -> None:
        talk.sendall(b"HTTP/1.1 200 OK\r\n")
        try:
            for number in range(2_000_000):
                talk.sendall(b"X-%d: %s\r\n" % (number, b"y" * 1000))
        except OSError:
            return  # it hung up

    def early(talk: socket.socket) -> None:
        try:
            for _ in range(200_000):
                talk.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        except OSError:
            return

    def cookies(talk: socket.socket) -> None:
        talk.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/html\r\n")
        talk.sendall(b"Set-Cookie: a=b; Domain=.test; Path=/\r\n" * 500 + b"\r\nhi")

    with WebServer() as web:
        for path, talk in (("/flood", flood), ("/early", early), ("/cookies", cookies)):
            url = web.raw(path, talk)
            options = FetchOptions(cache=False, retries=0, timeout=8)
            with HttpClient(options, user_urls=(url,)) as fetch:
                result_or_error(lambda fetch=fetch, url=url: fetch.get_page(url))


def test_a_capture_that_lies_about_itself_is_only_text() -> None:
    lies = capture_of(
        hostile_page(),
        url=f"https://x.test/{base64.b64encode(b'x' * 10**6).decode()}",
        headers={"content-disposition": "x\r\nY: z"},
        charset="utf-8\r\nX: y",
    )
    check_pdf(result_or_error(lambda: print_page(lies)))
