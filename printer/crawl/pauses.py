"""The pauses that hosts are left, for those who fetch otherwise than by a crawl."""

from __future__ import annotations

from sqlalchemy import select, update

from ..db.engine import open_engine
from ..urls import normalise
from . import holders
from .record import LONGEST_REST
from .schema import Store, hosts
from .scope import host_of


class Pauses:
    """When each host may be asked again, in a database that all who ask share."""

    def __init__(self, database: str, delay: float) -> None:
        self._store = Store(open_engine(database))
        self._delay = delay

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def unready(self) -> frozenset[str]:
        """Return the hosts that are not to be asked now."""
        with self._store.read() as connection:
            now = self._store.now(connection)
            late = select(hosts.c.name).where(hosts.c.next_at > now)
            return frozenset(connection.execute(late).scalars())

    def rest(self, url: str, seconds: float) -> None:
        """Leave the host of an address alone for so long, at the least."""
        with self._store.write() as connection:
            until = self._store.now(connection) + min(seconds, LONGEST_REST)
            holders.rest(connection, host_of(normalise(url)), until)

    def take(self, url: str) -> bool:
        """Ask the host of an address now, if it may be; its pause begins."""
        host = host_of(normalise(url))
        with self._store.write() as connection:
            now = self._store.now(connection)
            known = select(hosts.c.next_at).where(hosts.c.name == host)
            next_at = connection.execute(known).scalar()
            if next_at is None:
                connection.execute(hosts.insert().values(name=host))
            elif next_at > now:
                return False
            asked = update(hosts).where(hosts.c.name == host)
            connection.execute(asked.values(next_at=now + holders.pause(self._delay)))
        return True
