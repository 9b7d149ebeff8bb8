"""Which addresses may be reached.

A name is resolved once per run and its addresses are judged; whoever connects then connects to
the very address that was judged, so a name that changes its answer afterwards gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import TypeAlias

from ..errors import BlockedAddress, FetchError, FetchTimeout
from ..urls import credentials_by_origin, origins_of

#: Turns a host name (or a number in any form) into IP addresses; raises OSError.
Resolver: TypeAlias = Callable[[str], Iterable[str]]
Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_CGNAT = ipaddress.IPv4Network("100.64.0.0/10")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


def resolve_host(host: str) -> list[str]:
    """Ask the system's resolver."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Tell whether an IP address is on the public Internet, with what it embeds."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = _embedded(ip)
        if inner is not None:
            return _public_v4(inner) and (ip in _GLOBAL_UNICAST or ip in _NAT64 or _mapped(ip))
        return _unicast(ip)
    return _public_v4(ip)


def _public_v4(ip: ipaddress.IPv4Address) -> bool:
    return not (
        ip.is_private
        or ip.is_loopback
        or ip.is_link_local
        or ip.is_multicast
        or ip.is_reserved
        or ip.is_unspecified
        or ip in _CGNAT
    )


def _unicast(ip: ipaddress.IPv6Address) -> bool:
    return ip in _GLOBAL_UNICAST and not ip.is_private


def _mapped(ip: ipaddress.IPv6Address) -> bool:
    return ip.ipv4_mapped is not None


def _embedded(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 one stands for: mapped, 6to4, NAT64, ISATAP."""
    low = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if _mapped(ip) or ip in _NAT64:
        return low
    if ip.sixtofour is not None:
        return ip.sixtofour
    if (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP:
        return low
    return None


class Guard:
    """Judges hosts for one run; safe to share between threads.

    ``named`` are URLs that a person gave: their hosts and ports may be private.  The attribute
    ``named`` holds their origins, ``logins`` the names and passwords that stood in them.
    """

    def __init__(
        self,
        user_urls: Iterable[str] = (),
        *,
        allow_private: bool = False,
        resolve: Resolver = resolve_host,
    ) -> None:
        user_urls = tuple(user_urls)
        self.user_origins = origins_of(user_urls)
        self.logins = credentials_by_origin(user_urls)
        self._doors = frozenset((where.host, where.port) for where in self.user_origins)
        self._allow_private = allow_private
        self._resolve = resolve
        self._lock = threading.Lock()
        self._known: dict[str, Future[tuple[str, ...]]] = {}

    def addresses(self, host: str, port: int, timeout: float) -> tuple[str, ...]:
        """Return the addresses of ``host`` that may be connected to, never none.

        Raises :class:`BlockedAddress`, or :class:`FetchError` when the name is not found.
        """
        host = host.lower().strip("[]")
        every = self._addresses(host, timeout)
        public = tuple(address for address in every if is_public(address))
        if public:  # Of a name that has both, the private ones are never needed.
            return public
        if self._allow_private or (host, port) in self._doors:
            return every
        shown = host if host in every else f"{host} ({every[0]})"
        raise BlockedAddress(
            f"{shown} is a private address, and a page or redirect may not lead there",
            hint="If you trust it, allow it with --allow-private",
        )

    def _addresses(self, host: str, timeout: float) -> tuple[str, ...]:
        with self._lock:
            future = self._known.get(host)
            if future is None:
                future = self._known[host] = Future()
                # A thread of its own, because the system's resolver knows no time limit.
                threading.Thread(target=self._look_up, args=(host, future), daemon=True).start()
        try:
            return future.result(max(timeout, 0.0))
        except FutureTimeout:
            raise FetchTimeout(f"the name {host} was not resolved in time") from None
        except socket.gaierror as error:
            self._forget(host, future)
            if error.errno == socket.EAI_AGAIN:
                raise FetchError(
                    f"the name {host} cannot be resolved now",
                    hint="Check the network connection, or try again later",
                ) from error
            raise FetchError(
                f"no server is called {host}", hint="Check the address for a typing mistake"
            ) from error
        except (OSError, UnicodeError, ValueError) as error:
            self._forget(host, future)
            raise FetchError(f"the name {host} cannot be resolved: {error}") from error

    def _look_up(self, host: str, future: Future[tuple[str, ...]]) -> None:
        try:
            found = tuple(self._resolve(host))
            for address in found:
                ipaddress.ip_address(address.partition("%")[0])
            if not found:
                raise socket.gaierror(socket.EAI_NONAME, "no address")
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits for it
            future.set_exception(error)
        else:
            future.set_result(found)

    def _forget(self, host: str, future: Future[tuple[str, ...]]) -> None:
        """Let a name that failed be asked for again."""
        with self._lock:
            if self._known.get(host) is future:
                del self._known[host]
