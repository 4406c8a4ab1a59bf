"""Which memories, stored independently, repeat something of another memory, and in which fields.

What is forgotten with a memory is in footprint.py, what counts as repeating in
domain/text/distinctive_phrases.py.
"""

from __future__ import annotations

import json

from aforesaid.domain.model.memory import stored_cues
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.text.distinctive_phrases import Marks
    from aforesaid.ports import Store

#: Metadata that is not free text.
FIXED = frozenset(("session_id", "event_date", "made_by", "category", "summariser", "entity_type"))
_CUES = frozenset(("cues", "trigger"))
_PAGE = 500


class Mention(Value):
    """A memory that stays, and its fields that repeat some of what is forgotten."""

    memory: Memory
    fields: tuple[str, ...]
    texts: tuple[str, ...]  #: of these fields

    @property
    def state(self) -> str:
        """Return why the memory is not in force; empty if it is."""
        if self.memory.forgotten_at is not None:
            return "forgotten"
        if self.memory.superseded_by is not None:
            return "replaced"
        return "archived" if self.memory.archived_at is not None else ""


def find_mentions(
    store: Store,
    marks: Marks,
    excluded: Collection[int],
    tags: tuple[str, ...],
    *,
    details: bool = True,
) -> Iterator[Mention]:
    """Yield the memories of all projects that repeat something in any field.

    Args:
        store: where to search.
        marks: the phrases to search for.
        excluded: keys of memories to leave out.
        tags: memories with one of these tags are compared even if the index finds no phrase.
        details: whether to search metadata, tags and links, too.
    """
    links: dict[int, list[str]] = {}
    keys = set(store.erasure.memories_quoting(marks.phrases(), tags))
    if details:
        for source, target, kind in store.erasure.links_quoting(marks):
            if target not in excluded:
                links.setdefault(source, []).append(kind)
        keys |= {*store.erasure.details_quoting(marks), *links}
    candidates = sorted(keys - set(excluded))
    for start in range(0, len(candidates), _PAGE):
        for memory in store.memories.get(candidates[start : start + _PAGE]):
            fields = {**fields_of(memory), "link": tuple(links.get(memory.key, ()))}
            repeating = {
                name: texts for name, texts in fields.items() if any(map(marks.repeated_by, texts))
            }
            if repeating:
                texts = tuple(text for texts in repeating.values() for text in texts)
                yield Mention(memory=memory, fields=tuple(repeating), texts=texts)


def fields_of(memory: Memory) -> dict[str, tuple[str, ...]]:
    """Return the fields of a memory that hold free text."""
    cues = set(stored_cues(memory.metadata))
    metadata = {
        name: value
        for name, value in memory.metadata.items()
        if name not in FIXED and name not in _CUES
    }
    return {
        "content": (memory.content,),
        "summary": (memory.summary or "",),
        "cues": (*sorted(cues), *_strings_in(memory.metadata.get("trigger"))),
        "tags": memory.tags,
        "metadata": (to_json(metadata),) if metadata else (),
    }


def words_in(value: Any) -> Iterator[str]:
    """Yield the free texts of a memory's metadata, or of a value in it."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in FIXED:
                yield from words_in(item)
    else:
        yield from _strings_in(value)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from words_in(item)


def to_json(value: object) -> str:
    """Return a value in the form in which the store keeps it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
