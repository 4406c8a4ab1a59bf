"""Derived columns of a memory's row: index terms beyond its text, and its checksum."""

from __future__ import annotations

from aforesaid.domain.text.hashing import text_checksum

from .database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory

#: Columns that the index terms depend on.
INDEXED = frozenset({"content", "summary", "topic", "metadata"})
#: Columns that the checksum depends on.
CHECKSUMMED = frozenset({"content", "summary", "metadata"})


def terms_of(database: Database, memory: Memory) -> str:
    """Return the terms to index beside a memory's text: parts of names, tags, cues, its topic."""
    from aforesaid.domain.text.tokenize import index_terms  # only writers need its patterns

    labels = (*sorted(memory.tags), *memory.cues)  # sorted, so that equal memories get equal terms
    if memory.topic is not None:
        labels = (*labels, *_topic_names(database, memory.topic))
    return index_terms(memory.content, memory.summary, labels)


def _topic_names(database: Database, key: int) -> list[str]:
    rows = database.rows(
        "SELECT t.name FROM topics t JOIN topics c ON t.key = c.key OR t.key = c.parent "
        "WHERE c.key = ? ORDER BY t.depth",
        (key,),
    )
    return [name for (name,) in rows]


def refresh_checksum(database: Database, key: int) -> None:
    """Recompute a memory's checksum after an intended change of its texts."""
    [texts] = database.rows(
        "SELECT content, ifnull(summary, ''), metadata FROM memories WHERE key = ?", (key,)
    )
    checksum = text_checksum(*texts)
    database.rows("UPDATE memories SET text_checksum = ? WHERE key = ?", (checksum, key))
