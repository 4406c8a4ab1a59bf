"""The fields that a memory gains when it is stored again: missing ones are added, none replaced."""

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

_NOT_MERGED = frozenset(("cues", "removed_spans"))  #: cues are merged separately


def fields_to_merge(
    memory: Memory, statement: Statement, task: Task | None, *, ingested: bool
) -> dict[str, object]:
    """Return the columns of a memory that change with a statement that repeats it.

    Args:
        memory: as it is.
        statement: the repetition.
        task: of the statement.
        ingested: it comes from a transcript or an import, which add only tags and cues.
    """
    may_copy = may_copy_metadata_from(statement, memory)
    fields: dict[str, object] = {}
    tags = tuple(dict.fromkeys((*memory.tags, *statement.tags)))[:TAGS]
    if tags != memory.tags and may_copy:
        fields["tags"] = tags
    if statement.provenance == "user" and memory.provenance != "user":
        fields["provenance"] = "user"  # the user confirms it
    if task is not None and memory.task is None:
        fields["task"] = task.key
    metadata = memory.metadata
    if may_copy and not ingested:
        metadata = _merged_metadata(memory, statement)
        if statement.valid_to is not None:
            fields["valid_to"] = statement.valid_to
        if statement.pinned:
            fields["pinned"] = True
        if memory.summary is None and statement.summary is not None:
            fields["summary"] = statement.summary
    cues = [cue for cue in stored_cues(statement.metadata) if cue not in memory.cues]
    if cues and statement.provenance in TRUSTED:
        metadata = {**metadata, "cues": [*stored_cues(memory.metadata), *cues][:CUES]}
    if metadata != memory.metadata:
        fields["metadata"] = metadata
    return fields


def _merged_metadata(memory: Memory, statement: Statement) -> dict[str, Any]:
    """Return a memory's metadata with missing keys added; an event's metadata stays as it is."""
    if memory.type == "episodic":
        return memory.metadata
    missing = {
        name: value
        for name, value in statement.metadata.items()
        if name not in memory.metadata and name not in _NOT_MERGED
    }
    try:
        return check_metadata({**memory.metadata, **missing}, memory.type)
    except InvalidInputError:  # the merged metadata exceeds a limit
        return memory.metadata
