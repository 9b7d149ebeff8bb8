"""The server's processes: the web server, and the engine with its workers."""

from __future__ import annotations

import errno
import logging
import os
import socket
import threading
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from ..errors import JobsError
from ..files import reason_of
from ..jobs import engine
from ..jobs.print_workers import ManagedProcess
from ..jobs.storage import check_storage
from ..settings import Settings, data_folder
from .security import Access, is_loopback, open_access

if TYPE_CHECKING:
    from .service import PrintService

_BACKLOG = 256
_SHUTDOWN_SECONDS = 3
_DELETION_INTERVAL = 60


def serve(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT.

    The socket is opened first and survives a restart of the web server, so that clients wait
    briefly instead of being refused.
    """
    access = open_access()
    with engine.lock_database(settings):
        engine.open_queue(settings).disconnect()
        check_storage(engine.storage_location(settings))
        listener = _listen(settings.host, settings.port)
        web = ManagedProcess(partial(_serve_web, settings, access, listener), "the web server")
        _announce(settings.host, listener, access.keys.token)
        engine.run(
            settings,
            # A server with host names has other users.
            allow_private=is_loopback(settings.host) and not settings.hostnames,
            processes=[web],
            private_files=[listener],
        )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as opened:
            listener = opened.enter_context(socket.socket(family, kind))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
            opened.pop_all()
    except (OSError, UnicodeError) as error:
        hint = "Is the server already running? Choose another port with --port"
        wrong_host = getattr(error, "errno", 0) == errno.EADDRNOTAVAIL
        if isinstance(error, socket.gaierror | UnicodeError) or wrong_host:
            hint = "--host takes a name or an address of this computer, such as 127.0.0.1"
        raise JobsError(
            f"the server cannot listen on {host}, port {port}: {reason_of(error)}", hint=hint
        ) from error
    return listener


def _announce(host: str, listener: socket.socket, token: str) -> None:
    address, port = listener.getsockname()[:2]
    # Browsers try ::1 first for localhost, where another user of the machine may listen.
    loopback = f"[{address}]" if listener.family == socket.AF_INET6 else address
    name = loopback if is_loopback(host) else socket.gethostname()
    engine.log_to_stderr("the print server is running; press Ctrl+C to stop it")
    engine.log_to_stderr(f"to sign in, open http://{name}:{port}/?token={token}")
    if not is_loopback(host):
        engine.log_to_stderr(
            "others can reach this server; what they send is not encrypted unless a proxy in front"
            " of it does that"
        )
    if os.geteuid() == 0:
        engine.log_to_stderr(
            "warning: the server runs as root, so browsers that load pages run without their"
            " sandbox; start it as another user"
        )


def _serve_web(settings: Settings, access: Access, listener: socket.socket) -> None:
    import uvicorn

    from .app import MAX_CONNECTIONS, DeadlineProtocol, LogLimit, ProxyMiddleware, create_app
    from .history import PrintHistory
    from .security import AllowedHosts
    from .service import Preferences, PrintService

    queue, storage = engine.open_queue(settings), engine.open_result_storage(settings)
    service = PrintService(
        queue,
        storage,
        settings,
        Preferences(data_folder() / "defaults.json", settings),
        PrintHistory(data_folder() / "history.sqlite", queue, storage),
    )
    threading.Thread(target=delete_discarded_prints, args=(service,), daemon=True).start()
    app = create_app(service, access, AllowedHosts.of(settings.host, settings.hostnames.split()))
    # Connections make room for others as they arrive; a burst of the backlog may exceed the limit.
    server = uvicorn.Server(
        uvicorn.Config(
            ProxyMiddleware(app, settings.trusted_proxies.split()), lifespan="off",
            access_log=False, log_level="warning", server_header=False, proxy_headers=False,
            http=DeadlineProtocol, limit_concurrency=MAX_CONNECTIONS + _BACKLOG, ws="none",
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        )
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(LogLimit())
    server.run(sockets=[listener])


def delete_discarded_prints(service: PrintService) -> None:
    """Delete discarded prints for good once their time has come, as long as the server runs."""
    while True:
        try:
            service.delete_discarded()
        except Exception as error:  # noqa: BLE001 - the next deletion may succeed
            engine.log_to_stderr(f"discarded prints cannot be deleted: {reason_of(error)}")
        time.sleep(_DELETION_INTERVAL)
