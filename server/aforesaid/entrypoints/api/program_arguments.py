"""Parameters that programs and the shell have beyond a tool's schema, which models are not shown.

A model speaks in its own session and now; a program may store what was said elsewhere and earlier.
Not here: the parameters of the schemas (arguments.py).
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.timestamps import to_iso

from .arguments import read_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.wiring.container import ServiceContainer

    from .arguments import Arguments

#: By tool: the parameters, with their descriptions.
PROGRAM_PARAMETERS = {
    "store_memory": {
        "session": "Id of the conversation; messages near a match in one session rank higher",
        "created_at": "When it was said, if not now: a date or time, not in the future",
    },
    "recall_memory": {
        "topic": "Only what is filed under this topic, by name or path",
        "provenance": "Only of this origin: user, assistant, tool, import, derived; or several, "
        "separated by commas",
        "session": "Only what was stored in this conversation, by its id",
        "state": "forgotten: only forgotten memories, without their text",
    },
    "update_memory": {
        "session": "Id of the conversation that it belongs to",
        "project": "The project to move it to, by name",
    },
}
MIN_MS = 100_000_000_000  #: smaller numbers (before March 1973) are seconds by mistake


def read_program_arguments(
    tool: str, raw: Mapping[str, Any], core: ServiceContainer, *, any_provenance: bool = False
) -> Arguments:
    """Return the arguments of a call as ``read_arguments`` does, with ``created_at`` in ms.

    Args:
        tool: its name.
        raw: the arguments as the caller gave them.
        core: reads dates, and knows the time.
        any_provenance: see ``read_arguments``.

    Raises:
        InvalidInputError: a parameter is unknown, or has an invalid value.
    """
    names = PROGRAM_PARAMETERS.get(tool, {})
    in_schema = {name: value for name, value in raw.items() if name not in names}
    arguments = read_arguments(tool, in_schema, any_provenance=any_provenance, further=tuple(names))
    for name in names:
        value = raw.get(name)
        if value is None:
            continue
        if name == "created_at":
            arguments[name] = _read_created_at(value, core)
        elif isinstance(value, str) and value.strip():
            arguments[name] = value
        else:
            raise InvalidInputError(f"{tool}: {name} must be a name, not {str(value)[:60]!r}")
    return arguments


def _read_created_at(value: object, core: ServiceContainer) -> int:
    if isinstance(value, (str, date)):  # a datetime is a date; without a zone, it is local
        text = value if isinstance(value, str) else value.isoformat()
        created_at = core.dates.read(text, "created_at").start
    elif isinstance(value, int) and not isinstance(value, bool):
        created_at = value
        if created_at < MIN_MS:
            raise InvalidInputError(f"created_at {value} is too small: give ms since the epoch")
    else:
        raise InvalidInputError(
            f"created_at must be a date, a datetime or ms since the epoch, not {str(value)[:60]!r}"
        )
    now = core.clock.now()
    if created_at > now:
        raise InvalidInputError(
            f"created_at {str(value)[:60]!r} is in the future (it is {to_iso(now)}): give the time "
            "when it was said, and valid_from for a fact that holds from a later time"
        )
    if created_at < 0:
        raise InvalidInputError(f"created_at {str(value)[:60]!r} is before 1970")
    return created_at
