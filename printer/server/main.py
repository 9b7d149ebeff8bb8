"""The server's processes: one that listens, workers that print, one that keeps them all."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from functools import partial

from ..errors import JobsError, UsageError
from ..jobs import factory
from ..jobs.supervisor import ManagedProcess
from ..settings import Settings, data_folder
from .auth import AccessKeys, load_keys, token_path
from .security import AllowedHosts, is_loopback

_BACKLOG = 256
_MOST_CONNECTIONS = 500
_GRACE_SECONDS = 3


def serve(settings: Settings) -> None:
    """Serve until told to stop by SIGTERM or SIGINT.

    The socket is opened first and kept when the web process is started again, so that whoever
    calls meanwhile waits a moment instead of being refused.
    """
    access = load_keys(token_path())
    factory.open_queue(settings).disconnect()
    listening = _listen(settings.host, settings.port)
    calls, call = os.pipe()
    os.set_blocking(call, False)
    web = ManagedProcess(partial(_serve_web, settings, access, listening, call))
    _say_where(settings.host, listening.getsockname()[1], access)
    factory.supervise(
        settings,
        # A server with a name of its own is for others too, whoever passes on what they ask.
        allow_private=is_loopback(settings.host) and not settings.hostnames,
        processes=[web],
        wakeup=calls,
        inherited_files=[listening],
    )


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise UsageError(f"--port: {port} is not a port")
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise JobsError(
            f"the server cannot listen on {host}, port {port}: {str(reason).lower()}",
            hint="Is it running already? Another port: --port",
        ) from error
    return listening


def _say_where(host: str, port: int, access: AccessKeys) -> None:
    shown = "localhost" if is_loopback(host) else socket.gethostname()
    print(f"webprint: open http://{shown}:{port}/?token={access.token}", file=sys.stderr)
    if not is_loopback(host):
        print(
            "webprint: others can reach this server; what they send is not encrypted unless a"
            " proxy in front of it does that",
            file=sys.stderr,
        )
    sys.stderr.flush()


def _serve_web(settings: Settings, access: AccessKeys, listening: socket.socket, call: int) -> None:
    """Serve HTTP on a socket that is open already."""
    import uvicorn

    from .app import make_app
    from .service import FILE, Defaults, PrintService, Revisions

    def wake() -> None:
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(call, b"!")

    table, storage = factory.open_queue(settings), factory.open_result_storage(settings)
    revisions = Revisions(table, storage, settings)
    defaults = Defaults(data_folder() / FILE)
    prints = PrintService(table, storage, settings, wake, revisions, defaults)
    app = make_app(prints, access, AllowedHosts.of(settings.host, settings.hostnames.split()))
    server = uvicorn.Server(
        uvicorn.Config(
            app, lifespan="off", access_log=False, log_level="warning", server_header=False,
            proxy_headers=False, http="h11", limit_concurrency=_MOST_CONNECTIONS, ws="none",
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )  # fmt: skip
    server.run(sockets=[listening])
