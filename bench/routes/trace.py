"""Runs an entry point and writes which of our modules it ran: ``python trace.py hook EVENT``.

The file that ``ROUTES_OUT`` names gets a line of JSON for each part: a list of modules. A hook's
part is its process, a server's part ends at each SIGUSR1; what runs during an import is left out.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

SERVER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "server"
)
PACKAGE = os.path.join(os.environ.get("ROUTES_SERVER", SERVER), "aforesaid") + os.sep
_FUNCTION = 1  #: CO_OPTIMIZED: the code is a function's, not a module's or a class body's

seen: set[str] = set()


def _note_call(frame: FrameType | None, event: str, _argument: object) -> None:
    if event != "call" or frame is None:
        return
    code = frame.f_code
    if not code.co_filename.startswith(PACKAGE) or not code.co_flags & _FUNCTION:
        return
    name = code.co_filename[len(PACKAGE) : -len(".py")]
    if name in seen:
        return
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        if frame.f_code.co_name == "<module>":
            return
        frame = frame.f_back
    seen.add(name)


def _write(*_: object) -> None:
    line = json.dumps(sorted(seen)) + "\n"
    seen.clear()
    out = os.open(os.environ["ROUTES_OUT"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(out, line.encode())
    os.close(out)


def main() -> None:
    sys.path[0] = os.path.dirname(os.path.dirname(PACKAGE))
    threading.setprofile(_note_call)
    sys.setprofile(_note_call)
    if sys.argv[1] == "serve":
        signal.signal(signal.SIGUSR1, _write)
        from aforesaid.entrypoints.mcp.server import main as run  # noqa: PLC0415 - traced

        run(sys.argv[1:])
    from aforesaid.entrypoints.hooks import main as run_hook  # noqa: PLC0415 - traced

    run_hook(sys.argv[1:])
    _write()


if __name__ == "__main__":
    main()
