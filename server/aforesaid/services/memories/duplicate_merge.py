"""What a memory gains where the same is said again: what it lacks is added, nothing is replaced."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import CUES, TAGS, TRUSTED, stored_cues
from aforesaid.domain.model.statement import check_metadata

from .duplicate_check import may_copy_metadata_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.domain.model.task import Task

_NOT_ADDED = frozenset(("cues", "removed_spans"))  #: of metadata: cues are joined


def fields_to_merge(
    memory: Memory, statement: Statement, task: Task | None, *, ingested: bool
) -> dict[str, object]:
    """Return the columns of a memory that change with a statement that says the same.

    Args:
        memory: as it is.
        statement: said again.
        task: that the statement belongs to.
        ingested: it comes from a transcript or an import, which bring tags and cues alone.
    """
    lends = may_copy_metadata_from(statement, memory)
    fields: dict[str, object] = {}
    tags = tuple(dict.fromkeys((*memory.tags, *statement.tags)))[:TAGS]
    if tags != memory.tags and lends:
        fields["tags"] = tags
    if statement.provenance == "user" and memory.provenance != "user":
        fields["provenance"] = "user"  # a person said it: that confirms it
    if task is not None and memory.task is None:
        fields["task"] = task.key
    metadata = memory.metadata
    if lends and not ingested:
        metadata = _joined(memory, statement)
        if statement.valid_to is not None:
            fields["valid_to"] = statement.valid_to
        if statement.pinned:
            fields["pinned"] = True
        if memory.summary is None and statement.summary is not None:
            fields["summary"] = statement.summary
    cues = [one for one in stored_cues(statement.metadata) if one not in memory.cues]
    if cues and statement.provenance in TRUSTED:
        metadata = {**metadata, "cues": [*stored_cues(memory.metadata), *cues][:CUES]}
    if metadata != memory.metadata:
        fields["metadata"] = metadata
    return fields


def _joined(memory: Memory, statement: Statement) -> dict[str, Any]:
    """Return a memory's metadata with the keys that it lacks; an event's are of its own day."""
    if memory.type == "episodic":
        return memory.metadata
    new = {
        name: value
        for name, value in statement.metadata.items()
        if name not in memory.metadata and name not in _NOT_ADDED
    }
    joined = {**memory.metadata, **new}
    try:
        return check_metadata(joined, memory.type)
    except InvalidInputError:  # together too much
        return memory.metadata
