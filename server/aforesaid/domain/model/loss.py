"""Losses: changes that the store acknowledged and no longer has, and how they are reported.

Detected by adapters/sqlite/ledger.py.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ADVICE = "`aforesaid doctor` explains what to do"


class Loss(Value):
    """Acknowledged changes that were found missing at one time."""

    memories: int  #: number of missing memories
    changes: int  #: number of missing write transactions, including those of the memories
    since_ms: int  #: when the first was acknowledged, ms since the epoch
    until_ms: int
    found_ms: int


def read_losses(text: str) -> list[Loss]:
    """Parse the losses in the store's meta value."""
    rows = [map(int, line.split()) for line in text.splitlines()]
    return [Loss(**dict(zip(Loss._fields, row, strict=True))) for row in rows]


def write_losses(losses: Iterable[Loss]) -> str:
    """Return the meta value that records losses."""
    return "\n".join(
        f"{loss.memories} {loss.changes} {loss.since_ms} {loss.until_ms} {loss.found_ms}"
        for loss in losses
    )


def describe_losses(text: str) -> str:
    """Return a sentence on the losses in a meta value; empty if it has none."""
    losses = read_losses(text)
    if not losses:
        return ""
    from aforesaid.domain.text.pluralize import pluralize
    from aforesaid.domain.text.timestamps import to_iso

    memories = sum(loss.memories for loss in losses)
    since = to_iso(min(loss.since_ms for loss in losses))
    until = to_iso(max(loss.until_ms for loss in losses))
    lost = pluralize(memories, "memory", "memories")
    if not memories:
        lost = pluralize(sum(loss.changes for loss in losses), "change")
    verb = "is" if lost.startswith("1 ") else "are"
    when = f"at {since}" if since == until else f"between {since} and {until}"
    return (
        f"{lost} acknowledged {when} {verb} missing: the store's log "
        "(-wal) was cut or deleted, or the file was replaced by an older one"
    )
