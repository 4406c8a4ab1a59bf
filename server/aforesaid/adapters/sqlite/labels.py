"""The extra words of a memory: what it is found by though its text does not hold it."""

from __future__ import annotations

from .database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.memory import Memory

#: Columns whose change changes these words.
NAMED_BY = frozenset({"content", "summary", "topic"})


def terms_of(database: Database, memory: Memory) -> str:
    """Return the words to index beside a memory's text: parts of names, tags, its topic's path."""
    from aforesaid.domain.words import index_terms  # only writers need its patterns

    labels = tuple(sorted(memory.tags))  # one order, whichever way they came
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
