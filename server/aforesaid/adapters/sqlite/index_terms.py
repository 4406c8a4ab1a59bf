"""What a row holds that is made of its texts: the extra words it is found by, and their print."""

from __future__ import annotations

from aforesaid.domain.text.hashing import text_checksum

from .database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory

#: Columns whose change changes these words.
NAMED_BY = frozenset({"content", "summary", "topic", "metadata"})
#: Columns whose change changes the print.
PRINTED = frozenset({"content", "summary", "metadata"})


def terms_of(database: Database, memory: Memory) -> str:
    """Return the words to index beside a memory's text: parts of names, tags, cues, its topic."""
    from aforesaid.domain.text.tokenize import index_terms  # only writers need its patterns

    labels = (*sorted(memory.tags), *memory.cues)  # one order, whichever way tags came
    if memory.topic is not None:
        labels = (*labels, *_topic(database, memory.topic))
    return index_terms(memory.content, memory.summary, labels)


def _topic(database: Database, key: int) -> list[str]:
    rows = database.rows(
        "SELECT t.name FROM topics t JOIN topics c ON t.key = c.key OR t.key = c.parent "
        "WHERE c.key = ? ORDER BY t.depth",
        (key,),
    )
    return [name for (name,) in rows]


def refresh_checksum(database: Database, key: int) -> None:
    """Make the print of a memory's texts again, since one of them was changed on purpose."""
    [texts] = database.rows(
        "SELECT content, ifnull(summary, ''), metadata FROM memories WHERE key = ?", (key,)
    )
    database.rows("UPDATE memories SET text_print = ? WHERE key = ?", (text_checksum(*texts), key))
