"""The viewer's process: from its socket to its end after a time without requests."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from typing import TYPE_CHECKING, NamedTuple

import anyio
import anyio.to_thread

from aforesaid.entrypoints.http_server.listening import listen, make_server, shutdown_event
from aforesaid.entrypoints.http_server.log_rate import limit_log_rate

from .app import make_app
from .security import Access
from .services import Services

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

HOST = "127.0.0.1"
IDLE_SECONDS = 15 * 60.0
#: Requests that are answered at a time. Each thread has a connection to the store of its own.
THREADS = 2
_CHECK_SECONDS = 5.0
LAST_LINE = "It ends"  #: how the last line begins that it prints when it is ready


class _Options(NamedTuple):
    """How one viewer runs."""

    url: str
    browser: bool
    idle_seconds: float


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
    options = _Options(url, browser and has_display(os.environ), idle_seconds)
    anyio.run(_serve, services, access, listener, options)
    services.close()
    return 0


async def _serve(
    services: Services, access: Access, listener: socket.socket, options: _Options
) -> None:
    limit_log_rate()
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    server = make_server(make_app(services, access))
    shutdown = shutdown_event()
    idle_seconds = options.idle_seconds
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.serve, [listener])
        opened = options.browser and await anyio.to_thread.run_sync(webbrowser.open, options.url)
        # an agent that started it did not read the address
        services.has_person = services.has_person or opened
        _print_banner(options, opened=opened)
        while not shutdown.is_set():
            idle = time.monotonic() - access.last_request
            if idle >= idle_seconds:
                break
            with anyio.move_on_after(min(_CHECK_SECONDS, idle_seconds - idle)):
                await shutdown.wait()
        server.should_exit = True


def has_display(environment: Mapping[str, str]) -> bool:
    """Return whether a browser with a window can open, rather than one in the terminal."""
    if sys.platform in {"darwin", "win32"}:
        return True
    names = ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "BROWSER")
    return any(environment.get(name) for name in names)


def _print_banner(options: _Options, *, opened: bool) -> None:
    """Print the address; not if the browser has it, so that nobody else can use it first."""
    if opened:
        text = "The viewer opens in your browser; if not: aforesaid ui --no-browser\n"
    else:
        text = f"Open in a browser on this machine (the address works once):\n  {options.url}\n"
    minutes = f"{options.idle_seconds / 60:.0f} minutes without use"
    sys.stdout.write(f"{text}{LAST_LINE} with Ctrl-C, or after {minutes}.\n")
    sys.stdout.flush()
