"""Marking what the line of an earlier session tells, where a later memory has replaced it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Store

REPLACED = " (replaced since)"
_SAME_CHARS = 60  #: a part with this beginning of a memory tells that memory
_MIN_CHARS = 15  #: a shorter memory may stand in any text


def mark_replaced(store: Store, digests: Sequence[Memory]) -> list[Memory]:
    """Return digests whose lines say which of their parts a replaced memory had told.

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
        part + REPLACED if any(text in _plain(part) for text in beginnings) else part
        for part in digest.summary.split("; ")
    ]
    return digest.replace(summary="; ".join(parts))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
