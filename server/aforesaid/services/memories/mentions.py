"""Which memories, stored independently, say some of what another memory says, and in which field.

Here: the fields of a memory that hold somebody's words, and finding those that repeat. Not here:
what goes with a memory (footprint.py), what counts as repeating
(domain/text/distinctive_phrases.py).
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

#: Metadata that nobody wrote in words.
FIXED = frozenset(("session_id", "event_date", "made_by", "category", "summariser", "entity_type"))
_CUES = ("cues", "trigger")
_PAGE = 500


class Mention(Value):
    """A memory that stays, and the fields of it that say some of what goes."""

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
    known: Collection[int],
    tags: tuple[str, ...],
    *,
    details: bool = True,
) -> Iterator[Mention]:
    """Yield the memories that repeat something in any field, of whatever project.

    Args:
        store: where to look.
        marks: what is searched for.
        known: keys of memories that are left out.
        tags: memories with one of these are looked at even if no word of them is known.
        details: whether to look for what has it only in metadata, tags and links, too.
    """
    links: dict[int, list[str]] = {}
    keys = set(store.erasure.memories_quoting(marks.phrases(), tags))
    if details:
        for source, target, kind in store.erasure.links_quoting(marks):
            if target not in known:
                links.setdefault(source, []).append(kind)
        keys |= {*store.erasure.details_quoting(marks), *links}
    wanted = sorted(keys - set(known))
    for start in range(0, len(wanted), _PAGE):
        for memory in store.memories.get(wanted[start : start + _PAGE]):
            fields = {**fields_of(memory), "link": tuple(links.get(memory.key, ()))}
            found = {
                name: texts for name, texts in fields.items() if any(map(marks.repeated_by, texts))
            }
            if found:
                texts = tuple(text for one in found.values() for text in one)
                yield Mention(memory=memory, fields=tuple(found), texts=texts)


def fields_of(memory: Memory) -> dict[str, tuple[str, ...]]:
    """Return the fields of a memory that hold somebody's words."""
    cues = set(stored_cues(memory.metadata))
    trigger = memory.metadata.get("trigger")
    told = {
        name: value
        for name, value in memory.metadata.items()
        if name not in FIXED and name not in _CUES
    }
    return {
        "content": (memory.content,),
        "summary": (memory.summary or "",),
        "cues": (*sorted(cues), *_strings_in(trigger)),
        "tags": memory.tags,
        "metadata": (to_json(told),) if told else (),
    }


def words_in(value: Any) -> Iterator[str]:
    """Yield the texts of a memory's metadata, or of a value in it."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name not in FIXED:
                yield from words_in(one)
    else:
        yield from _strings_in(value)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from words_in(one)


def to_json(value: object) -> str:
    """Return a value as the store keeps it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
