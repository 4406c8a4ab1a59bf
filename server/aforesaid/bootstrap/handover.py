"""What the front gives the server when it hands the client's connection over by exec.

The front (handshake_server.py) packs, the real server takes. No protocol is spoken here.

The format: environment variable `AFORESAID_HANDOVER` holds the number of an inherited, readable
file descriptor at its beginning; it holds one JSON object in UTF-8:

    {"initialize": {...} | null,   the client's `initialize` request, already answered
     "initialized": true | false,  whether `notifications/initialized` was seen, already consumed
     "pending": ["...", ...]}      whole message lines that nobody has answered yet, oldest first

What follows on standard input are the messages after `pending`; nothing is lost between the two.
The taker replays `initialize` (and swallows its own answer), then `notifications/initialized` if
it was seen, then treats each line of `pending` as if it had been read from standard input.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VARIABLE = "AFORESAID_HANDOVER"


def pack(initialize: Any, initialized: bool, pending: list[bytes]) -> int:
    """Returns a descriptor that a child process inherits and can `take` from."""
    told = {
        "initialize": initialize,
        "initialized": initialized,
        "pending": [line.decode("utf-8", "replace") for line in pending],
    }
    content = json.dumps(told).encode()
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("aforesaid-handover", 0)
    else:
        import tempfile

        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    while content:
        content = content[os.write(descriptor, content) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.set_inheritable(descriptor, True)
    return descriptor


def take() -> dict[str, Any] | None:
    """Returns what the front handed over, once; None where this process was not handed anything."""
    number = os.environ.pop(VARIABLE, "")
    if not number.isdigit():
        return None
    with open(int(number), "rb") as file:
        told = json.loads(file.read())
    return told if isinstance(told, dict) else None
