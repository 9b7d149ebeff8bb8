"""What robots.txt says (RFC 9309): read by Protego, fetched like any page, kept with the crawl."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from protego import Protego
from sqlalchemy import select, update

from ..errors import TRANSIENT_STATUSES, HTTPStatusError, WebprintError
from ..fetch.client import HttpClient
from ..urls import origin_of
from .store import Store, hosts, robots

#: Seconds after which it is fetched again; bytes of it that are read.
_MAX_AGE, _MAX_BYTES = 86_400.0, 500_000
#: A site whose robots.txt cannot be had is left alone for so many times the rest that a page gets
#: that failed, and so often.
RETRY_FACTOR, MAX_ATTEMPTS = 6.0, 4
#: A pause that is asked for counts up to here, in seconds.
_MAX_DELAY = 300.0
_MAX_SITEMAPS = 20

State = Literal["read", "none", "closed"]


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one origin: ``closed`` lets nothing be fetched, as it cannot be had."""

    state: State
    body: str
    tries: int = 0

    def allows(self, url: str, user_agent: str) -> bool:
        """Tell whether a page may be fetched."""
        if self.state != "read":
            return self.state == "none"
        return bool(_parse(self.body).can_fetch(url, user_agent))

    def delay(self, user_agent: str) -> float:
        """Return the pause between requests that is asked for, in seconds."""
        if self.state != "read":
            return 0.0
        parsed = _parse(self.body)
        pause = parsed.crawl_delay(user_agent) or 0.0
        if rate := parsed.request_rate(user_agent):
            pause = max(pause, rate.seconds / max(rate.requests, 1))
        return float(min(max(pause, 0.0), _MAX_DELAY))

    def sitemaps(self) -> list[str]:
        """Return the sitemaps that it names."""
        named = list(_parse(self.body).sitemaps) if self.state == "read" else []
        return [str(url) for url in named[:_MAX_SITEMAPS]]


@lru_cache(maxsize=32)
def _parse(body: str) -> Protego:
    return Protego.parse(body)


def cached_rules(store: Store, url: str, retry_delay: float) -> RobotsRules | None:
    """Return the rules for an address as they were read lately, None when they are to be read.

    ``rest`` is after how many seconds those are asked for again that could not be had.
    """
    with store.read() as connection:
        now = store.now(connection)
        wanted = select(robots).where(robots.c.origin == str(origin_of(url)))
        row = connection.execute(wanted).first()
    if row is None or now - row.read_at >= (retry_delay if row.state == "closed" else _MAX_AGE):
        return None
    return RobotsRules(row.state, bytes(row.body).decode(), row.tries)


def fetch_rules(store: Store, web: HttpClient, url: str, user_agent: str) -> RobotsRules:
    """Fetch the rules for an address and keep them, with the pause they ask for."""
    where = str(origin_of(url))
    state: State = "read"
    body = b""
    try:
        body = web.get_resource(f"{where}/robots.txt").body[:_MAX_BYTES]
    except HTTPStatusError as error:
        # What is refused or not there forbids nothing; a server in trouble may forbid anything.
        state = "closed" if error.status in TRANSIENT_STATUSES or error.status >= 500 else "none"
    except WebprintError:
        state = "closed"
    text = body.decode("utf-8-sig", "replace").replace("\0", "")
    with store.write() as connection:
        now = store.now(connection)
        row = connection.execute(select(robots).where(robots.c.origin == where)).first()
        tries = (row.tries if row else 0) + 1 if state == "closed" else 0
        values = {"state": state, "body": text.encode(), "read_at": now, "tries": tries}
        if row:
            connection.execute(update(robots).where(robots.c.origin == where).values(**values))
        else:
            connection.execute(robots.insert().values(origin=where, **values))
        rules = RobotsRules(state, text, tries)
        from .scope import netloc_of

        asked = update(hosts).where(hosts.c.name == netloc_of(url))
        connection.execute(asked.values(delay=rules.delay(user_agent)))
    return rules
