"""The engine's version: one that can lose data is refused."""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import UnavailableError

#: SQLite before this can lose acknowledged commits when connections checkpoint at once.
#: Source: SQLite release notes, WAL-reset bug.
OLDEST_ENGINE = (3, 51, 3)


def gate_engine(version: str | None = None) -> None:
    """Refuse an engine that can lose what it acknowledged.

    Raises:
        UnavailableError: SQLite is older than 3.51.3.
    """
    found = version or apsw.sqlite_lib_version()
    if tuple(int(part) for part in found.split(".")[:3]) < OLDEST_ENGINE:
        needed = ".".join(map(str, OLDEST_ENGINE))
        raise UnavailableError(
            f"SQLite {found} can lose data and {needed} or newer is needed: "
            "remove the environment and let it be set up again"
        )
