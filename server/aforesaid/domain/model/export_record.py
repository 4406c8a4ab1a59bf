"""An export record: a memory as it travels between stores, with names in place of keys."""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SKIP, NEWER, BOTH = "skip", "newer", "both"
#: What an import does with a memory that exists here with another text: keep the existing one; make
#: the one that was changed last the head and the other its previous version; keep both.
ON_CONFLICT = (SKIP, NEWER, BOTH)


class Record(Value):
    """One memory in force. Times are ms since the epoch, UTC."""

    id: str = ""  #: as in the store of origin; empty for a record written by hand
    content: str
    type: str = "semantic"
    scope: str = "project"
    project: str | None = None  #: its name; None if global
    project_key: str | None = None  #: distinguishes projects of the same name
    task_id: str | None = None
    topic: str | None = None  #: its path
    entity: str | None = None
    summary: str | None = None
    session: str | None = None  #: its id
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
    links: tuple[tuple[str, str], ...] = ()  #: pairs of kind and the id of another record
