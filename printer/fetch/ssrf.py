"""The address guard: which addresses a fetch may reach (protection against SSRF).

A name is resolved once per run and its addresses are checked; connections are then made to the very
address that was checked, so that a name that changes its answer (DNS rebinding) gains nothing.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import BadURL, BlockedAddress, FetchError, FetchTimeout, UsageError
from ..urls import (
    Origin,
    credentials_by_origin,
    origin_of,
    origins_of,
    split_credentials,
    strip_userinfo,
)

#: Resolves a host name, or a numeric address in any form, to IP addresses; raise OSError.
Resolver: TypeAlias = Callable[[str], Iterable[str]]

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)


def resolve_host(host: str) -> list[str]:
    entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def is_public(address: str) -> bool:
    """Return whether an IP address, and any IPv4 address embedded in it, is public."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv4Address):
        return _is_public_ipv4(ip)
    embedded = _embedded_ipv4(ip)
    if embedded is None:
        return ip in _GLOBAL_UNICAST and not ip.is_private
    in_public_range = ip in _GLOBAL_UNICAST or ip in _NAT64 or ip.ipv4_mapped is not None
    return in_public_range and _is_public_ipv4(embedded)


def _is_public_ipv4(ip: ipaddress.IPv4Address) -> bool:
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


def _embedded_ipv4(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 one: mapped, 6to4, NAT64, ISATAP."""
    if ip.sixtofour is not None:
        return ip.sixtofour
    is_isatap = (int(ip) >> 32) & 0xFFFFFFFF in _ISATAP
    if ip.ipv4_mapped is not None or ip in _NAT64 or is_isatap:
        return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return None


@dataclass(frozen=True, slots=True)
class UpstreamProxy:
    """A proxy that the environment names; ``login`` is its NAME:PASSWORD, '' for none."""

    origin: Origin
    login: str = ""

    def unreachable(self) -> FetchError:
        return FetchError(
            f"the proxy {self.origin} does not answer",
            hint="HTTP_PROXY and HTTPS_PROXY name it; NO_PROXY lists hosts reached without it",
        )

    def refused(self, reason: str) -> FetchError:
        return FetchError(
            f"the proxy {self.origin} refused: {reason[:80].rstrip('.').lower()}",
            hint="If it needs a password, use HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT",
        )


def upstream_proxy(scheme: str, host: str) -> UpstreamProxy | None:
    """Return the proxy of the environment for a host, as curl would choose it.

    Loopback needs none, and no host that NO_PROXY lists.  Raise :class:`UsageError` for a proxy
    that is neither http nor https.
    """
    from urllib import request

    proxies = request.getproxies_environment()
    url = proxies.get(scheme) or proxies.get("all", "")
    if not url or host == "localhost":
        return None
    if request.proxy_bypass_environment(host):  # type: ignore[attr-defined]  # not in typeshed
        return None
    with suppress(ValueError):
        if ipaddress.ip_address(host.strip("[]")).is_loopback:
            return None
    url, login = split_credentials(url if "://" in url else f"http://{url}")
    try:
        return UpstreamProxy(origin_of(url), login)
    except BadURL as error:
        raise UsageError(
            f"the proxy {strip_userinfo(url)[:80]} is not an http or https address",
            hint=f"Change {scheme.upper()}_PROXY, or list {host} in NO_PROXY",
        ) from error


class Guard:
    """Check the hosts of one run; safe to share between threads.

    The hosts and ports of ``user_urls``, which the user gave, may be private.  Their origins are in
    ``user_origins``, the user names and passwords in them in ``credentials``.
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
        self.credentials = credentials_by_origin(user_urls)
        self._allowed = frozenset((origin.host, origin.port) for origin in self.user_origins)
        self._allow_private = allow_private
        self._resolve = resolve
        self._lock = threading.Lock()
        self._resolved: dict[str, Future[tuple[str, ...]]] = {}

    def addresses(self, host: str, port: int, timeout: float) -> tuple[str, ...]:
        """Return the addresses of ``host`` that may be connected to, at least one.

        Raise :class:`BlockedAddress` if all are private, :class:`FetchError` if the name cannot be
        resolved within ``timeout`` seconds.
        """
        host = host.lower().strip("[]")
        addresses = self._addresses(host, timeout)
        # If a name has both, its private addresses are never needed.
        if public := tuple(address for address in addresses if is_public(address)):
            return public
        if self._allow_private or (host, port) in self._allowed:
            return addresses
        name = host if host in addresses else f"{host} ({addresses[0]})"
        raise BlockedAddress(
            f"{name} is on a private network and was not fetched",
            hint="If you trust it, allow it with --allow-private",
        )

    def check_proxied(self, host: str, port: int, timeout: float) -> None:
        """Raise an error for a host that must not be requested from a proxy.

        The proxy resolves the name itself.  A name that only the proxy can resolve may be private:
        it is allowed where private addresses are.
        """
        try:
            self.addresses(host, port, timeout)
        except (BlockedAddress, FetchTimeout):
            raise
        except FetchError as error:
            if self._allow_private or (host.lower().strip("[]"), port) in self._allowed:
                return
            hint = "Only the proxy may know it: allow that with --allow-private"
            raise BlockedAddress(error.message, hint=hint) from error

    def _addresses(self, host: str, timeout: float) -> tuple[str, ...]:
        with self._lock:
            future = self._resolved.get(host)
            if future is None:
                future = self._resolved[host] = Future()
                # In a separate thread, because the system's resolver has no timeout.
                threading.Thread(target=self._look_up, args=(host, future), daemon=True).start()
        try:
            return future.result(max(timeout, 0.0))
        except FutureTimeout:
            raise FetchTimeout(f"resolving {host} timed out") from None
        except socket.gaierror as error:
            self._forget(host, future)
            if error.errno == socket.EAI_AGAIN:
                raise FetchError(
                    f"{host} cannot be resolved at the moment",
                    hint="Check the network connection, or try again later",
                ) from error
            raise FetchError(
                f"there is no server named {host}", hint="Check the address for a typing mistake"
            ) from error
        except (OSError, UnicodeError, ValueError) as error:
            self._forget(host, future)
            raise FetchError(f"the name {host} cannot be resolved: {error}") from error

    def _look_up(self, host: str, future: Future[tuple[str, ...]]) -> None:
        try:
            addresses = tuple(self._resolve(host))
            for address in addresses:
                ipaddress.ip_address(address.partition("%")[0])
            if not addresses:
                raise socket.gaierror(socket.EAI_NONAME, "no address")
        except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
            future.set_exception(error)
        else:
            future.set_result(addresses)

    def _forget(self, host: str, future: Future[tuple[str, ...]]) -> None:
        """Forget a name that could not be resolved, so that the next call tries again."""
        with self._lock:
            if self._resolved.get(host) is future:
                del self._resolved[host]
