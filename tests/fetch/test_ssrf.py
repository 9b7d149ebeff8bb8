import ipaddress
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from printer.errors import BlockedAddress, FetchError, FetchTimeout
from printer.fetch.ssrf import Guard, is_public, resolve_host

PRIVATE = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "2002:c0a8:101::",
    "2a00:1450::5efe:7f00:1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_known(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_known(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_judged_alike_in_every_ipv6_form(ip: ipaddress.IPv4Address) -> None:
    number = int(ip)
    forms = [
        (0xFFFF << 32) | number,
        (0x0064FF9B << 96) | number,
        (0x2002 << 112) | (number << 80) | 1,
    ]
    for form in forms:
        assert is_public(str(ipaddress.IPv6Address(form))) == is_public(str(ip))


@pytest.mark.parametrize("host", ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0x7f000001", "0"])
def test_odd_forms_of_loopback_are_blocked(host: str) -> None:
    with pytest.raises(BlockedAddress, match="--allow-private"):
        Guard().addresses(host, 80, 5)


def test_a_named_host_may_be_private_on_its_port_alone() -> None:
    guard = Guard(["http://127.0.0.1:8080/x"])
    assert guard.addresses("127.0.0.1", 8080, 5) == ("127.0.0.1",)
    with pytest.raises(BlockedAddress):
        guard.addresses("127.0.0.1", 8081, 5)
    with pytest.raises(BlockedAddress):
        guard.addresses("localhost", 8080, 5)


def test_everything_may_be_private_when_allowed() -> None:
    assert Guard(allow_private=True).addresses("127.0.0.1", 1, 5) == ("127.0.0.1",)


def test_a_name_with_public_and_private_addresses_gives_the_public_ones() -> None:
    guard = Guard(["http://mixed.test/"], resolve=lambda host: ["127.0.0.1", "8.8.8.8", "10.0.0.1"])
    assert guard.addresses("mixed.test", 80, 5) == ("8.8.8.8",)


def test_a_name_is_resolved_once_by_many_threads() -> None:
    calls = []

    def resolve(host: str) -> list[str]:
        calls.append(host)
        time.sleep(0.05)
        return ["8.8.8.8"] if len(calls) == 1 else ["127.0.0.1"]

    guard = Guard(resolve=resolve)
    requests: list[tuple[str, ...]] = []
    threads = [
        threading.Thread(target=lambda: requests.append(guard.addresses("name.test", 80, 5)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert requests == [("8.8.8.8",)] * 8
    assert guard.addresses("NAME.test", 443, 5) == ("8.8.8.8",)
    assert calls == ["name.test"]


def test_a_resolver_that_hangs_ends_at_the_limit() -> None:
    release = threading.Event()
    guard = Guard(resolve=lambda host: ["8.8.8.8" if release.wait(60) else ""])
    start = time.monotonic()
    with pytest.raises(FetchTimeout, match=r"slow\.test"):
        guard.addresses("slow.test", 80, 0.1)
    assert time.monotonic() - start < 30
    release.set()


def test_an_unknown_host_is_reported_and_looked_up_again() -> None:
    calls = []

    def resolve(host: str) -> list[str]:
        calls.append(host)
        if len(calls) == 1:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ["8.8.8.8"]

    guard = Guard(resolve=resolve)
    with pytest.raises(FetchError, match=r"there is no server named nowhere\.test"):
        guard.addresses("nowhere.test", 80, 5)
    assert guard.addresses("nowhere.test", 80, 5) == ("8.8.8.8",)


@pytest.mark.parametrize("answer", [[], ["not an address"]])
def test_a_broken_resolver_is_a_fetch_error(answer: list[str]) -> None:
    with pytest.raises(FetchError):
        Guard(resolve=lambda host: answer).addresses("name.test", 80, 5)


def test_a_name_too_long_for_the_system_is_a_fetch_error() -> None:
    with pytest.raises(FetchError):
        Guard().addresses("a" * 70 + ".test", 80, 5)


def test_the_system_resolves_numbers() -> None:
    assert resolve_host("127.0.0.1") == ["127.0.0.1"]
