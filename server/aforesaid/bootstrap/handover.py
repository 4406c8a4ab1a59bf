"""The state that the handshake server passes to the real server when it replaces itself by exec.

The environment variable `AFORESAID_HANDOVER` holds the number of an inherited file descriptor,
which contains one JSON object in UTF-8:

    {"initialize": {...} | null,   the client's `initialize` request, already answered
     "initialized": true | false,  whether `notifications/initialized` was received
     "pending": ["...", ...]}      complete message lines not answered yet, oldest first

Standard input continues after `pending`; no message is lost. The real server replays `initialize`
and discards its own answer, then `notifications/initialized` if it was received, then handles each
line of `pending` as if it had just been read.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VARIABLE = "AFORESAID_HANDOVER"


def pack(initialize: Any, initialized: bool, pending: list[bytes]) -> int:
    """Return an inheritable descriptor with the state."""
    state = {
        "initialize": initialize,
        "initialized": initialized,
        "pending": [line.decode("utf-8", "replace") for line in pending],
    }
    content = json.dumps(state).encode()
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
    """Return the state from the handshake server, once; None if there is none."""
    number = os.environ.pop(VARIABLE, "")
    if not number.isdigit():
        return None
    with open(int(number), "rb") as file:
        state = json.loads(file.read())
    return state if isinstance(state, dict) else None
