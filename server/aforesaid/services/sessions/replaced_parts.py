"""Marks the parts of an earlier session's line that a later memory has replaced."""

from __future__ import annotations

from aforesaid.domain.model.overtaken_parts import joined, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Store

REPLACED = " (replaced since)"
_SAME_CHARS = 60  #: a part that begins with so much of a memory repeats it
_MIN_CHARS = 15  #: a shorter memory may occur in any text by chance


def mark_replaced(store: Store, digests: Sequence[Memory]) -> list[Memory]:
    """Return digests with marks on the parts of their lines that a replaced memory had stated.

    Args:
        store: where memories are.
        digests: of sessions.
    """
    sessions = [digest.session for digest in digests if digest.session is not None]
    if not sessions:
        return list(digests)
    beginnings: dict[str, list[str]] = {}
    for memory in store.memories.replaced_of_sessions(sessions):
        text = _plain(memory.content)[:_SAME_CHARS]
        if len(text) >= _MIN_CHARS:
            beginnings.setdefault(memory.session or "", []).append(text)
    return [_marked(digest, beginnings.get(digest.session or "", [])) for digest in digests]


def _marked(digest: Memory, beginnings: Sequence[str]) -> Memory:
    if not beginnings or not digest.summary:
        return digest
    parts = [
        part + REPLACED
        if any(text in _plain(part) for text in beginnings) and not part.endswith(REPLACED)
        else part
        for part in parts_of(digest.summary)
    ]
    return digest.replace(summary=joined(parts))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
