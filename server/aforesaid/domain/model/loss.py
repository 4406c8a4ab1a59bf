"""What a store acknowledged and does not have any more, and how that is said.

Here: the values and the words. Not here: how a loss is found (adapters/sqlite/ledger.py).
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ADVICE = "`aforesaid doctor` says what to do"


class Loss(Value):
    """Acknowledged changes that are missing since a moment."""

    memories: int
    changes: int  #: write transactions, those that stored the memories among them
    since_ms: int  #: when the first of them was acknowledged
    until_ms: int
    found_ms: int


def read_losses(text: str) -> list[Loss]:
    """Return losses from what the store keeps."""
    rows = [map(int, line.split()) for line in text.splitlines()]
    return [Loss(**dict(zip(Loss._fields, row, strict=True))) for row in rows]


def write_losses(losses: Iterable[Loss]) -> str:
    """Return what the store keeps of losses."""
    return "\n".join(
        f"{one.memories} {one.changes} {one.since_ms} {one.until_ms} {one.found_ms}"
        for one in losses
    )


def describe_losses(text: str) -> str:
    """Return one sentence on the losses that a store keeps; empty where it keeps none."""
    losses = read_losses(text)
    if not losses:
        return ""
    from aforesaid.domain.text.pluralize import pluralize
    from aforesaid.domain.text.timestamps import to_iso

    memories = sum(one.memories for one in losses)
    since = to_iso(min(one.since_ms for one in losses))
    until = to_iso(max(one.until_ms for one in losses))
    what = pluralize(memories, "memory", "memories")
    if not memories:
        what = pluralize(sum(one.changes for one in losses), "change")
    are = "is" if what.startswith("1 ") else "are"
    when = f"at {since}" if since == until else f"between {since} and {until}"
    return (
        f"{what} acknowledged {when} {are} missing: the store's log "
        "(-wal) was cut or deleted, or the file was replaced by an older one"
    )
