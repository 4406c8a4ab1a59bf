"""The viewer's process: from its socket to its end after a time without requests."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from aforesaid.entrypoints.http_server.listening import listen, make_server, shutdown_event
from aforesaid.entrypoints.http_server.log_rate import limit_log_rate

from .app import make_app
from .security import Access
from .services import Services

if TYPE_CHECKING:
    import socket

    from starlette.types import ASGIApp

HOST = "127.0.0.1"
IDLE_SECONDS = 15 * 60.0
#: Requests that are answered at a time. Each thread has a connection to the store of its own.
THREADS = 2
_CHECK_SECONDS = 5.0


def main(*, port: int, browser: bool, folder: str, idle_seconds: float = IDLE_SECONDS) -> int:
    """Serve until a signal or a time without requests ends it; return the exit code.

    Args:
        port: 0 for any free one.
        browser: whether to open the viewer in the user's browser.
        folder: whose project is shown first.
        idle_seconds: without a request, after which it ends.

    Raises:
        UnavailableError: the port is not available, or the store cannot be opened.
        InvalidInputError: a setting is invalid.
    """
    listener = listen(HOST, port, "aforesaid ui")
    services = Services(os.environ, folder)
    services.containers.get()  # an error in the settings or the store is reported at the shell
    access = Access(listener.getsockname()[1])
    url = f"http://{HOST}:{listener.getsockname()[1]}/?token={access.one_time_token}"
    services.containers.embedder.start()
    services.has_person = services.has_person or browser
    anyio.run(_serve, make_app(services, access), access, listener, (url, browser, idle_seconds))
    services.close()
    return 0


async def _serve(
    app: ASGIApp, access: Access, listener: socket.socket, options: tuple[str, bool, float]
) -> None:
    url, browser, idle_seconds = options
    limit_log_rate()
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    server = make_server(app)
    shutdown = shutdown_event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve, [listener])
        opened = browser and await anyio.to_thread.run_sync(webbrowser.open, url)
        _print_banner(url, opened=opened, idle_seconds=idle_seconds)
        while not shutdown.is_set():
            idle = time.monotonic() - access.last_request
            if idle >= idle_seconds:
                break
            with anyio.move_on_after(min(_CHECK_SECONDS, idle_seconds - idle)):
                await shutdown.wait()
        server.should_exit = True


def _print_banner(url: str, *, opened: bool, idle_seconds: float) -> None:
    where = "opened in your browser; if you do not see it, open" if opened else "open"
    sys.stdout.write(
        f"Viewer: {where}\n  {url}\n"
        f"The address works once. It ends with Ctrl-C, or after {idle_seconds / 60:.0f} minutes "
        "without use.\n"
    )
    sys.stdout.flush()
