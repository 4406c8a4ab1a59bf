"""A memory as it travels between stores: names instead of keys, and what it is there.

Here: the record, and what an import does where both sides differ. Not here: forms of files.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SKIP, NEWER, BOTH = "skip", "newer", "both"
#: What is done where a memory is known here and says something else: ours stays; the one that was
#: changed last stands and the other is its former version; both stand.
ON_CONFLICT = (SKIP, NEWER, BOTH)


class Record(Value):
    """One memory in force. Times are ms since the epoch, UTC."""

    id: str = ""  #: where it was stored first; empty for one that a person wrote into a file
    content: str
    type: str = "semantic"
    scope: str = "project"
    project: str | None = None  #: its name; None for what is global
    project_key: str | None = None  #: its identity, which tells it from another of that name
    task_id: str | None = None
    topic: str | None = None  #: its path
    entity: str | None = None
    summary: str | None = None
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float = 1.0
    pinned: bool = False
    provenance: str = "import"
    metadata: dict[str, Any] = {}
    valid_from: int | None = None
    valid_to: int | None = None
    event_at: int | None = None
    archived_at: int | None = None
    created_at: int | None = None
    updated_at: int | None = None
    links: tuple[tuple[str, str], ...] = ()  #: kind, and the id of another record
